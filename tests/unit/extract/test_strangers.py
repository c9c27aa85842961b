"""How strangers say it: verbless, in a row, with numbers in words, work without a title; and what is not that."""

from __future__ import annotations

import pytest
from inferred import certain


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("26, single, Berlin based", {"age: 26", "marital status: single", "location: Berlin"}),
        ("Марія, 24, дизайнерка", {"name: Марія", "age: 24", "job: дизайнерка"}),
        ("i live in kyiv i love coffee i have a cat", {"location: kyiv", "like: coffee", "pet: cat"}),
        ("мене звати Ігор мені 34 я з Сум", {"name: Ігор", "age: 34", "hometown: Суми"}),
        ("я Макс тестувальник з Харкова", {"name: Макс", "job: тестувальник", "location: Харків"}),
        ("я з Полтави, зараз у Варшаві", {"hometown: Полтава", "location: Варшава"}),
        ("I'm thirty-two", {"age: thirty-two"}),
        ("мені двадцять п'ять років", {"age: двадцять п'ять"}),
        ("I teach maths at a secondary school", {"job: maths teacher"}),
        ("викладаю англійську онлайн", {"job: викладаю англійську"}),
        ("I serve in the navy", {"job: serve in the navy"}),
        ("служу в ЗСУ", {"job: служу в ЗСУ"}),
        ("I go to the gym every day", {"hobby: go to the gym"}),
        ("ходжу в зал тричі на тиждень", {"hobby: ходжу в зал"}),
        ("we have two cats and a parrot", {"pet: two cats and a parrot"}),
        ("у нас двоє синів", {"child: двоє синів"}),
        ("працюю логістом вже 3 роки", {"job: логіст"}),
        ("працюю вчителькою початкових класів", {"job: вчителька початкових класів"}),
        ("i leave in dublin", {"location: dublin"}),
        ("no, I live in Riga", {"location: Riga"}),
        ("I'm 17, can I join?", {"age: 17"}),
    ],
)
def test_what_strangers_say_of_themselves_is_found(text: str, items: set[str]) -> None:
    assert certain(text) == items


@pytest.mark.parametrize(
    "text",
    [
        *("it's summer", "it's june", "це любов", "це надія", "24, married to the sea", "26, 27, 28, go!"),
        *("25, 26, 27", "Anna, 25 minutes late again", "Berlin, 25, sunny", "teacher, doctor, nurse"),
        *("собака, 3 роки, Київ", "продам авто, 25 років", "Марія, 45 років, зникла", "30 років"),
        *("I teach people a lesson", "I own up to my mistakes", "I run a tight ship", "I serve looks"),
        *("I serve in the army of darkness", "I go fishing for compliments", "I go to the gym to cry"),
        *("I know a german", "I know java is old", "we have two options", "we live in hope", "we moved to slack"),
        *("I leave in june", "I'm forty percent done", "I'm twenty minutes away", "fluent in sarcasm"),
        *("i know i'm late", "I hate i'm 30", "I don't teach maths", "I was in the army", "I can't eat anymore"),
        *("мені сорок причин не йти", "мені двадцять гривень", "мені буде тридцять", "якби мені було сорок"),
        *("служу музам", "не служу в ЗСУ", "брат служить в ЗСУ", "викладаю фото в інстаграм", "ходжу на роботу"),
        *("бігаю за дитиною", "бігаю по лікарях", "катаюся по підлозі", "мрію про сон", "маю власну думку"),
        *("у нас двоє гостей", "сину маминої подруги 20", "моєму коту 5 років", "з понеділка, зараз у процесі"),
        *("працюю в Житомирі", "студент року, 20 балів", "у шлюбі з роботою", "мої батьки живуть минулим"),
        *("не знаю живу в Києві", "я знаю маю вчити", "моя мама з Марса", "хочу на пенсію", "без роботи сумно"),
    ],
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert certain(text) == set()
