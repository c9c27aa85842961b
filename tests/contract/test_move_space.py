"""A space that becomes part of another one keeps what it had, under its old name too."""

from __future__ import annotations

import pytest
import pytest_asyncio
from tests.support.consent import agree

from zgadka import Member
from zgadka.chat.history_view import run_command
from zgadka.model.inference import Inferred
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.close_chat import changed_readers
from zgadka.ops.move_space import move
from zgadka.ops.profile import set_privacy
from zgadka.ops.questions import ask_to_save, save_questions
from zgadka.ops.tasks import claim, enqueue_call
from zgadka.ops.withhold import WITHHOLD
from zgadka.transfer.export import export_store

pytestmark = [pytest.mark.asyncio, pytest.mark.partitioned]

MOVED = {"space": "-100456", "chat": "-100456"}
CHATS = ("456", "-100456")


@pytest_asyncio.fixture
async def memory(open_store):
    """Nobody works in the background: what is done is done by the test."""
    return await open_store(background=False)


@pytest_asyncio.fixture
async def group(memory, person, people):
    """A group with all that a group can have."""
    said = person.turn(message="m1")
    await memory.report_member("telegram", "456", Member(user="8", number=8, name="Bob", role="administrator"))
    await memory.record("user", "zymurgy at noon", said)
    fact = await person.fact("hobby", "zymurgy", turn=said)
    note = {"memory_content": "zymurgy on Friday", "scope": "server_wide"}
    await person.call("create_long_term_memory", turn=said, **note)
    await people(8).speaks()
    relation = {"user_id": 123, "related_user_id": 8, "relationship": "friend", "description": "zymurgy"}
    assert (await person.call("remember_relationship", **relation)).status == "success"
    episode = {"topic": "zymurgy", "summary": "of zymurgy", "importance": 0.5, "emotional_valence": "neutral"}
    assert (await person.call("create_episode", **episode, tags=[], message_count=1)).status == "success"
    await memory.record("assistant", "zymurgy it is", person.turn(), given=[fact["fact_id"]])
    return person


async def moves(memory, **more) -> bool:
    return await memory.move_space("telegram", "456", "-100456", chats=CHATS, **more)


async def known_to(person) -> dict[str, object]:
    """What is told of it where the person is."""
    turn, query = person.turn(), {"query": "zymurgy"}
    return {
        "facts": [(fact["fact_id"], fact["value"]) for fact in await person.facts()],
        "notes": sorted(await person.found("zymurgy")),
        "episodes": [item["topic"] for item in (await person.call("recall_episodes", **query))["episodes"]],
        "relations": (await person.call("recall_relationships", user_id=123))["count"],
        "messages": [message.text for message in await person.memory.recent(turn)],
        "found": sorted(match.message.text for match in await person.memory.search_messages("zymurgy", turn)),
        "people": sorted(member.user for member in await person.memory.look(members, turn.space)),
    }


def members(tx, space: str) -> list[Member]:
    owner = tx.owners.find("space", "telegram", space)
    return [] if owner is None else list(tx.members.list(owner))


async def test_a_group_that_gets_another_id_keeps_all_that_it_had(memory, group):
    before = await known_to(group)
    assert await moves(memory)
    assert await known_to(group.at(**MOVED)) == before
    assert await memory.look(lambda tx: [owner.name for owner in tx.owners.list() if owner.kind == "space"]) == [
        "-100456"
    ]


async def test_what_the_new_group_knows_already_stays_beside_it(memory, group):
    new = group.at(**MOVED)
    await new.speaks("hello from the new group")
    await new.fact("location", "Kyiv")
    await new.note("likes tea")
    assert await moves(memory)
    assert await new.values() == ["Kyiv", "zymurgy"]
    texts = [message.text for message in await memory.recent(new.turn())]
    assert sorted(texts) == sorted(["zymurgy at noon", "Hello!", "zymurgy it is", "hello from the new group"])


