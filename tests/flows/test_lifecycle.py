"""Seed 003's tests, by their names, and whole conversations."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from zgadka import Memory, Settings, Turn, open_memory

pytestmark = pytest.mark.asyncio

TURN = Turn(platform="telegram", space="456", chat="456", user=123)


async def remember_kyiv(memory: Memory, value: str = "Kyiv", confidence: float = 0.95):
    arguments = {
        "user_id": 123,
        "fact_type": "personal",
        "fact_key": "location",
        "fact_value": value,
        "confidence": confidence,
    }
    return await memory.call("remember_fact", arguments, TURN)


async def test_remember_fact_new(memory: Memory):
    result = await remember_kyiv(memory)
    assert result.status == "success"
    assert "fact_id" in result


async def test_remember_fact_duplicate(memory: Memory):
    await remember_kyiv(memory)
    result = await remember_kyiv(memory, "Київ", 0.9)
    assert result.status == "skipped"
    assert result["reason"] == "duplicate"


async def test_update_fact(memory: Memory):
    await remember_kyiv(memory, confidence=0.9)
    arguments = {
        "user_id": 123,
        "fact_type": "personal",
        "fact_key": "location",
        "new_value": "Lviv",
        "confidence": 0.95,
        "change_reason": "update",
    }
    assert (await memory.call("update_fact", arguments, TURN)).status == "success"
    facts = (await memory.call("recall_facts", {"user_id": 123}, TURN))["facts"]
    location = next(fact for fact in facts if fact["key"] == "location")
    assert location["value"] == "Lviv"


async def test_full_memory_lifecycle(memory: Memory):
    turn = Turn(platform="telegram", space="111", chat="111", user=999)
    skill = {"user_id": 999, "fact_type": "skill", "fact_key": "programming_language"}

    async def recall() -> Any:
        return await memory.call("recall_facts", {"user_id": 999}, turn)

    assert (await recall())["count"] == 0
    await memory.call("remember_fact", skill | {"fact_value": "Python", "confidence": 0.9}, turn)
    found = await recall()
    assert found["count"] == 1
    assert found["facts"][0]["value"] == "Python"
    assert isinstance(found["facts"][0]["fact_id"], int)
    change = {"new_value": "Python, Rust", "confidence": 0.95, "change_reason": "refinement"}
    await memory.call("update_fact", skill | change, turn)
    assert "Rust" in (await recall())["facts"][0]["value"]
    await memory.call("forget_fact", skill | {"reason": "outdated"}, turn)
    assert (await recall())["count"] == 0


async def test_concurrent_tool_calls(database: Callable[[str], str]):
    async with open_memory(database("memory"), settings=Settings()) as memory:

        async def remember_random_fact(user_id: int):
            arguments = {
                "user_id": user_id,
                "fact_type": "preference",
                "fact_key": "hobby",
                "fact_value": f"hobby_{random.randint(1, 100)}",
                "confidence": 0.8,
            }
            turn = Turn(platform="telegram", space="1", chat="1", user=user_id)
            return await memory.call("remember_fact", arguments, turn)

        results = await asyncio.gather(*(remember_random_fact(user) for user in range(100)))
        assert [result.status for result in results] == ["success"] * 100
        assert (await memory.look(lambda tx: tx.maintenance.counts()))["facts"] == 100


async def test_the_typed_methods_are_the_same_tools(memory: Memory):
    result = await memory.remember_fact(
        turn=TURN, user_id=123, fact_type="personal", fact_key="location", fact_value="Kyiv", confidence=0.9
    )
    assert result.status == "success"
    recalled = await memory.recall_facts(turn=TURN, user_id=123)
    assert recalled["facts"][0]["fact_id"] == result["fact_id"]
    assert memory.remember_fact.__name__ == "remember_fact"
    assert "Store a new fact" in str(Memory.remember_fact.__doc__)
    note = await memory.remember(turn=TURN, content="plays chess")
    assert (await memory.recall(turn=TURN, query="chess"))["memories"][0]["memory_id"] == note["memory_id"]


async def test_the_san_francisco_conversation(person: Any):
    """Seed 000: “Delete my memory about San Francisco.”"""
    home = await person.note("User lives in San Francisco")
    trip = await person.note("User visited San Francisco last year")
    others = ["California has good wine", "The Bay Area is foggy", "Has seen the Golden Gate"]
    for text in others:
        await person.note(text)

    turn = person.turn(text="Delete my memory about San Francisco")
    found = await person.call("forget", turn=turn, query="San Francisco")
    assert found.status == "candidates"
    assert {candidate["memory_id"] for candidate in found["candidates"]} == {home, trip}

    turn = person.turn(text="Delete the first one")
    asked = await person.call("forget", turn=turn, memory_id=home)
    assert asked.status == "confirmation_required"
    assert "User lives in San Francisco" in asked.message
    again = await person.call("forget", turn=turn, memory_id=home)
    assert again.status == "confirmation_required"

    turn = person.turn(text="Yes, delete it")
    done = await person.call("forget", turn=turn, memory_id=home)
    assert done.status == "deleted"
    assert await person.found("San Francisco") == ["User visited San Francisco last year"]
    for text in others:
        assert text in await person.found(text)


async def test_the_san_francisco_conversation_over_a_restart(
    clock: Any, make_person: Callable[..., Any], database: Callable[[str], str]
):
    url = database("memory")
    async with open_memory(url, settings=Settings(), clock=clock) as memory:
        person = make_person(memory)
        home = await person.note("User lives in San Francisco")
        await person.call("forget", turn=person.turn(text="Forget where I live"), memory_id=home)
    clock.forward(minutes=1)
    async with open_memory(url, settings=Settings(), clock=clock) as memory:
        person = make_person(memory)
        turn = person.turn(text="Yes, delete it")
        assert (await person.call("forget", turn=turn, memory_id=home)).status == "deleted"
    async with open_memory(url, settings=Settings(), clock=clock) as memory:
        assert await make_person(memory).found("San Francisco") == []


async def test_a_person_who_changes_their_mind_keeps_the_memory(person: Any, clock: Any):
    memory_id = await person.note("User lives in San Francisco")
    await person.call("forget", turn=person.turn(text="Delete it", time=clock.now), memory_id=memory_id)
    clock.forward(seconds=10)
    turn = person.turn(text="No, do NOT delete it!", time=clock.now)
    for _ in range(3):
        assert (await person.call("forget", turn=turn, memory_id=memory_id)).status != "deleted"
    assert await person.found("San Francisco") == ["User lives in San Francisco"]


async def test_moving_from_kyiv_to_lviv(person: Any, clock: Any):
    """The example of seed 003's prompt."""
    assert await person.facts(fact_types=["personal"]) == []
    await person.fact("location", "Київ", confidence=0.95, source_excerpt="Я з Києва")
    clock.forward(days=30)
    assert (await person.fact("location", "Львів")).status == "conflict"
    result = await person.update("location", "Львів", source_excerpt="Тепер я живу в Львові")
    assert result["old_value"] == "Київ"
    assert await person.values(fact_types=["personal"], as_of="2026-03-31") == ["Львів"]
    assert await person.values(fact_types=["personal"], as_of="2026-03-30") == ["Київ"]
    assert (await person.fact("location", "Lviv")).status == "skipped"


async def test_forgetting_everything_after_seeing_it_all(person: Any):
    for number in range(20):
        await person.fact("hobby", f"hobby number {number}")
    seen = await person.call("recall_facts", user_id=123)
    assert (seen["count"], seen["total"]) == (10, 20)
    seen = await person.call("recall_facts", user_id=123, limit=50)
    ids = ",".join(str(fact["fact_id"]) for fact in seen["facts"])
    await person.call("forget", turn=person.turn(text="Forget everything about me"), memory_id=ids)
    result = await person.call("forget", turn=person.turn(text="yes"), memory_id=ids)
    assert len(result["deleted"]) == 20
    assert await person.facts() == []


async def test_a_closed_memory_says_so(clock: Any):
    from zgadka.errors import StoreClosed

    async with open_memory("sqlite://:memory:", settings=Settings(), clock=clock) as memory:
        pass
    await memory.close()
    with pytest.raises(StoreClosed):
        await memory.call("recall", {"query": "x"}, TURN)
