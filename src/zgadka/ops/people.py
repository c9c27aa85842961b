"""Whom a display name means, in a space."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from zgadka.model.people import Member
from zgadka.model.turn import Turn
from zgadka.ops.scopes import find_space, person_named
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

_MENTION = re.compile(r"<@!?(\d+)>|@?(.*)", re.DOTALL)
_SHOWN = 3


@dataclass(frozen=True)
class Ambiguity:
    """Several members fit the name; at most three are listed."""

    candidates: tuple[Member, ...]


def resolve(tx: Tx, turn: Turn, name: str) -> Member | Ambiguity | None:
    """Whom the name means: by exact id, then by nickname in the space, then by name; folded and script-blind.

    People who left are found too, for what is remembered about them can still be deleted. None: nobody.
    """
    match = _MENTION.fullmatch(name.strip())
    wanted = (match[1] or match[2]).strip() if match else ""
    folded = canonical(wanted)
    if not folded:
        return None
    members = _members(tx, turn)
    if wanted in (turn.user_name, str(turn.user_number)):
        known = [member for member in members if member.user == turn.user_name]
        return known[0] if known else Member(user=turn.user_name, number=turn.user_number)
    steps = (
        [member for member in members if wanted in (member.user, str(member.number))],
        [member for member in members if member.nickname and canonical(member.nickname) == folded],
        [member for member in members if member.name and canonical(member.name) == folded],
    )
    for found in steps:
        if len({member.user for member in found}) == 1:
            return found[0]
        if found:
            present = [member for member in found if member.left_at is None]
            return present[0] if len(present) == 1 else Ambiguity(tuple((present or found)[:_SHOWN]))
    return None


def _members(tx: Tx, turn: Turn) -> list[Member]:
    """Who can be meant; in a direct chat its person alone, by every name that a space has for them."""
    if not turn.direct:
        return tx.members(find_space(tx, turn))
    person = person_named(tx, turn, turn.user_name)
    known = [tx.member(space, person) for space in tx.spaces_of(turn.platform, person)]
    return [replace(member, kind="person", left_at=None) for member in known if member is not None]
