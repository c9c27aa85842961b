"""Forgetting reaches what was made from what said it: episodes, questions, queued calls, and what is kept later."""

from __future__ import annotations

import pytest

from zgadka.model.inference import Inferred
from zgadka.model.outcome import Changed
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import observe, questions, self_service, tasks, withhold
from zgadka.ops.belongings import mine
from zgadka.ops.operator_queries import inventory
from zgadka.stores.tx.operator_queries import FIRST, Wanted

pytestmark = [pytest.mark.asyncio, pytest.mark.every_case]

HINT = "So many bridges, and I pass the market each morning"


@pytest.fixture(params=["sqlite-file", "postgres", "postgres-partitioned"])
def back_end(request):
    """One of each: what is different here is how transactions are made."""
    return request.param


async def says(person, text, **more):
    """Write a message; returns its turn, in which tools may be called."""
    turn = person.turn(text=text, **more)
    await person.memory.record("user", text, turn)
    return turn


async def keeps(person, text, **more):
    """Tell something that holds no word of the fact that is made of it; returns the fact's id."""
    turn = await says(person, text, **more)
    told = await person.fact(turn=turn)
    assert told.status == "success"
    return told["fact_id"]


async def texts(person):
    return [message.text for message in await person.memory.recent(person.turn(), 50)]


async def episode(person, topic="Moving", **more):
    turn = person.turn()
    return await person.call("create_episode", turn=turn, topic=topic, summary="They talked.", importance=0.5, **more)


async def test_what_a_memory_was_made_from_goes_with_it_and_others_words_stay(ann, bob):
    fact = await keeps(ann, HINT)
    await says(bob, "Bridges are fine")
    assert (await ann.deletes(fact))["messages_withheld"] == 1
    assert await texts(bob) == ["Bridges are fine"]
    await ann.memory.undo(fact, ann.turn())
    assert HINT in await texts(bob)


FURTHER = "The trolleybuses squeak under my window until midnight"


async def test_what_a_person_went_on_to_tell_goes_with_it_and_their_short_replies_stay(ann, bob):
    fact = await keeps(ann, HINT)
    for text in (FURTHER, "you have to, they gossip", "Could you find cheap tickets for the opera on Sunday?"):
        await says(ann, text)
    await says(bob, FURTHER.replace("my", "our"))
    assert (await ann.deletes(fact))["messages_withheld"] == 2
    assert FURTHER not in await texts(ann)
    assert len(await texts(ann)) == 3
    await ann.memory.undo(fact, ann.turn())
    assert FURTHER in await texts(ann)


async def test_what_another_memory_explains_stays(ann):
    fact = await keeps(ann, HINT)
    turn = await says(ann, "Practising the cello before breakfast again, poor neighbours")
    assert (await ann.fact("instrument", "cello", turn=turn)).status == "success"
    await says(ann, "Somebody glued felt under every cello spike last winter")
    assert (await ann.deletes(fact))["messages_withheld"] == 1
    assert len(await texts(ann)) == 2


async def test_what_is_said_after_five_more_messages_is_of_something_else(ann):
    fact = await keeps(ann, HINT)
    for number in range(5):
        await says(ann, f"ok {number}")
    await says(ann, FURTHER)
    assert (await ann.deletes(fact))["messages_withheld"] == 1
    assert FURTHER in await texts(ann)


async def test_what_is_said_an_hour_later_is_of_something_else(ann, clock):
    fact = await keeps(ann, HINT)
    clock.forward(minutes=61)
    await says(ann, FURTHER)
    assert (await ann.deletes(fact))["messages_withheld"] == 1
    assert FURTHER in await texts(ann)


@pytest.mark.partitioned
async def test_what_another_said_of_a_person_is_theirs(ann, bob, memory):
    await ann.speaks()
    turn = await says(bob, "She passes the Lavra each morning")
    fact = (await bob.fact(turn=turn, user_id=123))["fact_id"]
    assert "messages_withheld" not in await ann.deletes(fact)
    assert "She passes the Lavra each morning" in await texts(ann)


