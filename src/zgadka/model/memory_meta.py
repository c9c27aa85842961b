"""What ranking needs to know of a memory, without its texts."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple, cast

from zgadka.model.memory import Kind
from zgadka.model.timestamps import moment, moment_or_none


class Heading(NamedTuple):
    """A memory without its texts, as its row has it: hundreds are ranked for each that is shown.

    Attributes:
        updated: Microseconds since 1970 UTC, as are `created`, `since` and `until`.
        permanent: 0 or 1.
        since: From when a fact holds; None: as far back as is known.
        until: Until when a fact held; None: it still holds.
        tags_json: JSON array.
        people_json: JSON array of owner ids; None: nobody.
    """

    id: int
    kind: Kind
    space: int
    lineage: int
    type: str | None
    confidence: float
    created: int
    updated: int
    permanent: int
    importance: float | None
    since: int | None
    until: int | None
    tags_json: str
    people_json: str | None
    audience: int = 0
    evidence: int = 1

    @property
    def created_at(self) -> datetime:
        """When it was first kept."""
        return moment(self.created)

    @property
    def updated_at(self) -> datetime:
        """When it was last stated or changed."""
        return moment(self.updated)

    @property
    def valid_from(self) -> datetime | None:
        """From when a fact holds; None: as far back as is known."""
        return moment_or_none(self.since)

    @property
    def valid_to(self) -> datetime | None:
        """Until when a fact held; None: it still holds."""
        return moment_or_none(self.until)

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        return tuple(cast("list[str]", _items(self.tags_json)))

    @property
    def people(self) -> tuple[int, ...]:
        """Owner ids of the people in it."""
        return () if self.people_json is None else tuple(cast("list[int]", _items(self.people_json)))


def _items(text: str) -> list[object]:
    """The items of a JSON array; none where it is damaged, for then nobody is told the memory either."""
    try:
        items = json.loads(text)
    except ValueError:
        return []
    return cast("list[object]", items) if isinstance(items, list) else []
