"""What is left of a memory that loses one of the messages that said it: as if that one had never been written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import Any

from zgadka.model.memory import EVERYWHERE, Event, StoredMemory
from zgadka.model.people import Message
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.access import as_told, moved_here
from zgadka.ops.derived import join, let_predecessor_hold, with_room
from zgadka.ops.merges import rival_of
from zgadka.ops.same_value import is_same
from zgadka.ops.sources import Source, told_where
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED, OTHER_VALUE, TAKEN_BACK, TOLD, standing_changes
from zgadka.text.beginnings import began_named
from zgadka.text.dates import since_named
from zgadka.text.words import index_words

_SAID = ("content", "tags", "valid_from", "valid_to", "closed")
_TIMES = ("valid_from", "valid_to", "closed")


def lose(tx: Tx, memory: StoredMemory, source: Source, *, actor: str, reason: str) -> None:
    """Let a memory lose a message that others say too, and all that this one alone told of it, as `forget_source`.

    What was hidden until this one said it again is hidden again.

    Args:
        reason: What the trail says of why it is hidden.
    """
    memory = forget_source(tx, memory, source, actor=actor)
    others = {id_ for _, id_ in tx.memories.sources_of(memory)}
    trail = tx.audit.history(memory.owner, memory.id)
    last = next(iter(reversed(standing_changes(trail))), None)
    if last is None or last.action != "revived" or last.before is None or not _is_gone(last, others):
        return
    if not any(others.intersection(event.messages) for event in trail if event.number > last.number):
        persist.put(tx, memory, last.before, "undone", actor=actor, reason=reason)


def forget_source(tx: Tx, memory: StoredMemory, source: Source, *, actor: str) -> StoredMemory:
    """Let a memory that others say too come from a message no longer.

    A date that only this one named goes. It was said when the others said it, and is told where they were read, as the
    word of who wrote them. What its trail does not know of an older program stays.
    """
    tx.memories.remove_source(memory, *source)
    memory = _said_later(tx, undate(tx, memory, source), source, actor=actor)
    left = _follow_sources(tx, memory)
    if moved_here(memory, left) and memory.kind == "fact":
        _leave_past(tx, memory, left, actor=actor)
    return left


def _leave_past(tx: Tx, memory: StoredMemory, left: StoredMemory, *, actor: str) -> None:
    """Let the value whose place a memory took be told as past to those alone who are told that; in its own space."""
    if left.space != memory.space:
        let_predecessor_hold(tx, memory, but=(memory.id,), actor=actor, change=tx.next_id("change"))
        return
    past = None if memory.follows is None else tx.memories.get(memory.owner, memory.follows)
    if past is None or not past.closed or past.archived or moved_here(past, memory):
        return
    moved = replaced(past, audience=left.audience)
    if rival_of(tx, moved) is None:
        tx.memories.replace(past, moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))


def _said_later(tx: Tx, memory: StoredMemory, source: Source, *, actor: str) -> StoredMemory:
    """A memory as it was said first by what is left; until then, at the latest, held what it took the place of."""
    times = {each: message.at for each in (source, *tx.memories.sources_of(memory)) for message in _kept(tx, each)}
    said = times.pop(source, None)
    if memory.kind != "fact" or said is None or memory.said_at != said or not times:
        return memory
    later = replaced(memory, said_at=max(said, min(times.values())))
    tx.memories.replace(memory, later, slot=persist.slot_of(later), words=index_words(later.searchable))
    past = None if memory.follows is None else tx.memories.get(memory.owner, memory.follows)
    if past is not None and past.closed and past.valid_to == said and not (past.archived or past.withheld):
        longer = replaced(past, valid_to=later.said_at)
        if rival_of(tx, longer) is None:
            persist.put(tx, past, longer, "updated", is_told=False, actor=actor, reason=ENDED)
    return later


def _kept(tx: Tx, source: Source) -> Iterable[Message]:
    return tx.messages.get_many(source[0], [source[1]]).values()


def undate(tx: Tx, memory: StoredMemory, source: Source) -> StoredMemory:
    """A memory without the dates that a message alone told of it, also in its trail; what they ended goes on.

    It is told to all again who were told it before a message that is gone, and was read by fewer, dated it.
    """
    if memory.kind != "fact" or (memory.valid_from is None and memory.valid_to is None):
        return memory
    others = {id_ for _, id_ in tx.memories.sources_of(memory)} - {source[1]}
    return _widened(tx, _undated(tx, memory, source[1], others), others)


def names_dates(tx: Tx, text: str, memory: StoredMemory) -> bool:
    """Whether a text names the year in which a memory began or ended, or tells it in other words: since last year."""
    if any(moment is not None and str(moment.year) in text for moment in (memory.valid_from, memory.valid_to)):
        return True
    if memory.valid_from is None:
        return False
    zone = tx.settings.zone
    said_on = (memory.said_at or memory.created_at).astimezone(zone).date()
    began = since_named(text, said_on) or began_named(text, memory.content, said_on)
    return began is not None and began.year == memory.valid_from.astimezone(zone).year


def _is_gone(event: Event, others: Set[int]) -> bool:
    """Whether it is known which messages made a change, and none of those that are left did."""
    return event.reason != ENDED and bool(event.messages) and others.isdisjoint(event.messages)


def _undated(tx: Tx, memory: StoredMemory, message: int, others: Set[int]) -> StoredMemory:
    trail = _whole_trail(tx, memory)
    parts = tx.memories.list_parts(memory.owner, memory.id)
    of_parts = {id_ for part in parts for _, id_ in tx.memories.sources_of(part)}
    told = _times_without(trail, message, others, of_parts)
    if told is None:
        return memory
    undated = replaced(memory, **told[-1])
    remaining = with_room(tx, undated)
    if remaining is None:
        return _joined(tx, memory, undated)
    for event, times in zip(trail[len(trail) - len(told) + 1 :], told[:-1], strict=True):
        if event.before is not None and replaced(event.before, **times) != event.before:
            state = replaced(event.before, **times, messages=event.messages)
            tx.audit.set_before(event.memory, event.number, state)
    tx.memories.replace(memory, remaining, slot=persist.slot_of(remaining), words=index_words(memory.searchable))
    is_first_gone = told[0] != _times(trail[-len(told)])
    for event in trail:
        if event.change is not None and (_is_gone(event, others) or (is_first_gone and event is trail[-len(told)])):
            _go_on(tx, remaining, event.change)
    return remaining


def _widened(tx: Tx, memory: StoredMemory, others: Set[int]) -> StoredMemory:
    for event in reversed(tx.audit.history(memory.owner, memory.id)):
        before, after = event.before, event.after
        if before is None or after is None or not moved_here(before, after) or moved_here(after, memory):
            continue
        says_same = replaced(before, **{name: getattr(memory, name) for name in _SAID}) == before
        if not _is_gone(event, others) or not says_same:
            continue
        if (room := with_room(tx, memory, before)) is None:
            return _joined(tx, memory, told_where(tx, memory, before))
        tx.memories.replace(memory, room, slot=persist.slot_of(room), words=index_words(room.searchable))
        return room
    return memory


def _joined(tx: Tx, memory: StoredMemory, remaining: StoredMemory) -> StoredMemory:
    """What a memory is that would be another, where what stands in its place says the same: one with that."""
    same = rival_of(tx, remaining)
    if same is None or not is_same(same, remaining):
        return memory
    tx.memories.replace(memory, remaining, slot=persist.slot_of(memory), words=index_words(memory.searchable))
    join(tx, remaining, same, actor=memory.said_by, change=tx.next_id("change"))
    return tx.memories.get(memory.owner, memory.id) or remaining


def _whole_trail(tx: Tx, memory: StoredMemory) -> list[Event]:
    """The trail of a memory; of a past value, beginning with what it was while it held, under another's id."""
    trail = tx.audit.history(memory.owner, memory.id)
    if not trail or trail[0].reason != ENDED or trail[0].change is None:
        return trail
    for id_ in tx.audit.memories_of_change(memory.owner, trail[0].change):
        former = tx.audit.history(memory.owner, id_) if id_ != memory.id else []
        for index, event in enumerate(former):
            if event.change == trail[0].change and event.before is not None and event.reason != ENDED:
                return [*former[:index], replace(event, after=trail[0].after, reason=ENDED), *trail[1:]]
    return trail


