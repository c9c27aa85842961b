"""Forms about oneself, and lines that only look like one."""

from __future__ import annotations

import pytest

from zgadka.extract.profile_form import as_sentences
from zgadka.extract.rules import extract


def certain(text: str) -> list[str]:
    return [item.text for item in extract(text).certain]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("name: Ann, age: 22, city: Riga", ["name: Ann", "age: 22", "location: Riga"]),
        ("Name - Ann\nAge - 22\nHobbies - chess, tennis", ["name: Ann", "age: 22", "hobby: chess", "hobby: tennis"]),
        ("ім'я: Тарас; вік: 29; робота: зварювальник", ["name: Тарас", "age: 29", "job: зварювальник"]),
        ("name: Ann\nage: 22\nfavorite food: pho\nsex: f", ["name: Ann", "age: 22", "favorite food: pho"]),
    ],
)
def test_a_form_about_oneself_is_read_line_by_line(text: str, items: list[str]) -> None:
    assert sorted(certain(text)) == sorted(items)


@pytest.mark.parametrize(
    "text",
    [
        "name: web\nage: 5\nversion: 1.2",
        "From: Alice\nTo: Bob",
        "Suspect: John\nName: John\nAge: 30",
        "Job: Driver\nLocation: Kyiv\nPhone: 123",
        "job: driver, location: Riga",
        "Name: Ann\nAge: 30\nShe is my wife",
        "My boyfriend: name: Tom, age: 30",
        "Location: Kyiv\nAge: 18+",
        "name: {name}, age: {age}",
        "Ім'я: ____ Вік: __",
        "name: Bob",
    ],
)
def test_what_is_no_form_about_its_writer_gives_nothing(text: str) -> None:
    assert certain(text) == []


def test_other_lines_stay_as_they_are() -> None:
    lines = ["Hello: there", "I'm lactose intolerant :(", "no colon"]
    assert as_sentences(lines) == lines
