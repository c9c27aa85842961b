"""Uncertain memories are saved when their person says so, and only then; over every back end."""

from __future__ import annotations

import asyncio
import re
from datetime import timedelta
from typing import Any

import pytest

from zgadka import Memory
from zgadka.model.inference import Inference, Inferred, SaveQuestion
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.worth_asking import close_told
from zgadka.text.canonical import canonical

pytestmark = pytest.mark.asyncio


async def ask(person: Any, *values: str, key: str = "hobby") -> SaveQuestion:
    """Let the person say something that is uncertain."""

    async def doubts(_: str) -> Inference:
        return Inference(uncertain=tuple(Inferred(type="personal", key=key, value=value) for value in values))

    memory = person.memory
    observed = await Memory(memory._store, memory.settings, extractor=doubts).observe("words", person.turn())
    assert observed.question is not None
    return observed.question


@pytest.mark.partitioned
async def test_saving_all_saves_all_and_closes_the_question(person, memory):
    question = await ask(person, "chess", "go")
    answered = await memory.answer_question(question.id, person.turn(), save=True)
    assert (answered.status, [one.content for one in answered.saved]) == ("saved", ["chess", "go"])
    assert await person.values() == ["chess", "go"]
    assert [fact["confidence"] for fact in await person.facts()] == [0.9, 0.9]
    assert await memory.questions(person.turn()) == []


async def test_skipping_all_saves_nothing_and_closes_the_question(person, memory):
    question = await ask(person, "chess", "go")
    assert (await memory.answer_question(question.id, person.turn(), save=False)).status == "skipped"
    assert await person.facts() == []
    assert await memory.questions(person.turn()) == []


async def test_each_item_is_answered_on_its_own(person, memory):
    question = await ask(person, "chess", "go", "tea")
    turn = person.turn()
    assert (await memory.answer_question(question.id, turn, save=True, place=1)).status == "saved"
    assert (await memory.answer_question(question.id, turn, save=False, place=0)).status == "skipped"
    assert [place for place, _ in (await memory.questions(turn))[0].open_items] == [2]
    assert (await memory.answer_question(question.id, turn, save=False, place=1)).status == "handled"
    assert (await memory.answer_question(question.id, turn, save=True)).status == "saved"
    assert await person.values() == ["go", "tea"]
    assert await memory.questions(turn) == []


@pytest.mark.parametrize("place", [-1, 3, 1000])
async def test_a_place_that_is_none_is_handled_and_changes_nothing(person, memory, place):
    question = await ask(person, "chess", "go", "tea")
    assert (await memory.answer_question(question.id, person.turn(), save=True, place=place)).status == "handled"
    assert await person.facts() == []


async def test_an_edited_item_is_saved_as_corrected(person, memory):
    question = await ask(person, "ches", "go")
    answered = await memory.answer_question(question.id, person.turn(), save=True, place=0, value="chess")
    assert (answered.status, [one.content for one in answered.saved]) == ("saved", ["chess"])
    assert await person.values() == ["chess"]
    assert [place for place, _ in answered.question.open_items] == [1]


@pytest.mark.parametrize("value", ["", "  ", "\u200b", "{userName}", "x" * 1001, "a\0b", "a\ud800b"])
async def test_an_edit_to_what_is_no_value_fails_and_leaves_the_question_open(person, memory, value):
    question = await ask(person, "chess")
    answered = await memory.answer_question(question.id, person.turn(), save=True, place=0, value=value)
    assert answered.status == "failed"
    assert answered.reason
    assert await person.facts() == []
    assert await memory.questions(person.turn()) == [question]


async def test_answering_twice_is_handled_and_does_nothing_the_second_time(person, memory):
    question = await ask(person, "chess")
    await memory.answer_question(question.id, person.turn(), save=True)
    for save in (True, False):
        assert (await memory.answer_question(question.id, person.turn(), save=save)).status == "handled"
    assert [fact["evidence"] for fact in await person.facts()] == [1]


@pytest.mark.partitioned
async def test_of_two_answers_at_once_one_counts(person, memory):
    question = await ask(person, "chess")
    answers = [memory.answer_question(question.id, person.turn(), save=save) for save in (True, False)]
    statuses = {answered.status for answered in await asyncio.gather(*answers)}
    assert len(statuses & {"saved", "skipped"}) == 1
    assert "handled" in statuses


