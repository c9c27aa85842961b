"""Remember a fact or a note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from zgadka.model.memory import EVERYWHERE, FactType, Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.scopes import writing_scope
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical


@dataclass(frozen=TYPE_CHECKING, unsafe_hash=True, kw_only=True)  # as `StoredMemory`
class New:
    """What is to be remembered, checked: type and key of a fact, None for a note."""

    content: str
    type: FactType | None = None
    key: str | None = None
    confidence: float = 1.0
    excerpt: str | None = None
    tags: tuple[str, ...] = ()
    permanent: bool = False
    valid_from: datetime | None = None
    valid_to: datetime | None = None


def remember(
    tx: Tx, turn: Turn, user_id: int, new: New
) -> Remembered | AlreadyKnown | Conflict | LimitReached | NoAccess:
    """Keep something new about a person.

    The same again counts as evidence; another value of a single-valued key is a conflict; what was forgotten comes
    back as a new version.
    """
    scope = writing_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    limit = tx.settings.max_notes if new.key is None else tx.settings.max_facts
    return remember_in(tx, turn, scope, new, limit=limit)


def remember_in(
    tx: Tx, turn: Turn, scope: Scope, new: New, *, limit: int
) -> Remembered | AlreadyKnown | Conflict | LimitReached:
    """Keep something new in a scope that may be changed, unless it has `limit` of the kind already."""
    memory = fresh(tx, turn, scope, new)
    slots = _slots(scope, memory)
    found = [known for slot in slots for known in tx.in_slot(scope.owner, slot)]
    for known in found:
        if not known.archived:
            return _repeated(tx, turn, known, memory)
    if (count := tx.live_count(scope.owner, scope.lineage, memory.kind)) >= limit:
        return LimitReached(count, limit)
    here = (known for known in found if (known.space, known.lineage) == (scope.space, scope.lineage))
    return _add(tx, turn, memory, here, slot=slots[0])


def known_in(tx: Tx, scope: Scope, memory: StoredMemory) -> list[StoredMemory]:
    """What has the slot that this memory would take, there or where it is seen from there; also what was forgotten."""
    return [known for slot in _slots(scope, memory) for known in tx.in_slot(scope.owner, slot)]


def _slots(scope: Scope, memory: StoredMemory) -> list[bytes]:
    """The memory's slot, and those that it would take where it is seen from there."""
    return keep.slots_of(memory, [(memory.space, memory.lineage), *_wider(scope)])


def add_fresh(tx: Tx, turn: Turn, memory: StoredMemory, change: int | None = None) -> Remembered:
    """Keep a fresh memory whose slot is free; what was forgotten comes back as a new version."""
    slot = keep.slot_of(memory)
    return _add(tx, turn, memory, tx.in_slot(memory.owner, slot), slot=slot, change=change)


def _add(
    tx: Tx,
    turn: Turn,
    memory: StoredMemory,
    forgotten: Iterable[StoredMemory],
    *,
    slot: bytes,
    change: int | None = None,
) -> Remembered:
    for known in forgotten:
        if known.canonical == memory.canonical:
            again = replace(memory, id=known.id, evidence=known.evidence + 1, created_at=known.created_at)
            return Remembered(keep.put(tx, known, again, "revived", actor=turn.user_name, change=change), revived=True)
    memory = memory.numbered(tx.next_id("memory"))
    keep.add(tx, memory, "created", actor=turn.user_name, change=change, slot=slot)
    return Remembered(memory)


def fresh(tx: Tx, turn: Turn, scope: Scope, new: New) -> StoredMemory:
    """The memory that this would become, without an id yet."""
    return StoredMemory(
        owner=scope.owner,
        id=0,
        kind="note" if new.key is None else "fact",
        space=scope.space,
        lineage=scope.lineage,
        type=new.type,
        key=new.key,
        content=new.content,
        canonical=canonical(new.content, new.key),
        confidence=new.confidence,
        evidence=1,
        excerpt=new.excerpt,
        tags=new.tags,
        permanent=new.permanent,
        archived=False,
        version=1,
        said_by=turn.user_name,
        created_at=tx.now,
        updated_at=tx.now,
        valid_from=new.valid_from,
        valid_to=new.valid_to,
    )


def _wider(scope: Scope) -> list[tuple[int, int]]:
    """Space and lineage under which the same person's memories are seen here as well: everywhere, by every persona."""
    if scope.communal:
        return []
    if not scope.lineage:
        return [(EVERYWHERE, 0)]
    return [(scope.space, 0), (EVERYWHERE, scope.lineage), (EVERYWHERE, 0)]


def _repeated(tx: Tx, turn: Turn, known: StoredMemory, said: StoredMemory) -> AlreadyKnown | Conflict:
    if known.canonical != said.canonical:
        return Conflict(known)
    stronger = replace(
        known,
        evidence=known.evidence + 1,
        confidence=max(known.confidence, said.confidence),
        tags=tuple(dict.fromkeys(known.tags + said.tags)),
        permanent=known.permanent or said.permanent,
        said_by=turn.user_name,
    )
    return AlreadyKnown(keep.put(tx, known, stronger, "confirmed", actor=turn.user_name))
