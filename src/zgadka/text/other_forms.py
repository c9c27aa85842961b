"""Which texts say a number, a measure, a day or a blood group in another form than its value has it.

Six foot four is 193 cm, eighteen and a half is a salary of 18,500, B- is B negative, and 811 45 09 ends 067 811 45 09.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from functools import cache, cached_property, lru_cache
from itertools import takewhile

from zgadka.text.folding import unify
from zgadka.text.keys import key_of, normalise_key
from zgadka.text.quantities import Quantity, nth_words, number_words, read_quantity
from zgadka.text.spoken_numbers import spoken_numbers
from zgadka.text.value_readers import Value, may_be_typed, read_value
from zgadka.text.word_lists import read_entry
from zgadka.text.words import split_words

_CLAUSE = re.compile(r"[.,;:!?…\n]+(?=\s|$)|\s[-\u2013\u2014]\s")
_WORD = re.compile(r"[^\W_]+")
_QUOTES = "\"'«»“”„*_~"
_LONGEST = 6
"""Words of a number with its unit."""
_FORMS = ("LENGTH:", "MASS:", "AGE:", "DATE:", "CLOCK:", "BLOOD:", "SIZE:", "MONTHS:", "CELSIUS:", "AREA:", ":")
_CURRENCY = re.compile("[A-Z]{3}:")
_RHESUS = re.compile("[+-](?!\\w)|(?<!\\w)(?:neg|pos|minus|plus|rh|негат|позит|мінус|плюс|резус|отриц|полож)")
_YEAR, _BORN, _DIGITS = re.compile(r"(?:19|20)\d\d"), re.compile(r"(?:19|20)\d\d"), 2
_SMALL = 100
"""A round number, or one below this, may count anything."""
_THOUSAND, _OMITTED_FROM = 1000, 13
"""Thousands are left out of a sum; so few of them may be anything."""
_TALL, _NEAR = Decimal("0.05"), Decimal("0.013")
"""Metres: how far from a height a mere number of metres is, and one that was converted."""
_HEAVY = 3
_OLD, _ALMOST = 15, 3
_SHORTEST_END = 4
"""Digits of the end of a telephone number that tell it."""
_PREPOSITIONS = frozenset({"in", "с"})
"""Units that mostly are none where something follows: six and a half in English."""
_DOUBLE = {"double": 2, "triple": 3, "двійко": 2}


class OtherForms:
    """A value of a key, to be found in texts that have it in other forms.

    Args:
        value: As somebody wrote it.
        key: Its key, which says what its values are.
        today: By which an age is a year of birth. None: by no day.
    """

    def __init__(self, value: str, key: str, today: date | None = None) -> None:
        self._value, self._key, self._today = value, key, today
        self._name = normalise_key(key)

    @cached_property
    def _form(self) -> str:
        unified = unify(self._value)
        return _read(unified, self._key)[0] if self._is_blood or _has_number(unified) else ""

    @property
    def _is_blood(self) -> bool:
        return key_of(self._key).kind == "blood"

    @cached_property
    def _quantity(self) -> Quantity | None:
        of, _, number = self._form.partition(":")
        return Quantity(of, Decimal(number)) if re.fullmatch(r"\d+(?:\.\d+)?", number) else None

    @cached_property
    def _phone(self) -> str:
        digits = "".join(filter(str.isdecimal, self._value))
        return digits if key_of(self._key).kind == "phone" and len(digits) > _SHORTEST_END else ""

    def are_none(self) -> bool:
        """Whether the value is no number, measure, day or the like."""
        return not (self._form or self._phone)

    def are_in(self, text: str) -> bool:
        """Whether a text says the value."""
        unified = unify(text)
        if self.are_none() or not (_RHESUS.search(unified) if self._is_blood else _has_number(unified)):
            return False
        if self._is_born_then(unified):
            return True
        if self._phone:
            return any(self._ends_phone(digits) for digits in _dictated(unified))
        return any(self._is_said(window, unified) for window in _windows(unified, self._key, is_blood=self._is_blood))

    def _is_born_then(self, text: str) -> bool:
        """Whether a text has the year of birth of an age, or the age of a year of birth."""
        if self._today is None:
            return False
        words = split_words(text)
        if self._form.startswith("AGE:") and self._quantity is not None:
            years = [int(year) for year in (*words, *spoken_numbers(text, words)) if _YEAR.fullmatch(year)]
            return any(self._today.year - year - self._quantity.value in (0, 1) for year in years)
        born = _BORN.fullmatch(self._value.strip())
        if born is None or "year" not in self._name:
            return False
        ages = [int(age) for age in (*words, *spoken_numbers(text, words)) if age.isdecimal() and len(age) == _DIGITS]
        is_aged = not (read_entry("mentions", "years") | {"this"}).isdisjoint(words)
        return is_aged and any(self._today.year - int(born[0]) - age in (0, 1) for age in ages)

    def _ends_phone(self, digits: str) -> bool:
        return len(digits) >= _SHORTEST_END and (self._phone.endswith(digits) or digits.endswith(self._phone))

    def _is_said(self, window: _Window, text: str) -> bool:
        if window.form == self._form:
            return window.is_telling or self._is_about(window, text)
        quantity, measure = self._quantity, window.quantity
        if quantity is None or measure is None:
            return False
        match quantity.of:
            case "LENGTH" if self._name == "height":
                return _is_height(quantity.value, measure)
            case "MASS" if self._name == "weight":
                is_round = measure.value % 10 == 0 and abs(measure.value - quantity.value) <= _HEAVY
                return measure.of == "MASS" and (is_round or abs(measure.value - quantity.value) < 1)
            case "AGE":
                return not measure.of and self._is_almost(measure.value, text)
            case "" if not measure.of:
                return measure.value == quantity.value or self._leaves_thousands_out(measure, window, text)
            case of if len(of) == 3 and not measure.of:
                return (measure.value == quantity.value and window.is_telling) or self._leaves_thousands_out(
                    measure, window, text
                )
            case _:
                return False

    def _is_about(self, window: _Window, text: str) -> bool:
        """Whether a text with a number that may count anything speaks of the value."""
        words = split_words(text)
        about = read_entry("mentions", "years") | frozenset(self._name.split("_"))
        is_theirs = not (about | read_entry("mentions", "self")).isdisjoint(words)
        return is_theirs or window.is_alone

    def _is_almost(self, number: Decimal, text: str) -> bool:
        quantity = self._quantity
        almost = read_entry("mentions", "almost").intersection(split_words(text))
        return bool(quantity and almost and quantity.value >= _OLD and 0 < number - quantity.value <= _ALMOST)

    def _leaves_thousands_out(self, measure: Quantity, window: _Window, text: str) -> bool:
        quantity = self._quantity
        if quantity is None or quantity.value < _THOUSAND or measure.value * _THOUSAND != quantity.value:
            return False
        if measure.value != int(measure.value):
            return True
        return measure.value >= _OMITTED_FROM and self._is_about(window, text)


class _Window:
    """A number, a measure or a day that a text has.

    Attributes:
        plain: As the text has it, unified.
        is_alone: Whether the text begins with it and nothing that may be counted follows.
    """

    def __init__(self, plain: str, key: str, *, is_alone: bool) -> None:
        self.plain, self.is_alone = plain, is_alone
        self.form, self.quantity = _read(plain, key)

    @property
    def is_read(self) -> bool:
        return bool(self.form) or self.quantity is not None

    @property
    def is_telling(self) -> bool:
        """Whether it hardly counts anything else: it has a unit, or is no round or small number."""
        if self.quantity is None:
            return " " in self.plain or not self.plain.isalnum()
        number = self.quantity.value
        is_odd = number != int(number) or number >= _THOUSAND or (number > _SMALL and number % _SMALL != 0)
        return bool(self.quantity.of) or is_odd


@lru_cache(maxsize=4096)
def _read(plain: str, key: str) -> tuple[str, Quantity | None]:
    form = read_value(Value(plain, plain, key, None)) or ""
    quantity = read_quantity(plain)
    if form.startswith(_FORMS) or _CURRENCY.match(form):
        return form, quantity
    return "" if quantity is None else str(quantity), quantity


def _windows(unified: str, key: str, *, is_blood: bool) -> Iterator[_Window]:
    """The longest runs of words, wherever one begins, that are read as something."""
    for index, clause in enumerate(_CLAUSE.split(unified)):
        chunks = [chunk.strip(_QUOTES) for chunk in clause.split()]
        at = 0
        while at < len(chunks):
            window = _longest(chunks, at, key, is_blood=is_blood, begins=not (index or at))
            if window is not None:
                yield window
            at += 1 if window is None else window.plain.count(" ") + 1


def _longest(chunks: Sequence[str], at: int, key: str, *, is_blood: bool, begins: bool) -> _Window | None:
    """The longest run of words that begins there and is read as something."""
    if not (_is_numeric(chunks[at]) or (is_blood and len(chunks[at]) < _LONGEST)):
        return None
    typed = takewhile(lambda word: is_blood or may_be_typed(_WORD.findall(word)), chunks[at : at + _LONGEST])
    for end in range(at + len(list(typed)), at, -1):
        following = chunks[end] if end < len(chunks) else ""
        if following and chunks[end - 1] in _PREPOSITIONS:
            continue
        plain = " ".join(chunks[at:end])
        is_alone = begins and (not following or following in _after_numbers())
        window = _Window(plain if "(" in plain else plain.rstrip(")"), key, is_alone=is_alone)
        if window.is_read:
            return window
    return None


@cache
def _after_numbers() -> frozenset[str]:
    return read_entry("stop_words", "english") | read_entry("stop_words", "ukrainian")


def _is_height(height: Decimal, quantity: Quantity) -> bool:
    if quantity.of != "LENGTH":
        return False
    difference = abs(quantity.value - height)
    return difference <= (_TALL if quantity.value == int(quantity.value) else _NEAR)


def _has_number(unified: str) -> bool:
    return re.search(r"\d", unified) is not None or not _numeric_words().isdisjoint(split_words(unified))


def _is_numeric(chunk: str) -> bool:
    return any(map(str.isdecimal, chunk)) or not _numeric_words().isdisjoint(split_words(chunk))


@cache
def _numeric_words() -> frozenset[str]:
    words = {*number_words(), *nth_words(), *read_entry("mentions", "numeric")}
    return frozenset(words) - {"a", "an", "k", "second", "quarter"}


def _dictated(unified: str) -> Iterator[str]:
    """Runs of digits as they are dictated: 811 45 09, eight one one, вісімсот одинадцять сорок п'ять."""
    run, previous, times = "", 0, 1
    for word in [*re.findall(r"\d+|[^\W\d_]+", unified), ""]:
        number = None if word.isdecimal() else number_words().get(word)
        if word.isdecimal():
            run, previous = run + word, 0
        elif word in _DOUBLE:
            times = _DOUBLE[word]
        elif word in ("oh", "o", "нуль") or number is not None:
            value = int(number or 0)
            if previous >= 10 and 0 < value < 10 ** (len(str(previous)) - len(str(previous).rstrip("0"))):
                run, previous = f"{run[: -len(str(previous))]}{previous + value}", previous + value
            else:
                run, previous = run + str(value) * times, value
            times = 1
        else:
            if run:
                yield run
            run, previous, times = "", 0, 1
