"""What is known already that a new memory contradicts, or says again elsewhere: told, and nothing is changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from zgadka.model.memory import Scope, StoredMemory
from zgadka.ops.persist import holds
from zgadka.search.memory_index_cache import glance
from zgadka.stores.tx import Tx
from zgadka.text.contradictions import (
    Bearing,
    Claim,
    bearing,
    claim,
    is_excluded,
    only_likes,
    says_otherwise,
    searched,
    subject_of,
)
from zgadka.text.keys import is_single_valued
from zgadka.text.same_fact import means_the_same
from zgadka.text.typo_similarity import parts

_LOOKED_AT = 20
"""So many of the newest memories that may bear on one are read."""
MOST_KNOWN = 3


def also_known(tx: Tx, scope: Scope, memory: StoredMemory) -> tuple[StoredMemory, ...]:
    """What the scope holds that a memory contradicts, then what says the same elsewhere; the newest first.

    By their words alone, and only what is likely: it is asked at each write.
    """
    if not holds(memory, tx.now):
        return ()
    read = read_claim(memory)
    found: dict[Bearing, list[StoredMemory]] = {"contradiction": [], "same": []}
    for other in _saying(tx, scope, memory, read):
        if holds(other, tx.now) and (how := bears(memory, read, other)) is not None:
            found[how].append(other)
    return tuple((*found["contradiction"], *found["same"])[:MOST_KNOWN])


def _saying(tx: Tx, scope: Scope, memory: StoredMemory, read: Claim) -> list[StoredMemory]:
    """The newest facts and notes of the scope whose words may bear on a memory's."""
    topic, others = searched(read, memory.key)
    if not (topic or others):
        return []
    ids = glance(tx, scope, topic, others)
    if ids is None:
        rarest = max(topic, key=lambda word: max(map(len, word), default=0), default=frozenset[str]())
        return tx.memories.list_saying(scope, sorted(rarest | others), _LOOKED_AT, but=memory.id)
    newest = sorted(ids - {memory.id}, reverse=True)[:_LOOKED_AT]
    rows = tx.memories.get_many(scope.owner, newest)
    found = [rows[id_] for id_ in newest if id_ in rows]
    return [row for row in found if row.kind in ("fact", "note") and not row.archived and scope.shows(row)]


def read_claim(memory: StoredMemory) -> Claim:
    """What a fact or a note says, as far as it can be held against another."""
    return claim(memory.content, memory.key, memory.type)


def can_be_one(fact: StoredMemory, other: StoredMemory) -> bool:
    """Whether two facts may become one: of one key, or the same in other words under keys that mean the same."""
    if fact.key == other.key or (only_likes(fact.key or "") and only_likes(other.key or "")):
        return True
    has_same_value = not parts(fact.content).isdisjoint(parts(other.content))
    return means_the_same(fact, other) and (has_same_value or bearing(read_claim(fact), read_claim(other)) == "same")


def bears(memory: StoredMemory, read: Claim, other: StoredMemory) -> Bearing | None:
    """How one fact or note bears on another.

    Args:
        read: What `memory` says.
    """
    if memory.key is not None and memory.key == other.key and is_single_valued(memory.key):
        return None  # where only one can stand, a conflict was told
    other_read = read_claim(other)
    for note, fact in ((read, other), (other_read, memory)):
        if note.says and fact.key is not None and (how := says_otherwise(note, fact.key, fact.content)) is not None:
            return how
    how = bearing(read, other_read)
    if how == "same" and memory.kind == other.kind == "fact" and not means_the_same(memory, other):
        return None
    return how


def contradictions(memories: Sequence[StoredMemory]) -> Iterator[tuple[StoredMemory, StoredMemory]]:
    """Those of the facts and notes of one person that contradict each other, as far as words tell."""
    reads = {memory.id: read_claim(memory) for memory in memories}
    meeting: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for memory in memories:
        read = reads[memory.id]
        places: list[object] = [subject_of(read)] if read.topic else []
        places += [("sense", sense) for sense in read.senses | read.breaks]
        places += [("key", key) for key, _ in read.says]
        places += [("key", memory.key)] if memory.key is not None and is_single_valued(memory.key) else []
        for place in places:
            meeting[place].append(memory)
    seen: set[tuple[int, int]] = set()
    for met in meeting.values():
        for first, second in combinations(met[:_LOOKED_AT], 2):
            if (first.id, second.id) not in seen and bears(first, reads[first.id], second) == "contradiction":
                seen.add((first.id, second.id))
                yield first, second


def excluded(relation: StoredMemory, known: Iterable[StoredMemory]) -> tuple[StoredMemory, ...]:
    """Those relations that cannot hold beside this one."""
    return tuple(
        other
        for other in known
        if other.id != relation.id and is_excluded(relation.type or "", relation.people, other.type or "", other.people)
    )[:MOST_KNOWN]