async def test_of_two_values_that_cannot_both_be_the_new_groups_stays_and_the_other_is_kept_for_the_trail(
    memory, group
):
    await group.fact("location", "Lviv")
    new = group.at(**MOVED)
    await new.fact("location", "Kyiv")
    assert await moves(memory)
    assert [fact["value"] for fact in await new.facts() if fact["key"] == "location"] == ["Kyiv"]


@pytest.mark.parametrize("raised_in", ["456", "-100456"])
async def test_the_stricter_of_a_persons_levels_in_both_groups_counts(memory, group, people, raised_in):
    bob, new = people(8, **MOVED), group.at(**MOVED)
    for person in (bob, new):
        await person.speaks("zymurgy in the new group")
    for person in (people(8), bob):
        about = {"memory_content": "<@123> likes zymurgy", "scope": "server_wide"}
        assert (await person.call("create_long_term_memory", **about)).status == "memory_created_successfully"
    place = group.turn(space=raised_in, chat=raised_in)
    await memory.apply(set_privacy, place, PrivacyLevel.FULL, here=True)
    assert await moves(memory)
    assert await memory.privacy(new.turn()) is PrivacyLevel.FULL
    assert (await bob.call("recall_facts", user_id=123)).status == "privacy_restricted"
    assert "<@123> likes zymurgy" not in await bob.found("zymurgy")


async def test_who_still_uses_the_old_id_means_the_group(memory, group):
    assert await moves(memory)
    assert await group.values() == ["zymurgy"]
    await group.fact("location", "Kyiv")
    assert await group.at(**MOVED).values() == ["Kyiv", "zymurgy"]


async def test_it_moves_on_when_it_gets_another_id_again(memory, group):
    assert await moves(memory)
    assert await memory.move_space("telegram", "-100456", "-7", chats=("-100456", "-7"))
    assert await group.at(space="-7", chat="-7").values() == ["zymurgy"]
    assert await group.values() == ["zymurgy"]


async def test_an_unknown_group_moves_nowhere_and_a_second_move_does_nothing(memory, group):
    assert not await memory.move_space("telegram", "9", "10")
    assert await moves(memory)
    before = await known_to(group.at(**MOVED))
    assert not await moves(memory)
    assert await known_to(group.at(**MOVED)) == before


async def test_what_was_asked_to_delete_is_deleted_by_a_yes_after_the_move(memory, group):
    item = Inferred(type="preference", key="like", value="tea", excerpt="maybe tea", confidence=0.5)
    await memory.apply(lambda tx: ask_to_save(tx, group.turn(), [item]))
    memory_id = (await group.call("remember", content="plays chess"))["memory_id"]
    assert (await group.call("forget", memory_id=memory_id)).status == "confirmation_required"
    assert await moves(memory)
    new = group.at(**MOVED)
    assert await memory.plain_question("yes", new.turn()) is None  # two questions are open: neither is guessed
    assert (await new.call("forget", turn=new.turn(text="yes"), memory_id=memory_id)).status == "deleted"


async def test_a_question_is_answered_by_its_button_in_the_former_group(memory, group):
    item = Inferred(type="preference", key="like", value="tea", excerpt="maybe tea", confidence=0.5)
    question = await memory.apply(lambda tx: ask_to_save(tx, group.turn(), [item]))
    assert await moves(memory)
    assert (await memory.answer_question(question.id, group.turn(), save=True)).status == "saved"


async def test_its_questions_calls_and_arm_go_with_it(memory, group):
    item = Inferred(type="preference", key="like", value="tea", excerpt="maybe tea", confidence=0.5)
    question = await memory.apply(lambda tx: ask_to_save(tx, group.turn(), [item]))
    await memory.apply(enqueue_call, group.turn(), "remember", 1, {"content": "likes cake"})
    await memory.choose_arm("telegram", "456", "automated")
    assert await moves(memory)
    new = group.at(**MOVED)
    assert [asked.id for asked in await memory.look(save_questions, new.turn())] == [question.id]
    assert (await memory.answer_question(question.id, new.turn(), save=True)).status == "saved"
    await memory.run_tasks()
    assert await new.found("cake") == ["likes cake"]
    [finished] = await memory.take_finished(new.turn())
    assert finished.tool == "remember"
    assert (await memory.arm(new.turn())).arm == "automated"
    assert await new.values() == ["tea", "zymurgy"]


