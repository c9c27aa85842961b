"""A Discord in memory (simcord) with our bot in it: the library's own gateway and REST machinery, no network."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
import pytest_asyncio
import simcord.interactions
from discord_world import World, labels
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from zgadka.chat.providers import choose_model

__all__ = ["labels"]


class Scripted:
    """A model that calls the tools of `calls`, then says `text`; both are set by the test before each message."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.text = "All right."
        self.heard: list[str] = []
        self.model = FunctionModel(stream_function=self._stream)

    async def _stream(self, messages: list[ModelMessage], _: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        if self.calls:
            name, arguments = self.calls.pop(0)
            yield {0: DeltaToolCall(name, json.dumps(arguments), tool_call_id=f"{len(messages)}")}
            return
        asked = [part for one in messages if isinstance(one, ModelRequest) for part in one.parts]
        self.heard = [str(part.content) for part in asked if isinstance(part, UserPromptPart)]
        yield self.text


@pytest.fixture
def scripted() -> Scripted:
    return Scripted()


@pytest_asyncio.fixture
async def make_world(url: str) -> AsyncIterator[Callable[..., Awaitable[World]]]:
    """Make a world: `await make_world(model)`; without a model, the offline stand-in answers."""
    worlds: list[World] = []
    async with AsyncExitStack() as stack:

        async def make(model: Any = None, options: Any = None, **settings: Any) -> World:
            model = model or choose_model("standin", environ={}).model
            world = World(stack, url, model, **settings)
            worlds.append(world)
            return await world.begin(**(options or {}))

        yield make
    for world in worlds:
        await world.memory.close()


@pytest_asyncio.fixture
async def world(make_world: Callable[..., Awaitable[World]]) -> World:
    """A world where the offline stand-in answers."""
    return await make_world()


@pytest_asyncio.fixture
async def scripted_world(make_world: Callable[..., Awaitable[World]], scripted: Scripted) -> World:
    """A world where the test says what the model does."""
    return await make_world(scripted.model)


@pytest.fixture
def in_ukrainian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody uses Discord in Ukrainian; the simulation has no switch for it."""
    original = simcord.interactions.base_payload

    def payload(*arguments: Any, **named: Any) -> Any:
        record, made = original(*arguments, **named)
        return record, made | {"locale": "uk"}

    monkeypatch.setattr(simcord.interactions, "base_payload", payload)
