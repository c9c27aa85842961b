"""Groups of readers within a space: what is said for some is told only where all readers are among them."""

from __future__ import annotations

import json
from typing import Any

import pytest
import pytest_asyncio

from zgadka import Turn
from zgadka.model.inference import Inferred
from zgadka.ops.close_chat import changed_readers, report_readers
from zgadka.ops.list_memories import own_memories
from zgadka.ops.questions import ask_to_save, save_questions

pytestmark = pytest.mark.asyncio

MODS = ("admins", "mods")
PLACES: dict[str, Any] = {
    "here": {"chat": "mods", "audience": MODS},
    "another chat with these readers": {"chat": "mods-2", "audience": ("mods", "admins")},
    "fewer readers": {"chat": "admins", "audience": "admins"},
    "more readers": {"chat": "staff", "audience": (*MODS, "helpers")},
    "other readers": {"chat": "vips", "audience": "vips"},
    "all of the space": {"chat": "general"},
}
TOLD = {"here", "another chat with these readers", "fewer readers"}


@pytest_asyncio.fixture
async def ann(memory, make_person):
    return await make_person(memory, user=7, space="guild", **PLACES["here"]).speaks()


@pytest_asyncio.fixture
async def bob(memory, make_person):
    return await make_person(memory, user=8, space="guild", **PLACES["here"]).speaks()


async def told(person, query: str) -> set[str]:
    """Where the person is told anything of it: by recall, facts, episodes, relations or in the context."""
    return {name for name, place in PLACES.items() if await found_in(person.at(**{"audience": None} | place), query)}


async def found_in(person, query: str) -> bool:
    turn = person.turn()
    texts = [
        (await person.call("recall", query=query, limit=50)).json(),
        (await person.call("recall_facts", user_id=turn.user_number, search_query=query, limit=50)).json(),
        (await person.call("recall_facts_global", user_id=turn.user_number, query=query, limit=50)).json(),
        (await person.call("recall_episodes", query=query)).json(),
        (await person.call("recall_relationships", user_id=turn.user_number)).json(),
        (await person.call("generate_profile_summary", user_id=turn.user_number)).json(),
        (await person.memory.build_context(turn, query=query)).text,
    ]
    return any(query in str(text).lower() for text in texts)


@pytest.mark.parametrize("kind", ["fact", "note", "note of the space", "episode", "relation"])
async def test_a_memory_is_told_where_all_readers_are_among_those_it_was_made_for(ann, bob, kind):
    number = ann.turn().user_number
    match kind:
        case "fact":
            await ann.fact("hobby", "zymurgy")
        case "note":
            await ann.note("likes zymurgy")
        case "note of the space":
            note = {"memory_content": "zymurgy on Friday", "scope": "server_wide"}
            assert (await ann.call("create_long_term_memory", **note)).status == "memory_created_successfully"
        case "episode":
            episode = {"topic": "zymurgy", "summary": "they spoke of zymurgy", "importance": 0.5}
            made = await ann.call("create_episode", **episode, emotional_valence="neutral", tags=[], message_count=2)
            assert made.status == "success"
        case _:
            other = bob.turn().user_number
            relation = {"relationship": "friend", "description": "zymurgy"}
            made = await ann.call("remember_relationship", user_id=number, related_user_id=other, **relation)
            assert made.status == "success"
    assert await told(ann, "zymurgy") == TOLD


async def test_what_is_said_for_all_of_the_space_is_told_in_each_of_its_chats(ann):
    await ann.at(**PLACES["all of the space"], audience=None).fact("hobby", "zymurgy")
    assert await told(ann, "zymurgy") == set(PLACES)


