"""Slips that an edit puts right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.respelling import respelt
from zgadka.text.slips import are_slips, was_slip


@pytest.mark.parametrize(
    ("value", "former", "text", "spelt"),
    [
        ("Lvyv", "I live in Lvyv", "I live in Lviv", "Lviv"),
        ("Kharkow", "I live in Kharkow", "I live in Kharkov!", "Kharkov"),
        ("programer", "I'm a programer", "i'm a programmer", "programmer"),
        ("Buenos Airse", "Buenos Airse is home", "Buenos Aires is home", "Buenos Aires"),
        ("cat Barsyk", "My cat is called Barsyk", "My cat is called Barsik", "cat Barsik"),
        ("kharkow", "KHARKOW", "Kharkov", "kharkov"),
    ],
)
def test_a_value_is_spelt_as_the_text_spells_it_in_its_place(value, former, text, spelt):
    assert respelt(value, former, text) == spelt


@pytest.mark.parametrize(
    ("value", "former", "text"),
    [
        ("Kharkov", "I live in Kharkov", "My mom lives in Kharkiv"),
        ("tennis", "I like tennis", "I hate tenniss"),
        ("Marina", "My name is Marina", "My cat is Marine"),
        ("Andrei", "My son is Andrei", "My dog is Andrey"),
        ("Kharkow", "I live in Kharkow", "I live in Kharkov now"),
        ("Kharkow", "Kharkow is in Kharkow oblast", "Kharkov is in Kharkiv oblast"),
    ],
)
def test_a_text_that_says_something_else_besides_spells_nothing_anew(value, former, text):
    assert respelt(value, former, text) is None


@pytest.mark.parametrize(
    ("value", "former", "text"),
    [
        ("cat", "I have a cat", "I have a car"),
        ("Iran", "I'm from Iran", "I'm from Iraq"),
        ("HIV", "I have HIV", "I have HPV"),
        ("Lvov", "I live in Lvov", "I live in Lviv"),
        ("Dana", "My name is Dana", "My name is Dina"),
        ("cheese", "CHEESE and tee", "CHEESE and tea"),
        ("tea", "I love tea", "Nice weather"),
        ("програміст", "Я працюю програмістом", "Я працюю лікарем"),
        ("33333", "I'm 33333", "I'm 33334"),
        ("Lviv", "", "I live in Lviv"),
    ],
)
def test_what_may_be_another_word_is_no_slip(value, former, text):
    assert respelt(value, former, text) is None


@given(st.text(), st.text(), st.text())
def test_whatever_is_written_it_is_none_or_another_text(value, former, text):
    assert respelt(value, former, text) != value


@given(
    st.text("abeiortz", min_size=4, max_size=12),
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from(["add", "leave out", "replace", "swap"])), max_size=3),
)
def test_an_edit_may_put_right_whatever_is_taken_for_a_slip_between_any_words(word, changes):
    other = word
    for at, change in changes:
        match change:
            case "add":
                other = f"{other[:at]}e{other[at:]}"
            case "leave out":
                other = other[:at] + other[at + 1 :]
            case "replace":
                other = f"{other[:at]}i{other[at + 1 :]}"
            case _:
                other = other[:at] + other[at : at + 2][::-1] + other[at + 2 :]
    assert was_slip(word, other) or not are_slips(word, other)
