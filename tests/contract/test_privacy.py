"""Privacy levels: set by the person, checked at write and at read by every tool; over every back end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from store_rows import space_ids

from zgadka import Memory, ToolResult
from zgadka.model.inference import Inference, Inferred, PastMessage
from zgadka.model.notification import Notice
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.token import ANYBODY
from zgadka.ops import tasks
from zgadka.ops.access import find_space
from zgadka.ops.list_memories import listing, own_memories, recent_memories
from zgadka.ops.observe import note_message
from zgadka.ops.profile import set_privacy
from zgadka.ops.self_service import delete, story
from zgadka.ops.vectors import waiting_texts
from zgadka.tools.registry import REGISTRY
from zgadka.transfer.export import export_store
from zgadka.web.routes.events import place_of

pytestmark = pytest.mark.asyncio

RESTRICTED = [PrivacyLevel.PARTIAL, PrivacyLevel.FULL]
SECRET = "Quixotania"
ELSEWHERE = "Sanchovia"

NAMED = {"user_id": 7, "fact_type": "personal", "fact_key": "location"}
ABOUT: dict[str, dict[str, Any]] = {
    # Each tool as Petro (8) or Olena (7) herself would call it about Olena.
    "remember": {"content": SECRET},
    "recall": {"query": SECRET},
    "forget": {"query": SECRET},
    "remember_fact": NAMED | {"fact_key": "hobby", "fact_value": SECRET, "confidence": 0.9},
    "remember_facts": {"facts": [NAMED | {"fact_key": "hobby", "fact_value": SECRET, "confidence": 0.9}]},
    "recall_facts": {"user_id": 7},
    "update_fact": NAMED | {"new_value": SECRET + " 2", "confidence": 0.9, "change_reason": "update"},
    "merge_facts": {"user_id": 7, "fact_ids": [2, 4], "merged_value": SECRET + " 2", "merged_confidence": 0.9},
    "forget_fact": NAMED | {"reason": "outdated"},
    "clear_profile": {"user_id": 7, "reason": "they asked"},
    "create_episode": {"topic": "Evening", "summary": "They sang.", "importance": 0.5},
    "update_episode": {"episode_id": 4711, "new_importance": 0.5},
    "recall_episodes": {"participant": 7},
    "archive_episode": {"episode_id": 4711, "reason": "over"},
    "mark_important": {"importance_level": "high"},
    "create_long_term_memory": {"memory_content": SECRET, "scope": "target_user", "target_user": "7"},
    "update_long_term_memory": {"memory_id": 3, "memory_content": SECRET + " 2", "target_user": "7"},
    "suggest_merge": {"user_id": 7},
    "generate_profile_summary": {"user_id": 7},
    "remember_relationship": {
        "user_id": 7,
        "related_user_id": 8,
        "relationship": "friend",
        "description": SECRET,
    },
    "recall_relationships": {"user_id": 7},
    "update_fact_with_temporal": NAMED | {"fact_value": SECRET + " 2", "confidence": 0.9, "valid_from": "2026-01-01"},
    "recall_facts_global": {"user_id": 7},
    "keep": {"user_id": 7, "fact_key": "hobby", "content": SECRET},
    "find": {"user_id": 7, "query": SECRET},
    "change": {"user_id": 7, "memory_id": 1, "content": SECRET + " 2", "because": "wrong"},
}
OWN_ONLY = {"remember", "recall", "forget", "clear_profile"}
"""They are about whoever calls them, and name nobody."""
DELETING = {"forget", "clear_profile"}
ABOUT_PETRO = {"remember", "forget"}
"""Petro's own note; and a relation that he is in, which he may find in order to delete it."""
OF_THE_SPACE = {"create_episode", "update_episode", "recall_episodes", "archive_episode", "mark_important"}

every_tool = pytest.mark.parametrize("tool", [tool.name for tool in REGISTRY])


