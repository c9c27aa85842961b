"""By what people are and were called: what was told of somebody under a former name goes with them, too."""

from __future__ import annotations

from zgadka.model.people import Member
from zgadka.stores.tx import Tx
from zgadka.text.value_mentions import identifies

RENAMED = "renamed"


def names_of(tx: Tx, space: int, person: int) -> list[str]:
    """By what a person is named in a space: by how they are called there, were called before, and the platform's id."""
    owner = tx.owners.find_by_id(person)
    return [*called(tx, space, person), *([] if owner is None else [owner.name])]


def called(tx: Tx, space: int, person: int) -> list[str]:
    """How a person is called in a space, and was called anywhere before."""
    return [*tx.members.names(space, {person}).get(person, ()), *former_names(tx, person)]


def former_names(tx: Tx, person: int) -> list[str]:
    """By what a person was called anywhere before they got other names, as far as that is known."""
    return tx.audit.list_reasons(person, RENAMED)


def note_renaming(tx: Tx, space: int, person: int, member: Member) -> None:
    """Keep by what a person was called until now, where the host reports another name; it goes with an erasure."""
    names = tx.members.names(space, {person}).get(person, ())
    gone = [name for name in names if name not in (member.name, member.nickname) and identifies(name)]
    known = former_names(tx, person) if gone else ()
    for name in gone:
        if name not in known:
            tx.audit.add(person, 0, RENAMED, actor=member.user, reason=name)
