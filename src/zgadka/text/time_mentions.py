"""The days that a sentence names somewhere: "what did I eat last Tuesday", "що ми садили навесні", "з початку року".

`zgadka.text.dates` reads a text that dates a fact and says nothing else. Here the days stand among other words, some of
which only look like days ("may I", "the dog Friday", "квартира 2025"), and vague words have a width:

- Weeks begin on Monday; last week, month, quarter and year are whole ones of the calendar, this one ends today where
  the sentence tells of the past. The last N days, weeks, months are N before today up to today.
- A day, month, season or holiday alone is the last one before today, in a plan the next one.
- N days ago is a day; a couple of days ago two to three, a few two to six, "the other day" one to seven; a week ago six
  to eight, two weeks 12 to 16, a month 25 to 35, more months fifteen days around, a year 30; two years and more a year.
- The beginning of a month are its days up to the 10th, the middle those up to the 20th; of a year its first and last
  two months, and the four in the middle.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from zgadka.text.calendar_days import Days, Recurring, one_day, year_of
from zgadka.text.time_expressions import Expressions
from zgadka.text.time_words import Mention, Reading, counted_things

_DAY = timedelta(days=1)
_FILLERS = 3
"""Words between two parts of one expression: "on Tuesday of the last week"."""


class MentionedDays(NamedTuple):
    """Days that a text names.

    Attributes:
        first: The first day.
        last: The last day.
        is_dated: Whether it names them by their dates, not by how long ago they were.
        is_of_any_year: Whether the same days come every year, no year is named, and those that have been are meant.
    """

    first: date
    last: date
    is_dated: bool = False
    is_of_any_year: bool = False


def days_mentioned(text: str, today: date) -> list[MentionedDays]:
    """Find the days that a text names, in its order; "today" only where it names no others.

    Args:
        today: The day on which it was said.
    """
    mentions = _Reader(text, today).read()
    not_today = [days for days in mentions if days[:2] != (today, today)]
    return not_today or mentions[:1]


class _Reader(Expressions):
    def read(self) -> list[MentionedDays]:
        mentions: list[MentionedDays] = []
        at = 0
        while at < len(self._tokens) and self._is_telling:
            if self._is("every", at):  # Friday
                at += 2
                continue
            try:
                days, end = self._at(at)
            except (ValueError, OverflowError):  # the calendar has no such day
                days, end = None, at + 1
            if days is not None and days not in mentions:
                mentions.append(days)
            at = max(end, at + 1)
        return mentions

    def _at(self, at: int) -> tuple[MentionedDays | None, int]:
        for read in (self._range, self._since):
            if (several := read(at)) is not None:
                return several
        if (chain := self._chain(at)) is None or not self._says_when(chain[0], at, chain[1]):
            return None, at + 1
        mention, end = chain
        days = self._resolve(mention, at)
        is_of_any_year = self._tells_past(at) and mention.recurring is not None and mention.recurring.is_yearly
        return None if days is None else MentionedDays(*days[:2], mention.is_dated, is_of_any_year), end

    def _range(self, at: int) -> tuple[MentionedDays, int] | None:
        """Read "between Monday and Wednesday", "з 10 по 15 травня", "May 10-15"."""
        is_opened = self._is("range_from", at)
        start = at + is_opened
        start += self._word(start) == "the"
        begin, day = self._chain(start), self._day_number(start)
        if begin is not None and day is not None and begin[1] == day[1]:  # the 3rd, of the month that follows
            begin = None
        start = begin[1] if begin is not None else day[1] if day is not None else -1
        if start < 0 or not self._is("range_to", start) or (self._word(start) != "-" and not is_opened):
            return None
        end_at = start + 1 + (self._word(start + 1) == "the")
        if self._is("now", end_at) and begin is not None:
            return self._up_to_today(begin[0], at), end_at + 1
        right = self._chain(end_at)
        if right is None:
            last = self._day_number(end_at)
            first = None if begin is None or begin[0].size != 1 else self._resolve(begin[0], at)
            if last is None or first is None or last[0] < first.first.day:
                return None
            return MentionedDays(first.first, first.first.replace(day=last[0]), is_dated=True), last[1]
        if begin is not None:
            return self._between(begin[0], right[0], at), right[1]
        last_days = self._resolve(right[0], at)
        if last_days is None or right[0].size != 1 or day is None or day[0] > last_days.first.day:
            return None
        return MentionedDays(last_days.first.replace(day=day[0]), last_days.last, is_dated=True), right[1]

    def _between(self, begin: Mention, end: Mention, at: int) -> MentionedDays:
        last_days, first_days = self._resolve(end, at), self._resolve(begin, at)
        if last_days is None or first_days is None:
            raise ValueError
        if self._tells_past(at) and begin.recurring is not None:
            first_days = begin.recurring.last_before(last_days.last + _DAY) or first_days
        elif end.recurring is not None:
            last_days = end.recurring.next_from(first_days.first) or last_days
        if first_days.first > last_days.last:
            raise ValueError
        return MentionedDays(first_days.first, last_days.last, begin.is_dated)

    def _since(self, at: int) -> tuple[MentionedDays, int] | None:
        """Read "since Monday", "з початку року", "after March 5"."""
        is_after = self._word(at) in ("after", "після")
        if not is_after and not self._is("since", at):
            return None
        chain = self._chain(at + 1)
        if chain is None or not self._says_when(chain[0], at + 1, chain[1]):
            return None
        if is_after:
            days = self._resolve(chain[0], at, is_past=True)
            if days is None or days.last >= self._today:
                return None
            return MentionedDays(days.last + _DAY, self._today), chain[1]
        if self._word(at) in ("з", "із", "зі", "с", "со") and chain[0].days == one_day(self._today):
            return None
        return self._up_to_today(chain[0], at), chain[1]

    def _up_to_today(self, mention: Mention, at: int) -> MentionedDays:
        days = self._resolve(mention, at, is_past=True)
        if days is None:
            raise ValueError
        return MentionedDays(days.first, days.last if days.first > self._today else self._today)

    def _chain(self, at: int) -> Reading | None:
        """Read one expression of one or several parts: "Tuesday of last week", "торік у березні"."""
        primary = self._primary(at)
        if primary is None:
            return None
        mention, end = primary
        while (joined := self._joined(mention, end)) is not None:
            mention, end = joined
        return mention, end

    def _joined(self, mention: Mention, end: int) -> Reading | None:
        start = end
        for _ in range(_FILLERS + 1):
            addition = self._primary(start)
            if addition is not None:
                both = self._combined(mention, addition[0])
                return None if both is None else (both, addition[1])
            if not self._is("joins", start):
                return None
            start += 1
        return None

    def _combined(self, mention: Mention, following: Mention) -> Mention | None:
        for inner, outer in ((mention, following), (following, mention)):
            if inner.recurring is None:
                continue
            if outer.anchor is not None and outer.days is not None:
                days = self._beside(inner.recurring, outer.anchor)
            elif outer.days is not None and outer.size > inner.size:
                days = self._one_within(inner.recurring, outer.days)
            else:
                continue
            return None if days is None else Mention(inner.size, days, is_dated=inner.is_dated)
        if mention.size != following.size:
            return None
        if mention.days is not None or following.days is not None:  # yesterday, May 5
            return mention if mention.days is not None else following
        if (
            mention.recurring is None
            or following.recurring is None
            or mention.recurring.is_yearly == following.recurring.is_yearly
        ):
            return None
        return self._on_weekday(
            *sorted((mention.recurring, following.recurring), key=lambda recurring: recurring.is_yearly)
        )

    def _on_weekday(self, on: Recurring, dated: Recurring) -> Mention:
        """Read "Monday, May 5": of the year, last, this or next, in which it is one."""
        year = self._today.year
        near = dated.within(Days(year_of(year - 1).first, year_of(year + 1).last))
        matching = [days for days in near if on.within(days)]
        if len(matching) == 1:
            return Mention(1, matching[0], is_dated=True)
        return Mention(1, recurring=dated, is_dated=True)

    def _beside(self, recurring: Recurring, anchor: date) -> Days | None:
        if recurring.is_yearly:
            return next(iter(recurring.within(year_of(anchor.year))), None)
        return recurring.nearest(anchor)

    def _one_within(self, recurring: Recurring, period: Days) -> Days | None:
        matching = recurring.within(period)
        begun = [days for days in matching if days.first <= self._today]
        if self._is_past and begun:
            return begun[-1]
        to_come = [days for days in matching if days.last >= self._today]
        return next(iter(to_come if not self._is_past else matching), None) or next(iter(matching), None)

    def _says_when(self, mention: Mention, at: int, end: int) -> bool:
        """Whether words that may mean something else say when here."""
        if mention.is_sure:
            return True
        follows = self._word(end)
        if self._is("named", end) or self._is("not_after", end):
            return False
        if mention.size == 365:
            return self._is("at", at - 1) and follows not in counted_things()
        if self._word(at) in self._capitalised and self._is("is_like", at - 1):  # how was May?
            return not follows[:1].isalpha()
        preceding = at - 1
        while self._is("article", preceding):
            preceding -= 1
        return self._is("at", preceding)

    def _tells_past(self, at: int) -> bool:
        if self._is_past and self._has_plan and self._word(at - 1) in ("for", "на"):
            return False
        return self._is_past

    def _resolve(self, mention: Mention, at: int, *, is_past: bool = False) -> Days | None:
        """The days that a mention means in this sentence."""
        is_past = is_past or self._tells_past(at)
        today = self._today
        days = mention.days
        if mention.recurring is not None:
            if is_past:
                days = mention.recurring.last_before(today)
            else:
                is_day = not mention.recurring.is_yearly and mention.size == 1
                days = mention.recurring.next_from(today + is_day * _DAY)
        if days is None or mention.anchor is not None or not days.first <= today < days.last or not is_past:
            return days
        return Days(days.first, today)
