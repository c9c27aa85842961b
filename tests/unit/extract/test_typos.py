"""Slips of the pen in the words that statements are known by."""

from __future__ import annotations

import pytest

from zgadka.extract.typos import mended


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("i liek tea", "i like tea"),
        ("my birhtday", "my birthday"),
        ("I am allergc to nuts", "I am allergic to nuts"),
        ("my favourte game", "my favorite game"),
        ("мене зваит Олег", "мене звати Олег"),
        ("работаю таксистом", "працюю таксистом"),
        ("щас живу", "зараз живу"),
    ],
)
def test_a_slip_is_put_right(said: str, meant: str) -> None:
    assert mended(said) == meant


@pytest.mark.parametrize("said", ["from the form", "I lick it", "evil", "сто орків", "знаю студента"])
def test_words_of_their_own_are_no_slips(said: str) -> None:
    assert mended(said) == said
