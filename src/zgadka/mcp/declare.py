"""The registry's tools as MCP declares them: schemas of what goes in and what comes out, hints, titles."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast

from zgadka.model.check import shown
from zgadka.model.turn import Turn
from zgadka.settings import McpTier
from zgadka.tools.declare import Schema, Tool
from zgadka.tools.registry import TIERS, Registry

ASKED = frozenset({"forget", "clear_profile", "update_long_term_memory"})
"""The tools that delete for good: before they do, the person is asked."""

_USER = "user_id"
_OWN = "Leave it out for the person you talk to; else another person's integer ID, as a tool showed it"
_WHO_ASKS = (
    "The application may ask the person itself; then the answer already says what they decided. "
    "Else do what the answer's message says."
)


def offered(registry: Registry, tier: McpTier, extra: Iterable[str] = ()) -> list[Tool]:
    """The tools of a tier and of further sets, in the registry's order."""
    return registry.select(*TIERS[tier], *extra)


def declaration(tool: Tool, speaker: Turn) -> dict[str, Any]:
    """What `tools/list` says of a tool to the person of a connection."""
    return {
        "name": tool.name,
        "title": tool.title,
        "description": f"{tool.description}\n\n{_WHO_ASKS}" if tool.name in ASKED else tool.description,
        "inputSchema": input_schema(tool, speaker),
        "outputSchema": output_schema(tool),
        "annotations": {
            "title": tool.title,
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        },
    }


def input_schema(tool: Tool, speaker: Turn) -> Schema:
    """The parameters; the person of the connection need not be named, and where they are alone nobody can be."""
    return _without_speaker(tool.schema, is_hidden=is_hidden(tool, speaker))


def _without_speaker(schema: Schema, *, is_hidden: bool) -> Schema:
    """An object's schema, and those of the objects that it lists, whose `user_id` need not be there."""
    properties: Schema = {
        name: field | {"items": _without_speaker(field["items"], is_hidden=is_hidden)}
        if "properties" in field.get("items", ())
        else field
        for name, field in schema["properties"].items()
        if not (is_hidden and name == _USER)
    }
    if _USER in properties:
        properties[_USER] = properties[_USER] | {"description": _OWN}
    return schema | {"properties": properties, "required": [name for name in schema["required"] if name != _USER]}


def is_hidden(tool: Tool, speaker: Turn) -> bool:
    """Whether `user_id` is no argument here: only the person of the connection can be meant."""
    return speaker.direct or tool.name == "clear_profile"


def unknown_argument(tool: Tool, arguments: Iterable[str], speaker: Turn) -> str | None:
    """What to tell a model that gave an argument which is none here; None: there is none such."""
    if not is_hidden(tool, speaker):
        return None  # the engine says so
    if _USER in arguments:
        return f"{_USER} is not taken here: leave it out"
    taken = input_schema(tool, speaker)["properties"]
    unknown = next((name for name in arguments if name not in taken), None)
    return None if unknown is None else f"unknown argument {shown(unknown)}; {tool.name} takes {', '.join(taken)}"


def complete(tool: Tool, arguments: Mapping[str, Any], speaker: Turn) -> dict[str, Any]:
    """The arguments as the engine wants them: with the person of the connection where nobody else is named."""

    def named(arguments: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
        lacks_user = _USER in schema["required"] and arguments.get(_USER) is None
        listed = {
            name: [
                named(cast("Mapping[str, Any]", item), field["items"]) if isinstance(item, Mapping) else item
                for item in arguments[name]
            ]
            for name, field in schema["properties"].items()
            if "properties" in field.get("items", ()) and isinstance(arguments.get(name), list)
        }
        return {**arguments, **listed, **({_USER: speaker.user_number} if lacks_user else {})}

    return named(arguments, tool.schema)


def output_schema(tool: Tool) -> Schema:
    """What the tool answers: `status` always, and what else it may say."""
    return {"type": "object", "properties": _answers()[tool.name], "required": ["status"]}


@cache
def _answers() -> dict[str, Schema]:
    """The fields of each tool's answers, as `answers.toml` tells them."""
    tables = tomllib.loads(files("zgadka.mcp").joinpath("answers.toml").read_text("utf-8"))
    schemas: dict[str, Schema] = tables["types"]

    def fields(entries: Mapping[str, str]) -> dict[str, Schema]:
        return {name: _field(entry, schemas) for name, entry in entries.items()}

    for thing, entries in tables["things"].items():  # each after those that it holds
        required = [name for name, entry in entries.items() if not entry.partition(" ")[0].endswith("?")]
        schemas[thing] = {"type": "object", "properties": fields(entries), "required": required}
    groups = {group: fields(entries) for group, entries in tables["groups"].items()}
    answers: dict[str, Schema] = {}
    for tool, entries in tables["answers"].items():
        answers[tool] = dict(groups["every"])
        for group in entries.pop("with", ()):
            answers[tool] |= groups[group]
        answers[tool] |= fields(entries)
    return answers


def _field(entry: str, schemas: Mapping[str, Schema]) -> Schema:
    kind, _, description = entry.partition(" ")
    name = kind.removesuffix("?")
    schema = schemas[name.removesuffix("[]")]
    if name.endswith("[]"):
        schema = {"type": "array", "items": schema}
    return schema | ({"description": description} if description else {})
