"""How often somebody may ask, in this process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable

from zgadka.web.problem import Problem

REFUSED_SECONDS = 1.0
_MOST = 10_000


class Buckets:
    """A token bucket for each caller: so many a minute, and a sixth of that at once."""

    def __init__(self, per_minute: int) -> None:
        """Let so many a minute through; 0: any number."""
        self._per_second = per_minute / 60
        self._room = max(1.0, per_minute / 6)
        self._left: dict[Hashable, tuple[float, float]] = {}

    def take(self, caller: Hashable) -> float:
        """Take one; returns 0, or the seconds to wait until there is one."""
        if not self._per_second:
            return 0.0
        tokens = self.peek(caller)
        if tokens < 1:
            return (1 - tokens) / self._per_second
        if len(self._left) >= _MOST:
            self._forget()
        self._left[caller] = tokens - 1, time.monotonic()
        return 0.0

    def peek(self, caller: Hashable) -> float:
        """How many the caller may take now."""
        tokens, at = self._left.get(caller, (self._room, time.monotonic()))
        return min(self._room, tokens + (time.monotonic() - at) * self._per_second)

    def _forget(self) -> None:
        """Forget those whose bucket is full again; when there are none, everybody."""
        full = [caller for caller in self._left if self.peek(caller) >= self._room]
        for caller in full or list(self._left):
            del self._left[caller]


async def slow_down() -> None:
    """Let whoever asks too often wait before they hear it."""
    await asyncio.sleep(REFUSED_SECONDS)


async def refused_late(detail: str, wait: float) -> Problem:
    """Return the answer to too many requests, a second late: who does not wait by himself has to, and costs no more.

    Args:
        detail: A sentence for whoever made the request.
        wait: Seconds until there is room.
    """
    await slow_down()
    return Problem(429, detail, {"retry-after": str(int(wait) + 1)})
