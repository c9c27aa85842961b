"""Forgetting reaches what was said: neither the person's messages nor the answers to them tell it any more."""

from __future__ import annotations

import asyncio
import threading
from unittest import mock

import pytest

from zgadka import Member
from zgadka.model.outcome import Changed, Refused
from zgadka.ops import observe, self_service, withhold
from zgadka.ops.forget import forget
from zgadka.stores.tx.tasks import Tasks
from zgadka.transfer.export import export_store
from zgadka.worker import and_left

pytestmark = [pytest.mark.asyncio, pytest.mark.every_case]

TOLD = "I live in Kyiv, by the river"
ANSWERED = "Kyiv is a fine place to live"
ELSE = "The river was frozen today"


@pytest.fixture(params=["sqlite-file", "postgres", "postgres-partitioned"])
def back_end(request):
    """One of each: what is different here is how transactions are made."""
    return request.param


async def talk(ann, bob):
    """Ann tells where she lives, the bot answers her, Bob lives there as well; returns the fact."""
    await ann.speaks(TOLD)
    await ann.memory.record("assistant", ANSWERED, ann.turn())
    await bob.speaks("I live in Kyiv, too")
    await ann.speaks(ELSE)
    return (await ann.fact(source_excerpt=TOLD))["fact_id"]


async def told(person, query="Who lives in Kyiv by the river?"):
    """What anybody here is told by recall, search, context and the last messages."""
    memory = person.memory
    recalled = await person.call("recall", query=query)
    found = await memory.search_messages(query, person.turn(), 50)
    context = await memory.build_context(person.turn(text=query))
    recent = await memory.recent(person.turn(), 50)
    every = (recalled.json(), context.text, *(one.message.text for one in found), *(one.text for one in recent))
    return "\n".join(every)


async def assert_gone(*people):
    for person in people:
        everything = await told(person)
        assert TOLD not in everything
        assert ANSWERED not in everything
        assert "I live in Kyiv, too" in everything, "what another person said is theirs"
        assert ELSE in everything, "what says something else stays"


async def test_what_said_a_forgotten_memory_is_told_nobody_until_it_is_taken_back(ann, bob):
    fact = await talk(ann, bob)
    everything = await told(bob)
    assert TOLD in everything
    assert ANSWERED in everything
    result = await ann.deletes(fact)
    assert result["messages_withheld"] == 2
    assert "It was also said in 2 messages, which will no longer be looked up." in result.message
    await assert_gone(ann, bob)
    assert isinstance(await ann.memory.undo(fact, ann.turn()), Changed)
    everything = await told(bob)
    assert TOLD in everything
    assert ANSWERED in everything


async def clears(ann, fact):
    await ann.call("clear_profile", user_id=123, reason="test")
    return (await ann.call("clear_profile", user_id=123, reason="test"))["messages_withheld"]


async def forgets_the_fact(ann, fact):
    return (await ann.forget_fact("location", reason="user_requested"))["messages_withheld"]


async def deletes_on_the_own_page(ann, fact):
    return (await ann.memory.apply(self_service.delete, ann.turn(direct=True), fact)).withheld


@pytest.mark.partitioned
@pytest.mark.parametrize("way", [clears, forgets_the_fact, deletes_on_the_own_page])
async def test_whatever_way_a_person_forgets_it_reaches_their_messages(ann, bob, way):
    fact = await talk(ann, bob)
    assert await way(ann, fact) == 2
    await assert_gone(ann, bob)
    assert isinstance(await ann.memory.undo(fact, ann.turn(direct=way is clears)), Changed)
    assert TOLD in await told(bob)


async def test_a_blank_note_reaches_the_messages_that_say_it(ann, bob):
    await ann.speaks("I keep bees behind the barn")
    made = await ann.call(
        "create_long_term_memory", memory_content="keeps bees behind the barn", scope="target_user", target_user="123"
    )
    result = await ann.call(
        "update_long_term_memory", memory_id=made["memory_id"], memory_content="", target_user="123"
    )
    assert (result.status, result["messages_withheld"]) == ("memory_deleted_successfully", 1)
    assert "barn" not in await told(bob, "Who keeps bees behind the barn?")


