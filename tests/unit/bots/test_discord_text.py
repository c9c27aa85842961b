"""How text is made fit for Discord."""

from __future__ import annotations

import pytest

from zgadka.bots.discord import text
from zgadka.chat.questions import Button
from zgadka.extract.rules import extract
from zgadka.text.quoted_lines import own_lines


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
    assert own_lines(message) == own


@pytest.mark.parametrize(
    "form", ["```\n{}\n```", "```py\n{}```", "`{}`", "``{}``", "~~{}~~", "||~~{}~~||", "```\n> {}"]
)
def test_code_and_what_is_struck_out_is_not_what_the_user_says_of_themselves(form: str) -> None:
    own = own_lines(f"I love tea\n{form.format('I live in Oslo')}")
    assert [item.text for item in extract(own).certain] == ["like: tea"]


def test_a_keyboard_fits_discords_five_rows() -> None:
    rows = [[Button("all", "a"), Button("none", "n")]] + [
        [Button("✓", f"s{n}"), Button("✗", f"x{n}")] for n in range(9)
    ]
    fitting = text.fitting(rows)
    assert len(fitting) == 5
    assert [len(row) for row in fitting] == [2, 4, 4, 4, 4]
    assert [len(row) for row in text.fitting(rows[:5])] == [2, 2, 2, 2, 2]
    assert text.fitting([]) == []
