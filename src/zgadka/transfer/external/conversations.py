"""The data exports of ChatGPT and of Claude: the archive, its folder, or its `conversations.json`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from zgadka.transfer.external.entries import (
    LONGEST_NOTE,
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
_CHATGPT_MEMORIES = re.compile(r"(user_)?memor(y|ies)\.json")
_CLAUDE_MEMORIES = re.compile(r"memories\.json")
_HEADING = re.compile(r"#+ .*|\*\*[^*]+\*\*:?")
_BULLET = re.compile(r"^(?:[-*•] |\d+\. )")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


def read_chatgpt(path: Path) -> Iterator[Entry]:
    """What the person wrote, without what was edited away; and the saved memories, where the export has them."""
    for location, element in elements_of(path, _CHATGPT_MEMORIES):
        for number, memory in enumerate(list_in(element, "memories") or [element], 1):
            yield _memory(location if memory is element else f"{location}, memory {number}", memory)
    yield from _conversations(path, "mapping", _path, _chatgpt_words)


def read_claude(path: Path) -> Iterator[Entry]:
    """What the person wrote; and what Claude remembers of them across conversations, paragraph by paragraph."""
    for location, element in elements_of(path, _CLAUDE_MEMORIES):
        text = text_in(element, "conversations_memory")
        if text is None:
            yield Unusable(location=location, reason="there is no text in `conversations_memory`")
        for number, piece in enumerate(_pieces(text or ""), 1):
            yield PastNote(location=f"{location}, paragraph {number}", text=piece)
    yield from _conversations(path, "chat_messages", _messages, _claude_words)


def _conversations(
    path: Path,
    field: str,
    messages: Callable[[Json], list[Any] | None],
    words: Callable[[Any], tuple[str, object]],
) -> Iterator[Entry]:
    """What the person wrote in every conversation.

    Args:
        messages: Lists a conversation's messages; None where it has not the field that they are in.
        words: What the person wrote of a message, and when; an empty text where it is another's.
    """
    for location, conversation in elements_of(path, _CONVERSATIONS):
        listed = messages(fields_of(conversation))
        if listed is None:
            yield Unusable(location=location, reason=f"this is no conversation: it has no {field}")
        for number, message in enumerate(listed or (), 1):
            text, at = words(message)
            if text.strip():
                yield AuthoredText(location=f"{location}, message {number}", text=text, at=moment(at))


def _memory(location: str, memory: object) -> Entry:
    text = memory if isinstance(memory, str) else text_in(memory, "content", "memory", "text")
    if text is None:
        return Unusable(location=location, reason="there is no text in `content`")
    fields = fields_of(memory)
    if fields.get("enabled") is False:
        return Unusable(location=location, reason="it was switched off there")
    return PastNote(location=location, text=text, at=written_at(fields))


def _chatgpt_words(message: Json) -> tuple[str, object]:
    content = message.get("content")
    is_hidden = fields_of(message.get("metadata")).get("is_visually_hidden_from_conversation")
    is_text = (text_in(content, "content_type") or "text") in ("text", "multimodal_text")
    if fields_of(message.get("author")).get("role") != "user" or message.get("weight") == 0 or is_hidden or not is_text:
        return "", None
    parts = [part for part in list_in(content, "parts") if isinstance(part, str)]
    return "\n".join(parts).strip(), message.get("create_time")


def _path(conversation: Json) -> list[Json] | None:
    """The messages from the first to the last that was shown; a prompt that was edited is on a branch of its own."""
    if not isinstance(conversation.get("mapping"), Mapping):
        return None
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


def _messages(conversation: Json) -> list[Any] | None:
    return list_in(conversation, "chat_messages") if "chat_messages" in conversation else None


def _claude_words(message: object) -> tuple[str, object]:
    if text_in(message, "sender") != "human":
        return "", None
    blocks = [block for block in list_in(message, "content") if text_in(block, "type") == "text"]
    text = text_in(message, "text") or "\n".join(text_in(block, "text") or "" for block in blocks)
    return text, fields_of(message).get("created_at")


def _pieces(text: str) -> Iterator[str]:
    """The paragraphs and items of a list, without headings; a long one in pieces that end with a sentence."""
    for line in text.splitlines():
        line = _BULLET.sub("", line.strip()).strip()  # noqa: PLW2901
        if not line or _HEADING.fullmatch(line):
            continue
        held = ""
        for sentence in _SENTENCE.split(line):
            if held and len(held) + len(sentence) >= LONGEST_NOTE:
                yield held
                held = ""
            held = f"{held} {sentence}".strip()
        yield held
