"""Which texts a quotation was taken from."""

from __future__ import annotations

import pytest
from tests.support.cpu_time import takes_less

from zgadka.text.quotations import taken_from

TEXTS = {1: "I was born in Lviv, in spring", 2: "zorvakula", 3: "Nice weather in Lviv today!"}


@pytest.mark.parametrize(
    ("quoted", "taken"),
    [
        ("I was born in Lviv", {1}),
        ("i was  BORN in lviv", {1}),
        ("Zorvakula", {2}),
        ("in Lviv", set[int]()),
        ("well\nNice weather in Lviv today! Is it not?\nno", {3}),
        ("was born in Lviv\nNice weather in Lviv", {1, 3}),
        ("", set[int]()),
    ],
)
def test_a_text_is_quoted_word_for_word_whole_or_in_part(quoted: str, taken: set[int]) -> None:
    assert taken_from(quoted, TEXTS) == taken


def test_a_quotation_is_looked_for_in_many_long_texts_at_once() -> None:
    texts = {
        number: " ".join(f"word{number * 7 + at} weather lunch colleague{at}" for at in range(80))
        for number in range(500)
    }
    taken_from("warm up", texts)
    assert takes_less(0.1, lambda: taken_from("hello there my friend", texts))
    assert takes_less(0.2, lambda: taken_from("\n".join(f"weather lunch line {at} of it" for at in range(5000)), texts))
