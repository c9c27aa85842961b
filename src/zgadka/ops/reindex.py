"""Make words, keys and forms of memories anew, when the program makes them in another way than the rows have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zgadka.model.memory import StoredMemory
from zgadka.ops.persist import slot_of
from zgadka.ops.same_value import as_now
from zgadka.stores.tx import Tx
from zgadka.stores.tx.memories import spare_slot
from zgadka.text.form_version import form_version
from zgadka.text.words import index_words


def is_outdated(tx: Tx, owner: int) -> bool:
    """Whether words and forms may stand in the owner's rows that another program made."""
    return tx.owners.form(owner) != form_version()


def renew(tx: Tx, owner: int) -> None:
    """Have the owner's rows be as this program makes them, before it looks for what is known or changes them."""
    if owner > 0 and is_outdated(tx, owner):
        reindex(tx, owner)


def reindex(tx: Tx, owner: int) -> int:
    """Make words, keys and forms of the owner's memories anew; returns how many memories had others.

    Of live facts that are one since, each is kept: one has the slot, the others have spare ones until it goes.
    """
    memories = tx.memories.list_all(owner)
    slots, words = tx.memories.slots(owner), tx.derived.row_words(owner)
    renewed = {memory.id: as_now(memory) for memory in memories}
    wanted = {memory.id: slot_of(renewed[memory.id]) for memory in memories}
    # Who has it keeps it; else who was stated last gets it.
    live = sorted(
        (memory for memory in memories if not memory.archived),
        key=lambda memory: (slots[memory.id] != wanted[memory.id], -memory.updated_at.timestamp(), memory.id),
    )
    holders: dict[bytes, int] = {}
    for memory in live:
        if holders.setdefault(wanted[memory.id], memory.id) != memory.id:
            wanted[memory.id] = spare_slot(memory.id)
    changed = [memory for memory in memories if wanted[memory.id] != slots[memory.id] or renewed[memory.id] != memory]
    tx.memories.renew(owner, _in_the_way(changed, wanted, slots))
    tx.memories.renew(owner, ((renewed[memory.id], wanted[memory.id]) for memory in changed))
    ids = {memory.id for memory in changed}
    for memory in renewed.values():
        anew = index_words(memory.searchable)
        if " ".join(anew) != words.get(memory.id):
            tx.memories.reword(memory, anew)
            ids.add(memory.id)
    tx.owners.put_form(owner, form_version())
    return len(ids)


def note_reindexed(tx: Tx) -> None:
    """Note that all rows are as this program makes them."""
    for owner in tx.owners.list():
        tx.owners.put_form(owner.id, form_version())


def _in_the_way(
    changed: Sequence[StoredMemory], wanted: Mapping[int, bytes], slots: Mapping[int, bytes]
) -> list[tuple[StoredMemory, bytes]]:
    """Those that have a slot which another is about to take, each with its spare one."""
    live = {memory.id: memory for memory in changed if not memory.archived}
    taken = {slots[id_]: id_ for id_ in live}
    others = {taken.get(wanted[id_], id_) for id_ in live if taken.get(wanted[id_], id_) != id_}
    return [(live[id_], spare_slot(id_)) for id_ in others]
