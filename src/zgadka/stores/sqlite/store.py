"""SQLite: one writer thread with group commit, and reader connections.

Operations that wait share a commit, in which one that fails undoes itself alone; each is answered only after that
commit is on disk. The library bundles its own SQLite: those from 3.7.0 to 3.51.2 can corrupt a WAL database.
"""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, cast

import apsw

from zgadka.errors import InvalidInput, StoreError
from zgadka.log import logger
from zgadka.model.backup import Backup
from zgadka.model.timestamps import micros
from zgadka.model.wish import Wish
from zgadka.settings import Settings
from zgadka.stores import executor
from zgadka.stores.executor import Job, Store, answer
from zgadka.stores.reads import Reads
from zgadka.stores.row_mapping import Row, Value, leave_out
from zgadka.stores.sql import changing, queries
from zgadka.stores.sqlite.checkpoint import Checkpoints
from zgadka.stores.sqlite.damage import WITH_JSON_INDEXES, damaged_rows, set_aside
from zgadka.stores.sqlite.errors import translated, translating
from zgadka.stores.sqlite.files import Progress, back_up, create_private, forget_copies, keep_before_migration
from zgadka.stores.sqlite.index_separators import renew_separators
from zgadka.stores.sqlite.schema import REBUILD_INDEX, foreign_objects, migrate, refuse_older, writing
from zgadka.stores.sqlite.wish_files import WishFiles

_log = logger("zgadka.stores")

_READERS = 3

_BATCH = 48
"""Operations in one commit at most: half of a hundred callers ask again while the other half is written."""

_POLL_SECONDS = 0.001
"""About how often the writer looks whether another process has ended its commit. SQLite's own wait grows to a tenth of
a second, in which a process with much to write takes the lock again every few milliseconds."""
_PAUSE_SECONDS = 0.001
_PAUSE_EVERY_SECONDS = 0.25
"""How long a writer with a long queue leaves the lock to other processes, and how often."""

_STEPS = 100_000
"""Steps of SQLite between two looks whether anybody still waits for a query: a few milliseconds."""

_MOST_NAMED = 50
"""Damaged rows that are named; of more, the number is told."""

_CHANGING_INDEX = frozenset({"index_add", "index_remove"})
_READING_POSTINGS = frozenset({"index_postings", "index_next"})
_READING_INDEX = frozenset({"memory_matching"}) | _READING_POSTINGS
_ABOUT_INDEX = _CHANGING_INDEX | _READING_INDEX | {"memories_saying"}

POSTINGS = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.posting USING fts5vocab (main, memory_index, instance);
CREATE VIRTUAL TABLE IF NOT EXISTS temp.posting_word USING fts5vocab (main, memory_index, row);
"""
"""What the full-text index holds, as tables, for whoever compares it with the rows."""

_INDEX_SIZE = """
SELECT (SELECT block FROM memory_index_data WHERE id = 1), (SELECT count(*) FROM memory WHERE archived = 0)
"""

_STRANGE_WORDS = "SELECT count(*) FROM posting_word WHERE term NOT GLOB 'o[0-9]*x*' AND term <> 'rewrite'"
"""The words of the full-text index that no owner's number is before, but for the one that `SCRUB` leaves."""

_SET_SWEPT = """
INSERT INTO sequence (name, value) VALUES ('sweep', ?1) ON CONFLICT (name) DO UPDATE SET value = max(value, ?1)
"""
"""When the whole file was last swept; a backup that is put back was not."""
_SWEEP_ON = """
INSERT INTO sequence (name, value) VALUES ('sweep_step', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1
"""
"""Another value each time: SQLite writes no page where nothing changes."""

_SWEEP_EVERY = timedelta(days=1)

_LOG_PAGES = 1000
"""How long the journal grows before it is folded into the file, as by SQLite itself."""

_PRAGMAS = "PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF;"


