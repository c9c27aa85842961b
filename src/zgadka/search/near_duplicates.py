"""Which facts of a person mean nearly the same. Loaded where there are vectors only: it needs numpy.

What a cosine means depends on the embedder, on the language and on the key that the facts share, so none is taken as it
is: a pair has to stand out from what two facts of the person under different keys have in common, and in a key with
many facts from what any two of those have. benchmarks/duplicates.py measures both thresholds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from zgadka.search.embedders.vectors import matrix_from_bytes

if TYPE_CHECKING:
    from zgadka.search.embedders.vectors import Matrix

T = TypeVar("T")

MIN_SIMILARITY = 0.8
"""Of the way from the middle cosine of facts under different keys (0) to the same text (1)."""
MIN_IN_KEY = 0.65
"""Of the way from the middle cosine of facts under one key to the same text."""
MIN_OPPOSED = 0.5
"""The same of what says the opposite, which is less alike for saying so; what words tell apart is left out before."""
_OPPOSED = 50
_FEW = 6
"""Of so few facts under a key nothing is known of what any two have in common."""
_LEAST_PAIRS = 2
"""From a single pair of facts no middle is taken."""
_SAMPLE = 128
_MOST = 4000
"""Facts of one key that are compared, the newest: less than a second."""
_ROWS = 500
_NEAREST = 8
_SMALL = 20_000


@dataclass(frozen=True)
class FactKey:
    """Where a fact's vector lies: its key, and the script of its value, for an embedder may not know every script."""

    key: tuple[str | None, str | None]
    script: str


class FactVectors:
    """The vectors of a person's facts, to be compared.

    Args:
        keys: Of the facts, by id.
        stored: Id and vector: float16, little-endian; of one embedder, also of memories that are no facts.
    """

    def __init__(self, keys: Mapping[int, FactKey], stored: Sequence[tuple[int, bytes]]) -> None:
        vectors = [(id_, numbers) for id_, numbers in stored if id_ in keys]
        self._keys = keys
        self._rows = {id_: row for row, (id_, _) in enumerate(vectors)}
        self._matrix = matrix_from_bytes([numbers for _, numbers in vectors])
        self._baselines = self._baselines_by_script()

    def similarity(self, a: int, b: int) -> float:
        """From 0, what facts under different keys have in common, to 1, the same; below 0 where nothing is known."""
        baseline = self._baseline(a, b)
        if baseline is None or a not in self._rows or b not in self._rows:
            return -1.0
        cosine = float(_cosines(*(self._matrix[[self._rows[id_]]] for id_ in (a, b)))[0, 0])
        return (cosine - baseline) / (1 - baseline)

    def pairs(self, ids: Sequence[int]) -> Iterator[tuple[float, int, int]]:
        """Likeness and ids of facts of one key that mean nearly the same, the most alike first."""
        ids = sorted(id_ for id_ in ids if id_ in self._rows)[-_MOST:]
        similarities: dict[tuple[int, int], float] = {}
        if len(ids) > 1:
            rows = self._matrix[[self._rows[id_] for id_ in ids]]
            min_cosine = self._min_in_key(rows)
            for row, row_b in _nearest(rows, min_cosine):
                pair = min(ids[row], ids[row_b]), max(ids[row], ids[row_b])
                similarities[pair] = self.similarity(*pair)
        near = [(similarity, *pair) for pair, similarity in similarities.items() if similarity >= MIN_SIMILARITY]
        yield from sorted(near, key=lambda pair: (-pair[0], pair[1:]))

    def opposed(self, ids: Sequence[int], other_ids: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Those of two lists that are about nearly the same; of long lists the newest."""
        newest, other_newest = (sorted(group)[-_OPPOSED:] for group in (ids, other_ids))
        yield from ((a, b) for a in newest for b in other_newest if self.similarity(a, b) >= MIN_OPPOSED)

    def _baseline(self, a: int, b: int) -> float | None:
        """The higher one of the middles of both scripts; None where that of one is not known."""
        baselines = [self._baselines.get(self._keys[id_].script) for id_ in (a, b)]
        return None if None in baselines else max(baseline for baseline in baselines if baseline is not None)

    def _baselines_by_script(self) -> dict[str, float]:
        by_script: defaultdict[str, defaultdict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
        for id_ in self._rows:
            by_script[self._keys[id_].script][self._keys[id_].key].append(id_)
        baselines: dict[str, float] = {}
        for script, by_key in by_script.items():
            # Some of each key, so that one with many facts does not leave the others out.
            size = _SAMPLE // len(by_key)
            sample = _thin([(key, id_) for key, ids in enumerate(by_key.values()) for id_ in _thin(ids, size)], _SAMPLE)
            keys = np.array([key for key, _ in sample])
            rows = self._matrix[[self._rows[id_] for _, id_ in sample]]
            cosines = _cosines(rows, rows)[np.triu(keys[:, None] != keys[None, :])]
            if len(cosines) >= _LEAST_PAIRS:
                baselines[script] = min(max(float(np.median(cosines)), 0.0), 0.99)
        return baselines

    def _min_in_key(self, rows: Matrix) -> float:
        if len(rows) < _FEW:
            return 0.0
        sample = rows[_thin(range(len(rows)), _SAMPLE)]
        baseline = float(np.median(_cosines(sample, sample)[np.triu_indices(len(sample), 1)]))
        return baseline + MIN_IN_KEY * (1 - baseline)


def _thin(items: Sequence[T], size: int) -> Sequence[T]:
    """So many at even distances, and one at least."""
    return items[:: -(-len(items) // max(size, 1))]


def _cosines(rows: Matrix, columns: Matrix) -> Matrix:
    """Each row with each; BLAS, whose threads wake slowly, only where there is work for them."""
    if len(rows) * len(columns) <= _SMALL:
        return np.einsum("ij,kj->ik", rows, columns)
    return rows @ columns.T


def _nearest(rows: Matrix, min_cosine: float) -> Iterator[tuple[int, int]]:
    """Each row with those nearest to it, where the cosine is no less than that; some rows at a time."""
    count = min(_NEAREST + 1, len(rows))  # itself is among them
    for start in range(0, len(rows), _ROWS):
        cosines = _cosines(rows[start : start + _ROWS], rows)
        near = np.argpartition(cosines, len(rows) - count, axis=1)[:, -count:]
        for row, neighbours in enumerate(near, start):
            for neighbour in neighbours.tolist():
                if neighbour != row and cosines[row - start, neighbour] >= min_cosine:
                    yield row, neighbour
