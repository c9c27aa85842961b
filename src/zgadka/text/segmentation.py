"""Conversation segments: where one ends and the next begins, and its topic in its people's own words.

No language model takes part, so nothing is understood: words are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from zgadka.text.folding import unify
from zgadka.text.sanitize import preview
from zgadka.text.word_lists import read_words
from zgadka.text.words import index_words, query_words

BLOCK = 4
"""Messages before and after a place whose words are compared."""
_TELLING = 5
"""Fewer different words than this in a block say nothing about its topic."""
_ALIKE = 0.1
"""Blocks that have more than this share of their words in common are about the same."""
_TOPIC_WORDS = 3
_SUMMARY_MESSAGES = 3
_SHORTEST_WORD = 3
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


@dataclass(frozen=True)
class Piece:
    """A message in time.

    Attributes:
        text: What a person wrote; None: it is the assistant's, whose words count for nothing.
    """

    at: datetime
    text: str | None


@dataclass(frozen=True)
class SegmentSummary:
    """What a segment is about."""

    topic: str
    summary: str


def boundaries(pieces: Sequence[Piece], now: datetime, *, min_size: int, max_size: int, gap: timedelta) -> list[int]:
    """Where segments end: each index is that of the message after one, in order; what follows the last is open.

    A segment ends after a silence of `gap`, at `max_size`, and, once it has `min_size` messages, where people
    begin to use other words. For that, the following block must have been written, so that no later message moves
    a boundary.
    """
    text_indexes = [index for index, piece in enumerate(pieces) if piece.text is not None]
    words = [frozenset(query_words(pieces[index].text or "", expand=False)) for index in text_indexes]
    text_index = {index: number for number, index in enumerate(text_indexes)}
    ends: list[int] = []
    start = 0
    for index in range(1, len(pieces) + 1):
        last_time = pieces[index - 1].at
        silence = (now if index == len(pieces) else pieces[index].at) - last_time
        is_over = silence >= gap or index - start >= max_size
        if is_over or (index - start >= min_size and index in text_index and _is_change(words, text_index[index])):
            ends.append(index)
            start = index
    return ends


def _is_change(words: Sequence[frozenset[str]], index: int) -> bool:
    """Whether the people's messages from this one on share almost no word with those before it."""
    if index < BLOCK or len(words) - index < BLOCK:
        return False
    earlier_words = frozenset[str]().union(*words[index - BLOCK : index])
    later_words = frozenset[str]().union(*words[index : index + BLOCK])
    fewest = min(len(earlier_words), len(later_words))
    return fewest >= _TELLING and len(earlier_words & later_words) <= _ALIKE * fewest


def summarize(texts: Sequence[str]) -> SegmentSummary | None:
    """Summarize messages: the words that most of them share, and the messages with most of these words.

    Returns:
        None where no word comes up in two messages: then there is no topic.
    """
    used: Counter[str] = Counter()
    written: dict[str, str] = {}
    in_text: list[dict[str, None]] = []
    for text in texts:
        tokens: dict[str, None] = {}  # in order, so that the same words are told alike by every process
        for word in _WORD.findall(text):
            if len(word) < _SHORTEST_WORD or unify(word) in read_words("stop_words"):
                continue
            for token in index_words(word)[:1]:
                tokens[token] = None
                written.setdefault(token, word)
        used.update(tokens.keys())
        in_text.append(tokens)
    shared = [word for word, count in used.most_common() if count > 1]
    if not shared:
        return None
    weights = {word: used[word] for word in shared[:8]}
    ranked = sorted(range(len(texts)), key=lambda n: (-sum(weights.get(word, 0) for word in in_text[n]), n))
    chosen = sorted(ranked[:_SUMMARY_MESSAGES])
    summary = " … ".join(f"“{preview(texts[n])}”" for n in chosen)
    return SegmentSummary(preview(", ".join(written[word] for word in shared[:_TOPIC_WORDS])), summary)
