"""Days that sentences name: `tests/data/dates.md`."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.calendar_days import holidays
from zgadka.text.time_mentions import MentionedDays, days_mentioned
from zgadka.text.time_words import beginnings

LABELLED: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[2] / "data/dates.jsonl").read_text("utf-8").splitlines()
]
TODAY = date(2026, 11, 27)  # a Friday


def mentioned(text: str, today: date = TODAY) -> str:
    return " ".join(f"{days.first}..{days.last}" for days in days_mentioned(text, today))


def is_read_right(labelled: dict[str, Any]) -> bool:
    """Whether the days are those of the label, or lie within it where that is a width."""
    days = days_mentioned(labelled["text"], date.fromisoformat(labelled["today"][:10]))
    if labelled["start"] is None or not days:
        return labelled["start"] is None and not days
    start, end = date.fromisoformat(labelled["start"]), date.fromisoformat(labelled["end"])
    return start <= days[0].first and days[0].last <= end


@pytest.mark.parametrize("language", ["en", "uk"])
def test_at_least_97_of_100_times_are_read(language):
    named = [labelled for labelled in LABELLED if labelled["lang"] == language and labelled["start"]]
    wrong = [labelled["text"] for labelled in named if not is_read_right(labelled)]
    assert len(wrong) <= 0.03 * len(named), wrong


def test_what_only_looks_like_a_day_is_none():
    wrong = [labelled["text"] for labelled in LABELLED if not labelled["start"] and not is_read_right(labelled)]
    assert not wrong


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("the weekend after next", "2026-12-12..2026-12-13"),
        ("what is on next quarter", "2027-01-01..2027-03-31"),
        ("this coming weekend", "2026-11-28..2026-11-29"),
        ("a week and a half ago", "2026-11-15..2026-11-19"),
        ("a fortnight ago", "2026-11-11..2026-11-15"),
        ("a decade ago", "2016-01-01..2016-12-31"),
        ("ten weeks ago", "2026-09-15..2026-09-21"),
        ("a couple of years ago", "2023-01-01..2024-12-31"),
        ("twenty-two days ago", "2026-11-05..2026-11-05"),
        ("over the last fortnight", "2026-11-13..2026-11-27"),
        ("in the past decade", "2016-11-27..2026-11-27"),
        ("in the last half year", "2026-05-27..2026-11-27"),
        ("in the last 48 hours", "2026-11-25..2026-11-27"),
        ("three weeks from now", "2026-12-16..2026-12-20"),
        ("in six months we move", "2027-05-12..2027-06-11"),
        ("in five years we move", "2031-01-01..2031-12-31"),
        ("in half a year we move", "2027-05-12..2027-06-11"),
        ("in 2 fortnights", "2026-12-09..2026-12-13"),
        ("the end of this week", "2026-11-27..2026-11-27"),
        ("at the beginning of last week", "2026-11-16..2026-11-17"),
        ("the first half of May", "2026-05-01..2026-05-15"),
        ("the second half of 2025", "2025-07-01..2025-12-31"),
        ("late summer 2025", "2025-08-01..2025-08-31"),
        ("early in the month of March", "2026-03-01..2026-03-10"),
        ("the last week of June", "2026-06-24..2026-06-30"),
        ("the fifth Friday of May", "2026-05-29..2026-05-29"),
        ("from March to now", "2026-03-01..2026-11-27"),
        ("from June 2024 to March 2025", "2024-06-01..2025-03-31"),
        ("we will be there from Monday to Wednesday", "2026-11-30..2026-12-02"),
        ("next Christmas", "2026-12-24..2026-12-26"),
        ("last Easter", "2026-04-05..2026-04-05"),
        ("Black Friday", "2025-11-28..2025-11-28"),
        ("on Mother's Day", "2026-05-10..2026-05-10"),
        ("Monday, May 5", "2025-05-05..2025-05-05"),
        ("Monday, May 6", "2026-05-06..2026-05-06"),  # none of three years
        ("yesterday, November 26", "2026-11-26..2026-11-26"),
        ("on 25.12", "2025-12-25..2025-12-25"),
        ("in 05.2024", "2024-05-01..2024-05-31"),
        ("with effect from tomorrow", "2026-11-28..2026-11-28"),
        ("in the year 2020", "2020-01-01..2020-12-31"),
        ("from the 3rd to the 7th of June", "2026-06-03..2026-06-07"),
        ("from Friday to Monday we will be away", "2026-12-04..2026-12-07"),
        ("between December and January", "2025-12-01..2026-01-31"),
        ("on 3/5 what did I do", "2026-03-05..2026-03-05"),
        ("next autumn we will go", "2027-09-01..2027-11-30"),
        ("this Friday I ate fish", "2026-11-27..2026-11-27"),
        ("this Monday we will eat fish", "2026-11-30..2026-11-30"),
        ("this weekend we saw it", "2026-11-21..2026-11-22"),
        ("two years ago on Friday", "2024-11-29..2024-11-29"),
        ("after tomorrow", "2026-11-28..2026-11-28"),
        ("минулого 2024 року", "2024-01-01..2024-12-31"),
        ("before the wedding", ""),
        ("on 31.02.2024", ""),
        ("30 February", "2026-02-01..2026-02-28"),
        ("since when", ""),
        ("between you and me", ""),
        ("in 2000 words", ""),
        ("back to work", ""),
        ("IV квартал 2025", "2025-10-01..2025-12-31"),
        ("у першому півріччі 2025", "2025-01-01..2025-06-30"),
        ("позаторішньої зими", "2024-12-01..2025-02-28"),
        ("на День Незалежності поїдемо", "2027-08-24..2027-08-24"),
        ("наступних вихідних", "2026-12-05..2026-12-06"),
        ("через день після свята", ""),
        ("з сьогодні", "2026-11-27..2026-11-27"),
    ],
)
def test_the_grammar_knows(text, days):
    assert mentioned(text) == days


def test_a_part_of_this_month_that_has_not_come_is_that_of_the_last_one():
    assert mentioned("at the end of the month I was paid", date(2026, 11, 10)) == "2026-10-21..2026-10-31"
    assert mentioned("at the end of the month I will be paid", date(2026, 11, 10)) == "2026-11-21..2026-11-30"


def test_several_times_are_told_in_order_and_today_only_alone():
    assert mentioned("what did I do yesterday and on Monday") == "2026-11-26..2026-11-26 2026-11-23..2026-11-23"
    assert mentioned("tell me today what I said yesterday") == "2026-11-26..2026-11-26"
    assert mentioned("tell me today") == "2026-11-27..2026-11-27"


def test_what_is_quoted_says_nothing_of_the_sentence():
    assert mentioned("who wrote «Завтра була війна»?") == ""
    assert mentioned('"yesterday"') == "2026-11-26..2026-11-26"


def test_a_day_of_every_year_is_told_apart_from_one_of_this_year():
    assert days_mentioned("what happened in May", TODAY)[0].is_of_any_year
    assert not days_mentioned("what happened in May 2026", TODAY)[0].is_of_any_year
    assert not days_mentioned("what will be in May", TODAY)[0].is_of_any_year
    assert days_mentioned("on May 3", TODAY) == [MentionedDays(date(2026, 5, 3), date(2026, 5, 3), True, True)]


@pytest.mark.parametrize(("year", "western", "eastern"), [(2024, "03-31", "05-05"), (2025, "04-20", "04-20")])
def test_easter_is_two_days(year, western, eastern):
    easter = holidays()[("easter",)].of_year(year)[0].first
    orthodox = holidays()[("великдень",)].of_year(year)[0].first
    assert (easter.isoformat()[5:], orthodox.isoformat()[5:]) == (western, eastern)


@given(
    st.lists(
        st.one_of(st.sampled_from(sorted(beginnings())), st.integers(0, 2100).map(str), st.text(max_size=3)), max_size=6
    ),
    st.one_of(st.dates(), st.sampled_from([date.min, date.max, date(2024, 2, 29)])),
)
def test_any_words_on_any_day_are_read(words, today):
    for days in days_mentioned(" ".join(words), today):
        assert days.first <= days.last


@pytest.mark.parametrize(
    "text", ["що я робив з 28 по 3 травня", "what happened on May 15-10", "between the 28th and May 3?"]
)
def test_no_range_ends_before_it_begins(text: str) -> None:
    for today in (date(2024, 6, 12), date(2024, 2, 29)):
        assert all(days.first <= days.last for days in days_mentioned(text, today))
