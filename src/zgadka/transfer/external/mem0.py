"""mem0: what `get_all` returns, or an export of it: `{"results": […]}`, a plain array, or one object a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from zgadka.transfer.external.entries import Entry, PastNote, Unusable, fields_of, list_in, text_in, written_at
from zgadka.transfer.external.files import elements, json_lines


def read_mem0(path: Path) -> Iterator[Entry]:
    """The memories of a file."""
    if path.suffix == ".jsonl":
        yield from json_lines(path, lambda location, memory: [_memory(location, memory)])
        return
    with path.open("rb") as source:
        for location, element in elements(source, path.name):
            listed = [*list_in(element, "results"), *list_in(element, "memories")]
            related = list_in(element, "relations")
            if text_in(element, "memory", "text") is not None or not (listed or related):
                if not {"results", "memories"} & set(fields_of(element)):  # else there is nothing in it
                    yield _memory(location, element)
                continue
            for number, memory in enumerate(listed, 1):
                yield _memory(f"{location}, memory {number}", memory)
            for number, relation in enumerate(related, 1):
                yield _relation(f"{location}, relation {number}", relation)


def _memory(location: str, memory: Any) -> Entry:
    text = text_in(memory, "memory", "text")
    if text is None:
        return Unusable(location=location, reason="there is no text in `memory`")
    user = text_in(memory, "user_id")
    if user is None and text_in(memory, "agent_id") is not None:
        return Unusable(location=location, reason="it is about an agent, not about a person")
    tags = tuple(tag for tag in list_in(memory, "categories") if isinstance(tag, str))
    return PastNote(location=location, user=user, text=text, tags=tags, at=written_at(memory))


def _relation(location: str, relation: Any) -> Entry:
    words = [
        text_in(relation, *names) for names in (("source",), ("relationship", "relation"), ("target", "destination"))
    ]
    if None in words:
        return Unusable(location=location, reason="a relation needs source, relationship and target")
    text = " ".join(str(word) for word in words).replace("_", " ")
    return PastNote(location=location, user=text_in(relation, "user_id"), text=text)
