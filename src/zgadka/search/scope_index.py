"""The memories of one scope in memory: their headings, and which of them hold a word."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager

from zgadka.model.heading import Heading
from zgadka.model.memory import Scope
from zgadka.search.lexical import Candidates, holders_of
from zgadka.stores.memories import Document, MemoryChange
from zgadka.stores.tx import Tx

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
        for heading, words in documents:
            self._add(heading, words)

    def candidates(self, words: Collection[str]) -> tuple[dict[int, Heading], Candidates]:
        """The memories that hold any of the words, and perhaps others, and the same as BM25 takes them."""
        # Copies, since this index goes on as soon as it is given back.
        holders = {word: self._holders[word].copy() for word in words if word in self._holders}
        return self.headings.copy(), Candidates(holders, self._lengths.copy(), len(self.headings), self._total)

    def apply(self, change: MemoryChange) -> None:
        """Follow one changed memory."""
        self._remove(change.id)
        if change.heading is not None and change.heading.is_seen_in(self._scope):
            self._add(change.heading, change.words)

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


def candidates(tx: Tx, scope: Scope, words: Sequence[str]) -> tuple[dict[int, Heading], Candidates]:
    """The scope's live memories that hold any of the words, perhaps with others, and the same as BM25 takes them."""
    with _warm(tx, scope) as index:
        if index is not None:
            return index.candidates(words)
    documents = tx.matching(scope, words)
    size, total = tx.visible_statistics(scope)
    holders = holders_of(words, ((heading.id, held) for heading, held in documents))
    lengths = {heading.id: len(held) for heading, held in documents}
    return {heading.id: heading for heading, _ in documents}, Candidates(holders, lengths, size, total)


@contextmanager
def _warm(tx: Tx, scope: Scope) -> Generator[ScopeIndex | None]:
    with tx.index((scope.owner, "memory", scope), lambda: ScopeIndex(scope, tx.documents(scope))) as index:
        yield index
