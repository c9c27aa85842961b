"""Whose predicate a clause is: its writer's, somebody else's, or nobody's who is named.

The question comes before all rules. That a rule fits "програміст" or "allergic to nuts" tells nothing of whose job or
allergy it is: "Мій брат Тарас — програміст" has these words too. Where it is in doubt, it is not the writer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from zgadka.extract.extraction import group_and_type
from zgadka.extract.kinds import word_namings
from zgadka.extract.lexicon import named_pattern, words
from zgadka.extract.memory import remembered
from zgadka.extract.pattern import Candidate
from zgadka.extract.values import known_name

Subject = Literal["self", "kin", "nobody", "somebody", "other"]
"""Whom the words before a clause are about: `kin`, of whom something was told as kin; `nobody`, when there are none;
`somebody`, when there are none, but another person is named behind."""


@remembered
def whose(clause: str) -> Literal["self", "other", "unsaid"]:
    """Return whose predicate a clause is by its own words; "my" before a person does not make it the writer's."""
    if named_pattern("writer").search(clause):
        return "self"
    names_other = mentions_another(clause)
    if named_pattern("writers").search(clause):
        return "other" if names_other else "self"
    return "other" if names_other or _YOU.search(clause) else "unsaid"


@remembered
def mentions_another(text: str) -> bool:
    """Tell whether a text speaks of some other person: a relative, somebody that one knows, "she"."""
    if _holds("people", text):
        return True
    names_job = any(
        kind == "JOB" and case == "n"
        for match in _OURS.finditer(text)
        for word in match[1].casefold().split()
        for kind, case, *_ in word_namings(word)
    )
    return names_job or is_at_somebodys(text)


# "Наша кондитерка переїхала"
_OURS = re.compile(
    r"(?<!\w)(?:наш|наша|мій|моя|ваш|ваша|твій|твоя) ([\w'-]+(?: [\w'-]+)?)(?! (?:я|—|–|-|це)(?!\w))", re.IGNORECASE
)


def is_at_somebodys(text: str) -> bool:
    """Tell whether a Ukrainian text says by name who has what it is about: "у Вані собака"."""
    return any(
        kind == "NAME" and case == "g"
        for match in _AT_SOMEBODYS.finditer(text)
        for kind, case, *_ in word_namings(match[1].casefold())
    )


_AT_SOMEBODYS = re.compile(r"(?<!\w)[УВув] ([А-ЯІЇЄҐ][\w']+)")


def speaks_of_somebody(text: str) -> bool:
    """Tell whether a text speaks of some other person, or of one who is only "a man", "хлопець"."""
    return mentions_another(text) or _holds("anybody", text) or _ABOUT.search(text) is not None


# "пишу про козака", "a story about a baker": what follows is of these.
_ABOUT = re.compile(r"\b(?:about an?|про|для|met an?|шукаю|бачи(?:в|ла)|зустрі(?:в|ла)) [^\W\d_]{3,}", re.IGNORECASE)


def may_be_writers(clause: str, candidates: Iterable[Candidate], subject: Subject) -> bool:
    """Tell whether what a clause tells may be the writer's.

    Args:
        clause: The clause, before a subject was put to it.
        candidates: What the patterns matched in it.
        subject: Whom the words before it are about.
    """
    if all(
        is_of_relative(candidate) or candidate.key == "marital_status" for candidate in candidates
    ):  # they say whose it is
        says_mine = any(named_pattern(name).search(clause) for name in ("writer", "writers"))
        if subject == "kin" and not says_mine and any(candidate.key == "pet" for candidate in candidates):
            return False  # "my aunt moved and got herself a cat"
        return subject != "other" or any(named_pattern(name).search(clause) for name in ("writer", "writers"))
    match whose(clause):
        case "self":
            return True
        case "other":
            return False
        case "unsaid":
            return subject in ("self", "nobody")


def weigh_subject(clause: str, subject: Subject) -> bool | None:
    """Tell whether what a model read in a clause may be the writer's for certain; None where it is somebody else's."""
    names_other = mentions_another(clause)
    match whose(clause):
        case "self":
            return not names_other  # "I told my sister that nuts …": whose it is, is asked
        case "other":
            return None
        case "unsaid":
            return True if subject in ("self", "nobody") and not _names_somebody(clause) else None


def next_subject(clause: str, candidates: tuple[Candidate, ...], subject: Subject) -> Subject:
    """Return whom the words are about once a clause is read."""
    if candidates:
        return "kin" if all(is_of_relative(candidate) for candidate in candidates) else "self"
    if subject == "other" or not any(map(str.isalpha, clause)):
        return subject
    is_of_nobody_else = not (mentions_another(clause) or _holds("anybody", clause) or _names_somebody(clause))
    # "Наш тренер" is no self, whoever he is; "шукаю роботу" is.
    if is_of_nobody_else and (
        named_pattern("writer").search(clause) or (subject == "self" and not named_pattern("writers").search(clause))
    ):
        return subject
    return "other"


def sentence_subject(sentence: str, subject: Subject) -> Subject:
    """Return whom a sentence may be about that leaves its subject out, having looked at all of it."""
    if subject != "nobody":
        return subject
    if mentions_another(sentence):
        return "somebody"
    trailing_name = _NAME_BEHIND.search(sentence)
    if (
        trailing_name is not None
        and not named_pattern("writer").search(sentence)
        and not named_pattern("writers").search(sentence)
        and _names_somebody(trailing_name[1])
    ):
        return "other"  # "Лікар — Петро"
    return "other" if named_pattern("third_person").search(sentence) is not None else subject


def _names_somebody(text: str) -> bool:
    """Tell whether a known name of a person stands in a text."""
    return any(word[:1].isupper() and known_name(word) is not None for word in _WORD.findall(text))


def is_of_relative(candidate: Candidate) -> bool:
    """Tell whether a candidate is of a relative, an animal or a favourite: words behind it may be about these."""
    return (
        candidate.key == "pet"
        or candidate.key.startswith("favorite_")
        or group_and_type(candidate.key)[1] == "relationship"
    )


_NAME_BEHIND = re.compile(r" [–—-] (?:(?:це|то|that's|that is|this is) )?([^\W\d_][\w']*)[ .!?]*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_][\w']*")
_YOU = re.compile(r"\b(?:you|your|yours|u|ти|тебе|тобі|твій|твоя|твоє|твої|ви|вас|вам|ваш\w*)\b", re.IGNORECASE)


# "dad of two" is who the writer is, "she/her" what they are called, a mother tongue is no mother.
_TOKEN = re.compile(r"(?<![\w/-])[^\W\d_][\w'-]*")


def _holds(head: str, text: str) -> bool:
    full_words, beginnings = _people(head)
    for token in _TOKEN.finditer(text.casefold()):
        word = token[0].removesuffix("'s")
        if (token[0] in full_words or word in full_words or word.startswith(beginnings)) and not named_pattern(
            "own"
        ).match(text, token.end()):
            return True
    return False


@cache
def _people(head: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return the words of an entry, and the beginnings of those with any ending."""
    entry = words(head, "people")
    beginnings = tuple(sorted(word[:-1] for word in entry if word.endswith("*")))
    return frozenset(word for word in entry if not word.endswith("*")), beginnings
