"""Work in order per chat, chats side by side, until the bot is stopped."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import TypeVar

from zgadka.log import logger

_log = logger()

T = TypeVar("T")

Job = Callable[[], Awaitable[object]]


class Queues:
    """A queue of jobs for each key; the jobs of one queue run one after another."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[Job]] = {}
        self._workers: set[asyncio.Task[None]] = set()
        self._context = copy_context()

    def begin(self) -> None:
        """Run jobs in the caller's context from now on: the memory's notices come without one."""
        self._context = copy_context()

    def put(self, key: str, job: Job) -> None:
        """Put a job at the end of a queue; what it raises is logged and does not stop the queue."""
        queue = self._queues.get(key)
        if queue is not None:
            queue.append(job)
            return
        self._queues[key] = deque([job])
        worker = self._context.copy().run(asyncio.create_task, self._work(key))
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    @property
    def busy(self) -> bool:
        """Whether any job waits or runs."""
        return bool(self._workers)

    async def settle(self) -> None:
        """Wait until nothing is left to do."""
        while self._workers:
            await asyncio.wait(self._workers)

    async def close(self, seconds: float) -> None:
        """Give waiting jobs some time, then stop them."""
        if self._workers:
            await asyncio.wait({asyncio.create_task(self.settle())}, timeout=seconds)
        for worker in tuple(self._workers):
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _work(self, key: str) -> None:
        queue = self._queues[key]
        try:
            while queue:
                try:
                    await queue.popleft()()
                except Exception:  # noqa: BLE001  (the loop that must not die)
                    _log.exception("a job of a chat failed")
        finally:
            del self._queues[key]


async def or_stop(work: Awaitable[T], stop: asyncio.Event) -> T | None:
    """What the work gives, or None when `stop` was set before."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        stopping.cancel()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)
