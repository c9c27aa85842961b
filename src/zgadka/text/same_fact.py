"""Whether the same value under two keys, or of two types, is the same fact."""

from __future__ import annotations

from functools import cache

from zgadka.model.memory import StoredMemory
from zgadka.text.canonical import canonical
from zgadka.text.keys import is_single_valued
from zgadka.text.typo_similarity import parts
from zgadka.text.word_lists import read_table

_ABOUT_THEIR_KEY = frozenset({"opinion", "relationship"})
"""Facts of these types say something of what their key names; the same under another key is another fact."""


def means_the_same(fact: StoredMemory, other_fact: StoredMemory) -> bool:
    """Whether two facts of the same value say the same under their keys."""
    return sense_of(fact) == sense_of(other_fact)


def sense_of(fact: StoredMemory, listed: frozenset[str] | None = None) -> str:
    """The key where it changes what the value means; empty for all keys that just name what somebody has or likes.

    Args:
        listed: The `parts` of its value, where these are known.
    """
    key, listed = fact.key or "", parts(fact.content) if listed is None else listed
    is_telling = all(form.isalpha() for form in listed) and not listed <= _telling_nothing()
    if not is_telling or fact.type in _ABOUT_THEIR_KEY or is_single_valued(key):
        return key
    words_of_key = {word.removesuffix("s") for word in key.split("_")} | set(key.split("_"))
    apart = read_table("merging")
    return key if words_of_key.intersection((*apart["turning"], *apart["people"])) else ""


@cache
def _telling_nothing() -> frozenset[str]:
    return frozenset(map(canonical, read_table("merging")["untelling"]))
