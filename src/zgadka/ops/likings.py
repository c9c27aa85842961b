"""What somebody likes no longer: who says the opposite of the same thing later has changed their mind."""

from __future__ import annotations

from zgadka.model.memory import StoredMemory
from zgadka.model.record import replaced
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import NoAccess, writing_scope
from zgadka.ops.fact_time import told_at
from zgadka.ops.merges import rival_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import ENDED

_OPPOSITE = {"like": "dislike", "dislike": "like"}


def end_opposite(tx: Tx, turn: Turn, memory: StoredMemory) -> StoredMemory:
    """Let what the speaker said before of a thing that they like or dislike by now be past; returns the memory.

    "I don't like tea any more" ends `like: tea`, which is told with its end; without that message it holds again.
    """
    scope = writing_scope(tx, turn, turn.user_number)
    if memory.key not in _OPPOSITE or isinstance(scope, NoAccess):
        return memory
    for former in tx.memories.list_with_key(scope, _OPPOSITE[memory.key]):
        is_here = (former.space, former.audience, former.lineage) == (memory.space, memory.audience, memory.lineage)
        is_same = is_here and former.canonical == memory.canonical and persist.holds(former, tx.now)
        if not is_same or former.valid_to is not None or told_at(former) > told_at(memory):
            continue
        past = replaced(former, valid_to=told_at(memory), closed=1)
        if rival_of(tx, past, but=(former.id,)) is None:
            change = tx.next_id("change")
            persist.put(tx, former, past, "updated", actor=turn.user_key, reason=ENDED, change=change)
            return persist.follow(tx, memory, past)
    return memory
