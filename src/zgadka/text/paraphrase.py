"""Whether two values may say the same in other words: what vectors do not see and words show.

A vector hardly tells 2 cats from 3 cats, likes tea from dislikes tea, tennis from table tennis, peanuts from walnuts.
So these rules speak after the vectors, and only ever against a likeness: numbers, signs and names that differ, a
denial or a turn on one side alone, different words of one kind (``data/kinds.txt``), a word before a shared one that
narrows it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from zgadka.text.word_lists import read_entry, read_heads, read_table, read_words
from zgadka.text.words import index_words

_CHARACTERS = 1000
_WORD = re.compile(r"[^\W_]+(?:['\u2019\u02bc][^\W_]+)*")
_APOSTROPHE = re.compile("['\u2019\u02bc]")
_DIGITS = re.compile(r"\d+")
_PREFIXES = ("un", "in", "im", "dis", "non", "ir", "il", "anti", "mis", "не")
"""What turns a word into its opposite: patient and impatient, терплячий and нетерплячий."""


@dataclass(frozen=True)
class Wording:
    """What of a value's words is compared.

    Attributes:
        plain: All of them in lower case.
        names: Those with a capital, in lower case.
        opening: The first word, which has a capital where it begins a sentence, too.
        senses: By kind which of its words there are, by number.
        telling: The index's tokens of each word that is not light, None for a light one; in order.
    """

    plain: frozenset[str]
    numbers: frozenset[str]
    signs: frozenset[str]
    names: frozenset[str]
    opening: frozenset[str]
    denies: bool
    turns: bool
    senses: Mapping[str, frozenset[int]]
    telling: tuple[frozenset[str] | None, ...]

    @property
    def tokens(self) -> frozenset[str]:
        """The tokens of all words that are not light."""
        return frozenset(token for word in self.telling if word is not None for token in word)


def wording(value: str) -> Wording:
    """Read a value's words; of a long one its beginning."""
    value = value[:_CHARACTERS]
    written = list(filter(None, (_APOSTROPHE.sub("", word) for word in _WORD.findall(value))))
    words = [word.lower() for word in written]
    stop_words = read_words("stop_words")
    tokens = [frozenset(index_words(word)) for word in words]
    senses: defaultdict[str, set[int]] = defaultdict(set)
    for word in tokens:
        for kind, sense in (entry for token in word for entry in _kinds().get(token, ())):
            senses[kind].add(sense)
    return Wording(
        plain=frozenset(words),
        numbers=frozenset(number for word in words for number in _numbers(word)),
        signs=frozenset(sign for sign in value if unicodedata.category(sign)[0] == "S" or sign in "#%@"),
        names=frozenset(word.lower() for word in written if word[0].isupper() and word != "I"),
        opening=frozenset(words[:1]),
        denies=not read_entry("paraphrase", "denying").isdisjoint(words),
        turns=not read_entry("paraphrase", "turning").isdisjoint(words),
        senses={kind: frozenset(numbers) for kind, numbers in senses.items()},
        telling=tuple(
            None if is_light(word) or word in stop_words else token for word, token in zip(words, tokens, strict=True)
        ),
    )


def is_light(word: str) -> bool:
    """Tell whether a word in lower case says little beside others in a value."""
    return word in read_entry("paraphrase", "light")


def script_of(value: str) -> str:
    """Return the script of the first letter, as Unicode names it; empty without letters."""
    letter = next(filter(str.isalpha, value), "")
    return unicodedata.name(letter, "").partition(" ")[0] if letter else ""


def may_be_same(a: Wording, b: Wording, *, named: bool = False) -> bool:
    """Tell whether no word of two values contradicts their having the same meaning.

    Args:
        named: The values are about people, so that a capital at their beginning is a name.
    """
    if a.numbers != b.numbers or a.signs != b.signs:
        return False
    if a.denies is not b.denies or a.turns is not b.turns:
        return False
    a_names, b_names = (side.names if named else side.names - side.opening for side in (a, b))
    if _apart(a_names - b.plain, b_names - a.plain):
        return False
    if any(_apart(sense, b.senses[kind]) for kind, sense in a.senses.items() if kind in b.senses):
        return False
    return not (_is_opposite(a, b) or _narrows(a, b) or _narrows(b, a))


def _apart(a: frozenset[Any], b: frozenset[Any]) -> bool:
    """Tell whether neither set contains the other."""
    return not (a <= b or b <= a)


def _is_opposite(a: Wording, b: Wording) -> bool:
    only_a, only_b = a.plain - b.plain, b.plain - a.plain
    return any(
        f"{prefix}{word}" in negated
        for words, negated in ((only_a, only_b), (only_b, only_a))
        for word in words
        if len(word) > 2
        for prefix in _PREFIXES
    )


def _narrows(wide: Wording, narrow: Wording) -> bool:
    """Tell whether `wide` names only a kind, or `narrow` adds a word before all of its words: table tennis."""
    if wide.plain and wide.plain <= read_entry("paraphrase", "general") and wide.tokens.isdisjoint(narrow.tokens):
        return True
    if not wide.tokens or not wide.tokens < narrow.tokens:
        return False
    words = narrow.telling
    return any(
        word is not None
        and next_word is not None
        and word.isdisjoint(wide.tokens)
        and not next_word.isdisjoint(wide.tokens)
        for word, next_word in pairwise(words)
    )


def _numbers(word: str) -> list[str]:
    """All but 1, which is as good as none: one dog is a dog."""
    if numbers := [head for head in read_heads("paraphrase").get(word, ()) if head.isdecimal()]:
        return numbers
    return [number for number in _DIGITS.findall(word) if number != "1"]


@cache
def _kinds() -> dict[str, tuple[tuple[str, int], ...]]:
    """The kinds that a token belongs to, and the number of what it names among those of the kind."""
    kinds: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
    for kind, entries in read_table("kinds").items():
        for number, entry in enumerate(entries):
            for word in entry.split("="):
                for token in index_words(word):
                    kinds[token].append((kind, number))
    return {token: tuple(numbers) for token, numbers in kinds.items()}
