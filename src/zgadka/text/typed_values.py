"""Read values as what they are: dates, numbers with units, ages, places, people, languages, yes and no, common words.

What a value is, its key says, and where no key does, its form. Each sort has a form of its own in capital letters,
which no text folds to, so that 30 years are no text "30". What cannot be read so is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from functools import cache

from zgadka.text.folding import skeleton, unify
from zgadka.text.keys import Kind, key_of, normalise_key
from zgadka.text.quantities import read_quantity
from zgadka.text.word_lists import read_heads, read_table
from zgadka.text.written_day import read_day

_LONGEST = 120
_DIGIT = re.compile(r"\d")
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?::\d\d)? ?(?P<half>[^\W\d_.]+(?:\.[^\W\d_]\.?)?)?")
_ZONE = re.compile(r"(?:utc|gmt)\s*(?:(?P<sign>[+-])\s*(?P<hour>\d{1,2})(?::?(?P<minute>\d\d))?)?")
_PHONE = re.compile(r"\+?[\d ().-]+")
_FEWEST_DIGITS = 6
_ONLY_MARKS = re.compile(r"[-?.\u2010-\u2015_/\u2026\s]+")
_TITLE = re.compile(r"^(?:mr|mrs|ms|miss|dr|prof|пан|пані|др|проф)\b\.?\s+")
_SHORTEST_PLURAL = 4
_AGE = re.compile("AGE:(\\d+)")
_NAME_WORDS = 3
_YEAR = 365.25
_TALLEST = 3  # metres: a height of 1.8 is no centimetres


def typed_form(value: str, key: str, said_on: date | None = None) -> str | None:
    """The form that all ways to write a value of this key share; None where it is text.

    Args:
        said_on: When it was said: "yesterday" is a day only then.
    """
    if len(value) > _LONGEST:
        return None
    key_info = key_of(key)
    if key_info.takes_none and key_info.kind != "number" and says_none(value, key):
        return "NONE:"
    read = _READERS.get(key_info.kind) or (_by_form if key_info.kind == "text" else _count)
    return read(value, said_on)


def plain_words(value: str, key: str) -> str | None:
    """What a value of this key says in its main words, unified; None where it is as it is."""
    kind = key_of(key).kind
    write = _WRITERS.get(kind) if len(value) <= _LONGEST else None
    return None if write is None else write(unify(value).strip(" .!"))


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


def is_same_age(form: str, said_on: date, other_form: str, other_said_on: date) -> bool | None:
    """Whether one birthday makes two ages true, each when it was said; None where they are no ages.

    Args:
        form: A canonical form, as `other_form`.
    """
    ages = _AGE.fullmatch(form), _AGE.fullmatch(other_form)
    if ages[0] is None or ages[1] is None:
        return None
    (earliest, latest), (other_earliest, other_latest) = (
        _born(int(ages[0][1]), said_on),
        _born(int(ages[1][1]), other_said_on),
    )
    return max(earliest, other_earliest) <= min(latest, other_latest)


def is_age(canonical: str) -> bool:
    """Whether it is how old somebody is, which is true for a time after it was said."""
    return _AGE.fullmatch(canonical) is not None


def age_at(canonical: str, said_on: date, today: date) -> int | None:
    """How old somebody is about today who was so old then; None: as old, as far as is known, or it is no age."""
    match = _AGE.fullmatch(canonical)
    days = (today - said_on).days
    return int(match[1]) + round(days / _YEAR) if match is not None and days >= int(_YEAR) else None


def _born(age: int, said_on: date) -> tuple[date, date]:
    """The first and the last day of birth of whom is so old on that day."""
    return _years_before(said_on, age + 1, days=1), _years_before(said_on, age)


def _years_before(day: date, years: int, days: int = 0) -> date:
    year = max(day.year - years, 1)
    leap = (day.month, day.day) == (2, 29)
    earlier = day.replace(year=year, day=28) if leap else day.replace(year=year)
    return date.fromordinal(min(earlier.toordinal() + days, date.max.toordinal()))


def _by_form(value: str, said_on: date | None) -> str | None:
    """What a value under a key that says nothing looks like: a whole number, a measure, a date, a time of day."""
    if not _DIGIT.search(value):
        plain = unify(value).strip(" .!")
        return _boolean(value, said_on) if " " not in plain and plain in _words_of_truth() else _in_words(plain)
    if (day := read_day(value, said_on, None)) is not None and (day.month is not None):
        return f"DATE:{day}"
    return _clock(value, said_on, is_bare=False) or _amount(value, said_on)


def _in_words(plain: str) -> str | None:
    """A number, or one of something, in words."""
    if plain.count(" ") > _NAME_WORDS or re.split("[ -]", plain)[0] not in _number_words() or plain in ("a", "an"):
        return None
    quantity = read_quantity(plain)
    return None if quantity is None else str(quantity)


@cache
def _number_words() -> frozenset[str]:
    return frozenset((*read_heads("numbers"), "півроку", "півгодини", "полгода"))


def _amount(value: str, said_on: date | None) -> str | None:
    del said_on
    quantity = read_quantity(value)
    if quantity is None or (not quantity.of and not _is_whole(value)):
        return None
    return str(quantity)


def _is_whole(value: str) -> bool:
    """Whether a number counts: 007 and 3.10 are names of something."""
    digits = _DIGIT.search(value)
    return digits is None or (value.strip().isdecimal() and (value.strip()[0] != "0" or value.strip() == "0"))


def _count(value: str, said_on: date | None) -> str | None:
    """How many there are, where a key's values are what they are called: two children."""
    del said_on
    plain = unify(value).strip(" .!")
    is_count = plain.isdecimal() and _is_whole(plain)
    return f":{plain}" if is_count else _in_words(plain) if plain in _number_words() else None