async def test_someone_elses_click_changes_nothing_and_tells_nothing(person, people, memory):
    question = await ask(person, "chess")
    for other in (people(7), person.at(platform="discord"), people(1234), people(12)):
        for save in (True, False):
            answered = await memory.answer_question(question.id, other.turn(), save=save)
            assert (answered.status, answered.question, answered.saved) == ("not_yours", None, ())
        assert await memory.questions(other.turn()) == []
    assert await memory.questions(person.turn()) == [question]


@pytest.mark.every_case
@pytest.mark.parametrize("odd", ["", "%", "*", "x" * 500, "' OR 1=1 --"])
async def test_an_odd_question_id_is_nobodys(person, memory, odd):
    question = await ask(person, "chess")
    for id_ in (odd, question.id[:-1], question.id.swapcase() + "x"):
        assert (await memory.answer_question(id_, person.turn(), save=True)).status == "not_yours"
    assert await person.facts() == []


@pytest.mark.partitioned
async def test_a_question_may_be_answered_in_the_direct_chat_and_is_saved_where_it_arose(person, memory):
    question = await ask(person.at(persona=5), "chess")
    assert (await memory.answer_question(question.id, person.turn(direct=True), save=True)).status == "saved"
    assert await person.at(persona=5).values() == ["chess"]
    assert await person.facts() == await person.at(space="457").facts() == []


async def test_after_a_day_a_question_is_expired(person, memory, clock):
    question = await ask(person, "chess")
    clock.forward(hours=24)
    assert await memory.questions(person.turn()) == []
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "expired"
    await memory.tidy()
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "expired"
    clock.forward(hours=24)
    await memory.tidy()
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "not_yours"
    assert await person.facts() == []


async def test_a_question_survives_a_restart(lasting_url, opening, make_person):
    first = await opening(lasting_url)
    question = await ask(make_person(first), "chess")
    await first.close()
    again = await opening(lasting_url)
    person = make_person(again)
    assert await again.questions(person.turn()) == [question]
    assert (await again.answer_question(question.id, person.turn(), save=True)).status == "saved"
    assert await person.values() == ["chess"]


async def test_a_failed_save_leaves_the_question_open_and_says_so(make_person, open_store):
    memory = await open_store(max_facts=1)
    person = make_person(memory)
    question = await ask(person, "chess", "go")
    answered = await memory.answer_question(question.id, person.turn(), save=True)
    assert (answered.status, answered.reason) == ("failed", "1 of 1 facts are kept")
    assert await person.facts() == []
    assert await memory.questions(person.turn()) == [question]
    assert (await memory.answer_question(question.id, person.turn(), save=True, place=1)).status == "saved"
    assert await person.values() == ["go"]


async def test_a_broken_database_leaves_the_question_open_and_says_so(lasting_url, opening, make_person, elsewhere):
    memory = await opening(lasting_url)
    person = make_person(memory)
    question = await ask(person, "chess")
    elsewhere(lasting_url, "ALTER TABLE event RENAME TO gone")
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "failed"
    elsewhere(lasting_url, "ALTER TABLE gone RENAME TO event")
    assert await memory.questions(person.turn()) == [question]
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "saved"


async def test_two_open_questions_each_save_their_own(person, memory):
    """The newer question overwrote the older."""
    one, two = await ask(person, "chess"), await ask(person, "go")
    assert await memory.questions(person.turn()) != []
    assert {question.id for question in await memory.questions(person.turn())} == {one.id, two.id}
    await memory.answer_question(one.id, person.turn(), save=True)
    assert await person.values() == ["chess"]
    await memory.answer_question(two.id, person.turn(), save=True)
    assert await person.values() == ["chess", "go"]


async def test_a_confirmed_value_takes_the_place_of_the_old_one(person, memory):
    await person.fact("location", "Kyiv")
    question = await ask(person, "Lviv", key="location")
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "saved"
    assert await person.values(as_of="2026-03-01") == ["Lviv"]


