"""Which texts only mention a value: in doubt, a text says it."""

from __future__ import annotations

import pytest

from zgadka.text.mere_mentions import (
    asks_about_the_world,
    asks_in_general,
    asks_which,
    counts_something,
    is_of_another,
    is_personal,
    is_shared,
    names_something_else,
    only_asks,
    orders_forgetting,
    speaks_of,
    speaks_of_others,
    speaks_of_themselves_alone,
    speaks_to_them,
    tells_at_length,
)


@pytest.mark.parametrize(
    "text", ["the bus number 30 leaves at 8", "we sold 30 tickets", "30 tickets sold", "автобус 30"]
)
def test_a_small_number_of_something_else_is_not_somebodys_age(text: str) -> None:
    assert counts_something(text, "30", "age")


@pytest.mark.parametrize(
    "text", ["I am 30", "30!", "30 and counting", "you are 30 now", "мені вже 30", "30 років не жарт", "age: 30"]
)
def test_a_number_of_whoever_speaks_or_is_spoken_to_says_their_age(text: str) -> None:
    assert not counts_something(text, "30", "age")


@pytest.mark.parametrize(("text", "value", "key"), [("door 7781", "7781", "code"), ("flat 12 it is", "12", "flat")])
def test_a_long_number_and_one_beside_its_key_say_the_value(text: str, value: str, key: str) -> None:
    assert not counts_something(text, value, key)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("my grandma was a florist in the sixties", "florist"),
        ("my brother dislikes coffee", "coffee"),
        ("dishwashers. My neighbour Olga has it better, she is a florist", "florist"),
        ("моя бабуся була флористкою", "флористка"),
        ("my first landlady was a florist, a grumpy one", "florist"),
        ("my neighbour beat cancer, how do I congratulate her?", "Cancer"),
    ],
)
def test_what_a_relative_or_a_neighbour_is_or_likes_is_theirs(text: str, value: str) -> None:
    assert is_of_another(text, value)


@pytest.mark.parametrize(
    "text",
    [
        "coffee, always coffee",
        "my brother and I love coffee",
        "my wife loves coffee too",
        "my dad loves coffee. So do I",
        "mum says coffee is all that keeps the flat awake",
        "my sister taught me to brew coffee",
        "мама любить каву, я теж: coffee forever",
        "mum sent a photo, coffee all over the table",
    ],
)
def test_where_the_writer_may_be_meant_as_well_it_is_said_of_them(text: str) -> None:
    assert not is_of_another(text, "coffee")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("which model is your kettle?", "model"),
        ("яка історія краща?", "історія"),
        ("what engineer designed this?", "engineer"),
    ],
)
def test_who_asks_which_one_it_is_does_not_say_it_of_themselves(text: str, value: str) -> None:
    assert asks_which(text, value)


@pytest.mark.parametrize("text", ["I model for catalogues", "which of us is the model? I am a model", "модель я"])
def test_who_says_it_does(text: str) -> None:
    assert not asks_which(text, "model")


@pytest.mark.parametrize(
    "text", ["I once slept at the airport in Porto", "я в Порту лише раз мав обід", "I like Porto"]
)
def test_what_the_writer_alone_did_somewhere_tells_nothing_of_a_relative(text: str) -> None:
    assert speaks_of_themselves_alone(text)


@pytest.mark.parametrize(
    "text",
    ["I visit my sister in Porto", "I flew to Porto, she met me", "we saw Porto", "Porto calls", "лечу до неї в Порту"],
)
def test_where_a_relative_may_be_meant_it_may(text: str) -> None:
    assert not speaks_of_themselves_alone(text)


@pytest.mark.parametrize("text", ["you don't like opera", "opera is overrated", "опера це нудно"])
def test_what_is_judged_or_somebodys_tells_an_opinion(text: str) -> None:
    assert is_personal(text)


@pytest.mark.parametrize("text", ["the opera closes at nine", "pizza peace, please", "опера на ремонті"])
def test_what_is_only_named_tells_none(text: str) -> None:
    assert not is_personal(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("how do you poach quinces?", "quinces"),
        ("fine. Which road has a hard shoulder?", "shoulder"),
        ("how do I get to Cork?", "Cork"),
        ("де тут ринок сиру?", "сир"),
    ],
)
def test_who_asks_about_the_world_tells_nothing_of_themselves(text: str, value: str) -> None:
    assert asks_about_the_world(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("should my boss know that I live in Cork?", "Cork"),
        ("Cork it is. Where is the bus?", "Cork"),
        ("чи казати всім, що я з Корка?", "Корк"),
        ("is it late?", "Cork"),
    ],
)
def test_who_asks_about_themselves_or_says_it_besides_does(text: str, value: str) -> None:
    assert not asks_about_the_world(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the hotel «Cork» is shut", "Cork"),
        ("my dentist is on Cork Street", "Cork"),
        ("готель «Умань» у центрі ремонтують", "Умань"),
        ("Mrs Potter called", "potter"),
        ("we saw The Potter", "potter"),
        ("bus 47 is late", "47"),
        ("маршрутка 156 стоїть", "156"),
    ],
)
def test_a_hotel_a_street_and_a_longer_name_are_something_else(text: str, value: str) -> None:
    assert names_something_else(text, value, "location")


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("my hotel in Cork is shut", "Cork", "location"),
        ("I work at the hotel Cork", "Cork", "hotel"),
        ("a degree in Astronomy", "astronomy", "study"),
        ("Potter by trade", "potter", "job"),
        ("bus 47 for a man of 47", "47", "age"),
        ("room 12", "12", "room"),
        ("Cork Street, and Cork itself", "Cork", "location"),
    ],
)
def test_beside_a_thing_that_it_does_not_name_it_is_said(text: str, value: str, key: str) -> None:
    assert not names_something_else(text, value, key)