def _number(value: str, said_on: date | None) -> str | None:
    del said_on
    plain = unify(value).strip(" .!")
    quantity = read_quantity(plain) or read_quantity(plain.split(" ")[0])  # two children
    return None if quantity is None or quantity.of else str(quantity)


def _measure(of: str, unit: str) -> Callable[[str, date | None], str | None]:
    def read(value: str, said_on: date | None) -> str | None:
        del said_on
        quantity = read_quantity(value)
        if quantity is not None and not quantity.of:
            is_metres = unit == "cm" and quantity.value < _TALLEST
            quantity = read_quantity(value, "m" if is_metres else unit)
        return str(quantity) if quantity is not None and quantity.of == of else None

    return read


def _age(value: str, said_on: date | None) -> str | None:
    del said_on
    quantity = read_quantity(without_lead_in(unify(value), "age"), "year")
    if quantity is None or quantity.of != "MONTHS":
        return None
    years, months = divmod(quantity.value, 12)
    return str(quantity) if months else f"AGE:{years:f}"


def _date(value: str, said_on: date | None) -> str | None:
    day = read_day(value, said_on, None)
    return None if day is None else f"DATE:{day}"


def _clock(value: str, said_on: date | None, *, is_bare: bool = True) -> str | None:
    del said_on
    match = _CLOCK.fullmatch(without_lead_in(unify(value), "clock") if is_bare else unify(value).strip())
    if match is None or (match["minute"] is None and not match["half"]):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"] is None:
        return f"CLOCK:{hour:02}:{minute:02}" if hour < 24 and minute < 60 and ":" in value else None
    half = next(iter(read_heads("truth").get(match["half"].replace(".", ""), ())), "")
    if half not in ("am", "pm") or not 1 <= hour <= 12:
        return None
    return f"CLOCK:{hour % 12 + 12 * (half == 'pm'):02}:{minute:02}"


def _zone(value: str, said_on: date | None) -> str | None:
    del said_on
    match = _ZONE.fullmatch(unify(value).strip())
    if match is None:
        return None
    return f"ZONE:{match['sign'] or '+'}{int(match['hour'] or 0)}:{match['minute'] or '00'}"


def _phone(value: str, said_on: date | None) -> str | None:
    del said_on
    plain = unify(value).strip()
    digits = re.sub(r"\D", "", plain)
    if not _PHONE.fullmatch(plain) or len(digits) < _FEWEST_DIGITS:
        return None
    is_whole = plain.startswith(("+", "00"))
    return f"PHONE:{'+' if is_whole else ''}{digits.removeprefix('00') if plain.startswith('00') else digits}"


