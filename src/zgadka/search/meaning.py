"""What a query means, and how near the memories of a scope are to it. Loaded where an embedder is used only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from zgadka.search.embedders.vectors import cosines

if TYPE_CHECKING:
    from zgadka.search.embedders.vectors import Matrix, Vector

_ROOM = 64


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
        rows = [(id_, one) for id_, one in stored if len(one) == 2 * numbers]
        self._ids = [id_ for id_, _ in rows]
        self._places = {id_: place for place, id_ in enumerate(self._ids)}
        self._matrix = read_matrix([numbers for _, numbers in rows])

    @property
    def size(self) -> int:
        """Bytes."""
        return self._matrix.nbytes

    def put(self, id_: int, numbers: bytes) -> None:
        """Keep a new vector, unless it is of another size."""
        if len(numbers) != 2 * self.numbers:
            return
        vector = read_matrix([numbers])
        if id_ not in self._places:
            place = len(self._ids)
            if place == len(self._matrix):
                room = np.zeros((place + max(_ROOM, place // 2), vector.shape[1]), dtype=np.float32)
                room[:place] = self._matrix[:place] if place else 0
                self._matrix = room
            self._ids.append(id_)
            self._places[id_] = place
        self._matrix[self._places[id_]] = vector[0]

    def remove(self, id_: int) -> None:
        """Remove a vector, if there is one; the last one takes its place."""
        place = self._places.pop(id_, None)
        if place is None:
            return
        last = self._ids.pop()
        if last != id_:
            self._ids[place] = last
            self._places[last] = place
            self._matrix[place] = self._matrix[len(self._ids)]

    def cosines(self, query: Vector) -> dict[int, float]:
        """How near each row is to the query, from -1 to 1."""
        found = cosines(query, self._matrix[: len(self._ids)])
        return dict(zip(self._ids, found.tolist(), strict=True))


def read_matrix(stored: list[bytes]) -> Matrix:
    """Stored vectors as rows; their length is 1 but for the rounding of float16, which no ranking shows."""
    if not stored:
        return np.zeros((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(stored), dtype="<f2").reshape(len(stored), -1).astype(np.float32)
