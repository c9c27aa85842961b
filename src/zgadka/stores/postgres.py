"""PostgreSQL: operations run side by side on pooled connections, and what waits shares a commit.

An operation runs on one connection, in a thread. Writers take what waits, each its share, into one transaction, every
operation in a savepoint of its own; each caller is answered after the commit. See docs/decisions/0007.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import psycopg

from zgadka.errors import InvalidInput, StoreBusy, StoreClosed, StoreError, StoreUncertain
from zgadka.model.copies import Backup
from zgadka.model.notice import Notice
from zgadka.model.turn import Turn
from zgadka.settings import Settings
from zgadka.stores import postgres_care as care
from zgadka.stores.cache import Cache
from zgadka.stores.jobs import Answer, Job, Transacting
from zgadka.stores.postgres_errors import RETRYABLE, is_lost, translated
from zgadka.stores.postgres_layout import Layout, is_up_to_date, layout_of, migrate
from zgadka.stores.postgres_listener import Listener
from zgadka.stores.postgres_pool import Pool
from zgadka.stores.postgres_session import ContendedError, Place, Session
from zgadka.stores.rows import Row, Value
from zgadka.stores.tx import Tx

T = TypeVar("T")

_BATCH = 32
"""Operations in one commit at most: what they lock, others wait for."""
_TRIES = 10
_LONGEST_PAUSE = 0.2
_POLL_SECONDS = 0.05


class PostgresStore(Transacting):
    """One database of a PostgreSQL server.

    Args:
        url: `postgresql://user:password@host:port/database`, or whatever libpq takes.
        clock: Gives the current time, aware.
    """

    def __init__(self, url: str, *, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._place = Place.of(url, settings)
        self._settings = settings
        self._clock = clock
        self._process = os.getpid()
        self._gate = threading.Lock()
        self._closed = False
        self.on_commit: Callable[[Sequence[Notice]], None] = lambda _: None
        self._cache = Cache(settings.cache_mb * 2**20)
        self._pool = Pool(self._place, settings)
        self._side_pool = Pool(self._place, settings, durable=False)
        self._waiting: deque[Job] = deque()
        self._under_way: set[Hashable] = set()
        self._width = max(1, settings.connections // 2)
        with self._telling(), self._place.connect() as connection:
            if not is_up_to_date(connection):
                migrate(connection)
            # Divided by owner, each transaction stays with one: several in one commit would be on several servers.
            self._batch = _BATCH if layout_of(connection) == "plain" else 1
        self._writers = ThreadPoolExecutor(self._width, "zgadka-writer")
        self._readers = ThreadPoolExecutor(self._width, "zgadka-reader")
        self._listener = Listener(self._place, self._cache.clear)

    async def close(self) -> None:
        """Finish what waits, then close; a second call waits for the first and does nothing more."""
        if os.getpid() != self._process:  # the threads stayed with the parent, and so do the connections
            return
        with self._gate:
            was_closed, self._closed = self._closed, True
        if was_closed:
            return
        await asyncio.get_running_loop().run_in_executor(None, self._close)

    def inspect(self) -> dict[str, str]:
        """Versions, place, layout and integrity, as text; for operators."""
        with self._telling(), self._pool.lent(Session.check) as session:
            return {"postgres": session.server, "database": self._place.name} | care.inspect(session)

    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""
        self._cache.clear()

    def scrub(self) -> bool:
        """Let no page keep what was removed; False when others are in the way. See `care.scrub`."""
        with self._telling(), self._pool.lent(Session.check) as session:
            return care.scrub(session)

    def mend(self) -> tuple[str, str]:
        """Make damaged indexes anew; returns what was found, before and after."""
        with self._telling(), self._pool.lent(Session.check) as session:
            return care.mend(session)

    def backup(self, target: Path, *, overwrite: bool, progress: Callable[[int, int], object]) -> Backup:
        """Refuse: a server has better ways."""
        raise InvalidInput(
            "zgadka copies no PostgreSQL server: use pg_dump, or archive its log for any point in time "
            "(docs/postgres.md)"
        )

    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        """Have a writer run something, after what stands before it in its line."""
        job = self._job(run, line, durable=durable)
        with self._gate:
            self._refuse_closed()
            self._waiting.append(job)
            self._writers.submit(self._write_some)
        return await job.answered(seconds)

    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        """Have a reader run something."""
        job = self._job(run, None, durable=False)
        with self._gate:
            self._refuse_closed()
            self._readers.submit(self._read, job)
        return await job.answered(seconds)

    def line_of(self, args: tuple[Any, ...]) -> Hashable:
        """The chat that an operation belongs to: what is said there is dealt with in the order in which it is said."""
        turn = next((one for one in args if isinstance(one, Turn)), None)
        return None if turn is None else (turn.platform, turn.place, turn.chat)

    def _job(self, run: Callable[[Tx], Any], line: Hashable, *, durable: bool) -> Job:
        if os.getpid() != self._process:
            raise StoreClosed("the store was opened before this process was forked off; open it anew here")
        loop = asyncio.get_running_loop()
        return Job(run, line, durable, loop, loop.create_future(), self.on_commit)

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StoreClosed("the store is closed")

    def _close(self) -> None:
        self._writers.shutdown()
        self._readers.shutdown()
        self._listener.close()
        self._pool.close()
        self._side_pool.close()

    def _read(self, job: Job) -> None:
        if not job.begin():
            return
        for last in (False, True):
            try:
                with self._pool.lent(Session.begin_reading) as session:
                    try:
                        job.result = job.run(self._tx(session, self._cache))
                    finally:
                        session.rollback_if_open()
                job.error = None
            except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                job.error = self._failure(error)
                if is_lost(error) and not last:  # the server may be back by now, and reading twice is reading
                    continue
            break
        Answer([job]).now()

    def _write_some(self) -> None:
        """Write what waits, a share at a time, until nothing is left that no other thread is at."""
        while jobs := self._share():
            try:
                alone = jobs if len(jobs) == 1 else self._write_together(jobs)
                for job in alone:
                    self._write_alone(job)
            except BaseException as error:  # noqa: BLE001  (the thread must not die, and everybody is answered)
                for job in jobs:
                    job.error = job.error or self._failure(error)
                Answer(jobs).now()
            finally:
                with self._gate:
                    self._under_way -= {job.line for job in jobs}

    def _share(self) -> list[Job]:
        """Take a share of what waits, in order, but for what stands in line behind a job of another thread."""
        jobs: list[Job] = []
        passed: list[Job] = []
        with self._gate:
            share = min(self._batch, -(-len(self._waiting) // self._width))
            while self._waiting and len(jobs) < share:
                job = self._waiting.popleft()
                if job.line in self._under_way:
                    passed.append(job)
                elif job.begin():
                    jobs.append(job)
            self._waiting.extendleft(reversed(passed))
            self._under_way |= {job.line for job in jobs if job.line is not None}
        return jobs

    def _write_together(self, jobs: Sequence[Job]) -> list[Job]:
        """Run all jobs in one transaction and answer them; returns those that must be run again, alone."""
        contended: list[Job] = []
        done: list[Job] = []

        def work(session: Session) -> None:
            behind: set[Hashable] = set()
            for job in jobs:
                if job.line is not None and job.line in behind:
                    contended.append(job)
                    continue
                session.savepoint()
                try:
                    job.perform(self._writing(session, job))
                except (ContendedError, *RETRYABLE):
                    session.rollback_to_savepoint()
                    contended.append(job)
                    behind.add(job.line)
                    continue
                except BaseException as error:
                    if is_lost(error):
                        raise
                    job.error = self._failure(error)
                    session.rollback_to_savepoint()
                else:
                    session.release_savepoint()
                done.append(job)

        try:
            self._in_transaction(work, durable=any(job.durable for job in jobs))
        except BaseException as error:  # noqa: BLE001  (nothing of it was kept, and all are told)
            contended.clear()
            done = list(jobs)
            for job in jobs:
                job.error = self._failure(error)
        self._settle(done)
        return contended

    def _write_alone(self, job: Job) -> None:
        """Run a job in a transaction of its own, again where others were in the way, and answer it."""
        first: set[int] = set()
        for attempt in range(1, _TRIES + 1):
            held: set[int] = set()

            def work(session: Session, first: set[int] = first, held: set[int] = held) -> None:
                try:
                    for owner in sorted(first):
                        session.hold(owner)
                    job.perform(self._writing(session, job))
                finally:
                    held |= session.held

            try:
                self._in_transaction(work, durable=job.durable)
            except ContendedError as error:
                # Lock them all beforehand, in order. One that was made in this very transaction is gone again.
                first = held | {error.owner}
                job.error = StoreBusy(f"PostgreSQL {self._place.name}: others keep the same rows locked")
                continue
            except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                job.error = self._failure(error)
                if isinstance(error, RETRYABLE) and attempt < _TRIES:
                    first = set()
                    time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.005 * 2**attempt)))  # noqa: S311
                    continue
                break
            else:
                job.error = None
                break
        self._settle([job])

    def _in_transaction(self, work: Callable[[Session], None], *, durable: bool) -> None:
        """Do some work in a transaction, and commit it.

        Raises:
            StoreUncertain: The connection was lost while it was committed, and nobody can tell what became of it.
        """
        with self._pool.lent(lambda session: session.begin_writing(durable=durable)) as session:
            try:
                work(session)
            except BaseException:
                session.rollback_if_open()
                raise
            try:
                session.commit()
            except psycopg.Error as error:
                session.rollback_if_open()
                if not is_lost(error):
                    raise
                if not self._was_kept(session):
                    raise

    def _was_kept(self, lost: Session) -> bool:
        """Whether the transaction whose commit was not answered was kept; the server remembers.

        Raises:
            StoreUncertain: It cannot be asked, or is another one by now, which need not know of it.
        """
        ends = time.monotonic() + max(self._settings.busy_seconds, 1)
        while time.monotonic() < ends:
            with suppress(psycopg.Error):
                session = self._pool.connect()
                try:
                    if session.timeline != lost.timeline:
                        break
                    status = session.run("SELECT pg_xact_status($1::text::xid8)", (lost.transaction,))[0][0]
                finally:
                    session.close()
                if status in ("committed", "aborted"):
                    return status == "committed"
            time.sleep(_POLL_SECONDS)
        raise StoreUncertain(
            f"PostgreSQL {self._place.name}: the connection was lost while a change was committed; "
            "it may have been kept, or not"
        )

    def _settle(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if job.error is None:
                for (owner, what), (revision, changes) in (job.changes or {}).items():
                    self._cache.changed(owner, what, revision, changes)
            elif isinstance(job.error, StoreError):  # each its own: callers add their tracebacks to it
                cause = job.error.__cause__
                job.error = copy(job.error)
                job.error.__cause__ = cause
        Answer(jobs).now()

    def _writing(self, session: Session, job: Job) -> Tx:
        known = job.apart = job.apart or {}

        def apart(query: str, parameters: Mapping[str, Value]) -> list[Row]:
            # A call is counted once, however often the operation is run again.
            key = (query, parameters["owner"], parameters.get("span"))
            if key not in known:
                known[key] = self._side_pool.rows(query, parameters)
            return known[key]

        session.apart = apart
        return self._tx(session)

    def _tx(self, session: Session, cache: Cache | None = None) -> Tx:
        return Tx(session, now=self._clock(), settings=self._settings, cache=cache)

    def _failure(self, error: BaseException) -> BaseException:
        """What the caller gets to see of an error in one of the threads."""
        if isinstance(error, psycopg.Error):
            failure = translated(error, self._place.name)
            failure.__cause__ = error.with_traceback(None)
            return failure
        if isinstance(error, StopIteration):  # a future refuses it, as a generator does
            return RuntimeError("the operation raised StopIteration")
        return error

    @contextmanager
    def _telling(self) -> Generator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise translated(error, self._place.name) from error


def make_tables(url: str, settings: Settings, layout: Layout | None = None) -> int:
    """Bring a database's schema up to date; see `migrate`.

    Raises:
        StoreError: It cannot be done.
    """
    place = Place.of(url, settings)
    try:
        with place.connect() as connection:
            return migrate(connection, layout)
    except psycopg.Error as error:
        raise translated(error, place.name) from error
