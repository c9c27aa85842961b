"""PostgreSQL: operations run side by side on pooled connections, and what waits shares a commit.

An operation runs on one connection, in a thread. Writers take what waits, each its share, into one transaction, every
operation in a savepoint of its own; each caller is answered after the commit. See docs/decisions/0007.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import psycopg
from psycopg import errors

from zgadka.errors import InvalidInput, StoreBusy, StoreError, StoreUncertain
from zgadka.log import logger
from zgadka.model.backup import Backup
from zgadka.model.turn import Turn
from zgadka.settings import Settings
from zgadka.stores import executor
from zgadka.stores.executor import Job, Store, answer
from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.errors import RETRYABLE, is_lost, translated, translating
from zgadka.stores.postgres.listener import Listener
from zgadka.stores.postgres.nodes import Newcomers, Queue, on_every_node
from zgadka.stores.postgres.pool import Pool
from zgadka.stores.postgres.schema import Layout, foreign_objects, has_keys, is_up_to_date, layout_of, migrate
from zgadka.stores.postgres.scrub import scrub
from zgadka.stores.postgres.session import SCHEMA, ContendedError, Database, Session, answered_within
from zgadka.stores.postgres.silence import SilenceWatch
from zgadka.stores.reads import Reads
from zgadka.stores.row_mapping import Row, Value
from zgadka.stores.sql import refuse_foreign
from zgadka.stores.tx import Tx

_log = logger()

_BATCH = 32
"""Operations in one commit at most: what they lock, others wait for."""
_TRIES = 10
_LONGEST_PAUSE = 0.2
_POLL_SECONDS = 0.05
_IDLE_SECONDS = 5.0
"""Between two looks of a worker, where each asks every server."""
_TASKS_AT_ONCE = 40
"""Where each task has a commit of its own: a lease must not end before the worker comes to say that it is at it."""

_INVALID = """
SELECT string_agg(format('index %I is not valid', c.relname), '; ')
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace('zgadka') AND NOT (i.indisvalid AND i.indisready)
"""
_CHECKSUMS = """
SELECT coalesce(checksum_failures, 0)::bigint FROM pg_stat_database WHERE datname = current_database()
"""
_CHECK_INDEXES = """
SELECT count(bt_index_check(c.oid, true)::text) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_am a ON a.oid = c.relam
WHERE c.relnamespace = to_regnamespace('zgadka') AND a.amname = 'btree' AND c.relkind = 'i'
"""
_DAMAGED = "{} pages were damaged when they were read: restore a backup"
_HAS_AMCHECK = "SELECT 1 FROM pg_extension WHERE extname = 'amcheck'"
_INDEXES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_am a ON a.oid = c.relam
WHERE n.nspname = $1 AND a.amname = 'btree' AND c.relkind = 'i' ORDER BY c.relname
"""


