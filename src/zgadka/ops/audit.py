"""What happened to a memory, and how to take the last change back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from zgadka.model.memory import Event, Kind, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.scopes import communal_scope, may_change_communal, speaker_scope
from zgadka.stores.tx import Tx


def history(tx: Tx, turn: Turn, memory_id: int) -> list[Event]:
    """The audit trail of one of the speaker's memories, oldest first; empty when it cannot be seen here."""
    owner = _owner_of(tx, turn, memory_id)
    return [] if owner is None else tx.events(owner, memory_id)


def undo(tx: Tx, turn: Turn, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of one of the speaker's memories, and what was changed together with it.

    Of what belongs to the space, their own last change.
    """
    owner = _owner_of(tx, turn, memory_id)
    if owner is None:
        owner = _space_of(tx, turn, memory_id)
    if owner is None or _is_others_clearing(tx, turn, owner, memory_id):
        return NotFound()
    return take_back(tx, owner, memory_id, actor=turn.user_name)


def take_back(tx: Tx, owner: int, memory_id: int, *, actor: str) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of a memory, whoever asks; for operators.

    Returns:
        Changed: `memory` as it is now; when the change had created it, `memory` is what was removed.
    """
    last = _last_change(tx, owner, memory_id)
    if last is None:
        return NotFound()
    if tx.now - last.at > timedelta(hours=tx.settings.undo_hours):
        return Refused(f"it was changed more than {tx.settings.undo_hours} hours ago")
    together = _together(tx, owner, last)
    ids = {memory for _, memory in together}
    events = {
        (whose, memory): event
        for whose, memory in together
        if (event := _last_change(tx, whose, memory)) and event.change == last.change
    }
    if len(events) < len(together) and last.action != "cleared":
        return Refused("what was changed together with it has been changed again since")
    for event in events.values():
        if event.before is None and event.after is None:
            return Refused("its text has been removed for good")
        if event.before is None or event.before.archived:
            continue
        holder = keep.holder(tx, event.before)
        if holder is not None and holder.id not in ids:
            return Conflict(holder)
    change = None if last.change is None else tx.next_id("change")
    # Slots are given up before they are taken: a merge's kept fact may hold the slot of one that it replaced.
    in_order = sorted(events.values(), key=lambda event: (_is_live(event.before), not _is_live(event.after)))
    restored = [_restore(tx, event.after, event.before, actor=actor, change=change) for event in in_order]
    for whose, memory in together:
        if (whose, memory) not in events and last.change is not None:
            _join_again(tx, whose, memory, cleared=last.change, actor=actor, change=change)
    return next(outcome for outcome in restored if outcome.memory.id == memory_id)


def _together(tx: Tx, owner: int, last: Event) -> list[tuple[int, int]]:
    """Owner and id of each memory that one operation changed; a cleared profile reaches into spaces."""
    if last.change is None:
        return [(owner, last.memory)]
    owners = [one.id for one in tx.owners()] if last.action in ("cleared", "undone") else [owner]
    return [(one, memory) for one in owners for memory in tx.memories_of_change(one, last.change)]


def _restore(tx: Tx, now: StoredMemory | None, then: StoredMemory | None, *, actor: str, change: int | None) -> Changed:
    match now, then:
        case StoredMemory(), StoredMemory():
            return Changed(keep.put(tx, now, then, "undone", actor=actor, change=change), now)
        case StoredMemory(), None:
            keep.remove(tx, now, "undone", actor=actor, change=change)
            return Changed(now, now)
        case None, StoredMemory():
            back = replace(then, version=then.version + 1, updated_at=tx.now)
            keep.add(tx, back, "undone", actor=actor, change=change)
            tx.keep_event_texts(back.owner, back.id)
            return Changed(back, then)
        case None, None:
            raise ValueError("neither before nor after the change was there a memory")


def _join_again(tx: Tx, owner: int, memory_id: int, *, cleared: int, actor: str, change: int | None) -> None:
    """Put the one who comes back into a shared episode that others have changed since."""
    now = tx.memory(owner, memory_id)
    event = next(event for event in tx.events(owner, memory_id) if event.change == cleared)
    if now is None or event.before is None or event.after is None:
        return
    missing = [person for person in event.before.people if person not in (*event.after.people, *now.people)]
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
    states = _states(tx, own.owner, memory_id)
    if states and all(own.shows(state) or (turn.direct and state.lineage in own.lineages) for state in states):
        return own.owner
    states = _states(tx, space.owner, memory_id)
    if states and all(
        state.kind == "relation" and own.owner in state.people and space.shows(state) for state in states
    ):
        return space.owner
    return None


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


def _states(tx: Tx, owner: int, memory_id: int) -> list[StoredMemory]:
    events = tx.events(owner, memory_id)
    return [state for event in events for state in (event.before, event.after) if state is not None]
