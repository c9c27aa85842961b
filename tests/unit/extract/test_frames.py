"""What words of known kinds tell behind fitting ones, whatever else stands in the sentence; and what tells nothing."""

from __future__ import annotations

import pytest
from inferred import certain, uncertain

from zgadka.extract.frames import read_frames
from zgadka.extract.units import kinds_of


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("shift was hell (i'm a vet tech) and then the car died", {"job: vet tech"}),
        ("I've been a lighthouse keeper outside town for eleven years", {"job: lighthouse keeper"}),
        ("been living in Graz w/ two cats since march", {"location: Graz"}),
        ("I was born in 1990 in Kharkiv", {"birthplace: Kharkiv", "birth year: 1990"}),
        ("my name's not Alex, it's Alexis", {"name: Alexis"}),
        ("I used to live in Berlin but now it's Prague", {"location: Prague"}),
        ("I've got an exam in organic chemistry on Friday", {"date: exam in organic chemistry: Friday"}),
        ("my flight to Rome is on 12 May", {"date: flight to Rome: 12 May"}),
        ("Working as a freelance illustrator in Lisbon", {"job: freelance illustrator"}),
        ("I finished my degree in biology last year", {"education: biology"}),
        ("I listen to metal mostly", {"like: metal"}),
        ("мене звати не Олексій, а Олекса", {"name: Олекса"}),
        ("honestly i'm allergic to eggs and milk so what's left", {"allergy: eggs and milk"}),
        ("I've got a 2009 Saab 9-3 and the light comes on", {"vehicle: 2009 Saab 9-3"}),
        ("still recovering but I had a stroke in October", {"health: stroke"}),
        ("we speak Welsh in this house", {"language: Welsh"}),
        ("I take warfarin so I bruise", {"medication: warfarin"}),
        ("my son Theo ate the remote", {"son: Theo"}),
        ("gf Mirjam is allergic to dust", {"girlfriend: Mirjam"}),
        ("my cat Biscuit walked over the keys", {"pet: cat Biscuit"}),
        ("studying marine biology at Dalhousie, touched a shark", {"education: marine biology at Dalhousie"}),
    ],
)
def test_a_known_word_behind_a_fitting_one_tells_a_fact(text: str, items: set[str]) -> None:
    assert items <= certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *("a sister of hers is a vet tech in Graz", "he says I'm a vet tech", "if I'm a vet tech then you're a cat"),
        *(
            "I'm not a vet tech",
            "she has an exam in chemistry on Friday",
            "my sister got a job at Spotify",
            "мій брат жив у Києві, а зараз у Празі",
            "працюю в нічну зміну на пекарні",
            "I'm a vet tech's nightmare",
            "I'm a former vet tech",
            "you're a bartender, I'm a cowboy poet from Laredo",
        ),
        *(
            "she's allergic to eggs",
            "her son Theo ate it",
            "nobody here is allergic to eggs",
            "their cat Biscuit walked",
        ),
        *(
            "moved to Graz, he did",
            "Living in Graz, my parents love it",
            "looking for a flat in Graz",
            "I'm a vet tech?",
        ),
        *("how do i tell my boss i work as a nurse", "I work at YOUR_COMPANY", "i run on coffee", "I'm 99% coffee"),
    ],
)
def test_what_is_anothers_denied_asked_or_supposed_is_never_certain(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("ok intro: Maisie, 22, Leeds. bf is asleep", {"name: Maisie", "age: 22", "location: Leeds"}),
        ("me (23m) scaffolder, Glasgow. got a bad knee", {"age: 23", "job: scaffolder", "location: Glasgow"}),
        ("Ingrid, retired midwife, Tromsø", {"name: Ingrid", "job: retired midwife", "location: Tromsø"}),
        ("I type slowly. Wanjiru, Nairobi, UI designer!", {"name: Wanjiru", "location: Nairobi", "job: UI designer"}),
        ("roll call: Anselm, Freiburg, 24, i like it here", {"name: Anselm", "location: Freiburg", "age: 24"}),
    ],
)
def test_fragments_of_several_kinds_side_by_side_introduce(text: str, items: set[str]) -> None:
    assert items <= certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "my mate Sam, 22, Leeds",
            "our neighbour, Winston, 70, retired nurse, came by",
            "Steph - vegan, 45, from Texas",
        ),
        *("Paris, Texas", "Jess. 33. nurse. two cats. wants kids.", "Maria, 45, missing since Monday"),
        *("PATIENT,AGE,ALLERGY\nKowalski,67,latex\nhow do I sort this", "Sam, 22 is too young", "Berlin, 25, sunny"),
        *(
            "Employee of the month: Fatima, 31, forklift driver, Bradford depot",
            "My new colleague. Vegan, 34, from Berlin",
        ),
    ],
)
def test_anothers_introduction_a_table_or_a_place_introduces_nobody(text: str) -> None:
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Could you always put the answer first", "put the answer first"),
        ("when you reply use metric pls", "use metric"),
        ("be honest w me and don't sugarcoat", "be honest w me and don't sugarcoat"),
        ("max 2 sentences per answer from now on ok?", "max 2 sentences per answer from now on"),
        ("Kindly answer me in English only even when I slip", "answer me in English only"),
    ],
)
def test_a_wish_about_answers_is_kept_without_what_is_polite(text: str, wish: str) -> None:
    assert any(item.endswith(wish) for item in certain(text) if item.startswith("style: ")), certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "could you write a short thank you note for a teacher?",
            "tell me how long it keeps",
            "translate it to french",
        ),
        *("my boss said keep it short", "I swear", "one allotment and no patience", "don't answer it"),
    ],
)
def test_a_task_is_no_wish_about_answers(text: str) -> None:
    assert not any(item.startswith("style: ") for item in certain(text) | uncertain(text))


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("i wanna say i'm blood type O", "blood type: O"),
        ("could be eczema I've got on my hands", "health: eczema"),
        ("toying with the idea of fostering when I retire", "goal: fostering"),
        ("thinking of getting a corgi after graduation", "pet: corgi"),
        ("in the sims i'm a doctor", "job: doctor"),
    ],
)
def test_what_is_only_thought_of_is_asked(text: str, item: str) -> None:
    assert item in uncertain(text)
    assert certain(text) == set()


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Allergic to Elastoplast of all things, the nurse knows", "allergy: Elastoplast"),
        ("I teach piano, grades 1 to 5", "job: piano teacher"),
        ("I do not eat pork btw", "diet: no pork"),
    ],
)
def test_a_value_has_nothing_that_is_said_besides(text: str, item: str) -> None:
    assert item in certain(text)


