"""The rules of one language: what asks is in `en.toml` and `uk.toml`, what tells something in `extract`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from zgadka.chat.offline_model.intents import Key
from zgadka.chat.patterns import read_patterns
from zgadka.extract.languages import plain_statements
from zgadka.extract.pattern import Statement, fits
from zgadka.locales import Language


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """What is told in the files."""

    statements: tuple[Statement, ...]
    fillers: str
    joints: str
    doubts: str
    denials: str
    greetings: str
    yes: str
    no: str
    places_in_list: Sequence[str]
    polite: str
    ask_all: str
    ask_key: Mapping[Key, str]
    ask_about: str
    note: str
    forget: str
    forget_nothing: str
    forget_all: str
    forget_key: Mapping[Key, str]


@cache
def grammar_of(language: Language) -> Grammar:
    """Return the rules of a language."""
    return Grammar(statements=plain_statements(language), **read_patterns("offline_model", language))


def key_of(keys: Mapping[Key, str], sentence: str) -> Key | None:
    """Return the kind of fact whose pattern fits."""
    return next((key for key, pattern in keys.items() if fits(pattern, sentence)), None)
