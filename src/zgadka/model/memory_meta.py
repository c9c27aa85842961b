"""What ranking needs to know of a memory, without its texts."""

from __future__ import annotations

import json
from datetime import datetime
from typing import NamedTuple, cast

from zgadka.model.memory import Kind, StoredMemory
from zgadka.model.timestamps import micros, micros_or_none, moment, moment_or_none


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
        return tuple(cast("list[str]", json.loads(self.tags_json)))

    @property
    def people(self) -> tuple[int, ...]:
        """Owner ids of the people in it."""
        return () if self.people_json is None else tuple(cast("list[int]", json.loads(self.people_json)))


def heading_of(memory: StoredMemory) -> Heading:
    """A memory's heading, as its row would have it."""
    return Heading(
        id=memory.id,
        kind=memory.kind,
        space=memory.space,
        lineage=memory.lineage,
        type=memory.type,
        confidence=memory.confidence,
        created=micros(memory.created_at),
        updated=micros(memory.updated_at),
        permanent=int(memory.permanent),
        importance=memory.importance,
        since=micros_or_none(memory.valid_from),
        until=micros_or_none(memory.valid_to),
        tags_json=json.dumps(memory.tags),
        people_json=json.dumps(memory.people),
        audience=memory.audience,
    )
