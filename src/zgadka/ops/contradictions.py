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
    by_bearing: dict[Bearing, list[StoredMemory]] = {"contradiction": [], "same": []}
    for candidate in _saying(tx, scope, memory, read):
        if holds(candidate, tx.now) and (how := bears(memory, read, candidate)) is not None:
            by_bearing[how].append(candidate)
    return tuple((*by_bearing["contradiction"], *by_bearing["same"])[:MOST_KNOWN])


def _saying(tx: Tx, scope: Scope, memory: StoredMemory, read: Claim) -> list[StoredMemory]:
    """The newest facts and notes of the scope whose words may bear on a memory's."""
    topic, tokens = searched(read, memory.key)
    if not (topic or tokens):
        return []
    ids = glance(tx, scope, topic, tokens)
    if ids is None:
        rarest = max(topic, key=lambda word: max(map(len, word), default=0), default=frozenset[str]())
        return tx.memories.list_saying(scope, sorted(rarest | tokens), _LOOKED_AT, but=memory.id)
    newest = sorted(ids - {memory.id}, reverse=True)[:_LOOKED_AT]
    rows = tx.memories.get_many(scope.owner, newest)
    matches = [rows[id_] for id_ in newest if id_ in rows]
    return [row for row in matches if row.kind in ("fact", "note") and not row.archived and scope.shows(row)]


def read_claim(memory: StoredMemory) -> Claim:
    """What a fact or a note says, as far as it can be held against another."""
    return claim(memory.content, memory.key, memory.type)


def can_be_one(fact: StoredMemory, other_fact: StoredMemory) -> bool:
    """Whether two facts may become one: of one key, or the same in other words under keys that mean the same."""
    if fact.key == other_fact.key or (only_likes(fact.key or "") and only_likes(other_fact.key or "")):
        return True
    has_same_value = not parts(fact.content).isdisjoint(parts(other_fact.content))
    return means_the_same(fact, other_fact) and (
        has_same_value or bearing(read_claim(fact), read_claim(other_fact)) == "same"
    )


def bears(memory: StoredMemory, read: Claim, other_memory: StoredMemory) -> Bearing | None:
    """How one fact or note bears on another.

    Args:
        read: What `memory` says.
    """
    if memory.key is not None and memory.key == other_memory.key and is_single_valued(memory.key):
        return None  # where only one can stand, a conflict was told
    other_read = read_claim(other_memory)
    for note, fact in ((read, other_memory), (other_read, memory)):
        if note.says and fact.key is not None and (how := says_otherwise(note, fact.key, fact.content)) is not None:
            return how
    how = bearing(read, other_read)
    if how == "same" and memory.kind == other_memory.kind == "fact" and not means_the_same(memory, other_memory):
        return None
    return how


def contradictions(memories: Sequence[StoredMemory]) -> Iterator[tuple[StoredMemory, StoredMemory]]:
    """Those of the facts and notes of one person that contradict each other, as far as words tell."""
    reads = {memory.id: read_claim(memory) for memory in memories}
    by_aspect: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for memory in memories:
        read = reads[memory.id]
        aspects: list[object] = [subject_of(read)] if read.topic else []
        aspects += [("sense", sense) for sense in read.senses | read.breaks]
        aspects += [("key", key) for key, _ in read.says]
        aspects += [("key", memory.key)] if memory.key is not None and is_single_valued(memory.key) else []
        for aspect in aspects:
            by_aspect[aspect].append(memory)
    seen: set[tuple[int, int]] = set()
    for candidates in by_aspect.values():
        for a, b in combinations(candidates[:_LOOKED_AT], 2):
            if (a.id, b.id) not in seen and bears(a, reads[a.id], b) == "contradiction":
                seen.add((a.id, b.id))
                yield a, b


def excluded(relation: StoredMemory, relations: Iterable[StoredMemory]) -> tuple[StoredMemory, ...]:
    """Those relations that cannot hold beside this one."""
    return tuple(
        candidate
        for candidate in relations
        if candidate.id != relation.id
        and is_excluded(relation.type or "", relation.people, candidate.type or "", candidate.people)
    )[:MOST_KNOWN]