class SqliteStore(Store):
    """One database file, or `:memory:`.

    Args:
        path: The file; None for a database in memory.
        clock: Gives the current time, aware.
    """

    def __init__(self, path: Path | None, *, settings: Settings, clock: Callable[[], datetime]) -> None:
        super().__init__(settings, clock, _READERS)
        # Resolved once: connections are also made later, when the process may have gone elsewhere.
        self.path = None if path is None else Path(os.path.realpath(path))
        self._name = ":memory:" if self.path is None else str(self.path)
        self._durable: bool | None = None
        self._waiting: deque[Job] = deque()
        self._waits_since = self._paused_at = 0.0
        self.is_read_only = self.path is not None and _is_read_only(self.path)
        self._wish_files = None if self.path is None or self.is_read_only else WishFiles(self.path)
        self._new_wishes: list[Wish] = []
        self._log_pages = 0
        self._checkpoints: Checkpoints | None = None
        self._writer = self._connect(read_only=self.is_read_only)
        try:
            self._writer.apsw.set_busy_handler(self._wait_for_others)
            with translating(self._name):
                if self.is_read_only:
                    refuse_older(self._writer.apsw, self._name)
                elif self.path is not None:
                    self._writer.apsw.set_wal_hook(self._note_log_pages)
                    self._checkpoints = Checkpoints(self.path)
                    keep_before_migration(self._writer.apsw)
                if not self.is_read_only:
                    migrate(self._writer.apsw)
        except BaseException:
            self._close_writer()
            raise
        self._writes: SimpleQueue[Job | None] = SimpleQueue()
        self._reads = Reads[Job](_READERS)
        self._signals: SimpleQueue[bool] = SimpleQueue()
        """One for each read that was put in a line, and an end for each reader."""
        self._readers = [
            threading.Thread(target=self._read_loop, name=f"zgadka-reader-{number}", daemon=True)
            for number in range(0 if path is None else _READERS)
        ]
        self._writing = threading.Thread(target=self._write_loop, name="zgadka-writer", daemon=True)
        for thread in (*self._readers, self._writing):
            thread.start()

    def wish_keys(self, make: bool) -> Sequence[bytes]:
        """The setting's, and those in the file of keys."""
        keys = [*super().wish_keys(make)]
        if self._wish_files is not None:
            try:
                keys += self._wish_files.keys(make=make and not keys)
            except OSError as error:
                _log.error("the keys of wishes cannot be kept: %s", error)
        return keys

    def kept_wishes(self) -> Mapping[str, Wish] | None:
        """Those in the file of wishes, by digest."""
        return None if self._wish_files is None else self._wish_files.wishes()

    def keep_wishes(self, wishes: Iterable[Wish]) -> None:
        """Keep wishes in their file."""
        if self._wish_files is not None:
            try:
                self._wish_files.add(wishes)
            except OSError as error:  # they are in the database; the next to open it tries again
                _log.error("wishes cannot be kept beside the database: %s", error)

    def keep_wish_key(self, key: bytes) -> None:
        """Keep a key in the file of keys."""
        if self._wish_files is not None:
            self._wish_files.add_key(key)

    def inspect(self) -> dict[str, str]:
        """Versions, file, journal mode and integrity, as text; for operators. Call it before or after other work."""
        with self._connected() as connection:
            return {
                "sqlite": apsw.sqlite_lib_version(),
                "file": self._name,
                "schema": str(connection.execute("PRAGMA user_version")[0][0]),
                "journal_mode": str(connection.execute("PRAGMA journal_mode")[0][0]),
                "integrity": _integrity(connection),
                "foreign": ", ".join(foreign_objects(connection.apsw)) or "none",
                "damaged": _damaged(connection),
            }

    def scrub(self) -> bool:
        """Empty the journal, while others write; False when readers, or another program, are in the way.

        The file itself keeps nothing that was removed (see `checkpoint.py`), once it was swept.
        """
        if self.path is None:
            return True
        forget_copies(self.path)
        with self._connected() as connection, closing(Checkpoints(self.path)) as checkpoints:
            try:
                if connection.execute("SELECT 1 FROM damaged LIMIT 1"):
                    connection.execute("DELETE FROM damaged")  # nobody can tell whose words these are
                is_swept = self._last_sweep(connection) > 0 or self._sweep(connection, checkpoints)
                return is_swept and checkpoints.empty(executor.BUSY_SECONDS)
            except apsw.BusyError:
                return False

    def sweep(self) -> None:
        """Zero what pages keep of removed rows and words, while others write; it is tried again if they are in the way.

        Our own checkpoints leave none: they come from another program, or from an older one.
        """
        if self.path is None:
            return
        with self._connected() as connection:
            if self._last_sweep(connection) < micros(self._clock() - _SWEEP_EVERY):
                with closing(Checkpoints(self.path)) as checkpoints:
                    self._sweep(connection, checkpoints)

    def _last_sweep(self, connection: _Connection) -> int:
        rows = connection.execute("SELECT value FROM sequence WHERE name = 'sweep'")
        return rows[0][0] if rows else 0

    def _sweep(self, connection: _Connection, checkpoints: Checkpoints) -> bool:
        with writing(connection.apsw):
            renew_separators(connection.apsw)
        is_swept = checkpoints.sweep(lambda: connection.execute(_SWEEP_ON), executor.BUSY_SECONDS)
        if is_swept:
            connection.execute(_SET_SWEPT, (micros(self._clock()),))
        return is_swept

    def mend(self) -> tuple[str, str]:
        """Set rows aside that cannot be read, and make the indexes of a file anew whose check finds something.

        Returns what was found, before and after. All in one transaction: others wait for it, longer than they have
        patience where the file is large; until then, most of what they asked for failed anyway.
        """
        with self._connected() as connection:
            problems = _integrity(connection)
            if problems == "ok" and not any(damaged_rows(connection.apsw)):  # nobody waits
                return problems, problems
            connection.execute("PRAGMA temp_store=FILE")  # every word is sorted; memory may be too small for it
            connection.execute("BEGIN IMMEDIATE")
            damaged = list(damaged_rows(connection.apsw))
            set_aside(connection.apsw, damaged, self._clock())
            if problems != "ok":
                for table in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"):
                    connection.execute(f'REINDEX "{table[0]}"')
                connection.execute(REBUILD_INDEX)
            connection.execute("COMMIT")
            found = [problems] if problems != "ok" or not damaged else []
            found += [f"set aside: {', '.join(row.name for row in damaged)}"] if damaged else []
            return "; ".join(found), _integrity(connection)

    def backup(self, target: Path, *, overwrite: bool, progress: Progress) -> Backup:
        """Copy the database while others use it; see `back_up`."""
        if self.path is None:
            raise InvalidInput("a database in memory has no file to back up: export it instead")
        with self._connected(read_only=True) as connection:
            return back_up(connection.apsw, target, overwrite=overwrite, progress=progress)

    def _enqueue_write(self, job: Job) -> None:
        self._writes.put(job)

    def _enqueue_read(self, job: Job) -> None:
        if self.path is None:
            self._writes.put(job)
        else:
            self._reads.put(job)
            self._signals.put(True)

    def _close(self) -> None:
        self._writes.put(None)
        for _ in self._readers:
            self._signals.put(False)
        self._writing.join()

    def _translated(self, error: BaseException) -> StoreError | None:
        return translated(error, self._name) if isinstance(error, apsw.Error | UnicodeDecodeError) else None

    @contextmanager
    def _connected(self, *, read_only: bool = False) -> Generator[_Connection]:
        """A connection for one piece of work; what is not committed at the end is undone."""
        connection = self._connect(read_only=read_only or self.is_read_only)
        with closing(connection.apsw), translating(self._name):
            yield connection

    def _connect(self, *, read_only: bool = False) -> _Connection:
        if self.path is not None and not read_only:
            create_private(self.path)
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        name = self._name
        if self.is_read_only and self.path is not None and not _has_journal(self.path):
            name, flags = f"{self.path.as_uri()}?immutable=1", flags | apsw.SQLITE_OPEN_URI  # else it makes a journal
        with translating(self._name):
            connection = _Connection(apsw.Connection(name, flags=flags, statementcachesize=200), self._clock)
            try:
                # Else SQLite prepares many a statement anew each time, since a parameter's value might change its plan.
                connection.apsw.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
                connection.apsw.set_busy_timeout(executor.BUSY_SECONDS * 1000)
                connection.execute(_PRAGMAS)
                if not read_only:
                    # What the file is given goes through `Checkpoints`.
                    connection.apsw.wal_autocheckpoint(0)
                    connection.apsw.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
                    _use_wal(connection)
            except BaseException:
                connection.apsw.close()
                raise
            return connection

    def _write_loop(self) -> None:
        while self._has_work():
            self._commit()
            self._checkpoint()
            self._pause()
        for thread in self._readers:
            thread.join()
        self._close_writer()

    def _close_writer(self) -> None:
        self._writer.apsw.close()
        if self._checkpoints is not None:
            self._checkpoints.close()  # the last, which folds the journal into the file

    def _version(self) -> tuple[int, int, bool]:
        """What is another one after somebody wrote to the file, or opened it for writing."""
        if self.path is None or not self.is_read_only:
            return 0, 0, False
        state = self.path.stat()
        return state.st_mtime_ns, state.st_size, _has_journal(self.path)

    def _note_log_pages(self, _connection: apsw.Connection, _database: str, pages: int) -> int:
        self._log_pages = pages
        return apsw.SQLITE_OK

    def _checkpoint(self) -> None:
        """Fold the journal into the file where it has grown; who wrote is answered by now."""
        if self._checkpoints is not None and self._log_pages >= _LOG_PAGES:
            try:
                self._checkpoints.fold()
            except apsw.Error as error:  # what was committed is in the journal
                _log.error("%s", translated(error, self._name))

    def _has_work(self) -> bool:
        """Take what waits in the queue, or what comes next; False once the store is closed and all is done."""
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
        self._let_go_of_withdrawn()
        if not self._waiting:
            return
        try:
            self._make_durable(any(job.durable for job in self._waiting))
            connection.execute("BEGIN IMMEDIATE")
            self._let_go_of_withdrawn()  # what gave up while others had the lock, which may not come again so soon
            is_alone = len(self._waiting) == 1
            while self._waiting and len(jobs) < _BATCH:
                job = self._waiting.popleft()
                if job.begin():
                    jobs.append(job)
                    self._run(job, is_alone=is_alone)
            connection.update_index()
            connection.renew_separators()
            connection.execute("COMMIT")
            if self._new_wishes:
                self.keep_wishes(self._new_wishes)
        except BaseException as error:  # noqa: BLE001  (the thread must not die; nothing was kept, and all are told)
            if not jobs:  # it could not even begin, for as long as anybody waits
                jobs.extend(self._waiting)
                self._waiting.clear()
            failure = self._failure(error)
            for job in jobs:
                job.error = failure
            with suppress(apsw.Error):
                if connection.apsw.in_transaction:
                    connection.execute("ROLLBACK")
        connection.forget_index_changes()
        self._new_wishes.clear()
        self._settle(jobs)

    def _let_go_of_withdrawn(self) -> None:
        self._waiting = deque(job for job in self._waiting if not job.has_begun)

    def _wait_for_others(self, looks: int) -> bool:
        """Wait a moment while another process has the lock; False once that took too long."""
        if not looks:
            self._waits_since = time.monotonic()
        if time.monotonic() - self._waits_since >= executor.BUSY_SECONDS:
            return False
        time.sleep(random.uniform(0.5, 1.5) * _POLL_SECONDS)  # noqa: S311
        return True

    def _pause(self) -> None:
        """Leave the lock to other processes for a moment; where nothing waits here, it is free anyway."""
        if not self._waiting and self._writes.empty():
            self._paused_at = time.monotonic()
        elif self.path is not None and time.monotonic() - self._paused_at >= _PAUSE_EVERY_SECONDS:
            time.sleep(_PAUSE_SECONDS)
            self._paused_at = time.monotonic()

    def _run(self, job: Job, *, is_alone: bool) -> None:
        """Run a job in a savepoint of its own; if it fails, it alone is undone.

        Args:
            is_alone: Whether it has the commit to itself: then all of that is undone. In a savepoint, SQLite copies
                each page before it changes it.
        """
        connection = self._writer
        if not is_alone:
            connection.savepoint()
        try:
            tx = self._tx(connection)
            job.perform(tx)
            self._new_wishes += tx.new_wishes
        except BaseException as error:  # the thread must not die; the caller gets the error
            job.error, job.changes = self._failure(error), None
            if is_alone or not connection.apsw.in_transaction:
                raise job.error from error
            connection.rollback_to_savepoint()
        if not is_alone:
            connection.execute("RELEASE job")

    def _make_durable(self, durable: bool) -> None:
        """Let commits wait for the disk, or not; what was not waited for is on disk with the next that was."""
        if durable != self._durable:
            self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._durable = durable

    def _read_loop(self) -> None:
        connection: _Connection | None = None
        version = self._version()
        job: Job | None = None

        def is_over() -> bool:
            return job is not None and job.future.done()

        while self._signals.get():
            while (job := self._reads.take()) is not None:
                if not job.begin():
                    self._reads.done(job)
                    continue
                try:
                    if connection is not None and self.is_read_only and (now := self._version()) != version:
                        connection.apsw.close()  # somebody else wrote, which who reads without a journal does not see
                        connection, version = None, now
                    if connection is None:
                        connection = self._connect(read_only=True)
                        connection.apsw.set_progress_handler(is_over, _STEPS)  # ends a query for which nobody waits
                    connection.execute("BEGIN")
                    try:
                        self._read(job, connection)
                    finally:
                        if connection.apsw.in_transaction:
                            connection.execute("ROLLBACK")
                except BaseException as error:  # noqa: BLE001  (the thread must not die; the caller gets the error)
                    job.error = self._failure(error)
                self._reads.done(job)
                answer([job])
        if connection is not None:
            connection.apsw.close()


