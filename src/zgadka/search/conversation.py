"""Rank the messages of one chat for a question, without a language model.

A `Corpus` holds what ranking needs of a chat's messages and follows its changes; `Corpus.rank` adds up what speaks for
each message: its words, its neighbours' words, the segment it belongs to, who says it, what it offers, when it was sent
and, where there are vectors, its meaning. docs/retrieval.md tells how the weights were found and what each is worth.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache
from heapq import heapify, heappop
from itertools import islice

from zgadka.search.conversation_index import ConversationIndex, Message
from zgadka.search.dates import Span
from zgadka.search.excerpt import Excerpt
from zgadka.search.fusion import scale_by_max
from zgadka.search.query_analysis import Offer, Query, members, read_question
from zgadka.search.second_stage import DEPTH, FirstStage, Sought, reorder

# In the brackets: what recall@10 on five conversations of LoCoMo loses without it, in points, by words alone and with
# vectors. Any one weight can be a third higher or lower for less than half a point. See docs/retrieval.md.

K1, B = 0.9, 0.75
"""BM25's. From 0.2 to 0.75 LoCoMo's turns do not care about b; beside an assistant's long answers a low b costs 6."""

BEFORE, BEFORE_LAST, AFTER = 0.45, 0.4, 0.15
"""What a message borrows of its neighbours' words: an answer follows its question, and talk stays with a subject.
(1.0, -0.1; 1.3, 0.0; 0.9, 0.0: with vectors `MEANING_AROUND` does the same.)"""

SESSION = 0.8
"""The words of its whole segment. (4.2, 1.6)"""

PERSON = 0.7
"""Written by somebody whom the question names, means by "I", or by "you". (3.2, 2.3) Where it means nobody, people
before the assistant: on LongMemEval the user's own turns with 1.7 times the weight found 9 points more."""

QUESTION = -0.2
"""It asks something itself. (0.5, 0.2)"""

TIME, NUMBER, NAME = 0.7, 0.25, 0.3
"""It has what "when", "how many" and "who" ask for. (0.5, 0.4; 0.1, 0.1; 0.4, 0.2)"""

WITHIN, NEAR = 1.1, 0.6
"""It was sent in the month that the question names; within some days of the day. (1.5, 1.6; 0.5, 0.4)"""

LENGTH = 0.2
"""For each factor e in length: "wow, nice!" tells little. (0.8, 0.3)"""

WORDS_BESIDE_MEANING = 0.6
MEANING = 0.75
MEANING_AROUND = 0.9
"""The message's nearness to the question in meaning; that of it and its two neighbours. What is near in meaning has
often the same words, so with vectors words count less. (-, 0.8; -, 0.8; words at full weight: -, 0.5)"""

LIST_SHARE = 0.5
"""A question for several things is answered in several segments, so one counts less. (0.3, 0.4)"""

SHARED_START, SHORTEST_VARIED = 0.7, 5
"""Words this long that share this much of the longer are variants of each other. (0.1, 0.1)"""

KIND = 0.8
"""What belongs to the kind of things that the question names, against the word itself. (1.5, 0.9)"""

_NEIGHBOURS = (("before_last", 2, BEFORE_LAST), ("before", 1, BEFORE), ("after", -1, AFTER))


Ranked = ConversationIndex | Excerpt
"""All messages of a chat, or those for which something may speak."""


@dataclass(frozen=True)
class Hit:
    """A message that was found.

    Attributes:
        score: Comparable within one question only.
        parts: What each reason adds to the score, by name; empty unless asked for.
    """

    id: int
    score: float
    parts: Mapping[str, float] = field(default_factory=dict[str, float])


