"""The days that a question names, as they count for messages: those days, their month, and the days just after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import NamedTuple

from zgadka.text.calendar_days import month_of
from zgadka.text.time_mentions import days_mentioned
from zgadka.text.word_lists import read_table

_BEFORE = timedelta(days=2)
_AFTER = timedelta(days=9)
"""People tell of a day within about a week after it; two days before for plans and time zones."""
_FEW_DAYS = timedelta(days=10)
"""Of no more days people tell just after."""
_SOME_DAY, _ANOTHER_DAY = date(2001, 3, 14), date(2013, 9, 27)
"""What names the same days on both is named without saying how long ago."""


@dataclass(frozen=True)
class Span:
    """Some days.

    Attributes:
        first: The first day.
        last: The last day.
        yearly: Whether no year was named: "in May" means the last one, and another where there is nothing of it.
    """

    first: date
    last: date
    yearly: bool = False

    def holds(self, day: date) -> bool:
        """Whether a day is one of them."""
        return self.first <= day <= self.last

    def holds_in_any_year(self, day: date) -> bool:
        """Whether a day is one of them, or of those of another year where none was named."""
        if not self.yearly:
            return self.holds(day)
        # December's span may reach into January, hence the year before too.
        return any(
            _in_year(self.first, year) <= day <= _in_year(self.first, year) + (self.last - self.first)
            for year in (day.year - 1, day.year)
            if 1 <= year < 9999
        )


class Spans(NamedTuple):
    """What days a question names.

    Attributes:
        within: The days that it names.
        month: The months of days that it names by their date: what it asks about may have been told then.
        near: The days that it names, where they are few, and those just after, when people tell what happened.
    """

    within: tuple[Span, ...] = ()
    month: tuple[Span, ...] = ()
    near: tuple[Span, ...] = ()


@lru_cache(maxsize=1)
def cues() -> dict[str, frozenset[str]]:
    """Return the word sets of ``data/query_analysis.txt``."""
    return {head: frozenset(words) for head, words in read_table("query_analysis", "zgadka.search").items()}


def spans(question: str, today: date | None) -> Spans:
    """Find the days that a question names.

    Args:
        today: The day of asking, by which "last week" is understood; without it, such words name nothing.
    """
    mentions = days_mentioned(question, today or _SOME_DAY)
    if today is None and mentions:
        of_another_day = days_mentioned(question, _ANOTHER_DAY)
        mentions = [days for days in mentions if days.is_of_any_year or days in of_another_day]
    within = [Span(days.first, days.last, days.is_of_any_year) for days in mentions]
    short = [span for span in within if span.last - span.first <= _FEW_DAYS]
    dated = [span for span, days in zip(within, mentions, strict=True) if days.is_dated and span in short]
    return Spans(tuple(within), tuple(map(_month_of, dated)), _around(short))


def _month_of(span: Span) -> Span:
    return Span(*month_of(span.first.year, span.first.month)[:2], span.yearly)


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
