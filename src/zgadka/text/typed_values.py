"""Read values as what they are: dates, numbers with units, ages, places, people, languages, yes and no, common words.

What a value is, its key says, and where no key does, its form. Each sort has a form of its own in capital letters,
which no text folds to, so that 30 years are no text "30". What cannot be read so is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from zgadka.text.amounts import read_amount
from zgadka.text.body import read_blood, read_size
from zgadka.text.common_words import common_form, known_form, main_word, named_thing, singular
from zgadka.text.contacts import read_address, read_handle, read_phone
from zgadka.text.folding import unify
from zgadka.text.keys import Kind, key_of, normalise_key
from zgadka.text.languages import read_language
from zgadka.text.places import country_of_people, known_place, place_form
from zgadka.text.quantities import number_words, read_nth, read_quantity, unit_named
from zgadka.text.schedule import read_clock, read_schedule
from zgadka.text.value_folding import fold_name, fold_value
from zgadka.text.word_lists import read_heads, read_table
from zgadka.text.written_day import read_day, read_days
from zgadka.text.zones import read_zone

_LONGEST, _LONGEST_SHORT = 120, 60
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W_]+")
_DENYING = frozenset({"not", "no", "without"})
_ONLY_MARKS = re.compile(r"[-?.\u2010-\u2015_/\u2026\s]+")
_PRESSURE = re.compile(r"(\d{2,3}) ?(?:/|на|over) ?(\d{2,3})")
_CLOCK_DIGITS = re.compile(r"([01]?\d|2[0-3])-?([0-5]\d)")
_SIDES = re.compile(r"(\d+) ?[x×х*] ?(\d+)(?: ?[x×х*] ?(\d+))?")
_DAY_OF_MONTH = re.compile(r"(\d\d?)\.(\d\d?)\.?")
_SOFT_E = re.compile("^(?:[yi]e|є)")
_TITLE = re.compile(r"^(?:д-р|mr|mrs|ms|miss|dr|prof|doctor|professor|пан|пані|др|проф|доктор|професор)\b\.?\s+")
_ROMAN = re.compile("(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_LATIN = str.maketrans("іхс", "ixc")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_AGE = re.compile("AGE:(\\d+)")
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[ ,]\d{3})+|\d+(?:[.,]\d+)? ?[^\W\d_]{1,8}")
_LASTS = re.compile("(?:річ|місяч|тижне|ден|годин|хвилин)")
_OF_MONTH = re.compile(r" (?:day )?of (?:the|each|every) month$| (?:числа|число|дня)?(?: ?(?:кожного|щомісяця|місяця|monthly|every month))*$")
_BELOW_ONE = re.compile(r":(0\.\d+)")
_YEARS_OLD = re.compile(r"(?P<number>\d+|[^\W\d_]+(?:[- ][^\W\d_]+)?)[- ]?(?:year|yr)s?[- ]olds?|(?P<adjective>\d+)[- ]?річн\w{1,3}")
_GLUED = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[^\W\d_])(?=\d)")
_HAS_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_DECADE = re.compile(r"\d{2,4}-?(?:s|ті|х|тих|их|е)")
_NAME_WORDS = 4
_NO_SPANS = frozenset({"second", "sec", "min", "sat", "mon"})
_SHORTEST_SPAN, _SHORTEST_MONTH = 3, 4  # letters
_YEAR = 365.25
_TALLEST = 3  # metres: a height of 1.8 is no centimetres


class _Value(NamedTuple):
    """A value of a fact: as it is written, unified, its key, and the day on which it was said."""

    text: str
    plain: str
    key: str
    said_on: date | None


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
    plain = _unquoted(unify(value))
    if not plain:
        return None
    return _READERS.get(key_info.kind, _count)(_Value(value, plain, key, said_on))


def worded_form(value: str, key: str) -> str | None:
    """The form of a value of this key by its main words; None where it is as it is."""
    kind = key_of(key).kind
    write = _WRITERS.get(kind, _text) if len(value) <= _LONGEST else None
    plain = _unquoted(unify(value))
    return None if write is None or not plain else write(without_lead_in(plain, kind))


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


def _by_form(value: _Value) -> str | None:
    """What a value under a key that says nothing looks like: a number, a measure, a date, a time, an address."""
    plain = value.plain
    if len(plain) > _LONGEST_SHORT:
        return None
    has_digit = _DIGIT.search(plain) is not None
    if has_digit and (days := _days_of_month(plain)) is not None:
        return days
    if not has_digit and (answer := _boolean(value)) is not None:
        return answer
    if (schedule := read_schedule(plain)) is not None:
        return schedule
    if has_digit:
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
    elif (day := read_day(plain)) is not None and len(plain) > _SHORTEST_MONTH:
        return f"DATE:{day}"
    elif value.said_on is not None and (day := read_day(plain, value.said_on, None)) is not None and day.day is not None:
        return f"DATE:{day}"
    if "." in plain and (address := read_address(value.text)) is not None:
        return address
    if plain[0] == "+" and (phone := read_phone(plain, is_certain=False)) is not None:
        return phone
    if plain.startswith(("utc", "gmt")) and (zone := read_zone(plain)) is not None:
        return zone
    return _amount(value) if has_digit else _in_words(value)


def _in_words(value: _Value) -> str | None:
    """A number, or one of something, in words."""
    plain = value.plain
    plain = without_lead_in(plain, "amount")
    unit = unit_named(plain)
    if unit is not None and unit.of in ("MONTHS", "SECONDS") and len(plain) >= _SHORTEST_SPAN and plain not in _NO_SPANS:
        return f"{unit.of}:{unit.factor.normalize():f}"
    if (nth := read_nth(plain)) is not None:
        return f":{nth}"
    if (days := _days_of_month(plain)) is not None:
        return days
    if plain in ("a", "an") or not (plain.startswith("пів") or _LASTS.search(plain)) and not _number_words().intersection(re.split("[ -]", plain)):
        return None
    form = read_amount(plain)
    return None if form is None else _part(form) or form


def _days_of_month(plain: str) -> str | None:
    """Days of each month: the 25th, 25-го числа, 1st and 15th of every month, last Friday of the month."""
    bare = _OF_MONTH.sub("", without_lead_in(plain, "day_of_month"))
    first, _, day = bare.partition(" ")
    which = "last" if main_word(first) == "last" else read_nth(first)
    if bare != plain and which and (day in ("day", "день") or (read_schedule(day) or "")[9:].isdecimal()):
        return f"SCHEDULE:{which} {'day' if day in ('day', 'день') else (read_schedule(day) or '')[9:]}"
    days = [int(part) if part.isdecimal() and bare != plain else read_nth(part.removeprefix("the ")) for part in _LIST.split(bare)]
    return None if None in days or (bare == plain and len(days) < 2) else f":{'+'.join(map(str, days))}"


def _part(form: str) -> str | None:
    """A part of a whole, as percents: half, 2/3."""
    match = _BELOW_ONE.fullmatch(form)
    return None if match is None else f"PERCENT:{round(Decimal(match[1]) * 100, 2).normalize():f}"


@cache
def _number_words() -> frozenset[str]:
    return frozenset((*number_words(), "півроку", "півгодини", "півдня", "полгода"))


def _amount(value: _Value) -> str | None:
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


def _count(value: _Value) -> str | None:
    """How many there are, where a key's values are what they are called: two children; when somebody came to a place."""
    plain = value.plain
    if key_of(value.key).kind == "place" and (days := read_days(plain, value.said_on)) is not None:
        return f"DATE:{days}"
    is_count = plain.isdecimal() and _may_count(plain)
    return f":{int(plain)}" if is_count else _in_words(value) if plain in _number_words() else None


