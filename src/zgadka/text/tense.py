"""Whether a sentence tells of the past or of what is to come: "on Friday" is another day in each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import cache

from zgadka.text.quantities import number_words
from zgadka.text.word_lists import read_entry, read_table

_PAST_ENDING = re.compile(
    "[а-яіїєґ]*(?:[аеяиуюї]в(?:ся|сь)?|[аеиіїуюяшзгсрк]л[аои](?:с[ья])?|[аеияыу]л(?:ся)?)|[a-z]{2,}ed"
)
_PRESENT_ENDING = re.compile(
    "[а-яіїєґ]{2,}(?:[еєиї]мо(?:с[ья])?|[еєиї]ш(?:ся)?|[иїую]ть(?:ся)?|[еє]ться|ти(?:с[ья])?|тим(?:у|еш|е|емо|ете|уть))"
    "|(?:при|по|ви|за|до|від|пере|про)?(?:їд|йд|ід)(?:у|е|ете)"
)
_HAVING = frozenset({"have", "has", "ive", "weve", "havent", "hasnt"})
_NOT_YET = frozenset({"will", "wont", "shall", "ll", "gonna", "be", "would", "can", "could", "should", "must", "might"})
_NEAR = 3  # words


class Tense(Enum):
    """What a sentence tells of; OPEN where no word of it says so."""

    PAST = "past"
    PLAN = "plan"
    OPEN = "open"


def tense_of(words: Sequence[str]) -> Tense:
    """Whether the words of a sentence tell of, or ask for, what has been or what is to come.

    Args:
        words: In lower case and without apostrophes.
    """
    if any(_is_past(word) and not _is_participle(words, at) for at, word in enumerate(words)):
        return Tense.PAST
    if names_plan(words):
        return Tense.PLAN
    if not read_entry("tense", "record").isdisjoint(words):
        return Tense.PAST
    present = read_entry("tense", "present")
    return Tense.PLAN if any(word in present or _is_present(word) for word in words) else Tense.OPEN


def names_plan(words: Sequence[str]) -> bool:
    """Whether words name a plan, whenever it was made: "what did I plan for Friday"."""
    return not read_entry("tense", "plan").isdisjoint(words)


def _is_present(word: str) -> bool:
    return _PRESENT_ENDING.fullmatch(word) is not None and word not in number_words()


def _is_past(word: str) -> bool:
    if word in _preterites():
        return True
    if word in read_entry("tense", "not_past") or word in read_entry("tense", "plan"):
        return False
    return _PAST_ENDING.fullmatch(word) is not None


def _is_participle(words: Sequence[str], at: int) -> bool:
    """Whether a form belongs to what is no past: "have I got", "I will be paid", "is planned"."""
    if words[at] in read_entry("tense", "past"):
        return False
    before = words[max(at - _NEAR, 0) : at]
    if words[at] == "got" and not _HAVING.isdisjoint(before):
        return True
    return not _NOT_YET.isdisjoint(before) or (at > 0 and words[at - 1] in {"is", "are", "am"})


@cache
def _preterites() -> frozenset[str]:
    verbs = {
        form for head, forms in read_table("irregular").items() for form in forms if head.isascii() and form != head
    }
    return (
        frozenset(verbs) - read_entry("tense", "not_past")
        | read_entry("tense", "past")
        | read_entry("tense", "past_forms")
    )
