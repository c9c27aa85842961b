"""The form in which two spellings of one value are equal: the database's uniqueness key for values.

Letters are folded to their skeleton and the spaces between words go, so spelling does not matter. Whatever can
change the meaning stays: digits and what separates them, signs, currency, symbols, emoji, addresses and handles.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from zgadka.text.folding import INVISIBLE, skeleton, unify
from zgadka.text.keys import is_place, names_language
from zgadka.text.typed_values import plain_words, typed_form, without_lead_in
from zgadka.text.word_lists import read_table, read_words

_MAX_LENGTH = 400  # PostgreSQL takes at most 2,704 bytes in an index entry

_TOKEN = re.compile(
    r"(?P<address>(?<![^\s(\[{<,;:!?\"'])(?:(?:[^\W_][^\s@]{0,99})?@|[a-z]{1,20}://)\S*[^\W_])"
    r"|(?P<letters>[^\W\d_]+)|(?P<digits>\d+)"
    r"|(?P<gap>[\s,;:!?(){}\[\]\"'`./_«»“”„*\\-]+)|(?P<other>.)",
    re.DOTALL,
)
_PLAIN = re.compile("[a-z\u0430-\u045f\u0491]+(?:,? [a-z\u0430-\u045f\u0491]+)*(?:,? [0-9]+)?")
"""What most values look like; `_fold` comes to the same without, in five times as long."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_LETTER = re.compile("[0-9A-Za-z\u0400-\u045f]")
_PREFIX_MARKS = {"address": "", "letters": ".", "digits": "-.", "other": "-"}
_SIGNED_ZONES = frozenset({"utc", "gmt"})
_AROUND_SEPARATOR = re.compile(r"\s*([^\w\s.]+)\s*")
_PLACE_PART = re.compile(r"[,;()\n|/]+|\s-\s")
_LONGEST_COUNTRY = 7  # words
_LONGEST_NAME = 60  # letters
_ALSO_REGIONS = frozenset({"georgia", "jersei"})  # Athens, Georgia is not Athens
_LANGUAGE_WORD = re.compile(r"\s+(?:language|мова|язык)$")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_PLACE_PREFIX = re.compile(
    r"^\s*(?:(?:м|г|гор|смт|с)\s*\.\s*|(?:м|г|місто|город|смт|село|city of|the city of)\s+)(?=\w)"
)


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
        return _shortened(_fold(unify(value)) or _printable(value))
    if (form := typed_form(value, key, said)) is not None:
        return form
    text = plain_words(value, key) or unify(value)
    if is_place(key):
        text = _without_region(_without_country(without_lead_in(text, "place")))
    elif names_language(key):
        text = _LANGUAGE_WORD.sub("", text)
    folded = _fold(text) or _printable(value)
    if len(folded) <= _LONGEST_NAME:
        folded = _main_name(folded, key)
    return _shortened(folded)


def _shortened(folded: str) -> str:
    if len(folded) <= _MAX_LENGTH:
        return folded
    digest = hashlib.blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{folded[: _MAX_LENGTH - len(digest) - 1]}~{digest}"


def untyped(value: str, key: str | None = None) -> str:
    """The form that a value had before its kind counted; what people had forgotten then is known by it still."""
    text = unify(value)
    if key is not None and is_place(key):
        text = _without_country(text)
    elif key is not None and names_language(key):
        text = _LANGUAGE_WORD.sub("", text)
    folded = _fold(text) or _printable(value)
    kinds = ("country", "city") if is_place(key or "") else ("language",) if names_language(key or "") else ()
    names = (name for kind in kinds if (name := _main_names()[kind].get(folded)))
    return _shortened(next(names, folded) if len(folded) <= _LONGEST_NAME else folded)


def shows_nothing(value: str) -> bool:
    """Tell whether a value's canonical form is empty: white space and invisible characters alone."""
    if _LETTER.search(value):
        return False
    text = unify(value)
    return not any(map(str.isalnum, text)) and not (_fold(text) or _printable(value))


def _main_name(folded: str, key: str) -> str:
    """The name in English of a country, city or language under a key that says it is one: Відень is Vienna."""
    if is_place(key) and (main := _big_places().get(folded)) is not None:
        return main.name
    kinds = ("country", "city") if is_place(key) else ("language",) if names_language(key) else ()
    return next((name for kind in kinds if (name := _main_names()[kind].get(folded))), folded)


def _fold(text: str) -> str:
    if _PLAIN.fullmatch(text):
        words = text.replace(",", "").split()
        number = words.pop() if words[-1].isdecimal() else ""  # its own skeleton, and not worth a place in the cache
        return "".join(map(skeleton, words)) + number
    text = _CONTROL.sub(" ", text)
    pieces: list[str] = []
    last_kind = ""  # the kind of the piece before: letters, digits, other, or none yet
    word = ""  # the piece before, when it is letters
    gap = ""  # the separators since
    for token in _TOKEN.finditer(text):
        kind, piece = str(token.lastgroup), token[0]
        if kind == "gap" or (kind == "other" and _is_separator(piece)):
            gap += piece
            continue
        if len(gap) > 1:
            pieces.append(_suffix_mark(word, gap))
        if kind == "digits" and last_kind == "digits":
            pieces.append(_between_digits(gap))
        elif kind == "digits" and gap == "-" and word in _SIGNED_ZONES:
            pieces.append(gap)
        else:
            pieces.append(_prefix_mark(last_kind, gap, _PREFIX_MARKS[kind]))
        pieces.append(skeleton(piece) if kind == "letters" else "and" if piece == "&" else piece)
        last_kind, word, gap = kind, piece if kind == "letters" else "", ""
    pieces.append(_suffix_mark(word, gap))
    # Nothing but punctuation: exact, or "?!" and "..." would be one value.
    return "".join(pieces) or _printable(text)