async def test_an_answer_that_was_given_a_memory_and_repeats_it_goes_with_it(ann, bob, memory):
    fact = await keeps(ann, HINT)
    for answer in ("Kyiv, says she", "Ask at the library"):
        await memory.record("assistant", answer, bob.turn(), given=[fact])
    await memory.record("assistant", "Kyiv has a metro", bob.turn())
    assert (await ann.deletes(fact))["messages_withheld"] == 2
    assert await texts(bob) == ["Ask at the library", "Kyiv has a metro"]


async def test_an_answer_to_another_that_names_its_person_by_id_goes_with_it(ann, bob, memory):
    fact = await keeps(ann, HINT)
    for answer in ("<@123> lives in Kyiv", "<@8> was in Kyiv"):
        await memory.record("assistant", answer, bob.turn())
    assert (await ann.deletes(fact))["messages_withheld"] == 2
    assert await texts(bob) == ["<@8> was in Kyiv"]
    await memory.undo(fact, ann.turn())
    assert "<@123> lives in Kyiv" in await texts(bob)


async def test_what_a_past_value_was_before_it_was_corrected_comes_back_by_no_word_of_another(ann, bob):
    await ann.speaks()
    await ann.fact("location", "Lviv")
    await ann.update("location", "Kyiv", change_reason="correction")
    await ann.deletes((await ann.update("location", "Odesa"))["past_fact_id"])
    for value in ("Kyiv", "Lviv"):
        assert (await bob.fact("hometown", value, user_id=123))["reason"] == "declined"
    assert (await bob.fact("hometown", "Odesa", user_id=123)).status == "success"


async def test_of_a_merge_that_is_forgotten_only_what_was_merged_then_comes_back_by_no_word_of_another(ann, bob):
    await ann.speaks()
    ids = [(await ann.fact("hobby", value))["fact_id"] for value in ("chess", "go")]
    await ann.call("merge_facts", user_id=123, fact_ids=ids, merged_value="board games", merged_confidence=0.9)
    await ann.update("hobby", "games", fact_id=ids[0], change_reason="correction")
    assert (await ann.fact("hobby", "go"))["fact_id"] == ids[1]
    await ann.update("hobby", "banjo", fact_id=ids[1])
    await ann.deletes(ids[0])
    assert (await bob.fact("skill", "go", user_id=123))["reason"] == "declined"
    assert (await bob.fact("skill", "banjo", user_id=123)).status == "success"


async def test_what_a_person_had_forgotten_comes_back_by_no_later_word_of_another(ann, bob, clock):
    fact = await keeps(ann, HINT)
    await ann.deletes(fact)
    clock.forward(minutes=1)
    turn = await says(bob, "Ann is in Kyiv still")
    for said in (turn, bob.turn()):
        assert (await bob.fact(turn=said, user_id=123)).status == "refused"
    own = await says(ann, "Kyiv it is")
    assert (await ann.fact(turn=own)).status == "success"


async def test_an_operator_finds_a_withheld_episode_among_what_is_hidden_alone(ann, memory):
    fact = await keeps(ann, HINT)
    assert (await episode(ann)).status == "success"
    await ann.deletes(fact)

    def listed(tx, *, hidden):
        known = tx.operator.list_memories(Wanted(kind="episode", hidden=hidden), FIRST, 9)
        kept = inventory(tx, platform=None, user=None, space=None, archived=hidden)
        return len(known), sum(row.memory.kind == "episode" for row in kept)

    assert await memory.look(listed, hidden=False) == (0, 0)
    assert await memory.look(listed, hidden=True) == (1, 1)


@pytest.mark.parametrize("how", ["correction", "merged"])
async def test_what_it_was_before_comes_back_by_nothing_older_either(ann, memory, clock, how):
    await ann.speaks()
    fact = (await ann.fact("hobby", "rowing"))["fact_id"]
    if how == "correction":
        assert (await ann.update("hobby", "chess", change_reason="correction")).status == "success"
    else:
        merged = {"user_id": 123, "merged_value": "all of chess", "merged_confidence": 0.9}
        other = (await ann.fact("hobby", "chess"))["fact_id"]
        assert (await ann.call("merge_facts", fact_ids=[other, fact], **merged)).status == "success"
        fact = other
    before = clock.now
    clock.forward(minutes=1)
    await ann.deletes(fact)
    clock.forward(minutes=1)
    late = ann.turn(time=before)
    assert (await ann.fact("hobby", "rowing", turn=late)).status == "refused"
    await memory.record("user", "I love rowing", late)
    assert "I love rowing" not in await texts(ann)
    assert (await ann.fact("hobby", "rowing", turn=ann.turn(time=clock.now))).status == "success"


