"""What is read in the middle of clauses, and above all whose it has to be."""

from __future__ import annotations

import pytest
from inferred import certain, uncertain

from zgadka.extract.extraction import group_and_type
from zgadka.extract.lexicon import language_patterns
from zgadka.extract.rules import extract
from zgadka.extract.within import readings_of


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("been living in Ghent for ages and still get lost", {"location: Ghent"}),
        ("so my wife and I moved to Lisbon back in March", {"location: Lisbon"}),
        ("last spring was long, I work as a welder now", {"job: welder"}),
        ("just landed a job at Deloitte", {"employer: Deloitte"}),
        ("just landed a job at Deloitte as an auditor", {"employer: Deloitte", "job: auditor"}),
        ("about me: Beth, 44, librarian, two teens", {"name: Beth", "age: 44", "job: librarian"}),
        ("type 2 diabetic here, what can I snack on", {"health: type 2 diabetic"}),
        ("I'm deaf in one ear, and allergic to kiwi", {"health: deaf in one ear", "allergy: kiwi"}),
        ("my husband Piet cooks, I only eat", {"husband: Piet"}),
        ("I'm 51 and I feel every day of it", {"age: 51"}),
        ("вечорами в'яжу, а ще маю кота Мурчика і живу в Луцьку", {"pet: кіт Мурчик", "location: Луцьк"}),
        ("ми з чоловіком Ігорем недавно перебрались в Ужгород", {"husband: Ігор", "location: Ужгород"}),
        ("працюю медсестрою в дитячій лікарні", {"job: медсестра", "employer: дитяча лікарня"}),
        ("кашу ненавиджу, а от каву обожнюю", {"dislike: каша", "like: кава"}),
        ("мій зріст 192, який велосипед порадиш?", {"height: 192"}),
        ("Мені 20, шо питають на співбесіді?", {"age: 20"}),
        ("про мене: Руслан, 27 років, слюсар", {"name: Руслан", "age: 27", "job: слюсар"}),
    ],
)  # fmt: skip
def test_what_stands_in_the_middle_of_a_clause_is_found(text: str, items: set[str]) -> None:
    assert items <= certain(text)


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("answer me in short sentences", "answer me in short sentences"),
        ("no jargon please", "no jargon"),
        ("keep it short, I'm on a watch", "keep it short"),
        ("be patient with me i'm 74", "be patient with me"),
        ("I'd rather you ask me questions than guess", "ask me questions than guess"),
        ("Code only.", "Code only"),
        ("Пиши мені тільки українською", "українська"),
        ("Звертайся на «ти»", "на ти"),
        ("давай на ти", "на ти"),
        ("без смайликів плз", "без смайликів"),
        ("пояснюй на прикладах, так мені легше", "на прикладах"),
        ("спочатку висновок, потім деталі", "спочатку висновок"),
    ],
)
def test_a_wish_about_answers_is_a_preference(text: str, wish: str) -> None:
    found = [item for item in extract(text).certain if item.key == "style"]
    assert [(item.type, item.value.casefold()) for item in found][:1] == [("preference", wish.casefold())]


@pytest.mark.parametrize(
    "text",
    [
        *("make this one shorter", "how do I write a formal email?", "write him one short line"),
        "explain this in english",
        *("she told the bot to be brief", "translate it to french", "write a short story in english"),
        *("переклади це на англійську коротко", "Як написати на «ви» до вчителя?", "напиши йому листа українською"),
        *("сестра просить щоб ти відповідав їй російською", "не дай мені забути про це"),
    ],
)  # fmt: skip
def test_an_order_for_this_once_is_no_wish_about_answers(text: str) -> None:
    assert [item.text for item in extract(text).certain if item.key == "style"] == []


OTHERS = [
    *("my boss moved to Leeds and loves jazz", "I have a friend with a nut allergy"),
    "our son is autistic and loves trains",
    *("I work with a guy who lives in Oslo and is allergic to nuts", "we hired Tom. 45, plumber, lives in Cork"),
    *("I met a woman from Lisbon, 30, a dancer, vegan", "I cook for my wife, vegan, allergic to kiwi"),
    *("I look after an old man, deaf, 90, loves opera", "I'm writing about a baker from Leeds, 40, deaf"),
    *("this is for my mum: 70, diabetic, lives in Hull", "she said she's from Leeds, 25, nurse"),
    *("my son's exam is on Monday", "grandson Theo, nearly two, calls me Boba", "my friend's brother Tom is 30"),
    *("у моєї подруги алергія на горіхи, 30 років, веганка", "маю друга, веган, живе у Львові"),
    *("я готую для тата: 70 років, діабет", "у нас новий сусід, Петро, слюсар, розлучений, має собаку"),
    *("пишу про козака, 40 років, з Чигирина, глухий", "чоловік астматик, я готую йому, син веган"),
    *("моя начальниця, 45, з Харкова, обожнює каву", "знаю одного чоловіка, пасічник з Полтави, 60 років"),
    *("podruha pereikhala u Varshavu, pratsyuye v Amazon, vyvchyla polsku", "у брата дві доньки, живуть у Празі"),
]  # fmt: skip


