"""How a question about uncertain memories looks: its text, its buttons, and what a press means (seed 002)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from zgadka.model.inference import Answered, Inferred, SaveQuestion

Language = Literal["en", "uk"]
Decision = Literal["save", "skip"]

MOST_BYTES = 64
"""Of a button's data in Telegram."""

_PREFIX = "memconf"

_TEXTS: dict[Language, dict[str, str]] = {
    "en": {
        "ask": "I noticed a few things you might want me to remember:",
        "end": "Save these?",
        "save_all": "✓ Save all",
        "skip_all": "✗ Skip all",
        "saved": "✓ Saved.",
        "skipped": "✗ Skipped; nothing was saved.",
        "handled": "Already handled.",
        "not_yours": "This question is not for you.",
        "expired": "This question has expired; nothing was saved.",
        "failed": "Not saved: {reason}. The question is still open.",
        "reminder": "You have not answered yet; after a day I drop the question.",
    },
    "uk": {
        "ask": "Я помітив дещо, що ти, можливо, хочеш, щоб я запам'ятав:",
        "end": "Зберегти?",
        "save_all": "✓ Зберегти все",
        "skip_all": "✗ Пропустити все",
        "saved": "✓ Збережено.",
        "skipped": "✗ Пропущено; нічого не збережено.",
        "handled": "Уже опрацьовано.",
        "not_yours": "Це запитання не до тебе.",
        "expired": "Термін запитання минув; нічого не збережено.",
        "failed": "Не збережено: {reason}. Запитання ще відкрите.",
        "reminder": "Ти ще не відповів; за добу я приберу запитання.",
    },
}


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
    texts = _TEXTS[language]
    listed = "\n".join(f"• {item.text}" for item in items)
    return f"{texts['ask']}\n\n{listed}\n\n{texts['end']}"


def build_memory_confirm_keyboard(question: SaveQuestion, language: Language = "en") -> list[list[Button]]:
    """The question's buttons, row by row: all at once, and one row an item when several are open."""
    texts, chat = _TEXTS[language], question.turn.chat
    rows = [
        [
            Button(texts["save_all"], _data("save", chat, question.id)),
            Button(texts["skip_all"], _data("skip", chat, question.id)),
        ]
    ]
    if len(question.open_items) > 1:
        rows += [
            [
                Button(f"✓ {item.text}"[:40], _data("save", chat, question.id, place)),
                Button("✗", _data("skip", chat, question.id, place)),
            ]
            for place, item in question.open_items
        ]
    return rows


def read_press(data: str, chat: str) -> Press | None:
    """What the data of a pressed button means in this chat; None when it is no button of ours, or of another chat."""
    parts = data.split(":")
    if len(parts) not in (4, 5) or parts[0] != _PREFIX or parts[2] != _chat_mark(chat):
        return None
    decision, question, place = parts[1], parts[3], parts[4] if len(parts) == 5 else ""
    if decision not in ("save", "skip") or not question or (place and not place.isascii()) or len(place) > 3:
        return None
    if len(parts) == 5 and not place.isdigit():
        return None
    return Press(decision, question, int(place) if place else None)


def answered_text(answered: Answered, language: Language = "en") -> str:
    """What the presser is told."""
    return _TEXTS[language][answered.status].format(reason=answered.reason)


def reminder_text(items: Sequence[Inferred], language: Language = "en") -> str:
    """The question again, with the word that it will be dropped."""
    return f"{_TEXTS[language]['reminder']}\n\n{build_memory_confirm_message(items, language)}"


def _data(decision: Decision, chat: str, question: str, place: int | None = None) -> str:
    data = f"{_PREFIX}:{decision}:{_chat_mark(chat)}:{question}"
    return data if place is None else f"{data}:{place}"


def _chat_mark(chat: str) -> str:
    """The chat's id; where it is long or holds a colon, a hash of it, so that the data stays within its bytes."""
    # 64 bytes less `memconf:save:`, the 12 characters of a question's id, two colons and a place of three digits.
    if len(chat.encode()) <= 32 and ":" not in chat:
        return chat
    return hashlib.blake2b(chat.encode(), digest_size=12).hexdigest()
