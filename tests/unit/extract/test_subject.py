"""Whose predicate a clause is: what is said of others is never stored of the writer."""

from __future__ import annotations

import pytest
from inferred import certain, uncertain
from long_run import some_of

from zgadka.extract.extraction import group_and_type
from zgadka.extract.lexicon import words
from zgadka.extract.rules import extract
from zgadka.extract.subject import whose

OTHERS = [
    # A dash, a comma and a missing verb are no self.
    *("Мій брат Тарас — програміст", "Мій брат Тарас програміст", "Мій брат Тарас, програміст, живе в Одесі"),
    *("Петро — лікар", "Петро, лікар", "Шевченко - поет", "Зеленський — президент, родом з Кривого Рогу"),
    *("Пацієнт — 45 років, алергія на пеніцилін", "Наш сусід, учитель, переїхав", "Сусід, 45 років, з Харкова"),
    *("У заступниці чоловік — суддя", "у заступниці чоловік суддя", "В мене сусід — музикант"),
    *("У мене чоловік — військовий", "Колега — вегетаріанка, любить каву", "Мій начальник — веган"),
    *("Герой роману — детектив, живе в Лондоні", "Алергія на котів у чоловіка", "Нова директорка: 50 років, з Одеси"),
    *("їй 29, розлучена, двоє котів", "вона лікарка, 30 років, з Одеси", "Живу з сестрою, програмістка"),
    *("Я бачила жінку, лікарка з Києва", "шукаю дівчину, 25 років, з Києва", "Одружений, 40 років, живе в Києві"),
    *("Сусідка зверху, вчителька, грає на піаніно", "Родом з Кривого Рогу, він став президентом"),
    # The sentence before names who the next one is about.
    *("Новий тренер класний. 45 років, з Харкова", "У нас є подруга Ірина. Програмістка, 30 років"),
    *("Тарас Шевченко. Поет, художник, народився в Моринцях", "Olena,34,Lviv\nPetro,40,Kyiv\nname,age,city"),
    *("My new colleague. Vegan, 34, from Berlin", "She's my sister. Nurse, 30, single", "He is 45. From Texas."),
    *("my boss: vegan, 45, from Odesa", "Our neighbour, a teacher, moved", "My patient - 45, allergic to penicillin"),
    *("Tomasz, our plumber, has four kids and a boat", "Taras is a programmer", "Born in Kyiv, he moved to London"),
    *("45 yo male, allergic to penicillin, presents with cough", "Living in Spain, my parents love it"),
    *("Priya (31, analyst, Pune) got the job", "Оксана (27, медсестра, Луцьк) отримала роботу"),
    *("Марічку обсипає від полуниці", "Подруга не їсть ягід, бо висипає на ягоди", "Бімка нашого обсипає на курку"),
    *("In his words, I live in Berlin", "Quoting the ad, I live in Berlin", "As my boss puts it, I live in Berlin"),
    *("bday is on May 5, a mate's", "Met my mate yesterday. Birthday is on May 5"),
    # An advertisement says "I" for whoever offers something.
    *("I'm a massage therapist in Leeds. Book now!", "Hi, I'm Dana, 34, yoga teacher. DM for prices! Link in bio"),
    *("Я майстриня манікюру у Львові. Запис у дірект!", "Фотографка з Києва. Деталі в приват!"),
    *("Formerly a nurse in Leeds", "Колись жила в Києві"),
]


def of_the_writer(text: str) -> list[str]:
    """What is found that would be stored of the writer; what is a relative's says so itself."""
    found = extract(text)
    return [item.text for item in (*found.certain, *found.uncertain) if group_and_type(item.key)[1] != "relationship"]


@pytest.mark.parametrize(
    "text", ["I live in Berlin or in Prague", "Живу у Києві чи Львові", "живу в Києві або в Одесі"]
)
def test_of_two_places_none_is_certain(text: str) -> None:
    assert not [item for item in extract(text).certain if item.key == "location"]


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_said_of_somebody_else_is_nothing_of_the_writer(text: str) -> None:
    # Of a table the first line may be its writer's; the second never is.
    assert [item for item in of_the_writer(text) if "Olena" not in text or "Petro" in item] == []


PREDICATES = {
    "uk": (
        *(
            "{} — програміст",
            "{}, програміст, переїхав",
            "{} програмістка, 30 років",
            "{} — веган",
            "{}, 45 років, з Одеси",
        ),
        *(
            "{} розлучена, шукає роботу",
            "у {} алергія на горіхи",
            "{}: алергія на горіхи",
            "{}. Програмістка, 30 років",
        ),
    ),
    "en": (
        *(
            "{}, a nurse, moved",
            "{} is a nurse",
            "{} - vegan, 45, from Texas",
            "{}: allergic to nuts",
            "{}. Nurse, 30, single",
        ),
        *("{} works as a nurse and lives in Odesa", "{} is 34, married, born in Leeds"),
    ),
}
PEOPLE = {
    "uk": (
        *("Мій брат", "Моя сусідка", "Петро Іванович", "Наш тренер", "Її чоловік", "Начальник", "Подруга Ірина"),
        *("Якийсь дядько", "Президент", "Головний герой", "Пацієнтка"),
    ),
    "en": (
        *("My brother Taras", "Our neighbour", "Steph", "The patient", "She", "My ex", "My kid's teacher", "Some guy"),
        *("The president", "Her husband", "The main character", "A friend of mine"),
    ),
}


