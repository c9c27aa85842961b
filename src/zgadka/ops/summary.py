"""What is known of a person in so many words: chosen from what is stored, nothing written anew."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found
from zgadka.model.timestamps import day_in
from zgadka.ops.fact_validity import bounds_told, holds
from zgadka.ops.recall import recall
from zgadka.ops.same_value import age_now
from zgadka.stores.tx import Tx

_ALL = 2**31
_HEADINGS = {
    "personal": "Personal",
    "relationship": "Relationships",
    "preference": "Preferences",
    "skill": "Skills",
    "trait": "Traits",
    "opinion": "Opinions",
    None: "Notes",
}
_EVIDENCE_SHARE = 0.1
_BEFORE_RELATIONS = 10
"""So many facts and notes have room before a person's relations."""


@dataclass(frozen=True)
class Summary:
    """The text, one line a type, and the memories it cites, in that order; `total` counts all that there are."""

    text: str
    cited: tuple[StoredMemory, ...]
    total: int


def surest(tx: Tx, scope: Scope, limit: int = _ALL) -> tuple[list[StoredMemory], int]:
    """The facts and notes of a scope, what holds now first, then the surest, the most evidenced and the newest.

    Args:
        limit: How many at most; the number beside them counts all.
    """
    recalled = recall(tx, [scope], None, limit, kinds=("fact", "note"))

    def rank(match: Found) -> tuple[bool, float, int]:
        evident = 1 + _EVIDENCE_SHARE * math.log2(match.memory.evidence)
        return holds(match.memory, tx.now), match.score * evident, match.memory.id

    return [match.memory for match in sorted(recalled.found, key=rank, reverse=True)], recalled.total


def profile_summary(tx: Tx, scope: Scope, max_words: int, relations: Sequence[StoredMemory] = ()) -> Summary:
    """The most certain, evidenced and recent facts and notes of a scope, each whole, within so many words.

    Args:
        relations: Those of the person, with their names.
    """
    ranked, total = surest(tx, scope)
    ranked, total = [*ranked[:_BEFORE_RELATIONS], *relations, *ranked[_BEFORE_RELATIONS:]], total + len(relations)
    chosen: list[StoredMemory] = []
    headings: set[str | None] = set()
    words_left = max_words
    for memory in ranked:
        words = len(_cited(memory, tx.now, tx.settings.zone).split()) + (_group(memory) not in headings)
        if words <= words_left:
            chosen.append(memory)
            headings.add(_group(memory))
            words_left -= words
    cited: list[StoredMemory] = []
    lines: list[str] = []
    for type_, heading in _HEADINGS.items():
        of_type = [memory for memory in chosen if _group(memory) == type_]
        of_type.sort(key=lambda memory: not holds(memory, tx.now))
        cited += of_type
        if of_type:
            lines.append(f"{heading}: {'; '.join(_cited(memory, tx.now, tx.settings.zone) for memory in of_type)}")
    return Summary("\n".join(lines), tuple(cited), total)


def _group(memory: StoredMemory) -> str | None:
    """Under which of the headings it stands."""
    return "relationship" if memory.kind == "relation" else memory.type


def _cited(memory: StoredMemory, at: datetime, zone: tzinfo) -> str:
    """The memory's own text in one line, with its id and, where it is known, its time."""
    time = "".join(f", {word} {day_in(zone, bound)}" for word, bound in bounds_told(memory, at))
    time += "" if (age := age_now(memory, at)) is None else f", about {age} now"
    return f"{' '.join(memory.text.split())} (ID:{memory.id}{time})"
