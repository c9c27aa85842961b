"""Whether an edited message says no longer what was made of it."""

from __future__ import annotations

import pytest

from zgadka.extract.edited import takes_back

GONE = [
    ("I work as a nurse", "My sister works as a nurse", "nurse", "job"),
    ("I live in Kyiv", "My brother lives in Kyiv", "Kyiv", "location"),
    ("I live in Kyiv", "I used to live in Kyiv", "Kyiv", "location"),
    ("I live in Kyiv", "Do you live in Kyiv?", "Kyiv", "location"),
    ("I live in Kyiv", "I wish I lived in Kyiv", "Kyiv", "location"),
    ("I live in Kyiv", "I live in Kyiv. Just kidding!", "Kyiv", "location"),
    ("I like tea", "I hate tea", "tea", "like"),
    ("I have a dog called Rex", "Bob has a dog called Rex", "dog called Rex", "pet"),
    ("I work nights as a nurse", "My sister works nights as a nurse", "works nights as a nurse", ""),
    ("Я лікарка", "Моя сестра лікарка", "лікарка", "job"),
    ("Я живу в Києві", "Мій брат живе в Києві", "Київ", "location"),
    ("У мене алергія на горіхи", "У сина алергія на горіхи", "горіхи", "allergy"),
    ("Я люблю чай", "Я не люблю чай", "чай", "like"),
    ("У мене діабет", "У мами діабет", "діабет", "health"),
]
STILL_SAID = [
    ("I live in Kyiv", "I've been living in Kyiv for years", "Kyiv", "location"),
    ("I live in Kyiv", "Kyiv is home, since 2010", "Kyiv", "location"),
    ("I like tea", "I really like green tea", "tea", "like"),
    ("I have a cat", "I have two cats", "cat", "pet"),
    ("I play chess", "I play a lot of chess with Bob", "chess", "hobby"),
    ("I work as a nurse", "I work as a nurse in Lviv", "nurse", "job"),
    ("Bob lives in Kyiv", "Bob still lives in Kyiv", "Kyiv", "location"),
    ("У мене алергія на горіхи", "Мені не можна горіхи через алергію", "горіхи", "allergy"),
    ("Я люблю чай", "Я обожнюю чай", "чай", "like"),
    ("I live in Kyiv", "As I said, I live in Kyiv", "Kyiv", "location"),
    ("I live in Kyiv", "I live in Kyiv. Kidding about the weather!", "Kyiv", "location"),
    ("У мене діабет", "У мене діабет, не жартую", "діабет", "health"),
]


@pytest.mark.parametrize(("former", "text", "value", "key"), GONE)
def test_what_is_said_of_somebody_else_or_not_meant_is_taken_back(former: str, text: str, value: str, key: str) -> None:
    assert takes_back(former, text, value, key)


@pytest.mark.parametrize(("former", "text", "value", "key"), STILL_SAID)
def test_what_is_said_in_other_words_is_not(former: str, text: str, value: str, key: str) -> None:
    assert not takes_back(former, text, value, key)
