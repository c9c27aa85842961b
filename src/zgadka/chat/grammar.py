"""The shape that the English and the Ukrainian rules share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from zgadka.chat.intents import Key
from zgadka.extract.statement import Statement, fits


@dataclass(frozen=True, kw_only=True)
class Grammar:
    """The rules of one language; every pattern must fit a whole sentence, but `fillers`, `joints`, `doubts`, `denials`.

    Attributes:
        fillers: Words before a sentence that mean nothing.
        joints: Where a sentence of two statements may be cut.
        doubts: Words that make a statement uncertain.
        denials: Words that turn a statement into its contrary.
        places_in_list: "the first one", "the second one", …
        polite: What may stand before a question.
        forget_nothing: A wish to forget that does not say what.
    """

    statements: tuple[Statement, ...]
    fillers: str
    joints: str
    doubts: str
    denials: str
    greetings: str
    yes: str
    no: str
    places_in_list: tuple[str, ...]
    polite: str
    ask_all: str
    ask_key: Mapping[Key, str]
    ask_about: str
    note: str
    forget: str
    forget_nothing: str
    forget_all: str
    forget_key: Mapping[Key, str]


def key_of(keys: Mapping[Key, str], sentence: str) -> Key | None:
    """Return the kind of fact whose pattern fits."""
    return next((key for key, pattern in keys.items() if fits(pattern, sentence)), None)
