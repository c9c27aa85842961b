"""List memories: all of the speaker's own, or what changed last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from zgadka.model.memory import EVERYWHERE, Owner, StoredMemory
from zgadka.model.outcome import NoAccess
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.access import (
    communal_scope,
    find_space,
    hidden,
    invisible,
    is_shown,
    newest_first,
    own_scope,
    privacy_of,
    speaker_of,
    told_scopes,
)
from zgadka.ops.belongings import mine, written_by
from zgadka.ops.forget import deletable_here
from zgadka.ops.place_names import called
from zgadka.ops.relation_names import with_names
from zgadka.stores.tx import Tx


@dataclass(frozen=True)
class Place:
    """Where memories may be seen.

    Attributes:
        owner: A space or a direct chat; None: everywhere.
        called: What the person knows it by.
        readers: The names of the groups of readers there who may be told; empty: all who read it.
    """

    owner: Owner | None
    called: str
    readers: tuple[str, ...]
    memories: tuple[StoredMemory, ...]


@dataclass(frozen=True)
class Listing:
    """What there is of a person, for them alone.

    Attributes:
        memories: Live ones, newest first; also notes in the person's own words that name others.
        shared: Episodes with others, and notes of others that name the person; their texts are not only theirs.
        with_others: The names of the others in episodes, by memory.
        places: All of them by where they may be seen, the place with the newest first.
        deletable: The ids of those that `forget` deletes where the list is read.
    """

    level: PrivacyLevel
    memories: tuple[StoredMemory, ...]
    shared: tuple[StoredMemory, ...]
    with_others: Mapping[int, tuple[str, ...]]
    places: tuple[Place, ...]
    deletable: frozenset[int]

    @property
    def shared_ids(self) -> set[int]:
        """The ids of those that are shared."""
        return {memory.id for memory in self.shared}

    @property
    def spaces(self) -> dict[int, Owner]:
        """The spaces that memories are seen in, by owner id."""
        return {place.owner.id: place.owner for place in self.places if place.owner is not None}


def listing(tx: Tx, turn: Turn) -> Listing:
    """Everything that is the speaker's, wherever and by whatever persona, at every privacy level."""
    person, belongings = speaker_of(tx, turn), mine(tx, turn, "list")
    untold = hidden(tx, belongings.all, but=person)
    theirs = (*belongings.own, *filter(written_by(tx, person), belongings.shared))
    own = newest_first(with_names(tx, (row for row in theirs if not row.archived and row.id not in untold)))
    own_ids = {memory.id for memory in own}
    others = (row for row in belongings.shared if row.id not in own_ids and not (row.archived or row.withheld))
    shared = newest_first(memory for memory in others if person in memory.people)  # some have left an episode
    return Listing(
        level=privacy_of(tx, person),
        memories=tuple(own),
        shared=tuple(shared),
        with_others=_others(tx, [*own, *shared], person),
        places=_places(tx, newest_first([*own, *shared]), person),
        deletable=frozenset(memory.id for memory in filter(deletable_here(tx, turn), own)),
    )


def own_memories(tx: Tx, turn: Turn) -> list[StoredMemory] | NoAccess:
    """The speaker's memories that are seen here, newest first; to them alone, in their direct chat, all of theirs.

    Not what has others in it: see `listing`.
    """
    if not turn.direct:
        return told_memories(tx, turn)
    return list(listing(tx, turn).memories)


def told_memories(tx: Tx, turn: Turn) -> list[StoredMemory] | NoAccess:
    """The speaker's memories that a model is told here, newest first; in their direct chat, those of every space."""
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    spaces = tx.memories.spaces_of(scope) if turn.direct else [scope.space]
    seen = {
        memory.id: memory
        for space in spaces
        for memory in tx.memories.list_visible(
            replace(scope, space=space, audiences=None if turn.direct else scope.audiences)
        )
    }
    if turn.direct:  # what belongs to their direct chat belongs to nobody else
        seen |= {memory.id: memory for memory in tx.memories.list_visible(communal_scope(tx, turn))}
    return newest_first(seen.values())


