"""Suggest which facts of a person may say the same. Nothing is merged here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, permutations
from typing import TYPE_CHECKING, Literal, get_args

from zgadka.breathing import breathe
from zgadka.model.memory import FactType, Scope, StoredMemory
from zgadka.ops.contradictions import contradictions, read_claim
from zgadka.ops.persist import holds
from zgadka.search.memory_index_cache import newest_with_alike
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.contradictions import Claim, naming, stance, tells_apart
from zgadka.text.keys import is_place, names_language
from zgadka.text.paraphrase import Wording, may_be_same, script_of, wording
from zgadka.text.same_fact import sense_of
from zgadka.text.typo_similarity import likeness, neighbours, parts, words
from zgadka.text.word_lists import read_table

if TYPE_CHECKING:
    from zgadka.search.near_duplicates import FactVectors

Why = Literal["same_value", "contains", "similar_spelling", "same_meaning", "same_words", "contradiction"]
_Source = Callable[[Sequence[StoredMemory]], Iterator["Group"]]

_COMPARED = 1_000
"""Of more memories, not all are compared: that takes some 0.2 seconds."""
_NEWEST = 500
"""So many of these are the newest; the others share a word with one of them that few memories hold."""
_RARE = 8
_MOST = 5
"""So many facts can be merged at once."""
_LONG_KEY = 3
"""A vector of key and value tells more of a key with so many words than of a short value: they are all alike."""


@dataclass(frozen=True)
class Group:
    """Facts that may be one, the best of them first; or two memories, perhaps notes, that contradict each other.

    Attributes:
        similarity: From 0 to 1, of the two that are least alike. By meaning, 0 is what any two facts of the person have
            in common, and 1 the same text.
        merged_value: The value of one of them, with which they could be merged.
    """

    facts: tuple[StoredMemory, ...]
    why: Why
    similarity: float
    merged_value: str


@dataclass(frozen=True)
class Suggestions:
    """What may be merged or told apart.

    Attributes:
        compared: How many facts and notes were compared, of `total`.
    """

    groups: list[Group]
    compared: int
    total: int


def suggest_merge(tx: Tx, scope: Scope, relations: Sequence[StoredMemory] = ()) -> Suggestions:
    """The groups of facts that may be one, the most alike first, each fact in one group at most; then contradictions.

    Of a person of whom much is known, what was remembered last is compared with what is like it by its words.

    Facts are alike, whatever their types, only where they can be merged: of one space and persona lineage, and without
    an end; what somebody likes is not what they can do. Those that mean the same come later, and only where there
    are vectors.

    Args:
        relations: Those of the person, with their names; they may contradict each other, or a fact or note.
    """
    ids, total = newest_with_alike(tx, scope, ("fact", "note"), _NEWEST, _RARE, _COMPARED)
    rows = tx.memories.get_many(scope.owner, ids)
    candidates = [rows[id_] for id_ in ids if id_ in rows]
    by_place: defaultdict[tuple[int, int], list[StoredMemory]] = defaultdict(list)
    for memory in candidates:
        if memory.kind == "fact" and memory.valid_to is None:
            by_place[memory.space, memory.lineage].append(memory)
    facts = [memory for of_place in by_place.values() for memory in of_place]
    reader, vectors = _Reader(), _vectors(tx, scope)
    sources: list[_Source] = [partial(source, reader) for source in (_same_value, _contained, _similar)]
    if (alike := _alike(vectors, facts)) is not None:
        sources.append(partial(same_meaning, alike))
    sources.append(partial(_same_words, reader))
    groups = _groups(by_place.values(), sources)
    notes = [memory for memory in candidates if memory.kind == "note"]
    current = [row for row in [*facts, *notes] if holds(row, tx.now)]
    pairs = [*contradictions([*current, *relations], reader.claim)]
    pairs += _opposite_in_meaning(_alike(vectors, current), current, reader.claim)
    groups += [Group(pair, "contradiction", 0.0, "") for pair in dict.fromkeys(pairs)]
    return Suggestions(groups, len(candidates), total)


def near_duplicates(places: Iterable[Sequence[StoredMemory]]) -> list[Group]:
    """The groups of facts that say the same as their words tell, each fact in one group at most.

    Args:
        places: Facts without an end; those of one place may be merged.
    """
    reader = _Reader()
    return _groups(
        list(places), [partial(source, reader) for source in (_same_value, _contained, _similar, _same_words)]
    )


class _Reader:
    """What memories say, each read once, though it is compared in several ways."""

    def __init__(self) -> None:
        self._parts: dict[int, frozenset[str]] = {}
        self._senses: dict[int, str] = {}
        self._claims: dict[int, Claim] = {}
        self._forms: dict[str, str] = {}

    def parts(self, fact: StoredMemory) -> frozenset[str]:
        if fact.id not in self._parts:
            self._parts[fact.id] = parts(fact.content, self._form)
        return self._parts[fact.id]

    def sense(self, fact: StoredMemory) -> str:
        breathe()
        if fact.id not in self._senses:
            self._senses[fact.id] = sense_of(fact, self.parts(fact))
        return self._senses[fact.id]

    def claim(self, memory: StoredMemory) -> Claim:
        breathe()
        if memory.id not in self._claims:
            self._claims[memory.id] = read_claim(memory)
        return self._claims[memory.id]

    def words(self, fact: StoredMemory) -> tuple[str, ...]:
        return words(fact.content, self._form)

    def _form(self, text: str) -> str:
        breathe()
        if text not in self._forms:
            self._forms[text] = canonical(text)
        return self._forms[text]


def _groups(places: Iterable[Sequence[StoredMemory]], sources: Iterable[_Source]) -> list[Group]:
    groups: list[Group] = []
    grouped: set[int] = set()
    for source in sources:
        for facts in places:
            for apart in ({"skill", "opinion"}, {"preference", "opinion"}, {*get_args(FactType)} - {"opinion"}):
                of_sort = [fact for fact in facts if fact.type not in apart and fact.id not in grouped]
                for group in source(of_sort):
                    groups.append(group)
                    grouped |= {fact.id for fact in group.facts}
    return groups


def _opposite_in_meaning(
    alike: FactVectors | None, memories: Sequence[StoredMemory], read_claim: Callable[[StoredMemory], Claim]
) -> Iterator[tuple[StoredMemory, StoredMemory]]:
    """Facts and notes that say the opposite of what is nearly the same, in words of which they have none in common."""
    if alike is None:
        return
    reads = {memory.id: read_claim(memory) for memory in memories}
    by_id = {memory.id: memory for memory in memories}
    signed: defaultdict[str, dict[int, list[int]]] = defaultdict(lambda: {1: [], -1: []})
    for id_, read in reads.items():
        if (axis := stance(read)) is not None:
            signed[axis][read.sign].append(id_)
    for sides in signed.values():
        for a, b in alike.opposed(sides[1], sides[-1]):
            if not tells_apart(reads[a], reads[b]):
                yield by_id[a], by_id[b]


def _same_value(reader: _Reader, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """Facts that list the same, in any order, under keys that do not tell them apart."""
    by_value: defaultdict[tuple[frozenset[str], str], list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        by_value[reader.parts(fact), reader.sense(fact)].append(fact)
    for same in by_value.values():
        yield from _group(same, "same_value", 1.0)


def _same_words(reader: _Reader, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """Facts that name the same in other forms of its words, or by its other name: peanut and peanuts, JS."""
    by_words: defaultdict[object, list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        if (named := naming(reader.claim(fact), fact.content, fact.key)) is not None:
            by_words[named, reader.sense(fact)].append(fact)
    for same in by_words.values():
        if len({reader.parts(fact) for fact in same}) > 1:  # else there are too many for one group
            yield from _group(same, "same_words", 0.9)


def _contained(reader: _Reader, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """A fact that lists several things, and those of its key that list some of them."""
    for of_key in _by_key(facts):
        listed = {fact.id: reader.parts(fact) for fact in of_key}
        holders: defaultdict[str, list[StoredMemory]] = defaultdict(list)
        for fact in of_key:
            for form in listed[fact.id]:
                holders[form].append(fact)
        taken: set[int] = set()
        for container in sorted(of_key, key=lambda fact: (-len(listed[fact.id]), fact.id)):
            if len(listed[container.id]) < 2 or container.id in taken:
                continue
            near = {fact.id: fact for form in sorted(listed[container.id]) for fact in holders[form]}
            inside = [fact for fact in near.values() if listed[fact.id] < listed[container.id] and fact.id not in taken]
            inside = sorted(inside, key=_worth, reverse=True)[: _MOST - 1]
            if inside:
                taken |= {container.id, *(fact.id for fact in inside)}
                share = min(len(listed[fact.id]) for fact in inside) / len(listed[container.id])
                yield Group((container, *inside), "contains", round(share, 3), container.content)


def _similar(reader: _Reader, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """A fact, and those of its key that are a slip of the pen away."""
    for of_key in _by_key(facts):
        by_id = {fact.id: fact for fact in of_key}
        forms = {fact.id: reader.words(fact) for fact in of_key}
        near = neighbours(forms)
        taken: set[int] = set()
        for best in sorted((by_id[number] for number in near), key=_worth, reverse=True):
            if best.id in taken:
                continue
            alike = {
                number: similarity
                for number in set(chain.from_iterable(near[best.id])) - taken - {best.id}
                if (similarity := likeness(forms[best.id], forms[number]))
            }
            if alike:
                nearest = sorted(alike, key=lambda number: (-alike[number], number))[: _MOST - 1]
                taken |= {best.id, *nearest}
                group = (best, *(by_id[number] for number in nearest))
                yield Group(group, "similar_spelling", min(alike[number] for number in nearest), best.content)


def same_meaning(alike: FactVectors, facts: Sequence[StoredMemory]) -> Iterator[Group]:
    """Facts of one type and key, each of which says the same as any other in other words, as vectors and words tell."""
    of_types = ([fact for fact in facts if fact.type == type_] for type_ in get_args(FactType))
    for of_key in chain.from_iterable(map(_by_key, of_types)):
        key = of_key[0].key or ""
        # Names are compared as names are, with their tables; a vector has those of one country for nearly the same.
        if is_place(key) or names_language(key) or len(key.split("_")) >= _LONG_KEY:
            continue
        by_id = {fact.id: fact for fact in of_key}
        read: dict[int, Wording] = {}
        near: defaultdict[int, dict[int, float]] = defaultdict(dict)
        for similarity, left_id, right_id in alike.pairs(list(by_id)):
            for number in (left_id, right_id):
                read[number] = read.get(number) or wording(by_id[number].content)
            if may_be_same(read[left_id], read[right_id], named=key in read_table("merging")["people"]):
                near[left_id][right_id] = near[right_id][left_id] = similarity
        yield from _cliques(by_id, near)


def _cliques(facts: Mapping[int, StoredMemory], near: Mapping[int, Mapping[int, float]]) -> Iterator[Group]:
    """The best fact, and those that are near to it and to each other; then the best of the rest."""
    taken: set[int] = set()
    for best in sorted(near, key=lambda number: _worth(facts[number]), reverse=True):
        if best in taken:
            continue
        group = [best]
        for number in sorted(near[best], key=lambda number: (-near[best][number], number)):
            if number not in taken and len(group) < _MOST and all(number in near[member] for member in group):
                group.append(number)
        if len(group) > 1:
            taken.update(group)
            lowest = min(near[member][neighbour] for member, neighbour in permutations(group, 2))
            yield Group(tuple(facts[number] for number in group), "same_meaning", round(lowest, 3), facts[best].content)


def _vectors(tx: Tx, scope: Scope) -> Sequence[tuple[int, bytes]]:
    """The vectors of the scope's memories; none where no embedder has got to know all there is."""
    embedder = tx.vectors.complete_embedder()
    return [] if embedder is None else tx.vectors.of_memories(scope, embedder)


