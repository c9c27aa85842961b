"""What a person reads of a memory's trail, of taking its last change back, and of opening it to every space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, assert_never

from zgadka.chat.questions import Language
from zgadka.engine import Memory
from zgadka.model.memory import Action, Event, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.model.turn import Turn
from zgadka.ops.scopes import own_scope
from zgadka.ops.share import Shared
from zgadka.text.clean import preview

Deed = Literal["history", "undo", "share", "unshare"]
"""What a person may do with one memory of theirs, by its id."""

_LISTED = 10
_SHOWN = 80

_TEXTS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "restricted": "Your privacy level does not allow it: nothing personal is shown or changed.",
        "none": "There is no such memory of yours here.",
        "history": "What happened to ID:{id} (times in UTC):",
        "earlier": "… {count} earlier",
        "by": "by {who}",
        "no_text": "its text has been removed for good",
        "undone": "↩ Taken back. I remember: {text} (ID:{id})",
        "gone": "↩ Taken back. No longer remembered: {text} (ID:{id})",
        "conflict": "Nothing was changed: {text} (ID:{id}) stands in its place now.",
        "refused": "Nothing was changed: {reason}.",
        "shared": "In every chat where you meet me I may know this from now on: {text} (ID:{id})",
        "unshared": "I may know this in this chat only from now on: {text} (ID:{id})",
        "created": "remembered",
        "confirmed": "said again",
        "updated": "changed",
        "forgotten": "forgotten",
        "merged": "merged",
        "revived": "remembered again",
        "deleted": "deleted",
        "undone_event": "taken back",
        "cleared": "cleared with all the others",
        "imported": "imported",
        "marked": "marked",
        "privacy": "privacy level",
    },
    "uk": {
        "restricted": "Твій рівень приватності цього не дозволяє: особисте не показую й не змінюю.",
        "none": "Такого твого спогаду тут немає.",
        "history": "Що сталося з ID:{id} (час за UTC):",
        "earlier": "… раніше ще {count}",
        "by": "хто: {who}",
        "no_text": "текст видалено назавжди",
        "undone": "↩ Скасовано. Пам'ятаю: {text} (ID:{id})",
        "gone": "↩ Скасовано. Більше не пам'ятаю: {text} (ID:{id})",
        "conflict": "Нічого не змінено: на цьому місці тепер {text} (ID:{id}).",
        "refused": "Нічого не змінено: {reason}.",
        "shared": "Відтепер я можу знати це в усіх чатах, де ти мене зустрінеш: {text} (ID:{id})",
        "unshared": "Відтепер я можу знати це лише в цьому чаті: {text} (ID:{id})",
        "created": "запам'ятовано",
        "confirmed": "сказано знову",
        "updated": "змінено",
        "forgotten": "забуто",
        "merged": "об'єднано",
        "revived": "згадано знову",
        "deleted": "видалено",
        "undone_event": "скасовано",
        "cleared": "очищено разом з усім",
        "imported": "імпортовано",
        "marked": "позначено",
        "privacy": "рівень приватності",
    },
}


async def do(
    memory: Memory,
    deed: Deed,
    memory_id: int,
    turn: Turn,
    language: Language = "en",
    *,
    escape: Callable[[str], str] = lambda text: text,
) -> str:
    """Do it for the speaker, and say what became of it; a person's own act, never a model's.

    Args:
        escape: Makes people's words plain text for the platform.
    """
    texts = _TEXTS[language]
    if isinstance(await memory.look(own_scope, turn), NoAccess):  # what is said of it would show it
        return texts["restricted"]
    match deed:
        case "history":
            found = await memory.history(memory_id, turn)
            return build_history_message(found, turn, language, escape=escape) if found else texts["none"]
        case "undo":
            return _said(await memory.undo(memory_id, turn), "undone", language, escape)
        case "share" | "unshare":
            shared = await memory.share(memory_id, turn, everywhere=deed == "share")
            return _said(shared, "shared" if deed == "share" else "unshared", language, escape)
        case _:
            assert_never(deed)


def build_history_message(
    events: Sequence[Event],
    turn: Turn,
    language: Language = "en",
    *,
    escape: Callable[[str], str] = lambda text: text,
) -> str:
    """The last lines of a memory's trail, oldest first: when, what, by whom if by another, before and after."""
    texts = _TEXTS[language]
    lines = [texts["history"].format(id=events[0].memory)]
    if len(events) > _LISTED:
        lines.append(texts["earlier"].format(count=len(events) - _LISTED))
    return "\n".join([*lines, *(_line(event, turn, texts, escape) for event in events[-_LISTED:])])


def _line(event: Event, turn: Turn, texts: Mapping[str, str], escape: Callable[[str], str]) -> str:
    words = texts["undone_event" if event.action == "undone" else event.action]
    if event.actor != turn.user_name:
        words += f", {texts['by'].format(who=escape(preview(event.actor, _SHOWN)))}"
    before, after = (None if one is None else escape(preview(one.text, _SHOWN)) for one in (event.before, event.after))
    if before == after or before is None or _is_gone(event.action):
        told = after or before
    else:
        told = f"{before} → {after}" if after else before
    return f"{event.at:%Y-%m-%d %H:%M} {words}: {told or texts['no_text']}"


def _is_gone(action: Action) -> bool:
    return action in ("forgotten", "deleted", "cleared")


def _said(
    outcome: Changed | Shared | NotFound | Conflict | Refused | NoAccess,
    done: str,
    language: Language,
    escape: Callable[[str], str],
) -> str:
    texts = _TEXTS[language]

    def about(text: str, memory: StoredMemory) -> str:
        return texts[text].format(text=escape(preview(memory.text)), id=memory.id)

    match outcome:
        case Changed(memory, before):
            is_gone = memory.archived or memory == before  # the change had created it
            return about("gone" if is_gone else done, memory)
        case Shared(memories):
            return "\n".join(about(done, memory) for memory in memories)
        case Conflict(memory):
            return about("conflict", memory)
        case Refused(reason):
            return texts["refused"].format(reason=reason)
        case NotFound():
            return texts["none"]
        case NoAccess():
            return texts["restricted"]
        case _:
            assert_never(outcome)