def kept_of(tx: Tx, turn: Turn, message: int) -> list[StoredMemory]:
    """What is remembered about the speaker here that a message of the turn's place says, newest first.

    By its sources, not by time: the platform's clock is not the machine's.
    """
    scope = own_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return []
    made = tx.memories.get_many(scope.owner, tx.memories.made_from(scope.owner, find_space(tx, turn), message))
    return newest_first(memory for memory in made.values() if scope.shows(memory) and not memory.archived)


def made_of_message(tx: Tx, turn: Turn, about: Turn) -> list[StoredMemory]:
    """The speaker's memories, of those that are seen here, that were made from a message in the turn's chat.

    Args:
        about: Names the message; anybody's.
    """
    space, memories = find_space(tx, turn), own_memories(tx, turn)
    said = tx.messages.find_said(space, about)
    if said is None or isinstance(memories, NoAccess):
        return []
    made = set(tx.memories.made_from(speaker_of(tx, turn), space, said.id))
    return [memory for memory in memories if memory.id in made]


def recent_memories(tx: Tx, turn: Turn, limit: int) -> list[StoredMemory]:
    """The speaker's memories seen here and those of the space, newest first; of the speaker none who wants none.

    Relations only between people who are here and want to be remembered.
    """
    return with_names(tx, newest_first(_seen_here(tx, turn))[:limit])


def seen_memory(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    """The memory with this id, where it is among `recent_memories`, however old."""
    found = [row for row in _seen_here(tx, turn) if row.id == memory_id]
    return next(iter(with_names(tx, found)), None)


def _seen_here(tx: Tx, turn: Turn) -> list[StoredMemory]:
    own, communal = told_scopes(tx, turn)
    space, speaker = find_space(tx, turn), speaker_of(tx, turn)

    def is_told(memory: StoredMemory) -> bool:
        people = memory.people if memory.kind == "relation" else ()
        return all(is_shown(tx, space, person, is_speaker=person == speaker) for person in people)

    visible = [] if communal is None else [row for row in tx.memories.list_visible(communal) if is_told(row)]
    return visible + ([] if own is None else list(tx.memories.list_visible(own)))


def _places(tx: Tx, memories: Sequence[StoredMemory], viewer: int) -> tuple[Place, ...]:
    by_place: dict[tuple[int, int], list[StoredMemory]] = {}
    for memory in memories:
        by_place.setdefault((memory.space, memory.audience), []).append(memory)
    owners = {space: tx.owners.get(space) for space, _ in by_place if space != EVERYWHERE}
    names = {space: called(tx, owner, viewer) for space, owner in owners.items()}
    return tuple(
        Place(
            owners.get(space),
            names.get(space, ""),
            tx.audiences.list(space).get(audience, ()) if audience else (),
            tuple(rows),
        )
        for (space, audience), rows in by_place.items()
    )


def _others(tx: Tx, memories: Iterable[StoredMemory], person: int) -> dict[int, tuple[str, ...]]:
    """The names of the others in episodes, by memory, without those who are invisible to memory."""
    by_space: dict[int, list[StoredMemory]] = {}
    for memory in memories:
        if memory.kind == "episode":
            by_space.setdefault(memory.owner, []).append(memory)
    with_others: dict[int, tuple[str, ...]] = {}
    for space, rows in by_space.items():
        everybody = {participant for memory in rows for participant in memory.people} - {person}
        visible = everybody - invisible(tx, everybody, space)
        names = {participant: names[-1] for participant, names in tx.members.names(space, visible).items() if names}
        names |= {participant: tx.owners.get(participant).name for participant in visible - names.keys()}
        for memory in rows:
            with_others[memory.id] = tuple(names[participant] for participant in memory.people if participant in names)
    return {memory: participants for memory, participants in with_others.items() if participants}
