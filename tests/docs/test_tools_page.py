"""docs/tools.md speaks of every tool of the registry, with its real parameters, statuses and an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from zgadka.tools.declare import Tool
from zgadka.tools.registry import REGISTRY

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tools.md").read_text()
SOURCE = "\n".join(path.read_text() for path in (ROOT / "src" / "zgadka").rglob("*.py"))


def test_the_page_speaks_of_every_tool_in_its_set_and_order() -> None:
    expected: list[str] = []
    for name in dict.fromkeys(tool.set for tool in REGISTRY):
        expected += [f"## Set {name}", *(f"### `{tool.name}`" for tool in REGISTRY.select(name))]
    assert re.findall(r"^(?:## Set|### `).*", PAGE, re.MULTILINE) == expected


@pytest.mark.parametrize("tool", list(REGISTRY), ids=lambda tool: tool.name)
def test_the_section_of_the_tool_is_right(tool: Tool) -> None:
    assert list(mistakes(tool, PAGE)) == []


def test_each_mistake_is_found() -> None:
    tool = REGISTRY["clear_profile"]
    right = (
        "## Every answer\n\n| `invalid_args` | … |\n\n### `clear_profile`\n\n| `user_id` | integer, required | |\n"
        "| `reason` | text, required | |\n\nStatuses: `success`, `not_found` (gone).\n\n"
        '```console\n$ zgadka call clear_profile \'{}\' --user 1\n{"status": "success"}\n```\n'
    )
    assert list(mistakes(tool, right)) == []
    for change, complaint in {
        ("### `clear_profile`", "### `other`"): "no section",
        ("| `reason` | text, required | |\n", ""): "parameters",
        ("`reason`", "`why`"): "parameters",
        ("text, required", "text"): "parameters",
        ("call clear_profile", "call forget"): "no example",
        ("`success`, ", ""): "unlisted",
        ("`not_found`", "`lost_and_found`"): "unknown",
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
    said = re.search(r"^Statuses: (.*?)\n\n", section, re.MULTILINE | re.DOTALL)
    listed = _statuses(said[1] if said else "", tool.failed)
    calls = re.findall(r'^\$ zgadka call (\w+) .*\n\{"status": "(\w+)"', section, re.MULTILINE)
    shown = {status for name, status in calls if name == tool.name}
    common = set(re.findall(r"^\| `(\w+)` \|", _section(page, "## Every answer") or "", re.MULTILINE))
    if unlisted := shown - listed - common:
        yield f"unlisted statuses: {', '.join(sorted(unlisted))}"
    if unknown := {status for status in listed if not _exists(status, tool.failed)}:
        yield f"unknown statuses: {', '.join(sorted(unknown))}"


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
