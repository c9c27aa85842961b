"""Recall the memories of a scope, by words or by what matters most."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from heapq import nlargest

from zgadka.model.heading import Heading
from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.moments import micros
from zgadka.model.outcome import Found, Recalled
from zgadka.search.fusion import add_up, scale_by_most
from zgadka.search.lexical import bm25, together
from zgadka.search.scope_index import all_headings, candidates, cosines
from zgadka.stores.tx import Tx
from zgadka.text.words import query_words

HALF_LIFE = timedelta(days=180)
"""After this time without being stated again, a memory has lost half of what recency can give it."""
_HALF_LIFE = HALF_LIFE // timedelta(microseconds=1)

_RECENCY_SHARE = 0.1
_CONFIDENCE_SHARE = 0.3
_IMPORTANCE_SHARE = 0.3
_PAST_WEIGHT = 0.7
"""What held only in the past stands behind what holds now."""
_TYPE_WEIGHT = {"personal": 1.0, "relationship": 1.0, "preference": 0.98, "skill": 0.98, "trait": 0.96, "opinion": 0.94}
"""What describes a person longer comes first among equals; mild enough that words and confidence decide."""


def recall(
    tx: Tx,
    scopes: Sequence[Scope],
    query: str | None,
    limit: int,
    *,
    fits: Callable[[Heading], bool] = lambda _: True,
) -> Recalled:
    """Recall what fits in any of the scopes, best first.

    Args:
        query: Words to look for. None: everything, by confidence and recency.
        limit: How many to return at most; `Recalled.total` counts all.
        fits: Which memories count at all.
    """
    now = micros(tx.now)
    if query is None:
        headings = [all_headings(tx, scope) for scope in scopes]
        found = [(_weight(one, now), one.id) for one in _merged(headings).values() if fits(one)]
        near: Mapping[int, float] = {}
        words = None
    else:
        wanted = query_words(query)
        near = _near(tx, scopes, query)
        scoped = [candidates(tx, scope, wanted, whole=bool(near)) for scope in scopes]
        headings = [theirs for theirs, _ in scoped]
        words = bm25(wanted, together([theirs for _, theirs in scoped]))
        known = _merged(headings)
        fitness = words.scores if tx.meaning is None else _fused(words.scores, near, tx.meaning.floor)
        found = [(fit * _weight(one, now), memory) for memory, fit in fitness.items() if fits(one := known[memory])]
    best = nlargest(limit, found)
    memories = _read(tx, scopes, headings, [memory for _, memory in best])

    def similarity(memory: int) -> float:
        return 1.0 if words is None else max(words.similarity(memory), near.get(memory, 0.0))

    return Recalled(
        tuple(Found(memories[memory], score, similarity(memory)) for score, memory in best),
        len(found),
    )


def _near(tx: Tx, scopes: Sequence[Scope], query: str) -> Mapping[int, float]:
    """The cosine of each memory that has a vector, where the query has one."""
    meaning = tx.meaning
    if meaning is None or not query.startswith(meaning.text):
        return {}
    return {memory: cosine for scope in scopes for memory, cosine in cosines(tx, scope, meaning).items()}


def _fused(words: Mapping[int, float], near: Mapping[int, float], floor: float) -> dict[int, float]:
    """Words and meaning, on one scale and with the same weight; what has no vector yet is judged by words twice."""
    by_words = scale_by_most(words)
    by_meaning = scale_by_most({memory: cosine - floor for memory, cosine in near.items() if cosine > floor})
    missing = {memory: score for memory, score in by_words.items() if memory not in near}
    return add_up([(1.0, by_words), (1.0, by_meaning), (1.0, missing if near else {})])


def _merged(headings: Sequence[Mapping[int, Heading]]) -> Mapping[int, Heading]:
    """All of them; what is seen in two scopes is there once."""
    return headings[0] if len(headings) == 1 else {id_: one for scope in headings for id_, one in scope.items()}


def _read(
    tx: Tx, scopes: Sequence[Scope], headings: Sequence[Mapping[int, Heading]], ids: Sequence[int]
) -> dict[int, StoredMemory]:
    """The memories with these ids, whole, each from its owner's rows."""
    wanted: defaultdict[int, set[int]] = defaultdict(set)
    for scope, theirs in zip(scopes, headings, strict=True):
        wanted[scope.owner].update(id_ for id_ in ids if id_ in theirs)
    found: dict[int, StoredMemory] = {}
    for owner, its in wanted.items():
        found |= tx.memories(owner, its)
    return found


def _weight(heading: Heading, now: int) -> float:
    """A mild factor from 0.5 to 1: what is surer, newer and more lasting comes first among equals."""
    age = max(now - heading.updated, 0) / _HALF_LIFE
    recency = 1.0 if heading.permanent else 0.5**age
    lasting = _TYPE_WEIGHT.get(heading.type or "", 1.0)
    if heading.importance is not None:
        lasting *= 1 - _IMPORTANCE_SHARE * (1 - heading.importance)
    if heading.until is not None and heading.until <= now:
        lasting *= _PAST_WEIGHT
    return lasting * (1 - _CONFIDENCE_SHARE * (1 - heading.confidence) - _RECENCY_SHARE * (1 - recency))
