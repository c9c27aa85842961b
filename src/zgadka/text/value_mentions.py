"""Which texts say a value: all its telling words stand in them, in whatever form, spelling, script or order.

A value of one word is a name, a place or a number, so of its word only forms count: Олександром is Олександр, and
Олександрія is not. Among several words that must all be there, kin counts too: алергічна на арахіс says алергія на
арахіс.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from zgadka.text.folding import skeleton, transliterate, unify
from zgadka.text.paraphrase import is_light
from zgadka.text.word_lists import read_entry, read_table, read_words
from zgadka.text.words import index_words, split_words

_SHORTEST_QUOTE = 3
"""Words of a quotation by which alone the text that it was taken from is known."""
_BEGINNING = 2
_LONG = 6
"""Letters of a word that may be a slip for another."""
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
_WRITTEN = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(r"[.!?;:,\n…]+(?:\s|$)|\s(?:and|but|і|й|та|а|але)\s", re.IGNORECASE)
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
                for group in _synonyms(word.text):
                    self._holders[f"={group}"].add(number)

    def of(self, value: str, *, loosely: bool = False) -> set[int]:
        """The numbers of the texts that say the value; none where it has no words.

        Args:
            loosely: The texts are the words of whom the value is about, or answers to them: their kin of a word, what
                they misspell and what they leave out says it too.
        """
        unified = unify(value) if self._texts else ""
        numbers = [_digits(run) for run in _LONG_NUMBER.findall(unified)]
        wanted = [_word(text) for text in _telling(_LONG_NUMBER.sub(" ", unified), loosely=loosely)]
        if not wanted and not numbers:
            return set()
        is_name = len(wanted) == 1 and (not loosely or value != value.lower())
        # A word that says nothing else, as Will or May, is a name where it is written as one.
        is_proper = len(wanted) == 1 and value != value.lower()
        written = value.strip() if is_proper and _is_light(wanted[0].text) else ""
        needed = (len(wanted) + 1) // 2 if loosely else len(wanted)
        candidates = Counter(number for word in wanted for number in self._holding(word, loosely=loosely))
        return {
            number
            for number in (candidates if wanted else self._texts)
            if candidates[number] >= needed
            and self._holds_most(number, wanted, len(wanted) - needed, is_name=is_name, loosely=loosely)
            and all(digits in _digits(self._texts[number]) for digits in numbers)
            and written in self._texts[number]
            and not (is_proper and loosely and self._writes_small(number, wanted[0]))
        }

    def _holding(self, word: _Word, *, loosely: bool) -> set[int]:
        """The texts that may hold a word."""
        groups = [f"={group}" for group in _synonyms(word.text)] if loosely else []
        return set[int]().union(*(self._holders.get(anchor, ()) for anchor in (*word.anchors, *groups)))

    def _holds_most(self, number: int, wanted: Iterable[_Word], missing: int, *, is_name: bool, loosely: bool) -> bool:
        """Whether a text holds the words, but for as many as may be missing."""
        for word in wanted:
            if not self._holds(number, word, is_name=is_name, loosely=loosely):
                missing -= 1
                if missing < 0:
                    return False
        return True

    def _holds(self, number: int, word: _Word, *, is_name: bool, loosely: bool) -> bool:
        return any(
            (loosely or not word.anchors.isdisjoint(held.anchors))
            and _agree(word, held, is_name=is_name, loosely=loosely)
            for held in self._words[number]
        )

    def _writes_small(self, number: int, name: _Word) -> bool:
        """Whether a text writes a name as an ordinary word, though it writes others as names: our bath tap, Neil."""
        written = [word for word in _WRITTEN.findall(self._texts[number]) if len(word) > 1]
        same = [word for word in written if _agree(name, _word(unify(word)), is_name=True, loosely=False)]
        return bool(same) and all(map(str.islower, same)) and not all(map(str.islower, written))

    def naming(self, name: str) -> set[int]:
        """The numbers of the texts that hold any telling word of a name, in whatever form."""
        telling = set(_telling(unify(name), loosely=False))
        words = [word for word in name.split() if telling.intersection(_split(word))]
        return set[int]().union(*map(self.of, words))

    def retelling(self, text: str, *, loosely: bool = False) -> set[int]:
        """The numbers of the texts that say a clause of a longer text; none where it has but one telling word.

        Args:
            loosely: As for `of`, where a clause has more than two such words.
        """
        clauses = {clause: len(_telling(unify(clause), loosely=True)) for clause in _CLAUSE_END.split(text)}
        found = (self.of(clause, loosely=loosely and count > 2) for clause, count in clauses.items() if count > 1)
        return set[int]().union(*found)

    def quoted(self, quote: str) -> set[int]:
        """The numbers of the texts that hold a quotation word for word; none for one of a word or two."""
        words = f" {' '.join(_split(quote))} "
        if words.count(" ") <= _SHORTEST_QUOTE:
            return set()
        return {number for number, line in self._lines.items() if words in line}


def identifies(value: str) -> bool:
    """Whether a name or a value is known again by its words: not one of stop words and single letters alone."""
    return any(len(word) > 1 and word not in read_words("stop_words") for word in _split(value))


def _telling(unified: str, *, loosely: bool) -> list[str]:
    """The words that a text must have; light ones only where less than two others are left, loosely none."""
    words = list(dict.fromkeys(split_words(unified)))
    stop_words = read_words("stop_words")
    telling = [word for word in words if word not in stop_words] or words
    heavy = [word for word in telling if not is_light(word)]
    if loosely:
        heavy = [word for word in heavy if word not in read_entry("mentions", "doing")] or heavy
    return heavy if len(heavy) > (0 if loosely else 1) else telling


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


def _agree(a: _Word, b: _Word, *, is_name: bool, loosely: bool) -> bool:
    """Tell whether two words may be one."""
    if a.text == b.text or not a.names.isdisjoint(b.names):
        return True
    if loosely and (_is_slip(a.spelt, b.spelt) or not _synonyms(a.text).isdisjoint(_synonyms(b.text))):
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


@lru_cache(maxsize=16384)
def _synonyms(word: str) -> frozenset[int]:
    """The numbers of the groups of words that say the same, to which a word or a form of it belongs."""
    groups = _groups()
    return frozenset(number for token in {word, *index_words(word)} for number in groups.get(token, ()))


@cache
def _groups() -> dict[str, tuple[int, ...]]:
    groups: dict[str, tuple[int, ...]] = {}
    for number, entry in enumerate(read_table("mentions")["same"]):
        for word in entry.split("="):
            for token in {word, *index_words(word)}:
                groups[token] = (*groups.get(token, ()), number)
    return groups


def _is_slip(a: str, b: str) -> bool:
    """Tell whether one of two long words is the other with a letter more, less, wrong or in its neighbour's place."""
    short, long = sorted((a, b), key=len)
    if len(short) < _LONG or len(long) - len(short) > 1 or not (a.isalpha() and b.isalpha()) or a[0] != b[0]:
        return False
    start = _common(short, long)
    if len(short) < len(long):
        return short[start:] == long[start + 1 :]
    swapped = short[start : start + 2][::-1] == long[start : start + 2] and short[start + 2 :] == long[start + 2 :]
    return swapped or short[start + 1 :] == long[start + 1 :]


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
