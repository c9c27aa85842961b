"""What is asked about is a sentence in the person's language, with base forms put into the case that it needs."""

from __future__ import annotations

import pytest

from zgadka.chat.sentences import _KEYS, question, statement
from zgadka.locales import LANGUAGES, keys


@pytest.mark.parametrize(
    ("key", "value", "asked"),
    [
        ("location", "Lviv", "Do you live in Lviv?"),
        ("job", "nurse", "Do you work as a nurse?"),
        ("job", "engineer", "Do you work as an engineer?"),
        ("job", "Head of Sales", "Do you work as Head of Sales?"),
        ("goal", "move to Berlin", "Do you plan to move to Berlin?"),
        ("age", "34", "Are you 34 years old?"),
        ("age", "1", "Are you 1 year old?"),
        ("age", "31 years", "Are you 31 years old?"),
        ("age", "31 years old", "Are you 31 years old?"),
        ("age", "thirty-one", "Are you 31 years old?"),
        ("age", "eight months", "Are you eight months?"),
        ("age", "in my thirties", "Are you in my thirties?"),
        ("goal", "to learn Rust", "Do you plan to learn Rust?"),
        ("allergy", "nuts", "Are you allergic to nuts?"),
        ("birthplace", "Odesa", "Were you born in Odesa?"),
        ("brother", "Taras", "Is your brother Taras?"),
        ("pronouns", "they/them", "Are your pronouns they/them?"),
        ("favorite_color", "blue", "Is your favorite color blue?"),
        ("fact", "my boat is red", "Is it true of you: my boat is red?"),
        ("odd {key}", "{value}", "Is your odd {key} {value}?"),
        ("job", "own a bakery", "Do you own a bakery?"),
        ("job", "retired", "Are you retired?"),
        ("goal", "learning Spanish", "Are you learning Spanish?"),
        ("diet", "don't drink alcohol", "You don't drink alcohol?"),
        ("date", "exam: which is hard", "Your date: exam (which is hard)?"),
        ("parents", "live in Lviv", "Your parents live in Lviv?"),
    ],
)
def test_english_questions(key: str, value: str, asked: str) -> None:
    assert question(key, value, "en") == asked


@pytest.mark.parametrize(
    ("key", "value", "asked"),
    [
        ("location", "Львів", "Ви живете у Львові?"),
        ("location", "Одеса", "Ви живете в Одесі?"),
        ("location", "Черкаси", "Ви живете у Черкасах?"),
        ("location", "Рівне", "Ви живете у Рівному?"),
        ("location", "Біла Церква", "Ви живете у Білій Церкві?"),
        ("location", "Україна", "Ви живете в Україні?"),
        ("location", "Велика Багачка", "Місце, де ви живете, — Велика Багачка?"),
        ("birthplace", "Одеса", "Ви народилися в Одесі?"),
        ("like", "джаз", "Вам до вподоби джаз?"),
        ("allergy", "полуниця", "У вас алергія на полуницю?"),
        ("allergy", "горіхи", "У вас алергія на горіхи?"),
        ("allergy", "коров'яче молоко", "У вас алергія: коров'яче молоко?"),
        ("age", "31", "Вам 31 рік?"),
        ("age", "22", "Вам 22 роки?"),
        ("age", "34", "Вам 34 роки?"),
        ("age", "45", "Вам 45 років?"),
        ("age", "31 рік", "Вам 31 рік?"),
        ("age", "за сорок", "Ваш вік — за сорок?"),
        ("job", "програміст", "Ваша професія — програміст?"),
        ("goal", "вивчу іспанську", "Про ваші плани: «вивчу іспанську»?"),
    ],
)
def test_ukrainian_questions(key: str, value: str, asked: str) -> None:
    assert question(key, value, "uk") == asked