async def test_messages_and_answers_of_a_chat_that_was_closed_are_told_to_its_readers_alone(memory, ann, bob):
    await memory.record("user", "zymurgy at noon", ann.turn())
    await memory.record("assistant", "zymurgy it is", bob.turn())
    for name, place in PLACES.items():
        turn = bob.turn(**{"audience": None} | place | {"chat": "mods"})
        recent = [message.text for message in await memory.recent(turn)]
        found = [match.message.text for match in await memory.search_messages("zymurgy", turn)]
        assert ("zymurgy at noon" in recent, "zymurgy it is" in recent) == (name in TOLD,) * 2, name
        found = {text for text in found if "zymurgy" in text}
        assert found == ({"zymurgy at noon", "zymurgy it is"} if name in TOLD else set()), name
        context = (await memory.build_context(turn, query="zymurgy")).text
        assert ("zymurgy" in context) == (name in TOLD), name


async def test_the_same_said_in_general_and_for_some_is_told_once_each_where_it_may_be_seen(ann):
    general = ann.at(**PLACES["all of the space"], audience=None)
    await ann.fact("hobby", "chess")
    assert (await general.fact("hobby", "chess")).status == "success"
    assert await general.values() == ["chess"]
    assert (await ann.fact("hobby", "chess")).status == "skipped"
    assert (await ann.at(**PLACES["other readers"]).fact("hobby", "chess")).status == "skipped"
    await ann.at(**PLACES["fewer readers"]).fact("hobby", "go")
    assert await ann.values() == ["chess", "chess"]
    assert await general.values() == ["chess"]


async def test_another_value_for_some_is_no_conflict_for_those_who_may_not_know_it(ann):
    general = ann.at(**PLACES["all of the space"], audience=None)
    await ann.fact("location", "Lviv")
    assert (await general.fact("location", "Kyiv")).status == "success"
    assert await general.values() == ["Kyiv"]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["update", "correct", "merge", "note", "episode", "tags", "relation", "time"])
async def test_what_is_said_for_some_about_a_known_memory_is_not_told_to_all_who_knew_it(ann, bob, how):
    general = ann.at(**PLACES["all of the space"], audience=None)
    await bob.at(**PLACES["all of the space"], audience=None).speaks()
    number, other = ann.turn().user_number, bob.turn().user_number
    match how:
        case "update" | "correct":
            await general.fact("location", "Kyiv")
            reason = "update" if how == "update" else "correction"
            assert (await ann.update("location", "zymurgy", change_reason=reason)).status == "success"
        case "merge":
            ids = [(await general.fact("hobby", "chess"))["fact_id"], (await ann.fact("hobby", "zymurgy"))["fact_id"]]
            merging = {"fact_ids": ids, "merged_value": "chess, zymurgy", "merged_confidence": 0.9}
            await ann.call("merge_facts", user_id=number, **merging)
        case "note":
            note = {"memory_content": "rules", "scope": "server_wide"}
            made = await general.call("create_long_term_memory", **note)
            updating = {"memory_id": made["memory_id"], "memory_content": "zymurgy"}
            changed = await ann.call("update_long_term_memory", **updating)
            assert changed.status == "memory_updated_successfully"
        case "episode":
            await general.speaks("a talk")
            episode = {"topic": "talk", "summary": "they spoke", "importance": 0.5}
            made = await general.call(
                "create_episode", **episode, emotional_valence="neutral", tags=[], message_count=1
            )
            adding = {"episode_id": made["episode_id"], "additional_summary": "of zymurgy"}
            assert (await ann.call("update_episode", **adding)).status == "success"
        case "tags":
            await general.note("likes chess")
            assert (await ann.call("remember", content="likes chess", tags=["zymurgy"])).status == "skipped"
        case "relation":
            relation = {"user_id": number, "related_user_id": other, "relationship": "friend"}
            await general.call("remember_relationship", **relation)
            changed = await ann.call("remember_relationship", **relation, description="zymurgy")
            assert changed.status in ("success", "updated"), changed
        case _:
            await general.fact("job", "zymurgist", confidence=0.9)
            timed = {"fact_type": "personal", "fact_key": "job", "fact_value": "zymurgy", "confidence": 0.9}
            result = await ann.call("update_fact_with_temporal", user_id=number, **timed, valid_from="2026-02-01")
            assert result.status == "success", result
    assert "all of the space" not in await told(ann, "zymurgy")
    if how not in ("tags", "relation"):
        assert await told(ann, "zymurgy") >= TOLD


