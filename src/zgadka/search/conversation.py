"""Rank the messages of one chat for a question, without a language model.

A `Corpus` holds what ranking needs of a chat's messages and follows its changes; `Corpus.rank` adds up what speaks for
each message: its words, its neighbours' words, the talk it belongs to, who says it, what it offers, when it was sent
and, where there are vectors, its meaning. docs/retrieval.md tells how the weights were found and what each is worth.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from heapq import nlargest
from typing import TYPE_CHECKING, NamedTuple

from zgadka.search.asked import Asked, Offer, members, read_question
from zgadka.search.fusion import scale_by_most

if TYPE_CHECKING:  # numpy comes with an extra
    from zgadka.search.embedders.vectors import Vector

SESSION_GAP = timedelta(hours=1)
"""A longer silence ends a talk."""

K1 = 0.9
SHORT_TEXTS_B = 0.4
LONG_TEXTS_B = 0.75
EVEN_SPREAD, UNEVEN_SPREAD = 0.6, 1.2

BEFORE, BEFORE_LAST = 0.45, 0.4
AFTER = 0.2
SESSION = 0.8
PERSON = 0.7
QUESTION = -0.2
TIME = 0.7
NUMBER = 0.35
NAME = 0.3
WITHIN = 1.1
NEAR = 0.6
LENGTH = 0.2
LONG_ENOUGH = 40
WORDS_BESIDE_MEANING = 0.75
MEANING = 0.75
MEANING_AROUND = 0.9
LIST_SHARE = 0.5

SHARED_START = 0.7
SHORTEST_VARIED = 5
KIND = 0.8

_ALL_OFFERS = 15
_NEIGHBOURS = (("before_last", 2, BEFORE_LAST), ("before", 1, BEFORE), ("after", -1, AFTER))


@dataclass(frozen=True)
class Message:
    """A message as ranking sees it.

    Attributes:
        id: Unique in the chat.
        person: Who wrote it; 0 is the assistant.
        at: When; with the id it gives the order of the chat.
        words: `zgadka.text.words.index_words` of its text.
        offer: `zgadka.search.asked.features` of its text.
    """

    id: int
    person: int
    at: datetime
    words: Sequence[str]
    offer: Offer = Offer.NONE


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
        self._layout: _Layout | None = None
        self._vectors = _Vectors()

    def __len__(self) -> int:
        return len(self._messages)

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._messages

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
        """Remove a message, if it is there, with its vector."""
        if self._messages.pop(message_id, None) is not None:
            self._layout = None
            self._vectors.remove(message_id)

    def set_vector(self, message_id: int, vector: Vector) -> None:
        """Give a message its vector, of length 1; a vector of another size than the others' starts afresh."""
        if message_id in self._messages:
            self._vectors.put(message_id, vector)

    def remove_vector(self, message_id: int) -> None:
        """Remove a message's vector, if it has one."""
        self._vectors.remove(message_id)

    def clear_vectors(self) -> None:
        """Remove all vectors, before those of another embedder come."""
        self._vectors = _Vectors()

    def rank(
        self,
        question: str,
        *,
        names: Mapping[int, Collection[str]] | None = None,
        asker: int | None = None,
        now: datetime | None = None,
        query_vector: Vector | None = None,
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
            query_vector: Of `without_names(question, names)`, by the embedder of the messages' vectors. Without it only
                messages are returned for which a word or a date speaks, of themselves or of the talk they belong to.
            fits: Which messages, by id, may be returned; the others still lend to their neighbours.
            asking: The message that asks, where it is one of the chat: it is no answer and lends nothing.
            explain: Whether to give the parts of each score.
        """
        if not self._messages or limit <= 0:
            return []
        asked = read_question(question, names=names, asker=asker, now=now)
        layout = self._layout = self._layout or _Layout(self._messages.values())
        itself = None if asking is None else self._messages.get(asking)
        if itself is not None:
            layout.replace(itself, replace(itself, words=()))
        try:
            evidence = _Evidence(layout, asked, self._vectors, query_vector)
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


class _Layout:
    """The messages in their order, one slot each, with everything by slot."""

    def __init__(self, messages: Iterable[Message]) -> None:
        self.ids: list[int] = []
        self.people: list[int] = []
        self.sessions: list[int] = []
        self.days: list[int] = []
        self.offers: list[int] = []
        self.lengths: list[int] = []
        self.telling: list[float] = []
        self.holders: dict[str, dict[int, int]] = {}
        self.session_holders: dict[str, dict[int, int]] = {}
        self.session_lengths: list[int] = []
        self.vocabulary: list[str] = []
        self._slots: dict[int, int] = {}
        self._last: tuple[datetime, int] | None = None
        for message in sorted(messages, key=_order):
            self._append(message)
        self.vocabulary = sorted(self.holders)

    def append(self, message: Message) -> bool:
        """Follow a new message; False if it is not the last in order."""
        if self._last is not None and _order(message) < self._last:
            return False
        for word in self._append(message):
            insort(self.vocabulary, word)
        return True

    def replace(self, old: Message, new: Message) -> bool:
        """Follow a changed message; False if it moved."""
        if _order(old) != _order(new):
            return False
        slot = self._slots[old.id]
        session = self.sessions[slot]
        for word, count in Counter(old.words).items():
            self._count(word, slot, session, -count)
            if not self.holders[word]:
                # Not even the word may stay: it may have been changed to be rid of it.
                del self.holders[word], self.session_holders[word]
                del self.vocabulary[bisect_left(self.vocabulary, word)]
        self.session_lengths[session] += len(new.words) - len(old.words)
        self.people[slot] = new.person
        self._describe(slot, new)
        for word in self._hold(slot, session, new.words):
            insort(self.vocabulary, word)
        return True

    def _append(self, message: Message) -> list[str]:
        slot = len(self.ids)
        if self._last is None or message.at - self._last[0] > SESSION_GAP:
            self.session_lengths.append(0)
        session = len(self.session_lengths) - 1
        self._last = _order(message)
        self._slots[message.id] = slot
        self.ids.append(message.id)
        self.people.append(message.person)
        self.sessions.append(session)
        self.days.append(message.at.toordinal())
        self.offers.append(0)
        self.lengths.append(0)
        self.telling.append(0.0)
        self._describe(slot, message)
        self.session_lengths[session] += len(message.words)
        return self._hold(slot, session, message.words)

    def _describe(self, slot: int, message: Message) -> None:
        self.offers[slot] = int(message.offer) & _ALL_OFFERS
        self.lengths[slot] = len(message.words)
        self.telling[slot] = LENGTH * math.log1p(min(len(message.words), LONG_ENOUGH))

    def _hold(self, slot: int, session: int, words: Sequence[str]) -> list[str]:
        """Count the words in; return those that nobody held."""
        counts = Counter(words)
        new = [word for word in counts if word not in self.holders]
        for word, count in counts.items():
            self._count(word, slot, session, count)
        return new

    def _count(self, word: str, slot: int, session: int, count: int) -> None:
        for holders, place in ((self.holders, slot), (self.session_holders, session)):
            held = holders.setdefault(word, {})
            held[place] = held.get(place, 0) + count
            if held[place] <= 0:
                del held[place]


class _Evidence:
    """What speaks for each message of a chat, given one question."""

    def __init__(self, layout: _Layout, asked: Asked, vectors: _Vectors, query_vector: Vector | None) -> None:
        self._layout = layout
        self._asked = asked
        wanted = [_Wanted(_variants(word, layout), members(word)) for word in asked.words]
        self._own = scale_by_most(_bm25(layout.holders, layout.lengths, wanted))
        talks = scale_by_most(_bm25(layout.session_holders, layout.session_lengths, wanted))
        share = LIST_SHARE if asked.is_list else 1.0
        self._talks = [SESSION * share * talks.get(session, 0.0) for session in range(len(layout.session_lengths))]
        self._people = _people_weights(asked, layout)
        self._offers = [sum(_offer_parts(offer, asked.offer).values()) for offer in range(_ALL_OFFERS + 1)]
        self._days = _day_parts(asked, layout)
        self._meaning: tuple[list[float], list[float]] | None = None
        if query_vector is not None:
            self._meaning = vectors.compare(query_vector, layout)
        self._words = 1.0 if self._meaning is None else WORDS_BESIDE_MEANING
        self._around = MEANING_AROUND * share

    def candidates(self) -> Sequence[int]:
        """The slots for which anything speaks but who says it and how."""
        layout = self._layout
        if self._meaning is not None:
            return range(len(layout.ids))
        if not self._days:
            return [slot for slot, session in enumerate(layout.sessions) if self._talks[session] > 0]
        pairs = zip(layout.sessions, layout.days, strict=True)
        return [slot for slot, (session, day) in enumerate(pairs) if self._talks[session] > 0 or day in self._days]

    def scores(self) -> list[float]:
        """The score of each slot."""
        layout, talks, people, offers = self._layout, self._talks, self._people, self._offers
        scores = [
            told + talks[session] + people[person] + offers[offer]
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
        parts["length"] = layout.telling[slot]
        parts |= _offer_parts(layout.offers[slot], self._asked.offer)
        parts |= self._days.get(layout.days[slot], {})
        if self._meaning is not None:
            parts["meaning"] = MEANING * self._meaning[0][slot]
            parts["meaning_around"] = self._around * self._meaning[1][slot]
        return {name: value for name, value in parts.items() if value}


class _Vectors:
    """The messages' vectors, in one matrix."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._free: list[int] = []
        self._matrix: Vector | None = None

    def put(self, message_id: int, vector: Vector) -> None:
        import numpy as np  # noqa: PLC0415

        if self._matrix is None or self._matrix.shape[1] != len(vector):
            self._rows, self._free = {}, []
            self._matrix = np.zeros((64, len(vector)), dtype=np.float32)
        row = self._rows.get(message_id)
        if row is None:
            row = self._free.pop() if self._free else len(self._rows)
            if row == len(self._matrix):
                self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
            self._rows[message_id] = row
        self._matrix[row] = vector

    def remove(self, message_id: int) -> None:
        row = self._rows.pop(message_id, None)
        if row is not None and self._matrix is not None:
            self._matrix[row] = 0  # erased means no copy anywhere
            self._free.append(row)

    def compare(self, query: Vector, layout: _Layout) -> tuple[list[float], list[float]] | None:
        """How like the question each slot is, and it with its two neighbours, from 0 to 1. None without vectors."""
        if self._matrix is None or not self._rows or self._matrix.shape[1] != len(query):
            return None
        import numpy as np  # noqa: PLC0415

        rows = np.fromiter((self._rows.get(one, -1) for one in layout.ids), np.int64, len(layout.ids))
        cosines = (self._matrix @ query)[rows]
        # A message whose vector is still being made is neither near nor far.
        cosines[rows < 0] = cosines[rows >= 0].mean()
        sessions = np.array(layout.sessions)
        together = sessions[1:] == sessions[:-1]
        total, count = cosines.copy(), np.ones(len(cosines), dtype=np.float32)
        total[1:] += together * cosines[:-1]
        total[:-1] += together * cosines[1:]
        count[1:] += together
        count[:-1] += together
        return _stretch(cosines), _stretch(total / count)


def _stretch(values: Vector) -> list[float]:
    least, most = float(values.min()), float(values.max())
    return [0.0] * len(values) if most <= least else ((values - least) / (most - least)).tolist()


def _order(message: Message) -> tuple[datetime, int]:
    return message.at, message.id


def _variants(word: str, layout: _Layout) -> dict[str, float]:
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
    b = _length_share(lengths, average)
    short, longer = K1 * (1 - b), K1 * b / average
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


def _length_share(lengths: Sequence[int], average: float) -> float:
    """BM25's b: how much longer documents are held back, more where lengths differ more."""
    spread = math.sqrt(max(math.fsum(n * n for n in lengths) / len(lengths) - average * average, 0.0)) / average
    share = min(max((spread - EVEN_SPREAD) / (UNEVEN_SPREAD - EVEN_SPREAD), 0.0), 1.0)
    return SHORT_TEXTS_B + share * (LONG_TEXTS_B - SHORT_TEXTS_B)


def _held(holders: Mapping[str, Mapping[int, int]], variants: Mapping[str, float]) -> Mapping[int, float]:
    if len(variants) == 1:
        return holders.get(next(iter(variants)), {})
    held: dict[int, float] = {}
    for variant, share in variants.items():
        for document, count in holders.get(variant, {}).items():
            held[document] = held.get(document, 0.0) + share * count
    return held


def _people_weights(asked: Asked, layout: _Layout) -> dict[int, float]:
    """Whose messages to prefer: of those asked for; where the question does not say, people's to the assistant's."""
    people = set(layout.people)
    preferred = asked.people & people or people - {0}
    return {person: PERSON * (person in preferred) for person in people}


def _offer_parts(offer: int, wanted: Offer) -> dict[str, float]:
    parts = {"question": QUESTION if offer & Offer.QUESTION else 0.0}
    for name, one, weight in (("time", Offer.TIME, TIME), ("number", Offer.NUMBER, NUMBER), ("name", Offer.NAME, NAME)):
        parts[name] = weight if offer & wanted & one else 0.0
    return parts


def _day_parts(asked: Asked, layout: _Layout) -> dict[int, dict[str, float]]:
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
