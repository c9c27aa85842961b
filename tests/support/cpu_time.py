"""That no text makes the code run away, on a slow or busy machine as on a quick one."""

from __future__ import annotations

import time
from collections.abc import Callable

_YARDSTICK_SECONDS = 0.0075  # what the yardstick takes on the machine that the limits were set for


def takes_less(seconds: float, work: Callable[[], object]) -> bool:
    """Whether `work` takes less CPU time than that, on a machine of ordinary speed: measured by what a fixed piece of
    work takes here and now, before it and after it. Done once, since much is remembered from the first time."""
    before = _cpu_time(_yardstick)
    taken = _cpu_time(work)
    pace = max(1.0, before / _YARDSTICK_SECONDS, _cpu_time(_yardstick) / _YARDSTICK_SECONDS)
    return taken < seconds * pace


def _yardstick() -> None:
    for number in range(60_000):
        hash(str(number))


def _cpu_time(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started
