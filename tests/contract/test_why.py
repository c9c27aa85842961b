"""Where a memory comes from, as its person asks: which message, when, who said it, or what they did themselves."""

from __future__ import annotations

import pytest

from zgadka import Member, Memory, PrivacyLevel
from zgadka.chat.history_view import run_command
from zgadka.locales import Language
from zgadka.model.inference import Inference, Inferred
from zgadka.model.outcome import Changed
from zgadka.ops.self_service import correct, undo

pytestmark = pytest.mark.asyncio

AT = "2026-03-01 12:00"


async def said(person, text: str = "I have a telescope", **more) -> int:
    """Keep a note whose message is recorded; returns its id."""
    turn = person.turn(text=text, message="m1")
    await person.memory.record("user", text, turn)
    told = await person.call("remember", content="has a telescope", turn=turn, **more)
    assert told.status == "success"
    return told["memory_id"]


async def why(person, memory_id: int, language: Language = "en", **place) -> list[str]:
    told = await run_command(person.memory, "why", memory_id, person.turn(**place), language)
    return told.split("\n")[1:]


@pytest.mark.partitioned
async def test_the_message_is_told_with_when_and_who_in_both_languages(person):
    number = await said(person)
    assert await why(person, number) == [f"{AT}, you: “I have a telescope”"]
    assert await why(person, number, "uk") == [f"{AT}, ви: «I have a telescope»"]
    assert (await run_command(person.memory, "why", number, person.at(user=5).turn())).startswith("There is no such")


async def test_times_are_in_the_operators_zone(make_person, open_store):
    person = make_person(await open_store(time_zone="Europe/Kyiv"))
    number = await said(person)
    assert await why(person, number) == ["2026-03-01 14:00, you: “I have a telescope”"]
    assert "2026-03-01 14:00 remembered" in await run_command(person.memory, "history", number, person.turn())


@pytest.mark.partitioned
async def test_elsewhere_only_when_and_who_is_told_and_to_the_person_alone_all(person, memory):
    number = await said(person)
    alone = {"space": "123", "chat": "123", "direct": True}
    assert await why(person, number, **alone) == [f"{AT}, you: “I have a telescope”"]
    await memory.share(number, person.turn(**alone), everywhere=True)
    assert await why(person, number, space="9", chat="9") == [f"{AT}, you, elsewhere: not shown here"]


async def test_what_was_for_fewer_readers_is_not_told_to_more(person, memory):
    number = await said(person.at(audience=("role:1",)))
    alone = {"space": "123", "chat": "123", "direct": True}
    await memory.share(number, person.turn(**alone), everywhere=True)
    assert await why(person, number) == [f"{AT}, you, elsewhere: not shown here"]


async def test_a_source_of_somebody_else_names_them_and_is_gone_with_their_wish(person, memory):
    bob = person.at(user=5)
    for number, name in ((123, "Anna"), (5, "Bob")):
        await memory.report_member("telegram", "456", Member(user=str(number), number=number, name=name))
    turn = bob.turn(text="Anna reads at night", message="m1")
    await memory.record("user", turn.text, turn)
    told = await bob.call(
        "remember_fact",
        turn=turn,
        user_id=123,
        fact_type="trait",
        fact_key="habit",
        fact_value="reads at night",
        confidence=0.9,
    )
    assert await why(person, told["fact_id"]) == [f"{AT}, Bob: “Anna reads at night”"]
    await memory.set_privacy(PrivacyLevel.FULL, bob.turn())
    assert "Anna reads at night" not in repr(await why(person, told["fact_id"]))


async def test_a_message_that_is_gone_or_withheld_is_no_source(person, memory):
    number = await said(person)
    await memory.call("remember", {"content": "bought a telescope"}, person.turn(text="…", message="m1"))
    await memory.unrecord(person.turn(message="m1"))
    assert "I have a telescope" not in repr(await why(person, number))


async def test_what_was_kept_without_a_message_says_who_and_when(person, clock):
    number = await person.note("has a telescope")
    clock.forward(days=1)
    assert await why(person, number) == [f"{AT}, you: the message is no longer kept"]


async def test_what_was_confirmed_or_written_by_hand_says_so(person, memory):
    async def doubts(_: str) -> Inference:
        return Inference(uncertain=(Inferred(type="personal", key="hobby", value="chess"),))

    turn = person.turn(text="chess perhaps", message="m1")
    observed = await Memory(memory._store, memory.settings, extractor=doubts).observe(turn.text, turn)
    assert observed.question is not None
    answered = await memory.answer_question(observed.question.id, person.turn(), save=True)
    number = answered.saved[0].id
    assert await why(person, number) == [f"{AT}, you: “chess perhaps”", f"{AT}: you confirmed it when I asked"]
    await memory.apply(correct, person.turn(space="123", chat="123", direct=True), number, "go")
    assert (await why(person, number))[-1] == f"{AT}: you wrote it by hand"


async def test_relations_say_between_whom_in_list_history_question_and_origin(person, memory):
    for number, name in ((123, "Anna"), (5, "Olena"), (6, "Petro")):
        await memory.report_member("telegram", "456", Member(user=str(number), number=number, name=name))
    ids = [
        (await person.call("remember_relationship", user_id=123, related_user_id=other, relationship="friend"))[
            "memory_id"
        ]
        for other in (5, 6)
    ]
    alone = person.at(space="123", chat="123", direct=True)
    for place in (person, alone):
        found = (await place.call("forget", query="friend"))["candidates"]
        assert sorted(one["content"] for one in found) == ["friend: Anna ↔ Olena", "friend: Anna ↔ Petro"]
    asked = await person.call("forget", memory_id=f"{ids[0]},{ids[1]}")
    assert "“friend: Anna ↔ Olena”" in asked.message
    assert "“friend: Anna ↔ Petro”" in asked.message
    history = await run_command(memory, "history", ids[1], person.turn())
    assert "friend: Anna ↔ Petro" in history
    assert "friend: Anna ↔ Petro" in await run_command(memory, "why", ids[1], person.turn())
    exported = "\n".join(await memory.export(alone.turn()))
    assert '"names":["Anna","Petro"]' in exported.replace('", "', '","').replace('": [', '":[')
    assert "friend: Anna ↔ Petro" in await run_command(memory, "undo", ids[1], person.turn())


async def test_an_undo_that_is_sent_twice_takes_back_one_change(person, memory):
    number = await said(person)
    for content in ("has a large telescope", "has two telescopes"):
        assert isinstance(await memory.apply(correct, person.turn(), number, content), Changed)
    for _ in range(2):
        assert isinstance(await memory.apply(undo, person.turn(), number), Changed)
        [note] = (await person.call("recall", query="telescope"))["memories"]
        assert note["content"] == "has a large telescope"
