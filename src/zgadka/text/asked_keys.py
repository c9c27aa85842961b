"""Which keys of facts a question asks for by several words: "What do I do for a living?" asks for ``job``."""

import re
from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.keys import is_standard_key, normalise_key
from zgadka.text.word_lists import read_entry, read_table

_WORD = re.compile(r"[^\W_]+")
_LONGEST = 12
"""Words of a question that a fact alone may answer."""
_NO_KEYS = frozenset({"fillers", "asking", "past"})


class Asked(NamedTuple):
    """What a question asks for.

    Attributes:
        keys: Those that its words ask for together.
        wholly: Those of them, and of single words, that it asks for and for nothing else.
        words: The words that ask for `keys`, which alone say something else ("living" is no place).
    """

    keys: tuple[str, ...] = ()
    wholly: tuple[str, ...] = ()
    words: frozenset[str] = frozenset()


@lru_cache(maxsize=256)
def asked_keys(question: str) -> Asked:
    """Read which keys a question asks for; keys are standard ones."""
    every_word = _WORD.findall(unify(question[:1000]))
    fillers, past, asking = (read_entry("asked_keys", head) for head in ("fillers", "past", "asking"))
    words = [word for word in every_word if word not in fillers and word not in past]
    telling = [word for word in words if word not in asking]
    joined, complete = " ".join(words), {" ".join(every_word), " ".join(words), " ".join(telling)}
    keys: dict[str, str] = {}
    wholly: list[str] = []
    possible = _possible_keys(every_word)
    for key, pattern in _patterns().items() if possible else ():
        if key not in possible:
            continue
        if len(words) <= _LONGEST and any(map(pattern.fullmatch, complete)):
            wholly.append(key)
        if (match := pattern.search(joined)) is not None and (" " in match[0] or key in wholly):
            keys[key] = match[0]
    wholly += [key for words in (every_word, words, telling) if (key := _key_named(words)) is not None]
    covered = frozenset(word for phrase in keys.values() for word in phrase.split())
    return Asked(tuple(keys), tuple(dict.fromkeys(wholly)), covered)


def asks_for_past(question: str) -> bool:
    """Tell whether a question asks for what was, and is no longer."""
    return not read_entry("asked_keys", "past").isdisjoint(_WORD.findall(unify(question[:1000])))


def _key_named(words: list[str]) -> str | None:
    """The standard key that these words are a name of."""
    name = "_".join(words)
    return normalise_key(name) if 0 < len(words) <= 4 and is_standard_key(name) else None


def _possible_keys(words: list[str]) -> set[str]:
    """The keys of which the last word of a phrase is among these."""
    endings, beginnings = _last_words()
    key_sets = [endings[word] for word in words if word in endings]
    for word in words:
        if word.startswith(tuple(beginnings)):
            key_sets += [keys for beginning, keys in beginnings.items() if word.startswith(beginning)]
    return set[str]().union(*key_sets)


@lru_cache(maxsize=1)
def _last_words() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """By the last words of phrases, and by the beginnings of those with any ending, the keys that they ask for."""
    words, beginnings = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for key, phrases in _phrases().items():
        for phrase in phrases:
            last_word = phrase.rpartition("_")[2]
            (beginnings if last_word.endswith("*") else words)[last_word.rstrip("*")].add(key)
    return dict(words), dict(beginnings)


def _phrases() -> dict[str, tuple[str, ...]]:
    return {key: phrases for key, phrases in read_table("asked_keys").items() if key not in _NO_KEYS}


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    return {
        key: re.compile(rf"\b(?:{'|'.join(map(_pattern, sorted(phrases, key=len, reverse=True)))})\b")
        for key, phrases in _phrases().items()
    }


def _pattern(phrase: str) -> str:
    return phrase.replace("_", " ").replace("*", r"\w*")
