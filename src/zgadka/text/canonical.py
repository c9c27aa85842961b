"""The form in which two spellings of one value are equal: the database's uniqueness key for values.

Letters are folded to their skeleton and the spaces between words go, so spelling does not matter. Whatever can
change the meaning stays: digits and what separates them, signs, currency, symbols, emoji, addresses and handles.
"""

import hashlib
import re
from datetime import date
from functools import lru_cache

from zgadka.text.common_words import former_form, named_thing
from zgadka.text.folding import skeleton, unify
from zgadka.text.keys import key_of, normalise_key
from zgadka.text.lead_ins import without_lead_in
from zgadka.text.places import former_place, main_name
from zgadka.text.typed_values import typed_form
from zgadka.text.value_folding import fold_value, printable

_LONGEST_CACHED = 120
_MAX_LENGTH = 400  # PostgreSQL takes at most 2,704 bytes in an index entry
_LETTER = re.compile("[0-9A-Za-z\u0400-\u045f]")
_LANGUAGE_WORD = re.compile(r"\s+(?:language|мова|язык)$")
_TITLE = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|пан|пані|др|проф)\b\.?\s+")


def canonical(value: str, key: str | None = None, said: date | None = None) -> str:
    """Fold a value to the form that all spellings of it share.

    Equal across case, width, accents, script and transliteration (Kyiv, Київ, Kiev), spaces and hyphens between
    words, final punctuation. Never equal by substring, by dropped digits or by dropped signs (C, C++, C#; 1.5, 15).

    Args:
        value: The value as somebody wrote it.
        key: Its key, in any spelling, which says what its values are (`typed_values`): 180 cm equals 1.8 m, May 3, 1990
            equals 1990-05-03. Under a place key a country after the place is dropped, so that
            "Kyiv, Ukraine" equals "Kyiv"; a bare country stays. Under a place or language key, names in other
            languages are one value (Wien, Відень, Vienna), where `data/names.txt` knows them.
        said: The day on which it was said, by which "yesterday" is understood.

    Returns:
        A text of at most 400 characters, the end of a longer one replaced by its hash; empty only when `value` shows
        nothing at all (white space, invisible characters).
    """
    if key is None:
        return _plain_form(value)
    if len(value) > _LONGEST_CACHED:
        return _of_key(value, key, said)
    return _cached(value, normalise_key(key), key_of(key).kind, said)


@lru_cache(maxsize=4096)
def _cached(value: str, key: str, kind: str, day: date | None) -> str:
    del kind  # another one in another vocabulary
    return _of_key(value, key, day)


def _of_key(value: str, key: str, day: date | None) -> str:
    form = typed_form(value, key, day)
    return _plain_form(value) if form is None else _shortened(form)


def _plain_form(value: str) -> str:
    return _shortened(fold_value(unify(value)) or printable(value))


def _shortened(folded: str) -> str:
    if len(folded) <= _MAX_LENGTH:
        return folded
    digest = hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{folded[: _MAX_LENGTH - len(digest) - 1]}~{digest}"


def former(value: str, key: str | None = None) -> tuple[str, ...]:
    """The forms that a value had in former versions; what people had forgotten then is known by them still.

    The first is that of before its kind counted; another, where it differs, that of the first version of kinds.
    """
    if key is None:
        return (_plain_form(value),)
    kind, text = key_of(key).kind, unify(value)
    plain = text.strip(" .!")
    match kind:
        case "place":
            forms = former_place(text), former_place(without_lead_in(text, "place"))
        case "language":
            folded = fold_value(_LANGUAGE_WORD.sub("", text)) or printable(value)
            forms = (main_name(folded, "language") or folded,)
        case "person":
            words = _TITLE.sub("", plain).replace(",", " ").split()
            forms = text, " ".join(sorted(words, key=skeleton))
        case "thing" | "role" | "nationality":
            is_role = kind != "thing"
            forms = text, former_form(without_lead_in(plain, kind), is_role=is_role)
        case "company":
            plain = without_lead_in(plain, "company")
            forms = text, named_thing(plain, "companies") or plain
        case "age":
            form = typed_form(value, key) or ""
            forms = text, form.replace("AGE:", "MONTHS:").removesuffix("M") if form.endswith("M") else text
        case "phone":
            digits = re.sub(r"\D", "", plain)
            forms = text, f"PHONE:{'+' if plain.startswith('+') else ''}{digits}"
        case _:
            forms = (text,)
    folded = (
        form if form.startswith(("MONTHS:", "PHONE:")) else fold_value(form) or printable(value) for form in forms
    )
    return tuple(dict.fromkeys(map(_shortened, folded)))


def shows_nothing(value: str) -> bool:
    """Tell whether a value's canonical form is empty: white space and invisible characters alone."""
    if _LETTER.search(value):
        return False
    text = unify(value)
    return not any(map(str.isalnum, text)) and not (fold_value(text) or printable(value))
