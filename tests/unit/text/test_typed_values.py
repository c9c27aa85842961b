"""What a value is: by its key, and by its form where the key does not say."""

from __future__ import annotations

from datetime import date

import pytest

from zgadka.text.ages import age_at, is_same_age
from zgadka.text.canonical import canonical
from zgadka.text.quantities import read_quantity
from zgadka.text.typed_values import is_no_value
from zgadka.text.written_day import read_day

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("key", "value", "other"),
    [
        ("exam_day", "2 June 2024", "02.06.2024"),
        ("started", "2020-01", "January 2020"),
        ("distance", "3 км", "3000 meters"),
        ("warranty", "півроку", "6 months"),
        ("rent", "12 000 грн", "12 тис. гривень"),
        ("height", "1.8", "180"),
        ("weight", "70", "70 kilos"),
        ("hometown", "San Francisco, CA", "Сан-Франциско"),
        ("location", "м. Львів, Львівська область", "Lviv"),
        ("friend", "Dr. Olena Koval", "Коваль Олена"),
        ("native_language", "en-GB", "англійська"),
        ("has_dog", "ні", "no"),
        ("allergies", "no allergies", "none"),
        ("allergies", "немає", "без алергії"),
        ("hobbies", "playing guitar", "гітара"),
        ("instrument", "гра на скрипці", "гра на скрипці."),
        ("children", "двоє", "2"),
        ("bedtime", "11 pm", "23:00"),
        ("phone", "0044 20 7946 0000", "+442079460000"),
        ("team_size", "twenty-five", "25"),
    ],
)
def test_one_value_has_one_form(key: str, value: str, other: str) -> None:
    assert canonical(value, key) == canonical(other, key)


@pytest.mark.parametrize(
    ("key", "value", "other"),
    [
        ("python_version", "3.10", "3.1"),
        ("agent", "007", "7"),
        ("exam_day", "05/03/2024", "2024-05-03"),
        ("exam_day", "05/03/2024", "2024-03-05"),
        ("warranty", "6 months", "6 years"),
        ("rent", "$500", "500"),
        ("blood_type", "A", "1"),
        ("blood_type", "A", "A+"),
        ("score", "3-4", "34"),
        ("favorite_film", "Up", "Ups"),
        ("favorite_band", "The National", "National"),
        ("location", "Springfield, IL", "Springfield, MA"),
        ("location", "New York", "New Jersey"),
        ("location", "Київ", "Київська область"),
        ("friend", "Ivan Petrenko", "Ivan Petrovych Petrenko"),
        ("skill", "C", "C++"),
        ("pet", "a dog", "two dogs"),
        ("hobby", "no chess", "chess"),
        ("job", "former nurse", "nurse"),
        ("bedtime", "11 pm", "11 am"),
        ("note_to_self", "30", "30 years"),
    ],
)
def test_other_values_have_other_forms(key: str, value: str, other: str) -> None:
    assert canonical(value, key) != canonical(other, key)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("3 травня 1990", "1990-05-03"),
        ("May 1990", "1990-05"),
        ("1990 р.", "1990"),
        ("вчора", "2026-02-28"),
        ("May 3", "-05-03"),
        ("February 29, 2024", "2024-02-29"),
    ],
)
def test_a_text_is_a_day_a_month_or_a_year(text: str, written: str) -> None:
    assert str(read_day(text, TODAY)) == written


@pytest.mark.parametrize("text", ["31 April 2020", "may I", "3", "May 3 or 4", "1 2 3", "x" * 1000, "", "May May"])
def test_other_texts_are_none(text: str) -> None:
    assert read_day(text, TODAY) is None


@pytest.mark.parametrize(
    "text", ["", "a" * 1000, "1 " * 30, "5 m 3 kg", "half", "m 5", "$", "1,2,3", "'", '5"5"5"5', "+", "C 5"]
)
def test_any_text_is_read_or_not_without_an_error(text: str) -> None:
    read_quantity(text)
    canonical(text, "age")
    canonical(text, "height")


def test_an_age_is_of_its_day() -> None:
    said = date(2024, 2, 29)
    assert is_same_age("AGE:30", said, "AGE:31", date(2025, 2, 1))
    assert is_same_age("AGE:30", said, "AGE:30", date(2025, 2, 1))
    assert not is_same_age("AGE:30", said, "AGE:30", date(2025, 3, 1))
    assert not is_same_age("AGE:30", said, "AGE:29", date(2025, 3, 1))
    assert is_same_age("kiv", said, "AGE:29", said) is None
    assert [age_at("AGE:30", said, day) for day in (date(2024, 12, 1), date(2025, 3, 1), date(2034, 3, 1))] == [
        None,
        31,
        40,
    ]


@pytest.mark.parametrize("value", ["n/a", "N/A", "…", "--", "???", "Unknown.", "не вказано", "нет данных", " ? "])
def test_what_says_that_nothing_is_known_is_no_value_of_any_key(value: str) -> None:
    assert all(is_no_value(value, key) for key in (None, "allergy", "job"))


@pytest.mark.parametrize("value", ["", "no", "C#", "none of your business", "👍", "A-", "unknown artist", "+", "$"])
def test_other_values_are_values(value: str) -> None:
    assert not is_no_value(value, "job")
