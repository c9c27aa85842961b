"""A day as it was written as the value of a fact, perhaps without its year: May 3, 1990; 3 травня; 1990.

What people date a fact by ("since last spring") is read elsewhere: there one day is meant, and here it may be every
year's.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from functools import cache
from typing import Literal, NamedTuple

from zgadka.text.calendar_days import Days
from zgadka.text.dates import days_named
from zgadka.text.folding import unify
from zgadka.text.quantities import number_words, read_nth, read_quantity
from zgadka.text.word_lists import read_entry, read_table

_ISO = re.compile(r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d{1,2})(?:(?P=mark)(?P<day>\d{1,2}))?(?:[t ][\d:.+z-]+)?")
_QUARTER = re.compile(r"([^\W_]+) (?:quarter(?: of)?|квартал|кварталі) ")
_SHORT_YEAR = re.compile(r"['’](\d\d)")
_FROM_TO = re.compile(
    r"(?:з |із |from |between )?(\d\d?)(?:-?го)?(?: ?- ?| по | до | to | and | та )(\d\d?)(?:-?го)? (.+)"
)
_ROMAN_MONTH = re.compile(r"(?P<day>\d{1,2})[ ./-](?P<month>[ivxі]{1,4})[ ./-](?P<year>\d{4})")
_ROMAN = {
    "i": 1,
    "ii": 2,
    "iii": 3,
    "iv": 4,
    "v": 5,
    "vi": 6,
    "vii": 7,
    "viii": 8,
    "ix": 9,
    "x": 10,
    "xi": 11,
    "xii": 12,
}
_DIGITS = re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|(?<=[.])\d\d)")
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
_IGNORED = frozenset(".,")
_THIS_CENTURY = 30  # years written in two digits, up to here
_LONGEST = 60
_SOME_DAY, _ANOTHER_DAY = date(2001, 3, 14), date(2013, 9, 27)
"""What names the same day on both is named without saying when."""
_FIRST_YEAR, _LAST_YEAR = 1800, 2199


class Written(NamedTuple):
    """What of a day was written."""

    year: int | None
    month: int | None = None
    day: int | None = None

    def __str__(self) -> str:
        year = "" if self.year is None else f"{self.year:04}"
        return "-".join((year, *(f"{part:02}" for part in (self.month, self.day) if part is not None)))


def read_day(text: str, today: date | None = None, order: Literal["dmy", "mdy"] | None = "dmy") -> Written | None:
    """The day, month or year that the whole text names; None where it is none.

    Args:
        today: The day on which it was said; without it, "yesterday" is none.
        order: Which of 05/03/1990 is the month. None: such a text names no day.
    """
    if len(text) > _LONGEST:
        return None
    plain = unify(text).strip(" \t\n.,;!")
    if match := _ISO.fullmatch(plain):
        return _valid(int(match["year"]), int(match["month"]), int(match["day"]) if match["day"] else None)
    if match := _DIGITS.fullmatch(plain):
        return _from_digits(int(match["first"]), int(match["second"]), int(match["year"]), match["mark"], order)
    if (match := _ROMAN_MONTH.fullmatch(plain)) and (month := _ROMAN.get(match["month"].replace("і", "i"))):
        return _valid(int(match["year"]), month, int(match["day"]))
    tokens = [token for token in _TOKEN.findall(plain) if token not in _IGNORED]
    if (written := _from_words([token for token in tokens if token not in _beside()])) is not None:
        return written
    days = _days(plain, today)
    return _in_words(plain) if days is None else _as_written(days)


def _in_words(plain: str) -> Written | None:
    """A year in words or Roman digits: nineteen eighty-eight, вісімдесят восьмий, MCMXC, '85."""
    plain = plain.removeprefix("the year ").strip()
    if match := _SHORT_YEAR.fullmatch(plain):
        year = int(match[1])
        return Written(year + (2000 if year <= _THIS_CENTURY else 1900))
    century_word, _, remainder = plain.partition(" ")
    century, year_quantity = number_words().get(century_word), read_quantity(remainder)
    if (
        century in (18, 19, 20)
        and year_quantity is not None
        and not year_quantity.of
        and 1 <= year_quantity.value < 100
    ):
        return Written(int(century) * 100 + int(year_quantity.value))
    words = [word for word in plain.split() if word not in _beside()]
    number = read_nth(" ".join(words)) if len(words) > 1 else None
    if (
        number is None
        and len(words) > 1
        and (quantity := read_quantity(" ".join(words))) is not None
        and not quantity.of
    ):
        number = int(quantity.value)
    if number is None:
        return None
    number += 1900 if _THIS_CENTURY < number < 100 else 0
    return _valid(number, None, None) if number > 100 else None


