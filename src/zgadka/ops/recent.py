"""The memories that changed last."""

from __future__ import annotations

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.ops.relations import is_shown
from zgadka.ops.scopes import communal_scope, own_scope, person_named
from zgadka.stores.tx import Tx


def recent_memories(tx: Tx, turn: Turn, limit: int) -> list[StoredMemory]:
    """The speaker's memories seen here and those of the space, newest first; of the speaker none who wants none.

    Relations only between people who are here and want to be remembered.
    """
    own, place = own_scope(tx, turn), communal_scope(tx, turn)
    speaker = person_named(tx, turn, turn.user_name)

    def is_told(memory: StoredMemory) -> bool:
        people = memory.people if memory.kind == "relation" else ()
        return all(is_shown(tx, place.owner, person, is_speaker=person == speaker) for person in people)

    kept = [memory for memory in tx.visible(place) if is_told(memory)]
    kept += [] if isinstance(own, NoAccess) else tx.visible(own)
    return sorted(kept, key=lambda memory: (memory.updated_at, memory.id), reverse=True)[:limit]
