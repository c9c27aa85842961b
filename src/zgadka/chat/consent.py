"""How a question for a person's consent looks: its text, its buttons, and what the presser is told."""

from __future__ import annotations

from collections.abc import Callable

from zgadka.locales import Language, text
from zgadka.model.people import Proposal, Proposed
from zgadka.model.result import ToolResult

_LISTED = 10

_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))


def build_consent_message(proposal: Proposal, language: Language = "en", *, escape: Callable[[str], str] = str) -> str:
    """The question's text.

    Args:
        escape: Makes words of other people's plain text for the platform.
    """

    def line(change: Proposed) -> str:
        kind = change.what if change.before is not None else "created"
        old_text, new_text = (
            _quoted(content, change.memory, language, escape) for content in (change.before, change.after)
        )
        return text(language, f"chat.consent.{kind}", before=old_text, after=new_text)

    lines = [line(change) for change in proposal.changes[:_LISTED]] or [_say(language, "nothing")]
    if len(proposal.changes) > _LISTED:
        lines.append(_say(language, "more", count=len(proposal.changes) - _LISTED))
    asker = escape(proposal.asker.translate(_QUOTES))
    return "\n".join([_say(language, "ask", asker=asker), "", *lines, "", _say(language, "end")])


def words_of(proposal: Proposal) -> str:
    """The words that the question is about, which tell its language."""
    return " ".join(change.after or change.before or "" for change in proposal.changes)


def consent_answered(result: ToolResult | None, language: Language = "en") -> str:
    """What the presser is told, from what `Memory.answer_consent` returned."""
    if result is None:
        return _say(language, "closed")
    if result.status in ("cancelled", "confirmation_required"):
        return _say(language, "refused" if result.status == "cancelled" else "changed")
    is_done = result.status == "success" or result.status.endswith("_successfully")
    return _say(language, "allowed" if is_done else "unchanged")


def _say(language: Language, key: str, **values: object) -> str:
    return text(language, f"chat.consent.{key}", **values)


def _quoted(content: str | None, memory: int, language: Language, escape: Callable[[str], str]) -> str:
    """The text between quotation marks that it cannot end itself; where it may not be shown, the memory's id."""
    if not content:
        return f"ID:{memory}"
    return _say(language, "quoted", text=escape(content.translate(_QUOTES)))
