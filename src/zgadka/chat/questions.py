"""How a question about uncertain memories looks: its text, its buttons, and what a press means (seed 002)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from zgadka.locales import Language, text
from zgadka.model.inference import Answered, Inferred, SaveQuestion

Decision = Literal["save", "skip"]

_DATA = re.compile(r"memconf:(?P<decision>save|skip):(?P<chat>[^:]*):(?P<question>[^:]+)(?::(?P<place>[0-9]{1,3}))?")


@dataclass(frozen=True)
class Button:
    """One button: what it says and the data that comes back when it is pressed."""

    text: str
    data: str


@dataclass(frozen=True)
class Press:
    """What a button's data means; `place` is None for all items."""

    decision: Decision
    question: str
    place: int | None


def build_memory_confirm_message(items: Sequence[Inferred], language: Language = "en") -> str:
    """The question's text; empty when there is nothing to ask."""
    if not items:
        return ""
    listed = "\n".join(f"• {item.text}" for item in items)
    return f"{_say(language, 'ask')}\n\n{listed}\n\n{_say(language, 'end')}"


def build_memory_confirm_keyboard(question: SaveQuestion, language: Language = "en") -> list[list[Button]]:
    """The question's buttons, row by row: all at once, and one row an item when several are open."""

    def row(save: str, skip: str, position: int | None = None) -> list[Button]:
        chat, number = question.turn.chat, question.id
        return [
            Button(save, _data("save", chat, number, position)),
            Button(skip, _data("skip", chat, number, position)),
        ]

    rows = [row(_say(language, "save_all"), _say(language, "skip_all"))]
    if len(question.open_items) > 1:
        rows += [row(f"✓ {item.text}"[:40], "✗", position) for position, item in question.open_items]
    return rows


def read_press(data: str, chat: str) -> Press | None:
    """What the data of a pressed button means in this chat; None when it is no button of ours, or of another chat."""
    match = _DATA.fullmatch(data)
    if match is None or match["chat"] != _chat_mark(chat):
        return None
    place = match["place"]
    return Press(cast("Decision", match["decision"]), match["question"], None if place is None else int(place))


def answered_text(answered: Answered, language: Language = "en") -> str:
    """What the presser is told."""
    return text(language, f"chat.uncertain.{answered.status}", reason=answered.reason)


def reminder_text(items: Sequence[Inferred], language: Language = "en") -> str:
    """The question again, with the word that it will be dropped."""
    return f"{_say(language, 'reminder')}\n\n{build_memory_confirm_message(items, language)}"


def _say(language: Language, key: str, **values: object) -> str:
    return text(language, f"chat.uncertain.{key}", **values)


def _data(decision: Decision, chat: str, question: str, item: int | None = None) -> str:
    data = f"memconf:{decision}:{_chat_mark(chat)}:{question}"
    return data if item is None else f"{data}:{item}"


def _chat_mark(chat: str) -> str:
    # 64 bytes less `memconf:save:`, the 12 characters of a question's id, two colons and a place of three digits.
    return short_id(chat, 32, 12)


def short_id(name: str, most_bytes: int, digest_size: int) -> str:
    """A platform's id as it stands in a button's data; where it is long or has a colon, a hash of it."""
    if len(name.encode()) <= most_bytes and ":" not in name:
        return name
    return hashlib.blake2b(name.encode(), digest_size=digest_size).hexdigest()