class Corpus:
    """The messages of one chat, kept ready for ranking.

    Adding the newest message and replacing one cost as much as the message is long; adding an older one or removing
    one makes the next ranking lay the chat out anew. Not safe for use by several threads at once.

    Attributes:
        messages: By id.
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self.messages = {message.id: message for message in messages}
        self._index: ConversationIndex | None = None

    @property
    def vocabulary_size(self) -> int:
        """How many words the messages have; 0 as long as they are not laid out."""
        return 0 if self._index is None else len(self._index.vocabulary)

    def add(self, message: Message) -> None:
        """Add a message, or replace the one with its id."""
        previous = self.messages.get(message.id)
        self.messages[message.id] = message
        index = self._index
        if index is None:
            return
        is_followed = index.replace(previous, message) if previous else index.append(message)
        if not is_followed:
            self._index = None

    def remove(self, message_id: int) -> None:
        """Remove a message, if it is there."""
        if self.messages.pop(message_id, None) is not None:
            self._index = None

    def rank(
        self,
        question: str,
        *,
        names: Mapping[int, Collection[str]] | None = None,
        asker: int | None = None,
        now: datetime | None = None,
        cosines: Mapping[int, float] | None = None,
        floor: float = -1.0,
        limit: int = 10,
        fits: Callable[[int], bool] | None = None,
        asking: int | None = None,
        explain: bool = False,
    ) -> list[Hit]:
        """Return the messages that best answer a question, best first; of equal ones the newer.

        Args:
            names: The names that each person of the chat goes by.
            asker: Who asks: "I" in the question is this person.
            now: The time of asking, by which "last week" is understood.
            cosines: How near in meaning `without_names(question, names)` is to the messages that have a vector.
            floor: The cosine up to which two texts have nothing in common. Only messages are returned for which a
                word, a date or their meaning speaks, of themselves or of the segment they belong to.
            fits: Which messages, by id, may be returned; the others still lend to their neighbours.
            asking: The message that asks, where it is one of the chat: it is no answer and lends nothing.
            explain: Whether to give the parts of each score.
        """
        query = read_question(question, names=names, asker=asker, now=now)
        with self.answering(asking) as index:
            hits = ranked(index, query, cosines=cosines, floor=floor, asking=asking, explain=explain)
        return list(islice((hit for hit in hits if fits is None or fits(hit.id)), limit))

    def around(self, message: int) -> list[Message]:
        """A message between the one before it and the one after it; empty where it is not here."""
        index = self._index = self._index or ConversationIndex(self.messages.values())
        slot = index.slot(message)
        return [] if slot is None else [self.messages[id_] for id_ in index.ids[max(slot - 1, 0) : slot + 2]]

    def oldest(self) -> list[Message]:
        """The first message in order, if there is any."""
        index = self._index = self._index or ConversationIndex(self.messages.values())
        return [self.messages[id_] for id_ in index.ids[:1]]

    @contextmanager
    def answering(self, asking: int | None) -> Generator[ConversationIndex]:
        """Lend the messages laid out, the one that asks, if it is here, without its words."""
        index = self._index = self._index or ConversationIndex(self.messages.values())
        itself = None if asking is None else self.messages.get(asking)
        if itself is None:
            yield index
            return
        index.replace(itself, replace(itself, words=()))
        try:
            yield index
        finally:
            index.replace(replace(itself, words=()), itself)


def ranked(
    index: Ranked,
    query: Query,
    *,
    cosines: Mapping[int, float] | None = None,
    floor: float = -1.0,
    asking: int | None = None,
    explain: bool = False,
) -> Iterator[Hit]:
    """The messages that best answer a question, best first; of equal ones the newer. See `Corpus.rank`."""
    if not index.ids:
        return iter(())
    evidence = _Evidence(index, query, cosines or {}, floor)
    scores, ids = evidence.scores(), index.ids
    candidates = [(-scores[slot], -slot) for slot in evidence.candidates() if ids[slot] != asking]
    heapify(candidates)
    first = [-heappop(candidates)[1] for _ in range(min(DEPTH, len(candidates)))]
    # At once: as long as the message that asks is without its words.
    reordered = reorder(index, query, evidence.first_stage(scores), first)

    def best() -> Iterator[Hit]:
        # Who comes to a place gets its score, so that scores fall, and as far as they did.
        for place, slot in zip(first, reordered, strict=True):
            parts = {"second_stage": scores[place] - scores[slot]} if scores[place] != scores[slot] else {}
            yield Hit(ids[slot], scores[place], evidence.parts(slot) | parts if explain else {})
        while candidates:
            score, slot = heappop(candidates)
            yield Hit(ids[-slot], -score, evidence.parts(-slot) if explain else {})

    return best()


class _Evidence:
    """What speaks for each message of a chat, given one question."""

    def __init__(self, index: Ranked, query: Query, cosines: Mapping[int, float], floor: float) -> None:
        self._index = index
        self._query = query
        wanted = [
            _Wanted(variants, kind := members(word), index.times_more(variants), index.times_more({*variants, *kind}))
            for word in query.words
            for variants in [variants_of(word, index.vocabulary)]
        ]
        self._wanted = wanted
        own = _bm25(index.holders, index.lengths, index.messages, wanted)
        self._strongest = max(own.values(), default=0.0)
        self._own = scale_by_max(own)
        by_segment = scale_by_max(_bm25(index.segment_holders, index.segment_lengths, index.whole_segments, wanted))
        # What was done when was told at its time, with the rest of that day.
        share = LIST_SHARE if query.is_list and not query.offer & Offer.TIME else 1.0
        # Where the question does not say whose messages it asks for, people's before the assistant's.
        authors = index.authors
        preferred = query.people & authors or authors - {0}
        self._people = {person: PERSON * (person in preferred) for person in authors | {0}}
        self._offers = _offer_weights(query.offer)
        self._days = _day_parts(query, index)
        self._near = [cosines.get(id_, -1.0) > floor for id_ in index.ids] if cosines else []
        self._meaning = _compare(cosines, index.ids, index.segments)
        sureness = 1.0 if self._meaning is None else _sureness(own, index, wanted)
        self._words = sureness * (1.0 if self._meaning is None else WORDS_BESIDE_MEANING)
        segments = range(len(index.segment_lengths))
        self._by_segment = [sureness * SESSION * share * by_segment.get(segment, 0.0) for segment in segments]
        self._around = MEANING_AROUND * share

    def candidates(self) -> Sequence[int]:
        """The slots for which anything speaks but who says it and how."""
        index, by_segment, days = self._index, self._by_segment, self._days
        slots = zip(index.segments, index.days, strict=True)
        matching = [by_segment[segment] > 0 or day in days for segment, day in slots]
        if self._near:
            matching = [speaks or near for speaks, near in zip(matching, self._near, strict=True)]
        return [slot for slot, speaks in enumerate(matching) if speaks]

    def scores(self) -> list[float]:
        """The score of each slot."""
        index, by_segment, people, offers = self._index, self._by_segment, self._people, self._offers
        scores = [
            LENGTH * telling + by_segment[segment] + people[person] + offers[offer]
            for telling, segment, person, offer in zip(
                index.telling, index.segments, index.people, index.offers, strict=True
            )
        ]
        segments, size = index.segments, len(scores)
        for slot, own in self._own.items():
            score = self._words * own
            scores[slot] += score
            segment = segments[slot]
            for _, step, weight in _NEIGHBOURS:
                to = slot + step
                if 0 <= to < size and segments[to] == segment:
                    scores[to] += weight * score
        if self._days:
            days = {day: sum(parts.values()) for day, parts in self._days.items()}
            scores = [score + days.get(day, 0.0) for score, day in zip(scores, index.days, strict=True)]
        if self._meaning is not None:
            weight = self._around
            scores = [
                score + MEANING * own + weight * around
                for score, own, around in zip(scores, *self._meaning, strict=True)
            ]
        return scores

    def first_stage(self, scores: Sequence[float]) -> FirstStage:
        """What the second stage goes by.

        Args:
            scores: Those of this.
        """
        return FirstStage(
            scores=scores,
            words=self._own,
            strongest=self._strongest,
            sessions=self._by_segment,
            people=self._people,
            offers=self._offers,
            days={day: sum(parts.values()) for day, parts in self._days.items()},
            meaning=self._meaning,
            words_weight=self._words,
            sought=[
                Sought(word.variants, word.kind, _rarity(self._index.messages[0], max(self._holding(word), 1.0)))
                for word in self._wanted
            ],
        )

    def _holding(self, word: _Wanted) -> float:
        """How many messages hold a word, about: one that has two variants of it counts twice."""
        holders = self._index.holders
        held = (share * len(holders[variant]) for variant, share in word.variants.items() if variant in holders)
        return math.fsum(held) * word.times_more

    def parts(self, slot: int) -> dict[str, float]:
        """What adds up to a slot's score."""
        index = self._index
        segment = index.segments[slot]
        parts = {"words": self._words * self._own.get(slot, 0.0)}
        for name, step, weight in _NEIGHBOURS:
            source = slot - step
            if 0 <= source < len(index.ids) and index.segments[source] == segment:
                parts[name] = weight * self._words * self._own.get(source, 0.0)
        parts["session"] = self._by_segment[segment]
        parts["person"] = self._people[index.people[slot]]
        parts["length"] = LENGTH * index.telling[slot]
        parts |= _offer_parts(index.offers[slot], self._query.offer)
        parts |= self._days.get(index.days[slot], {})
        if self._meaning is not None:
            parts["meaning"] = MEANING * self._meaning[0][slot]
            parts["meaning_around"] = self._around * self._meaning[1][slot]
        return {name: value for name, value in parts.items() if value}


