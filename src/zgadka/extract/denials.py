"""Whether a text denies a value that it holds, or has it in the past."""

from __future__ import annotations

import re
from functools import cache

from zgadka.extract.lexicon import named_pattern
from zgadka.text.folding import APOSTROPHES
from zgadka.text.word_lists import read_entry
from zgadka.text.words import index_words

_SENTENCE = re.compile(r"(?<=[.!?…\n])\s+")
_PART = re.compile(
    r"[,;:()]|\s[–—-]\s|(?<!\w)(?:but|and|while|whereas|now|але|а|та|і|й|тепер|зараз)(?!\w)", re.IGNORECASE
)


def takes_back(text: str, value: str) -> bool:
    """Whether every sentence of a text that has a value says that it is not so, or no longer: "I left Lviv".

    False where none has it.
    """
    spoken = frozenset(index_words(value))
    sentences = _SENTENCE.split(text.translate(APOSTROPHES))
    parts = [part_with(sentence, value) for sentence in sentences if not spoken.isdisjoint(index_words(sentence))]
    return bool(parts) and all(_is_over(part) or (denies(part) and not denies(value)) for part in parts)


def _is_over(text: str) -> bool:
    return is_told("past", text) and not is_told("lasting", text)


def part_with(sentence: str, value: str) -> str:
    """The part of a sentence that has most of the value's words."""
    spoken = frozenset(index_words(value))
    return max(_PART.split(sentence), key=lambda part: len(spoken.intersection(index_words(part))))


def denies(text: str) -> bool:
    """Whether it holds a negation."""
    return named_pattern("negated").search(text) is not None


def is_told(kind: str, text: str) -> bool:
    """Whether it holds a cue of this kind: past, lasting, wish."""
    return _cues(kind).search(text) is not None


@cache
def _cues(kind: str) -> re.Pattern[str]:
    phrases = [
        re.escape(phrase.replace("_", " ")).replace(r"\*", r"\w*")
        for code in ("en", "uk")
        for phrase in sorted(read_entry("claim_cues", f"{kind}_{code}", "zgadka.extract"), key=len, reverse=True)
    ]
    return re.compile(rf"(?<![\w'])(?:{'|'.join(phrases)})(?!\w)", re.IGNORECASE)
