"""Changes by others that wait for consent: asked in a direct message, answered there, found under /memory."""

from __future__ import annotations

from datetime import timedelta

import pytest
import pytest_asyncio
from simcord.backend.errors import SetupError

from .conftest import labels

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("back_end", ["sqlite", "postgres"])]


@pytest_asyncio.fixture
async def world(make_world, scripted):
    """Ann lives in Kyiv; what others change about her waits for her."""
    world = await make_world(scripted.model, others_may_change="ask")
    await world.ann.send(world.channel, "I live in Kyiv")
    return world


async def ask(world, scripted, value: str = "Lviv") -> None:
    """Bob tells the bot that Ann lives elsewhere."""
    arguments = {"user_id": world.turn(world.ann).user_number, "fact_type": "personal", "fact_key": "location"}
    scripted.calls = [("update_fact", arguments | {"new_value": value, "confidence": 0.9, "change_reason": "update"})]
    await world.bob.send(world.channel, f"{world.mention} Ann has moved")


async def asked(world, scripted, value: str = "Lviv"):
    """The same; returns what Ann is asked."""
    await ask(world, scripted, value)
    return world.direct(world.ann)[-1]


async def test_allowing_makes_the_change(world, scripted) -> None:
    question = await asked(world, scripted, "__Lviv__ <@1>")
    assert "“Bob” wants to change what I remember about you:" in question.content
    assert "“You live in Kyiv” → “You live in \\_\\_Lviv\\_\\_ \\<\\@1\\>”" in question.content
    assert labels(question) == ["✓ Allow", "✗ Refuse", "🔕 Don't let them ask again"]
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert all("Lviv" not in message.content for message in world.said())
    assert world.direct(world.bob) == []
    await world.ann.user.click(question, label="✓ Allow")
    assert await world.facts(world.ann) == ["location: __Lviv__ <@1>"]
    answered = next(one for one in world.direct(world.ann) if one.id == question.id)
    assert answered.content == f"{question.content}\n\n✓ Allowed; the change was made."
    assert answered.components == []


async def test_refusing_changes_nothing_after_a_restart_too(world, scripted) -> None:
    question = await asked(world, scripted)
    await world.restart()
    await world.ann.user.click(question, label="✗ Refuse")
    assert await world.facts(world.ann) == ["location: Kyiv"]
    assert world.direct(world.ann)[-1].content.endswith("✗ Refused; nothing was changed.")
    assert await world.memory.consents(world.turn(world.ann)) == []


@pytest.mark.parametrize("how", ["answered", "expired"])
async def test_a_question_that_is_closed_says_so_and_loses_its_buttons(world, scripted, how: str) -> None:
    question = await asked(world, scripted)
    if how == "expired":
        world.now += timedelta(hours=73)
    else:  # as at the command line or in the dashboard
        [one] = await world.memory.consents(world.turn(world.ann))
        await world.memory.answer_consent(one.id, False, world.turn(world.ann))
    await world.ann.user.click(question, label="✓ Allow")
    closed = world.direct(world.ann)[-1]
    assert "This question is closed" in closed.content
    assert closed.components == []
    assert await world.facts(world.ann) == ["location: Kyiv"]


async def test_what_changed_since_it_was_shown_is_shown_again(world, scripted) -> None:
    question = await asked(world, scripted)
    arguments = {"user_id": world.turn(world.ann).user_number, "fact_type": "personal", "fact_key": "location"}
    more = {"new_value": "Odesa", "confidence": 0.9, "change_reason": "update"}
    await world.memory.call("update_fact", arguments | more, world.turn(world.ann))
    pressed = await world.ann.user.click(question, label="✓ Allow")
    assert await world.facts(world.ann) == ["location: Odesa"]
    assert "Something has changed" in pressed.followups[-1].content
    again = next(one for one in world.direct(world.ann) if one.id == question.id)
    assert "“You live in Odesa” → “You live in Lviv”" in again.content
    await world.ann.user.click(again, label="✓ Allow")
    assert await world.facts(world.ann) == ["location: Lviv"]


async def test_a_long_text_is_shown_whole(world, scripted) -> None:
    value = "*" * 900 + " and the end"
    question = await asked(world, scripted, value)
    assert labels(question) == ["✓ Allow", "✗ Refuse", "🔕 Don't let them ask again"]
    assert "and the end”" in question.content
    assert "".join(one.content for one in world.direct(world.ann)).count("\\*") == 900


async def test_who_takes_no_direct_messages_finds_it_under_memory_and_nobody_else_does(world, scripted) -> None:
    world.env.inject_error("POST", "/users/@me/channels", status=403, code=50007, times=None)
    await ask(world, scripted)
    assert world.direct(world.ann) == []
    listed = await world.ann.slash(world.channel, "memory")
    [question] = [one for one in listed.followups if "wants to change" in one.content]
    assert question.ephemeral
    assert all("Lviv" not in message.content for message in world.said(viewer=world.bob))
    with pytest.raises(SetupError, match="not visible to this user"):
        await world.bob.click(question, label="✓ Allow")
    await world.ann.click(question, label="✓ Allow")
    assert await world.facts(world.ann) == ["location: Lviv"]


async def test_the_answer_is_in_the_language_of_whoever_presses(world, scripted, in_ukrainian) -> None:
    question = await asked(world, scripted, "Львів, біля парку")
    assert "хоче змінити" in question.content
    await world.ann.user.click(question, label="✓ Дозволити")
    assert any("✓ Дозволено" in one.content for one in world.direct(world.ann))
