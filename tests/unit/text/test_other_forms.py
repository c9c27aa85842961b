"""A number, a measure, a day or a blood group is known in other forms than the value's, and no other number is."""

from __future__ import annotations

from datetime import date

import pytest

from zgadka.text.other_forms import OtherForms

SAID = [
    ("height", "193 cm", "six foot four in a tent then"),
    ("height", "193 cm", "я метр дев'яносто три, і не росту"),
    ("height", "202 см", "два метри краси і ноги завжди висять"),
    ("salary", "2,800", "yeah 2.8k sounds ok"),
    ("salary", "18 500", "вісімнадцять з половиною і ще зошити за свої гроші"),
    ("salary", "64000", "мої шістдесят чотири не прийшли"),
    ("debt", "9,400", "nine grand four hundred, and then free"),
    ("exam_result", "6.5", "the whole village knows that i have six and a half in english"),
    ("exam_result", "187", "сто вісімдесят сім, досі не вірю"),
    ("age", "57", "I'm fifty-seven, leave me alone"),
    ("age", "58", "nearly sixty and still no garden"),
    ("birthday", "19 November", "cake for the nineteenth of November please"),
    ("wake_up_time", "6:30", "встаю о пів на сьому"),
    ("weight", "97 kg", "my 97 kilos and me"),
    ("blood_type", "B negative", "is B- rare? they call me if they need"),
    ("blood_type", "перша негативна", "і перевір: I(0)- так пишуть?"),
    ("phone", "067 811 45 09", "а кінець точно 811 45 09?"),
    ("phone", "067 811 45 09", "вісімсот одинадцять сорок п'ять нуль дев'ять, запиши"),
]
BORN = [
    ("age", "33", "народився в 93-му, сам рахуй"),
    ("age", "33", "born in 1993, do the maths"),
    ("birth_year", "1988", "38 this year btw"),
]
NOT_SAID = [
    ("height", "193 cm", "the cupboard is 150 cm wide"),
    ("height", "193 cm", "we walked 193 km"),
    ("salary", "2,800", "2.5k is what they pay there"),
    ("salary", "18 500", "вісімнадцять яблук"),
    ("exam_result", "6.5", "six. and a half, she'd add, of a cake of 7.5 kilos"),
    ("age", "57", "the bus is number 57 there"),
    ("age", "58", "almost thirty people came"),
    ("birthday", "19 November", "19 boxes until 3 November"),
    ("blood_type", "B negative", "b is a letter, A+ a mark"),
    ("phone", "067 811 45 09", "811 46 09 is the office"),
    ("location", "Gdynia", "two of them, 193 cm"),
    ("plan", "buy a bike", "six foot four"),
]


@pytest.mark.parametrize(("key", "value", "text"), SAID)
def test_a_value_is_found_in_another_form(key: str, value: str, text: str) -> None:
    assert OtherForms(value, key).are_in(text)


@pytest.mark.parametrize(("key", "value", "text"), NOT_SAID)
def test_another_number_or_what_counts_something_else_does_not_say_it(key: str, value: str, text: str) -> None:
    assert not OtherForms(value, key).are_in(text)


@pytest.mark.parametrize(("key", "value", "text"), BORN)
def test_an_age_is_known_by_the_year_of_birth_and_the_other_way_round(key: str, value: str, text: str) -> None:
    assert OtherForms(value, key, date(2026, 11, 26)).are_in(text)
    assert not OtherForms(value, key, date(2020, 11, 26)).are_in(text)
