"""BM25 over the documents of one scope."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.search.fusion import sum_scores

K1 = 0.9
B = 0.4
"""Robertson and Zaragoza, "The Probabilistic Relevance Framework" (2009), with the values that were best for short
conversation texts on LoCoMo (0.640 recall@10 against 0.63 for FTS5's 1.2 and 0.75)."""


KIND = 0.8
"""What belongs to a kind of things that the query names, against a word of it."""


@dataclass(frozen=True)
class Candidates:
    """The documents that hold any word of a query, and what BM25 needs to know of the others.

    Attributes:
        holders: Of each word, the documents that hold it, with how many times.
        lengths: Words of each of these documents; of others, it does not matter.
        size: How many documents there are in all.
        words: How many words they have together.
    """

    holders: Mapping[str, Mapping[int, int]]
    lengths: Mapping[int, int]
    size: int
    words: int


@dataclass(frozen=True)
class Scores:
    """How well documents fit a query.

    Attributes:
        scores: BM25 of each document that holds a word of the query; comparable within one query.
    """

    scores: Mapping[int, float]
    _holders: Mapping[str, Mapping[int, int]]
    _weights: Mapping[str, float]
    _total: float

    def similarity(self, document: int) -> float:
        """The share of the query's inverse document frequency that a document holds, from 0 to 1."""
        held = math.fsum(weight for word, weight in self._weights.items() if document in self._holders[word])
        return held / self._total if self._total else 0.0  # none holds a word of a query that has none

    def widened(self, documents: Collection[int], size: int) -> Scores:
        """The same with more documents, which hold no word of the query but something of a kind that it names.

        Args:
            size: How many documents there are in all.
        """
        added = set(documents) - self.scores.keys()
        worth = KIND * math.log(1 + (max(size, len(added)) - len(added) + 0.5) / (len(added) + 0.5))
        return replace(self, scores={**self.scores, **dict.fromkeys(added, worth)})

    def raised(self, documents: Collection[int]) -> Scores:
        """The same with these documents before all others."""
        highest = max(self.scores.values(), default=0.0)
        return replace(self, scores={**self.scores, **{id_: highest + self.scores[id_] for id_ in documents}})


def bm25(query: Iterable[str], candidates: Candidates) -> Scores:
    """Score every document that holds a word of the query.

    Args:
        query: Distinct words.
        candidates: All documents that hold any of them.
    """
    holders: dict[str, Mapping[int, int]] = {word: candidates.holders.get(word, {}) for word in sorted(query)}
    lengths = candidates.lengths
    size = max(candidates.size, 1)
    if sum(map(len, holders.values())) > size:
        # There are never fewer documents than were found; the maximum guards a caller's stale statistics.
        size = max(size, len(set[int]().union(*holders.values())))
    weights = {word: math.log(1 + (size - len(held) + 0.5) / (len(held) + 0.5)) for word, held in holders.items()}
    constant, per_word = K1 * (1 - B), K1 * B / max(candidates.words / size, 1.0)
    scores: dict[int, float] = {}
    for word, held in holders.items():
        weight = weights[word] * (K1 + 1)
        word_scores = {
            document: weight * count / (count + constant + per_word * lengths[document])
            for document, count in held.items()
        }
        scores = sum_scores(scores, word_scores)
    # For the share, a word that nobody holds weighs no more than one that a single document holds.
    highest = math.log(1 + (size - 0.5) / 1.5)
    return Scores(scores, holders, weights, math.fsum(min(weight, highest) for weight in weights.values()))


def together(scopes: Sequence[Candidates]) -> Candidates:
    """Several scopes as one collection; a document of two of them is one."""
    scopes = [scope for scope in scopes if scope.size] or scopes[:1]
    if len(scopes) == 1:
        return scopes[0]
    holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
    lengths: dict[int, int] = {}
    for scope in scopes:
        lengths.update(scope.lengths)
        for word, held in scope.holders.items():
            holders[word].update(held)
    return Candidates(holders, lengths, sum(scope.size for scope in scopes), sum(scope.words for scope in scopes))


def holders_of(words: Collection[str], documents: Iterable[tuple[int, Sequence[str]]]) -> dict[str, dict[int, int]]:
    """Of each of these words, the documents that hold it, with how many times.

    Args:
        documents: Ids and words.
    """
    holders: dict[str, dict[int, int]] = {word: {} for word in words}
    for document, held in documents:
        for word in held:
            if word in holders:
                holders[word][document] = holders[word].get(document, 0) + 1
    return holders