@pytest.mark.parametrize("language", PEOPLE)
def test_nobodys_predicate_is_the_writers_whatever_joins_them(language: str) -> None:
    said = [predicate.format(person) for person in PEOPLE[language] for predicate in PREDICATES[language]]
    assert [(text, items) for text in said if (items := of_the_writer(text))] == []


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("Ти програміст, а я художниця", ["job: художниця"]),
        ("My husband thinks so, he's the accountant. I'm a florist", ["job: florist"]),
        ("my girlfriend and I live in Paris", ["location: Paris"]),
        ("My mother tongue is Polish", ["native language: Polish"]),
        ("Привіт! Програміст, 30 років, зі Львова", ["job: Програміст", "age: 30", "hometown: Львів"]),
        ("Мене звати Олена, чоловік — лікар, живемо в Києві", ["name: Олена", "location: Київ"]),
        ("about me: 33, dad of two, software developer", ["age: 33", "job: software developer"]),
    ],
)
def test_what_is_said_of_oneself_beside_others_is_found(text: str, items: list[str]) -> None:
    assert sorted(of_the_writer(text)) == sorted(items)


@pytest.mark.parametrize(
    ("clause", "answer"),
    [
        *(("I'm a nurse", "self"), ("працюю вчителькою", "self"), ("my birthday is on May 5", "self")),
        *(("мій брат програміст", "other"), ("my brother is a programmer", "other"), ("you are a nurse", "other")),
        *(("робота з історією", "unsaid"), ("програміст зі Львова", "unsaid"), ("my pronouns are she/her", "self")),
    ],
)
def test_a_clause_says_whose_it_is(clause: str, answer: str) -> None:
    assert whose(clause) == answer


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Maybe, just maybe, I have diabetes", "health: diabetes"),
        ("I'm not certain, but, it seems, I have diabetes", "health: diabetes"),
        ("Не певна, але, здається, у мене діабет", "health: діабет"),
        ("Не певна... Здається, у мене діабет", "health: діабет"),
        ("I live in Lviv. I think so.", "location: Lviv"),
        ("I live in Lviv (I don't know)", "location: Lviv"),
        ("I live in Lviv. Or so I think", "location: Lviv"),
        ("I think I live in Lviv and maybe I'll learn Rust", "location: Lviv"),
        ("я живу у Львові, але це не точно", "location: Львів"),
    ],
)
def test_a_hedge_anywhere_in_the_sentence_makes_it_a_question(text: str, item: str) -> None:
    found = extract(text)
    assert [one.text for one in found.certain] == []
    assert item in [one.text for one in found.uncertain]


PLAIN = {"en": ("I live in Kyiv", "I work as a nurse"), "uk": ("я живу в Києві", "у мене алергія на горіхи")}


@pytest.mark.parametrize("language", PLAIN)
@pytest.mark.parametrize(
    "form", ["{1}, {0}", "{0}, {1}", "{1}, but, {0}, so it is", "{1}, але, {0}, так і є", "{1} ({0})"]
)
def test_no_sentence_with_any_known_hedge_is_certain(language: str, form: str) -> None:
    known = (hedge.strip(" ,*") for head in ("doubt", "hedge") for hedge in words(f"{head}_{language}", "cues"))
    hedges = [*dict.fromkeys(known)]  # in an order of their own, so that each run tries the same
    said = [form.format(hedge, text) for n, hedge in enumerate(hedges) for text in some_of(PLAIN[language], n)]
    assert [text for text in said if len(extract(text).certain)] == []


@pytest.mark.parametrize(
    "text",
    [
        *("our baby's 5 months and allergic to dairy", "my dog's 4 and allergic to chicken", "у Вані двоє дітей"),
        *("[Forwarded] I'm Amanda, a coach from Dubai", "[12:04] <mike> I'm a plumber from Leeds"),
        *("me as a cat: i am 4 years old, i live on the radiator", "the innkeeper: 'Name's Bart and I hate elves.'"),
        *("та яка я вчителька, прости господи", "хіба я схожа на студентку?", "я в Києві проїздом"),
    ],
)
def test_whoever_else_is_described_is_not_the_writer(text: str) -> None:
    assert {item for item in certain(text) if not item.startswith("pet: dog")} == set()


@pytest.mark.parametrize(
    ("text", "besides"),
    [
        ("John, 45, accountant, Leeds.", "Write him a cover letter"),
        ("Тарас, 33, Київ, програміст.", "Як вам такий варіант?"),
    ],
)
def test_a_description_beside_which_nobody_says_i_is_asked_about(text: str, besides: str) -> None:
    assert certain(text) != set()
    assert certain(f"{text} {besides}") == set()
    assert uncertain(f"{text} {besides}") >= certain(text)


@pytest.mark.parametrize("text", ["on Tinder I'm 29", "for Halloween I'm a nurse"])
def test_what_holds_in_one_place_alone_is_asked_about(text: str) -> None:
    assert certain(text) == set()
    assert uncertain(text) != set()
