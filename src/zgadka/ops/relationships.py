"""What two people of a space are to each other: remember it, and recall it in a walk from one person outwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, LimitReached, NoAccess, Refused, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    is_shown,
    narrowed,
    reading_scope,
    refuse_invisible,
    refuse_others,
    speaker_of,
)
from zgadka.ops.contradictions import MOST_KNOWN, excluded, said_against
from zgadka.ops.paging import place_after
from zgadka.ops.remember import New, fresh, no_room
from zgadka.ops.sources import said_in
from zgadka.stores.tx import Tx
from zgadka.text.contradictions import has_one_at_a_time
from zgadka.text.relations import canonical_relation, is_directed, is_mutual, normalise_relation

_MOST_PEOPLE = 500
"""A walk looks at the relations of so many people at most."""


@dataclass(frozen=True, kw_only=True)
class NewRelation:
    """What is said of two people.

    Attributes:
        word: What the first is to the second, in any spelling.
        mutual: Whether it holds both ways, for words of which that is not known.
        description: What else is said of it; may be empty.
    """

    word: str
    mutual: bool = False
    description: str = ""


@dataclass(frozen=True)
class Tie:
    """One relation as the walk came to it.

    Attributes:
        path: Owner ids from the person asked about to the far one of the two; the last but one is the near one.
    """

    memory: StoredMemory
    path: tuple[int, ...]


@dataclass(frozen=True)
class Ties:
    """The nearest relations, near ones first; `total` counts all that were reached, `goes_on`: more follow."""

    nearest: tuple[Tie, ...]
    total: int
    goes_on: bool = False


def remember_relationship(
    tx: Tx, turn: Turn, user_id: int, related: int, new: NewRelation
) -> Remembered | AlreadyKnown | Changed | LimitReached | NoAccess | Refused:
    """Keep what one person is to another; said again, or the other way round, it is the same.

    The speaker may say it of themselves and another, or of two others, where people may change each other's memories;
    where they are asked, of themselves and another who agrees.
    """
    word = normalise_relation(new.word)
    if not word:
        return Refused(f"relationship must be a word such as friend or parent, not {new.word[:60]!a}")
    if new.mutual and is_directed(word):
        return Refused(f"{word} cannot hold both ways; leave mutual out")
    ensure_speaker(tx, turn)
    people = _pair(tx, turn, user_id, related)
    if not isinstance(people, tuple):
        return people
    if (refusal := refuse_invisible(tx, turn)) is not None:
        return refusal
    tx.members.mark_present(ensure_space(tx, turn), speaker_of(tx, turn))
    outcome = _store(tx, turn, communal_scope(tx, turn), people, replace(new, word=word))
    if not isinstance(outcome, Remembered | Changed):
        return outcome
    scopes = [
        scope for scope in (reading_scope(tx, turn, id_) for id_ in (user_id, related)) if isinstance(scope, Scope)
    ]
    contradictions = (*outcome.also_known, *said_against(tx, scopes, outcome.memory))
    return replace(outcome, also_known=contradictions[:MOST_KNOWN])


def identity(people: Sequence[int], mutual: bool) -> str:
    """The canonical form of a relation: who it is about, in which direction."""
    return "=".join(map(str, sorted(people))) if mutual else ">".join(map(str, people))


def _pair(tx: Tx, turn: Turn, user_id: int, related: int) -> tuple[int, int] | NoAccess | Refused:
    """The owner ids of the two people, when both may be written about here."""
    owners: list[int] = []
    for number in (user_id, related):
        scope = reading_scope(tx, turn, number)
        if isinstance(scope, NoAccess):
            return scope
        owners.append(scope.owner)
    source, target = owners
    if source == target:
        return Refused("user_id and related_user_id must be two different people")
    if tx.settings.others_may_change != "allow" and speaker_of(tx, turn) not in owners:
        return NoAccess(user_id, "only the two themselves may say what they are to each other")
    return refuse_others(tx, turn, owners) or (source, target)


def _store(
    tx: Tx, turn: Turn, scope: Scope, people: tuple[int, int], new: NewRelation
) -> Remembered | AlreadyKnown | Changed | LimitReached:
    word, swapped = canonical_relation(new.word)
    mutual = new.mutual or is_mutual(word)
    people = (people[1], people[0]) if swapped else people
    relations = tx.memories.list_relations(scope, people[0])
    between_them = [relation for relation in relations if relation.type == word and set(relation.people) == set(people)]
    if mutual and len(between_them) == 2:  # each way was said on its own
        return _confirm(tx, turn, scope, between_them[0], new, mutual=False)
    for relation in between_them:
        if mutual or relation.mutual or relation.people == people:
            return _confirm(tx, turn, scope, relation, new, mutual=mutual)
    if (full := no_room(tx, scope, "relation", tx.settings.max_facts)) is not None:
        return full
    memory = replace(
        fresh(tx, turn, scope, New(content=new.description)),
        id=tx.next_id("memory"),
        kind="relation",
        type=word,
        canonical=identity(people, mutual),
        mutual=mutual,
        people=people,
    )
    persist.add(tx, memory, "created", actor=turn.user_key)
    if has_one_at_a_time(word):
        relations += tx.memories.list_relations(scope, people[1])
    return Remembered(memory, also_known=excluded(memory, relations))


def _confirm(
    tx: Tx, turn: Turn, scope: Scope, relation: StoredMemory, new: NewRelation, *, mutual: bool
) -> AlreadyKnown | Changed:
    both_ways = relation.mutual is True or mutual
    content = new.description or relation.content
    is_other = (content, both_ways) != (relation.content, relation.mutual)
    updated = replace(
        relation,
        content=content,
        mutual=both_ways,
        canonical=identity(relation.people, both_ways),
        evidence=relation.evidence + 1,
        # Who only repeats it is not its author; one's own word about oneself is.
        said_by=turn.user_key if is_other or speaker_of(tx, turn) in relation.people else relation.said_by,
        chat=_described_in(turn, relation, new),
    )
    if not is_other:
        return AlreadyKnown(persist.put(tx, relation, updated, "confirmed", actor=turn.user_key))
    updated = narrowed(turn, scope, updated)
    return Changed(persist.put(tx, relation, updated, "updated", actor=turn.user_key), relation)


def _described_in(turn: Turn, relation: StoredMemory, new: NewRelation) -> str | None:
    """The chat with which a relation's description is closed: who says no more than the relation tells none."""
    if relation.content and not new.description:
        return relation.chat
    return said_in(turn, relation) if new.description == relation.content else said_in(turn)


