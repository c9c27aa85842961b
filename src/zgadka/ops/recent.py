"""The memories that changed last."""

from __future__ import annotations

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops.scopes import communal_scope, own_scope
from zgadka.stores.tx import Tx


def recent_memories(tx: Tx, turn: Turn, limit: int) -> list[StoredMemory]:
    """The speaker's memories seen here and those of the space, newest first; of the speaker none who wants none."""
    own = own_scope(tx, turn)
    scopes = [communal_scope(tx, turn), *([] if isinstance(own, NoAccess) else [own])]
    kept = [memory for scope in scopes for memory in tx.visible(scope)]
    return sorted(kept, key=lambda memory: (memory.updated_at, memory.id), reverse=True)[:limit]
