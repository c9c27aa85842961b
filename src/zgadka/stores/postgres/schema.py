"""Migrations on PostgreSQL, and how tables lie: on one server, divided by owner, or over several servers with Citus."""

from __future__ import annotations

from typing import Any, Literal, cast

import psycopg

from zgadka.errors import SchemaMismatch, StoreUnavailable
from zgadka.stores.postgres.session import SCHEMA
from zgadka.stores.row_mapping import Row
from zgadka.stores.sql import missing_migrations
from zgadka.transfer.copy_store import refuse_unfinished

Layout = Literal["plain", "partitioned", "citus"]
"""`partitioned` divides the tables by owner on one server, as Citus does it over several; for tests."""

_PARTITIONS = 4

_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('zgadka migrations', 0))"

_IS_THERE = "SELECT to_regclass($1::text) IS NOT NULL"
_APPLIED = "SELECT number, checksum FROM zgadka.migration ORDER BY number"
_RECORD = "INSERT INTO zgadka.migration (number, name, checksum) VALUES ($1, $2, $3)"
_MAKE_RECORDS = """
CREATE SCHEMA IF NOT EXISTS zgadka;
CREATE TABLE IF NOT EXISTS zgadka.migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL);
"""

_LAYOUT = """
SELECT CASE WHEN relkind = 'p' THEN 'partitioned' ELSE 'plain' END FROM pg_class WHERE oid = to_regclass($1::text)
"""
_IS_DISTRIBUTED = "SELECT count(*) > 0 FROM pg_dist_partition WHERE logicalrelid = to_regclass($1::text)"

# Tables whose rows have owners, and those without, in this order: the former's foreign keys name the latter.
_NEW_TABLES = """
SELECT c.relname, EXISTS (
    SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = c.oid AND i.indisprimary AND a.attname = 'owner') AS has_owner
FROM pg_class c
WHERE c.relnamespace = to_regnamespace($1::text) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY has_owner, c.relname = 'revision' DESC, c.relname
"""
_UNDIVIDED = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = to_regnamespace($1::text) AND c.relkind = 'p'
    AND NOT EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhparent = c.oid)
"""


def is_up_to_date(connection: psycopg.Connection[Row], *, moving: bool = False) -> bool:
    """Whether every migration is applied.

    Args:
        moving: Whether this is for a move into the database, which may have begun before.

    Raises:
        SchemaMismatch: There are newer ones than this program knows, or other ones; or a move is unfinished.
    """
    if not _one(connection, _IS_THERE, "zgadka.migration"):
        return False
    if not moving and _one(connection, _IS_THERE, f"{SCHEMA}.move"):
        refuse_unfinished(connection.info.dbname)
    return not missing_migrations("postgres", _applied(connection))


def migrate(connection: psycopg.Connection[Row], layout: Layout | None = None, *, moving: bool = False) -> int:
    """Bring the schema up to date, all in one transaction; of several processes one does it and the others wait.

    Args:
        layout: How tables are to lie. None: as those that are there, else on one server.
        moving: As for `is_up_to_date`.

    Returns:
        How many migrations were applied.

    Raises:
        SchemaMismatch: The schema is newer than this program, or its tables lie in another way.
        StoreUnavailable: `citus` where there is no Citus.
    """
    with connection.transaction():
        connection.execute(cast("Any", _ONE_AT_A_TIME))
        connection.execute(cast("Any", _MAKE_RECORDS), prepare=False)
        if layout == "citus" and not has_citus(connection):
            raise StoreUnavailable("this PostgreSQL has no Citus: CREATE EXTENSION citus, or leave out --citus")
        present = layout_of(connection)
        if layout is not None and present not in (None, layout):
            raise SchemaMismatch(f"the tables are there and {present}, not {layout}: migrate into a new database")
        if is_up_to_date(connection, moving=moving):
            return 0
        applied = _applied(connection)
        missing = missing_migrations("postgres", applied)
        names = {
            "{by_owner}": "PARTITION BY HASH (owner)" if (layout or present) == "partitioned" else "",
            "{vector}": "public.halfvec" if _has_halfvec(connection) else "bytea",
        }
        connection.execute(cast("Any", f"SET LOCAL search_path = {SCHEMA}, public"))
        for number, name, text, checksum in missing:
            statements = text
            for placeholder, sql_type in names.items():
                statements = statements.replace(placeholder, sql_type)
            connection.execute(cast("Any", statements), prepare=False)
            connection.execute(cast("Any", _RECORD), (number, name, checksum))
        _divide(connection)
        if (layout or present) == "citus":
            _distribute(connection)
        return len(missing)


def layout_of(connection: psycopg.Connection[Row]) -> Layout | None:
    """How the tables lie; None: there are none yet."""
    if has_citus(connection) and _one(connection, _IS_DISTRIBUTED, f"{SCHEMA}.memory"):
        return "citus"
    row = connection.execute(cast("Any", _LAYOUT), (f"{SCHEMA}.memory",)).fetchone()
    return None if row is None else row[0]


def has_citus(connection: psycopg.Connection[Row]) -> bool:
    """Whether Citus is set up in this database."""
    return connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'").fetchone() is not None


def _has_halfvec(connection: psycopg.Connection[Row]) -> bool:
    """Whether there is pgvector 0.7 or newer, set up now where this user may do so."""
    try:
        with connection.transaction():
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    except psycopg.Error:  # not installed, or not allowed
        pass
    return _one(connection, "SELECT to_regtype($1::text) IS NOT NULL", "public.halfvec")


def _divide(connection: psycopg.Connection[Row]) -> None:
    for (table,) in connection.execute(cast("Any", _UNDIVIDED), (SCHEMA,)).fetchall():
        for part in range(_PARTITIONS):
            connection.execute(
                cast(
                    "Any",
                    f"CREATE TABLE {table}_{part} PARTITION OF {table} "
                    f"FOR VALUES WITH (MODULUS {_PARTITIONS}, REMAINDER {part})",
                )
            )


def _distribute(connection: psycopg.Connection[Row]) -> None:
    """Have Citus put the rows of an owner on one server, all tables alike, and tables without owners on every one."""
    for table, has_owner in connection.execute(cast("Any", _NEW_TABLES), (SCHEMA,)).fetchall():
        name = f"{SCHEMA}.{table}"
        if _one(connection, _IS_DISTRIBUTED, name):
            continue
        if not has_owner:
            connection.execute("SELECT create_reference_table($1::text)", (name,))
        elif table == "revision":
            connection.execute("SELECT create_distributed_table($1::text, 'owner', colocate_with => 'none')", (name,))
        else:
            with_ = f"{SCHEMA}.revision"
            connection.execute(
                "SELECT create_distributed_table($1::text, 'owner', colocate_with => $2::text)", (name, with_)
            )


def _one(connection: psycopg.Connection[Row], query: str, value: str) -> bool:
    return bool(cast("Row", connection.execute(cast("Any", query), (value,)).fetchone())[0])


def _applied(connection: psycopg.Connection[Row]) -> dict[int, str]:
    """The checksum of each migration that was applied, by number."""
    return dict(cast("list[tuple[int, str]]", connection.execute(cast("Any", _APPLIED)).fetchall()))
