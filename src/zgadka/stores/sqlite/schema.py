"""Migrations on SQLite."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Any, cast

import apsw

from zgadka.stores.row_mapping import Row
from zgadka.stores.sql import missing_migrations
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

_MOVE_IS_UNFINISHED = "SELECT 1 FROM sqlite_schema WHERE name = 'move'"


def migrate(connection: apsw.Connection, *, moving: bool = False) -> None:
    """Bring the schema up to date; of two processes one does it and the other waits.

    Args:
        moving: Whether this is for a move into the database, which may have begun before.

    Raises:
        SchemaMismatch: There are newer migrations than this program knows, or other ones; or a move is unfinished.
    """
    with translating(connection.filename), writing(connection):
        _apply(connection)
        if not moving and run(connection, _MOVE_IS_UNFINISHED):
            refuse_unfinished(connection.filename)


def _apply(connection: apsw.Connection) -> None:
    run(
        connection,
        "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)",
    )
    applied = dict(run(connection, "SELECT number, checksum FROM migration"))
    for number, name, text, checksum in missing_migrations("sqlite", applied):
        run(connection, text)
        run(connection, "INSERT INTO migration VALUES (?, ?, ?)", (number, name, checksum))
        run(connection, f"PRAGMA user_version={number}")


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