async def test_what_was_written_before_it_was_forgotten_and_is_recorded_only_then_is_told_nobody(ann, memory, clock):
    fact = await keeps(ann, HINT)
    before = clock.now
    clock.forward(seconds=30)
    await ann.deletes(fact)
    clock.forward(seconds=30)
    late = {"time": before, "text": "So I am a Kyiv citizen"}
    await memory.observe(late["text"], ann.turn(message="late", **late))
    await memory.record("assistant", "You live in Kyiv", ann.turn(**late))
    await memory.record("user", "Kyiv has a metro, and more", ann.turn(time=clock.now))
    await memory.record("user", "I like trams", ann.turn(time=before))
    assert await texts(ann) == ["Kyiv has a metro, and more", "I like trams"]
    await memory.undo(fact, ann.turn())
    assert {late["text"], "You live in Kyiv"} <= {*await texts(ann)}


@pytest.mark.parametrize("way", ["deleted", "forgotten"])
async def test_an_answer_that_is_under_way_while_what_it_was_given_is_forgotten_is_told_nobody(
    ann, bob, memory, clock, way
):
    fact = await keeps(ann, HINT)
    asked = bob.turn(time=clock.now)
    await memory.record("user", "Where does she live?", asked)
    clock.forward(seconds=5)
    if way == "deleted":
        await ann.deletes(fact)
    else:
        await ann.forget_fact("location", reason="user_requested")
    clock.forward(seconds=5)
    await memory.record("assistant", "In Kyiv", asked, given=[fact])
    await memory.record("assistant", "In Kyiv there are trams", asked)
    assert await texts(bob) == ["Where does she live?", "In Kyiv there are trams"]
    await memory.undo(fact, ann.turn())
    assert "In Kyiv" in await texts(bob)


async def test_an_episode_made_from_what_is_withheld_is_told_nobody_until_it_is_taken_back(ann, bob):
    fact = await keeps(ann, HINT)
    made = await episode(ann)
    assert made.status == "success"
    await ann.deletes(fact)
    assert (await bob.call("recall_episodes")).get("episodes", []) == []
    assert (await bob.call("archive_episode", episode_id=made["episode_id"])).status == "not_found"
    again = await episode(bob)
    assert again.status == "success", "what nobody is told is not already known"
    await bob.call("archive_episode", episode_id=again["episode_id"])
    assert isinstance(await ann.memory.undo(fact, ann.turn()), Changed)
    [told] = (await bob.call("recall_episodes"))["episodes"]
    assert told["episode_id"] == made["episode_id"]


async def test_an_episode_stays_withheld_as_long_as_another_deletion_reaches_it(ann, bob):
    fact = await keeps(ann, HINT)
    turn = await says(ann, "The barn hums all summer")
    note = await ann.note("keeps bees", turn=turn)
    await episode(ann)
    await ann.deletes(fact)
    await ann.deletes(note)
    await ann.memory.undo(fact, ann.turn())
    assert (await bob.call("recall_episodes")).get("episodes", []) == []
    await ann.memory.undo(note, ann.turn())
    assert len((await bob.call("recall_episodes"))["episodes"]) == 1


async def test_one_message_with_two_facts_stays_withheld_until_both_are_back(ann, bob):
    turn = await says(ann, HINT)
    fact, note = (await ann.fact(turn=turn))["fact_id"], await ann.note("keeps bees", turn=turn)
    await ann.deletes(fact)
    await ann.deletes(note)
    await ann.memory.undo(fact, ann.turn())
    assert await texts(bob) == []
    await ann.memory.undo(note, ann.turn())
    assert await texts(bob) == [HINT]


