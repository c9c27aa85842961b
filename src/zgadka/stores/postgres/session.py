"""One connection to PostgreSQL: named queries, transactions, and the owners that a transaction keeps locked."""

from __future__ import annotations

import math
import os
import re
import socket
import threading
import time
from array import array
from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from struct import pack
from typing import Any, NoReturn, cast

import psycopg
from psycopg import errors, sql
from psycopg.adapt import Dumper, Loader
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.generators import fetch_many
from psycopg.pq import Format, TransactionStatus
from psycopg.types.numeric import Int8BinaryDumper

from zgadka.errors import InvalidInput
from zgadka.log import logger
from zgadka.stores import executor
from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.errors import is_starting
from zgadka.stores.postgres.keys import Check, check_of
from zgadka.stores.postgres.routes import ANYWHERE, OWNERS_ROWS, Place, parameters_of
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
            "members_called",
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
        *("messages_of_others", "messages_quoting"),
        *("events_of_forgetting", "events_read"),
        "rate_get",
        *("has_forgotten", "forgotten_ways", "forgotten_any", "forgotten_get", "forgotten_of_owner"),
        *("answers_given", "memories_withheld", "sources_of", "questions", "calls_about"),
        *("message_by_source", "message_with_source"),
        "message_text",
        "memory_values",
        "member_level_get",
    }
)

_HOLD = "SELECT 1 FROM revision WHERE owner = $1 AND what = 'owner' FOR UPDATE"
_HOLD_AT_ONCE = f"{_HOLD} NOWAIT"
_MAKE_HELD = "INSERT INTO revision (owner, what, number) VALUES ($1, 'owner', 0) ON CONFLICT DO NOTHING"

_STAY = "SELECT 1 FROM owner WHERE id = $1 FOR KEY SHARE"

_RESTORE_LEVEL = "INSERT INTO privacy (owner, level) VALUES ($1, $2)"

_TELL_ERASED = f"SELECT pg_notify('{ERASED}', '')"
_TYPES = """
SELECT attname, atttypid::bigint FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped
"""
_LAST_ID = "SELECT coalesce(pg_sequence_last_value($1::text::regclass), 0)"
_NEXT_IDS = "SELECT id, id FROM (SELECT nextval($1::text::regclass) AS id FROM generate_series(1, $2)) taken"
_OF_SEQUENCES = {
    "next_id": "SELECT nextval($1::text::regclass)",
    "next_ids": _NEXT_IDS,
    "sequence_get": _LAST_ID,
    "sequence_raise": "",
}

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

_STARTING_SECONDS = 60.0
_RETRY_SECONDS = 0.2
_REST_SECONDS = 0.2
"""For so long the answer to the end of a transaction may well be on its way, for which nobody waits."""

_log = logger()

_PARAMETER = re.compile(r"(?<![:\w]):([a-z_]+)")
_TABLE = re.compile(r"\b(?:FROM|JOIN|INTO|UPDATE) (?!SET\b)(\w+)")

_MOST_WAITING = 100
"""Changes that wait to be sent together at most."""
_OWNERS, _MOST_OWNERS = "owners_find", 10_000
"""The question for a turn's person and place, and how many answers to it are kept."""
_MOST_ROUNDS = 4
"""How often `foresee` asks: what is asked last depends on what was answered before."""

Key = tuple[str, tuple[tuple[str, Value], ...]]