def _number(value: _Value) -> str | None:
    """How many, or which one of several, whatever is counted: two children, 9th floor, IX."""
    plain = value.plain
    bare = without_lead_in(plain, "number")
    if _ROMAN.fullmatch(bare.translate(_LATIN)):
        return f":{_roman(bare.translate(_LATIN))}"
    if (form := read_amount(plain)) is not None:
        return form
    first = plain.partition(" ")[0]
    if {"no", "without"}.intersection(read_heads("truth").get(first, ())):
        return ":0"
    if (nth := read_nth(bare)) is not None:
        return f":{nth}"
    quantity = read_quantity(bare) or (read_quantity(first) if plain.removeprefix(first).replace(" ", "").isalpha() else None)
    return _by_form(value) if quantity is None or quantity.of else str(quantity)


def _roman(plain: str) -> int:
    digits = [_ROMAN_DIGITS[letter] for letter in plain]
    return sum(-digit if digit < max(digits[at + 1 :], default=0) else digit for at, digit in enumerate(digits))


def _measure(of: str, unit: str) -> Callable[[_Value], str | None]:
    def read(value: _Value) -> str | None:
        quantity = read_quantity(value.text)
        if quantity is not None and not quantity.of:
            is_metres = unit == "cm" and quantity.value < _TALLEST
            quantity = read_quantity(value.text, "m" if is_metres else unit)
        if quantity is not None and quantity.of == of:
            return str(quantity)
        form = read_amount(value.plain)
        return form if form is not None and of in form else None

    return read


