"""Recall what the people of a space are to each other: a walk from one person outwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.scopes import communal_scope, person_named, privacy_of, reading_scope
from zgadka.stores.tx import Tx
from zgadka.text.relations import kept_as, normalise_relation

_MOST_PEOPLE = 500
"""A walk looks at the relations of so many people at most."""


@dataclass(frozen=True)
class Tie:
    """One relation as the walk came to it.

    Attributes:
        path: Owner ids from the person asked about to the far one of the two; the last but one is the near one.
    """

    memory: StoredMemory
    path: tuple[int, ...]


@dataclass(frozen=True)
class Ties:
    """The nearest relations, near ones first; `total` counts all that were reached."""

    found: tuple[Tie, ...]
    total: int


def recall_relationships(
    tx: Tx, turn: Turn, user_id: int, *, word: str | None, depth: int, limit: int
) -> Ties | NoAccess:
    """The relations of a person, then of those whom these name, to a depth.

    Only people who are here and want to be remembered are shown, and the walk goes through nobody else.

    Args:
        word: Follow relations of this word or its inverse only. None: of every word.
        depth: 1: only the person's own.
    """
    asked = reading_scope(tx, turn, user_id)
    if isinstance(asked, NoAccess):
        return asked
    scope = communal_scope(tx, turn)
    wanted = None if word is None else kept_as(normalise_relation(word))[0]
    speaker = person_named(tx, turn, turn.user_name)

    @cache
    def is_told(person: int) -> bool:
        return is_shown(tx, scope.owner, person, is_speaker=person == speaker)

    paths: dict[int, tuple[int, ...]] = {asked.owner: (asked.owner,)}
    ties: dict[int, Tie] = {}
    frontier = [asked.owner]
    for _ in range(depth):
        reached: list[int] = []
        for person in frontier:
            for memory in tx.relations_of(scope, person):
                other = memory.people[1] if memory.people[0] == person else memory.people[0]
                if memory.id in ties or wanted not in (None, memory.type) or not is_told(other):
                    continue
                ties[memory.id] = Tie(memory, (*paths[person], other))
                if other not in paths and len(paths) < _MOST_PEOPLE:
                    paths[other] = (*paths[person], other)
                    reached.append(other)
        frontier = reached
    return Ties(tuple(ties.values())[:limit], len(ties))


def is_shown(tx: Tx, space: int, person: int, *, is_speaker: bool) -> bool:
    """Whether a person's relations are told in a space: they are there, and want to be remembered."""
    member = tx.member(space, person)
    is_here = is_speaker or (member is not None and member.left_at is None and member.kind == "person")
    return is_here and privacy_of(tx, person) is PrivacyLevel.MINIMAL
