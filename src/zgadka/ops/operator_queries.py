"""What an operator sees: everything, without a turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zgadka.model.memory import EVERYWHERE, Event, Owner, StoredMemory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused, Stale
from zgadka.ops.audit import take_back
from zgadka.ops.origins import Origin, origin_of, sources_told
from zgadka.ops.relation_names import with_names, with_names_in_trail
from zgadka.stores.tx import Tx
from zgadka.stores.tx.operator_queries import FIRST
from zgadka.stores.tx.operator_queries import Wanted as Rows
from zgadka.text.sanitize import storable
from zgadka.text.words import word_beginnings

_LOOKED_AT = 500

OPERATOR = "operator"
"""The actor of what an operator does."""


@dataclass(frozen=True)
class Kept:
    """A memory with its owner and the space where it may be seen; `space` None: everywhere."""

    owner: Owner
    space: Owner | None
    memory: StoredMemory


def inventory(tx: Tx, *, platform: str | None, user: str | None, space: str | None, archived: bool) -> list[Kept]:
    """All memories, owner by owner; each filter that is None lets everything through."""
    owners = {owner.id: owner for owner in tx.owners.list()}
    wanted = _Wanted(platform=platform, user=user, space=space, archived=archived)
    listed: list[Kept] = []
    for owner in filter(wanted.takes_owner, owners.values()):
        listed += wanted.of(_kept(memory, owners) for memory in with_names(tx, tx.memories.list_all(owner.id)))
    return listed


def find_by_words(
    tx: Tx, text: str, *, platform: str | None, user: str | None, space: str | None, archived: bool, limit: int
) -> list[Kept]:
    """Memories with all these words, or words that begin so, newest first; filters as in `inventory`."""
    looked_for = Rows(words=word_beginnings(storable(text)), hidden=archived)
    owners = {owner.id: owner for owner in tx.owners.list()}
    wanted = _Wanted(platform=platform, user=user, space=space, archived=archived)
    matches: list[Kept] = []
    after = FIRST
    while looked_for.words and len(matches) < limit:
        rows = tx.operator.list_memories(looked_for, after, _LOOKED_AT)
        if not rows:
            break
        after = looked_for.cursor(rows[-1])
        matches += wanted.of(_kept(memory, owners) for memory in with_names(tx, rows) if memory.owner in owners)
    return matches[:limit]


def kept(tx: Tx, memory_id: int) -> Kept | None:
    """Any memory, also an archived one; None when there is none."""
    owner = tx.memories.find_owner(memory_id)
    memory = None if owner is None else tx.memories.get(owner, memory_id)
    if memory is None or not tx.owners.exists(memory.owner):
        return None
    owners = {number: tx.owners.get(number) for number in {memory.owner, memory.space} - {EVERYWHERE}}
    return _kept(with_names(tx, [memory])[0], owners)


@dataclass(frozen=True)
class _Wanted:
    platform: str | None
    user: str | None
    space: str | None
    archived: bool

    def takes_owner(self, owner: Owner) -> bool:
        is_theirs = self.user is None or (owner.kind, owner.name) == ("person", self.user)
        return is_theirs and self.platform in (None, owner.platform)

    def of(self, items: Iterable[Kept]) -> list[Kept]:
        return [
            item
            for item in items
            if self.takes_owner(item.owner)
            and (self.archived or not (item.memory.archived or item.memory.withheld))
            and (self.space is None or (item.space is not None and item.space.name == self.space))
        ]


def _kept(memory: StoredMemory, owners: Mapping[int, Owner]) -> Kept:
    # Of a space whose own row is damaged, nothing is known but its number.
    return Kept(owners[memory.owner], None if memory.space == EVERYWHERE else owners.get(memory.space), memory)


def trail(tx: Tx, memory_id: int) -> list[Event]:
    """The audit trail of any memory, oldest first; empty when it never was."""
    owner = tx.memories.find_owner(memory_id)
    return [] if owner is None else with_names_in_trail(tx, tx.audit.history(owner, memory_id))


def actors_of(tx: Tx, lines: Iterable[tuple[int, str]]) -> dict[tuple[int, str], int]:
    """The owner ids of the people who did something, by whose row they changed and how the trail names them.

    Operators and the engine itself are none.
    """
    people: dict[tuple[int, str], int] = {}
    for owner, actor in set(lines):
        row = tx.owners.find_by_id(owner)
        person = None if row is None else tx.owners.find("person", row.platform, actor)
        if person is not None:
            people[owner, actor] = person
    return people


def actor_names(tx: Tx, lines: Iterable[tuple[int, str]]) -> dict[str, str]:
    """What the people go by who did something, by how the trail names them."""
    people = actors_of(tx, lines)
    names = tx.operator.names_of(people.values())
    return {actor: names[person] for (_, actor), person in people.items() if person in names}


def origin_of_any(tx: Tx, memory_id: int) -> Origin | None:
    """Where any live memory comes from; None when there is none."""
    owner = tx.memories.find_owner(memory_id)
    memory = None if owner is None else tx.memories.get(owner, memory_id)
    if memory is None or memory.archived or memory.withheld:
        return None
    return origin_of(tx, memory, tx.audit.history(memory.owner, memory_id), sources_told(tx, None, memory))


def undo(tx: Tx, memory_id: int) -> Changed | NotFound | Conflict | Refused:
    """Take back the last change of any memory."""
    owner = tx.memories.find_owner(memory_id)
    return NotFound() if owner is None else take_back(tx, owner, memory_id, actor=OPERATOR)


def undo_shown(tx: Tx, memory_id: int, last: int | None) -> Changed | NotFound | Conflict | Refused | Stale:
    """Take back the last change of any memory, if it is the one that was shown.

    Args:
        last: The number of its event; None: nobody knows what was shown.
    """
    owner = tx.memories.find_owner(memory_id)
    if owner is not None and last is not None:
        shown = [event.number for event in tx.audit.history(owner, memory_id)[-1:]]
        if shown != [last]:
            return Stale()
    return undo(tx, memory_id)
