"""Numbers, and numbers with a unit, as people write them: 1.8 m is 180 cm, півтори години are 90 minutes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from typing import NamedTuple

from zgadka.text.folding import unify
from zgadka.text.word_lists import read_entry, read_heads, read_table

_LONGEST = 60
_MOST_DIGITS = 21
"""Before the point: of a longer number none behind it could be told, and it is the number of something."""
_NUMBER = r"\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,3}(?: \d{3})+(?!\d)|\d+(?:[.,]\d+)?"
_TOKEN = re.compile(
    rf"(?P<number>{_NUMBER})|(?P<word>[^\W\d_]{{1,2}}\$|°? ?[^\W\d_]+(?:/[^\W\d_]+)?[23]?\b|[$€£₴₽₸₾₺₪₹₩₫₱฿¥₿¢%°×'\"])"
    r"|(?P<mark>[+-])|(?P<rest>\S)"
)
_PRIMES = str.maketrans({"\u2032": "'", "\u2033": '"', "\u2019": "'", "\u201d": '"', "\u00b4": "'"})
_DOTTED = re.compile(r"(?<=[^\W\d_])\.(?!\d)")
_GLUED = re.compile(r"(?<=\d)(?=(?:mln|млн|млрд|тис|тыс)(?![^\W\d_]))")
_GROUPS = re.compile(r"[ ,](?=\d{3}(?:\D|$))")
_CARDINAL = re.compile(r"(?<=\d)-(?:ть|ти|х|ох|ма)(?![^\W\d_])")
_APOSTROPHES = re.compile(r"(?<=\d)'(?=\d{3}(?!\d))")
_HORSEPOWER = re.compile(r"\bк\. ?с\b")
_FRACTION = re.compile(r"(?<![\d/.,])(?:(\d+) )?(\d)/(\d{1,2})(?![\d/])")
_CURRENCIES = re.compile(r"[^\W\d_]{2,}|[$€£₴₿]")
_HOURS_MINUTES = re.compile(r"(\d+) ?(?:h|hr|hrs|hours?|год|г) ?(\d\d?)(?: ?(?:m|min|mins|хв|м))?")
_LASTING = re.compile(
    r"(?P<number>\d+[- ]?|[^\W\d_]*?)(?P<unit>річн|місячн|тижнев|денн|годинн|хвилинн)(?:ий|а|е|ого|ої|ому|у|ою|ій|им)\b"
)
_SPANS = {"річн": "year", "місячн": "month", "тижнев": "week", "денн": "day", "годинн": "hour", "хвилинн": "minute"}
_JOINED = {"": "1", "одно": "1", "дво": "2", "трьох": "3", "пів": "0.5"}
_MILLIONS = re.compile(r"(?<=\d)(m|b|м)(?![^\W\d_])")
_AND = frozenset({"and", "й", "і", "та", "и", "з", "с"})
_OF = frozenset({"of", "an", "a", "на"})
_HALF_YEAR = re.compile(
    r"\bпів ?(?=року|рочку|років|години|дня|доби|кілометра|милі|мільйона|тисячі|місяця|кіло|літра|метра|хвилини)"
    r"|\bпол(?=года|часа)"
)
_HALF = re.compile(r"\b(?:and a half|і половиною|з половиною|с половиной)\b")
_LONGEST_UNIT = 3  # words
_OF_TIME = frozenset({"MONTHS", "SECONDS"})
_ARTICLES = frozenset({"a", "an"})
_GROUPS_OF = frozenset({"a", "couple", "pair", "dozen", "пара", "пару", "десяток"})
_CURRENCY = 3  # letters of its name; alone it may stand before its number
_STEP = {"LENGTH": Decimal("0.01"), "MASS": Decimal("0.5")}
"""To so much people round what they convert."""
_THIRDS = re.compile("(?<=трет)ин[иу]?$")
_ROMAN = re.compile("(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_LATIN = str.maketrans("іхс", "ixc")
_ROMAN_DIGITS = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class Quantity(NamedTuple):
    """A number of something.

    Attributes:
        of: What is measured; empty: it is a mere number.
    """

    of: str
    value: Decimal

    def __str__(self) -> str:
        return f"{self.of}:{round(self.value, 6).normalize():f}"


class Unit(NamedTuple):
    """A name of something that is measured: by how much a number of it is multiplied."""

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
    is_plain = text.isascii() and text.isdecimal()
    parts = [(Decimal(text), None)] if is_plain else _parts(unify(text.translate(_PRIMES)).replace("^", ""))
    if not parts:
        return None
    if unit and len(parts) == 1 and parts[0][1] is None:
        parts = [(parts[0][0], units()[unit])]
    measured = {"" if unit_ is None else unit_.of for _, unit_ in parts}
    if len(measured) != 1 or ("" in measured and len(parts) > 1):
        return None
    of = measured.pop()
    value = sum((number * (unit_.factor if unit_ else 1) for number, unit_ in parts), Decimal(0))
    if value.adjusted() > _MOST_DIGITS:
        return None
    if of == "FAHRENHEIT":
        return Quantity("CELSIUS", round((value - 32) * 5 / 9, 1))
    if any(unit_ is not None and unit_.is_rounded for _, unit_ in parts):
        value = round(value / _STEP[of]) * _STEP[of]
    return Quantity(of, value)


def unit_named(plain: str) -> Unit | None:
    """The unit or currency that the whole text names: Swiss franc."""
    return units().get("_".join(plain.replace(".", " ").split()))


@lru_cache(maxsize=4096)
def read_nth(plain: str) -> int | None:
    """Which one of several the whole text says, in words or digits: third, 3rd, двадцять перша, 3-й."""
    if match := re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th|-?[^\W\d_]{1,3})", plain):
        ending = plain[len(match[1]) :].strip("-")
        return int(match[1]) if ending in read_entry("numbers", "endings_of_digits") else None
    *tens, last_word = re.split("[ -]", plain.removeprefix("the "))
    endings = read_entry("numbers", "endings")
    stems = (
        last_word[: len(last_word) - length] for length in range(5) if not length or last_word[-length:] in endings
    )
    nth = next((nth for stem in stems if (nth := _nths().get(stem))), None)
    if nth is None or not tens:
        return nth
    tens_quantity = read_quantity(" ".join(tens).removesuffix(" and"))
    is_sum = (
        tens_quantity is not None
        and not tens_quantity.of
        and tens_quantity.value > nth
        and tens_quantity.value % (10 if nth < 10 else 100) == 0
    )
    return int(tens_quantity.value) + nth if tens_quantity is not None and is_sum else None


def read_roman(plain: str) -> int | None:
    """The number that a text of Roman digits is, below 400; those of Cyrillic keyboards look the same."""
    plain = plain.translate(_LATIN)
    if not _ROMAN.fullmatch(plain):
        return None
    digits = [_ROMAN_DIGITS[letter] for letter in plain]
    return sum(-digit if digit < max(digits[at + 1 :], default=0) else digit for at, digit in enumerate(digits))


@cache
def _nths() -> dict[str, int]:
    heads = (
        (head.removeprefix("nth_"), words) for head, words in read_table("numbers").items() if head.startswith("nth_")
    )
    return {word: int(number) for number, words in heads for word in words}


def _parts(plain: str) -> list[tuple[Decimal, Unit | None]]:
    """The numbers, each with its unit, where the text is made of nothing else; else nothing."""
    tokens = [(str(match.lastgroup), match[0].strip()) for match in _TOKEN.finditer(_prepared(plain))]
    parts: list[tuple[Decimal, Unit | None]] = []
    pending: Unit | None = None  # $5
    at = 0
    sign = 1
    if len(tokens) > 1 and tokens[0][1] in (*_MINUS, *_PLUS):
        sign, at = -1 if tokens[0][1] in _MINUS else 1, 1
    while at < len(tokens):
        piece = tokens[at][1]
        if piece in _AND and parts:
            at += 1
            continue
        number, end = _number(tokens, at)
        if parts and piece in _ARTICLES:  # 4 hours a day
            return []
        if number is None:
            unit, at = _unit(tokens, at)
            is_currency = unit is not None and len(unit.of) == _CURRENCY
            if unit is None or pending or parts or not (is_currency or (at < len(tokens) and _counts_itself(unit))):
                return []
            pending = unit if is_currency else None
            parts += [] if is_currency else [(Decimal(1), unit)]
            continue
        while (number < 1 or piece in _GROUPS_OF) and end < len(tokens) and tokens[end][1] in _OF:
            end += 1
        unit, end = _unit(tokens, end)
        if unit is None or unit == pending:
            unit, pending = unit or pending, None
        if piece in {"'", '"'}:
            return []
        if parts and piece == "0.5" and parts[-1][1] is None:  # two and a half years
            number += parts.pop()[0]
        elif parts and unit is None:
            unit = parts[-1][1] if piece == "0.5" else _smaller(parts[-1][1])  # a year and a half, 5'11
        parts.append((number, unit))
        at = end
    return [] if pending is not None else [(sign * number, unit) for number, unit in parts]


def _counts_itself(unit: Unit) -> bool:
    """Whether a number may follow that says how much more it is: a year and a half, метр сімдесят."""
    return unit.of in _OF_TIME or unit == units()["m"]


def _smaller(unit: Unit | None) -> Unit | None:
    """The unit in which a number after another length is: 5'11, 1 m 80."""
    if unit is None or unit.of != "LENGTH":
        return None
    return units()['"'] if unit.is_rounded else units()["cm"]