async def test_every_tool_is_tried_here():
    assert {tool.name for tool in REGISTRY} == set(ABOUT), "say how a new tool is called about a person"


async def world(people: Any, level: PrivacyLevel | None) -> tuple[Any, Any]:
    """Olena (7) with facts 1, 2 and 4, a note 3 and a relation to Petro (8); then she sets her level."""
    olena, petro = people(7), people(8)
    for one in (olena, petro):
        await one.speaks()
    await olena.fact("location", SECRET)
    await olena.fact("pet", SECRET)
    await olena.note(SECRET)
    await olena.fact("pet", SECRET + " 3")
    related = {"user_id": 7, "related_user_id": 8, "relationship": "mentor", "description": SECRET}
    assert (await olena.call("remember_relationship", **related)).status == "success"
    if level is not None:
        await olena.memory.set_privacy(level, olena.turn())
    return olena, petro


async def rows(memory: Memory) -> list[str]:
    """Every text that is kept about Olena."""

    def read(tx: Any) -> list[str]:
        person = tx.owners.find("person", "telegram", "7")
        kept = tx.memories.list_all(person)
        kept += [
            one
            for space in space_ids(tx)
            for one in tx.memories.list_with_person(space, person)
            if one.kind == "relation"
        ]
        return sorted(f"{one.text} {one.evidence} {one.archived}" for one in kept)

    return await memory.look(read)


def told(result: ToolResult) -> str:
    return result.json().replace(SECRET + " 2", "")


@pytest.mark.partitioned
@pytest.mark.every_case
@every_tool
async def test_at_the_lowest_level_every_tool_works(people, tool):
    olena, _ = await world(people, PrivacyLevel.MINIMAL)
    status = (await olena.call(tool, **ABOUT[tool])).status
    assert "privacy" not in status
    assert status not in ("error", "invalid_args")


@every_tool
@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_restricted_person_is_neither_shown_nor_written_by_themselves(people, memory, tool, level):
    olena, _ = await world(people, level)
    before = await rows(memory)
    result = await olena.call(tool, **ABOUT[tool])
    assert await rows(memory) == before
    assert "error" not in result.status
    if tool not in DELETING:
        assert SECRET not in told(result), result
    if tool not in DELETING | OF_THE_SPACE | {"recall"}:
        assert result.status.endswith("privacy_restricted"), result


@every_tool
@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_restricted_person_is_neither_shown_nor_written_by_others(people, memory, tool, level):
    _, petro = await world(people, level)
    before = await rows(memory)
    result = await petro.call(tool, **ABOUT[tool])
    assert await rows(memory) == before
    if tool not in ABOUT_PETRO:
        assert SECRET not in told(result), result
    if tool not in OWN_ONLY | OF_THE_SPACE:
        assert result.status.endswith("privacy_restricted"), result


@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_restricted_person_may_have_a_fact_forgotten_which_is_told_to_them_alone(people, memory, level):
    """`forget_fact` was refused to them, even alone."""
    olena, _ = await world(people, None)
    alone = olena.at(direct=True)
    await alone.fact("location", ELSEWHERE)
    await memory.set_privacy(level, olena.turn())
    by_key = NAMED | {"reason": "user_requested"}
    assert (await olena.call("forget_fact", **by_key)).status == "privacy_restricted"
    by_id = by_key | {"fact_key": "guessed"}
    assert (await olena.call("forget_fact", fact_id=4711, **by_id))["suggestions"] == []
    result = await olena.call("forget_fact", fact_id=1, **by_id)
    assert (result.status, result["fact_id"]) == ("success", 1)
    assert SECRET not in told(result)
    assert ELSEWHERE in told(await alone.call("forget_fact", **by_key))


@every_tool
async def test_a_level_that_this_version_does_not_know_restricts(people, memory, tool):
    olena, petro = await world(people, None)
    await memory.apply(lambda tx: tx.privacy.put(tx.owners.find("person", "telegram", "7"), 9))
    before = await rows(memory)
    for one in (olena, petro):
        result = await one.call(tool, **ABOUT[tool])
        if tool not in DELETING | (ABOUT_PETRO if one is petro else set()):
            assert SECRET not in told(result), result
    assert await rows(memory) == before
    assert await memory.privacy(olena.turn()) is PrivacyLevel.FULL


