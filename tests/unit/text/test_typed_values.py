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
        ("rent", "12 тис. грн/міс", "12,000 UAH a month"),
        ("salary", "$60k per year", "5000 доларів на місяць"),
        ("salary", "від 2000 до 2500 євро", "€2000–2500"),
        ("savings", "half a million dollars", "$0.5M"),
        ("experience", "понад 10 років", "10+ years"),
        ("share", "дві третини", "2/3"),
        ("share", "half", "50%"),
        ("lease", "дворічний", "24 months"),
        ("commute", "an hour and a half", "півтори години"),
        ("dose", "500 мг", "0.5 g"),
        ("screen", "1920×1080", "1920 x 1080"),
        ("weight", "200 pounds", "90.7 kg"),
        ("height", "метр сімдесят", "5'7\""),
        ("age", "27-річна", "aged 27"),
        ("daughter_age", "рік і два місяці", "14 months"),
        ("birth_year", "nineteen eighty-eight", "1988"),
        ("moved_in", "spring 2021", "навесні 2021"),
        ("payday", "25-го числа кожного місяця", "the 25th of every month"),
        ("wake_up_time", "пів на сьому", "half past six"),
        ("wake_up_time", "за чверть дев'ята", "8:45"),
        ("shift_start", "о дев'ятнадцятій", "7 p.m."),
        ("office_hours", "Mon–Fri 9am–6pm", "пн-пт 9:00-18:00"),
        ("gym", "тричі на тиждень", "3x/week"),
        ("gym", "через день", "every other day"),
        ("meeting", "щовівторка о 10:30", "Tuesdays at 10:30"),
        ("timezone", "EET", "UTC+2"),
        ("timezone", "за Києвом", "Europe/Kiev"),
        ("blood_type", "друга позитивна", "A(II) Rh+"),
        ("jacket_size", "2XL", "XXL"),
        ("phone", "095.410.22.33", "+38 (095) 410-22-33"),
        ("email", "Ann <ann@mail.com>", "mailto:ANN@mail.com"),
        ("github", "https://github.com/ann/", "@ann"),
        ("website", "https://www.example.com/", "example.com"),
        ("currency", "Swiss franc", "CHF"),
        ("floor", "IX", "дев'ятий"),
        ("smokes", "doesn't smoke", "не палить"),
        ("has_car", "має машину", "yes"),
        ("nationality", "українка", "from Ukraine"),
        ("language", "вільно англійською", "English (fluent)"),
        ("location", "у Львові", "Lemberg"),
        ("location", "Брюгге", "Bruges"),
        ("visited_places", "Rome, Paris", "Париж і Рим"),
        ("moved_to_city", "in March 2019", "березень 2019"),
        ("name", "Bohdan Hnatiuk", "Гнатюк Богдан"),
        ("king", "Henry the Eighth", "Генріх VIII"),
        ("job", "працює вчителькою", "a teacher"),
        ("job", "data analyst", "аналітик даних"),
        ("pet", "a dog named Rex", "собака Рекс"),
        ("favorite_drink", "кава без цукру", "coffee without sugar"),
        ("hobbies", "шахи та біг", "running, chess"),
        ("employer", "Toyota Motor Corporation", "Тойота"),
        ("employer", "Foxtrot", "«Фокстрот»"),
        ("favorite_book", "Гаррі Поттер", "Harry Potter"),
        ("address", "вул. Хрещатик, 22", "Khreshchatyk Street 22"),
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
        ("salary", "$5k a month", "$5k a year"),
        ("salary", "3000 USD net", "3000 USD gross"),
        ("experience", "5 years", "5+ years"),
        ("commute", "half an hour", "an hour and a half"),
        ("screen_time", "4 hours a day", "28 hours"),
        ("distance", "5 km", "about 5 km"),
        ("distance", "5 km", "5 miles"),
        ("dose", "5 mg", "5 mcg"),
        ("weight", "50 kg", "50 lb"),
        ("wake_up_time", "quarter past six", "quarter to six"),
        ("bedtime", "12 am", "12 pm"),
        ("gym", "every two weeks", "twice a week"),
        ("meeting", "щовівторка", "щосереди"),
        ("payday", "last Friday of the month", "first Friday of the month"),
        ("phone", "+380501234567", "+380501234568"),
        ("phone", "020 7946 0000", "020 7946 0001"),
        ("email", "anna.k@mail.com", "annak@mail.com"),
        ("website", "example.com/a", "example.com/b"),
        ("github", "ann", "anna"),
        ("timezone", "UTC+5", "UTC+5:30"),
        ("blood_type", "0 Rh-", "O positive"),
        ("shoe_size", "UK 8", "US 8"),
        ("nationality", "Austrian", "Australian"),
        ("language", "English B1", "English B2"),
        ("language", "Slovak", "Slovenian"),
        ("location", "Cambridge", "Cambridge, Massachusetts"),
        ("location", "Львів", "Львівська область"),
        ("visited_places", "Krakow and Gdansk", "Краків"),
        ("name", "Ann", "Anna"),
        ("friend", "Jon", "John"),
        ("friend", "Victor", "Victoria"),
        ("pet", "black cat and white dog", "white cat and black dog"),
        ("pet", "кіт", "кит"),
        ("job", "math teacher", "physics teacher"),
        ("job", "junior developer", "senior developer"),
        ("employer", "Nestlé", "Neste"),
        ("skill", "Java", "JavaScript"),
        ("skill", "Haskell and OCaml", "OCaml"),
        ("hobby", "танці", "танки"),
        ("hobby", "біг", "big"),
        ("drink", "coffee with milk without sugar", "coffee with sugar without milk"),
        ("color", "blue", "light blue"),
        ("favorite_film", "Cats", "Cat"),
        ("favorite_film", "Rocky II", "Rocky III"),
        ("smoker", "курить", "не курить"),
        ("address", "12 Baker Street", "21 Baker Street"),
        ("passport_number", "AB 123456", "CD 123456"),
        ("postal_code", "01001", "1001"),
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
    assert is_same_age("AGE:8M", said, "AGE:1", date(2025, 1, 29))
    assert not is_same_age("AGE:8M", said, "AGE:1", date(2024, 5, 29))
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
