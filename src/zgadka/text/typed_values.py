"""Read values as what they are: dates, numbers with units, ages, places, people, languages, yes and no, common words.

What a value is, its key says, and where no key does, its form. Each sort has a form of its own in capital letters,
which no text folds to, so that 30 years are no text "30". What cannot be read so is text.
"""

from __future__ import annotations

import re
from datetime import date

from zgadka.text.folding import unify
from zgadka.text.keys import key_of, normalise_key
from zgadka.text.value_names import named_form
from zgadka.text.value_readers import Value, read_value
from zgadka.text.word_lists import read_heads

_LONGEST = 120
_ONLY_MARKS = re.compile(r"[-?.\u2010-\u2015_/\u2026\s]+")


def typed_form(value: str, key: str, said_on: date | None = None) -> str | None:
    """The form that all ways to write a value of this key share; None where it is as it is written.

    Args:
        said_on: When it was said: "yesterday" is a day only then.
    """
    if len(value) > _LONGEST:
        return None
    key_info = key_of(key)
    if key_info.takes_none and key_info.kind != "number" and says_none(value, key):
        return "NONE:"
    plain = _unquoted(unify(value))
    if not plain:
        return None
    return read_value(Value(value, plain, key, said_on)) or named_form(plain, key_info.kind)


def _unquoted(plain: str) -> str:
    """A text without the quotes around it: 15" has none."""
    plain = plain.strip(" !").rstrip(" .!")
    return plain[1:-1].strip() if len(plain) > 1 and plain[0] in "\"'«“„" and plain[-1] in "\"'»“”" else plain


def says_none(value: str, key: str) -> bool:
    """Whether a value says that there is none: "none", "no", "no allergies", "без алергії"."""
    plain = unify(value).strip(" .!")
    opening, _, denied = plain.partition(" ")
    denials = read_heads("truth").get(opening, ())
    return ("no" in denials or "without" in denials) and (not denied or normalise_key(denied) == normalise_key(key))


def is_no_value(value: str, key: str | None = None) -> bool:
    """Whether a value says that none is known ("N/A", "?"), or that there is none where the key takes no such value.

    Args:
        key: None: it is not known what it is a value of.
    """
    plain = unify(value).strip(" .!()[]\"'")
    if not any(map(str.isalnum, plain)):
        return bool(value.strip()) and _ONLY_MARKS.fullmatch(value.strip()) is not None
    heads = read_heads("no_values").get(plain.replace(" ", "_"), ())
    if "unknown" in heads or "none" not in heads or key is None:
        return "unknown" in heads
    key_info = key_of(key)
    return not (key_info.takes_none or key_info.kind == "boolean")
