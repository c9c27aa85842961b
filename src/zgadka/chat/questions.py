"""How questions to people look, and what a press means: about uncertain memories (seed 002), and for consent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from zgadka.chat.sentences import fact_in_words, question
from zgadka.locales import Language, text
from zgadka.model.inference import Inferred, SaveQuestion
from zgadka.model.people import Proposal, Proposed
from zgadka.model.result import ToolResult

Decision = Literal["save", "skip"]

_LISTED = 10
_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))
_DATA = re.compile(
    r"memconf:(?P<decision>save|skip):(?P<chat>[^:]*):(?P<question>[\w-]+)(?::(?P<through>-?)(?P<place>[0-9]{1,3}))?",
    re.ASCII,
)


@dataclass(frozen=True)
class Button:
    """One button: what it says and the data that comes back when it is pressed."""

    text: str
    data: str


@dataclass(frozen=True)
class Press:
    """What a button's data means.

    Attributes:
        places: Of the items that it answers; None, of a button that an older program made: all that are asked about.
    """

    decision: Decision
    question: str
    places: Collection[int] | None


def build_memory_confirm_message(
    items: Mapping[int, Inferred] | Sequence[Inferred], language: Language = "en", *, escape: Callable[[str], str] = str
) -> str:
    """The question's text: each item as a question of its own; empty when there is nothing to ask.

    Args:
        items: By their places in the question, whose numbers they have where there are several.
        escape: Makes people's words plain text for the platform.
    """
    if not items:
        return ""
    by_place = items if isinstance(items, Mapping) else dict(enumerate(items))
    listed = "\n".join(
        numbered(index, question(item.key, escape(item.value), language), of=len(by_place))
        for index, item in by_place.items()
    )
    end = _say(language, "end") + (f" {_say(language, 'words')}" if len(by_place) > 1 else "")
    return f"{_say(language, 'ask')}\n\n{listed}\n\n{end}"


def numbered(index: int, sentence: str, *, of: int) -> str:
    """One line of a question, with the number by which it is answered where there are several."""
    return f"{index + 1}. {sentence}" if of > 1 or index > 0 else f"• {sentence}"


def build_memory_confirm_keyboard(pending: SaveQuestion, language: Language = "en") -> list[list[Button]]:
    """The question's buttons, row by row: all at once, and one row an item when several are open."""

    def row(save: str, skip: str, places: str) -> list[Button]:
        return [Button(save, _data("save", pending, places)), Button(skip, _data("skip", pending, places))]

    # Who presses twice means what they saw, and not what is asked about next.
    last = max((index for index, _ in pending.asked_items), default=0)
    rows = [row(_say(language, "save_all"), _say(language, "skip_all"), f"-{last}")]
    if len(pending.asked_items) > 1:
        rows += [
            row(f"✓ {index + 1}. {item.value}"[:40], f"✗ {index + 1}", str(index))
            for index, item in pending.asked_items
        ]
    return rows


def read_press(data: str, chat: str) -> Press | None:
    """What the data of a pressed button means in this chat; None when it is no button of ours, or of another chat."""
    match = _DATA.fullmatch(data)
    if match is None or match["chat"] != _chat_mark(chat):
        return None
    last = None if match["place"] is None else int(match["place"])
    places = None if last is None else range(0 if match["through"] else last, last + 1)
    return Press(cast("Decision", match["decision"]), match["question"], places)


def build_consent_message(
    proposal: Proposal, language: Language = "en", *, escape: Callable[[str], str] = str, undo_hours: int = 0
) -> str:
    """The question's text.

    Args:
        escape: Makes words of other people's plain text for the platform.
        undo_hours: For so long a deletion can be taken back; 0: it cannot.
    """

    def quoted(content: str | None, memory: int) -> str:
        """The text between quotation marks that it cannot end itself; where it may not be shown, the memory's id."""
        if not content:
            return f"ID:{memory}"
        return text(language, "chat.consent.quoted", text=escape(content.translate(_QUOTES)))

    def line(change: Proposed) -> str:
        kind = change.what if change.before is not None else "created"
        if kind == "deleted" and not undo_hours:
            kind = "deleted_for_good"
        old_text, new_text = (
            quoted(fact_in_words(content, language) if content and change.kind == "fact" else content, change.memory)
            for content in (change.before, change.after)
        )
        return text(language, f"chat.consent.{kind}", before=old_text, after=new_text)

    lines = [line(change) for change in proposal.changes[:_LISTED]] or [text(language, "chat.consent.nothing")]
    if len(proposal.changes) > _LISTED:
        lines.append(text(language, "chat.consent.more", count=len(proposal.changes) - _LISTED))
    ask = text(language, "chat.consent.ask", asker=escape(proposal.asker.translate(_QUOTES)))
    return "\n".join([ask, "", *lines, "", text(language, "chat.consent.end")])


def consent_answered(result: ToolResult | None, language: Language = "en") -> str:
    """What the presser is told, from what `Memory.answer_consent` returned."""
    if result is None:
        return text(language, "chat.consent.closed")
    if result.status in ("cancelled", "confirmation_required"):
        return text(language, "chat.consent.refused" if result.status == "cancelled" else "chat.consent.changed")
    is_done = result.status == "success" or result.status.endswith("_successfully")
    return text(language, "chat.consent.allowed" if is_done else "chat.consent.unchanged")


def _say(language: Language, key: str) -> str:
    return text(language, f"chat.uncertain.{key}")


def _data(decision: Decision, pending: SaveQuestion, places: str) -> str:
    """Of an item, its place; `-4` is all through place 4."""
    return f"memconf:{decision}:{_chat_mark(pending.turn.chat)}:{pending.id}:{places}"


def _chat_mark(chat: str) -> str:
    # 64 bytes less `memconf:save:`, the 12 characters of a question's id, two colons, and a sign and three digits.
    return short_id(chat, 32, 12)


def short_id(name: str, most_bytes: int, digest_size: int) -> str:
    """A platform's id as it stands in a button's data; where it is long or has a colon, a hash of it."""
    if len(name.encode()) <= most_bytes and ":" not in name:
        return name
    return hashlib.blake2b(name.encode(), digest_size=digest_size).hexdigest()