async def test_a_reminder_comes_once_after_half_of_the_time(person, memory, clock):
    question = await ask(person, "chess")
    clock.forward(hours=11, minutes=59)
    assert await memory.due_reminders() == []
    clock.forward(minutes=1)
    assert [one.id for one in await memory.due_reminders()] == [question.id]
    assert await memory.due_reminders() == []
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "saved"


async def test_nobody_is_reminded_of_what_is_answered_or_expired(person, memory, clock):
    answered = await ask(person, "chess")
    await ask(person.at(user=7), "go")
    await memory.answer_question(answered.id, person.turn(), save=False)
    clock.forward(hours=24)
    assert await memory.due_reminders() == []


async def test_reminders_come_in_steps_and_for_one_platform(person, memory, clock):
    ids = {(await ask(person.at(user=user), "chess")).id for user in (1, 2, 3)}
    await ask(person.at(platform="discord"), "chess")
    clock.forward(hours=12)
    reminded = [question.id for _ in range(4) for question in await memory.due_reminders(1, platform="telegram")]
    assert set(reminded) == ids
    assert len(reminded) == 3


@pytest.mark.parametrize("level", [PrivacyLevel.PARTIAL, PrivacyLevel.FULL])
async def test_who_opted_out_is_neither_asked_nor_reminded_and_nothing_is_saved(person, memory, clock, level):
    question = await ask(person, "chess")
    await memory.set_privacy(level, person.turn())
    assert await memory.questions(person.turn()) == []
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "failed"
    clock.forward(hours=12)
    assert await memory.due_reminders() == []
    assert (await memory.answer_question(question.id, person.turn(), save=False)).status == "skipped"
    await memory.set_privacy(PrivacyLevel.MINIMAL, person.turn())
    assert await person.facts() == []


async def test_ids_of_questions_fit_into_a_button_and_differ(person):
    ids = {(await ask(person, f"hobby {number}")).id for number in range(20)}
    assert len(ids) == 20
    assert all(len(f"memconf:save:-100{'9' * 13}:{id_}:19".encode()) <= 64 for id_ in ids)


# Nobody is asked twice


_DOUBTED = re.compile(r"(\w+)\?")


async def doubt(text: str) -> Inference:
    """Each word before a question mark is an uncertain hobby."""
    words = [Inferred(type="preference", key="hobby", value=word, excerpt=text) for word in _DOUBTED.findall(text)]
    return Inference(uncertain=tuple(words))


async def say(person: Any, text: str, **turn: Any) -> list[str]:
    """Let the person write something; returns what they are asked about."""
    memory = Memory(person.memory._store, person.memory.settings, extractor=doubt)
    observed = await memory.observe(text, person.turn(**turn))
    return [] if observed.question is None else [item.value for _, item in observed.question.open_items]


@pytest.mark.partitioned
async def test_what_was_skipped_is_not_asked_again_for_ninety_days(person, memory, clock):
    assert await say(person, "chess?") == ["chess"]
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)
    assert await say(person, "Chess? tea?") == ["tea"]
    for span in (timedelta(), timedelta(days=89, hours=23)):
        clock.forward(seconds=span.total_seconds())
        await memory.apply(lambda tx: tx.maintenance.delete_expired(100))
    assert await say(person, "maybe chess?") == []
    clock.forward(hours=2)
    assert await say(person, "perhaps chess?") == ["chess"]


async def test_what_one_person_skipped_others_are_asked(person, people, memory):
    await say(person, "chess?")
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)
    assert await say(people(7), "chess?") == ["chess"]


async def clear(person: Any, memory: Memory) -> None:
    await person.fact("hobby", "tea")
    for _ in range(2):
        await person.call("clear_profile", user_id=person.turn().user_number, reason="asked")


async def want_nothing_kept(person: Any, memory: Memory) -> None:
    await memory.set_privacy(PrivacyLevel.FULL, person.turn())


async def be_erased(person: Any, memory: Memory) -> None:
    await memory.erase(person.turn(direct=True))


@pytest.mark.partitioned
@pytest.mark.parametrize("act", [clear, want_nothing_kept, be_erased])
async def test_what_was_skipped_is_not_known_of_who_wants_nothing_kept(person, memory, act):
    await say(person, "chess?")
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)
    [id_] = await memory.look(lambda tx: [owner.id for owner in tx.owners.list() if owner.kind == "person"])
    assert await memory.look(lambda tx: len(tx.limits.resting(id_))) == 1
    await act(person, memory)
    assert await memory.look(lambda tx: len(tx.limits.resting(id_))) == 0