async def test_relations_of_others_do_not_lead_to_a_restricted_person(people, memory):
    _, petro = await world(people, PrivacyLevel.PARTIAL)
    result = await petro.call("recall_relationships", user_id=8, depth=3)
    assert (result["count"], result["total"]) == (0, 0)


@pytest.mark.parametrize("level", RESTRICTED)
async def test_deletions_work_at_every_level(people, memory, level):
    olena, _ = await world(people, level)
    for memory_id in range(1, 6):
        if memory_id != 3:  # a note that says what 1 says goes with it
            assert (await olena.deletes(memory_id)).status == "deleted"
    assert await rows(memory) == []


@pytest.mark.parametrize("level", RESTRICTED)
async def test_exports_work_at_every_level(people, memory, level):
    olena, _ = await world(people, level)
    assert SECRET in "".join(await memory.export(olena.turn(direct=True)))
    assert SECRET not in "".join(await memory.export(olena.turn())), "others read along"


async def test_what_somebody_at_full_wrote_for_a_space_is_neither_deleted_by_others_nor_told_by_undo(people, memory):
    olena, petro = await people(7).speaks(), await people(8).speaks()
    notes = [
        (await olena.call("create_long_term_memory", memory_content=content, scope="server_wide"))["memory_id"]
        for content in (SECRET, f"{SECRET} by day")
    ]
    await petro.call("update_long_term_memory", memory_id=notes[0], memory_content="")
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn(direct=True))
    deleted = await petro.call("update_long_term_memory", memory_id=notes[1], memory_content="")
    undone = [await memory.undo(note, petro.turn()) for note in notes]
    assert deleted.status == "memory_update_failed_not_found"
    assert SECRET not in repr(undone), "a deletion tells nothing that a read would not"
    assert (await olena.call("update_long_term_memory", memory_id=notes[1], memory_content="")).status.endswith(
        "successfully"
    )


async def test_an_export_in_a_group_has_no_message_that_nobody_is_told(people, memory):
    olena = await people(7).speaks(f"{SECRET}!")
    note = await olena.note("I keep bees in the orchard")
    await olena.speaks("I keep bees in the orchard.")
    await olena.deletes(note)
    exported = "".join(await memory.export(olena.turn()))
    assert SECRET in exported
    assert "bees" not in exported, "withheld"
    opened = await olena.note("I sing in a choir")
    await memory.share(opened, olena.turn())
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn(direct=True))
    assert SECRET not in "".join(await memory.export(olena.turn())), "invisible"
    unknown = people(7, space="9", chat="9")  # where they never spoke, so that no level of theirs is known there
    assert "choir" not in "".join(await memory.export(unknown.turn()))
    asked = await unknown.call("forget", memory_id=opened)
    assert "choir" not in asked.json()


@pytest.mark.parametrize("level", RESTRICTED)
async def test_who_comes_back_finds_everything_as_it_was(people, memory, level):
    olena, _ = await world(people, None)
    before = await olena.facts(), await olena.found(SECRET)
    await memory.set_privacy(level, olena.turn())
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert (await olena.facts(), await olena.found(SECRET)) == before


@pytest.mark.partitioned
async def test_a_level_holds_in_every_space_and_on_one_platform(people, memory):
    await memory.set_privacy(PrivacyLevel.PARTIAL, people(7).turn())
    for place in ({"space": "457"}, {"direct": True}, {"persona": 5}, {"chat": "457"}):
        assert (await people(7, **place).call("remember", content="x")).status == "privacy_restricted"
    assert (await people(7, platform="discord").call("remember", content="x")).status == "success"
    assert (await people(77).call("remember", content="x")).status == "success"


