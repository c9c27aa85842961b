"""What is known already that a new memory contradicts, or says again elsewhere: told, and nothing is changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from zgadka.breathing import breathing
from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import communal_scope, is_shown, speaker_of
from zgadka.ops.persist import holds
from zgadka.search.memory_index_cache import candidates, glance
from zgadka.stores.tx import Tx
from zgadka.text.contradictions import (
    Bearing,
    Claim,
    bearing,
    claim,
    is_excluded,
    only_likes,
    relation_claim,
    relations_against,
    says_otherwise,
    searched,
    subject_of,
)
from zgadka.text.keys import is_single_valued
from zgadka.text.mere_mentions import is_of_another
from zgadka.text.same_fact import means_the_same
from zgadka.text.typo_similarity import parts
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.words import index_words, split_words

_LONGEST_NOTE = 12
"""Words of a note that may say one fact and little else."""
_LOOKED_AT = 20
"""So many of the newest memories that may bear on one are read."""
MOST_KNOWN = 3


def also_known(tx: Tx, turn: Turn, scope: Scope, memory: StoredMemory) -> tuple[StoredMemory, ...]:
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
    excluded_relations = _relations_against(tx, turn, scope, read)
    return tuple((*by_bearing["contradiction"], *excluded_relations, *by_bearing["same"])[:MOST_KNOWN])


def _relations_against(tx: Tx, turn: Turn, scope: Scope, read: Claim) -> list[StoredMemory]:
    """The relations, told here, of whom the scope is about that what is said of them contradicts."""
    words = relations_against(read)
    if not words or scope.communal or turn.direct:
        return []
    space, speaker = communal_scope(tx, turn), speaker_of(tx, turn)
    return [
        row
        for row in _holding(tx, space, {token for word in words for token in index_words(word)})
        if row.kind == "relation" and row.type in words and scope.owner in row.people
        and all(is_shown(tx, space.owner, person, is_speaker=person == speaker) for person in row.people)
    ]  # fmt: skip


def said_against(tx: Tx, scopes: Iterable[Scope], relation: StoredMemory) -> tuple[StoredMemory, ...]:
    """What is said of a relation's people, each in their scope, that it contradicts."""
    read = relation_claim(relation.type or "")
    _, tokens = searched(read, None)
    return tuple(
        row
        for scope in scopes
        for row in (_holding(tx, scope, tokens) if tokens else ())
        if row.kind in ("fact", "note") and holds(row, tx.now) and bearing(read, read_claim(row)) == "contradiction"
    )


def _holding(tx: Tx, scope: Scope, tokens: Iterable[str]) -> list[StoredMemory]:
    """The newest memories of the scope with any of these words; another owner's are only looked at, not kept."""
    wanted = sorted(tokens)
    _, documents = candidates(tx, scope, wanted)
    ids = {id_ for token in wanted for id_ in documents.holders.get(token, ())}
    rows = tx.memories.get_many(scope.owner, sorted(ids, reverse=True)[:_LOOKED_AT])
    return [row for row in rows.values() if not row.archived and scope.shows(row)]


def _saying(tx: Tx, scope: Scope, memory: StoredMemory, read: Claim) -> list[StoredMemory]:
    """The newest facts and notes of the scope whose words may bear on a memory's."""
    topic, tokens = searched(read, memory.key)
    if not (topic or tokens):
        return []
    ids = glance(tx, scope, topic, tokens)
    if ids is None:
        return tx.memories.list_saying(scope, topic, tokens, _LOOKED_AT, but=memory.id)
    newest = sorted(ids - {memory.id}, reverse=True)[:_LOOKED_AT]
    rows = tx.memories.get_many(scope.owner, newest)
    matches = [rows[id_] for id_ in newest if id_ in rows]
    return [row for row in matches if row.kind in ("fact", "note") and not row.archived and scope.shows(row)]


def read_claim(memory: StoredMemory) -> Claim:
    """What a fact, a note or a relation says, as far as it can be held against another."""
    if memory.kind == "relation":
        return relation_claim(memory.type or "")
    return claim(memory.content, memory.key, memory.type)


