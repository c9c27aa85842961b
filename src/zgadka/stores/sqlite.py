"""SQLite: one writer thread with group commit, and reader connections.

Operations that wait share a commit, in which one that fails undoes itself alone; each is answered only after that
commit is on disk. The library bundles its own SQLite: those from 3.7.0 to 3.51.2 can corrupt a WAL database.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

import apsw

from zgadka.errors import InvalidInput, StoreClosed, StoreError
from zgadka.model.copies import Backup, Restored
from zgadka.model.notice import Notice
from zgadka.settings import Settings
from zgadka.stores.cache import Cache
from zgadka.stores.jobs import Answer, Job, Transacting
from zgadka.stores.rows import Row, Value
from zgadka.stores.sql import queries
from zgadka.stores.sqlite_errors import translated
from zgadka.stores.sqlite_files import Progress, back_up, create_private, put_back
from zgadka.stores.sqlite_schema import REBUILD_INDEX, checksums, migrate
from zgadka.stores.tx import Tx

T = TypeVar("T")

_BATCH = 48
_COMMITS = 2
"""So many operations that wait share a commit, and more for as long as that many of the last commits took: the slower
the disk, the more of them; but the first of a long line does not wait for the last."""

_CAREFUL = 16
"""In so many commits after one in which an operation failed, each has a savepoint of its own, which takes a twentieth
of the time. Else they have none: where one fails, all of the commit are run again."""

_MANY = 32
_LATEST_SECONDS = 0.02
"""So many callers at least are told that their operations are on disk while the next commit is being written, or after
this time at the latest. Told before, they would take the interpreter's lock from the writer at its every statement."""

_POLL_SECONDS = 0.0005
_SLOWEST_POLL_SECONDS = 0.01
"""How long the writer waits, about, between two looks whether another process has ended its commit; and at most, once
it has waited for long. SQLite itself waits up to a tenth of a second, in which a process with much to write takes the
lock again every few milliseconds."""
_PAUSE_SECONDS = 0.001
_PAUSE_EVERY_SECONDS = 0.25
_REMEMBERED_SECONDS = 1.0
"""A writer with a long line leaves the lock free for a moment: every so often, since others may wait for it; and after
each commit for so long after it had to wait itself."""

_CHANGING_INDEX = frozenset({"index_add", "index_remove"})
_READING_POSTINGS = frozenset({"index_postings", "index_next"})
_INDEX = frozenset({"memory_matching", "index_touch", "index_rewrite"}) | _CHANGING_INDEX | _READING_POSTINGS

