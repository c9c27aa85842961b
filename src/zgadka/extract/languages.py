"""A language's statements, and what surrounds them: greetings before them, joints between them, slips of the pen."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from zgadka.extract import english, places, ukrainian, values, wishes
from zgadka.extract.lexicon import any_of, language_patterns
from zgadka.extract.pattern import Statement, Statements
from zgadka.extract.triggers import Triggers
from zgadka.extract.value_rules import ValueRule, value_rule
from zgadka.text.pattern_file import PatternFile


@dataclass(frozen=True, kw_only=True, eq=False)
class Language:
    """One language's rules, of `patterns/<code>.toml`; its last statements are of `patterns/plain_<code>.toml`.

    Attributes:
        relatives: Statements about relatives, which come first.
        pet: How an animal's name is told: what animal it is under `who`, the name under `value`.
        animals: Animals as they are stored, where it is not as said.
        favorite: How a favourite is told: of what kind it is under `what`, and it under `value`.
        favorites: Kinds of favourites as their keys have them, where it is not as said.
        named: The words of which an animal's name or a favourite needs one.
        statements: All others.
        doubt: What says that its writer is not sure.
        lead: What may stand before a statement and means nothing.
        tail: What may stand behind one and means nothing.
        joints: Where a sentence is cut into clauses.
        comma: Where a clause that tells nothing as a whole is cut once more.
        dash: Where, if that did not help either.
        subjects: Put before a clause that leaves its subject out.
        elliptic: How such a clause begins where no clause before it has a subject.
        run_on: Where statements in a row are cut that have nothing between them.
        slip: Finds any slip of the pen.
        slips: Slips of the pen, and what was meant.
    """

    code: str
    relatives: Statements
    pet: str
    animals: Mapping[str, str]
    favorite: tuple[str, ...]
    favorites: Mapping[str, str]
    named: Triggers
    statements: Statements
    doubt: re.Pattern[str]
    lead: re.Pattern[str]
    tail: re.Pattern[str]
    joints: re.Pattern[str]
    comma: re.Pattern[str]
    dash: re.Pattern[str]
    subjects: Sequence[str]
    elliptic: re.Pattern[str]
    run_on: re.Pattern[str]
    slip: re.Pattern[str]
    slips: Sequence[tuple[re.Pattern[str], str]]


def load_language(code: str) -> Language:
    """Return the rules of a language, `en` or `uk`."""
    patterns = language_patterns(code)
    sentence, names = patterns.entries["sentence"], patterns.entries["favorites"]

    def compiled(pattern: str, prefix: str = "", suffix: str = "") -> re.Pattern[str]:
        return re.compile(prefix + patterns.complete(pattern) + suffix, re.IGNORECASE)

    return Language(
        code=code,
        relatives=Statements(_statements(code, patterns, "relatives")),
        pet=patterns.complete(names["pet"]),
        animals=patterns.tables.get("ANIMALS", {}),
        favorite=tuple(map(patterns.complete, names["favorite"])),
        favorites=patterns.tables["FAVORITES"],
        named=Triggers([names["on"]]),
        statements=Statements((*_statements(code, patterns, "statements"), *plain_statements(code))),
        doubt=compiled(any_of(f"doubt_{code}", "cues"), r"(?<!\w)(?<!першого )(?<!другого )", r"(?!\w),?"),
        lead=compiled(sentence["lead"], "^", r"(?:[)(]+|,|!|\.|:|\.\.\.| [-–—])* +"),
        tail=compiled(sentence["tail"], r"(?<=\w)(?:", ")$"),
        subjects=sentence["subjects"],
        slip=compiled("|".join(f"(?:{slip})" for slip, _ in sentence["slips"]) or "(?!)"),
        slips=[(compiled(slip), right) for slip, right in sentence["slips"]],
        **{name: compiled(sentence[name]) for name in ("joints", "comma", "dash", "elliptic", "run_on")},
    )


@cache
def plain_statements(code: str) -> tuple[Statement, ...]:
    """Return a language's statements of where people live, their name, age, job, and what they play and like.

    The offline model of the chat understands these and no others.
    """
    return _statements(code, language_patterns(f"plain_{code}"), "statements")


def _statements(code: str, patterns: PatternFile, section: str) -> tuple[Statement, ...]:
    modules = {"en": english, "uk": ukrainian}[code], values, places, wishes

    def rule_of(entry: Mapping[str, Any]) -> ValueRule:
        return value_rule(entry["values"], patterns.tables, *modules)

    return tuple(
        Statement(
            entry.get("key", ""),
            patterns.complete(entry["pattern"]),
            rule_of(entry),
            keys=patterns.tables[entry["keys"]] if "keys" in entry else {},
            change=entry.get("change"),
            extra=tuple(
                (
                    group["group"],
                    group["key"],
                    rule_of(group),
                    group.get("sure", True),
                )
                for group in entry.get("extra", ())
            ),
            sure=entry.get("sure", True),
            on=entry.get("on", ""),
        )
        for entry in patterns.entries[section]
    )
