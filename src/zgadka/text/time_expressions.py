"""Days that are named by themselves: "March 5th", "on Tuesday", "навесні", "the first week of May", "у 2023 році"."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from datetime import date, timedelta

from zgadka.text.calendar_days import (
    Days,
    day_of_month,
    day_of_year,
    holidays,
    month,
    month_of,
    months_away,
    one_day,
    quarter,
    same_day_months_away,
    season,
    season_of,
    weekday,
    weekend,
    year_of,
)
from zgadka.text.relative_days import (
    AFTER_NEXT,
    BEFORE_LAST,
    LAST,
    LENGTHS,
    NEXT,
    THIS,
    RelativeDays,
    dated,
    exactly,
    sized,
)
from zgadka.text.time_words import (
    DAYS,
    MONTHS,
    UNITS,
    WEEKS,
    YEARS,
    Mention,
    Reading,
    beginnings,
    genitives,
    loose_words,
    months,
    seasons,
    short_months,
    weekdays,
)

_DAY = timedelta(days=1)
_DECADE = re.compile(r"((?:19|20)?\d0)-?(?:s|х|ті|тих|их)")
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d\d))?")
_DAY_AND_MONTH = re.compile(r"(\d{1,2})\.(\d\d)")
_MONTH_AND_YEAR = re.compile(r"(\d\d)\.(\d{4})")
_OF_YEARS = (("of_last_year", -1), ("of_before_last_year", -2))
_NAMES_OF_PEOPLE = frozenset(
    {"april", "may", "june", "august", "march", "jan", "mar", "dec", "sun", "sat", "wed", "mon"}
    | {"лютий", "пн", "вт", "ср", "чт", "пт", "сб", "нд"}
)
"""Months and weekdays that are other words as often: they count beside a preposition, a number, another such word."""
_ADVERBS = frozenset(
    {"взимку", "навесні", "влітку", "восени", "зимою", "весною", "літом", "осінню", "весной", "летом", "осенью"}
)
"""Seasons that need nothing beside them to say when."""


class Expressions(RelativeDays):
    """Reads one expression that begins at a word; None where none does."""

    @abstractmethod
    def _chain(self, at: int) -> Reading | None:
        """Read an expression of one or several parts."""

    def _primary(self, at: int) -> Reading | None:
        if at not in self._read:
            word = self._word(at)
            may_begin = bool(word) and (not word.isalpha() or word in beginnings())
            self._read[at] = self._first_reading(at) if may_begin else None
        return self._read[at]

    def _first_reading(self, at: int) -> Reading | None:
        reads: tuple[Callable[[int], Reading | None], ...] = (
            *(
                self._in_digits,
                self._near_today,
                self._holiday,
                self._ends_today,
                self._part,
                self._ago,
                self._in_future,
            ),
            *(self._stepped, self._this_time_last_year, self._day_and_month, self._quarter, self._month, self._weekday),
            *(self._season, self._weekend, self._year, self._decade, self._numbered_day),
        )
        for read in reads:
            try:
                if (reading := read(at)) is not None:
                    return reading
            except (ValueError, OverflowError):  # the calendar has no such day
                continue
        return None

    def _in_digits(self, at: int) -> Reading | None:
        token = self._word(at)
        if re.fullmatch(r"\d{4}-\d\d-\d\d", token):
            return dated(one_day(date.fromisoformat(token))), at + 1
        if match := _DOTTED.fullmatch(token):
            return dated(one_day(date(self._full_year(match[3]), int(match[2]), int(match[1])))), at + 1
        if match := _SLASHED.fullmatch(token):
            if not match[3] and not self._is("at", at - 1):
                return None
            day, month_number = int(match[1]), int(match[2])
            if (day <= 12 and self._is_english()) or month_number > 12:
                day, month_number = month_number, day
            if match[3]:
                return dated(one_day(date(self._full_year(match[3]), month_number, day))), at + 1
            date(2000, month_number, day)
            return Mention(1, recurring=day_of_year(month_number, day), is_dated=True), at + 1
        if (match := _MONTH_AND_YEAR.fullmatch(token)) and 1 <= int(match[1]) <= 12:
            return Mention(30, month_of(int(match[2]), int(match[1]))), at + 1
        if (match := _DAY_AND_MONTH.fullmatch(token)) and self._is("at", at - 1):
            date(2000, int(match[2]), int(match[1]))
            return Mention(1, recurring=day_of_year(int(match[2]), int(match[1])), is_dated=True), at + 1
        return None

    def _near_today(self, at: int) -> Reading | None:
        """Read "yesterday", "the other day", "днями"."""
        at += self._word(at) == "the"
        for days_ago in (3, 2, 1, 0, -3, -2, -1):
            if end := self._phrase(f"day_{days_ago}", at):
                if self._is_somebodys_name(at):
                    return None
                return exactly(one_day(self._today - days_ago * _DAY)), end
        if end := self._phrase("other_day", at):
            return Mention(7, Days(self._today - 7 * _DAY, self._today - _DAY)), end
        if end := self._phrase("other_week", at):
            return sized(self._unit(LAST if self._is_past else NEXT, WEEKS)), end
        return None

    def _holiday(self, at: int) -> Reading | None:
        step, start = self._step(at)
        for length in (4, 3, 2, 1):
            recurring = holidays().get(tuple(self._tokens[start : start + length]))
            if recurring is not None:
                if self._word(start) == "independence" and not self._is_english():
                    return None
                return self._moved(step, Mention(recurring.size, recurring=recurring)), start + length
        return None

    def _part(self, at: int) -> Reading | None:
        """Read "early March", "на початку місяця", "the first week of May", "second half of 2024"."""
        at += self._word(at) in ("the", "самого", "самому")
        part, end = self._part_named(at)
        if not part:
            return None
        start = end
        while self._word(start) in ("of", "the", "in", "-", "у", "в"):
            start += 1
        period = self._whole(start)
        if period is None:
            return None
        mention, end = period
        if mention.recurring is not None:
            recurring = mention.recurring
            return Mention(
                recurring.size // 3,
                recurring=recurring.changed(lambda days: part_of(days, part)),
                is_dated=True,
            ), end
        if mention.days is None:
            return None
        days = part_of(mention.days, part)
        if days is None:
            return None
        if days.first > self._today and self._is_past and self._bare_unit(start) is not None:
            days = part_of(self._unit(LAST, self._bare_unit(start) or MONTHS), part) or days
        is_dated = self._bare_unit(start) is None
        return Mention((days.last - days.first).days + 1, days, is_dated=is_dated), end

    def _whole(self, at: int) -> Reading | None:
        """Read what something is a part of: a month, year, week, "this month", "last year"."""
        if (unit := self._bare_unit(at)) is not None and not self._is("ago", at + 1):
            if unit == MONTHS and self._word(at + 1) == "of" and (named := self._month(at + 2)) is not None:
                return named
            return Mention(UNITS[unit], self._unit(THIS, unit)), at + 1
        if self._part_named(at)[0]:  # the beginning of the end
            return None
        chain = self._chain(at)
        return chain if chain is not None and chain[0].size > 6 else None

    def _part_named(self, at: int) -> tuple[str, int]:
        for part in ("early", "middle", "late"):
            if end := self._phrase(part, at):
                return part, end
        nth, start = self._nth(at)
        if nth is None and self._is("last", at):
            nth, start = -1, at + 1
        if nth is None:
            return "", at
        if self._is("half_year_part", start) and nth in (1, 2, -1):
            return ("first_half" if nth == 1 else "second_half"), start + 1
        if self._unit_named(start) in (WEEKS, DAYS) and self._word(start + 1) in ("of", "in", *genitives()):
            return f"{self._unit_named(start)} {nth}", start + 1
        number = weekdays().get(self._word(start))
        if number is not None and self._word(start + 1) in ("of", *genitives()):
            return f"weekday {nth} {number}", start + 1
        return "", at

    def _stepped(self, at: int) -> Reading | None:
        """Read "last week", "цього місяця", "next Friday", "the week before last"."""
        start = at + (self._word(at) == "the")
        if (unit := self._unit_named(start)) in (WEEKS, MONTHS, YEARS) or self._is("weekend", start):
            if self._words(start + 1, 2) == ("before", "last"):
                return sized(self._unit(BEFORE_LAST, unit or "weekend")), start + 3
            if self._words(start + 1, 2) == ("after", "next"):
                return sized(self._unit(AFTER_NEXT, unit or "weekend")), start + 3
        for head, by in (("last_year", -1), ("before_last_year", -2), ("this_year", 0)):
            if self._is(head, at):
                return sized(year_of(self._today.year + by)), at + 1
        step, start = self._step(at)
        if step is None:
            return None
        unit = self._unit_named(start)
        if self._is("weekend", start):
            unit = "weekend"
        elif self._is("quarter", start):
            unit = "quarter"
        if unit is not None and unit in (WEEKS, MONTHS, YEARS, *LENGTHS):
            if (year := self._year(start + 1)) is not None and unit == YEARS:
                return year
            return sized(self._unit_meant(step, unit)), start + 1
        if (named := self._named_recurring(start)) is None:
            return None
        mention, end = named
        by = next((by for head, by in _OF_YEARS if self._is(head, start - 1)), None)
        if by is not None and mention.recurring is not None and mention.recurring.is_yearly:
            return Mention(mention.size, mention.recurring.within(year_of(self._today.year + by))[0]), end
        return self._moved(step, mention), end

    def _unit_meant(self, step: int, unit: str) -> Days:
        """The same as `_unit`, in a plan without what of this one is over."""
        days = self._unit(step, unit)
        return Days(max(days.first, self._today), days.last) if step == THIS and not self._is_past else days

    def _named_recurring(self, at: int) -> Reading | None:
        for read in (self._day_and_month, self._month, self._weekday, self._season):
            if (reading := read(at)) is not None and reading[0].recurring is not None:
                return reading
        return None

    def _day_and_month(self, at: int) -> Reading | None:
        """Read "March 5th 2024", "the 5th of March", "5-го березня", "п'ятого березня"."""
        at += self._word(at) == "the"
        if (number := months().get(self._word(at))) is not None:
            start = at + 1 + (self._word(at + 1) == "the")
            if (named := self._day_number(start, is_ordinal_word=True)) is None or self._is_hour(named[1]):
                return None
            day, end = named
            if self._unit_named(end) is not None:
                return None
        elif (named := self._day_number(at, is_ordinal_word=True)) is not None:
            day, end = named
            end += self._word(end) == "of"
            end += self._is("number", end)
            number = months().get(self._word(end)) or short_months().get(self._word(end))
            if number is None:
                return None
            end += 1
        else:
            return None
        recurring = day_of_year(number, day)
        date(2000, number, day)
        if (year := self._year_number(end)) is not None:
            return dated(one_day(date(year[0], number, day))), year[1]
        return Mention(1, recurring=recurring, is_dated=True), end

    def _numbered_day(self, at: int) -> Reading | None:
        """Read "on the 5th", "5-го числа"."""
        start = at + (self._word(at) == "the")
        named = self._day_number(start, is_ordinal_word=True)
        if named is None:
            return None
        day, end = named
        mention = Mention(1, recurring=day_of_month(day))
        if self._is("number", end):
            return mention, end + 1
        is_ordinal = not self._word(start).isdecimal()
        follows = self._word(end)
        is_of = follows == "of" and (self._unit_named(end + 2) == MONTHS or self._unit_named(end + 3) == MONTHS)
        is_alone = not follows or not follows[0].isalnum() or follows in loose_words()
        if start > at and is_ordinal and (is_of or (is_alone and self._is("at", at - 1))):
            return mention, end
        if is_ordinal and self._word(start)[-1:] == "о" and self._word(start)[0].isdigit() and is_alone:
            return mention, end
        return None

    def _quarter(self, at: int) -> Reading | None:
        if match := re.fullmatch("q([1-4])", self._word(at)):
            return Mention(91, recurring=quarter(int(match[1]))), at + 1
        number, end = self._nth(at + (self._word(at) == "the"))
        if number is None or number > 4 or not self._is("quarter", end):
            return None
        return Mention(91, recurring=quarter(number)), end + 1

    def _month(self, at: int) -> Reading | None:
        token = self._word(at)
        number = months().get(token)
        if number is None:
            return None
        if self._word(at + 1) == "." and len(token) <= 4:
            at += 1
        if (year := self._year_number(at + 1)) is not None:
            return Mention(30, month_of(year[0], number)), year[1]
        is_sure = token not in _NAMES_OF_PEOPLE
        return Mention(30, recurring=month(number), is_sure=is_sure), at + 1

    def _weekday(self, at: int) -> Reading | None:
        token = self._word(at)
        number = weekdays().get(token)
        if number is None or (token.endswith("days") and token.isascii()):  # on Fridays
            return None
        if token in ("неделе", "неделя", "неделю"):
            return None
        if self._words(at + 1, 2) == ("before", "last"):
            return self._moved(BEFORE_LAST, Mention(1, recurring=weekday(number))), at + 3
        is_sure = token not in _NAMES_OF_PEOPLE and not self._is_somebodys_name(at)
        return Mention(1, recurring=weekday(number), is_sure=is_sure), at + 1

    def _season(self, at: int) -> Reading | None:
        token = self._word(at)
        number = seasons().get(token)
        if number is None or token in ("springs", "falls", "winters", "summers"):
            return None
        start = at + 1 + (self._word(at + 1) == "of")
        if (year := self._year_number(start)) is not None:
            return Mention(90, season_of(year[0], number)), year[1]
        follows = self._word(at + 1)
        is_alone = not follows or not follows[0].isalpha() or follows in loose_words() or not token.isascii()
        if token.isascii() and not is_alone and not self._is("last", at + 1):
            return None
        recurring = season(number)
        return Mention(recurring.size, recurring=recurring, is_sure=token in _ADVERBS), at + 1

    def _weekend(self, at: int) -> Reading | None:
        start = at + (self._word(at) == "the")
        if not self._is("weekend", start):
            return None
        return Mention(2, recurring=weekend(), is_sure=self._is("at", at - 1)), start + 1

    def _year(self, at: int) -> Reading | None:
        if self._is("year", at) and self._word(at).isascii() and (year := self._year_number(at + 1)) is not None:
            return sized(year_of(year[0])), year[1]
        year = self._year_number(at)
        if year is None:
            return None
        is_sure = year[1] > at + 1 or self._word(at).startswith("'") or not self._word(at).isdecimal()
        return Mention(365, year_of(year[0]), is_sure=is_sure), year[1]

    def _decade(self, at: int) -> Reading | None:
        start = at + (self._word(at) == "the")
        match = _DECADE.fullmatch(self._word(start))
        if match is None or not self._is("at", at - 1):
            return None
        first = int(match[1]) if len(match[1]) == 4 else int(match[1]) + (1900 if int(match[1]) > 20 else 2000)
        return Mention(3652, Days(date(first, 1, 1), date(first + 9, 12, 31))), start + 1


def part_of(period: Days, part: str) -> Days | None:
    """A part of some days: early, middle, late, first_half, second_half, "week 2", "day -1", "weekday 1 5"."""
    first, last = period.first, period.last
    length = (last - first).days + 1
    kind, *numbers = part.split()
    if kind in (WEEKS, DAYS, "weekday"):
        return _numbered_part(period, kind, [int(number) for number in numbers])
    if part in ("first_half", "second_half"):
        if length < 40:
            half = first + (15 if length > 20 else length // 2 + 1) * _DAY
        else:
            half = same_day_months_away(first, round(length / 61))
        return Days(first, half - _DAY) if part == "first_half" else Days(half, last)
    if length <= 7:
        edges = {"early": (0, 1), "middle": (2, 3), "late": (4, 6)}[part]
        return Days(first + edges[0] * _DAY, first + edges[1] * _DAY)
    if length <= 31:
        begin, end = {"early": (1, 10), "middle": (11, 20), "late": (21, last.day)}[part]
        return Days(first.replace(day=begin), first.replace(day=end))
    months = round(length / 30.4)
    if months < 6:
        at = {"early": 0, "middle": months // 2, "late": months - 1}[part]
        return months_away(first, at)
    begin, end = {"early": (0, 1), "middle": (4, 7), "late": (10, 11)}[part]
    return Days(months_away(first, begin).first, months_away(first, end).last)


def _numbered_part(period: Days, kind: str, numbers: Sequence[int]) -> Days | None:
    nth, *numbers_of_weekday = numbers
    if kind == "weekday":
        matching = weekday(numbers_of_weekday[0]).within(period)
        return None if nth > len(matching) else matching[nth - 1 if nth > 0 else nth]
    length = 7 if kind == WEEKS else 1
    if nth < 0:
        return Days(period.last - (length - 1) * _DAY, period.last)
    begin = period.first + (nth - 1) * length * _DAY
    return None if begin > period.last else Days(begin, min(begin + (length - 1) * _DAY, period.last))
