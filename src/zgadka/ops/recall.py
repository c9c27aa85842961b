"""Recall the memories of a scope, by words or by what matters most."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from heapq import heappush, heappushpop, merge

from zgadka.model.memory import KINDS, Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import Found, Recalled
from zgadka.model.query_vector import Meaning
from zgadka.model.timestamps import micros
from zgadka.ops.asked_together import Asking, by_itself
from zgadka.ops.outranked import settle
from zgadka.ops.paging import place_after
from zgadka.ops.relation_names import words_of
from zgadka.search.fusion import scale_by_max, sum_scores
from zgadka.search.lexical import Candidates, Scores, bm25, holders_of, together
from zgadka.search.memory_index_cache import all_headings, candidates, cosines, kinds_held, newest_of_groups
from zgadka.search.query_analysis import kind_words
from zgadka.search.vector_cache import Cosines
from zgadka.stores.row_mapping import heading_of
from zgadka.stores.tx import Tx
from zgadka.text.asked_keys import asked_keys
from zgadka.text.words import index_words, query_words

HALF_LIFE = timedelta(days=180)
"""After this time without being stated again, a memory has lost half of what recency can give it."""
_HALF_LIFE = HALF_LIFE // timedelta(microseconds=1)

_RECENCY_SHARE = 0.1
_CONFIDENCE_SHARE = 0.3
_IMPORTANCE_SHARE = 0.3
"""Chosen, not measured, for there is no public data of facts with confidence and age: so mild that words and meaning
decide, and they only order what fits alike."""
_PAST_WEIGHT = 0.7
"""What held only in the past, or has not begun, stands behind what holds now."""
_TYPE_WEIGHT = {"personal": 1.0, "relationship": 1.0, "preference": 0.98, "skill": 0.98, "trait": 0.96, "opinion": 0.94}
"""What describes a person longer comes first among equals; mild enough that words and confidence decide."""


def recalling(
    tx: Tx,
    scopes: Sequence[Scope],
    query: str | None,
    limit: int,
    *,
    kinds: Collection[str] = KINDS,
    fits: Callable[[Heading], bool] | None = None,
    explain: bool = False,
    relations: Sequence[StoredMemory] = (),
    after: int | None = None,
) -> Asking[Recalled]:
    """Recall what fits in any of the scopes, best first; beside another operation, see `together`.

    Args:
        query: What to look for. None: everything, by confidence and recency.
        limit: How many to return at most; `Recalled.total` counts all.
        kinds: Which memories count at all.
        fits: Which of these; None: all. It is asked about each candidate, of which there may be thousands.
        explain: Whether to say of each what its score is made of.
        relations: All that count, with their names; those of the scopes do not.
        after: Only what comes behind the memory with this id. None: from the best on.

    Raises:
        InvalidInput: That memory is not among what fits.
    """
    at = micros(tx.now)
    named = {relation.id: heading_of(relation) for relation in relations if "relation" in kinds}
    left_out = 0
    if query is None:
        if len(scopes) == 1 and fits is None and after is None:
            newest, count = newest_of_groups(tx, scopes[0], {*kinds} - {"relation"}, limit)
            headings, left_out = [newest], count - len(newest)
        else:
            headings = [all_headings(tx, scope) for scope in scopes]
        by_id = {**_merged(headings), **named}
        total: Mapping[int, float] = dict.fromkeys(by_id, 1.0)
        fitness = None
    else:
        held = {scope: kinds_held(tx, scope) for scope in scopes}
        if after is None and not named and all(kinds_there.isdisjoint(kinds) for kinds_there in held.values()):
            return Recalled()
        scopes = [scope for scope in scopes if held[scope]]
        wanted = query_words(query)
        near = _near(tx, scopes, query)
        of_kind = kind_words(query, wanted)
        scoped = [candidates(tx, scope, [*wanted, *of_kind], include_all=bool(near)) for scope in scopes]
        headings = [scope_headings for scope_headings, _ in scoped]
        by_id = {**_merged(headings), **named}
        documents = _with_relations(together([scope_headings for _, scope_headings in scoped]), wanted, relations)
        words = bm25(wanted, documents).raised(_answering(query, documents, by_id))
        if of_kind:
            words = words.widened({id_ for word in of_kind for id_ in documents.holders.get(word, ())}, documents.size)
        fitness = Fitness(words, near, tx.meaning)
        total = fitness.total
    matching = [
        memory
        for memory in total
        if memory in by_id  # the words of a damaged one may be sound
        and by_id[memory].kind in kinds
        and (memory in named or by_id[memory].kind != "relation")
    ]
    if fits is not None:
        matching = [memory for memory in matching if fits(by_id[memory])]
    wanted_rows = limit if after is None else len(matching)
    best = _best(matching, wanted_rows, total, lambda memory: weight(by_id[memory], at))
    start = 0 if after is None else place_after([memory for _, memory in best], after)
    best = best[start : start + limit]
    wanted_ids = _wanted(scopes, headings, [memory for _, memory in best])
    yield [partial(tx.memories.rows_of, owner, ids) for owner, ids in wanted_ids.items()]
    memories: dict[int, StoredMemory] = {}
    for owner, ids in wanted_ids.items():
        memories |= tx.memories.get_many(owner, ids)
    memories |= {relation.id: relation for relation in relations}
    results = [
        Found(
            memories[memory],
            score,
            1.0 if fitness is None else fitness.similarity(memory),
            _explain(by_id[memory], at, fitness) if explain else {},
        )
        for score, memory in best
        if memory in memories  # one that cannot be read has its place in the indexes, until it is set aside
    ]
    count = left_out + len(matching)
    return Recalled(settle(tx, scopes, results, explain=explain), count, start + len(best) < count)


recall = by_itself(recalling)


def _with_relations(documents: Candidates, wanted: Sequence[str], relations: Sequence[StoredMemory]) -> Candidates:
    """The documents with the relations as their names tell them."""
    if not relations:
        return documents
    held = {relation.id: words_of(relation) for relation in relations}
    relation_holders = holders_of(wanted, held.items())
    return replace(
        documents,
        holders={word: {**documents.holders.get(word, {}), **holders} for word, holders in relation_holders.items()},
        lengths={**documents.lengths, **{id_: len(words) for id_, words in held.items()}},
        size=documents.size + len(held),
        words=documents.words + sum(map(len, held.values())),
    )


def _answering(query: str, documents: Candidates, by_id: Mapping[int, Heading]) -> set[int]:
    """The facts with a key that the query asks for, where it asks for nothing else."""
    answers: set[int] = set()
    for key in asked_keys(query).wholly:
        holders = [documents.holders.get(token, {}).keys() for token in index_words(key)]
        answers |= set[int].intersection(*map(set, holders)) if holders else set()
    return {memory for memory in answers if by_id[memory].kind == "fact"}


def _best(
    matching: list[int], limit: int, fits: Mapping[int, float], weigh: Callable[[int], float]
) -> list[tuple[float, int]]:
    """The highest products of fit and weight, best first; of equal ones the newer memory.

    A weight is 1 at most, so that what fits too little need not be weighed.
    """
    matching.sort(key=fits.__getitem__, reverse=True)
    best: list[tuple[float, int]] = []
    for memory in matching:
        fit = fits[memory]
        if len(best) < limit:
            heappush(best, (fit * weigh(memory), memory))
        elif fit < best[0][0]:
            break
        else:
            heappushpop(best, (fit * weigh(memory), memory))
    return sorted(best, reverse=True)


def ranks_together(query: str, memories: Sequence[str], messages: Sequence[str]) -> list[int]:
    """The places of memories and of messages in one order, from 1, each list's own order kept.

    They are merged by how much of the query each holds; what stands above one that holds more is as good as that.
    """
    wanted, texts = query_words(query), [index_words(text) for text in (*memories, *messages)]
    held = holders_of(wanted, enumerate(texts))
    size, words = len(texts), sum(map(len, texts))
    scores = bm25(wanted, Candidates(held, dict(enumerate(map(len, texts))), size, words))
    fit = [scores.similarity(index) for index in range(size)]
    lists = [list(range(len(memories))), list(range(len(memories), size))]
    best = {index: max(fit[other] for other in own if other >= index) for own in lists for index in own}
    order = merge(*lists, key=lambda index: -best[index])
    ranks = {index: rank for rank, index in enumerate(order, 1)}
    return [ranks[index] for index in range(size)]


class Fitness:
    """How well memories fit a query by words and by meaning, on one scale.

    Where the best match holds little of the query, as where it is in another language, words count less. What has no
    vector yet, where others have one, is judged by its words for both.

    Args:
        near: The cosines of each scope's memories that have a vector.
        meaning: The query's vector, where it has one.

    Attributes:
        total: Of each memory that a word or its meaning speaks for.
    """

    def __init__(self, words: Scores, near: Sequence[Cosines], meaning: Meaning | None) -> None:
        self._words = words
        self._near = near
        self._meaning = meaning
        self.by_words = scale_by_max(words.scores)
        if near and self.by_words:
            sureness = math.sqrt(words.similarity(max(self.by_words, key=self.by_words.__getitem__)))
            self.by_words = {memory: sureness * score for memory, score in self.by_words.items()}
        floor = 1.0 if meaning is None else meaning.floor
        above = [similarities.above(floor).items() for similarities in near]
        self.by_meaning = scale_by_max({memory: cosine - floor for scores in above for memory, cosine in scores})
        if near:
            unknown: Mapping[int, float] = self.by_words
            for similarities in near:
                unknown = similarities.unknown(unknown)
            self.by_meaning |= unknown
        self.total = sum_scores(self.by_words, self.by_meaning)

    def similarity(self, memory: int) -> float:
        """How much of the query the memory holds by its words, or how surely it answers by its meaning, from 0 to 1."""
        by_words, meaning = self._words.similarity(memory), self._meaning
        if meaning is None:
            return by_words
        cosines = (cosine for similarities in self._near if (cosine := similarities.get(memory)) is not None)
        return max(by_words, *map(meaning.sureness, cosines), 0.0)


def _near(tx: Tx, scopes: Sequence[Scope], query: str) -> list[Cosines]:
    meaning = tx.meaning
    if meaning is None or not query.startswith(meaning.query):
        return []
    return [near for scope in scopes if (near := cosines(tx, scope, meaning))]


def _explain(heading: Heading, at: int, fitness: Fitness | None) -> dict[str, float]:
    """What a score is made of: words and meaning are added up, and the rest multiplied on."""
    why = {"weight": weight(heading, at)}
    if fitness is not None:
        why |= {"words": fitness.by_words.get(heading.id, 0.0), "meaning": fitness.by_meaning.get(heading.id, 0.0)}
    # How far each reason alone lowers the weight from 1.
    alone = heading._replace(confidence=1.0, permanent=1, type=None, importance=None, since=None, until=None)
    reasons = {
        "confidence": alone._replace(confidence=heading.confidence),
        "recency": alone._replace(permanent=heading.permanent),
        "type": alone._replace(type=heading.type),
        "importance": alone._replace(importance=heading.importance),
        "past": alone._replace(until=heading.until),
        "to_come": alone._replace(since=heading.since),
    }
    return why | {name: weighed for name, changed in reasons.items() if (weighed := weight(changed, at)) < 1}


def _merged(headings: Sequence[Mapping[int, Heading]]) -> Mapping[int, Heading]:
    """All of them; what is seen in two scopes is there once."""
    headings = [scope_headings for scope_headings in headings if scope_headings] or headings[:1]
    return headings[0] if len(headings) == 1 else {id_: heading for scope in headings for id_, heading in scope.items()}


def _wanted(
    scopes: Sequence[Scope], headings: Sequence[Mapping[int, Heading]], ids: Sequence[int]
) -> dict[int, list[int]]:
    """In whose rows each of these memories is."""
    wanted: dict[int, set[int]] = {}
    for scope, scope_headings in zip(scopes, headings, strict=True):
        wanted.setdefault(scope.owner, set()).update(id_ for id_ in ids if id_ in scope_headings)
    return {owner: sorted(owned) for owner, owned in wanted.items() if owned}


def weight(heading: Heading, at: int) -> float:
    """A mild factor from 0.5 to 1: what is surer, newer and more lasting comes first among equals."""
    age = max(at - heading.updated, 0) / _HALF_LIFE
    recency = 1.0 if heading.permanent else 0.5**age
    lasting = _TYPE_WEIGHT.get(heading.type or "", 1.0)
    if heading.importance is not None:
        lasting *= 1 - _IMPORTANCE_SHARE * (1 - heading.importance)
    if (heading.until is not None and heading.until <= at) or (heading.since is not None and heading.since > at):
        lasting *= _PAST_WEIGHT
    return lasting * (1 - _CONFIDENCE_SHARE * (1 - heading.confidence) - _RECENCY_SHARE * (1 - recency))
