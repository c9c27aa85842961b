"""What the model of a conversation gets: which tools, and what time it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel

from zgadka import Settings, SettingsError, Turn, open_memory
from zgadka.chat.agent import standin_model
from zgadka.chat.loop import Conversation
from zgadka.tools.registry import REGISTRY, chosen_sets


async def given(settings: Settings) -> set[str]:
    names: set[str] = set()

    async def answer(_: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        names.update(tool.name for tool in info.function_tools)
        yield "Hello."

    async with open_memory("sqlite://:memory:", settings=settings) as memory:
        conversation = Conversation(memory, FunctionModel(stream_function=answer))
        turn = Turn(platform="test", space="s", chat="c", user=1)
        async with aclosing(conversation.answer("Hello", turn)) as pieces:
            assert "".join([piece async for piece in pieces]) == "Hello."
    return names


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("chosen", "sets"),
    [
        (None, ("core", "facts", "episodes")),
        ("auto", ("core", "facts", "episodes")),
        (" Lean", ("lean",)),
        ("standard", ("core", "facts")),
        ("full", ("core", "facts", "episodes", "notes", "insight")),
        ("Core,notes ,", ("core", "notes")),
        ("", ()),
    ],
)
async def test_a_model_gets_the_tool_sets_of_the_setting(chosen: str | None, sets: tuple[str, ...]) -> None:
    settings = Settings(background=False) if chosen is None else Settings(background=False, chat_tools=chosen)
    assert await given(settings) == {tool.name for tool in REGISTRY.select(*sets)}


@pytest.mark.asyncio
@pytest.mark.parametrize(("tokens", "sets"), [(8192, ("lean",)), (16_384, ("core", "facts", "episodes"))])
async def test_a_model_that_reads_little_at_once_gets_the_lean_tools(tokens: int, sets: tuple[str, ...]) -> None:
    settings = Settings(background=False, model_context_tokens=tokens)
    assert await given(settings) == {tool.name for tool in REGISTRY.select(*sets)}
    chosen = Settings(background=False, model_context_tokens=tokens, chat_tools="core")
    assert await given(chosen) == {tool.name for tool in REGISTRY.select("core")}


@pytest.mark.asyncio
@pytest.mark.parametrize("more", [{"chat_tools": "lean"}, {"model_context_tokens": 8192}])
async def test_the_stand_in_gets_the_tools_that_it_knows(more: dict[str, Any]) -> None:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False, **more)) as memory:
        conversation = Conversation(memory, standin_model())
        turn, said = Turn(platform="test", space="1", chat="1", user=1, direct=True), list[str]()
        for text in ("I live in Kyiv", "What do you know about me?", "Forget that I live in Kyiv", "yes"):
            async with aclosing(conversation.answer(text, replace(turn, text=text))) as pieces:
                said.append("".join([piece async for piece in pieces]))
    assert "location: Kyiv" in said[0]
    assert "location: Kyiv" in said[1]
    assert not any("not available" in answer for answer in said)
    assert said[3].startswith("Deleted")


def test_what_a_host_adds_it_adds_to_all_but_the_lean_tools() -> None:
    assert chosen_sets(Settings(chat_tools="core, notes"), also=("notes",)) == ("core", "notes")
    assert chosen_sets(Settings(chat_tools="standard"), also=("notes",)) == ("core", "facts", "notes")
    assert chosen_sets(Settings(chat_tools="lean"), also=("notes",)) == ("lean",)


@pytest.mark.asyncio
async def test_a_set_that_does_not_exist_is_said_at_once() -> None:
    with pytest.raises(SettingsError, match="chat_tools has 'fact': give auto, lean, standard, full, or some of core"):
        await given(Settings(background=False, chat_tools="core, fact"))


@pytest.mark.asyncio
@pytest.mark.parametrize(("zone", "now"), [("UTC", "2026-03-01 23:30"), ("Europe/Kyiv", "2026-03-02 01:30 (Monday)")])
async def test_a_model_is_told_the_time_in_the_time_zone_of_the_setting(zone: str, now: str) -> None:
    prompts: list[str] = []

    async def answer(messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str]:
        prompts.append(str(messages[-1]))
        yield "Hello."

    async with open_memory("sqlite://:memory:", settings=Settings(background=False, time_zone=zone)) as memory:
        model = FunctionModel(stream_function=answer)
        conversation = Conversation(memory, model, clock=lambda: datetime(2026, 3, 1, 23, 30, tzinfo=UTC))
        turn = Turn(platform="test", space="s", chat="c", user=1)
        async with aclosing(conversation.answer("Hello", turn)) as pieces:
            assert [piece async for piece in pieces] == ["Hello."]
    assert f"Now: {now}" in prompts[0]