class _NotAnsweredYet(Exception):  # noqa: N818  (no error: it ends a try of what will be asked)
    """What this would go on with is asked first."""


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
        asks: Whether it changes nothing.
        is_silent: Whether it has no rows to tell.
        tables: What it reads, or changes.
        places: The parameters that tell on which server of a cluster its rows are; see `parameters_of`.
        check: What is done before it where the server has no foreign keys.
    """

    text: str
    names: tuple[str, ...]
    holds: bool
    asks: bool
    is_silent: bool
    tables: frozenset[str]
    places: tuple[tuple[str, str], ...]
    check: Check | None


@cache
def statements() -> dict[str, Statement]:
    """Every named query."""
    return {name: _statement(name, text) for name, text in queries("postgres").items()}


def _statement(name: str, text: str) -> Statement:
    names = tuple(dict.fromkeys(_PARAMETER.findall(text)))
    numbered = _PARAMETER.sub(lambda match: f"${names.index(match[1]) + 1}", text)
    asks = numbered.startswith(("SELECT", "WITH"))
    tables = frozenset(_TABLE.findall(numbered))
    return Statement(
        numbered,
        names,
        holds="owner" in names and name not in _UNHELD,
        asks=asks,
        is_silent=not asks and "RETURNING" not in numbered,
        tables=tables,
        places=parameters_of(name, numbered, names, tables),
        check=check_of(numbered, names),
    )


@dataclass(slots=True)
class _Sent:
    """A statement on its way, and what came of it.

    Attributes:
        then: Is given its rows.
        holds: The owner whom it locks without waiting; 0: none.
    """

    text: str
    values: Sequence[Any] | None = None
    then: Callable[[list[Row]], object] | None = None
    holds: int = 0
    cursor: psycopg.Cursor[Row] | None = None
    rows: list[Row] = field(default_factory=list[Row])

    def take(self, cursor: psycopg.Cursor[Row]) -> None:
        # Not `description`, which makes an object of each column.
        self.rows = cursor.fetchall() if cursor.pgresult is not None and cursor.pgresult.nfields else []
        if self.then is not None:
            self.then(self.rows)


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

    def within(self, seconds: float) -> Database:
        """The same, where whoever connects waits for no longer than that, or for two seconds: libpq's least."""
        return replace(self, conninfo=make_conninfo(self.conninfo, connect_timeout=max(2, math.ceil(seconds))))

    def connect_once_started(self) -> psycopg.Connection[Row]:
        """The same, when a server that is starting lets us in: after a minute at most, while this thread waits.

        Raises:
            psycopg.Error: It is not there, refuses us for another reason, or took longer.
        """
        deadline = time.monotonic() + _STARTING_SECONDS
        is_told = False
        while True:
            try:
                return self.connect()
            except psycopg.Error as error:
                if not is_starting(error) or time.monotonic() >= deadline:
                    raise
            if not is_told:
                _log.warning("PostgreSQL %s is starting: waiting for it", self.name)
                is_told = True
            time.sleep(_RETRY_SECONDS)


