"""Which group and fact type a key belongs to."""

from __future__ import annotations

from typing import Literal, get_args

from zgadka.model.memory import FactType
from zgadka.text.word_lists import read_entry

Group = Literal["facts", "preferences", "goals", "dates"]
GROUPS: tuple[Group, ...] = get_args(Group)

CERTAIN = 0.9
UNCERTAIN = 0.5


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
