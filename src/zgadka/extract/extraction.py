"""What an extraction yields, and which group and fact type a key belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from zgadka.extract.pattern import Candidate
from zgadka.model.inference import Inferred
from zgadka.model.memory import FactType
from zgadka.text.word_lists import read_entry

Group = Literal["facts", "preferences", "goals", "dates"]
GROUPS: tuple[Group, ...] = get_args(Group)

CERTAIN = 0.9
UNCERTAIN = 0.5


@dataclass(frozen=True, kw_only=True)
class Extraction:
    """What a message says of its writer.

    Attributes:
        certain: Said plainly; may be stored at once. In the order of their groups, as `uncertain`.
        uncertain: Hedged or only suggested; to ask about.
        settled: Whether every sentence was understood, or plainly has nothing, so that no model need look.
        cut: Characters at the end of the message that were not read.
        rejected: How many items of a model's answer were not used.
        tiers: Which tiers looked at the message, in order, and what came of each.
    """

    certain: tuple[Inferred, ...] = ()
    uncertain: tuple[Inferred, ...] = ()
    settled: bool = True
    cut: int = 0
    rejected: int = 0
    tiers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, items: Iterable[Inferred], *, settled: bool = True, cut: int = 0, rejected: int = 0) -> Extraction:
        """Sort items by certainty and group, each once; what is certain is not uncertain too."""
        distinct: dict[tuple[str, str], Inferred] = {}
        for item in sorted(items, key=lambda item: (-item.confidence, GROUPS.index(group_and_type(item.key)[0]))):
            distinct.setdefault((item.key, item.value.casefold()), item)
        certain = tuple(item for item in distinct.values() if item.confidence == CERTAIN)
        uncertain = tuple(item for item in distinct.values() if item.confidence != CERTAIN)
        return cls(certain=certain, uncertain=uncertain, settled=settled, cut=cut, rejected=rejected)


def inferred(candidate: Candidate, sentence: str, *, sure: bool) -> Inferred:
    """Return what a sentence tells as what is stored or asked about."""
    return Inferred(
        type=group_and_type(candidate.key)[1],
        key=candidate.key,
        value=candidate.value,
        excerpt=" ".join(sentence.replace("\ue000", '"').split())[:300],
        confidence=CERTAIN if sure else UNCERTAIN,
    )


def group_and_type(key: str) -> tuple[Group, FactType]:
    """Return the group of the extraction prompt that it belongs to, and the type under which it is stored."""
    if key == "goal":
        return "goals", "personal"
    if key in _keys("dates"):
        return "dates", "personal"
    if key in _keys("preferences") or key.startswith("favorite_"):
        return "preferences", "preference"
    if key in _keys("skills"):
        return "facts", "skill"
    return "facts", "relationship" if key in _keys("relatives") else "personal"


def _keys(kind: str) -> frozenset[str]:
    return read_entry("fact_keys", kind, "zgadka.extract")
