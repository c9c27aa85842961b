"""ChatGPT's data export: the archive, its folder, or its `conversations.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from zgadka.adapters.importers.entries import (
    Entry,
    Json,
    OwnWords,
    PastNote,
    Unusable,
    fields_of,
    list_in,
    moment,
    text_in,
)
from zgadka.adapters.importers.files import elements, members

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_MEMORIES = re.compile(r"(user_)?memor(y|ies)\.json")


def read_chatgpt(path: Path) -> Iterator[Entry]:
    """What the person wrote, without what was edited away; and the saved memories, where the export has them."""
    for name, source in members(path, _MEMORIES):
        for place, element in elements(source, name):
            for number, one in enumerate(list_in(element, "memories") or [element], 1):
                yield _memory(place if one is element else f"{place}, memory {number}", one)
    for name, source in members(path, _CONVERSATIONS):
        for place, conversation in elements(source, name):
            if isinstance(conversation, Mapping) and isinstance(cast("Json", conversation).get("mapping"), Mapping):
                yield from _words(place, cast("Json", conversation))
            else:
                yield Unusable(place=place, reason="this is no conversation: it has no mapping")


def _memory(place: str, given: object) -> Entry:
    text = given if isinstance(given, str) else text_in(given, "content", "memory", "text")
    if text is None:
        return Unusable(place=place, reason="there is no text in `content`")
    fields = fields_of(given)
    if fields.get("enabled") is False:
        return Unusable(place=place, reason="it was switched off there")
    return PastNote(place=place, text=text, at=moment(fields.get("updated_at")) or moment(fields.get("created_at")))


def _words(place: str, conversation: Json) -> Iterator[Entry]:
    for number, message in enumerate(_path(conversation), 1):
        content = message.get("content")
        if fields_of(message.get("author")).get("role") != "user" or _is_hidden(message):
            continue
        kind = text_in(content, "content_type") or "text"
        parts = [part for part in list_in(content, "parts") if isinstance(part, str)]
        text = "\n".join(parts).strip()
        if kind in ("text", "multimodal_text") and text:
            yield OwnWords(place=f"{place}, message {number}", text=text, at=moment(message.get("create_time")))


def _path(conversation: Json) -> list[Json]:
    """The messages from the first to the last that was shown; a prompt that was edited is on a branch of its own."""
    nodes: Json = conversation["mapping"]
    key: Any = conversation.get("current_node")
    if not isinstance(key, str) or key not in nodes:
        return [message for node in nodes.values() if (message := _message(node)) is not None]
    found: list[Json] = []
    met: set[str] = set()
    while isinstance(key, str) and key in nodes and key not in met:  # a broken file may go in circles
        met.add(key)
        node = nodes[key]
        message = _message(node)
        if message is not None:
            found.append(message)
        key = fields_of(node).get("parent")
    return found[::-1]


def _message(node: object) -> Json | None:
    message: object = cast("Json", node).get("message") if isinstance(node, Mapping) else None
    return cast("Json", message) if isinstance(message, Mapping) else None


def _is_hidden(message: Json) -> bool:
    metadata = fields_of(message.get("metadata"))
    return message.get("weight") == 0 or bool(metadata.get("is_visually_hidden_from_conversation"))
