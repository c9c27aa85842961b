"""What was found and stands below something else: another's word, and a note that a newer fact contradicts."""

from __future__ import annotations

import math
from collections.abc import Sequence

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


def settle(tx: Tx, scopes: Sequence[Scope], matches: Sequence[Found], *, explain: bool) -> tuple[Found, ...]:
    """The same, best first, with what stands below something else lowered."""
    people = {scope.owner: scope for scope in scopes if not scope.communal}
    names = {owner: tx.owners.get(owner).name for owner in {match.memory.owner for match in matches} & people.keys()}
    lowered: dict[int, Found] = {}
    for index, match in enumerate(matches):
        memory, weights = match.memory, dict[str, float]()
        if names.get(memory.owner, memory.said_by) != memory.said_by and memory.kind in ("fact", "note"):
            weights["hearsay"] = _HEARSAY_WEIGHT
        fact = _contradicting(tx, people.get(memory.owner), memory, matches) if memory.kind == "note" else None
        if fact is not None:
            scores = [candidate.score for candidate in matches if candidate.memory.id == fact.id and match.score]
            weights["contradicted"] = min([_CONTRADICTED_WEIGHT, *(_BELOW * score / match.score for score in scores)])
        if weights:
            why = {**match.why, **weights} if explain else match.why
            score = match.score * math.prod(weights.values())
            lowered[index] = replaced(match, score=score, why=why, contradicts=fact and fact.id)
    settled = (lowered.get(index, match) for index, match in enumerate(matches))
    return tuple(sorted(settled, key=lambda match: -match.score) if lowered else matches)


def _contradicting(tx: Tx, scope: Scope | None, note: StoredMemory, matches: Sequence[Found]) -> StoredMemory | None:
    """The newer fact that says otherwise than a note, where one holds now."""
    if scope is None:
        return None
    read = claim(note.content)
    for key in keys_told(note.content):
        rows = [match.memory for match in matches if match.memory.key == key and match.memory.owner == note.owner]
        for fact in rows or tx.memories.list_with_key(scope, key):
            is_newer = (fact.said_at or fact.updated_at) > (note.said_at or note.updated_at)
            is_otherwise = says_otherwise(read, key, fact.content) == "contradiction"
            if is_newer and is_otherwise and holds(fact, tx.now):
                return fact
    return None
