"""Which texts say a value: in another form, spelling, script or order, and never by half a word."""

from __future__ import annotations

import pytest

from zgadka.text.value_mentions import MentionIndex

SAID = {
    "Lisbon": ["I moved to Lisbon", "LISBON is sunny", "Lisbon's trams", "живу в Lisbon"],
    "Львів": ["Я у Львові", "їду до Львова", "I live in Lviv", "Львів гарний"],
    "Миколаїв": ["з Миколаєва", "у Миколаєві"],
    "Петро": ["з Петром", "бачив Петра", "Петрові дзвонив", "Petro called"],
    "кіт": ["маю кота", "двоє котів"],
    "oat milk": ["milk from oats", "Oat  Milk, please"],
    "likes black tea with lemon": ["I love black tea with lemon", "a lemon for my black tea"],
    "allergic to hazelnuts": ["I have a hazelnut allergy"],
    "зустріч у середу": ["у середу зустріч"],
    "044-333-22-11": ["дзвони 0443332211", "+38 044 333 22 11"],
    "C++": ["I write C++ at work"],
    "Java": ["I know java", "Java, too"],
    "Will": ["call me Will"],
    "вегетаріанка": ["я вегетаріанкою стала"],
}
NOT_SAID = {
    "Java": ["I know JavaScript", "javac failed"],
    "Lisbon": ["I moved to Porto", "Lisa called"],
    "Львів": ["бачив левів", "з левом"],
    "Миколаїв": ["Микола дзвонив"],
    "Іван": ["Іванка прийшла", "Івано-Франківськ"],
    "Роман": ["Романівна прийшла"],
    "oat milk": ["the milk is off", "he sows oats"],
    "allergic to hazelnuts": ["I bought hazelnuts", "she is allergic to cats"],
    "044-333-22-11": ["0443332212", "044"],
    "C++": ["I got a C", "vitamin C"],
    "34": ["134", "340"],
    "Will": ["will you come?"],
    "вегетаріанка": ["вегетаріанська страва"],
    "…": ["…", "anything"],
}


@pytest.mark.parametrize("value", SAID)
def test_a_value_is_found_in_every_form_of_its_words(value: str) -> None:
    assert MentionIndex(enumerate(SAID[value])).of(value) == set(range(len(SAID[value])))


@pytest.mark.parametrize("value", NOT_SAID)
def test_a_part_or_a_stranger_does_not_say_it(value: str) -> None:
    assert MentionIndex(enumerate(NOT_SAID[value])).of(value) == set()


def test_what_a_quotation_was_taken_from_is_known_by_it_but_not_by_a_word_or_two() -> None:
    texts = MentionIndex(enumerate(["Well, I work nights at a hospital!", "I work", "nights at work"]))
    assert texts.quoted("i work nights at a hospital") == {0}
    assert texts.quoted("I work") == set()