def test_the_longest_known_phrase_is_one_unit() -> None:
    kinds = kinds_of("frames_en")
    assert kinds is not None
    units = {unit.word: unit.kinds for unit in kinds.units_of("I'm a vet tech with two guinea pigs")}
    assert "JOB" in units["vet tech"]
    assert "ANIMAL" in units["guinea pigs"]
    assert {"i", "am", "a", "with", "two"} <= set(units)


def test_a_language_without_frames_tells_nothing() -> None:
    assert read_frames("pl", "I'm a nurse", "nobody", hedged=False) == ()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("got two boys, Leo and Sam, and a dog", {"child: two boys"}),
        ("love hiking and jazz, hate cities, and my mate thinks I'm odd", {"like: hiking", "dislike: cities"}),
        ("I start my new job on monday", {"date: start my new job: monday"}),
        ("finally signed up for the spring 10k, help", {"goal: spring 10k"}),
        ("asthma since i was a kid, allergic to horses", {"health: asthma", "allergy: horses"}),
        ("I teach year 4 and my feet hurt", {"job: year 4 teacher"}),
        ("я в Торонто, доглядальниця, сумую", {"location: Торонто", "job: доглядальниця"}),
        ("збираюсь на говерлу в липні, квитки вже взяв", {"goal: на говерлу в липні"}),
        ("хворію на псоріаз, мажусь дайвобетом", {"health: псоріаз", "medication: дайвобет"}),
        ("для анкети: діабет 2 типу, метформін 1000, не курю", {"health: діабет 2 типу", "medication: метформін"}),
    ],
)
def test_what_is_said_loosely_tells_a_fact(text: str, items: set[str]) -> None:
    assert items <= certain(text)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("how many units of insulin for a jacket potato", "health: diabetes"),
        ("easy gluten free dinner ideas pls", "diet: gluten free"),
        ("good nursery near Headingley anyone?", "location: Headingley"),
        ("Is it ok to leave the litter tray in the kitchen?", "pet: cat"),
        ("my gp thinks it's IBS", "health: IBS"),
        ("i guess i'm more of a tea person", "like: tea"),
        ("maybe ill do the october bouldering comp", "goal: october bouldering comp"),
        ("we're kind of engaged??", "marital status: engaged"),
        ("порадьте рецепт без глютену на кожен день", "diet: без глютену"),
        ("на сихові знов нема води", "location: Сихів"),
        ("скільки корму на кастрованого кота", "pet: кіт"),
        ("можна сказати, я трохи фотограф", "job: фотограф"),
        ("може заведу собаку", "goal: завести собаку"),
        # Plain, and of kinds that words of known kinds get wrong too often in messages by new hands.
        ("I've got two kids (Ella 5, Max 2) and no sleep", "child: Max 2"),
        ("got married on friday, still tired", "marital status: married"),
        ("мама двох: Злата 6 років і Марко 3", "child: Злата 6 років"),
    ],
)
def test_a_doubt_or_a_question_of_ones_own_need_is_asked_about(text: str, item: str) -> None:
    assert item in uncertain(text)
    assert item not in certain(text)


