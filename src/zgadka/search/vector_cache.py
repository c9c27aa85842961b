"""The vectors of an index in memory: read when a query first has one, changed with their texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from zgadka.model.query_vector import Meaning
from zgadka.stores.tx.vectors import VectorChange

if TYPE_CHECKING:
    from zgadka.search.vector_search import Cosines, VectorTable


class Vectors:
    """The vectors of an index, of the embedder that queries use; none until the first query that has a vector."""

    def __init__(self) -> None:
        self._table: VectorTable | None = None

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return 0 if self._table is None else self._table.size

    def cosines(self, meaning: Meaning, read: Callable[[], list[tuple[int, bytes]]]) -> Cosines:
        """How near each row is to the query that has a vector.

        Args:
            read: Reads the vectors of the query's embedder, where they are not here yet.
        """
        table = self._table
        if table is None or (table.embedder, table.numbers) != (meaning.embedder, len(meaning.vector)):
            self._table = table = vector_table(meaning, read())
        return table.cosines(meaning.vector)

    def put(self, change: VectorChange) -> None:
        """Follow a new vector."""
        if self._table is not None and self._table.embedder == change.embedder:
            self._table.put(change.id, change.numbers)

    def remove(self, id_: int) -> None:
        """Remove a row's vector, if it has one."""
        if self._table is not None:
            self._table.remove(id_)

    def clear(self) -> None:
        """Forget the vectors; the next query reads them again."""
        self._table = None


def vector_table(meaning: Meaning, stored: list[tuple[int, bytes]]) -> VectorTable:
    """The vectors as a table; numpy is loaded now, since it comes with the extra that made them."""
    from zgadka.search.vector_search import VectorTable as Table  # noqa: PLC0415  (as said)

    return Table(meaning.embedder, len(meaning.vector), stored)
