"""Claude's data export: the archive, its folder, or its `conversations.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

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
)
from zgadka.transfer.external.files import elements_of

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_MEMORIES = re.compile(r"memories\.json")
_HEADING = re.compile(r"#+ .*|\*\*[^*]+\*\*:?")
_BULLET = re.compile(r"^(?:[-*•] |\d+\. )")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


def read_claude(path: Path) -> Iterator[Entry]:
    """What the person wrote; and what Claude remembers of them across conversations, paragraph by paragraph."""
    for location, element in elements_of(path, _MEMORIES):
        text = text_in(element, "conversations_memory")
        if text is None:
            yield Unusable(location=location, reason="there is no text in `conversations_memory`")
        for number, piece in enumerate(_pieces(text or ""), 1):
            yield PastNote(location=f"{location}, paragraph {number}", text=piece)
    for location, conversation in elements_of(path, _CONVERSATIONS):
        if "chat_messages" in fields_of(conversation):
            yield from _words(location, conversation)
        else:
            yield Unusable(location=location, reason="this is no conversation: it has no chat_messages")


def _words(location: str, conversation: Json) -> Iterator[Entry]:
    for number, message in enumerate(list_in(conversation, "chat_messages"), 1):
        if text_in(message, "sender") != "human":
            continue
        blocks = [block for block in list_in(message, "content") if text_in(block, "type") == "text"]
        text = text_in(message, "text") or "\n".join(text_in(block, "text") or "" for block in blocks)
        if text.strip():
            yield AuthoredText(
                location=f"{location}, message {number}", text=text, at=moment(message.get("created_at"))
            )


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
