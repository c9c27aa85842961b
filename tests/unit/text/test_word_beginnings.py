"""What somebody types finds the word that they have begun."""

from __future__ import annotations

import pytest

from zgadka.text.words import fits_beginnings, index_words, word_beginnings


def finds(typed: str, text: str) -> bool:
    return fits_beginnings(f" {' '.join(index_words(text))} ", word_beginnings(typed))


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("coffee", "drinks coffee at work"),
        ("running", "goes running"),
        ("swimming", "swims on Sundays"),
        ("allergies", "has an allergy to nuts"),
        ("yesterday", "arrived yesterday"),
        ("програмістом", "працює програмістом"),
        ("пеніциліну", "алергія на пеніцилін"),
        ("Київ", "живе у Києві"),
        ("вчителька", "мама вчителька"),
    ],
)
def test_a_word_is_found_by_each_of_its_beginnings(word: str, text: str):
    missed = [word[:length] for length in range(3, len(word) + 1) if not finds(word[:length], text)]
    assert missed == []


@pytest.mark.parametrize(
    ("typed", "text"),
    [("tea", "drinks coffee"), ("coffee shop", "drinks coffee"), ("art", "a party of four"), ("cats", "cut grass")],
)
def test_another_word_is_not_found(typed: str, text: str):
    assert not finds(typed, text)


def test_nothing_typed_asks_for_nothing_and_much_is_bounded():
    assert word_beginnings(" … ") == []
    assert len(word_beginnings(" ".join(f"w{number}" for number in range(500)))) <= 64
