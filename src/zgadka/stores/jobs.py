"""Operations on their way through a back end's threads, and back to whoever waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from zgadka import tracing
from zgadka.errors import StoreLate
from zgadka.model.notice import Notice
from zgadka.stores.cache import What
from zgadka.stores.rows import Row
from zgadka.stores.tx import Tx

Changes = Mapping[tuple[int, What], tuple[int, Sequence[Any]]]
"""What indexes in memory are told; see `Tx.changes`."""


@dataclass(slots=True)
class Job:
    """An operation, who waits for it, and what came of it.

    Attributes:
        run: The operation; it may be run again, from the start, where nothing of it was kept.
        line: What it stands in line with: such operations are run in the order in which they came. None: with nothing.
        durable: Whether the caller is answered only when it is on disk.
        publish: Is given the notices on the event loop, before the caller is answered.
        error: What the caller gets instead of the result.
        apart: What came of the queries that a back end runs in transactions of their own, since they stay when the
            operation is run again.
    """

    run: Callable[[Tx], Any]
    line: Hashable
    durable: bool
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    publish: Callable[[Sequence[Notice]], None]
    result: Any = None
    error: BaseException | None = None
    notices: Sequence[Notice] = ()
    changes: Changes = field(default_factory=dict[Any, Any])
    apart: dict[Any, list[Row]] = field(default_factory=dict[Any, list[Row]])

    _ticket: list[None] = field(default_factory=lambda: [None])
    _timed: tracing.Timed | None = field(default_factory=tracing.timed)

    def begin(self) -> bool:
        """Whether the job is to be run; False when the caller gave up before."""
        begins = self._take_ticket()
        if begins and self._timed is not None:
            self._timed.begin()
        return begins

    def give_up(self) -> None:
        """Have the job never run, unless it has begun."""
        if not self.future.done() and self._take_ticket():
            self.future.set_exception(StoreLate("the memory is busy: this did not begin in time"))

    def perform(self, tx: Tx) -> None:
        """Run it in this transaction, and note what came of it."""
        self.result = self.run(tx)
        self.notices, self.changes = tx.notices, tx.changes

    def _take_ticket(self) -> bool:
        try:
            self._ticket.pop()  # one thread gets it, whoever comes first
        except IndexError:
            return False
        return True

    def settle(self) -> None:
        """Answer the caller; on its event loop."""
        if self._timed is not None:
            self._timed.end(durable=self.durable)
        if self.error is None and self.notices:
            self.publish(self.notices)
        if self.future.done():  # the caller gave up waiting; the work is done all the same
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


def answer(jobs: Iterable[Job]) -> None:
    """Wake the callers: one call into each event loop, however many wait there."""
    waiting: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        waiting.setdefault(job.loop, []).append(job)
    for loop, theirs in waiting.items():
        with suppress(RuntimeError):  # that event loop is closed: nobody waits there
            loop.call_soon_threadsafe(_settle, theirs)


def _settle(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()
