"""Times as rows keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from zgadka.model.timestamps import micros, moment


def test_an_hour_that_comes_twice_is_two_hours() -> None:
    first = datetime(2026, 10, 25, 3, 30, tzinfo=ZoneInfo("Europe/Kyiv"))
    assert micros(first.replace(fold=1)) - micros(first) == timedelta(hours=1) // timedelta(microseconds=1)


def test_a_time_comes_back_as_it_was_to_the_microsecond() -> None:
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, 12, 0, 0, 1, UTC), datetime.max.replace(tzinfo=UTC)):
        assert moment(micros(at)) == at
