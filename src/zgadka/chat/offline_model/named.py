"""Whom a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from zgadka.extract.kinds import word_namings
from zgadka.extract.subject import whose
from zgadka.extract.values import known_name
from zgadka.text.folding import transliterate

_WORD = re.compile(r"[^\W\d_][\w'’ʼ-]*")


def named_in(question: str, people: Mapping[int, str], speaker: int) -> tuple[str, list[int]] | None:
    """Return the name of somebody else in a question, and who of the people here are called so; None: it names nobody.

    Args:
        people: What those who are here are called, by their ids.
        speaker: The id of who asks.
    """
    words = _WORD.findall(question.replace("'s", ""))
    named = _called(words, people)
    if named:
        others = [number for number in named if number != speaker]
        return (people[others[0]], others) if others else None
    if whose(question) == "self":
        return None
    # The first word of a question has a capital whatever it is: "Will it rain?".
    known = (word for word in (words[1:] if question.endswith("?") else words) if word[:1].isupper())
    return next(((word, list[int]()) for word in known if known_name(word) is not None), None)


def _called(words: Sequence[str], people: Mapping[int, str]) -> list[int]:
    """Whom the words name: by the whole of the longest name that is among them, else by its first word."""
    spoken = set[str]().union(*map(_forms, words))
    names = {number: list(map(_folded, _WORD.findall(name))) for number, name in people.items()}
    whole = {number: len(name) for number, name in names.items() if name and spoken.issuperset(name)}
    if whole:
        return [number for number, size in whole.items() if size == max(whole.values())]
    return [number for number, name in names.items() if name and name[0] in spoken]


def says_name(name: str, text: str) -> bool:
    """Whether a text names somebody so, in any case."""
    forms = _forms(name)
    return any(forms & _forms(word) for word in _WORD.findall(text))


def _forms(word: str) -> set[str]:
    bases = (naming[2] for naming in word_namings(word.casefold()) if naming[0] == "NAME")
    return set(map(_folded, (word, *bases)))


def _folded(word: str) -> str:
    return transliterate(word.casefold())