def _prepared(plain: str) -> str:
    """A unified text with what is written together or in a short way written out."""
    plain = _HALF_YEAR.sub("0.5 ", _DOTTED.sub(" ", _HORSEPOWER.sub("кс", plain)))
    plain = _LASTING.sub(_as_span, _GLUED.sub(" ", _HALF.sub("0.5", plain)))
    plain = _FRACTION.sub(_as_decimal, _APOSTROPHES.sub("", _CARDINAL.sub("", plain)))
    if _MILLIONS.search(plain) and any(
        len(unit.of) == _CURRENCY for word in _CURRENCIES.findall(plain) if (unit := units().get(word))
    ):
        plain = _MILLIONS.sub(lambda match: " billion" if match[1] == "b" else " million", plain)
    if match := _HOURS_MINUTES.fullmatch(plain):
        plain = f"{match[1]} hours {match[2]} minutes"
    return plain


def _as_span(match: re.Match[str]) -> str:
    """How long something lasts that is said in one word: дворічний, 2-річний."""
    number = match["number"].strip("- ")
    value = number if number.isdecimal() else _JOINED.get(number) or number_words().get(number)
    return match[0] if value is None else f"{value} {_SPANS[match['unit']]}"


def _as_decimal(match: re.Match[str]) -> str:
    integer, numerator, denominator = int(match[1] or 0), int(match[2]), int(match[3])
    if not numerator < denominator:
        return match[0]
    return f"{integer + Decimal(numerator) / denominator:.12f}".rstrip("0")


