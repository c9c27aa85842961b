"""What a person opened to every space: open it, close it again, recall it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from zgadka.model.heading import Heading
from zgadka.model.memory import EVERYWHERE, StoredMemory
from zgadka.model.outcome import Conflict, NoAccess, NotFound, Recalled
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.recall import recall
from zgadka.ops.scopes import ensure_space, own_scope, person_named, reading_scope, speaker_scope
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
    tx.ensure_owner("person", turn.platform, turn.user_name)
    if everywhere and isinstance(own := own_scope(tx, turn), NoAccess):
        return own
    here = ensure_space(tx, turn)
    found = [_own(tx, turn, memory_id) for memory_id in dict.fromkeys(memory_ids)]
    memories = [memory for memory in found if memory is not None]
    if len(memories) < len(found):
        return NotFound()
    moved = {
        memory: replace(memory, space=EVERYWHERE if everywhere else here)
        for memory in memories
        if (memory.space == EVERYWHERE) is not everywhere
    }
    taken: set[bytes] = set()
    for memory in moved.values():
        if (holder := keep.holder(tx, memory) or _elsewhere(tx, memory)) is not None:
            return Conflict(holder)
        if (slot := keep.slot_of(memory)) in taken:
            return Conflict(memory)
        taken.add(slot)
    change = tx.next_id("change")
    why = "opened everywhere" if everywhere else "closed to this space"
    for before, memory in moved.items():
        keep.put(tx, before, memory, "updated", actor=turn.user_name, reason=why, change=change)
    now = [tx.memory(memory.owner, memory.id) for memory in memories]
    return Shared(tuple(memory for memory in now if memory is not None))


def _elsewhere(tx: Tx, memory: StoredMemory) -> StoredMemory | None:
    """Another value that some space has for the single-valued key of a fact that would be seen there too."""
    if memory.space != EVERYWHERE or memory.key is None or memory.valid_to is not None:
        return None
    if not is_single_valued(memory.key):
        return None
    for other in tx.all_memories(memory.owner):
        if (
            (other.type, other.key) == (memory.type, memory.key)
            and not other.archived
            and other.valid_to is None
            and other.id != memory.id
            and other.canonical != memory.canonical
            and (0 in (other.lineage, memory.lineage) or other.lineage == memory.lineage)
        ):
            return other
    return None


def recall_facts_everywhere(
    tx: Tx, turn: Turn, user_id: int, query: str | None, limit: int, types: Collection[str]
) -> Recalled | NoAccess:
    """The facts of a person that may be seen here; in their own direct chat, those of all spaces."""
    scope = reading_scope(tx, turn, user_id)
    if isinstance(scope, NoAccess):
        return scope
    is_own = turn.direct and scope.owner == person_named(tx, turn, turn.user_name)
    spaces = tx.spaces_of_memories(scope) if is_own else [scope.space]

    def fits(memory: Heading) -> bool:
        return not types or memory.type in types

    return recall(tx, [replace(scope, space=space) for space in spaces], query, limit, kinds=("fact",), fits=fits)


def _own(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    scope = speaker_scope(tx, turn)
    memory = tx.memory(scope.owner, memory_id)
    if memory is None or memory.archived or memory.lineage not in scope.lineages:
        return None
    return memory if turn.direct or scope.shows(memory) else None
