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


SAID_OF_THEMSELVES = {
    # Phrases and words that say the same, in either language.
    "night owl": ["up late again, as ever", "я сова, пишу вночі", "night person here"],
    "beekeeper": ["the hives survived the frost", "на пасіці тихо", "bees all morning"],
    "ветеринар": ["the vet clinic calls me again", "ветлікарка, ну так", "нова ветклініка, перша зміна"],
    "deaf": ["my hearing aid beeps", "глуха на одне вухо", "batteries for the hearing aids"],
    # People by where they are from, countries by who lives there and what they speak.
    "Norway": ["practising my Norwegian", "норвезька мова мене доконає", "Norwegians never complain"],
    "Полтава": ["як кожен полтавець, люблю галушки", "ми, полтавчани, такі", "полтавка я"],
    "London": ["as a Londoner I never look up", "we Londoners queue", "Лондон шумить"],
    # Slips of the pen.
    "Мена": ["живу в Мені", "я з Мени", "МЕНА"],
    "Житомир": ["у Житомері дощ", "з Жітомира їду", "Житомр зустрічає"],
    "electrician": ["electricain on duty", "elektrician by day", "elecrician again"],
    "капучино": ["капуччино зранку", "ще одне капучіно", "капучно"],
    # Endings in Latin letters, the end of a compound, and a name in small letters that begins a text.
    "Gdynia": ["v Gdyni the trolleybuses are cute", "z Gdynii"],
    "Укрпошта": ["на пошті черга", "пошта знову стоїть"],
    "Middlemarch": ["middlemarch update: Dorothea just married"],
    "hates open-plan offices": ["put me in open plan again"],
    # Names in short, and as they are spelt elsewhere.
    "Bohdan": ["Bogdan snores", "Богдан прийшов", "Bogdan's cake"],
    "Олександр": ["Сашко спить", "дзвонила Сашкові", "Oleksandr called"],
    "Netflix": ["працюю в Нетфліксі", "нетфлікс платить", "NETFLIX pays"],
    # Numbers in words.
    "37": ["thirty-seven candles", "тридцять сім, а як двадцять", "37!"],
    "two kids": ["my kids sleep", "двоє дітей", "both children"],
    "3 March": ["the third it is", "березень, третє число", "on the 3rd", "в березні"],
    "flat 27": ["come to 27", "двадцять сьома квартира"],
    "21 March": ["the twenty-first, don't forget", "on March 21st", "двадцять першого кличу всіх"],
    # Who does it, and who learns it.
    "1990-03-21": ["born on 21 March", "двадцять першого березня", "the twenty-first it is"],
    "12.05.1991": ["12 травня", "May 12th", "twelfth of May"],
    "Kyiv Polytechnic Institute": ["I study at KPI", "KPI exams again", "back to the Polytechnic Institute"],
    "building boats": ["a builder has no weekends", "boats are my life", "the boat leaks"],
    "біологія": ["для них я біологічка", "біолог з мене ніякий", "іспит з біології"],
    "географія": ["я географічка в школі", "географ", "знову географія"],
    # A part of it, if it is no word that everybody uses.
    "open a flower stall": ["the stall needs a permit", "flowers all day then"],
    "вивчити нотну грамоту": ["нотною вже володію"],
    "Marta, a harbour pilot": ["Marta works nights", "Марта дзвонила"],
    # What is cut off its beginning or its end.
    "Wellington": ["back in Wellin soon"],
    "homebrewing": ["brewing again"],
    # Numbers as people say them, and as they write them.
    "640": ["six forty a month", "шістсот сорок", "six hundred and forty"],
    "8 300": ["8300", "вісім триста", "вісім тисяч триста", "8,300"],
    "14,000": ["14k put aside", "fourteen grand", "14 тис"],
    "1984": ["born in '84", "nineteen eighty-four", "вісімдесят четвертий рік"],
    "171": ["1.71 m", "метр сімдесят один", "one seventy-one"],
    "45": ["45s are sold out", "45го"],
    "17 July": ["17/7, write it down", "17.07.", "7/17", "17 jul"],
    "+44 7700 900123": ["ends in 900 123", "…0123"],
    # What is made of a noun.
    "вишня": ["вишневий сік", "вишнею пахне"],
    "сестра": ["сестричка прийшла"],
    "Гайок": ["у Гайку тихо"],
    "кролик Барс": ["Барсик утік"],
    "Rex": ["Rexy sleeps"],
    "академвідпустка": ["в академці спиться краще"],
}
NOT_SAID_OF_THEMSELVES = {
    "morning person": ["good night", "a person called"],
    "Split": ["A split by two gives ten", "we split the bill", "спліт-система гуде", "They split up"],
    "Любов": ["я люблю каву", "люблю грати"],
    "Богдан": ["богданівка далеко", "Богуслав"],
    "37": ["thirty-five", "двадцять сім", "seven"],
    "Полтава": ["полталог", "полотно"],
    "Python": ["пітон у зоопарку"],
    # What only sounds like a word of the other language, and words that say nothing of their own.
    "chemistry": ["I drive him crazy", "is it him?"],
    "three kids": ["I tried the soup", "try again"],
    "дід Петро": ["did you see the match"],
    "вино": ["we won again"],
    "Gdynia": ["gday everyone", "gin tonight"],
    "Укрпошта": ["поштовх був сильний"],
    # A small number of other things, where more than the number is said.
    "two kids": ["the train is two hours late", "2 трамваї поспіль"],
    "three cats": ["bus 3 is late", "see you at three"],
    "3 March": ["I need 3 eggs", "3 роки тому", "three boxes"],
    "Nick": ["нічого не встиг", "ніч була тепла"],
    "Tom": ["тому й не прийшов", "не в тому річ"],
    "Аня": ["an umbrella"],
    "водій": ["подарунок від брата"],
    "Коля": ["коли прийдеш?"],
    "йога": ["бачив його вчора"],
    "піти на пенсію": ["it rains", "its name is odd"],
    "Мена": ["у мене болить голова", "Мені холодно", "дай мені води"],
    # A name within a value is no word in small letters, and a word that everybody uses tells nothing.
    "cousin Olive": ["The olive tree died"],
    "вивчити нотну грамоту": ["вивчити вірш"],
    "sign language": ["what a language"],
    "640": ["64", "six or forty"],
    "17 July": ["17 eggs", "see you at 7"],
    "+44 7700 900123": ["ends in 900 124"],
}


