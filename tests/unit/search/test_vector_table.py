"""The vectors of a scope in memory, and how near they are to a query."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.model.query_vector import Meaning
from zgadka.search.embedders.vectors import to_bytes, unit_rows
from zgadka.search.vector_cache import Cosines, Vectors
from zgadka.stores.tx.vectors import VectorChange

SIZE = 3
QUERY = unit_rows([[1, 2, 3]])[0]
MEANING = Meaning("", 1, QUERY, 0.0, 0.0, 1.0)

ids = st.integers(1, 8)
numbers = st.tuples(*[st.integers(1, 9)] * SIZE)


def stored(given: tuple[int, ...]) -> bytes:
    return to_bytes(unit_rows([given])[0])


def table_of(*rows: tuple[int, bytes]) -> Vectors:
    table = Vectors()
    table.cosines(MEANING, lambda: rows)
    return table


def compare(table: Vectors) -> Cosines:
    return table.cosines(MEANING, list)


def put(table: Vectors, id_: int, vector: bytes) -> None:
    table.put(VectorChange(id_, 1, vector))


def cosine(given: tuple[int, ...]) -> float:
    return float(unit_rows([given])[0] @ QUERY)


@given(st.dictionaries(ids, numbers), st.lists(st.tuples(ids, numbers | st.none()), max_size=30), st.floats(-1, 1))
def test_the_nearest_are_found_whatever_came_and_went(
    vectors: dict[int, tuple[int, ...]], changes: list[tuple[int, tuple[int, ...] | None]], floor: float
) -> None:
    table = table_of(*((id_, stored(given)) for id_, given in vectors.items()))
    for id_, given_ in changes:
        vectors.pop(id_, None)
        if given_ is None:
            table.remove(id_)
        else:
            put(table, id_, stored(given_))
            vectors[id_] = given_
    found = compare(table)
    assert found == pytest.approx({id_: cosine(given) for id_, given in vectors.items()}, abs=1e-3)
    assert found.unpacked() == dict(found)
    assert found.above(floor) == {id_: near for id_, near in found.items() if near > floor}
    assert found.unknown(dict.fromkeys(range(10), 0.5)) == {id_: 0.5 for id_ in range(10) if id_ not in vectors}


def test_what_was_found_stays_as_it_was_when_the_table_goes_on() -> None:
    table = table_of((1, stored((1, 2, 3))), (2, stored((3, 2, 1))))
    found = compare(table)
    before = dict(found)
    put(table, 3, stored((1, 1, 1)))
    table.remove(1)
    assert (dict(found), len(found)) == (before, 2)
    assert found.unknown({1: 1.0, 3: 1.0}) == {3: 1.0}


def test_what_is_as_near_as_the_floor_is_not_above_it() -> None:
    found = compare(table_of((1, stored((3, 2, 1)))))
    assert found.above(found[1]) == {}
    assert found.above(float(np.nextafter(found[1], -1))) == {1: found[1]}  # less than float32 can tell apart


def test_a_vector_of_another_size_is_left_out() -> None:
    table = table_of((1, stored((1, 2, 3, 4))))
    put(table, 2, stored((1, 2)))
    assert dict(compare(table)) == {}
