"""The MCP project's memory server: a graph in a file of lines, `memory.jsonl`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zgadka.transfer.external.entries import Entry, PastNote, Unusable, list_in, text_in
from zgadka.transfer.external.files import json_lines

_SELF = frozenset({"default_user", "user", "me"})
"""How the server's own prompt and its users name the person themselves."""


def read_mcp_memory(path: Path) -> Iterator[Entry]:
    """The observations and relations of a file, as notes."""
    return json_lines(path, _entries)


def _entries(location: str, record: Any) -> Iterator[Entry]:
    match record:
        case {"type": "entity", "name": str(name)}:
            yield from _observations(location, name, text_in(record, "entityType"), list_in(record, "observations"))
        case {"type": "relation", "from": str(source), "relationType": str(kind), "to": str(target)}:
            yield PastNote(location=location, text=f"{source} {kind} {target}".replace("_", " "))
        case _:
            yield Unusable(location=location, reason="this is neither an entity nor a relation")


def _observations(location: str, name: str, kind: str | None, observations: list[Any]) -> Iterator[Entry]:
    for number, text in enumerate(observations, 1):
        observation_location = f"{location}, observation {number}"
        if not isinstance(text, str) or not text.strip():
            yield Unusable(location=observation_location, reason="an observation must be a text")
        elif name.casefold() in _SELF:
            yield PastNote(location=observation_location, text=text)
        else:
            yield PastNote(
                location=observation_location, text=f"{name} ({kind}): {text}" if kind else f"{name}: {text}"
            )
