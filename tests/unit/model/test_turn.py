"""Turns and the numbers by which tools name people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zgadka import InvalidInput, Turn
from zgadka.model.check import choice
from zgadka.model.people import MemberKind
from zgadka.model.turn import person_number

PLACE: dict[str, Any] = {"platform": "telegram", "space": "456", "chat": "456"}
ids = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=50)


@given(ids)
def test_every_id_has_a_stable_number_that_a_double_carries_exactly(user: str):
    number = person_number("telegram", user)
    assert abs(number) < 2**53
    assert int(float(number)) == number
    assert number == person_number("telegram", user) == Turn(user=user, **PLACE).user_number


@given(st.integers(-(2**53) + 1, 2**53 - 1).filter(lambda number: abs(number) < 10**16))
def test_a_small_integer_is_its_own_number(user: int):
    assert person_number("telegram", str(user)) == user
    assert Turn(user=user, **PLACE).user_key == str(user)


def test_the_former_name_of_the_user_key_still_works():
    with pytest.warns(DeprecationWarning, match=r"is now Turn\.user_key"):
        assert Turn(user=7, **PLACE).user_name == "7"


@pytest.mark.parametrize("user", ["007", "+7", "1_000", "١٢٣", "1.0", " 1", "1 ", "-0", "1e3"])
def test_what_only_looks_like_an_integer_is_another_id(user: str):
    assert person_number("telegram", user) not in (7, 1000, 123, 1, 0)


def test_the_same_text_on_two_platforms_has_two_numbers():
    assert person_number("telegram", "olena") != person_number("matrix", "olena")


def test_a_turn_is_the_same_after_it_was_stored():
    turn = Turn(
        user="olena", turn="t", time=datetime(2026, 1, 1, tzinfo=UTC), text="так", direct=True, persona=5, **PLACE
    )
    assert Turn.from_json(turn.as_json()) == turn
    assert Turn.from_json(Turn(user=1, **PLACE).as_json()) == Turn(user=1, **PLACE)


@pytest.mark.parametrize("field", [{"text": 5}, {"direct": 1}, {"time": "now"}, {"chat": 5}, {"turn": 5}])
def test_a_field_of_another_kind_makes_no_turn(field: dict[str, object]):
    given: dict[str, object] = PLACE | {"user": 1} | field
    with pytest.raises(InvalidInput):
        Turn(**given)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("time", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_a_time_that_no_calendar_has_in_utc_makes_no_turn(time: str):
    with pytest.raises(InvalidInput, match="time must be in the years"):
        Turn(user=1, time=datetime.fromisoformat(time), **PLACE)


def test_the_kinds_of_members_are_three():
    kinds = get_args(MemberKind)
    assert [choice("kind", kind, kinds) for kind in ("person", "bot", "bridge")] == ["person", "bot", "bridge"]
    with pytest.raises(InvalidInput, match="kind must be one of person, bot, bridge, not 'robot'"):
        choice("kind", "robot", kinds)


def test_a_turn_that_a_newer_program_wrote_is_read() -> None:
    turn = Turn(platform="telegram", space="456", chat="456", user=123, arm="automated")
    assert Turn.from_json(turn.as_json() | {"mood": "good"}) == turn


def test_an_arm_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidInput, match="arm must be one of tools, automated, not 'both'"):
        Turn(platform="telegram", space="456", chat="456", user=123, arm="both")  # pyright: ignore[reportArgumentType]
