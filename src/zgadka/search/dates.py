"""The days that a question names: "on May 3, 2023", "in May", "3 травня", "last week", "two months ago"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_table

_TOKEN = re.compile(r"[^\W\d_]+|\d+")
_ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)")
_AMBIGUOUS = frozenset({"may", "march", "dec", "jan"})
_BEFORE_MONTHS = frozenset(
    {"in", "of", "on", "since", "until", "till", "by", "during", "last", "this", "next", "early", "mid", "late"}
)
_BEFORE = timedelta(days=2)
_AFTER = timedelta(days=9)
"""People tell of a day within about a week after it; two days before for plans and time zones."""


@dataclass(frozen=True)
class Span:
    """Some days.

    Attributes:
        first: The first day.
        last: The last day.
        yearly: Whether the same days of every other year are meant too, as in "in May".
    """

    first: date
    last: date
    yearly: bool = False

    def holds(self, day: date) -> bool:
        """Whether a day is one of them."""
        if self.yearly:
            # December's span may reach into January, hence the year before too.
            return any(
                _in_year(self.first, year) <= day <= _in_year(self.first, year) + (self.last - self.first)
                for year in (day.year - 1, day.year)
                if 1 <= year < 9999
            )
        return self.first <= day <= self.last


class Spans(NamedTuple):
    """What days a question names.

    Attributes:
        within: The calendar months or years, or the days of "last week".
        near: The exact days and those just after, when people tell what happened.
    """

    within: tuple[Span, ...] = ()
    near: tuple[Span, ...] = ()


@lru_cache(maxsize=1)
def cues() -> dict[str, frozenset[str]]:
    """Return the word sets of ``data/query_analysis.txt``, and those of the calendar."""
    tables = read_table("query_analysis", "zgadka.search") | read_table("calendar")
    return {head: frozenset(words) for head, words in tables.items()}


def spans(question: str, today: date | None) -> Spans:
    """Find the days that a question names.

    Args:
        today: The day of asking, by which "last week" is understood; without it, such words name nothing.
    """
    plain = unify(question)
    tokens = _TOKEN.findall(plain)
    days, months = _named(question, plain, tokens)
    if not days and not months:
        years = [Span(date(year, 1, 1), date(year, 12, 31)) for year in dict.fromkeys(map(_year, tokens)) if year]
        relative = _relative(tokens, today) if today and not years else None
        if relative is not None:
            return Spans((relative,), _around([relative]))
        return Spans(tuple(years))
    return Spans((*(_month_of(day) for day in days), *months), _around(days))


def _named(question: str, plain: str, tokens: Sequence[str]) -> tuple[list[Span], list[Span]]:
    """Return the days and the whole months that are named."""
    days = [_span(*map(int, match.groups())) for match in _ISO_DATE.finditer(plain)]
    months: list[Span | None] = []
    if not days:
        for index, token in enumerate(tokens):
            month = _numbers("month_").get(token)
            if month is None or not _means_month(question, tokens, index):
                continue
            year = next((year for year in map(_year, tokens[index + 1 : index + 5]) if year), None)
            day = _day_beside(tokens, index)
            if day is None:
                months.append(_span(year, month))
            else:
                days.append(_span(year, month, day))
    return [day for day in days if day], [month for month in months if month]


def _span(year: int | None, month: int, day: int | None = None) -> Span | None:
    """A day, or a month; None where the calendar has no such day."""
    try:
        start = date(year or 2000, month, day or 1)
    except ValueError:
        return None
    span = Span(start, start, year is None)
    return span if day else _month_of(span)


def _month_of(span: Span) -> Span:
    start = span.first.replace(day=1)
    end = start.replace(day=31) if start.month == 12 else start.replace(month=start.month + 1) - timedelta(days=1)
    return Span(start, end, span.yearly)


def _around(days: Sequence[Span]) -> tuple[Span, ...]:
    around: list[Span] = []
    for span in days:
        try:
            around.append(Span(span.first - _BEFORE, span.last + _AFTER, span.yearly))
        except OverflowError:  # the ends of the calendar
            around.append(span)
    return tuple(around)


def _in_year(day: date, year: int) -> date:
    return day.replace(year=year, day=min(day.day, 28) if day.month == 2 else day.day)


@lru_cache(maxsize=4)
def _numbers(prefix: str) -> dict[str, int]:
    return {
        word: int(head.removeprefix(prefix))
        for head, words in cues().items()
        if head.startswith(prefix)
        for word in words
    }


@lru_cache(maxsize=1)
def _counts() -> dict[str, int]:
    return {word: max(number, 1) for number, word in enumerate(read_table("calendar")["count"])}


def _year(token: str) -> int | None:
    return int(token) if len(token) == 4 and token.isascii() and token.isdigit() and token[:2] in {"19", "20"} else None


def _means_month(question: str, tokens: Sequence[str], index: int) -> bool:
    """Tell the months May and March from the verbs: by their capital letter, or by what stands beside them."""
    token = tokens[index]
    if token not in _AMBIGUOUS or (index > 0 and tokens[index - 1] in _BEFORE_MONTHS):
        return True
    beside = (*tokens[max(index - 1, 0) : index], *tokens[index + 1 : index + 2])
    return any(neighbour.isdigit() for neighbour in beside) or (index > 0 and token.capitalize() in question)


def _day_beside(tokens: Sequence[str], index: int) -> int | None:
    """Find the day of the month: "May 3", "3 May", "3rd of May"."""
    following = tokens[index + 1 : index + 2]
    prior = [token for token in tokens[max(index - 3, 0) : index] if token not in {"st", "nd", "rd", "th", "of", "го"}]
    for token in (*prior[-1:], *following):
        if token.isdigit() and len(token) <= 2 and 1 <= int(token) <= 31:
            return int(token)
    return None


def _relative(tokens: Sequence[str], today: date) -> Span | None:
    """Understand "yesterday", "two weeks ago", "last Friday", "this month"."""
    table, units, weekdays = cues(), _numbers("unit_"), _numbers("weekday_")
    try:
        for index, token in enumerate(tokens):
            previous = tokens[index - 1] if index else ""
            if token in table["yesterday"] or token in table["today"]:
                day = today - timedelta(days=token in table["yesterday"])
                return Span(day, day)
            if token in table["ago"] and previous in units:
                unit = units[previous]
                quantity = tokens[index - 2] if index > 1 else ""
                count = int(quantity[:4]) if quantity.isdigit() else _counts().get(quantity, 1)
                day = today - timedelta(days=unit * count)
                return Span(day - timedelta(days=unit // 4), day + timedelta(days=unit // 4))
            is_last = previous in table["last"]
            if token in weekdays and is_last:
                day = today - timedelta(days=(today.isoweekday() - weekdays[token] - 1) % 7 + 1)
                return Span(day, day)
            if token in units and (is_last or previous in table["this"]):
                start = today - timedelta(days=(units[token] * 2 if is_last else units[token]))
                return Span(start, today - timedelta(days=units[token] // 2 if is_last else 0))
    except OverflowError:
        pass
    return None
