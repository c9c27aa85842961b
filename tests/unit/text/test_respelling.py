"""Slips that an edit puts right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.respelling import respelt


@pytest.mark.parametrize(
    ("value", "former", "text", "spelt"),
    [
        ("Lvyv", "I live in Lvyv", "I live in Lviv", "Lviv"),
        ("programer", "I'm a programer", "I'm a programmer", "programmer"),
        ("New Yrok", "New Yrok is home", "New York is home", "New York"),
        ("cat Barsyk", "My cat is called Barsyk", "My cat is called Barsik", "cat Barsik"),
        ("chess", "CHESS and tee", "CHESS and tea", None),
        ("Lviv", "I live in Lviv", "I live in Lublin", None),
        ("tea", "I love tea", "I love nobody", None),
        ("tea", "I love tea", "Nice weather", None),
        ("програміст", "Я працюю програмістом", "Я працюю лікарем", None),
        ("33", "I'm 33", "I'm 34", None),
        ("Lviv", "", "I live in Lviv", None),
    ],
)
def test_a_value_is_spelt_as_the_text_spells_it_in_its_place(value, former, text, spelt):
    assert respelt(value, former, text) == spelt


@given(st.text(), st.text(), st.text())
def test_whatever_is_written_it_is_none_or_another_text(value, former, text):
    assert respelt(value, former, text) != value
