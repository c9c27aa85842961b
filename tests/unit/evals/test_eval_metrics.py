"""Recall, nDCG, reciprocal rank and their intervals, against values worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.evals.metrics import (
    Estimate,
    estimate,
    measure,
    ndcg_at,
    proportion,
    quantile,
    recall_at,
    reciprocal_rank,
    without_repeats,
)


def test_recall_is_the_share_of_what_is_wanted() -> None:
    assert recall_at(["a", "x", "b"], {"a", "b", "c", "d"}, 3) == 0.5
    assert recall_at(["a", "x", "b"], {"b"}, 2) == 0.0


def test_ndcg_is_worth_less_further_down() -> None:
    assert ndcg_at(["a", "b"], {"a", "b"}, 10) == 1.0
    assert ndcg_at(["x", "a"], {"a"}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg_at(["x", "a"], {"a"}, 1) == 0.0
    assert ndcg_at(["a", "x", "b"], {"a", "b"}, 10) == pytest.approx((1 + 0.5) / (1 + 1 / math.log2(3)))


def test_reciprocal_rank_is_of_the_first_that_is_wanted() -> None:
    assert reciprocal_rank(["x", "y", "a", "b"], {"a", "b"}) == pytest.approx(1 / 3)
    assert reciprocal_rank([], {"a"}) == 0.0


def test_all_measures_have_their_names() -> None:
    assert list(measure(["a"], {"a"}, (5, 10))) == ["recall@5", "recall@10", "nDCG@10", "MRR"]


def test_a_session_stands_where_its_best_turn_stood() -> None:
    assert without_repeats(["b", "a", "b", "c", "a"]) == ["b", "a", "c"]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_the_mean_lies_in_its_interval(values: list[float]) -> None:
    one = estimate([{"m": value} for value in values], 200)["m"]
    assert one.low - 1e-9 <= one.mean <= one.high + 1e-9 or len(set(values)) > 1
    assert min(values) - 1e-9 <= one.low <= one.high <= max(values) + 1e-9


def test_more_questions_make_the_interval_narrower() -> None:
    few, many = (estimate([{"m": float(place % 2)} for place in range(size)])["m"] for size in (20, 2000))
    assert few.mean == many.mean == 0.5
    assert many.high - many.low < few.high - few.low
    assert few == estimate([{"m": float(place % 2)} for place in range(20)])["m"]


def test_without_questions_there_is_nothing_to_average() -> None:
    assert estimate([]) == {}


@pytest.mark.parametrize(
    ("events", "cases", "low", "high"),
    [(0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (10, 100, 0.0552, 0.1744), (10, 10, 0.7225, 1.0)],
)
def test_a_share_has_the_interval_of_wilson(events: int, cases: int, low: float, high: float) -> None:
    found = proportion(events, cases)
    assert (found.mean, round(found.low, 4), round(found.high, 4)) == (events / cases, low, high)


def test_of_no_cases_nothing_is_known() -> None:
    assert proportion(0, 0) == Estimate(0.0, 0.0, 1.0)


@given(st.integers(1, 10**6), st.data())
def test_a_share_lies_in_its_interval(cases: int, data: st.DataObject) -> None:
    found = proportion(data.draw(st.integers(0, cases)), cases)
    assert 0 <= found.low <= found.mean <= found.high <= 1


def test_a_quantile_is_one_of_the_values_and_its_interval_holds_it() -> None:
    slow = quantile([0.1] * 90 + [5.0] * 10, 0.95)
    assert slow == Estimate(5.0, slow.low, slow.high)
    assert slow.low <= 5.0 <= slow.high
    assert quantile([2.0], 0.95) == Estimate(2.0, 2.0, 2.0)
    assert quantile([3.0, 1.0, 2.0], 0.5).mean == 2.0
    with pytest.raises(ValueError, match="of nothing"):
        quantile([], 0.5)
