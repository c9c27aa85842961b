"""What words that tell of the writer's own people say: whose relation it is, and a name where one is said."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from zgadka.extract.kinds import base_of
from zgadka.extract.learned.judge import Claim
from zgadka.extract.lexicon import CYRILLIC, named_pattern
from zgadka.extract.pattern import Candidate
from zgadka.extract.wishes import kin_called, kin_name
from zgadka.text.word_lists import read_table

_BEFORE_NAME = 3
"""Words before a name among which its relation is looked for: "my wife, Olena"."""


def relative(words: Sequence[str], claim: Claim) -> Candidate | None:
    """Return what a claim about a relative tells; None where it says nothing to keep.

    Args:
        words: Of the message.
        claim: A run of them that tells of a relative.
    """
    said = words[claim.first : claim.end]
    relations = [(word, key) for word in said if (key := _key(word))]
    name = " ".join(word for word in said if word[:1].isupper() and not _key(word) and not _is_mine(word))
    if not relations and name:
        before = words[max(0, claim.first - _BEFORE_NAME) : claim.first]
        relations = [(word, key) for word in before if (key := _key(word))][-1:]
    if len({key for _, key in relations}) != 1:
        return None
    word, key = relations[0]
    if name:
        value = kin_called(name) if CYRILLIC.search(name) else kin_name(name)
        return Candidate(key, value) if value else None
    mentioned = _mentioned().get(key)
    return Candidate(mentioned, _base(word)) if mentioned else None


def _key(word: str) -> str | None:
    return _keys().get(_base(word))


def _is_mine(word: str) -> bool:
    return named_pattern("writers").fullmatch(word) is not None


def _base(word: str) -> str:
    lower = word.casefold().removesuffix("'s").removesuffix("’s").rstrip("'’")
    return (base_of("RELATIVE", lower) or lower) if CYRILLIC.search(lower) else lower


@cache
def _keys() -> dict[str, str]:
    return {
        word: key
        for key, words in read_table("kin_words", "zgadka.extract").items()
        for word in words
        if word[0] != "="
    }


@cache
def _mentioned() -> dict[str, str]:
    return {
        key: words[0].removeprefix("=")
        for key, words in read_table("kin_words", "zgadka.extract").items()
        if words[0].startswith("=")
    }