POSTINGS = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.posting USING fts5vocab (main, memory_index, instance);
CREATE VIRTUAL TABLE IF NOT EXISTS temp.posting_word USING fts5vocab (main, memory_index, row);
"""
"""What the full-text index holds, as tables, for whoever compares it with the rows."""

_INDEX_SIZE = """
SELECT (SELECT block FROM memory_index_data WHERE id = 1), (SELECT count(*) FROM memory WHERE archived = 0)
"""

_PRAGMAS = "PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;"


class SqliteStore(Transacting):
    """One database file, or `:memory:`.

    Args:
        path: The file; None for a database in memory.
        clock: Gives the current time, aware.
    """

    def __init__(self, path: Path | None, *, settings: Settings, clock: Callable[[], datetime]) -> None:
        # Resolved once: connections are also made later, when the process may have gone elsewhere.
        self.path = None if path is None else Path(os.path.realpath(path))
        self._name = ":memory:" if self.path is None else str(self.path)
        self._settings = settings
        self._clock = clock
        self._process = os.getpid()
        self._gate = threading.Lock()  # nothing is put into a queue after its end mark, whatever thread asks
        self._closed = False
        self.on_commit: Callable[[Sequence[Notice]], None] = lambda _: None
        self._cache = Cache(settings.cache_mb * 2**20)
        self._durable: bool | None = None
        self._waiting: deque[Job] = deque()
        self._commit_seconds = 0.0
        self._unanswered: Answer | None = None
        self._careful = 0
        self._waits_since = self._waited_at = self._paused_at = 0.0
        self._writer = self._connect()
        try:
            self._writer.apsw.set_busy_handler(self._wait_for_others)
            migrate(self._writer.apsw)
        except BaseException:
            self._writer.apsw.close()
            raise
        self._writes: SimpleQueue[Job | None] = SimpleQueue()
        self._reads: SimpleQueue[Job | None] = self._writes if path is None else SimpleQueue()
        self._readers = [
            threading.Thread(target=self._read_loop, name=f"zgadka-reader-{number}", daemon=True)
            for number in range(0 if path is None else settings.readers)
        ]
        self._writing = threading.Thread(target=self._write_loop, name="zgadka-writer", daemon=True)
        for thread in (*self._readers, self._writing):
            thread.start()

    async def close(self) -> None:
        """Finish what waits, then close; a second call waits for the first and does nothing more."""
        if os.getpid() != self._process:  # the threads stayed with the parent, and so does the file
            return
        with self._gate:
            if not self._closed:
                self._closed = True
                self._writes.put(None)
                for _ in self._readers:
                    self._reads.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._writing.join)

    def inspect(self) -> dict[str, str]:
        """Versions, file, journal mode and integrity, as text; for operators. Call it before or after other work."""
        connection = self._connect()
        try:
            return {
                "sqlite": apsw.sqlite_lib_version(),
                "file": self._name,
                "schema": str(connection.execute("PRAGMA user_version")[0][0]),
                "journal_mode": str(connection.execute("PRAGMA journal_mode")[0][0]),
                "integrity": _integrity(connection),
            }
        except apsw.Error as error:
            raise translated(error, self._name) from error
        finally:
            connection.apsw.close()

    def forget_indexes(self) -> None:
        """Let go of everything that is kept in memory; it is read again when it is asked for."""
        self._cache.clear()

    def scrub(self) -> bool:
        """Write the file anew and empty the journal; False when another connection is in the way.

        `secure_delete` zeroes what is removed, but not the copies that stay behind in a page's free space when its
        rows move to a neighbour; and old pages stay in the journal.
        """
        if self.path is None:
            return True
        connection = self._connect()
        try:
            connection.execute("PRAGMA temp_store=FILE")  # the whole database; memory may be too small for it
            connection.execute("VACUUM")
            return connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0
        except apsw.BusyError:
            return False
        except apsw.Error as error:
            raise translated(error, self._name) from error
        finally:
            connection.apsw.close()

    def mend(self) -> tuple[str, str]:
        """Make the indexes of a file anew whose check finds something; returns what it found, before and after.

        All in one transaction. Others wait for it, longer than `busy_seconds` where the file is large; until then, most
        of what they asked for failed anyway.
        """
        connection = self._connect()
        try:
            before = _integrity(connection)
            if before == "ok":
                return before, before
            connection.execute("PRAGMA temp_store=FILE")  # every word is sorted; memory may be too small for it
            connection.execute("BEGIN IMMEDIATE")
            for table in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"):
                connection.execute(f'REINDEX "{table[0]}"')
            connection.execute(REBUILD_INDEX)
            connection.execute("COMMIT")
            return before, _integrity(connection)
        except apsw.Error as error:
            raise translated(error, self._name) from error
        finally:
            connection.apsw.close()  # what was not committed is undone

    def backup(self, target: Path, *, overwrite: bool, progress: Progress) -> Backup:
        """Copy the database while others use it; see `back_up`."""
        if self.path is None:
            raise InvalidInput("a database in memory has no file to back up: export it instead")
        connection = self._connect(read_only=True)
        try:
            return back_up(connection.apsw, target, migrations=checksums(), overwrite=overwrite, progress=progress)
        finally:
            connection.apsw.close()

    async def submit_write(
        self, run: Callable[[Tx], T], *, line: Hashable, durable: bool, seconds: float | None = None
    ) -> T:
        """Have the writer run something; all stand in one line."""
        del line
        return await self._put(self._writes, run, durable=durable).answered(seconds)

    async def submit_read(self, run: Callable[[Tx], T], *, seconds: float | None = None) -> T:
        """Have a reader run something."""
        return await self._put(self._reads, run, durable=False).answered(seconds)

    def _put(self, queue: SimpleQueue[Job | None], run: Callable[[Tx], Any], *, durable: bool) -> Job:
        if os.getpid() != self._process:
            raise StoreClosed("the store was opened before this process was forked off; open it anew here")
        loop = asyncio.get_running_loop()
        job = Job(run, None, durable, loop, loop.create_future(), self.on_commit)
        with self._gate:
            if self._closed:
                raise StoreClosed("the store is closed")
            queue.put(job)
        return job

    def _connect(self, *, read_only: bool = False) -> _Connection:
        if self.path is not None and not read_only:
            create_private(self.path)
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        try:
            connection = _Connection(apsw.Connection(self._name, flags=flags, statementcachesize=200))
            try:
                connection.apsw.set_busy_timeout(self._settings.busy_seconds * 1000)
                connection.execute(_PRAGMAS)
                if not read_only:
                    _use_wal(connection, self._settings.busy_seconds)
            except BaseException:
                connection.apsw.close()
                raise
        except apsw.Error as error:
            raise translated(error, self._name) from error
        return connection

    def _tx(self, connection: _Connection, cache: Cache | None = None) -> Tx:
        return Tx(connection, now=self._clock(), settings=self._settings, cache=cache)

    def _write_loop(self) -> None:
        while self._has_work():
            self._commit()
            self._pause()
        self._answer_before()
        for thread in self._readers:
            thread.join()
        self._writer.apsw.close()  # the last to close, since only a writer can fold the log into the file

    def _has_work(self) -> bool:
        """Take what waits in the queue, or what comes next; False once the store is closed and all is done."""
        if not self._waiting and self._writes.empty():
            self._answer_before()
        with suppress(Empty):
            while (job := self._writes.get(block=not self._waiting)) is not None:
                self._waiting.append(job)
            self._writes.put(None)  # nothing comes after it
        return bool(self._waiting)

    def _commit(self) -> None:
        """Run the first of those that wait in one commit, and take them out of the line.

        A job that fails undoes itself alone, a commit that fails undoes all.
        """
        connection = self._writer
        jobs: list[Job] = []
        try:
            self._make_durable(any(job.durable for job in self._waiting))
            connection.execute("BEGIN IMMEDIATE")
            self._run_first(jobs)
            connection.update_index()
            self._answer_before()
            started = time.monotonic()
            connection.execute("COMMIT")
            self._commit_seconds = time.monotonic() - started
        except BaseException as error:  # noqa: BLE001  (the thread must not die; nothing was kept, and all are told)
            failure = _failure(error, self._name)
            if not jobs:  # it could not even begin, for as long as anybody waits
                jobs.extend(self._waiting)
                self._waiting.clear()
            for job in jobs:
                job.error = failure
                if isinstance(failure, StoreError):  # each its own: callers add their tracebacks to it
                    job.error = copy(failure)
                    job.error.__cause__ = error
            with suppress(apsw.Error):
                if connection.apsw.in_transaction:
                    connection.execute("ROLLBACK")
        else:
            for job in jobs:
                for (owner, what), (revision, changes) in (job.changes or {}).items():
                    self._cache.changed(owner, what, revision, changes)
        connection.forget_index_changes()
        self._answer_before()
        answer = Answer(jobs)
        if len(jobs) < _MANY:
            answer.now()
        else:
            answer.within(_LATEST_SECONDS)
            self._unanswered = answer

    def _wait_for_others(self, looks: int) -> bool:
        """Wait a moment while another process has the lock; False once that took too long."""
        self._waited_at = time.monotonic()
        if not looks:
            self._waits_since = self._waited_at
        waited = self._waited_at - self._waits_since
        if waited >= self._settings.busy_seconds:
            return False
        time.sleep(random.uniform(0.5, 1.5) * min(_POLL_SECONDS + waited / 50, _SLOWEST_POLL_SECONDS))  # noqa: S311
        return True

    def _pause(self) -> None:
        """Leave the lock to other processes for a moment; where nothing waits here, it is free anyway."""
        now = time.monotonic()
        if self.path is None or (not self._waiting and self._writes.empty()):
            self._paused_at = now
        elif now - self._waited_at < _REMEMBERED_SECONDS or now - self._paused_at >= _PAUSE_EVERY_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            self._paused_at = now

    def _run_first(self, jobs: list[Job]) -> None:
        """Run the first of those that wait, within the transaction that is open; `jobs` gets them."""
        waiting, begun = self._waiting, list[Job]()
        ends = time.monotonic() + _COMMITS * self._commit_seconds
        while waiting and (len(jobs) < _BATCH or time.monotonic() < ends):
            job = waiting.popleft()
            jobs.append(job)
            if not job.begin():
                continue
            begun.append(job)
            if self._careful:
                self._run_apart(job)
                continue
            try:
                job.perform(self._tx(self._writer))
            except BaseException:  # noqa: BLE001  (it is run again, and fails again or not)
                self._careful = _CAREFUL
                self._run_again(begun)
        self._careful = max(self._careful - 1, 0)

    def _run_again(self, jobs: Iterable[Job]) -> None:
        """Run jobs from the start, after one of them failed and may have left half of what it does."""
        connection = self._writer
        if connection.apsw.in_transaction:  # a full disk rolls back everything
            connection.execute("ROLLBACK")
        connection.forget_index_changes()
        connection.execute("BEGIN IMMEDIATE")
        for job in jobs:
            self._run_apart(job)

    def _run_apart(self, job: Job) -> None:
        """Run a job so that it undoes itself alone if it fails."""
        connection = self._writer
        connection.savepoint()
        try:
            job.perform(self._tx(connection))
        except BaseException as error:  # the thread must not die; the caller gets the error
            job.error, job.changes = _failure(error, self._name), None
            if not connection.apsw.in_transaction:
                raise job.error from error
            connection.rollback_to_savepoint()
        connection.execute("RELEASE job")

    def _answer_before(self) -> None:
        """Tell those of the commit before."""
        if self._unanswered is not None:
            self._unanswered.now()
            self._unanswered = None

    def _make_durable(self, durable: bool) -> None:
        """Let commits wait for the disk, or not; what was not waited for is on disk with the next that was."""
        if durable != self._durable:
            self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _read_loop(self) -> None:
        connection: _Connection | None = None
        while (job := self._reads.get()) is not None:
            if not job.begin():
                continue
            try:
                connection = connection or self._connect(read_only=True)
                connection.execute("BEGIN")
                try:
                    job.result = job.run(self._tx(connection, self._cache))
                finally:
                    if connection.apsw.in_transaction:
                        connection.execute("ROLLBACK")
            except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                job.error = _failure(error, self._name)
            Answer([job]).now()
        if connection is not None:
            connection.apsw.close()


class _Connection:
    """Named queries on one SQLite connection.

    Changes of the full-text index are put off until the index is read or the commit is near. At each savepoint, also
    those that SQLite makes for a single statement, FTS5 would write out what changed as a segment of its own, to be
    merged later: that took more time than everything else together.
    """

    def __init__(self, connection: apsw.Connection) -> None:
        self.apsw = connection
        # One cursor for all, each of whose results is read at once: a new one each time takes as long as a short query.
        self._execute = cast("Callable[..., Iterable[Row]]", connection.cursor().execute)  # pyright: ignore[reportUnknownMemberType]
        self._queries = queries("sqlite")
        self._plain = {name: query for name, query in self._queries.items() if name not in _INDEX}
        self._index_changes: list[tuple[str, Mapping[str, Value]]] = []
        self._made = 0
        self._at_savepoint = (0, 0)

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        if (plain := self._plain.get(query)) is not None:
            return list(self._execute(plain, parameters))
        if query in _CHANGING_INDEX:
            self._index_changes.append((query, parameters))
            return []
        self.update_index()
        if query in _READING_POSTINGS:
            self.execute(POSTINGS)
        return list(self._execute(self._queries[query], parameters))

    def execute(self, statements: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Run all the statements; apsw alone would stop at the first row, and leave out what follows it."""
        return list(self._execute(statements, parameters))

    def savepoint(self) -> None:
        self.execute("SAVEPOINT job")
        self._at_savepoint = len(self._index_changes), self._made

    def rollback_to_savepoint(self) -> None:
        self.execute("ROLLBACK TO job")
        known, self._made = self._at_savepoint
        del self._index_changes[known:]

    def update_index(self) -> None:
        """Make the changes that were put off. In order of id: FTS5 writes a segment whenever ids go back."""
        changes = sorted(self._index_changes[self._made :], key=_changed_id)
        for query, parameters in changes:
            self._execute(self._queries[query], parameters)
        self._made = len(self._index_changes)

    def forget_index_changes(self) -> None:
        self._index_changes.clear()
        self._made = 0


