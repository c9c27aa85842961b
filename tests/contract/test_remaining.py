"""What is left of a fact without one of its messages: what the others say, as if that one had never been written."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.support.group_world import ANNA, VALUE, World, open_world

from zgadka import Turn

pytestmark = [pytest.mark.asyncio]

LOCATION = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}


async def homes(world: World) -> list[tuple[str, str, str]]:
    """Where Anna lives and lived, since when and until when."""
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    return [(fact["value"], fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10]) for fact in facts["facts"]]


async def dates(world: World, text: str, value: str = "Kyiv", **times: str) -> Any:
    """Have a message date where Anna lives; returns its turn."""
    turn = await world.says(ANNA, text)
    kept = await world.memory.call("update_fact_with_temporal", LOCATION | {"fact_value": value} | times, turn)
    assert kept.status in ("success", "skipped")
    return turn


@pytest.mark.partitioned
@pytest.mark.every_case
@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("times", [{"valid_from": "2019"}, {"valid_to": "2019"}])
async def test_a_date_goes_with_the_only_message_that_told_it(
    world: World, how: str, is_first: bool, times: dict[str, str]
) -> None:
    if not is_first:
        await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turn = await dates(world, "Kyiv, that was in 2019", **times)
    if is_first:
        await world.fact(await world.says(ANNA, "I live in Kyiv"), "location", "Kyiv")
        if "valid_to" in times:
            return  # what is past by then is another fact than what is said to hold now
    assert await homes(world) != [("Kyiv", "", "")]
    await world.takes_back(turn, how)
    assert await homes(world) == [("Kyiv", "", "")]


async def test_a_date_stays_that_another_message_told_too(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turns = [await dates(world, text, valid_from="2019") for text in ("Since 2019", "Seven years in Kyiv!")]
    await world.takes_back(turns[0], "deleted")
    assert await homes(world) == [("Kyiv", "2019-01-01", "")]
    await world.takes_back(turns[1], "deleted")
    assert await homes(world) == [("Kyiv", "", "")]


async def test_of_two_dates_the_one_holds_again_that_a_message_still_tells(world: World) -> None:
    await dates(world, "I live in Kyiv, since 2018", valid_from="2018")
    turn = await dates(world, "I moved here in 2019, now that I think of it", valid_from="2019")
    await world.takes_back(turn, "deleted")
    assert await homes(world) == [("Kyiv", "2018-01-01", "")]


async def test_what_such_a_date_ended_goes_on_until_then(world: World) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    change = LOCATION | {"new_value": "Kyiv", "change_reason": "update"}
    moved = await world.says(ANNA, "I live in Kyiv now")
    await world.memory.call("update_fact", change, moved)
    before = await homes(world)
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    assert await homes(world) == [("Kyiv", "2019-01-01", ""), ("Lviv", "", "2019-01-01")]
    await world.takes_back(turn, "deleted")
    assert await homes(world) == before
    await world.takes_back(moved, "deleted")
    assert await homes(world) == [("Lviv", "", "")]


async def test_no_trail_tells_a_date_whose_message_is_gone(world: World) -> None:
    _, id_ = await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    await world.fact(await world.says(ANNA, "Kyiv it is"), "location", "Kyiv")
    await world.takes_back(turn, "deleted")
    trail = await world.memory.history(id_, world.turn(ANNA))
    states = [state for event in trail for state in (event.before, event.after) if state is not None]
    assert [state.valid_from for state in states] == [None] * len(states)


async def test_an_edit_that_leaves_only_the_date_out_takes_it_back(world: World) -> None:
    turn = await dates(world, "I live in Kyiv, since 2019", valid_from="2019")
    again = world.turn(ANNA, message=turn.message)
    await world.memory.record("user", "I live in Kyiv", again)
    await world.memory.run_tasks()
    assert await homes(world) == [("Kyiv", "", "")]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("others", [False, True])
async def test_what_was_no_longer_so_is_so_again_only_as_long_as_a_message_says_it_since(
    world: World, how: str, others: bool
) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    outdated = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "reason": "outdated"}
    await world.memory.call("forget_fact", outdated, await world.says(ANNA, "That is no longer so"))
    again, _ = await world.tells(ANNA, "I live in Kyiv again", "location", "Kyiv")
    if others:
        await world.fact(await world.says(ANNA, "Kyiv it is"), "location", "Kyiv")
    assert await homes(world) == [("Kyiv", "", "")]
    await world.takes_back(again, how)
    assert await homes(world) == ([("Kyiv", "", "")] if others else [])


async def test_what_is_imported_knows_which_message_told_a_date(world: World, tmp_path: Any) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    other = await open_world(World(f"sqlite:///{tmp_path / 'other.db'}", now=world.now))
    await other.says(ANNA, "Another message before, so that numbers differ")
    await other.memory.import_lines(await world.exported())
    await other.takes_back(turn, "deleted")
    assert await homes(other) == [("Kyiv", "", "")]
    await other.memory.close()


async def test_a_group_that_moved_knows_which_message_told_a_date(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    await world.memory.move_space("discord", "S", "T")
    await world.memory.unrecord(world.turn(ANNA, space="T", message=turn.message))
    await world.memory.run_tasks()
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA, space="T"))
    assert [(fact["value"], fact.get("valid_from")) for fact in facts["facts"]] == [("Kyiv", None)]


async def writes(world: World, text: str) -> Any:
    """Have Anna write something that is read by the rules; returns its turn."""
    turn = world.turn(ANNA, text=text)
    await world.memory.observe(text, turn, own_text=text)
    return turn


@pytest.mark.parametrize(
    ("first", "again", "value"),
    [
        ("I live in Kyiv", "I've lived in Kyiv since 2019", "Kyiv"),
        ("Я живу в Києві", "я живу в Києві з 2019 року", "Київ"),
        ("I live in Kyiv", "I moved to Kyiv in 2019", "Kyiv"),
    ],
)
async def test_a_plain_restatement_with_its_date_dates_a_fact_as_long_as_it_is_there(
    world: World, first: str, again: str, value: str
) -> None:
    await writes(world, first)
    turn = await writes(world, again)
    assert await homes(world) == [(value, "2019-01-01", "")]
    await world.takes_back(turn, "deleted")
    assert await homes(world) == [(value, "", "")]


async def test_a_restatement_without_a_date_leaves_the_one_that_is_known(world: World) -> None:
    for text in ("I've lived in Kyiv since 2019", "I live in Kyiv"):
        await writes(world, text)
    assert await homes(world) == [("Kyiv", "2019-01-01", "")]


async def test_a_restatement_with_a_date_ends_the_one_before_then(world: World) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    change = LOCATION | {"new_value": "Kyiv", "change_reason": "update"}
    await world.memory.call("update_fact", change, await world.says(ANNA, "I live in Kyiv now"))
    before = await homes(world)
    turn = await writes(world, "I've lived in Kyiv since 2019")
    assert await homes(world) == [("Kyiv", "2019-01-01", ""), ("Lviv", "", "2019-01-01")]
    await world.takes_back(turn, "deleted")
    assert await homes(world) == before


async def test_a_restatement_with_a_beginning_leaves_the_end_that_is_known(world: World) -> None:
    await dates(world, "I live in Kyiv until 2030", valid_to="2030")
    await writes(world, "I've lived in Kyiv since 2019")
    assert await homes(world) == [("Kyiv", "2019-01-01", "2030-01-01")]


async def test_a_restatement_of_what_is_past_by_now_is_no_date(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    change = LOCATION | {"new_value": "Lviv", "change_reason": "update"}
    await world.memory.call("update_fact", change, await world.says(ANNA, "I live in Lviv now"))
    before = await homes(world)
    await writes(world, "I've lived in Kyiv since 2019")
    assert await homes(world) == before


async def test_a_date_that_the_rules_and_a_model_read_in_one_message_is_one_piece_of_evidence(world: World) -> None:
    text = "I've lived in Kyiv since 2019"
    turn = await writes(world, text)
    await world.memory.call("update_fact_with_temporal", LOCATION | {"fact_value": "Kyiv", "valid_from": "2019"}, turn)
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    trail = await world.memory.history(facts["facts"][0]["fact_id"], world.turn(ANNA))
    assert trail[-1].after is not None
    assert trail[-1].after.evidence == 1


async def forgets(world: World, turn: Any) -> None:
    """Have Anna ask that one of her messages be forgotten, and agree."""
    messages = await world.memory.recent(world.turn(ANNA), 50)
    number = next(row.id for row in messages if row.text == turn.text)
    for text, status in (("Forget that message", "confirmation_required"), ("Yes, delete it", "deleted")):
        asked = await world.memory.call("forget", {"memory_id": f"M{number}"}, await world.says(ANNA, text))
        assert asked.status == status
    await world.memory.run_tasks()


@pytest.mark.parametrize("is_first", [True, False])
async def test_a_date_goes_with_the_only_message_that_told_it_when_that_is_forgotten(
    world: World, is_first: bool
) -> None:
    if not is_first:
        await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    if is_first:
        await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    await forgets(world, turn)
    assert await homes(world) == [("Kyiv", "", "")]


async def test_what_comes_from_a_forgotten_message_alone_stays_with_its_date(world: World) -> None:
    turn = await dates(world, "In Kyiv since 2019", valid_from="2019")
    await forgets(world, turn)
    assert await homes(world) == [("Kyiv", "2019-01-01", "")]


async def test_what_a_forgotten_message_said_again_stays(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    outdated = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "reason": "outdated"}
    await world.memory.call("forget_fact", outdated, await world.says(ANNA, "That is no longer so"))
    again, _ = await world.tells(ANNA, "I live in Kyiv again", "location", "Kyiv")
    await forgets(world, again)
    assert await homes(world) == [("Kyiv", "", "")]


MODS = {"chat": "mods", "audience": ("mods",)}


async def homes_in(world: World, **place: Any) -> list[tuple[str, str, str]]:
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA, **place))
    return [(fact["value"], fact.get("valid_from", "")[:10], fact.get("valid_to", "")[:10]) for fact in facts["facts"]]


async def says_to_mods(world: World, text: str, tool: str, **given: Any) -> Any:
    """Have Anna say where she lives in a channel that only the moderators read; returns its turn."""
    turn = await world.says(ANNA, text, **MODS)
    kept = await world.memory.call(tool, LOCATION | given, turn)
    assert kept.status == "success"
    return turn


TOLD_TO_MODS = {
    "dated": ("update_fact_with_temporal", {"fact_value": "Kyiv", "valid_from": "2019"}),
    "ended": ("update_fact_with_temporal", {"fact_value": "Kyiv", "valid_to": "2019"}),
    "moved": ("update_fact", {"new_value": "Odesa", "change_reason": "update"}),
    "moved then": ("update_fact_with_temporal", {"fact_value": "Odesa", "valid_from": "2020"}),
}


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("told", TOLD_TO_MODS)
async def test_what_a_closed_channel_changed_is_told_to_all_again_once_that_message_is_gone(
    world: World, how: str, told: str
) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    tool, given = TOLD_TO_MODS[told]
    turn = await says_to_mods(world, "Just between us: Kyiv, 2019, Odesa, 2020", tool, **given)
    assert await homes(world) == []
    await world.takes_back(turn, how)
    assert await homes(world) == await homes_in(world, **MODS) == [("Kyiv", "", "")]


async def test_what_a_closed_channel_changed_stays_there_as_long_as_another_message_there_says_so(
    world: World,
) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    given = {"fact_value": "Kyiv", "valid_from": "2019"}
    turn = await says_to_mods(world, "In Kyiv since 2019", "update_fact_with_temporal", **given)
    again = await world.says(ANNA, "Since 2019, I said", **MODS)
    assert (await world.memory.call("update_fact_with_temporal", LOCATION | given, again)).status == "skipped"
    await world.takes_back(turn, "deleted")
    assert (await homes(world), await homes_in(world, **MODS)) == ([], [("Kyiv", "2019-01-01", "")])
    await world.takes_back(again, "deleted")
    assert await homes(world) == [("Kyiv", "", "")]


async def test_what_a_closed_channel_made_more_exact_is_told_to_nobody_else(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    given = {"new_value": "Kyiv, Podil", "change_reason": "refinement"}
    turn = await says_to_mods(world, "In Kyiv, Podil that is", "update_fact", **given)
    await world.takes_back(turn, "deleted")
    assert "Podil" not in str(await homes(world))


async def test_what_was_said_in_a_channel_that_is_closed_by_now_is_told_there_alone(world: World) -> None:
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    given = {"fact_value": "Kyiv", "valid_from": "2019"}
    turn = await says_to_mods(world, "In Kyiv since 2019", "update_fact_with_temporal", **given)
    await world.memory.report_readers("discord", "S", {"general": ("staff", "mods")})
    await world.takes_back(turn, "deleted")
    assert await homes_in(world, chat="lobby") == []


async def removes(world: World, said: Turn, how: str) -> None:
    if how == "not to be saved":
        await world.takes_back(said, how)
        return
    messages = await world.memory.recent(replace(said, turn=None, message=None), 50)
    id_ = next(row.id for row in messages if row.text == said.text)
    for text in ("Forget that message", "Yes, delete it"):
        answer = await world.memory.call("forget", {"memory_id": f"M{id_}"}, await world.says(ANNA, text))
    assert answer.status == "deleted"
    await world.memory.run_tasks()


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["not to be saved", "removed"])
@pytest.mark.parametrize("edited", [f"I have {VALUE}!", "I have it", f"I have {VALUE}"])
@pytest.mark.parametrize("is_timed", [True, False])
async def test_a_message_that_its_person_had_removed_does_not_come_back_by_an_edit(
    world: World, how: str, edited: str, is_timed: bool
) -> None:
    said = await world.says(ANNA, f"I have {VALUE}")
    await removes(world, said, how)
    before = await world.told()
    world.now += timedelta(minutes=3)
    again = replace(said, turn="edit", text=edited, time=said.time if is_timed else None)
    assert await world.memory.record("user", edited, again) is None
    assert (await world.fact(again)).status == "refused"
    await world.memory.observe(edited, again)
    await world.memory.run_tasks()
    assert await world.told() == before
    assert await world.memory.record("user", edited, replace(again, message="another")) is not None


async def test_a_message_that_was_edited_to_nothing_comes_back_by_an_edit(world: World) -> None:
    said = await world.says(ANNA, f"I have {VALUE}")
    await world.memory.unrecord(said)  # as hosts do with a message that has no words any more
    await world.memory.run_tasks()
    assert await world.memory.record("user", "I have a cold", said) is not None


async def edits(world: World, said: Turn, text: str) -> Turn:
    turn = replace(said, turn=world.turn(ANNA).turn, text=text)
    await world.memory.record("user", text, turn)
    await world.memory.run_tasks()
    return turn


@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("between", ["Nice weather", "I live in Kyiv"])
async def test_a_date_that_was_edited_away_and_back_goes_with_its_message(world: World, how: str, between: str) -> None:
    said = await dates(world, "I live in Kyiv since 2019", valid_from="2019")
    await edits(world, said, between)
    again = await edits(world, said, "I live in Kyiv since 2019")
    await world.memory.call("update_fact_with_temporal", LOCATION | {"fact_value": "Kyiv", "valid_from": "2019"}, again)
    await world.tells(ANNA, "I live in Kyiv", "location", "Kyiv")
    assert await homes(world) == [("Kyiv", "2019-01-01", "")]
    await world.takes_back(said, how)
    assert await homes(world) == [("Kyiv", "", "")]
