"""Recall the memories of a scope, by words or by what matters most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from heapq import nlargest
from operator import itemgetter

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found, Recalled
from zgadka.search.lexical import bm25
from zgadka.stores.tx import Tx
from zgadka.text.words import query_words

HALF_LIFE = timedelta(days=180)
"""After this time without being stated again, a memory has lost half of what recency can give it."""

_RECENCY_SHARE = 0.1
_CONFIDENCE_SHARE = 0.3
_IMPORTANCE_SHARE = 0.3
_PAST_WEIGHT = 0.7
"""What held only in the past stands behind what holds now."""
_TYPE_WEIGHT = {"personal": 1.0, "relationship": 1.0, "preference": 0.98, "skill": 0.98, "trait": 0.96, "opinion": 0.94}
"""What describes a person longer comes first among equals; mild enough that words and confidence decide."""

_Scored = tuple[float, int, StoredMemory, float]
"""Score, id, memory, similarity."""


def recall(
    tx: Tx,
    scopes: Sequence[Scope],
    query: str | None,
    limit: int,
    *,
    fits: Callable[[StoredMemory], bool] = lambda _: True,
) -> Recalled:
    """Recall what fits in any of the scopes, best first.

    Args:
        query: Words to look for. None: everything, by confidence and recency.
        limit: How many to return at most; `Recalled.total` counts all.
        fits: Which memories count at all.
    """
    if query is None:
        fitting = [memory for scope in scopes for memory in tx.visible(scope) if fits(memory)]
        found = [(_weight(memory, tx.now), memory.id, memory, 1.0) for memory in fitting]
    else:
        found = _matching(tx, scopes, query, fits)
    best = nlargest(limit, found, key=itemgetter(0, 1))
    return Recalled(tuple(Found(memory, score, similarity) for score, _, memory, similarity in best), len(found))


def _matching(tx: Tx, scopes: Sequence[Scope], query: str, fits: Callable[[StoredMemory], bool]) -> list[_Scored]:
    wanted = query_words(query)
    statistics = [tx.visible_statistics(scope) for scope in scopes]
    candidates = [candidate for scope in scopes for candidate in tx.matching(scope, wanted)]
    matches = bm25(
        wanted,
        [document for _, document in candidates],
        scope_size=sum(count for count, _ in statistics),
        scope_words=sum(words for _, words in statistics),
    )
    return [
        (match.score * _weight(memory, tx.now), memory.id, memory, match.similarity)
        for match in matches
        if fits(memory := candidates[match.index][0])
    ]


def _weight(memory: StoredMemory, now: datetime) -> float:
    """A mild factor from 0.5 to 1: what is surer, newer and more lasting comes first among equals."""
    recency = 1.0 if memory.permanent else 0.5 ** max((now - memory.updated_at) / HALF_LIFE, 0.0)
    lasting = _TYPE_WEIGHT.get(memory.type or "", 1.0)
    if memory.importance is not None:
        lasting *= 1 - _IMPORTANCE_SHARE * (1 - memory.importance)
    if memory.valid_to is not None and memory.valid_to <= now:
        lasting *= _PAST_WEIGHT
    return lasting * (1 - _CONFIDENCE_SHARE * (1 - memory.confidence) - _RECENCY_SHARE * (1 - recency))
