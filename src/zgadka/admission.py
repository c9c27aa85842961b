"""Calls that could not begin in time get into the queue together: alone, that would take as long as to do them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

from zgadka.errors import InvalidInput, StoreError, StoreLate
from zgadka.log import logger
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.tasks import QueueFull
from zgadka.stores.executor import Store
from zgadka.stores.tx import Tx
from zgadka.tools.declare import Tool

_log = logger()

_TOGETHER = 200
"""Calls in one transaction at most: it takes about 20 ms, for which others wait."""

_TRIES = 4
"""How often a call is tried with the others that are late, while somebody is at its space, before it waits for them:
where many processes put calls of the same spaces into the queue, they are for some ten milliseconds."""

Admitted = int | ToolResult | QueueFull | InvalidInput
"""The task that stands for a call, or why there is none."""


@dataclass(frozen=True, eq=False)
class LateCall:
    """A call that could not begin in time; its arguments are checked."""

    tool: Tool
    arguments: Mapping[str, Any]
    turn: Turn


_Key = tuple[asyncio.AbstractEventLoop, Hashable]
"""An event loop, and the space whose calls wait in a line. None: those of all spaces."""


@dataclass(eq=False)
class _Waiting:
    call: LateCall
    ends_at: float
    future: asyncio.Future[Admitted]
    tries: int = 0


class Admission:
    """Puts late calls into the queue.

    Args:
        seconds: How long a call may wait for that.
        enqueue: Puts calls into the queue; returns what came of each, in order. Told not to wait for others who are at
            a call's space, it returns None for that call.
        begins: Is called when somebody waits, `ends` when nobody does any more.
    """

    def __init__(
        self,
        store: Store,
        seconds: float,
        enqueue: Callable[[Tx, Sequence[LateCall], bool], Sequence[Admitted | None]],
        *,
        begins: Callable[[], object],
        ends: Callable[[], object],
    ) -> None:
        self._store = store
        self._seconds = seconds
        self._enqueue = enqueue
        self._begins = begins
        self._ends = ends
        self._lines: dict[_Key, deque[_Waiting]] = {}
        self._tasks: dict[_Key, asyncio.Task[None]] = {}

    async def enqueue(self, call: LateCall) -> Admitted:
        """Put a call into the queue, with those that are late just now.

        Raises:
            StoreLate: That did not begin in time, and never will.
        """
        loop = asyncio.get_running_loop()
        waiting = _Waiting(call, loop.time() + self._seconds, loop.create_future())
        self._wait_in_line(waiting, None if self._store.spans_owners else call.turn.place)
        return await waiting.future

    def _wait_in_line(self, waiting: _Waiting, place: Hashable) -> None:
        """Have a call wait with others.

        Args:
            place: The space whose calls it waits with, and with them for others who are at this space. None: it waits
                with the calls of all spaces, and for nobody.
        """
        key = asyncio.get_running_loop(), place
        if (line := self._lines.get(key)) is None:
            self._begins()
            line = self._lines[key] = deque()
            self._tasks[key] = asyncio.create_task(self._admit(key, line), name="zgadka-admission")
        line.append(waiting)

    async def _admit(self, key: _Key, line: deque[_Waiting]) -> None:
        """Enqueue a share after another, until nobody waits; whoever comes after that begins another line."""
        try:
            while line:
                share = [line.popleft() for _ in range(min(len(line), _TOGETHER))]
                share = [waiting for waiting in share if not waiting.future.done()]  # its caller may have given up
                if share:
                    await self._admit_share(share, line, waits=key[1] is not None)
        finally:  # with no await since the line was found empty
            del self._lines[key], self._tasks[key]
            _fail(line, StoreLate("it did not get into the queue"))
            if not self._lines:
                self._ends()

    async def _admit_share(self, share: Sequence[_Waiting], line: deque[_Waiting], *, waits: bool) -> None:
        late = min(waiting.ends_at for waiting in share)
        in_time = self._store.within(max(late - asyncio.get_running_loop().time(), 0))
        try:
            outcomes = await in_time.write(self._enqueue, [waiting.call for waiting in share], waits)
        except StoreLate as error:
            line.extendleft(waiting for waiting in reversed(share) if waiting.ends_at > late)
            _fail([waiting for waiting in share if waiting.ends_at <= late], error)
        except Exception as error:  # noqa: BLE001  (each of them is told)
            if len(share) == 1 or isinstance(error, StoreError):
                _fail(share, error)
                return
            _log.exception("a late call could not be enqueued: those with it are enqueued one by one")
            for waiting in share:  # one of them failed all, of whom nothing was kept
                await self._admit_share([waiting], line, waits=waits)
        else:
            for waiting, outcome in zip(share, outcomes, strict=True):
                if outcome is None:
                    waiting.tries += 1
                    self._wait_in_line(waiting, waiting.call.turn.place if waiting.tries >= _TRIES else None)
                elif not waiting.future.done():
                    waiting.future.set_result(outcome)


def _fail(share: Iterable[_Waiting], error: Exception) -> None:
    for waiting in share:
        if not waiting.future.done():
            waiting.future.set_exception(copy(error))  # each its own: callers add their tracebacks to it
