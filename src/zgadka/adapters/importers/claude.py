"""Claude's data export: the archive, its folder, or its `conversations.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from zgadka.adapters.importers.entries import (
    LONGEST_NOTE,
    Entry,
    Json,
    OwnWords,
    PastNote,
    Unusable,
    list_in,
    moment,
    text_in,
)
from zgadka.adapters.importers.files import elements, members

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json")
_MEMORIES = re.compile(r"memories\.json")
_HEADING = re.compile(r"#+ .*|\*\*[^*]+\*\*:?")
_BULLET = re.compile(r"^(?:[-*•] |\d+\. )")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+")


def read_claude(path: Path) -> Iterator[Entry]:
    """What the person wrote; and what Claude remembers of them across conversations, paragraph by paragraph."""
    for name, source in members(path, _MEMORIES):
        for place, element in elements(source, name):
            text = text_in(element, "conversations_memory")
            if text is None:
                yield Unusable(place=place, reason="there is no text in `conversations_memory`")
            for number, piece in enumerate(_pieces(text or ""), 1):
                yield PastNote(place=f"{place}, paragraph {number}", text=piece)
    for name, source in members(path, _CONVERSATIONS):
        for place, conversation in elements(source, name):
            if isinstance(conversation, Mapping) and "chat_messages" in conversation:
                yield from _words(place, cast("Json", conversation))
            else:
                yield Unusable(place=place, reason="this is no conversation: it has no chat_messages")


def _words(place: str, conversation: Json) -> Iterator[Entry]:
    for number, message in enumerate(list_in(conversation, "chat_messages"), 1):
        if text_in(message, "sender") != "human":
            continue
        blocks = [one for one in list_in(message, "content") if text_in(one, "type") == "text"]
        text = text_in(message, "text") or "\n".join(text_in(one, "text") or "" for one in blocks)
        if text.strip():
            yield OwnWords(place=f"{place}, message {number}", text=text, at=moment(message.get("created_at")))


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