@pytest.mark.partitioned
async def test_an_export_holds_what_may_be_told_to_all_who_read_it(memory, ann):
    await memory.record("user", "zymurgy at noon", ann.turn())
    await ann.fact("hobby", "zymurgy")
    await ann.update("hobby", "chess")
    for name, place in PLACES.items():
        exported = "\n".join(await memory.export(ann.turn(**{"audience": None} | place)))
        assert ("zymurgy" in exported, "chess" in exported) == (name in TOLD,) * 2, name


async def test_only_the_person_lets_it_be_told_elsewhere(memory, ann):
    note = await ann.note("likes zymurgy")
    await memory.share(note, ann.turn())
    assert await told(ann, "zymurgy") == set(PLACES)
    await memory.share(note, ann.turn(), everywhere=False)
    assert await told(ann, "zymurgy") == TOLD


async def test_history_undo_and_deletion_reach_what_may_be_seen_and_nothing_else(memory, ann):
    note = await ann.note("likes zymurgy")
    general = ann.at(**PLACES["all of the space"], audience=None)
    assert await memory.history(note, general.turn()) == []
    assert (await general.call("forget", memory_id=note)).status == "not_found"
    assert (await general.call("forget", query="zymurgy")).status == "nothing_found"
    assert type(await memory.undo(note, general.turn())).__name__ == "NotFound"
    assert type(await memory.share(note, general.turn())).__name__ == "NotFound"
    assert len(await memory.history(note, ann.turn())) == 1
    assert (await ann.deletes(note)).status == "deleted"
    assert await told(ann, "zymurgy") == set()
    await memory.undo(note, ann.turn())
    assert await told(ann, "zymurgy") == TOLD


async def test_alone_with_the_bot_a_person_is_shown_what_every_group_of_readers_knows(memory, ann):
    alone = ann.at(space="direct", chat="direct", direct=True, audience=None)
    await ann.fact("hobby", "zymurgy")
    await ann.at(**PLACES["other readers"]).fact("hobby", "chess")
    listed = await memory.look(own_memories, alone.turn())
    assert sorted(item.content for item in listed) == ["chess", "zymurgy"]
    exported = "\n".join(await memory.export(alone.turn()))
    assert "zymurgy" in exported
    assert "chess" in exported


async def test_a_question_that_is_asked_for_some_is_shown_to_no_others(memory, ann):
    item = Inferred(type="preference", key="like", value="zymurgy", excerpt="maybe zymurgy", confidence=0.5)
    question = await memory.apply(lambda tx: ask_to_save(tx, ann.turn(), [item]))
    for name, place in PLACES.items():
        turn = ann.turn(**{"audience": None} | place)
        assert (await memory.look(save_questions, turn) != []) == (name in TOLD), name
    general = ann.turn(**PLACES["all of the space"], audience=None)
    assert (await memory.answer_question(question.id, general, save=True)).status == "not_yours"
    assert (await memory.answer_question(question.id, ann.turn(), save=True)).status == "saved"
    assert await told(ann, "zymurgy") == TOLD


async def test_an_episode_that_makes_itself_is_for_those_who_could_read_all_of_it(open_store, make_person, clock):
    memory = await open_store(rollout="off", episode_least_messages=2, background=False)
    ann = make_person(memory, user=7, space="guild", **PLACES["here"])
    for text in ("We should talk about zymurgy today.", "I think zymurgy needs yeast and patience."):
        await memory.record("user", text, ann.turn())
    clock.forward(hours=2)
    assert await memory.make_episodes() == 1
    assert await told(ann, "zymurgy") == TOLD


