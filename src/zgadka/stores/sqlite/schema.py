"""Migrations on SQLite."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from typing import Any, cast

import apsw

from zgadka.errors import InvalidInput, SchemaMismatch
from zgadka.stores.row_mapping import Row
from zgadka.stores.sql import missing_migrations, refuse_foreign
from zgadka.stores.sqlite.errors import translating
from zgadka.transfer.copy_store import refuse_unfinished

REBUILD_INDEX = """
INSERT INTO memory_index (memory_index) VALUES ('delete-all');
INSERT INTO memory_index (rowid, words)
SELECT id, 'o' || owner || 'x' || replace(words, ' ', ' o' || owner || 'x') FROM memory WHERE archived = 0 ORDER BY id;
"""
"""The full-text index, made anew of the rows."""

SCRUB = """
INSERT INTO memory_index (rowid, words) VALUES (0, 'rewrite');
INSERT INTO memory_index (memory_index) VALUES ('optimize');
VACUUM;
"""
"""Writes the full-text index anew, which keeps parts of removed words, then the file, whose free space keeps copies of
rows. FTS5 makes one segment only where there are two."""

UNSWEPT = "UPDATE sequence SET value = 0 WHERE name = 'sweep'"
"""Says that the pages of a file may keep what was removed: it was not written by checkpoints of ours."""

_MOVE_IS_UNFINISHED = "SELECT 1 FROM sqlite_schema WHERE name = 'move'"


FINGERPRINT = "00cc44050fb4c2c97a7e26afe261688bf9faf526d37e5edff0963d239aa1ff2c"
"""Of the schema that all migrations make; a test says what it is."""

_COMMENT = re.compile(r" *--.*")
_OBJECTS = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_*' ORDER BY type, name"


def migrate(connection: apsw.Connection, *, moving: bool = False) -> None:
    """Bring the schema up to date; of two processes one does it and the other waits.

    Args:
        moving: Whether this is for a move into the database, which may have begun before.

    Raises:
        SchemaMismatch: There are newer migrations than this program knows, or other ones; or a move is unfinished; or
            somebody else made a table, an index, a trigger or a view, or removed one.
    """
    with translating(connection.filename), writing(connection):
        _apply(connection)
        if not moving:
            if run(connection, _MOVE_IS_UNFINISHED):
                refuse_unfinished(connection.filename)
            refuse_foreign(foreign_objects(connection), connection.filename)


def refuse_older(connection: apsw.Connection, name: str) -> None:
    """Refuse a file that is not as this version would have it; nothing is changed.

    Raises:
        InvalidInput: It is another program's.
        SchemaMismatch: Its schema is older, or newer.
    """
    if not run(connection, "SELECT 1 FROM sqlite_schema WHERE name = 'migration'"):
        raise InvalidInput(f"{name!r} is no database of zgadka")
    applied = dict(run(connection, "SELECT number, checksum FROM migration"))
    if missing_migrations("sqlite", applied, repr(name)):
        raise SchemaMismatch(f"{name!r} has an older schema: bring it up to date with `zgadka migrate --db …`")


def _apply(connection: apsw.Connection, last: int | None = None) -> None:
    """Apply the migrations that are missing, up to the last that is wanted; None: all."""
    run(
        connection,
        "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)",
    )
    applied = dict(run(connection, "SELECT number, checksum FROM migration"))
    for number, name, text, checksum in missing_migrations("sqlite", applied):
        if last is not None and number > last:
            return
        run(connection, text)
        run(connection, "INSERT INTO migration VALUES (?, ?, ?)", (number, name, checksum))
        run(connection, f"PRAGMA user_version={number}")


def fingerprint(connection: apsw.Connection) -> str:
    """What tells one schema from another: all tables, indexes, triggers and views, as they were written."""
    return sha256(repr(_objects(connection)).encode()).hexdigest()


def _objects(connection: apsw.Connection) -> list[Row]:
    """All tables, indexes, triggers and views, without comments: versions may word them otherwise."""
    return [(*row[:-1], _COMMENT.sub("", row[-1])) for row in run(connection, _OBJECTS)]


def foreign_objects(connection: apsw.Connection) -> list[str]:
    """What the migrations that were applied did not make, or made otherwise: "trigger copy", "no table note".

    A trigger or a view of somebody else's could keep what is forgotten here.
    """
    if fingerprint(connection) == FINGERPRINT:
        return []
    number = run(connection, "SELECT max(number) FROM migration")[0][0] or 0
    with closing(apsw.Connection(":memory:")) as made:
        _apply(made, number)
        expected, present = ({row[:2]: row for row in _objects(schema)} for schema in (made, connection))
    return [
        *(f"{kind} {name}" for (kind, name), row in present.items() if expected.get((kind, name)) != row),
        *(f"no {kind} {name}" for kind, name in expected.keys() - present.keys()),
    ]


@contextmanager
def writing(connection: apsw.Connection) -> Generator[None]:
    """Keep what the context changes at its end, or nothing of it."""
    run(connection, "BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if connection.in_transaction:  # a full disk rolls back by itself
            run(connection, "ROLLBACK")
        raise
    run(connection, "COMMIT")


def run(connection: apsw.Connection, statements: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Run all the statements; apsw alone would stop at the first row, and leave out what follows it."""
    execute = cast("Callable[..., Iterable[Row]]", connection.execute)  # pyright: ignore[reportUnknownMemberType]
    return list(execute(statements, tuple(parameters)))
