"""The memories of one scope in memory: their headings, and which of them hold a word."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager

from zgadka.breathing import breathing
from zgadka.model.memory import KINDS, Scope
from zgadka.model.memory_meta import Heading
from zgadka.model.query_vector import Meaning
from zgadka.search.lexical import Candidates, holders_of
from zgadka.search.vector_cache import Cosines, Vectors
from zgadka.stores.tx import Tx
from zgadka.stores.tx.memories import MemoryChange
from zgadka.stores.tx.vectors import VectorChange

_INDEX_BYTES = 1750
_MEMORY_BYTES = 490
_TEXT_BYTES = 150
_WORD_BYTES = 170
_HOLDER_BYTES = 8
_GROUP_BYTES = 220
_GROUPED_BYTES = 9
"""Measured with tracemalloc (benchmarks/recall.py)."""


class ScopeIndex:
    """An index of one scope, changed as its memories change.

    Attributes:
        headings: Every live memory, by id.
        kinds: How many there are of each kind.
        words: None until they are asked for.
        groups: None until they are asked for.
        vectors: Those of the memories that have one.
    """

    def __init__(self, scope: Scope, headings: Iterable[Heading]) -> None:
        self._scope = scope
        self.headings = {heading.id: heading for heading in headings}
        self.kinds = Counter(heading.kind for heading in self.headings.values())
        self.words: Words | None = None
        self.groups: Groups | None = None
        self.vectors = Vectors()

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        words = 0 if self.words is None else self.words.size
        groups = 0 if self.groups is None else self.groups.size
        return _INDEX_BYTES + _MEMORY_BYTES * len(self.headings) + words + groups + self.vectors.size

    def apply(self, change: MemoryChange | VectorChange) -> None:
        """Follow one changed memory."""
        if isinstance(change, VectorChange):
            if change.id in self.headings:
                self.vectors.put(change)
            return
        former = self.headings.get(change.id)
        if former is not None:
            if self.groups is not None:
                self.groups.remove(change.id)
            del self.headings[change.id]
            self.kinds[former.kind] -= 1
        if self.words is not None:
            self.words.remove(change.id)
        heading = change.heading
        is_here = heading is not None and self._scope.sees(heading)
        if heading is not None and is_here:
            self.headings[change.id] = heading
            self.kinds[heading.kind] += 1
            if self.groups is not None:
                self.groups.add(change.id)
            if self.words is not None:
                self.words.add(change.id, change.words)
        if is_here and change.is_same_text and former is None:  # it came from another space, with a vector
            self.vectors.clear()
        elif not (is_here and change.is_same_text):
            self.vectors.remove(change.id)


class Groups:
    """Memories in groups that differ only in when they were last stated: in each, the newest ranks first for ever.

    Args:
        headings: The memories by id, which change as the groups do.
    """

    def __init__(self, headings: Mapping[int, Heading]) -> None:
        self._headings = headings
        self._ids: defaultdict[tuple[object, ...], list[int]] = defaultdict(list)
        for id_ in sorted(headings, key=self._age):
            self._ids[_without_time(headings[id_])].append(id_)

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return _GROUP_BYTES * len(self._ids) + _GROUPED_BYTES * len(self._headings)

    def copied(self) -> list[list[int]]:
        """The ids of each group, the newest last; nothing in it changes any more."""
        return [ids.copy() for ids in self._ids.values()]

    def newest(self, kinds: Collection[str], limit: int) -> tuple[dict[int, Heading], int]:
        """The newest memories of each group of these kinds, so many at most, by id; and how many these kinds have."""
        groups = [ids for ids in self._ids.values() if self._headings[ids[0]].kind in kinds]
        return {id_: self._headings[id_] for ids in groups for id_ in ids[-limit:]}, sum(map(len, groups))

    def add(self, memory: int) -> None:
        """Take up one of the memories."""
        insort(self._ids[_without_time(self._headings[memory])], memory, key=self._age)

    def remove(self, memory: int) -> None:
        """Remove one, which is about to go."""
        group = _without_time(self._headings[memory])
        ids = self._ids[group]
        del ids[bisect_left(ids, self._age(memory), key=self._age)]
        if not ids:
            del self._ids[group]

    def _age(self, memory: int) -> tuple[int, int]:
        heading = self._headings[memory]
        return 0 if heading.permanent else heading.updated, memory


def _without_time(heading: Heading) -> tuple[object, ...]:
    """All that a memory's rank without a query depends on, but when it was last stated."""
    lasts = heading.permanent, heading.since, heading.until
    return heading.kind, heading.type, heading.confidence, heading.importance, heading.evidence, *lasts


