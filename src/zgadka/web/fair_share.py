"""How much of the server is one caller's: so many requests in work, fewer as more ask; its others wait for these."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Hashable
from contextlib import suppress

HELD_SECONDS = 0.1
"""For how long a place is held at most: what takes longer waits for a model, a person or a reader, and needs no CPU."""
ACTIVE_SECONDS = 1.0
"""For how long a caller counts as one who asks."""
MOST_WAITING = 200
"""Requests of a caller that wait for a place."""


class Crowded(Exception):  # noqa: N818  (it is an answer)
    """Too many of the caller's requests wait already."""


class FairShare:
    """Places, shared alike by the callers of the last second; each gives its own in the order in which requests came.

    Nobody waits for another's request: each has one place at least. Where so many ask that each has one, who has more
    requests waiting rests after each for as long as it took, so that one who floods has half a place.
    """

    def __init__(self, at_once: int, *, waiting: int | None = None) -> None:
        """Make the places.

        Args:
            at_once: How many there are; 0: any number.
            waiting: How many of a caller's requests may wait for one; None: `MOST_WAITING`.
        """
        self._at_once = at_once
        self.most_waiting = MOST_WAITING if waiting is None else waiting
        self._asking: set[Hashable] = set()
        self._asked, self._until = 0, 0.0
        self.lines: dict[Hashable, Line] = {}
        """Of those who hold places, and of nobody else."""

    def count(self, caller: Hashable) -> None:
        """Count the caller among those who ask."""
        now = time.monotonic()
        if now >= self._until:
            self._asked = len(self._asking) if now < self._until + ACTIVE_SECONDS else 0
            self._asking.clear()
            self._until = now + ACTIVE_SECONDS
        self._asking.add(caller)

    @property
    def _callers(self) -> int:
        return max(self._asked, len(self._asking), 1)

    def is_full(self, held: int) -> bool:
        """Whether a caller who holds so many places has no more."""
        return bool(self._at_once) and held >= max(1, self._at_once // self._callers)

    @property
    def is_crowded(self) -> bool:
        """Whether others ask too, and so many that each has one place."""
        return self._callers > 1 and self.is_full(1)


class Line:
    """One caller's requests: how many have a place, and which wait for one."""

    __slots__ = ("held", "waiting")

    def __init__(self) -> None:
        self.held = 0
        self.waiting: deque[asyncio.Future[None]] = deque()


class Place:
    """A request's place, once it is taken; it is given back once, however often it is freed."""

    __slots__ = ("_caller", "_share", "_taken", "_timer")

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
        share.count(self._caller)
        if share.is_full(line.held):
            if len(line.waiting) >= share.most_waiting:
                raise Crowded
            turn: asyncio.Future[None] = loop.create_future()
            line.waiting.append(turn)
            try:
                await turn  # who frees a place hands it on: nobody comes in between
            except asyncio.CancelledError:
                if turn.cancelled():
                    with suppress(ValueError):  # a place came by it in this moment
                        line.waiting.remove(turn)
                else:
                    self._give_back()
                raise
        else:
            line.held += 1
        self._taken = loop.time()
        self._timer = loop.call_later(HELD_SECONDS, self.free)

    def free(self) -> None:
        """Give the place to the caller's next request; where others ask too, after as long as it was held."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            loop = asyncio.get_running_loop()
            line = self._share.lines[self._caller]
            if line.waiting and self._share.is_crowded:
                loop.call_later(loop.time() - self._taken, self._give_back)
            else:
                self._give_back()

    def _give_back(self) -> None:
        line = self._share.lines[self._caller]
        line.held -= 1
        while line.waiting and not self._share.is_full(line.held):
            turn = line.waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                line.held += 1
        if not line.held:
            del self._share.lines[self._caller]
