"""What a person opened to every space: open it, close it again, recall it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.model.memory import EVERYWHERE, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import Conflict, NoAccess, NotFound, Recalled
from zgadka.model.turn import Turn
from zgadka.ops import merges, persist
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    is_seen,
    own_scope,
    reading_scope,
    speaker_of,
    speaker_scope,
)
from zgadka.ops.recall import recall
from zgadka.ops.reindex import renew
from zgadka.ops.withhold import answers_telling, withhold_answers
from zgadka.stores.tx import Tx
from zgadka.text.keys import is_single_valued


@dataclass(frozen=True)
class Shared:
    """Where the memories may be seen from now on; `undo` of one takes back all."""

    memories: tuple[StoredMemory, ...]


def open_memory_to(
    tx: Tx, turn: Turn, memory_ids: Sequence[int], everywhere: bool
) -> Shared | NotFound | Conflict | NoAccess:
    """Let the speaker's memories be seen everywhere, or only here again; all of them or none.

    The person's own act, never a model's.

    Args:
        memory_ids: Ids of the speaker's own memories that are seen here; in their direct chat, of any.
        everywhere: False: what was open is seen in this space only from now on; what was not stays where it is.
    """
    renew(tx, ensure_speaker(tx, turn))
    if (everywhere or not turn.direct) and isinstance(own := own_scope(tx, turn), NoAccess):
        return own
    space = ensure_space(tx, turn)
    audience = communal_scope(tx, turn).audience
    selected = [_own(tx, turn, memory_id) for memory_id in dict.fromkeys(memory_ids)]
    memories = [memory for memory in selected if memory is not None]
    if len(memories) < len(selected):
        return NotFound()
    moved = {
        memory: replace(memory, space=EVERYWHERE if everywhere else space, audience=0 if everywhere else audience)
        for memory in memories
        if (memory.space == EVERYWHERE) is not everywhere
    }
    slots: set[bytes] = set()
    for memory in moved.values():
        if (rival := merges.rival_of(tx, memory) or _value_elsewhere(tx, memory)) is not None:
            return Conflict(rival)
        if (slot := persist.slot_of(memory)) in slots:
            return Conflict(memory)
        slots.add(slot)
    change = tx.next_id("change")
    why = "opened everywhere" if everywhere else "closed to this space"
    for prior, memory in moved.items():
        persist.put(tx, prior, memory, "updated", actor=turn.user_key, reason=why, change=change)
        merges.move_parts(tx, memory, actor=turn.user_key, reason=why, change=change)
    if not everywhere:
        _withhold_elsewhere(tx, moved, change)
    current = [tx.memories.get(memory.owner, memory.id) for memory in memories]
    return Shared(tuple(memory for memory in current if memory is not None))


def _withhold_elsewhere(tx: Tx, closed: Mapping[StoredMemory, StoredMemory], change: int) -> None:
    """Have answers told nobody that told memories where they are seen no longer, and were not said."""
    for prior, memory in closed.items():
        platform = tx.owners.get(memory.owner).platform
        here = {memory.space, *(space for space, _ in tx.memories.sources_of(memory))}
        spaces = {*tx.members.spaces_of(platform, memory.owner)} - here
        withhold_answers(tx, memory.owner, {space: answers_telling(tx, space, prior) for space in spaces}, change)


def _value_elsewhere(tx: Tx, memory: StoredMemory) -> StoredMemory | None:
    """Another value that some space has for the single-valued key of a fact that would be seen there too."""
    if memory.space != EVERYWHERE or memory.valid_to is not None or not is_single_valued(memory.key or ""):
        return None
    for rival in tx.memories.list_all(memory.owner):
        if (
            rival.key == memory.key
            and not (rival.archived or rival.withheld)
            and rival.valid_to is None
            and rival.id != memory.id
            and rival.canonical != memory.canonical
            and (0 in (rival.lineage, memory.lineage) or rival.lineage == memory.lineage)
        ):
            return rival
    return None


def recall_facts_everywhere(
    tx: Tx, turn: Turn, user_id: int, query: str | None, limit: int, types: Collection[str], after: int | None = None
) -> Recalled | NoAccess:
    """The facts of a person that may be seen here; in their own direct chat, those of all spaces."""
    scope = reading_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    is_own = turn.direct and scope.owner == speaker_of(tx, turn)
    spaces = tx.memories.spaces_of(scope) if is_own else [scope.space]

    def fits(memory: Heading) -> bool:
        return not types or memory.type in types

    return recall(
        tx,
        [replace(scope, space=space, audiences=None if is_own else scope.audiences) for space in spaces],
        query,
        limit,
        kinds=("fact",),
        fits=fits,
        after=after,
    )


def _own(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    scope = speaker_scope(tx, turn)
    memory = tx.memories.get(scope.owner, memory_id)
    if memory is None or memory.archived or memory.withheld:
        return None
    return memory if is_seen(turn, scope, memory) else None
