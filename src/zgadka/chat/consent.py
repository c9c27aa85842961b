"""How a question for a person's consent looks: its text, its buttons, and what the presser is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from zgadka.chat.questions import Language
from zgadka.model.people import Proposal, Proposed
from zgadka.model.result import ToolResult

_LISTED = 10

_TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "ask": "“{asker}” wants to change what I remember about you:",
        "end": "Allow it?",
        "created": "• new: {after}",
        "updated": "• {before} → {after}",
        "hidden": "• forget: {before}",
        "deleted": "• delete for good: {before}",
        "nothing": "As things are now, nothing would be changed by it.",
        "more": "… and {count} more.",
        "allow": "✓ Allow",
        "refuse": "✗ Refuse",
        "allowed": "✓ Allowed; it is changed.",
        "refused": "✗ Refused; nothing was changed.",
        "unchanged": "You allowed it, but it cannot be done any more, or was so already: nothing was changed.",
        "changed": "Something has changed meanwhile: please look again.",
        "closed": "This question is closed: it was answered before, or its time is over. Nothing was changed now.",
    },
    "uk": {
        "ask": "«{asker}» хоче змінити те, що я про тебе пам'ятаю:",
        "end": "Дозволити?",
        "created": "• нове: {after}",
        "updated": "• {before} → {after}",
        "hidden": "• забути: {before}",
        "deleted": "• видалити назавжди: {before}",
        "nothing": "Зараз це нічого не змінило б.",
        "more": "… і ще {count}.",
        "allow": "✓ Дозволити",
        "refuse": "✗ Відмовити",
        "allowed": "✓ Дозволено; змінено.",
        "refused": "✗ Відмовлено; нічого не змінено.",
        "unchanged": "Дозволено, але це вже не вдасться або так і було: нічого не змінено.",
        "changed": "Тим часом щось змінилося: подивися ще раз.",
        "closed": "Це запитання закрите: на нього вже відповіли або час минув. Зараз нічого не змінено.",
    },
}

_QUOTES = str.maketrans(dict.fromkeys("“”„«»", '"'))


def build_consent_message(
    proposal: Proposal, language: Language = "en", *, escape: Callable[[str], str] = lambda text: text
) -> str:
    """The question's text.

    Args:
        escape: Makes words of other people's plain text for the platform.
    """
    texts = _TEXTS[language]

    def line(change: Proposed) -> str:
        before, after = (_quoted(one, change.memory, language, escape) for one in (change.before, change.after))
        return texts[change.what if change.before is not None else "created"].format(before=before, after=after)

    lines = [line(change) for change in proposal.changes[:_LISTED]] or [texts["nothing"]]
    if len(proposal.changes) > _LISTED:
        lines.append(texts["more"].format(count=len(proposal.changes) - _LISTED))
    asker = escape(proposal.asker.translate(_QUOTES))
    return "\n".join([texts["ask"].format(asker=asker), "", *lines, "", texts["end"]])


def words_of(proposal: Proposal) -> str:
    """The words that the question is about, which tell its language."""
    return " ".join(one.after or one.before or "" for one in proposal.changes)


def consent_labels(language: Language = "en") -> tuple[str, str]:
    """What the buttons say: allow, refuse."""
    return _TEXTS[language]["allow"], _TEXTS[language]["refuse"]


def consent_answered(result: ToolResult | None, language: Language = "en") -> str:
    """What the presser is told, from what `Memory.answer_consent` returned."""
    if result is None:
        return _TEXTS[language]["closed"]
    if result.status in ("cancelled", "confirmation_required"):
        return _TEXTS[language]["refused" if result.status == "cancelled" else "changed"]
    is_done = result.status == "success" or result.status.endswith("_successfully")
    return _TEXTS[language]["allowed" if is_done else "unchanged"]


def _quoted(text: str | None, memory: int, language: Language, escape: Callable[[str], str]) -> str:
    """The text between quotation marks that it cannot end itself; where it may not be shown, the memory's id."""
    if not text:
        return f"ID:{memory}"
    inside = escape(text.translate(_QUOTES))
    return f"«{inside}»" if language == "uk" else f"“{inside}”"
