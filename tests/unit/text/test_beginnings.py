"""A time dates a value where it says when that began, and nothing else can be meant."""

from __future__ import annotations

from datetime import date

import pytest

from zgadka.text.beginnings import began_named

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    ("sentence", "value", "began"),
    [
        ("I moved to Odesa in May", "Odesa", "2026-05-01"),
        ("I moved to Odesa in May 2020 with my wife.", "Odesa", "2020-05-01"),
        ("I moved from Kyiv to Odesa last year", "Odesa", "2025-01-01"),
        ("We relocated to New York two years ago", "New York", "2024-11-01"),
        ("Last year I moved to Odesa", "Odesa", "2025-01-01"),
        ("I moved to Odesa in May and love it", "Odesa", "2026-05-01"),
        ("I became vegan in 2019", "vegan", "2019-01-01"),
        ("I started working as a nurse in March 2019", "nurse", "2019-03-01"),
        ("Я переїхала до Одеси у травні", "Одеса", "2026-05-01"),
        ("Переїхав до Львова два роки тому", "Львів", "2024-11-01"),
        ("Торік я переїхала до Одеси", "Одеса", "2025-01-01"),
        ("У травні 2020 ми переїхали до Одеси", "Одеса", "2020-05-01"),
    ],
)
def test_when_somebody_moved_or_took_something_up_it_began(sentence: str, value: str, began: str) -> None:
    assert began_named(sentence, value, TODAY) == date.fromisoformat(began)


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("I moved to Odesa", "Odesa"),
        ("I live in Odesa in May", "Odesa"),
        ("I like jazz and I moved in May", "jazz"),
        ("I moved from Kyiv in May", "Kyiv"),
        ("I moved to Odesa, my sister married in May", "Odesa"),
        ("I moved to Odesa and started at Google in May", "Odesa"),
        ("I moved to Odesa where I was born in 1990", "Odesa"),
        ("I moved to Odesa the year my son was born in May", "Odesa"),
        ("I started a course about the war in 2014", "war"),
        ("I moved to Odesa in May Street", "Odesa"),
        ("I moved to Odesa for a job in 2014", "Odesa"),
        ("I moved to Odesa in two weeks", "Odesa"),
        ("In May my son turned five, I moved to Odesa", "Odesa"),
        ("Last year, in May, I moved to Odesa in June", "Odesa"),
        ("Я переїхала до Одеси, а сестра у травні до Києва", "Одеса"),
    ],
)
def test_a_time_that_may_be_of_something_else_dates_nothing(sentence: str, value: str) -> None:
    assert began_named(sentence, value, TODAY) is None
