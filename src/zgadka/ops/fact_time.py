"""When facts held: what began with the end of another, and what was true when something was said."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops.persist import ALWAYS, FOREVER, holds
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED
from zgadka.text.keys import is_single_valued


def is_past(memory: StoredMemory, moment: datetime) -> bool:
    """Whether a memory had ended by that moment."""
    return memory.valid_to is not None and memory.valid_to <= moment


def past_ids(tx: Tx, memories: Iterable[StoredMemory]) -> set[int]:
    """The ids of those that have ended by now."""
    return {memory.id for memory in memories if is_past(memory, tx.now)}


def past_values(tx: Tx, scope: Scope, fact: StoredMemory) -> list[StoredMemory]:
    """What held before the fact, where only one value can: where somebody lived goes with where they live.

    Else the same value of another time.
    """
    if fact.key is None:
        return []
    is_of_all = is_single_valued(fact.key)
    rows = (row for row in tx.memories.list_with_key(scope, fact.key) if row.id != fact.id and is_past(row, tx.now))
    return [row for row in rows if is_of_all or row.canonical == fact.canonical]


def with_start(fact: StoredMemory, line: Iterable[StoredMemory]) -> StoredMemory:
    """The fact with the beginning that it counts from: where none was said, the end of the one before it."""
    if fact.valid_from is not None:
        return fact
    end = (fact.valid_to or FOREVER, fact.id)  # of two that ended at once, the later one had no time at all
    ends = (row.valid_to for row in line if row.valid_to is not None and (row.valid_to, row.id) < end)
    return replaced(fact, valid_from=max(ends, default=None))


def with_starts(tx: Tx, owner: int, facts: Sequence[StoredMemory]) -> Iterator[StoredMemory]:
    """The facts of an owner with the beginnings that they count from, in no order."""
    with_key = Counter(fact.key for fact in facts)
    undated = {fact.key for fact in facts if fact.valid_from is None}
    lines: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        # Only where one may count from the end of another must it be known whose it is, which may cost a query.
        may_follow = fact.key in undated and with_key[fact.key] > 1
        lines[_line(tx, fact) if may_follow else fact.id].append(fact)
    by_id = {fact.id: fact for fact in facts}
    # What was forgotten had ended all the same.
    missing = {fact.follows for fact in facts if fact.follows is not None and fact.valid_from is None} - by_id.keys()
    by_id |= tx.memories.get_many(owner, missing) if missing else {}
    for line in lines.values():
        for fact in line:
            predecessor = by_id.get(fact.follows or 0)
            if predecessor is None and fact.follows is not None and fact.valid_from is None:  # it is deleted
                yield replaced(fact, valid_from=fact.said_at)
            else:
                yield with_start(fact, line if predecessor is None or predecessor in line else [*line, predecessor])


def _line(tx: Tx, fact: StoredMemory) -> object:
    """What facts have in common of which each took the last one's place: a single-valued key, else the fact's id."""
    if is_single_valued(fact.key or ""):
        return fact.key
    if fact.said_at is not None:  # then `follows` tells it
        return fact.id
    left_by = ending_change(tx, fact)
    # What was changed is older than the past that it left.
    return fact.id if left_by is None else min(tx.audit.memories_of_change(fact.owner, left_by))


def ending_change(tx: Tx, fact: StoredMemory) -> int | None:
    """The number of the change that left the fact as past; None when it was told by itself."""
    if fact.valid_to is None:
        return None
    created = next(iter(tx.audit.history(fact.owner, fact.id)), None)
    return created.change if created is not None and created.reason == ENDED else None


def there_at(tx: Tx, rows: Sequence[StoredMemory], moment: datetime) -> StoredMemory | None:
    """What held at a moment, of an owner's facts of one key, the first of which is preferred."""
    held = {fact.id for fact in with_starts(tx, rows[0].owner, rows) if holds(fact, moment)} if rows else set[int]()
    return next((row for row in rows if row.id in held), None)


def told_at(fact: StoredMemory) -> datetime:
    """When a fact was said; of what an older program kept, when it was kept."""
    return fact.said_at or fact.created_at


def told_while_it_held(fact: StoredMemory) -> datetime | None:
    """When a fact was said, unless it was of a time that was over."""
    return told_at(fact) if told_at(fact) < (fact.valid_to or FOREVER) else None


def is_told_later(fact: StoredMemory, moment: datetime) -> bool:
    """Whether all that tells that a fact held at a moment was said after it, and while it held."""
    return fact.valid_from is None and (told_while_it_held(fact) or moment) > moment


def overlap(fact: StoredMemory, rival: StoredMemory) -> bool:
    """Whether there is a time at which both hold."""
    starts, ends = (fact.valid_from or ALWAYS, rival.valid_from or ALWAYS), (fact.valid_to, rival.valid_to)
    return max(starts) < min(end or FOREVER for end in ends)


def until_told(memory: StoredMemory, later: StoredMemory) -> StoredMemory:
    """The memory as it is past: it held until something else was said to, at the latest."""
    return replaced(memory, valid_to=told_at(later), closed=1)


def until_begun(memory: StoredMemory, later: StoredMemory) -> StoredMemory:
    """The same, until that began, where somebody said when."""
    return replaced(memory, valid_to=later.valid_from or told_at(later), closed=1)
