"""What is known of a person in so many words: chosen from what is stored, nothing written anew."""

from __future__ import annotations

import math
from dataclasses import dataclass

from zgadka.model.memory import Scope, StoredMemory
from zgadka.ops.recall import recall
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


@dataclass(frozen=True)
class Summary:
    """The text, one line a type, and the memories it cites, in that order; `total` counts all that there are."""

    text: str
    cited: tuple[StoredMemory, ...]
    total: int


def profile_summary(tx: Tx, scope: Scope, max_words: int) -> Summary:
    """The most certain, evidenced and recent facts and notes of a scope, each whole, within so many words."""
    recalled = recall(tx, [scope], None, _ALL, kinds=("fact", "note"))
    ranked = sorted(
        (one.score * (1 + _EVIDENCE_SHARE * math.log2(one.memory.evidence)), one.memory.id, one.memory)
        for one in recalled.found
    )
    chosen: list[StoredMemory] = []
    headings: set[str | None] = set()
    left = max_words
    for _, _, memory in reversed(ranked):
        words = len(_said(memory).split()) + (memory.type not in headings)
        if words <= left:
            chosen.append(memory)
            headings.add(memory.type)
            left -= words
    cited: list[StoredMemory] = []
    lines: list[str] = []
    for type_, heading in _HEADINGS.items():
        of_type = [memory for memory in chosen if memory.type == type_]
        cited += of_type
        if of_type:
            lines.append(f"{heading}: {'; '.join(map(_said, of_type))}")
    return Summary("\n".join(lines), tuple(cited), recalled.total)


def _said(memory: StoredMemory) -> str:
    """The memory's own text in one line, with its id and, where it is known, its time."""
    bounds = (("since", memory.valid_from), ("until", memory.valid_to))
    time = "".join(f", {word} {bound:%Y-%m-%d}" for word, bound in bounds if bound is not None)
    return f"{' '.join(memory.text.split())} (ID:{memory.id}{time})"
