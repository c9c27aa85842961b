"""Days that come again: weekdays, weekends, days of a month, months, quarters, seasons, holidays."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from zgadka.text.word_lists import read_table

_DAY = timedelta(days=1)
_YEARS_BACK = 9
"""So many years ago a day that comes again was at most: February 29 came eight years before 1904."""


class Days(NamedTuple):
    """Some days.

    Attributes:
        first: The first day.
        last: The last day.
        is_end: Whether the end of something is named: what is true until then is true on these days, too.
    """

    first: date
    last: date
    is_end: bool = False


@dataclass(frozen=True)
class Recurring:
    """Days that come again.

    Attributes:
        size: How many days they are, about.
        of_year: Those that begin in a year, in order.
        is_yearly: Whether they come once a year.
    """

    size: int
    of_year: Callable[[int], list[Days]]
    is_yearly: bool = True

    def within(self, period: Days) -> list[Days]:
        """Those that begin within a period."""
        years = range(max(period.first.year, 1), min(period.last.year, 9999) + 1)
        return [days for year in years for days in self.of_year(year) if period.first <= days.first <= period.last]

    def last_before(self, day: date) -> Days | None:
        """The last that began before a day."""
        return next((days for days in self._backwards(day) if days.first < day), None)

    def last_over(self, day: date) -> Days | None:
        """The last that was over on a day."""
        return next((days for days in self._backwards(day) if days.last < day), None)

    def next_from(self, day: date) -> Days | None:
        """The first that is not over on a day."""
        years = range(max(day.year - 1, 1), min(day.year + _YEARS_BACK, 9999) + 1)
        return next((days for year in years for days in self.of_year(year) if days.last >= day), None)

    def nearest(self, day: date) -> Days | None:
        """The nearest to a day."""
        around = [days for days in (self.last_before(day), self.next_from(day)) if days is not None]
        return min(around, key=lambda days: abs(days.first - day), default=None)

    def changed(self, change: Callable[[Days], Days | None]) -> Recurring:
        """The same with other days each time, if any."""
        of_year = self.of_year

        def changed_of_year(year: int) -> list[Days]:
            return [days for period in of_year(year) if (days := change(period)) is not None]

        return Recurring(self.size, changed_of_year, self.is_yearly)

    def _backwards(self, day: date) -> Iterator[Days]:
        for year in range(min(day.year, 9999), max(day.year - _YEARS_BACK, 0), -1):
            yield from reversed(self.of_year(year))


def one_day(day: date) -> Days:
    """A day alone."""
    return Days(day, day)


def week_of(day: date) -> Days:
    """The week, from Monday, of a day."""
    monday = day - (day.isoweekday() - 1) * _DAY
    return Days(monday, monday + 6 * _DAY)


def month_of(year: int, month: int) -> Days:
    """A month."""
    first_day = date(year, month, 1)
    return Days(first_day, first_day.replace(day=monthrange(year, month)[1]))


def months_away(day: date, months: int) -> Days:
    """The month that is so many months after that of a day."""
    number = day.year * 12 + day.month - 1 + months
    return month_of(number // 12, number % 12 + 1)


def same_day_months_away(day: date, months: int) -> date:
    """The day of the same number so many months later, or the last day of a month that has no such day."""
    month = months_away(day, months)
    return month.first.replace(day=min(day.day, month.last.day))


def quarter_of(year: int, quarter: int) -> Days:
    """Three months of a year."""
    return Days(date(year, quarter * 3 - 2, 1), month_of(year, quarter * 3).last)


def year_of(year: int) -> Days:
    """A year."""
    return Days(date(year, 1, 1), date(year, 12, 31))


def season_of(year: int, season: int) -> Days:
    """A season, 1 is the winter: that of a year is the one that ends in it."""
    if season == 1:
        return Days(date(year - 1, 12, 1), month_of(year, 2).last)
    return Days(date(year, season * 3 - 3, 1), month_of(year, season * 3 - 1).last)


@lru_cache(maxsize=8)
def weekday(number: int) -> Recurring:
    """A weekday, 1 is Monday."""
    return Recurring(1, lambda year: _weekly(year, number, 1), is_yearly=False)


@lru_cache(maxsize=1)
def weekend() -> Recurring:
    """Saturday and Sunday."""
    return Recurring(2, lambda year: _weekly(year, 6, 2), is_yearly=False)


def day_of_month(day: int) -> Recurring:
    """A day of every month that has it."""
    return Recurring(
        1,
        lambda year: [
            one_day(date(year, month, day)) for month in range(1, 13) if 1 <= day <= monthrange(year, month)[1]
        ],
        is_yearly=False,
    )


def day_of_year(month: int, day: int) -> Recurring:
    """A day of a month, of every year that has it."""
    return Recurring(
        1, lambda year: [one_day(date(year, month, day))] if 1 <= day <= monthrange(year, month)[1] else []
    )


def month(number: int) -> Recurring:
    """A month of every year."""
    return Recurring(30, lambda year: [month_of(year, number)])


def season(number: int) -> Recurring:
    """A season of every year; the winter of a year is the one that ends in it."""
    if number == 1:
        return Recurring(90, lambda year: [season_of(year + 1, 1)] if year < 9999 else [])
    return Recurring(91, lambda year: [season_of(year, number)])


def quarter(number: int) -> Recurring:
    """A quarter of every year."""
    return Recurring(91, lambda year: [quarter_of(year, number)])


@cache
def holidays() -> dict[tuple[str, ...], Recurring]:
    """Holidays by the words that name them."""
    return {tuple(name.split("_")): _holiday(head) for head, names in read_table("holidays").items() for name in names}


def _weekly(year: int, number: int, length: int) -> list[Days]:
    first_day = date(year, 1, 1)
    first_day += (number - first_day.isoweekday()) % 7 * _DAY
    count = (date(year, 12, 31) - first_day).days // 7 + 1
    firsts = (first_day + week * 7 * _DAY for week in range(count))
    return [Days(day, day + (length - 1) * _DAY) for day in firsts if day <= date.max - (length - 1) * _DAY]


def _holiday(head: str) -> Recurring:
    name, *numbers = head.split()
    if name == "nth":
        month_number, which, weekday_number, *offsets = map(int, numbers)
        offset = sum(offsets)
        return Recurring(1, lambda year: _nth_weekday(year, month_number, which, weekday_number, offset))
    if name in ("easter", "orthodox"):
        easter_of = _easter if name == "easter" else _orthodox_easter
        return Recurring(1, lambda year: [one_day(easter_of(year) + int(numbers[0]) * _DAY)])
    first, _, last = name.partition("..")
    first_month, first_day = map(int, first.split("-"))
    last_month, last_day = map(int, (last or first).split("-"))

    def of_year(year: int) -> list[Days]:
        last_year = year + (last_month < first_month)
        return (
            [Days(date(year, first_month, first_day), date(last_year, last_month, last_day))]
            if last_year <= 9999
            else []
        )

    return Recurring(1 if not last else 3, of_year)


def _nth_weekday(year: int, month_number: int, which: int, weekday_number: int, offset: int) -> list[Days]:
    matching = weekday(weekday_number).within(month_of(year, month_number))
    day = matching[which - 1 if which > 0 else which].first + offset * _DAY
    return [one_day(day)]


def _easter(year: int) -> date:
    """Easter of the West, by the anonymous algorithm of 1876."""
    century, of_century = divmod(year, 100)
    epact = (19 * (year % 19) + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    to_sunday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    late = (year % 19 + 11 * epact + 22 * to_sunday) // 451
    month_number, day = divmod(epact + to_sunday - 7 * late + 114, 31)
    return date(year, month_number, day + 1)


def _orthodox_easter(year: int) -> date:
    """Easter of the East, by Meeus: in the Julian calendar, 13 days behind from 1900 to 2099."""
    full_moon = (19 * (year % 19) + 15) % 30
    to_sunday = (2 * (year % 4) + 4 * (year % 7) - full_moon + 34) % 7
    month_number, day = divmod(full_moon + to_sunday + 114, 31)
    return date(year, month_number, day + 1) + 13 * _DAY
