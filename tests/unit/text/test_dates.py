"""Dates as people write them; what libraries make of the same stands in `zgadka.text.dates`."""

from __future__ import annotations

import subprocess
import sys
from datetime import date

import pytest

from zgadka.text.dates import days_named

SAID = date(2025, 9, 14)  # a Sunday

NAMED = {
    # The cases of issue 11
    "June 2025": "2025-06-01 2025-06-30",
    "last spring": "2025-03-01 2025-05-31",
    "since 2020": "2020-01-01 2020-12-31",
    "навесні 2021": "2021-03-01 2021-05-31",
    "з червня": "2025-06-01 2025-06-30",
    "торік": "2024-01-01 2024-12-31",
    "два роки тому": "2023-09-01 2023-09-30",
    # Numbers
    "2024-05": "2024-05-01 2024-05-31",
    "5/2020": "2020-05-01 2020-05-31",
    "03.04.2020": "2020-04-03 2020-04-03",
    "25/12/2020": "2020-12-25 2020-12-25",
    "12/25/2020": "2020-12-25 2020-12-25",
    "1990s": "1990-01-01 1999-12-31",
    "Q3 2024": "2024-07-01 2024-09-30",
    # Words
    "3-го травня 2020 р.": "2020-05-03 2020-05-03",
    "the 3rd of May, 2020": "2020-05-03 2020-05-03",
    "у травні минулого року": "2024-05-01 2024-05-31",
    "торік восени": "2024-09-01 2024-11-30",
    "next month": "2025-10-01 2025-10-31",
    "in two weeks": "2025-09-22 2025-09-28",
    "last autumn": "2024-09-01 2024-11-30",
    "last winter": "2024-12-01 2025-02-28",
    "з понеділка": "2025-09-08 2025-09-08",
    "May 3": "2025-05-03 2025-05-03",
    "December": "2024-12-01 2024-12-31",
    "позавчора": "2025-09-12 2025-09-12",
    "пів року тому": "2025-03-01 2025-03-31",
    "early 2024": "2024-01-01 2024-04-30",
    "наприкінці 2019": "2019-12-01 2019-12-31",
    "9999-12": "9999-12-01 9999-12-31",
}


@pytest.mark.parametrize("text", NAMED)
def test_what_people_write_is_understood(text: str):
    days = days_named(text, SAID)
    assert days is not None
    assert f"{days.first} {days.last}" == NAMED[text]


@pytest.mark.parametrize(
    "text", ["when I was young", "31 лютого 2020", "2018-2020", "a few years ago", "since", "", "13/13/2020", "0000"]
)
def test_what_names_no_days_is_not_guessed(text: str):
    assert days_named(text, SAID) is None


def test_a_day_that_is_written_both_ways_is_read_by_language_alone():
    read = {language: days_named("03/04/2020", SAID, language=language) for language in ("en", "uk", None)}
    assert {language: days and str(days.first) for language, days in read.items()} == {
        "en": "2020-03-04",
        "uk": "2020-04-03",
        None: None,
    }


def test_the_words_of_dates_are_read_only_when_a_date_is():
    script = (
        "import sys, zgadka; dates = sys.modules.get('zgadka.text.dates'); "
        "print(0 if dates is None else dates._table.cache_info().currsize)"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "0"
