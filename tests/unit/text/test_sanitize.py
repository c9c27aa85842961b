"""Text is made fit to store and to show without losing what people wrote."""

import sqlite3
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.sanitize import is_placeholder, preview, sanitise_placeholders, storable, unstorable

ANY_TEXT = st.text(st.characters(categories=None))


def test_a_nul_character_is_named_with_its_position() -> None:
    assert unstorable("ab\x00") == "the text contains a NUL character (U+0000) at position 2; remove it"


def test_half_a_character_is_named_with_its_position() -> None:
    reason = unstorable("😀\ud83d")
    assert reason is not None
    assert reason.isascii()
    assert "U+D83D" in reason
    assert "position 1" in reason


@pytest.mark.parametrize("text", ["", "Привіт", "😀", "\ufffd", "\x01\x7f", "\U0010ffff"])
def test_other_text_is_storable(text: str) -> None:
    assert unstorable(text) is None
    assert storable(text) == text


def test_a_message_keeps_everything_but_what_cannot_be_stored() -> None:
    assert storable("a\x00b\ud83dc") == "a\ufffdb\ufffdc"


@given(ANY_TEXT)
def test_storable_text_comes_back_from_sqlite(text: str) -> None:
    stored = storable(text)
    assert unstorable(stored) is None
    assert len(stored) == len(text)
    assert (stored == text) == (unstorable(text) is None)
    with sqlite3.connect(":memory:") as connection:
        assert connection.execute("SELECT ?", (stored,)).fetchone() == (stored,)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("{obonya}", "obonya"),
        ("likes {obonya} a lot", "likes obonya a lot"),
        ("{{obonya}}", "obonya"),
        ("{ obonya }", "obonya"),
        ("{big brother}", "big brother"),
        ("{user-name}", "user-name"),
        ("{один два}", "один два"),
        ("{_}", "_"),
        ("{User}", "User"),
        ("{ user }", "user"),
        ("{users}", "users"),
        ("{a {b}}", "a b"),
        ("{{a} b}", "a b"),
        ("{x}}", "x}"),
        ("{{x}", "{x"),
        ("${name}", "$name"),
        *[(text, text) for text in ("{user}", "{user_formatted}", "{user_term}", "{bot}", "{char}", "{{user}}")],
        *[
            (text, text)
            for text in ('{"a": 1}', "{a: 1}", "{a, b}", "f = {}", "{", "}", "}{", "{open", "no braces", "")
        ],
        ("{one two three four five six}", "{one two three four five six}"),
        ("{user} and {foo} and {bot}", "{user} and foo and {bot}"),
        ("{}", ""),
        (" {{ }} ", ""),
    ],
)
def test_unknown_placeholders_lose_their_braces(text: str, clean: str) -> None:
    assert sanitise_placeholders(text) == clean


@given(st.text(st.sampled_from("{}ab _user\"'")))
def test_sanitising_removes_only_braces(text: str) -> None:
    clean = sanitise_placeholders(text)
    assert clean.translate({ord(brace): None for brace in "{} "}) == text.translate(
        {ord(brace): None for brace in "{} "}
    )


@pytest.mark.parametrize(
    "text",
    [
        "{userName}",
        "{{user}}",
        "{user}",
        "${name}",
        "{}",
        "{ name }",
        "<name>",
        "<<name>>",
        "<User Name>",
        "</name>",
        "[name]",
        "[your name]",
        "[[name]]",
        "%s",
        "%d",
        "%(name)s",
        "%name%",
        "$USER",
        "$first_name",
        "$(user)",
        "'{name}'",
        " {x}. ",
        "{% user %}",
        "{ім'я}",
        "<ім’я>",
    ],
)
def test_an_unfilled_placeholder_is_no_value(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        "Kyiv",
        "",
        "{user} likes tea",
        "{a} {b}",
        '{"a": 1}',
        "100%",
        "50%",
        "$5",
        "$TSLA",
        "<3",
        "[1]",
        "[]",
        ":)",
        "[a, b]",
        "a {b}",
        "<",
        "{",
        "C++",
        "__init__",
    ],
)
def test_a_value_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["{" * 100_000, "{a " * 30_000, "{a" + " " * 100_000, "<" + "a " * 50_000, "[" * 100_000]
)
def test_odd_braces_cost_no_time(text: str) -> None:
    assert sanitise_placeholders(text) == text
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("short", 200, "short"),
        (" two\n\tlines\r\n\u2028here ", 200, "two lines here"),
        ("a\x00b\u202ec\ud800", 200, "a b c\ufffd"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abcd efg", 6, "abcd…"),
        ("ab👨‍👩‍👧cd", 5, "ab…"),
        ("ab👍🏿cd", 4, "ab…"),
        ("🇺🇦🇺🇸🇵🇱", 4, "🇺🇦…"),
        ("x🇺🇦🇺🇸", 4, "x🇺🇦…"),
        ("e\u0301" * 10, 6, "e\u0301e\u0301…"),
        ("e\u0301" * 10, 5, "e\u0301e\u0301…"),
        ("\u0301" * 10, 5, "…"),
        ("ab❤\ufe0fcd", 4, "ab…"),
        ("x🏴\U000e0067\U000e0062\U000e007fyyy", 4, "x…"),
        ("가\u1100\u1161\u11a8xxxx", 4, "가…"),
        ("abc", 1, "…"),
        (" " * 10_000 + "late", 20, "…"),
        ("abcdef " + " " * 10_000 + "z", 20, "abcdef…"),
    ],
)
def test_a_preview_is_one_line_cut_where_no_character_breaks(text: str, limit: int, shown: str) -> None:
    assert preview(text, limit) == shown


def test_a_preview_of_a_long_text_has_200_characters() -> None:
    assert preview("слово" * 100) == ("слово" * 40)[:199] + "…"


@given(ANY_TEXT, st.integers(1, 50))
def test_a_preview_is_always_a_short_storable_line(text: str, limit: int) -> None:
    shown = preview(text, limit)
    assert len(shown) <= limit
    assert len(shown.splitlines()) <= 1
    assert unstorable(shown) is None
    assert not any(unicodedata.category(character) == "Cc" for character in shown)
    assert preview(shown, limit) == shown
