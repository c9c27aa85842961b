"""Numbers, and numbers with a unit, as people write them: 1.8 m is 180 cm, півтори години are 90 minutes."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_heads, read_table

_LONGEST = 60
_NUMBER = r"\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<word>°? ?[^\W\d_]+[23]?\b|us\$|[$€£₴%'\"])|(?P<mark>[+~≈-])|(?P<rest>\S)"
)
_PRIMES = str.maketrans({"\u2032": "'", "\u2033": '"', "\u2019": "'", "\u201d": '"', "\u00b4": "'"})
_DOTTED = re.compile(r"(?<=[^\W\d_])\.")
_GROUPS = re.compile(r"[ ,](?=\d{3}(?:\D|$))")
_AND = frozenset({"and", "й", "і", "та", "и", "з", "с"})
_HALF_YEAR = re.compile(r"\bпів(?=року|години|дня)|\bпол(?=года|часа)")
_HALF = re.compile(r"\b(?:and a half|і половиною|з половиною|с половиной)\b")
_LONGEST_UNIT = 3  # words
_CURRENCY = 3  # letters of its name; alone it may stand before its number
_STEP = {"LENGTH": Decimal("0.01"), "MASS": Decimal("0.5")}
"""To so much people round what they convert."""


class Quantity(NamedTuple):
    """A number of something.

    Attributes:
        of: What is measured; empty: it is a mere number.
    """

    of: str
    value: Decimal

    def __str__(self) -> str:
        return f"{self.of}:{self.value.normalize():f}"


class _Unit(NamedTuple):
    of: str
    factor: Decimal
    is_rounded: bool


def read_quantity(text: str, unit: str = "") -> Quantity | None:
    """What the whole text measures or counts; None where it does not.

    Args:
        unit: In which a mere number is.
    """
    if len(text) > _LONGEST:
        return None
    parts = _parts(unify(text.translate(_PRIMES)))
    if not parts:
        return None
    if unit and len(parts) == 1 and parts[0][1] is None:
        parts = [(parts[0][0], _units()[unit])]
    measured = {"" if unit_ is None else unit_.of for _, unit_ in parts}
    if len(measured) != 1 or ("" in measured and len(parts) > 1):
        return None
    of = measured.pop()
    value = sum((number * (unit_.factor if unit_ else 1) for number, unit_ in parts), Decimal(0))
    if of == "FAHRENHEIT":
        return Quantity("CELSIUS", round((value - 32) * 5 / 9, 1))
    if any(unit_ is not None and unit_.is_rounded for _, unit_ in parts):
        value = round(value / _STEP[of]) * _STEP[of]
    return Quantity(of, value)


def _parts(plain: str) -> list[tuple[Decimal, _Unit | None]]:
    """The numbers, each with its unit, where the text is made of nothing else; else nothing."""
    plain = _HALF.sub("0.5", _HALF_YEAR.sub("0.5 ", _DOTTED.sub("", plain)))
    tokens = [(str(match.lastgroup), match[0].strip()) for match in _TOKEN.finditer(plain)]
    parts: list[tuple[Decimal, _Unit | None]] = []
    pending: _Unit | None = None  # $5
    at = 0
    while at < len(tokens):
        kind, piece = tokens[at]
        if kind == "word" and piece in _AND and parts:
            at += 1
            continue
        number, end = _number(tokens, at)
        if number is None:
            unit, end = _unit(tokens, at)
            if unit is None or len(unit.of) != _CURRENCY or pending is not None or parts:
                return []
            pending, at = unit, end
            continue
        unit, end = _unit(tokens, end)
        if unit is None:
            unit, pending = pending, None
        if number == Decimal("0.5") and piece == "0.5" and unit is None and parts:  # a year and a half
            number, unit = Decimal("0.5"), parts[-1][1]
        elif piece in {"'", '"'}:
            return []
        elif unit is None and parts and parts[-1][1] is not None and parts[-1][1].of == "LENGTH":
            unit = _units()['"'] if parts[-1][1].is_rounded else _units()["cm"]  # 5'11, 1 m 80
        parts.append((number, unit))
        at = end
    return [] if pending is not None else parts


def _number(tokens: list[tuple[str, str]], at: int) -> tuple[Decimal | None, int]:
    """The number that begins there, in digits or words, and where it ends."""
    total = current = None
    while at < len(tokens):
        kind, piece = tokens[at]
        if kind == "number" and current is None and total is None:
            current = _decimal(piece)
        elif kind == "word" and (value := _words().get(piece)) is not None:
            if value >= 100 and current is not None and value in (100, 1000, 1_000_000):
                current *= value
                if value >= 1000:
                    total, current = (total or 0) + current, None
            elif current is None:
                current = value
            elif value < current and current % 10 == 0 and value >= 1:
                current += value
            else:
                break
        elif kind == "mark" and piece == "-" and current is not None and at + 1 < len(tokens) and current in _TENS:
            at += 1  # twenty-five
            continue
        else:
            break
        at += 1
    if total is None and current is None:
        return None, at
    return (total or Decimal(0)) + (current or Decimal(0)), at


_TENS = frozenset(map(Decimal, range(20, 100, 10)))


def _unit(tokens: list[tuple[str, str]], at: int) -> tuple[_Unit | None, int]:
    for length in range(min(_LONGEST_UNIT, len(tokens) - at), 0, -1):
        name = "_".join(token for _, token in tokens[at : at + length])
        if (unit := _units().get(name)) is not None:
            return unit, at + length
    return None, at


def _decimal(digits: str) -> Decimal | None:
    try:
        return Decimal(_GROUPS.sub("", digits).replace(",", ".").replace(" ", ""))
    except InvalidOperation:
        return None


@cache
def _words() -> dict[str, Decimal]:
    return {word: Decimal(head) for word, (head, *_) in read_heads("numbers").items()}


@cache
def _units() -> dict[str, _Unit]:
    units: dict[str, _Unit] = {}
    for head, names in read_table("units").items():
        of, factor, *about = head.split()
        units.update(dict.fromkeys(names, _Unit(of, Decimal(factor), bool(about))))
    return units
