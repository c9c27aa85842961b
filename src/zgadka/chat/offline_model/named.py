"""Whom a question names."""

from __future__ import annotations

import re
from collections.abc import Mapping

from zgadka.extract.kinds import word_namings
from zgadka.extract.subject import whose
from zgadka.extract.values import known_name
from zgadka.text.folding import transliterate

_WORD = re.compile(r"[^\W\d_][\w'’ʼ-]*")


def named_in(question: str, people: Mapping[str, int], speaker: int) -> tuple[str, int | None] | None:
    """Return the name of somebody else in a question, and who of the people here that is; None where it names nobody.

    Args:
        people: The ids of those who are here, by what they are called.
        speaker: The id of who asks.
    """
    words = _WORD.findall(question.replace("'s", ""))
    for name, number in people.items():
        if any(_folded(name) in _forms(word) for word in words):
            return None if number == speaker else (name, number)
    if whose(question) == "self":
        return None
    # The first word of a question has a capital whatever it is: "Will it rain?".
    known = (word for word in (words[1:] if question.endswith("?") else words) if word[:1].isupper())
    return next(((word, None) for word in known if known_name(word) is not None), None)


def says_name(name: str, text: str) -> bool:
    """Whether a text names somebody so, in any case."""
    forms = _forms(name)
    return any(forms & _forms(word) for word in _WORD.findall(text))


def _forms(word: str) -> set[str]:
    bases = (naming[2] for naming in word_namings(word.casefold()) if naming[0] == "NAME")
    return set(map(_folded, (word, *bases)))


def _folded(word: str) -> str:
    return transliterate(word.casefold())
