"""Copies of a database: what was written, and what was put back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Backup:
    """A verified copy of a database.

    Attributes:
        schema: The number of the last migration.
        rows: How many rows each table has.
        damaged: The rows that nobody can read, by table and number, as they are in the database, too.
    """

    file: Path
    size_bytes: int
    schema: int
    rows: Mapping[str, int]
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Restored:
    """A database that was put back.

    Attributes:
        backup: The database as it was copied.
        kept: Where the database is that was there before; None: there was none.
        erased_again: How many people, by their wishes, were erased after the backup was made and are erased in it.
        erased: Platform and platform's id of the other people whom the backup holds and that database did not: perhaps
            they were erased after the backup was made. None: there is no telling.
        revoked: How many tokens of the backup were good no more in that database, and are in it. None: there is no
            telling, so those that were revoked after the backup was made are good again.
    """

    backup: Backup
    kept: Path | None
    erased_again: int = 0
    erased: tuple[tuple[str, str], ...] | None
    revoked: int | None


@dataclass(frozen=True)
class MovedTable:
    """What a table holds.

    Attributes:
        checksum: Of all rows, the same on every back end.
    """

    rows: int
    checksum: str


@dataclass(frozen=True, kw_only=True)
class Moved:
    """A database that was moved, and compared afterwards.

    Attributes:
        source: Its name, without password.
        target: The other's.
        tables: What each table holds, in both.
    """

    source: str
    target: str
    tables: Mapping[str, MovedTable]
