"""What all topics of a transaction share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from zgadka.model.memory import Owner, OwnerKind
from zgadka.model.notification import Notice
from zgadka.model.query_vector import Meaning
from zgadka.model.record import record
from zgadka.model.rollout import Arm
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.model.wish import Wish
from zgadka.settings import Settings
from zgadka.stores.cache import Cache, E, Key, What
from zgadka.stores.row_mapping import Row, Value, from_row, leave_out, readable
from zgadka.stores.sql import changing

V = TypeVar("V")

END_OF_TIME = 2**62
"""Microseconds after which nothing is."""


class Connection(Protocol):
    """What a back end supplies: run one named query."""

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        ...

    def all_rows(self, query: str, several: Sequence[Mapping[str, Value]]) -> list[list[Row]]:
        """Run it with each of several parameters, together where that saves time."""
        ...

    def rows_later(self, query: str, parameters: Mapping[str, Value], then: Callable[[list[Row]], object]) -> None:
        """Run a change; its rows are given to `then` before the operation is answered."""
        ...

    def foresee(self, asks: Callable[[], Sequence[Callable[[], object]]], owners: dict[Hashable, list[Row]]) -> None:
        """Ask together what these will ask, and make them only where that saves time.

        They only ask, and may be tried several times.

        Args:
            owners: What was answered last to each question for owners. They may be told that, while it is asked again.
        """
        ...


@record()
class ToolCall:
    """A tool call as it can be kept: `arguments` are those that were checked."""

    tool: str
    version: int
    arguments: Mapping[str, Any]


class Base:
    """What all topics of a transaction share: its queries, its time, its settings.

    Attributes:
        now: The time of the whole transaction.
        settings: What the operator set.
        request: The tool call that runs, so that it can be run again with a person's consent; None outside of one.
        turn: Its turn.
        meaning: The vector of the query that runs; None: it is answered by words alone.
        looked: What was looked up for what runs before its transaction began; it may be another by now.
        consented_by: The people who agreed to what runs now.
        sources: The messages that what runs now is made from, each with its space; None: the turn's own.
        because: Why memories are changed by what runs now, where nothing else says why.
        is_bound: Whether nothing beyond the turn's space may be changed, since a token for that alone asks.
        arm: What manages the memory of the chat that the transaction is for; None: that of the turn.
        rows: Runs a named query.
        all_rows: Runs it with each of several parameters.
        rows_later: Runs a change whose rows are wanted by the commit only.
        owner_ids: The ids of owners that were looked up.
        owners_by_id: The owners that were looked up by their ids.
        known_owners: The same, of all transactions that only read; who is erased stays among them until this process is
            told. Others may empty it at any time.
        only_reads: Whether the transaction only reads, so that it sees nothing but what is committed.
        owner_forms: By which version the rows of owners that were looked up were made.
        levels: Where the transaction only reads: the privacy levels that were looked up, by person and space.
        notices: What subscribers are told once it is committed.
        changes: What indexes in memory are told once it is committed: by owner and kind of rows the new revision, and
            each changed row as the index of such rows takes it.
        wish_keys: The keys of wishes that lie outside of the database, the one for new wishes first; told to make one,
            where one can be made.
        new_wishes: The wishes that were kept: a store may keep them beside itself once they are committed.
        left: What is left to do in the rows of other owners, in line as tasks: whoever runs this does it once it is
            committed, before anybody is answered.
    """

    request: ToolCall | None = None
    turn: Turn | None = None
    meaning: Meaning | None = None
    looked: object = None
    consented_by: frozenset[int] = frozenset()
    arm: Arm | None = None
    sources: Sequence[tuple[int, int]] | None = None
    because: str | None = None
    is_bound: bool = False

    def __init__(
        self, connection: Connection, *, now: datetime, settings: Settings, cache: Cache | None = None
    ) -> None:
        self.rows = connection.rows
        self.all_rows = connection.all_rows
        self._foresee = connection.foresee
        self.rows_later = connection.rows_later
        self._cache = cache
        self.glanced = cache
        self._generation = 0 if cache is None else cache.generation
        self._without_index: set[Key] = set()
        self._revisions: dict[tuple[int, What], int] = {}
        self.owner_ids: dict[tuple[OwnerKind, str, str], int] = {}
        self.owners_by_id: dict[int, Owner] = {}
        self.known_owners: dict[int, Owner] = {}
        self.owner_forms: dict[int, int] = {}
        self.only_reads = cache is not None  # no other is given it
        self.levels: dict[tuple[int, int], int] | None = {} if self.only_reads else None
        self.now = now
        self.settings = settings
        self.notices: list[Notice] = []
        self.changes: dict[tuple[int, What], tuple[int, list[Any]]] = {}
        self._changed: dict[tuple[int, What], list[Any]] = {}
        self.wish_keys: Callable[[bool], Sequence[bytes]] = lambda _: ()
        self.new_wishes: list[Wish] = []
        self.left: list[Task] = []

    def foresee(self, asks: Callable[[], Sequence[Callable[[], object]]]) -> None:
        """Ask together what these will ask; see `Connection.foresee`."""
        known, owners = self.owner_ids.copy(), {} if self.glanced is None else self.glanced.owners
        self._foresee(asks, owners)
        self.owner_ids = known  # of the rest they may have been told what was so before

    def next_id(self, name: str) -> int:
        """The next number of a sequence; never given twice."""
        return self.rows("next_id", {"name": name})[0][0]

    def next_ids(self, name: str, count: int) -> list[int]:
        """So many next numbers of a sequence, in ascending order; never given twice."""
        runs = self.rows("next_ids", {"name": name, "count": count})
        return [number for first, last in runs for number in range(first, last + 1)]

    def last_id(self, name: str) -> int:
        """The last number of a sequence; 0 when none was given."""
        rows = self.rows("sequence_get", {"name": name})
        return rows[0][0] if rows else 0

    def raise_id(self, name: str, value: int) -> None:
        """Let a sequence go on after this number."""
        self.rows("sequence_raise", {"name": name, "value": value})

    @contextmanager
    def index(self, key: Key, build: Callable[[], E], *, at_once: bool = False) -> Generator[E | None]:
        """Lend the index in memory under this key, as this transaction sees its rows; see `Cache.index`.

        A transaction's further questions about a key count as one.
        """
        if self._cache is None or key in self._without_index:
            yield build() if at_once else None
            return
        revision, generation = self.revision(*key[:2]), self._generation
        with self._cache.index(key, revision, build, generation=generation, at_once=at_once) as cached_index:
            if cached_index is None:
                self._without_index.add(key)
            yield cached_index

    def revision(self, owner: int, what: What) -> int:
        """Which revision the owner's rows of this kind have; what only reads sees one."""
        if (owner, what) not in self._revisions:
            rows = self.rows("revision_get", {"owner": owner, "what": what})
            self._revisions[owner, what] = rows[0][0] if rows else 0
        return self._revisions[owner, what]

    def glance(self, key: Key, look: Callable[[Any, Sequence[Any]], V]) -> V | None:
        """What the index in memory under this key tells, perhaps an older one; None where there is none."""
        return None if self.glanced is None else self.glanced.glance(key, look)

    @contextmanager
    def noting_changes(self) -> Generator[set[int]]:
        """Collect the owners whose rows are changed meanwhile."""
        run, run_later, owners = self.rows, self.rows_later, set[int]()

        def note(query: str, parameters: Mapping[str, Value]) -> None:
            if query in changing() and isinstance(owner := parameters.get("owner"), int):
                owners.add(owner)

        def rows(query: str, parameters: Mapping[str, Value]) -> list[Row]:
            note(query, parameters)
            return run(query, parameters)

        def rows_later(query: str, parameters: Mapping[str, Value], then: Callable[[list[Row]], object]) -> None:
            note(query, parameters)
            run_later(query, parameters, then)

        self.rows, self.rows_later = rows, rows_later
        try:
            yield owners
        finally:
            self.rows, self.rows_later = run, run_later

    def changed(self, owner: int, what: What, change: Any) -> None:
        """Give the owner's rows of this kind a new revision, once in a transaction, and note the changed row."""
        if (changes := self._changed.get((owner, what))) is None:
            changes = self._changed[owner, what] = []

            def note(rows: list[Row]) -> None:
                self.changes[owner, what] = rows[0][0], changes

            self.rows_later("revision_next", {"owner": owner, "what": what}, note)
        changes.append(change)


class Topic:
    """The queries of one topic, in a transaction."""

    __slots__ = ("_rows", "_tx")

    def __init__(self, tx: Base) -> None:
        self._tx = tx
        self._rows = tx.rows

    def _value(self, query: str, parameters: Mapping[str, Value]) -> Any:
        """The first column of the first row; None where there is none."""
        rows = self._rows(query, parameters)
        return rows[0][0] if rows else None

    def _first(self, kind: type[V], query: str, parameters: Mapping[str, Value]) -> V | None:
        """The first row as a value of this class; None where there is none."""
        values = self._all(kind, query, parameters)
        return values[0] if values else None

    def _all(self, kind: type[V], query: str, parameters: Mapping[str, Value]) -> list[V]:
        """Every row as a value of this class."""
        return readable(partial(from_row, kind), self._rows(query, parameters), query)

    def _column(self, query: str, parameters: Mapping[str, Value]) -> list[Any]:
        """The first column of every row."""
        values = [row[0] for row in self._rows(query, parameters)]
        kinds = set(map(type, values))
        if len(kinds) > 1 and int in kinds:  # an index may be damaged where its table is not
            leave_out(f"one of the query {query}")
            return [value for value in values if type(value) is int]
        return values