class _Connection:
    """Named queries on one SQLite connection.

    Changes of the full-text index are put off until the index is read or the commit is near. At each savepoint, also
    those that SQLite makes for a single statement, FTS5 would write out what changed as a segment of its own, to be
    merged later: that took more time than everything else together.
    """

    def __init__(self, connection: apsw.Connection, clock: Callable[[], datetime]) -> None:
        self.apsw = connection
        self._clock = clock
        # One cursor for all, each of whose results is read at once: a new one each time takes as long as a short query.
        self._execute = cast("Callable[..., Iterable[Row]]", connection.cursor().execute)  # pyright: ignore[reportUnknownMemberType]
        self._queries = queries("sqlite")
        self._index_changes: list[tuple[str, Mapping[str, Value]]] = []
        self._made = 0
        self._at_savepoint = (0, 0)
        self._looked_through: set[int] = set()

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run a query; rows with a text that is none are left out, and named in the log.

        Where a change meets what is no JSON, in an index of what is in it, that is set aside: else nobody could be
        erased whose trail has it.
        """
        if query in _ABOUT_INDEX:  # as few
            if query in _CHANGING_INDEX:
                self._index_changes.append((query, parameters))
                return []
            parameters = self._for_index(query, parameters)
        rows: list[Row] = []
        try:
            following = self._execute(self._queries[query], parameters)
            while True:
                try:
                    rows += following  # what came before a row that cannot be read, stays
                except UnicodeDecodeError:
                    self._name_damaged(query, parameters.get("owner"))
                else:
                    return rows
        except (apsw.SQLError, apsw.CorruptError):
            if query not in changing() or not self._set_aside_what_is_no_json(parameters.get("owner")):
                raise
        return self.rows(query, parameters)

    def all_rows(self, query: str, several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
        return [self.rows(query, parameters) for parameters in several]

    def rows_later(self, query: str, parameters: Mapping[str, Value], then: Callable[[list[Row]], object]) -> None:
        then(self.rows(query, parameters))

    def foresee(self, asks: Callable[[], Sequence[Callable[[], object]]], owners: dict[Hashable, list[Row]]) -> None:
        """Do nothing: no question waits for a network here."""

    def _for_index(self, query: str, parameters: Mapping[str, Value]) -> Mapping[str, Value]:
        """The parameters of a query that reads the index, which is made ready for it."""
        if query not in _READING_INDEX:  # `memories_saying`, asked at each write: what is put off is looked through
            return {**parameters, "put_off": json.dumps(self._put_off(parameters))}
        self.update_index()
        if query in _READING_POSTINGS:
            self.execute(POSTINGS)
        return parameters

    def _set_aside_what_is_no_json(self, owner: Value) -> bool:
        """Set an owner's rows aside whose index entries can be neither made nor removed; False: there is none."""
        if not isinstance(owner, int):
            return False
        rows = [row for row in damaged_rows(self.apsw, owner) if row.table in WITH_JSON_INDEXES]
        set_aside(self.apsw, rows, self._clock())
        for row in rows:
            _log.warning("a damaged row is set aside, since it is to be changed: %s", row.name)
        return bool(rows)

    def _name_damaged(self, query: str, owner: Value) -> None:
        """Log which of an owner's rows cannot be read, the first time."""
        if not isinstance(owner, int):
            leave_out(f"one of the query {query}")
        elif owner not in self._looked_through:
            self._looked_through.add(owner)
            with suppress(apsw.Error):
                for row in damaged_rows(self.apsw, owner):
                    leave_out(row.name)

    def _put_off(self, parameters: Mapping[str, Value]) -> list[Value]:
        """The ids of the owner's rows that match, and are to be put into the index."""
        tokens = set(re.findall(r'x(\w+)"', str(parameters["match"])))
        return [
            row["id"]
            for query, row in self._index_changes
            if (query, row["owner"]) == ("index_add", parameters["owner"])
            and not tokens.isdisjoint(str(row["words"]).split())
        ]

    def execute(self, statements: str, parameters: Sequence[Value] = ()) -> list[Row]:
        """Run all the statements; apsw alone would stop at the first row, and leave out what follows it."""
        return list(self._execute(statements, parameters))

    def savepoint(self) -> None:
        self.execute("SAVEPOINT job")
        self._at_savepoint = len(self._index_changes), self._made

    def rollback_to_savepoint(self) -> None:
        self.execute("ROLLBACK TO job")
        length, self._made = self._at_savepoint
        del self._index_changes[length:]

    def update_index(self) -> None:
        """Make the changes that were put off. In order of id: FTS5 writes a segment whenever ids go back."""
        changes = sorted(self._index_changes[self._made :], key=_changed_id)
        for query, parameters in changes:
            self._execute(self._queries[query], parameters)
        self._made = len(self._index_changes)

    def renew_separators(self) -> None:
        """Let the index keep nothing of the words that are removed."""
        removed = [
            f"o{row['owner']}x{word}"
            for query, row in self._index_changes
            if query == "index_remove"
            for word in str(row["words"]).split(" ")
        ]
        if removed:
            renew_separators(self.apsw, removed)

    def forget_index_changes(self) -> None:
        self._index_changes.clear()
        self._made = 0


