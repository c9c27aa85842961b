"""What an operator sees: everything, without a turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from zgadka.model.memory import EVERYWHERE, Event, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused
from zgadka.ops.audit import take_back
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
    owners = {owner.id: owner for owner in tx.owners()}
    kept: list[Kept] = []
    for owner in owners.values():
        if platform not in (None, owner.platform):
            continue
        if user is not None and (owner.kind, owner.name) != ("person", user):
            continue
        for memory in tx.all_memories(owner.id):
            seen = None if memory.space == EVERYWHERE else owners[memory.space]
            if (archived or not memory.archived) and (space is None or (seen is not None and seen.name == space)):
                kept.append(Kept(owner, seen, memory))
    return kept


def trail(tx: Tx, memory_id: int) -> list[Event]:
    """The audit trail of any memory, oldest first; empty when it never was."""
    owner = tx.find_memory(memory_id)
    return [] if owner is None else tx.events(owner, memory_id)


def undo(tx: Tx, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of any memory."""
    owner = tx.find_memory(memory_id)
    return NotFound() if owner is None else take_back(tx, owner, memory_id, actor=OPERATOR)


def export(tx: Tx) -> Iterator[dict[str, Any]]:
    """Everything that is remembered as JSON objects: a head, then memories and the lines of their trails."""
    yield {"kind": "zgadka-export", "version": 1, "at": tx.now.isoformat()}
    owners = {owner.id: owner for owner in tx.owners()}
    for owner in owners.values():
        named = {"owner": {"kind": owner.kind, "platform": owner.platform, "id": owner.name}}
        for memory in tx.all_memories(owner.id):
            yield {"kind": "memory"} | named | _memory(memory, owners)
        for memory_id in tx.remembered(owner.id):
            for event in tx.events(owner.id, memory_id):
                yield {"kind": "event"} | named | _event(event, owners)


def _memory(memory: StoredMemory, owners: dict[int, Owner]) -> dict[str, Any]:
    fields = asdict(memory)
    for internal in ("owner", "canonical"):
        del fields[internal]
    fields["memory_kind"] = fields.pop("kind")
    fields["space"] = None if memory.space == EVERYWHERE else owners[memory.space].name
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in fields.items()}


def _event(event: Event, owners: dict[int, Owner]) -> dict[str, Any]:
    return {
        "memory": event.memory,
        "number": event.number,
        "at": event.at.isoformat(),
        "actor": event.actor,
        "action": event.action,
        "reason": event.reason,
        "before": None if event.before is None else _memory(event.before, owners),
    }
