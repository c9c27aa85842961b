"""What people wished before a backup was put back, or another file took the database's place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from zgadka.model.memory import Owner
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.wish import Wish
from zgadka.ops.access import level_of, privacy_of
from zgadka.ops.erase import erase_again
from zgadka.ops.multi_owner_saga import WAIT
from zgadka.ops.profile import HIDE, raise_in
from zgadka.stores.tx import Tx


@dataclass(frozen=True)
class Difference:
    """Wishes that one of two places lacks.

    Attributes:
        fresh: Those that the database does not know yet.
        unkept: Those that it alone knows.
        key: The key of wishes that lies in the database, beside the hashes; None: none does.
    """

    fresh: Collection[Wish]
    unkept: Collection[Wish]
    key: bytes | None


def compare(tx: Tx, kept: Mapping[str, Wish]) -> Difference:
    """What the wishes of the database and those that are kept beside it say differently."""
    stored = {wish.digest: wish for wish in tx.wishes.list()}
    fresh = [wish for wish in kept.values() if wish.adds_to(stored.get(wish.digest))]
    unkept = [wish for wish in stored.values() if wish.adds_to(kept.get(wish.digest))]
    return Difference(fresh, unkept, tx.wishes.own_key())


def honour(tx: Tx, fresh: Collection[Wish]) -> int:
    """Keep wishes that the database does not know yet, and do what they say to whoever it knows.

    Who was erased is erased again, with all that is here: it was there before. Levels are as their people set them
    last.

    Returns:
        How many people are erased.
    """
    stored = {wish.digest: wish for wish in tx.wishes.list()}
    for wish in fresh:
        tx.wishes.put(wish.merged(stored.get(wish.digest, wish)))
    owners = tx.owners.list()
    found = [*tx.wishes.find([owner for owner in owners if owner.kind == "person"], fresh)]
    if len(found) < len(fresh):  # some may be of what people raised in one space alone
        _raise_in_spaces(tx, [owner for owner in owners if owner.kind == "space"], fresh)
    return sum(_carry_out(tx, person, wish, stored.get(wish.digest)) for person, wish in found)


def _raise_in_spaces(tx: Tx, spaces: Iterable[Owner], fresh: Collection[Wish]) -> None:
    for space in spaces:
        names = tx.moving.names(space)
        members = [member.user for member in tx.members.list(space.id)]
        for name in tx.wishes.find_in(space.platform, members, names, fresh):
            person, level = (
                tx.owners.ensure("person", space.platform, name),
                tx.wishes.level_in(space.platform, name, names),
            )
            if level > tx.members.level(space.id, person):
                raise_in(tx, space.id, person, level_of(level), actor=name)


def _carry_out(tx: Tx, person: Owner, wish: Wish, former: Wish | None) -> bool:
    """Erase the person, if that is what is new; returns whether it is."""
    level = wish.merged(former or wish).level
    if level != privacy_of(tx, person.id):
        tx.privacy.put(person.id, level)
        if level == PrivacyLevel.FULL:
            tx.limits.end_rests(person.id)
        tx.audit.add(person.id, 0, "privacy", actor=person.name, reason=level_of(level).name)
    if wish.erased_at is not None and (former is None or former.erased_at is None or former.erased_at < wish.erased_at):
        erase_again(tx, person)
        return True
    tx.tasks.add_follow_up(person.id, HIDE, {"lowers": False}, WAIT)
    return False