@pytest.mark.parametrize(
    "text",
    [
        *("how many units of insulin does my dad need", "can my dog eat nuts? asking for my neighbour"),
        *("a customer loves climbing and hates running", "my patient has two sons under 5", "might rain later"),
        *("the doctor reckons its gout for my dad", "the kids (Ella 5, Max 2) next door are loud"),
        *("підкажіть рецепт без глютену для подруги", "у покупця син вступив на мед", "Таня — мама двох пацанів"),
        *("скільки корму на кота моєї мами", "у Марини немає води на Сихові", "вийшла заміж у суботу моя сестра"),
        *("ага, я прям мрію працювати в суботу безкоштовно", "лікарка каже, що у тата діабет"),
    ],
)
def test_what_others_need_or_are_is_neither_stored_nor_asked_about(text: str) -> None:
    assert certain(text) | uncertain(text) == set()


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("maybe I'll move to Rome", {"goal: move to Rome"}),
        ("I'm moving to Rome", {"goal: moving to Rome"}),
        ("може, я переїду до Риму", {"goal: переїхати до Риму"}),
        ("може переїду до Києва", {"goal: переїхати до Києва"}),
        ("I may like to learn the piano", {"goal: learn the piano"}),
        ("I might like jazz", set[str]()),
        ("I might prefer tea", set[str]()),
    ],
)
def test_a_plan_is_asked_about_as_a_plan_alone(text: str, items: set[str]) -> None:
    assert uncertain(text) == items
    assert certain(text) == set()


@pytest.mark.parametrize("text", ["I work as a doctor in Kyiv", "Я працюю лікаркою в Києві", "Працюю лікарем у Києві"])
def test_it_is_asked_whether_people_live_where_they_work(text: str) -> None:
    assert uncertain(text) in ({"location: Kyiv"}, {"location: Київ"})


@pytest.mark.parametrize("over", ["any more", "anymore", "any longer"])
def test_what_is_disliked_by_now_is_named_without_that(over: str) -> None:
    assert certain(f"I don't like black coffee {over}") == {"dislike: black coffee"}


@pytest.mark.parametrize("text", ["my kids are Eva (5) and Max (8)", "I have two kids, Eva (5) and Max (8)"])
def test_an_age_in_parentheses_is_part_of_a_childs_value(text: str) -> None:
    assert uncertain(text) == {"child: Eva 5", "child: Max 8"}
