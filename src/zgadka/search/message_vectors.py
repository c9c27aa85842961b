"""The vectors of one chat's messages, in one matrix. numpy comes with an extra, and is loaded with the first vector."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zgadka.search.embedders.vectors import Vector


class MessageVectors:
    """The messages' vectors, in one matrix."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._free: list[int] = []
        self._matrix: Vector | None = None

    def put(self, message_id: int, vector: Vector) -> None:
        """Keep a message's vector; one of another size than the others' starts afresh."""
        import numpy as np  # noqa: PLC0415

        if self._matrix is None or self._matrix.shape[1] != len(vector):
            self._rows, self._free = {}, []
            self._matrix = np.zeros((64, len(vector)), dtype=np.float32)
        row = self._rows.get(message_id)
        if row is None:
            row = self._free.pop() if self._free else len(self._rows)
            if row == len(self._matrix):
                self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
            self._rows[message_id] = row
        self._matrix[row] = vector

    def remove(self, message_id: int) -> None:
        """Take a message's vector away, if it has one."""
        row = self._rows.pop(message_id, None)
        if row is not None and self._matrix is not None:
            self._matrix[row] = 0  # erased means no copy anywhere
            self._free.append(row)

    def compare(
        self, query: Vector, ids: Sequence[int], talks: Sequence[int]
    ) -> tuple[list[float], list[float]] | None:
        """How near in meaning each message is, and it with its two neighbours: from 0, the farthest, to 1.

        None where there are no vectors of the query's size.

        Args:
            query: Of length 1, as the vectors are.
            ids: The messages in their order.
            talks: The talk of each; neighbours are in one talk.
        """
        if self._matrix is None or not self._rows or self._matrix.shape[1] != len(query):
            return None
        import numpy as np  # noqa: PLC0415

        rows = np.fromiter((self._rows.get(one, -1) for one in ids), np.int64, len(ids))
        cosines = (self._matrix @ query)[rows]
        # A message whose vector is still being made is neither near nor far.
        cosines[rows < 0] = cosines[rows >= 0].mean()
        sessions = np.array(talks)
        together = sessions[1:] == sessions[:-1]
        total, count = cosines.copy(), np.ones(len(cosines), dtype=np.float32)
        total[1:] += together * cosines[:-1]
        total[:-1] += together * cosines[1:]
        count[1:] += together
        count[:-1] += together
        return _stretch(cosines), _stretch(total / count)


def _stretch(values: Vector) -> list[float]:
    least, most = float(values.min()), float(values.max())
    return [0.0] * len(values) if most <= least else ((values - least) / (most - least)).tolist()
