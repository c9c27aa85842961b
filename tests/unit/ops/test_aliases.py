"""What people are called in a context: short, told apart, and the same from one message to the next."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zgadka.ops.aliases import Aliases


def test_the_first_word_is_enough_where_nobody_else_begins_so() -> None:
    aliases = Aliases({1: "Олена Коваль", 2: "Petro"}, 1)
    assert aliases.explained(1) == ' "Олена" = "Олена Коваль" user_id 1 (speaker);'
    assert aliases.explained(2) == ' "Petro" = user_id 2;'


def test_two_who_begin_alike_are_called_by_their_whole_names() -> None:
    aliases = Aliases({1: "Anna Koval", 2: "anna Melnyk"}, 3)
    assert (aliases.of(1), aliases.of(2)) == ('"Anna Koval"', '"anna Melnyk"')


def test_a_name_that_looks_like_anothers_is_told_apart_by_digits_of_the_id() -> None:
    aliases = Aliases({2820888938758287: "Olena", 2820888938758299: "\u041elena"}, 3)
    assert (aliases.of(2820888938758299), aliases.of(2820888938758287)) == ("P299", "P287")


def test_who_is_only_spoken_of_takes_no_name_from_anybody_here() -> None:
    aliases = Aliases({7: "Olena Koval"}, 7)
    assert (aliases.of(10, "Olena"), aliases.of(7)) == ("P10", '"Olena"')


def test_nobody_is_called_otherwise_because_another_was_asked_for_first() -> None:
    names = {7: "Olena", 10: "Olena", 12: "Petro", 15: "Petro Koval"}
    once, again = Aliases(names, 7), Aliases(names, 7)
    assert {number: once.of(number) for number in names} == {number: again.of(number) for number in reversed(names)}


def test_who_has_no_name_is_called_by_the_last_digits_of_the_id() -> None:
    aliases = Aliases({}, 3)
    assert [aliases.of(number) for number in (2820888938758287, 1000287, 7, -42)] == ["P287", "P0287", "P7", "P42"]
    assert aliases.explained(1000287) == " P0287 = user_id 1000287;"


@given(st.dictionaries(st.integers(0, 2**53), st.text(max_size=60), max_size=8))
def test_no_two_people_share_an_alias(names: dict[int, str]) -> None:
    aliases = Aliases(names, 1)
    assert len({aliases.of(number) for number in names}) == len(names)
