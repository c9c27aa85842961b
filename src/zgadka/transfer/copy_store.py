"""Move everything from one database to another, row by row, and compare them: `zgadka migrate --from … --to …`.

An import builds memories anew and puts them among others. A move fills an empty database with the very rows, also those
that no export holds: vectors, queued work, the running hour's calls.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NoReturn, cast

from zgadka.errors import InvalidInput, SchemaMismatch, StoreBusy, StoreError, StoreUnavailable
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
        "past_person": ("owner", "person", "memory"),
        "forgotten": ("owner", "digest"),
        "question": ("owner", "id"),
        "mute": ("owner", "asker"),
        "message": ("owner", "id"),
        "observation": ("owner", "id"),
        "rate": ("owner", "span"),
        "privacy": ("owner",),
        "token": ("id",),
        "answer": ("token", "key"),
        "secret": ("name",),
        "wish": ("digest",),
        "activity": ("at", "what", "name", "outcome", "bound"),
        "vector": ("owner", "what", "id"),
        "unembedded": ("owner", "what", "id"),
        "task": ("owner", "id"),
        "rollout": ("id",),
        "chat": ("owner", "chat"),
        "stretch": ("owner", "chat", "thread", "lineage"),
        "outcome": ("owner", "task"),
        "unquoted": ("owner", "id"),
        "readership": ("owner", "chat"),
        "title": ("owner", "chat", "thread"),
        "removal": ("owner",),
        "moved": ("platform", "name"),
        "conversation": ("owner", "id"),
        "block": ("owner", "conversation", "id"),
        "block_word": ("owner", "conversation", "word", "block"),
    }
)
"""The tables that are moved, with their primary keys; each after those that its foreign keys name."""

NOT_MOVED = frozenset(
    {
        "migration",  # belongs to the database
        "move",  # is there while a move goes on
        "memory_index",  # SQLite's; made from the memories' words
        "damaged",  # SQLite's; what a repair has set aside stays with the file that it was damaged in
    }
)
"""The tables that stay."""

_MOVED = {"revision": "what <> 'owner'"}
"""What of a table is moved: the rest is there to be locked only, by PostgreSQL, and comes by itself."""

_PAGE = 2_000
_MASK = 2**128 - 1

Progress = Callable[[int, int], object]
"""Is told how many rows are done, and of how many; each is copied, then compared."""

Advance = Callable[[int], None]
"""Is told how many more rows are done."""


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


class End(ABC):
    """One of the two databases of a move.

    Rows are tuples of the same values on every back end. What numbers were given is told by rows of `sequence`.

    Attributes:
        name: For messages, without password.
    """

    name: str
    _BEGIN: str  # begins to read one consistent state
    _COLUMNS: str  # the query for the names of the columns of the table `$1`

    def columns(self, table: str) -> tuple[str, ...]:
        """The names of the table's columns, sorted; none where there is no such table."""
        return tuple(sorted(row[0] for row in self._run(self._COLUMNS, (table,))))

    def count(self, table: str) -> int:
        """How many rows the table has."""
        return self._run(f"SELECT count(*) FROM {table} WHERE {_MOVED.get(table, 'true')}")[0][0]  # noqa: S608

    def rows(self, table: str, columns: Sequence[str], after: Sequence[Value]) -> list[Row]:
        """The next rows in order of the key; empty `after`: the first."""
        key = ", ".join(TABLES[table])
        condition = _MOVED.get(table, "true")
        if after:
            condition += f" AND ({key}) > ({', '.join(f'${number}' for number in range(1, len(after) + 1))})"
        query = f"SELECT {', '.join(columns)} FROM {table} WHERE {condition} ORDER BY {key} LIMIT {_PAGE}"  # noqa: S608
        return self._run(query, after)

    def state(self) -> State | None:
        """How far a move into this database has come; None: there is none."""
        return State.from_json(self._run("SELECT state FROM move")[0][0]) if self.columns("move") else None

    def begin(self, state: State) -> None:
        """Note the state of a move that begins."""
        with self._writing():
            if self.state() is not None:
                raise self._busy()
            self._run("CREATE TABLE move (state TEXT NOT NULL)")
            self._run("INSERT INTO move VALUES ($1)", (state.as_json(),))

    def add(self, table: str, columns: Sequence[str], rows: Sequence[Row], state: State, new_state: State) -> None:
        """Add rows and note the new state, in one transaction.

        Raises:
            StoreBusy: The state in the database is another: somebody else moves, too.
        """
        change = "UPDATE move SET state = $1 WHERE state = $2 RETURNING 1"
        with self._writing():
            if self.state() != state or not self._run(change, (new_state.as_json(), state.as_json())):
                raise self._busy()
            self._insert(table, columns, rows)

    def _busy(self) -> StoreBusy:
        return StoreBusy(f"another process moves into {self.name!r}")

    @contextmanager
    def snapshot(self) -> Generator[None]:
        """Read one consistent state for as long as the context lasts."""
        self._run(self._BEGIN)
        try:
            yield
        finally:
            with suppress(StoreError):  # what cannot be ended now, ends when the connection is closed
                self._run("ROLLBACK")

    def open_up(self) -> None:
        """Forget the state: from now on the database is one as any other."""
        with self._writing():
            self._run("DROP TABLE move")

    @abstractmethod
    def complete(self) -> None:
        """Make what follows from the rows; from now on, what is committed is on disk."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """Keep what the context changes at its end, or nothing of it."""

    @abstractmethod
    def _insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows, in a transaction."""

    @abstractmethod
    def _run(self, text: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run statements with values for `$1`, `$2` and so on, and return the rows."""


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
        state = _resume_state(source, target, mark)
        of, done = 2 * sum(counts.values()), state.rows

        def advance(rows: int) -> None:
            nonlocal done
            done += rows
            progress(min(done, of), of)

        _copy(source, target, state, columns, advance)
    target.complete()
    moved = _compare(source, target, columns, mark, advance)
    target.open_up()
    return Moved(source=source.name, target=target.name, tables=moved)


def refuse_unfinished(name: str) -> NoReturn:
    """Refuse to open a database that is not filled yet."""
    raise SchemaMismatch(
        f"{name!r} is being filled by `zgadka migrate --from … --to …`, which did not end: run the same command again"
    )


def _resume_state(source: End, target: End, mark: str) -> State:
    """The state from which to go on: an earlier move's, or the beginning."""
    state = target.state()
    if state is None:
        if filled := next((table for table in TABLES if target.count(table)), None):
            raise InvalidInput(
                f"{target.name!r} is not empty (there are rows in {filled!r}): move into a new database; to add to one "
                "that is in use, `zgadka export` and `zgadka import`"
            )
        state = State(source=source.name, mark=mark, table=next(iter(TABLES)))
        target.begin(state)
    if state.source != source.name:
        raise InvalidInput(
            f"{target.name!r} is being filled from {state.source!r}: go on with that one, or move into a new database"
        )
    if state.mark != mark:
        raise _source_changed(source, target)
    return state


def _copy(source: End, target: End, state: State, columns: Mapping[str, Sequence[str]], advance: Advance) -> None:
    tables = [*TABLES, ""]
    for table, following in pairwise(tables[tables.index(state.table) :]):
        while rows := source.rows(table, columns[table], state.after):
            last_key = _key(table, columns[table], rows[-1])
            new_state: State = replace(state, table=table, after=last_key, rows=state.rows + len(rows))
            target.add(table, columns[table], rows, state, new_state)
            state = new_state
            advance(len(rows))
        new_state = replace(state, table=following, after=())
        target.add(table, columns[table], (), state, new_state)
        state = new_state


def _compare(
    source: End, target: End, columns: Mapping[str, Sequence[str]], mark: str, advance: Advance
) -> dict[str, MovedTable]:
    """Read both anew, and compare the number of rows and the checksum of every table."""
    compared: dict[str, MovedTable] = {}
    with source.snapshot(), target.snapshot():
        counts = {table: source.count(table) for table in TABLES}
        if _mark(source, columns, counts) != mark:
            raise _source_changed(source, target)
        for table in TABLES:
            original = _checksum(source, table, columns[table])
            copy = _checksum(target, table, columns[table], advance)
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
    sums = [_checksum(source, table, columns[table]).checksum for table in ("sequence", "revision")]
    return blake2b(repr((sorted(counts.items()), sums)).encode(), digest_size=16).hexdigest()


def _checksum(end: End, table: str, columns: Sequence[str], advance: Advance = lambda _: None) -> MovedTable:
    """Count and add up all rows' hashes; the sum does not depend on their order, which the back ends may not share."""
    count = total = 0
    last_key: tuple[Value, ...] = ()
    while rows := end.rows(table, columns, last_key):
        total += sum(int.from_bytes(blake2b(repr(row).encode(), digest_size=16).digest(), "big") for row in rows)
        count += len(rows)
        last_key = _key(table, columns, rows[-1])
        advance(len(rows))
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
