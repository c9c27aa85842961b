"""Rid a server's files of what was removed from its tables. See docs/decisions/0018."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from psycopg import errors

from zgadka.errors import StoreError
from zgadka.log import logger
from zgadka.stores import executor
from zgadka.stores.postgres.nodes import used_tables
from zgadka.stores.postgres.rewrite import Beside, is_ordinary
from zgadka.stores.postgres.schema import BESIDE, ONE_AT_A_TIME
from zgadka.stores.postgres.session import SCHEMA, Session

_log = logger()

_REWRITTEN_BYTES = 128 * 2**20
"""Tables up to this size are written anew, one after another."""

_AT_ONCE_BYTES = 2**20
"""Up to this size that takes some ten milliseconds, for which others wait; of a larger one a copy is made beside it."""

_IN_LINE_MS = 10
"""So long others may have to wait behind what waits for a table alone; twice as long at each further try."""
_LONGEST_IN_LINE_MS = 100
_BEHIND_AUTOVACUUM_MS = 1500
"""Autovacuum ends for whoever has waited for `deadlock_timeout`: a second."""
_PAUSE_SECONDS = 0.1

# Where nothing was since it was made or written anew, a table has no page, and each index the one that every index has.
_USED_TABLES = """
SELECT format('%I.%I', n.nspname, c.relname), size, pg_has_role(c.relowner, 'USAGE')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL pg_total_relation_size(c.oid) size
WHERE n.nspname = $1 AND c.relkind = 'r' AND size > current_setting('block_size')::bigint
    * (SELECT count(*) FROM pg_index i WHERE i.indrelid IN (c.oid, c.reltoastrelid))
ORDER BY c.relname
"""

_LOCK = f"SELECT pg_try_advisory_lock({ONE_AT_A_TIME})"
_UNLOCK = f"SELECT pg_advisory_unlock({ONE_AT_A_TIME})"

_SIZE = "SELECT pg_relation_size($1::text::regclass)"


class _InTheWayError(Exception):
    """Others were, for `BUSY_SECONDS`."""


def scrub(session: Session, *, is_distributed: bool) -> bool:
    """Let no page of a table keep what was removed; False when others are in the way.

    Small tables are written anew; in large ones the space is only given free, and the bytes stay until it is used
    again. The server's log, its backups and its standbys are not ours to change: docs/postgres.md.
    """
    tables = used_tables(session) if is_distributed else session.run(_USED_TABLES, (SCHEMA,))
    for table, _, is_ours in tables:
        if not is_ours:  # PostgreSQL would pass it over with a mere warning
            _log.warning("only the owner of %s can remove what erased rows left in its file", table)
            return False
    try:
        if is_distributed:
            for table, size, _ in tables:
                _rewrite_alone(session, table, size, [])
        else:
            with _beside(session):
                _wait_until_removable(session)
                for table, size, _ in tables:
                    if _AT_ONCE_BYTES < size <= _REWRITTEN_BYTES and is_ordinary(session, table):
                        _rewrite_beside(session, table)
                    else:
                        _rewrite_alone(session, table, size, [table])
    except (_InTheWayError, errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled):
        return False
    except errors.InsufficientPrivilege as error:
        _log.warning("what erased rows left stays in the files: making the schema %s, %s", BESIDE, error)
        return False
    return True


def _rewrite_alone(session: Session, table: str, size: int, locked: Sequence[str]) -> None:
    if size <= _REWRITTEN_BYTES:
        _step_in(session, f"VACUUM (FULL) {table}", locked)
    else:
        _log.info("%s is large: what was removed stays in its file until the space is used again", table)
        _at_once(session, f"VACUUM {table}")


def _rewrite_beside(session: Session, table: str) -> None:
    """Write a table anew while others read and write it.

    Raises:
        StoreError: The copy is not what it should be, and was dropped.
    """
    copy = Beside(session, table, lambda statements, tables: _step_in(session, statements, tables))
    copy.make()
    copy.fill()
    _at_once(session, f"VACUUM (ANALYZE) {copy.name}")
    _wait_until_removable(session)  # whoever sees what was there before the copy would not see its rows
    if not copy.is_alike():
        raise StoreError(f"the copy of {table} is not what the table is")
    copy.take_place()


@contextmanager
def _beside(session: Session) -> Generator[None]:
    """A schema for what is made beside the tables, for one process at a time."""
    _try_until(lambda: session.run(_LOCK)[0][0])  # not in line: whoever waits there keeps what was removed visible
    try:
        _step_in(session, f"DROP SCHEMA IF EXISTS {BESIDE} CASCADE", [])  # what a process left that was killed
        _at_once(session, f"CREATE SCHEMA {BESIDE}")
        yield
    finally:
        if session.is_usable:
            _step_in(session, f"DROP SCHEMA IF EXISTS {BESIDE} CASCADE", [])
            session.run(_UNLOCK)


def _wait_until_removable(session: Session) -> None:
    """Wait until nobody can see any more what was removed: PostgreSQL keeps it until then, wherever it writes it."""
    table = f"{BESIDE}.removed"
    _at_once(session, f"CREATE TABLE IF NOT EXISTS {table} (number INTEGER)")
    for statement in (f"INSERT INTO {table} VALUES (1)", f"DELETE FROM {table}"):  # noqa: S608
        _at_once(session, statement)

    def is_empty() -> bool:
        _at_once(session, f"VACUUM (TRUNCATE) {table}")
        return session.run(_SIZE, (table,)) == [(0,)]

    _try_until(is_empty)


def _step_in(session: Session, statements: str, tables: Sequence[str]) -> None:
    """Run what needs tables alone as soon as nobody is at them.

    Whoever comes while it waits for a table stands in line behind it, and a transaction that is at the table may wait
    for what another connection does for it: PostgreSQL sees no deadlock there. So it never waits for long at a time.
    Nobody waits while autovacuum is made to end.

    Raises:
        LockNotAvailable: Somebody was at it whenever it looked, for `BUSY_SECONDS`.
    """
    ends = time.monotonic() + executor.BUSY_SECONDS
    wait = _IN_LINE_MS
    while True:
        try:
            if tables:
                with session.lock_timeout(_BEHIND_AUTOVACUUM_MS):
                    _at_once(session, f"LOCK TABLE {', '.join(tables)} IN SHARE UPDATE EXCLUSIVE MODE; SELECT 1")
            with session.lock_timeout(wait):
                _at_once(session, statements)
        except errors.LockNotAvailable:
            if time.monotonic() >= ends:
                raise
            time.sleep(4 * wait / 1000)
            wait = min(2 * wait, _LONGEST_IN_LINE_MS)
        else:
            return


def _try_until(is_done: Callable[[], bool]) -> None:
    """Try something again until it is done.

    Raises:
        _InTheWayError: It was not, for `BUSY_SECONDS`.
    """
    ends = time.monotonic() + executor.BUSY_SECONDS
    while not is_done():
        if time.monotonic() >= ends:
            raise _InTheWayError
        time.sleep(_PAUSE_SECONDS)


def _at_once(session: Session, statement: str) -> None:
    """Run statements that return nothing, outside of a transaction."""
    with session.waiting():
        session.connection.execute(cast("Any", statement), prepare=False)