def _times_without(
    trail: Sequence[Event], message: int, others: Set[int], of_parts: Set[int]
) -> list[dict[str, Any]] | None:
    """The times that a value had after each change of its trail, as far as the messages that are left told them.

    None: that is not known.

    Args:
        of_parts: The messages from which the value has nothing but what was merged into it.
    """
    values = [index for index, event in enumerate(trail) if _says_other(event)]
    trail = trail[values[-1] if values else 0 :]
    if not trail or any(event.after is None for event in trail):
        return None
    since = trail[0]
    # Of what a memory began with, the trail does not tell the message: it is the one that made no later change, or that
    # alone said it when an edit took it back.
    later = {id_ for event in trail[1:] for id_ in event.messages}
    edited = next((event.messages for event in trail[1:] if event.reason in TAKEN_BACK and event.messages), ())
    beginning = set(edited) or ({message} | (others - of_parts)) - later
    is_first = _is_gone(since, others) if since.messages else beginning == {message}
    times = _times(since)
    if is_first and since.reason != ENDED:
        times = times | {"valid_from": None} | ({} if times["closed"] else {"valid_to": None})
    told = [times]
    for former, event in pairwise(trail):
        before, after = _times(former), _times(event)
        if _is_gone(event, others):
            told.append(told[-1])
        else:
            names = {name for name in _TIMES if after[name] != before[name]}
            names |= {*TOLD.get(event.reason or "", ())} if event.messages else set()  # perhaps once more
            told.append(told[-1] | {name: after[name] for name in names})
    return told


