"""docs/upgrading.md names everything that the code has and the first version (c97b91b) had not, and what is gone.

`first_version.json` holds what that version declared, by the sections of the page. A name may have parts: `call|grant`
is the parameter of a method. Parts of what is new as a whole need not be named.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass
from inspect import isclass, signature
from pathlib import Path
from typing import Any

import pytest
import typer

import zgadka
from zgadka import Memory, Settings, errors, open_memory
from zgadka.bots.commands import COMMANDS
from zgadka.cli.main import app
from zgadka.mcp.declare import output_schema
from zgadka.metrics import FAMILIES
from zgadka.model.export_records import KINDS
from zgadka.stores.sql import migrations
from zgadka.tools.registry import REGISTRY
from zgadka.web.app import build_app, describe

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "upgrading.md").read_text()
TOOLS_PAGE = (ROOT / "docs" / "tools.md").read_text()
FIRST: dict[str, list[str]] = json.loads(Path(__file__).with_name("first_version.json").read_text())
MANY = 5
"""What so many have is named once."""


def tools() -> Iterator[str]:
    """Tools, their parameters and statuses, and the names of their answers' fields."""
    for tool in REGISTRY:
        yield tool.name
        yield from (f"{tool.name}|{parameter.name}" for parameter in tool.parameters)
        yield from (f"{tool.name}|{status}" for status in statuses(tool.name, tool.failed))
        yield from properties(output_schema(tool))


def statuses(tool: str, failed: str) -> set[str]:
    """Those that docs/tools.md lists, which its own test holds against the code."""
    section = TOOLS_PAGE.partition(f"### `{tool}`\n")[2].partition("\n### ")[0]
    listed = re.search(r"^Statuses: (.*?)\n\n", section, re.MULTILINE | re.DOTALL)
    words = re.findall(r"`(\w+)`", listed[1] if listed else "")
    start = words.index(failed) if failed and failed in words else len(words)
    return {*words[:start], *(failed + word for word in words[start + 1 :])}


def properties(schema: dict[str, Any]) -> Iterator[str]:
    """The names of all fields of a schema, however deep."""
    for name, field in schema.get("properties", {}).items():
        yield name
        yield from properties(field)
        yield from properties(field.get("items", {}))


def settings() -> Iterator[str]:
    """Settings, and their defaults."""
    for setting in fields(Settings):
        yield f"ZGADKA_{setting.name.upper()}"
        yield f"ZGADKA_{setting.name.upper()}|{setting.default}"


def library() -> Iterator[str]:
    """Methods of `Memory` and their parameters, fields of the public values, errors."""
    for name, method in vars(Memory).items():
        if not name.startswith("_") and callable(method):
            yield name
            parameters = () if name in {tool.name for tool in REGISTRY} else signature(method).parameters
            yield from (f"{name}|{parameter}" for parameter in parameters if parameter != "self")
    for name in zgadka.__all__:
        value = getattr(zgadka, name)
        if isclass(value) and is_dataclass(value) and value is not Settings:
            yield name
            yield from (f"{name}|{field.name}" for field in fields(value))
    yield from (
        name for name, value in vars(errors).items() if isclass(value) and issubclass(value, errors.ZgadkaError)
    )


def rest() -> Iterator[str]:
    """Routes of the REST API, and the fields of requests."""
    memory = open_memory("sqlite://:memory:", settings=Settings(background=False))
    spec = describe(build_app(memory).api)
    asyncio.run(memory.close())
    for path, methods in spec["paths"].items():
        yield from (f"{method.upper()} {path}" for method in methods)
    for schema in spec["components"]["schemas"].values():
        yield from schema.get("properties", ())


def shell() -> Iterator[str]:
    """Commands of the shell and their options."""

    def walk(command: Any, name: str) -> Iterator[str]:
        yield name
        for parameter in command.params:
            options = (*parameter.opts, *parameter.secondary_opts)
            yield from (f"{name}|{option}" for option in options if option.startswith("--"))
        for part, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{name} {part}")

    return walk(typer.main.get_command(app), "zgadka")


def export() -> Iterator[str]:
    """Kinds of lines of an export, and their fields."""
    for kind, line in KINDS.items():
        yield kind
        yield from (f"{kind}|{field.name}" for field in fields(line))


def databases() -> Iterator[str]:
    """The last migration of each database."""
    for dialect, name in (("sqlite", "SQLite"), ("postgres", "PostgreSQL")):
        yield f"{name}|{migrations(dialect)[-1].number}"


DECLARED: dict[str, Callable[[], Iterable[str]]] = {
    "Tools": tools,
    "Settings": settings,
    "Python library": library,
    "REST": rest,
    "Command line": shell,
    "Export format": export,
    "Databases": databases,
    "Chat and bots": lambda: COMMANDS,
    "Metrics": lambda: (family.name for family in FAMILIES),
}


@pytest.mark.parametrize("section", list(DECLARED))
def test_the_section_names_all_that_is_new_or_gone(section: str) -> None:
    assert unnamed(PAGE, section, FIRST[section], DECLARED[section]()) == []


def test_the_page_has_a_section_for_each_door() -> None:
    doors = [*DECLARED, "MCP", "Dashboard", "Frameworks"]
    assert sorted(re.findall(r"^## (.*)$", PAGE, re.MULTILINE)) == sorted(["Before you start", "Guarantees", *doors])


@pytest.mark.parametrize("section", list(DECLARED))
def test_what_the_first_version_had_is_known(section: str) -> None:
    """A list that has nothing in common with today's would prove nothing."""
    assert len({*FIRST[section]} & {*DECLARED[section]()}) > len(FIRST[section]) * 0.7 or section == "Databases"


@pytest.mark.parametrize(
    ("now", "missing"),
    [
        (["call", "call|turn", "search"], []),
        (["call", "call|turn", "search", "why", "why|turn"], []),
        (["call", "call|turn", "search", "mute"], ["mute"]),
        (["call", "call|turn", "search", "call|grant"], []),
        (["call", "call|turn", "search", "call|shown"], ["call|shown"]),
        (["call", "search"], ["call|turn"]),
        (["call", "call|turn"], ["search"]),
    ],
)
def test_what_the_page_leaves_out_is_found(now: list[str], missing: list[str]) -> None:
    page = "## Other\n\n`mute`\n\n## Python library\n\n| `why` | `shown` |\n| `call(grant=…)` | `mutes` |\n"
    assert unnamed(page, "Python library", ["call", "call|turn", "search"], now) == missing


def unnamed(page: str, section: str, then: Iterable[str], now: Iterable[str]) -> list[str]:
    """What is only in one of the two versions, and not named in the section of the page."""
    text = page.partition(f"## {section}\n")[2]
    lines = [[*re.findall(r"`([^`]+)`", line)] for line in text.partition("\n## ")[0].splitlines()]
    first, last = set(then), set(now)
    changes = first ^ last
    owners = {name for name in changes if "|" not in name}
    parts = {name for name in changes if "|" in name and name.split("|")[0] not in owners}
    common = {part for part, count in Counter(name.split("|")[1] for name in parts).items() if count >= MANY}

    def is_named(*names: str) -> bool:
        return any(all(any(_has(code, name) for code in line) for name in names) for line in lines)

    missing = [name for name in owners if not is_named(name)]
    for name in parts:
        owner, part = name.split("|")
        if not (is_named(owner, part) or (part in common and is_named(part))):
            missing.append(name)
    return sorted(missing)


def _has(code: str, name: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", code) is not None
