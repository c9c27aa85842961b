"""What buttons mean, which ids a command names, and how a text is cut into messages."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.bots.buttons import ButtonData, Verb, is_ours, owner_key, read_button
from zgadka.bots.commands import _IDS
from zgadka.bots.platform import split


@pytest.mark.parametrize(
    ("verb", "number", "mark"),
    [("ask", 7, None), ("delete", 2**53, None), ("keep", 0, None), ("page", 3, None), ("allow", 10**15, 2**32 - 1)],
)
@pytest.mark.parametrize("user", ["1", "1456074443980800001", "@olena:example.org", "9" * 300, "олена" * 40])
def test_a_buttons_data_is_read_as_it_was_written(verb: Verb, number: int, mark: int | None, user: str) -> None:
    written = ButtonData(verb, owner_key(user), number, mark)
    assert len(str(written).encode()) <= 64
    assert read_button(str(written)) == written


def test_two_people_have_two_keys() -> None:
    users = ["1", "2", "@olena:example.org", "@taras:example.org", "9" * 300, "9" * 301]
    assert len({owner_key(user) for user in users}) == len(users)


@pytest.mark.parametrize(
    "data", ["", "zg", "zg:delete:1", "zg:drop:1:2", "zg:delete:1:", "zg:yes:1:5", "zg:page:1:١", "memconf:save:1:x"]
)
def test_other_data_means_nothing(data: str) -> None:
    assert read_button(data) is None


def test_a_button_of_another_program_is_not_ours() -> None:
    assert [is_ours(data) for data in ("zg:old:1:2", "memconf:save:1:x", "from another program", "")] == [
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("argument", "ids"),
    [
        ("24", ["24"]),
        ("ID:24, #25", ["24", "25"]),
        ("24 25", ["24", "25"]),
        ("id 24", ["24"]),
        ("my 24 cats", None),
        ("24,", None),
        ("", None),
    ],
)
def test_ids_are_told_from_words(argument: str, ids: list[str] | None) -> None:
    match = _IDS.fullmatch(argument)
    assert (None if match is None else re.findall(r"\d+", argument)) == ids


@given(st.text(max_size=400), st.integers(min_value=1, max_value=50))
def test_no_piece_is_longer_than_allowed_and_no_word_is_lost(words: str, limit: int) -> None:
    pieces = list(split(words, limit))
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(words.split())


def test_a_text_is_cut_at_lines_then_at_words() -> None:
    assert list(split("one two\nthree four", 12)) == ["one two", "three four"]
    assert list(split("one two three", 8)) == ["one two", "three"]
    assert list(split("onetwothree", 4)) == ["onet", "woth", "ree"]
