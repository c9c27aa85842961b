"""Vectors: their check, their stored form, their likeness. Needs numpy, so import it where an embedder is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float32]
"""One row."""
Matrix: TypeAlias = npt.NDArray[np.float32]
"""One row for each text."""

_STORED = np.dtype("<f2")


def unit_rows(rows: Any) -> Matrix:
    """Make rows of numbers a matrix whose rows have length 1.

    Raises:
        ValueError: Not rows of numbers, of different lengths, not finite, or a row of zeros, which has no direction.
    """
    try:
        wide = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("not rows of numbers of one length") from error
    if wide.ndim != 2 or wide.shape[1] == 0:
        raise ValueError("not rows of numbers of one length")
    if not np.isfinite(wide).all():
        raise ValueError("a number in a vector is not finite")
    # Divided by the largest first, so that no square overflows.
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0)
    if not largest.all():
        raise ValueError("a vector is all zeros")
    wide /= largest
    return (wide / np.linalg.norm(wide, axis=1, keepdims=True)).astype(np.float32)


def no_rows() -> Matrix:
    """Return the vectors of no texts."""
    return np.zeros((0, 0), dtype=np.float32)


def to_bytes(vector: Vector) -> bytes:
    """Write a vector as it is stored: float16, little-endian."""
    return vector.astype(_STORED).tobytes()


def matrix_from_bytes(stored: Sequence[bytes]) -> Matrix:
    """Read stored vectors of one embedder as rows whose length is 1 again, which rounding had changed.

    Raises:
        ValueError: Not vectors' bytes, or of different lengths.
    """
    if not stored:
        return no_rows()
    size = len(stored[0])
    if size == 0 or size % _STORED.itemsize or any(len(vector) != size for vector in stored):
        raise ValueError("not stored vectors of one length")
    return unit_rows(read_matrix(stored))


def read_matrix(stored: Sequence[bytes]) -> Matrix:
    """Read stored vectors of one length as rows; theirs is 1 but for rounding, which no ranking shows."""
    if not stored:
        return no_rows()
    return np.frombuffer(b"".join(stored), dtype=_STORED).reshape(len(stored), -1).astype(np.float32)


def with_room(matrix: Matrix, rows: int, numbers: int) -> Matrix:
    """Copy a matrix, with so many more rows of so many numbers behind its own."""
    larger = np.zeros((len(matrix) + rows, numbers), dtype=np.float32)
    larger[: len(matrix)] = matrix if len(matrix) else 0
    return larger


def cosines(query: Vector, matrix: Matrix) -> Vector:
    """Compare one vector with each row: 1 for the same direction, 0 for nothing in common. All of length 1.

    Raises:
        ValueError: The query's length is not the rows'; they are of different embedders.
    """
    if len(matrix) == 0:
        return np.zeros(0, dtype=np.float32)
    if matrix.shape[1] != len(query):
        raise ValueError(f"a query of {len(query)} numbers and rows of {matrix.shape[1]}")
    # Not `@`: it wakes BLAS's threads, which at times take a hundred times as long as the sums.
    return np.einsum("ij,j->i", matrix, query)
