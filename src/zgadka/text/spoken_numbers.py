"""Numbers and days of a text in the form that a value has them: seven forty is 740, 28/2 is 28 February."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from functools import cache

from zgadka.text.word_lists import read_table

_DAY_AND_MONTH = re.compile(r"(?<![\d./-])(\d\d?)([./])(\d\d?)(?:\2(?:\d\d){1,2})?(?![\d/])")
_ISO = re.compile(r"(?<!\d)\d{4}-(\d\d)-(\d\d)(?!\d)")
GROUPED = re.compile(r"(?<![\d.,])\d{1,3}(?:[ ,.\u00a0]\d{3})+(?!\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])(\d{1,3})\s?[kк](?!\w)")
_METRES = re.compile(r"(?<![\d.,])([12])\s?[.,mм]\s?(\d\d)(?!\d)")
_COUNTED = re.compile(r"(?<!\w)(\d+)(?!st|nd|rd|th)[^\W\d_]{1,2}(?!\w)")
_SHORT_YEAR = re.compile("['\u2019\u2018](\\d\\d)(?!\\d)|(?<![\\d.])(\\d\\d)-(?:му|го|й)(?!\\w)")
_WRITTEN_OTHERWISE = re.compile(r"\d(?:[./-]\d|-[гйм]|[ ,.\u00a0]\d{3}|\s?[kкmм]|[^\W\d_])|['\u2019\u2018]\d\d")
"""Most texts have no number but plain ones."""
_BETWEEN = frozenset({"and", "і", "й", "metre", "meter"})
_YEAR = frozenset({"рік", "року", "році", "р"})
_OLDEST = 30
"""Of what century a year of two digits is: of the last from this one on."""
_MULTIPLES = (100, 1000)


def spoken_numbers(text: str, words: Sequence[str]) -> Iterator[str]:
    """The numbers and days of a unified text that its words have otherwise.

    Args:
        words: The text's own.
    """
    if _WRITTEN_OTHERWISE.search(text):
        yield from _days(text)
        for grouped in GROUPED.findall(text):
            yield "".join(filter(str.isdecimal, grouped))
        yield from (f"{thousands}000" for thousands in _THOUSANDS.findall(text))
        yield from (f"{metres}{rest}" for metres, rest in _METRES.findall(text))
        yield from _COUNTED.findall(text)
        years = (short or nth for short, nth in _SHORT_YEAR.findall(text))
        yield from (f"{19 if int(year) >= _OLDEST else 20}{year}" for year in years)
    spoken = [word for word in words if word in _numbers()]
    if len(spoken) > 1 or (spoken and (_numbers()[spoken[0]] >= _OLDEST or not _YEAR.isdisjoint(words))):
        yield from _in_words(words)


def _days(text: str) -> Iterator[str]:
    pairs = [(int(day), int(month)) for month, day in _ISO.findall(text)]
    for first, _, second in _DAY_AND_MONTH.findall(text):
        pairs += [(int(first), int(second)), (int(second), int(first))]
    for day, month in pairs:
        if 0 < month <= 12 and 0 < day <= 31:
            yield from (str(day), month_name[month].lower())


def _in_words(words: Sequence[str]) -> Iterator[str]:
    """Numbers of several words: added up, and side by side as people say prices and years."""
    run = list[int]()
    for word, following in zip(words, (*words[1:], ""), strict=False):
        number = _numbers().get(word)
        if number is None and word.isdecimal() and len(word) < 4 and following in _numbers():
            number = int(word)
        if number is not None:
            run.append(number)
            if following in _BETWEEN or following in _numbers():
                continue
        elif run and word in _BETWEEN and following in _numbers():
            continue
        if run:
            yield from _readings(run, is_year=following in _YEAR or word in _YEAR)
        run = []


def _readings(run: Sequence[int], *, is_year: bool) -> Iterator[str]:
    total, part = 0, 0
    for number in run:
        if number == _MULTIPLES[0]:
            part = max(part, 1) * number
        elif number >= _MULTIPLES[1]:
            total, part = total + max(part, 1) * number, 0
        else:
            part += number
    total += part
    if len(run) > 1 or total > _MULTIPLES[0]:
        yield str(total)
    if not any(number in _MULTIPLES for number in run):
        parts = list[int]()
        for number in run:
            is_one_more = bool(parts) and 0 < number < 10 and parts[-1] >= 20 and parts[-1] % 10 == 0
            parts = [*parts[:-1], parts[-1] + number] if is_one_more else [*parts, number]
        if len(parts) > 1:
            yield "".join(map(str, parts))
    if is_year and _OLDEST <= total < 100:
        yield f"19{total}"


@cache
def _numbers() -> dict[str, int]:
    numbers = {
        word: int(head)
        for head, words in read_table("numbers").items()
        if head.isdecimal()
        for word in words
        if word not in ("a", "an", "k")
    }
    for language in ("en", "uk"):
        head = f"{language}_ordinal"
        words = [*enumerate(read_table("number_words")[head], 1)]
        words += [(10 * tens, entry) for tens, entry in enumerate(read_table("number_words")[f"{head}_tens"], 2)]
        numbers |= {word: number for number, entry in words for word in entry.split("=")}
    return numbers | {"grand": 1000, "метр": 1}
