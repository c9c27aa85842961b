"""What a back end offers, and operations on their way through its threads, and back to whoever waits."""

from __future__ import annotations

import asyncio
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from zgadka import tracing
from zgadka.breathing import breathe, breaths
from zgadka.errors import StoreClosed, StoreError, StoreLate
from zgadka.model.backup import Backup
from zgadka.model.notification import Notice
from zgadka.model.turn import Turn
from zgadka.model.wish import Wish
from zgadka.settings import Settings
from zgadka.stores.cache import Cache, What
from zgadka.stores.reads import LONG, GivingWay
from zgadka.stores.row_mapping import Row, Value
from zgadka.stores.tx import Connection, Tx

P = ParamSpec("P")
T = TypeVar("T")

BUSY_SECONDS = 10
"""How long an operation waits for what other processes have locked; then the store is busy."""


@dataclass(slots=True, eq=False)
class Job:
    """An operation, who waits for it, and what came of it.

    Attributes:
        run: The operation; it may be run again, from the start, where nothing of it was kept.
        line: What it stands in line with: such operations are run in the order in which they came; of reads, half of
            the readers may run one line's. None: with nothing.
        durable: Whether the caller is answered only when it is on disk.
        publish: Is given the notices on the event loop, before the caller is answered.
        error: What the caller gets instead of the result.
        changes: What indexes in memory are told; see `Tx.changes`.
        turns_out_long: Is called when a read takes longer than most; None: it does anyway.
        counted: What each call was counted to, by person, span and which of these calls it is, where a back end counts
            calls in transactions of their own: that stays when the operation is run again.
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
    changes: Mapping[tuple[int, What], tuple[int, Sequence[Any]]] | None = None
    turns_out_long: Callable[[], None] | None = None
    counted: dict[Hashable, list[Row]] | None = None

    _ticket: threading.Lock = field(default_factory=threading.Lock)  # is had by whoever comes first, and kept
    _timed: tracing.Timed | None = field(default_factory=tracing.timed)

    @property
    def has_begun(self) -> bool:
        """Whether the job was begun, or will never be."""
        return self._ticket.locked()

    def begin(self) -> bool:
        """Whether the job is to be run; False when the caller gave up before."""
        begins = self._ticket.acquire(blocking=False)
        if begins and self._timed is not None:
            self._timed.begin()
        return begins

    def withdraw(self) -> bool:
        """Have the job never run; False when it has begun."""
        return self._ticket.acquire(blocking=False)

    def give_up(self) -> None:
        """Have the job never run, unless it has begun, and tell the caller so."""
        if not self.future.done() and self.withdraw():
            self.future.set_exception(StoreLate("the memory is busy: this did not begin in time"))

    def perform(self, tx: Tx) -> None:
        """Run it in this transaction, and note what came of it."""
        self.result = self.run(tx)
        self.notices, self.changes = tx.notices, tx.changes

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


class Transactions(ABC):
    """Runs operations, each in a transaction of its own.

    Attributes:
        idle_seconds: How long workers wait between two looks for work of which nobody told them.
        tasks_at_once: How many tasks a worker takes at a time: they share their commits.
        give_way: What takes long calls it now and then.
    """

    idle_seconds = 1.0
    tasks_at_once = 200

    def __init__(self, give_way: GivingWay) -> None:
        self.give_way = give_way

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction; returns once it is on disk. It may be run again, from the start.

        Raises:
            StoreBusy: Others held the lock, or the same rows, for too long; nothing was kept.
            StoreUncertain: The connection to a server was lost at the end; nobody can tell whether it was kept.
            StoreUnavailable: The disk, the file or the server failed; nothing was kept.
        """
        return await self.submit(lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args), durable=True)

    async def write_soon(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation in a transaction that outlives this process, but perhaps not a power cut."""
        return await self.submit(lambda tx: operation(tx, *args, **kwargs), line=self.line_of(args))

    async def read(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the operation on one consistent snapshot of what is committed; the speaker's others may go before."""
        line = _speaker(*args, *kwargs.values())
        return await self.submit(lambda tx: operation(tx, *args, **kwargs), reads=True, line=line)

    async def read_long(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for what may take long: one such is under way at a time, and gives way to others."""
        return await self.submit(lambda tx: operation(tx, *args, **kwargs), reads=True, line=LONG)

    def line_of(self, args: tuple[Any, ...]) -> Hashable:
        """What an operation with these arguments stands in line with, where not all stand in one anyway."""
        del args
        return None

    @abstractmethod
    async def submit(
        self, run: Callable[[Tx], T], *, reads: bool = False, line: Hashable = None, durable: bool = False
    ) -> T:
        """Have a writer run something, or a reader."""


class Store(Transactions):
    """A back end: the engine knows no more of it.

    Attributes:
        on_commit: Is called on the event loop with the notices of what is on disk, before the caller is answered.
        is_read_only: Whether nothing can be changed: then nothing is done in the background.
        spans_owners: Whether one transaction may well change the rows of many owners. False: each is on a server of its
            own.
    """

    is_read_only = False
    spans_owners = True

    def __init__(self, settings: Settings, clock: Callable[[], datetime], readers: int) -> None:
        super().__init__(GivingWay(readers))
        self.on_commit: Callable[[Sequence[Notice]], None] = lambda _: None
        self._settings = settings
        self._clock = clock
        self._process = os.getpid()
        self._gate = threading.Lock()  # nothing is put in line after the end, whatever thread asks
        self._closed = False
        self._cache = Cache()

    async def submit(
        self,
        run: Callable[[Tx], T],
        *,
        reads: bool = False,
        line: Hashable = None,
        durable: bool = False,
        seconds: float | None = None,
    ) -> T:
        """Have a writer run something, or a reader; `StoreLate` when it did not begin within so many seconds.

        Of a caller who is cancelled, what has not begun never does; what has is done all the same, but for a read.
        """
        if os.getpid() != self._process:
            raise StoreClosed("the store was opened before this process was forked off; open it anew here")
        loop = asyncio.get_running_loop()
        job = Job(run, line, durable, loop, loop.create_future(), self.on_commit)
        with nullcontext() if line is LONG else self.give_way.served(line) as job.turns_out_long:
            return await self._answer(job, reads=reads, seconds=seconds)

    async def _answer(self, job: Job, *, reads: bool, seconds: float | None) -> Any:
        with self._gate:
            if self._closed:
                raise StoreClosed("the store is closed")
            (self._enqueue_read if reads else self._enqueue_write)(job)
        patience = None if seconds is None else job.loop.call_later(seconds, job.give_up)
        try:
            return await job.future
        except asyncio.CancelledError:
            job.withdraw()
            raise
        finally:
            if patience is not None:
                patience.cancel()

    def within(self, seconds: float) -> Transactions:
        """This store for whoever cannot wait: an operation that does not begin in time never does.

        Its methods raise `StoreLate` then.
        """
        return _Within(self, seconds)

    async def close(self) -> None:
        """Finish what waits, then close; a second call waits for the first and does nothing more."""
        if os.getpid() != self._process:  # the threads stayed with the parent, and so does what they have open
            return
        with self._gate:
            self._closed = True
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""
        self._cache.clear()

    @abstractmethod
    def scrub(self) -> bool:
        """Let no byte of what was removed be left; False when that must be tried again."""

    def sweep(self) -> None:
        """Take away what another program, or an older one, left of what was removed; at most once a day."""

    @abstractmethod
    def inspect(self) -> dict[str, str]:
        """Versions, place and integrity, as text."""

    @abstractmethod
    def mend(self) -> tuple[str, str]:
        """Make damaged indexes anew; returns what was found, before and after: `ok` or what is wrong."""

    @abstractmethod
    def backup(self, target: Path, *, overwrite: bool, progress: Callable[[int, int], object]) -> Backup:
        """Copy the whole database while others use it, and verify the copy."""

    @abstractmethod
    def _enqueue_write(self, job: Job) -> None:
        """Have a writer run the job, after what stands before it in its line."""

    @abstractmethod
    def _enqueue_read(self, job: Job) -> None:
        """Have a reader run the job."""

    @abstractmethod
    def _close(self) -> None:
        """Finish what waits and let go of the database, once nothing more is put in line; may be called again."""

    @abstractmethod
    def _translated(self, error: BaseException) -> StoreError | None:
        """What an error of the database means; None: it is none of the database's."""

    def wish_keys(self, make: bool) -> Sequence[bytes]:
        """The keys of wishes that lie outside of the database; see `Base.wish_keys`."""
        del make
        key = self._settings.wish_key
        return [key.encode()] if key else []

    def kept_wishes(self) -> Mapping[str, Wish] | None:
        """The wishes that are kept beside the database, by digest; None where none are."""
        return None

    def keep_wishes(self, wishes: Iterable[Wish]) -> None:
        """Keep wishes beside the database, where they are kept."""

    def keep_wish_key(self, key: bytes) -> None:
        """Keep a key of wishes in a place of its own, where there is one."""

    def _tx(self, connection: Connection, cache: Cache | None = None) -> Tx:
        tx = Tx(connection, now=self._clock(), settings=self._settings, cache=cache)
        tx.wish_keys = self.wish_keys
        tx.glanced, tx.known_owners = self._cache, self._cache.owners_by_id
        return tx

    def _read(self, job: Job, connection: Connection) -> None:
        """Run a read in a transaction that is open; it ends at its next breath once nobody waits for it."""
        tx = self._tx(connection, self._cache)
        run = tx.rows

        def rows(query: str, parameters: Mapping[str, Value]) -> list[Row]:
            breathe()
            return run(query, parameters)

        def breath() -> None:
            if job.future.done():
                raise StoreLate("the caller gave up")
            give_way()

        tx.rows = rows
        with self.give_way.pace(job.line, job.turns_out_long) as give_way, breaths(breath):
            job.result = job.run(tx)

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


class _Within(Transactions):
    def __init__(self, store: Store, seconds: float) -> None:
        super().__init__(store.give_way)
        self._store = store
        self._seconds = seconds
        self.line_of = store.line_of

    async def submit(
        self, run: Callable[[Tx], T], *, reads: bool = False, line: Hashable = None, durable: bool = False
    ) -> T:
        return await self._store.submit(run, reads=reads, line=line, durable=durable, seconds=self._seconds)


def _speaker(*args: object) -> Hashable:
    """Who asks, as far as a turn among the arguments tells; None: nobody's own."""
    turn = next((value for value in args if isinstance(value, Turn)), None)
    return None if turn is None else (turn.platform, turn.user_key)


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
