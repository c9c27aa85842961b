"""The memories of one scope in memory: their headings, and which of them hold a word."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zgadka.model.heading import Heading
from zgadka.model.meaning import Meaning
from zgadka.model.memory import Scope
from zgadka.search.lexical import Candidates, holders_of
from zgadka.stores.memories import Document, MemoryChange
from zgadka.stores.tx import Tx
from zgadka.stores.vectors import VectorChange

if TYPE_CHECKING:
    from zgadka.search.meaning import VectorTable

_MEMORY_BYTES = 600
_WORD_BYTES = 120
"""Measured with tracemalloc over 10,000 facts; a word that many memories hold takes less."""


class ScopeIndex:
    """An index of one scope, changed as its memories change.

    Attributes:
        headings: Every live memory, by id.
        size: Bytes, estimated.
    """

    def __init__(self, scope: Scope, documents: Iterable[Document]) -> None:
        self._scope = scope
        self.headings: dict[int, Heading] = {}
        self.size = 0
        self._words: dict[int, tuple[str, ...]] = {}
        self._lengths: dict[int, int] = {}
        self._holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self._total = 0
        self._vectors: VectorTable | None = None
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
        table = self._vectors
        if table is None or table.embedder != meaning.embedder:
            table = vector_table(meaning.embedder, read())
            self._drop_vectors()
            self._vectors = table
            self.size += table.size
        return table.cosines(meaning.vector)

    def apply(self, change: MemoryChange | VectorChange) -> None:
        """Follow one changed memory."""
        if isinstance(change, VectorChange):
            self._put_vector(change)
            return
        was_here = change.id in self.headings
        self._remove(change.id)
        if change.heading is not None and change.heading.is_seen_in(self._scope):
            self._add(change.heading, change.words)
            if change.is_same_text and not was_here:  # it came from another space, with a vector
                self._drop_vectors()
            elif not change.is_same_text:
                self._remove_vector(change.id)
        else:
            self._remove_vector(change.id)

    def _put_vector(self, change: VectorChange) -> None:
        table = self._vectors
        if table is not None and table.embedder == change.embedder and change.id in self.headings:
            before = table.size
            table.put(change.id, change.numbers)
            self.size += table.size - before

    def _remove_vector(self, memory: int) -> None:
        if self._vectors is not None:
            self._vectors.remove(memory)

    def _drop_vectors(self) -> None:
        if self._vectors is not None:
            self.size -= self._vectors.size
            self._vectors = None

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
    return vector_table(meaning.embedder, read()).cosines(meaning.vector)


def vector_table(embedder: int, stored: list[tuple[int, bytes]]) -> VectorTable:
    """The vectors as a table; numpy is loaded now, since it comes with the extra that made them."""
    from zgadka.search.meaning import VectorTable as Table  # noqa: PLC0415  (as said)

    return Table(embedder, stored)


@contextmanager
def _warm(tx: Tx, scope: Scope) -> Generator[ScopeIndex | None]:
    with tx.index((scope.owner, "memory", scope), lambda: ScopeIndex(scope, tx.documents(scope))) as index:
        yield index