def _changed_id(change: tuple[str, Mapping[str, Any]]) -> int:
    return change[1]["id"]


def _integrity(connection: _Connection) -> str:
    """What SQLite's own check says, and ours of the full-text index: `ok`, or what was found."""
    try:
        problems = "; ".join(str(row[0]) for row in connection.execute("PRAGMA integrity_check(10)"))
        averages, live = connection.execute(_INDEX_SIZE)[0]
        connection.execute(POSTINGS)
        strange_words = connection.execute(_STRANGE_WORDS)[0][0] if problems == "ok" else 0
    except (
        apsw.CorruptError,
        apsw.SQLError,
        UnicodeDecodeError,
    ) as error:  # an index of what is in a JSON that is none
        return str(error)
    counted = _first_number(averages)
    if problems == "ok" and counted < live:  # FTS5 takes the last ones' removal for damage
        return f"the full-text index counts {counted} memories, and there are {live}"
    if strange_words:
        return f"the full-text index holds {strange_words} words of nobody"
    return problems


def _damaged(connection: _Connection) -> str:
    """The rows that cannot be read, by table and number: `memory 12, message 5`, or `none`."""
    try:
        names = [row.name for row in damaged_rows(connection.apsw)]
    except apsw.Error as error:
        return f"unknown: {translated(error, connection.apsw.filename)}"
    return (
        ", ".join([*names[:_MOST_NAMED], *([f"and {len(names) - _MOST_NAMED} more"] if names[_MOST_NAMED:] else [])])
        or "none"
    )


def _first_number(record: Value) -> int:
    """The number that begins a record of FTS5, seven bits a byte; 0 where there is none."""
    number = 0
    for byte in record if isinstance(record, bytes) else b"":
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            break
    return number


def _is_read_only(path: Path) -> bool:
    """Whether a file that is there cannot be written, or no journal made beside it."""
    if not os.path.isfile(path):  # noqa: PTH113  (False of a name that is too long)
        return False
    may_write = os.access(path, os.W_OK, effective_ids=True)
    return not may_write or not (_has_journal(path) or os.access(path.parent, os.W_OK, effective_ids=True))


def _has_journal(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()


def _use_wal(connection: _Connection) -> None:
    """Switch to write-ahead logging; two processes may try at once, and SQLite does not wait for that by itself."""
    ends = time.monotonic() + executor.BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except apsw.BusyError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.01)
        else:
            return
