"""Telegram numbers the messages of private chats and basic groups for each bot: message 5 is not message 5."""

# ruff: noqa: TC004
from __future__ import annotations

import importlib
import itertools
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from in_memory_platform import InMemoryPlatform

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.bots.core import Bot
from zgadka.bots.platform import Command, Message
from zgadka.chat.agent import standin_model
from zgadka.model.memory import StoredMemory
from zgadka.ops.list_memories import own_memories

if TYPE_CHECKING:
    from zgadka.bots.telegram.translate import Me, events_of

pytestmark = pytest.mark.asyncio

CHATS = {"private": (1, "private"), "basic group": (-5, "group"), "supergroup": (-1001, "supergroup")}
_updates = itertools.count(1)


@pytest.fixture(scope="module", autouse=True)
def _wire() -> None:
    wire = importlib.import_module("zgadka.bots.telegram.translate")
    globals().update(Me=wire.Me, events_of=wire.events_of)


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Account:
    """A bot's account on Telegram, over a memory that others may use as well. Olena (1) writes to it."""

    def __init__(self, memory: Memory, clock: Clock, number: int, *, persona: int = 0, chat: str = "private") -> None:
        self.wire, self.memory, self.clock = InMemoryPlatform(), memory, clock
        self.bot = Bot(memory, self.wire, standin_model(), clock=clock)
        self.me, self.persona = Me(number, f"bot{number}_bot"), persona
        self.chat = {"id": CHATS[chat][0], "type": CHATS[chat][1]}

    def message(self, number: int, text: str, *, sent: datetime | None = None, to: int | None = None) -> dict[str, Any]:
        message = {
            "message_id": number,
            "date": int((sent or self.clock.now).timestamp()),
            "chat": self.chat,
            "from": {"id": 1, "is_bot": False, "first_name": "Olena", "language_code": "en"},
            "text": text,
        }
        return message if to is None else message | {"reply_to_message": self.message(to, "…", sent=sent)}

    async def says(self, number: int, text: str, **more: Any) -> None:
        await self._take(message=self.message(number, text, **more))

    async def edits(self, number: int, text: str, *, sent: datetime) -> None:
        await self._take(edited_message=self.message(number, text, sent=sent))

    async def _take(self, **update: Any) -> None:
        from aiogram.types import Update

        content = Update.model_validate({"update_id": next(_updates), **update})
        for event in events_of(content, self.me, persona=self.persona):
            await self.bot.take(event)
        await self.bot.settle()

    def turn(self) -> Turn:
        place, number = str(self.chat["id"]), next(_updates)
        is_direct = self.chat["type"] == "private"
        return Turn(
            platform="telegram", space=place, chat=place, user=1, turn=f"look:{number}", direct=is_direct,
            persona=self.persona,
        )  # fmt: skip

    async def values(self) -> list[str]:
        memories = await self.memory.look(own_memories, self.turn())
        assert isinstance(memories, list)
        return sorted(memory.content for memory in memories if isinstance(memory, StoredMemory))

    async def history(self) -> list[str]:
        return [message.text for message in await self.memory.recent(self.turn(), 50) if message.role == "user"]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def memory(clock: Clock) -> AsyncIterator[Memory]:
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=clock) as memory:
        yield memory


@pytest.mark.parametrize("chat", ["private", "basic group"])
async def test_message_5_to_another_bot_is_another_message(memory: Memory, clock: Clock, chat: str) -> None:
    first, second = (Account(memory, clock, number, persona=number, chat=chat) for number in (666, 777))
    await first.says(5, "I live in Lviv")
    clock.now += timedelta(minutes=3)
    await second.says(5, "I play chess")
    assert (await first.history(), await second.history()) == (["I live in Lviv"], ["I play chess"])
    assert {"Lviv", "chess"} <= {*await first.values(), *await second.values()}


async def test_a_new_bot_on_an_old_database_hides_nothing(memory: Memory, clock: Clock) -> None:
    await Account(memory, clock, 666).says(5, "I live in Lviv")
    clock.now += timedelta(days=60)
    await memory.tidy()
    new = Account(memory, clock, 777)
    await new.says(5, "hello, nice to meet you")
    assert await new.values() == ["Lviv"]


