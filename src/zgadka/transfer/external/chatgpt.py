"""ChatGPT's data export: the archive, its folder, or its `conversations.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from zgadka.transfer.external.entries import (
    AuthoredText,
    Entry,
    Json,
    PastNote,
    Unusable,
    fields_of,
    list_in,
    moment,
    text_in,
    written_at,
)
from zgadka.transfer.external.files import elements_of

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_MEMORIES = re.compile(r"(user_)?memor(y|ies)\.json")


def read_chatgpt(path: Path) -> Iterator[Entry]:
    """What the person wrote, without what was edited away; and the saved memories, where the export has them."""
    for location, element in elements_of(path, _MEMORIES):
        for number, memory in enumerate(list_in(element, "memories") or [element], 1):
            yield _memory(location if memory is element else f"{location}, memory {number}", memory)
    for location, conversation in elements_of(path, _CONVERSATIONS):
        if isinstance(fields_of(conversation).get("mapping"), Mapping):
            yield from _words(location, conversation)
        else:
            yield Unusable(location=location, reason="this is no conversation: it has no mapping")


def _memory(location: str, memory: object) -> Entry:
    text = memory if isinstance(memory, str) else text_in(memory, "content", "memory", "text")
    if text is None:
        return Unusable(location=location, reason="there is no text in `content`")
    fields = fields_of(memory)
    if fields.get("enabled") is False:
        return Unusable(location=location, reason="it was switched off there")
    return PastNote(location=location, text=text, at=written_at(fields))


def _words(location: str, conversation: Json) -> Iterator[Entry]:
    for number, message in enumerate(_path(conversation), 1):
        content = message.get("content")
        if fields_of(message.get("author")).get("role") != "user" or _is_hidden(message):
            continue
        kind = text_in(content, "content_type") or "text"
        parts = [part for part in list_in(content, "parts") if isinstance(part, str)]
        text = "\n".join(parts).strip()
        if kind in ("text", "multimodal_text") and text:
            yield AuthoredText(
                location=f"{location}, message {number}", text=text, at=moment(message.get("create_time"))
            )


def _path(conversation: Json) -> list[Json]:
    """The messages from the first to the last that was shown; a prompt that was edited is on a branch of its own."""
    nodes: Json = conversation["mapping"]
    key: Any = conversation.get("current_node")
    if not isinstance(key, str) or key not in nodes:
        return [message for node in nodes.values() if (message := _message(node)) is not None]
    messages: list[Json] = []
    met: set[str] = set()
    while isinstance(key, str) and key in nodes and key not in met:  # a broken file may go in circles
        met.add(key)
        node = nodes[key]
        message = _message(node)
        if message is not None:
            messages.append(message)
        key = fields_of(node).get("parent")
    return messages[::-1]


def _message(node: object) -> Json | None:
    message: object = fields_of(node).get("message")
    return cast("Json", message) if isinstance(message, Mapping) else None


def _is_hidden(message: Json) -> bool:
    metadata = fields_of(message.get("metadata"))
    return message.get("weight") == 0 or bool(metadata.get("is_visually_hidden_from_conversation"))
