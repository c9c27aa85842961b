"""What one clause tells: greetings and doubts taken off, the statements of its language tried on the whole of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache

from zgadka.extract.languages import ENGLISH, UKRAINIAN, Language
from zgadka.extract.lexicon import any_of
from zgadka.extract.own_words import GAP
from zgadka.extract.statement import Statement, Told, fits, matchers
from zgadka.extract.values import is_template
from zgadka.extract.weigh import runs_on, weigh

_LONGEST_CLAUSE = 160
_TRAILING = re.compile(r"(?:[^\w'’ʼ+#%❤♥\ue000\"]|(?<![\w\s])\ufe0f)+$")
_EMOJI_ONLY = re.compile("[\U0001f300-\U0001faff☕⚽❤]\ufe0f?$")
LEADING = re.compile(r"^[^\w\ue000$%'\"]+")
LANGUAGES = {language.code: language for language in (ENGLISH, UKRAINIAN)}


def part_tells(language: Language, bare: str, *, shared: bool, first: bool) -> tuple[Told, ...]:
    """Return what a clause tells, as it is or with the subject that it leaves out.

    Args:
        language: Its language.
        bare: The clause without its edges.
        shared: Whether the clause before has a subject that this one may share.
        first: Whether it is the first of its sentence.
    """
    if not bare or len(bare) > _LONGEST_CLAUSE:
        return ()
    told = _clause_tells(language, bare)
    if not told and (shared or (first and _begins(language.elliptic, _doubt(language.code).sub("", bare).lstrip()))):
        tries = (_clause_tells(language, subject + bare) for subject in language.subjects[: None if first else -1])
        told = next(filter(None, tries), ())
    return told


def _clause_tells(language: Language, clause: str) -> tuple[Told, ...]:
    return _read(language.code, clause)


def forget_clauses() -> None:
    """Forget the clauses of the message before."""
    _read.cache_clear()


@lru_cache(maxsize=256)
def _read(code: str, clause: str) -> tuple[Told, ...]:
    # Whole, in parts and in a row, the same clause is tried more than once; a message done, `forget_clauses`.
    language = LANGUAGES[code]
    lower = clause.casefold()
    sure = True
    fitting: tuple[Told, ...] = ()
    if _doubt(language.code).search(lower):
        as_said = clause
        clause = bare_clause(language, " ".join(_doubt(language.code).sub(" ", clause).split()))
        # "думаю переїхати": some doubts are the verb themselves.
        fitting = _fitting(language, clause) or _fitting(language, as_said)
        sure = False
    if _POSSIBLY.match(clause):
        clause = _POSSIBLY.sub(lambda found: "i'm " if found[1].casefold() == "be" else "i have ", clause)
        sure = False
    fitting = fitting or _fitting(language, clause)
    told = tuple(one for said in fitting if not is_template(said.value) and (one := weigh(said, clause)) is not None)
    if any(runs_on(one) for one in fitting):
        return ()
    # "a singer at heart": where one value is an idiom, the others of that statement hardly are meant.
    sure = sure and len(told) == len(fitting)
    if told and not sure:
        return tuple(replace(one, sure=False) for one in told)
    if (
        told
        and holds_cue(f"past_{language.code}", _SINCE_THEN.sub("", lower))
        and not any(one.key in _OF_THE_PAST for one in told)
    ):
        return ()
    return told


_POSSIBLY = re.compile(r"^i (?:might|may|must) (?:also |just |actually )?(be|have) (?=\w)", re.IGNORECASE)
_SINCE_THEN = re.compile(r"\b(?:since (?:i|we) (?:was|were)|з того часу,? як)\b.*|,? в якому була\b.*")
_OF_THE_PAST = frozenset(
    {"birthday", "birthplace", "birth_year", "hometown", "education", "goal", "father", "mother", "brother", "sister"}
)


def _fitting(language: Language, clause: str) -> tuple[Told, ...]:
    if GAP in clause:
        # A title in quotation marks can be somebody's favourite; everything else between them is somebody else's.
        if clause.count(GAP) != 2 or not clause.endswith(GAP):
            return ()
        told = tuple(one for tell in language.tells for one in tell(clause.replace(GAP, "")))
        return told if all(one.key.startswith("favorite_") for one in told) else ()
    for tell in language.tells:
        if told := tell(clause):
            return told
    lower = clause.casefold()
    for required, match, statement in _matchers(language.code):
        if required in lower and (fit := match(clause)) is not None and (told := statement.of(fit)):
            return told
    return ()


@cache
def _matchers(code: str) -> tuple[tuple[str, Callable[[str], re.Match[str] | None], Statement], ...]:
    return matchers(LANGUAGES[code].statements)


def is_doubt(language: Language, clause: str) -> bool:
    """Tell whether a clause is nothing but a doubt."""
    return _doubt(language.code).fullmatch(bare_clause(language, clause)) is not None


def bare_clause(language: Language, clause: str) -> str:
    """Return a clause without edges, greetings and fillers, known slips corrected."""
    bare = _trimmed(_anywhere("laughter").sub(" ", clause))
    lead, tail = _lead(language.lead), _tail(language.tail)
    while (shorter := LEADING.sub("", lead.sub("", bare, count=1))) != bare:
        bare = shorter
    while (shorter := _trimmed(tail.sub("", bare))) != bare:
        bare = shorter
    if _any_slip(language.code).search(bare):
        for slip, right in language.slips:
            bare = _pattern(slip).sub(right, bare)
    return bare


def _trimmed(clause: str) -> str:
    trimmed = _TRAILING.sub("", clause.strip())
    # "I love 🍕": the sign is what is loved, not decoration.
    if _EMOJI_ONLY.search(clause.strip()) and fits(
        r"(?:i (?:really )?(?:love|like)|(?:я )?(?:дуже )?(?:люблю|обожнюю))", trimmed
    ):
        return clause.strip()
    return trimmed


def holds_cue(head: str, text: str) -> bool:
    """Tell whether one of the words of a cue is in a text."""
    return _anywhere(head).search(text) is not None


def starts_with_cue(head: str, text: str) -> bool:
    """Tell whether a text begins with one of the words of a cue."""
    return _anywhere(head).match(text) is not None


@cache
def _anywhere(head: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){any_of(head, 'cues')}(?!\w)", re.IGNORECASE)


@cache
def _doubt(code: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?<!першого )(?<!другого ){any_of(f'doubt_{code}', 'cues')}(?!\w),?", re.IGNORECASE)


@cache
def _lead(words_before: str) -> re.Pattern[str]:
    return re.compile(rf"^{words_before}(?:[)(]+|,|!|\.|:|\.\.\.| [-–—])* +", re.IGNORECASE)


@cache
def _tail(words_behind: str) -> re.Pattern[str]:
    return re.compile(rf"(?<=\w)(?:{words_behind})$", re.IGNORECASE)


def _begins(pattern: str, clause: str) -> bool:
    return _pattern(pattern).match(clause) is not None


@cache
def _any_slip(code: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{slip})" for slip, _ in LANGUAGES[code].slips), re.IGNORECASE)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
