"""A PostgreSQL database as one end of a move."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg

from zgadka.errors import InvalidInput, SchemaMismatch
from zgadka.stores.postgres.errors import translating
from zgadka.stores.postgres.schema import Layout, is_there, is_up_to_date, migrate
from zgadka.stores.postgres.session import IDS, SCHEMA, Database, Session
from zgadka.stores.row_mapping import Row, Value
from zgadka.transfer.copy_store import TABLES, End

_SETTLE = """
SELECT set_config('idle_in_transaction_session_timeout', '0', false), set_config('statement_timeout', '0', false)
"""
_NUMBER_EMBEDDERS = "SELECT setval('id_embedder', max(id)) FROM embedder HAVING max(id) IS NOT NULL"


class PostgresEnd(End):
    """A PostgreSQL database, to move from or to.

    Args:
        fill: Whether it is to be filled; its tables are made where they are missing. Else nothing is written to it.
        layout: How tables lie that are made.

    Raises:
        InvalidInput: There are no tables of zgadka to move from.
        SchemaMismatch: It is not of this version's schema, or itself not filled yet.
        StoreError: It cannot be opened.
    """

    _BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    _COLUMNS = f"""
    SELECT attname FROM pg_attribute
    WHERE attrelid = to_regclass('{SCHEMA}.' || $1::text) AND attnum > 0 AND NOT attisdropped
    """  # noqa: S608

    def __init__(self, url: str, *, fill: bool, layout: Layout | None = None) -> None:
        database = Database.of(url)
        self.name = database.name
        with translating(self.name):
            with database.connect_once_started() as connection:
                if fill:
                    migrate(connection, layout, moving=True)
                else:
                    self._check(connection)
            self._session = Session(database, durable=False)
            self._session.run(_SETTLE)

    def close(self) -> None:
        """Let go of the connection; what was not committed is undone."""
        self._session.close()

    def count(self, table: str) -> int:
        """How many rows the table has."""
        return len(self._numbers()) if table == "sequence" else super().count(table)

    def rows(self, table: str, columns: Sequence[str], after: Sequence[Value]) -> list[Row]:
        """The next rows in order of the key; empty `after`: the first."""
        if table == "sequence":
            return [] if after else self._numbers()
        return super().rows(table, columns, after)

    def complete(self) -> None:
        """Number on from where numbers are, and let the server plan for what is there."""
        self._run(_NUMBER_EMBEDDERS)
        for table in TABLES:
            self._run(f"ANALYZE {table}")
        self._run("SET synchronous_commit = on")

    def _numbers(self) -> list[Row]:
        """The last number given in each sequence, in order of their names."""
        numbers = dict(cast("list[tuple[str, int]]", self._run("SELECT name, value FROM sequence")))
        for name in IDS:
            number = self._session.rows("sequence_get", {"name": name})[0][0]
            if number:
                numbers[name] = number
        return sorted(numbers.items())

    @contextmanager
    def _writing(self) -> Generator[None]:
        with translating(self.name):
            with self._session.connection.transaction():
                yield
            self._session.confirm()

    def _insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        if table != "sequence":
            if rows:
                self._session.copy_in(table, columns, rows)
            return
        for name, value in rows:
            if name in IDS:
                self._run("SELECT setval($1::text::regclass, $2)", (f"id_{name}", value))
            else:
                self._run("INSERT INTO sequence (name, value) VALUES ($1, $2)", (name, value))

    def _check(self, connection: psycopg.Connection[Row]) -> None:
        """Refuse what is not as this version would have it; nothing is to be changed here."""
        if not is_there(connection, "migration"):
            raise InvalidInput(f"there are no tables of zgadka in {self.name!r}")
        if not is_up_to_date(connection):
            raise SchemaMismatch(f"{self.name!r} has an older schema: bring it up to date with `zgadka migrate --db …`")

    def _run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        with translating(self.name):
            return self._session.run(text, values)