def _boolean(value: str, said_on: date | None) -> str | None:
    del said_on
    heads = read_heads("truth").get(unify(value).strip(" .!"), ())
    return next((f"TRUTH:{head}" for head in heads if head in ("yes", "no")), None)


@cache
def _words_of_truth() -> frozenset[str]:
    return frozenset(word for head in ("yes", "no") for word in read_table("truth")[head] if not word.isdecimal())


def _language(plain: str) -> str | None:
    """The language that a code stands for."""
    code = plain.replace("_", "-").split("-")[0]
    names = read_heads("language_codes").get(code)
    return names[0] if names is not None and plain in (code, f"{code}{plain[len(code) : len(code) + 3]}") else None


def _person(plain: str) -> str | None:
    """A name without titles, of two or three words in whatever order: a surname may come first."""
    plain = _TITLE.sub("", plain)
    words = plain.replace(",", " ").split()
    if len(words) > _NAME_WORDS or not all(word.replace("-", "").isalpha() for word in words):
        return plain
    return " ".join(sorted(words, key=skeleton))


def _common(kind: Kind) -> Callable[[str], str | None]:
    table = "companies" if kind == "company" else "same_values"

    def write(plain: str) -> str | None:
        main_words = _main_words(table)
        plain = without_lead_in(plain, kind)
        if (main := main_words.get(_joined(plain))) is not None or kind == "company":
            return main or plain
        words = [_masculine(_singular(word)) if kind == "role" else _singular(word) for word in plain.split()]
        return main_words.get(_joined(" ".join(words))) or " ".join(words)

    return write


def without_lead_in(plain: str, kind: str) -> str:
    """The value without what it may begin or end with and say nothing by it, as long as something is left."""
    plain = plain.strip(" .!")
    for lead in _lead_ins(kind):
        if plain.startswith(lead) and len(plain) > len(lead):
            plain = plain[len(lead) :]
            break
    for end in _lead_ins(f"{kind}_after"):
        remainder = plain.rstrip(" .").removesuffix(end.strip())
        if remainder != plain.rstrip(" .") and remainder.endswith((" ", ", ")) and remainder.strip(" ,"):
            return remainder.strip(" ,")
    return plain


@cache
def _lead_ins(kind: str) -> tuple[str, ...]:
    texts = (text.replace("_", " ") + " " for text in read_table("lead_ins").get(kind, ()))
    return tuple(sorted(texts, key=len, reverse=True))


def _singular(word: str) -> str:
    """An English noun in its singular, and Ukrainian words as they are."""
    if not word.isascii() or not word.isalpha() or len(word) < _SHORTEST_PLURAL or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word.removesuffix("s")


def _masculine(word: str) -> str:
    """The word for a man, of a Ukrainian one for a woman: програмістка is програміст."""
    for ending, masculine_ending in (
        ("анка", "анець"),
        ("иця", "ик"),
        ("истка", "ист"),
        ("істка", "іст"),
        ("арка", "ар"),
    ):
        if word.endswith(ending):
            return word.removesuffix(ending) + masculine_ending
    for ending in ("телька", "торка", "сорка", "дентка", "нтка", "герка", "ерка", "логиня"):
        if word.endswith(ending):
            return word.removesuffix(ending) + ending.removesuffix("ка").removesuffix("иня")
    return word


def _joined(plain: str) -> str:
    return "".join(skeleton(part) if part.isalpha() else part for part in re.findall(r"[^\W\d_]+|[\d+#/]", plain))


@cache
def _main_words(table: str) -> dict[str, str]:
    words: dict[str, str] = {}
    for main, variants in read_table(table).items():
        for text in (main, *variants):
            words.setdefault(_joined(unify(text.replace("_", " "))), main)
    return words


_READERS: dict[Kind, Callable[[str, date | None], str | None]] = {
    "date": _date,
    "age": _age,
    "clock": _clock,
    "zone": _zone,
    "phone": _phone,
    "number": _number,
    "amount": _amount,
    "length": _measure("LENGTH", "cm"),
    "mass": _measure("MASS", "kg"),
    "boolean": _boolean,
}
_WRITERS: dict[Kind, Callable[[str], str | None]] = {
    "language": _language,
    "person": _person,
    "thing": _common("thing"),
    "role": _common("role"),
    "company": _common("company"),
}