async def test_a_level_stands_in_the_persons_trail_and_survives_a_restart(lasting_url, opening, make_person):
    first = await opening(lasting_url)
    await first.set_privacy(PrivacyLevel.FULL, make_person(first).turn())
    await first.close()
    again = await opening(lasting_url)
    assert await again.privacy(make_person(again).turn()) is PrivacyLevel.FULL


@pytest.mark.every_case
@pytest.mark.parametrize(("level", "kept"), [(PrivacyLevel.PARTIAL, 2), (PrivacyLevel.FULL, 1)])
async def test_messages_are_seen_at_partial_and_not_at_full(people, memory, level, kept):
    await people(8).speaks()
    await memory.set_privacy(level, people(7).turn())
    await people(7).speaks()
    assert len(await memory.recent(people(8).turn())) == kept
    result = await people(8).call("create_episode", topic="Evening", summary="They sang.", importance=0.5)
    assert result["participants"] == ([8, 7] if level is PrivacyLevel.PARTIAL else [8])


@pytest.mark.every_case
@pytest.mark.parametrize("level", RESTRICTED)
async def test_nothing_is_inferred_from_a_restricted_person(people, memory, level):
    async def finds(_: str) -> Inference:
        item = Inferred(type="personal", key="location", value=SECRET)
        return Inference(certain=(item,), uncertain=(item,))

    await memory.set_privacy(level, people(7).turn())
    observed = await Memory(memory._store, memory.settings, extractor=finds).observe("words", people(7).turn())
    assert (observed.stored, observed.question) == ((), None)


async def test_nobody_infers_from_old_messages_of_an_invisible_person(memory, people):
    read = []

    async def reads(text):
        read.append(text)
        return Inference()

    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    past = [
        PastMessage(turn=people(user).turn(message=str(user)), text=text, own_text=text)
        for user, text in ((7, "mine"), (8, "ours"), (7, "mine too"))
    ]
    observed = await Memory(memory._store, memory.settings, extractor=reads).observe_past(past)
    assert read == ["ours"]
    assert [outcome.message is None for outcome in observed] == [True, False, True]


@pytest.mark.partitioned
@pytest.mark.parametrize("level", RESTRICTED)
async def test_a_restricted_person_opens_nothing_to_every_space_but_may_close_it(people, memory, level):
    olena, _ = await world(people, None)
    await memory.share(1, olena.turn())
    await memory.set_privacy(level, olena.turn())
    assert type(await memory.share(2, olena.turn())).__name__ == "NoAccess"
    assert type(await memory.share(1, olena.turn(direct=True), everywhere=False)).__name__ == "Shared"


async def test_where_the_check_itself_fails_writes_are_refused_and_deletes_are_allowed(
    lasting_url, opening, make_person, elsewhere
):
    """Privacy look-up failed open."""
    memory = await opening(lasting_url)
    person = make_person(memory)
    note = await person.note(SECRET)
    assert (await person.call("forget", memory_id=note)).status == "confirmation_required"
    elsewhere(lasting_url, "ALTER TABLE privacy RENAME TO gone")
    for tool, arguments in (("remember", {"content": "x"}), ("recall", {"query": SECRET})):
        result = await person.call(tool, **arguments)
        assert result.status == "error"
        assert SECRET not in result.json()
    assert (await person.call("forget", memory_id=note)).status == "deleted"
    elsewhere(lasting_url, "ALTER TABLE gone RENAME TO privacy")
    assert await person.found(SECRET) == []


