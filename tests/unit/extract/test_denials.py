"""Whether a text takes a value back that it holds."""

from __future__ import annotations

import pytest

from zgadka.extract.denials import turns_around


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
    assert turns_around("", text, value)


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
    assert not turns_around("", text, value)


@pytest.mark.parametrize(
    ("former", "text", "key", "value"),
    [
        ("I love coffee", "I can't live without coffee", "like", "coffee"),
        ("I can't stop drinkng coffee", "I can't stop drinking coffee", "like", "coffee"),
        ("Кава — моє все", "Не уявляю свого ранку без кави", "like", "кава"),
        ("Люблю каву", "Ні дня без кави", "like", "кава"),
        ("У мене алергія на горіхи", "Мені не можна горіхи через алергію", "allergy", "горіхи"),
        ("I'm allergic to nuts", "I can't eat nuts", "allergy", "nuts"),
        ("Allergy: nuts", "I can't eat nuts, I'm allergic", "", "allergic to nuts"),
        ("I hate jazz", "I can't stand jazz", "dislike", "jazz"),
        ("I have asthma", "I was diagnosed with asthma", "health", "asthma"),
        ("I was bitten by a dog called Rex", "I was once bitten by my dog called Rex", "pet", "Rex"),
        ("I don't trust trains to Lviv, ever", "I do not trust trains to Lviv", "fact", "trains to Lviv"),
        ("Живу у Львові", "Нікуди не переїхала, живу у Львові", "location", "Львів"),
        ("I live in Lviv", "I never left Lviv", "location", "Lviv"),
    ],
)
def test_a_negation_that_says_the_same_otherwise_or_was_there_before_takes_nothing_back(
    former: str, text: str, key: str, value: str
) -> None:
    assert not turns_around(former, text, value, key)


@pytest.mark.parametrize(
    ("former", "text", "key", "value"),
    [
        ("I can't live without coffee", "I don't drink coffee any more", "like", "coffee"),
        ("Обожнюю каву", "Я не п'ю каву", "like", "кава"),
        ("I can't eat nuts", "I'm not allergic to nuts", "allergy", "nuts"),
        ("Мені не можна горіхи", "У мене немає алергії на горіхи", "allergy", "горіхи"),
        ("I was diagnosed with asthma", "I was not diagnosed with asthma", "health", "asthma"),
        ("I like jazz", "I can't stand jazz", "like", "jazz"),
        ("I used to live in Lviv", "I live in Lviv", "location", "Lviv"),
        ("I'm vegan", "I'm not vegan", "diet", "vegan"),
    ],
)
def test_what_says_the_opposite_of_before_takes_it_back(former: str, text: str, key: str, value: str) -> None:
    assert turns_around(former, text, value, key)