async def test_what_others_were_answered_about_a_person_is_told_nobody_either(ann, bob):
    fact = await talk(ann, bob)
    await ann.memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    for answer in ("Ann lives in Kyiv", "Kyiv is large"):
        await ann.memory.record("assistant", answer, bob.turn())
    assert (await ann.deletes(fact))["messages_withheld"] == 3
    everything = await told(bob)
    assert "Ann lives in Kyiv" not in everything
    assert "Kyiv is large" in everything, "it names nobody"


@pytest.mark.partitioned
async def test_what_others_were_told_of_a_value_that_is_past_by_now_is_told_nobody_either(ann, bob):
    """The answer was given the fact while it had that value; the past value has an id of its own."""
    fact = await talk(ann, bob)
    await ann.memory.record("assistant", "They live in Kyiv", bob.turn(), given=[fact])
    past = (await ann.update("location", "Lviv"))["past_fact_id"]
    assert await forgets_the_fact(ann, fact) == 3
    assert "They live in Kyiv" not in await told(bob)
    assert isinstance(await ann.memory.undo(fact, ann.turn()), Changed)
    assert "They live in Kyiv" in await told(bob)
    await ann.deletes(past)
    assert "They live in Kyiv" not in await told(bob)


@pytest.mark.partitioned
async def test_what_others_were_told_of_a_fact_that_was_merged_is_told_nobody_either(ann, bob):
    await bob.speaks("Hello")
    facts = [(await ann.fact("hobby", value))["fact_id"] for value in ("gardening", "beekeeping")]
    await ann.memory.record("assistant", "They like beekeeping", bob.turn(), given=facts[1:])
    await ann.call("merge_facts", user_id=123, fact_ids=facts, merged_value="garden and bees", merged_confidence=0.9)
    await ann.deletes(facts[0])
    assert "They like beekeeping" not in await told(bob, "Who likes beekeeping?")


@pytest.mark.partitioned
async def test_what_others_were_told_before_a_memory_was_closed_to_another_place_is_told_nobody_either(ann, bob):
    """Closed to the direct chat, it was told where it was open to all before."""
    fact = await talk(ann, bob)
    await ann.memory.share(fact, ann.turn(), everywhere=True)
    await ann.memory.record("assistant", "They live in Kyiv", bob.turn(), given=[fact])
    alone = ann.at(space="123", chat="123", direct=True)
    await ann.memory.share(fact, alone.turn(), everywhere=False)
    assert "They live in Kyiv" not in await told(bob)
    assert (await alone.deletes(fact))["messages_withheld"] == 2
    assert "They live in Kyiv" not in await told(bob)
    await assert_gone(bob)
    assert isinstance(await ann.memory.undo(fact, alone.turn()), Changed)
    assert TOLD in await told(bob)
    assert "They live in Kyiv" not in await told(bob), "it is closed all the same"


async def test_to_take_one_deletion_back_does_not_tell_others_what_another_deleted(ann, bob):
    fact = await talk(ann, bob)
    await ann.memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    note = await ann.note("plays chess")
    await ann.memory.record("assistant", "Ann lives in Kyiv and plays chess", bob.turn())
    await ann.deletes(fact)
    await ann.deletes(note)
    await ann.memory.undo(fact, ann.turn())
    assert "plays chess" not in await told(bob)


async def test_what_a_memory_said_before_it_was_corrected_is_forgotten_with_it(ann, bob):
    fact = await talk(ann, bob)
    await ann.update("location", "Lviv", change_reason="correction", source_excerpt="No, I live in Lviv")
    await ann.deletes(fact)
    await assert_gone(ann, bob)


