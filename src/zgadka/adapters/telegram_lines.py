"""Work in order per chat, chats side by side."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from zgadka.log import logger

_log = logger()

Job = Callable[[], Awaitable[object]]


class Lines:
    """A line of jobs for each key; the jobs of one line run one after another."""

    def __init__(self) -> None:
        self._lines: dict[str, deque[Job]] = {}
        self._workers: set[asyncio.Task[None]] = set()

    def later(self, key: str, job: Job) -> None:
        """Put a job at the end of a line; what it raises is logged and does not stop the line."""
        line = self._lines.get(key)
        if line is not None:
            line.append(job)
            return
        self._lines[key] = deque([job])
        worker = asyncio.create_task(self._work(key))
        self._workers.add(worker)
        worker.add_done_callback(self._workers.discard)

    @property
    def busy(self) -> bool:
        """Whether anything is in line or being done."""
        return bool(self._workers)

    async def settle(self) -> None:
        """Wait until nothing is left to do."""
        while self._workers:
            await asyncio.wait(self._workers)

    async def close(self, seconds: float) -> None:
        """Give what is in line some time, then stop it."""
        if self._workers:
            await asyncio.wait({asyncio.create_task(self.settle())}, timeout=seconds)
        for worker in tuple(self._workers):
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)

    async def _work(self, key: str) -> None:
        line = self._lines[key]
        try:
            while line:
                try:
                    await line.popleft()()
                except Exception:  # noqa: BLE001  (the loop that must not die)
                    _log.exception("a job of a Telegram chat failed")
        finally:
            del self._lines[key]
