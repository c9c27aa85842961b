"""The vectors of an index in memory, and how near they are to a query; numpy is loaded when a query first has one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from zgadka.model.query_vector import Meaning
from zgadka.stores.tx.vectors import VectorChange

if TYPE_CHECKING:  # numpy comes with an extra
    from zgadka.search.embedders.vectors import Matrix, Vector

_ROOM = 64
_ROW_BYTES = 100
"""Of a row's id and place; measured with tracemalloc (benchmarks/recall.py)."""


class Vectors:
    """The vectors of some rows, by id: those of the embedder that queries use; none until a query has a vector."""

    def __init__(self) -> None:
        self.clear()

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return 0 if self._matrix is None else self._matrix.nbytes + _ROW_BYTES * len(self._ids)

    def cosines(self, meaning: Meaning, read: Callable[[], Iterable[tuple[int, bytes]]]) -> Cosines:
        """How near each row is to the query that has a vector.

        Args:
            read: Reads id and vector of the rows, as `put` takes them, where they are not here yet.
        """
        from zgadka.search.embedders.vectors import cosines, read_matrix  # noqa: PLC0415  (numpy comes with an extra)

        if self._matrix is None or (self._embedder, self._numbers) != (meaning.embedder, len(meaning.vector)):
            stored = read()
            self._embedder, self._numbers = meaning.embedder, len(meaning.vector)
            rows = [(id_, vector) for id_, vector in stored if len(vector) == 2 * self._numbers]
            self._ids = [id_ for id_, _ in rows]
            self._row_of = {id_: row for row, id_ in enumerate(self._ids)}
            self._matrix = read_matrix([vector for _, vector in rows])
        # Copies, since these go on while the answer is used.
        near = cosines(meaning.vector, self._matrix[: len(self._ids)])
        return Cosines(self._ids.copy(), self._row_of.copy(), near)

    def put(self, change: VectorChange) -> None:
        """Keep a new vector (float16, little-endian), unless it is of another embedder or size."""
        if self._matrix is None or (change.embedder, len(change.numbers)) != (self._embedder, 2 * self._numbers):
            return
        from zgadka.search.embedders.vectors import read_matrix, with_room  # noqa: PLC0415  (as above)

        row = self._row_of.setdefault(change.id, len(self._ids))
        if row == len(self._ids):
            self._ids.append(change.id)
            if row == len(self._matrix):
                self._matrix = with_room(self._matrix, max(_ROOM, row // 2), self._numbers)
        self._matrix[row] = read_matrix([change.numbers])[0]

    def remove(self, id_: int) -> None:
        """Remove a row's vector, if it has one; the last one takes its place."""
        row = self._row_of.pop(id_, None)
        if row is None or self._matrix is None:
            return
        last_id = self._ids.pop()
        if last_id != id_:
            self._ids[row] = last_id
            self._row_of[last_id] = row
            self._matrix[row] = self._matrix[len(self._ids)]

    def clear(self) -> None:
        """Forget the vectors; the next query reads them again."""
        self._embedder = self._numbers = 0
        self._ids: list[int] = []
        self._row_of: dict[int, int] = {}
        self._matrix: Matrix | None = None


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
        self._cosines = cosines.astype("f8")  # as Python's numbers, which they are compared with

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
        near = (self._cosines > floor).nonzero()[0]
        ids = map(self._ids.__getitem__, near.tolist())
        return dict(zip(ids, self._cosines[near].tolist(), strict=True))

    def unknown(self, scores: Mapping[int, float]) -> dict[int, float]:
        """The scores of what has no vector here."""
        row_of = self._row_of
        return {id_: score for id_, score in scores.items() if id_ not in row_of}