async def test_what_was_skipped_is_found_by_the_key_alone(person, memory):
    await say(person, "chess?")
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)
    [id_] = await memory.look(lambda tx: [owner.id for owner in tx.owners.list() if owner.kind == "person"])
    [mark] = await memory.look(lambda tx: tx.limits.resting(id_))
    assert mark in await memory.look(
        lambda tx: tx.wishes.value_digests(id_, f"skipped: hobby\0{canonical('chess', 'hobby')}")
    )
    assert await memory.look(lambda tx: tx.forgotten_values.find(id_, "chess")) is None


@pytest.mark.parametrize("settings", [{"question_rest_days": 0}])
async def test_for_how_long_nobody_is_asked_again_is_a_setting(open_store, make_person, settings):
    memory = await open_store(**settings)
    person = make_person(memory)
    await say(person, "chess?")
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)
    assert await say(person, "so, chess?") == ["chess"]


async def test_what_is_open_is_not_asked_again(person, memory):
    assert await say(person, "chess?") == ["chess"]
    assert await say(person, "chess? and go? and go?") == ["go"]
    assert await say(person, "go? chess?") == []
    assert len(await memory.questions(person.turn())) == 2


async def test_what_was_asked_in_the_direct_chat_is_no_secret_that_a_group_learns_of(person):
    assert await say(person, "chess?", direct=True) == ["chess"]
    assert await say(person, "chess?") == ["chess"]


async def test_what_is_remembered_is_not_asked_about(person):
    await person.fact("hobby", "chess")
    assert await say(person, "Chess? tea?") == ["tea"]


async def test_what_a_model_remembered_of_the_same_message_before_it_was_read_is_not_asked_about(person, memory):
    turn = person.turn(message="m1")

    async def read_slowly(text: str) -> Inference:
        await person.call("remember", turn=turn, content="They play chess.")
        return await doubt(text)

    observer = Memory(memory._store, memory.settings, extractor=read_slowly)
    question = (await observer.observe("remember that I play chess? and go?", turn)).question
    assert question is not None
    assert [item.value for _, item in question.open_items] == ["go"]


@pytest.mark.partitioned
async def test_what_is_remembered_of_the_same_message_meanwhile_is_asked_no_longer(person, people, memory):
    assert await say(person, "remember that I play chess? and go?", message="m1") == ["chess", "go"]
    [question] = await memory.questions(person.turn())
    for somebody, message, content in ((person, "m2", "chess"), (people(7), "m1", "chess"), (person, "m1", "tea")):
        await somebody.call("remember", turn=somebody.turn(message=message), content=f"They play {content}.")
        assert await memory.apply(close_told, person.turn(), question.id) == question
    await person.call("remember", turn=person.turn(message="m1"), content="They play chess.")
    assert await memory.apply(close_told, people(7).turn(), question.id) is None
    closed = await memory.apply(close_told, person.turn(), question.id)
    assert closed is not None
    assert [(asked.item.value, asked.state) for asked in closed.items] == [("chess", "saved"), ("go", "open")]
    assert await memory.questions(person.turn()) == [closed]
    await person.call("remember", turn=person.turn(message="m1"), content="They play go.")
    assert await memory.apply(close_told, person.turn(), question.id) is None
    assert await memory.questions(person.turn()) == []


async def test_what_takes_anothers_place_is_asked_about_although_a_note_of_the_message_says_it(person, memory):
    await person.fact("location", "Kyiv")
    turn = person.turn(message="m1")

    async def doubts(text: str) -> Inference:
        return Inference(uncertain=(Inferred(type="personal", key="location", value="Lviv", excerpt=text),))

    question = (await Memory(memory._store, memory.settings, extractor=doubts).observe("Lviv now", turn)).question
    assert question is not None
    await person.call("remember", turn=turn, content="They live in Lviv now.")
    assert await memory.apply(close_told, person.turn(), question.id) == question


