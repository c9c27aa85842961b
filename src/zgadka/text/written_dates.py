"""Days as people write them, in English, Ukrainian and Russian words and in digits: May 3, 1990 and 3 травня 1990."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta
from functools import cache
from typing import Literal, NamedTuple

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_entry, read_heads

_ISO = re.compile(r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?(?:[t ][\d:.+z-]+)?")
_DIGITS = re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4})")
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
_IGNORED = frozenset(".,")
_LONGEST = 60
_FIRST_YEAR, _LAST_YEAR = 1800, 2199


class Written(NamedTuple):
    """What of a day was written."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        year = "" if self.year is None else f"{self.year:04}"
        return "-".join((year, *(f"{part:02}" for part in (self.month, self.day) if part is not None)))


class Days(NamedTuple):
    """The days that are meant, from the first to the last."""

    first: date
    last: date


def parse_day(text: str, today: date | None = None, order: Literal["dmy", "mdy"] | None = "dmy") -> Days | None:
    """The day, month or year that the whole text names; None where it is none.

    Args:
        today: The day on which it was said: of what has no year, the latest such day up to then is meant.
        order: Which of 05/03/1990 is the month. None: such a text names no day.
    """
    written = read_day(text, today, order)
    if written is None:
        return None
    year, month, day = written
    if year is None:
        if today is None or month is None:
            return None
        year = today.year - ((month, day or 1) > (today.month, today.day))
    try:
        first = date(year, month or 1, day or 1)
    except ValueError:  # the 29th of February of some other year
        return None
    if day is not None:
        return Days(first, first)
    return Days(first, date(year, month or 12, monthrange(year, month or 12)[1]))


def read_day(text: str, today: date | None = None, order: Literal["dmy", "mdy"] | None = "dmy") -> Written | None:
    """The same as it was written: perhaps without a day, a month or a year."""
    if len(text) > _LONGEST:
        return None
    plain = unify(text).strip(" \t\n.,;!")
    if match := _ISO.fullmatch(plain):
        return _valid(int(match["year"]), int(match["month"]), int(match["day"]) if match["day"] else None)
    if match := _DIGITS.fullmatch(plain):
        return _from_digits(int(match["first"]), int(match["second"]), int(match["year"]), match["mark"], order)
    tokens = [token for token in _TOKEN.findall(plain) if token not in _IGNORED]
    if today is not None and len(tokens) <= 3 and (offset := _offsets().get("".join(tokens))) is not None:
        day = today + timedelta(days=offset)
        return Written(day.year, day.month, day.day)
    return _from_words([token for token in tokens if token not in read_entry("dates", "ignored")])


def _from_digits(first: int, second: int, year: int, mark: str, order: Literal["dmy", "mdy"] | None) -> Written | None:
    if mark == "/" and first <= 12 and second <= 12 and first != second:
        if order is None:
            return None
        first, second = (first, second) if order == "dmy" else (second, first)
    if second > 12:
        first, second = second, first
    return _valid(year, second, first)


def _from_words(tokens: list[str]) -> Written | None:
    months = [month for token in tokens if (month := _months().get(token)) is not None]
    numbers = [int(token) for token in tokens if token.isdecimal() and len(token) <= 4]
    if len(months) > 1 or len(months) + len(numbers) != len(tokens) or not tokens:
        return None
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if number <= 31]
    if len(years) > 1 or len(days) > 1 or (days and not months):
        return None
    return _valid(*(years or [None]), *(months or [None]), *(days or [None]))


def _valid(year: int | None, month: int | None, day: int | None) -> Written | None:
    is_year = year is None or _FIRST_YEAR <= year <= _LAST_YEAR
    is_month = month is None or 1 <= month <= 12
    # Of a day without a year, that of a leap year counts.
    is_day = day is None or (month is not None and is_month and 1 <= day <= monthrange(year or 2000, month)[1])
    return Written(year, month, day) if is_year and is_month and is_day else None


@cache
def _months() -> dict[str, int]:
    heads = read_heads("dates").items()
    return {word: int(head) for word, (head, *_) in heads if head.isdecimal()}


@cache
def _offsets() -> dict[str, int]:
    signs = {"today": 0, "yesterday": -1, "before_yesterday": -2, "tomorrow": 1, "after_tomorrow": 2}
    return {word: signs[head] for word, (head, *_) in read_heads("dates").items() if head in signs}
