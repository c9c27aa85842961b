"""The days that are named by how far they are from today: "three days ago", "last week", "через місяць"."""

from __future__ import annotations

from datetime import timedelta

from zgadka.text.calendar_days import (
    Days,
    months_away,
    one_day,
    quarter_of,
    same_day_months_away,
    week_of,
    year_of,
)
from zgadka.text.tense import Tense
from zgadka.text.time_words import (
    DAYS,
    MONTHS,
    UNITS,
    WEEKS,
    YEARS,
    Mention,
    Reading,
    TimeWords,
    genitives,
    plural_units,
)

_DAY = timedelta(days=1)
_LIKE_A_YEAR = 1_000
_FEW_MOST = 5
"""Of days, weeks, months: "the last few days"."""
LAST, THIS, NEXT, COMING, BEFORE_LAST, AFTER_NEXT = -1, 0, 1, 3, -2, 2
"""Which one of a week, month, Friday, Christmas is meant, seen from today."""
LENGTHS = {"weekend": 2, "quarter": 91}
_VAGUE: dict[tuple[str, int | str], tuple[int, int]] = {
    (DAYS, "couple"): (2, 3),
    (DAYS, "few"): (2, 6),
    (WEEKS, 1): (6, 8),
    (WEEKS, 2): (12, 16),
    (WEEKS, "couple"): (10, 21),
    (WEEKS, "few"): (14, 35),
    (MONTHS, 1): (25, 35),
    (MONTHS, "couple"): (45, 75),
    (MONTHS, "few"): (60, 150),
}
"""How many days ago it was that was so long ago, by the vague words that people use."""