@pytest.mark.parametrize("value", SAID_OF_THEMSELVES)
def test_of_themselves_people_say_a_value_in_other_words(value: str) -> None:
    texts = SAID_OF_THEMSELVES[value]
    found = MentionIndex(enumerate(texts)).of(value, loosely=True)
    assert [text for number, text in enumerate(texts) if number not in found] == []


@pytest.mark.parametrize("value", NOT_SAID_OF_THEMSELVES)
def test_of_themselves_people_do_not_say_it_by_a_strangers_word(value: str) -> None:
    texts = NOT_SAID_OF_THEMSELVES[value]
    found = MentionIndex(enumerate(texts)).of(value, loosely=True)
    assert [text for number, text in enumerate(texts) if number in found] == []


HINTED = {
    "darts": ["another bullseye", "the dartboard fell"],
    "дартс": ["знову яблучко"],
    "beekeeper": ["the smoker is out of fuel"],
    "open a flower shop": ["tulips at dawn"],
    "лунатизм": ["знову ходжу вночі"],
}


@pytest.mark.parametrize("value", HINTED)
def test_what_people_speak_of_hints_at_a_value_that_they_do_not_name(value: str) -> None:
    texts = HINTED[value]
    found = MentionIndex(enumerate(texts)).hinting(value)
    assert [text for number, text in enumerate(texts) if number not in found] == []


def test_a_hint_tells_nothing_of_a_word_beside_a_name_nor_of_a_long_note() -> None:
    texts = MentionIndex(enumerate(["my tent leaks", "the opera is late"]))
    assert texts.hinting("camping at Synevyr") == set()
    assert texts.hinting("camping") == {0}
    assert texts.hinting("camping on long weekends and singing by the river") == set()
    assert texts.hinting("arias") == set()  # what hints at opera is not told by opera


def test_people_go_on_by_words_of_a_keys_kind_whatever_its_value_is() -> None:
    texts = MentionIndex(enumerate(["two pills at eight", "the weather is fine", "доза менша"]))
    assert texts.going_on("medicine") == {0, 2}
    assert texts.going_on("location") == set()


def test_a_thing_with_a_name_is_hinted_at_by_what_the_thing_has() -> None:
    texts = MentionIndex(enumerate(["the heat lamp broke", "see you at ten"]))
    assert texts.hinting("gecko called Pickle") == {0}


def test_of_a_compound_no_single_word_tells() -> None:
    texts = MentionIndex(enumerate(["what is left of your budget", "the left handed shelf", "open plan again"]))
    assert texts.of("left-handed", loosely=True) == {1}
    assert texts.of("hates open-plan offices", loosely=True) == {2}


def test_a_retelling_keeps_half_of_a_clause() -> None:
    texts = MentionIndex(enumerate(["The barn hums so loudly", "What a summer"]))
    assert texts.retelling("The barn hums all summer", loosely=True) == {0}


@pytest.mark.parametrize(
    "name", ["James", "Lucas", "Boris", "Denis", "Alexis", "Iris", "Andreas", "Jess", "Ross", "Hans", "Max", "Liz"]
)
@pytest.mark.parametrize("apostrophe", ["'", "\u2019", "\u02bc"])
def test_a_name_that_ends_in_s_is_named_by_its_genitive(name: str, apostrophe: str) -> None:
    texts = MentionIndex(enumerate([f"{name}{apostrophe}s gate has a code", "A gate has a code", f"{name} has a gate"]))
    assert texts.naming(name) == {0, 2}
    assert MentionIndex([(0, f"{name} has a code")]).of(f"{name}{apostrophe}s code") == {0}


@pytest.mark.parametrize(("name", "form"), [("Paweł", "Pawła"), ("Marek", "Markowi"), ("Karel", "Karla")])
def test_a_name_is_found_in_its_forms(name: str, form: str) -> None:
    index = MentionIndex([(1, f"the code of {form} gate"), (2, "the boss has a parcel")])
    assert index.naming(name) == {1}


_EVERY_TEXT = [*enumerate(text for texts in SAID.values() for text in texts)]


@pytest.mark.parametrize("loosely", [False, True])
@pytest.mark.parametrize("among", [set(), {0, 1, 8}, set(range(0, len(_EVERY_TEXT), 2))])
def test_of_some_texts_those_are_found_that_are_found_of_all(among, loosely):
    index = MentionIndex(_EVERY_TEXT)
    for value in (*SAID, "Kyiv Polytechnic Institute", "I moved to Lisbon with black tea and oat milk"):
        assert index.of(value, loosely=loosely, among=among) == index.of(value, loosely=loosely) & among
        assert index.retelling(value, loosely=loosely, among=among) == index.retelling(value, loosely=loosely) & among


def test_an_index_finds_the_same_however_much_it_was_asked_before():
    index = MentionIndex(_EVERY_TEXT)
    first = {value: index.of(value, loosely=True) for value in SAID}
    for number in range(400):
        index.of(f"word{number} tea lisbon", loosely=True)
    assert {value: index.of(value, loosely=True) for value in SAID} == first
