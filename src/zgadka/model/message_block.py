"""Messages of a long chat as they are kept for searching: some of them together, with what ranking needs of each."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

SEGMENT_GAP = timedelta(hours=1)
"""A longer silence ends a segment. LoCoMo's sessions are days apart, so it was not fitted there."""

BLOCK = 128
"""Messages in a block at most."""

UNKNOWN_OFFER = -1
"""Of a message that came into its block later: what it offers is read from its text."""

_GAP_MICROS = SEGMENT_GAP // timedelta(microseconds=1)


class BlockMessage(NamedTuple):
    """A message as a block takes it.

    Attributes:
        person: Owner id of who wrote it; 0: the assistant.
        at: Microseconds since 1970 UTC.
        offer: `zgadka.search.query_analysis.features` of its text, as a number.
        words: `zgadka.text.words.index_words` of its text.
    """

    id: int
    person: int
    at: int
    offer: int
    words: Sequence[str]


@dataclass(frozen=True)
class Block:
    """Some messages of a chat that follow each other, in order of their ids.

    Attributes:
        ids: Of each, as the next four.
        people: Who wrote it; 0 is the assistant.
        times: Microseconds since 1970 UTC.
        offers: As a number.
        lengths: In tokens.
        words: Of each word the places of the messages that hold it; of one that holds it twice, twice.
    """

    ids: list[int]
    people: list[int]
    times: list[int]
    offers: list[int]
    lengths: list[int]
    words: dict[str, list[int]]

    @classmethod
    def of(cls, messages: Sequence[BlockMessage]) -> Block:
        """A block of these messages."""
        words: dict[str, list[int]] = {}
        for place, message in enumerate(messages):
            for word in message.words:
                words.setdefault(word, []).append(place)
        return cls(
            [message.id for message in messages],
            [message.person for message in messages],
            [message.at for message in messages],
            [message.offer for message in messages],
            [len(message.words) for message in messages],
            words,
        )

    @classmethod
    def decode(cls, data: bytes) -> Block:
        """The block that `encode` wrote."""
        return cls(*json.loads(zlib.decompress(data)))

    def encode(self) -> bytes:
        """The block as it is kept."""
        columns = (self.ids, self.people, self.times, self.offers, self.lengths, self.words)
        return zlib.compress(json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode(), 1)

    @property
    def terms(self) -> set[str]:
        """What it is found by: its words, and who wrote its messages."""
        return {*self.words, *(author_term(person) for person in self.people if person)}

    @property
    def segments(self) -> list[int]:
        """The number of each message's segment, within the block."""
        numbers = [0] if self.ids else []
        for earlier, later in pairwise(self.times):
            numbers.append(numbers[-1] + (later - earlier > _GAP_MICROS))
        return numbers

    def without(self, ids: Collection[int]) -> Block:
        """The block as it is when these messages are gone."""
        return Block.of([message for message in self.messages() if message.id not in ids])

    def with_message(self, message: BlockMessage) -> Block:
        """The block with this message, in the place of the one with its id."""
        others = [other for other in self.messages() if other.id != message.id]
        return Block.of(sorted([*others, message], key=lambda entry: entry.id))

    def messages(self) -> list[BlockMessage]:
        """Its messages, the words of each in no order."""
        words: list[list[str]] = [[] for _ in self.ids]
        for word, places in self.words.items():
            for place in places:
                words[place].append(word)
        columns = zip(self.ids, self.people, self.times, self.offers, words, strict=True)
        return [BlockMessage(*columns_of_one) for columns_of_one in columns]


_AUTHOR = "@"


def author_term(person: int) -> str:
    """What stands among a block's words for somebody who wrote in it; no word begins so."""
    return f"{_AUTHOR}{person}"


def author_of(term: str) -> int:
    """Whom `author_term` stands for."""
    return int(term.removeprefix(_AUTHOR))


def next_block(times: Sequence[int]) -> int:
    """How many of the first messages, sent at these times, are the next block: whole segments, where they are short."""
    ends = [place for place in range(1, min(len(times), BLOCK + 1)) if times[place] - times[place - 1] > _GAP_MICROS]
    return ends[-1] if ends and ends[-1] >= BLOCK // 4 else min(BLOCK, len(times))
