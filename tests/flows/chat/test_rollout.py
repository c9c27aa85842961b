"""The agent loop in both arms: with tools, without them, and where tools fail."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from store_rows import space_ids

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.chat.agent import standin_model
from zgadka.chat.loop import Conversation
from zgadka.telemetry import METRICS

pytestmark = pytest.mark.asyncio

OFF = Settings(rollout="off", background=False, episode_least_messages=4)
TURN = Turn(platform="terminal", space="terminal", chat="terminal", user=1, direct=True)
FACT = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}
REFUSES = ModelHTTPError(400, "m", "this model does not support tools; I live in secret")

Scripted = Callable[..., Any]


async def hear(conversation: Conversation, text: str, turn: Turn = TURN) -> str:
    return "".join([piece async for piece in conversation.answer(text, turn)])


def given_tools(model: Any) -> list[set[str]]:
    """The names of the tools in each request of a scripted model, noted as it is asked."""
    names: list[set[str]] = []
    stream = model.model.stream_function

    async def noting(messages: Any, info: Any) -> Any:
        names.append({tool.name for tool in info.function_tools})
        async for piece in stream(messages, info):
            yield piece

    model.model.stream_function = noting
    return names


async def facts(memory: Memory, turn: Turn = TURN) -> list[tuple[str, int]]:
    found = await memory.call("recall_facts", {"user_id": 1, "limit": 50}, turn)
    return [(fact["value"], fact["evidence"]) for fact in found["facts"]]


async def counted(memory: Memory, arm: str) -> dict[str, int]:
    """What the board counts of an arm, by outcome."""
    await memory._activity.flush()
    counts: dict[str, int] = {}
    for one in await memory.look(lambda tx: list(tx.usage.list(tx.now - timedelta(days=1)))):
        if (one.kind.what, one.kind.name) == ("arm", arm):
            counts[one.kind.outcome] = counts.get(one.kind.outcome, 0) + one.number
    return counts


def metric(name: str, **labels: str) -> float:
    return METRICS.get_sample_value(name, labels) or 0.0


async def test_without_tools_the_model_has_none_and_the_message_is_looked_at(scripted: Scripted, clock: Any) -> None:
    async with open_memory("sqlite://:memory:", settings=OFF, clock=clock) as memory:
        model = scripted("Nice to hear.")
        names = given_tools(model)
        assert await hear(Conversation(memory, model.model), "I live in Kyiv.") == "Nice to hear."
        assert names == [set()]
        assert "no tools for it" in model.prompts[0]
        assert "remember_fact" not in model.prompts[0]
        clock.forward(minutes=5)
        assert await memory.resume() == 1
        assert await facts(memory) == [("Kyiv", 1)]
        assert [message.text for message in await memory.recent(TURN)] == ["I live in Kyiv.", "Nice to hear."]
        assert await counted(memory, "automated") == {"conversation": 1, "answered": 1, "remembered": 1}


async def test_what_is_remembered_is_in_the_prompt_without_tools(scripted: Scripted) -> None:
    async with open_memory("sqlite://:memory:", settings=OFF) as memory:
        await memory.call("remember_fact", FACT, TURN)
        model = scripted("In Kyiv.")
        await hear(Conversation(memory, model.model), "Where do I live?")
        assert "Kyiv" in model.prompts[0]


async def test_a_host_that_observes_messages_has_none_looked_at_twice(scripted: Scripted, clock: Any) -> None:
    async with open_memory("sqlite://:memory:", settings=OFF, clock=clock) as memory:
        turn = Turn(platform="telegram", space="5", chat="5", user=1, direct=True, message="m1", turn="t1")
        await memory.observe("I live in Kyiv.", turn)
        conversation = Conversation(memory, scripted("Nice.").model, observes=True)
        assert await hear(conversation, "I live in Kyiv.", turn) == "Nice."
        clock.forward(minutes=5)
        assert await memory.resume() == 1
        assert await facts(memory, turn) == [("Kyiv", 1)]
        assert len(await memory.recent(turn)) == 2


async def test_a_provider_that_refuses_tools_is_asked_without_them(
    scripted: Scripted, clock: Any, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(background=False)
    async with open_memory("sqlite://:memory:", settings=settings, clock=clock) as memory:
        before = metric("memory_fallbacks_total", reason="failed")
        model = scripted(REFUSES, "Kyiv is beautiful.")
        names = given_tools(model)
        with caplog.at_level(logging.INFO, "zgadka"):
            assert await hear(Conversation(memory, model.model), "I live in Kyiv.") == "Kyiv is beautiful."
        assert [bool(one) for one in names] == [True, False]
        assert metric("memory_fallbacks_total", reason="failed") == before + 1
        assert await counted(memory, "tools") == {"conversation": 1, "fallback": 1}
        assert "an answer with tools failed (failed)" in caplog.text
        assert "Kyiv" not in caplog.text
        assert "secret" not in caplog.text
        clock.forward(minutes=5)
        assert await memory.resume() == 1
        assert await facts(memory) == [("Kyiv", 1)]
        assert [message.text for message in await memory.recent(TURN)] == ["I live in Kyiv.", "Kyiv is beautiful."]


async def test_what_breaks_inside_is_logged_with_its_place_and_nobodys_words(caplog: pytest.LogCaptureFixture) -> None:
    async def stream(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
        yield ""
        raise ValueError(f"cannot read {messages!r}")

    async with open_memory("sqlite://:memory:", settings=Settings(background=False)) as memory:
        with caplog.at_level(logging.INFO, "zgadka"):
            assert await hear(Conversation(memory, FunctionModel(stream_function=stream)), "I live in Kyiv.")
    assert "Kyiv" not in caplog.text
    assert "ValueError at" in caplog.text
    assert "in stream" in caplog.text


async def test_what_was_remembered_before_the_tools_failed_is_remembered_once(scripted: Scripted, clock: Any) -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        model = scripted(["One moment.", ("remember_fact", FACT)], REFUSES, "Nice.")
        assert await hear(Conversation(memory, model.model), "I live in Kyiv.") == "One moment.\nNice."
        clock.forward(minutes=5)
        await memory.resume()
        assert [value for value, _ in await facts(memory)] == ["Kyiv"]


@pytest.mark.parametrize("status", [401, 429, 503])
async def test_a_provider_that_would_fail_anyway_is_not_asked_again_and_nothing_said_is_lost(
    scripted: Scripted, clock: Any, status: int
) -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        model = scripted(ModelHTTPError(status, "m"))
        assert (await hear(Conversation(memory, model.model), "I live in Kyiv.")).startswith("[The")
        assert len(model.asked) == 1
        assert await counted(memory, "tools") == {"conversation": 1, "failed": 1}
        clock.forward(minutes=5)
        await memory.resume()
        assert await facts(memory) == [("Kyiv", 1)]


async def test_where_it_fails_without_tools_too_the_first_failure_is_told(scripted: Scripted) -> None:
    async with open_memory("sqlite://:memory:") as memory:
        model = scripted(REFUSES, TimeoutError())
        assert await hear(Conversation(memory, model.model), "hi") == (
            "[The model provider failed (HTTP 400). Please try again.]"
        )


async def test_a_failed_correction_repeats_no_answer(scripted: Scripted) -> None:
    async with open_memory("sqlite://:memory:") as memory:
        model = scripted("I have remembered that you live in Kyiv.", REFUSES)
        said = await hear(Conversation(memory, model.model), "hi")
        assert said.startswith("I have remembered that you live in Kyiv.\n[The model provider failed")
        assert len(model.asked) == 2


async def test_the_fallback_can_be_switched_off(scripted: Scripted, without_fallback: Memory) -> None:
    model = scripted(REFUSES)
    said = await hear(Conversation(without_fallback, model.model), "I live in Kyiv.")
    assert said == "[The model provider failed (HTTP 400). Please try again.]"
    assert len(model.asked) == 1
    assert await without_fallback.look(lambda tx: tx.observations.list()) == []


async def test_ten_switches_of_arms_lose_and_double_nothing(scripted: Scripted, clock: Any, tmp_path: Any) -> None:
    """Each round tells a fact with tools and another without, and talks enough for an episode in each arm."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    hobbies = ["chess", "fencing", "sailing", "knitting", "archery", "pottery", "origami", "judo", "yoga", "karate"]
    places = ["Rome", "Paris", "Berlin", "Madrid", "Vienna", "Prague", "Warsaw", "Lisbon", "Dublin", "Athens"]
    for hobby, place in zip(hobbies, places, strict=True):
        settings = Settings(background=False, episode_least_messages=4)
        async with open_memory(url, settings=settings, clock=clock) as memory:
            calls = [
                ("remember_fact", FACT | {"fact_type": "preference", "fact_key": "hobby", "fact_value": value})
                for value in dict.fromkeys((hobby, hobbies[0]))  # what is known is remembered no second time
            ]
            episode = ("create_episode", {"topic": hobby, "summary": f"They spoke of {hobby}.", "importance": 0.8})
            model = scripted(calls, episode, "Done.")
            conversation = Conversation(memory, model.model)
            await hear(conversation, f"I took up {hobby}.")
            clock.forward(minutes=1)
        # The one switch back.
        settings = Settings(background=False, episode_least_messages=4, enable_tool_based_memory=False)
        async with open_memory(url, settings=settings, clock=clock) as memory:
            conversation = Conversation(memory, scripted("I see.", forever=True).model)
            for text in (
                f"My favorite city is {place}.",
                f"We go to {place} in May",
                f"The hotel in {place} is booked",
            ):
                await hear(conversation, text)
                clock.forward(minutes=1)
            clock.forward(minutes=5)
            await memory.resume()
        # Back to tools with the stretch still open: the next message there ends it.
    async with open_memory(url, settings=OFF, clock=clock) as memory:
        clock.forward(hours=1)
        await memory.resume()
        await memory.make_episodes()
        values = [value for value, _ in await facts(memory)]
        assert sorted(values) == sorted([*hobbies, *places])
        found = await memory.call("recall_episodes", {"limit": 50}, TURN)
        topics = [one["topic"] for one in found["episodes"]]
        told = [one for one in found["episodes"] if "automatic" in one["tags"]]
        assert sorted(topic for topic in topics if topic in hobbies) == sorted(hobbies)
        assert sorted(one["topic"].split(", ")[0] for one in told) == sorted(places)
        assert len(topics) == 20
        texts = [message.text for message in await memory.recent(TURN, 1000)]
        assert len(texts) == len(hobbies) * 2 + len(places) * 6
        kept = await memory.look(
            lambda tx: [
                message
                for space in space_ids(tx)
                for one in tx.memories.list_all(space)
                if "automatic" in one.tags
                for message in one.messages
            ]
        )
        assert len(kept) == len(set(kept)) == len(places) * 6
        assert await memory.look(lambda tx: (tx.observations.list(), tx.segments.list_due(timedelta(days=9)))) == (
            [],
            [],
        )


@pytest.mark.parametrize("ahead", [-2, 0, 2])
async def test_a_first_telling_is_answered_as_one_whatever_clock_the_platform_has(clock: Any, ahead: int) -> None:
    time = clock.now + timedelta(seconds=ahead)
    turn = Turn(platform="telegram", space="5", chat="5", user=1, direct=True, message="m1", turn="t1", time=time)
    async with open_memory("sqlite://:memory:", clock=clock) as memory:
        await memory.observe("I live in Kyiv.", turn, at_once=True)
        heard = await hear(Conversation(memory, standin_model(), observes=True), "I live in Kyiv.", turn)
        assert heard.startswith("Remembered")
