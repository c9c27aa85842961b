"""How a question about uncertain memories looks: its text, its buttons, and what a press means (seed 002)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from zgadka.locales import Language, text
from zgadka.model.inference import Answered, Inferred, SaveQuestion

Decision = Literal["save", "skip"]

_PREFIX = "memconf"


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
    chat = question.turn.chat
    rows = [
        [
            Button(_say(language, "save_all"), _data("save", chat, question.id)),
            Button(_say(language, "skip_all"), _data("skip", chat, question.id)),
        ]
    ]
    if len(question.open_items) > 1:
        rows += [
            [
                Button(f"✓ {item.text}"[:40], _data("save", chat, question.id, position)),
                Button("✗", _data("skip", chat, question.id, position)),
            ]
            for position, item in question.open_items
        ]
    return rows


def read_press(data: str, chat: str) -> Press | None:
    """What the data of a pressed button means in this chat; None when it is no button of ours, or of another chat."""
    parts = data.split(":")
    if len(parts) not in (4, 5) or parts[0] != _PREFIX or parts[2] != _chat_mark(chat):
        return None
    decision, question, position = parts[1], parts[3], parts[4] if len(parts) == 5 else ""
    if decision not in ("save", "skip") or not question or (position and not position.isascii()) or len(position) > 3:
        return None
    if len(parts) == 5 and not position.isdigit():
        return None
    return Press(decision, question, int(position) if position else None)


def answered_text(answered: Answered, language: Language = "en") -> str:
    """What the presser is told."""
    return text(language, f"chat.uncertain.{answered.status}", reason=answered.reason)


def reminder_text(items: Sequence[Inferred], language: Language = "en") -> str:
    """The question again, with the word that it will be dropped."""
    return f"{_say(language, 'reminder')}\n\n{build_memory_confirm_message(items, language)}"


def _say(language: Language, key: str, **values: object) -> str:
    return text(language, f"chat.uncertain.{key}", **values)


def _data(decision: Decision, chat: str, question: str, item: int | None = None) -> str:
    data = f"{_PREFIX}:{decision}:{_chat_mark(chat)}:{question}"
    return data if item is None else f"{data}:{item}"


def _chat_mark(chat: str) -> str:
    """The chat's id; where it is long or holds a colon, a hash of it, so that the data stays within its bytes."""
    # 64 bytes less `memconf:save:`, the 12 characters of a question's id, two colons and a place of three digits.
    if len(chat.encode()) <= 32 and ":" not in chat:
        return chat
    return hashlib.blake2b(chat.encode(), digest_size=12).hexdigest()
