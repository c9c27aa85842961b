"""How text is made fit for Discord."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.adapters import discord_text as text
from zgadka.chat.questions import Button


@pytest.mark.parametrize(
    ("given_", "shown"),
    [
        ("plain words, C# 9", "plain words, C\\# 9"),
        ("*bold* _it_ ~~no~~", "\\*bold\\* \\_it\\_ \\~\\~no\\~\\~"),
        ("@everyone <@1>", "\\@everyone \\<\\@1\\>"),
        ("> quote", "\\> quote"),
        ("- item", "\\- item"),
        ("1. item", "\\1. item"),
        ("[x](http://y)", "\\[x\\]\\(http\\://y\\)"),
    ],
)
def test_what_people_wrote_is_only_text(given_: str, shown: str) -> None:
    assert text.escaped(given_) == shown


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("> I live in Paris\nno way", "no way"),
        (">>> all of this\nis theirs", ""),
        ("mine\n>>> theirs\ntheirs too", "mine"),
        (">not a quote", ">not a quote"),
        ("5 > 3", "5 > 3"),
        (">\nmine", "mine"),
        ("```\n> code\n```\nmine", "```\n> code\n```\nmine"),
    ],
)
def test_quotes_are_not_the_writers_words(message: str, own: str) -> None:
    assert text.own_words(message) == own


@given(st.text(max_size=400), st.integers(min_value=1, max_value=50))
def test_no_piece_is_longer_than_allowed_and_no_word_is_lost(given_: str, limit: int) -> None:
    pieces = text.split(given_, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(given_.split())


def test_a_text_is_cut_at_lines_then_at_words() -> None:
    assert text.split("one two\nthree four", 12) == ["one two", "three four"]
    assert text.split("one two three", 8) == ["one two", "three"]
    assert text.split("onetwothree", 4) == ["onet", "woth", "ree"]


@pytest.mark.parametrize(("deed", "what"), [("ask", [7]), ("delete", [7, 8]), ("keep", "all"), ("page", "3")])
def test_a_buttons_data_is_read_as_it_was_written(deed: text.Deed, what: str | list[int]) -> None:
    data = text.press_data(deed, "1456074443980800001", what)
    assert data is not None
    read = text.read_press(data)
    assert read == text.Press(deed, "1456074443980800001", what if isinstance(what, str) else ",".join(map(str, what)))


def test_more_ids_than_fit_get_no_buttons() -> None:
    ids = list(range(10**14, 10**14 + 5))
    assert text.press_data("delete", "1456074443980800001", ids) is None
    assert text.delete_buttons("1456074443980800001", ids, "en") == []
    assert text.delete_buttons("1", [1, 2, 3, 4], "en")[0][0].text == "🗑 Delete"


@pytest.mark.parametrize(
    "data", ["", "zg", "zg:delete:1", "zg:drop:1:2", "zg:delete:ann:2", "zg:delete:1:", "memconf:save:1:x"]
)
def test_other_data_means_nothing(data: str) -> None:
    assert text.read_press(data) is None


@pytest.mark.parametrize(
    ("given_", "ids"),
    [("24", "24"), ("ID:24, #25", "ID:24,#25"), ("id 24", "id 24"), ("my 24 cats", None), ("24,", None), ("", None)],
)
def test_ids_are_told_from_words(given_: str, ids: str | None) -> None:
    assert text.memory_ids(given_) == ids


def test_a_keyboard_fits_discords_five_rows() -> None:
    rows = [[Button("all", "a"), Button("none", "n")]] + [
        [Button("✓", f"s{n}"), Button("✗", f"x{n}")] for n in range(9)
    ]
    fitting = text.fitting(rows)
    assert len(fitting) == 5
    assert [len(row) for row in fitting] == [2, 4, 4, 4, 4]
    assert text.fitting([]) == []


def test_both_languages_take_the_same_fields() -> None:
    import dataclasses
    import re

    for field in dataclasses.fields(text.Texts):
        english, ukrainian = (getattr(text.TEXTS[language], field.name) for language in ("en", "uk"))
        assert re.findall(r"\{\}", english) == re.findall(r"\{\}", ukrainian), field.name
