"""The MCP project's memory server: a graph in a file of lines, `memory.jsonl`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zgadka.adapters.importers.entries import Entry, PastNote, Unusable, list_in, text_in
from zgadka.adapters.importers.files import lines

_SELF = frozenset({"default_user", "user", "me"})
"""How the server's own prompt and its users name the person themselves."""


def read_mcp_memory(path: Path) -> Iterator[Entry]:
    """The observations and relations of a file, as notes."""
    for place, line in lines(path):
        try:
            given: Any = json.loads(line)
        except (ValueError, RecursionError):
            yield Unusable(place=place, reason="this is no JSON")
            continue
        match given:
            case {"type": "entity", "name": str(name)}:
                yield from _observations(place, name, text_in(given, "entityType"), list_in(given, "observations"))
            case {"type": "relation", "from": str(one), "relationType": str(kind), "to": str(other)}:
                yield PastNote(place=place, text=f"{one} {kind} {other}".replace("_", " "))
            case _:
                yield Unusable(place=place, reason="this is neither an entity nor a relation")


def _observations(place: str, name: str, kind: str | None, observations: list[Any]) -> Iterator[Entry]:
    for number, said in enumerate(observations, 1):
        where = f"{place}, observation {number}"
        if not isinstance(said, str) or not said.strip():
            yield Unusable(place=where, reason="an observation must be a text")
        elif name.casefold() in _SELF:
            yield PastNote(place=where, text=said)
        else:
            yield PastNote(place=where, text=f"{name} ({kind}): {said}" if kind else f"{name}: {said}")
