"""Put the best messages of a first ranking into a better order: a learned model over what only a closer look tells.

The first stage adds up what speaks for each message by itself. The model sees how the best of them compare: how much of
the question a message and its neighbours hold together, how its neighbours did, how many of its session are there.
Trees of eight leaves at most, in plain Python; docs/retrieval.md tells how they were fitted and what they gain.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import accumulate
from operator import getitem
from typing import NamedTuple

from zgadka.breathing import breathing
from zgadka.search.conversation_index import ConversationIndex
from zgadka.search.excerpt import Excerpt
from zgadka.search.query_analysis import Offer, Query

DEPTH = 50
"""So many of the first stage's best are looked at. On LoCoMo they hold 93 % of what answers, with vectors 95 %."""

FEWEST = 11
"""Of fewer all are told whatever their order is, and the model has seen no chat so small."""

_KIND = 0.8
_ABSENT = -9.0
"""Where there is no such neighbour in the talk."""
_NO_VECTORS = -1.0

FEATURES = (
    *("below_first", "above_tenth", "rank", "first_to_fifth", "first_to_tenth"),
    *("words", "strength", "session", "person", "offered", "dated"),
    *("held", "held_or_kind", "held_with_previous", "held_with_both", "held_with_four", "held_exactly"),
    *("words_held", "words_missing", "rarest_held", "rarest_missing"),
    *("score_before_last", "score_before", "score_after", "score_after_next"),
    *("words_before_last", "words_before", "words_after", "words_after_next", "question_before"),
    *("asks_when", "question_words", "has_time", "has_number", "has_name", "length", "words_weight"),
    *("meaning", "meaning_around", "meaning_before_last", "meaning_before", "meaning_after", "meaning_after_next"),
    *("session_best", "session_place", "below_session_best", "session_in_ten", "session_in_all", "session_above"),
)
"""What the model knows of a candidate, in the order of its columns."""

_NEIGHBOURS = (-2, -1, 1, 2)
_BOTH, _FOUR = (-1, 0, 1), (-2, -1, 0, 1, 2)


class Sought(NamedTuple):
    """A word of a question.

    Attributes:
        forms: The words by which it is found, with how much each counts; itself first.
        kind: The members of the kind that it names.
        rarity: What it tells.
    """

    forms: Mapping[str, float]
    kind: Collection[str]
    rarity: float


@dataclass(frozen=True, kw_only=True)
class FirstStage:
    """How messages did in the first stage.

    Attributes:
        scores: By slot.
        words: By slot, the best 1; without those that hold none of the question's words.
        strongest: The score by words of the best.
        sessions: By segment, what its words add.
        people: By author, what they add.
        offers: By what a message offers, what that adds.
        days: By day, what it adds.
        meaning: How near each slot is, by itself and with its neighbours, 0 to 1; None where nothing has a vector.
        words_weight: How much words count beside meaning.
        sought: The question's words.
    """

    scores: Sequence[float]
    words: Mapping[int, float]
    strongest: float
    sessions: Sequence[float]
    people: Mapping[int, float]
    offers: Sequence[float]
    days: Mapping[int, float]
    meaning: tuple[Sequence[float], Sequence[float]] | None
    words_weight: float
    sought: Sequence[Sought]


def reorder(index: ConversationIndex | Excerpt, query: Query, stage: FirstStage, slots: Sequence[int]) -> Sequence[int]:
    """The first stage's best, best first, as the model orders them; as they are, where they are few."""
    if len(slots) < FEWEST:
        return slots
    scores = [score(row) for row in breathing(rows(index, query, stage, slots))]
    return [slots[place] for place in sorted(range(len(slots)), key=lambda place: (-scores[place], place))]


