"""Dates and times as models write them."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from zgadka.errors import InvalidInput

_PART = re.compile("[0-9]{4}(-[0-9]{2})?")  # of a date: a year, or a month
_HOURS = re.compile("[T ]")  # what parts the date from the time of day


def moment_given(name: str, value: str, *, end_of_day: bool = False) -> datetime:
    """The moment in UTC that a model wrote; a day alone is its beginning, or its end; without a zone it is UTC.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    try:
        if not _HOURS.search(value.strip()):
            day = date.fromisoformat(value.strip()) + timedelta(days=int(end_of_day))
            return datetime.combine(day, time(), UTC)
        moment = datetime.fromisoformat(value.strip())
        # In UTC, as it is kept: at either end of the calendar a zone's hours may lead out of it.
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"{name} must be an ISO date or time such as 2026-11-21, not {value[:40]!a}") from error


def day_given(name: str, value: str, *, end_of_day: bool = False) -> datetime:
    """The aware moment that a model wrote; a day, month or year alone is its beginning (UTC), or its first day's end.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    text = value.strip()
    missing = {4: "-01-01", 7: "-01"}.get(len(text), "") if _PART.fullmatch(text) else ""
    moment = moment_given(name, text + missing)
    return datetime.combine(moment, time.max, UTC) if end_of_day and not _HOURS.search(text) else moment
