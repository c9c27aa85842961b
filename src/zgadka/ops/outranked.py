"""What was found and stands below something else: another's word, and a note that a newer fact contradicts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found
from zgadka.model.record import replaced
from zgadka.ops.persist import holds
from zgadka.stores.tx import Tx
from zgadka.text.contradictions import claim, keys_told, says_otherwise

_HEARSAY_WEIGHT = 0.9
"""What another said of a person stands behind their own word among equals."""
_CONTRADICTED_WEIGHT = 0.7
_BELOW = 0.99

_FactsWithKey = Callable[[int, str], Sequence[tuple[StoredMemory, float | None]]]


def settle(tx: Tx, scopes: Sequence[Scope], matches: Sequence[Found], *, explain: bool) -> tuple[Found, ...]:
    """The same, best first, with what stands below something else lowered."""
    people = {scope.owner: scope for scope in scopes if not scope.communal}
    names = {owner: tx.owners.get(owner).name for owner in {match.memory.owner for match in matches} & people.keys()}

    def with_key(owner: int, key: str) -> Sequence[tuple[StoredMemory, float | None]]:
        found = [
            (match.memory, match.score) for match in matches if (match.memory.owner, match.memory.key) == (owner, key)
        ]
        return found or [(fact, None) for fact in tx.memories.list_with_key(people[owner], key)]

    lowered: dict[int, Found] = {}
    for index, match in enumerate(matches):
        weights, fact = lowering(tx, names, match.memory, match.score, with_key)
        if weights:
            why = {**match.why, **weights} if explain else match.why
            score = match.score * math.prod(weights.values())
            lowered[index] = replaced(match, score=score, why=why, contradicts=fact and fact.id)
    settled = (lowered.get(index, match) for index, match in enumerate(matches))
    return tuple(sorted(settled, key=lambda match: -match.score) if lowered else matches)


def lowering(
    tx: Tx, names: Mapping[int, str], memory: StoredMemory, score: float, with_key: _FactsWithKey
) -> tuple[dict[str, float], StoredMemory | None]:
    """What lowers a memory's score, by the reason, and the fact that contradicts it.

    Args:
        names: The platform's names of the people whom memories are about, by owner.
        with_key: A person's facts with a key, in the order in which they are looked at, each with its score, if any.
    """
    weights: dict[str, float] = {}
    if names.get(memory.owner, memory.said_by) != memory.said_by and memory.kind in ("fact", "note"):
        weights["hearsay"] = _HEARSAY_WEIGHT
    is_note = memory.kind == "note" and memory.owner in names
    fact, score_of_fact = _contradicting(tx, memory, with_key) if is_note else (None, None)
    if fact is not None:
        below = [_BELOW * score_of_fact / score] if score_of_fact is not None and score else []
        weights["contradicted"] = min([_CONTRADICTED_WEIGHT, *below])
    return weights, fact


def _contradicting(tx: Tx, note: StoredMemory, with_key: _FactsWithKey) -> tuple[StoredMemory | None, float | None]:
    """The newer fact that says otherwise than a note, where one holds now, and its score."""
    read = claim(note.content)
    for key in keys_told(note.content):
        for fact, score in with_key(note.owner, key):
            is_newer = (fact.said_at or fact.updated_at) > (note.said_at or note.updated_at)
            is_otherwise = says_otherwise(read, key, fact.content) == "contradiction"
            if is_newer and is_otherwise and holds(fact, tx.now):
                return fact, score
    return None, None