async def test_what_was_said_of_another_value_that_a_memory_had_before_stays(ann, bob):
    fact = await talk(ann, bob)
    await ann.update("location", "Kyiv", change_reason="refinement", source_excerpt="in Kyiv itself")
    await ann.update("location", "Lviv")
    await ann.call("forget", memory_id=fact)
    await ann.call("forget", turn=ann.turn(text=f"only {fact}"), memory_id=fact)
    assert TOLD in await told(bob)
    assert (await ann.facts())[0]["value"] == "Kyiv"


async def test_what_a_past_value_was_before_it_was_corrected_is_forgotten_with_it(ann, bob):
    await talk(ann, bob)
    await ann.update("location", "Lviv", change_reason="correction", source_excerpt="No, I live in Lviv")
    past = (await ann.update("location", "Odesa"))["past_fact_id"]
    await ann.deletes(past)
    await assert_gone(ann, bob)
    assert await ann.values() == ["Odesa"]


async def test_what_was_merged_only_until_that_was_undone_is_not_forgotten_with_it(ann, bob):
    await ann.speaks("I love beekeeping")
    facts = [(await ann.fact("hobby", value))["fact_id"] for value in ("gardening", "beekeeping")]
    await ann.call("merge_facts", user_id=123, fact_ids=facts, merged_value="garden and bees", merged_confidence=0.9)
    await ann.memory.undo(facts[0], ann.turn())
    await ann.deletes(facts[0])
    assert "I love beekeeping" in await told(bob, "Who loves beekeeping?")


async def test_what_only_mentions_a_number_or_what_a_relative_is_stays(ann, memory):
    mere = ["The bus number 30 leaves at 8", "My grandma was a florist"]
    for text in ("I am 30", *mere, "I am a florist"):
        await ann.speaks(text)
    age, job = await ann.fact("age", "30"), await ann.fact("job", "florist")
    given = await memory.record("assistant", "30 it is", ann.turn(), given=[age["fact_id"]])
    for fact in (age, job):
        await ann.deletes(fact["fact_id"])
    assert [message.text for message in await memory.recent(ann.turn())] == mere, given


async def test_a_mere_yes_to_whoever_asks_for_it_is_told_nobody(ann, bob):
    await ann.speaks("I moved last year")
    fact = (await ann.fact())["fact_id"]
    for question, answer in (("Ann, do you live in Kyiv?", "Yes."), ("Do you sing?", "yes!"), ("Kyiv is old", "sure")):
        await bob.speaks(question)
        for number in range(40):  # as on a busy server
            await ann.at(chat="457").speaks(f"yes, please {number}" if number else "yes, please")
        await ann.speaks(answer)
    await ann.memory.record("assistant", "So you are in Kyiv?", ann.turn())
    await ann.speaks("Так, саме так")
    assert (await ann.deletes(fact))["messages_withheld"] == 3
    texts = [one.text for one in await ann.memory.recent(ann.turn(), 50)]
    kept = ["I moved last year", "Ann, do you live in Kyiv?", "Do you sing?", "yes!", "Kyiv is old", "sure"]
    assert [text for text in texts if text in (*kept, "Yes.", "Так, саме так")] == kept


async def test_nobody_hides_what_another_person_said(ann, bob):
    await talk(ann, bob)
    assert "messages_withheld" not in await bob.forget_fact("location", user_id=123, reason="user_requested")
    assert TOLD in await told(ann)


async def test_who_has_where_they_live_forgotten_has_where_they_lived_forgotten(ann, bob):
    fact = await talk(ann, bob)
    await ann.update("location", "Lviv")
    assert (await ann.forget_fact("location", reason="user_requested"))["messages_withheld"] == 2
    assert await ann.facts() == []
    await assert_gone(ann, bob)
    await ann.memory.undo(fact, ann.turn())
    assert await ann.values() == ["Kyiv", "Lviv"]
    assert TOLD in await told(bob)


async def test_a_fact_that_is_only_outdated_was_said_all_the_same(ann, bob):
    await talk(ann, bob)
    assert "messages_withheld" not in await ann.forget_fact("location", reason="outdated")
    assert TOLD in await told(bob)


