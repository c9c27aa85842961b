"""Scores of different kinds on one scale."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.search.fusion import scale_by_max, sum_scores

scores = st.dictionaries(st.integers(0, 9), st.floats(0.001, 1000))


@given(scores, st.floats(0.1, 10))
def test_the_scale_of_a_ranker_does_not_matter(some: dict[int, float], factor: float) -> None:
    larger = {key: score * factor for key, score in some.items()}
    assert scale_by_max(larger) == pytest.approx(scale_by_max(some))
    assert max(scale_by_max(some).values(), default=1.0) == 1.0


def test_without_a_score_above_zero_there_is_nothing() -> None:
    assert scale_by_max({}) == {}
    assert scale_by_max({1: 0.0}) == {}


@given(scores, scores)
def test_the_order_of_the_parts_does_not_matter(one: dict[int, float], other: dict[int, float]) -> None:
    assert sum_scores(one, other) == sum_scores(other, one)


def test_what_a_part_does_not_hold_counts_as_zero_there() -> None:
    assert sum_scores({1: 1.0, 2: 0.5}, {2: 1.0, 3: 0.25}) == {1: 1.0, 2: 1.5, 3: 0.25}


def test_adding_changes_neither_part() -> None:
    one, other = {1: 1.0}, {1: 2.0, 2: 1.0}
    sum_scores(one, other)
    assert (one, other) == ({1: 1.0}, {1: 2.0, 2: 1.0})
