"""Which texts say a value: all its telling words stand in them, in whatever form, spelling, script or order.

A value of one word is a name, a place or a number, so of its word only forms count: Олександром is Олександр, and
Олександрія is not. Among several words that must all be there, kin counts too: алергічна на арахіс says алергія на
арахіс.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from zgadka.text.folding import skeleton, transliterate, unify
from zgadka.text.paraphrase import is_light
from zgadka.text.word_lists import read_words
from zgadka.text.words import index_words, split_words

_SHORTEST_QUOTE = 3
"""Words of a quotation by which alone the text that it was taken from is known."""
_BEGINNING = 2
_KIN, _LONGEST_REST = 4, 4
"""Kin begin with so many letters that are the same, and end with at most so many that are not."""

_ENDING = re.compile(
    "[аяуюіїиеєойь]?|[иії]й|о(?:го|му|ї|ю|м|ві)|е(?:ю|м|й|ві)|є(?:ю|м|ві)|[аяи]м|[аия]х|[іїи]м|[аяи]ми|[ії]в",
)
_SPELT_ENDING = re.compile("[aiueo]?|oi|iu|[oe]iu|[oeia]m|ami|ah|iv|[oe]vi|ii|o[gh]o|omu")
_VOWELS = frozenset("аеєиіїоуюя")
_CLOSED = frozenset({("і", "о"), ("і", "е"), ("ї", "є")})
_SOFTENED = frozenset({("г", "з"), ("к", "ц"), ("х", "с"), ("г", "ж"), ("к", "ч"), ("х", "ш")})
_CYRILLIC = re.compile("[\u0400-\u052f]+")
_LONG_NUMBER = re.compile(r"\d(?:[\s().-]*\d){5,}")


@dataclass(frozen=True, eq=False)
class _Word:
    """One word of a text.

    Attributes:
        text: Unified.
        spelt: In Latin letters, folded.
        tokens: As an index has it.
        names: Those of them that no stranger shares: all but the root of a Cyrillic word.
        anchors: Under what it is looked for: words that may be the same share one of these.
    """

    text: str
    spelt: str
    tokens: frozenset[str]
    names: frozenset[str]
    anchors: frozenset[str]


class MentionIndex:
    """Texts, ready to be asked which of them say a value.

    Args:
        texts: With their numbers.
    """

    def __init__(self, texts: Iterable[tuple[int, str]]) -> None:
        self._words: dict[int, list[_Word]] = {}
        self._texts = dict(texts)
        self._lines: dict[int, str] = {}
        self._holders: defaultdict[str, set[int]] = defaultdict(set)
        for number, text in self._texts.items():
            split = _split(text)
            self._lines[number] = f" {' '.join(split)} "
            self._words[number] = words = [_word(word) for word in dict.fromkeys(split)]
            for word in words:
                for anchor in word.anchors:
                    self._holders[anchor].add(number)

    def of(self, value: str) -> set[int]:
        """The numbers of the texts that say the value; none where it has no words."""
        unified = unify(value)
        numbers = [_digits(run) for run in _LONG_NUMBER.findall(unified)]
        wanted = [_word(text) for text in _telling(_LONG_NUMBER.sub(" ", unified))]
        if not wanted and not numbers:
            return set()
        is_name = len(wanted) == 1
        # A word that says nothing else, as Will or May, is a name where it is written as one.
        written = value.strip() if is_name and _is_light(wanted[0].text) and value != value.lower() else ""
        holding = [set[int]().union(*(self._holders.get(anchor, ()) for anchor in word.anchors)) for word in wanted]
        return {
            number
            for number in set(self._texts).intersection(*holding)
            if all(any(_agree(word, held, is_name=is_name) for held in self._words[number]) for word in wanted)
            and all(digits in _digits(self._texts[number]) for digits in numbers)
            and written in self._texts[number]
        }

    def naming(self, name: str) -> set[int]:
        """The numbers of the texts that hold any telling word of a name, in whatever form."""
        telling = set(_telling(unify(name)))
        words = [word for word in name.split() if telling.intersection(_split(word))]
        return set[int]().union(*map(self.of, words))

    def quoted(self, quote: str) -> set[int]:
        """The numbers of the texts that hold a quotation word for word; none for one of a word or two."""
        words = f" {' '.join(_split(quote))} "
        if words.count(" ") <= _SHORTEST_QUOTE:
            return set()
        return {number for number, line in self._lines.items() if words in line}


def _telling(unified: str) -> list[str]:
    """The words that a text must have; light ones only where less than two others are left."""
    words = list(dict.fromkeys(split_words(unified)))
    stop_words = read_words("stop_words")
    telling = [word for word in words if word not in stop_words] or words
    heavy = [word for word in telling if not is_light(word)]
    return heavy if len(heavy) > 1 else telling


def _is_light(word: str) -> bool:
    return is_light(word) or word in read_words("stop_words")


def _split(text: str) -> list[str]:
    return split_words(unify(text))


def _digits(text: str) -> str:
    """Only the digits of a number, so that it is the same however it is grouped."""
    return "".join(filter(str.isdecimal, text))


@lru_cache(maxsize=16384)
def _word(text: str) -> _Word:
    tokens = index_words(text)
    names = tokens[1:] if len(tokens) > 1 and _CYRILLIC.fullmatch(text) else tokens
    spelt = skeleton(transliterate(text)) or text
    return _Word(text, spelt, frozenset(tokens), frozenset(names), frozenset({*tokens, f"{spelt[:_BEGINNING]}…"}))


def _agree(a: _Word, b: _Word, *, is_name: bool) -> bool:
    """Tell whether two words may be one."""
    if a.text == b.text or not a.names.isdisjoint(b.names):
        return True
    shares = not a.tokens.isdisjoint(b.tokens)
    common = _common(a.spelt, b.spelt)
    rests = a.spelt[common:], b.spelt[common:]
    cyrillic = [_CYRILLIC.fullmatch(word.text) is not None for word in (a, b)]
    if all(cyrillic):
        are_forms = _are_forms(a.text, b.text, min_common=_BEGINNING if shares else _KIN)
    else:
        are_forms = any(cyrillic) and common > _BEGINNING and all(map(_SPELT_ENDING.fullmatch, rests))
    if are_forms or is_name or not (a.spelt.isalpha() and b.spelt.isalpha()):
        return are_forms
    return (shares and common > 0) or (common > _KIN and max(map(len, rests)) <= _LONGEST_REST)


def _are_forms(a: str, b: str, *, min_common: int) -> bool:
    """Tell whether two Cyrillic words differ in their endings alone, and in what these change: Ольга, Ользі; кіт, кота.

    Args:
        min_common: How many letters they begin with must be the same, but for a word whose vowel changes.
    """
    common = _common(a, b)
    endings = a[common:], b[common:]
    changed = {tuple(ending[:1] for ending in endings), tuple(ending[:1] for ending in reversed(endings))}
    if changed & _SOFTENED:
        return all(_ENDING.fullmatch(ending[1:]) for ending in endings)
    if changed & _CLOSED and endings[0][1:2] == endings[1][1:2]:
        return all(_ENDING.fullmatch(ending[2:]) for ending in endings)
    if common < min_common or {*endings} == {"", "о"}:  # Іван, Івано-Франківськ
        return False
    if all(map(_ENDING.fullmatch, endings)) and not ("" in endings and a[common - 1] in _VOWELS):
        return True
    return all(map(_ENDING.fullmatch, (a[common - 1 :], b[common - 1 :])))  # Петро, Петром


def _common(a: str, b: str) -> int:
    """How many letters they begin with are the same."""
    for index, (letter, counterpart) in enumerate(zip(a, b, strict=False)):
        if letter != counterpart:
            return index
    return min(len(a), len(b))
