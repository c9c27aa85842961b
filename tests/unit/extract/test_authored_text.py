"""What of a message its writer wrote themselves."""

from __future__ import annotations

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.extract.authored_text import GAP, UserText, own_words
from zgadka.extract.rules import extract
from zgadka.model.inference import LONGEST_TEXT


def own(text: str, **more: object) -> str:
    return own_words(UserText(text=text, **more)).text  # pyright: ignore[reportArgumentType]


def test_there_is_no_place_for_the_assistants_words() -> None:
    assert list(inspect.signature(extract).parameters) == ["message"]
    assert list(inspect.signature(UserText).parameters) == ["text", "quoted", "echoes", "forwarded"]


def test_a_forwarded_message_has_no_words_of_its_own() -> None:
    assert own("I live in Dubai", forwarded=True) == ""


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("> I live in Oslo\nThat's far", "That's far"),
        ("I like tea https://example.com/tea", "I like tea"),
        ("Bob: I have a twin\nreally", "really"),
        ("[12:30] Alice: I'm 19\nlol", "lol"),
        ("Hi!\n---------- Forwarded message ---------\nI am Bob", "Hi!"),
        ("About me: I like tea", "I like tea"),
        ("Options:\n- I live in Kyiv\nhm", "Options:\nhm"),
        ("About me:\n- I live in Kyiv", "About me:\nI live in Kyiv"),
        ("`I live in Oslo`", ""),
        ("``I live in Oslo`` yes", "yes"),
        ("~~I live in Oslo~~ yes", "yes"),
        ("<pre>I live in Oslo</pre> yes", "yes"),
        ("<s>I live\nin Oslo</s> yes", "yes"),
        ("/* I live\nin Oslo */ yes", "yes"),
        ("<!-- I live in Oslo --> yes", "yes"),
        ("// I work at Initech\nyes", "yes"),
        ("# I live in Oslo\nyes", "yes"),
        ("-- I live in Oslo\nyes", "yes"),
        ("go(); // I live in Oslo\nyes", "yes"),
        ("city = 'Oslo'  # I live in Oslo\nyes", "yes"),
        ("2026-11-02 03:14:07 ERROR I live in Oslo\nyes", "yes"),
        ("[INFO] I live in Oslo\nyes", "yes"),
        ("level=info user=bob I live in Oslo\nyes", "yes"),
        ("insert into people (bio) values (I live in Oslo)\nyes", "yes"),
        ("select bio from people where bio = I live in Oslo\nyes", "yes"),
        ("п`ю каву і їм м`ясо", "п`ю каву і їм м`ясо"),
        ("#about me: I like tea", "#about me: I like tea"),
        ("```\nI live in Oslo", ""),
        ("Known: location Oslo (ID:24)", ""),
        ("const city = 1;", ""),
        ("I love «Океан Ельзи»", "I love Океан Ельзи"),
        ("He said «I live in a very small town»", "He said"),
        ("St. Mary's is near. I left", "St. Mary's is near.\nI left"),
    ],
)
def test_only_the_writers_words_are_left(text: str, left: str) -> None:
    assert own(text) == left


@pytest.mark.parametrize(
    "announcement",
    [
        *("here's what he wrote:\n\n", "here's what she sent me. ", "this is my sister's message:\n"),
        *("look what my landlord sent me:\n", "got this email yesterday.\n", "found this on reddit:\n"),
        *("Ось що він мені надіслав:\n", "Прийшов лист від клієнта:\n", "ось її повідомлення.\n"),
        *("proofread this please:\n", "can you fix the grammar in this:\n", "Перевір граматику:\n"),
    ],
)
def test_behind_the_announcement_of_anothers_text_nothing_is_the_writers(announcement: str) -> None:
    assert own(f"Hi. {announcement}I live in Berlin. I am a nurse.\nI have two dogs.") == "Hi."


@pytest.mark.parametrize(
    "text",
    [
        *("fix my code. I'm a nurse", "I got an email from my landlord. I'm a nurse", "check this out. I'm a nurse"),
        *("this is my bio:\nI'm a nurse", "here's my story: I'm a nurse", "I found a job. I'm a nurse"),
    ],
)
def test_what_announces_no_text_of_another_leaves_the_rest_to_the_writer(text: str) -> None:
    assert own(text).endswith("I'm a nurse")


def test_what_is_quoted_or_echoed_is_left_out_in_any_case_and_spacing() -> None:
    assert own("i LIVE  in kyiv!\nme too", quoted=("I live in Kyiv.",)) == "me too"
    assert own("Why do you say that I play chess", echoes=("I play chess",)) == ""
    assert own("I play chess", echoes=("I play chess and tennis", "  ")) == ""


def test_an_echo_is_compared_by_words_and_not_by_letters() -> None:
    assert own("I like tea", echoes=("I like teapots",)) == "I like tea"


def test_of_a_long_message_whole_sentences_are_read_and_the_rest_counted() -> None:
    text = "I like tea. " + "x" * LONGEST_TEXT
    words = own_words(UserText(text=text))
    assert (words.text, words.cut) == ("I like tea.", LONGEST_TEXT)


@pytest.mark.parametrize("end", range(1, 40))
def test_a_sentence_that_the_limit_cuts_tells_nothing(end: int) -> None:
    """Half of "allergic to peanuts" is "pea", and half of "345" an age."""
    told = "I'm allergic to peanuts, and I'm 345 years."
    found = extract("a" * (LONGEST_TEXT - end - 1) + " " + told)
    assert not len(found.certain)
    assert not len(found.uncertain)


def test_a_sentence_that_ends_where_the_limit_is_is_read() -> None:
    text = "x" * (LONGEST_TEXT - len(". I live in Kyiv.")) + ". I live in Kyiv. And"
    assert [item.text for item in extract(text).certain] == ["location: Kyiv"]


def test_a_text_without_any_sentence_in_the_limit_is_not_read() -> None:
    assert own_words(UserText(text="\u0301" * 5_000)).cut == 5_000


def test_a_fact_beyond_the_first_thousand_characters_is_not_read() -> None:
    found = extract("The bus is late. " * 80 + "I live in Kyiv.")
    assert not len(found.certain)
    assert found.cut == (80 - LONGEST_TEXT // 17) * 17 + 15


@given(st.text(max_size=3_000), st.lists(st.text(max_size=50), max_size=3))
def test_any_text_is_read(text: str, echoes: list[str]) -> None:
    words = own_words(UserText(text=text, echoes=tuple(echoes)))
    assert words.cut == max(0, words.cut)
    assert GAP not in words.text
