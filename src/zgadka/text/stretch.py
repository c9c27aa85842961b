"""Stretches of talk: where one ends and the next begins, and what one is about in its people's own words.

No language model takes part, so nothing is understood: words are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from zgadka.text.clean import preview
from zgadka.text.skeleton import unify
from zgadka.text.tables import read_words
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
class Story:
    """What a stretch is about."""

    topic: str
    summary: str


def boundaries(pieces: Sequence[Piece], now: datetime, *, least: int, most: int, gap: timedelta) -> list[int]:
    """Where stretches end: each number is that of the message after one, in order; what follows the last is open.

    A stretch ends after so long a silence, at its greatest length, and, once it has `least` messages, where people
    begin to use other words. For that, the following block must have been written, so that nothing that comes later
    moves an end that was found.
    """
    spoken = [place for place, piece in enumerate(pieces) if piece.text is not None]
    words = [frozenset(query_words(pieces[place].text or "", expand=False)) for place in spoken]
    turns = {place: number for number, place in enumerate(spoken)}
    ends: list[int] = []
    start = 0
    for place in range(1, len(pieces) + 1):
        last = pieces[place - 1].at
        silence = (now if place == len(pieces) else pieces[place].at) - last
        is_over = silence >= gap or place - start >= most
        if is_over or (place - start >= least and place in turns and _is_change(words, turns[place])):
            ends.append(place)
            start = place
    return ends


def _is_change(words: Sequence[frozenset[str]], number: int) -> bool:
    """Whether the people's messages from this one on have next to no word of those before it."""
    if number < BLOCK or len(words) - number < BLOCK:
        return False
    before = frozenset[str]().union(*words[number - BLOCK : number])
    after = frozenset[str]().union(*words[number : number + BLOCK])
    fewest = min(len(before), len(after))
    return fewest >= _TELLING and len(before & after) <= _ALIKE * fewest


def tell(texts: Sequence[str]) -> Story | None:
    """Say what messages are about: the words that most of them share, and those of them that hold most of these.

    Returns:
        None where no word comes up in two messages: then there is no topic.
    """
    used: Counter[str] = Counter()
    written: dict[str, str] = {}
    in_text: list[dict[str, None]] = []
    for text in texts:
        found: dict[str, None] = {}  # in order, so that the same words are told alike by every process
        for word in _WORD.findall(text):
            if len(word) < _SHORTEST_WORD or unify(word) in read_words("stop_words"):
                continue
            for token in index_words(word)[:1]:
                found[token] = None
                written.setdefault(token, word)
        used.update(found.keys())
        in_text.append(found)
    shared = [word for word, count in used.most_common() if count > 1]
    if not shared:
        return None
    weights = {word: used[word] for word in shared[:8]}
    ranked = sorted(range(len(texts)), key=lambda n: (-sum(weights.get(word, 0) for word in in_text[n]), n))
    chosen = sorted(ranked[:_SUMMARY_MESSAGES])
    summary = " … ".join(f"“{preview(texts[n])}”" for n in chosen)
    return Story(preview(", ".join(written[word] for word in shared[:_TOPIC_WORDS])), summary)
