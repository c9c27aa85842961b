"""The words of a sentence, as what reads days in it looks at them: numbers, units, years, ordinals."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from zgadka.text.calendar_days import Days, Recurring
from zgadka.text.folding import unify
from zgadka.text.quantities import nth_words, number_words, read_nth, read_roman
from zgadka.text.tense import Tense, names_plan, tense_of
from zgadka.text.word_lists import read_entry, read_table

_TOKEN = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}\.\d{1,2}\.(?:\d{4}|\d\d)(?!\d)|\d{1,2}/\d{1,2}(?:/(?:\d{4}|\d\d))?(?![\d/])"
    r"|\d{1,2}\.\d\d(?![\d.])|\d\d\.\d{4}(?!\d)|'\d\d(?!\d)|q[1-4](?!\w)"
    r"|\d+(?:-?(?:st|nd|rd|th|ого|го|ому|му|им|ий|ій|та|те|ті|тих|их|ше|ша|ге|га|е|й|м|х|s)(?![^\W_]))?|[^\W\d_]+|[^\w\s]"
)
_WORD = re.compile("[^\\W\\d_]+(?:['\u2019\u02bc][^\\W\\d_]+)*")
_QUOTED = re.compile('["\u201c\u201e«][^"\u201d\u201c»]{1,200}["\u201d\u201c»]')
_POSSESSIVE = re.compile(
    "(?<=[^\\W\\d_])(?<!what)(?<!who)(?<!when)(?<!where)(?<!here)(?<!it)(?<!that)(?<!how)['\u2019]s(?![^\\W_])",
    re.IGNORECASE,
)
"""Not that of "what's on"."""
_ORDINAL = re.compile(r"(\d{1,2})-?(?:st|nd|rd|th|ого|го|ому|му|ше|те|ге|е)")
_YEAR = re.compile(r"(?:19|20)\d\d(?:-?(?:го|му|й|м|ого|ому|им))?")
_ROMAN = frozenset({"i", "ii", "iii", "iv", "і", "іі", "ііі"})
_TELLING = (
    *(
        "day_0",
        "day_1",
        "day_2",
        "day_3",
        "day_-1",
        "day_-2",
        "day_-3",
        "other_day",
        "other_week",
        "weekend",
        "quarter",
    ),
    *("day", "week", "month", "year", "hour", "fortnight", "half_year", "year_and_half", "decade", "month_and_half"),
    *("week_and_half", "last_year", "before_last_year", "this_year", "half_year_part", "number"),
)
_MOST_VAGUE = 2
"""Words before a number that make it vague: "maybe about three days ago"."""
_MOST = 9_999
"""Of days, weeks, months, years that somebody counts."""
_NAMED = 4
"""Words before a day that may say that it is somebody's name: "we called the dog Friday"."""
_LONGEST = 4000
"""Characters of a text that are read."""

DAYS, WEEKS, MONTHS, YEARS = "day", "week", "month", "year"
UNITS = {DAYS: 1, WEEKS: 7, MONTHS: 30, YEARS: 365}
"""About how many days each has."""


@dataclass(frozen=True)
class Mention:
    """What some words name: some days, or days that come again, of which the sentence tells which are meant.

    Attributes:
        size: How many days they are, about.
        anchor: The day around which they are, where that is vague: "a year ago".
        is_sure: Whether the words say when wherever they stand.
        is_dated: Whether they are a date, not how long ago a day was.
    """

    size: int
    days: Days | None = None
    recurring: Recurring | None = None
    anchor: date | None = None
    is_sure: bool = True
    is_dated: bool = False


Reading = tuple[Mention, int]


