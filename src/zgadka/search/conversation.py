"""Rank the messages of one chat for a question, without a language model.

A `Corpus` holds what ranking needs of a chat's messages and follows its changes; `Corpus.rank` adds up what speaks for
each message: its words, its neighbours' words, the talk it belongs to, who says it, what it offers, when it was sent
and, where there are vectors, its meaning. docs/retrieval.md tells how the weights were found and what each is worth.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from heapq import nlargest
from typing import NamedTuple

from zgadka.search.asked import Asked, Offer, members, read_question
from zgadka.search.fusion import scale_by_most
from zgadka.search.layout import ALL_OFFERS, SESSION_GAP, Layout, Message

__all__ = ["SESSION_GAP", "Corpus", "Hit", "Message"]

# In the brackets: what recall@10 on five conversations of LoCoMo loses without it, in points, by words alone and with
# vectors. Any one weight can be a third higher or lower for less than half a point. See docs/retrieval.md.

K1, B = 0.9, 0.75
"""BM25's. From 0.2 to 0.75 LoCoMo's turns do not care about b; beside an assistant's long answers a low b costs 6."""

BEFORE, BEFORE_LAST, AFTER = 0.45, 0.4, 0.15
"""What a message borrows of its neighbours' words: an answer follows its question, and talk stays with a subject.
(1.0, -0.1; 1.3, 0.0; 0.9, 0.0: with vectors `MEANING_AROUND` does the same.)"""

SESSION = 0.8
"""The words of its whole talk. (4.2, 1.6)"""

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
"""A question for several things is answered in several talks, so one talk counts less. (0.3, 0.4)"""

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
    """

    def __init__(self, messages: Iterable[Message] = ()) -> None:
        self._messages = {message.id: message for message in messages}
        self._layout: Layout | None = None

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._messages

    @property
    def vocabulary_size(self) -> int:
        """How many words the messages have; 0 as long as they are not laid out."""
        return 0 if self._layout is None else len(self._layout.vocabulary)

    def add(self, message: Message) -> None:
        """Add a message, or replace the one with its id."""
        known = self._messages.get(message.id)
        self._messages[message.id] = message
        layout = self._layout
        if layout is None:
            return
        is_followed = layout.replace(known, message) if known else layout.append(message)
        if not is_followed:
            self._layout = None

    def remove(self, message_id: int) -> None:
        """Remove a message, if it is there."""
        if self._messages.pop(message_id, None) is not None:
            self._layout = None

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
                word, a date or their meaning speaks, of themselves or of the talk they belong to.
            fits: Which messages, by id, may be returned; the others still lend to their neighbours.
            asking: The message that asks, where it is one of the chat: it is no answer and lends nothing.
            explain: Whether to give the parts of each score.
        """
        if not self._messages or limit <= 0:
            return []
        asked = read_question(question, names=names, asker=asker, now=now)
        layout = self._layout = self._layout or Layout(self._messages.values())
        itself = None if asking is None else self._messages.get(asking)
        if itself is not None:
            layout.replace(itself, replace(itself, words=()))
        try:
            evidence = _Evidence(layout, asked, cosines or {}, floor)
        finally:
            if itself is not None:
                layout.replace(replace(itself, words=()), itself)
        scores = evidence.scores()
        slots = evidence.candidates()
        ids = layout.ids
        slots = [slot for slot in slots if ids[slot] != asking]
        if fits is not None:
            slots = [slot for slot in slots if fits(ids[slot])]
        found = nlargest(limit, [(scores[slot], slot) for slot in slots])
        return [Hit(ids[slot], score, evidence.parts(slot) if explain else {}) for score, slot in found]


class _Evidence:
    """What speaks for each message of a chat, given one question."""

    def __init__(self, layout: Layout, asked: Asked, cosines: Mapping[int, float], floor: float) -> None:
        self._layout = layout
        self._asked = asked
        wanted = [_Wanted(_variants(word, layout), members(word)) for word in asked.words]
        self._own = scale_by_most(_bm25(layout.holders, layout.lengths, wanted))
        talks = scale_by_most(_bm25(layout.session_holders, layout.session_lengths, wanted))
        share = LIST_SHARE if asked.is_list else 1.0
        self._talks = [SESSION * share * talks.get(session, 0.0) for session in range(len(layout.session_lengths))]
        self._people = _people_weights(asked, layout)
        self._offers = [sum(_offer_parts(offer, asked.offer).values()) for offer in range(ALL_OFFERS + 1)]
        self._days = _day_parts(asked, layout)
        self._near = [cosines.get(one, -1.0) > floor for one in layout.ids] if cosines else []
        self._meaning = _compare(cosines, layout.ids, layout.sessions)
        self._words = 1.0 if self._meaning is None else WORDS_BESIDE_MEANING
        self._around = MEANING_AROUND * share

    def candidates(self) -> Sequence[int]:
        """The slots for which anything speaks but who says it and how."""
        layout, talks, days = self._layout, self._talks, self._days
        spoken = [talks[session] > 0 or day in days for session, day in zip(layout.sessions, layout.days, strict=True)]
        if self._near:
            spoken = [one or near for one, near in zip(spoken, self._near, strict=True)]
        return [slot for slot, one in enumerate(spoken) if one]

    def scores(self) -> list[float]:
        """The score of each slot."""
        layout, talks, people, offers = self._layout, self._talks, self._people, self._offers
        scores = [
            LENGTH * told + talks[session] + people[person] + offers[offer]
            for told, session, person, offer in zip(
                layout.telling, layout.sessions, layout.people, layout.offers, strict=True
            )
        ]
        sessions, size = layout.sessions, len(scores)
        for slot, own in self._own.items():
            score = self._words * own
            scores[slot] += score
            session = sessions[slot]
            for _, step, weight in _NEIGHBOURS:
                to = slot + step
                if 0 <= to < size and sessions[to] == session:
                    scores[to] += weight * score
        if self._days:
            days = {day: sum(parts.values()) for day, parts in self._days.items()}
            scores = [score + days.get(day, 0.0) for score, day in zip(scores, layout.days, strict=True)]
        if self._meaning is not None:
            weight = self._around
            scores = [
                score + MEANING * own + weight * around
                for score, own, around in zip(scores, *self._meaning, strict=True)
            ]
        return scores

    def parts(self, slot: int) -> dict[str, float]:
        """What adds up to a slot's score."""
        layout = self._layout
        session = layout.sessions[slot]
        parts = {"words": self._words * self._own.get(slot, 0.0)}
        for name, step, weight in _NEIGHBOURS:
            source = slot - step
            if 0 <= source < len(layout.ids) and layout.sessions[source] == session:
                parts[name] = weight * self._words * self._own.get(source, 0.0)
        parts["session"] = self._talks[session]
        parts["person"] = self._people[layout.people[slot]]
        parts["length"] = LENGTH * layout.telling[slot]
        parts |= _offer_parts(layout.offers[slot], self._asked.offer)
        parts |= self._days.get(layout.days[slot], {})
        if self._meaning is not None:
            parts["meaning"] = MEANING * self._meaning[0][slot]
            parts["meaning_around"] = self._around * self._meaning[1][slot]
        return {name: value for name, value in parts.items() if value}


