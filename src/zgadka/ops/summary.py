"""What is known of a person in so many words: chosen from what is stored, nothing written anew."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from heapq import merge
from itertools import chain
from operator import itemgetter

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found
from zgadka.model.timestamps import day_in, micros
from zgadka.model.turn import Turn
from zgadka.ops.asked_together import Asking, by_itself
from zgadka.ops.fact_time import is_past
from zgadka.ops.fact_validity import bounds_told, holds
from zgadka.ops.origins import speakers_named
from zgadka.ops.outranked import lowering
from zgadka.ops.recall import recalling, weight
from zgadka.ops.same_value import age_now
from zgadka.search.memory_index_cache import in_groups
from zgadka.stores.tx import Tx

_Rank = tuple[bool, float, int]

_WHO = (
    *("name", "first_name", "last_name", "nickname", "age", "birthday", "pronouns", "gender"),
    *("location", "hometown", "country", "nationality", "job", "employer"),
)
"""The keys of facts that say who somebody is, in the order in which one would say it."""
_TYPES = {
    "personal": "Personal",
    "relationship": "Relationships",
    "preference": "Preferences",
    "skill": "Skills",
    "trait": "Traits",
    "opinion": "Opinions",
    None: "Notes",
}
_FIRST, _PAST, _TO_COME = "Who", "In the past", "To come"
_HEADINGS = (_FIRST, *_TYPES.values(), _TO_COME, _PAST)
_FRAME_WORDS = 8
"""Of an answer around its text and its ids."""
_FEWEST_WORDS = 3
"""Of a memory in an answer: its id, and of what stands between it and the next, as words are counted."""
_BATCH = 32
"""Rows that are read at a time."""
_PASSED_OVER = 100
"""After so many memories that are too long for what room is left, no shorter one is looked for."""
_EVIDENCE_SHARE = 0.1
_BEFORE_RELATIONS = 10
"""So many facts and notes have room before a person's relations."""


@dataclass(frozen=True)
class Summary:
    """The text, one line a topic, and the memories it cites, in that order; `total` counts all that there are."""

    text: str
    cited: tuple[StoredMemory, ...]
    total: int


def knowing_surest(tx: Tx, scope: Scope, limit: int) -> Asking[tuple[list[StoredMemory], int]]:
    """A scope's facts and notes: who a person is, what holds now, then the surest, most evidenced and newest.

    Args:
        limit: How many at most; the number beside them counts all.
    """
    recalled = yield from recalling(tx, [scope], None, limit, kinds=("fact", "note"))

    def rank(match: Found) -> tuple[bool, float, int]:
        return holds(match.memory, tx.now), match.score * _evident(match.memory.evidence), match.memory.id

    ranked = [match.memory for match in sorted(recalled.found, key=rank, reverse=True)]
    first = [] if scope.communal else who(tx, scope)
    return list({memory.id: memory for memory in (*first, *ranked)}.values())[:limit], recalled.total


surest = by_itself(knowing_surest)


def _evident(evidence: int) -> float:
    """A mild factor from 1: what was stated oftener comes first among equals."""
    return 1 + _EVIDENCE_SHARE * math.log2(evidence)


def who(tx: Tx, scope: Scope) -> list[StoredMemory]:
    """Who somebody is: what holds now of their name, age, place and work."""
    facts = tx.memories.list_with_keys(scope, _WHO)
    return sorted((fact for fact in facts if holds(fact, tx.now)), key=lambda fact: _WHO.index(fact.key or ""))


def profile_summary(
    tx: Tx, turn: Turn, scope: Scope, max_words: int, relations: Sequence[StoredMemory] = ()
) -> Summary:
    """Who somebody is, then the most certain, evidenced and recent facts and notes of a scope by topic, each whole.

    What is past or to come stands apart, and what another said names them. An answer with the text and the ids has so
    many words at most.

    Args:
        relations: Those of the person, with their names.
    """
    ranking = _Ranking(tx, scope)
    head = who(tx, scope)
    seen, at = {memory.id for memory in head}, max(len(head), _BEFORE_RELATIONS)
    batches = ([memory for memory in batch if memory.id not in seen] for batch in ranking)
    while len(head) < _BEFORE_RELATIONS and (batch := next(batches, None)) is not None:
        head += batch
    speakers: dict[int, str] = {}
    cite = _Citing(tx, speakers)
    headings: dict[int, str] = {}
    chosen: list[StoredMemory] = []
    taken: set[str] = set()
    words_left, passed_over = max_words - _FRAME_WORDS, 0
    for batch in chain([[*head[:at], *relations, *head[at:]]], batches):
        speakers |= speakers_named(tx, turn, batch)
        for memory in batch:
            heading = _heading(memory, tx.now)
            words = len(cite(memory).split()) + 1 + (0 if heading in taken else len(heading.split()))
            if words > words_left:
                passed_over += 1
            elif passed_over < _PASSED_OVER:
                chosen.append(memory)
                headings[memory.id] = heading
                taken.add(heading)
                words_left -= words
        if words_left < _FEWEST_WORDS or passed_over >= _PASSED_OVER:
            break
    cited: list[StoredMemory] = []
    lines: list[str] = []
    for heading in _HEADINGS:
        of_topic = _by_key([memory for memory in chosen if headings[memory.id] == heading])
        cited += of_topic
        if of_topic:
            lines.append(f"{heading}: {'; '.join(map(cite, of_topic))}")
    return Summary("\n".join(lines), tuple(cited), ranking.total + len(relations))


