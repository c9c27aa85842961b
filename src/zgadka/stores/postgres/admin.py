"""What operators do to a PostgreSQL database as a whole: look at it, mend it, let nothing removed be left."""

from __future__ import annotations

from typing import Any, cast

from psycopg import errors

from zgadka.log import logger
from zgadka.stores.postgres.schema import layout_of
from zgadka.stores.postgres.session import SCHEMA, Session

_log = logger()

_REWRITTEN_BYTES = 128 * 2**20
"""Tables up to this size are written anew, which takes a second or two, for which others wait."""

_TABLES = """
SELECT format('%I.%I', n.nspname, c.relname), pg_total_relation_size(c.oid), pg_has_role(c.relowner, 'USAGE')
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r' ORDER BY c.relname
"""

_INVALID = """
SELECT string_agg(format('index %I is not valid', c.relname), '; ')
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = to_regnamespace($1::text) AND NOT (i.indisvalid AND i.indisready)
"""
_CHECKSUMS = """
SELECT coalesce(checksum_failures, 0)::bigint FROM pg_stat_database WHERE datname = current_database()
"""
_INDEXES = """
SELECT format('%I.%I', n.nspname, c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_am a ON a.oid = c.relam
WHERE n.nspname = $1 AND a.amname = 'btree' AND c.relkind = 'i' ORDER BY c.relname
"""


def inspect(session: Session) -> dict[str, str]:
    """Schema, layout, extensions and integrity, as text."""
    extensions = dict(session.run("SELECT extname, extversion FROM pg_extension"))
    return {
        "schema": str(session.run("SELECT max(number) FROM zgadka.migration")[0][0]),
        "layout": str(layout_of(session.connection)),
        "pgvector": extensions.get("vector", "none: vectors are kept as bytes"),
        "integrity": integrity(session),
    }


def integrity(session: Session) -> str:
    """What can be told from here: `ok`, or what was found. With the extension amcheck, every index is gone through."""
    problems = [row[0] for row in session.run(_INVALID, (SCHEMA,)) if row[0]]
    failures = session.run(_CHECKSUMS)[0][0]
    if failures:
        problems.append(f"{failures} pages were damaged when they were read: restore a backup")
    if session.run("SELECT 1 FROM pg_extension WHERE extname = 'amcheck'"):
        for (index,) in session.run(_INDEXES, (SCHEMA,)):
            try:
                session.run("SELECT bt_index_check($1::text::regclass, true)", (index,))
            except (errors.InternalError_, errors.IndexCorrupted, errors.DataCorrupted):
                problems.append(f"index {index} is damaged")
    return "; ".join(problems) or "ok"


def mend(session: Session) -> tuple[str, str]:
    """Make all indexes anew where the check finds something; returns what it found, before and after."""
    problems = integrity(session)
    if problems == "ok":
        return problems, problems
    for (index,) in session.run(_INDEXES, (SCHEMA,)):
        session.run(f"REINDEX INDEX {index}")
    return problems, integrity(session)


def scrub(session: Session) -> bool:
    """Let no page of a table keep what was removed; False when others are in the way.

    Small tables are written anew; in large ones the space is only given free, and the bytes stay until it is used
    again. The server's log, its backups and its standbys are not ours to change: docs/postgres.md.
    """
    try:
        for table, size, may_vacuum in session.run(_TABLES, (SCHEMA,)):
            if not may_vacuum:  # PostgreSQL would pass it over with a mere warning
                _log.warning("only the owner of %s can remove what erased rows left in its file", table)
                return False
            full = "(FULL)" if size <= _REWRITTEN_BYTES else ""
            if not full:
                _log.info("%s is large: what was removed stays in its file until the space is used again", table)
            session.connection.execute(cast("Any", f"VACUUM {full} {table}"))
    except (errors.LockNotAvailable, errors.DeadlockDetected, errors.QueryCanceled):
        return False
    return True