def recall_relationships(
    tx: Tx, turn: Turn, user_id: int, *, word: str | None, depth: int, limit: int, after: int | None = None
) -> Ties | NoAccess:
    """The relations of a person, then of those whom these name, to a depth.

    Only people who are here and want to be remembered are shown, and the walk goes through nobody else.

    Args:
        word: Follow relations of this word or its inverse only. None: of every word.
        depth: 1: only the person's own.
        after: Only those behind this relation. None: from the nearest on.

    Raises:
        InvalidInput: That one is not among them.
    """
    person_scope = reading_scope(tx, turn, user_id)
    if isinstance(person_scope, NoAccess):
        return person_scope
    scope = communal_scope(tx, turn)
    wanted = None if word is None else canonical_relation(normalise_relation(word))[0]
    speaker = speaker_of(tx, turn)

    @cache
    def is_told(person: int) -> bool:
        return is_shown(tx, scope.owner, person, is_speaker=person == speaker)

    paths: dict[int, tuple[int, ...]] = {person_scope.owner: (person_scope.owner,)}
    ties: dict[int, Tie] = {}
    frontier = [person_scope.owner]
    for _ in range(depth):
        reached: list[int] = []
        for person in frontier:
            for memory in tx.memories.list_relations(scope, person):
                related = memory.people[1] if memory.people[0] == person else memory.people[0]
                if memory.id in ties or wanted not in (None, memory.type) or not is_told(related):
                    continue
                ties[memory.id] = Tie(memory, (*paths[person], related))
                if related not in paths and len(paths) < _MOST_PEOPLE:
                    paths[related] = (*paths[person], related)
                    reached.append(related)
        frontier = reached
    start = 0 if after is None else place_after([*ties], after)
    nearest = tuple(ties.values())[start : start + limit]
    return Ties(nearest, len(ties), start + len(nearest) < len(ties))
