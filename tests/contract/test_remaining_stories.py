"""Whatever was told and in whatever order messages go, what is left is what the others alone would have told."""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.group_world import ANNA, BOB, World, open_world

from zgadka import Turn

pytestmark = [pytest.mark.asyncio]

Step = tuple[str, str, str]
"""A key, a value, and since which year, if that is said."""
STEPS: Sequence[Step] = [
    *(("location", place, since) for place in ("Kyiv", "Lviv", "Odesa") for since in ("", "")),
    *(("location", place, "2019") for place in ("Kyiv", "Lviv")),
    *(("hobby", hobby, since) for hobby in ("bees", "archery") for since in ("", "2018")),
    *((liking, "chess", "") for liking in ("like", "hate")),
]


async def says(world: World, number: int, step: Step) -> tuple[Turn, bool]:
    """Have a step of a story told, as a model keeps it; returns its turn, and whether it was kept."""
    key, value, since = step
    world.now = World.now + timedelta(hours=number)
    text = f"I {key} {value}" if key in ("like", "hate") else f"My {key} is {value} since {since or 'long ago'}"
    turn = world.turn(ANNA, text=text, message=f"s{number}", turn=f"s{number}")
    if key in ("like", "hate"):
        await world.memory.observe(text, turn, own_text=text)
        return turn, True
    await world.memory.record("user", text, turn)
    given = {"user_id": ANNA, "fact_type": "personal", "fact_key": key, "confidence": 0.9}
    if since:
        dated = given | {"fact_value": value, "valid_from": since}
        kept = await world.memory.call("update_fact_with_temporal", dated, turn)
    else:
        kept = await world.memory.call("remember_fact", given | {"fact_value": value}, turn)
    if kept.status == "conflict" and not since:
        change = given | {"new_value": value, "change_reason": "update"}
        kept = await world.memory.call("update_fact", change, turn)
    return turn, kept.status in ("success", "skipped")


async def tells(story: Sequence[Step], told: Collection[int]) -> tuple[World, list[Turn], list[bool]]:
    world = await open_world(World("sqlite://:memory:"))
    said = [await says(world, number, step) for number, step in enumerate(story) if number in told]
    return world, [turn for turn, _ in said], [kept for _, kept in said]


async def facts(world: World, turn: Turn) -> list[tuple[object, ...]]:
    found = await world.memory.call("recall_facts", {"user_id": ANNA}, turn)
    return sorted(
        tuple(str(fact.get(name)) for name in ("key", "value", "valid_from", "valid_to")) for fact in found["facts"]
    )


@pytest.mark.parametrize("seed", range(30))
async def test_what_is_left_is_what_the_other_messages_would_have_told(seed: int) -> None:
    chance = random.Random(seed)
    story = [chance.choice(STEPS) for _ in range(chance.randint(2, 5))]
    gone = chance.sample(range(len(story)), chance.randint(1, min(2, len(story) - 1)))
    left = [number for number in range(len(story)) if number not in gone]
    world, turns, kept = await tells(story, range(len(story)))
    for number in gone:
        world.now = World.now + timedelta(days=1)
        await world.takes_back(turns[number], chance.choice(["deleted", "edited"]))
    other, _, kept_there = await tells(story, left)
    other.now = world.now
    if [kept[number] for number in left] == kept_there:  # else a message was refused because of one that is gone
        turn = replace(world.turn(BOB), time=world.now)
        assert await facts(world, turn) == await facts(other, turn), (story, gone)
    for each in (world, other):
        await each.memory.close()