async def test_another_fact_of_the_same_message_loses_the_quote_that_tells_what_is_forgotten(ann, memory):
    text = "I live in Kyiv and keep bees"
    turn = await says(ann, text)
    fact = (await ann.fact(turn=turn, source_excerpt=text))["fact_id"]
    bees = (await ann.fact("hobby", "bees", turn=turn, source_excerpt=text))["fact_id"]
    await ann.deletes(fact)
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    kept = await memory.look(lambda tx: tx.memories.get(person, bees))
    assert (kept.content, kept.excerpt) == ("bees", None)


async def test_a_fact_of_another_message_that_says_it_too_loses_the_quote(ann, memory):
    fact = await keeps(ann, HINT)
    text = "I live in Kyiv and keep bees"
    turn = await says(ann, text)
    bees = (await ann.fact("hobby", "bees", turn=turn, source_excerpt=text))["fact_id"]
    await ann.deletes(fact)
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    kept = await memory.look(lambda tx: tx.memories.get(person, bees))
    assert (kept.content, kept.excerpt) == ("bees", None)


async def test_a_question_about_what_is_forgotten_is_closed_and_others_stay_open(ann, memory):
    fact = await keeps(ann, HINT)
    items = [Inferred(type="personal", key="city", value=value) for value in ("Kyiv", "Poltava")]
    await memory.apply(questions.ask_to_save, ann.turn(), items)
    await memory.apply(questions.ask_to_save, ann.turn(message="m9", text="?"), items[:1])
    await ann.deletes(fact)
    [question] = await memory.look(questions.save_questions, ann.turn())
    assert [item.value for _, item in question.open_items] == ["Poltava"]


async def test_a_question_from_a_withheld_message_is_closed(ann, memory):
    fact = await keeps(ann, HINT, message="m1")
    item = Inferred(type="personal", key="church", value="the Lavra")
    await memory.apply(questions.ask_to_save, ann.turn(message="m1"), [item])
    await ann.deletes(fact)
    assert await memory.look(questions.save_questions, ann.turn()) == []


def queued(value):
    return {"user_id": 123, "fact_type": "personal", "fact_key": "city", "fact_value": value, "confidence": 0.9}


async def test_a_queued_call_that_says_what_is_forgotten_is_never_done(open_store, make_person):
    ann = make_person(memory := await open_store(background=False))
    fact = await keeps(ann, HINT)
    for value in ("Kyiv", "Poltava"):
        await memory.apply(tasks.enqueue_call, ann.turn(), "remember_fact", 1, queued(value))
    await ann.deletes(fact)
    while await memory.run_tasks():
        pass
    assert await ann.values() == ["Poltava"]
    assert [done.result["message"] for done in await memory.take_finished(ann.turn())] == [
        "Remembered: personal → location = Poltava"
    ]


async def test_remembered_is_never_told_of_what_was_deleted_since(ann, memory):
    await ann.speaks()
    await memory.apply(tasks.enqueue_call, ann.turn(), "remember_fact", 1, queued("Kyiv"))
    await memory.run_tasks()
    [fact] = await ann.facts()
    await ann.deletes(fact["fact_id"])
    assert await memory.take_finished(ann.turn()) == []


async def test_what_a_turn_had_forgotten_it_does_not_store_again(ann):
    fact = await keeps(ann, HINT)
    await ann.call("forget", memory_id=fact)
    turn = ann.turn()
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "deleted"
    refused = await ann.fact(turn=turn)
    assert (refused.status, refused["reason"]) == ("refused", "forgotten")
    assert "Kyiv" not in refused.json()
    assert (await ann.call("remember", turn=turn, content="lives in Kyiv")).status == "refused"
    assert (await ann.fact(value="Lviv", turn=turn)).status == "success", "something else is another matter"
    assert (await ann.deletes((await ann.facts())[0]["fact_id"])).status == "deleted"
    assert (await ann.fact()).status == "success", "a later message of theirs tells it anew"


@pytest.mark.partitioned
async def test_without_an_undo_window_neither(open_store, make_person):
    ann = make_person(await open_store(undo_hours=0))
    fact = await keeps(ann, HINT)
    await ann.call("forget", turn=ann.turn(text="forget where I live"), memory_id=fact)
    turn = ann.turn(text="yes")
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "deleted"
    assert (await ann.fact(turn=turn)).status == "refused"
    assert (await ann.call("remember", turn=turn, content="lives in Kyiv by the river")).status == "refused"