def read_days(text: str, today: date | None = None) -> str | None:
    """A form of the day, month, year, season or other days that the whole text names, as `read_day`."""
    if (day := read_day(text, today, None)) is not None:
        return str(day)
    if len(text) > _LONGEST:
        return None
    plain = unify(text).strip(" \t\n.,;!")
    if match := _FROM_TO.fullmatch(plain):
        begin, end = read_day(f"{match[1]} {match[3]}", today, None), read_day(f"{match[2]} {match[3]}", today, None)
        return None if begin is None or end is None or end.day is None else f"{begin}..{end}"
    days = _days(plain, today)
    return None if days is None else f"{days.first}..{days.last}"


def _days(plain: str, today: date | None) -> Days | None:
    """Days by that on which they were named, or without it what is the same whenever it is said."""
    if (match := _QUARTER.match(plain)) and (quarter := read_nth(match[1])) is not None:
        plain = f"q{quarter} {plain[match.end() :]}"
    days = days_named(plain, today or _SOME_DAY)
    return None if today is None and days != days_named(plain, _ANOTHER_DAY) else days


def _as_written(days: Days) -> Written | None:
    begin, end = days.first, days.last
    if begin == end:
        return Written(begin.year, begin.month, begin.day)
    if begin.day == 1 and end == date(begin.year, begin.month, monthrange(begin.year, begin.month)[1]):
        return Written(begin.year, begin.month)
    return Written(begin.year) if (begin, end) == (date(begin.year, 1, 1), date(begin.year, 12, 31)) else None


def _from_digits(day: int, month: int, year: int, mark: str, order: Literal["dmy", "mdy"] | None) -> Written | None:
    if year < 100:
        year += 2000 if year <= _THIS_CENTURY else 1900
    if mark == "/" and day <= 12 and month <= 12 and day != month:
        if order is None:
            return None
        day, month = (day, month) if order == "dmy" else (month, day)
    if month > 12:
        day, month = month, day
    return _valid(year, month, day)


def _from_words(tokens: list[str]) -> Written | None:
    tokens = _with_days(tokens)
    months = [month for token in tokens if (month := _months().get(token)) is not None]
    numbers = [int(token) for token in tokens if token.isdecimal() and len(token) <= 4]
    if len(months) > 1 or len(months) + len(numbers) != len(tokens) or not tokens:
        return None
    years = [number for number in numbers if number > 31]
    days = [number for number in numbers if number <= 31]
    if len(years) > 1 or len(days) > 1 or (days and not months):
        return None
    return _valid(*(years or [None]), *(months or [None]), *(days or [None]))


def _with_days(tokens: list[str]) -> list[str]:
    """The tokens with which one of several in words in digits: third of May, двадцять перше липня."""
    if len(tokens) > 1 and (day := read_nth(" ".join(tokens[:2]))) is not None:
        return [str(day), *tokens[2:]]
    if len(tokens) > 3 and tokens[1] == "-" and (day := read_nth("-".join((tokens[0], tokens[2])))) is not None:
        return [str(day), *tokens[3:]]
    days = ((word, _nth(word)) for word in tokens if word != "-")
    return [word if day is None else str(day) for word, day in days]


def _nth(token: str) -> int | None:
    return None if token in _months() else read_nth(token)


def _valid(year: int | None, month: int | None, day: int | None) -> Written | None:
    is_year = year is None or _FIRST_YEAR <= year <= _LAST_YEAR
    is_month = month is None or 1 <= month <= 12
    # Of a day without a year, that of a leap year counts.
    is_day = day is None or (month is not None and is_month and 1 <= day <= monthrange(year or 2000, month)[1])
    return Written(year, month, day) if is_year and is_month and is_day else None


@cache
def _months() -> dict[str, int]:
    months = {
        head: head.removeprefix("short_").removeprefix("month_") for head in read_table("calendar") if "month_" in head
    }
    return {word: int(month) for head, month in months.items() for word in read_table("calendar")[head]}


@cache
def _beside() -> frozenset[str]:
    weekdays = (head for head in read_table("calendar") if head.startswith(("weekday_", "day_of_week_")))
    return read_entry("calendar", "beside_day").union(*(read_entry("calendar", head) for head in weekdays))
