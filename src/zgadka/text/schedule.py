"""Times of day, and what is done again and again: half past six, о третій дня, щовівторка о 10:30, twice a week."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from zgadka.text.quantities import number_words, read_nth
from zgadka.text.word_lists import read_heads, read_table

_TOKEN = re.compile(r"\d{1,2}[:.]\d\d(?::\d\d)?(?![\d.])|\d+|[^\W\d_]+|[^\w\s]")
_FRACTION = re.compile(r"\d/\d")
_NTH = re.compile(r"(?<=\d)-(?:[аїйую]|ій|ої|шу|шій|ту|тій|му|мій|гу|гій)(?![^\W\d_])")
_DOTTED = re.compile(r"(?<=[^\W\d_])\.")
_LONGEST, _LONGEST_PHRASE = 16, 5  # words
_DAY, _WEEK, _NOON, _HOUR = 1, 7, 12, 3600
_AMBIGUOUS = frozenset(["mo", "tu", "we", "th", "fr", "sa", "su", "північ"])
_FORTNIGHT = 14
_MONTHS_OF_UNIT = {30: 1, 365: 12}


class _Clock(NamedTuple):
    hour: int
    minute: int
    is_exact: bool = True
    """Whether it is known which half of the day it is in."""

    def __str__(self) -> str:
        return f"{self.hour:02}:{self.minute:02}"


def read_clock(plain: str) -> str | None:
    """The time of day, or the hours from one to another, that a whole text is; a mere number is an hour."""
    tokens = _tokens(plain)
    is_short = len(tokens) <= _LONGEST and not _FRACTION.search(plain)
    schedule = _read(tokens, takes_hours=True) if is_short else None
    return None if schedule is None else str(schedule)


def read_schedule(plain: str) -> str | None:
    """The days, times and times of day that a whole text is; None where it is none, or a mere number."""
    tokens = _tokens(plain)
    if len(tokens) > _LONGEST or all(map(str.isdecimal, tokens)) or (len(tokens) == 1 and tokens[0] in _AMBIGUOUS):
        return None
    schedule = _read(tokens, takes_hours=False)
    return None if schedule is None else str(schedule)


class _Schedule:
    def __init__(self) -> None:
        self.days: set[int] = set()
        self.every = ""
        self.parts: set[str] = set()
        self.clocks: list[str] = []

    def __str__(self) -> str:
        if not (self.days or self.every or self.parts) and len(self.clocks) == 1 and "-" not in self.clocks[0]:
            return f"CLOCK:{self.clocks[0]}"
        every = self.every
        days = self.days
        if len(days) == _WEEK:
            days, every = set[int](), every or "1/1D"
        if every == "1/1D" and (self.parts or days):  # daily in the mornings
            every = ""
        named = ("".join(map(str, sorted(days))), every, "+".join(sorted(self.parts)), ",".join(self.clocks))
        return "SCHEDULE:" + " ".join(filter(None, named))


def _read(tokens: Sequence[str], *, takes_hours: bool) -> _Schedule | None:
    schedule, at = _Schedule(), 0
    while at < len(tokens):
        end = _days(tokens, at, schedule) or _frequency(tokens, at, schedule)
        end = end or _hours(tokens, at, schedule, takes_hours=takes_hours or bool(schedule.days or schedule.every))
        if not end and (_is(tokens[at], "ignored", "and", "every") or (tokens[at] in "()" and schedule)):
            end = at + 1
        if not end:
            return None
        at = end
    has_any = schedule.days or schedule.every or schedule.parts or schedule.clocks
    return schedule if has_any else None


def _days(tokens: Sequence[str], at: int, schedule: _Schedule) -> int:
    """Take days of the week, single ones or from one to another; 0: there are none."""
    head, end = _head(tokens, at, ("weekdays", "weekends"))
    if head:
        schedule.days |= {1, 2, 3, 4, 5} if head == "weekdays" else {6, 7}
        return end
    start = at + 1 if _is(tokens[at], "from") and at + 1 < len(tokens) else at
    begin_day = _weekdays().get(tokens[start])
    if begin_day is None:
        return 0
    if start + 2 < len(tokens) and _is(tokens[start + 1], "to") and (end_day := _weekdays().get(tokens[start + 2])):
        schedule.days |= {(begin_day + step - 1) % _WEEK + 1 for step in range((end_day - begin_day) % _WEEK + 1)}
        return start + 3
    schedule.days.add(begin_day)
    return start + 1


def _frequency(tokens: Sequence[str], at: int, schedule: _Schedule) -> int:
    """Take how often: daily, twice a week, every other day, раз на два місяці; 0: nothing says it there."""
    head, end = _head(tokens, at, ("morning", "evening", "night", "afternoon"))
    if head:
        schedule.parts.add(head)
        return end
    if schedule.every:
        return 0
    heads = tuple(head for head in _table() if head.startswith("each_"))
    head, end = _head(tokens, at, heads)
    if head:
        schedule.every = f"1/{head.removeprefix('each_')}"
        return end
    times, end = _times(tokens, at)
    if times:
        head, head_end = _head(tokens, end, heads)
        if head:  # twice daily
            schedule.every = f"{times}/{head.removeprefix('each_')}"
            return head_end
        while end < len(tokens) and _is(tokens[end], "per") and end + 1 < len(tokens):
            end += 1
        end += end < len(tokens) and _is(tokens[end], "every")
    elif _is(tokens[at], "every") and at + 1 < len(tokens):
        if _is(tokens[at + 1], "other") and at + 2 < len(tokens) and tokens[at + 2] in _weekdays():
            schedule.every = "1/14D"
            return at + 2
        times, end = 1, at + 1
    else:
        return 0
    return _span(tokens, end, times, schedule)


def _span(tokens: Sequence[str], at: int, times: int, schedule: _Schedule) -> int:
    """Take in how many days, months or hours."""
    number = 1
    if at < len(tokens) and _is(tokens[at], "other") and at + 1 < len(tokens):
        number, at = 2, at + 1
    elif at < len(tokens) and (value := _small_number(tokens[at]) or read_nth(tokens[at])) is not None:
        number, at = value, at + 1
    if at >= len(tokens) or not number:
        return 0
    unit = _units().get(tokens[at])
    if unit is None:
        return 0
    if unit in _MONTHS_OF_UNIT:
        schedule.every = f"{times}/{number * _MONTHS_OF_UNIT[unit]}M"
    elif unit == _HOUR:
        schedule.every = f"{times}/{number * unit}S"
    elif unit == _WEEK and times == _WEEK and number == 1:
        schedule.every = "1/1D"
    else:
        schedule.every = f"{times}/{number * unit}D"
    return at + 1


def _times(tokens: Sequence[str], at: int) -> tuple[int, int]:
    """How many times are said there, and where it ends."""
    head, end = _head(tokens, at, ("times_1", "times_2", "times_3"))
    if head:
        return int(head[-1]), end
    if (number := _small_number(tokens[at])) is None or at + 1 >= len(tokens):
        return 0, at
    if _is(tokens[at + 1], "times"):
        return number, at + 2
    if _is(tokens[at + 1], "per") and at + 2 < len(tokens) and tokens[at + 2] in _units():  # 3 per week
        return number, at + 1
    unit = _units().get(tokens[at + 1])
    is_days = unit == _DAY and at + 2 < len(tokens) and _is(tokens[at + 2], "per")  # 5 days a week
    return (number, at + 2) if is_days else (0, at)


def _hours(tokens: Sequence[str], at: int, schedule: _Schedule, *, takes_hours: bool) -> int:
    """Take a time of day, or the hours from one to another."""
    start = at + 1 if _is(tokens[at], "from") and at + 1 < len(tokens) else at
    start_clock, end = _clock(tokens, start, takes_hours=takes_hours or start > at)
    if start_clock is None:
        return 0
    if end + 1 < len(tokens) and _is(tokens[end], "to", "and" if start > at else "to"):
        end_start = end + 1
        while end_start < len(tokens) and _is(tokens[end_start], "ignored"):
            end_start += 1
        end_clock, end_start = (
            _clock(tokens, end_start, takes_hours=True) if end_start < len(tokens) else (None, end_start)
        )
        if end_clock is not None:
            if (
                end_clock.is_exact
                and not start_clock.is_exact
                and tokens[end_start - 1] in _words("pm")
                and start_clock.hour < _NOON
            ):
                later = start_clock.hour + _NOON
                if later < end_clock.hour and start_clock.hour < 7:  # 2-6 pm
                    start_clock = _Clock(later, start_clock.minute)
            if not end_clock.is_exact and end_clock.hour <= start_clock.hour and end_clock.hour < _NOON:  # 9 to 5
                end_clock = _Clock(end_clock.hour + _NOON, end_clock.minute)
            schedule.clocks.append(f"{start_clock}-{end_clock}")
            return end_start
    schedule.clocks.append(str(start_clock))
    return end


def _clock(tokens: Sequence[str], at: int, *, takes_hours: bool) -> tuple[_Clock | None, int]:
    """The time of day that begins there, and where it ends."""
    head, end = _head(tokens, at, ("noon", "midnight"))
    if head:
        return _Clock(_NOON if head == "noon" else 0, 0), end
    reading = _in_words(tokens, at, is_from=at > 0 and _is(tokens[at - 1], "from"))
    if reading is None:
        return None, at
    hour, minute, end, is_clear = reading
    half, half_end = _head(tokens, end, ("am", "pm", "at_night"))
    if not half and end < len(tokens) and _is(tokens[end], "ignored"):
        skipped = end
        while skipped < len(tokens) and _is(tokens[skipped], "ignored"):
            skipped += 1
        half, half_end = _head(tokens, skipped, ("am", "pm", "at_night")) if skipped < len(tokens) else ("", end)
        if not half and _is(tokens[end], "ignored") and tokens[end] in _CLOCK_WORDS:
            end, is_clear = end + 1, is_clear or tokens[end] in _CLEAR
    if hour > 24 or minute > 59 or (hour == 24 and minute):
        return None, at
    if half:
        if 1 <= hour <= _NOON:
            is_late = half == "pm" or (half == "at_night" and 8 <= hour < _NOON)
            hour = hour % _NOON + _NOON * is_late
        return _Clock(hour, minute), half_end
    if not (is_clear or takes_hours or (at and tokens[at - 1] in _AT and len(tokens) == end)):
        return None, at
    return _Clock(hour % 24, minute, hour > _NOON or ":" in tokens[at]), end


_AT = frozenset({"at", "о", "об"})
_HOURS = frozenset(map(Decimal, range(1, 25)))
_CLOCK_WORDS = frozenset(["oclock", "clock", "h", "год", "года", "година", "години", "годині", "годину"])
_CLEAR = frozenset(["oclock", "clock", "годині"])


def _in_words(tokens: Sequence[str], at: int, *, is_from: bool = False) -> tuple[int, int, int, bool] | None:
    """Hour, minute, where it ends, and whether it can only be a time."""
    token = tokens[at]
    if match := re.fullmatch(r"(\d\d?)([:.])(\d\d)(?::\d\d)?", token):
        return int(match[1]), int(match[3]), at + 1, match[2] == ":"
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    minutes = 15 if _is(token, "quarter") else 30 if _is(token, "half") else _small_number(token)
    if minutes is not None and (is_from or (token.isdecimal() and _is(following, "to"))):  # from nine to five, 9 to 5
        minutes = None
    if _is(token, "article") and _is(following, "quarter"):
        return _in_words(tokens, at + 1, is_from=is_from)
    if minutes is not None:
        next_at = at + 1 + _is(following, "minutes")
        middle = tokens[next_at] if next_at < len(tokens) else ""
        hour = _hour(tokens, next_at + 1) if next_at + 1 < len(tokens) else None
        if hour is not None and (_is(middle, "past", "before") and middle != "of"):
            return (hour[0], minutes, hour[1], True) if _is(middle, "past") else _earlier(hour, minutes)
        if hour is not None and middle == "на" and (_is(token, "quarter", "half")):  # пів на сьому, чверть на сьому
            return _earlier(hour, 60 - minutes)
        if _is(token, "half") and at + 1 < len(tokens) and (hour := _hour(tokens, at + 1)) is not None:
            return _earlier(hour, 30) if following > "z" else (hour[0], 30, hour[1], True)  # пів сьомої, half six
    if _is(token, "za") and at + 1 < len(tokens):  # за чверть сьома, без пяти сьома
        minutes = 15 if _is(following, "quarter") else _small_number(following)
        hour_start = at + 2 + (at + 2 < len(tokens) and _is(tokens[at + 2], "minutes"))
        hour = _hour(tokens, hour_start) if hour_start < len(tokens) else None
        return None if minutes is None or hour is None else _earlier(hour, minutes)
    hour = _hour(tokens, at)
    if hour is None:
        return None
    value, end = hour
    is_word = not token.isdecimal()
    if end < len(tokens) and is_word:
        end += tokens[end] in _CLOCK_WORDS
        if end < len(tokens) and (minute := _minutes(tokens, end)) is not None:
            return value, minute[0], minute[1], True
    return value, 0, end, False


def _earlier(hour: tuple[int, int], minutes: int) -> tuple[int, int, int, bool]:
    value, end = hour
    return (value - 1 if value > 1 else _NOON), 60 - minutes, end, True


def _hour(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    """An hour in digits or words, or in Ukrainian which one it is."""
    token = tokens[at]
    if token.isdecimal():
        return (int(token), at + 1) if len(token) <= 2 else None
    if _is(token, "noon", "midnight"):
        return (_NOON if _is(token, "noon") else 2 * _NOON), at + 1
    following = tokens[at + 1] if at + 1 < len(tokens) else ""
    both = read_nth(f"{token} {following}") if following else None
    if both is not None and token[0] > "z" and both > 20:
        return both, at + 2
    nth = read_nth(token) if token[0] > "z" else None
    if nth is not None:
        return nth, at + 1
    value = number_words().get(token)
    return (int(value), at + 1) if value is not None and value in _HOURS and token not in {"a", "an"} else None


def _minutes(tokens: Sequence[str], at: int) -> tuple[int, int] | None:
    value = _small_number(tokens[at])
    if value is None or value > 59:
        return None
    end = at + 1
    if value >= 20 and value % 10 == 0 and end < len(tokens):
        end += tokens[end] == "-"
        units = _small_number(tokens[end]) if end < len(tokens) else None
        if units is not None and 0 < units < 10:
            return value + units, end + 1
    return (value, at + 1 + (at + 1 < len(tokens) and _is(tokens[at + 1], "minutes"))) if value >= 5 else None


def _small_number(token: str) -> int | None:
    if token.isdecimal():
        return int(token) if len(token) <= 2 else None
    value = number_words().get(token)
    return (
        int(value) if value is not None and value == int(value) and value < 100 and token not in {"a", "an"} else None
    )


def _tokens(plain: str) -> list[str]:
    return _TOKEN.findall(_NTH.sub("", _DOTTED.sub("", plain.replace("-to-", " to "))))


def _is(token: str, *heads: str) -> bool:
    return any(token in _words(head) for head in heads)


def _head(tokens: Sequence[str], at: int, heads: Sequence[str]) -> tuple[str, int]:
    """The one of these heads to which the longest phrase belongs that begins there, and where it ends."""
    for length in range(min(_LONGEST_PHRASE, len(tokens) - at), 0, -1):
        phrase = "_".join(tokens[at : at + length])
        for head in read_heads("schedule").get(phrase, ()):
            if head in heads:
                return head, at + length
    return "", at


@cache
def _words(head: str) -> frozenset[str]:
    return frozenset(_table()[head])


def _table() -> dict[str, tuple[str, ...]]:
    return read_table("schedule")


@cache
def _weekdays() -> dict[str, int]:
    calendar = read_table("calendar")
    days = {word: day for day in range(1, 8) for word in (*calendar[f"weekday_{day}"], *calendar[f"day_of_week_{day}"])}
    return days | {word: day for day in range(1, 8) for word in _table()[f"weekday_{day}"]}


@cache
def _units() -> dict[str, int]:
    units = {
        word: int(head[5:]) for head, words in read_table("calendar").items() if head[:5] == "unit_" for word in words
    }
    return units | dict.fromkeys(_table()["hour"], _HOUR) | {"fortnight": _FORTNIGHT}
