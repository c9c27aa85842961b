"""What tests ask of a store beyond what the program does."""

from __future__ import annotations

from zgadka.stores.tx import Tx


def space_ids(tx: Tx) -> list[int]:
    """Every space and direct chat, in order of id."""
    return [owner.id for owner in tx.owners.list() if owner.kind != "person"]


def audited_ids(tx: Tx, owner: int) -> list[int]:
    """The ids of the memories that the owner's trail tells of."""
    return [memory for memory in range(1, tx.last_id("memory") + 1) if tx.audit.exists(owner, memory)]
