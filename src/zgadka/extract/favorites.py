"""What a clause tells of an animal's name or of a favourite."""

from __future__ import annotations

from zgadka.extract import values
from zgadka.extract.languages import Language
from zgadka.extract.pattern import Candidate, fits

_NO_KINDS = frozenset({"thing", "part", "one", "line", "of"})
_HOBBIES = frozenset({"hobby", "hobbies", "pastime"})


def parse_favorite(language: Language, clause: str) -> tuple[Candidate, ...]:
    """Return the animal with its name, the favourite, or nothing."""
    named = fits(language.pet, clause)
    if named is not None and values.proper_name(named["value"]):
        animal = language.animals.get(named["who"].casefold(), named["who"])
        return (Candidate("pet", f"{animal} {named['value']}"),)
    fit = next((fit for pattern in language.favorite if (fit := fits(pattern, clause)) is not None), None)
    value = None if fit is None else values.liked(fit["value"])
    if fit is None or value is None:
        return ()
    kind = fit["what"].casefold()
    if kind in _HOBBIES:
        return tuple(Candidate("hobby", hobby) for hobby in values.things(value))
    key = language.favorites.get(kind, kind).replace(" ", "_")
    return () if kind in _NO_KINDS else (Candidate(f"favorite_{key}", value),)
