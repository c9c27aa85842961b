"""What only has the form of a statement of its writer: third persons, copied chats, games, lessons, figures, irony."""

from __future__ import annotations

import pytest
from inferred import certain

from zgadka.extract.authored_text import own_words
from zgadka.extract.rules import extract, weigh_claim

TAKEN_NO_LONGER = [
    # Somebody is introduced by name.
    *("Маша з Дніпра, Даша з Запоріжжя, а я місцева", "Sam from Dallas, Joe from Austin, and me"),
    *("Ліза з Одеси, вона моя подруга", "Julia from Leeds, my nail tech, highly recommend"),
    *("Ліза з Одеси, мені подобається"),
    *("Julia from Leeds, anyone know her?", "Оксана, 30 років, Львів - наш новий менеджер"),
    *("Ліза, 24, Одеса. Як вам?"),
    *("Оксана, 30 років, лікарка, врятувала мені життя", "Kevin, 34, plumber from Hull, called about the leak"),
    *("Віктор, 52, сантехнік, затопив мою квартиру", "Rob from Cardiff, he's a legend"),
    *("Petra, 41, Brno, my landlady"),
    *("народився 9 березня 1814 в селі Моринці", "Народилася в Коломиї, співачка - це про Квітку Цісик"),
    # Of whom one speaks to, and of whom is trained.
    *("you like tea and hate coffee", "you work at a bank, live in Kent and love golf"),
    *("Маск за освітою фізик", "мій шеф за освітою ветеринар", "Зеленський юрист за освітою, я теж"),
    *("за освітою хімік, а працює таксистом наш Вася", "наша викладачка юристка за освітою"),
    # Chats that were copied with senders and times.
    *("John [12:04]: I have 3 cats", "Олег [14:32]: я з Одеси, працюю в порту", "John, 12:04: I'm a nurse"),
    *("John 12:04 I have 3 cats", "Оля, 18:20\nя в дорозі", "Olha, 12:30 PM\nI have two daughters"),
    *("Аня, [12.03.24 10:11]\nмені 23, живу в Умані", "Steve — Today at 3:15 PM\nI'm a vet from Utah"),
    *("Марічка — Сьогодні о 15:15\nя вегетаріанка", "12/03/24, 10:11 - John: I live in Leeds"),
    # What one is not called.
    *("не називай мене Сашком", "не клич мене Юлькою, бісить", "мене постійно називають Іра, а я Іна"),
    *('не звертайся до мене "пане Олеже"', "у старбаксі я завжди Аліса"),
    # Figures of speech.
    *("I'm pregnant with ideas", "I'm blind, it was right there", "I'm deaf to your complaints"),
    *("I have OCD about semicolons"),
    *("I have PTSD from that codebase", "я сліпа, кнопка ж під носом", "в мене депресія від цієї погоди"),
    *("я професор кислих щей", "я терапевт для всіх своїх подруг"),
    *("я директор цього дурдому", "я тренер по лежанню на дивані"),
    *("I'm a chef of instant noodles", "I'm a taxi driver for my teens"),
    *("I'm the family IT guy", "я вдова комп'ютерних ігор"),
    *("I'm a detective when my bf likes another girl's photo", "хочу померти від сорому", "малюю звіт"),
    # Games, plays, platforms.
    *("в сімсі в мене троє дітей і вілла", "у скайрімі я одружений і маю двох дітей", "в гта я таксист"),
    *("in stardew valley I have 2 cows and a dog", "в тіктоку я кухар", "у виставі я Мавка, мені 16"),
    *("*I am Thorin, son of Thrain*", "*заходить у таверну* Мене звати Ельдар", "_looks around_ My name is Zed"),
    *("я капітан піратського корабля", "I am Iron Man"),
    # Dialogues, memes, lessons.
    *("- ти звідки? - я з Умані. - о, і як там?", "— Доктор, я шахтар. — А я балерина", "me at 3am: I'm a chef"),
    *("- I'm a miner, says the man", "mom be like I'm 60", "as a wise man said, I'm rich, I have two cows"),
    *("Вправа 7. Я лікар. Я живу в Одесі.", "Exercise 3. I have a dog. I live in Kent."),
    *("поясни що значить I am a teacher"),
    *("explain the sentence I am allergic to nuts", "Спиши речення. Я маю кота.", "що означає I'm a nurse"),
    # Irony, numbers that are no age, verbs of travel.
    *("ну звісно, я живу в Монако", "ага, працюю в ЦРУ", "живу в Хогвартсі", "yep I'm the Queen and I live in Kent"),
    *("так люблю вставати о п'ятій, просто мрія (ні)", "обожнюю черги в ЦНАПі", "як же я люблю прибирати"),
    *("I'm 20 in the queue", "I'm 30 in line", "lied that I'm 21", "I pretended I'm a doctor", "їжджу електричкою"),
    "ТОВ Я Люблю Каву шукає баристу",
]  # fmt: skip
STILL_TAKEN = [
    ("Оля, 25, Київ, дизайнерка", "name: Оля"),
    ("Sam from Dallas, I love pizza", "hometown: Dallas"),
    ("Kevin, 34, plumber from Hull, moved here last year", "name: Kevin"),
    ("Hi, I'm Sam from Dallas, my sister Joe lives in Austin", "name: Sam"),
    ("народився 9 березня 1985 в Києві", "birthday: 9 березня 1985"),
    ("nice to meet you, I love hiking", "like: hiking"),
    ("я юрист за освітою", "education: юрист"),
    ("за освітою хімік", "education: хімік"),
    ("Моя спеціальність за дипломом інженер-гідротехнік", "education: інженер-гідротехнік"),
    ("встаю о 06:30, працюю на заводі", "employer: завод"),
    ("Tomorrow 12:30 I see the dentist. I live in Leeds", "location: Leeds"),
    ("називай мене Сашком", "name: Сашко"),
    ("I'm deaf", "health: deaf"),
    ("I'm pregnant with twins", "health: pregnant"),
    ("I have PTSD from the war", "health: PTSD"),
    ("у мене депресія", "health: депресія"),
    ("ку всім, я Тимур, мені 19, катаю в доту", "age: 19"),
    ("i have a bearded dragon", "pet: bearded dragon"),
    ("*sigh* I live in Leeds", "location: Leeds"),
    ("- I live in Leeds\n- I have a dog", "location: Leeds"),
    ("Where are you from? - I'm from Sofia", "hometown: Sofia"),
    ("- Звідки ти?\n- Я з Полтави", "hometown: Полтава"),
    ("я лікар швидкої", "job: лікар швидкої"),
    ("я вчитель для дітей з аутизмом", "job: вчитель"),
    ("I'm a nurse for the NHS", "job: nurse"),
    ("I'm a student of law", "education: law"),
    ("answer as a nurse from Kyiv", "style: answer as a nurse from Kyiv"),
    ("yep, I live in Leeds", "location: Leeds"),
    ("I'm 30 and live in Leeds", "age: 30"),
    ("хочу купити будинок", "goal: купити будинок"),
    ("збираю марки", "hobby: збираю марки"),
]


