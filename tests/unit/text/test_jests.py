"""What takes back as a joke what was just written."""

from __future__ import annotations

import pytest

from zgadka.text.jests import is_in_jest


@pytest.mark.parametrize(
    "text",
    [
        "just kidding",
        "Just kidding!",
        "jk",
        "jk lol 😂",
        "j/k",
        "haha, just joking",
        "I'm just kidding guys",
        "that was a joke",
        "ok it was just a joke, sorry",
        "жартую",
        "Жарт 😄",
        "та я жартую)",
        "це був жарт!",
        "шучу",
        "да шутка",
        "żartuję",
        "to był żart",
        "War nur ein Scherz!",
        "era broma",
        "je plaisante",
        "scherzo!",
    ],
)
def test_a_whole_message_that_calls_it_a_joke_is_one(text: str) -> None:
    assert is_in_jest(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no kidding",
        "not kidding",
        "I'm not joking",
        "are you kidding?",
        "kidding?",
        "you must be joking",
        "just kidding, I live in Lviv",
        "> just kidding",
        "he was just kidding",
        "tell me a joke",
        "розкажи жарт",
        "не жартую",
        "nie żartuję",
        "lol",
        "kein Scherz",
    ],
)
def test_what_says_more_or_the_opposite_is_none(text: str) -> None:
    assert not is_in_jest(text)
