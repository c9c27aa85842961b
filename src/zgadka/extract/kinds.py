"""Which group and fact type a key belongs to."""

from __future__ import annotations

from typing import Literal, get_args

from zgadka.model.memory import FactType

Group = Literal["facts", "preferences", "goals", "dates"]
GROUPS: tuple[Group, ...] = get_args(Group)

CERTAIN = 0.9
UNCERTAIN = 0.5

_PREFERENCES = frozenset({"like", "dislike", "hobby", "interest", "preference"})
_SKILLS = frozenset({"skill", "language", "programming_language"})
_DATES = frozenset({"birthday", "anniversary", "deadline", "date"})
_RELATIONS = frozenset(
    [
        "parents",
        "brother",
        "sister",
        "mother",
        "father",
        "wife",
        "husband",
        "son",
        "daughter",
        "grandmother",
        "grandfather",
        "girlfriend",
        "boyfriend",
        "uncle",
        "aunt",
        "cousin",
        "nephew",
        "niece",
        "fiance",
        "fiancé",
        "fiancée",
        "partner",
        "twin",
        "sibling",
        "child",
    ]
)


def group_and_type(key: str) -> tuple[Group, FactType]:
    """Return the group that the papers' prompt would put it in, and the type under which it is stored."""
    if key == "goal":
        return "goals", "personal"
    if key in _DATES:
        return "dates", "personal"
    if key in _PREFERENCES or key.startswith("favorite_"):
        return "preferences", "preference"
    if key in _SKILLS:
        return "facts", "skill"
    return "facts", "relationship" if key in _RELATIONS else "personal"
