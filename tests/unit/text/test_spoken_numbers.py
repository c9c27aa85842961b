"""Numbers and days of a text, in the form that values have them."""

from __future__ import annotations

import pytest

from zgadka.text.folding import unify
from zgadka.text.spoken_numbers import spoken_numbers
from zgadka.text.words import split_words


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("seven hundred and five", {"705"}),
        ("nineteen eighty four", {"1984", "103"}),
        ("дві тисячі двадцять шість", {"2026"}),
        ("one metre eighty two", {"182", "83"}),
        ("'79", {"1979"}),
        ("'09", {"2009"}),
        ("3k", {"3000", "3"}),
        ("2,500", {"2500"}),
        ("1990-03-21", {"21", "march"}),
        ("21.03", {"21", "march"}),
        ("the 21st", set()),
        ("two of us", set()),
        ("12 boxes", set()),
        ("99/99", set()),
        ("", set()),
    ],
)
def test_a_number_is_read_as_it_may_be_meant(text: str, numbers: set[str]) -> None:
    unified = unify(text)
    assert set(spoken_numbers(unified, split_words(unified))) == numbers
