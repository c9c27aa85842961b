"""Slips of the pen in the words that statements are known by, and words of mixed speech.

Only whole words are mended, and only into words that begin or carry a statement; what is told, the value, is left as it
was written unless it is such a word.
"""

from __future__ import annotations

import re
from functools import cache

from zgadka.extract.lexicon import words
from zgadka.text.word_lists import read_table

_WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
_NO_SLIPS = ("cues_en", "cues_uk", "words_en", "words_uk")
_LONG = 8  # letters of a word from which one may be missing


def mended(sentence: str) -> str:
    """Return a sentence with its known slips put right."""
    slips = _slips()
    return _WORD.sub(lambda match: slips.get(match[0].casefold(), match[0]), sentence)


@cache
def _slips() -> dict[str, str]:
    slips: dict[str, str] = {}
    for cue in words("cues_en", "typos") | words("cues_uk", "typos"):
        slips.update(dict.fromkeys(_likely(cue), cue))
    for right, wrong in read_table("typos", "zgadka.extract").items():
        if right not in _NO_SLIPS:
            slips.update(dict.fromkeys((word.replace("_", " ") for word in wrong), right.replace("_", " ")))
    for head in _NO_SLIPS:
        for word in words(head, "typos"):
            slips.pop(word, None)
    return slips


def _likely(word: str) -> set[str]:
    """Two letters that changed places, of a long word also one left out or written twice."""
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    if len(word) < _LONG:
        return swapped - {word}
    left_out = {word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)}
    twice = {word[: at + 1] + word[at:] for at in range(len(word))}
    return (swapped | left_out | twice) - {word}
