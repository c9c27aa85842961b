"""One connection to PostgreSQL: named queries, transactions, and the owners that a transaction keeps locked."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from struct import pack
from typing import Any, cast

import psycopg
from psycopg import errors, sql
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from zgadka.errors import InvalidInput
from zgadka.stores import executor
from zgadka.stores.row_mapping import Row, Value
from zgadka.stores.sql import APART, queries

SCHEMA = "zgadka"
ERASED = "zgadka_erased"
"""The channel on which processes are told that somebody was erased."""

IDS = frozenset({"owner", "memory", "message", "change", "consent", "task", "audience"})
"""The names of numbers that come from sequences of PostgreSQL, which make no transaction wait for another."""

FOLLOWS_BY_ITSELF = frozenset({"index_add", "index_remove", "index_next", "owner_level"})
"""The queries about SQLite's full-text index, while words are looked for in the rows here; and the privacy level of
whoever comes back, which is committed together with their new row."""

# What is read of an owner while another's rows are changed, and may change before the end; or has no owner's rows.
_UNHELD = frozenset(
    {
        *(
            "owner_get",
            "owner_add",
            "member_get",
            "privacy_here",
            "members",
            "members_named",
            "privacy_get",
            "revision_get",
        ),
        *("embedder_progress", "messages_get", "message_people", "messages_recent", "observation_get"),
        # A space's groups of readers, which never change, and who reads a chat now.
        *("audiences", "audience_add", "readership_get", "message_chats"),
        # Whose the rows are is found out first, without keeping others; a person's part in them, before they are asked.
        *("event_any", "event_last_action", "subject_rows"),
        # Whoever finishes a task names the worker again, and what is under way is looked for when all else is done.
        *("task_undone", "task_lease", "tasks_under_way"),
        # What a search finds is read again, by its id, before anything is changed.
        *("memory_matching", "memory_visible_statistics", "memory_headings", "memory_words_visible", "vectors_visible"),
        *("memories_get", "facts_archived"),
        # What a message says is looked up in its person's rows, and withheld in its space's.
        *("answers_to_others", "messages_of_person", "messages_withheld", "messages_before"),
        *("events_of_forgetting", "events_read"),
        "rate_get",
        *("has_forgotten", "forgotten_ways", "forgotten_any", "forgotten_get", "forgotten_of_owner"),
        *("answers_given", "memories_withheld", "message_with_source", "sources_of", "questions", "calls_about"),
        "message_text",
        "memory_values",
        "member_level_get",
    }
)

_HOLD = "SELECT 1 FROM revision WHERE owner = $1 AND what = 'owner' FOR UPDATE"
_HOLD_AT_ONCE = f"{_HOLD} NOWAIT"
_MAKE_HELD = "INSERT INTO revision (owner, what, number) VALUES ($1, 'owner', 0) ON CONFLICT DO NOTHING"

_RESTORE_LEVEL = "INSERT INTO privacy (owner, level) VALUES ($1, $2)"

_TELL_ERASED = f"SELECT pg_notify('{ERASED}', '')"
_TYPES = """
SELECT attname, atttypid::bigint FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped
"""
_LAST_ID = "SELECT coalesce(pg_sequence_last_value($1::text::regclass), 0)"
_OF_SEQUENCES = {"next_id": "SELECT nextval($1::text::regclass)", "sequence_get": _LAST_ID, "sequence_raise": ""}

_SETTLE = """
SELECT set_config('search_path', $1, false), set_config('lock_timeout', $2, false),
    set_config('client_min_messages', 'warning', false),
    set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('synchronous_commit', CASE WHEN NOT $3::boolean THEN 'off'
        WHEN current_setting('synchronous_commit') = 'off' THEN 'on'
        ELSE current_setting('synchronous_commit') END, false),
    CASE WHEN current_setting('citus.propagate_set_commands', true) IS NOT NULL
        THEN set_config('citus.propagate_set_commands', 'local', false)
            || set_config('citus.multi_shard_modify_mode', 'sequential', false)
            || set_config('citus.node_connection_timeout', $2, false) END,
    current_setting('synchronous_commit'),
    to_regtype('public.halfvec')::oid::bigint,
    CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END
        || '/' || system_identifier::text || '/' || coalesce(stats_reset::text, '')
