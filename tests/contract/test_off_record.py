"""What people ask not to have remembered is not: no tool keeps it, and the message is told nobody afterwards."""

from __future__ import annotations

from dataclasses import replace

import pytest

from zgadka.model.inference import Inferred
from zgadka.ops.questions import ask_to_save
from zgadka.tools.registry import REGISTRY

pytestmark = pytest.mark.asyncio

SAID = "Off the record, don't store this: I'm thinking of leaving my husband"
FACT = {"user_id": 123, "fact_type": "personal", "fact_key": "plan", "confidence": 0.9}
NEW = FACT | {"fact_value": "leaves her husband"}
CALLS = {
    "keep": {"content": "leaves her husband"},
    "change": {"memory_id": 1, "content": "leaves her husband", "because": "wrong"},
    "remember": {"content": "leaves her husband"},
    "remember_fact": NEW,
    "remember_facts": {"facts": [NEW]},
    "update_fact": FACT | {"new_value": "leaves her husband", "change_reason": "update"},
    "update_fact_with_temporal": NEW,
    "merge_facts": {"user_id": 123, "fact_ids": [1, 2], "merged_value": "leaves him", "merged_confidence": 0.9},
    "create_episode": {"topic": "Marriage", "summary": "She may leave him", "importance": 0.7},
    "update_episode": {"episode_id": 1, "additional_summary": "She may leave him"},
    "create_long_term_memory": {"memory_content": "She may leave him", "scope": "server_wide"},
    "update_long_term_memory": {"memory_id": 1, "memory_content": "She may leave him"},
    "remember_relationship": {"user_id": 123, "related_user_id": 124, "relationship": "spouse", "description": "x"},
}


async def says(person, text, **more):
    turn = person.turn(text=text, **more)
    return turn, await person.memory.record("user", text, turn)


async def texts(person):
    return [message.text for message in await person.memory.recent(person.turn(), 50)]


@pytest.mark.partitioned
async def test_no_tool_keeps_anything_in_answer_to_it(person):
    hides = {"forget", "forget_fact", "clear_profile", "archive_episode", "mark_important"}
    assert set(CALLS) == {tool.name for tool in REGISTRY if not tool.read_only} - hides
    turn, _ = await says(person, SAID)
    for tool, arguments in CALLS.items():
        result = await person.call(tool, turn=turn, **arguments)
        assert (result.status, result["reason"]) == (REGISTRY[tool].failed + "refused", "off_record"), tool
    assert await person.values() == []


@pytest.mark.parametrize("said", ["no, don't save it", "Ні, не зберігай цього"])
async def test_nor_where_the_wish_alone_is_said(person, said):
    turn, _ = await says(person, said)
    assert (await person.call("remember", turn=turn, content="plays chess"))["reason"] == "off_record"
    assert await texts(person) == [said]


@pytest.mark.parametrize(
    "said", ["Don't save that I live in Lviv, save Kyiv instead", "I never remember names, I live in Kyiv"]
)
async def test_what_is_to_be_remembered_is(person, said):
    turn, _ = await says(person, said)
    assert (await person.fact("location", "Kyiv", turn=turn)).status == "success"
    assert await texts(person) == [said]


async def test_what_was_kept_before_can_be_forgotten_in_answer_to_it(person):
    fact = (await person.fact("location", "Lviv"))["fact_id"]
    turn, _ = await says(person, "I live in Lviv but don't write that down please")
    assert (await person.call("forget", turn=turn, memory_id=fact)).status == "confirmation_required"
    assert (await person.forget_fact("location", turn=turn)).status == "success"


@pytest.mark.partitioned
async def test_neither_the_message_nor_the_answer_to_it_is_told_afterwards(ann, bob):
    await says(ann, "I bought a tent")
    turn, _ = await says(ann, SAID)
    await ann.memory.record("assistant", "That sounds hard. Does your husband know?", turn)
    await says(ann, "thanks")
    assert await texts(ann) == ["I bought a tent", "thanks"]
    for person in (ann, bob):
        found = await person.call("recall", query="husband leaving")
        assert "husband" not in found.json().replace("husband leaving", "")
        assert "husband" not in (await person.memory.build_context(person.turn(text="husband?"))).text


