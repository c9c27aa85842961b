"""The shape that the English and the Ukrainian rules share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

from zgadka.chat.intents import Fact, Key
from zgadka.model.memory import ChangeReason


@dataclass(frozen=True)
class Statement:
    """A sentence that tells a fact.

    Attributes:
        pattern: Must fit the whole sentence; the group `value` is the value as said.
        values: Makes values of what was said; empty when it is more than plain values.
        change: What the sentence itself says about an older value.
    """

    key: Key
    pattern: str
    values: Callable[[str], tuple[str, ...]]
    change: ChangeReason | None = None

    def facts(self, sentence: str) -> tuple[Fact, ...]:
        """Return the facts that the sentence tells; empty where it does not fit."""
        fit = fits(self.pattern, sentence)
        if fit is None:
            return ()
        return tuple(Fact(self.key, value, self.change) for value in self.values(fit["value"]))


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The rules of one language; every pattern must fit a whole sentence, but `fillers`, `joints`, `doubts`, `denials`.

    Attributes:
        fillers: Words before a sentence that mean nothing.
        joints: Where a sentence of two statements may be cut.
        doubts: Words that make a statement uncertain.
        denials: Words that turn a statement into its contrary.
        places_in_list: "the first one", "the second one", …
        polite: What may stand before a question.
        forget_nothing: A wish to forget that does not say what.
    """

    statements: tuple[Statement, ...]
    fillers: str
    joints: str
    doubts: str
    denials: str
    greetings: str
    yes: str
    no: str
    places_in_list: tuple[str, ...]
    polite: str
    ask_all: str
    ask_key: Mapping[Key, str]
    ask_about: str
    note: str
    forget: str
    forget_nothing: str
    forget_all: str
    forget_key: Mapping[Key, str]


def one(value: Callable[[str], str | None]) -> Callable[[str], tuple[str, ...]]:
    """Make a rule for sentences that tell one value of a rule for values."""

    def values(said: str) -> tuple[str, ...]:
        found = value(said)
        return () if found is None else (found,)

    return values


def either(*words: str) -> str:
    """Join alternatives."""
    return "|".join(words)


def fits(pattern: str, sentence: str) -> re.Match[str] | None:
    """Match the whole sentence, in any case of letters."""
    return _compiled(pattern).fullmatch(sentence)


def holds(words: str, sentence: str) -> bool:
    """Whether one of the words stands in the sentence, as a whole word."""
    return _compiled(rf"(?<!\w)(?:{words})(?!\w)").search(sentence) is not None


def key_of(keys: Mapping[Key, str], sentence: str) -> Key | None:
    """Return the kind of fact whose pattern fits."""
    return next((key for key, pattern in keys.items() if fits(pattern, sentence)), None)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)