def test_relatives_share_a_home_and_not_a_job() -> None:
    assert is_shared("home")
    assert is_shared("sister")
    assert not is_shared("job")


def test_an_answer_speaks_to_whom_it_is_for_or_of_another() -> None:
    assert speaks_to_them("Your tram is late")
    assert speaks_of_others("She takes the tram, Tom", "tram")
    assert not speaks_of_others("A moth sees light, Tom, so they come to your lamp", "moth")
    assert not speaks_to_them("The tram is late")
    assert not speaks_of_others("The tram is late", "tram")


def test_an_answer_has_a_value_of_whom_it_names_beside_it() -> None:
    assert speaks_of("So far: Raj brings okra, Tess brings cake", "okra", ["Raj"], ["Tess"])
    assert not speaks_of("Tess hates okra, Raj", "okra", ["Raj"], ["Tess"])


def test_siblings_and_neighbours_share_no_state_with_a_person_but_a_wife_does() -> None:
    assert is_of_another("my sister got divorced in may", "divorced", sharing=True)
    assert not is_of_another("my wife got divorced in may", "divorced", sharing=True)
    assert is_of_another("бабця моя руку зламала торік", "зламала руку")
    assert not is_of_another("двадцять другого листопада", "22 листопада")  # другий is no friend


@pytest.mark.parametrize(
    "text",
    [
        "the yellow n blue shirt is itchy, six more hours stacking shelves",
        "чеська, вишнева, стара красуня, дід на ній бабу катав",
        "aye well in glesga we would call that a summer",
    ],
)
def test_what_is_told_at_length_goes_on(text: str) -> None:
    assert tells_at_length(text)


@pytest.mark.parametrize(
    "text",
    [
        "thats a cheap house then",
        "thank you all, see you saturday in the third row, bring flowers",
        "my nan was made to write with the other one at school, grim",
        "remind me friday about the delivery, eight pallets, north gate",
        "how many carbs are in a medium banana, roughly speaking?",
        "давай, цікаво що за інструмент",
    ],
)
def test_a_short_reply_a_wish_a_question_or_a_relative_does_not(text: str) -> None:
    assert not tells_at_length(text)


def test_a_question_of_anybodys_is_asked_in_general() -> None:
    assert asks_in_general("how do I get ink out of a shirt?")
    assert not asks_in_general("а якщо таблетку забув, дві пити?")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("forget that I live in Lviv", True),
        ("Please, could you delete my city", True),
        ("I want you to forget Lviv", True),
        ("Будь ласка, забудьте, де я живу", True),
        ("I forget where I put Lviv", False),
        ("don't forget that I live in Lviv", False),
        ("не забудь, що я живу у Львові", False),
        ("I moved to Lviv, forget the rest", False),
    ],
)
def test_an_order_to_forget_begins_with_it(text: str, expected: bool) -> None:
    assert orders_forgetting(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("is Lviv nice?", True),
        ("what do you know about my cat?", True),
        ("Що ти знаєш про мого кота?", True),
        ("do you remember that I live in Lviv?", False),
        ("I live in Lviv. Is it nice?", False),
        ("I live in Lviv", False),
    ],
)
def test_who_only_asks_tells_nothing_of_themselves(text: str, expected: bool) -> None:
    assert only_asks(text) is expected


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("The squirrel ate the nuts", "nuts", "allergy"),
        ("мій собака їсть горіхи", "горіхи", "allergy"),
        ("he plays chess", "chess", "hobby"),
    ],
)
def test_what_an_animal_or_another_does_is_theirs(text: str, value: str, key: str) -> None:
    assert is_of_another(text, value, key)


@pytest.mark.parametrize(
    ("text", "value", "key"),
    [
        ("the cat ate a biscuit", "a cat called Biscuit", "pet"),
        ("my dog eats nuts, like me", "nuts", "allergy"),
        ("he is an african grey", "African grey", "pet"),
        ("she is eleven", "eleven", "daughter"),
    ],
)
def test_of_a_pet_and_a_relative_it_is_said(text: str, value: str, key: str) -> None:
    assert not is_of_another(text, value, key)


def test_a_name_that_somebody_gives_before_they_ask_is_said() -> None:
    assert not asks_about_the_world("Grace speaking, who is it?", "Grace")
    assert not asks_about_the_world("snakes? not for me", "snakes")


def test_a_flat_has_its_number_and_a_person_their_age() -> None:
    assert names_something_else("my flat number is 33", "33", "age")
    assert names_something_else("номер моєї квартири 33", "33", "age")
    assert not names_something_else("my flat number is 33", "33", "flat_number")
    assert not counts_something("у 33 коліна вже скриплять", "33", "age")