async def test_a_message_that_is_edited_to_be_off_the_record_goes_with_what_it_said(ann):
    turn, _ = await says(ann, "I live in Lviv", message="7")
    await ann.fact("location", "Lviv", turn=turn)
    _, kept = await says(ann, "I live in Lviv, but keep that off the record. Don't write it down.", message="7")
    assert kept is None
    assert await ann.values() == []
    assert await texts(ann) == []


@pytest.mark.parametrize("wish", ["don't save that", "Ні, не записуй цього"])
async def test_what_was_said_just_before_goes_with_what_was_made_from_it_where_only_that_is_asked(ann, wish):
    await says(ann, "I have two cats")
    turn, _ = await says(ann, "I live in Lviv", message="7")
    await ann.fact("location", "Lviv", turn=turn)
    await ann.memory.record("assistant", "Remembered: you live in Lviv", turn)
    await says(ann, wish, message="8")
    assert await ann.values() == []
    assert await texts(ann) == ["I have two cats", wish]
    await says(ann, wish, message="8")  # the platform sends it again
    assert await texts(ann) == ["I have two cats", wish]


@pytest.mark.parametrize(("persona", "replied", "left"), [(0, "5@777", True), (0, "5", False), (3, "5@p3", False)])
async def test_a_reply_to_another_bots_number_takes_back_nothing_that_an_earlier_version_kept(
    ann, persona, replied, left
):
    turn, _ = await says(ann, "I live in Lviv", message="5", persona=persona)
    await says(ann, "don't save that", message="8@777", replies_to=replied, persona=persona)
    told = [message.text for message in await ann.memory.recent(replace(turn, message=None), 50)]
    assert ("I live in Lviv" in told) is left


async def test_what_was_said_longer_ago_elsewhere_or_by_others_stays(ann, bob, clock):
    turn, _ = await says(ann, "I live in Lviv")
    await ann.fact("location", "Lviv", turn=turn)
    await says(bob, "don't save that")
    await says(ann, "don't save that", chat="another")
    clock.forward(seconds=301)
    await says(ann, "don't save that")
    assert await ann.values() == ["Lviv"]
    assert "I live in Lviv" in await texts(ann)


async def test_who_was_asked_something_answers_that_and_takes_nothing_back(ann):
    turn, _ = await says(ann, "I live in Lviv")
    fact = (await ann.fact("location", "Lviv", turn=turn))["fact_id"]
    turn, _ = await says(ann, "please forget my city")
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "confirmation_required"
    await says(ann, "no, don't save that")
    assert await ann.values() == ["Lviv"]
    assert "please forget my city" in await texts(ann)


async def test_who_said_something_after_they_were_asked_takes_that_back(ann, clock):
    turn, _ = await says(ann, "maybe I like chess", message="7")
    await ann.memory.apply(ask_to_save, turn, [Inferred(type="personal", key="hobby", value="chess")])
    clock.forward(seconds=1)
    turn, _ = await says(ann, "I collect stamps", message="8")
    await ann.fact("hobby", "stamps", turn=turn)
    await says(ann, "don't save that", message="9")
    assert await ann.values() == []
    assert "I collect stamps" not in await texts(ann)
    assert "maybe I like chess" in await texts(ann)


async def test_in_reply_it_takes_that_message_back_however_old_and_none_of_others(ann, bob, clock):
    turn, _ = await says(ann, "I am pregnant", message="7")
    await ann.fact("health", "pregnant", turn=turn)
    await says(bob, "I play chess", message="8")
    clock.forward(days=2)
    turn, _ = await says(ann, "I work as a nurse", message="9")
    await ann.fact("job", "nurse", turn=turn)
    for number, replied in enumerate(("8", "an answer"), 10):
        await says(ann, "don't save that", message=str(number), replies_to=replied)
    assert sorted(await ann.values()) == ["nurse", "pregnant"]
    await says(ann, "don't save that", message="12", replies_to="7")
    assert await ann.values() == ["nurse"]
    assert "I am pregnant" not in await texts(ann)
    assert {"I play chess", "I work as a nurse"} <= {*await texts(ann)}


async def test_what_they_were_asked_elsewhere_keeps_nobody_from_taking_back_what_they_said_here(ann):
    turn, _ = await says(ann, "I live in Lviv", chat="another")
    fact = (await ann.fact("hobby", "chess", turn=turn))["fact_id"]
    turn, _ = await says(ann, "please forget my hobby", chat="another")
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "confirmation_required"
    await says(ann, "I have two cats")
    await says(ann, "don't save that")
    assert await texts(ann) == ["don't save that"]
