"""Quantities with what stands around them: about 5 km, 2-3k EUR, over 10 years, $5,000 a month after tax."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache

from zgadka.text.quantities import Quantity, number_words, read_quantity
from zgadka.text.word_lists import read_entry, read_table

_BOUNDS = ("about", "least", "most")
_TAXES = ("net", "gross")
_RANGE = re.compile(
    r"(?:(?:from|between|від|з|із|от) )?(?P<first>.+?)(?: ?- ?| to | and | or | до | по | та | чи | або )(?P<last>.+)"
)
_DOTTED = re.compile(r"(?<=[^\W\d_]{3})\.(?= )")  # approx. 5
_SCALE = re.compile(r"[^\W\d_]+|[$€£₴%]")


def read_amount(plain: str, unit: str = "") -> str | None:
    """The form of a quantity, a range of them, a bound, or so much in a time; None where the whole text is none.

    Args:
        plain: A unified text.
        unit: In which a mere number is.
    """
    bound = tax = ""
    period = None
    plain = _DOTTED.sub("", plain.strip())
    quantities = _whole(plain, unit)
    if not quantities:
        plain, tax = _without_end(plain, _TAXES)
        plain, period = _without_period(plain)
        if not tax:
            plain, tax = _without_end(plain, _TAXES)
        quantities = _whole(plain, unit)
    if not quantities:
        plain, bound = _without_bound(plain)
        quantities = _whole(plain, unit)
    if not quantities:
        return None
    of = quantities[0].of
    if period is not None and not of:
        return None
    factor, every = period or (Decimal(1), "")
    amounts = "..".join(f"{round(quantity.value * factor, 6).normalize():f}" for quantity in quantities)
    return f"{bound}{of}:{amounts}{every}{tax and f' {tax}'}"


def _whole(plain: str, unit: str) -> list[Quantity]:
    """The quantity that a text is, or the two of a range."""
    if (quantity := read_quantity(plain, unit)) is not None:
        return [quantity]
    match = _RANGE.fullmatch(plain)
    if match is None:
        return []
    upper = read_quantity(match["last"], unit)
    if upper is None:
        return []
    lower = read_quantity(match["first"], unit)
    if lower is not None and lower.of == upper.of and lower.value < upper.value:
        return [lower, upper]
    if lower is not None and upper.of and lower.of and not _has_unit(match["last"]):
        return []
    # The unit, and a scale such as k or thousand, stand at the end, a currency perhaps at the beginning.
    ending = " ".join(
        word for word in _SCALE.findall(match["last"]) if word not in number_words() or number_words()[word] >= 1000
    )
    if match["first"][-1:].isalpha():  # 50k to 60k USD
        ending = " ".join(word for word in ending.split() if word not in number_words())
    scaled = read_quantity(f"{match['first']} {ending}", unit) if lower is None or not lower.of else lower
    if lower is not None and lower.of and not upper.of:
        sign = "".join(re.findall(r"^\D+", match["first"]))
        upper = read_quantity(f"{sign} {match['last']}", unit) or upper
        scale = " ".join(re.findall(r"[^\W\d_]+$", match["last"]))
        scaled = read_quantity(f"{match['first']} {scale}", unit) if scale else lower
    if scaled is None or scaled.of != upper.of or not scaled.value < upper.value:
        return []
    return [scaled, upper]


def _has_unit(text: str) -> bool:
    quantity = read_quantity(text)
    return quantity is not None and bool(quantity.of)


def _without_bound(plain: str) -> tuple[str, str]:
    for bound in _BOUNDS:
        for word in _phrases(bound):
            if (
                plain.startswith(word)
                and len(plain) > len(word)
                and (not word[-1].isalnum() or plain[len(word)] == " ")
            ):
                return plain[len(word) :].strip(), f"{bound} "
    plain, bound = _without_end(plain, tuple(f"{bound}_after" for bound in _BOUNDS))
    if not bound and (match := re.match(r"(\d[\d.,]*)\+(?= ?[^\W\d_])", plain)):  # 5+ years
        return match[1] + plain[match.end() :], "least "
    return plain, f"{bound.removesuffix('_after')} " if bound else ""


def _without_end(plain: str, heads: tuple[str, ...]) -> tuple[str, str]:
    for head in heads:
        for word in _phrases(head):
            start = plain.removesuffix(word).rstrip(" ,(")
            if start and plain.rstrip(")").endswith(word):
                start = plain.rstrip(")").removesuffix(word).rstrip(" ,(")
                if start and (not word[0].isalpha() or plain[len(start)] in " ,("):
                    return start, head
    return plain, ""


def _without_period(plain: str) -> tuple[str, tuple[Decimal, str] | None]:
    words = re.split(r" |(?<=[^\W_])(?=/)|(?<=/)", plain)
    if len(words) > 1:
        for head, names in _periods("adverb_").items():
            for name in names:
                if plain.endswith(f" {name}"):
                    return plain.removesuffix(f" {name}").rstrip(" ,"), _factor(head)
    if len(words) > 2 and words[-2] in read_entry("amounts", "per"):
        for head, names in _periods("period_").items():
            if words[-1] in names:
                ending = len(plain) - len(words[-1])
                return plain[:ending].rstrip(" ").removesuffix(words[-2]).rstrip(" ,"), _factor(head)
    return plain, None


def _factor(head: str) -> tuple[Decimal, str]:
    """By what a number is multiplied, and for which time it is then: for a year, or for so many seconds."""
    if head.endswith("s"):
        return Decimal(1), f"/{head}"
    return Decimal(12) / int(head), "/year"


@cache
def _periods(prefix: str) -> dict[str, frozenset[str]]:
    return {
        head.removeprefix(prefix): frozenset(name.replace("_", " ") for name in names)
        for head, names in read_table("amounts").items()
        if head.startswith(prefix)
    }


@cache
def _phrases(head: str) -> tuple[str, ...]:
    return tuple(sorted((word.replace("_", " ") for word in read_table("amounts")[head]), key=len, reverse=True))
