"""What happened to a memory, and how to take the last change back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.errors import NotAllowed
from zgadka.model.memory import Event, Kind, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.model.task import Task
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.ops import merges, persist, withhold
from zgadka.ops.access import (
    as_told,
    author_is_invisible,
    communal_scope,
    find_space,
    for_readers_now,
    hidden,
    is_hidden,
    is_seen,
    is_shown,
    may_change_communal,
    shows_text,
    speaker_of,
    speaker_scope,
)
from zgadka.ops.allow import allow
from zgadka.ops.multi_owner_saga import WAIT, Spread, end
from zgadka.ops.reindex import renew
from zgadka.ops.relation_names import with_names, with_names_in_trail
from zgadka.ops.same_value import as_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import LEFT, REJOINED, changes_of, standing_changes
from zgadka.text.plural import counted
from zgadka.text.value_mentions import MentionIndex

_DELIVERED_AGAIN = timedelta(days=1)
"""For so long Telegram keeps what it was not told of."""


def history(tx: Tx, turn: Turn, memory_id: int) -> list[Event]:
    """The audit trail of one of the speaker's memories, oldest first; empty when it cannot be seen here.

    What was forgotten stands in it for the person alone.
    """
    owner = _owner_of(tx, turn, memory_id)
    if owner is None or not _shows(tx, turn, owner, memory_id, heard=True):
        return []
    trail = with_names_in_trail(tx, [_as_heard(tx, event) for event in _trail(tx, owner, memory_id)])
    is_open = turn.direct and not was_taken_back(trail, turn)
    return trail if is_open else without_forgotten(tx, owner, trail)


def was_taken_back(trail: Sequence[Event], turn: Turn) -> bool:
    """Whether somebody else, who said it, took it back in the end: then they alone read what it was."""
    last = trail[-1] if trail else None
    before = None if last is None or last.action not in _GONE else last.before
    return last is not None and before is not None and last.actor == before.said_by != turn.user_key


_GONE = ("cleared", "deleted", "forgotten")
"""What was done last to what is gone by somebody's wish."""


def tell(tx: Tx, turn: Turn, memory_id: int) -> tuple[StoredMemory, list[Event]] | None:
    """One of the speaker's memories as a model is told it, with its trail where they are alone, if it is told."""
    trail = history(tx, turn, memory_id)
    memory = trail[-1].after if trail else None
    if memory is None or memory.archived or is_hidden(tx, memory, turn):
        return None
    return memory, without_forgotten(tx, memory.owner, trail) if turn.direct else []


def without_forgotten(tx: Tx, owner: int, trail: Iterable[Event]) -> list[Event]:
    """The trail without the texts that say what was forgotten."""
    forgotten = [row.memory for row in tx.audit.list_forgotten(owner)]
    gone = {memory.id for memory in forgotten}

    def told(state: StoredMemory | None) -> StoredMemory | None:
        sayings = MentionIndex([(0, "" if state is None else state.searchable)])
        is_gone = state is None or state.id in gone or any(sayings.of(memory.content) for memory in forgotten)
        return None if is_gone else state

    return [replace(event, before=told(event.before), after=told(event.after)) for event in trail]


def _as_heard(tx: Tx, event: Event) -> Event:
    """A change without the states that somebody else said who is invisible to memory now."""

    def told(state: StoredMemory | None) -> StoredMemory | None:
        return None if state is None or author_is_invisible(tx, state) else state

    return replace(event, before=told(event.before), after=told(event.after))


def _shows(tx: Tx, turn: Turn, owner: int, memory_id: int, *, heard: bool = False) -> bool:
    """Whether the memory's text is shown here, as it is or, where it is gone, as it was last.

    Args:
        heard: Whether to ask so only of what may be told of the change, if there is any.
    """
    if (event := _last_change(tx, owner, memory_id)) is None:
        return True
    if heard:
        event = _as_heard(tx, event)
        if event.before is event.after is None:
            return False
    states = [state for state in (event.before, event.after) if state is not None]
    return all(shows_text(tx, turn, state) for state in states)


