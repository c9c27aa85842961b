"""Which texts only mention a value: a number that counts something else, or what a relative or a neighbour is.

Only what is plain in the text itself: in doubt a text says the value, for what was forgotten must not be told.
"""

from __future__ import annotations

import re
from functools import cache

from zgadka.text.folding import unify
from zgadka.text.value_mentions import MentionIndex
from zgadka.text.word_lists import read_entry, read_words
from zgadka.text.words import index_words, split_words

_SMALL_NUMBER = re.compile(r"\d{1,3}")
_CLAUSE = re.compile(r"[.,;:!?()\n]+(?=\s|$)|\s[-–—]\s")
_BEFORE = 4
"""Somebody is named at most so many words before what is said of them."""


def counts_something(text: str, value: str, key: str) -> bool:
    """Whether a text that holds a small number, a value of this key, has it of something else: bus number 30.

    It speaks neither of whom it is written by or for nor of the key or years, and does not begin with the number.
    """
    if _SMALL_NUMBER.fullmatch(value.strip()) is None:
        return False
    words = split_words(unify(text))
    about = read_entry("mentions", "self") | read_entry("mentions", "years") | frozenset(key.split("_"))
    if not about.isdisjoint(words):
        return False
    is_said_alone = words[:1] == [value.strip()] and (len(words) == 1 or words[1] in read_words("stop_words"))
    return not is_said_alone


def is_of_another(text: str, value: str) -> bool:
    """Whether a text of a person's own has the value of somebody else alone: my grandma was a florist."""
    words, named = list[str](), False
    for clause in _CLAUSE.split(unify(text)):
        of_clause = split_words(clause)
        places = MentionIndex(enumerate(of_clause)).of(value, loosely=True)
        kin = [index for index, word in enumerate(of_clause) if not _kin().isdisjoint(index_words(word))]
        named = named or bool(kin)
        if (not named and places) or not all(_follows(of_clause, index, kin) for index in places):
            return False
        # My grandma: it says only whose she is.
        words += [word for index, word in enumerate(of_clause) if index + 1 not in kin]
    return named and (read_entry("mentions", "self") | read_entry("mentions", "we")).isdisjoint(words)


def asks_which(text: str, value: str) -> bool:
    """Whether a text asks which of several things a value's only word names: which model of phone is that?"""
    words = split_words(unify(text))
    if read_entry("mentions", "which").isdisjoint(words):
        return False
    places = MentionIndex(enumerate(words)).of(value, loosely=True)
    return bool(places) and all(place and words[place - 1] in read_entry("mentions", "which") for place in places)


def is_kin(key: str) -> bool:
    """Whether a key names what somebody is to a person: sister, boss."""
    return not _kin().isdisjoint(index_words(key))


def speaks_of_themselves_alone(text: str) -> bool:
    """Whether a text speaks of its writer, and of nobody who may be meant with them: I changed planes there."""
    words = set(split_words(unify(text)))
    others = read_entry("mentions", "they") | read_entry("mentions", "we") | read_entry("mentions", "them")
    tokens = {token for word in words - read_words("stop_words") for token in index_words(word)}
    return not words.isdisjoint(read_entry("mentions", "i")) and words.isdisjoint(others) and tokens.isdisjoint(_kin())


def is_personal(text: str) -> bool:
    """Whether a text that names what somebody thinks of something speaks of whom it is by or for, or judges it."""
    words = split_words(unify(text))
    return not (read_entry("mentions", "self") | read_entry("mentions", "judging")).isdisjoint(words)


def _follows(words: list[str], index: int, kin: list[int]) -> bool:
    """Whether a word follows on somebody else in its clause, and not on what these say."""
    preceding = range(max(0, index - _BEFORE), index)
    between = {words[position] for position in preceding}
    if not read_entry("mentions", "saying").isdisjoint(between):
        return False
    return any(position in kin for position in preceding) or not read_entry("mentions", "they").isdisjoint(between)


@cache
def _kin() -> frozenset[str]:
    return frozenset(token for word in read_entry("mentions", "kin") for token in index_words(word))
