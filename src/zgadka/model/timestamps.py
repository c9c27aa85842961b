"""Times as rows keep them: whole microseconds since 1970 UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = _EPOCH.toordinal()
_MICROSECOND = timedelta(microseconds=1)
_DAY_MICROS = timedelta(days=1) // _MICROSECOND


def micros(moment: datetime) -> int:
    """Microseconds since 1970 UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """The aware time that `micros` counted."""
    return _EPOCH + timedelta(0, 0, value)


def day_of(value: int) -> int:
    """The ordinal of the UTC day of a time, as `date.toordinal` counts."""
    return _EPOCH_DAY + value // _DAY_MICROS


def start_of(ordinal: int) -> int:
    """When such a day begins."""
    return (ordinal - _EPOCH_DAY) * _DAY_MICROS


def day_in(zone: tzinfo, moment: datetime) -> str:
    """The day in a zone, as ISO 8601 has it."""
    try:
        return moment.astimezone(zone).date().isoformat()
    except OverflowError:  # at either end of the calendar
        return moment.date().isoformat()


def minute_in(zone: tzinfo, moment: datetime) -> str:
    """The day and the time in a zone, as people read it; of an hour that comes twice in autumn, with which it is."""
    return _local(zone, moment, "%Y-%m-%d %H:%M")


def second_in(zone: tzinfo, moment: datetime) -> str:
    """The same with seconds, for operators."""
    return _local(zone, moment, "%Y-%m-%d %H:%M:%S")


def _local(zone: tzinfo, moment: datetime, form: str) -> str:
    local = moment.astimezone(zone)
    comes_twice = local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset()
    return f"{local:{form} %Z}" if comes_twice else f"{local:{form}}"


def micros_or_none(moment: datetime | None) -> int | None:
    """The same, where there may be no time."""
    return None if moment is None else micros(moment)


def moment_or_none(value: int | None) -> datetime | None:
    """The same, where there may be no time."""
    return None if value is None else moment(value)
