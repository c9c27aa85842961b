"""Move everything from one database to another, row by row, and compare them: `zgadka migrate --from … --to …`.

An import builds memories anew and puts them among others. A move fills an empty database with the very rows, also those
that no export holds: vectors, queued work, the running hour's calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NoReturn, Protocol, cast

from zgadka.errors import InvalidInput, SchemaMismatch, StoreBusy, StoreUnavailable
from zgadka.model.backup import Moved, MovedTable
from zgadka.stores.row_mapping import Row, Value

TABLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "sequence": ("name",),
        "owner": ("id",),
        "embedder": ("id",),
        "chore": ("name",),
        "revision": ("owner", "what"),
        "member": ("owner", "person"),
        "memory": ("owner", "id"),
        "tally": ("owner", "lineage", "kind"),
        "subject": ("owner", "person", "kind", "id", "role"),
        "source": ("owner", "memory", "space", "message"),
        "given": ("owner", "message", "memory"),
        "audience": ("owner", "id"),
        "event": ("owner", "memory", "number"),
        "pending": ("owner", "space", "chat", "memory"),
        "consent": ("owner", "id"),
        "question": ("owner", "id"),
        "message": ("owner", "id"),
        "observation": ("owner", "id"),
        "rate": ("owner", "span"),
        "privacy": ("owner",),
        "token": ("id",),
        "answer": ("token", "key"),
        "secret": ("name",),
        "activity": ("at", "what", "name", "outcome", "bound"),
        "vector": ("owner", "what", "id"),
        "unembedded": ("owner", "what", "id"),
        "task": ("owner", "id"),
        "rollout": ("id",),
        "chat": ("owner", "chat"),
        "stretch": ("owner", "chat", "thread", "lineage"),
        "outcome": ("owner", "task"),
        "unquoted": ("owner", "id"),
    }
)
"""The tables that are moved, with their primary keys; each after those that its foreign keys name."""

NOT_MOVED = frozenset(
    {
        "migration",  # belongs to the database
        "move",  # is there while a move goes on
        "memory_index",  # SQLite's; made from the memories' words
    }
)
"""The tables that stay."""

_PAGE = 2_000
_MASK = 2**128 - 1

Progress = Callable[[int, int], object]
"""Is told how many rows are done, and of how many; each is copied, then compared."""


@dataclass(frozen=True, kw_only=True)
class State:
    """How far a move has come; kept in the database that it fills, in the transactions that fill it.

    Attributes:
        source: The name of the database that is moved.
        mark: What was in it when the move began; see `_mark`.
        table: The table that is next, or in the middle; empty at the end.
        after: The key of its last row that is there; empty before the first.
        rows: How many rows are there, of all tables.
    """

    source: str
    mark: str
    table: str
    after: tuple[Value, ...] = ()
    rows: int = 0

    @classmethod
    def from_json(cls, text: str) -> State:
        """The state that `as_json` wrote."""
        state = cast("dict[str, Any]", json.loads(text))
        state["after"] = tuple(state["after"])
        return cls(**state)

    def as_json(self) -> str:
        """The state as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


class End(Protocol):
    """One of the two databases of a move.

    Rows are tuples of the same values on every back end. What numbers were given is told by rows of `sequence`.

    Attributes:
        name: For messages, without password.
    """

    name: str

    def snapshot(self) -> AbstractContextManager[None]:
        """Read one consistent state for as long as the context lasts."""
        ...

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of the table's columns, sorted."""
        ...

    def count(self, table: str) -> int:
        """How many rows the table has."""
        ...

    def rows(self, table: str, columns: Sequence[str], after: Sequence[Value], limit: int) -> list[Row]:
        """The next rows in order of the key; empty `after`: the first."""
        ...

    def state(self) -> State | None:
        """How far a move into this database has come; None: there is none."""
        ...

    def add(
        self, table: str, columns: Sequence[str], rows: Sequence[Row], state: State | None, new_state: State
    ) -> None:
        """Add rows and note the new state, in one transaction.

        Raises:
            StoreBusy: The state is not `before`: somebody else moves, too.
        """
        ...

    def complete(self) -> None:
        """Make what follows from the rows."""
        ...

    def open_up(self) -> None:
        """Forget the state: from now on the database is one as any other."""
        ...


def move(source: End, target: End, progress: Progress = lambda done, of: None) -> Moved:
    """Move everything from one database to another that is empty, or that an earlier, unfinished move began to fill.

    When it is killed, it can be run again and goes on where it was. Nobody may write to the source meanwhile, which
    stays as it is. Nobody can open the target until everything is there and compared.

    Raises:
        InvalidInput: There is something else in the target.
        SchemaMismatch: The two have not the same columns.
        StoreBusy: The source was written to meanwhile, or somebody else moves into the same target.
        StoreUnavailable: What is in the target is not what is in the source.
    """
    if source.name == target.name:
        raise InvalidInput(f"{source.name!r} cannot be moved to itself: name another database after --to")
    columns = {table: _columns(source, target, table) for table in TABLES}
    with source.snapshot():
        counts = {table: source.count(table) for table in TABLES}
        mark = _mark(source, columns, counts)
        state = _resume_state(source, target, mark, columns)
        done = RowCounter(progress, 2 * sum(counts.values()), state.rows)
        _copy(source, target, state, columns, done)
    target.complete()
    moved = _compare(source, target, columns, mark, done)
    target.open_up()
    return Moved(source=source.name, target=target.name, tables=moved)


