"""Dates and times as models and people write them, in the operator's time zone, relative to when it was said."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta

from zgadka.errors import InvalidInput
from zgadka.model.turn import Turn
from zgadka.ops.sources import said_at
from zgadka.stores.tx import Tx
from zgadka.text.calendar_days import Days
from zgadka.text.dates import days_named
from zgadka.text.time_mentions import days_mentioned

_TIME_OF_DAY = re.compile(r"\d[T ]\d\d:?\d\d")
_TWO_DAYS = re.compile(r"\s*\d{1,2}/\d{1,2}/\d{2,4}\s*")
_YEAR = re.compile(r"\d{4}")
_SPAN_WORDS = 5
_SETTING_APART = frozenset({"not", "before", "after", "until", "till", "or", "не", "до", "перед", "після", "або", "чи"})
"""What says that other days than those are meant, or either."""
_TICK = timedelta(microseconds=1)


def beginning_given(tx: Tx, turn: Turn, name: str, value: str) -> datetime:
    """The moment from which on something is so: the time, or the beginning of the days, months or years.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    named = _named(tx, turn, name, value)
    return named if isinstance(named, datetime) else _midnight(tx, name, value, named.first)


def until_given(tx: Tx, turn: Turn, name: str, value: str) -> datetime:
    """The moment from which on something was no longer so: "until 2020" ends with 2019, "until the end of 2020" not.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    named = _named(tx, turn, name, value)
    if isinstance(named, datetime):
        return named
    return (
        _midnight(tx, name, value, named.last, is_end=True) if named.is_end else beginning_given(tx, turn, name, value)
    )


def end_given(tx: Tx, turn: Turn, name: str, value: str) -> datetime:
    """The moment before which something was: the time, or that after the last of the days.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    named = _named(tx, turn, name, value)
    return named if isinstance(named, datetime) else _midnight(tx, name, value, named.last, is_end=True)


def moment_asked_for(tx: Tx, turn: Turn, name: str, value: str) -> datetime:
    """The moment at which something was so: the time, or the last one of the days; of this month or year, of today.

    Raises:
        InvalidInput: It is neither a date nor a time.
    """
    named = _named(tx, turn, name, value)
    if isinstance(named, datetime):
        return named
    last = max(named.first, min(named.last, _today(tx, turn)))
    return _midnight(tx, name, value, last if named.first <= last < named.last else named.last, is_end=True) - _TICK


def _named(tx: Tx, turn: Turn, name: str, value: str) -> datetime | Days:
    text = value.strip()
    try:
        if _TIME_OF_DAY.search(text):
            moment = datetime.fromisoformat(text)
            # In UTC, as it is kept: at either end of the calendar a zone's hours may lead out of it.
            return (moment if moment.tzinfo else moment.replace(tzinfo=tx.settings.zone)).astimezone(UTC)
        day = date.fromisoformat(text)
        return Days(day, day)
    except ValueError:
        today = _today(tx, turn)
        if (days := days_named(text, today) or _span_named(text, today)) is not None:
            return days
    except OverflowError:
        pass
    if _TWO_DAYS.fullmatch(value):
        raise InvalidInput(f"{name}: {text!a} may be two days; write year, month and day: 2026-11-21")
    raise InvalidInput(
        f"{name} must be a date or time such as 2026-11-21, 2026-11, November 2026 or last spring, not {text[:40]!a}"
    )


def _span_named(text: str, today: date) -> Days | None:
    """Read days that are so long ago, in few words: "the past two weeks", "останні три дні", "last weekend"."""
    words = text.lower().split()
    if len(words) > _SPAN_WORDS or not _SETTING_APART.isdisjoint(words) or _YEAR.search(text):
        return None
    mentioned = days_mentioned(text, today)
    return None if len(mentioned) != 1 or mentioned[0].is_dated else Days(mentioned[0].first, mentioned[0].last)


def _today(tx: Tx, turn: Turn) -> date:
    return said_at(tx, turn).astimezone(tx.settings.zone).date()


def _midnight(tx: Tx, name: str, value: str, day: date, *, is_end: bool = False) -> datetime:
    """When a day begins or ends."""
    try:
        return datetime.combine(day + timedelta(days=is_end), time(), tx.settings.zone).astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput(f"{name}: no calendar has {value.strip()[:40]!a}") from error