class Words:
    """Which memories hold a word, and how many times."""

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._texts = dict(sorted(texts))
        self._lengths: dict[int, int] = {}
        # Of each word the memories that hold it, in order of id; one that holds it twice is there twice. Counts in
        # dictionaries take several times as much memory.
        self._holders: defaultdict[str, list[int]] = defaultdict(list)
        holders = self._holders
        for memory, text in self._texts.items():
            words = text.split()
            self._lengths[memory] = len(words)
            for word in words:
                holders[word].append(memory)
        self._total = sum(self._lengths.values())
        self._characters = sum(map(len, self._texts.values()))

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        held = _WORD_BYTES * len(self._holders) + _HOLDER_BYTES * self._total
        return _TEXT_BYTES * len(self._texts) + self._characters + held

    def candidates(self, words: Collection[str]) -> Candidates:
        """The memories that hold any of the words; nothing in it changes any more."""
        holders = {word: _counts(held) for word in words if (held := self._holders.get(word))}
        return Candidates(holders, self._lengths.copy(), len(self._texts), self._total)

    def holding(self, each: Sequence[Iterable[str]], any_of: Iterable[str]) -> set[int]:
        """The memories that hold one word at least of each of these, and those that hold any of the others."""
        holders, together = self._holders, set[int]()
        for number, words in enumerate(each):
            found = {memory for word in words for memory in holders.get(word, ())}
            together = together & found if number else found
            if not together:
                break
        return together.union(*(holders.get(word, ()) for word in any_of))

    def sharing(self, memories: Iterable[int], rare: int, most: int) -> list[int]:
        """These memories, and those that share a word with one of them that no more than so many hold.

        Args:
            most: So many in all, those of the first of the memories first.
        """
        found = dict.fromkeys(memories)
        for memory in breathing([*found]):
            for word in dict.fromkeys(self._texts.get(memory, "").split()):
                if len(held := self._holders.get(word, ())) <= rare:
                    found |= dict.fromkeys(held)
            if len(found) >= most:
                break
        return [*found][:most]

    def add(self, memory: int, words: Sequence[str]) -> None:
        """Take up one memory."""
        self._texts[memory] = text = " ".join(words)
        self._lengths[memory] = len(words)
        self._total += len(words)
        self._characters += len(text)
        holders = self._holders
        for word in words:
            held = holders[word]
            if held and held[-1] > memory:
                insort(held, memory)
            else:  # as nearly always: the newest
                held.append(memory)

    def remove(self, memory: int) -> None:
        """Remove one memory, if it is here."""
        text = self._texts.pop(memory, None)
        if text is None:
            return
        self._total -= self._lengths.pop(memory)
        self._characters -= len(text)
        for word in set(text.split()):
            held = self._holders[word]
            del held[bisect_left(held, memory) : bisect_right(held, memory)]
            if not held:
                del self._holders[word]


def _holds(words: Sequence[str], each: Sequence[Iterable[str]], any_of: Iterable[str]) -> bool:
    """Whether `Words.holding` would find a memory with these words."""
    held = set(words)
    is_of_each = bool(each) and not any(held.isdisjoint(group) for group in each)
    return is_of_each or not held.isdisjoint(any_of)


def _counts(held: Sequence[int]) -> dict[int, int]:
    """How many times each is there."""
    once = dict.fromkeys(held, 1)
    return once if len(once) == len(held) else Counter(held)


