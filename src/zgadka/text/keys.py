"""Keys of facts: one spelling for each, which hold a single value, which name places, which words ask for them."""

import re
import unicodedata
import zlib
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, cast, get_args

from zgadka.errors import SettingsError
from zgadka.model.record import record
from zgadka.text.word_lists import read_heads, read_table

MAX_KEY_LENGTH = 64

# fmt: off
Kind = Literal[
    "text", "title", "thing", "look", "role", "nationality", "person", "company", "place", "language", "date", "age",
    "clock", "zone", "phone", "address", "email", "link", "handle", "number", "amount", "length", "mass", "area",
    "temperature", "boolean", "blood", "size", "currency",
]
# fmt: on
KINDS: frozenset[str] = frozenset(get_args(Kind))
"""What values of a key are, by which text/typed_values.py compares them."""


@record()
class Key:
    """What is known of a standard key.

    Attributes:
        is_single: Whether a person has one value of it at a time.
        takes_none: Whether to have none is something to remember: no allergies, no children.
    """

    is_single: bool
    kind: Kind
    takes_none: bool
    aliases: tuple[str, ...]


_HEAD = re.compile(r"(?P<key>[^\W_]\w*) \((?P<many>one|many), (?P<kind>[a-z]+)(?P<none> none)?\)(?::(?P<names>.*))?")
_CAMEL = re.compile(r"(?<=[a-zа-яіїєґё0-9])(?=[A-ZА-ЯІЇЄҐЁ])|(?<=[A-Z])(?=[A-Z][a-z])")
_APOSTROPHE = re.compile("['\u2018\u2019\u02bc`\u00b4]s?(?![^\\W_])|['\u2018\u2019\u02bc`\u00b4]")
_SEPARATORS = re.compile(r"[\W_]+")
_BELONGING = re.compile(r"(?:user|users|my|his|her|their|person|persons|current|primary)_(?=.)")
_NUMBERED = re.compile(r"_\d{1,3}$")
_BRITISH = {"favourite": "favorite", "favourites": "favorites", "colour": "color", "colours": "colors"}


_extensions: list[tuple[str, dict[str, Key]]] = []


def use_vocabulary(path: str) -> None:
    """Have this process know the keys of a file as well, written as `data/keys.txt` is; empty: of none any more.

    Raises:
        SettingsError: The file cannot be read, or a line of it says no key.
    """
    text = ""
    if path:
        try:
            text = Path(path).expanduser().read_text("utf-8-sig")
        except (OSError, UnicodeError) as error:
            raise SettingsError(f"key_vocabulary={path!r}: it cannot be read ({error})") from error
    if text == "".join(text for text, _ in _extensions):
        return
    added = [(text, _read_vocabulary(text, f"key_vocabulary={path!r}"))] if text.strip() else []
    _extensions[:] = added
    for cached in (vocabulary, _standard_keys, normalise_key, key_of):
        cached.cache_clear()


def vocabulary_mark() -> int:
    """A number that tells the vocabulary of this process from others; 0: it is that of the package."""
    text = "".join(text for text, _ in _extensions)
    return zlib.crc32(text.encode()) if text else 0


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, Key]:
    """All standard keys."""
    shipped = files("zgadka.text").joinpath("data/keys.txt").read_text("utf-8")
    keys = _read_vocabulary(shipped, "data/keys.txt")
    for _, added in _extensions:
        for name, key in added.items():
            existing = keys.get(name)
            keys[name] = key if existing is None else replace(key, aliases=(*existing.aliases, *key.aliases))
    return keys


def _read_vocabulary(text: str, source: str) -> dict[str, Key]:
    keys: dict[str, Key] = {}
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace() and current:
            names = line
        elif (match := _HEAD.fullmatch(line.rstrip())) and match["kind"] in KINDS:
            current, names = joined_words(match["key"]), match["names"] or ""
            kind, no_aliases = cast("Kind", match["kind"]), cast("tuple[str, ...]", ())
            keys[current] = Key(match["many"] == "one", kind, bool(match["none"]), no_aliases)
        else:
            raise SettingsError(
                f"{source}, line {number}: {line.strip()[:60]!r} should be like `blood_pressure (one, text): bp тиск`; "
                f"kinds are {', '.join(sorted(KINDS))}"
            )
        aliases = tuple(alias for name in names.replace(",", " ").split() if (alias := joined_words(name)))
        keys[current] = replace(keys[current], aliases=(*keys[current].aliases, *aliases))
    return keys


@lru_cache(maxsize=1)
def _standard_keys() -> dict[str, str]:
    # What comes later wins: a person's own file.
    standard = {alias: name for name, key in vocabulary().items() for alias in key.aliases}
    own = {alias: name for _, added in _extensions for name, key in added.items() for alias in key.aliases}
    return standard | {name: name for name in vocabulary()} | own


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


@lru_cache(maxsize=4096)
def key_of(key: str) -> Key:
    """What is known of a key in any spelling; of one that ends in a standard key, the kind of its values."""
    name = normalise_key(key)
    if (standard_key := vocabulary().get(name)) is not None:
        return standard_key
    words = name.split("_")
    begins, ends = read_table("kinds_of_keys")["begins"], read_heads("kinds_of_keys")
    if words[0] in begins and len(words) > 1:
        return Key(False, "boolean", False, ())
    for start in range(1, len(words)):
        ending = normalise_key("_".join(words[start:]))
        if (standard_key := vocabulary().get(ending)) is not None and standard_key.kind != "boolean":
            return Key(False, standard_key.kind, standard_key.takes_none, ())
    kind = next((head for head in ends.get(words[-1], ()) if head in KINDS), "text")
    return Key(False, cast("Kind", kind), False, ())


def is_standard_key(key: str) -> bool:
    """Tell whether it is a standard key, or another name of one."""
    return normalise_key(key) in vocabulary()


def is_single_valued(key: str) -> bool:
    """Tell whether a person has one value of this key at a time, so that a second value is a conflict.

    Unknown keys hold several values: nothing may be refused because a key was invented.
    """
    return key_of(key).is_single


def is_place(key: str) -> bool:
    """Tell whether values of this key name a town or another place inside a country."""
    return key_of(key).kind == "place"


def names_language(key: str) -> bool:
    """Tell whether values of this key name languages that people speak."""
    return key_of(key).kind == "language"


def cued_keys(word: str) -> tuple[str, ...]:
    """Return the standard keys that a word of a question asks for: "lives" and "живе" ask for ``location``.

    Args:
        word: One word in lower case, without apostrophes.
    """
    return read_heads("cues").get(word, ())