def _age(value: _Value) -> str | None:
    plain = re.sub(r"(?<= )m$", "months", without_lead_in(_GLUED.sub(" ", value.plain), "age"))
    if match := _YEARS_OLD.fullmatch(plain):
        plain = match["number"] or match["adjective"]
    quantity = read_quantity(plain, "year")
    if quantity is None:
        form = read_amount(plain, "year")
        return form if form is not None and "MONTHS:" in form else None
    if quantity.of not in ("MONTHS", "SECONDS"):
        return None
    years, months = divmod(quantity.value, 12)
    return str(quantity) if months or quantity.of != "MONTHS" else f"AGE:{years:f}"


def _date(value: _Value) -> str | None:
    if (match := _DAY_OF_MONTH.fullmatch(value.plain)) and 1 <= int(match[2]) <= 12 and 1 <= int(match[1]) <= 31:
        return f"DATE:-{int(match[2]):02}-{int(match[1]):02}"
    days = read_days(value.text, value.said_on)
    return f"DATE:{days}" if days is not None else _by_form(value)


def _clock(value: _Value) -> str | None:
    if match := _CLOCK_DIGITS.fullmatch(value.plain):
        return f"CLOCK:{int(match[1]):02}:{match[2]}"
    return read_clock(value.plain) or _by_form(value)


def _zone(value: _Value) -> str | None:
    return read_zone(value.plain)


def _phone(value: _Value) -> str | None:
    return read_phone(value.text)


def _mail_or_page(value: _Value) -> str | None:
    return read_address(value.text, is_certain=True)


def _handle(value: _Value) -> str | None:
    return read_phone(value.text) or read_handle(value.text)


def _blood(value: _Value) -> str | None:
    return read_blood(value.plain)


def _size(value: _Value) -> str | None:
    form = read_amount(value.plain)
    size = read_size(value.plain)
    return f"SIZE{form}" if size is None and form is not None and form[0] == ":" else size or form


def _currency(value: _Value) -> str | None:
    unit = unit_named(value.plain)
    return None if unit is None else f"UNIT:{unit.factor.normalize():f} {unit.of}"


def _boolean(value: _Value) -> str | None:
    """Yes or no, in a word or by saying the key again: owns a car, не палить."""
    heads = read_heads("truth").get(value.plain.replace(" ", "_"), ())
    if answer := next((head for head in heads if head in ("yes", "no")), None):
        return f"TRUTH:{answer}"
    words = _WORD.findall(value.plain.replace("non-", "not "))
    kinds = [read_heads("truth").get(word, ()) for word in words]
    is_denied = any(not _DENYING.isdisjoint(kind) for kind in kinds)
    left = {main_word(word) or singular(word) for word, kind in zip(words, kinds, strict=True) if not kind}
    subject = {main_word(word) or singular(word) for word in value.key.split("_")}
    if not subject.issuperset(left):
        inside = {main_word(word.removeprefix("не")) for word in words if word.startswith("не")}
        if not inside or len(left) != 1 or not subject.issuperset(inside):
            return None
        is_denied = not is_denied
    is_said = (left and is_denied) or key_of(value.key).kind == "boolean"
    is_mixed = is_denied and any("yes" in kind for kind in kinds)
    return None if not is_said or is_mixed or not kinds else f"TRUTH:{'no' if is_denied else 'yes'}"


def _nationality(plain: str) -> str | None:
    """The country of a people, by its name, those who live there or what is from there."""
    plain = without_lead_in(plain, "nationality")
    names = [country_of_people(name) or place_form(name) for name in _LIST.split(plain)]
    return "+".join(sorted(names))


_LIST = re.compile(r" *[,;/&] *| (?:and|та|і|й|и) ")


_KIN = frozenset("brother sister mother father son daughter uncle aunt cousin nephew niece grandmother grandfather child male female twin baby parent".split())


def _street(plain: str) -> str:
    """An address: its words in whatever order, and its numbers in theirs."""
    words = re.findall(r"[^\W\d_]+|\d+", plain)
    heads = (next(iter(read_heads("addresses").get(word, ())), word) for word in words if not word.isdecimal())
    named = sorted(fold_name(fold_value(head)) for head in heads if head != "number")
    return " ".join((*named, *filter(str.isdecimal, words)))