def undo(
    tx: Tx, turn: Turn, memory_id: int, *, further: bool = True, grant: Grant | None = None
) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of one of the speaker's memories that stands, and what was changed together with it.

    Done again in another turn, it takes back the one before. Of what belongs to the space, their own last change. A
    turn takes a change back once: a message that a platform delivers again, for it was not told of the first time,
    takes back nothing more.

    Args:
        further: False: where the last change is taken back already, the one before stays.
        grant: What whoever asks may do. None: it is the host itself.

    Raises:
        NotAllowed: It was opened or closed to other places, and that may not be done here.
    """
    owner = _changed_by(tx, turn, memory_id)
    if owner is None:
        return NotFound()
    span = None if turn.turn is None else f"undo:{memory_id}:{len(turn.chat)}:{turn.chat}:{turn.turn}"
    if span is not None and tx.limits.is_done(owner, span):
        return _with_names(tx, _already_undone(tx, owner, memory_id))
    if not further and _is_undone(tx, owner, memory_id):
        return Refused("it was already undone", "already_undone")
    event = _last_change(tx, owner, memory_id)
    is_moved = event is not None and event.before and event.after and event.before.space != event.after.space
    if is_moved and (refusal := allow("share", turn, grant)) is not None:
        raise NotAllowed(refusal.reason)
    outcome = take_back(tx, owner, memory_id, actor=turn.user_key, turn=turn)
    if span is not None and isinstance(outcome, Changed):
        tx.limits.once(owner, span, _DELIVERED_AGAIN)
        tx.limits.mark(owner, _last_undone(turn), memory_id, _DELIVERED_AGAIN)
    return _with_names(tx, outcome)


def undone_in(tx: Tx, turn: Turn) -> int | None:
    """The memory whose change the turn took back last, where it comes again; None: it took back none."""
    if turn.turn is None:
        return None
    marks = (tx.limits.marked(owner, _last_undone(turn)) for owner in (speaker_of(tx, turn), find_space(tx, turn)))
    return next((mark for mark in marks if mark is not None), None)


def _last_undone(turn: Turn) -> str:
    return f"undone:{len(turn.chat)}:{turn.chat}:{turn.turn}"


def _changed_by(tx: Tx, turn: Turn, memory_id: int, *, ever: bool = False) -> int | None:
    """The owner of a memory whose last change the speaker may take back here; None: they may not.

    Args:
        ever: As for `_owner_of`.
    """
    owner = _owner_of(tx, turn, memory_id, ever=ever) or _space_of(tx, turn, memory_id)
    if owner is None or _is_others_clearing(tx, turn, owner, memory_id) or _is_others_say(tx, turn, owner, memory_id):
        return None
    return owner if _shows(tx, turn, owner, memory_id) else None


def own_change(tx: Tx, turn: Turn, memory_id: int) -> Event | None:
    """The last change of a memory, if the speaker made it and may still take it back here; None where it is undone.

    Of what was seen elsewhere as well, nobody knows where they made it; of a past value, it is what ended that.
    """
    owner = _changed_by(tx, turn, memory_id, ever=True)
    event = None if owner is None or _is_undone(tx, owner, memory_id) else _last_change(tx, owner, memory_id)
    is_own = event is not None and event.actor == turn.user_key and event.reason not in LEFT
    is_in_time = event is not None and tx.now - event.at <= timedelta(hours=tx.settings.undo_hours)
    return event if is_own and is_in_time else None


def _with_names(tx: Tx, outcome: Changed | NotFound | Conflict | Refused) -> Changed | NotFound | Conflict | Refused:
    """The same, relations with the names of their people."""
    match outcome:
        case Changed(memory, before):
            memory, before = with_names(tx, [memory, before])
            return replace(outcome, memory=memory, before=before)
        case Conflict(memory):
            return Conflict(*with_names(tx, [memory]))
        case _:
            return outcome


def _is_undone(tx: Tx, owner: int, memory_id: int) -> bool:
    """Whether a memory's last change is taken back."""
    changes = changes_of(tx.audit.history(owner, memory_id))
    return bool(changes) and changes[-1].action == "undone" and changes[-1].reason != REJOINED


