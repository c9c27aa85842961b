"""Whether a text takes a value back that it holds."""

from __future__ import annotations

import pytest

from zgadka.extract.denials import takes_back


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I don't live in Lviv any more", "Lviv"),
        ("I used to live in Lviv, now I live in Kyiv", "Lviv"),
        ("Не живу у Львові", "Львів"),
        ("Раніше я жила у Львові", "Львів"),
        ("I'm not allergic to nuts after all", "nuts"),
        ("У мене вже немає кота", "кіт"),
        ("I never worked at Google. Not even near Google.", "Google"),
    ],
)
def test_a_denial_and_what_is_over_take_it_back(text: str, value: str) -> None:
    assert takes_back(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I live in Lviv", "Lviv"),
        ("I don't work, but I do live in Lviv", "Lviv"),
        ("I don't live in Kyiv, I live in Lviv", "Lviv"),
        ("I never left. I live in Lviv", "Lviv"),
        ("Living in Lviv since 2010", "Lviv"),
        ("Живу у Львові, а не в Києві", "Львів"),
        ("I don't eat meat", "don't eat meat"),
        ("Nothing of that here", "Lviv"),
        ("", "Lviv"),
    ],
)
def test_what_still_says_it_somewhere_and_what_does_not_hold_it_take_nothing_back(text: str, value: str) -> None:
    assert not takes_back(text, value)
