"""Questions about uncertain memories: asked under the message, answered by their owner's press, and by nobody else."""

from __future__ import annotations

from datetime import timedelta

import pytest

from zgadka.stores.tx import Tx

from .conftest import labels

pytestmark = [pytest.mark.asyncio, pytest.mark.parametrize("back_end", ["sqlite", "postgres"])]


async def asked(world, text: str = "maybe I like chess"):
    """Ann says something uncertain; returns the bot's question."""
    await world.ann.send(world.channel, text)
    return world.said()[-1]


async def test_what_is_uncertain_is_asked_under_the_message(world) -> None:
    question = await asked(world)
    assert "like: chess" in question.content
    assert labels(question) == ["✓ Save all", "✗ Skip all"]
    assert await world.facts(world.ann) == []


async def test_a_press_on_save_stores_it(world) -> None:
    question = await asked(world)
    await world.ann.click(question, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]
    after = world.said()[-1]
    assert after.content == "✓ Saved."
    assert after.components == []


async def test_a_press_on_skip_stores_nothing(world) -> None:
    question = await asked(world)
    await world.ann.click(question, label="✗ Skip all")
    assert await world.facts(world.ann) == []
    assert "nothing was saved" in world.said()[-1].content


async def test_someone_elses_press_changes_nothing(world) -> None:
    question = await asked(world)
    pressed = await world.bob.click(question, label="✓ Save all")
    assert [one.content for one in pressed.followups] == ["This question is not for you."]
    assert all(one.ephemeral for one in pressed.followups)
    assert await world.facts(world.ann) == []
    assert labels(world.said()[-1]) == ["✓ Save all", "✗ Skip all"]


async def test_a_second_press_is_already_handled(world) -> None:
    question = await asked(world)
    await world.ann.click(question, label="✗ Skip all")
    # A client that has not heard yet still shows the buttons.
    world.env.backend.get_message(world.channel.id, question.id).components = [
        row.to_dict() for row in question.components
    ]
    pressed = await world.ann.click(question, label="✓ Save all")
    assert "Already handled." in [one.content for one in pressed.followups]
    assert await world.facts(world.ann) == []


async def test_items_are_answered_one_by_one(world) -> None:
    question = await asked(world, "maybe I like chess, maybe I like tea, maybe I like rain")
    assert labels(question)[2:] == ["✓ like: chess", "✗", "✓ like: tea", "✗", "✓ like: rain", "✗"]
    await world.ann.click(question, label="✓ like: tea")
    assert await world.facts(world.ann) == ["like: tea"]
    still = world.said()[-1]
    assert "tea" not in still.content
    assert "chess" in still.content
    await world.ann.click(still, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess", "like: rain", "like: tea"]


async def test_two_open_questions_each_save_their_own(world) -> None:
    first = await asked(world)
    await asked(world, "maybe I like tea")
    await world.ann.click(first, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_press_after_a_restart_still_counts(world) -> None:
    question = await asked(world)
    await world.restart()
    await world.bob.click(world.said()[-1], label="✓ Save all")
    assert await world.facts(world.ann) == []
    await world.ann.click(question, label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_press_after_its_time_is_told_so(world) -> None:
    question = await asked(world)
    world.now += timedelta(hours=25)
    pressed = await world.ann.click(question, label="✓ Save all")
    assert "expired" in pressed.followups[0].content
    assert world.said()[-1].components == []
    assert await world.facts(world.ann) == []


async def test_a_save_that_fails_keeps_the_question_open(world, monkeypatch) -> None:
    question = await asked(world)
    original = Tx.put_save_question

    def fails(*_: object) -> None:
        from zgadka.errors import StoreUnavailable

        raise StoreUnavailable("disk full")

    monkeypatch.setattr(Tx, "put_save_question", fails)
    pressed = await world.ann.click(question, label="✓ Save all")
    assert "still open" in pressed.followups[0].content
    monkeypatch.setattr(Tx, "put_save_question", original)
    await world.ann.click(world.said()[-1], label="✓ Save all")
    assert await world.facts(world.ann) == ["like: chess"]


async def test_a_reminder_comes_once(world) -> None:
    await asked(world)
    world.now += timedelta(hours=13)
    await world.env.advance_time(3600)
    reminded = world.said()[-1]
    assert "You have not answered yet" in reminded.content
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


async def test_a_question_in_a_direct_chat_is_answered_there(world) -> None:
    await world.ann.send_dm("maybe I like chess")
    question = next(one for one in world.direct(world.ann) if "Save these?" in one.content)
    await world.ann.user.click(question, label="✓ Save all")
    assert await world.facts(world.ann, world.alone(world.ann)) == ["like: chess"]


async def test_a_question_is_in_the_language_of_the_words(world) -> None:
    await world.ann.send(world.channel, "Може, може, може maybe I like Шахи")
    assert "Зберегти?" in world.said()[-1].content


async def test_formatting_and_mentions_in_a_value_are_only_text(world) -> None:
    question = await asked(world, "maybe I like __chess__")
    assert "\\_\\_chess\\_\\_" in question.content
