"""What places are called: by their own name, and where that is only a number, by who is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from zgadka.model.memory import Owner
from zgadka.stores.tx import Tx

_NAMED = 3
"""So many people stand for a place without a name."""


@dataclass(frozen=True)
class PlaceName:
    """A space or direct chat as people know it.

    Attributes:
        owner: The space or direct chat.
        name: Its name; empty where the platform only says a number.
        people: The names of some who are there; of a direct chat, of its person.
        others: How many more there are.
        mark: What tells it from another that would be called the same; empty where there is none.
    """

    owner: Owner
    name: str = ""
    people: tuple[str, ...] = ()
    others: int = 0
    mark: str = ""


def place_names(tx: Tx, owners: Iterable[Owner | None], *, viewer: int = 0) -> dict[int, PlaceName]:
    """What these spaces and direct chats are called, by owner id; None, and people, are left out.

    Args:
        viewer: Who reads it, and is not named.
    """
    places = {owner.id: owner for owner in owners if owner is not None and owner.kind != "person"}
    names = {number: _name_of(tx, place, viewer) for number, place in places.items()}
    called = Counter((name.owner.kind, name.name, name.people) for name in names.values())
    return {
        number: replace(name, mark=name.owner.name) if called[name.owner.kind, name.name, name.people] > 1 else name
        for number, name in names.items()
    }


def _name_of(tx: Tx, place: Owner, viewer: int) -> PlaceName:
    if place.kind == "direct":
        person = tx.owners.find("person", place.platform, place.name)
        names = {} if person is None else tx.operator.names_of({person})
        return PlaceName(place, people=(names.get(person or 0, place.name),))
    if not place.name.removeprefix("-").isdigit():
        return PlaceName(place, place.name)
    member = tx.members.get(place.id, viewer) if viewer else None
    if viewer and (member is None or member.left_at is not None):  # who is there now is not theirs to know
        return PlaceName(place)
    people = tx.members.some_names(place.id, _NAMED + 1)
    named = tuple(name for person, name in people if person != viewer)[:_NAMED]
    unnamed = tx.members.count(place.id) - len(named) - (1 if viewer else 0)
    return PlaceName(place, people=named, others=max(unnamed, 0))