@pytest.mark.partitioned
async def test_what_others_were_told_is_hidden_where_it_says_what_is_remembered_of_who_does_not_want_it(people, memory):
    anna, petro = await people(1).speaks(), await people(2).speaks()
    await memory.report_member("telegram", "456", Member(user="1", number=1, name="Anna", nickname="The"))
    fact = (await anna.fact("job", "zookeeper"))["fact_id"]
    await anna.fact("hobby", "of the")
    elsewhere = petro.at(chat="7")
    await memory.record("assistant", "A zookeeper, as you asked", elsewhere.turn(), given=[fact])
    await elsewhere.call("create_episode", topic="Jobs", summary="One keeps a zoo.", importance=0.9)
    call = {"user_id": 1, "fact_type": "personal", "fact_key": "hobby", "fact_value": "chess", "confidence": 0.9}
    await memory.apply(tasks.enqueue_call, petro.turn(), "remember_fact", 1, call)
    await memory.run_tasks()

    async def told():
        texts = [m.text for one in (petro, elsewhere) for m in await memory.recent(one.turn())]
        return [*texts, *(row["summary"] for row in (await petro.call("recall_episodes")).get("episodes", []))]

    before = ["Anna is a zookeeper", "Ask a zookeeper", "The museum of the city"]
    for answer in before:
        await memory.record("assistant", answer, petro.turn())
    await memory.set_privacy(PrivacyLevel.PARTIAL, anna.turn())
    await memory.record("assistant", "Anna, a zookeeper, is away", petro.turn())
    assert await told() == ["Hello!", "Hello!", *before[1:]]
    assert "chess" not in repr([done.result for done in await memory.take_finished(petro.turn())])
    await memory.set_privacy(PrivacyLevel.MINIMAL, anna.turn())
    assert {*before, "A zookeeper, as you asked", "One keeps a zoo."} <= set(await told())


async def test_what_was_said_before_full_is_not_among_the_last_messages(people, memory):
    olena, petro = people(7), people(8)
    await olena.speaks("a word of mine")
    await memory.record("assistant", "an answer to it", olena.turn())
    await petro.speaks("a neighbour's word")
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    for reader in (olena, petro):
        assert [one.text for one in await memory.recent(reader.turn())] == ["a neighbour's word"]
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert len(await memory.recent(petro.turn())) == 3, "nothing was deleted"


@pytest.mark.partitioned
@pytest.mark.parametrize("here", [False, True])
async def test_at_full_nobody_is_told_the_answers_that_retell_what_they_said(people, memory, here):
    olena, petro = people(7), people(8)
    for user, name in ((7, "Olena"), (8, "Petro")):
        await memory.report_member("telegram", "456", Member(user=str(user), number=user, name=name))
    await petro.speaks("hello")
    await olena.speaks("My spare key lies under the zubr stone")
    answers = ["Olena's spare key is under the zubr stone", "A zubr is no stone", "Olena is away"]
    for text in answers:
        await memory.record("assistant", text, petro.turn())

    async def told():
        return [one.text for one in await memory.recent(petro.turn()) if one.role == "assistant"]

    await memory.set_privacy(PrivacyLevel.PARTIAL, olena.turn())
    assert await told() == answers, "messages are seen"
    await memory.apply(set_privacy, olena.turn(), PrivacyLevel.FULL, here=here)
    assert await told() == answers[1:]
    assert "zubr stone" not in (await petro.call("recall", query="Olena spare key")).json()
    assert "zubr stone" not in str(await memory.search_messages("spare key of Olena", petro.turn()))
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert await told() == answers


# Episodes with somebody at FULL

EPISODE = {"topic": "Plans", "summary": SECRET, "importance": 0.9}


async def told_of_episodes(person: Any) -> str:
    """Everything by which somebody could be told of the episodes of the space."""
    memory, turn = person.memory, person.turn(text=SECRET)
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall_episodes", {}),
        ("recall_episodes", {"query": SECRET}),
        ("recall", {"query": SECRET, "kinds": ["episode"]}),
        ("update_episode", {"episode_id": 1, "new_importance": 0.1}),
        ("archive_episode", {"episode_id": 1}),
        ("forget", {"memory_id": 1}),
        ("forget", {"memory_id": 4711}),
    ]
    answers = [(await person.call(tool, **arguments)).json() for tool, arguments in calls]
    shown = [one.text for one in await memory.look(recent_memories, turn, 20)]
    context = await memory.build_context(turn)
    undone = await memory.undo(1, person.turn())
    return repr((answers, shown, context.text, undone, await memory.history(1, turn)))


