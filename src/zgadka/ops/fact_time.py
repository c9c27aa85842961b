"""When facts held: what began with the end of another, and what was true when something was said."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.record import replaced
from zgadka.ops.persist import FOREVER, holds

ENDED = "ended"
"""The reason by which the audit trail tells that a value became past, since another took its place."""


def is_past(memory: StoredMemory, moment: datetime) -> bool:
    """Whether a memory had ended by that moment."""
    return memory.valid_to is not None and memory.valid_to <= moment


def with_start(fact: StoredMemory, line: Iterable[StoredMemory]) -> StoredMemory:
    """The fact with the beginning that it counts from: where none was said, the end of the one before it."""
    if fact.valid_from is not None:
        return fact
    end = (fact.valid_to or FOREVER, fact.id)  # of two that ended at once, the later one had no time at all
    ends = (row.valid_to for row in line if row.valid_to is not None and (row.valid_to, row.id) < end)
    return replaced(fact, valid_from=max(ends, default=None))


def there_at(rows: Collection[StoredMemory], moment: datetime) -> StoredMemory | None:
    """What held at a moment, of those of which one holds at a time."""
    return next((row for row in rows if holds(with_start(row, rows), moment)), None)


def is_told_later(fact: StoredMemory, moment: datetime) -> bool:
    """Whether all that tells that a fact held at a moment was said after it."""
    return (fact.said_at or fact.created_at) > moment and fact.valid_from is None


def until_told(memory: StoredMemory, later: StoredMemory) -> StoredMemory:
    """The memory as it is past: it held until something else was said to, at the latest."""
    return replaced(memory, valid_to=later.said_at or later.created_at, closed=1)
