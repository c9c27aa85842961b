"""What was merged stays merged: facts that another one stands for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.same_value import is_same
from zgadka.stores.tx import Tx

APART, MERGED_INTO = "no longer merged", "merged into "


def whole_of(
    tx: Tx, scope: Scope, rows: Iterable[StoredMemory], said_at: datetime | None, *, but: Collection[int] = ()
) -> StoredMemory | None:
    """The fact of the scope that stands for one of these, through however many merges.

    Args:
        said_at: When such a one was said again: the whole holds now, or did then.
        but: The ids of wholes that are not meant.
    """
    wholes = (_stands_for(tx, row, said_at or tx.now) for row in rows if row.merged_into is not None)
    return next((whole for whole in wholes if whole is not None and whole.id not in but and scope.shows(whole)), None)


def whole_said_by(tx: Tx, scope: Scope, memory: StoredMemory, rows: Iterable[StoredMemory]) -> StoredMemory | None:
    """The fact that stands for what this one, which is not kept, says; `rows` are in its slots."""
    return whole_of(tx, scope, (row for row in rows if is_same(row, memory)), memory.said_at)


def told_beside(tx: Tx, scope: Scope, memory: StoredMemory, rows: Iterable[StoredMemory]) -> StoredMemory | None:
    """What is told already of what a memory says, or would take the place of: one of its rows, or the whole of one."""
    rows = list(rows)
    told = next((row for row in rows if not row.archived), None)
    return whole_said_by(tx, scope, memory, rows) if told is None else told


def rival_of(tx: Tx, memory: StoredMemory, *, but: Collection[int] = ()) -> StoredMemory | None:
    """What a memory cannot be told beside, in its own place: what has its slot, or stands for what it says.

    Args:
        but: The ids of what makes way for it, or changes with it.
    """
    rows, but = persist.in_slots(tx, memory), {memory.id, *but}
    if (holder := next((row for row in rows if not row.archived and row.id not in but), None)) is not None:
        return holder
    place = Scope(memory.owner, memory.space, memory.lineage, audiences=(memory.audience,))
    last_moment = tx.now if memory.valid_to is None else min(tx.now, memory.valid_to - timedelta.resolution)
    return whole_of(tx, place, (row for row in rows if is_same(row, memory)), last_moment, but=but)


def whole_above(tx: Tx, part: StoredMemory) -> StoredMemory | None:
    """What a part was merged into at last, hidden or not; None: that is deleted."""
    passed: set[int] = set()
    row: StoredMemory | None = part
    while row is not None and row.archived and row.merged_into is not None and row.id not in passed:
        passed.add(row.id)
        row = tx.memories.get(row.owner, row.merged_into)
    return row


def _stands_for(tx: Tx, part: StoredMemory, said_at: datetime) -> StoredMemory | None:
    whole = whole_above(tx, part)
    if whole is None or whole.archived:
        return None
    return whole if persist.holds(whole, tx.now) or persist.holds(whole, said_at) else None


def parts_of(tx: Tx, *wholes: StoredMemory) -> list[StoredMemory]:
    """The hidden facts that these stand for, also through other merges."""
    parts: dict[int, StoredMemory] = {}
    waiting = list(wholes)
    while waiting:
        whole = waiting.pop()
        new_parts = [part for part in tx.memories.list_parts(whole.owner, whole.id) if part.id not in parts]
        parts |= {part.id: part for part in new_parts}
        waiting += new_parts
    return list(parts.values())


def hide_parts(
    tx: Tx, main: StoredMemory, doubles: Sequence[StoredMemory], canonical: str, *, actor: str, change: int
) -> None:
    """Hide the facts that `main` stands for from now on, and keep as one of them what it said itself."""
    reason = f"{MERGED_INTO}{main.id}"
    for fact in doubles:
        hidden = replaced(fact, archived=True, merged_into=main.id)
        persist.put(tx, fact, hidden, "merged", actor=actor, reason=reason, change=change)
    if main.canonical != canonical:
        part = replaced(main, archived=True, merged_into=main.id, version=1).numbered(tx.next_id("memory"))
        for earlier in tx.memories.list_parts(main.owner, main.id):  # which that stood for, and not what it becomes
            if earlier.id not in {fact.id for fact in doubles}:
                inner = replaced(earlier, merged_into=part.id)
                persist.put(tx, earlier, inner, "merged", is_told=False, actor=actor, reason=reason, change=change)
        sources = tx.memories.sources_of(main)
        persist.add(tx, part, "created", sources=sources, is_told=False, actor=actor, reason=reason, change=change)


def move_parts(tx: Tx, whole: StoredMemory, *, actor: str, reason: str, change: int) -> None:
    """Let what was merged into a fact be known where that is seen now."""
    for part in parts_of(tx, whole):
        moved = replaced(part, space=whole.space, audience=whole.audience)
        persist.put(tx, part, moved, "merged", is_told=False, actor=actor, reason=reason, change=change)


def release(
    tx: Tx, parts: Iterable[StoredMemory], past: StoredMemory | None, *, actor: str, change: int | None
) -> None:
    """Let what was merged into a fact that says something else now be part of what is kept as its past, if anything."""
    into = None if past is None else past.id
    reason = APART if past is None else f"{MERGED_INTO}{past.id}"
    for part in parts:
        released = replaced(part, merged_into=into)
        persist.put(tx, part, released, "merged", is_told=False, actor=actor, reason=reason, change=change)
