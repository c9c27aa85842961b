"""Whom a display name means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from zgadka import Member
from zgadka.ops.resolve_name import Ambiguity, resolve

pytestmark = pytest.mark.asyncio

LEFT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def meaning(memory, person) -> Any:
    """Report members by id, then say whom a name means: the user id, several, or None."""

    async def ask(name: str, members: dict[str, dict[str, Any]], **place: Any) -> str | list[str] | None:
        for user, more in members.items():
            number = int(user) if user.isdigit() else sum(map(ord, user))
            await memory.report_member("telegram", "456", Member(user=user, number=number, **more))
        found = await memory.look(resolve, person.turn(**place), name)
        if isinstance(found, Ambiguity):
            return [member.user for member in found.candidates]
        return None if found is None else found.user

    return ask


async def test_an_exact_id_is_before_a_name(meaning):
    assert await meaning("8", {"7": {"name": "8"}, "8": {"name": "Olena"}}) == "8"


@pytest.mark.parametrize("speaker", [123, "8", "8 ", "@8"])
async def test_an_id_is_taken_as_it_is_given_before_spaces_and_signs_are_left_out(meaning, speaker):
    members = {"8": {"name": "Olena"}, "8 ": {"name": "Petro"}, "@8": {"name": "Ivan"}}
    for id_ in members:
        assert await meaning(id_, members, user=speaker) == id_
    assert await meaning(" 8", members, user=speaker) == "8"


@pytest.mark.parametrize("nickname", ["Olena", "olena", "ОЛЕНА", " Olena ", "Olena."])
async def test_a_nickname_takes_nothing_from_who_has_the_name(meaning, nickname):
    """Bob called himself "Ann", and what Ann said of "Ann" was kept as his."""
    assert await meaning("Olena", {"8": {"name": "Olena"}, "9": {"name": "Petro", "nickname": nickname}}) == ["8", "9"]


async def test_a_nickname_takes_nothing_from_the_speaker_who_has_the_name(meaning):
    members = {"123": {"name": "Ann Lee"}, "9": {"name": "Bob", "nickname": "ann  lee"}}
    assert await meaning("Ann Lee", members) == ["123", "9"]
    assert await meaning("123", members) == "123"


@pytest.mark.parametrize(
    ("known", "named"),
    [("Олена", "Olena"), ("Olena", "ОЛЕНА"), ("José", "jose"), ("Zoë ", " zoe"), ("Іван Петренко", "ivan petrenko")],
)
async def test_a_name_is_compared_folded_and_blind_to_script(meaning, known, named):
    assert await meaning(named, {"7": {"name": known}}) == "7"


@pytest.mark.parametrize(
    ("known", "named"), [("😀", "🎉"), ("!!!", "???"), ("😀", "Olena"), ("C", "C++"), ("23", "124")]
)
async def test_names_of_symbols_are_not_all_one(meaning, known, named):
    assert await meaning(named, {"7": {"name": known}}) is None
    assert await meaning(known, {"7": {"name": known}}) == "7"


@pytest.mark.parametrize("named", ["", " ", "@", "<@>", "\u200b", "@ "])
async def test_nothing_names_nobody(meaning, named):
    assert await meaning(named, {"7": {"name": "\u200b"}, "8": {}, "9": {"name": ""}}) is None


async def test_several_of_a_name_are_ambiguous_and_three_are_listed(meaning):
    members = {str(user): {"name": "Olena"} for user in range(5)}
    assert await meaning("olena", members) == ["0", "1", "2"]


async def test_of_several_the_one_who_is_still_here_is_meant(meaning):
    members = {"7": {"name": "Olena", "left_at": LEFT}, "8": {"name": "Olena"}, "9": {"name": "Olena", "left_at": LEFT}}
    assert await meaning("Olena", members) == "8"


async def test_of_several_those_who_are_still_here_are_listed(meaning):
    members = {"7": {"name": "Olena", "left_at": LEFT}, "8": {"name": "Olena"}, "9": {"name": "Olena"}}
    assert await meaning("Olena", members) == ["8", "9"]


async def test_who_left_is_found_when_nobody_else_has_the_name(meaning):
    assert await meaning("Olena", {"7": {"name": "Olena", "left_at": LEFT}}) == "7"


async def test_several_who_left_are_ambiguous(meaning):
    members = {user: {"name": "Olena", "left_at": LEFT} for user in ("7", "8")}
    assert await meaning("Olena", members) == ["7", "8"]


@pytest.mark.parametrize("named", ["<@7>", "<@!7>", "@7", "7", " 7 ", "tg://user?id=7"])
async def test_a_mention_is_an_id(meaning, named):
    assert await meaning(named, {"7": {"name": "Olena"}, "77": {"name": "7 up"}}) == "7"


@pytest.mark.parametrize("named", ["<@7>", "<@!7>", "tg://user?id=7"])
@pytest.mark.parametrize("is_member", [True, False])
async def test_nobody_takes_a_mention_of_another_as_a_name(meaning, named, is_member):
    members = {"8": {"name": named, "nickname": "7"}} | ({"7": {"name": "Olena"}} if is_member else {})
    assert await meaning(named, members) == ("7" if is_member else None)


async def test_the_speakers_own_id_needs_no_report(meaning):
    assert await meaning("123", {}) == "123"


async def test_a_member_may_not_take_the_speakers_id_as_a_name(meaning):
    assert await meaning("123", {"7": {"name": "123", "nickname": "123"}}) == "123"


async def test_in_a_direct_chat_the_person_is_meant_by_every_name_and_nobody_else(meaning):
    members = {"123": {"name": "Taras", "nickname": "Captain", "left_at": LEFT}, "7": {"name": "Olena"}}
    for named in ("Taras", "captain", "123"):
        assert await meaning(named, members, direct=True) == "123"
    for named in ("Olena", "7"):
        assert await meaning(named, members, direct=True) is None


async def test_a_member_with_a_textual_id_is_named_by_it_exactly(meaning):
    members = {"olena": {"name": "Petro"}, "Olena": {"name": "Ivan"}}
    assert await meaning("olena", members) == "olena"
    assert await meaning("Olena", members) == "Olena"
    assert await meaning("OLENA", members) is None
