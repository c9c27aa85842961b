"""Parse one clause: strip greetings and doubts, then try the patterns of its language on the whole of it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from zgadka.extract.authored_text import GAP
from zgadka.extract.languages import Language, load_language
from zgadka.extract.lexicon import any_of, words
from zgadka.extract.memory import remembered
from zgadka.extract.pattern import Candidate, fits
from zgadka.extract.plausibility import assess, runs_on
from zgadka.extract.subject import Subject, may_be_writers
from zgadka.extract.values import is_template, liked, proper_name, things

_LONGEST_CLAUSE = 160
_TRAILING = re.compile(r"(?:[^\w'’ʼ+#%❤♥\ue000\"]|(?<![\w\s])\ufe0f)+$")
_EMOJI_ONLY = re.compile("[\U0001f300-\U0001faff☕⚽❤]\ufe0f?$")
LEADING = re.compile(r"^[^\w\ue000$%'\"]+")
LANGUAGES = {code: load_language(code) for code in ("en", "uk")}


def parse_part(language: Language, bare: str, *, subject: Subject, is_first: bool) -> tuple[Candidate, ...]:
    """Return what a clause says of its writer, as it is or with the subject that it leaves out.

    Args:
        language: Its language.
        bare: The clause without its edges.
        subject: Whom the words before it are about.
        is_first: Whether it is the first of its sentence.
    """
    if not bare or len(bare) > _LONGEST_CLAUSE:
        return ()
    is_opening = is_first and subject in ("nobody", "somebody")
    candidates = _parse_clause(language, bare)
    if not candidates and (
        subject == "self" or (is_opening and language.elliptic.match(language.doubt.sub("", bare).lstrip()))
    ):
        subjects = language.subjects if is_opening else language.subjects[:-1]
        candidates = next(filter(None, (_parse_clause(language, pronoun + bare) for pronoun in subjects)), ())
    return candidates if candidates and may_be_writers(bare, candidates, subject) else ()


@remembered  # the same clause is tried whole, in parts and in a row
def _parse_clause(language: Language, clause: str) -> tuple[Candidate, ...]:
    lower = clause.casefold()
    sure = True
    matches: tuple[Candidate, ...] = ()
    if language.doubt.search(lower):
        hedged = clause
        clause = bare_clause(language, without_doubts(language, clause))
        # "думаю переїхати": some doubts are the verb themselves.
        matches = _match_patterns(language, clause) or _match_patterns(language, hedged)
        sure = False
    if _POSSIBLY.match(clause):
        clause = _POSSIBLY.sub(lambda match: "i'm " if match[1].casefold() == "be" else "i have ", clause)
        sure = False
    matches = matches or _match_patterns(language, clause)
    candidates = tuple(
        checked
        for candidate in matches
        if not is_template(candidate.value) and (checked := assess(candidate, clause)) is not None
    )
    if any(runs_on(candidate) for candidate in matches):
        return ()
    # "a singer at heart": where one value is an idiom, the others of that statement hardly are meant.
    sure = sure and len(candidates) == len(matches)
    if candidates and not sure:
        return tuple(replace(candidate, sure=False) for candidate in candidates)
    if (
        candidates
        and holds_cue(f"past_{language.code}", _SINCE_THEN.sub("", lower))
        and not any(candidate.key in _OF_THE_PAST for candidate in candidates)
    ):
        return ()
    return candidates


_POSSIBLY = re.compile(r"^i (?:might|may|must) (?:also |just |actually )?(be|have) (?=\w)", re.IGNORECASE)
_SINCE_THEN = re.compile(r"\b(?:since (?:i|we) (?:was|were)|з того часу,? як)\b.*|,? в якому була\b.*")
_OF_THE_PAST = frozenset(
    {"birthday", "birthplace", "birth_year", "hometown", "education", "goal", "father", "mother", "brother", "sister"}
)


def _match_patterns(language: Language, clause: str) -> tuple[Candidate, ...]:
    if GAP in clause and (clause.count(GAP) != 2 or not clause.endswith(GAP)):
        return ()
    plain = clause.replace(GAP, "")
    candidates = language.relatives.tell(plain) or _match_favorite(language, plain)
    if GAP not in clause:
        return candidates or language.statements.tell(clause)
    # A title in quotation marks can be somebody's favourite; everything else between them is somebody else's.
    return candidates if all(candidate.key.startswith("favorite_") for candidate in candidates) else ()


def _match_favorite(language: Language, clause: str) -> tuple[Candidate, ...]:
    """Return an animal with its name, a favourite, or nothing."""
    if not language.named.of(clause):
        return ()
    named = fits(language.pet, clause)
    if named is not None and proper_name(named["value"]):
        animal = language.animals.get(named["who"].casefold(), named["who"])
        return (Candidate("pet", f"{animal} {named['value']}"),)
    fit = next((fit for pattern in language.favorite if (fit := fits(pattern, clause)) is not None), None)
    if fit is None or (value := liked(fit["value"])) is None:
        return ()
    kind = fit["what"].casefold()
    if kind in _HOBBIES:
        return tuple(Candidate("hobby", hobby) for hobby in things(value))
    key = language.favorites.get(kind, kind).replace(" ", "_")
    return () if kind in _NO_KINDS else (Candidate(f"favorite_{key}", value),)


_NO_KINDS = frozenset({"thing", "part", "one", "line", "of"})
_HOBBIES = frozenset({"hobby", "hobbies", "pastime"})


@remembered
def is_hedged(language: Language, sentence: str) -> bool:
    """Tell whether a sentence has a doubt anywhere in it, behind commas and in its other half too."""
    lower = sentence.casefold()
    if language.doubt.search(lower) is not None or holds_cue(f"hedge_{language.code}", lower):
        return True
    return _IGNORANCE.search(f", {lower}.") is not None


# As a clause of its own it doubts; "I don't know anybody here" does not.
_IGNORANCE = re.compile(r"[,(.–—-] ?(?:but |але |я |i |well |ну )?(?:don't know|не знаю)[,).!…]")


def is_doubt(language: Language, sentence: str) -> bool:
    """Tell whether a hedged sentence is nothing but doubts: "Not certain, but…"."""
    return not any(map(str.isalnum, without_doubts(language, sentence)))


def without_doubts(language: Language, text: str) -> str:
    """Return a text without the words of doubt in it."""
    return " ".join(language.doubt.sub(" ", text).split())


def is_filler(language: Language, sentence: str) -> bool:
    """Tell whether a sentence is nothing but greetings and other words that may stand before a statement."""
    marker = "x"  # they are taken off only where something follows
    return bare_clause(language, f"{_trimmed(sentence)} {marker}") == marker


_MOST_FILLERS = 12
"""At each end of a clause; of more, each would be looked for in all that is left."""


@remembered
def bare_clause(language: Language, clause: str) -> str:
    """Return a clause without edges, greetings and fillers, known slips corrected."""
    bare = _trimmed(_anywhere("laughter").sub(" ", clause))
    for _ in range(_MOST_FILLERS):
        if (shorter := LEADING.sub("", language.lead.sub("", bare, count=1))) == bare:
            break
        bare = shorter
    for _ in range(_MOST_FILLERS):
        if (shorter := _trimmed(language.tail.sub("", bare))) == bare:
            break
        bare = shorter
    if language.slip.search(bare) is not None:
        for slip, right in language.slips:
            bare = slip.sub(right, bare)
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
    return _may_hold(head, text) and _anywhere(head).search(text) is not None


def before_cues(heads: Iterable[str], text: str) -> str:
    """Return a text as far as the first word of some cues in it."""
    lower = text.casefold()
    matches = (_anywhere(head).search(lower) for head in heads)
    return text[: min((match.start() for match in matches if match is not None), default=len(text))]


def starts_with_cue(head: str, text: str) -> bool:
    """Tell whether a text begins with one of the words of a cue."""
    return _may_hold(head, text) and _anywhere(head).match(text) is not None


def _may_hold(head: str, text: str) -> bool:
    """Tell whether a word stands in a text that one of the cues has: most texts have none."""
    needed = _needed(head)
    if needed is None:
        return True
    full_words, beginnings = needed
    spoken = _spoken(text)
    return not full_words.isdisjoint(spoken) or any(word.startswith(beginnings) for word in spoken)


@remembered
def _spoken(text: str) -> frozenset[str]:
    return frozenset(_SPOKEN.findall(text.casefold()))


_SPOKEN = re.compile(r"\w+")


@cache
def _needed(head: str) -> tuple[frozenset[str], tuple[str, ...]] | None:
    """Return of each cue its longest word, and the beginnings of those with any ending; None if one has no word."""
    longest = [max(_CUE_WORD.findall(cue), key=len, default="") for cue in words(head, "cues")]
    if "" in longest:
        return None
    beginnings = tuple(sorted(word[:-1] for word in longest if word.endswith("*")))
    return frozenset(word for word in longest if not word.endswith("*")), beginnings


_CUE_WORD = re.compile(r"\w+\*?")


@cache
def _anywhere(head: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){any_of(head, 'cues')}(?!\w)", re.IGNORECASE)