async def test_what_is_over_may_be_so_again(person, memory):
    await person.fact("hobby", "chess")
    forgotten = await person.call(
        "forget_fact", user_id=person.turn().user_number, fact_type="personal", fact_key="hobby", reason="outdated"
    )
    assert forgotten.status == "success"
    assert await say(person, "chess?") == ["chess"]


async def test_what_is_said_for_certain_is_remembered_although_it_was_skipped(person, memory):
    await say(person, "chess?")
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=False)

    async def certain(_: str) -> Inference:
        return Inference(certain=(Inferred(type="preference", key="hobby", value="chess"),))

    await Memory(memory._store, memory.settings, extractor=certain).observe("I play chess", person.turn())
    assert await person.values() == ["chess"]


@pytest.mark.partitioned
async def test_an_edit_supersedes_what_was_asked_about_the_message(person, memory):
    turn = person.turn(message="m1")
    assert await say(person, "chess? go?", message="m1") == ["chess", "go"]
    [question] = await memory.questions(person.turn())
    await memory.answer_question(question.id, person.turn(), save=True, place=1)
    assert await say(person, "tea? go?", message="m1") == ["tea"]
    answered = await memory.answer_question(question.id, turn, save=True)
    assert (answered.status, [item.state for item in answered.question.items]) == ("handled", ["superseded", "saved"])
    assert (await memory.answer_question(question.id, turn, save=True, place=0)).status == "superseded"
    assert await person.values() == ["go"]
    assert [item.value for one in await memory.questions(turn) for _, item in one.open_items] == ["tea"]


async def test_an_edit_that_says_it_still_asks_again(person, memory):
    await say(person, "ches? perhaps", message="m1")
    assert await say(person, "chess? perhaps", message="m1") == ["chess"]
    [question] = await memory.questions(person.turn())
    assert [item.value for _, item in question.open_items] == ["chess"]


async def test_the_same_text_again_and_other_messages_supersede_nothing(person, memory):
    await say(person, "chess?", message="m1")
    await say(person, "chess?", message="m1")
    await say(person, "hello", message="m2")
    [question] = await memory.questions(person.turn())
    assert [item.value for _, item in question.open_items] == ["chess"]


async def test_at_most_five_things_are_asked_at_once_and_the_others_when_these_are_answered(person, memory):
    values = ["one", "two", "three", "four", "five", "six", "seven"]
    question = await ask(person, *values)
    assert [item.value for _, item in question.asked_items] == values[:5]
    answered = await memory.answer_question(question.id, person.turn(), save=True)
    assert [item.value for _, item in answered.question.asked_items] == values[5:]
    assert await person.values() == sorted(values[:5])
    assert (await memory.answer_question(question.id, person.turn(), save=False)).status == "skipped"
    assert await memory.questions(person.turn()) == []


async def test_several_items_are_answered_together(person, memory):
    question = await ask(person, "chess", "go", "tea")
    answered = await memory.answer_question(question.id, person.turn(), save=True, place=(0, 2))
    assert [fact.content for fact in answered.saved] == ["chess", "tea"]
    assert [place for place, _ in answered.question.open_items] == [1]


@pytest.mark.partitioned
async def test_saving_one_item_and_skipping_the_others_is_one_change(person, memory):
    question = await ask(person, "chess", "go", "tea")
    answered = await memory.answer_question(question.id, person.turn(), save=True, place=0, skips=(1, 2, 9))
    states = [item.state for item in answered.question.items]
    assert (answered.status, states) == ("saved", ["saved", "skipped", "skipped"])
    assert await person.values() == ["chess"]
    assert await say(person, "chess? go? tea? rum?") == ["rum"]


async def test_where_nothing_can_be_saved_nothing_is_skipped_either(make_person, open_store):
    memory = await open_store(max_facts=0)
    person = make_person(memory)
    question = await ask(person, "chess", "go")
    answered = await memory.answer_question(question.id, person.turn(), save=True, place=0, skips=(1,))
    assert answered.status == "failed"
    assert await memory.questions(person.turn()) == [question]


