"""Which of several things a message picks."""

from __future__ import annotations

import pytest

from zgadka.text.picks import Pick, may_pick, picked

TEXTS = {1: "like: chess", 2: "like: tea", 3: "location: Lviv"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", {1}),
        ("1 and 3", {1, 3}),
        ("збережи 1 і 3", {1, 3}),
        ("the first", {1}),
        ("перше і третє", {1, 3}),
        ("перше й третє", {1, 3}),
        ("the first and the third, please", {1, 3}),
        ("перше та останнє", {1, 3}),
        ("all of them", {1, 2, 3}),
        ("всі", {1, 2, 3}),
        ("1-3", {1, 2, 3}),
        ("both the first and the third", {1, 3}),
        ("save the first", {1}),
        ("запиши перше", {1}),
    ],
)
def test_what_is_named_is_picked(text: str, numbers: set[int]) -> None:
    assert picked(text, TEXTS) == Pick(frozenset(numbers))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("only the first", {1}),
        ("тільки перше", {1}),
        ("лише перше, дякую", {1}),
        ("no, only the first", {1}),
        ("ні, тільки перше", {1}),
        ("yes, but only the first", {1}),
        ("так, але тільки перше і друге", {1, 2}),
        ("save only the last one", {3}),
        ("збережи тільки друге", {2}),
        ("all but the second", {1, 3}),
        ("tea yes, chess no, Lviv no", {2}),
        ("no chess, yes tea and Lviv no", {2}),
        ("усе, крім другого", {1, 3}),
    ],
)
def test_who_says_only_refuses_the_others(text: str, numbers: set[int]) -> None:
    assert picked(text, TEXTS) == Pick(frozenset(numbers), only=True)


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "save them",
        "first things first",
        "my first language is Ukrainian",
        "I only like the first",
        "the first?",
        "тільки не перше",
        "not the first",
        "перше ні, друге так",
        "перше, що прийшло в голову",
        "4",
        "the fifth",
        "just save them",
        "all day I work",
        "everything hurts except my first toe",
        "the first" + " very" * 60,
        "1, no 2",
        "1 and no 2",
        "no 2",
        "just a second",
        "one second",
        "just 1 second",
        "but the first",
        "but 1",
        "2 of them",
        "2 items",
        "the first 3",
        "last 2",
        "both",
        "yes, both",
        "обидва",
        "Все.",
        "все, дякую",
        "усе",
    ],
)
def test_what_is_no_choice_picks_nothing(text: str) -> None:
    assert picked(text, TEXTS) is None


def test_of_nothing_nothing_is_picked() -> None:
    assert picked("all", {}) is None


@pytest.mark.parametrize("text", ["both", "yes, both", "save both", "обидва", "так, обидва", "both of them"])
def test_both_is_said_of_two(text: str) -> None:
    assert picked(text, {1: "like: chess", 2: "like: tea"}) == Pick(frozenset({1, 2}))


@pytest.mark.parametrize("text", ["not the last", "1 yes, 2 and 3 no", "no, I hate chess", "ні, я не у Львові"])
def test_what_refuses_some_of_several_things_picks_unclearly(text: str) -> None:
    assert may_pick(text, TEXTS | {3: "location: Львів"})


def test_what_refuses_the_only_thing_by_its_name_refuses_it() -> None:
    assert not may_pick("no, I hate chess", {1: TEXTS[1]})


@pytest.mark.parametrize("text", ["no", "no, I don't like that", "no chess, no tea, and not Lviv"])
def test_what_refuses_all_picks_nothing(text: str) -> None:
    assert not may_pick(text, TEXTS)


@pytest.mark.parametrize("text", ["just a second", "1, no 2", "both", "Все.", "2 of them", "the fifth", "хвилинку"])
def test_what_is_short_and_about_the_list_or_asks_for_time_picks_unclearly(text: str) -> None:
    assert may_pick(text, TEXTS | {5: "like: go"})


@pytest.mark.parametrize(
    "text", ["hello", "what is first?", "first I want to tell you of my day", "yes", "I like it", ""]
)
def test_what_is_about_something_else_picks_nothing(text: str) -> None:
    assert not may_pick(text, TEXTS)
