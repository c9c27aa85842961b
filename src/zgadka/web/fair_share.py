"""How much of the server is one caller's: so many requests in work; the caller's others wait for these."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable

HELD_SECONDS = 10.0
"""For how long a place is held at most: a request that waits for a person holds up no other."""
MOST_WAITING = 200
"""Requests of a caller that wait for a place."""


class Crowded(Exception):  # noqa: N818  (it is an answer)
    """Too many of the caller's requests wait already."""


class FairShare:
    """So many places for each caller, given in the order in which its requests came."""

    def __init__(self, at_once: int, *, waiting: int = MOST_WAITING) -> None:
        """Make the places.

        Args:
            at_once: How many a caller has; 0: any number.
            waiting: How many of a caller's requests may wait for one.
        """
        self.at_once = at_once
        self.most_waiting = waiting
        self.lines: dict[Hashable, Line] = {}
        """Of those who hold places: nobody else costs memory."""


class Line:
    """One caller's requests: how many have a place, and which wait for one."""

    __slots__ = ("held", "waiting")

    def __init__(self) -> None:
        self.held = 0
        self.waiting: deque[asyncio.Future[None]] = deque()


class Place:
    """A request's place, once it is taken; it is given back once, however often it is freed."""

    __slots__ = ("_caller", "_share", "_timer")

    def __init__(self, share: FairShare, caller: Hashable) -> None:
        """Make a place that is not taken yet."""
        self._share = share
        self._caller = caller
        self._timer: asyncio.TimerHandle | None = None  # while it is taken

    async def take(self) -> None:
        """Wait until there is a place; it is free again after `HELD_SECONDS` at the latest.

        Raises:
            Crowded: There is none, and too many wait already.
        """
        share, loop = self._share, asyncio.get_running_loop()
        line = share.lines.get(self._caller)
        if line is None:
            line = share.lines[self._caller] = Line()
        if share.at_once and line.held >= share.at_once:
            if len(line.waiting) >= share.most_waiting:
                raise Crowded
            turn = loop.create_future()
            line.waiting.append(turn)
            try:
                await turn  # who frees a place hands it on: nobody comes in between
            except asyncio.CancelledError:
                if turn.cancelled():
                    line.waiting.remove(turn)
                else:
                    self._give_back()
                raise
        else:
            line.held += 1
        self._timer = loop.call_later(HELD_SECONDS, self.free)

    def free(self) -> None:
        """Give the place to the caller's next request."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._give_back()

    def _give_back(self) -> None:
        line = self._share.lines[self._caller]
        while line.waiting:
            turn = line.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        line.held -= 1
        if not line.held:
            del self._share.lines[self._caller]
