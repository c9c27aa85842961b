"""Migrations on SQLite."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from importlib.resources import files
from typing import Any, cast

import apsw

from zgadka.errors import SchemaMismatch
from zgadka.stores.move import refuse_unfinished
from zgadka.stores.rows import Row
from zgadka.stores.sqlite_errors import translated

REBUILD_INDEX = """
INSERT INTO memory_index (memory_index) VALUES ('delete-all');
INSERT INTO memory_index (rowid, words)
SELECT id, 'o' || owner || 'x' || replace(words, ' ', ' o' || owner || 'x') FROM memory WHERE archived = 0 ORDER BY id;
"""
"""The full-text index, made anew of the rows."""

_MOVE_IS_UNFINISHED = "SELECT 1 FROM sqlite_schema WHERE name = 'move'"


def migrations() -> list[tuple[int, str, str]]:
    """The numbered migrations, in order: number, name and SQL."""
    folder = files("zgadka.stores").joinpath("migrations", "sqlite")
    found = sorted((file.name, file.read_text("utf-8")) for file in folder.iterdir() if file.name.endswith(".sql"))
    return [(int(name[:4]), name.removesuffix(".sql"), text) for name, text in found]


def checksums() -> dict[int, str]:
    """The checksum of each migration, by number."""
    return {number: _checksum(text) for number, _, text in migrations()}


def migrate(connection: apsw.Connection, *, moving: bool = False) -> None:
    """Bring the schema up to date; of two processes one does it and the other waits.

    Args:
        moving: Whether this is for a move into the database, which may have begun before.

    Raises:
        SchemaMismatch: There are newer migrations than this program knows, or other ones; or a move is unfinished.
    """
    try:
        _run(connection, "BEGIN IMMEDIATE")
        try:
            _apply(connection)
            if not moving and _run(connection, _MOVE_IS_UNFINISHED):
                refuse_unfinished(connection.filename)
        except BaseException:
            _run(connection, "ROLLBACK")
            raise
        _run(connection, "COMMIT")
    except apsw.Error as error:
        raise translated(error, connection.filename) from error


def _apply(connection: apsw.Connection) -> None:
    _run(
        connection,
        "CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)",
    )
    applied = dict(_run(connection, "SELECT number, checksum FROM migration"))
    known = migrations()
    if applied and max(applied) > known[-1][0]:
        raise SchemaMismatch(
            f"the database is at schema {max(applied)}, this zgadka knows up to {known[-1][0]}: "
            "upgrade zgadka (pip install -U zgadka)"
        )
    for number, name, text in known:
        checksum = _checksum(text)
        if number not in applied:
            _run(connection, text)
            _run(connection, "INSERT INTO migration VALUES (?, ?, ?)", (number, name, checksum))
            _run(connection, f"PRAGMA user_version={number}")
        elif applied[number] != checksum:
            raise SchemaMismatch(f"the database was made by another version of migration {name}")


def _run(connection: apsw.Connection, statements: str, parameters: tuple[Any, ...] = ()) -> list[Row]:
    """Run all the statements; apsw alone would stop at the first row, and leave out what follows it."""
    execute = cast("Callable[..., Iterable[Row]]", connection.execute)  # pyright: ignore[reportUnknownMemberType]
    return list(execute(statements, parameters))


def _checksum(migration: str) -> str:
    return hashlib.sha256(migration.encode()).hexdigest()