@pytest.mark.partitioned
async def test_without_an_undo_window_no_answer_that_comes_only_now_tells_it(open_store, make_person, clock):
    ann = make_person(memory := await open_store(undo_hours=0))
    bob = await make_person(memory, user=8).speaks()
    fact = await keeps(ann, HINT)
    ask, asked = ann.turn(time=clock()), bob.turn(time=clock())
    clock.forward(minutes=1)
    await ann.call("forget", memory_id=fact)
    turn = ann.turn(time=clock())
    assert (await ann.call("forget", turn=turn, memory_id=fact)).status == "deleted"
    clock.forward(seconds=1)
    before = await texts(bob)
    await memory.record("assistant", "I have forgotten that you live in Kyiv", turn)
    clock.forward(seconds=5)
    await memory.record("assistant", "You live in Kyiv, as I know", ask)
    await memory.record("assistant", "She lives in Києві", asked, given=[fact])
    assert await texts(bob) == before
    await memory.record("assistant", "Bridges there are many", turn)
    await ann.speaks("I live in Kyiv again")
    assert (await texts(bob))[len(before) :] == ["Bridges there are many", "I live in Kyiv again"]


async def test_an_older_message_tells_nothing_anew(ann, clock):
    fact = await keeps(ann, HINT)
    older = ann.turn(time=clock())
    clock.forward(minutes=1)
    await ann.deletes(fact)
    assert (await ann.fact(turn=older)).status == "refused"
    assert (await ann.call("remember", turn=older, content="lives in Kyiv by the river")).status == "refused"
    clock.forward(minutes=1)
    assert (await ann.fact(turn=ann.turn(time=clock()))).status == "success"


@pytest.mark.parametrize("undo_hours", [24, 0])
async def test_an_older_message_tells_nothing_anew_when_the_text_is_gone(open_store, make_person, clock, undo_hours):
    ann = make_person(memory := await open_store(undo_hours=undo_hours, background=False))
    said = await memory.apply(observe.note_message, ann.turn(message="m1"), HINT, HINT)
    fact, older = await keeps(ann, "The trams are loud"), ann.turn(time=clock())
    clock.forward(minutes=1)
    await ann.deletes(fact)
    clock.forward(hours=undo_hours + 1)
    await memory.tidy()
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    assert await memory.look(lambda tx: tx.rows("sources_of", {"owner": person, "memory": fact})) == []
    assert (await ann.fact(turn=older)).status == "refused"
    assert (await ann.call("remember", turn=older, content="lives in Kyiv by the river")).status == "refused"
    items = [Inferred(type="personal", key=key, value=value) for key, value in (("location", "Kyiv"), ("pet", "cat"))]
    kept = await memory.apply(observe.keep_inferred, [said], items, [])
    assert [stored.content for stored in kept.stored] == ["cat"]
    assert (await ann.fact(turn=ann.turn(time=clock()))).status == "success"
    await memory.erase(ann.turn())
    assert await memory.look(lambda tx: tx.rows("forgotten_any", {"owner": person})) == []


async def test_nothing_is_inferred_anew_from_an_older_message_that_still_waits(ann, memory, clock):
    said = await memory.apply(observe.note_message, ann.turn(message="m1"), HINT, HINT)
    fact = (await ann.fact())["fact_id"]
    clock.forward(seconds=30)  # at a minute the memory itself would look at it
    await ann.deletes(fact)
    items = [Inferred(type="personal", key=key, value=value) for key, value in (("location", "Kyiv"), ("pet", "cat"))]
    kept = await memory.apply(observe.keep_inferred, [said], items, [])
    assert [stored.content for stored in kept.stored] == ["cat"]
    assert kept.question is None


@pytest.mark.partitioned
async def test_what_a_deletion_reaches_beyond_the_first_hundreds_follows_by_itself(open_store, make_person):
    ann = make_person(memory := await open_store(background=False))
    fact = await keeps(ann, HINT)
    for number in range(210):
        await memory.record("user", f"Kyiv, {number}", ann.turn())
    result = await ann.deletes(fact)
    assert (result["messages_withheld"], result["queued"]) == (211, True)
    assert len(await texts(ann)) == 11
    await memory.run_tasks()
    assert await texts(ann) == []
    await memory.undo(fact, ann.turn())
    assert len(await texts(ann)) == 50


