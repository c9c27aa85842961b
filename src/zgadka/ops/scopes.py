"""Whom a turn may read and change: the speaker comes from the turn, others must be known in its space."""

from __future__ import annotations

from zgadka.model.memory import Scope
from zgadka.model.outcome import NoAccess
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

_UNKNOWN = -1
"""A space or person that has no row: no memory can belong to it."""


def speaker_scope(tx: Tx, turn: Turn) -> Scope:
    """The speaker's memories that may be seen here; for reading and deleting, so nothing is created."""
    return Scope(_person(tx, turn, turn.user_name), find_space(tx, turn), turn.persona)


def reading_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The memories, seen here, of the person whom a tool named."""
    person = _named(tx, turn, user_id)
    return person if isinstance(person, NoAccess) else Scope(person, find_space(tx, turn), turn.persona)


def writing_scope(tx: Tx, turn: Turn, user_id: int) -> Scope | NoAccess:
    """The same for a change; what is new has rows from now on."""
    # The space's own rows are not touched: one operation changes rows of one owner.
    speaker = tx.ensure_owner("person", turn.platform, turn.user_name)
    space = ensure_space(tx, turn)
    person = _named(tx, turn, user_id)
    if isinstance(person, NoAccess):
        return person
    if person != speaker and tx.settings.others_may_change != "allow":
        return NoAccess(user_id, "only they themselves may change what is remembered about them")
    return Scope(person, space, turn.persona)


def ensure_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn, new where it was not known."""
    kind, name = turn.place
    return tx.ensure_owner(kind, turn.platform, name)


def find_space(tx: Tx, turn: Turn) -> int:
    """The space of the turn; a number that owns nothing where it is not known."""
    kind, name = turn.place
    found = tx.find_owner(kind, turn.platform, name)
    return _UNKNOWN if found is None else found


def _named(tx: Tx, turn: Turn, user_id: int) -> int | NoAccess:
    if user_id == turn.user_number or str(user_id) == turn.user_name:
        return _person(tx, turn, turn.user_name)
    person = tx.person_by_number(turn.platform, user_id)
    member = None if person is None else tx.member(find_space(tx, turn), person)
    if person is None or member is None or member.left_at is not None or member.kind != "person":
        return NoAccess(user_id, "no person with this user_id is known here")
    return person


def _person(tx: Tx, turn: Turn, name: str) -> int:
    found = tx.find_owner("person", turn.platform, name)
    return _UNKNOWN if found is None else found