def _person(plain: str) -> str:
    """A name without titles, of two or three words in whatever order, as its transliterations share it."""
    plain = without_lead_in(_TITLE.sub("", plain), "person")
    if not _KIN.isdisjoint((form := known_form(plain) or "").split()):
        return _folded(form)
    if (name := named_thing(plain, "titles") or _ruler(plain)) is not None:
        return _folded(name)
    several = re.split(r" *[&+] *| (?:and|та|і|й|и) ", plain)
    if len(several) > 1:
        names = sorted(map(_person, several))
        return "".join(names) if all(map(str.isalpha, "".join(several).replace(" ", "~"))) else "+".join(names)
    words = [_SOFT_E.sub("e", word).replace("ьо", "ио") for word in re.split(r"[\s,.-]+", plain.strip(" ,."))]
    if len(words) > _NAME_WORDS or not all(map(str.isalpha, words)):
        return fold_value(plain)
    return "".join(fold_name(word) for word in sorted(map(fold_value, words)))


def _thing(plain: str) -> str:
    return _folded(common_form(plain))


def _role(plain: str) -> str:
    return _folded(common_form(plain, is_role=True))


def _look(plain: str) -> str:
    return {"lightblue": "blue"}.get(form := _thing(plain), form)


def _text(plain: str) -> str | None:
    """What a text says whose words are all known, or that names a country or a big city."""
    if len(plain) > _LONGEST_SHORT:
        return None
    if (ruler := _ruler(plain)) is not None or (form := known_form(plain)) is not None:
        return _folded(ruler or form or "")
    return named_thing(plain, "titles") or named_thing(plain, "companies") or known_place(plain)


def _company(plain: str) -> str:
    """A company or another place of work, in its kind where that says which it is: school No. 12."""
    plain = _NUMBER_SIGN.sub("", plain)
    if (name := named_thing(plain, "companies") or main_word(plain)) is not None:
        return fold_value(name)
    form = common_form(plain)
    return fold_value(plain) if _INSTITUTIONS.isdisjoint(form.split()) else _folded(form)


def _title(plain: str) -> str:
    return named_thing(plain, "titles") or fold_value(_numbered(plain) or plain)


def _numbered(plain: str) -> str | None:
    """A name and which one it is, in digits: Rocky II, Henry the Eighth, Єлизавета Друга."""
    name, _, last = plain.rpartition(" ")
    roman = last.translate(_LATIN)
    number = _roman(roman) if _ROMAN.fullmatch(roman) else read_nth(last) if not last.isdecimal() else int(last)
    if not name or number is None or not name.replace(" ", "").isalpha():
        return None
    return f"{name.removesuffix(' the')} {number}"


def _ruler(plain: str) -> str | None:
    """A name with which of several it is in words or Roman digits, in whatever language."""
    if plain[-1].isdecimal() or (numbered := _numbered(plain)) is None:
        return None
    name, _, number = numbered.rpartition(" ")
    return f"{main_word(name) or fold_name(fold_value(name))} {number}"


def _place(plain: str) -> str:
    """A place; of what has a word for its kind, its words: Lake Como."""
    if " " in plain and known_place(plain) is None and not _LANDSCAPES.isdisjoint((form := common_form(plain)).split()):
        return _folded(form)
    return place_form(plain)


_NUMBER_SIGN = re.compile(r"№ ?|\bno\.? ?(?=\d)|#(?=\d)")
_INSTITUTIONS = frozenset("school hospital university college kindergarten library bank shop cafe restaurant church museum".split())
_LANDSCAPES = frozenset("north south east west lake river mountain sea ocean island falls castle fortress park church museum tower".split())


def _folded(form: str) -> str:
    return "+".join(fold_value(part) for part in form.split("+")) if "+" in form.strip("+") else fold_value(form)


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


_READERS: dict[Kind, Callable[[_Value], str | None]] = {
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
    "boolean": lambda value: _boolean(value) or _by_form(value),
    "blood": _blood,
    "size": _size,
    "currency": _currency,
}
_WRITERS: dict[Kind, Callable[[str], str | None]] = {
    "text": _text,
    "look": _look,
    "language": read_language,
    "person": _person,
    "place": _place,
    "address": _street,
    "nationality": _nationality,
    "thing": _thing,
    "role": _role,
    "company": _company,
    "title": _title,
}