def rows(
    index: ConversationIndex | Excerpt, query: Query, stage: FirstStage, slots: Sequence[int]
) -> list[list[float]]:
    """The features of each of the first stage's best.

    Args:
        slots: Best first.
    """
    scores, segments, offers = stage.scores, index.segments, index.offers
    size = len(segments)
    around = {slot + step for slot in slots for step in _FOUR}
    words = [_held(index.holders, word, around) for word in stage.sought]
    rarities = [word.rarity for word in stage.sought]
    total = math.fsum(rarities) or 1.0
    best, fifth, tenth = (scores[slots[min(place, len(slots) - 1)]] for place in (0, 4, 9))
    of_question = [best - fifth, best - tenth]
    asks_when = float(bool(query.offer & Offer.TIME))
    sessions = _Sessions([segments[slot] for slot in slots], [scores[slot] for slot in slots])
    table: list[list[float]] = []
    for rank, slot in enumerate(breathing(slots)):
        segment, offer, own = segments[slot], offers[slot], scores[slot]
        beside = [to if 0 <= (to := slot + step) < size and segments[to] == segment else None for step in _NEIGHBOURS]
        there = {0, *(step for step, to in zip(_NEIGHBOURS, beside, strict=True) if to is not None)}
        row = [own - best, own - tenth, float(rank), *of_question]
        words_score = stage.words.get(slot, 0.0)
        row += [words_score, words_score * stage.strongest, stage.sessions[segment]]
        row += [stage.people[index.people[slot]], stage.offers[offer], stage.days.get(index.days[slot], 0.0)]
        row += _coverage(slot, words, rarities, total, there)
        row += [_ABSENT if to is None else scores[to] - best for to in beside]
        row += [_ABSENT if to is None else stage.words.get(to, 0.0) for to in beside]
        previous = beside[1]
        row.append(_ABSENT if previous is None else float(bool(offers[previous] & Offer.QUESTION)))
        row += [asks_when, float(len(stage.sought))]
        row += [float(bool(offer & bit)) for bit in (Offer.TIME, Offer.NUMBER, Offer.NAME)]
        row += [float(index.lengths[slot]), stage.words_weight]
        if stage.meaning is None:
            row += [_NO_VECTORS] * 6
        else:
            near, near_around = stage.meaning
            row += [near[slot], near_around[slot], *(_ABSENT if to is None else near[to] for to in beside)]
        row += sessions.features(rank, best)
        table.append(row)
    return table


class _Sessions:
    """How the best messages are spread over their sessions.

    Args:
        segments: Of each, best first.
        scores: Of each.
    """

    def __init__(self, segments: Sequence[int], scores: Sequence[float]) -> None:
        self._segments = segments
        self._scores = scores
        self._best: dict[int, tuple[int, float]] = {}
        for segment, score_ in zip(segments, scores, strict=True):
            self._best.setdefault(segment, (len(self._best), score_))
        self._in_ten = Counter(segments[:10])
        self._in_all = Counter(segments)

    def features(self, rank: int, best: float) -> list[float]:
        """How the session of one of them did."""
        segment = self._segments[rank]
        place, session_best = self._best[segment]
        return [
            session_best - best,
            float(place),
            self._scores[rank] - session_best,
            float(self._in_ten[segment]),
            float(self._in_all[segment]),
            float(self._segments[:rank].count(segment)),
        ]


class _Held(NamedTuple):
    """Which slots hold a word of the question.

    Attributes:
        counts: Its forms, by how much they count.
        kind: Those that hold a member of its kind.
        exactly: Those that hold the word itself.
    """

    counts: Mapping[int, float]
    kind: Collection[int]
    exactly: Collection[int]


def _held(holders: Mapping[str, Mapping[int, int]], word: Sought, around: set[int]) -> _Held:
    counts: dict[int, float] = {}
    for form, share in word.forms.items():
        held = holders.get(form)
        if held:
            for slot in held.keys() & around:
                counts[slot] = counts.get(slot, 0.0) + share * held[slot]
    kind: set[int] = set()
    for member in word.kind:
        held = holders.get(member)
        if held:
            kind |= held.keys() & around
    itself = next(iter(word.forms))
    return _Held(counts, kind, holders.get(itself, {}).keys() & around)


