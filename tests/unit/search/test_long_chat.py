"""What is estimated of the blocks of a long chat that were not read."""

from __future__ import annotations

from datetime import date

from zgadka.search.dates import Span
from zgadka.search.long_chat import _begin, _spread  # pyright: ignore[reportPrivateUsage]
from zgadka.stores.tx.blocks import LongChat


def test_a_word_of_which_the_newest_blocks_are_known_is_held_by_as_many_of_those_that_are_left() -> None:
    """Of messages 1 to 2,000 the first half expired, and with it half of the blocks."""
    chat = LongChat(1, 1, ("chat", "", 0), 2000, messages=1000, words=9000, segments=9, is_due=False, form=1)
    newest = list(range(1501, 2001, 10))
    assert _spread(chat, newest, 1000, oldest=1001) == 2 * len(newest)
    assert _spread(chat, newest, 60, oldest=1001) == 60


def test_a_span_may_end_with_the_calendar() -> None:
    day = Span(date.max, date.max)
    assert _begin(day, end=True) - _begin(day) == 24 * 60 * 60 * 1_000_000
