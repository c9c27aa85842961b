"""mem0: what `get_all` returns, or an export of it: `{"results": […]}`, a plain array, or one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zgadka.adapters.importers.entries import Entry, PastNote, Unusable, fields_of, list_in, moment, text_in
from zgadka.adapters.importers.files import elements, lines


def read_mem0(path: Path) -> Iterator[Entry]:
    """The memories of a file."""
    if path.suffix == ".jsonl":
        for place, line in lines(path):
            try:
                yield _memory(place, json.loads(line))
            except (ValueError, RecursionError):
                yield Unusable(place=place, reason="this is no JSON")
        return
    with path.open("rb") as source:
        for place, element in elements(source, path.name):
            listed = [*list_in(element, "results"), *list_in(element, "memories")]
            related = list_in(element, "relations")
            if text_in(element, "memory", "text") is not None or not (listed or related):
                if not {"results", "memories"} & set(fields_of(element)):  # else there is nothing in it
                    yield _memory(place, element)
                continue
            for number, one in enumerate(listed, 1):
                yield _memory(f"{place}, memory {number}", one)
            for number, one in enumerate(related, 1):
                yield _relation(f"{place}, relation {number}", one)


def _memory(place: str, given: Any) -> Entry:
    text = text_in(given, "memory", "text")
    if text is None:
        return Unusable(place=place, reason="there is no text in `memory`")
    user = text_in(given, "user_id")
    if user is None and text_in(given, "agent_id") is not None:
        return Unusable(place=place, reason="it is about an agent, not about a person")
    tags = tuple(tag for tag in list_in(given, "categories") if isinstance(tag, str))
    at = moment(given.get("updated_at")) or moment(given.get("created_at"))
    return PastNote(place=place, user=user, text=text, tags=tags, at=at)


def _relation(place: str, given: Any) -> Entry:
    words = [text_in(given, *names) for names in (("source",), ("relationship", "relation"), ("target", "destination"))]
    if None in words:
        return Unusable(place=place, reason="a relation needs source, relationship and target")
    text = " ".join(str(word) for word in words).replace("_", " ")
    return PastNote(place=place, user=text_in(given, "user_id"), text=text)