@pytest.mark.every_case
@pytest.mark.parametrize("others", [0, 1])
async def test_an_episode_with_somebody_at_full_is_told_to_nobody_until_they_are_back(people, memory, others):
    olena, petro = people(7), people(8)
    await olena.speaks("I move to another town")
    for _ in range(others):
        await petro.speaks("Good luck")
    created = await petro.call("create_episode", **EPISODE)
    assert created["episode_id"] == 1
    assert SECRET in (await petro.call("recall_episodes")).json()
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    for reader in (petro, people(9), olena):
        said = await told_of_episodes(reader)
        assert SECRET not in said, said
    assert SECRET not in "".join(await memory.export(petro.turn()))
    own = await memory.look(listing, olena.turn(direct=True))
    assert [one.content for one in own.memories] == ([] if others else [SECRET]), "they alone are told"
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert SECRET in (await petro.call("recall_episodes")).json()


async def test_an_episode_that_was_made_of_somebodys_words_is_told_to_nobody_once_they_are_at_full(people, memory):
    """Of a cleared profile they are no participant any more, and their words are what it was made of."""
    olena, petro = people(7), people(8)
    await olena.speaks("I move to another town")
    await petro.speaks("Good luck")
    await petro.call("create_episode", **EPISODE)
    for _ in range(2):
        await olena.call("clear_profile", user_id=7, reason="they asked")
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    said = await told_of_episodes(petro)
    assert SECRET not in said, said
    assert SECRET not in "".join(await memory.export(petro.turn()))
    assert SECRET not in repr(await memory.look(listing, petro.turn(direct=True)))


async def test_an_episode_by_another_takes_in_no_message_of_somebody_at_full(people, memory, clock):
    """It kept one for 400 days."""
    olena, petro = people(7), people(8)
    await olena.speaks("a word of mine")
    await memory.record("assistant", "an answer to it", olena.turn())
    await petro.speaks("a neighbour's word")
    await memory.set_privacy(PrivacyLevel.FULL, olena.turn())
    assert (await petro.call("mark_important", importance_level="critical"))["count"] == 1
    created = await petro.call("create_episode", **EPISODE)
    assert (created["message_count"], created["participants"]) == (1, [8])
    assert SECRET in (await petro.call("recall_episodes")).json()
    clock.forward(days=100)
    await memory.tidy()
    await memory.set_privacy(PrivacyLevel.MINIMAL, olena.turn())
    assert [one.text for one in await memory.recent(petro.turn())] == ["a neighbour's word"]


# What belongs to a direct chat is about its person

OF_THE_CHAT = {"memory_content": SECRET, "scope": "server_wide"}


async def direct_world(people: Any) -> Any:
    """Olena's direct chat with a note 1 and an episode 2, which belong to it."""
    olena = people(7, space="7", chat="7", direct=True)
    await olena.speaks("I move to another town")
    assert (await olena.call("create_long_term_memory", **OF_THE_CHAT))["memory_id"] == 1
    assert (await olena.call("create_episode", **EPISODE))["episode_id"] == 2
    return olena


