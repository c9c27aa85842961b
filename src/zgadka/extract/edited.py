"""Whether an edited message says no longer what was made of it, though it still has the words."""

from __future__ import annotations

import re

from zgadka.extract.authored_text import own_words
from zgadka.extract.denials import denies, turns_around
from zgadka.extract.rules import extract, is_impersonal, weigh_claim
from zgadka.model.inference import Inferred
from zgadka.text.words import index_words

_MARKS = " .,!?…"
_PART = re.compile(r"[.,;!?…()\n]+")
_SHORT = 3  # words
_ONCE_MORE = re.compile(r"\bI(?: already)? (?:said|say|told)\b|\b(?:казав|казала|кажу)\b", re.IGNORECASE)


def takes_back(former: str, text: str, value: str, key: str = "") -> bool:
    """Whether a message says a value of its writer no longer: it denies it, or tells it of somebody else, or as a joke.

    False where it does not have the value, and where the former text did not say it of its writer either.

    Args:
        former: What it said before.
        key: Of the fact whose value it is; empty: a note.
    """
    if turns_around(former, text, value, key):
        return True
    words = frozenset(index_words(value))
    if words.isdisjoint(index_words(text)):
        return False
    said_before, said = _items_with(words, former), _items_with(words, text)
    if any(item.key == key for item in said):
        return False
    if any(item.key == key for item in said_before) and (said or _is_in_jest(text)):
        return True  # it is said of somebody else, or liked no longer
    if _stands_in(former.strip(_MARKS), text):  # what stands beside it now is about something else
        return False
    return _is_claimed(former, words, key, value) and not _is_claimed(text, words, key, value)


def _stands_in(statement: str, text: str) -> bool:
    """Whether a text has a statement as a sentence of its own, or as said once more; not where that is asked."""
    before, found, after = text.partition(statement)
    is_own = not before.strip() or before.rstrip()[-1:] in ".!?…\n" or _ONCE_MORE.search(before) is not None
    return bool(found) and is_own and not after.lstrip().startswith("?")


def _is_in_jest(text: str) -> bool:
    """Whether a few words beside a statement say that it is none: "Just kidding!"."""
    asides = (aside for aside in _PART.split(text) if 0 < len(aside.split()) <= _SHORT and not denies(aside))
    return any(is_impersonal(own_words(aside)) for aside in asides)


def _items_with(words: frozenset[str], text: str) -> list[Inferred]:
    """What the rules read in a text that has a word of a value."""
    extraction = extract(text)
    items = (*extraction.certain, *extraction.uncertain)
    return [item for item in items if not words.isdisjoint(index_words(item.value))]


def _is_claimed(text: str, words: frozenset[str], key: str, value: str) -> bool:
    """Whether a sentence of a text that has a word of a value may say it of its writer.

    What it negates was weighed before: who may not eat nuts is allergic to them.
    """
    sentences = [sentence for sentence in own_words(text).sentences if not words.isdisjoint(index_words(sentence))]
    return any(denies(sentence) or weigh_claim(sentence, key, value) is not None for sentence in sentences)