def _already_undone(tx: Tx, owner: int, memory_id: int) -> Changed | Refused:
    """What taking the last change back has come to, for whoever asks once more."""
    change = _as_heard(tx, changes_of(tx.audit.history(owner, memory_id))[-1])
    if change.action != "undone":
        return Refused("it has been changed again since it was undone", "changed_since")
    current, before = change.after, change.before
    if current is not None:
        return Changed(current, before or replace(current, version=current.version - 1))
    return Refused("its text was permanently deleted", "text_deleted") if before is None else Changed(before, before)


def take_back(
    tx: Tx, owner: int, memory_id: int, *, actor: str, turn: Turn | None = None
) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of a memory, whoever asks; for operators.

    What a cleared profile took from other owners' rows follows in `UNDOING`, but for what others have put in its place.

    Args:
        turn: Where it is asked for, if of what comes back with it only what is seen there counts.

    Returns:
        Changed: `memory` as it is now; when the change had created it, `memory` is what was removed.
    """
    renew(tx, owner)
    event = _last_change(tx, owner, memory_id)
    if event is None:
        return NotFound()
    if tx.now - event.at > timedelta(hours=tx.settings.undo_hours):
        return Refused(f"it was changed more than {counted(tx.settings.undo_hours, 'hour')} ago", "too_late")
    if event.change is None:
        if (obstacle := _obstacle(tx, event, {memory_id})) is not None:
            return obstacle
        return _restore(tx, event, actor=actor, change=None)
    return _take_back_together(tx, event, owner, actor=actor, change=event.change, turn=turn)


def _take_back_together(
    tx: Tx, latest: Event, owner: int, *, actor: str, change: int, turn: Turn | None
) -> Changed | Conflict | Refused:
    """Take back what one operation changed in the owner's rows, all of it or nothing."""
    if latest.action in _GONE and _is_under_way(tx, owner, latest):
        return Refused("it is not finished in all chats yet: try again in a minute", "not_finished")
    changed = _changed_together(tx, owner, change)
    events = [event for event in changed.values() if event.change == change]
    if len(events) < len(changed) and latest.action != "cleared":
        return Refused("something that was changed together with it has been changed again since", "changed_together")
    for event in events:
        if (obstacle := _obstacle(tx, event, changed)) is not None:
            return obstacle
    number = tx.next_id("change")
    _give_back_sources(tx, events)
    outcomes = _restore_all(tx, events, actor=actor, change=number)
    _rejoin_all(tx, changed, cleared=change, actor=actor, change=number)
    _follow_in_messages(tx, owner, events, actor=actor, undone=change)
    if latest.action == "cleared":  # it reached into other owners' rows
        tx.tasks.add_follow_up(owner, UNDO, {"undone": change, "change": number, "actor": actor}, WAIT)
    back = sum(
        _is_live(event.before) and not _is_live(event.after) and (turn is None or _is_shown(tx, turn, event.before))
        for event in events
    )
    outcome = next(outcome for outcome in outcomes if outcome.memory.id == latest.memory)
    return outcome if latest.action not in _GONE else replace(outcome, others_back=max(back - 1, 0))


def _follow_in_messages(tx: Tx, owner: int, events: Sequence[Event], *, actor: str, undone: int) -> None:
    """Have messages told again that say what is back."""
    owner_row = tx.owners.get(owner)
    person = owner if owner_row.kind == "person" else tx.owners.find("person", owner_row.platform, actor)
    if person is None:  # what belongs to a space came back by an operator's hand
        withhold.lift(tx, owner, undone)
        return
    restored = [event.before for event in events if event.before is not None]
    withhold.leave_lifting(tx, owner, person, restored, undone)


def _owners(tx: Tx, task: Task) -> Sequence[int]:
    return [owner for owner in tx.audit.owners_of_change(task.payload["undone"]) if owner != task.owner]


def _take_back_in(tx: Tx, task: Task, owner: int) -> Mapping[str, int]:
    """Take back what the change did in another owner's rows, but for what others have put in its place."""
    undone, actor, change = task.payload["undone"], task.payload["actor"], task.payload["change"]
    changed = _changed_together(tx, owner, undone)
    if not tx.tasks.is_open(task):  # somebody else ended it, and it may have been cleared again since
        return {}
    events = [event for event in changed.values() if event.change == undone and _obstacle(tx, event, changed) is None]
    _restore_all(tx, events, actor=actor, change=change)
    _rejoin_all(tx, changed, cleared=undone, actor=actor, change=change)
    withhold.lift(tx, owner, undone)
    return {}


