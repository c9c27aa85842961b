"""What words say against the likeness of two values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka.text.paraphrase import may_be_same, script_of, wording


def may(one: str, other: str, **more: bool) -> bool:
    there, back = (may_be_same(wording(a), wording(b), **more) for a, b in ((one, other), (other, one)))
    assert there is back
    return there


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("jogging", "running in the morning"),
        ("loves hiking", "hiking in the mountains"),
        ("programmer", "Software developer"),
        ("two cats", "2 cats"),
        ("one dog", "a dog"),
        ("a puppy", "a young dog"),
        ("does not smoke", "non smoker"),
        ("Taras is the best friend", "best friend Taras"),
        ("chess", "plays chess online"),
        ("солодощі", "солодке"),
        ("", "tea"),
    ],
)
def test_values_that_may_say_the_same(one: str, other: str):
    assert may(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2 cats", "3 cats"),
        ("two cats", "three cats"),
        ("lose 5 kg", "lose weight"),
        ("C", "C++"),
        ("likes tea", "dislikes tea"),
        ("eats meat", "doesn't eat meat"),
        ("eats meat", "doesn’t eat meat"),
        ("любить чай", "не любить чай"),
        ("speaks German", "learning German"),
        ("a nurse", "a former nurse"),
        ("patient", "impatient"),
        ("терплячий", "нетерплячий"),
        ("the sister Anna", "the sister Hanna"),
        ("moved to New York", "moved to New Jersey"),
        ("peanut allergy", "walnut allergy"),
        ("чорний чай", "зелений чай"),
        ("buy a house", "sell a house"),
        ("tennis", "table tennis"),
        ("York", "New York"),
        ("sports", "basketball"),
        ("musician", "pianist"),
    ],
)
def test_values_of_which_a_word_says_that_they_differ(one: str, other: str):
    assert not may(one, other)


def test_a_capital_at_the_beginning_is_a_name_where_people_are_named():
    assert may("Ivan", "Ivanna")
    assert not may("Ivan", "Ivanna", named=True)
    assert may("Ivan", "ivan", named=True)


@pytest.mark.parametrize(("value", "script"), [("2 cats", "LATIN"), ("кіт", "CYRILLIC"), ("猫", "CJK"), ("42", "")])
def test_the_script_is_that_of_the_first_letter(value: str, script: str):
    assert script_of(value) == script


@given(st.text(), st.text())
def test_any_two_texts_are_compared_and_a_text_may_be_the_same_as_itself(one: str, other: str):
    may(one, other)
    assert may(one, one)
    script_of(one)


@pytest.mark.parametrize("value", ["ʼ", "ʼʼ", "tea ʼ", "’"])
def test_an_apostrophe_that_stands_alone_is_no_word(value: str):
    assert wording(value).plain <= {"tea"}
