"""The messages of one chat in their order, with what ranking needs of each."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from zgadka.model.message_block import SEGMENT_GAP
from zgadka.search.query_analysis import Offer

LONG_ENOUGH = 40
"""Tokens after which a message tells no more by being longer: an assistant's essays are not worth more than a story."""


@dataclass(frozen=True)
class Message:
    """A message as ranking sees it.

    Attributes:
        id: Unique in the chat.
        person: Who wrote it; 0 is the assistant.
        at: When; with the id it gives the order of the chat.
        words: `zgadka.text.words.index_words` of its text.
        offer: `zgadka.search.query_analysis.features` of its text.
    """

    id: int
    person: int
    at: datetime
    words: Sequence[str]
    offer: Offer = Offer.NONE


class MessageColumns:
    """What ranking needs of messages, in their order, one slot each.

    Attributes:
        ids: By slot, as the next six.
        people: Who wrote it.
        segments: The number of its segment.
        days: The day, as an ordinal.
        offers: As a number.
        lengths: In tokens.
        telling: The logarithm of the length, up to `LONG_ENOUGH`.
        segment_lengths: By segment.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.people: list[int] = []
        self.segments: list[int] = []
        self.days: list[int] = []
        self.offers: list[int] = []
        self.lengths: list[int] = []
        self.telling: list[float] = []
        self.segment_lengths: list[int] = []

    def extend(self, others: MessageColumns) -> tuple[int, int]:
        """Add messages that come after these; returns the slot of the first, and the number of its segment."""
        first, first_segment = len(self.ids), len(self.segment_lengths)
        self.ids += others.ids
        self.people += others.people
        self.segments += [first_segment + segment for segment in others.segments]
        self.days += others.days
        self.offers += others.offers
        self.lengths += others.lengths
        self.telling += others.telling
        self.segment_lengths += others.segment_lengths
        return first, first_segment


class ConversationIndex(MessageColumns):
    """The messages of one chat, and which of them hold a word.

    Attributes:
        holders: Of each word, the slots that hold it, with how many times.
        segment_holders: The same of segments.
        vocabulary: All words, sorted.
    """

    def __init__(self, messages: Iterable[Message]) -> None:
        super().__init__()
        self.holders: dict[str, dict[int, int]] = {}
        self.segment_holders: dict[str, dict[int, int]] = {}
        self.vocabulary: list[str] = []
        self._slots: dict[int, int] = {}
        self._last: tuple[datetime, int] | None = None
        for message in sorted(messages, key=_order):
            self._append(message)
        self.vocabulary = sorted(self.holders)

    @property
    def authors(self) -> set[int]:
        """Who wrote them."""
        return set(self.people)

    @property
    def messages(self) -> tuple[int, int]:
        """How many there are, and how many tokens they have."""
        return len(self.lengths), sum(self.lengths)

    @property
    def whole_segments(self) -> tuple[int, int]:
        """How many segments there are, and how many tokens they have."""
        return len(self.segment_lengths), sum(self.segment_lengths)

    def times_more(self, _: Iterable[str], /) -> float:
        """Of how many times as many messages it is known that they hold any of the words: all are here."""
        return 1.0

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
        segment = self.segments[slot]
        for word, count in Counter(old.words).items():
            self._count(word, slot, segment, -count)
            if not self.holders[word]:
                # Not even the word may stay: it may have been changed to be rid of it.
                del self.holders[word], self.segment_holders[word]
                del self.vocabulary[bisect_left(self.vocabulary, word)]
        self.segment_lengths[segment] += len(new.words) - len(old.words)
        self.people[slot] = new.person
        self._describe(slot, new)
        for word in self._hold(slot, segment, new.words):
            insort(self.vocabulary, word)
        return True

    def slot(self, message: int) -> int | None:
        """The slot of a message, by its id."""
        return self._slots.get(message)

    def _append(self, message: Message) -> list[str]:
        slot = len(self.ids)
        if self._last is None or message.at - self._last[0] > SEGMENT_GAP:
            self.segment_lengths.append(0)
        segment = len(self.segment_lengths) - 1
        self._last = _order(message)
        self._slots[message.id] = slot
        self.ids.append(message.id)
        self.people.append(message.person)
        self.segments.append(segment)
        self.days.append(message.at.toordinal())
        self.offers.append(0)
        self.lengths.append(0)
        self.telling.append(0.0)
        self._describe(slot, message)
        self.segment_lengths[segment] += len(message.words)
        return self._hold(slot, segment, message.words)

    def _describe(self, slot: int, message: Message) -> None:
        self.offers[slot] = int(message.offer)
        self.lengths[slot] = len(message.words)
        self.telling[slot] = math.log1p(min(len(message.words), LONG_ENOUGH))

    def _hold(self, slot: int, segment: int, words: Sequence[str]) -> list[str]:
        """Count the words in; return those that nobody held."""
        counts = Counter(words)
        new = [word for word in counts if word not in self.holders]
        for word, count in counts.items():
            self._count(word, slot, segment, count)
        return new

    def _count(self, word: str, slot: int, segment: int, count: int) -> None:
        for holders, document in ((self.holders, slot), (self.segment_holders, segment)):
            held = holders.setdefault(word, {})
            held[document] = held.get(document, 0) + count
            if held[document] <= 0:
                del held[document]


def _order(message: Message) -> tuple[datetime, int]:
    return message.at, message.id