@pytest.mark.parametrize("answer", ["yes", "only the first", "тільки перше", "1 and 3", "save them"])
async def test_nothing_is_read_from_an_answer_to_a_question(person, memory, answer):
    await ask(person, "chess", "go", "tea")
    read: list[str] = []

    async def reading(text: str) -> Inference:
        read.append(text)
        return Inference()

    observing = Memory(memory._store, memory.settings, extractor=reading)
    for text in (answer, "no, I live in Lviv", "I like the first album"):
        assert (await observing.observe(text, person.turn())).message is not None
    await observing.observe(answer, person.at(thread="1").turn())
    assert read == ["no, I live in Lviv", "I like the first album", answer]


async def allergic(text: str) -> Inference:
    items = [Inferred(type="personal", key="allergy", value="nuts", excerpt=text)] if "allergic to" in text else []
    return Inference(uncertain=tuple(items))


@pytest.mark.partitioned
@pytest.mark.parametrize("changed", ["m1", "m2"])
@pytest.mark.parametrize("act", ["edit", "delete"])
async def test_what_two_messages_say_together_is_no_longer_asked_when_either_is_changed(person, memory, changed, act):
    watching = Memory(memory._store, memory.settings, extractor=allergic)
    await watching.observe("I'm allergic.", person.turn(message="m1"))
    assert (await watching.observe("To nuts.", person.turn(message="m2"))).question is not None
    await watching.observe("I like it here", person.turn(message="m3"))
    assert len(await memory.questions(person.turn())) == 1
    if act == "edit":
        await watching.observe("never mind", person.turn(message=changed))
    else:
        await watching.unrecord(person.turn(message=changed))
    assert await memory.questions(person.turn()) == []


async def test_of_messages_that_were_looked_at_together_each_closes_its_own_question(open_store, make_person, clock):
    memory = await open_store(rollout="off", background=False)
    person = make_person(memory)
    watching = Memory(memory._store, memory.settings, extractor=doubt_by_line)
    for message, text in (("m1", "chess?"), ("m2", "go?"), ("m3", "tea?")):
        await watching.observe(text, person.turn(message=message))
    clock.forward(seconds=memory.settings.window_seconds)
    await watching.resume()
    await watching.unrecord(person.turn(message="m3"))
    await watching.observe("well", person.turn(message="m1"))
    [question] = await memory.questions(person.turn())
    assert [item.value for _, item in question.open_items] == ["go"]
    [fact] = (await memory.answer_question(question.id, person.turn(), save=True)).saved
    sources = await memory.look(lambda tx: tx.memories.sources_of(fact))
    assert await memory.look(lambda tx: [tx.messages.get_text(*each) for each in sources]) == ["go?"]


async def doubt_by_line(text: str) -> Inference:
    lines = [await doubt(line) for line in text.splitlines()]
    return Inference(uncertain=tuple(item for line in lines for item in line.uncertain))


async def test_an_edit_leaves_what_was_asked_about_other_messages(person, memory):
    await say(person, "chess? I wonder", message="m1")
    await say(person, "go? I wonder", message="m2")
    await say(person, "tea? I wonder", message="m1")
    open_values = [item.value for one in await memory.questions(person.turn()) for _, item in one.open_items]
    assert sorted(open_values) == ["go", "tea"]


@pytest.mark.parametrize("first", [0, 1])
async def test_what_is_saved_late_was_said_when_its_message_was(person, memory, clock, first):
    await person.fact("location", "Lviv")
    clock.forward(hours=1)
    questions = [await ask(person, "Odesa", key="location")]
    clock.forward(hours=1)
    questions.append(await ask(person, "Kharkiv", key="location"))
    clock.forward(hours=1)
    for question in (questions[first], questions[1 - first]):
        assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "saved"
    ended = {fact["value"]: fact.get("valid_to", "now")[:13] for fact in await person.facts()}
    assert ended == {"Lviv": "2026-03-01T13", "Odesa": "2026-03-01T14", "Kharkiv": "now"}


async def test_what_is_saved_late_does_not_replace_what_was_told_since(person, memory, clock):
    await person.fact("location", "Lviv")
    clock.forward(hours=1)
    question = await ask(person, "Odesa", key="location")
    clock.forward(hours=1)
    await person.update("location", "Dnipro", change_reason="update")
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "saved"
    assert [fact["value"] for fact in await person.facts() if "state" not in fact] == ["Dnipro"]