class PostgresStore(Store):
    """One database of a PostgreSQL server.

    Args:
        url: `postgresql://user:password@host:port/database`, or whatever libpq takes.
        clock: Gives the current time, aware.
    """

    def __init__(self, url: str, *, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._width = max(1, settings.connections // 2)
        super().__init__(settings, clock, self._width)
        self._database = Database.of(url)
        self._waiting: deque[Job] = deque()
        self._under_way: set[Hashable] = set()
        with translating(self._database.name), self._database.connect_once_started() as connection:
            if not is_up_to_date(connection):
                migrate(connection)
            refuse_foreign(foreign_objects(connection), self._database.name)
            layout, keys = layout_of(connection), has_keys(connection)
        self._breaker = Breaker(self._database.name)
        self._pool = Pool(self._database, self._breaker, has_keys=keys)
        self._side_pool = Pool(self._database, self._breaker, durable=False, has_keys=keys)
        # Divided by owner, each transaction stays with one: several in one commit would be on several servers.
        self.spans_owners = layout == "plain"
        self._batch = _BATCH if self.spans_owners else 1
        self._is_distributed = layout == "citus"
        self._elsewhere = {} if self.spans_owners else {"tasks_add": _row_by_row("task_add")}
        if self._is_distributed:
            self.idle_seconds, self.tasks_at_once = _IDLE_SECONDS, _TASKS_AT_ONCE
            queue = Queue(self._side_pool, self._breaker)
            self._newcomers = Newcomers(self._side_pool, self._breaker)
            self._elsewhere |= {"tasks_due": queue.due, "tasks_waiting": queue.waiting}
        self._writers = ThreadPoolExecutor(self._width, "zgadka-writer")
        self._readers = ThreadPoolExecutor(self._width, "zgadka-reader")
        self._reads = Reads[Job](self._width)
        self._listener = Listener(self._database, self._cache.clear)
        self._silence = SilenceWatch(
            self._database, self._breaker, self._pool, self._side_pool, is_distributed=self._is_distributed
        )

    def inspect(self) -> dict[str, str]:
        """Versions, place, layout and integrity, as text; for operators."""
        with self._checked() as session:
            extensions = dict(session.run("SELECT extname, extversion FROM pg_extension"))
            return {
                "postgres": session.connection.info.parameter_status("server_version") or "unknown",
                "database": self._database.name,
                "schema": str(session.run("SELECT max(number) FROM zgadka.migration")[0][0]),
                "layout": str(layout_of(session.connection)),
                "pgvector": extensions.get("vector", "none: vectors are kept as bytes"),
                "integrity": self._integrity(session),
                "foreign": ", ".join(foreign_objects(session.connection)) or "none",
            }

    def scrub(self) -> bool:
        """Let no page of a table keep what was removed; False when others are in the way."""
        with self._checked() as session:
            return scrub(session, is_distributed=self._is_distributed)

    def mend(self) -> tuple[str, str]:
        """Make all indexes anew where the check finds something; returns what it found, before and after."""
        with self._checked() as session:
            problems = self._integrity(session)
            if problems == "ok":
                return problems, problems
            for (index,) in session.run(_INDEXES, (SCHEMA,)):
                session.run(f"REINDEX INDEX {index}")
            return problems, self._integrity(session)

    def backup(self, target: Path, *, overwrite: bool, progress: Callable[[int, int], object]) -> Backup:
        """Refuse: a server has better ways."""
        raise InvalidInput(
            "zgadka copies no PostgreSQL server: use pg_dump, or archive its log for any point in time "
            "(docs/postgres.md)"
        )

    def _integrity(self, session: Session) -> str:
        return _integrity_of_all(session, self._silence.look()) if self._is_distributed else _integrity(session)

    def line_of(self, args: tuple[Any, ...]) -> Hashable:
        """The chat that an operation belongs to: what is said there is dealt with in the order in which it is said."""
        turn = next((value for value in args if isinstance(value, Turn)), None)
        return None if turn is None else (turn.platform, turn.place, turn.chat)

    @contextmanager
    def _checked(self) -> Generator[Session]:
        """A connection that is there, outside of a transaction."""
        with translating(self._database.name), self._pool.lent(Session.check) as session:
            yield session

    def _enqueue_write(self, job: Job) -> None:
        self._waiting.append(job)
        self._writers.submit(self._write_some)

    def _enqueue_read(self, job: Job) -> None:
        self._reads.put(job)
        self._readers.submit(self._read_some)

    def _close(self) -> None:
        self._writers.shutdown()
        self._readers.shutdown()
        self._listener.close()
        self._silence.close()
        self._pool.close()
        self._side_pool.close()

    def _read_some(self) -> None:
        while (job := self._reads.take()) is not None:
            self._read_alone(job)

    def _read_alone(self, job: Job) -> None:
        def work(session: Session) -> None:
            session.elsewhere = self._elsewhere
            try:
                self._read(job, session)
            finally:
                session.rollback_if_open()

        is_begun = job.begin()
        if is_begun:
            try:
                self._pool.run(work, Session.begin_reading)
            except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                job.error = self._failure(error)
        self._reads.done(job)
        if is_begun:
            answer([job])

    def _write_some(self) -> None:
        """Write what waits, a share at a time, until nothing is left that no other thread is at."""
        while jobs := self._share():
            try:
                for job in self._write_together(jobs) if len(jobs) > 1 else filter(Job.begin, jobs):
                    self._write_alone(job)
            except BaseException as error:  # noqa: BLE001  (the thread must not die, and everybody is answered)
                for job in jobs:
                    job.error = job.error or self._failure(error)
                answer(jobs)
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
                elif not job.has_begun:  # else its caller gave up
                    jobs.append(job)
            self._waiting.extendleft(reversed(passed))
            self._under_way |= {job.line for job in jobs if job.line is not None}
        return jobs

    def _write_together(self, jobs: Sequence[Job]) -> list[Job]:
        """Run all jobs in one transaction and answer them; returns those that must be run again, alone."""
        contended: list[Job] = []
        done: list[Job] = []
        begun: list[Job] = []

        def work(session: Session) -> None:  # perhaps again, where the connection turns out to be lost
            contended.clear()
            done.clear()
            blocked_lines: set[Hashable] = set()
            for job in jobs:
                if job not in begun:
                    if not job.begin():  # its caller gave up while those before it were run
                        continue
                    begun.append(job)
                job.error = None
                if job.line is not None and job.line in blocked_lines:
                    contended.append(job)
                    continue
                session.savepoint()
                try:
                    job.perform(self._writing(session, job))
                except (ContendedError, *RETRYABLE):
                    session.rollback_to_savepoint()
                    contended.append(job)
                    blocked_lines.add(job.line)
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
        except RETRYABLE:  # the commit's; nothing of it was kept, and each is run again by itself
            return [job for job in jobs if job in begun or job.begin()]
        except BaseException as error:  # noqa: BLE001  (nothing of it was kept, and all are told)
            contended.clear()
            done = begun + [job for job in jobs if job.begin()]
            for job in done:
                job.error = self._failure(error)
        self._settle(done)
        return contended

    def _write_alone(self, job: Job) -> None:
        """Run a job in a transaction of its own, again where others were in the way, and answer it."""
        to_hold: set[int] = set()
        for attempt in range(1, _TRIES + 1):
            held: set[int] = set()

            def work(session: Session, to_hold: set[int] = to_hold, held: set[int] = held) -> None:
                try:
                    for owner in sorted(to_hold):
                        session.hold(owner)
                    job.perform(self._writing(session, job))
                finally:
                    held |= session.held

            try:
                self._in_transaction(work, durable=job.durable)
            except ContendedError as error:
                # Lock them all beforehand, in order. One that was made in this very transaction is gone again.
                to_hold = held | {error.owner}
                job.error = StoreBusy(f"PostgreSQL {self._database.name}: others keep the same rows locked")
                continue
            except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                job.error = self._failure(error)
                if isinstance(error, RETRYABLE) and attempt < _TRIES:
                    to_hold = set()
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
            StoreUncertain: Nobody can tell what became of it: docs/decisions/0014.
        """
        while not self._is_done(work, durable=durable):
            self._pool.drop_idle()

    def _is_done(self, work: Callable[[Session], None], *, durable: bool) -> bool:
        """Whether that was done; False where a connection turned out to be lost before anything was asked on it."""
        with self._pool.lent(lambda session: session.begin_writing(durable=durable)) as session:
            was_idle = session.was_idle
            try:
                work(session)
            except BaseException as error:
                session.rollback_if_open()
                if was_idle and not session.has_begun and is_lost(error):
                    return False
                raise
            if not session.has_changed:
                session.end()
                return True
            try:
                session.commit()
            except psycopg.Error as error:
                session.rollback_if_open()
                if not session.is_committing and not isinstance(error, errors.TransactionResolutionUnknown):
                    if was_idle and not session.has_begun and is_lost(error):
                        return False
                    raise
                if self._is_distributed:  # the server asked knows of its own part alone, another kept the rows before
                    raise self._uncertain() from error
                if not is_lost(error) or isinstance(error, errors.TransactionResolutionUnknown):
                    raise
                if not self._was_kept(session):
                    raise
            return True

    def _was_kept(self, lost: Session) -> bool:
        """Whether the transaction whose commit was not answered was kept; the server remembers.

        Raises:
            StoreUncertain: It cannot be asked, or is another one by now, which need not know of it.
        """
        ends = time.monotonic() + max(executor.BUSY_SECONDS, 1)
        while (left := ends - time.monotonic()) > 0 and not self._breaker.is_shut:
            database = self._database.within(left)
            with (
                suppress(psycopg.Error),
                closing(Session(database)) as session,
                answered_within(left, session.connection),
            ):
                if session.timeline != lost.timeline:
                    break
                status = session.run("SELECT pg_xact_status($1::text::xid8)", (lost.transaction,))[0][0]
                if status in ("committed", "aborted"):
                    return status == "committed"
            time.sleep(_POLL_SECONDS)
        raise self._uncertain()

    def _uncertain(self) -> StoreUncertain:
        return StoreUncertain(
            f"PostgreSQL {self._database.name}: the connection was lost while a change was committed; "
            "it may have been kept, or not"
        )

    def _writing(self, session: Session, job: Job) -> Tx:
        counted = job.counted = job.counted or {}
        counts = Counter[Hashable]()  # in this try

        def apart(query: str, several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
            def rows(several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
                return self._side_pool.run(lambda session: session.rows_apart(query, several))

            if query == "owner_ensure" and self._is_distributed:
                return [self._newcomers.ensure(parameters) for parameters in several]
            if query == "rates_take" and not self.spans_owners:
                taken = _split(several[0])
                counted_each = zip(taken, apart("rate_take", taken), strict=True)
                return [[(row["owner"], row["span"], *found[0]) for row, found in counted_each]]
            if query not in ("rate_take", "rates_take"):
                return rows(several)
            # A call is counted once, however often the operation is run again.
            keys: list[Hashable] = []
            for parameters in several:
                key = parameters["rows"] if query == "rates_take" else (parameters["owner"], parameters["span"])
                counts[key] += 1
                keys.append((key, counts[key]))
            new = [key for key in keys if key not in counted]
            if new:
                counted.update(zip(new, rows([several[keys.index(key)] for key in new]), strict=True))
            return [counted[key] for key in keys]

        session.apart, session.elsewhere = apart, self._elsewhere
        return self._tx(session)

    def _translated(self, error: BaseException) -> StoreError | None:
        return translated(error, self._database.name) if isinstance(error, psycopg.Error) else None


def _row_by_row(query: str) -> Callable[[Session, Mapping[str, Value]], list[Row]]:
    """What runs this query for each of the rows that another one is given at once."""

    def run(session: Session, parameters: Mapping[str, Value]) -> list[Row]:
        return [found for row in _split(parameters) for found in session.rows(query, row)]

    return run


def _split(parameters: Mapping[str, Value]) -> list[dict[str, Value]]:
    """The parameters of each of the rows that a query is given as one text."""
    others = {name: value for name, value in parameters.items() if name != "rows"}
    return [others | row for row in json.loads(cast("str", parameters["rows"]))]


def make_tables(url: str, layout: Layout | None = None) -> int:
    """Bring a database's schema up to date; see `migrate`.

    Raises:
        StoreError: It cannot be done.
    """
    database = Database.of(url)
    with translating(database.name), database.connect_once_started() as connection:
        return migrate(connection, layout)


def _integrity(session: Session) -> str:
    """What can be told of one server: `ok`, or what was found. With the extension amcheck, of every index."""
    problems = [row[0] for row in session.run(_INVALID) if row[0]]
    failures = session.run(_CHECKSUMS)[0][0]
    if failures:
        problems.append(_DAMAGED.format(failures))
    if session.run(_HAS_AMCHECK):
        for (index,) in session.run(_INDEXES, (SCHEMA,)):
            try:
                session.run("SELECT bt_index_check($1::text::regclass, true)", (index,))
            except (errors.InternalError_, errors.IndexCorrupted, errors.DataCorrupted):
                problems.append(f"index {index} is damaged")
    return "; ".join(problems) or "ok"


def _integrity_of_all(session: Session, away: Collection[str]) -> str:
    """The same of each server of a cluster, where the rows are; and which do not answer."""
    asked = {"invalid": _INVALID, "damaged": _CHECKSUMS}
    if session.run(_HAS_AMCHECK):
        asked["indexes"] = _CHECK_INDEXES
    told = {name: on_every_node(session, command, away) for name, command in asked.items()}
    problems: list[str] = []
    for node, invalid in told["invalid"].items():
        if told["damaged"][node] is None:
            problems.append(f"{node} does not answer")
            continue
        damaged = int(told["damaged"][node])
        problems += [f"{node}: {invalid}"] if invalid else []
        problems += [f"{node}: {_DAMAGED.format(damaged)}"] if damaged else []
        problems += [f"{node}: an index is damaged"] if told.get("indexes", {}).get(node, "") is None else []
    return "; ".join(problems) or "ok"
