"""Vectors: refused where they make no sense, kept in half the bytes, compared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.embedders.vectors import cosines, matrix_from_bytes, no_rows, to_bytes, unit_rows

rows = st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3).filter(any)


@given(st.lists(rows, min_size=1, max_size=5))
def test_rows_of_any_size_get_length_1(given_rows: list[list[float]]) -> None:
    found = unit_rows(given_rows)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("nonsense", "complaint"),
    [
        ([[1.0, float("nan")]], "not finite"),
        ([[1.0, float("inf")]], "not finite"),
        ([[None, 1.0]], "not finite"),
        ([[0.0, 0.0]], "all zeros"),
        ([[1.0, 2.0], [1.0]], "not rows of numbers of one length"),
        ([[1.0], "text"], "not rows of numbers"),
        ([[10**400]], "not rows of numbers"),
        ([[{}]], "not rows of numbers"),
        ([1.0, 2.0], "not rows of numbers"),
        ([[]], "not rows of numbers"),
        ([[[1.0]]], "not rows of numbers"),
    ],
)
def test_what_is_no_vector_is_refused(nonsense: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        unit_rows(nonsense)


@given(rows)
def test_a_stored_vector_points_where_it_pointed(row: list[float]) -> None:
    vector = unit_rows([row])[0]
    stored = to_bytes(vector)
    assert len(stored) == 2 * len(vector)
    read = matrix_from_bytes([stored])[0]
    assert abs(float(np.linalg.norm(read)) - 1) < 1e-6
    assert float(read @ vector) > 0.9999


def test_the_bytes_are_little_endian_on_every_machine() -> None:
    assert to_bytes(np.array([1, 0, -0.5], dtype=np.float32)) == b"\x00\x3c\x00\x00\x00\xb8"


def test_many_stored_vectors_are_read_at_once() -> None:
    made = unit_rows(np.random.default_rng(0).normal(size=(50, 384)))
    read = matrix_from_bytes([to_bytes(one) for one in made])
    assert np.abs(read - made).max() < 1e-3
    assert matrix_from_bytes([]).shape == no_rows().shape == (0, 0)


@pytest.mark.parametrize("stored", [[b""], [b"abc"], [b"ab", b"abcd"], [b"\x00\x7c"], [b"\x00\x00"]])
def test_damaged_bytes_are_refused(stored: list[bytes]) -> None:
    with pytest.raises(ValueError, match="vector"):
        matrix_from_bytes(stored)


def test_cosines_are_1_for_the_same_and_0_for_nothing_in_common() -> None:
    matrix = unit_rows([[2, 0], [0, 5], [-1, 0], [3, 3]])
    assert np.allclose(cosines(matrix[0], matrix), [1, 0, -1, 0.5**0.5])
    assert cosines(matrix[0], no_rows()).shape == (0,)
    with pytest.raises(ValueError, match="a query of 3 numbers and rows of 2"):
        cosines(unit_rows([[1, 2, 3]])[0], matrix)
