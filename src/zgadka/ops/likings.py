"""What somebody likes no longer: who says the opposite of the same thing later has changed their mind."""

from __future__ import annotations

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.fact_time import told_at
from zgadka.ops.merges import rival_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED

_OPPOSITE = {"like": "dislike", "dislike": "like"}


def opposite_of(tx: Tx, scope: Scope, memory: StoredMemory) -> tuple[StoredMemory, StoredMemory] | None:
    """What was said before of a thing that is liked or disliked by now, as it is and as it is past; None: nothing."""
    for former in tx.memories.list_with_key(scope, _OPPOSITE[memory.key]) if memory.key in _OPPOSITE else ():
        is_here = (former.space, former.audience, former.lineage) == (memory.space, memory.audience, memory.lineage)
        is_same = is_here and former.canonical == memory.canonical and persist.holds(former, tx.now)
        if is_same and former.valid_to is None and told_at(former) <= told_at(memory):
            past = replaced(former, valid_to=told_at(memory), closed=1)
            return (former, past) if rival_of(tx, past, but=(former.id,)) is None else None
    return None


def said_later(tx: Tx, scope: Scope, memory: StoredMemory) -> StoredMemory | None:
    """The opposite of it that was said later and holds: then it is past itself."""
    rows = tx.memories.list_with_key(scope, _OPPOSITE[memory.key]) if memory.key in _OPPOSITE else []
    same = (row for row in rows if row.canonical == memory.canonical and persist.holds(row, tx.now))
    return next((row for row in same if told_at(row) > told_at(memory)), None)


def end(tx: Tx, former: StoredMemory, past: StoredMemory, *, actor: str, change: int) -> None:
    """Let it be past."""
    persist.put(tx, former, past, "updated", actor=actor, reason=ENDED, change=change)
