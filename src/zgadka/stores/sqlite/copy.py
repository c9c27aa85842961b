"""A SQLite file as one end of a move."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from zgadka.errors import InvalidInput
from zgadka.stores.row_mapping import Row
from zgadka.stores.sqlite.errors import translating
from zgadka.stores.sqlite.files import create_private
from zgadka.stores.sqlite.schema import REBUILD_INDEX, UNSWEPT, migrate, refuse_older, run, writing
from zgadka.transfer.copy_store import End, refuse_unfinished

_BUSY_MS = 5_000
_CACHE = "PRAGMA cache_size=-262144"  # in KiB: indexes of large tables are filled in no order
_FILL = """
PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA trusted_schema=OFF; PRAGMA journal_mode=WAL;
PRAGMA synchronous=NORMAL;
"""


class SqliteEnd(End):
    """A SQLite file, to move from or to.

    Args:
        fill: Whether it is to be filled: then it is made where it is missing. Else nothing is written to it.

    Raises:
        InvalidInput: There is no such file.
        SchemaMismatch: It is not of this version's schema, or itself not filled yet.
        StoreError: It cannot be opened.
    """

    _BEGIN = "BEGIN"
    _COLUMNS = "SELECT name FROM pragma_table_info($1)"

    def __init__(self, path: Path, *, fill: bool) -> None:
        path = Path(os.path.realpath(path))
        self.name = str(path)
        if fill:
            create_private(path)
        elif not path.is_file():
            raise InvalidInput(f"there is no database {self.name!r}")
        flags = apsw.SQLITE_OPEN_READWRITE if fill else apsw.SQLITE_OPEN_READONLY
        with translating(self.name):
            self._connection = apsw.Connection(self.name, flags=flags)
        try:
            self._connection.set_busy_timeout(_BUSY_MS)
            self._run(_CACHE)
            if fill:
                self._run(_FILL)
                migrate(self._connection, moving=True)
            else:
                self._check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file; what was not committed is undone."""
        self._connection.close()

    def complete(self) -> None:
        """Make the full-text index."""
        with self._writing():
            self._run(REBUILD_INDEX)
        self._run("PRAGMA synchronous=FULL")

    def open_up(self) -> None:
        """Forget the state, and when the file that was moved was swept."""
        with self._writing():
            self._run(UNSWEPT)
            self._run("DROP TABLE move")

    def _check(self) -> None:
        """Refuse what is not as this version would have it; nothing is to be changed here."""
        refuse_older(self._connection, self.name)
        if self.state() is not None:
            refuse_unfinished(self.name)

    @contextmanager
    def _writing(self) -> Generator[None]:
        with translating(self.name), writing(self._connection):
            yield

    def _insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        places = ", ".join("?" * len(columns))
        insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})"  # noqa: S608
        self._connection.executemany(insert, rows)  # pyright: ignore[reportUnknownMemberType]

    def _run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        with translating(self.name):
            return run(self._connection, text, values)
