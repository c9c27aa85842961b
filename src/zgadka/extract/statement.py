"""A sentence that tells something, as a pattern that must fit the whole of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

from zgadka.model.memory import ChangeReason


@dataclass(frozen=True)
class Told:
    """What a sentence says of its speaker."""

    key: str
    value: str
    change: ChangeReason | None = None
    sure: bool = True


@dataclass(frozen=True)
class Statement:
    """A sentence that tells a fact.

    Attributes:
        pattern: Must fit the whole sentence; the group `value` is the value as said.
        values: Makes values of what was said; empty when it is more than plain values.
        change: What the sentence itself says about an older value.
        more: What else it may tell: the group of the pattern, the key, what makes its values, and whether it is sure.
        sure: Whether it says so plainly, or only suggests it.
    """

    key: str
    pattern: str
    values: Callable[[str], tuple[str, ...]]
    change: ChangeReason | None = None
    more: tuple[tuple[str, str, Callable[[str], tuple[str, ...]], bool], ...] = ()
    sure: bool = True

    def tell(self, sentence: str) -> tuple[Told, ...]:
        """Return what the sentence tells; empty where it does not fit."""
        fit = fits(self.pattern, sentence)
        return () if fit is None else self.of(fit)

    def of(self, fit: re.Match[str]) -> tuple[Told, ...]:
        """Return what a sentence tells that the pattern fits."""
        told = [Told(self.key, value, self.change, self.sure) for value in self.values(fit["value"])]
        if told:
            idle: dict[str, str] = {}  # groups that were said and of which nothing came
            for group, key, values, sure in self.more:
                besides = values(fit[group] or "")
                told += [Told(key, value, None, sure) for value in besides]
                if fit[group] and key != "marital_status":
                    idle.setdefault(group, fit[group])
                    if besides:
                        idle[group] = ""
            if any("," in said for said in idle.values()):
                return ()  # more than a place: what is behind the comma is another part of the sentence
            if any(said and not said.casefold().startswith(("a ", "an ")) for said in idle.values()):
                told[0] = replace(told[0], sure=False)  # "a singer in the shower"
        return tuple(told)


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


def matchers(statements: tuple[Statement, ...]) -> tuple[tuple[Callable[[str], re.Match[str] | None], Statement], ...]:
    """Pair each statement with what matches it, for those who try hundreds of them on one sentence."""
    return tuple((_compiled(statement.pattern).fullmatch, statement) for statement in statements)


def holds(words: str, sentence: str) -> bool:
    """Whether one of the words stands in the sentence, as a whole word."""
    return _compiled(rf"(?<!\w)(?:{words})(?!\w)").search(sentence) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)