@pytest.mark.partitioned
async def test_groups_of_readers_of_two_spaces_never_meet(ann):
    await ann.fact("hobby", "zymurgy")
    assert await ann.at(space="other").values() == []


async def test_what_is_learned_is_seen_at_once_by_those_whom_a_cache_served_before(ann):
    assert await told(ann, "zymurgy") == set()
    await ann.fact("hobby", "zymurgy")
    assert await told(ann, "zymurgy") == TOLD
    await ann.forget_fact("hobby")
    assert await told(ann, "zymurgy") == set()


async def test_an_audience_survives_its_turn_as_json(ann):
    turn = ann.turn()
    assert Turn.from_json(json.loads(json.dumps(turn.as_json()))).readers == turn.readers


# A chat that is closed


@pytest_asyncio.fixture
async def open_chat(memory, make_person):
    """Ann in the chat "mods" while all of the space can read it, with things said there and elsewhere."""
    ann = make_person(memory, user=7, space="guild", chat="mods")
    said = ann.turn(message="m1")
    await memory.record("user", "zymurgy at noon", said)
    await ann.fact("hobby", "zymurgy", turn=said)
    await make_person(memory, user=8, space="guild", chat="mods").speaks()
    relation = {"user_id": 7, "related_user_id": 8, "relationship": "friend", "description": "zymurgy"}
    assert (await ann.call("remember_relationship", turn=said, **relation)).status == "success"
    note = {"memory_content": "zymurgy on Friday", "scope": "server_wide"}
    assert (await ann.call("create_long_term_memory", turn=said, **note)).status == "memory_created_successfully"
    episode = {"topic": "zymurgy", "summary": "of zymurgy", "importance": 0.5, "emotional_valence": "neutral"}
    assert (await ann.call("create_episode", **episode, tags=[], message_count=1)).status == "success"
    assert await told(ann, "zymurgy") == set(PLACES)
    return ann


@pytest.mark.parametrize("how", ["reported", "seen"])
async def test_what_was_said_in_a_chat_is_told_to_its_readers_alone_once_it_is_closed(memory, open_chat, how):
    if how == "reported":
        await memory.report_readers("telegram", "guild", {"mods": MODS})
    else:
        await open_chat.at(audience=MODS).speaks("from now on alone")
    assert await told(open_chat, "zymurgy") == TOLD
    for name, place in PLACES.items():
        turn = open_chat.turn(**{"audience": None} | place | {"chat": "mods"})
        recent = [message.text for message in await memory.recent(turn)]
        found = [match.message.text for match in await memory.search_messages("zymurgy", turn)]
        assert ("zymurgy at noon" in recent, "zymurgy at noon" in found) == (name in TOLD,) * 2, name


@pytest.mark.partitioned
async def test_answers_elsewhere_that_told_of_a_chat_are_told_to_its_readers_alone_once_it_is_closed(
    memory, open_chat, make_person
):
    [fact, *_] = (await open_chat.call("recall_facts", user_id=7, search_query="zymurgy"))["facts"]
    telling, unrelated = "Ann's hobby is zymurgy.", "Ann has a hobby."
    bob = make_person(memory, user=8, space="guild")
    for place in ("here", "fewer readers", "all of the space", "other readers"):
        asking = bob.at(**{"audience": None} | PLACES[place] | ({"audience": None} if place == "here" else {}))
        for answer in (telling, unrelated):
            await memory.record("assistant", answer, asking.turn(), given=[fact["fact_id"]])
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    for place in ("here", "fewer readers", "all of the space", "other readers"):
        turn = bob.turn(**{"audience": None} | PLACES[place])
        answers = [one.text for one in await memory.recent(turn) if one.role == "assistant"]
        assert answers == ([telling] if place in TOLD else []) + [unrelated], place


