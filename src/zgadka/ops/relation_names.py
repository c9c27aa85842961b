"""Relations with the names of their two people, as the space knows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from zgadka.model.memory import Event, NamedRelation, Scope, StoredMemory
from zgadka.model.turn import Turn
from zgadka.ops.access import find_space, is_shown, speaker_of
from zgadka.stores.tx import Tx
from zgadka.text.relations import spellings_of
from zgadka.text.words import index_words


def with_names(tx: Tx, memories: Iterable[StoredMemory]) -> list[StoredMemory]:
    """The same memories, relations with the names of their people; who has none goes by the platform's id."""
    memories = list(memories)
    people: defaultdict[int, set[int]] = defaultdict(set)
    for memory in memories:
        if memory.kind == "relation":
            people[memory.owner].update(memory.people)
    names = {(space, person): name for space, of in people.items() for person, name in names_of(tx, space, of).items()}
    return [
        NamedRelation(**vars(memory), names=tuple(names[memory.owner, person] for person in memory.people))
        if memory.kind == "relation" and not isinstance(memory, NamedRelation)
        else memory
        for memory in memories
    ]


def names_of(tx: Tx, space: int, people: Iterable[int]) -> dict[int, str]:
    """What people are called in a space; without a name there, the platform's id."""
    people = set(people)
    called = {person: names[-1] for person, names in tx.members.names(space, people).items() if names}
    unnamed = {person: tx.owners.get(person).name for person in people - called.keys() if tx.owners.exists(person)}
    return dict.fromkeys(people, "…") | called | unnamed


def with_names_in_trail(tx: Tx, trail: Iterable[Event]) -> list[Event]:
    """The trail, the states of a relation with the names of its people."""
    events = list(trail)
    states = [state for event in events for state in (event.before, event.after) if state is not None]
    if not any(state.kind == "relation" for state in states):
        return events
    named = iter(with_names(tx, states))
    return [
        replace(
            event,
            before=None if event.before is None else next(named),
            after=None if event.after is None else next(named),
        )
        for event in events
    ]


def relations_told(tx: Tx, turn: Turn, scope: Scope | None, person: int | None = None) -> list[StoredMemory]:
    """The space's relations between people who are here and want to be remembered, with their names.

    Args:
        scope: The space's; None: it may not be told.
        person: The owner id of a person: only theirs. None: everybody's.
    """
    if scope is None or turn.direct:
        return []
    space, speaker = find_space(tx, turn), speaker_of(tx, turn)

    @cache
    def is_told(other: int) -> bool:
        return is_shown(tx, space, other, is_speaker=other == speaker)

    every = tx.memories.list_of_kind(scope, "relation") if person is None else tx.memories.list_relations(scope, person)
    return with_names(tx, (relation for relation in every if all(map(is_told, relation.people))))


def words_of(relation: StoredMemory) -> Sequence[str]:
    """The words that find a relation: its own, the names of its people, and the other words for what they are."""
    return index_words(f"{relation.text} {spellings_of(relation.type or '')}")
