"""How old somebody is: true from a day on, and a year later one more."""

from __future__ import annotations

import re
from datetime import date

_AGE = re.compile(r"AGE:(?P<number>\d+)(?P<months>M?)")
_YEAR = 365.25
_MONTHS = 12


def is_same_age(form: str, said_on: date, other_form: str, other_said_on: date) -> bool | None:
    """Whether one birthday makes two ages true, each when it was said; None where they are no ages.

    Args:
        form: A canonical form, as `other_form`.
    """
    born, other_born = _born(form, said_on), _born(other_form, other_said_on)
    if born is None or other_born is None:
        return None
    return max(born[0], other_born[0]) <= min(born[1], other_born[1])


def is_age(canonical: str) -> bool:
    """Whether it is how old somebody is, which is true for a time after it was said."""
    return _AGE.fullmatch(canonical) is not None


def age_in_years(canonical: str) -> int | None:
    """How old somebody is; None where that is no number of years."""
    match = _AGE.fullmatch(canonical)
    return None if match is None or match["months"] else int(match["number"])


def age_at(canonical: str, said_on: date, today: date) -> int | None:
    """How old somebody is about today who was so old then; None: as old, as far as is known, or it is no age."""
    match = _AGE.fullmatch(canonical)
    days = (today - said_on).days
    if match is None or days < int(_YEAR):
        return None
    return int(match["number"]) // (_MONTHS if match["months"] else 1) + round(days / _YEAR)


def _born(form: str, said_on: date) -> tuple[date, date] | None:
    """The first and the last day of birth of whom is so old on that day."""
    if (match := _AGE.fullmatch(form)) is None:
        return None
    number, unit = int(match["number"]), 1 if match["months"] else _MONTHS
    return _before(said_on, (number + 1) * unit, days=1), _before(said_on, number * unit)


def _before(day: date, months: int, days: int = 0) -> date:
    """The day so many months before, and then so many days after."""
    year, month = divmod(day.year * _MONTHS + day.month - 1 - months, _MONTHS)
    month_start = date(max(year, 1), month + 1, 1)
    next_month = date(max(year, 1) + (month + 1) // _MONTHS, (month + 1) % _MONTHS + 1, 1)
    last = next_month.toordinal() - month_start.toordinal()
    return date.fromordinal(min(month_start.toordinal() + min(day.day, last) - 1 + days, date.max.toordinal()))
