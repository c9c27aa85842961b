"""What a person sees of their own memories."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops.scopes import own_scope
from zgadka.stores.tx import Tx


def own_memories(tx: Tx, turn: Turn) -> list[StoredMemory] | NoAccess:
    """The speaker's memories that are seen here, newest first; in their direct chat, those of every space."""
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    spaces = tx.spaces_of_memories(scope) if turn.direct else [scope.space]
    seen = {memory.id: memory for space in spaces for memory in tx.visible(replace(scope, space=space))}
    return sorted(seen.values(), key=lambda memory: (memory.updated_at, memory.id), reverse=True)


def kept_since(tx: Tx, turn: Turn, moment: datetime) -> bool:
    """Whether something was remembered about the speaker, or confirmed or changed, after the moment."""
    known = own_memories(tx, turn)
    return not isinstance(known, NoAccess) and any(memory.updated_at > moment for memory in known)