async def test_an_episode_of_a_closed_chat_goes_along_where_its_messages_are_not_known(memory, make_person):
    ann = make_person(memory, user=7, space="guild", chat="mods")
    await ann.at(chat="general").speaks()
    episode = {"topic": "zymurgy", "summary": "of zymurgy", "importance": 0.5, "emotional_valence": "neutral"}
    for place in (ann, ann.at(chat="general")):
        made = await place.call("create_episode", **episode, tags=[], message_count=1)
        assert made.status == "success"
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    told = (await ann.at(chat="general").call("recall_episodes", query="zymurgy"))["episodes"]
    assert [episode["episode_id"] for episode in told] == [made["episode_id"]]


async def test_facts_and_notes_of_a_closed_chat_go_along_where_their_messages_are_not_known(memory, make_person):
    """A host may call the tool first and record the message later, and messages expire."""
    ann = make_person(memory, user=7, space="guild", chat="mods")
    general = await ann.at(chat="general").speaks()
    await ann.fact("hobby", "zymurgy")
    await ann.note("likes zymurgy")
    await general.fact("hobby", "go")
    await ann.fact("hobby", "chess")
    assert (await general.fact("hobby", "chess")).status == "skipped"
    await general.fact("location", "Kyiv")
    assert (await ann.update("location", "Lviv")).status == "success"
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert sorted(await general.values()) == ["Kyiv", "chess", "go"]
    assert await general.found("zymurgy") == []
    assert "Lviv" in await ann.at(audience=MODS).values()


async def test_what_was_said_while_a_chat_was_closed_stays_with_those_readers_after_it_opens(memory, open_chat):
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    await memory.report_readers("telegram", "guild", {"mods": ()})
    assert await told(open_chat, "zymurgy") == TOLD
    await open_chat.fact("hobby", "chess")
    assert await told(open_chat, "chess") == set(PLACES)


async def test_a_turn_that_names_no_readers_opens_nothing(memory, open_chat):
    """What is said in it is for those who are known to read the chat, and it is told what all of the space is."""
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    silent = await open_chat.speaks("xylography at noon")
    await silent.fact("hobby", "xylography")
    note = {"memory_content": "xylography on Friday", "scope": "server_wide"}
    await silent.call("create_long_term_memory", **note)
    await open_chat.at(**PLACES["all of the space"]).fact("location", "Lviv")
    assert (await silent.update("location", "xylography")).status == "success"
    assert await told(open_chat, "xylography") == TOLD
    for name, place in PLACES.items():
        recent = await memory.recent(open_chat.turn(**{"audience": None} | place | {"chat": "mods"}))
        assert ("xylography at noon" in [message.text for message in recent]) == (name in TOLD), name
    assert await memory.look(changed_readers, "telegram", "guild", {"mods": MODS}) == {}


@pytest.mark.partitioned
async def test_what_was_asked_before_a_chat_was_closed_is_exported_to_its_readers_alone(memory, open_chat):
    item = Inferred(type="preference", key="like", value="fermenting", excerpt="maybe fermenting", confidence=0.5)
    await memory.apply(lambda tx: ask_to_save(tx, open_chat.turn(), [item]))
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert "fermenting" in "".join(await memory.export(open_chat.turn(audience=MODS)))
    assert "fermenting" not in "".join(await memory.export(open_chat.turn(**PLACES["all of the space"])))


@pytest.mark.partitioned
async def test_readers_who_are_taken_out_are_told_nothing_of_it_any_more(memory, open_chat):
    await memory.report_readers("telegram", "guild", {"mods": (*MODS, "helpers")})
    assert await told(open_chat, "zymurgy") == {*TOLD, "more readers"}
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert await told(open_chat, "zymurgy") == TOLD
    await memory.report_readers("telegram", "guild", {"mods": ("vips",)})
    assert await told(open_chat, "zymurgy") == TOLD


