"""What a model does with a message that was taken back meanwhile, or whose person was erased, comes to nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.support.group_world import ANNA, BOB, CLARA, VALUE, WAYS, World, open_world

from zgadka import Settings
from zgadka.errors import ContentRefused
from zgadka.ops import self_service
from zgadka.ops.keyed_notes import put_named, rename

pytestmark = [pytest.mark.asyncio]


async def erase(world: World) -> None:
    world.now += timedelta(seconds=5)
    await world.memory.erase(world.turn(ANNA, "direct"))
    await world.memory.run_tasks()
    world.now += timedelta(seconds=5)


@pytest.mark.partitioned
async def test_nothing_of_a_turn_is_kept_whose_person_was_erased_meanwhile(world: World) -> None:
    turn = await world.says(ANNA, f"I have {VALUE}")
    await erase(world)
    await world.says(ANNA, "Hello again")
    assert (await world.fact(turn)).status == "refused"
    await world.answers(turn, f"Get well from {VALUE}!")
    assert await world.memory.record("user", f"I have {VALUE}", turn) is None  # delivered again
    assert VALUE not in await world.told()
    assert VALUE not in "".join(await world.exported())


async def test_what_they_say_later_is_as_new(world: World) -> None:
    await world.says(ANNA, f"I have {VALUE}")
    await erase(world)
    await world.tells(ANNA, f"I have {VALUE}")
    assert VALUE in await world.told()


async def test_an_answer_to_another_that_was_under_way_is_not_kept(world: World) -> None:
    _, id_ = await world.tells(ANNA, f"I have {VALUE}")
    asked = await world.says(BOB, "What does Anna have?")
    await erase(world)
    await world.answers(asked, f"Anna has {VALUE}.", [id_])
    assert VALUE not in await world.told()
    await world.answers(await world.says(BOB, "How are you?"), "Fine.")
    assert "Fine." in await world.told()


@pytest.mark.partitioned
@pytest.mark.parametrize("how", WAYS)
async def test_no_tool_keeps_what_was_taken_back_while_the_model_thought(world: World, how: str) -> None:
    turn = await world.says(ANNA, f"I have {VALUE}")
    await world.takes_back(turn, how)
    assert (await world.fact(turn)).status == "refused"
    note = {"memory_content": f"Anna has {VALUE}", "scope": "server_wide"}
    noted = await world.memory.call("create_long_term_memory", note, turn)
    assert noted.status == "memory_create_failed_refused"
    await world.answers(turn, f"So you have {VALUE}.")
    assert VALUE not in await world.told()


@pytest.mark.partitioned
@pytest.mark.parametrize("how", [*WAYS, "forgotten"])
async def test_no_name_of_a_file_tells_what_was_taken_back_while_the_model_thought(world: World, how: str) -> None:
    await world.memory.apply(put_named, world.turn(ANNA), "file", "a.md", "nothing of note")
    if how == "forgotten":
        turn, id_ = await world.tells(ANNA, f"I have {VALUE}")
        for text in ("Forget that", "Yes"):
            await world.memory.call("forget", {"memory_id": id_}, world.turn(ANNA, text=text))
    else:
        turn = await world.says(ANNA, f"I have {VALUE}")
        await world.takes_back(turn, how)
    for late in (
        world.memory.apply(rename, turn, "file", {"a.md": f"has {VALUE}.md"}),
        world.memory.apply(put_named, turn, "file", f"has {VALUE}.md", "yes"),
    ):
        with pytest.raises(ContentRefused):
            await late
    tagged = await world.memory.call("remember", {"content": "such a nuisance", "tags": [VALUE]}, turn)
    assert tagged.status == "refused"
    assert VALUE not in await world.told()


async def test_a_file_that_was_renamed_goes_with_the_message_that_said_it(world: World) -> None:
    said = await world.says(ANNA, f"I have {VALUE}")
    await world.memory.apply(put_named, said, "file", "a.md", f"has {VALUE}")
    await world.memory.apply(rename, await world.says(ANNA, "Call it b"), "file", {"a.md": "b.md"})
    assert VALUE in await world.told()
    await world.takes_back(said, "deleted")
    assert VALUE not in await world.told()


async def test_what_is_said_again_is_kept_and_answered(world: World) -> None:
    turn = await world.says(ANNA, f"I have {VALUE}")
    await world.takes_back(turn, "deleted")
    again = await world.says(ANNA, f"I have {VALUE}")
    assert (await world.fact(again)).status == "success"
    world.now += timedelta(seconds=10)
    await world.answers(again, f"Get well from {VALUE}.")
    assert f"Get well from {VALUE}." in await world.told()


async def test_an_edit_of_a_slip_keeps_what_the_model_makes_of_the_former_words(world: World) -> None:
    turn = await world.says(ANNA, f"I haev {VALUE}, it seems so")
    await world.memory.record("user", f"I have {VALUE}, it seems so", replace(world.turn(ANNA), message=turn.message))
    assert (await world.fact(turn)).status == "success"
    await world.answers(turn, f"Get well from {VALUE}.")
    assert f"Get well from {VALUE}." in await world.told()


async def test_a_call_from_before_a_clearing_keeps_nothing(world: World) -> None:
    await world.tells(ANNA, "I keep bees", "hobby", "bees")
    late = await world.says(ANNA, f"I have {VALUE}")
    given = {"user_id": ANNA, "reason": "asked"}
    for text in ("Forget everything about me", "Yes, everything"):
        await world.memory.call("clear_profile", given, world.turn(ANNA, text=text))
    assert (await world.fact(late)).status == "refused"
    assert (await world.fact(await world.says(ANNA, "I play chess"), "hobby", "chess")).status == "success"
    assert (await world.fact(await world.says(BOB, "Anna paints"), "hobby", "painting")).status == "success"


async def test_what_was_said_before_a_clearing_and_is_taken_in_later_is_looked_at(world: World) -> None:
    await world.tells(ANNA, "I keep bees", "hobby", "bees")
    given = {"user_id": ANNA, "reason": "asked"}
    for text in ("Forget everything about me", "Yes, everything"):
        await world.memory.call("clear_profile", given, world.turn(ANNA, text=text))
    old = replace(world.turn(ANNA), time=world.now - timedelta(days=30), text="I have two dogs")
    assert (await world.fact(old, "pet", "two dogs")).status == "success"
    await world.memory.observe("I live in Odesa", replace(old, text="I live in Odesa", message="old"))
    assert "Odesa" in await world.told()


async def test_answers_that_are_taken_in_with_an_old_history_are_kept_whoever_was_erased(world: World) -> None:
    await world.says(ANNA, "Hello")
    await erase(world)
    old = replace(world.turn(BOB), time=world.now - timedelta(days=30), text="How are you?")
    await world.answers(old, "Fine, thanks.")
    assert "Fine, thanks." in await world.told()


async def test_an_answer_is_not_told_where_the_host_knows_no_time(world: World) -> None:
    turn = replace(world.turn(ANNA, text=f"I have {VALUE}"), time=None)
    await world.memory.record("user", f"I have {VALUE}", turn)
    await world.takes_back(turn, "deleted")
    await world.answers(turn, f"So you have {VALUE}.")
    assert VALUE not in await world.told()


async def test_a_note_that_several_wrote_stays_without_the_last_message(world: World) -> None:
    first = await world.says(ANNA, "There is a barbecue on Friday")
    note = {"memory_content": "A barbecue on Friday", "scope": "server_wide"}
    made = await world.memory.call("create_long_term_memory", note, first)
    turn = await world.says(BOB, "By the river, then")
    longer = {"memory_id": made["memory_id"], "memory_content": "A barbecue on Friday; by the river"}
    await world.memory.call("update_long_term_memory", longer, turn)
    await world.memory.unrecord(replace(world.turn(BOB), message=turn.message))
    found = await world.memory.call("recall", {"query": "barbecue"}, world.turn(CLARA))
    assert [row["content"] for row in found["memories"] if row["kind"] == "note"]


async def test_an_edit_takes_the_end_of_what_two_messages_said(world: World) -> None:
    await world.says(ANNA, "I'm allergic.")
    turn = await world.says(ANNA, f"To {VALUE}.")
    allergy = {"user_id": ANNA, "fact_type": "personal", "fact_key": "allergy", "fact_value": VALUE, "confidence": 0.9}
    excerpt = f"I'm allergic. To {VALUE}."
    await world.memory.call("remember_fact", allergy | {"source_excerpt": excerpt}, turn)
    await world.takes_back(turn, "edited")
    assert VALUE not in await world.told()


@pytest.mark.partitioned
@pytest.mark.parametrize("how", WAYS[:3])
async def test_nobody_is_asked_for_consent_because_of_a_message_that_is_gone(url: str, how: str) -> None:
    world = await open_world(World(url, Settings(background=False, others_may_change="ask")))
    turn = await world.says(ANNA, f"Bohdan has {VALUE}")
    await world.takes_back(turn, how)
    late = await world.fact(turn, about=BOB)
    assert how == "edited" or late.status == "refused"
    assert all(VALUE not in str(proposal) for _, proposal in await world.memory.proposals(world.turn(BOB, "direct")))
    await world.memory.close()


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["deleted", "off the record", "not to be saved"])
async def test_an_old_export_brings_no_message_back_that_was_taken_back(world: World, how: str) -> None:
    turn, _ = await world.tells(ANNA, f"I have {VALUE}")
    lines = await world.exported()
    await world.takes_back(turn, how)
    report = await world.memory.import_lines(lines)
    assert report.lines["message"] == {"forgotten_since": 1}
    assert VALUE not in await world.told()


async def test_an_old_export_brings_no_message_back_that_was_forgotten_and_then_deleted(world: World) -> None:
    turn, id_ = await world.tells(ANNA, f"I have {VALUE}")
    lines = await world.exported()
    for text in (f"Forget that I have {VALUE}", "Yes"):
        await world.memory.call("forget", {"memory_id": id_}, world.turn(ANNA, text=text))
    await world.memory.run_tasks()
    await world.takes_back(turn, "deleted")
    report = await world.memory.import_lines(lines)
    assert report.lines["message"] == {"forgotten_since": 1}
    assert VALUE not in await world.told()


@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("reason", ["correction", "refinement"])
async def test_what_a_message_changed_a_fact_to_goes_with_the_message(world: World, how: str, reason: str) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    turn = await world.says(ANNA, f"No wait, in {VALUE}")
    change = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "new_value": VALUE, "confidence": 0.9}
    await world.memory.call("update_fact", change | {"change_reason": reason}, turn)
    await world.takes_back(turn, how)
    told = await world.told()
    assert VALUE not in told
    assert reason == "refinement" or "I live in Lviv" in told


async def test_the_first_message_may_go_and_what_it_was_changed_to_stays(world: World) -> None:
    first, id_ = await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    turn = await world.says(ANNA, "No wait, in Odesa")
    change = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "new_value": "Odesa", "confidence": 0.9}
    await world.memory.call("update_fact", change | {"change_reason": "correction"}, turn)
    await world.takes_back(first, "deleted")
    assert "Odesa" in await world.told()
    origin = await world.memory.why(id_, world.turn(ANNA))
    assert origin is not None
    assert [source.text for source in origin.sources] == ["No wait, in Odesa"]


async def test_what_an_edit_took_back_is_told_by_no_history_to_others(world: World) -> None:
    turn = await world.says(ANNA, f"Bohdan is my friend from the {VALUE} clinic")
    relation = {"user_id": ANNA, "related_user_id": BOB, "relationship": "friend", "description": f"from {VALUE}"}
    id_ = (await world.memory.call("remember_relationship", relation, turn))["memory_id"]
    fact = (await world.fact(turn))["fact_id"]
    await world.takes_back(turn, "edited")
    trails = [
        await world.memory.history(id_, world.turn(BOB)),
        await world.memory.look(self_service.story, world.turn(BOB, "direct"), id_),
        await world.memory.history(fact, world.turn(ANNA)),
    ]
    assert trails[1]
    assert VALUE not in str(trails)
    assert VALUE in str(await world.memory.history(fact, world.turn(ANNA, "direct")))


@pytest.mark.parametrize("how", WAYS[:3])
async def test_a_consent_is_asked_for_no_more_whose_message_was_taken_back(url: str, how: str) -> None:
    world = await open_world(World(url, Settings(background=False, others_may_change="ask")))
    turn = await world.says(BOB, f"Anna has {VALUE}")
    assert (await world.fact(turn)).status == "awaiting_consent"
    again = replace(world.turn(BOB), message=turn.message)
    match how:
        case "deleted":
            await world.memory.unrecord(again)
        case _:
            await world.memory.record("user", "Nice weather" if how == "edited" else f"off the record, {VALUE}", again)
    await world.memory.run_tasks()
    for consent, proposal in await world.memory.proposals(world.turn(ANNA, "direct")):
        assert VALUE not in str(proposal.changes)
        await world.memory.answer_consent(consent.id, True, world.turn(ANNA, "direct"), mark=proposal.mark)
    assert VALUE not in await world.told(CLARA)
    await world.memory.close()


@pytest.mark.partitioned
async def test_what_comes_from_a_file_is_closed_with_the_chat_where_it_was_said(world: World, tmp_path: Any) -> None:
    await world.tells(ANNA, f"I have {VALUE}")
    note = {"memory_content": f"The {VALUE} is in the shed", "scope": "server_wide"}
    await world.memory.call("create_long_term_memory", note, await world.says(ANNA, note["memory_content"]))
    lines = await world.exported()
    other = await open_world(World(f"sqlite:///{tmp_path / 'other.db'}"))
    await other.memory.report_readers("discord", "S", {"general": ["mods"], "random": []})
    await other.memory.import_lines(lines)
    assert VALUE not in await other.told(CLARA, "random")
    await other.memory.close()


CHANGED = {"user_id": ANNA, "fact_type": "personal", "fact_key": "location", "new_value": VALUE, "confidence": 0.9}


async def homes(world: World) -> list[tuple[str, Any, Any]]:
    """Where Anna lives and lived, since when and until when, as she is told."""
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    return [(fact["value"], fact.get("valid_from"), fact.get("valid_to")) for fact in facts.get("facts", [])]


@pytest.mark.parametrize("how", WAYS)
async def test_without_the_message_that_changed_a_fact_its_former_value_holds(world: World, how: str) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    before = await homes(world)
    turn = await world.says(ANNA, f"I moved to {VALUE}")
    await world.memory.call("update_fact", CHANGED | {"change_reason": "update"}, turn)
    assert len(await homes(world)) == 2
    await world.takes_back(turn, how)
    assert await homes(world) == before
    assert before == [("Lviv", None, None)]


async def test_a_value_between_two_that_goes_leaves_no_gap(world: World) -> None:
    await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    turn = await world.says(ANNA, f"I moved to {VALUE}")
    await world.memory.call("update_fact", CHANGED | {"change_reason": "update"}, turn)
    later = await world.says(ANNA, "I moved to Odesa")
    await world.memory.call("update_fact", CHANGED | {"new_value": "Odesa", "change_reason": "update"}, later)
    known = {value: (since, until) for value, since, until in await homes(world)}
    await world.takes_back(turn, "deleted")
    told = {value: (since, until) for value, since, until in await homes(world)}
    assert told == {"Lviv": (None, known[VALUE][1]), "Odesa": known["Odesa"]}


@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("order", [(1, 2), (2, 1), (1, 3, 2), (3, 1, 2)])
async def test_of_a_row_of_values_the_last_that_a_message_says_holds(world: World, how: str, order: Any) -> None:
    places = ["Lviv", VALUE, "Odesa", "Kharkiv"][: max(order) + 1]
    turns = [(await world.tells(ANNA, "I live in Lviv", "location", "Lviv"))[0]]
    for place in places[1:]:
        turns.append(await world.says(ANNA, f"I moved to {place}"))
        await world.memory.call("update_fact", CHANGED | {"new_value": place, "change_reason": "update"}, turns[-1])
    for number in order:
        await world.takes_back(turns[number], how)
    assert await homes(world) == [("Lviv", None, None)]


async def test_what_ended_a_liking_does_not_say_it(world: World) -> None:
    texts = ["I like chess", "I hate chess"]
    turns = [world.turn(ANNA, text=text) for text in texts]
    for text, turn in zip(texts, turns, strict=True):
        assert (await world.memory.observe(text, turn, own_text=text)).stored
    await world.takes_back(turns[0], "deleted")
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(ANNA))
    assert [(fact["key"], fact["value"]) for fact in facts["facts"]] == [("dislike", "chess")]


async def test_an_undone_change_gives_a_value_back_the_message_that_said_it(world: World) -> None:
    turn, id_ = await world.tells(ANNA, "I live in Lviv", "location", "Lviv")
    later = await world.says(ANNA, f"I moved to {VALUE}")
    await world.memory.call("update_fact", CHANGED | {"change_reason": "update"}, later)
    await world.memory.undo(id_, world.turn(ANNA))
    await world.takes_back(turn, "deleted")
    assert await homes(world) == []


@pytest.mark.parametrize("how", ["deleted", "edited"])
@pytest.mark.parametrize("elsewhere", ["closed", "direct"])
async def test_what_is_said_again_for_fewer_is_told_to_those_alone_once_the_first_message_goes(
    world: World, how: str, elsewhere: str
) -> None:
    first, _ = await world.tells(ANNA, f"I live in {VALUE}", "location", VALUE)
    closed = {"audience": ("mods",)} if elsewhere == "closed" else {}
    chat = "mods" if elsewhere == "closed" else "direct"
    again = await world.says(ANNA, f"I live in {VALUE}", chat=chat, **closed)
    await world.fact(again, "location", VALUE)
    assert VALUE in await world.told(BOB)
    await world.takes_back(first, how)
    assert VALUE not in await world.told(BOB)
    there = world.turn(ANNA, chat, **closed)
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, there)
    assert [fact["value"] for fact in facts["facts"]] == [VALUE]


@pytest.mark.parametrize("how", ["deleted", "edited"])
async def test_what_a_person_said_of_themselves_is_hearsay_once_only_others_say_it(world: World, how: str) -> None:
    first, _ = await world.tells(ANNA, f"I live in {VALUE}", "location", VALUE)
    await world.fact(await world.says(BOB, f"Anna lives in {VALUE}"), "location", VALUE)
    await world.takes_back(first, how)
    facts = await world.memory.call("recall_facts", {"user_id": ANNA}, world.turn(CLARA))
    assert [(fact["value"], fact["said_by"], fact["evidence"]) for fact in facts["facts"]] == [(VALUE, BOB, 1)]