class RelativeDays(TimeWords):
    """Reads one expression that begins at a word; None where none does."""

    def _ends_today(self, at: int) -> Reading | None:
        """Read "the last 3 days", "in the past year", "за останні пів року"."""
        start = at + (self._word(at) == "the")
        if not self._is("last", start) or self._word(start) in ("previous", "prior"):
            return None
        is_to_today = self._is("ends_today", start) or (
            start > at and self._word(at - 1) in ("in", "over", "during", "within", "for", "throughout")
        )
        is_calendar = self._word(start - 1) in ("this", "цей", "цього") or not is_to_today
        if (halves := self._halves(start + 1)) is not None:
            return self._to_today(halves[0], MONTHS), halves[1]
        count, end = self._count(start + 1)
        unit = self._unit_named(end)
        if unit is None or (isinstance(count, int) and count >= _LIKE_A_YEAR):  # минулого 2024 року
            return None
        if count is None:
            if unit == DAYS and self._word(end) in ("day", "день", "дня", "доби", "добу") and not is_to_today:
                return None
            is_plural = self._word(end) in plural_units() and not self._word(start).endswith("му")
            if not is_plural and (is_calendar or self._word(end + 1) in ("of", *genitives())):
                return None
            count = "few" if is_plural else 1
        if unit == "hour":
            number = count if isinstance(count, int) else _FEW_MOST
            return Mention(1, Days(self._today - max(number // 24, 0) * _DAY, self._today)), end + 1
        if unit == "fortnight":
            return self._to_today(14, DAYS), end + 1
        if unit == "decade":
            return self._to_today(10, YEARS), end + 1
        number = count if isinstance(count, int) else {"couple": 2, "few": _FEW_MOST}[count]
        return self._to_today(number, unit), end + 1

    def _to_today(self, number: int, unit: str) -> Mention:
        if unit in (MONTHS, YEARS):
            first = same_day_months_away(self._today, -number * (12 if unit == YEARS else 1))
        else:
            first = self._today - number * UNITS[unit] * _DAY
        return Mention((self._today - first).days + 1, Days(first, self._today))

    def _ago(self, at: int) -> Reading | None:
        """Read "three days ago", "місяць тому", "a couple of weeks back", "роки два тому"."""
        start = self._past_about(at)
        if (halves := self._halves(start)) is not None and (end := self._ago_after(halves[1])):
            return self._months_ago(halves[0]), end
        if (end := self._phrase("week_and_half", start)) and (end := self._ago_after(end)):
            day = self._today - 10 * _DAY
            return Mention(5, Days(day - 2 * _DAY, day + 2 * _DAY), anchor=day), end
        count, end = self._count(start)
        unit = self._unit_named(end)
        if unit is None:
            return None
        end += 1
        if count is None:
            inverted, after = self._count(end)
            if inverted is not None and self._ago_after(after):
                count, end = inverted, after
        finish = self._ago_after(end)
        if not finish:
            return None
        if count is None:
            count = "few" if self._word(end - 1) in plural_units() else 1
        return self._so_long_ago(count, unit), finish

    def _ago_after(self, at: int) -> int:
        """Where "ago" ends that stands here; 0 where none does."""
        if not self._is("ago", at) or self._is("not_ago", at + 1):
            return 0
        return 0 if self._word(at) == "back" and self._word(at + 1) in ("in", "to", "home") else at + 1

    def _so_long_ago(self, count: int | str, unit: str) -> Mention:
        today = self._today
        if unit == "hour":
            return exactly(one_day(today))
        if unit == "fortnight":
            count, unit = 2, WEEKS
        if unit == "decade":
            count, unit = (10 * count if isinstance(count, int) else 20), YEARS
        if (span := _VAGUE.get((unit, count))) is not None:
            low, high = span
            days = Days(today - high * _DAY, today - low * _DAY)
            return Mention(high - low + 1, days, anchor=today - (low + high) // 2 * _DAY)
        if isinstance(count, str):  # years
            fewest, most = (2, 3) if count == "couple" else (2, _FEW_MOST)
            days = Days(year_of(today.year - most).first, year_of(today.year - fewest).last)
            return Mention(365 * (most - fewest + 1), days, anchor=days.first)
        if unit == DAYS:
            return exactly(one_day(today - count * _DAY))
        if unit == WEEKS:
            day = today - count * 7 * _DAY
            return Mention(7, Days(day - 3 * _DAY, day + 3 * _DAY), anchor=day)
        if unit == MONTHS:
            return self._months_ago(count)
        if count == 1:
            return self._months_ago(12)
        return Mention(365, year_of(today.year - count), anchor=same_day_months_away(today, -12 * count))

    def _months_ago(self, months: int) -> Mention:
        day = same_day_months_away(self._today, -months)
        width = 10 if months == 2 else 15 if months < 12 else 30
        return Mention(2 * width, Days(day - width * _DAY, day + width * _DAY), anchor=day)

    def _in_future(self, at: int) -> Reading | None:
        """Read "in two weeks", "через місяць", "three days from now"."""
        is_first = self._is("in_future", at)
        start = self._past_about(at + is_first)
        if (halves := self._halves(start)) is not None:
            unit, end, count = MONTHS, halves[1], halves[0]
        else:
            count, end = self._count(start)
            unit, end = self._unit_named(end), end + 1
        if unit is None or unit == "hour" or self._is("times", at - 1):
            return None
        if is_first:
            # "In a month", but not "in month"; "через день" is every second day.
            is_counted = count is not None or (self._word(at) == "через" or self._word(at + 1) in ("a", "an"))
            if not is_counted or (count is None and unit == DAYS):
                return None
            if self._tense is Tense.PAST or self._is("after_event", end):
                return None
            finish = end
        elif not (finish := self._phrase("from_now", end)):
            return None
        return self._so_long_from_now(count, unit), finish

    def _so_long_from_now(self, count: int | str | None, unit: str) -> Mention:
        number = 1 if count is None else count if isinstance(count, int) else {"couple": 2, "few": 3}[count]
        if unit == "fortnight":
            number, unit = 2, WEEKS
        today = self._today
        if unit == DAYS:
            return exactly(one_day(today + number * _DAY))
        if unit == WEEKS:
            day, width = today + number * 7 * _DAY, 1 if number == 1 else 2
        else:
            months = number * {MONTHS: 1, YEARS: 12, "decade": 120}[unit]
            if months >= 24:
                return Mention(365, year_of(today.year + months // 12))
            day, width = same_day_months_away(today, months), 5 if months == 1 else 15 if months < 12 else 30
        return Mention(2 * width, Days(day - width * _DAY, day + width * _DAY), anchor=day)

    def _unit(self, step: int, unit: str) -> Days:
        """The week, month, quarter, year or weekend so many after this one."""
        today = self._today
        if step == COMING:
            step = 1 if unit != "weekend" else 0
        if unit == WEEKS:
            return week_of(today + step * 7 * _DAY)
        if unit == MONTHS:
            return months_away(today, step)
        if unit == "quarter":
            at = today.year * 4 + (today.month - 1) // 3 + step
            return quarter_of(at // 4, at % 4 + 1)
        if unit == YEARS:
            return year_of(today.year + step)
        this_one = week_of(today).last
        if step < 0:
            last_one = this_one - (0 if this_one < today else 7) * _DAY
            return Days(last_one + (step * 7 + 6) * _DAY, last_one + (step + 1) * 7 * _DAY)
        if step == THIS and self._is_past and today < this_one - _DAY:
            step = -1
        return Days(this_one + (step * 7 - 1) * _DAY, this_one + step * 7 * _DAY)

    def _step(self, at: int) -> tuple[int | None, int]:
        """Whether the last one is meant, this one or the next; and where that word ends."""
        step: int | None = None
        start = at + (self._word(at) == "the")
        heads = (("before_last", BEFORE_LAST), ("coming", COMING), ("next", NEXT), ("last", LAST), ("this", THIS))
        for _ in range(2):  # "this past week"
            if (by := next((by for head, by in heads if self._is(head, start)), None)) is not None:
                step = by if step in (None, THIS) else step
                start += 1
        return step, start

    def _moved(self, step: int | None, mention: Mention) -> Mention:
        """The last, this or the next of days that come again."""
        recurring = mention.recurring
        if step is None or recurring is None:
            return mention
        today = self._today
        if step in (LAST, BEFORE_LAST):
            is_day = recurring.size <= 3
            days = recurring.last_before(today) if is_day else recurring.last_over(today)
            if step == BEFORE_LAST and days is not None:
                days = recurring.last_before(days.first)
        elif step == NEXT and not recurring.is_yearly:
            following = self._unit(1, WEEKS)
            days = next(iter(recurring.within(following)), None)
        elif step in (NEXT, COMING):
            days = recurring.next_from(today + _DAY)
            if days is not None and days.first <= today:
                days = recurring.next_from(days.last + _DAY)
        elif recurring.is_yearly:
            matching = [days for days in recurring.within(year_of(today.year)) if days.last.year == today.year]
            days = next(iter(matching), None) or recurring.next_from(today)
        elif self._is_past:
            days = recurring.last_before(today + _DAY)
        else:
            days = recurring.next_from(today)
        if days is None:
            raise ValueError
        return Mention(mention.size, days)

    def _this_time_last_year(self, at: int) -> Reading | None:
        if self._words(at, 4) in (("this", "time", "last", "year"), ("цей", "час", "минулого", "року")):
            return self._months_ago(12), at + 4
        return None


def exactly(days: Days) -> Mention:
    """A mention of one day."""
    return Mention(1, days)


def dated(days: Days) -> Mention:
    """A mention of one day by its date."""
    return Mention(1, days, is_dated=True)


def sized(days: Days) -> Mention:
    """A mention of some days."""
    return Mention((days.last - days.first).days + 1, days)
