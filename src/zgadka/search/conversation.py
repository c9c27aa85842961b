"""Rank the messages of one chat for a question, without a language model.

A `Corpus` holds what ranking needs of a chat's messages and follows its changes; `Corpus.rank` adds up what speaks for
each message: its words, its neighbours' words, the segment it belongs to, who says it, what it offers, when it was sent
and, where there are vectors, its meaning. docs/retrieval.md tells how the weights were found and what each is worth.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cache
from heapq import nlargest

from zgadka.search.conversation_index import ConversationIndex, Message
from zgadka.search.fusion import scale_by_max
from zgadka.search.query_analysis import Offer, Query, members, read_question

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
        if not self.messages or limit <= 0:
            return []
        query = read_question(question, names=names, asker=asker, now=now)
        index = self._index = self._index or ConversationIndex(self.messages.values())
        itself = None if asking is None else self.messages.get(asking)
        if itself is not None:
            index.replace(itself, replace(itself, words=()))
        try:
            evidence = _Evidence(index, query, cosines or {}, floor)
        finally:
            if itself is not None:
                index.replace(replace(itself, words=()), itself)
        scores = evidence.scores()
        ids = index.ids
        slots = [slot for slot in evidence.candidates() if ids[slot] != asking]
        best = nlargest(limit, [(scores[slot], slot) for slot in slots if fits is None or fits(ids[slot])])
        return [Hit(ids[slot], score, evidence.parts(slot) if explain else {}) for score, slot in best]

    def exchange(self, message: int) -> tuple[int, int] | None:
        """The question and the answer, where a message is one of the two and somebody else said the other just then."""
        index = self._index = self._index or ConversationIndex(self.messages.values())
        slot = index.slot(message)
        if slot is None:
            return None
        asks = bool(index.offers[slot] & Offer.QUESTION)
        for question, answer, is_pair in ((slot - 1, slot, True), (slot, slot + 1, asks)):
            if is_pair and question >= 0 and answer < len(index.ids) and _is_exchange(index, question, answer):
                return index.ids[question], index.ids[answer]
        return None


def _is_exchange(index: ConversationIndex, question: int, answer: int) -> bool:
    return (
        bool(index.offers[question] & Offer.QUESTION)
        and index.segments[question] == index.segments[answer]
        and index.people[question] != index.people[answer]
    )


class _Evidence:
    """What speaks for each message of a chat, given one question."""

    def __init__(self, index: ConversationIndex, query: Query, cosines: Mapping[int, float], floor: float) -> None:
        self._index = index
        self._query = query
        wanted = [(_variants(word, index), members(word)) for word in query.words]
        self._own = scale_by_max(_bm25(index.holders, index.lengths, wanted))
        by_segment = scale_by_max(_bm25(index.segment_holders, index.segment_lengths, wanted))
        share = LIST_SHARE if query.is_list else 1.0
        segments = range(len(index.segment_lengths))
        self._by_segment = [SESSION * share * by_segment.get(segment, 0.0) for segment in segments]
        # Where the question does not say whose messages it asks for, people's before the assistant's.
        people = set(index.people)
        preferred = query.people & people or people - {0}
        self._people = {person: PERSON * (person in preferred) for person in people}
        self._offers = _offer_weights(query.offer)
        self._days = _day_parts(query, index)
        self._near = [cosines.get(id_, -1.0) > floor for id_ in index.ids] if cosines else []
        self._meaning = _compare(cosines, index.ids, index.segments)
        self._words = 1.0 if self._meaning is None else WORDS_BESIDE_MEANING
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


def _variants(word: str, index: ConversationIndex) -> dict[str, float]:
    """The words of the chat that begin like a word, with how much of the longer they share; itself with 1."""
    variants = {word: 1.0}
    if len(word) < SHORTEST_VARIED:
        return variants
    start = word[: math.ceil(SHARED_START * len(word))]
    vocabulary = index.vocabulary
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


def _bm25(
    holders: Mapping[str, Mapping[int, int]],
    lengths: Sequence[int],
    words: Iterable[tuple[Mapping[str, float], Collection[str]]],
) -> dict[int, float]:
    """Score the documents that hold any of the words, a variant of one, or a member of the kind it names.

    Args:
        words: The variants of each, as `_variants` gives them, and the members of its kind.
    """
    size = len(lengths)
    average = max(sum(lengths) / size, 1.0)
    short, longer = K1 * (1 - B), K1 * B / average
    scores: dict[int, float] = {}
    for variants, kind in words:
        held = _held(holders, variants)
        holding = math.fsum(min(count, 1) for count in held.values())
        groups = [(held, holding, K1 + 1)]
        if kind:
            of_kind = _held(holders, dict.fromkeys(kind, 1.0))
            kind_counts = {document: count for document, count in of_kind.items() if document not in held}
            # A kind with many members found everywhere tells little, however rare its own name is.
            groups.append((kind_counts, float(len(held) + len(kind_counts)), KIND * (K1 + 1)))
        for counts, documents, factor in groups:
            weight = math.log1p((size - documents + 0.5) / (documents + 0.5)) * factor
            for document, count in counts.items():
                score = weight * count / (count + short + longer * lengths[document])
                scores[document] = scores.get(document, 0.0) + score
    return scores


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


def _day_parts(query: Query, index: ConversationIndex) -> dict[int, dict[str, float]]:
    if not query.within and not query.near:
        return {}
    parts_of_day: dict[int, dict[str, float]] = {}
    for number in set(index.days):
        day = date.fromordinal(number)
        parts = {
            name: weight
            for name, weight, spans in (("within", WITHIN, query.within), ("near", NEAR, query.near))
            if any(span.holds(day) for span in spans)
        }
        if parts:
            parts_of_day[number] = parts
    return parts_of_day
