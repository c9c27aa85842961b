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

_WITHOUT = re.compile(
    r"(?<!\w)(?:\w+n't|not|cannot|never|no|не|ні|ані|жодного|нікуди)(?:\s+[\w']+){0,5}?\s+(?:without|без)(?!\w)",
    re.IGNORECASE,
)
"""What is not so without something is so with it."""


def turns_around(former: str, text: str, value: str, key: str = "") -> bool:
    """Whether a text says that a value is not so, or no longer, of which it said the opposite: "I left Lviv".

    False where it does not have the value, and where it only says the same otherwise: "I can't live without coffee".

    Args:
        former: What it said before.
        key: Of the fact whose value it is: who may not eat nuts is allergic to them, and does not like them.
    """
    before, now = (_sayings(words, value, f"{key} {value}") for words in (former, text))
    was_so = any(before) if before else not denies(value)
    return bool(now) and (not any(now) if was_so else all(now))


def _sayings(text: str, value: str, about: str) -> list[bool]:
    """Of each sentence that has a value, whether it says that it is so.

    Args:
        about: The words of the fact.
    """
    spoken = frozenset(index_words(value))
    sentences = [
        sentence
        for sentence in _SENTENCE.split(text.translate(APOSTROPHES))
        if not spoken.isdisjoint(index_words(sentence))
    ]
    parts = [_cues("affirming").sub(" ", part_with(sentence, value)) for sentence in sentences]
    return [not (_is_over(part) or _is_denied(part, about)) for part in parts]


def _is_over(text: str) -> bool:
    return is_told("past", text) and not (is_told("lasting", text) or is_told("began", text))


def _is_denied(text: str, about: str) -> bool:
    """Whether it holds a negation that does not say the same otherwise."""
    plain = _WITHOUT.sub(" ", text)
    if is_told("averse", f"{plain} {about.replace('_', ' ')}"):
        plain = _cues("avoiding").sub(" ", plain)
    return denies(plain)


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
