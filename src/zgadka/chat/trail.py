"""What a person reads of a memory's trail, of taking its last change back, and of opening it to every space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, assert_never

from zgadka.chat.questions import Language
from zgadka.engine import Memory
from zgadka.errors import StoreUnfinished
from zgadka.model.memory import EVERYWHERE, Action, Event, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.model.turn import Turn
from zgadka.ops.scopes import find_space, own_scope
from zgadka.ops.share import Shared
from zgadka.stores.tx import Tx
from zgadka.text.clean import preview

OwnCommand = Literal["history", "undo", "share", "unshare"]
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
        "unfinished": "↩ Taken back here; in other places it follows by itself.",
        "conflict": "Nothing was changed: {text} (ID:{id}) stands in its place now.",
        "conflict_elsewhere": "Nothing was changed: somewhere else I know something different. Ask me directly.",
        "refused": "Nothing was changed: {reason}.",
        "shared": "Wherever you meet me I may know this from now on: {text} (ID:{id})",
        "unshared": "Only here may I know this from now on: {text} (ID:{id})",
        "was_not_shared": "This was not known everywhere: only where you told me, and so it stays: {text} (ID:{id})",
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
        "unfinished": "↩ Тут скасовано; в інших місцях це станеться саме.",
        "conflict": "Нічого не змінено: на цьому місці тепер {text} (ID:{id}).",
        "conflict_elsewhere": "Нічого не змінено: деінде я знаю щось інше. Спитай мене в особистому чаті.",
        "refused": "Нічого не змінено: цю зміну вже не можна або ще не можна скасувати.",
        "shared": "Відтепер я можу знати це всюди, де ти мене зустрінеш: {text} (ID:{id})",
        "unshared": "Відтепер я можу знати це лише тут: {text} (ID:{id})",
        "was_not_shared": "Це й не було відоме всюди: лише там, де ти це сказав(-ла), і так лишиться: {text} (ID:{id})",
    },
}

_ACTIONS: Mapping[Language, Mapping[Action | Literal["opened", "closed"], str]] = {
    "en": {
        "created": "remembered",
        "confirmed": "said again",
        "updated": "changed",
        "forgotten": "forgotten",
        "merged": "merged",
        "revived": "remembered again",
        "deleted": "deleted",
        "undone": "taken back",
        "cleared": "cleared with all the others",
        "imported": "imported",
        "marked": "marked",
        "privacy": "privacy level",
        "opened": "opened to every place",
        "closed": "closed to one place",
    },
    "uk": {
        "created": "запам'ятано",
        "confirmed": "сказано знову",
        "updated": "змінено",
        "forgotten": "забуто",
        "merged": "об'єднано",
        "revived": "запам'ятано знову",
        "deleted": "видалено",
        "undone": "скасовано",
        "cleared": "очищено разом з усім",
        "imported": "імпортовано",
        "marked": "позначено",
        "privacy": "рівень приватності",
        "opened": "відкрито всюди",
        "closed": "лишено в одному місці",
    },
}


async def run_command(
    memory: Memory,
    command: OwnCommand,
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

    match command:
        case "history":
            events = await memory.history(memory_id, turn)
            names = await memory.look(_names, turn, events)
            return build_history_message(events, names, language, escape=escape) if events else texts["none"]
        case "undo":
            try:
                outcome = await memory.undo(memory_id, turn)
            except StoreUnfinished:
                return texts["unfinished"]
            return _said(outcome, EVERYWHERE, language, escape, tells=True)
        case "share" | "unshare":
            outcome = await memory.share(memory_id, turn, everywhere=command == "share")
            here = await memory.look(find_space, turn)
            # What stands in the way may be known in a place that is not shown here.
            return _said(outcome, here, language, escape, tells=turn.direct)
        case _:
            assert_never(command)


def _said(
    outcome: Changed | Shared | NotFound | Conflict | Refused | NoAccess,
    here: int,
    language: Language,
    escape: Callable[[str], str],
    *,
    tells: bool,
) -> str:
    """What became of it.

    Args:
        here: The space where it was asked for.
        tells: Whether what stands in the way may be told.
    """
    texts = _TEXTS[language]

    def about(text: str, memory: StoredMemory) -> str:
        return texts[text].format(text=escape(preview(memory.text)), id=memory.id)

    match outcome:
        case Changed(now, before):
            if now.archived or now == before:  # the change had created it
                return about("gone", now)
            if now.space != before.space:
                return about("shared" if now.space == EVERYWHERE else "unshared", now)
            return about("undone", now)
        case Shared(memories):
            return "\n".join(
                about({EVERYWHERE: "shared", here: "unshared"}.get(one.space, "was_not_shared"), one)
                for one in memories
            )
        case Conflict(other):
            return about("conflict", other) if tells else texts["conflict_elsewhere"]
        case Refused(reason):
            return texts["refused"].format(reason=reason)
        case NotFound():
            return texts["none"]
        case NoAccess():
            return texts["restricted"]
        case _:
            assert_never(outcome)


def build_history_message(
    events: Sequence[Event],
    names: Mapping[str, str],
    language: Language = "en",
    *,
    escape: Callable[[str], str] = lambda text: text,
) -> str:
    """The last lines of a memory's trail, oldest first: when, what, by whom if by another, before and after.

    Args:
        names: What others are called, by the platform's id.
    """
    texts = _TEXTS[language]
    lines = [texts["history"].format(id=events[0].memory)]
    if len(events) > _LISTED:
        lines.append(texts["earlier"].format(count=len(events) - _LISTED))
    for event in events[-_LISTED:]:
        words = _ACTIONS[language][_action(event)]
        if event.actor in names:
            words += f", {texts['by'].format(who=escape(names[event.actor]))}"
        lines.append(f"{event.at:%Y-%m-%d %H:%M} {words}: {_change(event, escape) or texts['no_text']}")
    return "\n".join(lines)


def _action(event: Event) -> Action | Literal["opened", "closed"]:
    if event.action != "updated" or event.before is None or event.after is None:
        return event.action
    if event.before.space == event.after.space:
        return "updated"
    return "opened" if event.after.space == EVERYWHERE else "closed"


def _change(event: Event, escape: Callable[[str], str]) -> str | None:
    is_gone = event.after is None or event.after.archived
    before, after = (None if one is None else escape(preview(one.text, _SHOWN)) for one in (event.before, event.after))
    if before is None or before == after or is_gone:
        return before or after
    return f"{before} → {after}"


def _names(tx: Tx, turn: Turn, events: Sequence[Event]) -> dict[str, str]:
    """What the others who acted are called where the memory is, else their id on the platform."""
    names: dict[str, str] = {}
    for event in events:
        state, person = event.after or event.before, tx.find_owner("person", turn.platform, event.actor)
        if event.actor != turn.user_name:
            member = None if state is None or person is None else tx.member(state.space, person)
            name = None if member is None else member.nickname or member.name
            names[event.actor] = preview(name or event.actor, _SHOWN)
    return names
