"""What every part of a transaction has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from zgadka.model.memory import OwnerKind
from zgadka.model.notice import Notice
from zgadka.settings import Settings
from zgadka.stores.rows import (
    Row,
    Value,
)


class Connection(Protocol):
    """What a back end supplies: run one named query."""

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        ...


@dataclass(frozen=True)
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
        consents: The people who agreed to what runs now.
        notices: What subscribers are told once it is committed.
    """

    request: ToolCall | None = None
    consents: frozenset[int] = frozenset()

    def __init__(self, connection: Connection, *, now: datetime, settings: Settings) -> None:
        self._rows = connection.rows
        self._owners: dict[tuple[OwnerKind, str, str], int] = {}
        self.now = now
        self.settings = settings
        self.notices: list[Notice] = []

    def next_id(self, name: str) -> int:
        """The next number of a sequence; never given twice."""
        return self._rows("next_id", {"name": name})[0][0]
