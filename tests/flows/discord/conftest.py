"""A Discord in memory (simcord) with our bot in it: the library's own gateway and REST machinery, no network."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import pytest
import pytest_asyncio
import simcord
import simcord.interactions
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel

from zgadka import Memory, Settings, Turn
from zgadka.adapters.discord_bot import DiscordBot
from zgadka.chat.providers import choose_model
from zgadka.model.inference import Inference, Inferred
from zgadka.stores.postgres import PostgresStore
from zgadka.stores.sqlite import SqliteStore

_LIVES = re.compile(r"(?<!\w)I live in (\w+)")
_MAYBE = re.compile(r"maybe I like (\w+)")


async def extract(text: str) -> Inference:
    """Rules of the tests' own: "I live in X" is certain, "maybe I like X" is not."""
    certain = [Inferred(type="personal", key="location", value=found, excerpt=text) for found in _LIVES.findall(text)]
    uncertain = [
        Inferred(type="preference", key="like", value=found, excerpt=text, confidence=0.5)
        for found in _MAYBE.findall(text)
    ]
    return Inference(certain=tuple(certain), uncertain=tuple(uncertain))


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


class World:
    """A server with Ann and Bob, and the bot; `restart` begins anew on the same database.

    Attributes:
        now: The engine's time; it stands still until a test moves it.
    """

    def __init__(self, stack: AsyncExitStack, url: str, model: Any, **settings: Any) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self._stack = stack
        self._url = url
        self._settings = Settings(**settings)
        self._model = model
        self.memory = self._open()

    async def begin(self, **options: Any) -> World:
        self.bot = DiscordBot(self.memory, self._model)
        self.env = simcord.Env(self.bot, **options)
        await self.env.start()
        self._stack.push_async_callback(self._end)
        self.guild = self.env.create_guild()
        self.channel = self.guild.create_text_channel("general")
        self.ann = self.guild.add_member(self.env.create_user("ann", global_name="Ann"), nick="Annie")
        self.bob = self.guild.add_member(self.env.create_user("bob", global_name="Bob"))
        await self.env.settle()
        return self

    async def restart(self) -> None:
        await self.memory.close()
        self.memory = self._open()
        self.bot = DiscordBot(self.memory, self._model)
        await self.env.restart_bot(self.bot)

    async def _end(self) -> None:
        await self.env.shutdown()
        self.env.raise_errors()

    def _open(self) -> Memory:
        given: dict[str, Any] = {"settings": self._settings, "clock": lambda: self.now}
        if self._url.startswith("postgresql:"):
            return Memory(PostgresStore(self._url, **given), self._settings, extractor=extract)
        store = SqliteStore(Path(self._url.removeprefix("sqlite:///")), **given)
        return Memory(store, self._settings, extractor=extract)

    @property
    def mention(self) -> str:
        assert self.bot.user is not None
        return self.bot.user.mention

    def turn(self, actor: Any, **more: Any) -> Turn:
        place = {"space": str(self.guild.id), "chat": str(self.channel.id)}
        return Turn(**{"platform": "discord", "user": actor.id, "turn": "test", **place, **more})

    def alone(self, actor: Any) -> Turn:
        chat = str(getattr(actor, "user", actor).dm_channel.id)
        return self.turn(actor, space=chat, chat=chat, direct=True)

    async def facts(self, actor: Any, turn: Turn | None = None) -> list[str]:
        turn = turn or self.turn(actor)
        result = await self.memory.call("recall_facts", {"user_id": turn.user_number, "limit": 50}, turn)
        return sorted(f"{fact['key']}: {fact['value']}" for fact in result.get("facts", [result.status]))

    async def fact_id(self, actor: Any, turn: Turn | None = None) -> int:
        turn = turn or self.turn(actor)
        result = await self.memory.call("recall_facts", {"user_id": turn.user_number, "limit": 50}, turn)
        return result["facts"][0]["fact_id"]

    def said(self, channel: Any = None, viewer: Any = None) -> list[discord.Message]:
        """What the bot said, as `viewer` sees it."""
        history = (channel or self.channel).history(viewer=viewer)
        return [message for message in history if message.author.id == self.env.backend.bot_user.id]

    def direct(self, actor: Any) -> list[discord.Message]:
        """What the bot said to somebody alone."""
        return self.said(actor.user.dm_channel)


def labels(message: Any) -> list[str]:
    """The labels of a message's buttons."""
    rows = message.components
    raw = [row if isinstance(row, dict) else row.to_dict() for row in rows]
    return [button["label"] for row in raw for button in row["components"]]


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
