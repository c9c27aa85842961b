"""What the clauses of a sentence tell together: in lists, in a row without a comma, behind a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from zgadka.extract.clause import bare_clause, is_doubt, part_tells
from zgadka.extract.kinds import group_and_type
from zgadka.extract.languages import Language
from zgadka.extract.places import is_known_place, nominative_place
from zgadka.extract.statement import Told
from zgadka.extract.values import known_name

_MOST_CLAUSES = 60


def clauses_tell(language: Language, sentence: str) -> Iterator[Told]:
    """Yield what the clauses of a sentence tell."""
    if introduced := _introduction(language, sentence):
        yield from introduced
        return
    clauses = re.split(language.joints, sentence, flags=re.IGNORECASE)
    # "I like jazz, I think": a clause that is nothing but a doubt is about the others.
    stated = [clause for clause in clauses if not is_doubt(language, clause)]
    is_doubted = len(stated) < len(clauses)
    found: list[Told] = []
    shared = False  # whether the clause before had a subject that this one may share
    for place, clause in enumerate(stated[:_MOST_CLAUSES]):
        told, undone = _clause_or_parts(language, clause, shared=shared, first=place == 0)
        if undone and place:  # "no, I live in Riga" answers a question
            return
        shared = _is_of_self(told)
        found += told
    yield from (replace(one, sure=False) for one in found) if is_doubted else found


def _clause_or_parts(language: Language, clause: str, *, shared: bool, first: bool) -> tuple[tuple[Told, ...], bool]:
    """Return what a clause tells as a whole, else what its parts do; and whether one of these takes it all back."""
    bare = bare_clause(language, clause)
    told = (
        _run_on_tells(language, bare)
        or part_tells(language, bare, shared=shared, first=first)
        or _named_tells(language, bare)
    )
    if told or not _PARTED.search(clause):
        return told, _UNDOING.fullmatch(bare) is not None
    for comma in (language.comma, language.dash):
        told, undone = _parts_tell(language, re.split(comma, bare), shared=shared, first=first)
        if told or undone:
            return told, undone
    return (), False


# Words by which a sentence is about its writer.
SELF = re.compile(
    (
        r"\b(?:i|i'm|i’m|im|i've|my|me|mine|we|our|я|мене|мені|мій|моя|моє|мої|мого|мою|ми|наш|наша|\w+ю|"
        r"\w+юся)\b"
    ),
    re.IGNORECASE,
)


def _named_tells(language: Language, bare: str) -> tuple[Told, ...]:
    """Return what a clause tells that goes on behind a name: "я Макс тестувальник з Харкова"."""
    fit = _NAMED.fullmatch(bare)
    if fit is None or known_name(fit["name"]) is None:
        return ()
    told = part_tells(language, bare_clause(language, fit["rest"]), shared=True, first=False) or _run_on_tells(
        language, f"{fit['head']} {fit['rest']}"
    )
    return (Told("name", fit["name"]), *told) if told else ()


_NAMED = re.compile(
    r"(?P<head>я|це|мене звати|мене звуть|i'm|i am|my name is|my name's|this is) (?P<name>[^\W\d_]+),? (?P<rest>.+)",
    re.IGNORECASE,
)


def _run_on_tells(language: Language, bare: str) -> tuple[Told, ...]:
    """Return what statements tell that stand in a row with nothing between; nothing where one of them tells nothing."""
    pieces = re.split(language.run_on, bare, flags=re.IGNORECASE)
    if len(pieces) == 1:
        return ()
    told = [
        part_tells(language, bare_clause(language, piece), shared=bool(place), first=False)
        or _named_tells(language, piece)
        for place, piece in enumerate(pieces)
    ]
    return tuple(one for piece in told for one in piece) if all(told) else ()


def _introduction(language: Language, sentence: str) -> tuple[Told, ...]:
    """Return what a list tells in which nothing has a subject: "26, single, nurse", "Марія, 24, Львів"."""
    parts = [bare_clause(language, part) for part in _LISTED.split(bare_clause(language, sentence))]
    if not 1 < len(parts) <= _MOST_PARTS or (SELF.match(parts[0]) and not _BARE_AGE.fullmatch(parts[0])):
        return ()
    if any(len(part.split()) > _SHORT for part in parts):
        return ()
    found: list[Told] = []
    for place, part in enumerate(parts):
        behind = parts[place + 1] if place + 1 < len(parts) else ""
        if _BARE_AGE.fullmatch(part):
            told: tuple[Told, ...] = (Told("age", part[:2]),)
        elif place == 0 and known_name(part) and _BARE_AGE.fullmatch(behind):
            told = (Told("name", part),)
        elif place and part[:1].isupper() and is_known_place(part):
            told = (Told("location", nominative_place(part), sure=False),)
        else:
            told = part_tells(language, part, shared=True, first=False)
            if any(one.key == "age" for one in told) or (not place and any(one.key == "pet" for one in told)):
                return ()  # "dog, 3 years": an advertisement
        if not told:
            return ()
        found += told
    is_listed = any(_BARE_AGE.fullmatch(part) for part in parts) or not part_tells(
        language, parts[0], shared=False, first=False
    )
    keys = [one.key for one in found]
    is_one_persons = len(set(keys)) > 1 and all(keys.count(key) < 2 for key in ("name", "age", "job", "marital_status"))
    return tuple(found) if is_listed and is_one_persons and any(one.sure for one in found) else ()


_SHORT = 5  # words of a part
_LISTED = re.compile(r"\s*[,/|•·]\s*|\s+[-–—]\s+")
_BARE_AGE = re.compile(r"(?:1[4-9]|[2-7]\d)(?: ?(?:years? old|y/?o|yrs|років|роки|рік|р\.?|[fm]))?", re.IGNORECASE)


def _parts_tell(language: Language, clauses: list[str], *, shared: bool, first: bool) -> tuple[tuple[Told, ...], bool]:
    parts = [part for part in (bare_clause(language, part) for part in clauses) if part]
    found: list[Told] = []
    for place, part in enumerate(parts[:_MOST_PARTS]):
        if _UNDOING.fullmatch(part):
            return (), True
        told = part_tells(language, part, shared=shared, first=first and place == 0)
        shared = _is_of_self(told) or (shared and place > 0 and not told) or _INTRODUCED.fullmatch(part) is not None
        found += told
    if any(is_doubt(language, part) for part in parts):
        found = [replace(one, sure=False) for one in found]
    return tuple(found), False


def _is_of_self(told: tuple[Told, ...]) -> bool:
    """Whether the next clause may share the subject: after "I have a cat" it may be the cat's."""
    return any(group_and_type(one.key)[1] != "relationship" and one.key != "pet" for one in told)


_PARTED = re.compile(r"[,:(–—]| -")
_MOST_PARTS = 12
_INTRODUCED = re.compile(r"(?:i'm|i am|я|це|this is) [^\W\d_]+(?: here)?", re.IGNORECASE)
# "I'm a doctor, not": what stands alone behind a statement and means the opposite.
_UNDOING = re.compile(
    r"(?:not|nah|nope|psych|as if|or not|or so (?:i|they|he|she)\b.*|in theory|said no ?one(?: ever)?|yeah right"
    r"|hahaha no|but no|or rather\b.*|or maybe not|what a joke|я? ?ніби|аякже|де там|ага|ні|а може й ні|в теорії"
    r"|сказав ніхто|сказала ніхто|or\b.*|або\b.*|чи\b.*)",
    re.IGNORECASE,
)
