"""Rows that cannot be read: a text that is none, no JSON, no such kind or time. Found by reading all, and set aside."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import partial
from typing import cast

import apsw

from zgadka.model.task import Task
from zgadka.model.timestamps import micros
from zgadka.stores.row_mapping import DAMAGED, DAMAGED_NAME, Row, Value, from_row
from zgadka.stores.sql import QUESTION_COLUMNS
from zgadka.stores.sqlite.schema import run
from zgadka.stores.tx.export_tables import CARRIED, line_of
from zgadka.stores.tx.questions import question_of
from zgadka.stores.tx.tokens import token_of

_TABLES = """
SELECT name FROM sqlite_schema
WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'memory_index_%'
    AND name NOT IN ('damaged', 'migration') ORDER BY name
"""
_EXPRESSION_INDEXES = """
SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql LIKE '%json_extract%'
"""
_TOKEN = ("id", "digest", "role", "label", "scope", "created_at", "expires_at")
WITH_JSON_INDEXES = frozenset({"event", "task"})
"""The tables with indexes of what is in a JSON."""

_NUMBERED = {"memory": "id", "message": "id", "event": "memory", "task": "id", "question": "owner"}
"""The column by which people call a row; elsewhere the numbers of its key."""


@dataclass(frozen=True)
class DamagedRow:
    """A row that cannot be read.

    Attributes:
        table: Where it is.
        key: The columns of its primary key, a text as its bytes.
        columns: Every column, a text as its bytes.
    """

    table: str
    key: Mapping[str, Value]
    columns: Mapping[str, Value]

    @property
    def name(self) -> str:
        """The table and the numbers of its key, never a text: `memory 12`."""
        column = _NUMBERED.get(self.table)
        numbers = [self.columns[column]] if column else [key for key in self.key.values() if isinstance(key, int)]
        return " ".join((self.table, *(str(number) for number in numbers)))


def damaged_rows(connection: apsw.Connection, owner: int | None = None) -> Iterator[DamagedRow]:
    """Read every row, or those of one owner, and say which cannot be read.

    Raises:
        apsw.CorruptError: A table cannot be read to its end.
    """
    for (table,) in run(connection, _TABLES):
        described = {
            name: (kind, place)
            for name, kind, place in run(connection, "SELECT name, type, pk FROM pragma_table_info(?)", (table,))
            if (table, name) != ("memory", "words")  # made anew from the rest
        }
        if owner is not None and "owner" not in described:
            continue
        first, read = _reading(table)
        if not described.keys() >= set(first):  # of an older schema, the texts alone
            first, read = (), _no_value
        columns = dict.fromkeys((*first, *described))
        rows_of = f'FROM "{table}"' + ("" if owner is None else f" WHERE owner = {owner:d}")
        if _is_sound(connection, f"SELECT {', '.join(columns)} {rows_of}", read, len(first)):
            continue
        stored = ", ".join(f"CAST({name} AS BLOB)" if described[name][0] == "TEXT" else name for name in columns)
        for row in run(connection, f"SELECT {stored} {rows_of}"):
            values = dict(zip(columns, row, strict=True))
            try:
                read(tuple(_decoded(values[name], described[name][0]) for name in columns)[: len(first)])
            except DAMAGED:
                yield DamagedRow(table, {name: values[name] for name in described if described[name][1]}, values)


def _decoded(value: Value, kind: str) -> Value:
    return value.decode() if kind == "TEXT" and isinstance(value, bytes) else value


def set_aside(connection: apsw.Connection, rows: Sequence[DamagedRow], now: datetime) -> None:
    """Move rows out of their tables into `damaged`; an owner, whose rows stay, gets a name that tells nothing."""
    for table in sorted({row.table for row in rows}):
        indexes = run(connection, _EXPRESSION_INDEXES, (table,))
        for name, _ in indexes:  # an entry of what is no JSON can be neither made nor removed
            run(connection, f'DROP INDEX "{name}"')
        for row in rows:
            if row.table == table:
                _set_aside(connection, row, now)
        for _, statement in indexes:
            run(connection, statement)


def _set_aside(connection: apsw.Connection, row: DamagedRow, now: datetime) -> None:
    stored = {name: {"hex": value.hex()} if isinstance(value, bytes) else value for name, value in row.columns.items()}
    run(
        connection,
        "INSERT INTO damaged (place, row, at) VALUES (?, ?, ?)",
        (row.table, json.dumps(stored), micros(now)),
    )
    if row.table == "owner":
        kinds: dict[Value, str] = {b"space": "space", b"direct": "direct"}
        run(
            connection,
            "UPDATE owner SET kind = ?, platform = ?, name = ? WHERE id = ?",
            (kinds.get(row.columns["kind"], "person"), DAMAGED_NAME, str(row.key["id"]), row.key["id"]),
        )
        return
    if row.table == "member":  # their privacy level stays: what they wrote is told by it
        nameless = "UPDATE member SET name = NULL, nickname = NULL, role = NULL, kind = 'person'"
        run(connection, f"{nameless} WHERE owner = ? AND person = ?", (row.key["owner"], row.key["person"]))
        return
    where = " AND ".join(
        f"{name} = {'CAST(? AS TEXT)' if isinstance(key, bytes) else '?'}" for name, key in row.key.items()
    )
    run(connection, f'DELETE FROM "{row.table}" WHERE {where}', tuple(row.key.values()))  # noqa: S608


def _is_sound(connection: apsw.Connection, query: str, read: Callable[[Row], object], width: int) -> bool:
    """Whether every row can be read; fast, for most are.

    Args:
        width: How many columns `read` takes; of the others, the texts are read.
    """
    execute = cast("Callable[[str], Iterable[Row]]", connection.cursor().execute)  # pyright: ignore[reportUnknownMemberType]
    try:
        for row in execute(query):
            read(row[:width])
    except DAMAGED:
        return False
    return True


def _reading(table: str) -> tuple[Sequence[str], Callable[[Row], object]]:
    """The first columns of a table's rows, and what reads them as the product does, and raises where it cannot."""
    if table == "question":
        return QUESTION_COLUMNS, question_of
    if table == "token":
        return _TOKEN, token_of
    kind = Task if table == "task" else next((kind for kind in CARRIED if _table_of(kind) == table), None)
    if kind is not None:
        return [field.name for field in fields(kind)], partial(from_row if kind is Task else line_of, kind)
    return (), _no_value


def _table_of(kind: type) -> str:
    return CARRIED[kind].read.removeprefix("export_")


def _no_value(row: Row) -> None:
    """Of what has no value here, the texts alone are read."""