def _compare(
    cosines: Mapping[int, float], ids: Sequence[int], segments: Sequence[int]
) -> tuple[list[float], list[float]] | None:
    """How near in meaning each message is, and it with its two neighbours: from 0, the farthest, to 1.

    None where no message has a vector.
    """
    measured = [cosine for id_ in ids if (cosine := cosines.get(id_)) is not None]
    if not measured:
        return None
    # A message whose vector is still being made is neither near nor far.
    mean = math.fsum(measured) / len(measured)
    own = [cosines.get(id_, mean) for id_ in ids]
    around, sizes = own.copy(), [1] * len(own)
    for slot in range(1, len(own)):
        if segments[slot] == segments[slot - 1]:
            around[slot] += own[slot - 1]
            around[slot - 1] += own[slot]
            sizes[slot] += 1
            sizes[slot - 1] += 1
    return _normalise(own), _normalise([total / size for total, size in zip(around, sizes, strict=True)])


def _normalise(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    width = high - low
    return [0.0] * len(values) if width <= 0 else [(value - low) / width for value in values]


def variant_start(word: str) -> str | None:
    """How all variants of a word begin; None where it is too short to have any."""
    return None if len(word) < SHORTEST_VARIED else word[: math.ceil(SHARED_START * len(word))]


def variants_of(word: str, vocabulary: Sequence[str]) -> dict[str, float]:
    """The words of a sorted vocabulary that begin like a word, with what of the longer they share; itself with 1."""
    variants = {word: 1.0}
    start = variant_start(word)
    if start is None:
        return variants
    for position in range(bisect_left(vocabulary, start), len(vocabulary)):
        term = vocabulary[position]
        if not term.startswith(start):
            break
        shared = next(
            (at for at, (a, b) in enumerate(zip(word, term, strict=False)) if a != b), min(len(word), len(term))
        )
        share = shared / max(len(word), len(term))
        if share >= SHARED_START:
            variants[term] = share
    return variants


@dataclass(frozen=True)
class _Wanted:
    """A word of a question.

    Attributes:
        variants: As `variants_of` gives them.
        kind: The members of the kind that it names.
        times_more: `ConversationIndex.times_more` of the variants.
        times_more_of_kind: That of the variants and the members.
    """

    variants: Mapping[str, float]
    kind: Collection[str]
    times_more: float
    times_more_of_kind: float


def _sureness(scores: Mapping[int, float], index: Ranked, words: Iterable[_Wanted]) -> float:
    """How far words count beside meaning, from 0 to 1: little, where the best match holds little of the question.

    It is so where question and messages are in different languages.
    """
    held = (
        math.fsum(min(count, 1) for count in _held(index.holders, word.variants).values()) * word.times_more
        for word in words
    )
    asked = math.fsum(_rarity(index.messages[0], max(documents, 1.0)) for documents in held)
    return math.sqrt(min(max(scores.values(), default=0.0) / asked, 1.0)) if asked else 0.0


def _bm25(
    holders: Mapping[str, Mapping[int, int]],
    lengths: Sequence[int],
    whole: tuple[int, int],
    words: Iterable[_Wanted],
) -> dict[int, float]:
    """Score the documents that hold any of the words, a variant of one, or a member of the kind it names.

    Args:
        whole: How many documents there are, also those that are not here, and how many tokens they have.
    """
    size, tokens = whole
    average = max(tokens / size, 1.0)
    short, longer = K1 * (1 - B), K1 * B / average
    scores: dict[int, float] = {}
    for word in words:
        held = _held(holders, word.variants)
        holding = math.fsum(min(count, 1) for count in held.values()) * word.times_more
        groups = [(held, holding, K1 + 1)]
        if word.kind:
            of_kind = _held(holders, dict.fromkeys(word.kind, 1.0))
            kind_counts = {document: count for document, count in of_kind.items() if document not in held}
            # A kind with many members found everywhere tells little, however rare its own name is.
            of_any = (len(held) + len(kind_counts)) * word.times_more_of_kind
            groups.append((kind_counts, of_any, KIND * (K1 + 1)))
        for counts, documents, factor in groups:
            weight = _rarity(size, documents) * factor
            for document, count in counts.items():
                score = weight * count / (count + short + longer * lengths[document])
                scores[document] = scores.get(document, 0.0) + score
    return scores


def _rarity(size: int, documents: float) -> float:
    """What a word tells that so many of all documents hold."""
    return math.log1p((max(size - documents, 0.0) + 0.5) / (documents + 0.5))


def _held(holders: Mapping[str, Mapping[int, int]], variants: Mapping[str, float]) -> Mapping[int, float]:
    if len(variants) == 1:
        return holders.get(next(iter(variants)), {})
    held: dict[int, float] = {}
    for variant, share in variants.items():
        for document, count in holders.get(variant, {}).items():
            held[document] = held.get(document, 0.0) + share * count
    return held


@cache
def _offer_weights(wanted: Offer) -> Sequence[float]:
    """What each set of offers weighs."""
    return [sum(_offer_parts(offer, wanted).values()) for offer in range(1 << len(Offer))]


def _offer_parts(offer: int, wanted: Offer) -> dict[str, float]:
    parts = {"question": QUESTION if offer & Offer.QUESTION else 0.0}
    for name, bit, weight in (("time", Offer.TIME, TIME), ("number", Offer.NUMBER, NUMBER), ("name", Offer.NAME, NAME)):
        parts[name] = weight if offer & wanted & bit else 0.0
    return parts


def _day_parts(query: Query, index: Ranked) -> dict[int, dict[str, float]]:
    spans = query.spans
    if not spans.within:
        return {}
    days = {number: date.fromordinal(number) for number in set(index.days)}
    holds = (
        Span.holds if any(span.holds(day) for span in spans.within for day in days.values()) else Span.holds_in_any_year
    )
    parts_of_day: dict[int, dict[str, float]] = {}
    for number, day in days.items():
        parts = {
            name: weight
            for name, weight, named in (("within", WITHIN, (*spans.within, *spans.month)), ("near", NEAR, spans.near))
            if any(holds(span, day) for span in named)
        }
        if parts:
            parts_of_day[number] = parts
    return parts_of_day
