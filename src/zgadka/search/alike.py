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

LEAST_LIKENESS = 0.8
"""Of the way from the middle cosine of facts under different keys (0) to the same text (1)."""
LEAST_IN_KEY = 0.65
"""Of the way from the middle cosine of facts under one key to the same text."""
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
class Place:
    """Where a fact's vector lies: its key, and the script of its value, for an embedder may not know every script."""

    key: tuple[str | None, str | None]
    script: str


class Alike:
    """The vectors of a person's facts, to be compared.

    Args:
        places: Of the facts, by id.
        stored: Id and vector: float16, little-endian; of one embedder, also of memories that are no facts.
    """

    def __init__(self, places: Mapping[int, Place], stored: Sequence[tuple[int, bytes]]) -> None:
        known = [(id_, numbers) for id_, numbers in stored if id_ in places]
        self._places = places
        self._rows = {id_: row for row, (id_, _) in enumerate(known)}
        self._matrix = matrix_from_bytes([numbers for _, numbers in known])
        self._middles = self._middles_by_script()

    def likeness(self, one: int, other: int) -> float:
        """From 0, what facts under different keys have in common, to 1, the same; below 0 where nothing is known."""
        middle = self._middle(one, other)
        if middle is None or one not in self._rows or other not in self._rows:
            return -1.0
        cosine = float(_cosines(*(self._matrix[[self._rows[id_]]] for id_ in (one, other)))[0, 0])
        return (cosine - middle) / (1 - middle)

    def pairs(self, ids: Sequence[int]) -> Iterator[tuple[float, int, int]]:
        """Likeness and ids of facts of one key that mean nearly the same, the most alike first."""
        ids = sorted(id_ for id_ in ids if id_ in self._rows)[-_MOST:]
        found: dict[tuple[int, int], float] = {}
        if len(ids) > 1:
            rows = self._matrix[[self._rows[id_] for id_ in ids]]
            least = self._least_in_key(rows)
            for first, second in _nearest(rows, least):
                pair = min(ids[first], ids[second]), max(ids[first], ids[second])
                found[pair] = self.likeness(*pair)
        near = [(likeness, *pair) for pair, likeness in found.items() if likeness >= LEAST_LIKENESS]
        yield from sorted(near, key=lambda one: (-one[0], one[1:]))

    def _middle(self, one: int, other: int) -> float | None:
        """The higher one of the middles of both scripts; None where that of one is not known."""
        middles = [self._middles.get(self._places[id_].script) for id_ in (one, other)]
        return None if None in middles else max(middle for middle in middles if middle is not None)

    def _middles_by_script(self) -> dict[str, float]:
        by_script: defaultdict[str, defaultdict[Any, list[int]]] = defaultdict(lambda: defaultdict(list))
        for id_ in self._rows:
            by_script[self._places[id_].script][self._places[id_].key].append(id_)
        middles: dict[str, float] = {}
        for script, by_key in by_script.items():
            # Some of each key, so that one with many facts does not leave the others out.
            few = _SAMPLE // len(by_key)
            some = _some([(key, id_) for key, ids in enumerate(by_key.values()) for id_ in _some(ids, few)], _SAMPLE)
            keys = np.array([key for key, _ in some])
            rows = self._matrix[[self._rows[id_] for _, id_ in some]]
            cosines = _cosines(rows, rows)[np.triu(keys[:, None] != keys[None, :])]
            if len(cosines) >= _LEAST_PAIRS:
                middles[script] = min(max(float(np.median(cosines)), 0.0), 0.99)
        return middles

    def _least_in_key(self, rows: Matrix) -> float:
        if len(rows) < _FEW:
            return 0.0
        some = rows[_some(range(len(rows)), _SAMPLE)]
        middle = float(np.median(_cosines(some, some)[np.triu_indices(len(some), 1)]))
        return middle + LEAST_IN_KEY * (1 - middle)


def _some(items: Sequence[T], most: int) -> Sequence[T]:
    """So many at even distances, and one at least."""
    return items[:: -(-len(items) // max(most, 1))]


def _cosines(rows: Matrix, others: Matrix) -> Matrix:
    """Each row with each; BLAS, whose threads wake slowly, only where there is work for them."""
    if len(rows) * len(others) <= _SMALL:
        return np.einsum("ij,kj->ik", rows, others)
    return rows @ others.T


def _nearest(rows: Matrix, least: float) -> Iterator[tuple[int, int]]:
    """Each row with those nearest to it, where the cosine is no less than that; some rows at a time."""
    most = min(_NEAREST + 1, len(rows))  # itself is among them
    for start in range(0, len(rows), _ROWS):
        cosines = _cosines(rows[start : start + _ROWS], rows)
        near = np.argpartition(cosines, len(rows) - most, axis=1)[:, -most:]
        for row, others in enumerate(near, start):
            for other in others.tolist():
                if other != row and cosines[row - start, other] >= least:
                    yield row, other