def _printable(text: str) -> str:
    return "".join(filter(str.isprintable, INVISIBLE.sub("", text))).replace(" ", "")


@lru_cache(maxsize=1024)
def _is_separator(character: str) -> bool:
    """Tell whether a character only parts words; symbols, emoji, marks and unknown characters mean something."""
    category = unicodedata.category(character)
    if category[0] == "P":
        return character not in "#%@&‰‱"
    return category[0] in "ZC" and not (category in {"Cs", "Co", "Cn"} or "\U000e0020" <= character <= "\U000e007f")


def _between_digits(gap: str) -> str:
    """Keep what separates two numbers, but not the spaces around it: 10 : 30 is 10:30."""
    return _AROUND_SEPARATOR.sub(r"\1", " ".join(gap.split()) or " ")


def _prefix_mark(last_kind: str, gap: str, marks: str) -> str:
    """Return the mark that belongs to what follows: the minus of -5, the dot of .NET or .5."""
    is_mark = gap[-1:] in {*marks} and gap[-2:-1] != gap[-1:]
    return gap[-1] if is_mark and (len(gap) > 1 or last_kind not in {"letters", "digits"}) else ""


def _suffix_mark(word: str, gap: str) -> str:
    """Return the mark that belongs to the letter before: the minus of blood type A-, the star of A*."""
    if 0 < len(word) <= 2 and gap[:1] in {"-", "*"} and (len(gap) == 1 or gap[1] not in "-*"):
        return gap[0]
    return ""


@lru_cache(maxsize=1)
def _countries() -> dict[str, str]:
    """Map every name of a country, folded, to its first name, so that Україна and Ukraine are one value."""
    countries: dict[str, str] = {}
    for _, names in _rows("countries"):
        for name in names:
            countries.setdefault(_fold(unify(name)), names[0].lower())
    return countries


@lru_cache(maxsize=1)
def _main_names() -> dict[str, dict[str, str]]:
    """Map, by kind, every name of a country, language or city, folded, to its main one: Wien and 維也納 are Vienna.

    Read when a place or a language is first folded; that takes a few milliseconds.
    """
    main_names: dict[str, dict[str, str]] = {"country": {}, "language": {}, "city": {}}
    for head, names in _rows("names"):
        kind, _, main_name = head.partition(" ")
        main_names[kind] |= dict.fromkeys((main_name, *names), main_name)
    return main_names


class _Place(NamedTuple):
    name: str
    regions: frozenset[str]


@lru_cache(maxsize=1)
def _big_places() -> dict[str, _Place]:
    """Map the names of big places, folded, to the main one and to the regions that add nothing to it."""
    places: dict[str, _Place] = {}
    for head, names in read_table("places").items():
        variants, _, regions = " ".join(names).partition("~")
        main = _fold(unify(head.replace("_", " ")))
        main = _main_names()["city"].get(main, main)
        folded = [_fold(unify(name.replace("_", " "))) for name in (head, *variants.split())]
        big_place = _Place(main, frozenset(_fold(unify(name.replace("_", " "))) for name in regions.split()))
        places.update(dict.fromkeys([main, *folded], big_place))
    return places


def _without_region(text: str) -> str:
    """Drop the region after a big place that it belongs to: New York, NY; of others it tells which one it is."""
    city, *qualifiers = [part.strip() for part in text.split(",")]
    if not qualifiers or (big_place := _big_places().get(_fold(city))) is None:
        return text
    return city if all(_fold(part) in big_place.regions for part in qualifiers) else text


def _rows(table: str) -> Iterator[tuple[str, list[str]]]:
    """Yield of each line of a table what stands before the tab, and the names behind it."""
    for line in files("zgadka.text").joinpath(f"data/{table}.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            head, _, names = line.partition("\t")
            yield head, names.split("|")


def _is_country(folded: str) -> bool:
    return folded in _countries() or (folded not in _ALSO_REGIONS and folded in _main_names()["country"])


def _without_country(text: str) -> str:
    text = _PLACE_PREFIX.sub("", _FLAG.sub("", text).strip() or text, count=1)
    parts = [part for part in (part.strip() for part in _PLACE_PART.split(text)) if part]
    while len(parts) > 1 and _is_country(_fold(parts[-1])):
        parts.pop()
    if len(parts) != 1:
        return ", ".join(parts)
    return _countries().get(_fold(parts[0])) or _without_country_word(parts[0])


def _without_country_word(text: str) -> str:
    """Drop a country that follows without a comma ("Kyiv Ukraine"), unless both together are one name."""
    words = text.split()
    for start in range(max(1, len(words) - _LONGEST_COUNTRY), len(words)):
        if words[start - 1] not in read_words("name_parts") and _fold(" ".join(words[start:])) in _countries():
            return " ".join(words[:start])
    return text
