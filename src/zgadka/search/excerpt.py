"""Some blocks of a long chat and its newest messages, laid out for ranking."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from sys import getsizeof

from zgadka.breathing import breathing
from zgadka.model.message_block import Block
from zgadka.model.timestamps import day_of
from zgadka.search.conversation_index import LONG_ENOUGH, ConversationIndex, MessageColumns
from zgadka.stores.tx.blocks import LongChat

_PART_BYTES = 1500
_PLACE_BYTES = 290
"""Measured with tracemalloc: each block, and each of its messages."""

_TELLING = [math.log1p(length) for length in range(LONG_ENOUGH + 1)]


class Part(MessageColumns):
    """A block as it is laid out for ranking.

    Attributes:
        block: What it was made of.
    """

    def __init__(self, block: Block) -> None:
        super().__init__()
        self.block = block
        self.ids = list(block.ids)
        self.people = list(block.people)
        self.segments = block.segments
        self.days = [day_of(time) for time in block.times]
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


class Excerpt(MessageColumns):
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
        super().__init__()
        self.holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.segment_holders: defaultdict[str, dict[int, int]] = defaultdict(dict)
        self.authors = authors
        self._more = more
        for part in breathing(parts):
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
        first, first_segment = self.extend(part)
        for word in words:
            places = part.block.places(word)
            if not places:
                continue
            holders, segment_holders = self.holders[word], self.segment_holders[word]
            for place in places:
                holders[first + place] = holders.get(first + place, 0) + 1
                segment = first_segment + part.segments[place]
                segment_holders[segment] = segment_holders.get(segment, 0) + 1

    def _add_recent(self, recent: ConversationIndex, words: Collection[str]) -> None:
        first, first_segment = self.extend(recent)
        for word in recent.holders.keys() & words:
            self.holders[word] |= {first + slot: count for slot, count in recent.holders[word].items()}
            held = recent.segment_holders[word]
            self.segment_holders[word] |= {first_segment + segment: count for segment, count in held.items()}
