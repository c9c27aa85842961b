"""A sentence that tells something, as a pattern that must fit the whole of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from zgadka.extract.triggers import Triggers
from zgadka.extract.value_rules import ValueRule, values_of
from zgadka.model.memory import ChangeReason


@dataclass(frozen=True)
class Candidate:
    """What a sentence says of its speaker."""

    key: str
    value: str
    change: ChangeReason | None = None
    sure: bool = True
    is_firm: bool = False
    """Whether what told it knows it better than most that tells of its key."""


@dataclass(frozen=True)
class Statement:
    """A sentence that tells a fact.

    Attributes:
        key: Of the fact; empty where `keys` has it.
        pattern: Must fit the whole sentence; the group `value` is the value as said.
        keys: The key of each word of the group `who` that is not one itself.
        change: What the sentence itself says about an older value.
        extra: What else it may tell: the group of the pattern, the key, what makes its values, and whether it is sure.
        sure: Whether it says so plainly, or only suggests it.
        on: The words of which it needs one, as `Triggers` has them.
    """

    key: str
    pattern: str
    values: ValueRule
    keys: Mapping[str, str] = field(default_factory=dict[str, str])
    change: ChangeReason | None = None
    extra: tuple[tuple[str, str, ValueRule, bool], ...] = ()
    sure: bool = True
    on: str = ""

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """Matches the whole sentence."""
        return _compiled(self.pattern).fullmatch

    def tell(self, sentence: str) -> tuple[Candidate, ...]:
        """Return what the sentence tells; empty where it does not fit."""
        fit = fits(self.pattern, sentence)
        if fit is None:
            return ()
        key = self.key or self.keys.get(fit["who"].casefold(), fit["who"].casefold())
        candidates = [Candidate(key, value, self.change, self.sure) for value in values_of(self.values, fit["value"])]
        if candidates:
            idle: dict[str, str] = {}  # groups that were said and of which nothing came
            for group, key, rule, sure in self.extra:
                besides = values_of(rule, fit[group] or "")
                candidates += [Candidate(key, value, None, sure) for value in besides]
                if fit[group] and key != "marital_status":
                    idle.setdefault(group, fit[group])
                    if besides:
                        idle[group] = ""
            if any("," in text for text in idle.values()):
                return ()  # more than a place: what is behind the comma is another part of the sentence
            if any(text and not text.casefold().startswith(("a ", "an ")) for text in idle.values()):
                candidates[0] = replace(candidates[0], sure=False)  # "a singer in the shower"
        return tuple(candidates)


class Statements:
    """Statements in order, of which the first that fits and has a value counts.

    Most sentences fit none of some hundreds. So only those are tried, and compiled, of which a word stands there.
    """

    def __init__(self, statements: Iterable[Statement]) -> None:
        self._all = tuple(statements)
        self._triggers = Triggers(statement.on for statement in self._all)

    def __iter__(self) -> Iterator[Statement]:
        return iter(self._all)

    def tell(self, sentence: str) -> tuple[Candidate, ...]:
        """Return what the first of them tells; empty where none fits."""
        candidates = (self._all[number].tell(sentence) for number in self._triggers.of(sentence))
        return next(filter(None, candidates), ())


def fits(pattern: str, sentence: str) -> re.Match[str] | None:
    """Match the whole sentence, in any case of letters."""
    return _compiled(pattern).fullmatch(sentence)


def holds(words: str, sentence: str) -> bool:
    """Whether one of the words stands in the sentence, as a whole word."""
    return _compiled(rf"(?<!\w)(?:{words})(?!\w)").search(sentence) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)
