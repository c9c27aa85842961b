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


def matchers(
    statements: tuple[Statement, ...],
) -> tuple[tuple[str, Callable[[str], re.Match[str] | None], Statement], ...]:
    """Give each statement what matches it, and first a text without which it cannot: most clauses hold few of them."""
    return tuple(
        (required_text(statement.pattern), _compiled(statement.pattern).fullmatch, statement)
        for statement in statements
    )


def required_text(pattern: str) -> str:
    """Return the longest text that stands in whatever a pattern fits, in small letters; empty where there is none."""
    runs: list[list[str]] = [[""]]  # of each open group the texts read so far, the last still growing
    either = [False]  # whether the group has alternatives, of which no text is required
    ahead = [False]  # whether it only looks around
    for token in _TOKEN.finditer(pattern):
        # What may be missing, "a?", "(…)*", need not be there; "a+" neither, to keep it simple.
        may_lack = _QUANTIFIED.match(pattern, token.end())
        if token["open"]:
            runs.append([""])
            either.append(False)
            ahead.append(token["open"].startswith(("(?=", "(?!", "(?<=", "(?<!")))
        elif token["close"]:
            inner, had_either, was_ahead = runs.pop(), either.pop(), ahead.pop()
            runs[-1] += ["", *([] if had_either or was_ahead or may_lack else inner), ""]
        elif token["either"]:
            either[-1] = True
        elif token["plain"] and not may_lack:
            runs[-1][-1] += token["plain"].removeprefix("\\")
        elif not token["quantifier"]:
            runs[-1].append("")
        if token["quantifier"]:
            runs[-1].append("")
    return "" if either[0] else max(runs[0], key=len).casefold()


_TOKEN = re.compile(
    r"(?P<open>\((?:\?(?:P<\w+>|<?[=!]|[-imsx]*:))?)|(?P<close>\))|(?P<either>\|)|(?P<class>\[\^?\]?(?:\\.|[^\]])*\]|\.|\^|\$)"
    r"|(?P<quantifier>[?*+]\??|\{\d*,?\d*\}\??)|(?P<escape>\\\w)|(?P<plain>\\?.)",
    re.DOTALL,
)
_QUANTIFIED = re.compile(r"[?*]|\{0?,|\{0\}|[+{]")


def holds(words: str, sentence: str) -> bool:
    """Whether one of the words stands in the sentence, as a whole word."""
    return _compiled(rf"(?<!\w)(?:{words})(?!\w)").search(sentence) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.DOTALL)
