"""What a person reads of a memory's trail, of taking its last change back, and of opening it to every space."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from typing import Literal, assert_never

from zgadka.chat.sentences import in_words
from zgadka.engine import Memory
from zgadka.errors import StoreUnfinished
from zgadka.locales import Language, text
from zgadka.model.memory import EVERYWHERE, Action, Event, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.model.timestamps import minute_in
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, own_scope
from zgadka.ops.audit import undone_in
from zgadka.ops.last_change import REMOVALS, last_change
from zgadka.ops.operator_queries import OPERATOR
from zgadka.ops.origins import How, Origin, Source, own_messages_told
from zgadka.ops.share import Shared
from zgadka.ops.space_traces import MOVE
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import preview

OwnCommand = Literal["history", "why", "undo", "share", "unshare"]
"""What a person may do with one memory of theirs, by its id."""

_LISTED = 10
_HOW: Mapping[How, str] = {"said": "said", "agreed": "agreed", "by_hand": "by_hand", "imported": "imported"}
_SHOWN = 80
_BY: Mapping[str, str] = {MOVE: "by_move", OPERATOR: "by_operator"}
"""How it is told of what nobody of the place did."""


async def run_command(
    memory: Memory,
    command: OwnCommand,
    memory_id: int,
    turn: Turn,
    language: Language = "en",
    *,
    escape: Callable[[str], str] = str,
    grant: Grant | None = None,
    forget: Callable[[str], str] | None = None,
) -> str:
    """Do it for the speaker, and say what became of it; a person's own act, never a model's.

    Args:
        escape: Makes people's words plain text for the platform.
        grant: What whoever passes the command on may do. None: it is the host itself.
        forget: The command that deletes what an id names. None: there is none.

    Raises:
        NotAllowed: It may not be done here.
    """
    zone = memory.settings.zone
    if not turn.direct and isinstance(await memory.look(own_scope, turn), NoAccess):  # what is said of it would show it
        return _say(language, "restricted")

    match command:
        case "history":
            events = await memory.history(memory_id, turn, grant=grant)
            names = await memory.look(_names, turn, events)
            untold = _say(language, "no_text" if turn.direct else "untold")
            return _history_text(events, names, language, escape, untold, zone) if events else _say(language, "none")
        case "why":
            origin = await memory.why(memory_id, turn)
            return _say(language, "none") if origin is None else why_text(origin, turn, language, escape, zone)
        case "undo":
            try:
                outcome = await memory.undo(memory_id, turn, further=False, grant=grant)
            except StoreUnfinished:
                return _say(language, "unfinished")
            space, tells = EVERYWHERE, True
        case "share" | "unshare":
            outcome = await memory.share(memory_id, turn, everywhere=command == "share", grant=grant)
            # What stands in the way may be known in a place that is not shown here.
            space, tells = await memory.look(find_space, turn), turn.direct
        case _:
            assert_never(command)
    words = _outcome_text(outcome, space, language, escape, memory.settings.undo_hours, tells=tells)
    if command == "undo" and forget is not None and isinstance(outcome, Changed) and _removes(outcome):
        messages = await memory.look(own_messages_told, turn, outcome.memory)
        if messages:
            order = forget(", ".join(f"M{message}" for message in messages))
            words += f"\n{_say(language, 'still_said', forget=order)}"
    return words


async def undo_last(
    memory: Memory,
    turn: Turn,
    language: Language = "en",
    *,
    escape: Callable[[str], str] = str,
    grant: Grant | None = None,
    undo: Callable[[int], str] = "/undo {}".format,
) -> str:
    """Take back the speaker's last change here if it removed something, for then nothing is lost; else say how to.

    Args:
        escape: As for `run_command`, as is `grant`.
        undo: The command that takes the last change of a memory back.
    """
    again = await memory.look(undone_in, turn)
    if again is not None:  # a message that comes twice takes back once
        return await run_command(memory, "undo", again, turn, language, escape=escape, grant=grant)
    event = await memory.look(last_change, turn)
    if event is None:
        return _say(language, "nothing_to_undo")
    if event.action in REMOVALS:
        return await run_command(memory, "undo", event.memory, turn, language, escape=escape, grant=grant)
    change = f"{text(language, f'action.{_action(event)}')}: {_change(event, language, escape)}"
    return _say(language, "last_change", change=change, id=event.memory, undo=undo(event.memory))


def refusal(refused: Refused, language: Language, undo_hours: int) -> str:
    """Why an undo was refused, to stand within a sentence."""
    if refused.undo is None:
        return refused.reason
    if refused.undo == "too_late" and not undo_hours:
        return text(language, "undo_refused.off")
    return text(language, f"undo_refused.{refused.undo}", count=undo_hours)


def why_text(
    origin: Origin, turn: Turn, language: Language, escape: Callable[[str], str] = str, zone: tzinfo = UTC
) -> str:
    """Where a memory comes from: what was said, when and by whom; or what the person did themselves."""

    def say(key: str, at: datetime, user: str, name: str, **more: str) -> str:
        who = text(language, "chat.why.you") if user == turn.user_key else escape(preview(name, _SHOWN))
        return text(language, f"chat.why.{key}", at=minute_in(zone, at), who=who, **more)

    def told(source: Source) -> str:
        about = source.at, source.said_by, source.name
        if source.text is not None:
            return say("message", *about, text=escape(preview(source.text)))
        if source.place is None or not turn.direct:
            return say("untold", *about)
        is_direct = source.place.kind == "direct"
        place = text(language, "chat.list.direct") if is_direct else escape(source.called)
        return say("untold_in", *about, place=place)

    words = escape(preview(in_words(origin.memory, language)))
    lines = [text(language, "chat.why.title", text=words, id=origin.memory.id, zone=zone)]
    lines += map(told, origin.sources)
    if origin.how != "said" or not origin.sources:
        lines.append(say(_HOW[origin.how], origin.at, origin.said_by, origin.name))
    return "\n".join(lines)


def _removes(outcome: Changed) -> bool:
    """Whether the change that was taken back had created the memory."""
    return outcome.memory.archived or outcome.memory == outcome.before


def _say(language: Language, key: str, **values: object) -> str:
    return text(language, f"chat.history.{key}", **values)


def _outcome_text(
    outcome: Changed | Shared | NotFound | Conflict | Refused | NoAccess,
    space: int,
    language: Language,
    escape: Callable[[str], str],
    undo_hours: int,
    *,
    tells: bool,
) -> str:
    """What became of it.

    Args:
        space: Where it was asked for.
        tells: Whether what stands in the way may be told.
    """

    def about(key: str, memory: StoredMemory) -> str:
        return _say(language, key, text=escape(preview(in_words(memory, language))), id=memory.id)

    match outcome:
        case Changed(now, before):
            if _removes(outcome):
                return about("gone", now)
            if now.space != before.space:
                return about("shared" if now.space == EVERYWHERE else "unshared", now)
            others = [_say(language, "others_back", count=outcome.others_back)] if outcome.others_back else []
            return "\n".join([about("undone", now), *others])
        case Shared(memories):
            return "\n".join(
                about({EVERYWHERE: "shared", space: "unshared"}.get(memory.space, "was_not_shared"), memory)
                for memory in memories
            )
        case Conflict(other):
            return about("conflict", other) if tells else _say(language, "conflict_elsewhere")
        case Refused():
            return _say(language, "refused", reason=refusal(outcome, language, undo_hours))
        case NotFound():
            return _say(language, "none")
        case NoAccess():
            return _say(language, "restricted")
        case _:
            assert_never(outcome)


def _history_text(
    events: Sequence[Event],
    names: Mapping[str, str],
    language: Language,
    escape: Callable[[str], str],
    untold: str,
    zone: tzinfo,
) -> str:
    """The last lines of a memory's trail, oldest first: when, what, by whom if by another, before and after.

    Args:
        names: What others are called, by the platform's id.
        untold: Stands for a text that is not there.
    """
    lines = [_say(language, "title", id=events[0].memory, zone=zone)]
    if len(events) > _LISTED:
        lines.append(_say(language, "earlier", count=len(events) - _LISTED))
    for event in events[-_LISTED:]:
        words = text(language, f"action.{_action(event)}")
        if event.actor in names:
            by = _BY.get(event.actor, "by")
            words += f", {_say(language, by, who=escape(names[event.actor]))}"
        lines.append(f"{minute_in(zone, event.at)} {words}: {_change(event, language, escape) or untold}")
    return "\n".join(lines)


def _action(event: Event) -> Action | Literal["opened", "closed"]:
    if event.action != "updated" or event.before is None or event.after is None:
        return event.action
    if event.before.space == event.after.space:
        return "updated"
    return "opened" if event.after.space == EVERYWHERE else "closed"


def _change(event: Event, language: Language, escape: Callable[[str], str]) -> str | None:
    is_gone = event.after is None or event.after.archived
    old_text, new_text = (
        None if state is None else escape(preview(in_words(state, language), _SHOWN))
        for state in (event.before, event.after)
    )
    if old_text is None or old_text == new_text or is_gone:
        return old_text or new_text
    return f"{old_text} → {new_text}"


def _names(tx: Tx, turn: Turn, events: Sequence[Event]) -> dict[str, str]:
    """What the others who acted are called where the memory is, else their id on the platform."""
    names: dict[str, str] = {}
    for event in events:
        state, person = event.after or event.before, tx.owners.find("person", turn.platform, event.actor)
        if event.actor != turn.user_key:
            member = None if state is None or person is None else tx.members.get(state.space, person)
            name = None if member is None else member.nickname or member.name
            names[event.actor] = preview(name or event.actor, _SHOWN)
    return names
