"""Put right what is made from the rows: the index, tallies, links, vectors; and say what was wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace

from zgadka.model.memory import EVERYWHERE, Kind, Owner, StoredMemory
from zgadka.ops import persist
from zgadka.ops.reindex import is_outdated, reindex
from zgadka.stores.cache import What
from zgadka.stores.tx import Tx
from zgadka.stores.tx.derived_data import Link
from zgadka.stores.tx.memories import spare_slot
from zgadka.text.words import index_words


@dataclass(frozen=True, kw_only=True)
class Drift:
    """Where an owner's rows and what is made from them disagree.

    Attributes:
        words: The words that a memory's row should have, and has not.
        index: Under which words the index holds a memory, and under which it should; None: not at all.
        tallies: How many live memories there are, by persona lineage and kind, where the count says otherwise.
        links: Links to people and messages that are missing (True) or stay behind (False).
        slots: Memories that have not the place by which an equal one is found: what they say may be damaged.
        places: Memories that are, or by their trail were, seen in a space that is gone.
        strays: Vectors, and what waits for one, of texts that are gone or hidden.
    """

    words: Mapping[int, str] = field(default_factory=dict[int, str])
    index: Mapping[int, tuple[frozenset[str] | None, str | None]]
    tallies: Mapping[tuple[int, Kind], int]
    links: Mapping[tuple[Link, int, int], bool]
    slots: frozenset[int] = frozenset()
    places: frozenset[int] = frozenset()
    strays: frozenset[tuple[What, int]]

    @property
    def counts(self) -> dict[str, int]:
        """How much is wrong of what, where anything is."""
        named = {attribute.name: len(getattr(self, attribute.name)) for attribute in fields(self)}
        return {name: count for name, count in named.items() if count}


def owners_to_check(tx: Tx) -> list[int]:
    """Every owner, and those of whom the full-text index alone knows."""
    return sorted({owner.id for owner in tx.owners.list()} | set(tx.derived.indexed_owners()))


def find_drift(tx: Tx, owner: int, *, anew: bool = False) -> Drift:
    """Compare what is made from an owner's rows with the rows.

    Args:
        anew: Also take words for wrong that an older program made; they are made anew by themselves.
    """
    memories = tx.memories.list_all(owner)
    live = {memory.id for memory in memories if not memory.archived}
    stored_words = tx.derived.row_words(owner)
    words = {memory.id: " ".join(index_words(memory.searchable)) for memory in memories}
    slots = tx.memories.slots(owner)
    moved = {row.id for row in memories if slots.get(row.id) not in (persist.slot_of(row), spare_slot(row.id))}
    if not anew and is_outdated(tx, owner):
        words, moved = stored_words, set[int]()
    held = tx.derived.indexed_words(owner)
    index = {
        memory: (None if is_held is None else frozenset(is_held), words[memory] if memory in live else None)
        for memory in live | held.keys()
        if (is_held := held.get(memory)) != (set(words[memory].split(" ")) if memory in live else None)
    }
    counted: Counter[tuple[int, Kind]] = Counter(
        (memory.lineage, memory.kind) for memory in memories if not memory.archived
    )
    tallied = tx.derived.tallies(owner)
    tallies = {key: counted[key] for key in counted.keys() | tallied.keys() if counted[key] != tallied.get(key, 0)}
    needed: set[tuple[Link, int, int]] = set()
    for memory in memories:
        needed |= {("subject", person, memory.id) for person in memory.people}
        needed |= {("source", message, memory.id) for message in memory.messages}
    episodes = {memory.id for memory in memories if memory.kind == "episode"}
    # Of whom else an episode tells, the answers that it was made from said, which may be gone.
    linked = {
        link for link in tx.derived.links(owner) if link in needed or link[0] != "subject" or link[2] not in episodes
    }
    vectors, waiting = tx.derived.stray_vectors(owner)
    return Drift(
        words={memory: right for memory, right in words.items() if stored_words.get(memory) != right},
        index=index,
        tallies=tallies,
        links={link: link in needed for link in needed ^ linked},
        slots=frozenset(moved),
        places=frozenset(_in_gone_places(tx, owner, memories)),
        strays=frozenset(vectors) | frozenset(waiting),
    )


def _in_gone_places(tx: Tx, owner: int, memories: Sequence[StoredMemory]) -> set[int]:
    places = {(memory.id, memory.space) for memory in memories}.union(tx.audit.places(owner))
    spaces = {space for _, space in places}
    gone = {space for space in spaces if space != EVERYWHERE and not tx.owners.exists(space)}
    return {memory for memory, space in places if space in gone}


def _leave_gone_place(tx: Tx, owner: Owner, memory_id: int) -> None:
    """Let the trail say nothing of a space that is gone; what was seen there alone is told its person alone."""
    tx.audit.delete_texts(owner.id, memory_id)
    memory = tx.memories.get(owner.id, memory_id)
    if memory is None or memory.space == EVERYWHERE or tx.owners.exists(memory.space) or owner.kind != "person":
        return
    moved = replace(memory, space=tx.owners.ensure("direct", owner.platform, owner.name), chat=None, audience=0)
    if not moved.archived and persist.holder(tx, moved) is not None:
        moved = replace(moved, archived=True)
    tx.memories.replace(memory, moved, slot=persist.slot_of(moved), words=index_words(moved.searchable))


def repair(tx: Tx, owner: int) -> dict[str, int]:
    """Make all that is made from an owner's rows agree with them; returns how much was wrong of what.

    What has no vector waits for one again, blocks of messages are made anew in the background, and no process keeps an
    index in memory that it built before.
    """
    drift = find_drift(tx, owner, anew=True)
    for memory, words in drift.words.items():
        tx.derived.put_row_words(owner, memory, words)
    for memory, (wrong_words, right_words) in drift.index.items():
        tx.derived.put_index(owner, memory, wrong_words, None if right_words is None else right_words.split(" "))
    for memory in drift.places:
        _leave_gone_place(tx, tx.owners.get(owner), memory)
    if drift.slots:
        reindex(tx, owner)
    for (lineage, kind), live in drift.tallies.items():
        tx.derived.put_tally(owner, lineage, kind, live)
    for link, stays in drift.links.items():
        tx.derived.put_link(owner, link, stays=stays)
    for row_kind, id_ in drift.strays:
        tx.vectors.delete(owner, row_kind, id_)
    for row_kind, id_ in tx.derived.missing_vectors(owner):
        tx.vectors.enqueue(owner, row_kind, id_)
    if tx.owners.exists(owner):
        tx.blocks.make_anew(owner)
        tx.derived.renew_revisions(owner)
    return drift.counts
