"""What is told where: in a group, nothing that was born in a direct chat or in another space."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.support.consent import agree

from zgadka import Memory, Settings, open_memory
from zgadka.model.inference import Inference, Inferred

pytestmark = pytest.mark.asyncio


async def doubts(text: str) -> Inference:
    return Inference(uncertain=(Inferred(type="personal", key="hobby", value=text),))


async def test_in_a_group_no_question_is_told_or_answered_that_was_asked_elsewhere(person, memory):
    memory = Memory(memory._store, memory.settings, extractor=doubts)
    here, beside, alone = (person.at(**place) for place in ({}, {"space": "457"}, {"direct": True}))
    observed = [await memory.observe(f"hobby {at}", who.turn()) for at, who in enumerate((here, beside, alone))]
    asked = [one.question for one in observed if one.question is not None]
    assert [one.id for one in await memory.questions(here.turn())] == [asked[0].id]
    assert [one.id for one in await memory.questions(beside.turn())] == [asked[1].id]
    assert {one.id for one in await memory.questions(alone.turn())} == {one.id for one in asked}
    for question in asked[1:]:
        answered = await memory.answer_question(question.id, here.turn(), save=True)
        assert (answered.status, answered.question) == ("not_yours", None)
    assert (await memory.answer_question(asked[1].id, alone.turn(), save=True)).status == "saved"


async def test_in_a_group_no_consent_is_told_or_given_that_was_asked_for_elsewhere(clock, make_person):
    settings = replace(Settings(), others_may_change="ask")
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        olena, petro = make_person(memory), make_person(memory, user=7)
        for space in ("456", "457"):
            await olena.at(space=space).speaks()
            await petro.at(space=space).fact("hobby", f"hobby of {space}", user_id=123)
        here, there = [await memory.consents(olena.at(space=space).turn()) for space in ("456", "457")]
        assert [one.arguments["fact_value"] for one in (*here, *there)] == ["hobby of 456", "hobby of 457"]
        assert await memory.proposal(there[0].id, olena.turn()) is None
        assert await agree(memory, there[0].id, olena.turn()) is None
        assert await memory.consents(olena.turn(direct=True)) == [*here, *there]


async def test_an_export_in_a_group_holds_only_what_was_born_and_is_seen_there(person, memory):
    memory = Memory(memory._store, memory.settings, extractor=doubts)
    for place, words in (({}, "here"), ({"space": "457"}, "beside"), ({"direct": True}, "alone")):
        at = person.at(memory=memory, **place)
        await at.speaks(f"message {words}")
        await at.note(f"note {words}")
        await at.fact("hobby", f"fact {words}")
        await at.call("create_episode", topic=f"episode {words}", summary=f"told {words}", importance=0.8)
        await memory.observe(f"doubt {words}", at.turn())
    shared = await person.at(direct=True).note("shared alone")
    await memory.share(shared, person.turn(direct=True))
    gone = await person.at(direct=True).note("brews zymurgy alone")
    await person.at(direct=True).deletes(gone)
    whole = "".join(await memory.export(person.turn(direct=True)))
    told = "\n".join(await memory.export(person.turn()))
    for words in ("message", "note", "fact", "episode", "doubt"):
        assert f"{words} here" in told
        for elsewhere in ("beside", "alone"):
            assert f"{words} {elsewhere}" in whole
    assert [words for words in ("beside", "alone", '"457"', '"kind": "direct"') if words in told] == []
    ids = {json.loads(line).get("memory") for line in told.splitlines()}
    assert not {shared, gone} & ids
