"""Questions about uncertain memories: asked under the message, answered by their owner's press, and by nobody else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from zgadka.stores.tx.questions import Questions

from .conftest import labels

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("back_end", ["sqlite", "postgres"])]


async def asked(world, text: str = "maybe I like chess"):
    """Ann says something uncertain; returns the bot's question."""
    await world.ann.send(world.channel, text)
    return world.said()[-1]


async def test_what_is_uncertain_is_asked_under_the_message(world) -> None:
    asking = await world.ann.send(world.channel, "maybe I like chess")
    assert world.said()[-1].reference.message_id == asking.id


async def test_someone_elses_press_changes_nothing(world) -> None:
    question = await asked(world)
    pressed = await world.bob.click(question, label="✓ Save all")
    assert [one.content for one in pressed.followups] == ["This question is not for you."]
    assert all(one.ephemeral for one in pressed.followups)
    assert await world.facts(world.ann) == []
    assert labels(world.said()[-1]) == ["✓ Save all", "✗ Skip all"]


async def test_hours_later_a_plain_yes_answers_as_a_reply_to_the_question_alone(world) -> None:
    await world.ann.send(world.channel, f"{world.mention} hello")
    answer, question = world.said()[-1], await asked(world)
    world.now += timedelta(hours=3)
    await world.ann.send(world.channel, "yes", reply_to=answer)
    assert await world.facts(world.ann) == []
    await world.ann.send(world.channel, "yes", reply_to=question)
    assert await world.facts(world.ann) == ["like: chess"]


async def test_two_open_questions_each_save_their_own(world) -> None:
    first = await asked(world)
    await asked(world, "maybe I like tea")
    await world.ann.click(first, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_save_that_fails_keeps_the_question_open(world, monkeypatch) -> None:
    question = await asked(world)
    original = Questions.put

    def fails(*_: object) -> None:
        from zgadka.errors import StoreUnavailable

        raise StoreUnavailable("disk full")

    monkeypatch.setattr(Questions, "put", fails)
    pressed = await world.ann.click(question, label="✓ Save all")
    assert "still open" in pressed.followups[0].content
    monkeypatch.setattr(Questions, "put", original)
    await world.ann.click(world.said()[-1], label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_reminder_comes_once(world) -> None:
    await asked(world)
    world.now += timedelta(hours=13)
    await world.env.advance_time(3600)
    reminded = world.said()[-1]
    assert "You have not answered this yet" in reminded.content
    assert labels(reminded) == ["✓ Save all", "✗ Skip all"]
    await world.env.advance_time(3600)
    assert len(world.said()) == 2
    await world.ann.click(reminded, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_reminder_that_cannot_be_sent_stops_nothing(world) -> None:
    await asked(world)
    world.now += timedelta(hours=13)
    world.env.inject_error("POST", "/channels/*/messages", status=403, code=50013)
    await world.env.advance_time(3600)
    assert len(world.said()) == 1


async def test_a_question_is_in_the_language_of_the_words(world) -> None:
    await world.ann.send(world.channel, "Може, може, може maybe I like Шахи")
    assert "Зберегти?" in world.said()[-1].content


async def test_formatting_and_mentions_in_a_value_are_only_text(world) -> None:
    question = await asked(world, "maybe I like __chess__")
    assert "\\_\\_chess\\_\\_" in question.content