def notes_saying(fact: StoredMemory, notes: Iterable[StoredMemory]) -> list[StoredMemory]:
    """The short notes that say a fact: "Lives in Kyiv", "Allergic to nuts"; rather none than one that does not."""
    short = [note for note in notes if len(split_words(note.content)) <= _LONGEST_NOTE]
    texts = MentionIndex((note.id, note.content) for note in short)
    having_key = texts.of(_words_of(fact.key), loosely=True, whole=True)
    saying = texts.of(fact.content, loosely=True, whole=True, among=having_key) if having_key else ()
    return [note for note in short if _is_noted(fact, note, read_claim(note), says_both=note.id in saying)]


def facts_said_by(note: StoredMemory, facts: Sequence[StoredMemory]) -> list[StoredMemory]:
    """The facts that a short note says, as `notes_saying` has it."""
    if len(split_words(note.content)) > _LONGEST_NOTE:
        return []
    text, read = MentionIndex([(note.id, note.content)]), read_claim(note)
    keys = {key for key in {fact.key for fact in facts} if text.of(_words_of(key), loosely=True, whole=True)}
    return [
        fact
        for fact in facts
        if _is_noted(
            fact, note, read, says_both=fact.key in keys and bool(text.of(fact.content, loosely=True, whole=True))
        )
    ]


def _is_noted(fact: StoredMemory, note: StoredMemory, read: Claim, *, says_both: bool) -> bool:
    """Whether a note says a fact.

    Args:
        read: What the note says.
        says_both: Whether it has the words of the fact's key and value.
    """
    key, value = fact.key or "", fact.content
    if (how := says_otherwise(read, key, value)) is not None:
        return how == "same"
    how = bears(fact, read_claim(fact), note)
    is_said = says_both or (how == "same" and not is_single_valued(key))
    return is_said and how != "contradiction" and not is_of_another(note.content, value, key)


def _words_of(key: str | None) -> str:
    return (key or "").replace("_", " ")


def can_be_one(fact: StoredMemory, other_fact: StoredMemory) -> bool:
    """Whether two facts may become one: of one key, or the same in other words under keys that mean the same."""
    if fact.key == other_fact.key or (only_likes(fact.key or "") and only_likes(other_fact.key or "")):
        return True
    has_same_value = not parts(fact.content).isdisjoint(parts(other_fact.content))
    return means_the_same(fact, other_fact) and (
        has_same_value or bearing(read_claim(fact), read_claim(other_fact)) == "same"
    )


def bears(memory: StoredMemory, read: Claim, other_memory: StoredMemory) -> Bearing | None:
    """How one fact, note or relation bears on another.

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


def contradictions(
    memories: Sequence[StoredMemory], read_claim: Callable[[StoredMemory], Claim] = read_claim
) -> Iterator[tuple[StoredMemory, StoredMemory]]:
    """Those of one person's facts, notes and relations that contradict each other, as far as words tell."""
    reads = {memory.id: read_claim(memory) for memory in memories}
    by_aspect: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for memory in breathing(memories):
        read = reads[memory.id]
        aspects: list[object] = [subject_of(read)] if read.topic else []
        aspects += [("sense", sense) for sense in read.senses | read.breaks]
        aspects += [("key", key) for key, _ in read.says]
        aspects += [("key", memory.key)] if memory.key is not None and is_single_valued(memory.key) else []
        for aspect in aspects:
            by_aspect[aspect].append(memory)
    seen: set[tuple[int, int]] = set()
    for alike in breathing(by_aspect.values()):
        for a, b in combinations(alike[:_LOOKED_AT], 2):
            if (a.id, b.id) not in seen and bears(a, reads[a.id], b) == "contradiction":
                seen.add((a.id, b.id))
                yield a, b
    relations = [memory for memory in memories if memory.kind == "relation"]
    for place, relation in enumerate(relations):
        for other_relation in excluded(relation, relations[place + 1 :]):
            yield relation, other_relation


def excluded(relation: StoredMemory, relations: Iterable[StoredMemory]) -> tuple[StoredMemory, ...]:
    """Those relations that cannot hold beside this one."""
    return tuple(
        candidate
        for candidate in relations
        if candidate.id != relation.id
        and is_excluded(relation.type or "", relation.people, candidate.type or "", candidate.people)
    )[:MOST_KNOWN]
