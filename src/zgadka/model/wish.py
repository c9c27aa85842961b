"""What a person wished for themselves, kept without their name, so that it outlives their data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from zgadka.model.timestamps import micros, moment


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How much somebody wants to be remembered, and when they were erased.

    Attributes:
        digest: Of the platform and its id of the person, by a key that is not in the database.
        mark: Tells that key from others.
        level: The privacy level.
        changed_at: When it was set.
        erased_at: For the last time; None: never.
    """

    digest: str
    mark: str
    level: int
    changed_at: datetime
    erased_at: datetime | None

    def covers(self, said_at: datetime | None) -> bool:
        """Whether what was said then, or nobody knows when, was said before its person was erased."""
        return self.erased_at is not None and (said_at is None or said_at <= self.erased_at)

    def merged(self, other: Wish) -> Wish:
        """What both say together: the level that was set last, and the last erasure."""
        last = max((self, other), key=lambda wish: wish.changed_at)
        erasures = [wish.erased_at for wish in (self, other) if wish.erased_at is not None]
        return Wish(
            digest=self.digest,
            mark=self.mark,
            level=last.level,
            changed_at=last.changed_at,
            erased_at=max(erasures, default=None),
        )

    def as_json(self) -> dict[str, Any]:
        """The wish as a JSON object."""
        erased_at = None if self.erased_at is None else micros(self.erased_at)
        numbers = {"level": self.level, "changed_at": micros(self.changed_at), "erased_at": erased_at}
        return {"digest": self.digest, "mark": self.mark} | numbers

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Wish:
        """The wish that `as_json` wrote."""
        return cls(
            digest=stored["digest"],
            mark=stored["mark"],
            level=stored["level"],
            changed_at=moment(stored["changed_at"]),
            erased_at=None if stored["erased_at"] is None else moment(stored["erased_at"]),
        )
