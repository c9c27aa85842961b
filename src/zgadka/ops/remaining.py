"""What is left of a memory that loses one of the messages that said it: as if that one had never been written."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise
from typing import Any

from zgadka.model.memory import EVERYWHERE, Event, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.access import as_told
from zgadka.ops.merges import rival_of
from zgadka.ops.sources import Source
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import DATED, ENDED, OTHER_VALUE, standing_changes
from zgadka.text.words import index_words

_TIMES = ("valid_from", "valid_to", "closed")


def lose(tx: Tx, memory: StoredMemory, source: Source, *, actor: str, reason: str) -> None:
    """Let a memory lose a message that others say too, and all that this one alone told of it.

    A date that only this one named goes. What was hidden until this one said it again is hidden again. It is told where
    the others were read, as the word of who wrote those. What its trail does not know of an older program stays.

    Args:
        reason: What the trail says of why it is hidden.
    """
    memory = undate(tx, memory, source)
    tx.memories.remove_source(memory, *source)
    memory = follow_sources(tx, memory)
    others = {id_ for _, id_ in tx.memories.sources_of(memory)}
    trail = tx.audit.history(memory.owner, memory.id)
    last = next(iter(reversed(standing_changes(trail))), None)
    if last is None or last.action != "revived" or last.before is None or not _is_gone(last, others):
        return
    if not any(others.intersection(event.messages) for event in trail if event.number > last.number):
        persist.put(tx, memory, last.before, "undone", actor=actor, reason=reason)


def undate(tx: Tx, memory: StoredMemory, source: Source) -> StoredMemory:
    """A memory without the dates that a message alone told of it, also in its trail; what they ended goes on."""
    if memory.kind != "fact" or (memory.valid_from is None and memory.valid_to is None):
        return memory
    others = [each for each in tx.memories.sources_of(memory) if each != source]
    if any(names_dates(tx.messages.get_text(*each), memory) for each in others):
        return memory
    return _undated(tx, memory, source[1], {id_ for _, id_ in others})


def names_dates(text: str | None, memory: StoredMemory) -> bool:
    """Whether a text names when a memory began or ended, whatever was kept of it."""
    moments = (memory.valid_from, memory.valid_to)
    return text is not None and any(moment is not None and str(moment.year) in text for moment in moments)


def _is_gone(event: Event, others: Set[int]) -> bool:
    """Whether it is known which messages made a change, and none of those that are left did."""
    return bool(event.messages) and others.isdisjoint(event.messages)


def _undated(tx: Tx, memory: StoredMemory, message: int, others: Set[int]) -> StoredMemory:
    trail = tx.audit.history(memory.owner, memory.id)
    told = _times_without(trail, message, others)
    if told is None:
        return memory
    remaining = replaced(memory, **told[-1])
    if remaining == memory or rival_of(tx, remaining, but=(memory.id,)) is not None:
        return memory
    for event, times in zip(trail[len(trail) - len(told) + 1 :], told[:-1], strict=True):
        if event.before is not None:
            state = replaced(event.before, **times, messages=event.messages)
            tx.audit.set_before(event.memory, event.number, state)
    tx.memories.replace(memory, remaining, slot=persist.slot_of(remaining), words=index_words(memory.searchable))
    for event in trail:
        if event.change is not None and _is_gone(event, others):
            _go_on(tx, memory, event.change)
    return remaining


def _times_without(trail: Sequence[Event], message: int, others: Set[int]) -> list[dict[str, Any]] | None:
    """The times that a value had after each change of its trail, as far as the messages that are left told them.

    None: that is not known.
    """
    values = [index for index, event in enumerate(trail) if _says_other(event)]
    trail = trail[values[-1] if values else 0 :]
    if not trail or any(event.after is None for event in trail):
        return None
    since = trail[0]
    # Of what a memory began with, the trail does not tell the message: it is the one that made no later change.
    later = {id_ for event in trail[1:] for id_ in event.messages}
    is_first = _is_gone(since, others) if since.messages else {message, *others} - later == {message}
    times = _times(since)
    if is_first and since.reason != ENDED:
        times = times | {"valid_from": None} | ({} if times["closed"] else {"valid_to": None})
    told = [times]
    for former, event in pairwise(trail):
        before, after = _times(former), _times(event)
        if _is_gone(event, others):
            told.append(told[-1])
        elif event.reason == DATED and event.messages:  # they told it as well
            told.append(after)
        else:
            told.append(told[-1] | {name: after[name] for name in _TIMES if after[name] != before[name]})
    return told


def _says_other(event: Event) -> bool:
    """Whether a memory stands for another value since this change."""
    is_other = event.before is not None and event.after is not None and event.before.canonical != event.after.canonical
    return is_other and event.reason in OTHER_VALUE


def _times(event: Event) -> dict[str, Any]:
    return {name: getattr(event.after, name) for name in _TIMES}


def _go_on(tx: Tx, memory: StoredMemory, change: int) -> None:
    """Let other values hold until then that ended before only since a message told a date."""
    ids = [id_ for id_ in tx.audit.memories_of_change(memory.owner, change) if id_ != memory.id]
    for other in tx.memories.get_many(memory.owner, ids).values():
        trail = tx.audit.history(other.owner, other.id)
        event = next((event for event in trail if event.change == change), None)
        if event is None or event.before is None or event.reason != ENDED or event.after is None:
            continue
        if (other.valid_to, other.closed) != (event.after.valid_to, event.after.closed):  # it was changed since
            continue
        again = replaced(other, valid_to=event.before.valid_to, closed=event.before.closed)
        if rival_of(tx, again, but=(other.id,)) is None:
            persist.put(tx, other, again, "updated", actor=event.actor, reason=ENDED, change=tx.next_id("change"))


def follow_sources(tx: Tx, memory: StoredMemory) -> StoredMemory:
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
