"""What a query means, and how near the memories of a scope are to it. Loaded where an embedder is used only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from zgadka.search.embedders.vectors import cosines

if TYPE_CHECKING:
    from zgadka.search.embedders.vectors import Matrix, Vector

_ROOM = 64
_ROW_BYTES = 100
"""Of a row's id and place; measured with tracemalloc (benchmarks/recall.py)."""


class VectorTable:
    """The vectors of some rows, one embedder's, by id.

    Args:
        embedder: The embedder's number in the store.
        numbers: How many numbers a vector has; one of another size is left out.
        stored: Id and vector: float16, little-endian.
    """

    def __init__(self, embedder: int, numbers: int, stored: Iterable[tuple[int, bytes]]) -> None:
        self.embedder = embedder
        self.numbers = numbers
        rows = [(id_, vector) for id_, vector in stored if len(vector) == 2 * numbers]
        self._ids = [id_ for id_, _ in rows]
        self._row_of = {id_: row for row, id_ in enumerate(self._ids)}
        self._matrix = read_matrix([numbers for _, numbers in rows])

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return self._matrix.nbytes + _ROW_BYTES * len(self._ids)

    def put(self, id_: int, numbers: bytes) -> None:
        """Keep a new vector, unless it is of another size."""
        if len(numbers) != 2 * self.numbers:
            return
        vector = read_matrix([numbers])
        if id_ not in self._row_of:
            row = len(self._ids)
            if row == len(self._matrix):
                room = np.zeros((row + max(_ROOM, row // 2), vector.shape[1]), dtype=np.float32)
                room[:row] = self._matrix[:row] if row else 0
                self._matrix = room
            self._ids.append(id_)
            self._row_of[id_] = row
        self._matrix[self._row_of[id_]] = vector[0]

    def remove(self, id_: int) -> None:
        """Remove a vector, if there is one; the last one takes its place."""
        row = self._row_of.pop(id_, None)
        if row is None:
            return
        last_id = self._ids.pop()
        if last_id != id_:
            self._ids[row] = last_id
            self._row_of[last_id] = row
            self._matrix[row] = self._matrix[len(self._ids)]

    def cosines(self, query: Vector) -> Cosines:
        """How near each row is to the query."""
        # Copies, since this table goes on while the answer is used.
        return Cosines(self._ids.copy(), self._row_of.copy(), cosines(query, self._matrix[: len(self._ids)]))


class Cosines(Mapping[int, float]):
    """How near some rows are to a query, from -1 to 1, by id: compared all at once, unpacked as far as is asked for.

    Most rows of a scope are not near a query at all, and to unpack them takes longer than to compare them.

    Args:
        ids: By place.
        row_of: By id.
        cosines: By place.
    """

    def __init__(self, ids: list[int], row_of: dict[int, int], cosines: Vector) -> None:
        self._ids = ids
        self._row_of = row_of
        self._cosines = cosines.astype(np.float64)  # as Python's numbers, which they are compared with

    def __getitem__(self, id_: int) -> float:
        return float(self._cosines[self._row_of[id_]])

    def __iter__(self) -> Iterator[int]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def unpacked(self) -> dict[int, float]:
        """All of them."""
        return dict(zip(self._ids, self._cosines.tolist(), strict=True))

    def above(self, floor: float) -> dict[int, float]:
        """Those that are nearer than that."""
        near = np.flatnonzero(self._cosines > floor)
        ids = map(self._ids.__getitem__, near.tolist())
        return dict(zip(ids, self._cosines[near].tolist(), strict=True))

    def unknown(self, scores: Mapping[int, float]) -> dict[int, float]:
        """The scores of what has no vector here."""
        row_of = self._row_of
        return {id_: score for id_, score in scores.items() if id_ not in row_of}


def read_matrix(stored: list[bytes]) -> Matrix:
    """Stored vectors as rows; their length is 1 but for the rounding of float16, which no ranking shows."""
    if not stored:
        return np.zeros((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(stored), dtype="<f2").reshape(len(stored), -1).astype(np.float32)