def test_a_statement_is_the_same_without_the_question() -> None:
    assert statement("location", "Lviv", "en") == "You live in Lviv"
    assert statement("location", "Львів", "uk") == "Ви живете у Львові"


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("child", "two kids", "You have two kids"),
        ("child", "three", "You have three children"),
        ("child", "son", "You have a son"),
        ("child", "one kid", "You have one kid"),
        ("child", "daughter and two sons", "You have a daughter and two sons"),
        ("job", "coach football", "You coach football"),
        ("child", "Max", "Your child is Max"),
        ("sibling", "older brother", "You have an older brother"),
        ("goal", "learning Spanish", "You are learning Spanish"),
        ("goal", "bring the boat home", "You plan to bring the boat home"),
        ("diet", "don't drink alcohol", "You don't drink alcohol"),
        ("diet", "no meat", "Your diet: no meat"),
        ("diet", "vegan", "Your diet is vegan"),
        ("health", "colour-blind", "You are colour-blind"),
        ("health", "pregnant", "You are pregnant"),
        ("health", "lactose intolerant", "You are lactose intolerant"),
        ("health", "broken leg", "You have a broken leg"),
        ("health", "asthma", "You have asthma"),
        ("date", "flight: 12 May", "Your date: flight (12 May)"),
        ("date", "12 May", "Your date is 12 May"),
        ("deadline", "deadline: Friday", "Your deadline is Friday"),
        ("deadline", "report: Friday", "Your deadline: report (Friday)"),
        ("preference", "introvert", "You are an introvert"),
        ("preference", "night owl", "You are a night owl"),
        ("preference", "tea", "You prefer tea"),
        ("job", "unemployed", "You are unemployed"),
        ("job", "retired", "You are retired"),
        ("job", "student", "You are a student"),
        ("job", "own a bakery", "You own a bakery"),
        ("job", "serve in the army", "You serve in the army"),
        ("job", "build engineer", "You work as a build engineer"),
        ("job", "вчителька", "Your job: вчителька"),
        ("hobby", "sing in a choir", "You sing in a choir"),
        ("hobby", "go", "Your hobby is go"),
        ("religion", "atheist", "You are an atheist"),
        ("religion", "Catholic", "You are Catholic"),
        ("religion", "Buddhism", "Your religion is Buddhism"),
        ("vehicle", "Tesla", "You have a Tesla"),
        ("parents", "live in Lviv", "Your parents live in Lviv"),
        ("parents", "Olha and Petro", "Your parents are Olha and Petro"),
        ("handedness", "left-handed", "You are left-handed"),
        ("education", "physics at KPI", "Your education: physics at KPI"),
    ],
)
def test_a_value_is_told_in_a_sentence_that_it_fits(key: str, value: str, told: str) -> None:
    assert statement(key, value, "en") == told


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("child", "двоє дітей", "У вас є двоє дітей"),
        ("child", "трьох дітей", "У вас є троє дітей"),
        ("child", "Макс", "Ваша дитина — Макс"),
        ("child", "доньку", "У вас є донька"),
        ("sibling", "брат", "У вас є брат"),
        ("son", "п'ять", "Про вас (син): п'ять"),
        ("son", "вчиться в школі", "Ваш син вчиться в школі"),
        ("goal", "вивчити Rust", "Ви плануєте вивчити Rust"),
        ("goal", "Одружуюся в червні", "Про ваші плани: «Одружуюся в червні»"),
        ("diet", "не п'ю алкоголь", "Ви не п'єте алкоголь"),
        ("diet", "веганка", "Ви — веганка"),
        ("health", "вагітна", "Ви вагітна"),
        ("health", "лівша", "Ви — лівша"),
        ("health", "дальтонік", "Ви — дальтонік"),
        ("health", "діабет", "У вас діабет"),
        ("date", "рейс: 12 травня", "Про вас (дата): рейс (12 травня)"),
        ("deadline", "Дедлайн: у п'ятницю", "Ваш кінцевий термін: у п'ятницю"),
        ("preference", "сова", "Ви — сова"),
        ("job", "на пенсії", "Ви на пенсії"),
        ("job", "безробітна", "Ви безробітна"),
        ("job", "студентка", "Ви — студентка"),
        ("job", "Служу в ЗСУ", "Про вашу роботу: «Служу в ЗСУ»"),
        ("job", "своя пекарня", "У вас є своя пекарня"),
        ("job", "nurse", "Про вас (робота): nurse"),
        ("religion", "католик", "Ви — католик"),
        ("religion", "буддизм", "Ваша релігія: буддизм"),
    ],
)
def test_a_value_is_told_in_a_ukrainian_sentence_that_it_fits(key: str, value: str, told: str) -> None:
    assert statement(key, value, "uk") == told


@pytest.mark.parametrize(
    ("key", "value", "english", "ukrainian"),
    [
        ("location", "Київ", "You lived in Київ", "Ви жили у Києві"),
        ("location", "Велика Багачка", "You lived in Велика Багачка", "Про вас (місце проживання): Велика Багачка"),
        ("job", "nurse", "Your job: nurse", "Про вас (робота): nurse"),
    ],
)
def test_what_holds_no_longer_is_not_told_in_the_present(key: str, value: str, english: str, ukrainian: str) -> None:
    assert statement(key, value, "en", past=True) == english
    assert statement(key, value, "uk", past=True) == ukrainian


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_has_its_sentence(language: str) -> None:
    said = {key.removeprefix("chat.about.") for key in keys(language) if key.startswith("chat.about.")}  # pyright: ignore[reportArgumentType]
    special = {"location", "birthplace", "goal", "allergy", "age", "other"}
    assert {key for key in said if not key.endswith(("_elsewhere", "_thing"))} == _KEYS | special


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("works as a nurse", "Your sister works as a nurse"),
        ("is a nurse", "Your sister is a nurse"),
        ("was a nurse", "Your sister was a nurse"),
        ("plays chess", "Your sister plays chess"),
        ("Olena", "Your sister is Olena"),
        ("a nurse", "Your sister is a nurse"),
        ("James Brown", "Your sister is James Brown"),
    ],
)
def test_what_a_relative_does_is_told_as_that(value: str, sentence: str) -> None:
    assert statement("sister", value, "en") == sentence


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("favorite_color", "синій", "Про вас (улюблений колір): синій"),
        ("phone", "123", "Про вас (телефон): 123"),
        ("grandmother", "Олена", "Про вас (бабуся): Олена"),
        ("own_key", "x", "Про вас (own key): x"),
    ],
)
def test_a_key_without_a_sentence_is_named_in_the_language(key: str, value: str, told: str) -> None:
    assert statement(key, value, "uk") == told


@pytest.mark.parametrize(
    ("key", "value", "told"),
    [
        ("mother", "живе в Києві", "Ваша мама живе в Києві"),
        ("brother", "працює водієм", "Ваш брат працює водієм"),
        ("brother", "любить каву", "Ваш брат любить каву"),
        ("brother", "має собаку", "Ваш брат має собаку"),
        ("sister", "Олена", "Ваша сестра — Олена"),
        ("sister", "учителька", "Ваша сестра — учителька"),
        ("brother", "водій таксі", "Ваш брат — водій таксі"),
        ("hobby", "збираю марки", "Ваше хобі: збираю марки"),
    ],
)
def test_what_somebody_does_is_told_as_that_in_ukrainian(key: str, value: str, told: str) -> None:
    assert statement(key, value, "uk") == told