@contextmanager
def answered_within(seconds: float, connection: psycopg.Connection[Any]) -> Generator[None]:
    """End a connection after which nobody else looks, where what is done on it meanwhile takes longer."""
    timer = threading.Timer(seconds, _shut_down, (connection,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _shut_down(connection: psycopg.Connection[Any]) -> None:
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


class Session:
    """Named queries on one connection, and its transactions.

    Args:
        durable: Whether commits wait for the disk, unless a transaction says otherwise.
        has_keys: Whether the server itself refuses what names an owner who is gone.
        breaker: Knows which servers do not answer.

    Attributes:
        held: The owners that the transaction keeps locked.
        kept: Those that it names, and that are not removed before it ends, as far as the server does not see to it.
        apart: Runs a query of `APART` with each of several parameters, while a transaction writes.
        elsewhere: The queries that are not asked here, but run like this.
        tasks_added: How many tasks the transaction put in line, which nobody else sees yet.
        transaction: The number of the transaction that writes, or wrote last.
        was_idle: Whether the connection was there before it was borrowed, and may have been lost since.
        has_begun: Whether the server answered anything in the transaction.
        has_changed: Whether the transaction changed anything.
        is_committing: Whether what failed last may have been the commit.
        waits_since: When the server was asked what it has not answered yet, as `time.monotonic` tells it; or infinity.
        places: On a cluster, whose rows the transaction has asked for.
        timeline: Tells the server's history from that of another one, as after a fail-over; and from its own after a
            crash, when it gives the numbers of transactions that never came to the disk to others.

    Each exchange with the server costs a round trip. So what nobody waits for is sent along with the next question: the
    beginning of a transaction, changes that have no rows to tell, and the end.

    A transaction that writes locks each owner whose rows it touches (`hold`), before it reads or changes them: nobody
    changes them until it ends. It waits for owners in ascending order of their ids only, so that no two transactions
    wait for each other; out of order, it raises `ContendedError` instead of waiting.
    """

    def __init__(
        self, database: Database, *, durable: bool = True, has_keys: bool = True, breaker: Breaker | None = None
    ) -> None:
        self._has_keys = has_keys
        self._breaker = breaker or Breaker(database.name)
        self.connection = database.connect()
        try:
            wait = f"{max(executor.BUSY_SECONDS * 1000, 1)}ms"
            with answered_within(max(executor.BUSY_SECONDS, 1), self.connection):
                row = self.connection.execute(_SETTLE, (f"{SCHEMA}, public", wait, durable)).fetchone()
            *_, propagates, synchronous, halfvec, self.timeline = cast("Row", row)
        except psycopg.Error:
            self.connection.close()
            raise
        # Citus tells its other servers what is set for a transaction, and nothing else.
        self._waits = f"SET LOCAL lock_timeout = '{wait}'; " if propagates else ""
        self._synchronous = f"SET LOCAL synchronous_commit = {synchronous}; " if propagates else ""
        self._plain = self.connection.cursor()
        self.connection.adapters.register_dumper(int, Int8BinaryDumper)
        self._halfvec = halfvec is not None
        if halfvec is not None:
            _know_halfvec(self.connection, halfvec)
        self._cursor = self.connection.cursor(binary=True)
        self._waiting: list[_Sent] = []
        self._is_ending = False
        self._ended_at = 0.0
        self._foreseen: dict[Key, list[Row]] = {}
        self._to_ask: dict[Key, tuple[str, Mapping[str, Value]]] | None = None
        self._presumed: dict[Hashable, list[Row]] = {}
        self._statements = statements()
        self._holds = False
        self.apart: Callable[[str, Sequence[Mapping[str, Value]]], list[list[Row]]] = self.rows_apart
        self.elsewhere: Mapping[str, Callable[[Session, Mapping[str, Value]], list[Row]]] = {}
        self.tasks_added = 0
        self.held: set[int] = set()
        self.kept: set[int] = set()
        self._held_before: set[int] = set()
        self.transaction = ""
        self.was_idle = False
        self.has_begun = False
        self.has_changed = False
        self.is_committing = False
        self.waits_since = math.inf
        self.places: set[Place] = set()
        self._before_savepoint: int | None = None
        self._warning = ""
        self._end_reason: psycopg.Error | None = None
        self.connection.add_notice_handler(self._note)

    @property
    def is_usable(self) -> bool:
        """Whether the connection is open and in no transaction."""
        return not self._waiting and (
            self._is_ending or self.connection.info.transaction_status is TransactionStatus.IDLE
        )

    @property
    def is_at_rest(self) -> bool:
        """Whether the server answers at once, as far as can be told."""
        return self.is_answered or time.monotonic() - self._ended_at < _REST_SECONDS

    @property
    def is_answered(self) -> bool:
        """Whether the server has answered all that it was told, or is lost."""
        if not self._is_ending:
            return True
        with suppress(psycopg.Error):
            self.connection.pgconn.consume_input()
        return not self.connection.pgconn.is_busy()

    def give_up(self) -> None:
        """End the connection, from another thread: whoever waits for an answer on it has lost it."""
        _shut_down(self.connection)

    def close(self) -> None:
        """Let go of the connection, and wait for nothing; what was not committed is undone."""
        with suppress(psycopg.Error):
            if self.is_answered:
                self._end()
        self.connection.close()

    def begin_writing(self, *, durable: bool) -> None:
        """Begin a transaction; unless it is durable, its commit does not wait for the disk."""
        settings = self._waits + (self._synchronous if durable else "SET LOCAL synchronous_commit = off; ")
        self._begin(f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {settings}")
        self._holds = True
        self._waiting.append(_Sent("SELECT pg_current_xact_id()::text", then=self._numbered))
        self.transaction = ""
        self.held, self.kept = set(), set()
        self.tasks_added = 0

    def check(self) -> None:
        """Find out whether the connection is there."""
        self._end()
        self._holds = False
        self.places.clear()
        self._at_once("SELECT 1")

    def begin_reading(self) -> None:
        """Begin to read one consistent snapshot."""
        self._holds = False
        self._begin(f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {self._waits}")

    def _begin(self, statements: str) -> None:
        self._end()
        self._foreseen.clear()
        self.places.clear()
        self._waiting = [_Sent(statement) for statement in statements.removesuffix("; ").split("; ")]
        self.has_begun = self.has_changed = self.is_committing = False

    def _numbered(self, rows: list[Row]) -> None:
        self.transaction = rows[0][0]

    def commit(self) -> None:
        """Make what was done last.

        Raises:
            TransactionResolutionUnknown: See `confirm`.
        """
        self._warning = ""
        if not self.has_begun:
            self._send()  # were the answer to the commit lost, nobody could ask what became of it without its number
        self._waiting.append(_Sent("COMMIT"))
        self._send()
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
        self._waiting.clear()
        self._foreseen.clear()
        if self.connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            with suppress(psycopg.Error):  # what cannot be undone now, the server undoes when the connection is closed
                if self._holds:
                    self._at_once("ROLLBACK")
                else:
                    self.end()

    def end(self) -> None:
        """End a transaction that has changed nothing, and wait for no answer."""
        self._waiting.clear()
        if self.connection.info.transaction_status in (TransactionStatus.INTRANS, TransactionStatus.INERROR):
            # Not a rollback, at which psycopg lets go of every prepared statement.
            self.connection.pgconn.send_query(b"COMMIT")
            self.connection.pgconn.flush()
            self._is_ending = True
            self._ended_at = time.monotonic()

    def _end(self) -> None:
        """Read the answer for which `end` did not wait.

        Raises:
            OperationalError: The connection was lost meanwhile.
        """
        if self._is_ending:
            self._is_ending = False
            with self.waiting():
                self.connection.wait(fetch_many(self.connection.pgconn))  # while other threads go on
            if self.connection.info.transaction_status is not TransactionStatus.IDLE:
                raise psycopg.OperationalError("the connection was lost")

    def savepoint(self) -> None:
        """Begin a part that can be undone by itself."""
        self._before_savepoint = len(self._waiting)
        self._waiting.append(_Sent("SAVEPOINT job"))
        self._held_before = set(self.held)

    def release_savepoint(self) -> None:
        """Keep the part."""
        self._waiting.append(_Sent("RELEASE job"))
        self._send()

    def rollback_to_savepoint(self) -> None:
        """Undo the part, and let go of the owners that it locked."""
        self._foreseen.clear()
        if self._before_savepoint is None:
            self._waiting.clear()
            self._at_once("ROLLBACK TO job; RELEASE job")
        else:  # nothing of it was sent
            del self._waiting[self._before_savepoint :]
        self.held = self._held_before

    def foresee(self, asks: Callable[[], Sequence[Callable[[], object]]], owners: dict[Hashable, list[Row]]) -> None:
        """Ask together what these would ask one after another, so that they find it answered.

        Each is tried as far as its first question that is not answered yet, until all of it is. In a transaction that
        writes, the owners whom they are about are locked first, as they would be.

        Who is meant is asked as well: what was asked as if they were who they were before is used only where they are.
        """
        unanswered, self._presumed = asks(), owners
        try:
            for _ in range(_MOST_ROUNDS):
                to_ask: dict[Key, tuple[str, Mapping[str, Value]]] = {}
                self._to_ask = to_ask
                unanswered = [ask for ask in unanswered if not _is_answered(ask)]
                self._to_ask = None
                if not to_ask or not self._ask_together(to_ask):
                    return
        finally:
            self._to_ask, self._presumed = None, {}

    def _ask_together(self, to_ask: Mapping[Key, tuple[str, Mapping[str, Value]]]) -> bool:
        """Ask, and keep the answers for `rows`; False where an owner could not be locked yet."""
        for query, parameters in to_ask.values():
            self._go_to(query, parameters)
        sent: dict[Key, _Sent] = {}
        owners: set[int] = set()
        for key, (query, parameters) in to_ask.items():
            if query == "next_id":
                sent[key] = _Sent(_OF_SEQUENCES[query], (f"id_{parameters['name']}",))
                continue
            statement = self._statements[query]
            sent[key] = _Sent(statement.text, [parameters[name] for name in statement.names])
            if self._holds and statement.holds:
                owners.add(cast("int", parameters["owner"]))
        locks = [lock for owner in sorted(owners) if (lock := self._lock(owner)) is not None]
        self._waiting += sent.values()
        self._send()
        if not self._are_as_presumed({key: question.rows for key, question in sent.items() if key[0] == _OWNERS}):
            self.held -= {owner for owner, lock in locks if not lock.rows}
            return False  # the rest was about others: it is asked anew
        if missing := [owner for owner, lock in locks if not lock.rows]:
            for owner in missing:
                self.held.discard(owner)
                self.hold(owner)
            sent = {key: question for key, question in sent.items() if key[0] == "next_id"}  # the rest was not locked
        self._foreseen |= {key: question.rows for key, question in sent.items()}
        return not missing

    def _are_as_presumed(self, found: Mapping[Key, list[Row]]) -> bool:
        """Whether owners are who they were; keeps who they are now."""
        is_so = all((self._presumed.get(key) or rows) == rows for key, rows in found.items())
        if len(self._presumed) >= _MOST_OWNERS:
            self._presumed.clear()
        self._presumed.update((key, rows) for key, rows in found.items())
        self._foreseen |= found
        return is_so

    def _lock(self, owner: int) -> tuple[int, _Sent] | None:
        """Have an owner locked with what is sent next; None: it is. No row comes back where there is none to lock."""
        if owner <= 0 or owner in self.held:
            return None
        self._reach({(OWNERS_ROWS, owner)})
        may_wait = not self.held or owner > max(self.held)
        lock = _Sent(_HOLD if may_wait else _HOLD_AT_ONCE, (owner,), holds=0 if may_wait else owner)
        self._waiting.append(lock)
        self.held.add(owner)
        return owner, lock

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        if query in FOLLOWS_BY_ITSELF:
            return []
        if self._to_ask is not None:
            return self._foretold(self._to_ask, query, parameters)
        if self._foreseen and (rows := self._answered(query, parameters)) is not None:
            return rows
        if query in _OF_SEQUENCES and parameters["name"] in IDS:
            return self._of_sequence(query, parameters)
        if query == "next_id" and parameters["name"] == "erasure":
            self.run(_TELL_ERASED)
        if self._holds and query in APART:
            return self.apart(query, [parameters])[0]
        if query in self.elsewhere:
            return self.elsewhere[query](self, parameters)
        self.tasks_added += query == "task_add"
        self._go_to(query, parameters)
        statement = self._statements[query]
        if query == "owner_ensure":
            is_new = self._ensure_owner(statement, parameters)
            # At once, or those who lock new owners first would wait for each other, whatever their order.
            return self._run(_MAKE_HELD, (parameters["owner"],)) if is_new else []
        values: list[Any] = [parameters[name] for name in statement.names]
        if query == "hold_free":
            free = self._run(statement.text, values)
            self.held |= {owner for (owner,) in free}
            return free
        if query == "vector_put" and self._halfvec:
            index = statement.names.index("numbers")
            values[index] = _Halfvec(values[index])
        if statement.asks:
            return self._held_rows(statement, parameters, values)
        if not self._holds:
            self.has_changed = True
            return self._run(statement.text, values)
        return self._make_change(statement, parameters, values)

    def _of_sequence(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        sequence = f"id_{parameters['name']}"
        if query == "sequence_raise":
            return self._raise_id(sequence, cast("int", parameters["value"]))
        if query == "next_ids":
            return self._run(_NEXT_IDS, (sequence, parameters["count"]))
        return self._run(_OF_SEQUENCES[query], (sequence,))

    def _make_change(self, statement: Statement, parameters: Mapping[str, Value], values: Sequence[Any]) -> list[Row]:
        """Change something; where there are no rows to tell, with whatever is sent next."""
        self._change(statement)
        if statement.holds:
            self.hold(cast("int", parameters["owner"]))
        self._check(statement, parameters)
        if statement.is_silent and len(self._waiting) < _MOST_WAITING:
            self._waiting.append(_Sent(statement.text, values))
            return []
        return self._run(statement.text, values)

    def _check(self, statement: Statement, parameters: Mapping[str, Value]) -> None:
        if statement.check is not None and not self._has_keys:
            statement.check(self, parameters)

    def send_along(self, text: str, values: Sequence[Any]) -> None:
        """Have a statement run that tells nothing, with whatever is sent next."""
        self._waiting.append(_Sent(text, values))

    def all_rows(self, query: str, several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
        """Run the named query with each of several parameters; what is committed apart, in one exchange."""
        if self._to_ask is not None:
            raise _NotAnsweredYet
        if self._holds and query in APART:
            return self.apart(query, several)
        return [self.rows(query, parameters) for parameters in several]

    def rows_later(self, query: str, parameters: Mapping[str, Value], then: Callable[[list[Row]], object]) -> None:
        """Run a named change; its rows are given to `then` by the commit at the latest."""
        if self._to_ask is not None:
            raise _NotAnsweredYet
        self._go_to(query, parameters)
        statement = self._statements[query]
        self._change(statement)
        if statement.holds:
            self.hold(cast("int", parameters["owner"]))
        self._waiting.append(_Sent(statement.text, [parameters[name] for name in statement.names], then))

    def _change(self, statement: Statement) -> None:
        """Take note that something is changed: what was foreseen of it is no longer so."""
        self.has_changed = True
        if self._foreseen:
            for key in [key for key in self._foreseen if self._reads(key[0]) & statement.tables]:
                del self._foreseen[key]

    def _reads(self, query: str) -> frozenset[str]:
        return self._statements[query].tables if query in self._statements else frozenset()

    def _foretold(
        self,
        to_ask: dict[Key, tuple[str, Mapping[str, Value]]],
        query: str,
        parameters: Mapping[str, Value],
    ) -> list[Row]:
        key = _key(query, parameters)
        if key in self._foreseen:
            return self._foreseen[key]
        is_id = query == "next_id" and parameters["name"] in IDS
        if is_id or (query not in _OF_SEQUENCES and query not in self.elsewhere and self._statements[query].asks):
            to_ask[key] = query, parameters
            if query == _OWNERS and (presumed := self._presumed.get(key)):
                return presumed
        raise _NotAnsweredYet

    def _answered(self, query: str, parameters: Mapping[str, Value]) -> list[Row] | None:
        """What was foreseen; where the transaction writes, once: others may have changed what is not locked."""
        key = _key(query, parameters)
        return self._foreseen.pop(key, None) if self._holds else self._foreseen.get(key)

    def _held_rows(self, statement: Statement, parameters: Mapping[str, Value], values: Sequence[Any]) -> list[Row]:
        """Ask, in one exchange with the lock that the question needs."""
        owner = cast("int", parameters["owner"]) if self._holds and statement.holds else 0
        lock = self._lock(owner)
        rows = self._run(statement.text, values)
        if lock is not None and not lock[1].rows:
            self.held.discard(owner)
            self.hold(owner)
            return self._run(statement.text, values)
        return rows

    def rows_apart(self, query: str, several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
        """Run a query of `APART` with several parameters on this connection, and commit each; all in one exchange."""
        if query == "owner_ensure":
            return [self._apart(query, parameters) for parameters in several]
        statement = self._statements[query]
        sent: list[_Sent] = []
        self._warning = ""
        if self._waits:
            self.places.clear()
        for parameters in several:
            if self._waits:
                self._begin_apart()
            self.kept = set()
            self._go_to(query, parameters)
            self._check(statement, parameters)
            sent.append(_Sent(statement.text, [parameters[name] for name in statement.names]))
            self._waiting.append(sent[-1])
            if self._waits:
                self._waiting.append(_Sent("COMMIT"))
        self._send()
        if self._waits:
            self.confirm()
        return [each.rows for each in sent]

    def _apart(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        if not self._waits:
            return self.rows(query, parameters)
        self._begin_apart()
        rows = self.rows(query, parameters)
        self.has_begun = True
        self.commit()
        return rows

    def _begin_apart(self) -> None:
        begin = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; {self._waits}{self._synchronous}"
        self._waiting += [_Sent(statement) for statement in begin.removesuffix("; ").split("; ")]

    def _go_to(self, query: str, parameters: Mapping[str, Value]) -> None:
        """Take note of whose rows a named query is about; see `_reach`."""
        if self._waits and query in self._statements:
            self._reach({(table, parameters[name] if name else 0) for table, name in self._statements[query].places})

    def _reach(self, places: set[Place]) -> None:
        """Take note of whose rows are asked for.

        Raises:
            StoreUnavailable: They are on a server of a cluster that does not answer.
        """
        if self._waits and not places <= self.places:
            self._breaker.refuse(places - self.places, self._run)
            self.places |= places

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Wait for the server meanwhile, and be given up where it is not there."""
        self.waits_since = time.monotonic()
        try:
            yield
        finally:
            self.waits_since = math.inf

    @contextmanager
    def lock_timeout(self, milliseconds: int) -> Generator[None]:
        """Wait no longer than so for a lock, outside of a transaction."""
        set_to = "SELECT set_config('lock_timeout', $1, false)"
        before = self.connection.execute("SELECT current_setting('lock_timeout')").fetchone()
        self.connection.execute(set_to, (f"{milliseconds}ms",))
        try:
            yield
        finally:
            if self.is_usable:
                self.connection.execute(set_to, before)

    def run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run one statement and return its rows, wherever they are."""
        self.has_changed = True
        self.places.add(ANYWHERE)
        return self._run(text, values)

    def _run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        sent = _Sent(text, values)
        self._waiting.append(sent)
        self._send()
        return sent.rows

    def _send(self) -> None:
        """Send all that waits, in one exchange, and take the answers."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        self._before_savepoint = None
        error: psycopg.Error | None = None
        self.waits_since = time.monotonic()
        if len(waiting) == 1:
            sent = waiting[0]
            try:
                sent.cursor = self._cursor.execute(cast("Any", sent.text), sent.values, prepare=sent.values is not None)
            except psycopg.Error as failure:
                error = failure
        else:
            error = self._send_pipeline(waiting)
        self.waits_since = math.inf
        if error is not None:
            self._fail(waiting, error)
        self.has_begun = True
        for sent in waiting:
            sent.take(cast("psycopg.Cursor[Row]", sent.cursor))

    def _send_pipeline(self, waiting: Sequence[_Sent]) -> psycopg.Error | None:
        """Send several statements; what stopped them, the rest of which are not run then."""
        failures: list[BaseException | None] = []
        try:
            with self.connection.pipeline():
                try:
                    for sent in waiting:
                        sent.cursor = self.connection.cursor(binary=True)
                        sent.cursor.execute(cast("Any", sent.text), sent.values, prepare=sent.values is not None)
                except psycopg.Error as failure:  # raised anew: the pipeline would log what else comes
                    failures += [failure, failure.__context__]
        except psycopg.Error as failure:
            failures += [failure, failure.__context__]
        # What the server says of it comes before what is wrong with the connection since.
        reasons = [each for each in failures if isinstance(each, psycopg.Error)]
        reasons.sort(key=lambda reason: (isinstance(reason, errors.PipelineAborted), reason.sqlstate is None))
        return reasons[0] if reasons else None

    def _fail(self, waiting: Sequence[_Sent], error: psycopg.Error) -> NoReturn:
        unanswered = [sent for sent in waiting if sent.cursor is None or sent.cursor.pgresult is None]
        is_open = self.connection.info.transaction_status is not TransactionStatus.UNKNOWN
        failed = unanswered[:1] if is_open else unanswered
        self.is_committing = any(sent.text == "COMMIT" for sent in failed)
        if isinstance(error, errors.LockNotAvailable) and failed and failed[0].holds:
            raise ContendedError(failed[0].holds) from error
        if isinstance(error, errors.DivisionByZero):
            raise errors.ForeignKeyViolation("an owner is gone") from error
        raise error if error.sqlstate or self._end_reason is None else self._end_reason

    def _ensure_owner(self, statement: Statement, parameters: Mapping[str, Value]) -> bool:
        """Add an owner who is not there, with the level that they had; whether they are new."""
        added = _Sent(statement.text, [parameters[name] for name in statement.names])
        self.has_changed = True
        # Together: nobody may find the person without the level. What waits begins a transaction already.
        with self.connection.transaction() if parameters["level"] and not self._waiting else nullcontext():
            self._waiting.append(added)
            self._send()
            is_new = added.cursor is not None and bool(added.cursor.rowcount)
            if is_new and parameters["level"]:
                self._run(_RESTORE_LEVEL, (parameters["owner"], parameters["level"]))
        return is_new

    def copy_in(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add many rows to a table."""
        types: dict[str, int] = dict(self.run(_TYPES, (table,)))  # and what waits is sent
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(sql.Identifier(table), names)
        vector = columns.index("numbers") if self._halfvec and "numbers" in columns else None
        with self._cursor.copy(statement) as copy:
            copy.set_types([types[column] for column in columns])
            for row in rows:
                copy.write_row(row if vector is None else (*row[:vector], _Halfvec(row[vector]), *row[vector + 1 :]))

    def hold(self, owner: int) -> None:
        """Keep the owner's rows from being changed by others until the transaction ends."""
        while (lock := self._lock(owner)) is not None:
            self._send()
            if not lock[1].rows:
                self.held.discard(owner)
                self.has_changed = True
                if not self._has_keys and not self._run(_STAY, (owner,)):
                    raise errors.ForeignKeyViolation(f"owner {owner} is gone")
                self._run(_MAKE_HELD, (owner,))

    def _note(self, notice: errors.Diagnostic) -> None:
        text = notice.message_primary or "no reason"
        if notice.severity_nonlocalized == "WARNING":
            self._warning = text
        elif notice.severity_nonlocalized == "FATAL":  # so the end of the connection comes where no answer is awaited
            self._end_reason = errors.lookup(notice.sqlstate or "08006")(text)

    def _at_once(self, text: str) -> None:
        """Run statements without parameters, all in one exchange."""
        self._send()
        with self.waiting():
            self._plain.execute(cast("Any", text), prepare=False)

    def _raise_id(self, sequence: str, value: int) -> list[Row]:
        """Let it go on after a number. Nobody takes one until the transaction ends, so that none is given twice."""
        name = sql.Identifier(sequence)
        self._send()
        self._plain.execute(sql.SQL("ALTER SEQUENCE {} NO CYCLE").format(name))
        highest = max(value, self.run(_LAST_ID, (sequence,))[0][0])
        return self.run("SELECT setval($1::text::regclass, $2)", (sequence, highest)) if highest else []


def _is_answered(ask: Callable[[], object]) -> bool:
    """Whether this asks no question that is not answered yet."""
    try:
        ask()
    except Exception:  # noqa: BLE001  (whatever else stops it now stops it when it is done in earnest)
        return False
    return True


def _key(query: str, parameters: Mapping[str, Value]) -> Key:
    return query, tuple(sorted(parameters.items()))


class _Halfvec:
    """A vector on its way into a column of pgvector's type: float16, little-endian."""

    def __init__(self, numbers: bytes) -> None:
        self.numbers = numbers


def _know_halfvec(connection: psycopg.Connection[Any], oid: int) -> None:
    class HalfvecDumper(Dumper):
        format = Format.BINARY

        def dump(self, obj: _Halfvec) -> bytes:
            return pack("!HH", len(obj.numbers) // 2, 0) + _swapped(obj.numbers)

    class HalfvecLoader(Loader):
        format = Format.BINARY

        def load(self, data: Any) -> bytes:
            return _swapped(bytes(data)[4:])

    HalfvecDumper.oid = oid
    connection.adapters.register_dumper(_Halfvec, HalfvecDumper)
    connection.adapters.register_loader(oid, HalfvecLoader)


def _swapped(numbers: bytes) -> bytes:
    """Between the machine's order of bytes and the network's, for numbers of two bytes."""
    halves = array("H", numbers)
    halves.byteswap()
    return halves.tobytes()
