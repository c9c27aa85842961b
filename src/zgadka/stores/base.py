"""What every part of a transaction has."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from zgadka.model.meaning import Meaning
from zgadka.model.memory import OwnerKind
from zgadka.model.notice import Notice
from zgadka.model.task import Task
from zgadka.model.turn import Turn
from zgadka.settings import Settings
from zgadka.stores.cache import Cache, E, Key, What
from zgadka.stores.rows import (
    Row,
    Value,
)
from zgadka.stores.sql import changing


class Connection(Protocol):
    """What a back end supplies: run one named query."""

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        ...


@dataclass(frozen=TYPE_CHECKING, unsafe_hash=True)  # as `Scope`
class ToolCall:
    """A tool call as it can be kept: `arguments` are those that were checked."""

    tool: str
    version: int
    arguments: Mapping[str, Any]


class Base:
    """What every part of a transaction has: its queries, its time, its settings.

    Attributes:
        now: The time of the whole transaction.
        settings: What the operator set.
        request: The tool call that runs, so that it can be run again with a person's consent; None outside of one.
        turn: Its turn.
        meaning: The vector of the query that runs; None: it is answered by words alone.
        consents: The people who agreed to what runs now.
        notices: What subscribers are told once it is committed.
        changes: What indexes in memory are told once it is committed: by owner and kind of rows the new revision, and
            each changed row as the index of such rows takes it.
        left: What is left to do in the rows of other owners, in line as tasks: whoever runs this does it once it is
            committed, before anybody is answered.
    """

    request: ToolCall | None = None
    turn: Turn | None = None
    meaning: Meaning | None = None
    consents: frozenset[int] = frozenset()

    def __init__(
        self, connection: Connection, *, now: datetime, settings: Settings, cache: Cache | None = None
    ) -> None:
        self._rows = connection.rows
        self._cache = cache
        self._generation = 0 if cache is None else cache.generation
        self._without_index: set[Key] = set()
        self._revisions: dict[tuple[int, What], int] = {}
        self._owners: dict[tuple[OwnerKind, str, str], int] = {}
        self.now = now
        self.settings = settings
        self.notices: list[Notice] = []
        self.changes: dict[tuple[int, What], tuple[int, list[Any]]] = {}
        self.left: list[Task] = []

    def next_id(self, name: str) -> int:
        """The next number of a sequence; never given twice."""
        return self._rows("next_id", {"name": name})[0][0]

    @contextmanager
    def index(self, key: Key, build: Callable[[], E], *, at_once: bool = False) -> Generator[E | None]:
        """Lend the index in memory under this key, as this transaction sees its rows; see `Cache.index`.

        A transaction's further questions about a key count as one.
        """
        if self._cache is None or key in self._without_index:
            yield build() if at_once else None
            return
        owner, what, _ = key
        if (owner, what) not in self._revisions:  # what only reads sees one revision
            rows = self._rows("revision_get", {"owner": owner, "what": what})
            self._revisions[owner, what] = rows[0][0] if rows else 0
        revision, generation = self._revisions[owner, what], self._generation
        with self._cache.index(key, revision, build, generation=generation, at_once=at_once) as found:
            if found is None:
                self._without_index.add(key)
            yield found

    @contextmanager
    def noting_changes(self) -> Generator[set[int]]:
        """Collect the owners whose rows are changed meanwhile."""
        run, owners = self._rows, set[int]()

        def rows(query: str, parameters: Mapping[str, Value]) -> list[Row]:
            if query in changing() and isinstance(owner := parameters.get("owner"), int):
                owners.add(owner)
            return run(query, parameters)

        self._rows = rows
        try:
            yield owners
        finally:
            self._rows = run

    def _changed(self, owner: int, what: What, change: Any) -> None:
        """Give the owner's rows of this kind a new revision, once in a transaction, and note the changed row."""
        if (owner, what) not in self.changes:
            revision = self._rows("revision_next", {"owner": owner, "what": what})[0][0]
            self.changes[owner, what] = revision, []
        self.changes[owner, what][1].append(change)
