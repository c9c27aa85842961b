"""What a person does with one memory of theirs, and reads of it, apart from any platform."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from tests.conftest import Clock

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.chat.history_view import OwnCommand, run_command
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def memory(clock: Clock) -> AsyncIterator[Memory]:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        yield memory


def turn(user: int = 1, space: str = "group", **more: Any) -> Turn:
    return Turn(**{"platform": "test", "space": space, "chat": space, "user": user, **more})


def alone(user: int = 1, **more: Any) -> Turn:
    return turn(user, str(user), direct=True, **more)


CITY = {"user_id": 1, "fact_type": "personal", "fact_key": "location"}


async def lives_in(memory: Memory, city: str, turn: Turn) -> int:
    result = await memory.call("remember_fact", CITY | {"fact_value": city, "confidence": 1.0}, turn)
    return result["fact_id"]


async def moves_to(memory: Memory, city: str, turn: Turn) -> None:
    moved = CITY | {"new_value": city, "confidence": 1.0, "change_reason": "update"}
    assert (await memory.call("update_fact", moved, turn)).status == "success"


async def forget(memory: Memory, number: int) -> None:
    for text in (None, "yes"):
        result = await memory.call("forget", {"memory_id": str(number)}, alone(text=text))
    assert result.status == "deleted"


async def city(memory: Memory, turn: Turn) -> str | None:
    facts = (await memory.call("recall_facts", {"user_id": 1}, turn)).get("facts", [])
    return facts[0]["value"] if facts else None


async def test_what_another_person_changed_is_read_and_taken_back_by_its_own(memory: Memory, clock: Clock) -> None:
    await memory.report_member("test", "group", Member(user="1", number=1))
    number = await lives_in(memory, "Kyiv", turn(2, text="she lives in Kyiv"))
    clock.forward(minutes=5)
    await moves_to(memory, "Lviv", turn(2, text="she moved"))
    assert (await run_command(memory, "history", number, turn())).splitlines() == [
        f"History of ID:{number} (times in UTC):",
        "2026-03-01 12:00 remembered, by 2: You live in Kyiv",
        "2026-03-01 12:05 changed, by 2: You live in Kyiv → You live in Lviv",
    ]
    assert await run_command(memory, "undo", number, turn(2)) == "There is no such memory of yours here."
    assert await city(memory, turn()) == "Lviv"
    said = await run_command(memory, "undo", number, turn())
    assert said == f"↩ Undone. I remember: You live in Kyiv (ID:{number})"
    assert await city(memory, turn()) == "Kyiv"
    assert "undone" in await run_command(memory, "history", number, turn())


@pytest.mark.parametrize("command", ["history", "why"])
async def test_times_are_told_with_the_zone_that_they_are_in(clock: Clock, command: OwnCommand) -> None:
    settings = Settings(background=False, time_zone="Europe/Kyiv")
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        number = await lives_in(memory, "Kyiv", alone())
        title, line, *_ = (await run_command(memory, command, number, alone())).splitlines()
        assert "(times in Europe/Kyiv)" in title
        assert line.startswith("2026-03-01 14:00")
        assert "часовий пояс Europe/Kyiv" in await run_command(memory, command, number, alone(), "uk")


async def test_a_deletion_is_taken_back_within_its_window_and_not_after(memory: Memory, clock: Clock) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    await forget(memory, number)
    assert await city(memory, alone()) is None
    assert "deleted: You live in Kyiv" in await run_command(memory, "history", number, alone())
    clock.forward(hours=25)
    assert "more than 24 hours ago" in await run_command(memory, "undo", number, alone())
    assert await city(memory, alone()) is None
    clock.forward(hours=-2)
    assert "I remember: You live in Kyiv" in await run_command(memory, "undo", number, alone())
    assert await city(memory, alone()) == "Kyiv"


async def test_taking_back_what_made_a_memory_removes_it(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    said = await run_command(memory, "undo", number, alone(), "uk")
    assert said == f"↩ Скасовано. Більше не пам’ятаю: Місце, де ви живете, — Kyiv (ID:{number})"
    assert await city(memory, alone()) is None


async def test_nothing_is_taken_back_over_what_stands_in_its_place(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    await forget(memory, number)
    other = await lives_in(memory, "Lviv", alone())
    said = await run_command(memory, "undo", number, alone())
    assert said == f"Nothing was changed: You live in Lviv (ID:{other}) has taken its place."
    assert await city(memory, alone()) == "Lviv"


async def test_what_is_shared_is_known_in_other_places_until_it_is_not(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    assert await city(memory, turn(space="other")) is None
    assert "Wherever you meet me" in await run_command(memory, "share", number, turn())
    assert await city(memory, turn(space="other")) == "Kyiv"
    assert "I may use this only here" in await run_command(memory, "unshare", number, turn())
    assert await city(memory, turn(space="other")) is None
    assert await city(memory, turn()) == "Kyiv"


@pytest.mark.parametrize("command", ["history", "undo", "share", "unshare"])
async def test_of_other_peoples_and_places_memories_nothing_is_said_or_done(
    memory: Memory, command: OwnCommand
) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    await lives_in(memory, "Lviv", turn(space="group"))
    for elsewhere in (alone(2), turn(1), turn(2), turn(1, "other")):
        assert await run_command(memory, command, number, elsewhere) == "There is no such memory of yours here."
    assert await run_command(memory, command, 2**60, alone()) == "There is no such memory of yours here."
    assert await city(memory, alone()) == "Kyiv"


@pytest.mark.parametrize("command", ["history", "undo", "share", "unshare"])
async def test_at_a_level_that_shows_nothing_nothing_is_shown_or_done_among_others(
    memory: Memory, command: OwnCommand
) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    await memory.set_privacy(PrivacyLevel.PARTIAL, alone())
    assert "Kyiv" not in (said := await run_command(memory, command, number, turn()))
    assert said.startswith("Your privacy level")
    assert "Kyiv" in await run_command(memory, "history", number, alone()), "the person alone sees what is theirs"
    await memory.set_privacy(PrivacyLevel.MINIMAL, alone())
    assert await city(memory, turn()) == "Kyiv"


async def test_of_a_long_trail_the_last_lines_are_shown_and_the_others_counted(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    for step in range(14):
        await moves_to(memory, f"Town {step}", alone())
    lines = (await run_command(memory, "history", number, alone())).splitlines()
    assert lines[1] == "… 5 earlier"
    assert len(lines) == 12
    assert lines[-1].endswith("You live in Town 12 → You live in Town 13")


async def test_peoples_words_are_escaped_and_ours_are_not(memory: Memory) -> None:
    number = await lives_in(memory, "Ky*iv", alone())
    said = await run_command(memory, "history", number, alone(), escape=lambda text: text.replace("*", "!"))
    assert "Ky!iv" in said
    assert "*" not in said


async def test_of_a_memory_that_is_gone_for_good_nothing_is_left_to_read(memory: Memory, clock: Clock) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    await forget(memory, number)
    clock.forward(hours=25)
    await memory.tidy()
    assert await run_command(memory, "history", number, alone()) == "There is no such memory of yours here."


async def test_among_others_the_trail_has_no_text_of_what_was_deleted(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    await forget(memory, number)
    assert (await run_command(memory, "history", number, turn())).endswith("deleted: not shown here")


async def test_another_places_memory_is_not_told_by_what_stands_in_the_way(memory: Memory) -> None:
    await lives_in(memory, "Secret Town", alone())
    number = await lives_in(memory, "Kyiv", turn())
    said = await run_command(memory, "share", number, turn())
    assert said.startswith("Nothing was changed: I know something different")
    assert "Secret" not in said
    assert await city(memory, turn(space="other")) is None
    assert "Secret Town" in await run_command(memory, "share", number, alone())


async def test_closing_what_was_not_open_says_that_it_stays_where_it_is(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    said = await run_command(memory, "unshare", number, alone())
    assert said.startswith("This was never shared")
    assert await city(memory, turn()) == "Kyiv"


async def test_taking_back_an_opening_says_where_it_is_known_now(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    await run_command(memory, "share", number, turn())
    assert (await run_command(memory, "undo", number, turn())).startswith("I may use this only here")
    assert await run_command(memory, "undo", number, turn()) == "Nothing was changed: it was already undone."
    assert await city(memory, turn()) == "Kyiv"
    history = await run_command(memory, "history", number, turn())
    assert "made visible everywhere: You live in Kyiv" in history


async def test_a_profile_that_came_back_is_not_cleared_again_by_the_same_message(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    for text in (None, "yes"):
        await memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, turn(text=text))
    assert await city(memory, turn()) is None
    once = turn(turn="update:7")
    for _ in range(2):
        assert "I remember" in await run_command(memory, "undo", number, once)
    assert await city(memory, turn()) == "Kyiv"


async def test_an_undo_says_how_many_more_came_back(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    for content in ("Likes tea", "Plays chess"):
        await memory.call("remember", {"content": content}, turn())
    for text in (None, "yes"):
        await memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, turn(text=text))
    said = await run_command(memory, "undo", number, turn())
    assert said.endswith(f"I remember: You live in Kyiv (ID:{number})\n2 more memories are back with it.")


async def test_a_message_that_comes_twice_takes_back_once_and_says_so_twice(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", alone())
    await moves_to(memory, "Lviv", alone())
    once = alone(turn="update:7")
    said = {await run_command(memory, "undo", number, once) for _ in range(2)}
    assert said == {f"↩ Undone. I remember: You live in Kyiv (ID:{number})"}
    assert await city(memory, alone()) == "Kyiv"
    await moves_to(memory, "Odesa", alone())
    assert "changed again since" in await run_command(memory, "undo", number, once)
    assert await city(memory, alone()) == "Odesa"


async def test_a_relation_is_followed_only_while_both_want_to_be_remembered(memory: Memory) -> None:
    for user in (1, 2):
        await memory.report_member("test", "group", Member(user=str(user), number=user))
    between = {"user_id": 1, "related_user_id": 2, "relationship": "friend", "description": "since school"}
    kept = await memory.call("remember_relationship", between, turn())
    number = kept["memory_id"]
    assert "since school" in await run_command(memory, "history", number, turn())
    await memory.set_privacy(PrivacyLevel.PARTIAL, turn(2))
    for command in ("history", "undo"):
        assert await run_command(memory, command, number, turn()) == "There is no such memory of yours here."


async def test_a_profile_that_came_back_is_told_again_to_a_message_that_comes_twice(memory: Memory) -> None:
    number = await lives_in(memory, "Kyiv", turn())
    for text in (None, "yes"):
        await memory.call("clear_profile", {"user_id": 1, "reason": "asked"}, turn(text=text))
    for _ in range(2):
        said = await run_command(memory, "undo", number, turn(turn="update:7"))
        assert said == f"↩ Undone. I remember: You live in Kyiv (ID:{number})"
    assert await city(memory, turn()) == "Kyiv"


async def test_others_are_called_as_they_are_where_the_memory_is(memory: Memory) -> None:
    await memory.report_member("test", "group", Member(user="1", number=1))
    number = await lives_in(memory, "Kyiv", turn(2, text="she lives in Kyiv"))
    await memory.report_member("test", "elsewhere", Member(user="2", number=2, nickname="Secret Nick"))
    await moves_to(memory, "Lviv", turn(2, text="she moved"))
    for reader in (turn(), alone()):
        assert "changed, by 2:" in await run_command(memory, "history", number, reader)
    await memory.report_member("test", "group", Member(user="2", number=2, name="Taras"))
    for reader in (turn(), alone()):
        assert "changed, by Taras:" in await run_command(memory, "history", number, reader)
