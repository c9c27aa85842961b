"""What the clauses of a sentence tell together: in lists, in a row without a comma, behind a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from zgadka.extract.clause import bare_clause, parse_part, without_doubts
from zgadka.extract.languages import Language
from zgadka.extract.lexicon import named_pattern
from zgadka.extract.pattern import Candidate
from zgadka.extract.places import is_known_place, nominative_place
from zgadka.extract.subject import Subject, next_subject, sentence_subject
from zgadka.extract.values import known_name

_MAX_CLAUSES = 60


def parse_sentence(language: Language, sentence: str, subject: Subject, *, hedged: bool) -> tuple[Candidate, ...]:
    """Return what the clauses of a sentence tell of its writer.

    Args:
        language: Its language.
        sentence: One sentence.
        subject: Whom the sentences before it are about.
        hedged: Whether there is a doubt in it.
    """
    if not hedged:
        return tuple(_parse_clauses(language, sentence, subject))
    # The doubts may hide where the clauses meet; some are the verb themselves: "думаю переїхати".
    stated = without_doubts(language, sentence)
    candidates = _parse_clauses(language, stated, subject) or _parse_clauses(language, sentence, subject)
    return tuple(replace(candidate, sure=False) for candidate in candidates)


def _parse_clauses(language: Language, sentence: str, subject: Subject) -> list[Candidate]:
    candidates = list(_parse_in_order(language, sentence, subject))
    # Only where something was found is it looked who else is in the sentence.
    if candidates and (inferred_subject := sentence_subject(sentence, subject)) != subject:
        return list(_parse_in_order(language, sentence, inferred_subject))
    return candidates


def _parse_in_order(language: Language, sentence: str, subject: Subject) -> Iterator[Candidate]:
    introduced = _parse_introduction(language, sentence) if subject in ("self", "nobody") else ()
    # Whoever was spoken of already is not introduced by name behind it: "Olena,34,Lviv", line for line.
    if introduced:
        yield from introduced if subject == "nobody" or all(candidate.key != "name" for candidate in introduced) else ()
        return
    clauses = language.joints.split(sentence)
    for number, clause in enumerate(clauses[:_MAX_CLAUSES]):
        candidates, undone = _parse_clause_or_parts(language, clause, subject, is_first=number == 0)
        if undone and number:  # "no, I live in Riga" answers a question
            return
        subject = next_subject(clause, candidates, subject)
        yield from candidates


def clause_of(language: Language, sentence: str, likeness: Callable[[str], int]) -> tuple[str, Subject]:
    """Return the clause of a sentence that is most like something, and whom the words before it are about."""
    subject: Subject = "nobody"
    best: tuple[int, str, Subject] = (-1, "", subject)
    for clause in language.joints.split(sentence)[:_MAX_CLAUSES]:
        if (alike := likeness(clause)) > best[0]:
            best = alike, clause, subject
        subject = next_subject(clause, (), subject)
    return best[1:]


def _parse_clause_or_parts(
    language: Language, clause: str, subject: Subject, *, is_first: bool
) -> tuple[tuple[Candidate, ...], bool]:
    """Return what a clause tells as a whole, else what its parts do; and whether one of these takes it all back."""
    bare = bare_clause(language, clause)
    candidates = (
        _parse_run_on(language, bare, subject)
        or parse_part(language, bare, subject=subject, is_first=is_first)
        or _parse_named(language, bare)
    )
    if candidates or not _PARTED.search(clause):
        return candidates, named_pattern("undoing").fullmatch(bare) is not None
    for comma in (language.comma, language.dash):
        candidates, undone = _parse_parts(language, comma.split(bare), subject, is_first=is_first)
        if candidates or undone:
            return candidates, undone
    return (), False


# Words by which a sentence is about its writer.
SELF = re.compile(
    r"\b(?:i|i'm|i’m|im|i've|my|me|mine|we|our|я|мене|мені|мій|моя|моє|мої|мого|мою|ми|наш|наша|\w+ю|\w+юся)\b",
    re.IGNORECASE,
)


def _parse_named(language: Language, bare: str) -> tuple[Candidate, ...]:
    """Return what a clause tells that goes on behind a name: "я Макс тестувальник з Харкова"."""
    fit = named_pattern("named").fullmatch(bare)
    if fit is None or known_name(fit["name"]) is None:
        return ()
    candidates = parse_part(
        language, bare_clause(language, fit["rest"]), subject="self", is_first=False
    ) or _parse_run_on(language, f"{fit['head']} {fit['rest']}", "self")
    return (Candidate("name", fit["name"]), *candidates) if candidates else ()


def _parse_run_on(language: Language, bare: str, subject: Subject) -> tuple[Candidate, ...]:
    """Return what statements tell that stand in a row with nothing between; nothing where one of them tells nothing."""
    pieces = language.run_on.split(bare)
    if len(pieces) == 1:
        return ()
    by_piece = [
        parse_part(language, bare_clause(language, piece), subject="self" if number else subject, is_first=False)
        or _parse_named(language, piece)
        for number, piece in enumerate(pieces)
    ]
    return tuple(candidate for piece in by_piece for candidate in piece) if all(by_piece) else ()


def _parse_introduction(language: Language, sentence: str) -> tuple[Candidate, ...]:
    """Return what a list tells in which nothing has a subject: "26, single, nurse", "Марія, 24, Львів"."""
    parts = [bare_clause(language, part) for part in _LISTED.split(bare_clause(language, sentence))]
    if not 1 < len(parts) <= _MAX_PARTS or (SELF.match(parts[0]) and not _BARE_AGE.fullmatch(parts[0])):
        return ()
    if any(len(part.split()) > _SHORT for part in parts):
        return ()
    candidates: list[Candidate] = []
    for number, part in enumerate(parts):
        following = parts[number + 1] if number + 1 < len(parts) else ""
        if _BARE_AGE.fullmatch(part):
            part_candidates: tuple[Candidate, ...] = (Candidate("age", part[:2]),)
        elif number == 0 and known_name(part) and _BARE_AGE.fullmatch(following):
            part_candidates = (Candidate("name", part),)
        elif number == 0 and known_name(part):
            return ()  # "Петро — лікар"
        elif number and part[:1].isupper() and is_known_place(part):
            part_candidates = (Candidate("location", nominative_place(part), sure=False),)
        else:
            part_candidates = parse_part(language, part, subject="self", is_first=False)
            if any(candidate.key == "age" for candidate in part_candidates) or (
                not number and any(candidate.key == "pet" for candidate in part_candidates)
            ):
                return ()  # "dog, 3 years": an advertisement
        if not part_candidates:
            return ()
        candidates += part_candidates
    is_listed = any(_BARE_AGE.fullmatch(part) for part in parts) or not parse_part(
        language, parts[0], subject="nobody", is_first=False
    )
    keys = [candidate.key for candidate in candidates]
    is_one_persons = len(set(keys)) > 1 and all(keys.count(key) < 2 for key in ("name", "age", "job", "marital_status"))
    return tuple(candidates) if is_listed and is_one_persons and any(candidate.sure for candidate in candidates) else ()


_SHORT = 5  # words of a part
_LISTED = re.compile(r"\s*[,/|•·]\s*|\s+[-–—]\s+")
_BARE_AGE = re.compile(r"(?:1[4-9]|[2-7]\d)(?: ?(?:years? old|y/?o|yrs|років|роки|рік|р\.?|[fm]))?", re.IGNORECASE)


def _parse_parts(
    language: Language, clauses: list[str], subject: Subject, *, is_first: bool
) -> tuple[tuple[Candidate, ...], bool]:
    parts = [part for part in (bare_clause(language, part) for part in clauses) if part]
    candidates: list[Candidate] = []
    for number, part in enumerate(parts[:_MAX_PARTS]):
        # "I'm a doctor, not": what stands alone behind a statement and means the opposite.
        if named_pattern("undoing").fullmatch(part):
            return (), True
        part_candidates = parse_part(language, part, subject=subject, is_first=is_first and number == 0)
        subject = "self" if _INTRODUCED.fullmatch(part) else next_subject(part, part_candidates, subject)
        candidates += part_candidates
    return tuple(candidates), False


_PARTED = re.compile(r"[,:(–—]| -")
_MAX_PARTS = 12
_INTRODUCED = re.compile(r"(?:i'm|i am|я|це|this is) [^\W\d_]+(?: here)?", re.IGNORECASE)
