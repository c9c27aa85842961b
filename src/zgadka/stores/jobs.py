"""Operations on their way through a back end's threads, and back to whoever waits."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

from zgadka import tracing
from zgadka.errors import StoreLate
from zgadka.model.notice import Notice
from zgadka.stores.cache import What
from zgadka.stores.rows import Row
from zgadka.stores.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")

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


class Transacting(ABC):
    """Runs operations, given with their arguments, in transactions."""

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction; returns once it is on disk. It may be run again, from the start.

        Raises:
            StoreBusy: Others held the lock, or the same rows, for too long; nothing was kept.
            StoreUncertain: The connection to a server was lost at the end; nobody can tell whether it was kept.
            StoreUnavailable: The disk, the file or the server failed; nothing was kept.
        """
        return await self.submit_write(lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args), durable=True)

    async def write_soon(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction that outlives this process, but perhaps not a power cut."""
        return await self.submit_write(
            lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args), durable=False
        )

    async def read(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation on one consistent snapshot of what is committed."""
        return await self.submit_read(lambda tx: operation(tx, *args, **kwargs))

    def within(self, seconds: float) -> Transacting:
        """This store for whoever cannot wait: an operation that does not begin in time never does.

        Its methods raise `StoreLate` then.
        """
        return _Within(self, seconds)

    def line_of(self, args: tuple[Any, ...]) -> Hashable:
        """What an operation with these arguments stands in line with, where not all stand in one anyway."""
        del args
        return None

    @abstractmethod
    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        """Have a writer run something; `StoreLate` when it did not begin within so many seconds."""

    @abstractmethod
    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        """Have a reader run something; `StoreLate` when it did not begin within so many seconds."""


class _Within(Transacting):
    def __init__(self, store: Transacting, seconds: float) -> None:
        self._store = store
        self._seconds = seconds
        self.line_of = store.line_of

    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        return await self._store.submit_write(run, line=line, durable=durable, seconds=seconds or self._seconds)

    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        return await self._store.submit_read(run, seconds=seconds or self._seconds)


class Answer:
    """The answer to those whose operations are done: each is told once, whoever says first that it is time."""

    def __init__(self, jobs: Iterable[Job]) -> None:
        self._waiting: dict[asyncio.AbstractEventLoop, list[Job]] = {}
        for job in jobs:
            self._waiting.setdefault(job.loop, []).append(job)

    def now(self) -> None:
        """Wake the callers: one call into each event loop, however many wait there."""
        for loop, theirs in self._waiting.items():
            with suppress(RuntimeError):  # that event loop is closed: nobody waits there
                loop.call_soon_threadsafe(_settle, theirs)

    def within(self, seconds: float) -> None:
        """Wake them so much later, if nobody has by then."""
        for loop, theirs in self._waiting.items():
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(loop.call_later, seconds, _settle, theirs)


def _settle(jobs: list[Job]) -> None:
    waiting, jobs[:] = jobs[:], []
    for job in waiting:
        job.settle()