@pytest.mark.partitioned
@pytest.mark.parametrize("level", RESTRICTED)
async def test_what_belongs_to_a_direct_chat_is_neither_told_nor_written_by_who_wants_no_memory(people, memory, level):
    olena = await direct_world(people)
    await memory.set_privacy(level, olena.turn())
    calls: list[tuple[str, dict[str, Any]]] = [
        ("recall", {"query": SECRET}),
        ("recall", {"query": SECRET, "kinds": ["note", "episode"], "scope": "server_wide"}),
        ("recall_episodes", {}),
        ("create_long_term_memory", OF_THE_CHAT | {"memory_content": f"{SECRET} is new"}),
        ("update_long_term_memory", {"memory_id": 1, "memory_content": f"{SECRET} is new"}),
        ("create_episode", EPISODE | {"topic": "Another"}),
        ("update_episode", {"episode_id": 2, "additional_summary": "more"}),
    ]
    results = [await olena.call(tool, **arguments) for tool, arguments in calls]
    assert [SECRET for result in results if SECRET in result.json()] == []
    for place in (3, 4, 5):
        assert results[place].status.endswith("privacy_restricted")
    assert [one.text for one in await memory.look(recent_memories, olena.turn(), 20)] == []
    context = await memory.build_context(olena.turn(text=SECRET), query=SECRET)
    assert SECRET not in context.text
    assert len((await memory.look(listing, olena.turn())).memories) == 2, "nothing was written, and their page has it"
    deleted = await olena.call("update_long_term_memory", memory_id=1, memory_content="")
    assert deleted.status == "memory_deleted_successfully"
    assert SECRET not in deleted.json()


@pytest.mark.partitioned
async def test_what_belongs_to_a_direct_chat_is_listed_followed_cleared_and_erased_with_its_person(people, memory):
    olena, neighbour = await direct_world(people), people(8, space="8", chat="8", direct=True)
    await neighbour.call("create_long_term_memory", memory_content="a neighbour's", scope="server_wide")

    async def listed() -> list[set[int]]:
        exported = [json.loads(line) for line in await memory.export(olena.turn())]
        own = await memory.look(own_memories, olena.turn())
        return [
            {line["id"] for line in exported if line["kind"] == "memory"},
            {one.id for one in own},
            {one.id for one in (await memory.look(listing, olena.turn())).memories},
        ]

    assert await listed() == [{1, 2}] * 3
    group = people(7)
    assert [one.id for one in await memory.look(own_memories, group.turn())] == [], "in a group it is not told"
    assert await memory.history(1, group.turn()) == []
    assert await memory.history(1, neighbour.turn()) == []
    for number in (1, 2):
        assert [event.action for event in await memory.history(number, olena.turn())] == ["created"]
        assert [event.action for event in await memory.look(story, olena.turn(), number)] == ["created"]
    asked = await olena.call("clear_profile", user_id=7, reason="they asked")
    assert (asked["notes"], asked["episodes"]) == (1, 1), asked
    assert (await olena.call("clear_profile", user_id=7, reason="they asked")).status == "deleted"
    assert await listed() == [set()] * 3
    assert type(await memory.undo(1, olena.turn())).__name__ == "Changed"
    assert await listed() == [{1, 2}] * 3
    assert type(await memory.apply(delete, olena.turn(), 1)).__name__ == "Changed"
    assert await listed() == [{2}] * 3
    receipt = await memory.erase(olena.turn())
    assert receipt.counts["episodes"] == 1
    assert await listed() == [set()] * 3
    assert await neighbour.found("neighbour") == ["a neighbour's"]


@pytest.mark.every_case
@pytest.mark.parametrize("level", RESTRICTED)
@pytest.mark.parametrize("arm", ["tools", "automated"])
async def test_what_waits_to_be_looked_at_is_not_once_its_person_wants_no_memory(people, memory, clock, level, arm):
    """What looks at it may be another machine's."""
    seen: list[str] = []

    async def looks(text: str) -> Inference:
        seen.append(text)
        return Inference()

    olena = people(7)
    await memory.apply(note_message, olena.turn(arm=arm, message="m1"), SECRET, SECRET)
    await memory.set_privacy(level, olena.turn())
    clock.forward(hours=1)
    await Memory(memory._store, memory.settings, extractor=looks).resume()
    assert seen == []
    assert await memory.look(lambda tx: tx.observations.list()) == []


# A level that was raised in one space alone, by a token that is bound to it


