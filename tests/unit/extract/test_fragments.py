"""Which messages go on with the one before, and what they say together."""

from __future__ import annotations

import pytest

from zgadka.extract.fragments import completed, is_fragment, joined
from zgadka.extract.rules import extract
from zgadka.model.inference import Inference


@pytest.mark.parametrize(
    "text", ["To nuts.", "to nuts", "In Lviv", "as a nurse", "На горіхи.", "у Львові", "з 2010 року"]
)
def test_a_few_words_after_a_preposition_are_a_fragment(text: str) -> None:
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "…",
        "nuts",
        "To me?",
        "In Lviv I work",
        "to whom it may concern in that town",
        "> to nuts",
        "У мене кіт",
        "hello",
    ],
)
def test_whole_sentences_questions_and_quotes_are_none(text: str) -> None:
    assert not is_fragment(text)


def told(before: str, fragment: str) -> tuple[list[str], list[str]]:
    sentence = joined(before, fragment)
    if sentence is None:
        return [], []
    read = extract(sentence)
    whole = completed(Inference(certain=read.certain, uncertain=read.uncertain), before, fragment)
    return [item.text for item in whole.certain], [item.text for item in whole.uncertain]


@pytest.mark.parametrize(
    ("before", "fragment", "certain", "uncertain"),
    [
        ("I'm allergic.", "To nuts.", ["allergy: nuts"], []),
        ("Oh, right! I'm allergic", "to nuts", ["allergy: nuts"], []),
        ("У мене алергія.", "На горіхи.", ["allergy: горіхи"], []),
        ("Я живу...", "У Львові", ["location: Львів"], []),
        ("I work.", "As a nurse.", ["job: nurse"], []),
        ("Maybe I'm allergic.", "To nuts.", [], ["allergy: nuts"]),
        ("I'm not allergic.", "To nuts.", [], []),
        ("Am I allergic?", "To nuts.", [], []),
        ("> I'm allergic", "to nuts", [], []),
        ("I live.", "In Lviv it rains.", [], []),
        ("I like dogs", "and", [], []),
        ("I'm allergic" + " and tired" * 100, "to nuts", [], []),
    ],
)
def test_both_together_say_what_neither_says_alone(
    before: str, fragment: str, certain: list[str], uncertain: list[str]
) -> None:
    assert told(before, fragment) == (certain, uncertain)


def test_the_excerpt_is_what_was_written() -> None:
    read = extract(joined("I'm allergic.", "To nuts.") or "")
    whole = completed(Inference(certain=read.certain), "I'm allergic.", "To nuts.")
    assert [item.excerpt for item in whole.certain] == ["I'm allergic. To nuts."]
