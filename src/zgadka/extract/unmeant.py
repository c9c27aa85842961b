"""What a sentence shows not to be meant, or not to be its writer's: figures of speech, games, plays, irony.

A reading is right by its form here; what stands beside it takes it back. The signs are in `patterns/unmeant.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from zgadka.extract.lexicon import language_patterns, named_pattern
from zgadka.extract.pattern import Candidate


@dataclass(frozen=True, kw_only=True)
class _Sign:
    """One sign of the file; its head says what the fields mean."""

    keys: frozenset[str]
    expression: str
    is_asked: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when something of its keys is first told."""
        return re.compile(f"(?i){self.expression}")

    def speaks_of(self, candidate: Candidate, sentence: str) -> bool:
        """Tell whether a candidate of one of its keys is what it is a sign of."""
        for fit in self.pattern.finditer(sentence):
            beginning = (fit.groupdict().get("value") or "")[:_BEGINNING].casefold()
            if candidate.value.casefold().startswith(beginning):
                return True
        return False


_BEGINNING = 3  # letters that endings leave alone


def meant(candidates: Iterable[Candidate], sentence: str) -> tuple[Candidate, ...]:
    """Return the candidates of a sentence that are meant; in doubt as ones to ask about."""
    return tuple(weighed for candidate in candidates if (weighed := _weighed(candidate, sentence)) is not None)


def own_of(candidates: Iterable[Candidate], sentence: str, following: str) -> tuple[Candidate, ...]:
    """Return of the candidates of a message's first sentence those that may be its writer's.

    "Julia from Leeds, my nail tech" has the form of an introduction, and is one of somebody else.

    Args:
        candidates: What the sentence tells.
        sentence: The first one.
        following: The one behind it.
    """
    text = f"{sentence} {following}"
    presented = named_pattern("presented").match(text)
    if presented is None:
        return tuple(candidates)
    is_another = named_pattern("presents_another").search(text, presented.end()) is not None
    if not is_another and named_pattern("may_present_another").search(text, presented.end()) is None:
        return tuple(candidates)
    own = _SELF.search(sentence)
    own_words = "" if own is None else sentence[own.start() :].casefold()
    return tuple(
        candidate if is_own else replace(candidate, sure=False)
        for candidate in candidates
        if (is_own := candidate.value[:_BEGINNING].casefold() in own_words) or not is_another
    )


_SELF = re.compile(r"\b(?:i|i'm|im|я)\b", re.IGNORECASE)


def _weighed(candidate: Candidate, sentence: str) -> Candidate | None:
    signs = [sign for sign in _signs_of(candidate.key) if sign.speaks_of(candidate, sentence)]
    if any(not sign.is_asked for sign in signs):
        return None
    return replace(candidate, sure=False) if signs else candidate


@cache
def _signs_of(key: str) -> Sequence[_Sign]:
    return tuple(sign for sign in _signs() if key in sign.keys)


@cache
def _signs() -> Sequence[_Sign]:
    file = language_patterns("unmeant")
    own_life = file.parts["OWN_LIFE"]
    return tuple(
        _Sign(
            keys=frozenset(entry["keys"].replace("OWN_LIFE", own_life).split()),
            expression=file.complete(entry["pattern"]),
            is_asked=entry.get("asked", False),
        )
        for entry in file.entries["signs"]
    )
