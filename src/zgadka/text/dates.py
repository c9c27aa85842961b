"""The days that somebody names when they date something: "June 2025", "last spring", "since 2020", "два роки тому".

A parser of our own over ``data/calendar.txt``, since the libraries miss what people write. Of "June 2025", "last
spring", "since 2020", "навесні 2021", "з червня", "торік" and "два роки тому", dateparser 1.5 understands three, reads
03.04.2020 as March 4 in Ukrainian as well and finds today in "2020s" (0.2 s to load, 0.9 ms a call); python-dateutil 4
knows English alone and takes today's day for "June 2025"; Babel 2.18 parses numbers. This one takes 0.02 ms.

Decided where people differ:

- 03.04.2020 and 03-04-2020 are the 3rd of April. 03/04/2020 is, in English, March 4, elsewhere the 3rd of April, and
  nothing where the language is not known: then people are asked. What only one order allows is read so: 12/25/2020.
- A month, season, weekday or day without a year is the last one that has begun; "last" one is over, "next" one is to
  come. The winter of a year is the one that ends in it; seasons are those of the northern half of the earth.
- "Two years ago" is that month, "two months ago" that month, "two weeks ago" that week; weeks begin on Monday.
- Early, middle and late are thirds; "the end" is the last month of a year, the last day of a month.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from functools import lru_cache

from zgadka.text.calendar_days import Days, month_of, months_away, one_day, quarter_of, season_of, week_of, year_of
from zgadka.text.folding import unify
from zgadka.text.word_lists import read_table

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_OTHER = re.compile(r"[^\w\s.,/'’-]|_")
_ORDINAL = re.compile(r"(?<=\d)-?(?:st|nd|rd|th|му|го|ого|ме|ге|м|й|е)\b")
_NUMBERS = re.compile(r"(\d{1,4})\s*([./-])\s*(\d{1,2})(?:\s*\2\s*(\d{2,4}))?")
_MONTH_AND_YEAR = re.compile(r"(\d{1,2})\s*[./-]\s*(\d{4})")
_DECADE = re.compile(r"(?:the\s+)?((?:19|20)?\d0)-?(?:s|ті|х|тих|их|е)\b")
_QUARTER = re.compile(r"q([1-4])\s*(\d{4})|(\d{4})\s*q([1-4])")
_SINCE = re.compile(r"\b(?:since|ever since|from|з|із|зі|від|починаючи з|с|со)\s+([^,;!?()]+)")
_WEEK, _MONTH, _YEAR = 7, 30, 365
_DAY = timedelta(days=1)


def days_named(text: str, today: date, *, language: str | None = None) -> Days | None:
    """Find the days that a text names, if it names days and nothing else.

    Args:
        today: The day on which it was said.
        language: The speaker's; only 03/04/2020 depends on it.
    """
    plain = unify(text).strip(" \t\n.,")
    if not plain or len(plain) > 60 or _OTHER.search(plain):
        return None
    try:
        return _by_form(plain, today, language) or _phrase(_tokens(plain), today)
    except (ValueError, OverflowError):  # the calendar has no such day
        return None


def since_named(text: str, today: date) -> date | None:
    """The day since which something is so, where a sentence plainly says one: "since 2020", "з червня".

    Args:
        today: The day on which it was said; what has not begun by then is not meant.
    """
    began = {days.first for match in _SINCE.finditer(unify(text)) if (days := _longest(match[1], today)) is not None}
    return min(began) if len(began) == 1 and max(began) <= today else None


def _longest(text: str, today: date) -> Days | None:
    """Read the days with which a text begins."""
    words = text.split()
    spans = (" ".join(words[:length]) for length in range(min(len(words), 4), 0, -1))
    return next((days for span in spans if (days := days_named(span, today)) is not None), None)


def _tokens(plain: str) -> list[str]:
    return _TOKEN.findall(_ORDINAL.sub("", plain))


def _by_form(plain: str, today: date, language: str | None) -> Days | None:
    """Read what is written in numbers, whatever words stand before it."""
    words = plain.split()
    while len(words) > 1 and words[0] in _words("since") | _words("filler"):
        words = words[1:]
    while len(words) > 1 and words[-1].strip(".") in _words("filler") | _words("year_short"):
        words = words[:-1]
    plain = " ".join(words).rstrip(".,")
    if match := _MONTH_AND_YEAR.fullmatch(plain):
        return month_of(int(match[2]), int(match[1]))
    if re.fullmatch(r"\d{4}", plain):
        return year_of(int(plain))
    if decade := _DECADE.fullmatch(plain):
        decade_start = int(decade[1]) if len(decade[1]) == 4 else 1900 + int(decade[1])
        return Days(date(decade_start, 1, 1), date(decade_start + 9, 12, 31))
    if quarter := _QUARTER.fullmatch(plain):
        number, year = int(quarter[1] or quarter[4]), int(quarter[2] or quarter[3])
        return quarter_of(year, number)
    return _in_numbers(match, today, language) if (match := _NUMBERS.fullmatch(plain)) else None


def _in_numbers(match: re.Match[str], today: date, language: str | None) -> Days | None:
    leading, mark, second, third = match.groups()
    if len(leading) == 4:
        return (
            month_of(int(leading), int(second))
            if third is None
            else one_day(date(int(leading), int(second), int(third)))
        )
    if third is None:  # 5/20 and 3.04 may be anything
        return None
    year = int(third)
    if len(third) == 2:
        year += 2000 if year <= today.year % 100 + 20 else 1900
    day, month = int(leading), int(second)
    if mark == "/" and language is None and day != month and max(day, month) <= 12:
        return None
    if month > 12 or (mark == "/" and language == "en" and day <= 12):
        day, month = month, day
    return one_day(date(year, month, day))


def _phrase(tokens: Sequence[str], today: date) -> Days | None:
    """Read words: part, then what it is a part of."""
    if not tokens:
        return None
    if relative := _relative(tokens, today):
        return relative
    if len(tokens) > 1 and tokens[0] in _words("since"):
        return _phrase(tokens[1:], today)
    tokens = [token for token in tokens if token not in {"the", "of"}]
    for part in ("early", "middle", "late", "end"):
        if tokens and tokens[0] in _words(part):
            period = _phrase(tokens[1:], today)
            return None if period is None else _part_of(period, part)
    year, remaining = _year_named(tokens, today)
    if year is not None:
        return _within(remaining, year) if remaining else year_of(year)
    return _without_year(tokens, today)


def _relative(tokens: Sequence[str], today: date) -> Days | None:
    """Read "yesterday", "two weeks ago", "in a month", "last year"."""
    moves = {"today": 0, "yesterday": -1, "before_yesterday": -2, "tomorrow": 1, "after_tomorrow": 2}
    if len(tokens) == 1:
        for head, days in moves.items():
            if tokens[0] in _words(head):
                return one_day(today + days * _DAY)
        years = {"last_year": -1, "before_last_year": -2, "this_year": 0}
        return next((year_of(today.year + by) for head, by in years.items() if tokens[0] in _words(head)), None)
    if tuple(tokens) in {("the", "day", "before", "yesterday"), ("day", "before", "yesterday")}:
        return one_day(today - 2 * _DAY)
    if tokens[-1] in _words("ago"):
        counted = [token for token in tokens if token not in _words("ago")]
        return _moved(counted, today, -1)
    if tokens[0] in _words("in_future"):
        return _moved(tokens[1:], today, 1)
    return None


def _moved(counted: Sequence[str], today: date, sign: int) -> Days | None:
    """So many days, weeks, months or years before or after today."""
    amounts = _amounts()
    while len(counted) > 1 and counted[0] in _words("since"):
        counted = counted[1:]
    if counted and (counted[0] in _words("half_year") or (counted[0] in _words("half") and len(counted) > 1)):
        if counted[0] in _words("half") and _numbers("unit_").get(counted[-1]) != _YEAR:
            return None
        return months_away(today, 6 * sign)
    words = [word for word in counted if word != "of"]
    if len(words) == 3 and words[0] == "a":  # a couple of weeks
        words = words[1:]
    unit = _numbers("unit_").get(words[-1]) if words else None
    if unit is None or len(words) > 2:
        return None
    amount = 1 if len(words) == 1 else int(words[0]) if words[0].isdigit() else amounts.get(words[0])
    if amount is None:
        return None
    if unit in (_MONTH, _YEAR):
        return months_away(today, sign * amount * (12 if unit == _YEAR else 1))
    day = today + sign * amount * unit * _DAY
    return one_day(day) if unit == 1 else week_of(day)


def _year_named(tokens: Sequence[str], today: date) -> tuple[int | None, list[str]]:
    """The year that stands at the end or the beginning, and what else is said."""
    tokens = list(tokens)
    while len(tokens) > 1 and tokens[-1] in _words("year_short") | _words("filler"):
        if _numbers("unit_").get(tokens[-1]) == _YEAR and _step(tokens[-2]) is not None:
            break
        tokens = tokens[:-1]
    for at, remaining in ((-1, tokens[:-1]), (0, tokens[1:])):
        token = tokens[at] if tokens else ""
        if len(token) == 4 and token.isdigit():
            return int(token), remaining
        years = {"last_year": -1, "before_last_year": -2, "this_year": 0}
        for head, by in years.items():
            if token in _words(head):
                return today.year + by, remaining
    units = _numbers("unit_")
    for step, unit, remaining in ((tokens[-2:-1], tokens[-1:], tokens[:-2]), (tokens[:1], tokens[1:2], tokens[2:])):
        if step and unit and units.get(unit[0]) == _YEAR and (by := _step(step[0])) is not None:
            return today.year + by, remaining
    return None, tokens


def _step(word: str) -> int | None:
    """Whether the last one is meant, this one or the next."""
    return next((by for head, by in (("last", -1), ("this", 0), ("next", 1)) if word in _words(head)), None)


def _within(tokens: Sequence[str], year: int) -> Days | None:
    """Read the season, month or day of a year."""
    tokens = [token for token in tokens if token not in _words("since") | {"the", "of"}]
    if len(tokens) == 1:
        if season := _numbers("season_").get(tokens[0]):
            return season_of(year, season)
        return month_of(year, month) if (month := _months().get(tokens[0])) else None
    if len(tokens) == 2:
        number, name = tokens if tokens[0].isdigit() else reversed(tokens)
        if number.isdigit() and (month := _months().get(name)):
            return one_day(date(year, month, int(number)))
    return None


def _without_year(tokens: Sequence[str], today: date) -> Days | None:
    """Read a season, month, weekday, week or day as near to today as the words say."""
    step = _step(tokens[0]) if tokens else None
    named = tokens if step is None else tokens[1:]
    if not named:
        return None
    if len(named) == 1:
        unit, weekday = _numbers("unit_").get(named[0]), _weekdays().get(named[0])
        if step is not None and unit in (_WEEK, _MONTH):
            return week_of(today + step * _WEEK * _DAY) if unit == _WEEK else months_away(today, step)
        if weekday is not None:
            return _nearest(
                [one_day(today + (by + weekday - today.isoweekday()) * _DAY) for by in (-7, 0, 7)], step, today
            )
    around = [_within(named, today.year + by) for by in (-1, 0, 1)]
    return _nearest([days for days in around if days is not None], step, today)


def _nearest(around: Sequence[Days], step: int | None, today: date) -> Days | None:
    """Of the same in three years or weeks, the one that is meant."""
    begun = [days for days in around if days.first <= today]
    if step == 1:
        return next((days for days in around if days.first > today), None)
    if step == -1:
        begun = [days for days in begun if days.last < today]
    if step == 0:
        to_come = [days for days in around if days.last >= today and days.first.year <= today.year + 1]
        same_year = [days for days in around if days.last.year == today.year]
        return next(iter(same_year), None) or next(iter(to_come), None)
    return begun[-1] if begun else None


def _part_of(period: Days, part: str) -> Days:
    length = (period.last - period.first).days + 1
    if part == "end":
        last_days = 1 if length <= 31 else 31
        start = period.last.replace(day=1) if last_days > 1 else period.last
        return Days(max(start, period.first), period.last, is_end=True)
    if length > 80:  # whole months
        third = max(round(length / 3 / 30.4), 1)
        starts = {"early": 0, "middle": third, "late": third * 2}
        start = months_away(period.first, starts[part]).first
        return Days(start, months_away(start, third - 1).last)
    third = timedelta(days=length // 3)
    start = {"early": period.first, "middle": period.first + third, "late": period.last - third + _DAY}[part]
    return Days(start, start + third - _DAY) if third else period


def _words(head: str) -> frozenset[str]:
    return _table()[head]


@lru_cache(maxsize=1)
def _table() -> dict[str, frozenset[str]]:
    return {head: frozenset(words) for head, words in read_table("calendar").items()}


@lru_cache(maxsize=8)
def _numbers(prefix: str) -> dict[str, int]:
    heads = {head: head.removeprefix(prefix) for head in _table() if head.startswith(prefix)}
    return {word: int(number) for head, number in heads.items() for word in _words(head)}


@lru_cache(maxsize=1)
def _months() -> dict[str, int]:
    return _numbers("month_") | _numbers("short_month_")


@lru_cache(maxsize=1)
def _weekdays() -> dict[str, int]:
    return _numbers("weekday_") | _numbers("day_of_week_")


@lru_cache(maxsize=1)
def _amounts() -> dict[str, int]:
    counted = {word: number for number, word in enumerate(read_table("calendar")["count"])}
    return counted | _numbers("amount_") | dict.fromkeys(_words("one"), 1)
