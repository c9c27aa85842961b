"""What is a person's: the same for the list, the own page, the export, clearing and erasing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from operator import not_
from typing import Literal

from zgadka.model.memory import StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import direct_chat, speaker_of
from zgadka.stores.tx import Tx
from zgadka.stores.tx.trail import standing_changes

Verb = Literal["list", "export", "clear", "erase"]
_GONE = ("cleared", "deleted")
"""What was done last to what is hidden and is not there to be cleared."""


@dataclass(frozen=True)
class Belongings:
    """What is a person's.

    Attributes:
        own: What is about nobody else, or says what somebody is to them; the notes of a space that they alone made.
        shared: What has others in it, and notes of others that name them: they only leave these, or hide them.
    """

    own: tuple[StoredMemory, ...]
    shared: tuple[StoredMemory, ...]

    @property
    def all(self) -> tuple[StoredMemory, ...]:
        """Both."""
        return (*self.own, *self.shared)

    @property
    def counts(self) -> dict[str, int]:
        """How many facts, notes, episodes and relations are the person's own; archived ones too."""
        by_kind = Counter(memory.kind for memory in self.own)
        return {f"{kind}s": by_kind[kind] for kind in ("fact", "note", "episode", "relation")}


def mine(tx: Tx, turn: Turn, verb: Verb) -> Belongings:
    """What is the speaker's on the platform: in every space and persona lineage, at every level, archived or not.

    Args:
        verb: What is to be done with it. What they said of others and of spaces is listed, exported and erased with
            them; only what is about them is cleared.
    """
    return mine_of(tx, speaker_of(tx, turn), verb)


def mine_of(tx: Tx, person: int, verb: Verb) -> Belongings:
    """The same of a person."""
    parts = [mine_in(tx, owner, person, verb) for owner in owners_with(tx, person)]
    return Belongings(
        tuple(memory for part in parts for memory in part.own),
        tuple(memory for part in parts for memory in part.shared),
    )


def owners_with(tx: Tx, person: int) -> list[int]:
    """Whose rows hold what is a person's: they themselves, their direct chat, and spaces with them as a subject."""
    direct = direct_chat(tx, person)
    spaces = {*tx.memories.spaces_with_person(person), *([] if direct is None else [direct])}
    return [person, *sorted(spaces)]


def mine_in(tx: Tx, owner: int, person: int, verb: Verb) -> Belongings:
    """What is the person's of one owner's rows: all of their own and of their direct chat's."""
    if owner in (person, direct_chat(tx, person)):
        return Belongings(tuple(tx.memories.list_all(owner)), ())
    role = "about" if verb == "clear" else ""
    memories = tx.memories.list_with_person(owner, person, role)
    if verb == "clear":
        memories = [memory for memory in memories if _is_there(tx, memory, person)]
    is_whole = list(map(owned_by(tx, person), memories))
    return Belongings(tuple(compress(memories, is_whole)), tuple(compress(memories, map(not_, is_whole))))


def is_own(tx: Tx, memory: StoredMemory, person: int) -> bool:
    """Whether what a person is a subject of has nobody else in it, or is their relation to somebody."""
    return owned_by(tx, person)(memory)


def owned_by(tx: Tx, person: int) -> Callable[[StoredMemory], bool]:
    """What tells that of many memories, for the person is looked up once."""
    homes, known = {person, direct_chat(tx, person)}, tx.owners.find_by_id(person)
    name = None if known is None else known.name

    def is_theirs(memory: StoredMemory) -> bool:
        if memory.kind == "relation" or memory.owner in homes:
            return True
        return set(memory.people) <= {person} and (memory.kind != "note" or memory.said_by == name)

    return is_theirs


def written_by(tx: Tx, person: int) -> Callable[[StoredMemory], bool]:
    """What tells of each memory whether it is a note in the person's words, whoever is named in it."""
    known = tx.owners.find_by_id(person)
    return lambda memory: memory.kind == "note" and known is not None and memory.said_by == known.name


def _is_there(tx: Tx, memory: StoredMemory, person: int) -> bool:
    """Whether there is something left to clear: what was hidden because the person had it cleared is not.

    What somebody else in it had cleared is there: their undo must not bring it back.
    """
    if not memory.withheld:
        return True
    standing = standing_changes(tx.audit.history(memory.owner, memory.id))
    if not standing or standing[-1].action not in _GONE:
        return bool(standing)  # else its trail went with somebody erased
    clearings = [event for event in standing if event.action == "cleared"]
    is_of_others = memory.kind == "note" and not set(memory.people) <= {person}
    return is_of_others and bool(clearings) and all(event.actor != tx.owners.get(person).name for event in clearings)
