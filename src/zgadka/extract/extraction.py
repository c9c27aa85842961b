"""What an extraction yields."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from zgadka.extract.fact_keys import GROUPS, Group, group_and_type
from zgadka.model.inference import Inferred


@dataclass(frozen=True, kw_only=True)
class Items:
    """Items of one certainty, by group."""

    facts: tuple[Inferred, ...] = ()
    preferences: tuple[Inferred, ...] = ()
    goals: tuple[Inferred, ...] = ()
    dates: tuple[Inferred, ...] = ()

    def __iter__(self) -> Iterator[Inferred]:
        for group in fields(self):
            yield from getattr(self, group.name)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @classmethod
    def of(cls, inferred: Iterable[Inferred]) -> Items:
        """Put items into their groups, each once."""
        groups: dict[Group, dict[tuple[str, str], Inferred]] = {group: {} for group in GROUPS}
        for item in inferred:
            groups[group_and_type(item.key)[0]].setdefault((item.key, item.value.casefold()), item)
        return cls(**{group: tuple(items.values()) for group, items in groups.items()})


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What a message says of its writer.

    Attributes:
        certain: Said plainly; may be stored at once.
        uncertain: Hedged or only suggested; to ask about.
        settled: Whether every sentence was understood, or plainly has nothing, so that no model need look.
        cut: Characters at the end of the message that were not read.
        rejected: How many items of a model's answer were not used.
        tiers: Which tiers looked at the message, in order, and what came of each.
    """

    certain: Items = field(default_factory=Items)
    uncertain: Items = field(default_factory=Items)
    settled: bool = True
    cut: int = 0
    rejected: int = 0
    tiers: tuple[tuple[str, str], ...] = ()
