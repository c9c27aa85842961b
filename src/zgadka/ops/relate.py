"""Remember what two people of a space are to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, LimitReached, NoAccess, Refused, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.scopes import changing_scope, communal_scope, ensure_space, person_named, reading_scope
from zgadka.stores.tx import Tx
from zgadka.text.relations import is_directed, is_mutual, kept_as, normalise_relation


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


def remember_relationship(
    tx: Tx, turn: Turn, user_id: int, related: int, new: NewRelation
) -> Remembered | AlreadyKnown | Changed | LimitReached | NoAccess | Refused:
    """Keep what one person is to another; said again, or the other way round, it is the same.

    The speaker may say it of themselves and another, unless the other has to be asked; of two others only where
    people may change each other's memories.
    """
    word = normalise_relation(new.word)
    if not word:
        return Refused(f"relationship must be a word such as friend or parent, not {new.word[:60]!a}")
    if new.mutual and is_directed(word):
        return Refused(f"{word} cannot hold both ways; leave mutual out")
    tx.ensure_owner("person", turn.platform, turn.user_name)
    people = _both(tx, turn, user_id, related)
    if not isinstance(people, tuple):
        return people
    tx.see_member(ensure_space(tx, turn), person_named(tx, turn, turn.user_name))
    return _kept(tx, turn, communal_scope(tx, turn), people, replace(new, word=word))


def identity(people: Sequence[int], mutual: bool) -> str:
    """The canonical form of a relation: who it is about, in which direction."""
    return "=".join(map(str, sorted(people))) if mutual else ">".join(map(str, people))


def _both(tx: Tx, turn: Turn, user_id: int, related: int) -> tuple[int, int] | NoAccess | Refused:
    """The owner ids of the two people, when both may be written about here."""
    found: list[int] = []
    for number in (user_id, related):
        scope = reading_scope(tx, turn, number)
        if isinstance(scope, NoAccess):
            return scope
        found.append(scope.owner)
    first, second = found
    if first == second:
        return Refused("user_id and related_user_id must be two different people")
    speaker = person_named(tx, turn, turn.user_name)
    others = [(one, number) for one, number in ((first, user_id), (second, related)) if one != speaker]
    if tx.settings.others_may_change != "allow" and len(others) > 1:
        return NoAccess(user_id, "only the two themselves may say what they are to each other")
    if tx.settings.others_may_change == "ask":
        asked = changing_scope(tx, turn, *others[0])
        if isinstance(asked, NoAccess):
            return asked
    return first, second


def _kept(
    tx: Tx, turn: Turn, scope: Scope, people: tuple[int, int], new: NewRelation
) -> Remembered | AlreadyKnown | Changed | LimitReached:
    word, swapped = kept_as(new.word)
    mutual = new.mutual or is_mutual(word)
    people = (people[1], people[0]) if swapped else people
    same = [one for one in tx.relations_of(scope, people[0]) if one.type == word and set(one.people) == set(people)]
    if mutual and len(same) == 2:  # each way was said on its own
        return _repeated(tx, turn, same[0], new, mutual=False)
    for known in same:
        if mutual or known.mutual or known.people == people:
            return _repeated(tx, turn, known, new, mutual)
    if (count := tx.live_count(scope.owner, scope.lineage, "relation")) >= tx.settings.max_facts:
        return LimitReached(count, tx.settings.max_facts)
    memory = StoredMemory(
        owner=scope.owner,
        id=tx.next_id("memory"),
        kind="relation",
        space=scope.space,
        lineage=scope.lineage,
        type=word,
        key=None,
        content=new.description,
        canonical=identity(people, mutual),
        confidence=1.0,
        evidence=1,
        excerpt=None,
        tags=(),
        permanent=False,
        archived=False,
        version=1,
        said_by=turn.user_name,
        created_at=tx.now,
        updated_at=tx.now,
        mutual=mutual,
        people=people,
    )
    keep.add(tx, memory, "created", actor=turn.user_name)
    return Remembered(memory)


def _repeated(tx: Tx, turn: Turn, known: StoredMemory, new: NewRelation, mutual: bool) -> AlreadyKnown | Changed:
    both_ways = known.mutual is True or mutual
    said = replace(
        known,
        content=new.description or known.content,
        mutual=both_ways,
        canonical=identity(known.people, both_ways),
        evidence=known.evidence + 1,
        said_by=turn.user_name,
    )
    if (said.content, said.mutual) == (known.content, known.mutual):
        return AlreadyKnown(keep.put(tx, known, said, "confirmed", actor=turn.user_name))
    return Changed(keep.put(tx, known, said, "updated", actor=turn.user_name), known)