def _coverage(
    slot: int, words: Sequence[_Held], rarities: Sequence[float], total: float, there: Collection[int]
) -> list[float]:
    """How much of the question a message holds, by itself and with its neighbours.

    Args:
        total: The sum of the rarities.
        there: Which steps lead to a message of the same talk.
    """
    held = or_kind = previous = both = four = exactly = 0.0
    rarest_held = rarest_missing = 0.0
    count = 0
    for word, rarity in zip(words, rarities, strict=True):
        counts, kind, itself = word
        times = counts.get(slot, 0.0)
        if times:
            count += 1
            rarest_held = max(rarest_held, rarity)
        else:
            rarest_missing = max(rarest_missing, rarity)
        held += rarity * min(times, 1.0)
        or_kind += rarity * (1.0 if times >= 1 else _KIND if slot in kind else times)
        exactly += rarity * (slot in itself)
        near = [step for step in _FOUR if step in there and (slot + step in counts or slot + step in kind)]
        if near:
            four += rarity
            both += rarity * (not _DISTANT.issuperset(near))
            previous += rarity * (0 in near or -1 in near)
    shares = [share / total for share in (held, or_kind, previous, both, four, exactly)]
    return [*shares, float(count), float(len(words) - count), rarest_held, rarest_missing]


_DISTANT = frozenset(_FOUR).difference(_BOTH)


def score(row: Sequence[float]) -> float:
    """What the model makes of the features of one candidate; comparable within one question."""
    return _forest().score(row)


class _Forest:
    """All trees at once, by QuickScorer (Lucchese et al., SIGIR 2015).

    A tree has a byte with a bit for each of its leaves, the first the lowest. Each decision that goes right takes away
    the leaves on its left; where a tree ends is the first leaf that remains.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._size = len(trees)
        self._every = (1 << 8 * self._size) - 1
        decisions: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
        self._leaves = [
            [tree.leaves[leaf] for leaf in _note_decisions(tree, 0, 8 * place, decisions)]
            for place, tree in enumerate(trees)
        ]
        self._features = [(feature, *self._masks(sorted(made))) for feature, made in sorted(decisions.items())]

    def _masks(self, made: Sequence[tuple[float, int]]) -> tuple[list[float], list[int]]:
        """The thresholds on a feature in order, and what remains by how many of them it is above."""
        remains = accumulate((taken for _, taken in made), lambda left, taken: left & ~taken, initial=self._every)
        return [threshold for threshold, _ in made], [*remains]

    def score(self, row: Sequence[float]) -> float:
        """The sum of the leaves where the trees end."""
        remaining = self._every
        for feature, thresholds, masks in self._features:
            remaining &= masks[bisect_left(thresholds, row[feature])]
        ends = remaining.to_bytes(self._size, "little").translate(_LOWEST_BIT)
        return sum(map(getitem, self._leaves, ends))


_LOWEST_BIT = bytes((byte & -byte).bit_length() - 1 if byte else 0 for byte in range(256))


def _note_decisions(tree: Tree, place: int, first: int, decisions: Mapping[int, list[tuple[float, int]]]) -> list[int]:
    """Note each decision from a node on, with the leaves on its left as bits; returns all its leaves, in order.

    Args:
        first: The bit of the first of them.
    """
    if place < 0:
        return [~place]
    feature, threshold, left, right = tree.nodes[place]
    on_left = _note_decisions(tree, left, first, decisions)
    decisions[feature].append((threshold, ((1 << len(on_left)) - 1) << first))
    return on_left + _note_decisions(tree, right, first + len(on_left), decisions)


class Tree(NamedTuple):
    """A tree of decisions.

    Attributes:
        nodes: Column, threshold, where to go up to it and above it: a node, or the complement of a leaf.
        leaves: What each adds.
    """

    nodes: Sequence[tuple[int, float, int, int]]
    leaves: Sequence[float]


@cache
def trees() -> tuple[Tree, ...]:
    """The model; `benchmarks/fit_second_stage.py` wrote it."""
    stored = json.loads(files("zgadka.search").joinpath("data/second_stage.json").read_text("utf-8"))
    return tuple(_tree(*columns) for columns in stored["trees"])


@cache
def _forest() -> _Forest:
    return _Forest(trees())


def _tree(
    features: list[int], thresholds: list[float], lefts: list[int], rights: list[int], leaves: list[float]
) -> Tree:
    return Tree(tuple(zip(features, thresholds, lefts, rights, strict=True)), tuple(leaves))
