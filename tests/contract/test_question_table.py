"""Questions of all kinds: their thread, their room, whose are refused, and a plain yes; over every back end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.support.consent import agree

from zgadka import Member
from zgadka.model.inference import Inferred
from zgadka.model.people import Consent
from zgadka.model.question import PlainAnswer
from zgadka.ops.open_questions import asked_here, is_asked
from zgadka.ops.questions import ask_to_save

pytestmark = pytest.mark.asyncio


async def world(open_store: Any, make_person: Any) -> tuple[Any, Any, Any]:
    """A memory where others ask first, Olena (7), and a function for one of those who may ask."""
    memory = await open_store(others_may_change="ask")
    for user in range(7, 15):
        await memory.report_member("telegram", "456", Member(user=str(user), number=user, name=f"N{user}"))
    return memory, make_person(memory, user=7), lambda user: make_person(memory, user=user)


async def request(person: Any, value: str) -> Any:
    return await person.fact("hobby", value, user_id=7)


async def notices_of(memory: Any, action: Any) -> list[Any]:
    notices: list[Any] = []
    stop = memory.subscribe(notices.append)
    await action
    stop()
    return notices


# Where a question is


@pytest.mark.partitioned
async def test_a_deletion_asked_in_one_chat_is_not_confirmed_in_another(person, memory):
    memory_id = await person.note("chess")
    first, second = person.at(chat="457"), person.at(chat="458")
    assert (await first.call("forget", memory_id=memory_id)).status == "confirmation_required"
    assert (await second.call("forget", memory_id=memory_id)).status == "confirmation_required"
    assert await memory.look(is_asked, first.turn(), memory_id)
    assert not await memory.look(is_asked, person.turn(), memory_id)
    assert await person.found("chess") == ["chess"]
    assert (await first.call("forget", memory_id=memory_id)).status == "deleted"


async def test_a_question_is_told_in_its_space_and_in_the_direct_chat_alone(person, memory):
    there = person.at(thread="1")
    item = Inferred(type="personal", key="hobby", value="chess")
    question = await memory.apply(ask_to_save, there.turn(), [item])
    for elsewhere in (person.at(space="457"), person.at(platform="discord")):
        assert await memory.questions(elsewhere.turn()) == []
        assert (await memory.answer_question(question.id, elsewhere.turn(), save=True)).status == "not_yours"
    assert await memory.questions(person.turn(direct=True)) == [question]
    assert (await memory.answer_question(question.id, there.turn(), save=True)).status == "saved"


async def test_what_was_asked_in_the_direct_chat_is_answered_nowhere_else(person, memory):
    item = Inferred(type="personal", key="hobby", value="chess")
    question = await memory.apply(ask_to_save, person.turn(direct=True), [item])
    assert await memory.questions(person.turn()) == []
    assert (await memory.answer_question(question.id, person.turn(), save=True)).status == "not_yours"


@pytest.mark.partitioned
async def test_clearing_a_profile_closes_every_kind_of_question(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    kept = await olena.note("chess")
    await olena.call("forget", memory_id=kept)
    await memory.ask_to_erase(olena.turn(direct=True))
    await memory.apply(ask_to_save, olena.turn(), [Inferred(type="personal", key="hobby", value="go")])
    await request(other(8), "tea")
    for _ in range(2):
        await olena.call("clear_profile", user_id=7, reason="asked")
    assert await memory.look(lambda tx: tx.questions.list(tx.owners.find("person", "telegram", "7"))) == []


# What is agreed to


async def test_nobody_agrees_to_what_they_have_not_seen(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    await request(other(8), "tea")
    [asked] = await memory.consents(olena.turn())
    unseen = await memory.answer_consent(asked.id, True, olena.turn())
    assert unseen.status == "confirmation_required"
    assert [change["after"] for change in unseen["changes"]] == ["hobby: tea"]
    assert await olena.facts() == []
    seen = await memory.answer_consent(asked.id, True, olena.turn(), mark=unseen["mark"])
    assert seen.status == "success"


# Room, and whose questions are refused


@pytest.mark.partitioned
async def test_of_one_asker_three_requests_wait_and_a_fourth_is_refused_without_a_word(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    for value in ("chess", "go", "tea"):
        assert (await request(other(8), value)).status == "awaiting_consent"
    assert await notices_of(memory, request(other(8), "rum")) == []
    refused = await request(other(8), "rum")
    assert (refused.status, "3 open requests" in refused.message) == ("rate_limited", True)
    assert (await request(other(8), "go")).status == "awaiting_consent"  # it waits already
    assert len(await memory.consents(olena.turn())) == 3
    await agree(memory, (await memory.consents(olena.turn()))[0].id, olena.turn())
    assert (await request(other(8), "rum")).status == "awaiting_consent"


async def test_ten_requests_of_all_wait_and_what_is_ones_own_waits_for_no_room(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    for number in range(10):
        assert (await request(other(8 + number % 5), f"hobby{number}")).status == "awaiting_consent"
    assert (await request(other(13), "rum")).status == "rate_limited"
    kept = await olena.note("chess")
    assert (await olena.call("forget", memory_id=kept)).status == "confirmation_required"
    await memory.apply(ask_to_save, olena.turn(), [Inferred(type="personal", key="hobby", value="go")])
    assert len(await memory.questions(olena.turn())) == 1


@pytest.mark.partitioned
async def test_who_is_muted_asks_nothing_and_nobody_hears_of_it(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    await request(other(8), "tea")
    await request(other(9), "go")
    assert await memory.mute("8", olena.turn(direct=True))
    assert [consent.asker for consent in await memory.consents(olena.turn())] == ["9"]
    assert await notices_of(memory, request(other(8), "rum")) == []
    assert (await request(other(8), "rum")).status == "privacy_restricted"
    assert await memory.muted(olena.turn()) == ["8"]
    assert await memory.mute(8, olena.turn(direct=True), muted=False)
    assert (await request(other(8), "rum")).status == "awaiting_consent"
    assert await memory.muted(olena.turn()) == []


async def test_nobody_mutes_themselves_or_somebody_who_is_not_there(open_store, make_person):
    memory, olena, _ = await world(open_store, make_person)
    for asker in ("7", "99", ""):
        assert not await memory.mute(asker, olena.turn(direct=True))


@pytest.mark.parametrize("erased", ["7", "8"])
@pytest.mark.partitioned
async def test_an_erasure_of_either_lifts_the_mute(open_store, make_person, erased):
    memory, olena, other = await world(open_store, make_person)
    await memory.mute("8", olena.turn(direct=True))
    await memory.erase((olena if erased == "7" else other(8)).turn(direct=True))
    again = olena.turn(direct=True)
    assert await memory.muted(again) == []


# A plain yes or no


async def asked_to_forget(person: Any) -> int:
    memory_id = await person.note("chess")
    await person.call("forget", memory_id=memory_id)
    return memory_id


@pytest.mark.parametrize("text", ["yes", "no"])
async def test_the_next_message_answers_the_only_question_by_a_plain_word(person, memory, text):
    memory_id = await asked_to_forget(person)
    answer = await memory.plain_question(text, person.turn())
    assert (answer.question.memory, answer.agrees) == (memory_id, text == "yes")


async def test_another_message_ends_that_but_for_a_reply(person, memory):
    await asked_to_forget(person)
    assert await memory.plain_question("what is the weather?", person.turn()) is None
    assert await memory.plain_question("yes", person.turn()) is None
    [question] = await memory.look(asked_here, person.turn())
    assert await memory.plain_question("yes", person.turn(), replies_to="another") is None
    assert await memory.plain_question("yes", person.turn(), replies_to=question.id) == PlainAnswer(
        question, agrees=True
    )


async def test_after_five_minutes_a_plain_yes_is_none(person, memory, clock):
    item = Inferred(type="personal", key="hobby", value="chess")
    question = await memory.apply(ask_to_save, person.turn(), [item])
    clock.forward(minutes=5)
    assert await memory.plain_question("yes", person.turn()) is None
    assert await memory.plain_question("yes", person.turn(), replies_to="another") is None
    assert await memory.plain_question("yes", person.turn(), replies_to=question.id) == PlainAnswer(
        question, agrees=True
    )


async def test_a_yes_that_was_written_before_the_question_is_none(person, memory, clock):
    await asked_to_forget(person)
    earlier = await memory.look(lambda tx: tx.now) - timedelta(seconds=2)
    assert await memory.plain_question("yes", replace(person.turn(), time=earlier)) is None


async def test_of_several_open_questions_none_is_guessed(person, memory):
    for text in ("chess", "go"):
        await person.call("forget", memory_id=f"{await person.note(text)},{await person.note(text + ' too')}")
    assert await memory.plain_question("yes", person.turn()) is None


async def test_a_plain_word_answers_all_that_one_call_asked_about_or_what_it_names(person, memory):
    first, second = await person.note("chess"), await person.note("go")
    await person.call("forget", memory_id=f"{first},{second}")
    chess, go = sorted(await memory.look(asked_here, person.turn()), key=lambda question: question.memory)
    answer = await memory.plain_question("no", person.turn())
    assert {deletion.id for deletion in (answer.question, *answer.also)} == {chess.id, go.id}
    assert not answer.agrees
    await person.call("forget", memory_id=f"{await person.note('tea')},{await person.note('rain')}")
    assert await memory.plain_question("yes", person.turn()) is None
    answer = await memory.plain_question("yes", person.turn(), replies_to=go.id)
    assert {deletion.id for deletion in (answer.question, *answer.also)} == {chess.id, go.id}
    assert answer.agrees
    answer = await memory.plain_question(str(second), person.turn(), replies_to=go.id)
    assert (answer.question.id, answer.agrees, answer.also) == (go.id, True, ())
    assert chess.id not in {question.id for question in await memory.look(asked_here, person.turn())}


async def test_a_plain_yes_answers_only_its_person_in_its_thread(person, people, memory):
    await asked_to_forget(person)
    [question] = await memory.look(asked_here, person.turn())
    for elsewhere in (people(7), person.at(thread="1"), person.at(chat="457"), person.at(direct=True)):
        assert await memory.plain_question("yes", elsewhere.turn(), replies_to=question.id) is None


async def test_a_plain_yes_is_for_a_consent_only_once_it_was_shown_in_the_direct_chat(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    await request(other(8), "tea")
    [asked] = await memory.consents(olena.turn())
    alone = olena.turn(direct=True)
    await memory.proposal(asked.id, alone)
    assert await memory.plain_question("yes", alone) is None
    shown = await memory.proposal(asked.id, alone, shown=True)
    assert await memory.plain_question("yes", olena.turn()) is None
    question = (await memory.plain_question("yes", alone)).question
    assert isinstance(question, Consent)
    assert (question.id, question.mark) == (asked.id, shown.mark)


async def verdicts(memory: Any, turn: Callable[[], Any], texts: str) -> dict[str, bool | None]:
    """What each of the texts, between bars, says to the only open question as a reply; None: nothing."""
    [question] = await memory.look(asked_here, turn())
    answers = {text: await memory.plain_question(text, turn(), replies_to=question.id) for text in texts.split("|")}
    return {text: None if answer is None else answer.agrees for text, answer in answers.items()}


async def test_what_names_another_memory_answers_nothing(person, memory):
    """It deleted that one, or what was asked about, whatever was named."""
    note = await person.note("I live in Kyiv")
    await person.call("forget", memory_id=note)
    other = "delete 999|yes, delete the photo|так, видали фото|ok remove Lviv|keep 999|remember that I like tea"
    assert set((await verdicts(memory, person.turn, other)).values()) == {None}
    assert set((await verdicts(memory, person.turn, f"delete it|delete {note}|yes, delete Kyiv")).values()) == {True}
    assert await verdicts(memory, person.turn, "keep it|не видаляй") == {"keep it": False, "не видаляй": False}


async def test_a_refusal_of_some_of_several_things_refuses_not_all(person, memory):
    items = [Inferred(type="preference", key="like", value=value) for value in ("chess", "tea")]
    await memory.apply(ask_to_save, person.turn(), items)
    of_some = "skip 2|2 - ні|1 yes 2 no|yes, not 2|no to the second|no, I don't like tea|just a second|1, no 2"
    assert set((await verdicts(memory, person.turn, of_some)).values()) == {None}
    of_all = "no|ні|skip them|no, I like neither chess nor tea|no thanks"
    assert set((await verdicts(memory, person.turn, of_all)).values()) == {False}


@pytest.mark.parametrize("text", ["just a second", "1, no 2", "both", "not the first"])
async def test_who_answers_unclearly_may_answer_again(person, memory, text):
    items = [Inferred(type="preference", key="like", value=value) for value in ("chess", "tea", "go")]
    await memory.apply(ask_to_save, person.turn(), items)
    assert await memory.plain_question(text, person.turn()) is None
    answer = await memory.plain_question("only the first", person.turn())
    assert (answer.chosen, answer.refused) == ({0}, {1, 2})


async def test_an_order_about_one_thing_erases_not_everything(person, memory):
    alone = person.at(direct=True)
    await memory.ask_to_erase(alone.turn())
    less = "delete 2|видали 2|don't keep it|ok, remove the note about Lviv|yes, delete it|забудь це"
    assert set((await verdicts(memory, alone.turn, less)).values()) == {None}
    assert set((await verdicts(memory, alone.turn, "yes|так|erase everything|видали все")).values()) == {True}


async def test_to_save_and_to_delete_are_opposite_answers(person, memory):
    await memory.apply(ask_to_save, person.turn(), [Inferred(type="personal", key="illness", value="diabetes")])
    assert set((await verdicts(memory, person.turn, "don't save it|не зберігай|delete it")).values()) == {False}
    assert set((await verdicts(memory, person.turn, "save it|збережи")).values()) == {True}
    assert set((await verdicts(memory, person.turn, "delete 999|save the photo|видали фото")).values()) == {None}


async def test_an_order_to_delete_allows_no_change(open_store, make_person):
    memory, olena, other = await world(open_store, make_person)
    await request(other(8), "tea")
    alone = olena.at(direct=True)
    [asked] = await memory.consents(alone.turn())
    await memory.proposal(asked.id, alone.turn(), shown=True)
    refused_or_none = await verdicts(memory, alone.turn, "don't keep it|не зберігай|delete 7|delete the photo")
    assert True not in refused_or_none.values()
    assert set((await verdicts(memory, alone.turn, "yes|go ahead")).values()) == {True}


async def test_a_mere_yes_in_another_thread_confirms_no_deletion(person, memory):
    note = await person.note("chess")
    first, second = person.at(thread="1"), person.at(thread="2")
    await first.call("forget", memory_id=note)
    assert (await second.call("forget", turn=second.turn(text="yes"), memory_id=note)).status == "confirmation_required"
    await first.call("forget", turn=first.turn(text="what is the weather?"), memory_id=note)
    assert (await second.call("forget", turn=second.turn(text=f"delete {note}"), memory_id=note)).status == "deleted"