async def test_the_answer_that_repeats_what_its_turn_deleted_is_told_nobody(ann, bob):
    fact = await talk(ann, bob)
    await ann.call("forget", memory_id=fact)
    turn = ann.turn()
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "deleted"
    await ann.memory.record("assistant", "Done, I no longer know that you live in Kyiv.", turn)
    assert "no longer know" not in await told(ann)
    await ann.memory.record("assistant", "It rains in Kyiv.", ann.turn())
    assert "It rains" in await told(ann), "a later turn's answer is another matter"
    await ann.memory.undo(fact, ann.turn())
    assert "no longer know" in await told(ann)


@pytest.mark.parametrize("order", ["Forget that I live in Kyiv, please", "Будь ласка, забудь, що я живу в Києві"])
async def test_the_order_and_its_repetition_tell_what_was_forgotten_no_more(ann, bob, clock, order):
    number = await talk(ann, bob)
    await ann.speaks(order)
    for _ in range(2):
        await ann.call("forget", memory_id=number)
    clock.forward(minutes=1)
    turn = ann.turn(text=order)
    await ann.memory.record("user", order, turn)
    await ann.memory.record("assistant", "I know nothing of Kyiv", turn)
    await ann.speaks("Kyiv was in the news")
    everything = await told(ann)
    assert order not in everything
    assert "I know nothing of Kyiv" not in everything
    assert "Kyiv was in the news" in everything, "what only mentions it later stays"
    await ann.memory.undo(number, ann.turn())
    assert order in await told(ann)


async def test_to_take_one_deletion_back_does_not_tell_what_another_deleted(ann, bob):
    both = "I live in Kyiv and keep bees"
    await ann.speaks(both)
    fact, note = (await ann.fact())["fact_id"], await ann.note("keeps bees")
    assert (await ann.deletes(fact))["messages_withheld"] == 1
    assert "messages_withheld" not in await ann.deletes(note)
    await ann.memory.undo(fact, ann.turn())
    assert both not in await told(bob)
    await ann.memory.undo(note, ann.turn())
    assert both in await told(bob)


async def test_nothing_comes_of_a_withheld_message_later(ann, bob, memory, clock):
    turn = ann.turn(message="m1")
    waiting = await memory.apply(observe.note_message, turn, TOLD, TOLD)
    await ann.deletes((await ann.fact())["fact_id"])
    clock.forward(minutes=5)
    assert await memory.look(observe.windows) == ([], [])
    edited = ann.turn(message="m1")
    await memory.apply(observe.note_message, edited, f"{TOLD}!", f"{TOLD}!")
    assert await memory.look(lambda tx: tx.observations.list()) == [], "nor of its edits"
    await assert_not_in_episodes(ann, bob, waiting.space)
    assert TOLD not in await told(bob)


async def assert_not_in_episodes(ann, bob, space):
    lines = await ann.memory.look(lambda tx: tx.segments.messages_after(space, ann.turn().conversation, 0, 50))
    assert [line.text for line in lines] == []
    await bob.speaks("Hello")
    made = await bob.call("create_episode", topic="Greeting", summary="Bob said hello.", importance=0.5)
    assert made["message_count"] == 1


@pytest.mark.partitioned
async def test_another_process_follows_at_once(lasting_url, opening, make_person):
    one, two = [await opening(lasting_url, background=False) for _ in range(2)]
    ann, bob = make_person(one), make_person(two, user=8)
    fact = await talk(ann, bob)
    for _ in range(3):
        assert TOLD in await told(bob)  # by now it is in the other's memory
    await ann.deletes(fact)
    await assert_gone(bob)
    await ann.memory.undo(fact, ann.turn())
    assert TOLD in await told(bob)


