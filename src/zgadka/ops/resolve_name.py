"""Whom a display name means, in a space."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from zgadka.model.people import Member
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, speaker_of
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

_MENTION = re.compile(r"<@!?(?P<discord>\d+)>|tg://user\?id=(?P<telegram>\d+)|@?(?P<name>.*)", re.DOTALL)
_SHOWN = 3


@dataclass(frozen=True)
class Ambiguity:
    """Several members fit the name; at most three are listed."""

    candidates: tuple[Member, ...]


def resolve(tx: Tx, turn: Turn, name: str) -> Member | Ambiguity | None:
    """Whom the name means: by exact id, then by nickname or name, folded and script-blind. None: nobody.

    A mention means whom its id names, and nobody who calls themselves by it.

    Nicknames are chosen freely: one that is another's name makes both ambiguous, and takes nothing from the other.
    People who left are found too, where nobody who is here goes by the name.
    """
    match = _MENTION.fullmatch(name.strip())
    wanted = (match[match.lastgroup or "name"] or "").strip() if match else ""
    folded = canonical(wanted)
    if not folded:
        return None
    members = _members(tx, turn)
    for id_ in (name, wanted):  # as it is given first: "u1 " is another person than "u1"
        if id_ in (turn.user_key, str(turn.user_number)):
            same_user = [member for member in members if member.user == turn.user_key]
            return same_user[0] if same_user else Member(user=turn.user_key, number=turn.user_number)
        if named := [member for member in members if id_ in (member.user, str(member.number))]:
            return _chosen(named)
    if match is None or match.lastgroup != "name":
        return None
    return _chosen([member for member in members if folded in _names(member)])


def _chosen(candidates: Sequence[Member]) -> Member | Ambiguity | None:
    """Who is meant of those who go by a name: who alone does, else who alone is here."""
    if len({member.user for member in candidates}) == 1:
        return candidates[0]
    present = [member for member in candidates if member.left_at is None]
    if len(present) == 1:
        return present[0]
    return Ambiguity(tuple((present or candidates)[:_SHOWN])) if candidates else None


def _names(member: Member) -> set[str]:
    return {canonical(name) for name in (member.nickname, member.name) if name}


def _members(tx: Tx, turn: Turn) -> Sequence[Member]:
    """Who can be meant; in a direct chat its person alone, by every name that a space has for them."""
    if not turn.direct:
        return tx.members.list(find_space(tx, turn))
    person = speaker_of(tx, turn)
    memberships = [tx.members.get(space, person) for space in tx.members.spaces_of(turn.platform, person)]
    return [replace(member, kind="person", left_at=None) for member in memberships if member is not None]