class TimeWords:
    """The words of a text that was said on a day."""

    def __init__(self, text: str, today: date) -> None:
        """Take a text.

        Args:
            today: The day on which it was said.
        """
        text = text[:_LONGEST]
        unquoted = _QUOTED.sub(" ", text)
        plain = _POSSESSIVE.sub("", unquoted if _WORD.search(unquoted) else text)
        self._tokens: Sequence[str] = _TOKEN.findall(unify(plain))
        self._is_telling = any(
            word in telling_words() or word[-1].isdigit() or word[0].isdigit() for word in self._tokens
        )
        self._capitalised = frozenset(_capitalised(plain)) if self._is_telling else frozenset[str]()
        self._today = today
        self._tense = tense_of(self._tokens) if self._is_telling else Tense.OPEN
        self._is_past = self._tense is not Tense.PLAN
        self._has_plan = names_plan(self._tokens)
        self._read: dict[int, Reading | None] = {}

    def _word(self, at: int) -> str:
        return self._tokens[at] if 0 <= at < len(self._tokens) else ""

    def _words(self, at: int, length: int) -> tuple[str, ...]:
        return tuple(self._tokens[at : at + length]) if at >= 0 else ()

    def _is(self, head: str, at: int) -> bool:
        return self._word(at) in read_entry("time_mentions", head)

    def _phrase(self, head: str, at: int) -> int:
        """Where a word or a phrase of an entry ends that stands here; 0 where none does."""
        known = phrases(head)
        return next((at + length for length in (4, 3, 2, 1) if self._words(at, length) in known), 0)

    def _count(self, at: int) -> tuple[int | str | None, int]:
        """How many, and where that ends: a number, "couple", "few"."""
        at = self._past_about(at)
        start = at + (self._word(at) in ("a", "an", "the"))
        if end := self._phrase("couple", start):
            return "couple", end + (self._word(end) == "of")
        if end := self._phrase("few", start):
            return "few", end
        word = self._word(start)
        if word.isdecimal() and len(word) <= 4:
            return int(word), start + 1
        value = number_words().get(word)
        if value is None or value != int(value) or value < 1 or value > _MOST:
            return None, start
        end = start + 1 + (self._word(start + 1) == "-")
        following = number_words().get(self._word(end))
        if value in range(20, 100, 10) and following is not None and following in range(1, 10):
            return int(value + following), end + 1
        return int(value), start + 1

    def _past_about(self, at: int) -> int:
        for _ in range(_MOST_VAGUE):
            at = self._phrase("about", at) or at
        return at

    def _halves(self, at: int) -> tuple[int, int] | None:
        """Months that are said by halves of years."""
        start = at + (self._word(at) in ("a", "the"))
        for phrase, months in (("year_and_half", 18), ("half_year", 6), ("month_and_half", 2)):
            if end := (self._phrase(phrase, start) or self._phrase(phrase, at)):
                return months, end
        return None

    def _unit_named(self, at: int) -> str | None:
        token = self._word(at)
        return next((unit for unit in (*UNITS, "hour", "fortnight", "decade") if token in unit_words()[unit]), None)

    def _bare_unit(self, at: int) -> str | None:
        unit = self._unit_named(at)
        return unit if unit in (WEEKS, MONTHS, YEARS) else None

    def _is_hour(self, at: int) -> bool:
        return self._word(at) == ":" or self._word(at) in ("am", "pm", "oclock")

    def _is_english(self) -> bool:
        return all(token.isascii() for token in self._tokens)

    def _full_year(self, written: str) -> int:
        return int(written) if len(written) == 4 else 2000 + int(written)

    def _day_number(self, at: int, *, is_ordinal_word: bool = False) -> tuple[int, int] | None:
        token = self._word(at)
        if token.isdecimal() and len(token) <= 2 and 1 <= int(token) <= 31:
            return int(token), at + 1
        if (match := _ORDINAL.fullmatch(token)) and 1 <= int(match[1]) <= 31:
            return int(match[1]), at + 1
        if is_ordinal_word and (nth := self._nth(at))[0] is not None:
            return nth[0] or 0, nth[1]
        return None

    def _nth(self, at: int) -> tuple[int | None, int]:
        """An ordinal, in words or digits, up to 31, and where it ends."""
        word = self._word(at)
        if match := _ORDINAL.fullmatch(word):
            return int(match[1]), at + 1
        if word == "-" or not word.isalpha():
            return None, at
        if word in _ROMAN and (self._is("quarter", at + 1) or self._is("half_year_part", at + 1)):
            return read_roman(word.replace("і", "i")), at + 1
        for length in (3, 2, 1):
            words = self._words(at, length)
            if len(words) == length and (length == 1 or words[0] in number_words()):
                number = read_nth(
                    "-".join((words[0], words[2])) if length == 3 and words[1] == "-" else " ".join(words)
                )
                if number is not None and 1 <= number <= 31:
                    return number, at + length
        return None, at

    def _year_number(self, at: int) -> tuple[int, int] | None:
        """A year in digits and where it ends, with what says that it is one: 2024 року."""
        start = at + (self._word(at) in (",", "of"))
        token = self._word(start)
        if re.fullmatch(r"'\d\d", token):
            return 2000 + int(token[1:]), start + 1
        if not _YEAR.fullmatch(token):
            return None
        end = start + 1
        if self._is("year_mark", end):
            end += 1
            end += self._word(end) == "." and len(self._word(end - 1)) == 1
        return int(token[:4]), end

    def _is_somebodys_name(self, at: int) -> bool:
        """Whether a word with a capital letter stands where a name does: the dog Friday, a song called Yesterday."""
        before = self._tokens[max(at - _NAMED, 0) : at]
        if self._word(at) not in self._capitalised or self._is("at", at - 1) or self._is("last", at - 1):
            return False
        is_title = at > 1 and self._word(at - 1) in self._capitalised and len(self._word(at - 1)) > 1
        return is_title or not read_entry("time_mentions", "named").isdisjoint(before)