def _compare(
    cosines: Mapping[int, float], ids: Sequence[int], talks: Sequence[int]
) -> tuple[list[float], list[float]] | None:
    """How near in meaning each message is, and it with its two neighbours: from 0, the farthest, to 1.

    None where no message has a vector.
    """
    known = [cosine for one in ids if (cosine := cosines.get(one)) is not None]
    if not known:
        return None
    # A message whose vector is still being made is neither near nor far.
    mean = math.fsum(known) / len(known)
    own = [cosines.get(one, mean) for one in ids]
    around, sizes = own.copy(), [1] * len(own)
    for slot in range(1, len(own)):
        if talks[slot] == talks[slot - 1]:
            around[slot] += own[slot - 1]
            around[slot - 1] += own[slot]
            sizes[slot] += 1
            sizes[slot - 1] += 1
    return _stretch(own), _stretch([total / size for total, size in zip(around, sizes, strict=True)])


def _stretch(values: Sequence[float]) -> list[float]:
    least, most = min(values), max(values)
    width = most - least
    return [0.0] * len(values) if width <= 0 else [(value - least) / width for value in values]


def _variants(word: str, layout: Layout) -> dict[str, float]:
    """The words of the chat that begin like a word, with how much of the longer they share; itself with 1."""
    variants = {word: 1.0}
    if len(word) < SHORTEST_VARIED:
        return variants
    start = word[: math.ceil(SHARED_START * len(word))]
    vocabulary = layout.vocabulary
    for place in range(bisect_left(vocabulary, start), len(vocabulary)):
        other = vocabulary[place]
        if not other.startswith(start):
            break
        shared = next(
            (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
        )
        share = shared / max(len(word), len(other))
        if share >= SHARED_START:
            variants[other] = share
    return variants


class _Wanted(NamedTuple):
    """A word of a question.

    Attributes:
        variants: It, and the words of the chat that begin like it, with how much of the longer they share.
        members: What belongs to the kind of things that it names.
    """

    variants: Mapping[str, float]
    members: Collection[str] = ()


def _bm25(
    holders: Mapping[str, Mapping[int, int]], lengths: Sequence[int], words: Iterable[_Wanted]
) -> dict[int, float]:
    """Score the documents that hold any of the words, a variant of one, or a member of the kind it names."""
    size = len(lengths)
    average = max(sum(lengths) / size, 1.0)
    short, longer = K1 * (1 - B), K1 * B / average
    scores: dict[int, float] = {}
    for variants, kind in words:
        held = _held(holders, variants)
        holding = math.fsum(min(count, 1) for count in held.values())
        groups = [(held, holding, K1 + 1)]
        if kind:
            told = _held(holders, dict.fromkeys(kind, 1.0))
            others = {document: count for document, count in told.items() if document not in held}
            # A kind with many members found everywhere tells little, however rare its own name is.
            groups.append((others, float(len(held) + len(others)), KIND * (K1 + 1)))
        for found, documents, factor in groups:
            weight = math.log1p((size - documents + 0.5) / (documents + 0.5)) * factor
            for document, count in found.items():
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


def _people_weights(asked: Asked, layout: Layout) -> dict[int, float]:
    """Whose messages to prefer: of those asked for; where the question does not say, people's to the assistant's."""
    people = set(layout.people)
    preferred = asked.people & people or people - {0}
    return {person: PERSON * (person in preferred) for person in people}


def _offer_parts(offer: int, wanted: Offer) -> dict[str, float]:
    parts = {"question": QUESTION if offer & Offer.QUESTION else 0.0}
    for name, one, weight in (("time", Offer.TIME, TIME), ("number", Offer.NUMBER, NUMBER), ("name", Offer.NAME, NAME)):
        parts[name] = weight if offer & wanted & one else 0.0
    return parts


def _day_parts(asked: Asked, layout: Layout) -> dict[int, dict[str, float]]:
    if not asked.within and not asked.near:
        return {}
    found: dict[int, dict[str, float]] = {}
    for number in set(layout.days):
        day = date.fromordinal(number)
        parts = {
            name: weight
            for name, weight, spans in (("within", WITHIN, asked.within), ("near", NEAR, asked.near))
            if any(span.holds(day) for span in spans)
        }
        if parts:
            found[number] = parts
    return found
