"""Operations on their way through a back end's threads, and back to whoever waits."""

from __future__ import annotations

import asyncio
import os
import threading
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from zgadka import tracing
from zgadka.errors import StoreClosed, StoreError, StoreLate
from zgadka.model.notification import Notice
from zgadka.settings import Settings
from zgadka.stores.cache import Cache, What
from zgadka.stores.protocols import Store
from zgadka.stores.row_mapping import Row
from zgadka.stores.tx import Connection, Tx

BUSY_SECONDS = 10
"""How long an operation waits for what other processes have locked; then the store is busy."""

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
    changes: Changes | None = None
    apart: dict[Any, list[Row]] | None = None

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

    def answered(self, seconds: float | None) -> Awaitable[Any]:
        """Wait for the result; `StoreLate` when the job did not begin within so many seconds. None: however long."""
        return self.future if seconds is None else self._begun_within(seconds)

    async def _begun_within(self, seconds: float) -> Any:
        patience = self.loop.call_later(seconds, self.give_up)
        try:
            return await self.future
        finally:
            patience.cancel()

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


class ThreadedStore(Store):
    """What back ends share that run operations in threads of their own."""

    def __init__(self, settings: Settings, clock: Callable[[], datetime]) -> None:
        self.on_commit: Callable[[Sequence[Notice]], None] = lambda _: None
        self._settings = settings
        self._clock = clock
        self._process = os.getpid()
        self._gate = threading.Lock()  # nothing is put in line after the end, whatever thread asks
        self._closed = False
        self._cache = Cache()

    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""
        self._cache.clear()

    @abstractmethod
    def _translated(self, error: BaseException) -> StoreError | None:
        """What an error of the database means; None: it is none of the database's."""

    def _job(self, run: Callable[[Tx], Any], line: Hashable, *, durable: bool) -> Job:
        if os.getpid() != self._process:
            raise StoreClosed("the store was opened before this process was forked off; open it anew here")
        loop = asyncio.get_running_loop()
        return Job(run, line, durable, loop, loop.create_future(), self.on_commit)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _tx(self, connection: Connection, cache: Cache | None = None) -> Tx:
        return Tx(connection, now=self._clock(), settings=self._settings, cache=cache)

    def _failure(self, error: BaseException) -> BaseException:
        """What the caller gets to see of an error in one of the threads."""
        if failure := self._translated(error):
            failure.__cause__ = error.with_traceback(None)
            return failure
        if isinstance(error, StopIteration):  # a future refuses it, as a generator does
            return RuntimeError("the operation raised StopIteration")
        return error

    def _settle(self, jobs: Sequence[Job]) -> None:
        """Tell the indexes in memory what was changed, and everybody what came of it."""
        for job in jobs:
            if job.error is None:
                for (owner, kind), (revision, changes) in (job.changes or {}).items():
                    self._cache.changed(owner, kind, revision, changes)
            elif isinstance(job.error, StoreError):  # each its own: callers add their tracebacks to it
                cause = job.error.__cause__
                job.error = copy(job.error)
                job.error.__cause__ = cause
        answer(jobs)


def answer(jobs: Iterable[Job]) -> None:
    """Wake those whose operations are done: one call into each event loop, however many wait there."""
    by_loop: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, done in by_loop.items():
        with suppress(RuntimeError):  # that event loop is closed: nobody waits there
            loop.call_soon_threadsafe(_settle, done)


def _settle(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()