class _Ranking:
    """A person's facts and notes in the order of `surest`, read only as far as they are asked for, some at a time.

    What a text tells can only lower its memory's place (`lowering`): what stands above all that is unread is next.

    Attributes:
        total: How many there are.
    """

    def __init__(self, tx: Tx, scope: Scope) -> None:
        self._tx, self._scope, self._at = tx, scope, micros(tx.now)
        self._headings, groups = in_groups(tx, scope)
        groups = [ids for ids in groups if self._headings[ids[0]].kind in ("fact", "note")]
        self._unread = merge(*(map(self._rank, reversed(ids)) for ids in groups), reverse=True)
        self._next = next(self._unread, None)
        self._names = {scope.owner: tx.owners.get(scope.owner).name}
        self._with_keys: dict[str, list[tuple[StoredMemory, float | None]]] = {}
        self.total = sum(map(len, groups))

    def __iter__(self) -> Iterator[list[StoredMemory]]:
        """The best of what is left, a batch at a time."""
        read: list[tuple[_Rank, StoredMemory]] = []
        while self._next is not None or read:
            rows = self._tx.memories.get_many(self._scope.owner, self._next_ids())
            read += ((self._exact_rank(memory), memory) for memory in rows.values())
            read.sort(key=itemgetter(0))
            best: list[StoredMemory] = []
            while read and (self._next is None or read[-1][0] > self._next):
                best.append(read.pop()[1])
            yield best

    def _next_ids(self) -> list[int]:
        ids: list[int] = []
        while self._next is not None and len(ids) < _BATCH:
            ids.append(self._next[-1])
            self._next = next(self._unread, None)
        return ids

    def _score(self, id_: int) -> float:
        return weight(self._headings[id_], self._at)

    def _rank(self, id_: int, lowered: float = 1.0) -> _Rank:
        heading = self._headings[id_]
        return holds(heading, self._tx.now), self._score(id_) * lowered * _evident(heading.evidence), id_

    def _exact_rank(self, memory: StoredMemory) -> _Rank:
        weights, _ = lowering(self._tx, self._names, memory, self._score(memory.id), self._with_key)
        return self._rank(memory.id, math.prod(weights.values()))

    def _with_key(self, _: int, key: str) -> Sequence[tuple[StoredMemory, float | None]]:
        if key not in self._with_keys:
            facts = [(fact, self._score(fact.id)) for fact in self._tx.memories.list_with_key(self._scope, key)]
            self._with_keys[key] = sorted(facts, key=lambda scored: (scored[1], scored[0].id), reverse=True)
        return self._with_keys[key]


def _heading(memory: StoredMemory, at: datetime) -> str:
    if not holds(memory, at):
        return _PAST if is_past(memory, at) else _TO_COME
    if memory.kind == "relation":
        return _TYPES["relationship"]
    return _FIRST if memory.key in _WHO else _TYPES.get(memory.type, _TYPES["personal"])


def _by_key(memories: Sequence[StoredMemory]) -> list[StoredMemory]:
    """The same with all of one key together: who somebody is in its order, else the best key first."""
    keys = dict.fromkeys((*_WHO, *(memory.key for memory in memories)))
    place = {key: number for number, key in enumerate(keys)}
    return sorted(memories, key=lambda memory: place[memory.key])


@dataclass(frozen=True)
class _Citing:
    """Tells a memory's own text in one line, with its id and, where these are known, its time and who else said it."""

    tx: Tx
    speakers: Mapping[int, str]

    def __call__(self, memory: StoredMemory) -> str:
        at, zone = self.tx.now, self.tx.settings.zone
        aside = "".join(f", {word} {day_in(zone, bound)}" for word, bound in bounds_told(memory, at))
        aside += "" if (age := age_now(memory, at)) is None else f", about {age} now"
        aside += f", said by {speaker}" if (speaker := self.speakers.get(memory.id)) else ""
        return f"{' '.join(memory.text.split())} (ID:{memory.id}{aside})"
