"""A PostgreSQL database as one end of a move."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import psycopg

from zgadka.errors import InvalidInput, SchemaMismatch, StoreBusy
from zgadka.stores.postgres.errors import translating
from zgadka.stores.postgres.schema import Layout, is_up_to_date, migrate
from zgadka.stores.postgres.session import IDS, SCHEMA, Database, Session
from zgadka.stores.row_mapping import Row, Value
from zgadka.transfer.copy_store import TABLES, State

_WHERE = {"revision": "what <> 'owner'"}
"""What of a table is moved: the rest is there to be locked only, and comes by itself."""

_COLUMNS = """
SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1::text) AND attnum > 0 AND NOT attisdropped
"""
_IS_THERE = "SELECT 1 WHERE to_regclass($1::text) IS NOT NULL"
_SETTLE = """
SELECT set_config('idle_in_transaction_session_timeout', '0', false), set_config('statement_timeout', '0', false)
"""
_NUMBER_EMBEDDERS = "SELECT setval('id_embedder', max(id)) FROM embedder HAVING max(id) IS NOT NULL"


class PostgresEnd:
    """A PostgreSQL database, to move from or to.

    Args:
        fill: Whether it is to be filled; its tables are made where they are missing. Else nothing is written to it.
        layout: How tables lie that are made.

    Raises:
        InvalidInput: There are no tables of zgadka to move from.
        SchemaMismatch: It is not of this version's schema, or itself not filled yet.
        StoreError: It cannot be opened.
    """

    def __init__(self, url: str, *, fill: bool, layout: Layout | None = None) -> None:
        database = Database.of(url)
        self.name = database.name
        with translating(self.name):
            with database.connect() as connection:
                if fill:
                    migrate(connection, layout, moving=True)
                else:
                    self._check(connection)
            self._session = Session(database, durable=False)
            self._session.run(_SETTLE)

    def close(self) -> None:
        """Let go of the connection; what was not committed is undone."""
        self._session.close()

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Read one consistent state for as long as the context lasts."""
        with translating(self.name):
            self._session.begin_reading()
        try:
            yield
        finally:
            self._session.rollback_if_open()

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of the table's columns, sorted."""
        return tuple(sorted(row[0] for row in self._run(_COLUMNS, (f"{SCHEMA}.{table}",))))

    def count(self, table: str) -> int:
        """How many rows the table has."""
        if table == "sequence":
            return len(self._numbers())
        return self._run(f"SELECT count(*) FROM {table} WHERE {_WHERE.get(table, 'true')}")[0][0]  # noqa: S608

    def rows(self, table: str, columns: Sequence[str], after: Sequence[Value], limit: int) -> list[Row]:
        """The next rows in order of the key; empty `after`: the first."""
        if table == "sequence":
            return [] if after else self._numbers()
        key = ", ".join(TABLES[table])
        condition = _WHERE.get(table, "true")
        if after:
            condition += f" AND ({key}) > ({', '.join(f'${number}' for number in range(1, len(after) + 1))})"
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE {condition} ORDER BY {key} LIMIT {limit}"  # noqa: S608
        return self._run(query, after)

    def state(self) -> State | None:
        """How far a move into this database has come; None: there is none."""
        if not self._run(_IS_THERE, (f"{SCHEMA}.move",)):
            return None
        return State.from_json(self._run("SELECT state FROM move")[0][0])

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], state: State | None, new_state: State
    ) -> None:
        """Add rows and note the new state, in one transaction."""
        with translating(self.name), self._session.connection.transaction():
            is_ours = self.state() == state
            if state is None:
                self._run(f"CREATE TABLE {SCHEMA}.move (state TEXT NOT NULL)")
                self._run("INSERT INTO move VALUES ($1)", (new_state.as_json(),))
            elif is_ours:
                change = "UPDATE move SET state = $1 WHERE state = $2 RETURNING 1"
                is_ours = bool(self._run(change, (new_state.as_json(), state.as_json())))
            if not is_ours:
                raise StoreBusy(f"another process moves into {self.name!r}")
            if table == "sequence":
                self._number(rows)
            elif rows:
                self._session.copy_in(table, columns, rows)

    def complete(self) -> None:
        """Number on from where numbers are, and let the server plan for what is there."""
        self._run(_NUMBER_EMBEDDERS)
        for table in TABLES:
            self._run(f"ANALYZE {table}")

    def open_up(self) -> None:
        """Forget the state, once everything is on disk."""
        with translating(self.name), self._session.connection.transaction():
            self._run("SET LOCAL synchronous_commit = on")
            self._run("DROP TABLE move")

    def _numbers(self) -> list[Row]:
        """The last number given in each sequence, in order of their names."""
        numbers = dict(cast("list[tuple[str, int]]", self._run("SELECT name, value FROM sequence")))
        for name in IDS:
            number = self._session.last_id(f"id_{name}", {})[0][0]
            if number:
                numbers[name] = number
        return sorted(numbers.items())

    def _number(self, rows: Sequence[Row]) -> None:
        for name, value in rows:
            if name in IDS:
                self._run("SELECT setval($1::text::regclass, $2)", (f"id_{name}", value))
            else:
                self._run("INSERT INTO sequence (name, value) VALUES ($1, $2)", (name, value))

    def _check(self, connection: psycopg.Connection[Row]) -> None:
        """Refuse what is not as this version would have it; nothing is to be changed here."""
        if connection.execute(cast("Any", _IS_THERE), (f"{SCHEMA}.migration",)).fetchone() is None:
            raise InvalidInput(f"there are no tables of zgadka in {self.name!r}")
        if not is_up_to_date(connection):
            raise SchemaMismatch(f"{self.name!r} has an older schema: bring it up to date with `zgadka migrate --db …`")

    def _run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        with translating(self.name):
            return self._session.run(text, values)
