"""Ukrainian words put back into the nominative, where that can be done by rule and not by guess."""

from __future__ import annotations

from functools import cache

from zgadka.extract.lexicon import words
from zgadka.text.word_lists import read_table


@cache
def _nominatives(table: str) -> dict[str, str]:
    """Return the nominative of each form in small letters."""
    forms: dict[str, str] = {}
    for nominative, cases in read_table(table, "zgadka.extract").items():
        for form in (*cases, nominative):
            forms[form.replace("_", " ").casefold()] = nominative.replace("_", " ")
    return forms


JOINERS = "and|or|&|і|й|та|або|чи"
"""Between two places: "Kyiv or Lviv" is no one place."""


# in the instrumental, and what the nominative may end in: the table of occupations decides
_INSTRUMENTAL = (
    ("ею", ("я", "а")),
    ("єю", ("я",)),
    ("ою", ("а",)),
    ("ем", ("ь", "", "й")),
    ("єм", ("й",)),
    ("ом", ("", "о")),
    ("им", ("ий",)),
)


def is_known_place(word: str) -> bool:
    """Whether the word is a place of the tables, in any of its cases, in small letters too."""
    lower = word.casefold()
    return (
        lower in _nominatives("places")
        or lower.removeprefix("the ") in words("place_en")
        or word.startswith(("the N", "the U"))
    )


def known_place(text: str) -> str | None:
    """Return a known place's nominative, or None."""
    return nominative_place(text) if is_known_place(text) else None


def nominative_place(text: str) -> str:
    """Return the place's nominative, or the text as said where the rule is not certain."""
    if nominative := _nominatives("places").get(text.casefold()):
        return nominative
    if " " not in text and text[:1].isupper():
        return _by_ending(text, "towns")
    return text


def nominative_instrument(text: str) -> str:
    """Return what is played, "гітарі" as "гітара"; as said where unknown."""
    nominative = _nominatives("instruments").get(text.casefold(), text)
    return text if nominative == text.casefold() else nominative


def nominative_job(text: str) -> str:
    """Return the profession, "вчителькою" as "вчителька"; as said where unknown."""
    if " " in text:
        return text
    for ending, nominatives in _INSTRUMENTAL:
        if text.casefold().endswith(ending):
            for nominative in nominatives:
                word = text[: -len(ending)] + nominative
                if word.casefold() in words("occupation_uk"):
                    return word
    return _by_ending(text, "jobs")


def nominative_name(text: str) -> str:
    """Return a name given in the instrumental, "Оленою" as "Олена"; as said where unknown."""
    return text if " " in text else _by_ending(text, "names")


def _by_ending(text: str, kind: str) -> str:
    for pair in read_table("endings", "zgadka.extract")[kind]:
        ending, _, nominative = pair.partition("=")
        if text.endswith(ending) and len(text) > len(ending) + 1:
            return text.removesuffix(ending) + nominative
    return text