def _capitalised(text: str) -> Collection[str]:
    return {unify(word) for word in _WORD.findall(text) if word[0].isupper()}


@cache
def phrases(head: str) -> frozenset[tuple[str, ...]]:
    """The words of an entry of `data/time_mentions.txt`, by those that hang together."""
    return frozenset(tuple(phrase.split("_")) for phrase in read_table("time_mentions")[head])


@cache
def beginnings() -> frozenset[str]:
    """The words with which an expression may begin."""
    tables = [*read_table("time_mentions").values(), *read_table("calendar").values(), *read_table("holidays").values()]
    phrases = {word.split("_")[0] for words in tables for word in words}
    return frozenset(phrases | number_words().keys() | nth_words() | _ROMAN | {"the", "a", "an", "самого", "самому"})


@cache
def telling_words() -> frozenset[str]:
    """The words of which every expression has one, if it has no digit."""
    table = read_table("time_mentions")
    names = [name for words in read_table("holidays").values() for name in words]
    phrases = [phrase.split("_") for phrase in (*names, *(word for head in _TELLING for word in table[head]))]
    # Of several words that hang together a long one is enough.
    words = (word for phrase in phrases for word in phrase if len(phrase) == 1 or len(word) > 3)
    return frozenset(months().keys() | weekdays().keys() | seasons().keys()).union(words)


@cache
def unit_words() -> dict[str, frozenset[str]]:
    """The words for each unit that people count time by."""
    units = ("day", "week", "month", "year", "hour", "fortnight", "decade")
    return {unit: read_entry("time_mentions", unit) for unit in units}


def plural_units() -> frozenset[str]:
    """Units of which there are several."""
    return read_entry("time_mentions", "plural_units")


@cache
def genitives() -> frozenset[str]:
    """What follows a part directly: the month of "першого тижня травня", "this" of "останній день цього місяця"."""
    words = {"року", "місяця", "цього", "минулого", "наступного", "літа", "зими", "весни", "осені", "года", "месяца"}
    return frozenset(words | {word for word in months() if not word.isascii()})


def loose_words() -> frozenset[str]:
    """What may follow "on the 5th", where a noun would make it something else."""
    return read_entry("time_mentions", "loose")


def counted_things() -> frozenset[str]:
    """What a number like a year may be a count of: in 2000 words."""
    return read_entry("time_mentions", "counted")


def _numbers_of(*prefixes: str, table: str = "calendar") -> dict[str, int]:
    return {
        word: int(head.rpartition("_")[2])
        for prefix in prefixes
        for head, words in read_table(table).items()
        if head.startswith(prefix)
        for word in words
    }


@cache
def months() -> dict[str, int]:
    """The months that are plain by themselves."""
    short = {word: number for word, number in _numbers_of("short_month_").items() if word.isascii()}
    return _numbers_of("month_") | short


@cache
def short_months() -> dict[str, int]:
    """Abbreviations that are words as well: they follow the number of a day."""
    return {word: number for word, number in _numbers_of("short_month_").items() if word not in ("лист", "трав")}


@cache
def weekdays() -> dict[str, int]:
    """The weekdays, 1 is Monday."""
    return _numbers_of("weekday_", "day_of_week_") | _numbers_of("weekday_", table="time_mentions")


@cache
def seasons() -> dict[str, int]:
    """The seasons, 1 is the winter."""
    return _numbers_of("season_")
