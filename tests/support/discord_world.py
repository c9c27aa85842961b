"""A Discord in memory (simcord) with our bot in it: the library's own gateway and REST machinery, no network."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import simcord
from simcord._settlement import _wakes_recognized_wait

from zgadka import Memory, Settings, Turn
from zgadka.bots.discord.bot import DiscordBot
from zgadka.model.inference import Inference, Inferred
from zgadka.stores.postgres.store import PostgresStore
from zgadka.stores.sqlite.store import SqliteStore

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


class _Env(simcord.Env):
    """Has a timer of the bot's that is due in real time fire then, however slow the machine is.

    simcord moves its own time for it instead, once all that is under way is done: never, where that waits for a timer.
    """

    def _schedule_timer(self, record: Any, callback: Any, args: Any, schedule_context: Any) -> None:
        super()._schedule_timer(record, callback, args, schedule_context)
        if (timer := record.real_handle) is not None:
            timer.cancel()
            assert self._runtime is not None
            record.real_handle = self._runtime.call_at(timer.when(), self._fire, record, context=schedule_context)

    def _fire(self, record: Any) -> None:
        handle = record.handle
        if not handle.cancelled() and not _wakes_recognized_wait(self._settlement_state(), record):
            handle._run()

    async def _settle_internal(self, *, timeout: float | None = None, **options: Any) -> None:  # noqa: ASYNC109
        del timeout  # of the start: five seconds
        await super()._settle_internal(**options)


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
        # Nearly as long as a test may take: on a slow machine, what the bot does takes longer than the seconds given.
        self.env = _Env(self.bot, settle_timeout=240, **options)
        await self.env.start()
        self._stack.push_async_callback(self._end)
        self.guild = self.env.create_guild()
        self.channel = self.guild.create_text_channel("general")
        self.ann = self.guild.add_member(self.env.create_user("ann", global_name="Ann"), nick="Annie")
        self.bob = self.guild.add_member(self.env.create_user("bob", global_name="Bob"))
        await self.env.settle()
        return self

    async def restart(self, kind: type[DiscordBot] = DiscordBot, **settings: Any) -> None:
        self._settings = replace(self._settings, **settings)
        await self.memory.close()
        self.memory = self._open()
        self.bot = kind(self.memory, self._model)
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
        """What holds now."""
        turn = turn or self.turn(actor)
        result = await self.memory.call("recall_facts", {"user_id": turn.user_number, "limit": 50}, turn)
        if result.status != "success":
            return [result.status]
        return sorted(f"{fact['key']}: {fact['value']}" for fact in result["facts"] if "valid_to" not in fact)

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