@pytest.mark.partitioned
async def test_what_was_said_in_several_chats_is_told_on_where_one_is_closed(memory, open_chat):
    general = open_chat.at(**PLACES["all of the space"])
    said = general.turn(message="m2")
    await memory.record("user", "zymurgy is my hobby", said)
    assert (await general.fact("hobby", "zymurgy", turn=said)).status == "skipped"
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert await general.values() == ["zymurgy"]


async def test_what_is_shared_stays_shared_when_its_chat_is_closed(memory, open_chat):
    [fact] = await open_chat.facts()
    await memory.share(fact["fact_id"], open_chat.turn())
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert await open_chat.at(**PLACES["other readers"]).values() == ["zymurgy"]


@pytest.mark.partitioned
@pytest.mark.parametrize("how", ["changed", "forgotten", "deleted"])
async def test_undo_brings_nothing_back_to_those_for_whom_its_chat_was_closed(memory, open_chat, how):
    [fact] = await open_chat.facts()
    match how:
        case "changed":
            await open_chat.update("hobby", "chess", change_reason="correction", fact_id=fact["fact_id"])
        case "forgotten":
            await open_chat.forget_fact("hobby", fact_id=fact["fact_id"], reason="user_requested")
        case _:
            await open_chat.deletes(fact["fact_id"])
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    alone = open_chat.turn(space="direct", chat="direct", direct=True)
    assert type(await memory.undo(fact["fact_id"], alone)).__name__ == "Changed"
    assert await open_chat.at(audience=MODS).values() == ["zymurgy"]
    assert await open_chat.values() == []


@pytest.mark.parametrize("reason", ["update", "correction", "refinement"])
@pytest.mark.parametrize("is_recorded", [True, False])
async def test_undo_elsewhere_brings_nothing_back_to_those_for_whom_its_chat_was_closed(
    memory, make_person, reason, is_recorded
):
    """What took its place was said in an open chat, which its trail goes on from."""
    ann = make_person(memory, user=7, space="guild", chat="mods")
    general = await ann.at(chat="general").speaks()
    turn = ann.turn(message="m1")
    if is_recorded:
        await memory.record("user", "I am from Kyiv", turn)
    fact = (await ann.fact("location", "Kyiv", turn=turn))["fact_id"]
    value = "Kyiv, Podil" if reason == "refinement" else "Lviv"
    assert (await general.update("location", value, change_reason=reason)).status == "success"
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert type(await memory.undo(fact, general.turn())).__name__ == "NotFound"
    alone = ann.turn(space="direct", chat="direct", direct=True)
    assert type(await memory.undo(fact, alone)).__name__ == "Changed"
    assert await general.values() == []
    assert await ann.at(audience=MODS).values() == ["Kyiv"]


@pytest.mark.partitioned
async def test_what_was_said_in_several_chats_is_told_to_those_who_read_any_once_all_are_closed(memory, open_chat):
    second = open_chat.at(chat="mods-2")
    said = second.turn(message="m2")
    await memory.record("user", "zymurgy is my hobby", said)
    assert (await second.fact("hobby", "zymurgy", turn=said)).status == "skipped"
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    await memory.report_readers("telegram", "guild", {"mods-2": MODS})
    assert await open_chat.at(chat="general", audience=None).values() == []
    assert await open_chat.at(audience=MODS).values() == ["zymurgy"]


async def test_what_was_asked_in_a_chat_before_it_was_closed_is_saved_for_its_readers(memory, open_chat):
    item = Inferred(type="preference", key="like", value="fermenting", excerpt="maybe fermenting", confidence=0.5)
    question = await memory.apply(lambda tx: ask_to_save(tx, open_chat.turn(message="m1"), [item]))
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    general = open_chat.turn(**PLACES["all of the space"])
    assert (await memory.answer_question(question.id, general, save=True)).status == "not_yours"
    assert (await memory.answer_question(question.id, open_chat.turn(audience=MODS), save=True)).status == "saved"
    assert await told(open_chat, "fermenting") == TOLD