def _alike(stored: Sequence[tuple[int, bytes]], facts: Sequence[StoredMemory]) -> FactVectors | None:
    """How near these facts are in meaning; None where there are no vectors, or nothing to compare them with."""
    if not stored:
        return None
    try:
        from zgadka.search.near_duplicates import FactKey, FactVectors  # noqa: PLC0415  (numpy comes with the extra that made the vectors)
    except ImportError:  # made on another machine
        return None
    return FactVectors(
        {fact.id: FactKey((fact.type, fact.key or str(fact.id)), script_of(fact.content)) for fact in facts}, stored
    )


def _group(facts: Sequence[StoredMemory], why: Why, similarity: float) -> Iterator[Group]:
    if len(facts) > 1:
        best = sorted(facts, key=_worth, reverse=True)[:_MOST]
        yield Group(tuple(best), why, similarity, best[0].content)


def _by_key(facts: Iterable[StoredMemory]) -> Iterable[list[StoredMemory]]:
    by_key: defaultdict[str, list[StoredMemory]] = defaultdict(list)
    for fact in facts:
        by_key[fact.key or ""].append(fact)
    return by_key.values()


def _worth(fact: StoredMemory) -> tuple[float, int, float, int]:
    """The surer, the more often stated, the newer: the better."""
    return fact.confidence, fact.evidence, fact.updated_at.timestamp(), -fact.id
