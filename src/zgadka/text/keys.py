"""Keys of facts: one spelling for each, which hold a single value, which name places, which words ask for them."""

import re
import unicodedata
from functools import lru_cache

from zgadka.text.word_lists import read_heads, read_table

MAX_KEY_LENGTH = 64

# Standard key: the other names it goes by. Everything is written as `joined_words` leaves it.
_SINGLE_VALUED = frozenset(
    {
        *("name", "first_name", "last_name", "age", "birthday", "birthplace", "gender", "pronouns", "native_language"),
        *("location", "hometown", "country", "address", "timezone", "job", "employer", "marital_status", "spouse"),
        *("height", "weight", "blood_type", "zodiac_sign", "eye_color", "hair_color"),
    }
)
_PLACES = frozenset({"location", "hometown", "birthplace", "country"})
_LANGUAGES = frozenset({"language", "native_language"})

_CAMEL = re.compile(r"(?<=[a-zа-яіїєґё0-9])(?=[A-ZА-ЯІЇЄҐЁ])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile("['\u2018\u2019\u02bc`\u00b4]s?(?![^\\W_])|['\u2018\u2019\u02bc`\u00b4]")
_SEPARATORS = re.compile(r"[\W_]+")
_BELONGING = re.compile(r"(?:user|users|my|his|her|their|person|persons|current|primary)_(?=.)")
_NUMBERED = re.compile(r"_\d{1,3}$")
_BRITISH = {"favourite": "favorite", "favourites": "favorites", "colour": "color", "colours": "colors"}


@lru_cache(maxsize=1)
def _standard_keys() -> dict[str, str]:
    standard = {key: key for key in _SINGLE_VALUED}
    for key, aliases in read_table("keys").items():
        standard[key] = key
        standard.update(dict.fromkeys(aliases, key))
    return standard


@lru_cache(maxsize=4096)
def normalise_key(key: str) -> str:
    """Give a key its one spelling: ``Programming Language`` and ``programmingLanguage`` are ``programming_language``.

    Other names of standard keys become the standard key (``city``, ``lives_in``, ``місто``: ``location``), also
    after ``my_``, ``user_`` or ``current_`` and before a number (``hobby_2``).

    Returns:
        Words joined by single underscores, at most 64 characters; empty when the key has no letter or digit.
    """
    standard_keys = _standard_keys()
    slug = joined_words(key)
    for candidate in (slug, _NUMBERED.sub("", slug)):
        bare = _BELONGING.sub("", candidate, count=1) if _BELONGING.match(candidate) else candidate
        standard = standard_keys.get(candidate) or standard_keys.get(bare)
        if standard is not None:
            return standard
    return slug


def joined_words(key: str) -> str:
    """Write a key in lower case with single underscores between its words, whatever its spelling was."""
    text = unicodedata.normalize("NFKC", key[:1000])
    text = _SEPARATORS.sub("_", _APOSTROPHE.sub("", _CAMEL.sub("_", text)))
    text = unicodedata.normalize("NFKC", text.casefold())
    words = (_BRITISH.get(word, word) for word in _SEPARATORS.split(text) if word)
    return "_".join(words)[:MAX_KEY_LENGTH].strip("_")


def is_standard_key(key: str) -> bool:
    """Tell whether it is a standard key, or another name of one."""
    return normalise_key(key) in _standard_keys()


def is_single_valued(key: str) -> bool:
    """Tell whether a person has one value of this key at a time, so that a second value is a conflict.

    Unknown keys hold several values: nothing may be refused because a key was invented.
    """
    return normalise_key(key) in _SINGLE_VALUED


def is_place(key: str) -> bool:
    """Tell whether values of this key name a town or another place inside a country."""
    return normalise_key(key) in _PLACES


def names_language(key: str) -> bool:
    """Tell whether values of this key name languages that people speak."""
    return normalise_key(key) in _LANGUAGES


def cued_keys(word: str) -> tuple[str, ...]:
    """Return the standard keys that a word of a question asks for: "lives" and "живе" ask for ``location``.

    Args:
        word: One word in lower case, without apostrophes.
    """
    return read_heads("cues").get(word, ())