async def test_a_call_that_a_worker_was_at_when_it_moved_is_done_by_another(memory, group):
    await memory.apply(enqueue_call, group.turn(), "remember", 1, {"content": "likes cake"})
    space = await memory.look(lambda tx: tx.owners.find("space", "telegram", "456"))
    await memory.apply(claim, space, "a worker that died", 9)
    assert await moves(memory)
    await memory.run_tasks()
    assert await group.at(**MOVED).found("cake") == ["likes cake"]


async def test_what_waits_for_consent_goes_with_it_and_can_be_exported(open_store, opening, make_person):
    memory = await open_store(others_may_change="ask")
    person, other = await make_person(memory).speaks(), await make_person(memory, user=8).speaks()
    assert (await other.fact("hobby", "zymurgy", user_id=123)).status == "awaiting_consent"
    assert await moves(memory)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    alone = person.turn(space="123", chat="123", direct=True)
    assert await memory.export(alone)
    imported = await opening("sqlite://:memory:")
    await imported.import_lines(lines)
    for store in (memory, imported):
        [asked] = await store.consents(alone)
        await agree(store, asked.id, alone)
        assert await person.at(**MOVED, memory=store).values() == ["zymurgy"]


async def test_the_trail_undo_and_sources_go_with_it(memory, group):
    [fact] = await group.facts()
    await group.update("hobby", "chess", change_reason="correction", fact_id=fact["fact_id"])
    assert await moves(memory)
    new = group.at(**MOVED)
    assert len(await memory.history(fact["fact_id"], new.turn())) == 2
    assert type(await memory.undo(fact["fact_id"], new.turn())).__name__ == "Changed"
    assert await new.values() == ["zymurgy"]
    await new.forget_fact("hobby", reason="user_requested")
    assert "zymurgy at noon" not in [message.text for message in await memory.recent(new.turn())]


async def test_history_says_in_words_that_a_memory_gave_way_when_the_group_moved(memory, group):
    new = await group.at(**MOVED).speaks()
    await new.fact("location", "Lviv")
    fact = await group.fact("location", "Kyiv")
    assert await moves(memory)
    alone = group.turn(space="123", chat="123", direct=True)
    assert "merged, when the group moved: You live in Kyiv" in await run_command(
        memory, "history", fact["fact_id"], alone
    )


async def test_what_was_deleted_before_it_moved_is_brought_back_there(memory, people):
    ann = await people(7).speaks()
    note = await ann.note("zymurgy at noon")
    await ann.deletes(note)  # nothing else of theirs is seen there
    assert await moves(memory)
    assert "zymurgy at noon" in "".join(await memory.export(ann.turn(direct=True)))
    new = ann.at(**MOVED)
    assert type(await memory.undo(note, new.turn())).__name__ == "Changed"
    assert await new.found("zymurgy") == ["zymurgy at noon"]


async def test_a_change_is_taken_back_there_also_of_whom_the_group_knows_nothing_else(memory, people):
    """They never spoke there, and what they noted was open to every space when the group moved."""
    person = people(5)
    number = await person.note("plays the zither")
    await memory.share(number, person.at(direct=True).turn())
    assert await moves(memory)
    await memory.undo(number, person.at(direct=True).turn())
    assert await people(5, **MOVED).found("zither") == ["plays the zither"]


async def test_a_channel_that_was_a_space_of_its_own_is_told_to_its_readers_alone(memory, people):
    ann = people(7, platform="discord", space="9:5", chat="5")
    await ann.speaks("zymurgy at noon")
    await ann.fact("hobby", "zymurgy")
    assert await memory.move_space("discord", "9:5", "9", readers=("role:1",))
    mods = ann.at(space="9", audience="role:1")
    assert await mods.values() == ["zymurgy"]
    assert [message.text for message in await memory.recent(mods.turn())] == ["zymurgy at noon"]
    assert await ann.at(space="9").values() == []
    assert await memory.recent(ann.turn(space="9")) == []