@pytest.mark.partitioned
async def test_a_worker_ends_what_a_crash_left_of_closing_a_chat(memory, open_chat, clock):
    # As a process that dies after its first commit.
    await memory._store.write(report_readers, "telegram", "guild", "mods", MODS)
    clock.forward(minutes=2)
    await memory.run_tasks()
    assert await told(open_chat, "zymurgy") == TOLD
    assert await memory.tasks() == []


async def test_a_late_worker_closes_nothing_that_was_said_after_the_chat_opened(memory, open_chat, clock):
    await memory._store.write(report_readers, "telegram", "guild", "mods", MODS)
    await memory.report_readers("telegram", "guild", {"mods": ()})
    said = open_chat.turn(message="m2")
    await memory.record("user", "xylography at noon", said)
    await open_chat.fact("hobby", "xylography", turn=said)
    clock.forward(minutes=2)
    await memory.run_tasks()
    assert await told(open_chat, "xylography") == set(PLACES)


async def test_nobody_is_told_of_what_a_closing_hides(memory, open_chat):
    await open_chat.at(**PLACES["here"]).fact("location", "Kyiv")
    await memory.report_readers("telegram", "guild", {"mods": ()})
    said = open_chat.turn(message="m1")
    assert (await open_chat.fact("location", "Lviv", turn=said)).status == "success"
    notices: list[object] = []
    memory.subscribe(notices.append)
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert await open_chat.at(audience=MODS).values() == ["Kyiv", "zymurgy"]
    assert notices == []


@pytest.mark.partitioned
async def test_a_report_ends_what_a_crash_left_of_closing_a_chat(memory, open_chat):
    await memory._store.write(report_readers, "telegram", "guild", "mods", MODS)
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    assert await told(open_chat, "zymurgy") == TOLD
    assert await memory.tasks() == []


async def test_closing_a_chat_again_does_nothing(memory, open_chat):
    await memory.report_readers("telegram", "guild", {"mods": MODS})
    before = await memory.look(lambda tx: [tx.memories.list_all(owner.id) for owner in tx.owners.list()])
    await memory.report_readers("telegram", "guild", {"mods": ("mods", "admins")})
    assert await memory.look(lambda tx: [tx.memories.list_all(owner.id) for owner in tx.owners.list()]) == before


@pytest.mark.partitioned
@pytest.mark.parametrize("is_recorded", [True, False])
@pytest.mark.parametrize("is_first", [True, False])
async def test_a_relations_description_goes_along_with_the_channel_that_alone_told_it(
    open_store, make_person, is_recorded, is_first
):
    memory = await open_store(background=False)
    ann, bob = make_person(memory, user=5), make_person(memory, user=8)
    ann, staff = ann.at(chat="open"), ann.at(chat="staff")
    for person in (ann, bob.at(chat="open")):
        await person.speaks()

    async def say(person, **more):
        turn = person.turn(message=f"{person.turn().chat}-m")
        if is_recorded:
            await memory.record("user", "We are friends", turn)
        given = {"user_id": 5, "related_user_id": 8, "relationship": "friend"} | more
        await person.call("remember_relationship", turn=turn, **given)

    if is_first:
        await say(staff, description="rehab clinic")
    await say(bob.at(chat="open"))
    if not is_first:
        await say(staff, description="rehab clinic")
    await memory.report_readers("telegram", "456", {"staff": ["staff"]})
    await memory.run_tasks()
    told = (await ann.call("recall_relationships", user_id=5))["relationships"]
    assert [relation.get("description") for relation in told] == ([None] if is_recorded else [])
    inside = (await staff.at(audience="staff").call("recall_relationships", user_id=5))["relationships"]
    assert "rehab clinic" in [relation.get("description") for relation in inside]