async def test_each_persona_of_a_group_has_a_message_in_its_history(memory: Memory, clock: Clock) -> None:
    first, second = (Account(memory, clock, number, persona=number, chat="supergroup") for number in (666, 777))
    sent = clock.now
    for bot in (first, second):
        await bot.says(5, "I am allergic to nuts")
    assert (await first.history(), await second.history()) == (["I am allergic to nuts"],) * 2
    clock.now += timedelta(minutes=1)
    for bot in (second, first):
        await bot.edits(5, ".", sent=sent)
    assert (await first.history(), await second.history()) == (["."], ["."])
    assert (await first.values(), await second.values()) == ([], [])


async def test_two_bots_of_one_persona_read_a_message_of_a_supergroup_once(memory: Memory, clock: Clock) -> None:
    first, second = (Account(memory, clock, number, chat="supergroup") for number in (666, 777))
    for bot in (first, second):
        await bot.says(5, "I live in Lviv")
    assert await first.history() == ["I live in Lviv"]


@pytest.mark.parametrize("chat", CHATS)
async def test_an_edit_takes_back_what_the_message_said_before(memory: Memory, clock: Clock, chat: str) -> None:
    bot = Account(memory, clock, 666, persona=3, chat=chat)
    sent = clock.now
    await bot.says(5, "I live in Lviv")
    clock.now += timedelta(minutes=1)
    await bot.edits(5, "I keep bees", sent=sent)
    assert (await bot.history(), "Lviv" in await bot.values()) == (["I keep bees"], False)


@pytest.mark.parametrize("chat", CHATS)
async def test_forget_in_reply_forgets_what_that_message_said(memory: Memory, clock: Clock, chat: str) -> None:
    bot = Account(memory, clock, 666, persona=3, chat=chat)
    await bot.says(5, "I live in Lviv")
    await bot.says(6, "/forget", to=5)
    assert "Lviv" in bot.wire.last.text


async def test_forget_in_reply_is_not_about_another_bots_message(memory: Memory, clock: Clock) -> None:
    await Account(memory, clock, 666).says(5, "I live in Lviv")
    clock.now += timedelta(days=60)
    new = Account(memory, clock, 777)
    await new.says(6, "/forget", to=5)
    assert "Lviv" not in new.wire.last.text


@pytest.mark.parametrize("chat", CHATS)
async def test_a_message_that_an_earlier_version_kept_is_still_the_same(
    memory: Memory, clock: Clock, chat: str
) -> None:
    bot = Account(memory, clock, 666, persona=3, chat=chat)
    [turn] = [event.turn for event in _events(bot, 5, "I live in Lviv") if isinstance(event, Message)]
    await memory.observe("I live in Lviv", _former(turn))
    await bot.says(6, "/forget", to=5, sent=clock.now)
    assert "Lviv" in bot.wire.last.text
    sent = clock.now
    clock.now += timedelta(days=1)
    await bot.edits(5, "I keep bees", sent=sent)
    assert (await bot.history(), "Lviv" in await bot.values()) == (["I keep bees"], False)
    await bot.says(5, "I play chess")
    assert await bot.history() == ["I keep bees", "I play chess"]


async def test_the_turns_of_two_bots_have_two_ids(memory: Memory, clock: Clock) -> None:
    first, second = (Account(memory, clock, number) for number in (666, 777))
    turns = [
        event.turn.turn
        for bot in (first, second)
        for event in _events(bot, 5, "/memory", update=9)
        if isinstance(event, Command)
    ]
    assert len(turns) == len(set(turns)) == 2


def _events(bot: Account, number: int, text: str, update: int = 1) -> list[Any]:
    from aiogram.types import Update

    content = Update.model_validate({"update_id": update, "message": bot.message(number, text)})
    return list(events_of(content, bot.me, persona=bot.persona))


def _former(turn: Turn) -> Turn:
    """The turn as an earlier version built it: with the number alone."""
    assert turn.message is not None
    return replace(turn, message=turn.message.partition("@")[0], turn="update:1")