@pytest.mark.parametrize("text", OTHERS)
def test_nothing_of_somebody_else_is_read_in_the_middle_of_a_clause(text: str) -> None:
    found = extract(text)
    own = [item for item in (*found.certain, *found.uncertain) if group_and_type(item.key)[1] != "relationship"]
    assert [item.text for item in own] == []


@pytest.mark.parametrize(
    "text",
    [
        *("I don't live in Boston anymore", "I used to run, meditate and live in Bali"),
        "my exam on the 4th got cancelled",
        *('git commit -m "I love Haskell"', "- [x] я живу в Одесі", "Chapter 1. My name is Wren."),
        "I'm 25 and by 25 i mean 52",
        *("Від: Степан <st@ukr.test>\nТема: про себе\nЯ шукаю роботу водія в Одесі.", "снилось, що я переїхав у Токіо"),
        *("у мене нема діабету", "весілля скасували, 20 червня нічого не буде", "I left Google for Meta"),
    ],
)  # fmt: skip
def test_what_is_denied_over_quoted_or_dreamt_is_nothing_in_the_middle_of_a_clause_either(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("maybe I'm lactose intolerant? idk", "health: lactose intolerant"),
        ("I seem to be the team lead all of a sudden", "job: team lead"),
        ("It's possible I have ADHD", "health: ADHD"),
        ("I'd say I'm from Ohio but we moved every year", "hometown: Ohio"),
        ("does anyone know a decent barber in Leeds?", "location: Leeds"),
        ("it'd be cool to write a novel one day", "goal: write a novel"),
        ("in the sims i'm a doctor", "job: doctor"),
        ("наче в мене гастрит, лікар ще не казав", "health: гастрит"),
        ("прикольно було б жити біля моря", "goal: жити біля моря"),
    ],
)
def test_what_is_hedged_hinted_or_stands_behind_unknown_words_is_asked(text: str, item: str) -> None:
    assert item in uncertain(text)
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("ya zhyvu u Rivnomu, meni 41", {"location: Rivne", "age: 41"}),
        ("moye im'ya Yaryna, ya z Kolomyi", {"name: Yaryna", "hometown: Kolomyi"}),
    ],
)
def test_ukrainian_in_latin_letters_is_read_and_stays_in_them(text: str, items: set[str]) -> None:
    assert certain(text) == items


@pytest.mark.parametrize("text", ["I do a lot, to be honest", "mama mia, here I go", "do na de vo", "z a u v"])
def test_what_is_no_ukrainian_is_not_put_into_its_letters(text: str) -> None:
    assert certain(text) == uncertain(text) == set()


@pytest.mark.parametrize("code", ["en", "uk"])
def test_each_reading_has_a_word_by_which_it_is_tried(code: str) -> None:
    entries = language_patterns(f"within_{code}").entries["readings"]
    assert [entry["pattern"] for entry in entries if not entry["on"].split()] == []
    assert len(readings_of(code)) == len(entries)


@pytest.mark.parametrize("code", ["en", "uk"])
def test_each_reading_is_a_pattern_that_finds_nothing_in_nothing(code: str) -> None:
    for reading in readings_of(code).readings:
        for search in filter(None, (reading.search, reading.search_bare)):
            assert search("") is None, reading


@pytest.mark.parametrize(
    "text",
    [
        *(
            "do I like jazz?",
            "Do I love my dog Rex?",
            "do I enjoy hiking",
            "hey, do I like my job?",
            "do I have asthma?",
        ),
        *("Чи люблю я каву?", "чи я люблю каву?", "чи подобається мені джаз?"),
    ],
)
def test_what_somebody_asks_about_themselves_tells_nothing(text: str) -> None:
    assert certain(text) | uncertain(text) == set()


def test_who_is_not_sure_of_their_taste_is_asked() -> None:
    assert uncertain("не знаю, чи люблю я каву") == {"like: кава"}
