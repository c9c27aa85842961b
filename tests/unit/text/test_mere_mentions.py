"""Which texts only mention a value: in doubt, a text says it."""

from __future__ import annotations

import pytest

from zgadka.text.mere_mentions import (
    asks_which,
    counts_something,
    is_of_another,
    is_personal,
    speaks_of_themselves_alone,
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