FROM pg_control_system(), pg_stat_bgwriter
"""

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")


class ContendedError(Exception):
    """Another transaction holds an owner that this one may not wait for, given those that it holds."""

    def __init__(self, owner: int) -> None:
        super().__init__(f"owner {owner} is held by another transaction")
        self.owner = owner


@dataclass(frozen=True)
class Statement:
    """A named query as PostgreSQL takes it: parameters by number.

    Attributes:
        names: The names of the parameters, in order of their numbers.
        holds: Whether a transaction that writes keeps the owner of these rows locked.
    """

    text: str
    names: tuple[str, ...]
    holds: bool


@cache
def statements() -> dict[str, Statement]:
    """Every named query."""
    return {name: _statement(name, text) for name, text in queries("postgres").items()}


def _statement(name: str, text: str) -> Statement:
    names = tuple(dict.fromkeys(_PARAMETER.findall(text)))
    numbered = _PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", text)
    return Statement(numbered, names, "owner" in names and name not in _UNHELD)


@dataclass(frozen=True)
class Database:
    """Where a database is.

    Attributes:
        conninfo: All that libpq needs, passwords included.
        name: For messages: host, port and database.
    """

    conninfo: str
    name: str

    @classmethod
    def of(cls, url: str) -> Database:
        """The database that a URL names.

        Raises:
            InvalidInput: It names none.
        """
        try:
            parts = conninfo_to_dict(url)
        except psycopg.ProgrammingError:
            raise InvalidInput(
                "the database URL makes no sense: give postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with % and the "
                "code for special characters (%40 for @)"
            ) from None  # its text may quote the password
        defaults = {
            "connect_timeout": max(2, executor.BUSY_SECONDS),
            "application_name": "zgadka",
            "keepalives_idle": 30,
            "keepalives_interval": 10,
            "keepalives_count": 3,
            "tcp_user_timeout": 60_000,
        }
        host = parts.get("host") or parts.get("hostaddr") or "localhost"
        name = f"{host}:{parts.get('port') or 5432}/{parts.get('dbname') or parts.get('user') or ''}"
        return cls(make_conninfo("", **defaults | parts), ascii(name)[1:-1])

    def connect(self) -> psycopg.Connection[Row]:
        """A new connection, in no transaction."""
        return psycopg.connect(self.conninfo, autocommit=True, cursor_factory=psycopg.RawCursor)


class Session:
    """Named queries on one connection, and its transactions.

    Args:
        durable: Whether commits wait for the disk, unless a transaction says otherwise.

    Attributes:
        held: The owners that the transaction keeps locked.
        apart: Runs a query of `APART`, while a transaction writes.
        elsewhere: The queries that are not asked here, but run like this.
        tasks_added: How many tasks the transaction put in line, which nobody else sees yet.
        transaction: The number of the transaction that writes, or wrote last.
        timeline: Tells the server's history from that of another one, as after a fail-over; and from its own after a
            crash, when it gives the numbers of transactions that never came to the disk to others.

    A transaction that writes locks each owner whose rows it touches (`hold`), before it reads or changes them: nobody
    changes them until it ends. It waits for owners in ascending order of their ids only, so that no two transactions
    wait for each other; out of order, it raises `ContendedError` instead of waiting.
    """

    def __init__(self, database: Database, *, durable: bool = True) -> None:
        self.connection = database.connect()
        try:
            wait = f"{max(executor.BUSY_SECONDS * 1000, 1)}ms"
            row = self.connection.execute(_SETTLE, (f"{SCHEMA}, public", wait, durable)).fetchone()
            *_, propagates, synchronous, halfvec, self.timeline = cast("Row", row)
        except psycopg.Error:
            self.connection.close()
            raise
        # Citus tells its other servers what is set for a transaction, and nothing else.
        self._waits = f"SET LOCAL lock_timeout = '{wait}'; " if propagates else ""
        self._synchronous = f"SET LOCAL synchronous_commit = {synchronous}; " if propagates else ""
        self._plain = self.connection.cursor()
        self._cursor = self.connection.cursor(binary=True)
        self._cursor.adapters.register_dumper(int, Int8BinaryDumper)
        self._halfvec = halfvec is not None
        if halfvec is not None:
            _know_halfvec(self._cursor, halfvec)
        self._statements = statements()
        self._holds = False
        self.apart: Callable[[str, Mapping[str, Value]], list[Row]] = self.rows
        self.elsewhere: Mapping[str, Callable[[Session, Mapping[str, Value]], list[Row]]] = {}
        self.tasks_added = 0
        self.held: set[int] = set()
        self._held_before: set[int] = set()
        self.transaction = ""
        self._warning = ""
        self.connection.add_notice_handler(self._note)

    @property
    def is_usable(self) -> bool:
        """Whether the connection is open and in no transaction."""
        return self.connection.info.transaction_status is TransactionStatus.IDLE

    def close(self) -> None:
        """Let go of the connection; what was not committed is undone."""
        self.connection.close()

    def begin_writing(self, *, durable: bool) -> None:
        """Begin a transaction; unless it is durable, its commit does not wait for the disk."""
        settings = self._waits + (self._synchronous if durable else "SET LOCAL synchronous_commit = off; ")
        self._at_once(f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {settings}SELECT pg_current_xact_id()::text")
        while self._plain.nextset():
            pass
        self.transaction = cast("Row", self._plain.fetchone())[0]
        self._holds = True
        self.held = set()
        self.tasks_added = 0

    def check(self) -> None:
        """Find out whether the connection is there."""
        self._holds = False
        self._at_once("SELECT 1")

    def begin_reading(self) -> None:
        """Begin to read one consistent snapshot."""
        self._holds = False
        self._at_once(f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {self._waits}")

    def commit(self) -> None:
        """Make what was done last.

        Raises:
            TransactionResolutionUnknown: See `confirm`.
        """
        self._warning = ""
        self._at_once("COMMIT")
        self.confirm()

    def confirm(self) -> None:
        """Refuse a commit that came with a warning.

        Raises:
            TransactionResolutionUnknown: The change may be lost on another server, or is not on a standby yet.
        """
        warning, self._warning = self._warning, ""
        if warning:
            raise errors.TransactionResolutionUnknown(warning)

    def rollback_if_open(self) -> None:
        """Undo the transaction, where the connection is there and in one."""
        if self.connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            with suppress(psycopg.Error):  # what cannot be undone now, the server undoes when the connection is closed
                # What only read has nothing to undo, and psycopg lets go of every prepared statement at a rollback.
                self._at_once("ROLLBACK" if self._holds else "COMMIT")

    def savepoint(self) -> None:
        """Begin a part that can be undone by itself."""
        self._at_once("SAVEPOINT job")
        self._held_before = set(self.held)

    def release_savepoint(self) -> None:
        """Keep the part."""
        self._at_once("RELEASE job")

    def rollback_to_savepoint(self) -> None:
        """Undo the part, and let go of the owners that it locked."""
        self._at_once("ROLLBACK TO job; RELEASE job")
        self.held = self._held_before

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        if query in FOLLOWS_BY_ITSELF:
            return []
        if query in _OF_SEQUENCES and parameters["name"] in IDS:
            sequence = f"id_{parameters['name']}"
            if query == "sequence_raise":
                return self._raise_id(sequence, cast("int", parameters["value"]))
            return self.run(_OF_SEQUENCES[query], (sequence,))
        if query == "next_id" and parameters["name"] == "erasure":
            self.run(_TELL_ERASED)
        if self._holds and query in APART:
            return self.apart(query, parameters)
        if query in self.elsewhere:
            return self.elsewhere[query](self, parameters)
        self.tasks_added += query == "task_add"
        statement = self._statements[query]
        if self._holds and statement.holds:
            self.hold(cast("int", parameters["owner"]))
        if query == "owner_ensure":
            is_new = self._ensure_owner(statement, parameters)
            # At once, or those who lock new owners first would wait for each other, whatever their order.
            return self.run(_MAKE_HELD, (parameters["owner"],)) if is_new else []
        values: list[Any] = [parameters[name] for name in statement.names]
        if query == "vector_put" and self._halfvec:
            index = statement.names.index("numbers")
            values[index] = _Halfvec(values[index])
        return self.run(statement.text, values)

    def rows_apart(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run a query of `APART` on this connection, and commit it."""
        if not self._waits:
            return self.rows(query, parameters)
        self._at_once(f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {self._waits}{self._synchronous}")
        rows = self.rows(query, parameters)
        self.commit()
        return rows

    def run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and return its rows."""
        cursor = self._cursor.execute(cast("Any", text), values, prepare=True)
        # Not `description`, which makes an object of each column.
        return cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []

    def _ensure_owner(self, statement: Statement, parameters: Mapping[str, Value]) -> bool:
        """Add an owner who is not there, with the level that they had; whether they are new."""
        # Together: nobody may find the person without the level.
        with self.connection.transaction() if parameters["level"] else nullcontext():
            self.run(statement.text, [parameters[name] for name in statement.names])
            is_new = bool(self._cursor.rowcount)
            if is_new and parameters["level"]:
                self.run(_RESTORE_LEVEL, (parameters["owner"], parameters["level"]))
        return is_new

    def copy_in(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add many rows to a table."""
        types: dict[str, int] = dict(self.run(_TYPES, (table,)))
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(sql.Identifier(table), names)
        vector = columns.index("numbers") if self._halfvec and "numbers" in columns else None
        with self._cursor.copy(statement) as copy:
            copy.set_types([types[column] for column in columns])
            for row in rows:
                copy.write_row(row if vector is None else (*row[:vector], _Halfvec(row[vector]), *row[vector + 1 :]))

    def hold(self, owner: int) -> None:
        """Keep the owner's rows from being changed by others until the transaction ends."""
        if owner <= 0 or owner in self.held:
            return
        may_wait = not self.held or owner > max(self.held)
        try:
            while not self.run(_HOLD if may_wait else _HOLD_AT_ONCE, (owner,)):
                self.run(_MAKE_HELD, (owner,))
        except errors.LockNotAvailable as error:
            if may_wait:
                raise
            raise ContendedError(owner) from error
        self.held.add(owner)

    def _note(self, notice: errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            self._warning = notice.message_primary or "a warning"

    def _at_once(self, text: str) -> None:
        """Run statements without parameters, all in one exchange."""
        self._plain.execute(cast("Any", text), prepare=False)

    def _raise_id(self, sequence: str, value: int) -> list[Row]:
        """Let it go on after a number. Nobody takes one until the transaction ends, so that none is given twice."""
        name = sql.Identifier(sequence)
        self._plain.execute(sql.SQL("ALTER SEQUENCE {} NO CYCLE").format(name))
        highest = max(value, self.run(_LAST_ID, (sequence,))[0][0])
        return self.run("SELECT setval($1::text::regclass, $2)", (sequence, highest)) if highest else []


class _Halfvec:
    """A vector on its way into a column of pgvector's type: float16, little-endian."""

    def __init__(self, numbers: bytes) -> None:
        self.numbers = numbers


def _know_halfvec(cursor: psycopg.Cursor[Any], oid: int) -> None:
    class HalfvecDumper(Dumper):
        format = Format.BINARY

        def dump(self, obj: _Halfvec) -> bytes:
            return pack("!HH", len(obj.numbers) // 2, 0) + _swapped(obj.numbers)

    class HalfvecLoader(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return _swapped(bytes(data)[4:])

    HalfvecDumper.oid = oid
    cursor.adapters.register_dumper(_Halfvec, HalfvecDumper)
    cursor.adapters.register_loader(oid, HalfvecLoader)


def _swapped(numbers: bytes) -> bytes:
    """Between the machine's order of bytes and the network's, for numbers of two bytes."""
    halves = array("H", numbers)
    halves.byteswap()
    return halves.tobytes()