def _says_other(event: Event) -> bool:
    """Whether a memory stands for another value since this change."""
    is_other = event.before is not None and event.after is not None and event.before.canonical != event.after.canonical
    return is_other and event.reason in OTHER_VALUE


def _times(event: Event) -> dict[str, Any]:
    return {name: getattr(event.after, name) for name in _TIMES}


def _go_on(tx: Tx, memory: StoredMemory, change: int) -> None:
    """Let other values go on that ended when they did only since a message told a date."""
    ids = [id_ for id_ in tx.audit.memories_of_change(memory.owner, change) if id_ != memory.id]
    for other in tx.memories.get_many(memory.owner, ids).values():
        trail = tx.audit.history(other.owner, other.id)
        event = next((event for event in trail if event.change == change), None)
        if event is None or event.before is None or event.reason != ENDED or event.after is None:
            continue
        if (other.valid_to, other.closed) != (event.after.valid_to, event.after.closed):  # it was changed since
            continue
        again = replaced(other, valid_to=event.before.valid_to, closed=event.before.closed)
        if (room := with_room(tx, again, event.before)) is not None and room != other:
            persist.put(tx, other, room, "updated", actor=event.actor, reason=ENDED, change=tx.next_id("change"))


def _follow_sources(tx: Tx, memory: StoredMemory) -> StoredMemory:
    """Let a memory that has lost a message be told where the others were read, as the word of who wrote those.

    Where not all of them are known, it stays as it is.
    """
    sources = tx.memories.sources_of(memory)
    authors: dict[Source, int] = {}
    readers: dict[Source, int] = {}
    for space in {space for space, _ in sources}:
        ids = [message for place, message in sources if place == space]
        authors |= {(space, id_): person for id_, (person, _) in tx.messages.authors(space, ids).items()}
        groups = tx.messages.audiences(space, ids)
        readers |= {(space, id_): groups.get(id_, 0) for id_ in ids}
    if not sources or len(authors) < len(sources) or memory.owner == memory.space:
        return memory
    last = max(sources, key=lambda source: source[1])
    names = {tx.owners.get(person).name for person in authors.values()}
    said_by = memory.said_by if memory.said_by in names else tx.owners.get(authors[last]).name
    told = replaced(memory, said_by=said_by, evidence=max(1, memory.evidence - 1))
    is_read_there = any(source[0] == memory.space and readers[source] in (0, memory.audience) for source in sources)
    if not (is_read_there or memory.space == EVERYWHERE or memory.archived):
        moved = replaced(told, space=last[0], audience=readers[last])
        rival = rival_of(tx, moved, but=(memory.id,))
        told = moved if rival is None else replaced(told, archived=True, merged_into=rival.id)
    told = as_told(tx, told)
    tx.memories.replace(memory, told, slot=persist.slot_of(told), words=index_words(told.searchable))
    return told
