"""From counts to numbers that people read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.stores.tx.usage_stats import ABOVE, Backlog, Counted, Kind
from zgadka.telemetry import MILLISECONDS
from zgadka.web.dashboard.charts import SPANS, Counts, growth, quantile, span_for, step_for
from zgadka.web.dashboard.pages import amount

NOW = datetime(2026, 3, 1, 12, 7, tzinfo=UTC)
BOUNDS = [round(bound * 1000) for bound in MILLISECONDS]


def one(what: str, name: str = "", outcome: str = "", number: int = 1, total: int = 0, ago: float = 0.0) -> Counted:
    return Counted(NOW - timedelta(hours=ago), Kind(what, name, outcome, 1000), number, total)


def tiles(board) -> dict[str, float | None]:
    return {tile.name: tile.value for tile in board.tiles}


@given(st.dictionaries(st.sampled_from([*BOUNDS, ABOVE]), st.integers(1, 1000), min_size=1))
def test_a_quantile_lies_within_its_bounds_and_grows_with_its_part(counts):
    values = [quantile(counts, part) or 0.0 for part in (0.01, 0.5, 0.95, 0.99, 1)]
    assert values == sorted(values)
    assert values[0] >= 0
    highest = max(counts)
    assert values[-1] * 1000 <= (BOUNDS[-1] if highest == ABOVE else highest) + 1e-6


def test_a_quantile_is_estimated_between_two_bounds():
    assert quantile({1000: 10}, 0.5) == 0.75  # between 0.5 and 1 ms
    assert quantile({500: 1, 5000: 1}, 0.75) == 3.5
    assert quantile({}, 0.5) is None


@pytest.mark.parametrize("span", SPANS)
def test_every_period_has_its_steps_and_the_last_is_now(span):
    length, step = SPANS[span]
    counts = Counts([one("call", "recall", "success")], now=NOW, span=span)
    assert len(counts.times) == length / step
    assert counts.times[-1] <= NOW.timestamp() < counts.times[-1] + step.total_seconds()
    assert counts.usage().charts[0].series["calls"][-1] == 1


def test_what_is_older_or_newer_does_not_count():
    counts = Counts(
        [one("call", "recall", "success", ago=25), one("call", "recall", "success", ago=-2)], now=NOW, span="24h"
    )
    assert tiles(counts.usage())["calls"] == 0


def test_usage_counts_answers_and_failures_by_tool():
    told = [one("call", "recall", "success", 8), one("call", "recall", "error", 1), one("call", "remember", "busy", 1)]
    board = Counts(told, now=NOW, span="24h").usage()
    assert tiles(board)["success"] == 0.8
    assert next(tile for tile in board.tiles if tile.name == "success").is_good is False
    assert [(line.tool, line.calls, line.share, round(line.success, 3)) for line in board.tools] == [
        ("recall", 9, 0.9, 0.889),
        ("remember", 1, 0.1, 0.0),
    ]


def test_behaviour_divides_by_what_it_says():
    told = [
        one("change", "fact", "created", 6),
        one("conversation", number=4),
        one("change", "episode", "created", 3),
        one("change", "fact", "updated", 4),
        one("change", "fact", "hidden", 1),
        one("change", "fact", "deleted", 1),
        one("call", "remember_fact", "success", 6),
        one("call", "remember_fact", "skipped", 2),
        one("call", "remember_fact", "conflict", 9),
        one("pattern", "recall_before_remember", number=3),
        one("pattern", "remember_without_recall", number=1),
        one("something", "of", "a newer version", 5),
    ]
    assert tiles(Counts(told, now=NOW, span="24h").behaviour()) == {
        "facts_per_conversation": 1.5,
        "episodes_per_day": 3.0,
        "update_forget_ratio": 2.0,
        "duplicate_rate": 0.25,
        "recall_before_remember": 0.75,
    }


def test_performance_tells_what_waits_and_how_long():
    told = [
        one("queue", number=2, total=5),
        one("task", "call", "done"),
        one("db_write", "remember"),
        one("task", "call", "failed"),
    ]
    backlog = Backlog(3, NOW - timedelta(seconds=90), 1, 2, NOW, 7)
    board = Counts(told, now=NOW, span="24h").performance(backlog, NOW)
    found = tiles(board)
    assert (found["queue_depth"], found["oldest_task"], found["parked"], found["unembedded"]) == (3, 90_000, 1, 7)
    assert board.charts[0].series["waiting"][-1] == 2.5
    assert board.charts[1].rows == [(board.charts[1].times[-1], (0.75, 0.975, 0.995))]
    assert {tile.name for tile in board.tiles if tile.is_good is False} == {"oldest_task", "parked"}


def test_nothing_counted_is_no_number():
    counts = Counts([], now=NOW, span="7d")
    assert all(chart.is_empty for chart in (*counts.usage().charts, *counts.behaviour().charts))
    assert set(tiles(counts.behaviour()).values()) == {None}


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (None, "number", "–"),
        (1234567, "number", "1\u202f234\u202f567"),
        (0.5, "percent", "50%"),
        (0.0625, "percent", "6.2%"),
        (0.45, "ms", "0.5 ms"),
        (250.4, "ms", "250 ms"),
        (2500, "ms", "2.5 s"),
        (90_000, "ms", "1.5 min"),
        (7_200_000, "ms", "2.0 h"),
        (1.005, "ratio", "1.00"),
    ],
)
def test_numbers_are_written_as_people_read_them(value, unit, text):
    assert amount(value, unit, "en") == text


def test_the_arms_are_counted_apart():
    counted = [
        one("arm", "tools", "conversation", 2),
        one("arm", "tools", "answered", 6),
        one("arm", "tools", "fallback", 3),
        one("arm", "tools", "failed", 1),
        one("arm", "tools", "remembered", 3),
        one("arm", "tools", "known", 1),
        one("arm", "automated", "conversation", 1),
        one("arm", "automated", "answered", 10),
        one("arm", "automated", "something of a newer version", 10),
        one("arm", "a newer arm", "answered", 10),
    ]
    board = Counts(counted, now=NOW, span="24h").rollout()
    assert tiles(board) == {"tools_share": 0.5, "fallbacks": 3, "fallback_rate": 0.3}
    tools, automated = board.arms
    assert (tools.conversations, tools.answers, tools.success, tools.remembered) == (2, 10, 0.6, 1.5)
    assert (tools.duplicates, tools.p50, tools.p95) == (0.25, 0.75, 0.975)
    assert (automated.success, automated.remembered, automated.duplicates) == (1, 0, None)
    assert [chart.series["tools"][-1] for chart in board.charts[:2]] == [10, 1.5]
    assert board.charts[3].series["fallbacks"][-1] == 3


def test_without_answers_the_arms_have_no_figures():
    board = Counts([], now=NOW, span="24h").rollout()
    assert tiles(board) == {"tools_share": None, "fallbacks": 0, "fallback_rate": None}
    assert [one.p50 for one in board.arms] == [None, None]


@pytest.mark.parametrize(
    ("first", "last", "span"),
    [
        (timedelta(minutes=20), timedelta(0), "2h"),
        (timedelta(hours=5), timedelta(hours=1), "8h"),
        (timedelta(hours=20), timedelta(0), "24h"),
        (timedelta(days=300), timedelta(hours=1), "24h"),
        (timedelta(days=300), timedelta(days=3), "7d"),
        (timedelta(days=300), timedelta(days=100), "24h"),
    ],
)
def test_charts_begin_with_the_span_of_their_data(first, last, span):
    assert span_for((NOW - first, NOW - last), NOW) == span


def test_without_data_charts_begin_with_a_day():
    assert span_for(None, NOW) == "24h"


def test_growth_counts_what_is_new_by_kind():
    hour = timedelta(hours=1)
    begins = NOW.replace(minute=0)
    chart = growth([("fact", begins, 2), ("note", begins - 7 * hour, 1)], hour, NOW)
    assert [sum(filter(None, values)) for values in chart.series.values()] == [2, 1, 0, 0]
    assert chart.series["fact"][-1] == 2
    assert chart.series["note"][0] == 1
    assert len(chart.times) == 8


def test_growth_of_nothing_is_empty():
    assert growth([], timedelta(days=1), NOW).is_empty


@given(st.timedeltas(timedelta(0), timedelta(days=1800)))
def test_a_chart_has_as_many_steps_as_can_be_read(length):
    step = step_for(length)
    assert length / step <= 60
    assert length < timedelta(minutes=30) or length / step >= 5


def test_numbers_have_the_units_and_the_comma_of_the_language():
    numbers = [(0.333, "percent"), (1234.5, "ms"), (12.34, "ms"), (250.4, "ms"), (5 * 1048576, "bytes"), (1.5, "ratio")]
    ukrainian = ["33,3\u00a0%", "1,2 с", "12,3 мс", "250 мс", "5,0 МБ", "1,50"]
    assert [amount(value, unit, "uk") for value, unit in numbers] == ukrainian
