"""What an operator sees: everything, without a turn."""

from __future__ import annotations

from dataclasses import dataclass

from zgadka.model.memory import EVERYWHERE, Event, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.ops.audit import take_back
from zgadka.ops.origins import Origin, origin_of, sources_told
from zgadka.ops.relation_names import with_names, with_names_in_trail
from zgadka.stores.tx import Tx

OPERATOR = "operator"
"""The actor of what an operator does."""


@dataclass(frozen=True)
class Kept:
    """A memory with its owner and the space where it may be seen; `space` None: everywhere."""

    owner: Owner
    space: Owner | None
    memory: StoredMemory


def inventory(tx: Tx, *, platform: str | None, user: str | None, space: str | None, archived: bool) -> list[Kept]:
    """All memories, owner by owner; each filter that is None lets everything through."""
    owners = {owner.id: owner for owner in tx.owners.list()}
    listed: list[Kept] = []
    for owner in owners.values():
        if platform not in (None, owner.platform):
            continue
        if user is not None and (owner.kind, owner.name) != ("person", user):
            continue
        for memory in with_names(tx, tx.memories.list_all(owner.id)):
            seen = None if memory.space == EVERYWHERE else owners[memory.space]
            is_live = not (memory.archived or memory.withheld)
            if (archived or is_live) and (space is None or (seen is not None and seen.name == space)):
                listed.append(Kept(owner, seen, memory))
    return listed


def trail(tx: Tx, memory_id: int) -> list[Event]:
    """The audit trail of any memory, oldest first; empty when it never was."""
    owner = tx.memories.find_owner(memory_id)
    return [] if owner is None else with_names_in_trail(tx, tx.audit.history(owner, memory_id))


def origin_of_any(tx: Tx, memory_id: int) -> Origin | None:
    """Where any live memory comes from; None when there is none."""
    owner = tx.memories.find_owner(memory_id)
    memory = None if owner is None else tx.memories.get(owner, memory_id)
    if memory is None or memory.archived or memory.withheld:
        return None
    return origin_of(tx, memory, tx.audit.history(memory.owner, memory_id), sources_told(tx, None, memory))


def undo(tx: Tx, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of any memory."""
    owner = tx.memories.find_owner(memory_id)
    return NotFound() if owner is None else take_back(tx, owner, memory_id, actor=OPERATOR)
