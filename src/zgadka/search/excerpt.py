"""Some blocks of a long chat and its newest messages, laid out for ranking."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from sys import getsizeof

from zgadka.model.message_block import Block
from zgadka.search.conversation_index import LONG_ENOUGH, ConversationIndex
from zgadka.stores.tx.blocks import LongChat

_PART_BYTES = 1500
_PLACE_BYTES = 290
"""Measured with tracemalloc: each block, and each of its messages."""

_DAY = 86_400_000_000
_EPOCH_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()
_TELLING = [math.log1p(length) for length in range(LONG_ENOUGH + 1)]


class Part:
    """A block as it is laid out for ranking; see `ConversationIndex`, but for the segments, which begin at 0.

    Attributes:
        block: What it was made of.
    """

    def __init__(self, block: Block) -> None:
        self.block = block
        self.ids = list(block.ids)
        self.people = list(block.people)
        self.segments = block.segments
        self.days = [_EPOCH_DAY + time // _DAY for time in block.times]
        self.offers = list(block.offers)
        self.lengths = list(block.lengths)
        self.telling = [_TELLING[min(length, LONG_ENOUGH)] for length in block.lengths]
        self.segment_lengths = [0] * (self.segments[-1] + 1)
        for segment, length in zip(self.segments, block.lengths, strict=True):
            self.segment_lengths[segment] += length

    @property
    def size(self) -> int:
        """Bytes, estimated."""
        return _PART_BYTES + getsizeof(self.block.index) + _PLACE_BYTES * len(self.ids)


class Excerpt:
    """Some blocks of a chat and its newest messages as a `ConversationIndex` has them.

    Of what is not here it knows how much it is.

    Args:
        recent: The newest messages, those that are in no block.
        words: Only they are looked for.
        found: Those of them that are in blocks.
        more: Of a word, how many times as many blocks hold it as are here, about; of those that are not in it, once.
    """

    def __init__(
        self,
        chat: LongChat,
        parts: Iterable[Part],
        recent: ConversationIndex,
        words: Collection[str],
        *,
        found: Collection[str],
        more: Mapping[str, float],
        authors: set[int],
    ) -> None:
        self.ids: list[int] = []
        self.people: list[int] = []
        self.segments: list[int] = []
        self.days: list[int] = []
        self.offers: list[int] = []
        self.lengths: list[int] = []
        self.telling: list[float] = []
        self.holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.segment_holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.segment_lengths: list[int] = []
        self.authors = authors
        self._more = more
        for part in parts:
            self._add_part(part, found)
        self._add_recent(recent, words)
        self.vocabulary = sorted(self.holders)
        count, tokens = recent.messages
        self.messages = chat.messages + count, chat.words + tokens
        self.whole_segments = chat.segments + len(recent.segment_lengths), chat.words + tokens

    def times_more(self, words: Iterable[str], /) -> float:
        """How many messages of the chat hold any of the words, for each of them that is here."""
        held = {word: len(self.holders[word]) for word in words if word in self.holders}
        total = sum(held.values())
        return sum(count * self._more.get(word, 1.0) for word, count in held.items()) / total if total else 1.0

    def _add_part(self, part: Part, words: Collection[str]) -> None:
        first, first_segment = len(self.ids), len(self.segment_lengths)
        segments = part.segments
        self.segment_lengths += part.segment_lengths
        self.ids += part.ids
        self.people += part.people
        self.segments += [first_segment + segment for segment in segments]
        self.days += part.days
        self.offers += part.offers
        self.lengths += part.lengths
        self.telling += part.telling
        for word in words:
            places = part.block.places(word)
            if not places:
                continue
            holders, segment_holders = self.holders[word], self.segment_holders[word]
            for place in places:
                holders[first + place] = holders.get(first + place, 0) + 1
                segment = first_segment + segments[place]
                segment_holders[segment] = segment_holders.get(segment, 0) + 1

    def _add_recent(self, recent: ConversationIndex, words: Collection[str]) -> None:
        first, first_segment = len(self.ids), len(self.segment_lengths)
        self.segment_lengths += recent.segment_lengths
        self.ids += recent.ids
        self.people += recent.people
        self.segments += [first_segment + segment for segment in recent.segments]
        self.days += recent.days
        self.offers += recent.offers
        self.lengths += recent.lengths
        self.telling += recent.telling
        for word in recent.holders.keys() & words:
            self.holders[word] |= {first + slot: count for slot, count in recent.holders[word].items()}
            held = recent.segment_holders[word]
            self.segment_holders[word] |= {first_segment + segment: count for segment, count in held.items()}
