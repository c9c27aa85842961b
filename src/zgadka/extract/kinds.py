"""What Ukrainian words name, in every case: a job, a town, a person; and of which person a verb is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from zgadka.extract.forms import base_forms, masculine_forms
from zgadka.extract.lexicon import CYRILLIC, words
from zgadka.extract.memory import remembered
from zgadka.text.word_lists import read_table

_LISTED = {"job": "occupation_uk", "name": "name"}
"""Kinds of which data/words.txt has words too."""
CAPITAL_ONLY = frozenset({"TOWN", "DISTRICT", "NAME"})
_NO_JOBS = frozenset({"рибалка", "модель", "волонтер"})
"""Of data/words.txt, what people are in their free time too."""
_NO_KINDS = frozenset({"town_or_word", "name_or_word"})
_MOST_WORDS = 4

Naming = tuple[str, str, str, str]
"""The kind, the case, the base form, and how that is written."""


def name_kinds(lowers: Sequence[str], at: int) -> tuple[int, tuple[Naming, ...]]:
    """Return how many words from one on name something together, and what; the longest first."""
    firsts = [(base, cases) for base, cases in base_forms(lowers[at]) if base in _first_words()]
    for size in range(min(_MOST_WORDS, len(lowers) - at), 1, -1) if firsts else ():
        if namings := tuple(_phrase_namings(firsts, lowers[at + 1 : at + size])):
            return size, namings
    return 1, word_namings(lowers[at])


def _phrase_namings(firsts: Sequence[tuple[str, str]], following: Sequence[str]) -> Iterator[Naming]:
    for base, cases in firsts:
        yield from _namings(" ".join((base, *following)), cases)
        for second, second_cases in base_forms(following[0])[1:]:
            yield from _namings(" ".join((base, second, *following[1:])), "".join(set(cases) & set(second_cases)))


def _namings(base: str, cases: str) -> Iterator[Naming]:
    for kind, value in _bases().get(base, ()):
        for case in cases:
            yield kind, case, base, value


@remembered
def word_namings(word: str) -> tuple[Naming, ...]:
    """Return what a word in small letters names; a job also where only that of a man is listed."""
    forms = base_forms(word)
    namings = tuple(naming for form, cases in forms for naming in _namings(form, cases))
    if any(naming[0] == "JOB" for naming in namings):
        return namings
    women = ((form, cases) for form, cases in forms if any(_is_job(man) for man in masculine_forms(form)))
    return (*namings, *(("JOB", case, form, form) for form, cases in women for case in cases))


def _is_job(word: str) -> bool:
    return any(kind == "JOB" for kind, _ in _bases().get(word, ()))


def base_of(kind: str, text: str, cases: str = "") -> str | None:
    """Return the base form of a text that names something of a kind, in one of some cases; or None."""
    lowers = text.casefold().split()
    if not lowers:
        return None
    size, namings = name_kinds(lowers, 0)
    if size != len(lowers):
        return None
    fitting = [(case, value) for named, case, _, value in namings if named == kind]
    return next(
        (value for wanted in cases for case, value in fitting if case == wanted), fitting[0][1] if fitting else None
    )


def is_word_too(base: str) -> bool:
    """Tell whether a name is a common word too."""
    return base in _ambiguous()


@cache
def _bases() -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the kinds and the written form of each base form."""
    bases: dict[str, tuple[tuple[str, str], ...]] = {}
    for head, entries in read_table("kinds_uk", "zgadka.extract").items():
        if head in _NO_KINDS:
            continue
        for entry in entries:
            form, _, value = entry.replace("_", " ").partition("=")
            bases[form.casefold()] = (*bases.get(form.casefold(), ()), (head.upper(), value or form))
            if head == "language" and form.endswith(("ська", "цька")):
                bases[f"по-{form[:-1]}и"] = ((head.upper(), form),)
    for head, listed in _LISTED.items():
        for value in words(listed):
            if (
                value not in _NO_JOBS
                and CYRILLIC.match(value)
                and all(kind != head.upper() for kind, _ in bases.get(value, ()))
            ):
                bases[value] = (*bases.get(value, ()), (head.upper(), value.title() if head == "name" else value))
    return bases


@cache
def _first_words() -> frozenset[str]:
    return frozenset(base.split(" ", 1)[0] for base in _bases() if " " in base)


@cache
def _ambiguous() -> frozenset[str]:
    table = read_table("kinds_uk", "zgadka.extract")
    return frozenset((*table["town_or_word"], *table["name_or_word"])) | words("name_or_word")
