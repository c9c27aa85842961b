"""Migrations on PostgreSQL, and how tables lie: on one server, divided by owner, or over several servers with Citus."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, Literal, cast

import psycopg

from zgadka.errors import SchemaMismatch, StoreUnavailable
from zgadka.stores.postgres.routes import DIVIDED_BY, ON_EVERY_SERVER
from zgadka.stores.postgres.session import SCHEMA
from zgadka.stores.row_mapping import Row
from zgadka.stores.sql import Migration, migrations, missing_migrations
from zgadka.transfer.copy_store import refuse_unfinished

Layout = Literal["plain", "partitioned", "citus"]
"""`partitioned` divides the tables by owner on one server, as Citus does it over several; for tests."""

_PARTITIONS = 2

BESIDE = "zgadka_beside"
"""The schema of what is made beside the tables for a while, as by `scrub`."""

ONE_AT_A_TIME = "hashtextextended('zgadka migrations', 0)"
"""The lock of who changes the schema, or writes tables anew."""

_IS_THERE = "SELECT to_regclass($1::text) IS NOT NULL"
_APPLIED = "SELECT number, checksum FROM zgadka.migration ORDER BY number"
_RECORD = "INSERT INTO zgadka.migration (number, name, checksum) VALUES ($1, $2, $3)"
_MAKE_RECORDS = """
CREATE SCHEMA IF NOT EXISTS zgadka;
CREATE TABLE IF NOT EXISTS zgadka.migration (number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL);
"""

_MAY_CLEAR = "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = $1::text"

_TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(?:zgadka\.)?(\w+)")
_PARTITION = re.compile(r"_\d+$")
_COMMENT = re.compile(r"--.*")

# Citus puts a trigger of its own on each table that it distributes, and `Beside` on one of which it makes a copy.
_OBJECTS = """
SELECT kind, name, relname FROM (
    SELECT 'trigger' AS kind, t.tgname::text AS name, t.tgrelid AS oid FROM pg_trigger t
        WHERE NOT t.tgisinternal AND t.tgname NOT LIKE 'truncate_trigger_%' AND NOT EXISTS (
            SELECT 1 FROM pg_proc p WHERE p.oid = t.tgfoid AND p.pronamespace = to_regnamespace('zgadka_beside'))
    UNION ALL SELECT 'rule', r.rulename::text, r.ev_class FROM pg_rewrite r WHERE r.rulename <> '_RETURN'
    UNION ALL SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'view' ELSE 'table' END, c.relname::text, c.oid
        FROM pg_class c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')) found
JOIN pg_class USING (oid) WHERE relnamespace = to_regnamespace($1::text) ORDER BY kind, name
"""

_LAYOUT = """
SELECT CASE WHEN relkind = 'p' THEN 'partitioned' ELSE 'plain' END FROM pg_class WHERE oid = to_regclass($1::text)
"""
# Rows and the list of their owners are on different servers; `stores/postgres/keys.py` does what these do on one.
_KEYS = """
SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', k.conrelid::regclass, k.conname)
FROM pg_constraint k JOIN pg_index i ON i.indrelid = k.conrelid AND i.indisprimary
JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attname = 'owner'
WHERE k.contype = 'f' AND k.confrelid = to_regclass($1::text) AND k.conparentid = 0
"""
_HAS_KEYS = """
SELECT count(*) > 0 FROM pg_constraint
WHERE contype = 'f' AND conrelid = to_regclass($1::text) AND confrelid = to_regclass($2::text)
"""
_GATHER = "SELECT undistribute_table($1::text, cascade_via_foreign_keys => true)"
_DISTRIBUTE = "SELECT create_distributed_table($1::text, $2::text, colocate_with => $3::text)"

# Divided, or on every server. A foreign key to a table of the latter makes Citus list a table that stays where it is.
_IS_DISTRIBUTED = """
SELECT count(*) > 0 FROM pg_dist_partition
WHERE logicalrelid = to_regclass($1::text) AND (partmethod = 'h' OR repmodel = 't')
"""

_NEW_TABLES = """
SELECT c.relname, EXISTS (
    SELECT 1 FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
    WHERE i.indrelid = c.oid AND i.indisprimary AND a.attname = 'owner') AS has_owner
FROM pg_class c
WHERE c.relnamespace = to_regnamespace($1::text) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
ORDER BY c.relname = 'revision' DESC, c.relname
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
    return is_there(connection, "migration") and not _missing(connection, moving=moving)


def migrate(connection: psycopg.Connection[Row], layout: Layout | None = None, *, moving: bool = False) -> int:
    """Bring the schema up to date, all in one transaction; of several processes one does it and the others wait.

    Args:
        layout: How tables are to lie. None: as those that are there, else on one server. `citus` also distributes
            those that are there and on one server, with their rows.
        moving: As for `is_up_to_date`.

    Returns:
        How many migrations were applied.

    Raises:
        SchemaMismatch: The schema is newer than this program, or its tables lie in another way.
        StoreUnavailable: `citus` where there is no Citus.
    """
    with connection.transaction():
        _run(connection, f"SELECT pg_advisory_xact_lock({ONE_AT_A_TIME})")
        _run(connection, _MAKE_RECORDS)
        if layout == "citus" and not has_citus(connection):
            raise StoreUnavailable("this PostgreSQL has no Citus: CREATE EXTENSION citus, or leave out --citus")
        present = layout_of(connection)
        is_undivided = (present, layout) == ("plain", "citus")  # as a dump of a cluster is restored
        if layout is not None and present not in (None, layout) and not is_undivided:
            raise SchemaMismatch(f"the tables are there and {present}, not {layout}: migrate into a new database")
        missing = _missing(connection, moving=moving)
        new_layout = layout or present or "plain"
        if not missing and new_layout != "citus":
            return 0
        _clear_beside(connection)
        names = {
            "{by_owner}": "PARTITION BY HASH (owner)" if new_layout == "partitioned" else "",
            "{vector}": "public.halfvec" if _has_halfvec(connection) else "bytea",
        }
        _run(connection, f"SET LOCAL search_path = {SCHEMA}, public")
        for number, name, text, checksum in missing:
            statements = text
            for placeholder, sql_type in names.items():
                statements = statements.replace(placeholder, sql_type)
            # One by one: what it is given at once, Citus sends to its workers as one, and they refuse it.
            for statement in filter(str.strip, _COMMENT.sub("", statements).split(";")):
                _run(connection, statement)
            _run(connection, _RECORD, number, name, checksum)
        _divide(connection)
        if new_layout != "plain":
            _let_go_of_keys(connection)
        if new_layout == "citus":
            _distribute(connection)
        return len(missing)


def _clear_beside(connection: psycopg.Connection[Row]) -> None:
    """Drop what a process left that was killed while it copied a table: a copy cannot follow one of other columns.

    Whoever holds the lock is alone; what another user made is left.
    """
    if _run(connection, _MAY_CLEAR, BESIDE) == [(True,)]:
        _run(connection, f"DROP SCHEMA {BESIDE} CASCADE")


def _missing(connection: psycopg.Connection[Row], *, moving: bool) -> list[Migration]:
    """The migrations that are to be applied; see `is_up_to_date`."""
    if not moving and is_there(connection, "move"):
        refuse_unfinished(connection.info.dbname)
    return missing_migrations("postgres", dict(_run(connection, _APPLIED)))


def is_there(connection: psycopg.Connection[Row], table: str) -> bool:
    """Whether there is such a table of ours."""
    return _run(connection, _IS_THERE, f"{SCHEMA}.{table}")[0][0]


def layout_of(connection: psycopg.Connection[Row]) -> Layout | None:
    """How the tables lie; None: there are none yet."""
    if has_citus(connection) and _is_distributed(connection, "memory"):
        return "citus"
    rows = _run(connection, _LAYOUT, f"{SCHEMA}.memory")
    return rows[0][0] if rows else None


def has_keys(connection: psycopg.Connection[Row]) -> bool:
    """Whether the server refuses what names an owner who is gone; a dump of a cluster has no such keys either."""
    return _run(connection, _HAS_KEYS, f"{SCHEMA}.member", f"{SCHEMA}.owner")[0][0]


def has_citus(connection: psycopg.Connection[Row]) -> bool:
    """Whether Citus is set up in this database."""
    return bool(_run(connection, "SELECT 1 FROM pg_extension WHERE extname = 'citus'"))


def _has_halfvec(connection: psycopg.Connection[Row]) -> bool:
    """Whether there is pgvector 0.7 or newer, set up now where this user may do so."""
    with suppress(psycopg.Error), connection.transaction():  # not installed, or not allowed
        _run(connection, "CREATE EXTENSION IF NOT EXISTS vector WITH SCHEMA public")
    return _run(connection, "SELECT to_regtype('public.halfvec') IS NOT NULL")[0][0]


def foreign_objects(connection: psycopg.Connection[Row]) -> list[str]:
    """What stands in our schema or on our tables and was made by no migration: "trigger copy on memory".

    Further indexes are the administrator's; a trigger, rule or copy of a table could keep what is forgotten here.
    """
    ours = {"migration", "move"} | {
        table for migration in migrations("postgres") for table in _TABLE.findall(migration.text)
    }
    objects = _run(connection, _OBJECTS, SCHEMA)
    return [
        f"{kind} {name}" + (f" on {table}" if table != name else "")
        for kind, name, table in objects
        if not (kind == "table" and (name in ours or _PARTITION.sub("", name) in ours))
    ]


def _divide(connection: psycopg.Connection[Row]) -> None:
    for (table,) in _run(connection, _UNDIVIDED, SCHEMA):
        for part in range(_PARTITIONS):
            values = f"WITH (MODULUS {_PARTITIONS}, REMAINDER {part})"
            _run(connection, f"CREATE TABLE {table}_{part} PARTITION OF {table} FOR VALUES {values}")


def _distribute(connection: psycopg.Connection[Row]) -> None:
    """Have Citus put the rows of an owner on one server, all tables alike."""
    for table, has_owner in _run(connection, _NEW_TABLES, SCHEMA):
        stays = not has_owner and table not in DIVIDED_BY and table not in ON_EVERY_SERVER
        if _is_distributed(connection, table):
            if stays:  # an earlier version had it on every server
                _run(connection, _GATHER, f"{SCHEMA}.{table}")
            continue
        if has_owner:
            beside = "none" if table == "revision" else f"{SCHEMA}.revision"
            _run(connection, _DISTRIBUTE, f"{SCHEMA}.{table}", "owner", beside)
        elif table in DIVIDED_BY:
            _run(connection, _DISTRIBUTE, f"{SCHEMA}.{table}", DIVIDED_BY[table], "none")
        elif not stays:
            _run(connection, "SELECT create_reference_table($1::text)", f"{SCHEMA}.{table}")


def _let_go_of_keys(connection: psycopg.Connection[Row]) -> None:
    for (statement,) in _run(connection, _KEYS, f"{SCHEMA}.owner"):
        _run(connection, statement)


def _is_distributed(connection: psycopg.Connection[Row], table: str) -> bool:
    return _run(connection, _IS_DISTRIBUTED, f"{SCHEMA}.{table}")[0][0]


def _run(connection: psycopg.Connection[Row], statements: str, *values: str | int) -> list[Row]:
    """Run statements, of which only a single one can have values, and return the rows."""
    cursor = connection.execute(cast("Any", statements), values or None)
    return cursor.fetchall() if cursor.description is not None else []
