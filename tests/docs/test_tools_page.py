"""docs/tools.md speaks of every tool of the registry, with its real parameters and statuses, shown by calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from zgadka.tools.declare import Tool
from zgadka.tools.registry import REGISTRY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tools.md").read_text()
SHOWN = re.compile(r'^\$ (?:ZGADKA_\w+=\S+ )*zgadka call (\w+) .*\n\{"status": "(\w+)"', re.MULTILINE)
BROKEN = {"busy", "error", "db_error"}  # of a database that is locked or fails
SOURCE = "\n".join(path.read_text() for path in (ROOT / "src" / "zgadka").rglob("*.py"))


def test_the_page_speaks_of_every_tool_in_its_set_and_order() -> None:
    expected: list[str] = []
    for name in dict.fromkeys(tool.set for tool in REGISTRY):
        expected += [f"## Set {name}", *(f"### `{tool.name}`" for tool in REGISTRY if tool.set == name)]
    assert re.findall(r"^(?:## Set|### `).*", PAGE, re.MULTILINE) == expected


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
def test_the_section_of_the_tool_is_right(tool: Tool) -> None:
    assert list(mistakes(tool, PAGE)) == []


def test_every_status_is_shown_by_a_call() -> None:
    """Of tools that say the same (`conflict`, or `…_not_allowed`), one shows it."""
    prefixes = {tool.name: tool.failed for tool in REGISTRY}
    shown = {status.removeprefix(prefixes[name]) for name, status in SHOWN.findall(PAGE)}
    every = _section(PAGE, "## Every answer") or ""
    listed = set(re.findall(r"^\| `(\w+)` \|", every, re.MULTILINE))
    for tool in REGISTRY:
        own = _own_statuses(tool, _section(PAGE, f"### `{tool.name}`") or "")
        listed |= {status.removeprefix(tool.failed) for status in own}
    assert listed - shown <= BROKEN


def test_each_mistake_is_found() -> None:
    tool = REGISTRY["clear_profile"]
    right = (
        "## Every answer\n\n| `invalid_args` | … |\n\n### `clear_profile`\n\n| `user_id` | integer, required | |\n"
        "| `reason` | text, required | |\n\nStatuses: `success`, `not_found` (gone).\n\n"
        '```console\n$ zgadka call clear_profile \'{}\' --user 1\n{"status": "success"}\n'
        '$ ZGADKA_A=b zgadka call clear_profile \'{}\' --user 1\n{"status": "not_found"}\n```\n'
    )
    assert list(mistakes(tool, right)) == []
    for change, complaint in {
        ("### `clear_profile`", "### `other`"): "no section",
        ("| `reason` | text, required | |\n", ""): "parameters",
        ("`reason`", "`why`"): "parameters",
        ("text, required", "text"): "parameters",
        ("call clear_profile", "call forget"): "no example",
        ('"not_found"', '"success"'): "only one",
        ("`success`, ", ""): "unlisted",
        ("(gone)", "or `lost_and_found`"): "unknown",
    }.items():
        assert [complaint in found for found in mistakes(tool, right.replace(*change))] == [True], change


def mistakes(tool: Tool, page: str) -> Iterator[str]:
    """Say what the page has wrong about a tool."""
    section = _section(page, f"### `{tool.name}`")
    if section is None:
        yield f"no section about {tool.name}"
        return
    table = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", section, re.MULTILINE)
    given = [(name, "required" in kind) for name, kind in table]
    declared = [(parameter.name, parameter.required) for parameter in tool.parameters]
    if given != declared:
        yield f"parameters (and whether required) are {declared}, not {given}"
    if f"$ zgadka call {tool.name} " not in section:
        yield "no example of a call"
    listed = _own_statuses(tool, section)
    shown = {status for name, status in SHOWN.findall(section) if name == tool.name}
    common = set(re.findall(r"^\| `(\w+)` \|", _section(page, "## Every answer") or "", re.MULTILINE))
    if unlisted := shown - listed - common:
        yield f"unlisted statuses: {', '.join(sorted(unlisted))}"
    if len(listed) > 1 and len(shown) == 1:
        yield "only one status is shown: what does a model meet that is refused?"
    if unknown := {status for status in listed if not _exists(status, tool.failed)}:
        yield f"unknown statuses: {', '.join(sorted(unknown))}"


def _own_statuses(tool: Tool, section: str) -> set[str]:
    said = re.search(r"^Statuses: (.*?)\n\n", section, re.MULTILINE | re.DOTALL)
    return _statuses(said[1] if said else "", tool.failed)


def _section(page: str, heading: str) -> str | None:
    found = re.search(rf"^{re.escape(heading)}\n(.*?)(?=^##+ |\Z)", page, re.MULTILINE | re.DOTALL)
    return found and found[1]


def _statuses(said: str, failed: str) -> set[str]:
    """The statuses of a list; those after the common beginning of a tool's failures are written without it."""
    words = re.findall(r"`(\w+)`", said)
    if failed not in words:
        return set(words)
    place = words.index(failed)
    return {*words[:place], *(failed + word for word in words[place + 1 :])}


def _exists(status: str, failed: str) -> bool:
    return any(f'"{word}"' in SOURCE for word in (status, status.removeprefix(failed)))