UNDO = "undo"
UNDOING = Spread(_owners, _take_back_in, end)


def _is_under_way(tx: Tx, owner: int, event: Event) -> bool:
    person = tx.owners.find("person", tx.owners.get(owner).platform, event.actor)
    return any(map(tx.tasks.is_under_way, {owner} if person is None else {owner, person}))


def _changed_together(tx: Tx, owner: int, change: int) -> dict[int, Event]:
    """The last change of each of the owner's memories that one operation changed, by the memory's id."""
    renew(tx, owner)
    by_id = {memory: _last_change(tx, owner, memory) for memory in tx.audit.memories_of_change(owner, change)}
    return {memory: event for memory, event in by_id.items() if event is not None}


def _obstacle(tx: Tx, event: Event, together: Collection[int]) -> Refused | Conflict | None:
    """Why a change cannot be taken back."""
    if event.before is None and (event.after is None or event.action == "updated"):
        return Refused("its text was permanently deleted", "text_deleted")
    if event.before is None or event.before.archived:
        return None
    rival = merges.rival_of(tx, event.before, but=together)
    return None if rival is None else Conflict(rival)


def _restore_all(tx: Tx, events: Iterable[Event], *, actor: str, change: int) -> list[Changed]:
    # Slots are given up before they are taken: a merge's kept fact may hold the slot of one that it replaced.
    in_order = sorted(events, key=lambda event: (_is_live(event.before), not _is_live(event.after)))
    return [_restore(tx, event, actor=actor, change=change) for event in in_order]


def _give_back_sources(tx: Tx, events: Iterable[Event]) -> None:
    """Let a value that stands again under its own id come from what was kept beside it as past or hidden, and goes."""
    pasts = [event.after for event in events if event.before is None and event.reason in LEFT]
    for event in events:
        former = event.before
        for past in pasts if former is not None and event.action == "updated" else ():
            if former is not None and past is not None and (past.key, past.canonical) == (former.key, former.canonical):
                tx.memories.take_sources(former)
                tx.memories.add_sources(former, tx.memories.take_sources(past))


def _restore(tx: Tx, event: Event, *, actor: str, change: int | None) -> Changed:
    match event.after, event.before:
        case StoredMemory() as current, StoredMemory() as former:
            if event.action == "cleared":
                tx.audit.keep_texts(current.owner, current.id)
            return Changed(persist.put(tx, current, former, "undone", actor=actor, change=change), current)
        case StoredMemory() as current, None:
            is_told = change is None or current.valid_to is None  # of a past, what it came from is told
            persist.remove(tx, current, "undone", actor=actor, change=change, is_told=is_told)
            return Changed(current, current)
        case None, StoredMemory() as former:
            restored = replace(former, version=former.version + 1, updated_at=tx.now)
            persist.add(tx, restored, "undone", actor=actor, change=change)
            tx.audit.keep_texts(restored.owner, restored.id)
            return Changed(restored, former)
        case None, None:
            raise ValueError("neither before nor after the change was there a memory")


def _rejoin_all(tx: Tx, changed: Mapping[int, Event], *, cleared: int, actor: str, change: int) -> None:
    """Put the one who comes back into the shared episodes that others have changed since.

    What somebody else had cleared since comes back with that one's undo.
    """
    for event in changed.values():
        row = event.after
        if event.change == cleared or row is None:
            continue
        tx.audit.lift_before(row.owner, row.id, cleared)
        clearing = next(event for event in _trail(tx, row.owner, row.id) if event.change == cleared)
        if clearing.before is None or clearing.after is None:
            continue
        missing = [person for person in clearing.before.people if person not in (*clearing.after.people, *row.people)]
        if missing:
            row_with_them = replace(row, people=(*row.people, *missing))
            persist.put(tx, row, row_with_them, "undone", actor=actor, reason=REJOINED, change=change)


