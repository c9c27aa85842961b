"""How old somebody is: true from a day on, and a year later one more."""

from __future__ import annotations

import re
from datetime import date

_AGE = re.compile("AGE:(\\d+)")
_YEAR = 365.25


def is_same_age(form: str, said_on: date, other_form: str, other_said_on: date) -> bool | None:
    """Whether one birthday makes two ages true, each when it was said; None where they are no ages.

    Args:
        form: A canonical form, as `other_form`.
    """
    ages = _AGE.fullmatch(form), _AGE.fullmatch(other_form)
    if ages[0] is None or ages[1] is None:
        return None
    (earliest, latest), (other_earliest, other_latest) = (
        _born(int(ages[0][1]), said_on),
        _born(int(ages[1][1]), other_said_on),
    )
    return max(earliest, other_earliest) <= min(latest, other_latest)


def is_age(canonical: str) -> bool:
    """Whether it is how old somebody is, which is true for a time after it was said."""
    return _AGE.fullmatch(canonical) is not None


def age_at(canonical: str, said_on: date, today: date) -> int | None:
    """How old somebody is about today who was so old then; None: as old, as far as is known, or it is no age."""
    match = _AGE.fullmatch(canonical)
    days = (today - said_on).days
    return int(match[1]) + round(days / _YEAR) if match is not None and days >= int(_YEAR) else None


def _born(age: int, said_on: date) -> tuple[date, date]:
    """The first and the last day of birth of whom is so old on that day."""
    return _years_before(said_on, age + 1, days=1), _years_before(said_on, age)


def _years_before(day: date, years: int, days: int = 0) -> date:
    year = max(day.year - years, 1)
    leap = (day.month, day.day) == (2, 29)
    earlier = day.replace(year=year, day=28) if leap else day.replace(year=year)
    return date.fromordinal(min(earlier.toordinal() + days, date.max.toordinal()))