async def with_level_here(people: Any) -> tuple[Any, Any]:
    """Olena (7) said something in two spaces, and wants to be invisible in the first; Petro (8) is in both."""
    olena, petro = people(7), people(8)
    for place in ({}, {"space": "457", "chat": "457"}):
        await olena.at(**place).speaks(f"my cat is {SECRET}")
        await petro.at(**place).speaks("and mine is grey")
    await olena.memory.apply(set_privacy, olena.turn(), PrivacyLevel.FULL, here=True)
    return olena, petro


async def heard(person: Any) -> str:
    memory, turn = person.memory, person.turn()
    found = await memory.search_messages("cat", turn, limit=9)
    return repr((await memory.recent(turn), found, (await memory.build_context(turn, query="cat")).text))


@pytest.mark.partitioned
async def test_full_in_one_space_hides_there_what_was_said_there_and_nowhere_else(people, memory):
    olena, petro = await with_level_here(people)
    for reader in (olena, petro):
        assert SECRET not in await heard(reader)
        assert SECRET in await heard(reader.at(space="457", chat="457"))


async def test_an_embedder_gets_nothing_that_was_said_where_its_person_is_invisible(people, memory):
    olena, _ = await with_level_here(people)
    await memory.apply(lambda tx: tx.vectors.use_embedder("test"))
    for place in ({}, {"space": "457", "chat": "457"}):  # as what was said before waits
        there = olena.at(**place).turn()
        await memory.apply(lambda tx, there=there: tx.vectors.enqueue(find_space(tx, there), "message", 1))
        await memory.apply(lambda tx, there=there: tx.vectors.enqueue(find_space(tx, there), "message", 3))
    texts = [waiting.text for waiting in await memory.look(waiting_texts, 99)]
    assert [text for text in texts if SECRET in text] == [f"my cat is {SECRET}"]


async def test_nobody_is_read_a_notice_of_where_its_person_wants_no_memory(people, memory):
    olena, _ = await with_level_here(people)

    async def is_private(turn: Any, **more: Any) -> bool:
        def look(tx: Any) -> Any:
            notice = Notice(what="created", owner=tx.owners.find("person", "telegram", "7"), actor="7", **more)
            return place_of(tx, notice, ANYBODY, turn)

        return (await memory.look(look)).is_private

    here, elsewhere = olena.turn(), olena.turn(space="457", chat="457")
    space = await memory.look(find_space, here)
    assert await is_private(None, space=space)
    assert await is_private(here)
    assert not await is_private(elsewhere)
    assert not await is_private(None)


async def test_an_import_brings_nothing_to_where_its_person_is_invisible(people, memory, opening, make_person):
    olena = people(7)
    for place in ({}, {"space": "457", "chat": "457"}):
        await olena.at(**place).speaks(f"my cat is {SECRET}")
        await olena.at(**place).fact("pet", SECRET)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    other = await opening("sqlite://:memory:")
    there = make_person(other, user=7)
    await other.apply(set_privacy, there.turn(), PrivacyLevel.FULL, here=True)
    report = (await other.import_lines(lines)).as_json()
    assert {kind: report["skipped"][kind]["privacy_restricted"] for kind in ("message", "memory")} == {
        "message": 1,
        "memory": 1,
    }
    assert await there.at(space="457", chat="457").values() == [SECRET]


async def test_as_many_messages_are_told_as_were_asked_for(people, memory):
    """Of somebody who is invisible, the last ones are."""
    for number in range(3):
        await people(8).speaks(f"grey {number}")
    for number in range(3):
        await people(7).speaks(f"loud {number}")
    await memory.set_privacy(PrivacyLevel.FULL, people(7).turn())
    assert [message.text for message in await memory.recent(people(8).turn(), limit=2)] == ["grey 1", "grey 2"]
    made = await people(8).call("create_episode", topic="Cats", summary="Grey ones.", importance=0.5, message_count=2)
    kept = await memory.look(lambda tx: tx.memories.list_all(find_space(tx, people(8).turn())))
    assert made.status == "success"
    assert [len(episode.messages) for episode in kept] == [2]
