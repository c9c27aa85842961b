"""What happened to a memory, and how to take the last change back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.memory import Event, Kind, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.relations import is_shown
from zgadka.ops.scopes import communal_scope, may_change_communal, speaker_scope
from zgadka.ops.spread import WAIT, Spread, end
from zgadka.stores.tx import Tx

_DELIVERED_AGAIN = timedelta(days=1)
"""For so long Telegram keeps what it was not told of."""


def history(tx: Tx, turn: Turn, memory_id: int) -> list[Event]:
    """The audit trail of one of the speaker's memories, oldest first; empty when it cannot be seen here."""
    owner = _owner_of(tx, turn, memory_id)
    return [] if owner is None else tx.events(owner, memory_id)


def undo(tx: Tx, turn: Turn, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of one of the speaker's memories, and what was changed together with it.

    Of what belongs to the space, their own last change. A turn takes a memory's last change back once: a message that
    a platform delivers again, for it was not told of the first time, does not bring the change back.
    """
    owner = _owner_of(tx, turn, memory_id)
    if owner is None:
        owner = _space_of(tx, turn, memory_id)
    if owner is None or _is_others_clearing(tx, turn, owner, memory_id):
        return NotFound()
    span = None if turn.turn is None else f"undo:{memory_id}:{len(turn.chat)}:{turn.chat}:{turn.turn}"
    if span is not None and tx.is_done(owner, span):
        return _as_taken_back(tx, owner, memory_id)
    if _would_clear_again(tx, owner, memory_id):  # all of a person's memories, unasked
        return Refused("it was taken back already")
    outcome = take_back(tx, owner, memory_id, actor=turn.user_name)
    if span is not None and isinstance(outcome, Changed):
        tx.once(owner, span, _DELIVERED_AGAIN)
    return outcome


def _as_taken_back(tx: Tx, owner: int, memory_id: int) -> Changed | Refused:
    """What taking the last change back has come to, for whoever asks once more."""
    last = _last_change(tx, owner, memory_id)
    if last is None or last.action != "undone":
        return Refused("it has been changed again since it was taken back")
    now, then = last.after, last.before
    if now is not None:
        return Changed(now, then or replace(now, version=now.version - 1))
    return Refused("its text has been removed for good") if then is None else Changed(then, then)


def take_back(tx: Tx, owner: int, memory_id: int, *, actor: str) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of a memory, whoever asks; for operators.

    What a cleared profile took from other owners' rows follows in `UNDOING`, but for what others have put in its place.

    Returns:
        Changed: `memory` as it is now; when the change had created it, `memory` is what was removed.
    """
    last = _last_change(tx, owner, memory_id)
    if last is None:
        return NotFound()
    if tx.now - last.at > timedelta(hours=tx.settings.undo_hours):
        return Refused(f"it was changed more than {tx.settings.undo_hours} hours ago")
    if last.change is None:
        if (why := _in_the_way(tx, last, {memory_id})) is not None:
            return why
        return _restore(tx, last, actor=actor, change=None)
    return _take_back_together(tx, last, owner, actor=actor, change=last.change)


def _take_back_together(tx: Tx, last: Event, owner: int, *, actor: str, change: int) -> Changed | Conflict | Refused:
    """Take back what one operation changed in the owner's rows, all of it or nothing."""
    reaches = last.action in ("cleared", "undone")  # into other owners' rows
    if reaches and _is_under_way(tx, owner, last):
        return Refused("it is not done yet in all chats: try again in a minute")
    there = _changed_together(tx, owner, change)
    events = [event for event in there.values() if event.change == change]
    if len(events) < len(there) and last.action != "cleared":
        return Refused("what was changed together with it has been changed again since")
    for event in events:
        if (why := _in_the_way(tx, event, there)) is not None:
            return why
    number = tx.next_id("change")
    outcomes = _restore_all(tx, events, actor=actor, change=number)
    _join_all_again(tx, there, cleared=change, actor=actor, change=number)
    if reaches:
        tx.leave_task(owner, UNDO, {"undone": change, "change": number, "actor": actor}, WAIT)
    return next(outcome for outcome in outcomes if outcome.memory.id == last.memory)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return [owner for owner in tx.owners_of_change(task.payload["undone"]) if owner != task.owner]


def _take_back_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Take back what the change did in another owner's rows, but for what others have put in its place."""
    undone, actor, change = task.payload["undone"], task.payload["actor"], task.payload["change"]
    there = _changed_together(tx, owner, undone)
    if not tx.is_undone(task):  # somebody else ended it, and it may have been cleared again since
        return {}
    events = [event for event in there.values() if event.change == undone and _in_the_way(tx, event, there) is None]
    _restore_all(tx, events, actor=actor, change=change)
    _join_all_again(tx, there, cleared=undone, actor=actor, change=change)
    return {}


UNDO = "undo"
UNDOING = Spread(_owners, _take_back_in, end)


def _is_under_way(tx: Tx, owner: int, last: Event) -> bool:
    person = tx.find_owner("person", tx.owner(owner).platform, last.actor)
    return any(map(tx.is_under_way, {owner} if person is None else {owner, person}))


def _changed_together(tx: Tx, owner: int, change: int) -> dict[int, Event]:
    """The last change of each of the owner's memories that one operation changed, by the memory's id."""
    found = {memory: _last_change(tx, owner, memory) for memory in tx.memories_of_change(owner, change)}
    return {memory: event for memory, event in found.items() if event is not None}


def _in_the_way(tx: Tx, event: Event, together: Collection[int]) -> Refused | Conflict | None:
    """Why a change cannot be taken back."""
    if event.before is None and event.after is None:
        return Refused("its text has been removed for good")
    if event.before is None or event.before.archived:
        return None
    holder = keep.holder(tx, event.before)
    return None if holder is None or holder.id in together else Conflict(holder)


def _restore_all(tx: Tx, events: Iterable[Event], *, actor: str, change: int) -> list[Changed]:
    # Slots are given up before they are taken: a merge's kept fact may hold the slot of one that it replaced.
    in_order = sorted(events, key=lambda event: (_is_live(event.before), not _is_live(event.after)))
    return [_restore(tx, event, actor=actor, change=change) for event in in_order]


def _restore(tx: Tx, event: Event, *, actor: str, change: int | None) -> Changed:
    match event.after, event.before:
        case StoredMemory() as now, StoredMemory() as then:
            return Changed(keep.put(tx, now, then, "undone", actor=actor, change=change), now)
        case StoredMemory() as now, None:
            keep.remove(tx, now, "undone", actor=actor, change=change)
            return Changed(now, now)
        case None, StoredMemory() as then:
            back = replace(then, version=then.version + 1, updated_at=tx.now)
            keep.add(tx, back, "undone", actor=actor, change=change)
            tx.keep_event_texts(back.owner, back.id)
            return Changed(back, then)
        case None, None:
            raise ValueError("neither before nor after the change was there a memory")


def _join_all_again(tx: Tx, there: Mapping[int, Event], *, cleared: int, actor: str, change: int) -> None:
    """Put the one who comes back into the shared episodes that others have changed since."""
    for last in there.values():
        if last.change != cleared and last.after is not None:
            _join_again(tx, last.after, cleared=cleared, actor=actor, change=change)


def _join_again(tx: Tx, now: StoredMemory, *, cleared: int, actor: str, change: int) -> None:
    event = next(event for event in tx.events(now.owner, now.id) if event.change == cleared)
    if event.before is None or event.after is None:
        return
    missing = [person for person in event.before.people if person not in (*event.after.people, *now.people)]
    if missing:
        keep.put(tx, now, replace(now, people=(*now.people, *missing)), "undone", actor=actor, change=change)


def _last_change(tx: Tx, owner: int, memory_id: int) -> Event | None:
    """The memory's last event that a person would call a change, as it would have to be taken back from today."""
    events = [event for event in tx.events(owner, memory_id) if event.action != "confirmed"]
    return replace(events[-1], after=tx.memory(owner, memory_id)) if events else None


def _is_live(memory: StoredMemory | None) -> bool:
    return memory is not None and not memory.archived


def _owner_of(tx: Tx, turn: Turn, memory_id: int) -> int | None:
    """Whose memory it is, when all that it ever was is the speaker's and may be seen here; else None.

    The speaker's are their own, in their direct chat from everywhere, and the space's relations that they are in.
    """
    own, space = speaker_scope(tx, turn), communal_scope(tx, turn)
    if tx.has_events(own.owner, memory_id):
        states = _states(tx, own.owner, memory_id)
        seen = all(own.shows(state) or (turn.direct and state.lineage in own.lineages) for state in states)
        return own.owner if states and seen else None
    states = _states(tx, space.owner, memory_id)
    seen = all(state.kind == "relation" and own.owner in state.people and space.shows(state) for state in states)
    others = {person for state in states for person in state.people} - {own.owner}
    # As where relations are told: both want to be remembered.
    shown = states and seen and all(is_shown(tx, space.owner, person, is_speaker=False) for person in others)
    return space.owner if shown else None


def _space_of(tx: Tx, turn: Turn, memory_id: int) -> int | None:
    """The space whose episode or note it is, when the speaker made its last change and may change it; else None."""
    space = communal_scope(tx, turn)
    last = _last_change(tx, space.owner, memory_id)
    states = _states(tx, space.owner, memory_id)
    kinds: set[Kind] = {state.kind for state in states} if all(map(space.shows, states)) else set()
    if last is None or last.actor != turn.user_name or not kinds or "relation" in kinds:
        return None
    return space.owner if "note" not in kinds or may_change_communal(tx, turn) else None


def _is_others_clearing(tx: Tx, turn: Turn, owner: int, memory_id: int) -> bool:
    """Whether to take it back would bring back, or clear again, another person's whole profile."""
    last = _last_change(tx, owner, memory_id)
    is_own = owner == speaker_scope(tx, turn).owner
    return last is not None and last.change is not None and not is_own and last.actor != turn.user_name


def _would_clear_again(tx: Tx, owner: int, memory_id: int) -> bool:
    """Whether the last change brought a cleared profile back, so that to take it back would clear all of it."""
    events = [event for event in tx.events(owner, memory_id) if event.action != "confirmed"]
    return [event.action for event in events[-2:]] == ["cleared", "undone"]


def _states(tx: Tx, owner: int, memory_id: int) -> list[StoredMemory]:
    events = tx.events(owner, memory_id)
    return [state for event in events for state in (event.before, event.after) if state is not None]