def refuse_unfinished(name: str) -> NoReturn:
    """Refuse to open a database that is not filled yet."""
    raise SchemaMismatch(
        f"{name!r} is being filled by `zgadka migrate --from … --to …`, which did not end: run the same command again"
    )


@dataclass
class RowCounter:
    """How much of the work is done."""

    tell: Progress
    of: int
    rows: int = 0

    def add(self, rows: int) -> None:
        """Some more rows are done."""
        self.rows += rows
        self.tell(min(self.rows, self.of), self.of)


def _resume_state(source: End, target: End, mark: str, columns: Mapping[str, Sequence[str]]) -> State:
    """The state from which to go on: an earlier move's, or the beginning."""
    state = target.state()
    if state is None:
        if filled := next((table for table in TABLES if target.count(table)), None):
            raise InvalidInput(
                f"{target.name!r} is not empty (there are rows in {filled!r}): move into a new database; to add to one "
                "that is in use, `zgadka export` and `zgadka import`"
            )
        state = State(source=source.name, mark=mark, table=next(iter(TABLES)))
        target.add(state.table, columns[state.table], (), None, state)
    if state.source != source.name:
        raise InvalidInput(
            f"{target.name!r} is being filled from {state.source!r}: go on with that one, or move into a new database"
        )
    if state.mark != mark:
        raise _source_changed(source, target)
    return state


def _copy(source: End, target: End, state: State, columns: Mapping[str, Sequence[str]], done: RowCounter) -> None:
    tables = [*TABLES, ""]
    for table, following in pairwise(tables[tables.index(state.table) :]):
        while rows := source.rows(table, columns[table], state.after, _PAGE):
            last_key = _key(table, columns[table], rows[-1])
            new_state: State = replace(state, table=table, after=last_key, rows=state.rows + len(rows))
            target.add(table, columns[table], rows, state, new_state)
            state = new_state
            done.add(len(rows))
        new_state = replace(state, table=following, after=())
        target.add(table, columns[table], (), state, new_state)
        state = new_state


def _compare(
    source: End, target: End, columns: Mapping[str, Sequence[str]], mark: str, done: RowCounter
) -> dict[str, MovedTable]:
    """Read both anew, and compare the number of rows and the checksum of every table."""
    compared: dict[str, MovedTable] = {}
    with source.snapshot(), target.snapshot():
        counts = {table: source.count(table) for table in TABLES}
        if _mark(source, columns, counts) != mark:
            raise _source_changed(source, target)
        for table in TABLES:
            original = _checksum(source, table, columns[table], lambda _: None)
            copy = _checksum(target, table, columns[table], done.add)
            if copy != original:
                raise StoreUnavailable(
                    f"{table!r} has {original.rows} rows (checksum {original.checksum}) in {source.name!r} and "
                    f"{copy.rows} ({copy.checksum}) in {target.name!r}: one of them was written to meanwhile. "
                    "Remove the target, and move again while nobody uses either"
                )
            compared[table] = copy
    return compared


def _mark(source: End, columns: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> str:
    """Tell one state of a database from most others, in little time: all changes of memories and messages count."""
    sums = [_checksum(source, table, columns[table], lambda _: None).checksum for table in ("sequence", "revision")]
    return blake2b(repr((sorted(counts.items()), sums)).encode(), digest_size=16).hexdigest()


def _checksum(end: End, table: str, columns: Sequence[str], add_done: Callable[[int], None]) -> MovedTable:
    """Count and add up all rows' hashes; the sum does not depend on their order, which the back ends may not share."""
    count = total = 0
    last_key: tuple[Value, ...] = ()
    while rows := end.rows(table, columns, last_key, _PAGE):
        total += sum(int.from_bytes(blake2b(repr(row).encode(), digest_size=16).digest(), "big") for row in rows)
        count += len(rows)
        last_key = _key(table, columns, rows[-1])
        add_done(len(rows))
    return MovedTable(rows=count, checksum=f"{total & _MASK:032x}")


def _key(table: str, columns: Sequence[str], row: Row) -> tuple[Value, ...]:
    return tuple(row[columns.index(column)] for column in TABLES[table])


def _columns(source: End, target: End, table: str) -> tuple[str, ...]:
    source_columns, target_columns = source.columns(table), target.columns(table)
    if source_columns != target_columns:
        differing = ", ".join(sorted({*source_columns} ^ {*target_columns}))
        raise SchemaMismatch(f"{source.name!r} and {target.name!r} differ in the columns of {table!r}: {differing}")
    return source_columns


def _source_changed(source: End, target: End) -> StoreBusy:
    return StoreBusy(
        f"{source.name!r} was written to since the move to {target.name!r} began: stop what uses it, remove the "
        "target, and move again"
    )