@pytest.mark.partitioned
async def test_a_message_deleted_on_its_platform_takes_along_what_was_made_from_it_alone(ann, bob, memory):
    turn = await says(ann, HINT, message="m1")
    fact = (await ann.fact(turn=turn, source_excerpt=HINT))["fact_id"]
    await episode(ann)
    await memory.record("assistant", "So you live in Kyiv", ann.turn(), given=[fact])
    assert await memory.unrecord(ann.turn(message="m1"))
    assert (await texts(bob), await ann.values()) == ([], [])
    assert (await bob.call("recall_episodes")).get("episodes", []) == []
    deletion = (await memory.history(fact, ann.turn()))[-1]
    assert (deletion.action, deletion.reason) == ("deleted", "its source was deleted on the platform")
    assert not await memory.unrecord(ann.turn(message="m1"))


async def test_what_another_message_says_too_loses_only_the_quote(ann, memory):
    turn = await says(ann, HINT, message="m1")
    fact = (await ann.fact(turn=turn, source_excerpt=HINT))["fact_id"]
    await ann.fact(turn=await says(ann, "Kyiv it is", message="m2"))
    await memory.unrecord(ann.turn(message="m1"))
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "123"))
    kept = await memory.look(lambda tx: tx.memories.get(person, fact))
    assert (kept.content, kept.excerpt) == ("Kyiv", None)
    await memory.unrecord(ann.turn(message="m2"))
    assert await ann.values() == []


async def test_what_was_remembered_of_another_goes_with_the_message_that_told_it(ann, bob, memory):
    await ann.speaks()
    turn = await says(bob, "She passes the Lavra each morning", message="m1")
    await bob.fact(turn=turn, user_id=123)
    await memory.unrecord(bob.turn(message="m1"))
    assert await ann.values() == []


async def test_answers_that_retold_a_deleted_message_go_with_it(ann, bob, memory):
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Ann"))
    await memory.record("assistant", "A bike lock has a PIN of four digits, as 4412", ann.turn())
    await says(ann, "My PIN for the bike lock is 4412, and my ex is called Zbigniew.", message="m1")
    await memory.record("assistant", "Noted: Zbigniew is the name of your ex", ann.turn())
    await memory.record("assistant", "Ann said: the bike lock's PIN is 4412", bob.turn())
    await episode(bob)
    for stays in ("Bike locks are on sale", "Zbigniew is a name in Poland"):
        await memory.record("assistant", stays, bob.turn())
    await ann.fact("ex", "Zbigniew", turn=ann.turn(message="m1"))
    assert await memory.unrecord(ann.turn(message="m1"))
    kept = ["A bike lock has a PIN of four digits, as 4412", "Bike locks are on sale", "Zbigniew is a name in Poland"]
    assert await texts(bob) == kept
    assert (await bob.call("recall_episodes")).get("episodes", []) == []


async def test_so_they_do_where_its_person_has_it_deleted_that_no_memory_came_of(ann, bob, memory):
    await says(ann, "The barn hums all summer")
    for answer in ("So the barn hums all summer!", "What a summer"):
        await memory.record("assistant", answer, ann.turn())
    await ann.deletes("M1")
    assert await texts(bob) == ["What a summer"]


async def test_a_message_that_no_memory_tells_is_a_candidate_and_goes_like_a_memory(ann, bob):
    await says(ann, "The barn hums all summer")
    await says(bob, "My barn hums, too")
    fact = (await ann.fact("hobby", "barn dances", turn=await says(ann, "I love barn dances")))["fact_id"]
    listed = await ann.call("forget", query="barn")
    shown = {row["content"]: row["memory_id"] for row in listed["candidates"]}
    assert shown.keys() == {"hobby: barn dances", "The barn hums all summer"}
    id_ = shown["The barn hums all summer"]
    asked = await ann.call("forget", memory_id=id_)
    assert asked.status == "confirmation_required"
    assert "The barn hums all summer" in asked.message
    assert (await ann.call("forget", memory_id=id_.replace("M", "message:"))).status == "deleted"
    assert await texts(bob) == ["My barn hums, too", "I love barn dances"]
    assert (await ann.call("forget", memory_id=f"{id_},{fact}"))["not_found"] == [id_]