@pytest.mark.parametrize("text", TAKEN_NO_LONGER)
def test_what_is_not_meant_of_its_writer_is_not_stored(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(("text", "item"), STILL_TAKEN)
def test_the_plain_statement_beside_it_still_is(text: str, item: str) -> None:
    assert item in certain(text)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("I'm deaf in one ear", {"health: deaf in one ear"}),
        ("я офіцер запасу", {"job: офіцер запасу"}),
        ("ненавиджу кінзу просто терпіти не можу", {"dislike: кінза"}),
        ("favorite food is ramen hands down", {"favorite food: ramen"}),
        ("у мене алергія на амброзію і на котів", {"allergy: амброзія", "allergy: коти"}),
        ("у мене алергія на цитрусові, полуницю та мед", {"allergy: цитрусові", "allergy: полуниця", "allergy: мед"}),
        ("я люблю чорну каву без молока", {"like: чорна кава без молока"}),
        ("працюю водієм-далекобійником по Європі", {"job: водій-далекобійник"}),
        ("вчуся на третьому курсі КПІ", {"education: третій курс КПІ"}),
        ("маю вищу юридичну освіту", {"education: вища юридична освіта"}),
        ("I'm a junior at UCLA majoring in econ", {"education: UCLA"}),
        ("my wife and I are both teachers", {"job: teacher"}),
        ("навчаюсь у Львівській політехніці", {"education: Львівська політехніка"}),
        ("працюю на складі", {"employer: склад"}),
        ("me and my boyfriend live in Bath", set()),
    ],
)
def test_a_value_is_whole_and_in_its_base_form(text: str, items: set[str]) -> None:
    assert certain(text) == items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("it's my birthday today, 33!", {"age: 33"}),
        ("it's my birthday, 40 people coming", set()),
        ("I take insulin twice a day", {"medication: insulin"}),
        ("I have a brother in Canada", {"sibling: brother"}),
        ("I have a brother in law", set()),
        ("I work in HR for a logistics company", {"industry: HR"}),
        ("I grew up in rural Kansas", {"hometown: Kansas"}),
        ("заміжня, двоє дітей: Софійка 6 і Марко 3", {"marital status: заміжня", "child: двоє дітей"}),
        ("my sister has two kids: Mia 4 and Leo 7", {"sister: has two kids"}),
    ],
)
def test_what_many_say_with_a_few_words_more_is_found(text: str, items: set[str]) -> None:
    assert certain(text) == items


def test_what_may_be_a_figure_of_speech_is_asked_about() -> None:
    assert [item.key for item in extract("я нянька для джунів").uncertain] == ["job"]


def test_what_stands_before_a_copied_chat_is_its_writers() -> None:
    assert own_words("I live in Leeds.\nJohn [12:04]: I have 3 cats").sentences == ("I live in Leeds.",)


def test_a_model_is_held_to_the_same_signs() -> None:
    assert weigh_claim("живу в Хогвартсі", "location", "Хогвартс") is None
    assert weigh_claim("в гта я таксист", "job", "таксист") is False