def _number(tokens: Sequence[tuple[str, str]], at: int) -> tuple[Decimal | None, int]:
    """The number that begins there, in digits or words, and where it ends."""
    sums: tuple[Decimal | None, Decimal | None] = None, None  # of what is multiplied already, and of what is not
    while at < len(tokens):
        kind, piece = tokens[at]
        current = sums[1]
        following = tokens[at + 1][1] if at + 1 < len(tokens) else ""
        if _joins(piece, current, following):
            at += 1
            continue
        if kind == "number" and sums == (None, None):
            sums = None, _decimal(piece)
        elif kind == "word" and (value := number_words().get(piece)) is not None:
            if (added := _added(*sums, value)) is None:
                break
            sums = added
        elif kind == "word" and current is not None and current < 20 and (nth := _below(piece)):
            sums = sums[0], current / nth  # two thirds
        else:
            break
        at += 1
    return (None if sums == (None, None) else (sums[0] or Decimal(0)) + (sums[1] or Decimal(0))), at


def _joins(piece: str, current: Decimal | None, following: str) -> bool:
    """Whether it stands between parts of one number: twenty-five, a hundred and one, half a million."""
    if current is None or following not in number_words():
        return False
    return (piece == "-" and current in _TENS) or (piece == "and" and current >= 100) or piece == "a"


def _added(
    total: Decimal | None, current: Decimal | None, value: Decimal
) -> tuple[Decimal | None, Decimal | None] | None:
    """The sums with a further word of a number; None: it does not go on there."""
    if value in _SCALES and (current is not None or value >= 1000):
        product = value if current is None else current * value
        return ((total or Decimal(0)) + product, None) if value >= 1000 else (total, product)
    if current is None or (current == 1 and (value > 1 or value == Decimal("0.5"))):  # a dozen, one hundred
        return total, value
    if value == Decimal("0.25"):  # three quarters
        return total, current * value
    return (total, current + value) if 1 <= value < current and current % 10 == 0 else None


def _below(word: str) -> int | None:
    """What stands below the line of a fraction in words: thirds, третини."""
    nth = read_nth(_THIRDS.sub("", word)) or 0
    return nth if nth > 2 and (word.isascii() or word.endswith("их") or "ин" in word) else None


_TENS = frozenset(map(Decimal, range(20, 100, 10)))
_MINUS, _PLUS = frozenset({"-", "minus", "мінус", "минус"}), frozenset({"+", "plus", "плюс"})
_SCALES = frozenset(map(Decimal, (100, 1000, 1_000_000, 1_000_000_000)))


def _unit(tokens: Sequence[tuple[str, str]], at: int) -> tuple[Unit | None, int]:
    if at + 1 < len(tokens) and tokens[at][1] == "-":  # a 15-inch screen
        at += 1
    for length in range(min(_LONGEST_UNIT, len(tokens) - at), 0, -1):
        name = "_".join(token for _, token in tokens[at : at + length])
        if (unit := units().get(name)) is not None:
            return unit, at + length
    return None, at


def _decimal(digits: str) -> Decimal | None:
    try:
        return Decimal(_GROUPS.sub("", digits).replace(",", ".").replace(" ", ""))
    except InvalidOperation:
        return None


@cache
def number_words() -> dict[str, Decimal]:
    """What numbers in words are."""
    return {word: Decimal(head) for word, (head, *_) in read_heads("numbers").items() if head[0].isdecimal()}


@cache
def nth_words() -> frozenset[str]:
    """What says in one word which one of several, in all its forms."""
    return frozenset(f"{stem}{ending}" for stem in _nths() for ending in ("", *read_entry("numbers", "endings")))


@cache
def units() -> dict[str, Unit]:
    """All units and currencies by their names."""
    named: dict[str, Unit] = {}
    for table in ("currencies", "units"):
        for head, names in read_table(table).items():
            of, factor, *about = head.split()
            named.update(dict.fromkeys(names, Unit(of, Decimal(factor), bool(about))))
    return named