def all_headings(tx: Tx, scope: Scope) -> dict[int, Heading]:
    """Every live memory of the scope, by id, in no order."""
    # To read them for this question takes as long as for all that follow.
    with _index(tx, scope, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        return index.headings.copy()


def in_groups(tx: Tx, scope: Scope) -> tuple[dict[int, Heading], list[list[int]]]:
    """The same, and their ids in groups that differ only in when they were last stated, the newest last."""
    with _index(tx, scope, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        return index.headings.copy(), _groups(index).copied()


def newest_of_groups(tx: Tx, scope: Scope, kinds: Collection[str], limit: int) -> tuple[dict[int, Heading], int]:
    """The newest of each such group of these kinds, so many at most, by id; and how many memories these kinds have."""
    with _index(tx, scope, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        return _groups(index).newest(kinds, limit)


def _groups(index: ScopeIndex) -> Groups:
    if index.groups is None:
        index.groups = Groups(index.headings)
    return index.groups


def kinds_held(tx: Tx, scope: Scope) -> frozenset[str]:
    """The kinds of which the scope has live memories; where there is no index, all of which it may have some."""
    with _index(tx, scope) as index:
        return KINDS if index is None else frozenset(kind for kind, count in index.kinds.items() if count)


def candidates(
    tx: Tx, scope: Scope, words: Sequence[str], *, include_all: bool = False
) -> tuple[dict[int, Heading], Candidates]:
    """The scope's live memories that hold any of the words, perhaps with others, and the same as BM25 takes them.

    Args:
        include_all: All live memories of the scope are wanted, also those that hold none.
    """
    with _index(tx, scope) as index:
        if index is not None:
            if index.words is None:
                index.words = Words(tx.memories.list_words(scope))
            # Copies, since the index goes on as soon as it is given back.
            return index.headings.copy(), index.words.candidates(words)
    documents = [(heading, held.split()) for heading, held in tx.memories.search(scope, words)]
    size, total = tx.memories.statistics(scope)
    holders = holders_of(words, ((heading.id, held) for heading, held in documents))
    lengths = {heading.id: len(held) for heading, held in documents}
    headings = tx.memories.list_headings(scope) if include_all else [heading for heading, _ in documents]
    return {heading.id: heading for heading in headings}, Candidates(holders, lengths, size, total)


def newest_with_alike(
    tx: Tx, scope: Scope, kinds: Collection[str], newest: int, rare: int, most: int
) -> tuple[list[int], int]:
    """The ids of the newest live memories of these kinds, with others as `Words.sharing` finds them; and of how many.

    Where there are no more than `most`, it is all of them.
    """
    with _index(tx, scope, at_once=True) as index:
        assert index is not None  # noqa: S101  (asked for at once)
        ids = sorted(id_ for id_, heading in index.headings.items() if heading.kind in kinds)
        if len(ids) <= most:
            return ids, len(ids)
        if index.words is None:
            index.words = Words(tx.memories.list_words(scope))
        found = index.words.sharing(reversed(ids[-newest:]), rare, most)
        return sorted(id_ for id_ in found if index.headings[id_].kind in kinds), len(ids)


def glance(tx: Tx, scope: Scope, each: Sequence[Iterable[str]], any_of: Iterable[str]) -> set[int] | None:
    """The ids that `Words.holding` finds among the scope's memories, as far as the index in memory knows.

    Also while something is written: each is to be read again. None where there is no index.
    """

    def look(index: ScopeIndex, waiting: Sequence[MemoryChange | VectorChange]) -> set[int] | None:
        if index.words is None:
            return None
        ids = index.words.holding(each, any_of)
        for change in waiting:
            if isinstance(change, MemoryChange):
                ids.discard(change.id)
                is_here = change.memory is not None and scope.sees(change.memory)
                if is_here and _holds(change.words, each, any_of):
                    ids.add(change.id)
        return ids

    return tx.glance((scope.owner, "memory", scope), look)


def cosines(tx: Tx, scope: Scope, meaning: Meaning) -> Cosines:
    """How near those of the scope's live memories are to a query that have a vector of its embedder."""
    with _index(tx, scope) as index:
        vectors = Vectors() if index is None else index.vectors
        return vectors.cosines(meaning, lambda: tx.vectors.of_memories(scope, meaning.embedder))


def _index(tx: Tx, scope: Scope, *, at_once: bool = False) -> AbstractContextManager[ScopeIndex | None]:
    key = (scope.owner, "memory", scope)
    return tx.index(key, lambda: ScopeIndex(scope, tx.memories.list_headings(scope)), at_once=at_once)