async def test_what_closed_groups_said_is_told_to_the_same_readers_there(memory, group):
    """Also where the other space has a group with the same readers, by another number."""
    new = group.at(**MOVED | {"chat": "mods"}, audience=("mods",))
    await new.note("likes tea")
    closed = group.at(chat="mods", audience=("mods",))
    await closed.speaks("xylography at noon")
    changed = await closed.fact("hobby", "chess")
    await closed.update("hobby", "xylography", fact_id=changed["fact_id"], change_reason="correction")
    await memory.report_readers("telegram", "456", {"mods": ("mods",)})
    assert await moves(memory)
    assert "xylography" in await new.values()
    assert [message.text for message in await memory.recent(new.turn())] == ["xylography at noon"]
    assert await new.found("tea") == ["likes tea"]
    general = group.at(**MOVED)
    assert "xylography" not in await general.values()
    assert "xylography at noon" not in [message.text for message in await memory.recent(general.turn())]
    assert type(await memory.undo(changed["fact_id"], new.turn())).__name__ == "Changed"
    assert await memory.look(changed_readers, "telegram", "-100456", {"mods": ("mods",)}) == {}


@pytest.mark.parametrize("begun", ["before", "meanwhile"])
async def test_what_was_begun_in_a_group_is_done_before_it_goes(memory, group, clock, begun):
    """As a forgetting that a crash interrupted: the person's task names the group by its number."""

    def withhold(tx) -> None:
        person, space = tx.owners.find("person", "telegram", "123"), tx.owners.find("space", "telegram", "456")
        message = tx.messages.find_said(space, group.turn(message="m1")).id
        payload = {"spaces": {str(space): [[message, 99]]}}
        tx.tasks.add(person, WITHHOLD, payload, conversation=("", "", 0), person=0, priority=0)

    if begun == "before":
        await memory.apply(withhold)
        assert await moves(memory)
    else:
        await memory._store.write(move, "telegram", "456", "-100456", chats=CHATS)
        await memory.apply(withhold)
        clock.forward(minutes=2)
        await memory.run_tasks()
    clock.forward(minutes=2)
    await memory.run_tasks()
    texts = [message.text for message in await memory.recent(group.at(**MOVED).turn())]
    assert texts == ["Hello!", "zymurgy it is"]
    assert await memory.tasks() == []


async def test_nobody_is_told_of_what_a_move_hides(memory, group):
    await group.fact("location", "Lviv")
    await group.at(**MOVED).fact("location", "Kyiv")
    notices: list[object] = []
    memory.subscribe(notices.append)
    assert await moves(memory)
    assert notices == []


async def test_a_private_thread_becomes_a_chat_of_its_own(memory, people):
    ann = people(7, platform="discord", space="9:6", chat="5", thread="6")
    await ann.speaks("zymurgy at noon")
    assert await memory.move_space("discord", "9:6", "9", thread="6", readers=("thread:6",))
    turn = ann.at(space="9", chat="6", thread=None, audience="thread:6").turn()
    assert [message.text for message in await memory.recent(turn)] == ["zymurgy at noon"]


async def test_a_worker_ends_what_a_crash_left_of_a_move(memory, group, clock):
    before = await known_to(group)
    # As a process that dies after its first commit.
    await memory._store.write(move, "telegram", "456", "-100456", chats=CHATS)
    clock.forward(minutes=2)
    await memory.run_tasks()
    assert await known_to(group.at(**MOVED)) == before
    assert await memory.tasks() == []


async def test_spaces_that_move_into_each_other_at_once_become_one(memory, group, people):
    there = people(123, **MOVED)
    await there.note("zymurgy there")
    for space, into in (("456", "-100456"), ("-100456", "456")):  # each by a process that goes no further
        assert await memory._store.write(move, "telegram", space, into)
    assert await memory.move_space("telegram", "456", "-100456") in (True, False)
    assert await memory.tasks() == []
    assert await there.found("zymurgy") == await group.at(space="456").found("zymurgy")
    assert "zymurgy there" in await there.found("zymurgy")
    assert [match.message.text for match in await memory.search_messages("noon", group.at(space="-100456").turn())]
