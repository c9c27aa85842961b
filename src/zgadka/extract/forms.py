"""The base forms that a Ukrainian word may have by its ending: Тернополі as Тернопіль, кравчинею as кравчиня.

Most of what comes out is no word at all. Whoever asks has a list of base forms and keeps those that are in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from zgadka.extract.memory import remembered

# An ending, what the base form has instead, and the cases: n(ominative) g d a i l, p(lural).
_ENDINGS = (
    # -а
    ("и", "а", "g"), ("і", "а", "dl"), ("у", "а", "a"), ("ою", "а", "i"), ("ею", "а", "i"),
    # -я
    ("і", "я", "gdl"), ("ї", "я", "gdl"), ("ю", "я", "a"), ("ею", "я", "i"), ("єю", "я", "i"), ("ю", "ь", "i"),
    ("і", "ь", "gdl"),
    # a consonant, -ь, -й
    ("а", "", "ga"), ("у", "", "gdl"), ("ові", "", "dl"), ("еві", "", "dl"), ("ом", "", "i"), ("ем", "", "i"),
    ("і", "", "l"), ("и", "", "p"), ("я", "ь", "ga"), ("ю", "ь", "d"), ("еві", "ь", "dl"),
    ("ем", "ь", "i"), ("я", "й", "ga"), ("ю", "й", "dl"), ("єві", "й", "dl"), ("єм", "й", "i"), ("ї", "й", "l"),
    # -о, -е, -я of things
    ("а", "о", "g"), ("у", "о", "dl"), ("ом", "о", "i"), ("і", "о", "l"), ("ові", "о", "dl"), ("а", "е", "g"),
    ("у", "е", "d"), ("я", "е", "g"), ("ю", "е", "dl"), ("ем", "е", "i"), ("і", "е", "l"), ("ям", "я", "i"),
    ("ю", "я", "dl"),
    # adjectives
    ("ого", "ий", "ga"), ("ому", "ий", "dl"), ("им", "ий", "i"), ("ім", "ий", "l"), ("ого", "ій", "ga"),
    ("ого", "е", "ga"), ("ому", "е", "dl"), ("им", "е", "i"), ("ім", "е", "l"), ("ої", "а", "g"), ("ій", "а", "dl"),
    ("ої", "я", "g"), ("ій", "я", "dl"),
    # what is said of several
    ("", "и", "g"), ("ів", "и", "g"), ("ів", "і", "g"), ("ах", "и", "l"), ("ях", "і", "l"), ("ам", "и", "d"),
    ("ами", "и", "i"), ("ями", "і", "i"), ("ей", "і", "g"), ("ів", "", "p"), ("ами", "", "p"), ("ях", "ї", "l"),
    ("и", "а", "p"), ("і", "я", "p"), ("ами", "а", "p"), ("ок", "ка", "p"),
)  # fmt: skip
_LONGEST = 3
_SOFTENED = {"ц": "к", "з": "г", "с": "х"}
_CLOSED = {"о": "і", "е": "і", "є": "ї"}
_VOWELS = "аеєиіїоуюя"
_MIN_STEM = 2


@remembered
def base_forms(word: str) -> tuple[tuple[str, str], ...]:
    """Return the base forms that a word in small letters may have, each with the cases that it then stands in."""
    return ((word, "n"), *_by_ending(word))


def _by_ending(word: str) -> Iterator[tuple[str, str]]:
    for length in range(min(_LONGEST, len(word) - _MIN_STEM) + 1):
        stem, ending = word[: len(word) - length], word[len(word) - length :]
        for base, cases in _bases_by_ending().get(ending, ()):
            yield stem + base, cases
            hard = stem[:-1] + _SOFTENED.get(stem[-1], "") if ending == "і" and base in ("а", "") else stem
            if hard != stem and hard[:-1] == stem[:-1]:  # Празі, Кременчуці
                yield hard + base, cases
            if base in ("", "ь", "й") and ending:
                yield from ((closed + base, cases) for closed in _closed(hard if len(hard) == len(stem) else stem))


@cache
def _bases_by_ending() -> dict[str, list[tuple[str, str]]]:
    bases: dict[str, list[tuple[str, str]]] = {}
    for ending, base, cases in _ENDINGS:
        bases.setdefault(ending, []).append((base, cases))
    return bases


def _closed(stem: str) -> Iterator[str]:
    """Yield a stem as it is without an ending: Львов- as Львів, кравц- as кравець, щурк- as щурок."""
    final, penultimate = stem[-1], stem[-2]
    if final in _VOWELS:
        return
    if penultimate in _CLOSED:
        yield stem[:-2] + _CLOSED[penultimate] + final
    elif penultimate == "й" and final == "ц":
        yield stem[:-2] + "єц"
    elif penultimate not in _VOWELS:
        head = stem[:-2] if penultimate == "ь" else stem[:-1]
        yield head + "о" + final
        yield head + "е" + final


_MASCULINE = (
    ("льниця", "льник"), ("ниця", "ник"), ("виця", "вець"), ("телька", "тель"), ("чиня", "ець"), ("иня", ""),
    ("истка", "ист"),
    ("істка", "іст"), ("ерка", "ер"), ("орка", "ор"), ("арка", "ар"), ("ярка", "яр"), ("антка", "ант"), ("ентка",
    "ент"), ("чка", "к"),
    ("атка", "ат"), ("евтка", "евт"), ("йка", "й"), ("івка", "івець"), ("ачка", "ач"), ("иця", "ик"), ("щиця",
    "щик"), ("еса", ""), ("ужка", "уг"),
    ("льчиня", "лець"), ("ша", ""), ("уха", ""), ("овиця", "овець"), ("иниця", "ин"), ("ічка", "ік"), ("анка",
    "анець"), ("янка", "янин"),
)  # fmt: skip


def masculine_forms(word: str) -> Iterator[str]:
    """Yield what a man may be called who does what a woman does: тестувальниця, тестувальник."""
    if word.endswith(_FEMININE):
        for ending, masculine in _MASCULINE:
            if word.endswith(ending):
                yield word.removesuffix(ending) + masculine


_FEMININE = tuple(ending for ending, _ in _MASCULINE)
