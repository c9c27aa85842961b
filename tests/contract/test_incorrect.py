"""What a person says was wrong: what it took the place of holds again, as if nobody had said the wrong thing."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from tests.support.group_world import ANNA, World

from zgadka.model.outcome import Changed

pytestmark = [pytest.mark.asyncio]

LOCATION = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location"}


async def homes(world: World, **more: Any) -> list[tuple[str, str]]:
    """Where Anna lives and lived, and until when."""
    facts = await world.memory.call("recall_facts", {"user_id": ANNA} | more, world.turn(ANNA))
    return [(fact["value"], fact.get("valid_to", "")[:10]) for fact in facts["facts"]]


async def moves(world: World, value: str, how: str = "update") -> int:
    """Have Anna say that she lives somewhere else by now, or has since 2020; returns the fact's id."""
    turn = await world.says(ANNA, f"I live in {value} now")
    if how == "dated":
        given = LOCATION | {"fact_value": value, "confidence": 0.9, "valid_from": "2020"}
        kept = await world.memory.call("update_fact_with_temporal", given, turn)
    else:
        change = LOCATION | {"new_value": value, "confidence": 0.9, "change_reason": how}
        kept = await world.memory.call("update_fact", change, turn)
    assert kept.status == "success"
    return kept["fact_id"]


async def was_wrong(world: World, fact_id: int | None = None, **more: Any) -> int:
    turn = await world.says(ANNA, "That was wrong")
    named = {} if fact_id is None else {"fact_id": fact_id}
    gone = await world.memory.call("forget_fact", LOCATION | {"reason": "incorrect"} | named | more, turn)
    assert gone.status == "success"
    return gone["fact_id"]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["update", "contradiction", "dated"])
async def test_what_a_wrong_value_took_the_place_of_holds_again(world: World, how: str) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    await moves(world, "Kyiv", how)
    await was_wrong(world)
    assert await homes(world) == [("Lviv", "")]


async def test_to_take_back_that_it_was_wrong_lets_both_hold_as_before(world: World) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    await moves(world, "Kyiv")
    before = await homes(world)
    undone = await world.memory.undo(await was_wrong(world), world.turn(ANNA))
    assert isinstance(undone, Changed)
    assert await homes(world) == before


async def test_what_was_itself_said_to_be_wrong_stays_so(world: World) -> None:
    await world.tells(ANNA, "I live in Odesa", "location", "Odesa")
    await moves(world, "Lviv")
    await moves(world, "Kyiv")
    past = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    lviv = next(fact["fact_id"] for fact in past["facts"] if fact["value"] == "Lviv")
    await was_wrong(world, lviv)
    assert [value for value, _ in await homes(world)] == ["Kyiv", "Odesa"]
    await was_wrong(world)
    assert await homes(world) == [("Odesa", "")]


async def test_what_had_ended_by_its_own_account_stays_past(world: World) -> None:
    told = LOCATION | {"fact_value": "Lviv", "confidence": 0.9, "valid_to": "2019"}
    await world.memory.call("update_fact_with_temporal", told, await world.says(ANNA, "I lived in Lviv until 2019"))
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    await was_wrong(world)
    assert await homes(world) == [("Lviv", "2019-01-01")]


@pytest.mark.parametrize("reason", ["outdated", "superseded", "user_requested"])
async def test_what_is_only_no_longer_so_or_not_to_be_known_brings_nothing_back(world: World, reason: str) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    await moves(world, "Kyiv")
    await was_wrong(world, reason=reason)
    assert ("Lviv", "") not in await homes(world)


async def test_what_a_wrong_value_is_replaced_by_stands_in_the_place_of_both(world: World) -> None:
    await world.tells(ANNA, "I play chess", "hobby", "chess")
    change = LOCATION | {"fact_key": "hobby", "new_value": "go", "confidence": 0.9, "change_reason": "update"}
    go = await world.memory.call("update_fact", change, await world.says(ANNA, "I play go now"))
    _, shogi = await world.tells(ANNA, "I play shogi", "hobby", "shogi")
    await was_wrong(world, go["fact_id"], fact_key="hobby", replacement_fact_id=shogi)
    assert ("chess", "") not in await homes(world)


async def test_what_was_wrong_may_be_said_in_a_message_from_before(world: World) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    late = await world.says(ANNA, "I live in Kyiv now")
    await moves(world, "Kyiv")
    await was_wrong(world)
    change = LOCATION | {"new_value": "Kyiv", "confidence": 0.9, "change_reason": "update"}
    assert (await world.memory.call("update_fact", change, late)).status == "success"


async def test_a_wrong_liking_lets_the_opposite_hold_again(world: World) -> None:
    for text in ("I like chess", "I hate chess"):
        await world.memory.observe(text, world.turn(ANNA, text=text), own_text=text)
    await was_wrong(world, fact_type="preference", fact_key="dislike")
    assert await homes(world) == [("chess", "")]


async def test_parts_of_what_was_merged_wrongly_do_not_come_back(world: World) -> None:
    ids = [(await world.tells(ANNA, f"I play {value}", "hobby", value))[1] for value in ("chess", "chess games")]
    turn = await world.says(ANNA, "These are one")
    merging = {"user_id": ANNA, "fact_ids": ids, "merged_value": "chess", "merged_confidence": 0.9}
    merged = await world.memory.call("merge_facts", merging, turn)
    assert merged.status == "success"
    await was_wrong(world, merged["fact_id"], fact_key="hobby")
    assert await homes(world) == []


async def test_what_is_cleared_because_it_was_incorrect_stays_forgotten(world: World) -> None:
    turn, _ = await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    world.now += timedelta(days=2)  # longer than any answer takes
    for text in ("Clear all that you know of me", "yes"):
        given = {"user_id": ANNA, "reason": "incorrect, please clear all"}
        gone = await world.memory.call("clear_profile", given, world.turn(ANNA, text=text))
    assert gone.status == "deleted"
    await world.memory.run_tasks()
    assert (await world.fact(turn, "location", "Lviv")).status == "refused"
