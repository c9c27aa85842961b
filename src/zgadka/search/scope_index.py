"""The memories of one scope in memory: their headings, and which of them hold a word."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager

from zgadka.model.heading import Heading
from zgadka.model.meaning import Meaning
from zgadka.model.memory import Scope
from zgadka.search.lexical import Candidates, holders_of
from zgadka.search.vectors import Vectors, vector_table
from zgadka.stores.memories import Document, MemoryChange
from zgadka.stores.tx import Tx
from zgadka.stores.vectors import VectorChange

_INDEX_BYTES = 1550
_MEMORY_BYTES = 580
_WORD_BYTES = 75
"""Measured with tracemalloc (benchmarks/recall.py): 45 for each word of a memory, and 280 for each of the scope,
of which a memory brings few that are new."""


class ScopeIndex:
    """An index of one scope, changed as its memories change.

    Attributes:
        headings: Every live memory, by id.
        size: Bytes, estimated.
    """

    def __init__(self, scope: Scope, documents: Iterable[Document]) -> None:
        self._scope = scope
        self.headings: dict[int, Heading] = {}
        self.size = _INDEX_BYTES
        self._words: dict[int, tuple[str, ...]] = {}
        self._lengths: dict[int, int] = {}
        self._holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._total = 0
        self._vectors = Vectors()
        for heading, words in documents:
            self._add(heading, words)

    def candidates(self, words: Collection[str]) -> tuple[dict[int, Heading], Candidates]:
        """The memories that hold any of the words, and perhaps others, and the same as BM25 takes them."""
        # Copies, since this index goes on as soon as it is given back.
        holders = {word: self._holders[word].copy() for word in words if word in self._holders}
        return self.headings.copy(), Candidates(holders, self._lengths.copy(), len(self.headings), self._total)

    def cosines(self, meaning: Meaning, read: Callable[[], list[tuple[int, bytes]]]) -> dict[int, float]:
        """How near the memories are that have a vector.

        Args:
            read: Reads the vectors, where they are not here yet.
        """
        self.size -= self._vectors.size
        found = self._vectors.cosines(meaning, read)
        self.size += self._vectors.size
        return found

    def apply(self, change: MemoryChange | VectorChange) -> None:
        """Follow one changed memory."""
        self.size -= self._vectors.size
        if isinstance(change, VectorChange):
            if change.id in self.headings:
                self._vectors.put(change)
        else:
            self._follow(change)
        self.size += self._vectors.size

    def _follow(self, change: MemoryChange) -> None:
        was_here = change.id in self.headings
        self._remove(change.id)
        is_here = change.heading is not None and change.heading.is_seen_in(self._scope)
        if change.heading is not None and is_here:
            self._add(change.heading, change.words)
        if is_here and change.is_same_text and not was_here:  # it came from another space, with a vector
            self._vectors.clear()
        elif not (is_here and change.is_same_text):
            self._vectors.remove(change.id)

    def _add(self, heading: Heading, words: Sequence[str]) -> None:
        counts = Counter(map(sys.intern, words))
        self.headings[heading.id] = heading
        self._words[heading.id] = tuple(counts)
        self._lengths[heading.id] = len(words)
        self._total += len(words)
        self.size += _MEMORY_BYTES + _WORD_BYTES * len(counts)
        for word, count in counts.items():
            self._holders[word][heading.id] = count

    def _remove(self, memory: int) -> None:
        if self.headings.pop(memory, None) is None:
            return
        words = self._words.pop(memory)
        self._total -= self._lengths.pop(memory)
        self.size -= _MEMORY_BYTES + _WORD_BYTES * len(words)
        for word in words:
            holders = self._holders[word]
            del holders[memory]
            if not holders:
                del self._holders[word]


def all_headings(tx: Tx, scope: Scope) -> dict[int, Heading]:
    """Every live memory of the scope, by id, in no order."""
    with _warm(tx, scope) as index:
        if index is not None:
            return index.headings.copy()
    return {heading.id: heading for heading in tx.headings(scope)}


def candidates(
    tx: Tx, scope: Scope, words: Sequence[str], *, whole: bool = False
) -> tuple[dict[int, Heading], Candidates]:
    """The scope's live memories that hold any of the words, perhaps with others, and the same as BM25 takes them.

    Args:
        whole: All live memories of the scope are wanted, also those that hold none.
    """
    with _warm(tx, scope) as index:
        if index is not None:
            return index.candidates(words)
    documents = tx.matching(scope, words)
    size, total = tx.visible_statistics(scope)
    holders = holders_of(words, ((heading.id, held) for heading, held in documents))
    lengths = {heading.id: len(held) for heading, held in documents}
    headings = tx.headings(scope) if whole else [heading for heading, _ in documents]
    return {heading.id: heading for heading in headings}, Candidates(holders, lengths, size, total)


def cosines(tx: Tx, scope: Scope, meaning: Meaning) -> dict[int, float]:
    """How near those of the scope's live memories are to a query that have a vector of its embedder."""

    def read() -> list[tuple[int, bytes]]:
        return tx.memory_vectors(scope, meaning.embedder)

    with _warm(tx, scope) as index:
        if index is not None:
            return index.cosines(meaning, read)
    return vector_table(meaning, read()).cosines(meaning.vector)


@contextmanager
def _warm(tx: Tx, scope: Scope) -> Generator[ScopeIndex | None]:
    with tx.index((scope.owner, "memory", scope), lambda: ScopeIndex(scope, tx.documents(scope))) as index:
        yield index