def _changed_id(change: tuple[str, Mapping[str, Any]]) -> int:
    return change[1]["id"]


def _integrity(connection: _Connection) -> str:
    """What SQLite's own check says, and ours of the full-text index: `ok`, or what was found."""
    try:
        found = "; ".join(str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)"))
        averages, live = connection.execute(_INDEX_SIZE)[0]
    except apsw.CorruptError as error:
        return str(error)
    counted = _first_number(averages)
    if found == "ok" and counted < live:  # FTS5 takes the last ones' removal for damage
        return f"the full-text index counts {counted} memories, and there are {live}"
    return found


def _first_number(record: bytes) -> int:
    """The number that begins a record of FTS5, seven bits a byte; 0 where there is none."""
    number = 0
    for byte in record or b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def restore(
    backup: Path,
    path: Path,
    *,
    overwrite: bool = False,
    now: datetime,
    progress: Progress = lambda done, pages: None,
) -> Restored:
    """Put a backup in the place of a database; see `put_back`."""
    return put_back(backup, path, migrations=checksums(), overwrite=overwrite, now=now, progress=progress)


def _use_wal(connection: _Connection, busy_seconds: int) -> None:
    """Switch to write-ahead logging; two processes may try at once, and SQLite does not wait for that by itself."""
    ends = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except apsw.BusyError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.01)
        else:
            return


def _failure(error: BaseException, name: str) -> BaseException:
    """What the caller gets to see of an error in one of the threads."""
    if isinstance(error, apsw.Error):
        return translated(error, name)
    if isinstance(error, StopIteration):  # a future refuses it, as a generator does
        return RuntimeError("the operation raised StopIteration")
    return error
