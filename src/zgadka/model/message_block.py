"""Messages of a long chat as they are kept for searching: some of them together, with what ranking needs of each."""

from __future__ import annotations

import zlib
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from struct import calcsize, pack, unpack_from
from typing import NamedTuple

SEGMENT_GAP = timedelta(hours=1)
"""A longer silence ends a segment. LoCoMo's sessions are days apart, so it was not fitted there."""

BLOCK = 128
"""Messages in a block at most, when it is made."""

MOST = 2 * BLOCK
"""Messages in a block at most: some come back into it, as when a deletion is undone."""

UNKNOWN_OFFER = -1
"""Of a message that came into its block later: what it offers is read from its text."""

GAP_MICROS = SEGMENT_GAP // timedelta(microseconds=1)

_HEAD = 2
_NUMBERS = "qqqbi"
"""Of which kind the numbers of a block's columns are, as `struct` names them."""
_FIRST_PLACE = 0x100
"""From there on come letters, none of which ends a line."""
_PLACES = [chr(_FIRST_PLACE + place) for place in range(0x1000)]


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
        index: Of each word a line: the word, a tab, and for each time that a message holds it a character for the
            message's place. To look for a few words in it takes a tenth of making a dictionary of them all.
    """

    ids: Sequence[int]
    people: Sequence[int]
    times: Sequence[int]
    offers: Sequence[int]
    lengths: Sequence[int]
    index: str

    @classmethod
    def of(cls, messages: Sequence[BlockMessage]) -> Block:
        """A block of these messages."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for index, message in enumerate(messages):
            for word in message.words:
                places[word].append(index)
        lines = (f"{word}\t{''.join(map(_PLACES.__getitem__, held))}\n" for word, held in sorted(places.items()))
        return cls(
            [message.id for message in messages],
            [message.person for message in messages],
            [message.at for message in messages],
            [message.offer for message in messages],
            [len(message.words) for message in messages],
            "\n" + "".join(lines),
        )

    @classmethod
    def decode(cls, data: bytes) -> Block:
        """The block that `encode` wrote."""
        content = zlib.decompress(data)
        size = int.from_bytes(content[:_HEAD], "little")
        columns: list[Sequence[int]] = []
        at = _HEAD
        for number in _NUMBERS:
            format_ = f"<{size}{number}"
            columns.append(unpack_from(format_, content, at))
            at += calcsize(format_)
        ids, people, times, offers, lengths = columns
        return cls(ids, people, times, offers, lengths, content[at:].decode())

    def encode(self) -> bytes:
        """The block as it is kept."""
        columns = zip(_NUMBERS, (self.ids, self.people, self.times, self.offers, self.lengths), strict=True)
        numbers = (pack(f"<{len(column)}{number}", *column) for number, column in columns)
        return zlib.compress(b"".join([len(self.ids).to_bytes(_HEAD, "little"), *numbers, self.index.encode()]), 1)

    @property
    def words(self) -> list[str]:
        """The words of its messages, in order."""
        return [line.partition("\t")[0] for line in self.index.split("\n")[1:-1]]

    @property
    def terms(self) -> set[str]:
        """What it is found by: its words, and who wrote its messages."""
        return {*self.words, *(author_term(person) for person in self.people if person)}

    @property
    def segments(self) -> list[int]:
        """The number of each message's segment, within the block."""
        numbers = [0] if self.ids else []
        for earlier, later in pairwise(self.times):
            numbers.append(numbers[-1] + (later - earlier > GAP_MICROS))
        return numbers

    def places(self, word: str) -> list[int]:
        """The places of the messages that hold a word; of one that holds it twice, twice."""
        start = self.index.find(f"\n{word}\t")
        if start < 0:
            return []
        start += len(word) + 2
        return [ord(character) - _FIRST_PLACE for character in self.index[start : self.index.index("\n", start)]]

    def without(self, ids: Collection[int]) -> Block:
        """The block as it is when these messages are gone."""
        return Block.of([message for message in self.messages() if message.id not in ids])

    def with_message(self, message: BlockMessage) -> Block:
        """The block with this message, in the place of the one with its id."""
        messages = [entry for entry in self.messages() if entry.id != message.id]
        return Block.of(sorted([*messages, message], key=lambda entry: entry.id))

    def halves(self) -> tuple[Block, Block]:
        """The block as two."""
        messages = self.messages()
        middle = len(messages) // 2
        return Block.of(messages[:middle]), Block.of(messages[middle:])

    def messages(self) -> list[BlockMessage]:
        """Its messages, the words of each in no order."""
        words: list[list[str]] = [[] for _ in self.ids]
        for word in self.words:
            for place in self.places(word):
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
    ends = [index for index in range(1, min(len(times), BLOCK + 1)) if times[index] - times[index - 1] > GAP_MICROS]
    return ends[-1] if ends and ends[-1] >= BLOCK // 4 else min(BLOCK, len(times))
