"""A space is erased by an operator, or some time after the program was removed from it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import pytest_asyncio

from zgadka.model.inference import Inferred
from zgadka.model.outcome import NotFound, Refused
from zgadka.ops.erase_space import erase_space
from zgadka.ops.persist import slot_of
from zgadka.ops.questions import ask_to_save, save_questions
from zgadka.ops.repair import find_drift, repair
from zgadka.ops.withhold import WITHHOLD
from zgadka.text.words import index_words
from zgadka.transfer.export import export_space, export_store

pytestmark = [pytest.mark.asyncio, pytest.mark.partitioned]


@pytest_asyncio.fixture
async def memory(open_store):
    """Nobody works in the background: what is done is done by the test."""
    return await open_store(background=False)


async def fill(person) -> int:
    """Let the person say things in their group; returns the id of a note of theirs."""
    said = person.turn(message="m1")
    await person.memory.record("user", "zymurgy at noon", said)
    note = {"memory_content": "zymurgy on Friday", "scope": "server_wide"}
    await person.call("create_long_term_memory", turn=said, **note)
    episode = {"topic": "zymurgy", "summary": "of zymurgy", "importance": 0.5, "emotional_valence": "neutral"}
    await person.call("create_episode", **episode, tags=[], message_count=1)
    await person.update("hobby", "zymurgy", change_reason="correction")
    await person.fact("hobby", "zymurgy", turn=said)
    return await person.note("likes zymurgy")


def texts(tx) -> str:
    """Every text that is kept."""
    lines: list[str] = []
    export_store(tx, lines.append)
    return "\n".join(lines)


async def test_an_erased_space_leaves_nothing_that_was_seen_there_alone(memory, person, people):
    await fill(person)
    shared = await person.note("likes tea")
    await memory.share(shared, person.turn())
    elsewhere = people(123, space="9", chat="9")
    await elsewhere.note("likes chess")
    receipt = await memory.erase_space("telegram", "456")
    assert receipt.counts["personal"] == 2
    assert "zymurgy" not in await memory.look(texts)
    assert sorted(await elsewhere.found("likes")) == ["likes chess", "likes tea"]
    assert await memory.erase_space("telegram", "456") is None
    assert await memory.recent(person.turn()) == []


async def test_a_deleted_memory_leaves_no_text_in_the_trail_of_an_erased_space(memory, person):
    note = await fill(person)
    await person.deletes(note)
    await memory.erase_space("telegram", "456")
    assert "zymurgy" not in await memory.look(texts)


async def test_a_space_that_the_bot_was_removed_from_is_erased_after_its_days(open_store, make_person, clock):
    memory = await open_store(space_days=30, message_days=90, background=False)
    person = make_person(memory)
    await fill(person)
    await memory.report_removal("telegram", "456")
    clock.forward(days=29)
    await memory.tidy()
    assert await person.found("zymurgy") != []
    await memory.report_removal("telegram", "456")  # said again, it counts from the first time
    clock.forward(days=2)
    await memory.tidy()
    assert "zymurgy" not in await memory.look(texts)


async def test_what_was_begun_in_an_erased_space_is_done_elsewhere(memory, person):
    """As a forgetting that a crash interrupted, which reaches a message of another space."""
    await fill(person)
    elsewhere = await person.at(space="9", chat="9").speaks("zymurgy at noon")

    def withhold(tx) -> None:
        spaces = [tx.owners.find("space", "telegram", name) for name in ("456", "9")]
        [message] = tx.messages.list_with_person(spaces[1], tx.owners.find("person", "telegram", "123"), 9)
        payload = {"spaces": {str(spaces[1]): [[message.id, 99]]}}
        tx.tasks.add(spaces[0], WITHHOLD, payload, conversation=("", "", 0), person=0, priority=0)

    await memory.apply(withhold)
    await memory.erase_space("telegram", "456")
    assert await memory.recent(elsewhere.turn()) == []
    assert await memory.tasks() == []


@pytest.mark.parametrize("name", ["456", "789"])
async def test_no_question_that_was_asked_in_an_erased_space_is_left(open_store, make_person, name):
    """Not even where the space had another name when it was asked, or nothing else is known of the person."""
    memory = await open_store(others_may_change="ask")
    person, other = make_person(memory), await make_person(memory, user=8).speaks()
    item = Inferred(type="preference", key="like", value="zymurgy", excerpt="maybe zymurgy", confidence=0.5)
    await memory.apply(lambda tx: ask_to_save(tx, person.turn(), [item]))
    elsewhere = person.turn(space="9", chat="9")
    kept = await memory.apply(lambda tx: ask_to_save(tx, elsewhere, [item]))
    await person.speaks()
    assert (await other.fact("hobby", "zymurgy", user_id=123)).status == "awaiting_consent"
    if name != "456":
        await memory.move_space("telegram", "456", name)
    await memory.erase_space("telegram", name)
    alone = person.turn(space="123", chat="123", direct=True)
    assert await memory.consents(alone) == []
    assert [question.id for question in await memory.look(save_questions, alone)] == [kept.id]


@pytest.mark.parametrize("how", ["reported", "spoken", "never"])
async def test_a_space_that_the_bot_is_in_again_is_kept(open_store, make_person, clock, how):
    memory = await open_store(space_days=0 if how == "never" else 30, message_days=90, background=False)
    person = make_person(memory)
    await fill(person)
    await memory.report_removal("telegram", "456")
    clock.forward(days=20)
    if how == "reported":
        await memory.report_removal("telegram", "456", is_gone=False)
    elif how == "spoken":
        await person.speaks("here again")
    clock.forward(days=20)
    await memory.tidy()
    assert await person.found("zymurgy") != []


async def test_an_id_that_became_another_group_removes_nothing_of_that_one(memory, person):
    await fill(person)
    await memory.move_space("telegram", "456", "-7", chats=("456", "-7"))
    await memory.report_removal("telegram", "456")
    assert await memory.erase_space("telegram", "456") is None
    assert await person.at(space="-7", chat="-7").found("zymurgy") != []


async def test_a_worker_ends_what_a_crash_left_of_erasing_a_space(memory, person, clock):
    await fill(person)
    # As a process that dies after its first commit.
    await memory._store.write(erase_space, "telegram", "456")
    clock.forward(minutes=2)
    await memory.run_tasks()
    assert "zymurgy" not in await memory.look(texts)


async def test_the_export_of_a_space_holds_what_is_seen_there_and_can_be_imported(memory, person, open_store, people):
    await fill(person)
    await people(123, space="9", chat="9").note("likes chess")
    lines: list[str] = []
    count = await memory.look(export_space, "telegram", "456", lines.append)
    assert count == len(lines)
    assert "chess" not in "\n".join(lines)
    kinds = [json.loads(line)["kind"] for line in lines]
    assert {"member", "message", "memory", "event"} <= set(kinds)
    other = await open_store()
    await other.import_lines(lines)
    assert "likes zymurgy" in await person.at(memory=other).found("zymurgy")
    assert await memory.look(export_space, "telegram", "9999", lines.append) is None


@pytest.mark.parametrize("then", ["nothing", "undo", "unshare"])
async def test_what_was_shared_stays_without_any_number_of_the_erased_space(
    open_store, opening, make_person, tmp_path, then
):
    """Also of whom the space knows nothing else; an export of what is left can be imported."""
    memory = await open_store(background=False)
    person = make_person(memory, user=5)
    alone = person.at(direct=True)
    number = await person.note("plays the zither")
    await memory.share(number, alone.turn())
    space = await memory.look(lambda tx: tx.owners.find("space", "telegram", "456"))
    await memory.erase_space("telegram", "456")
    if then == "undo":
        assert await memory.undo(number, alone.turn()) == Refused("its text was permanently deleted", "text_deleted")
    if then == "unshare":
        await memory.share(number, alone.turn(), everywhere=False)
    assert await alone.found("zither") == ["plays the zither"]
    assert await memory.look(lambda tx: tx.moving.owners_with_past_in(space)) == []
    assert await memory.look(lambda tx: [row.chat for row in tx.memories.list_all(person_id(tx))]) == [None]
    assert await memory.look(lambda tx: find_drift(tx, person_id(tx)).counts) == {}
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    copy = await opening(f"sqlite:///{tmp_path}/copy.db")
    assert (await copy.import_lines(lines)).lines["memory"]["added"] == 1


def lose_place(tx) -> None:
    """Let what the person has be seen in a space that is not there, now and before."""
    [memory] = tx.memories.list_all(person_id(tx))
    for _ in range(2):
        lost = replace(memory, space=9000, version=memory.version + 1)
        tx.memories.replace(memory, lost, slot=slot_of(lost), words=index_words(lost.searchable))
        tx.audit.add(memory.owner, memory.id, "updated", before=memory, actor="5")
        memory = lost


def person_id(tx) -> int:
    return tx.owners.find("person", "telegram", "5")


async def test_what_came_from_a_direct_chat_goes_back_there_and_what_was_said_since_goes(memory, people):
    """It was opened to every space, and closed to the one that is erased."""
    alone, there = people(5, direct=True), people(5)
    for number in (await alone.note("plays the zither"), (await alone.fact("location", "Zhmerynka"))["fact_id"]):
        await memory.share(number, alone.turn())
        await memory.share(number, there.turn(), everywhere=False)
    await there.update("location", "Zolochiv", change_reason="correction")
    assert sorted(await there.found("zither location")) == ["location: Zolochiv", "plays the zither"]
    await memory.erase_space("telegram", "456")
    assert await alone.found("zither location") == ["plays the zither"]
    assert await there.found("zither location") == []
    assert "Zolochiv" not in await memory.look(texts)


async def test_doctor_tells_what_is_in_a_space_that_is_gone_and_repair_gives_it_to_its_person_alone(memory, people):
    """As an earlier version left it."""
    person = people(5)
    await person.note("plays the zither")
    await memory.apply(lose_place)
    assert await memory.look(lambda tx: find_drift(tx, person_id(tx)).counts) == {"places": 1}
    assert await memory.apply(lambda tx: repair(tx, person_id(tx))) == {"places": 1}
    assert await memory.look(lambda tx: find_drift(tx, person_id(tx)).counts) == {}
    assert await person.at(direct=True).found("zither") == ["plays the zither"]
    assert await person.found("zither") == []


@pytest.mark.parametrize("action", ["forget", "clear", "undo"])
async def test_nothing_is_left_of_what_was_deleted_there_by_whom_the_space_knows_nothing_else_of(
    memory, people, action
):
    person = people(5)
    number = await person.note("plays the zither")
    if action == "forget":
        await person.deletes(number)
    elif action == "undo":
        await memory.undo(number, person.turn())
    else:
        for text in (None, "yes"):
            await person.call("clear_profile", turn=person.turn(text=text), user_id=5, reason="asked")
    assert "zither" in await memory.look(texts)
    await memory.erase_space("telegram", "456")
    assert "zither" not in await memory.look(texts)
    assert isinstance(await memory.undo(number, person.at(direct=True).turn()), NotFound)
