"""List memories: all of the speaker's own, or what changed last."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.timestamps import micros
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, find_space, newest_first, own_scope, speaker_of, told_scopes
from zgadka.ops.relationships import is_shown
from zgadka.search.memory_index_cache import all_headings
from zgadka.stores.tx import Tx


def own_memories(tx: Tx, turn: Turn) -> list[StoredMemory] | NoAccess:
    """The speaker's memories that are seen here, newest first; in their direct chat, those of every space."""
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    spaces = tx.memories.spaces_of(scope) if turn.direct else [scope.space]
    seen = {
        memory.id: memory
        for space in spaces
        for memory in tx.memories.list_visible(
            replace(scope, space=space, audiences=None if turn.direct else scope.audiences)
        )
    }
    if turn.direct:  # what belongs to their direct chat belongs to nobody else
        seen |= {memory.id: memory for memory in tx.memories.list_visible(communal_scope(tx, turn))}
    return newest_first(seen.values())


def kept_since(tx: Tx, turn: Turn, moment: datetime) -> list[StoredMemory]:
    """What was remembered about the speaker here, or confirmed or changed, after the moment, newest first."""
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return []
    since = micros(moment)
    ids = [heading.id for heading in all_headings(tx, scope).values() if heading.updated > since]
    return newest_first(tx.memories.get_many(scope.owner, ids).values())


def recent_memories(tx: Tx, turn: Turn, limit: int) -> list[StoredMemory]:
    """The speaker's memories seen here and those of the space, newest first; of the speaker none who wants none.

    Relations only between people who are here and want to be remembered.
    """
    own, communal = told_scopes(tx, turn)
    space, speaker = find_space(tx, turn), speaker_of(tx, turn)

    def is_told(memory: StoredMemory) -> bool:
        people = memory.people if memory.kind == "relation" else ()
        return all(is_shown(tx, space, person, is_speaker=person == speaker) for person in people)

    visible = [] if communal is None else [row for row in tx.memories.list_visible(communal) if is_told(row)]
    visible += [] if own is None else tx.memories.list_visible(own)
    return newest_first(visible)[:limit]
