"""What is known of a person in so many words: chosen from what is stored, nothing written anew."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.model.memory import Scope, StoredMemory
from zgadka.model.outcome import Found
from zgadka.model.timestamps import day_in
from zgadka.model.turn import Turn
from zgadka.ops.fact_time import is_past
from zgadka.ops.fact_validity import bounds_told, holds
from zgadka.ops.origins import speakers_named
from zgadka.ops.recall import recall
from zgadka.ops.same_value import age_now
from zgadka.stores.tx import Tx

_ALL = 2**31
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
_EVIDENCE_SHARE = 0.1
_BEFORE_RELATIONS = 10
"""So many facts and notes have room before a person's relations."""


@dataclass(frozen=True)
class Summary:
    """The text, one line a topic, and the memories it cites, in that order; `total` counts all that there are."""

    text: str
    cited: tuple[StoredMemory, ...]
    total: int


def surest(tx: Tx, scope: Scope, limit: int = _ALL) -> tuple[list[StoredMemory], int]:
    """A scope's facts and notes: who a person is, what holds now, then the surest, most evidenced and newest.

    Args:
        limit: How many at most; the number beside them counts all.
    """
    recalled = recall(tx, [scope], None, limit, kinds=("fact", "note"))

    def rank(match: Found) -> tuple[bool, float, int]:
        evident = 1 + _EVIDENCE_SHARE * math.log2(match.memory.evidence)
        return holds(match.memory, tx.now), match.score * evident, match.memory.id

    ranked = [match.memory for match in sorted(recalled.found, key=rank, reverse=True)]
    first = [] if scope.communal else who(tx, scope)
    return list({memory.id: memory for memory in (*first, *ranked)}.values())[:limit], recalled.total


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
    ranked, total = surest(tx, scope)
    ranked, total = [*ranked[:_BEFORE_RELATIONS], *relations, *ranked[_BEFORE_RELATIONS:]], total + len(relations)
    headings = {memory.id: _heading(memory, tx.now) for memory in ranked}
    chosen: list[StoredMemory] = []
    taken: set[str] = set()
    words_left = max_words - _FRAME_WORDS
    cite = _Citing(tx, speakers_named(tx, turn, ranked))
    for memory in sorted(ranked, key=lambda memory: headings[memory.id] != _FIRST):
        heading = headings[memory.id]
        words = len(cite(memory).split()) + 1 + (0 if heading in taken else len(heading.split()))
        if words <= words_left:
            chosen.append(memory)
            taken.add(heading)
            words_left -= words
    cited: list[StoredMemory] = []
    lines: list[str] = []
    for heading in _HEADINGS:
        of_topic = _by_key([memory for memory in chosen if headings[memory.id] == heading])
        cited += of_topic
        if of_topic:
            lines.append(f"{heading}: {'; '.join(map(cite, of_topic))}")
    return Summary("\n".join(lines), tuple(cited), total)


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
