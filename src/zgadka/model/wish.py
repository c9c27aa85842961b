"""What a person wished for themselves, kept without their name, so that it outlives their data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


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

    def adds_to(self, other: Wish | None) -> bool:
        """Whether this says something that the other one of the same person does not."""
        return other is None or other.merged(self) != other

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
