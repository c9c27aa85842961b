"""Times as rows keep them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from zgadka.model.timestamps import micros, minute_in, moment


def test_an_hour_that_comes_twice_is_two_hours() -> None:
    first = datetime(2026, 10, 25, 3, 30, tzinfo=ZoneInfo("Europe/Kyiv"))
    assert micros(first.replace(fold=1)) - micros(first) == timedelta(hours=1) // timedelta(microseconds=1)


def test_a_time_comes_back_as_it_was_to_the_microsecond() -> None:
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(2026, 3, 1, 12, 0, 0, 1, UTC), datetime.max.replace(tzinfo=UTC)):
        assert moment(micros(at)) == at


def test_of_an_hour_that_comes_twice_it_is_said_which_one_it_is() -> None:
    zone = ZoneInfo("Europe/Kyiv")
    autumn = [datetime(2026, 10, 25, hour, 30, tzinfo=UTC) for hour in (0, 1, 2)]
    assert [minute_in(zone, at) for at in autumn] == [
        "2026-10-25 03:30 EEST",
        "2026-10-25 03:30 EET",
        "2026-10-25 04:30",
    ]
    spring = [datetime(2026, 3, 29, hour, 30, tzinfo=UTC) for hour in (0, 1)]
    assert [minute_in(zone, at) for at in spring] == ["2026-03-29 02:30", "2026-03-29 04:30"]
