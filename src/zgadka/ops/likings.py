"""What somebody likes no longer: who says the opposite of the same thing later has changed their mind.

What was ended so holds again once its person has that opposite forgotten, as where its message is deleted: that they
liked it "until then" would tell what they do not want told. Where they lived before stays past when they have forgotten
where they live: that it ended is true, and tells nothing of what came then.
"""

from __future__ import annotations

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.record import replaced
from zgadka.ops import persist
from zgadka.ops.fact_time import told_at
from zgadka.ops.merges import rival_of
from zgadka.stores.tx import Tx

_OPPOSITE = {"like": "dislike", "dislike": "like"}


def is_liking(memory: StoredMemory) -> bool:
    """Whether it is something that is liked or disliked, of which the opposite may have been said."""
    return memory.kind == "fact" and memory.key in _OPPOSITE


def opposites(tx: Tx, scope: Scope, memory: StoredMemory) -> tuple[StoredMemory | None, StoredMemory | None]:
    """The opposite of a liking: what was said before it, for the same readers, and is past by now; what was said later.

    What was said later for more readers makes it past, too: it is told here as well.
    """
    if not is_liking(memory):
        return None, None
    rows = tx.memories.list_with_key(scope, _OPPOSITE[memory.key or ""])
    same = [row for row in rows if row.canonical == memory.canonical and persist.holds(row, tx.now)]
    place = (memory.space, memory.audience, memory.lineage)
    here = [row for row in same if (row.space, row.audience, row.lineage) == place and row.valid_to is None]
    former = next((row for row in here if told_at(row) <= told_at(memory)), None)
    return former, next((row for row in same if told_at(row) > told_at(memory)), None)


def as_past(tx: Tx, former: StoredMemory, memory: StoredMemory) -> StoredMemory | None:
    """A liking as it is past since the opposite of it was said; None: it cannot be kept so."""
    past = replaced(former, valid_to=told_at(memory), closed=1)
    return past if rival_of(tx, past, but=(former.id,)) is None else None
