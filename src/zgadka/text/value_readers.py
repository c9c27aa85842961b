"""Read a value by the kind that its key says, or by its form: a date, a measure, a time, an address, yes or no."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from zgadka.text.amounts import read_amount
from zgadka.text.body import read_blood, read_size
from zgadka.text.common_words import main_word, singular
from zgadka.text.contacts import read_address, read_handle, read_phone
from zgadka.text.keys import Kind, key_of
from zgadka.text.lead_ins import without_lead_in
from zgadka.text.quantities import Quantity, nth_words, number_words, read_nth, read_quantity, read_roman, unit_named
from zgadka.text.schedule import read_clock, read_schedule
from zgadka.text.word_lists import read_entry, read_heads, read_table
from zgadka.text.written_day import read_day, read_days
from zgadka.text.zones import read_zone

_LONGEST, _FEW = 60, 5  # letters, and words of an answer
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"[^\W\d_]+")
_LIST = re.compile(r" *[,;/&] *| (?:and|та|і|й|и) ")
_UN = re.compile("(?:не|non)(..+)")
_DENYING = frozenset({"not", "no", "without"})
_PRESSURE = re.compile(r"(\d{2,3}) ?(?:/|на|over) ?(\d{2,3})")
_CLOCK_DIGITS = re.compile(r"([01]?\d|2[0-3])-?([0-5]\d)")
_DOTTED_CLOCK = re.compile(r"(\d\d?)\.([0-5]\d)")
_SIDES = re.compile(r"(\d+) ?[x×х*] ?(\d+)(?: ?[x×х*] ?(\d+))?")
_DAY_OF_MONTH = re.compile(r"(\d\d?)\.(\d\d?)\.?")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[ ,]\d{3})+|\d+(?:[.,]\d+)? ?[^\W\d_]{1,8}")
_LASTS = re.compile("річн|місячн|тижнев|денн|годинн|хвилинн")
_OF_MONTH = re.compile(
    r" (?:day )?of (?:the|each|every) month$| (?:числа|число)?(?: ?(?:кожного|щомісяця|місяця|monthly|every month))*$"
)
_BELOW_ONE = re.compile(r":(0\.\d+)")
_YEARS_OLD = re.compile(r"(?P<number>\d+|[^\W\d_]+(?:[- ][^\W\d_]+)?)[- ]?(?:year|yr)s?[- ]olds?")
_GLUED = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_PAST = re.compile("^(за|під) ")
_HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DECADE = re.compile(r"\d{2,4}-?(?:s|ті|х|тих|их|е)")
_NO_SPANS = frozenset({"second", "sec", "min", "sat", "mon"})
_SHORTEST_SPAN, _SHORTEST_MONTH = 3, 4  # letters
_LIGHTEST = 30  # kilograms: so heavy is a person, whose weight is rounded to half of one
_TALLEST = 3  # metres: a height of 1.8 is no centimetres


class Value(NamedTuple):
    """A value of a fact: as it is written, unified, its key, and the day on which it was said."""

    text: str
    plain: str
    key: str
    said_on: date | None


def read_value(value: Value) -> str | None:
    """The form that all ways to write a value of this key share; None where it is text."""
    return _READERS.get(key_of(value.key).kind, _count)(value)


def _by_form(value: Value) -> str | None:
    """What a value under a key that says nothing looks like: a number, a measure, a date, a time, an address."""
    plain = value.plain
    if len(plain) > _LONGEST:
        return None
    if "." in plain and (address := read_address(value.text)) is not None:
        return address
    words = _WORD.findall(plain)
    has_digit = _DIGIT.search(plain) is not None
    if not has_digit and len(words) <= _FEW and (answer := _boolean(value, words)) is not None:
        return answer
    if not may_be_typed(words):
        return None
    if (form := _days_of_month(plain) or read_schedule(plain)) is not None:
        return form
    if has_digit:
        return _with_digits(value) or _amount(value)
    if (day := read_day(plain)) is not None and len(plain) > _SHORTEST_MONTH:
        return f"DATE:{day}"
    if value.said_on is not None and (day := read_day(plain, value.said_on, None)) is not None and day.day is not None:
        return f"DATE:{day}"
    return _in_words(value)


def _with_digits(value: Value) -> str | None:
    """A date, a telephone number, the offset of a time zone, sizes of two or three sides, a blood pressure."""
    plain = value.plain
    if value.key.endswith("time") and (match := _DOTTED_CLOCK.fullmatch(plain)) and int(match[1]) < 24:
        return f"CLOCK:{int(match[1]):02}:{match[2]}"
    if _DECADE.fullmatch(plain) and (days := read_days(plain)) is not None:
        return f"DATE:{days}"
    if (day := read_day(value.text, value.said_on, None)) is not None and day.month is not None:
        return f"DATE:{day}"
    if _HAS_YEAR.search(plain) and ".." in (days := read_days(plain) or ""):
        return f"DATE:{days}"
    if match := _PRESSURE.fullmatch(plain):
        return f"{match[1]}/{match[2]}"
    if match := _SIDES.fullmatch(plain):
        return f"SIDES:{'x'.join(filter(None, match.groups()))}"
    if plain[0] == "+" and (phone := read_phone(plain, is_certain=False)) is not None:
        return phone
    return read_zone(plain) if plain.startswith(("utc", "gmt")) else None


def may_be_typed(words: Sequence[str]) -> bool:
    """Whether all words of a text may be of a number, a date or the like: text has another one soon."""
    type_words = _words_of_types()
    parts = (part for word in words for part in (_LETTERS.findall(word) if not word.isalpha() else (word,)))
    return all(part in type_words or part.startswith("пів") or _LASTS.search(part) for part in parts)


@cache
def _words_of_types() -> frozenset[str]:
    tables = ("amounts", "calendar", "currencies", "schedule", "units")
    entries = [word for table in tables for words in read_table(table).values() for word in words]
    entries += [word for head in ("amount", "amount_after", "day_of_month") for word in read_entry("lead_ins", head)]
    words = {part for entry in entries for part in _LETTERS.findall(entry)}
    return frozenset((*words, *number_words(), *nth_words(), "utc", "gmt"))


def _in_words(value: Value) -> str | None:
    """A number, or one of something, in words."""
    plain = without_lead_in(value.plain, "amount")
    unit = unit_named(plain)
    if (
        unit is not None
        and unit.of in ("MONTHS", "SECONDS")
        and len(plain) >= _SHORTEST_SPAN
        and plain not in _NO_SPANS
    ):
        return f"{unit.of}:{unit.factor.normalize():f}"
    if (nth := read_nth(plain)) is not None:
        return f":{nth}"
    form = None if plain in ("a", "an") else read_amount(plain)
    return None if form is None else _part(form) or form


def _days_of_month(plain: str) -> str | None:
    """Days of each month: the 25th, 25-го числа, 1st and 15th of every month, last Friday of the month."""
    bare = without_lead_in(plain, "day_of_month")
    is_monthly = bare != (bare := _OF_MONTH.sub("", bare))
    first_word, _, day = bare.partition(" ")
    which = "last" if main_word(first_word) == "last" else read_nth(first_word)
    weekday = "day" if day in ("day", "день") else (read_schedule(day) or "").removeprefix("SCHEDULE:")
    if is_monthly and which and (weekday == "day" or weekday.isdecimal()):
        return f"SCHEDULE:{which} {weekday}"
    parts = _LIST.split(bare)
    days = [int(part) if part.isdecimal() and is_monthly else read_nth(part) for part in parts]
    return None if None in days or not (is_monthly or len(days) > 1) else f":{'+'.join(map(str, days))}"


def _part(form: str) -> str | None:
    """A part of a whole, as percents: half, 2/3."""
    match = _BELOW_ONE.fullmatch(form)
    return None if match is None else f"PERCENT:{round(Decimal(match[1]) * 100, 2).normalize():f}"


def _amount(value: Value) -> str | None:
    """A measure, a sum of money, so many of something."""
    plain = without_lead_in(value.plain, "amount")
    if key_of(value.key).kind == "amount":
        plain = re.sub(r"\bpounds?\b(?! sterling)", "gbp", plain)
    form = read_amount(plain) if _may_count(value.text.strip()) else None
    if form is None:
        return None
    if "/" in plain and (part := _part(form)) is not None:
        return part
    is_mere = form[0] == ":" or " :" in form
    counts = plain.isdecimal() or _GROUPED.fullmatch(plain) or key_of(value.key).kind == "amount"
    return None if is_mere and not counts else form


def _may_count(text: str) -> bool:
    """Whether a number counts: 007 and 3.10 are names of something."""
    return not text.isdecimal() or text[0] != "0" or text == "0"


def _count(value: Value) -> str | None:
    """How many there are, where a key's values are what they are called: two children; a day under a place's."""
    plain = value.plain
    is_place = key_of(value.key).kind == "place" and may_be_typed(_WORD.findall(plain))
    if is_place and (days := read_days(plain, value.said_on)) is not None:
        return f"DATE:{days}"
    is_count = plain.isdecimal() and _may_count(plain)
    return f":{int(plain)}" if is_count else _in_words(value) if plain in number_words() else None


def _number(value: Value) -> str | None:
    """How many, or which one of several, whatever is counted: two children, 9th floor, IX."""
    plain = value.plain
    bare = without_lead_in(plain, "number")
    if (number := read_roman(bare)) is not None:
        return f":{number}"
    if (form := read_amount(plain)) is not None:
        return form
    first_word = plain.partition(" ")[0]
    if {"no", "without"}.intersection(read_heads("truth").get(first_word, ())):
        return ":0"
    if (nth := read_nth(bare)) is not None:
        return f":{nth}"
    quantity = read_quantity(bare) or (
        read_quantity(first_word) if plain.removeprefix(first_word).replace(" ", "").isalpha() else None
    )
    return _by_form(value) if quantity is None or quantity.of else str(quantity)


def _measure(of: str, unit: str) -> Callable[[Value], str | None]:
    def read(value: Value) -> str | None:
        bare = without_lead_in(value.text.lower(), of.lower())
        quantity = read_quantity(bare)
        if quantity is not None and not quantity.of:
            is_metres = unit == "cm" and quantity.value < _TALLEST
            quantity = read_quantity(bare, "m" if is_metres else unit)
        if quantity is not None and (of, quantity.of) == ("CELSIUS", "DEGREES"):
            quantity = Quantity(of, quantity.value)
        if quantity is not None and quantity.of == of:
            is_person = of == "MASS" and quantity.value >= _LIGHTEST
            return str(Quantity(of, round(quantity.value * 2) / Decimal(2)) if is_person else quantity)
        form = read_amount(value.plain)
        return form if form is not None and of in form else None

    return read


def _age(value: Value) -> str | None:
    plain = re.sub(r"(?<= )m$", "months", _PAST.sub(_around, without_lead_in(_GLUED.sub(" ", value.plain), "age")))
    if match := _YEARS_OLD.fullmatch(plain):
        plain = match["number"]
    quantity = read_quantity(plain, "year")
    if quantity is None:
        form = read_amount(plain, "year")
        return form if form is not None and "MONTHS:" in form else None
    if quantity.of != "MONTHS":
        return str(quantity) if quantity.of == "SECONDS" else None
    years, months = divmod(quantity.value, 12)
    return f"AGE:{round(quantity.value)}M" if months else f"AGE:{years:f}"


def _around(match: re.Match[str]) -> str:
    return {"за": "over ", "під": "about "}[match[1]]


def _date(value: Value) -> str | None:
    if (match := _DAY_OF_MONTH.fullmatch(value.plain)) and 1 <= int(match[2]) <= 12 and 1 <= int(match[1]) <= 31:
        return f"DATE:-{int(match[2]):02}-{int(match[1]):02}"
    days = read_days(value.text, value.said_on) if may_be_typed(_WORD.findall(value.plain)) else None
    return f"DATE:{days}" if days is not None else _by_form(value)


def _clock(value: Value) -> str | None:
    if match := _CLOCK_DIGITS.fullmatch(value.plain):
        return f"CLOCK:{int(match[1]):02}:{match[2]}"
    return read_clock(value.plain) or _by_form(value)


def _zone(value: Value) -> str | None:
    return read_zone(value.plain)


def _phone(value: Value) -> str | None:
    return read_phone(value.text)


def _mail_or_page(value: Value) -> str | None:
    return read_address(value.text, is_certain=True)


def _handle(value: Value) -> str | None:
    return read_phone(value.text) or read_handle(value.text)


def _blood(value: Value) -> str | None:
    return read_blood(value.plain)


def _size(value: Value) -> str | None:
    form = read_amount(value.plain)
    if form is not None and form[0] != ":":
        return form
    size = read_size(value.plain)
    return f"SIZE{form}" if size is None and form is not None and form[0] == ":" else size or form


def _currency(value: Value) -> str | None:
    unit = unit_named({"pound": "gbp", "pounds": "gbp"}.get(value.plain, value.plain))
    return None if unit is None else f"UNIT:{unit.factor.normalize():f} {unit.of}"


def _yes_or_no(value: Value) -> str | None:
    return _boolean(value, _WORD.findall(value.plain)) or _by_form(value)


def _boolean(value: Value, words: Sequence[str]) -> str | None:
    """Yes or no, in a word or by saying the key again: owns a car, не палить."""
    truth = read_heads("truth")
    if answer := next((head for head in truth.get("_".join(words), ()) if head in ("yes", "no")), None):
        return f"TRUTH:{answer}"
    kinds = [truth.get(word, ()) for word in words]
    is_denied = any(not _DENYING.isdisjoint(kind) for kind in kinds)
    is_certain = key_of(value.key).kind == "boolean"
    inside = [match[1] for word in words if (match := _UN.fullmatch(word))]  # некурець
    if not (is_denied or is_certain or inside):
        return None
    other_words = {main_word(word) or singular(word) for word, kind in zip(words, kinds, strict=True) if not kind}
    subject = {main_word(word) or singular(word) for word in value.key.split("_")}
    if not subject.issuperset(other_words):
        if len(other_words) != 1 or not inside or not subject.issuperset(map(main_word, inside)):
            return None
        is_denied = not is_denied
    is_mixed = is_denied and any("yes" in kind for kind in kinds)
    return None if is_mixed or not kinds or not (other_words or is_certain) else f"TRUTH:{'no' if is_denied else 'yes'}"


_READERS: dict[Kind, Callable[[Value], str | None]] = {
    "text": _by_form,
    "date": _date,
    "age": _age,
    "clock": _clock,
    "zone": _zone,
    "phone": _phone,
    "email": _mail_or_page,
    "link": _mail_or_page,
    "handle": _handle,
    "number": _number,
    "amount": _amount,
    "length": _measure("LENGTH", "cm"),
    "mass": _measure("MASS", "kg"),
    "area": _measure("AREA", "m2"),
    "temperature": _measure("CELSIUS", "c"),
    "boolean": _yes_or_no,
    "blood": _blood,
    "size": _size,
    "currency": _currency,
}