async def test_nobody_deletes_another_persons_message(ann, bob, memory):
    await ann.speaks()
    number = await memory.record("user", "My barn hums", bob.turn())
    for _ in range(2):
        assert (await ann.call("forget", memory_id=f"M{number}")).status == "not_found"
    assert "My barn hums" in await texts(ann)


async def test_a_message_that_is_deleted_leaves_what_is_known_from_it(ann):
    turn = await says(ann, HINT)
    fact = (await ann.fact(turn=turn, source_excerpt=HINT))["fact_id"]
    [row] = [
        row
        for row in (await ann.call("forget", query="bridges"))["candidates"]
        if str(row["memory_id"]).startswith("M")
    ]
    for _ in range(2):
        await ann.call("forget", memory_id=row["memory_id"])
    assert (await texts(ann), [known["fact_id"] for known in await ann.facts()]) == ([], [fact])


async def test_in_a_group_no_message_of_a_closed_chat_is_told_by_its_id(ann, memory):
    """A model may guess ids; the person's own words are not for all who read here."""
    closed = ann.at(chat="mods", audience="mods")
    number = await memory.record("user", "My barn hums", closed.turn())
    asked = await ann.call("forget", memory_id=f"M{number}")
    assert (asked.status, "barn" in asked.json()) == ("not_found", False)
    assert (await closed.call("forget", memory_id=f"M{number}")).status == "confirmation_required"
    assert (await ann.at(direct=True).call("forget", memory_id=f"M{number}")).status == "confirmation_required"


async def test_at_full_no_message_is_told_in_a_group_by_its_id(ann, memory):
    number = await memory.record("user", "My barn hums", ann.turn())
    await memory.set_privacy(PrivacyLevel.FULL, ann.turn(direct=True))
    asked = await ann.call("forget", memory_id=f"M{number}")
    assert (asked.status, "barn" in asked.json()) == ("not_found", False)
    assert (await ann.at(direct=True).call("forget", memory_id=f"M{number}")).status == "confirmation_required"


PREGNANT = {"topic": "Evening", "summary": "Anna told Bob that she is pregnant.", "importance": 0.5}


async def told_episodes(person):
    return [one["summary"] for one in (await person.call("recall_episodes")).get("episodes", [])]


async def clears_profile(person):
    for _ in range(2):
        await person.call("clear_profile", user_id=123, reason="they asked")


async def leaves_it(person):
    [episode] = await person.memory.look(lambda tx: mine(tx, person.turn(), "list").shared)
    await person.memory.apply(self_service.delete, person.turn(direct=True), episode.id)


async def erases(person):
    await person.memory.erase(person.turn(direct=True))


@pytest.mark.partitioned
@pytest.mark.parametrize("way", [clears_profile, leaves_it, erases])
async def test_what_nobody_is_told_because_of_a_person_is_told_nobody_without_them(ann, bob, memory, way):
    await ann.speaks()
    await bob.speaks()
    await bob.call("create_episode", **PREGNANT)
    await memory.set_privacy(PrivacyLevel.PARTIAL, ann.turn())
    await way(ann)
    await memory.set_privacy(PrivacyLevel.MINIMAL, ann.turn())
    assert await told_episodes(bob) == []


@pytest.mark.partitioned
@pytest.mark.parametrize("tells", ["by name", "by value"])
async def test_an_episode_that_tells_of_who_cleared_their_profile_is_told_nobody_until_it_is_back(
    ann, bob, memory, tells
):
    await bob.speaks()
    fact = await keeps(ann, HINT)
    if tells == "by name":
        await memory.report_member("telegram", "456", Member(user="123", number=123, name="Anna Kovalenko"))
    summary = PREGNANT["summary"] if tells == "by name" else "They talked about Kyiv."
    await bob.at(thread="t").speaks()
    await ann.at(thread="t").speaks()
    await bob.at(thread="t").call("create_episode", **PREGNANT | {"summary": summary})
    await clears_profile(ann)
    assert await told_episodes(bob) == []
    assert (await ann.call("clear_profile", user_id=123, reason="again")).status == "nothing_found"
    assert isinstance(await memory.undo(fact, ann.turn()), Changed)
    assert await told_episodes(bob) == [summary]