def _trail(tx: Tx, owner: int, memory_id: int) -> list[Event]:
    """The trail of a memory, each of its states for those alone who still read the chat where it was said."""

    def now(state: StoredMemory | None) -> StoredMemory | None:
        return None if state is None else for_readers_now(tx, state)

    events = tx.audit.history(owner, memory_id)
    return [replace(event, before=now(event.before), after=now(event.after)) for event in events]


def _last_change(tx: Tx, owner: int, memory_id: int) -> Event | None:
    """The memory's last change that stands, as it would have to be taken back from today."""
    trail = _trail(tx, owner, memory_id)
    standing = standing_changes(trail)
    if not standing:
        return None
    before, after = standing[-1].before, trail[-1].after
    return replace(standing[-1], before=before and as_told(tx, as_now(before)), after=after and as_now(after))


def _is_shown(tx: Tx, turn: Turn, memory: StoredMemory | None) -> bool:
    scopes = speaker_scope(tx, turn), communal_scope(tx, turn)
    return memory is not None and any(is_seen(turn, scope, memory) for scope in scopes)


def _is_live(memory: StoredMemory | None) -> bool:
    return memory is not None and not memory.archived


def _owner_of(tx: Tx, turn: Turn, memory_id: int, *, ever: bool = True) -> int | None:
    """Whose memory it is, when all that it ever was is the speaker's and may be seen here; else None.

    The speaker's are their own, in their direct chat from everywhere and with what belongs to it, and the space's
    relations that they are in.

    Args:
        ever: False: of the speaker's own, what it was before its last change need not be seen here.
    """
    own, space = speaker_scope(tx, turn), communal_scope(tx, turn)
    if tx.audit.exists(own.owner, memory_id):
        last = None if ever else _last_change(tx, own.owner, memory_id)
        states = _states(tx, own.owner, memory_id) if last is None else _states_of([last])
        seen = all(is_seen(turn, own, state) for state in states)
        return own.owner if states and seen else None
    states = _states(tx, space.owner, memory_id)
    if turn.direct:  # what belongs to their direct chat belongs to nobody else
        return space.owner if states and all(map(space.shows, states)) else None
    seen = all(state.kind == "relation" and own.owner in state.people and space.shows(state) for state in states)
    partners = {person for state in states for person in state.people} - {own.owner}
    # As where relations are told: both want to be remembered.
    visible = states and seen and all(is_shown(tx, space.owner, person, is_speaker=False) for person in partners)
    return space.owner if visible else None


def _space_of(tx: Tx, turn: Turn, memory_id: int) -> int | None:
    """The space whose episode or note it is, when the speaker made its last change and may change it; else None."""
    space = communal_scope(tx, turn)
    event = _last_change(tx, space.owner, memory_id)
    states = _states(tx, space.owner, memory_id)
    kinds: set[Kind] = {state.kind for state in states} if all(map(space.shows, states)) else set()
    if event is None or event.actor != turn.user_key or not kinds or "relation" in kinds or hidden(tx, states):
        return None
    return space.owner if "note" not in kinds or may_change_communal(tx, turn) else None


def _is_others_clearing(tx: Tx, turn: Turn, owner: int, memory_id: int) -> bool:
    """Whether to take it back would bring back, or clear again, another person's whole profile."""
    event = _last_change(tx, owner, memory_id)
    if event is None or owner == speaker_scope(tx, turn).owner or event.actor == turn.user_key:
        return False
    return event.action == "cleared"


def _is_others_say(tx: Tx, turn: Turn, owner: int, memory_id: int) -> bool:
    """Whether it is another's change to what is about them too, which only they take back where the policy says so."""
    event = _last_change(tx, owner, memory_id)
    if event is None or event.actor == turn.user_key or tx.settings.others_may_change == "allow":
        return False
    people = {person for state in _states(tx, owner, memory_id) for person in state.people}
    return bool(people - {speaker_of(tx, turn)})


def _states(tx: Tx, owner: int, memory_id: int) -> list[StoredMemory]:
    return _states_of(_trail(tx, owner, memory_id))


def _states_of(events: Iterable[Event]) -> list[StoredMemory]:
    return [state for event in events for state in (event.before, event.after) if state is not None]
