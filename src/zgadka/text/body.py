"""Blood groups and sizes: A+, друга позитивна; M, medium, розмір 42."""

from __future__ import annotations

import re

from zgadka.text.quantities import number_words, read_nth
from zgadka.text.word_lists import read_heads

_LETTERS = str.maketrans("авоі", "aboi")
_BY_GROUP = ("o", "a", "b", "ab")
_ROMAN = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
_TOKEN = re.compile(r"[^\W\d_]+|\d+|[+-]")
_LETTER_SIZE = re.compile(r"(?P<times>\d?)(?P<xs>x*)(?P<letter>[sml])")


def read_blood(plain: str) -> str | None:
    """The form of a blood group: A+, A(II) Rh+, друга позитивна."""
    groups: set[str] = set()
    factor = ""
    for token in _TOKEN.findall(plain):
        heads = read_heads("body").get(token, ())
        letters = token.translate(_LETTERS)
        if "plus" in heads or "minus" in heads:
            if factor and factor != heads[0]:
                return None
            factor = heads[0]
        elif letters in _BY_GROUP or letters == "0":
            groups.add("o" if letters == "0" else letters)
        elif (number := _group(token, letters)) is not None:
            groups.add(_BY_GROUP[number - 1])
        elif "beside_blood" not in heads:
            return None
    sign = {"plus": "+", "minus": "-", "": ""}[factor]
    return f"BLOOD:{groups.pop()}{sign}" if len(groups) == 1 else None


def _group(token: str, letters: str) -> int | None:
    if (number := _ROMAN.get(letters)) is None:
        number = int(token) if token.isdecimal() else read_nth(token) or int(number_words().get(token, 0))
    return number if 1 <= number <= len(_BY_GROUP) else None


def read_size(plain: str) -> str | None:
    """The form of a size of clothes or shoes: M, medium, 2XL, EU 42, 42 розмір."""
    words = [
        word
        for word in re.findall(r"[^\W_]+(?:[.,]\d+)?", plain)
        if "beside_size" not in read_heads("body").get(word, ())
    ]
    named = [next((head for head in read_heads("body").get(word, ()) if head in _SIZES), word) for word in words]
    joined = "".join(named).translate(str.maketrans("хмсл", "xmsl"))
    if match := _LETTER_SIZE.fullmatch(joined):
        times = int(match["times"] or 1) if match["xs"] else 0
        return f"SIZE:{'x' * (times * len(match['xs']))}{match['letter']}"
    match = _NUMBER_SIZE.fullmatch("".join(words))
    system = "" if match is None else match["before"] or match["after"] or ""
    return None if match is None else f"SIZE:{system}{match['number'].replace(',', '.')}"


_NUMBER_SIZE = re.compile(
    r"(?P<before>eu|uk|us|ua|eur|it|fr|jp|cm)?(?P<number>\d+(?:[.,]\d+)?)(?P<after>eu|uk|us|ua|eur|it|fr|jp|cm)?"
)
_SIZES = frozenset("sml") | {"x"}
