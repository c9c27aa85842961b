"""Ukrainian that was typed in Latin letters, "ya zhyvu u Rivnomu", put into its own and its values back."""

from __future__ import annotations

import re
from functools import cache

from zgadka.extract.lexicon import CYRILLIC, words
from zgadka.text.word_lists import read_table

_WORD = re.compile(r"[a-zA-Z']+")
_LATIN_LETTER = re.compile("[a-zA-Z]")
_MIN_WORDS = 2
_VOWELS = "аеєиіїоуюя"


def is_latin_ukrainian(sentence: str) -> bool:
    """Tell whether a sentence in Latin letters is Ukrainian: two of its words at least are such and no English ones."""
    if CYRILLIC.search(sentence) or not _LATIN_LETTER.search(sentence):
        return False
    spoken = _WORD.findall(sentence)
    by_form = sum(_ENDING.fullmatch(word) is not None for word in spoken)  # Vinnytsia has a capital
    typed = [word for word in map(str.casefold, spoken) if word in words("plain", "latin_ukrainian")]
    is_strong = by_form > 0 or any(word in words("strong", "latin_ukrainian") for word in typed)
    return is_strong and len(typed) + by_form >= _MIN_WORDS


# Endings of verbs and adjectives that no English word has, and no Polish one without its signs ("gotuje", "w maju").
_ENDING = re.compile(r"[a-z]{2,}(?:uju|[aiy]jet\w+|[^aeiou]yy|jsya|[ey]tsia|[ey]tsya|usya|[au]yu|[aou]iu|oyu)")


def in_cyrillic(sentence: str) -> str:
    """Return the sentence in Ukrainian letters, as good as its spelling allows."""
    return _WORD.sub(lambda match: _word_in_cyrillic(match[0]), sentence)


def _word_in_cyrillic(word: str) -> str:
    lower = word.casefold()
    if listed := _table("known").get(lower):
        return listed.capitalize() if word[:1].isupper() else listed
    letters = ""
    index = 0
    while index < len(lower):
        letter, length = next(
            (replacement, size)
            for size in (4, 3, 2, 1)
            if (replacement := _letter(lower[index : index + size], size, letters)) is not None
        )
        letters += letter
        index += length
    return letters.capitalize() if word[:1].isupper() else letters


def _letter(latin: str, size: int, previous: str) -> str | None:
    if len(latin) < size:
        return None
    follows_vowel = previous[-1:] in tuple(_VOWELS)
    if latin == "i" and follows_vowel:
        return "ї"
    if latin == "y" and (follows_vowel or previous[-1:] == "и"):
        return "й"
    if latin == "'":
        return "ь" if previous[-1:] in tuple("тдзсцлн") else "'"
    return _table("letters").get(latin, latin if size == 1 else None)


@cache
def _table(name: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in read_table("latin_ukrainian", "zgadka.extract")[name])
    return {letters: replacement for letters, _, replacement in pairs}


def in_latin(value: str, sentence: str) -> str:
    """Return a value as it was typed in the sentence; where its form is another, by the national transliteration."""
    typed = {_word_in_cyrillic(word).casefold(): word for word in _WORD.findall(sentence)}
    return re.sub(r"[\w']+", lambda match: typed.get(match[0].casefold()) or _romanized(match[0]), value)


def _romanized(word: str) -> str:
    initials, roman = _table("roman_first"), _table("roman")
    letters = "".join(
        initials.get(letter, roman.get(letter, letter)) if number == 0 else roman.get(letter, letter)
        for number, letter in enumerate(word.casefold())
    )
    return letters.capitalize() if word[:1].isupper() else letters
