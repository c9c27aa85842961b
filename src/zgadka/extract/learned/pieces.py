"""Cut words into the pieces that multilingual-e5-small knows: the most likely way, as a unigram model does."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache

UNKNOWN = 3
_SPACE = "\u2581"
_LONGEST_WORD = 40
"""Letters; the rest of a longer word is not read."""
_WORSE_THAN_ANY = 10.0
"""Of the likelihood of a letter that no piece has, below the least likely piece (SentencePiece's penalty)."""


class Pieces:
    """Pieces of words with their numbers.

    Args:
        numbers: Of each piece its number; a word's first piece begins with U+2581.
        likelihoods: By number, their logarithms.
    """

    def __init__(self, numbers: Mapping[str, int], likelihoods: Sequence[float]) -> None:
        self._numbers = numbers
        self._likelihoods = array("f", likelihoods)
        self._longest = max(map(len, numbers))
        self._unknown = min(self._likelihoods[number] for number in numbers.values()) - _WORSE_THAN_ANY
        self.of = lru_cache(maxsize=20_000)(self._cut)

    def _cut(self, word: str) -> tuple[int, ...]:
        """Return the numbers of a word's pieces; a word has no space, and is in NFKC."""
        text = _SPACE + word[:_LONGEST_WORD]
        best = [0.0] + [-math.inf] * len(text)
        came: list[tuple[int, int]] = [(0, 0)] * (len(text) + 1)
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + self._longest) + 1):
                found = self._numbers.get(text[start:end])
                if found is None and end > start + 1:
                    continue
                number, likelihood = (UNKNOWN, self._unknown) if found is None else (found, self._likelihoods[found])
                if best[start] + likelihood > best[end]:
                    best[end], came[end] = best[start] + likelihood, (start, number)
        numbers: list[int] = []
        end = len(text)
        while end:
            end, number = came[end]
            numbers.append(number)
        return tuple(reversed(numbers))
