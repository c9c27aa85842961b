"""What places are called: by their title or name, and where that is only a number, by who is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from zgadka.model.memory import Owner
from zgadka.model.people import Title
from zgadka.model.turn import LONGEST_ID
from zgadka.stores.tx import Tx
from zgadka.text.sanitize import preview

_NAMED = 3
"""So many people stand for a place without a name."""


@dataclass(frozen=True)
class PlaceName:
    """A space or direct chat as people know it.

    Attributes:
        owner: The space or direct chat.
        name: Its title, else its name; empty where the platform only says a number.
        people: The names of some who are there; of a direct chat, of its person.
        others: How many more there are.
        mark: What tells it from another that would be called the same; empty where there is none.
    """

    owner: Owner
    name: str = ""
    people: tuple[str, ...] = ()
    others: int = 0
    mark: str = ""


def report_titles(tx: Tx, platform: str, space: str, titles: Sequence[Title]) -> None:
    """Keep what the host reports of what a space, its chats and threads are called."""
    owner = tx.owners.ensure("space", platform, space)
    known = {(title.chat, title.thread): title.text for title in tx.titles.list(owner)}
    for title in titles:
        text = preview(title.text, LONGEST_ID)
        if not text:
            tx.titles.remove(owner, title.chat, title.thread)
        elif known.get((title.chat, title.thread)) != text:
            tx.titles.put(owner, replace(title, text=text), tx.now)


def title_for(tx: Tx, space: int, viewer: int) -> str | None:
    """The space's title, where its platform told one and the viewer knows it: they were there while it was called so.

    Args:
        viewer: A person's owner id; 0: an operator.
    """
    known = tx.titles.of_space(space)
    if known is None or not viewer:
        return known and known[0]
    member = tx.members.get(space, viewer)
    knows = member is not None and (member.left_at is None or member.left_at >= known[1])
    return known[0] if knows else None


def called(tx: Tx, place: Owner, viewer: int) -> str:
    """What a place is called in one line of text: by its title where the viewer knows it, else by its name."""
    return (title_for(tx, place.id, viewer) if place.kind == "space" else None) or place.name


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
    title = title_for(tx, place.id, viewer)
    if title is not None:
        return PlaceName(place, title)
    if not place.name.removeprefix("-").isdigit():
        return PlaceName(place, place.name)
    member = tx.members.get(place.id, viewer) if viewer else None
    if viewer and (member is None or member.left_at is not None):  # who is there now is not theirs to know
        return PlaceName(place)
    people = tx.members.some_names(place.id, _NAMED + 1)
    named = tuple(name for person, name in people if person != viewer)[:_NAMED]
    unnamed = tx.members.count(place.id) - len(named) - (1 if viewer else 0)
    return PlaceName(place, people=named, others=max(unnamed, 0))