@pytest.mark.partitioned
async def test_an_interrupted_deletion_removes_nothing_before_it_reached_the_messages(open_store, make_person, clock):
    memory = await open_store(background=False)
    ann, bob = make_person(memory), make_person(memory, user=8)
    fact = await talk(ann, bob)
    await ann.call("forget", memory_id=fact)
    _, [task] = await memory._store.write(and_left(forget), ann.turn(), [str(fact)])
    assert task.kind == withhold.WITHHOLD
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    assert (await ann.values(), await memory.look(lambda tx: tx.memories.get(person, fact)) is None) == ([], False)
    assert await memory.undo(fact, ann.turn()) == Refused("it is not finished in all chats yet: try again in a minute")
    clock.forward(seconds=61)
    assert await memory.run_tasks() == 1
    await assert_gone(ann, bob)
    assert await memory.look(lambda tx: tx.memories.get(person, fact)) is None
    assert isinstance(await memory.undo(fact, ann.turn()), Changed)
    assert TOLD in await told(bob)


@pytest.mark.partitioned
async def test_what_is_withheld_stays_so_in_another_store(ann, bob, memory, opening, tmp_path, make_person):
    fact = await talk(ann, bob)
    await ann.deletes(fact)
    lines: list[str] = []
    await memory.look(export_store, lines.append)
    other = await opening(f"sqlite:///{tmp_path / 'other.db'}")
    await other.import_lines(lines)
    there = make_person(other)
    await assert_gone(there)
    assert isinstance(await other.undo(fact, there.turn()), Changed)
    assert TOLD in await told(there)


@pytest.mark.partitioned
async def test_of_two_deletions_at_once_one_counts_the_messages(ann, bob):
    fact = await talk(ann, bob)
    await ann.call("forget", memory_id=fact)
    results = await asyncio.gather(*(ann.call("forget", memory_id=fact) for _ in range(2)))
    assert sorted(result.status for result in results) == ["deleted", "not_found"]
    assert [result.get("messages_withheld") for result in results].count(2) == 1
    await assert_gone(ann, bob)


@pytest.mark.parametrize("kind", [withhold.WITHHOLD, withhold.LIFT])
async def test_what_is_left_to_do_in_a_space_that_is_gone_is_done(open_store, make_person, kind):
    memory = await open_store(background=False)
    await make_person(memory).speaks()
    spaces = {"999": [[1, 99]]} if kind == withhold.WITHHOLD else [999]

    def leave(tx) -> None:
        payload = {"spaces": spaces, "change": 99}
        person = tx.owners.find("person", "telegram", "123")
        tx.tasks.add(person, kind, payload, conversation=("", "", 0), person=0, priority=0)

    await memory.apply(leave)
    await memory.run_tasks()
    assert await memory.tasks() == []


@pytest.mark.partitioned
async def test_a_late_worker_withholds_nothing_that_was_taken_back_meanwhile(url, opening, make_person):
    one, two = [await opening(url, background=False) for _ in range(2)]
    ann, bob = make_person(one), make_person(two, user=8)
    fact = await talk(ann, bob)
    await ann.call("forget", memory_id=fact)
    _, [task] = await one._store.write(and_left(forget), ann.turn(), [str(fact)])
    has_asked, go_on, is_open = threading.Event(), threading.Event(), Tasks.is_open

    def stands_still(tasks, *args, **more):
        answer = is_open(tasks, *args, **more)
        if not has_asked.is_set():
            has_asked.set()
            assert go_on.wait(120)
        return answer

    async def end_and_take_back():
        await two._worker.finish([task])
        return await two.undo(fact, ann.turn())

    with mock.patch.object(Tasks, "is_open", stands_still):
        [space] = await one._store.read(withhold.WITHHOLDING.parts, task)
        late = asyncio.create_task(one._store.write(withhold.WITHHOLDING.part, task, space))
        assert await asyncio.to_thread(has_asked.wait, 120)
        other = asyncio.create_task(end_and_take_back())
        await asyncio.wait({other}, timeout=0.5)
        go_on.set()
        await late
        assert isinstance(await other, Changed)
    assert TOLD in await told(bob)