@pytest.mark.parametrize("door", ["platform", "forget"])
async def test_nothing_comes_any_more_of_a_message_that_is_deleted(ann, bob, memory, door):
    await bob.speaks()
    turn = await says(ann, "The barn hums all summer", message="m1")
    await memory.apply(questions.ask_to_save, turn, [Inferred(type="personal", key="pet", value="bees")])
    about_bob = queued("Poltava") | {"user_id": 8}
    for arguments in (queued("Kyiv"), about_bob):
        await memory.apply(tasks.enqueue_call, turn, "remember_fact", 1, arguments)
    if door == "platform":
        assert await memory.unrecord(ann.turn(message="m1"))
    else:
        [row] = (await ann.call("forget", query="barn"))["candidates"]
        for _ in range(2):
            await ann.call("forget", memory_id=row["memory_id"])
    while await memory.run_tasks():
        pass
    assert await memory.look(questions.save_questions, ann.turn()) == []
    assert (await ann.values(), await bob.values()) == ([], [])


@pytest.mark.partitioned
async def test_what_was_retold_of_another_goes_with_the_message_and_their_own_words_stay(ann, bob, memory):
    own = "In Kyiv it rains, and I like it here"
    await says(ann, own)
    turn = await says(bob, "She passes the Lavra each morning", message="m1")
    fact = (await bob.fact(turn=turn, user_id=123))["fact_id"]
    await memory.record("assistant", "Kyiv, says he", bob.turn(), given=[fact])
    assert await memory.unrecord(bob.turn(message="m1"))
    assert (await ann.values(), await texts(bob)) == ([], [own])


@pytest.mark.partitioned
async def test_a_memory_of_another_loses_the_quote_that_tells_what_is_forgotten(ann, bob, memory):
    await bob.speaks()
    text = "I live in Kyiv, and Bob keeps bees"
    turn = await says(ann, text)
    fact = (await ann.fact(turn=turn, source_excerpt=text))["fact_id"]
    bees = (await ann.fact("hobby", "bees", turn=turn, source_excerpt=text, user_id=8))["fact_id"]
    await ann.deletes(fact)
    person = await memory.look(lambda tx: tx.owners.find("person", "telegram", "8"))
    kept = await memory.look(lambda tx: tx.memories.get(person, bees))
    assert (kept.content, kept.excerpt) == ("bees", None)


@pytest.mark.partitioned
async def test_what_was_said_long_before_follows_by_itself(open_store, make_person, monkeypatch):
    monkeypatch.setattr(withhold, "_LOOKED_THROUGH", 3)
    memory = await open_store(background=False)
    ann, bob = make_person(memory), make_person(memory, user=8)
    await memory.report_member("telegram", "456", Member(user="123", number=123, name="Anna"))
    for number in range(5):
        await memory.record("user", f"Kyiv, {number}", ann.turn())
        await memory.record("assistant", "It rains", ann.turn())
        await memory.record("assistant", "Anna lives in Kyiv", bob.turn())
    fact = await keeps(ann, HINT)
    await ann.deletes(fact)
    assert "Kyiv, 0" in await texts(bob)
    while await memory.run_tasks():
        pass
    assert set(await texts(bob)) == {"It rains"}
    assert isinstance(await memory.undo(fact, ann.turn()), Changed)
    assert len(await texts(bob)) == 16


async def test_in_a_group_only_messages_that_say_it_themselves_are_offered(ann, memory):
    for question, answer in (("What do I do?", "You are a welder"), ("Where do I live?", "In Kyiv")):
        await says(ann, question)
        await memory.record("assistant", answer, ann.turn())
    await says(ann, "A welder knows heat")
    listed = await ann.call("forget", query="welder")
    assert [row["content"] for row in listed["candidates"]] == ["A welder knows heat"]
