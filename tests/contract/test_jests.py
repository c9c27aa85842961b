"""Who says that what they just wrote was a joke has it taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.support.group_world import ANNA, BOB, World

from zgadka.model.inference import PastMessage

pytestmark = [pytest.mark.asyncio]


async def writes(world: World, text: str, user: int = ANNA, **more: Any) -> Any:
    return await world.memory.observe(text, world.turn(user, text=text, **more), own_text=text)


async def values(world: World) -> list[str]:
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    return sorted(fact["value"] for fact in facts["facts"])


@pytest.mark.partitioned
@pytest.mark.parametrize("jest", ["just kidding", "жартую)", "żartuję!"])
async def test_what_was_just_remembered_goes_and_comes_back_by_undo(world: World, jest: str) -> None:
    notices: list[Any] = []
    world.memory.subscribe(notices.append)
    await writes(world, "I have a dog named Rex")
    stored = (await writes(world, "I live in Lviv")).stored
    await world.answers(world.turn(ANNA), "So you live in Lviv!", given=[stored[0].id])
    await writes(world, "hm", BOB)
    before = await values(world)
    await writes(world, jest)
    await world.memory.run_tasks()
    assert [value for value in before if value != "Lviv"] == await values(world)
    assert [(notice.what, notice.memory) for notice in notices if notice.what == "hidden"] == [("hidden", stored[0].id)]
    texts = [message.text for message in await world.memory.recent(world.turn(ANNA), 50)]
    assert "I live in Lviv" in texts
    assert "So you live in Lviv!" not in texts
    await world.memory.undo(stored[0].id, world.turn(ANNA))
    assert await values(world) == before


async def test_a_late_call_of_the_message_keeps_nothing_but_what_is_said_again_later(world: World) -> None:
    turn = world.turn(ANNA, text="I live in Lviv")
    await world.memory.observe(turn.text or "", turn, own_text=turn.text)
    await writes(world, "just kidding")
    fact = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "fact_value": "Lviv", "confidence": 0.9}
    assert (await world.memory.call("remember_fact", fact, turn)).status == "refused"
    assert await values(world) == []
    again = world.turn(ANNA, text="I live in Lviv")
    await world.memory.record("user", again.text or "", again)
    assert (await world.memory.call("remember_fact", fact, again)).status == "success"


async def test_what_is_asked_about_it_is_closed_and_is_asked_again_when_it_is_said_again(world: World) -> None:
    text = "Maybe I'll learn Spanish, I think I like jazz"
    asked = await writes(world, text)
    assert asked.question is not None
    await writes(world, "jk")
    assert await world.memory.questions(world.turn(ANNA)) == []
    assert (await writes(world, f"{text}.")).question is not None


async def test_it_takes_back_only_the_message_just_before_of_the_same_person_and_conversation(world: World) -> None:
    await writes(world, "I live in Lviv")
    await writes(world, "just kidding", BOB)
    await writes(world, "just kidding", chat="other")
    assert await values(world) == ["Lviv"]
    world.now += timedelta(minutes=6)
    await writes(world, "just kidding")
    assert await values(world) == ["Lviv"]
    await writes(world, "no kidding")
    await writes(world, "just kidding")
    assert await values(world) == ["Lviv"]


async def test_a_message_that_is_edited_to_say_so_takes_back_only_itself(world: World) -> None:
    await writes(world, "I live in Lviv")
    turn = world.turn(ANNA, text="I like jazz")
    await world.memory.observe("I like jazz", turn, own_text="I like jazz")
    await world.memory.observe("jk", replace(turn, text="jk"), own_text="jk")
    await world.memory.run_tasks()
    assert await values(world) == ["Lviv"]


async def test_it_is_remembered_when_it_is_said_again(world: World) -> None:
    for text in ("I live in Lviv", "just kidding", "I do live in Lviv. I live in Lviv"):
        await writes(world, text)
    assert await values(world) == ["Lviv"]


async def test_in_a_history_that_is_taken_in_it_does_the_same(world: World) -> None:
    texts = ("I live in Lviv", "just kidding", "I like jazz")
    past = [PastMessage(turn=world.turn(ANNA), text=text, own_text=text) for text in texts]
    await world.memory.observe_past(past)
    assert await values(world) == ["jazz"]
