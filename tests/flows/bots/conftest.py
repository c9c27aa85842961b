"""One scene on several platforms: Ann (1) and Bob (2) in a group, each with a direct chat with the bot."""

from __future__ import annotations

import asyncio
import itertools
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import pytest_asyncio
import simcord.interactions
from discord_world import World, extract, labels
from in_memory_platform import InMemoryPlatform
from long_run import is_long
from postgres_server import server as postgres
from telegram_api import Someone, make_api, serve

from zgadka import Member, Memory, Settings, Turn, open_memory
from zgadka.bots.core import Bot
from zgadka.bots.platform import Command, Membership, Message, Press
from zgadka.chat.agent import standin_model
from zgadka.chat.providers import choose_model
from zgadka.ops.list_memories import own_memories

FOLDER = Path(__file__).parent
PLATFORMS = ("in memory", "in memory on PostgreSQL", "Telegram", "Discord")

GROUP = -1001
NAMES = {1: "Ann", 2: "Bob"}

_BY_ID = ("history", "undo", "share", "unshare")
_turns = itertools.count(1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Play each scene on the platform in memory and on one of the others, each of these in its turn, but with `--long`.

    What a platform does of its own is tried in `tests/flows/discord/` and `tests/flows/telegram/`.
    """
    if is_long():
        return
    offered: defaultdict[str, set[str]] = defaultdict(set)
    scenes: list[tuple[pytest.Function, str]] = []
    for item in items:
        if isinstance(item, pytest.Function) and item.path.parent == FOLDER and hasattr(item, "callspec"):
            platform = str(item.callspec.params["make_scene"])
            scenes.append((item, platform))
            offered[item.originalname].add(platform)
    left_out: set[pytest.Item] = set()
    for item, platform in scenes:
        if offered[item.originalname] == set(PLATFORMS):
            other = PLATFORMS[1 + crc32(item.originalname.encode()) % 3]
            if platform not in (PLATFORMS[0], other):
                left_out.add(item)
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


@dataclass
class Shown:
    """A message of the bot's as a person sees it now; `native` is the platform's."""

    text: str
    labels: list[str]
    native: Any
    number: int


class Scene(ABC):
    """What people do and see. Each act is answered before the next."""

    memory: Memory
    platform: str

    @abstractmethod
    async def write(self, person: int, text: str, *, direct: bool = False, to: Shown | None = None) -> None:
        """Write a message; `to`: in reply to the bot's."""

    @abstractmethod
    async def command(self, person: int, name: str, argument: str = "", *, direct: bool = False) -> None: ...

    @abstractmethod
    async def press(self, person: int, message: Shown, label: str, *, direct: bool = False) -> None:
        """Press the first button whose label begins so, as if the message still had the buttons that it had."""

    @abstractmethod
    async def press_data(self, person: int, message: Shown, data: str) -> None:
        """Press a button of a message in the group that has this data, as a client of one's own can."""

    @abstractmethod
    async def find(self, person: int, text: str, *, direct: bool = False, after: Shown | None = None) -> Shown:
        """The newest message with this text that the person sees."""

    @abstractmethod
    def texts(self, person: int, *, direct: bool = False) -> list[str]:
        """Of the messages that the person sees now."""

    async def silent(self, person: int, text: str, *, direct: bool = False) -> None:
        """Fail if a message with this text is there once what came before a further command is done."""
        await self.command(person, "forget", "xylophone", direct=direct)
        await self.find(person, "Nothing matches these words.", direct=direct)
        assert not [shown for shown in self.texts(person, direct=direct) if text in shown]

    @abstractmethod
    async def told(self, person: int, text: str) -> None:
        """Return once whoever pressed was told this; fail if they were not."""

    @abstractmethod
    async def reacted(self, count: int) -> None:
        """Return once so many messages in the group have the bot's reaction; fail if others are."""

    @abstractmethod
    def forward(self, **span: float) -> None:
        """Move the memory's clock."""

    @abstractmethod
    async def restart(self) -> None: ...

    @abstractmethod
    def turn(self, person: int, *, direct: bool = False) -> Turn: ...

    async def known(self, person: int, *, direct: bool = False) -> list[str]:
        """What the person may list there."""
        memories = await self.memory.look(own_memories, self.turn(person, direct=direct))
        assert isinstance(memories, list)
        return sorted(memory.text for memory in memories if memory.valid_to is None)


class InMemoryScene(Scene):
    platform = "telegram"

    def __init__(self, stack: AsyncExitStack, url: str, language: Any, settings: Settings) -> None:
        self._stack, self._url, self._language, self._settings = stack, url, language, settings
        self._wire = InMemoryPlatform()
        self._offset = timedelta()

    async def begin(self) -> None:
        self._opened = await self._stack.enter_async_context(AsyncExitStack())
        memory = open_memory(self._url, settings=self._settings, clock=lambda: datetime.now(UTC) + self._offset)
        self.memory = await self._opened.enter_async_context(memory)
        self.memory._observer._extractor = extract
        self._bot = Bot(self.memory, self._wire, standin_model())
        self._opened.push_async_callback(self._bot.close)
        members = tuple(Member(user=str(user), number=user, name=name) for user, name in NAMES.items())
        await self._bot.take(Membership(space=str(GROUP), members=members))
        await self._bot.settle()

    async def restart(self) -> None:
        await self._opened.aclose()
        await self.begin()

    def turn(self, person: int, *, direct: bool = False) -> Turn:
        chat, number = str(person if direct else GROUP), str(next(_turns))
        return Turn(
            platform=self.platform, space=chat, chat=chat, user=person, turn=number, message=number, direct=direct
        )

    async def write(self, person: int, text: str, *, direct: bool = False, to: Shown | None = None) -> None:
        turn, to_bot = self.turn(person, direct=direct), direct or to is not None
        answers = () if to is None else tuple(button.data for button in to.native.buttons)
        message = Message(turn=turn, text=text, own_text=text, language=self._language, to_bot=to_bot, answers=answers)
        await self._take(message)

    async def command(self, person: int, name: str, argument: str = "", *, direct: bool = False) -> None:
        turn = self.turn(person, direct=direct)
        await self._take(Command(turn=turn, name=name, argument=argument, language=self._language))

    async def press(self, person: int, message: Shown, label: str, *, direct: bool = False) -> None:
        await self._press(self.turn(person, direct=direct), message.number, message.native.data(label))

    async def press_data(self, person: int, message: Shown, data: str) -> None:
        await self._press(self.turn(person), message.number, data)

    async def _press(self, turn: Turn, number: int, data: str) -> None:
        text = self._wire.sent[number].text
        await self._take(Press(turn=turn, data=data, text=text, language=self._language, source=number))

    async def _take(self, event: Any) -> None:
        await self._bot.take(event)
        await self._bot.settle()

    async def find(self, person: int, text: str, *, direct: bool = False, after: Shown | None = None) -> Shown:
        found = [
            shown
            for shown in self._shown(person, direct)
            if text in shown.text and (after is None or shown.number > after.number)
        ]
        assert found, self._wire.sent
        return found[-1]

    def _shown(self, person: int, direct: bool) -> list[Shown]:
        chat = str(person if direct else GROUP)
        return [
            Shown(sent.text, [button.text for button in sent.buttons], sent, number)
            for number, sent in enumerate(self._wire.sent)
            if (sent.address.chat or sent.address.user) == chat and sent.viewer in (None, str(person))
        ]

    def texts(self, person: int, *, direct: bool = False) -> list[str]:
        return [shown.text for shown in self._shown(person, direct)]

    async def told(self, person: int, text: str) -> None:
        assert any(text in words for words, _ in self._wire.told), self._wire.told

    async def reacted(self, count: int) -> None:
        assert len([chat for chat, _ in self._wire.reactions if chat == str(GROUP)]) == count

    def forward(self, **span: float) -> None:
        self._offset += timedelta(**span)


class TelegramScene(Scene):
    platform = "telegram"

    def __init__(self, stack: AsyncExitStack, url: str, server: str, language: Any, settings: Settings) -> None:
        self._stack, self._url, self._language, self._settings = stack, url, language or "en", settings
        self._api = make_api(server)
        self._offset = timedelta()

    async def begin(self) -> None:
        self._opened = await self._stack.enter_async_context(AsyncExitStack())
        memory = open_memory(self._url, settings=self._settings, clock=lambda: datetime.now(UTC) + self._offset)
        self.memory = await self._opened.enter_async_context(memory)
        self.memory._observer._extractor = extract
        for user, name in NAMES.items():
            await self.memory.report_member("telegram", str(GROUP), Member(user=str(user), number=user, name=name))
        from zgadka.bots.telegram.wire import run_telegram  # aiogram: three seconds, for who needs it

        stop, ready = asyncio.Event(), asyncio.Event()
        running = asyncio.create_task(
            run_telegram(
                self.memory,
                standin_model(),
                token=self._api.token,
                api=self._api.url,
                stop=stop,
                ready=lambda _: ready.set(),
            )
        )
        started = asyncio.create_task(ready.wait())
        await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)

        async def end() -> None:
            stop.set()
            await running

        self._opened.push_async_callback(end)

    async def restart(self) -> None:
        await self._opened.aclose()
        await self.begin()

    def turn(self, person: int, *, direct: bool = False) -> Turn:
        chat = str(person if direct else GROUP)
        turn = f"test:{next(_turns)}"
        return Turn(platform="telegram", space=chat, chat=chat, user=person, turn=turn, direct=direct)

    def _someone(self, person: int, *, direct: bool) -> Someone:
        return Someone(self._api, person, person if direct else GROUP, NAMES[person], self._language)

    async def write(self, person: int, text: str, *, direct: bool = False, to: Shown | None = None) -> None:
        someone = self._someone(person, direct=direct)
        await (someone.write(text) if to is None else someone.reply(to.native, text))

    async def command(self, person: int, name: str, argument: str = "", *, direct: bool = False) -> None:
        await self.write(person, f"/{name} {argument}".strip(), direct=direct)

    async def press(self, person: int, message: Shown, label: str, *, direct: bool = False) -> None:
        await self._someone(person, direct=direct).press(message.native, label)

    async def press_data(self, person: int, message: Shown, data: str) -> None:
        await self._someone(person, direct=False).press_data(message.native, data)

    async def find(self, person: int, text: str, *, direct: bool = False, after: Shown | None = None) -> Shown:
        message = await self._api.says(person if direct else GROUP, text, after=after.number if after else 0)
        buttons = [button["text"] for button in self._api.buttons(message)]
        return Shown(message["text"], buttons, message, message["message_id"])

    def texts(self, person: int, *, direct: bool = False) -> list[str]:
        return [message["text"] for message in self._api.bot_messages(person if direct else GROUP)]

    async def told(self, person: int, text: str) -> None:
        await self._api.told(text)

    async def reacted(self, count: int) -> None:
        if count:
            await self._api.wait(lambda: len(self._api.reactions(GROUP)) >= count)
        assert len(self._api.reactions(GROUP)) == count

    def forward(self, **span: float) -> None:
        self._offset += timedelta(**span)


class DiscordScene(Scene):
    platform = "discord"

    def __init__(self, stack: AsyncExitStack, url: str, settings: dict[str, Any]) -> None:
        self._world = World(stack, url, choose_model("standin", environ={}).model, **settings)
        stack.push_async_callback(self._close)

    async def _close(self) -> None:
        await self._world.memory.close()

    async def begin(self) -> None:
        await self._world.begin()
        self._actors = {1: self._world.ann, 2: self._world.bob}

    @property
    def memory(self) -> Memory:  # pyright: ignore[reportIncompatibleVariableOverride]
        return self._world.memory

    async def restart(self) -> None:
        await self._world.restart()

    def turn(self, person: int, *, direct: bool = False) -> Turn:
        actor = self._actors[person]
        turn = self._world.alone(actor) if direct else self._world.turn(actor)
        return replace(turn, turn=f"test:{next(_turns)}")

    async def write(self, person: int, text: str, *, direct: bool = False, to: Shown | None = None) -> None:
        actor = self._actors[person]
        if not direct:
            await actor.send(self._world.channel, text, reply_to=None if to is None else to.native)
        elif to is None:
            await actor.send_dm(text)
        else:
            replied = {"channel_id": str(to.native.channel.id), "message_id": str(to.native.id)}
            await actor.send_dm(text, reference=replied)

    async def command(self, person: int, name: str, argument: str = "", *, direct: bool = False) -> None:
        actor = self._actors[person]
        options: dict[str, Any] = {}
        if argument:
            option = "level" if name == "privacy" else "number" if name in _BY_ID else "what"
            options[option] = int(argument) if option == "number" else argument
        await (actor.user.slash(name, **options) if direct else actor.slash(self._world.channel, name, **options))

    async def press(self, person: int, message: Shown, label: str, *, direct: bool = False) -> None:
        actor, full = self._actors[person], next(one for one in message.labels if one.startswith(label))
        # A client that has not heard yet still shows the buttons.
        stored = self._world.env.backend.get_message(message.native.channel.id, message.native.id)
        stored.components = [row.to_dict() for row in message.native.components]
        await (actor.user if direct else actor).click(message.native, label=full)

    async def press_data(self, person: int, message: Shown, data: str) -> None:
        stored = self._world.env.backend.get_message(message.native.channel.id, message.native.id)
        forged = {"type": 2, "style": 2, "label": "forged", "custom_id": data}
        stored.components = [{"type": 1, "components": [forged]}]
        await self._actors[person].click(message.native, label="forged")

    async def find(self, person: int, text: str, *, direct: bool = False, after: Shown | None = None) -> Shown:
        shown = self._shown(person, direct)
        found = [one for one in shown if text in one.text and (after is None or one.number > after.number)]
        assert found, [one.text for one in shown]
        return found[-1]

    def _shown(self, person: int, direct: bool) -> list[Shown]:
        actor = self._actors[person]
        channel = actor.user.dm_channel if direct else self._world.channel
        messages = self._world.said(channel, viewer=actor.user)
        return [Shown(_text(message), labels(message), message, message.id) for message in messages]

    def texts(self, person: int, *, direct: bool = False) -> list[str]:
        return [shown.text for shown in self._shown(person, direct)]

    async def told(self, person: int, text: str) -> None:
        await self.find(person, text)

    async def reacted(self, count: int) -> None:
        messages = self._world.env.backend.messages[self._world.channel.id]
        assert sum(bool(message.reactions) for message in messages.values()) == count

    def forward(self, **span: float) -> None:
        self._world.now += timedelta(**span)


def _text(message: Any) -> str:
    """The message's text as people read it, without the marks that keep it from being markup."""
    parts = [message.content, *(part for embed in message.embeds for part in (embed.title, embed.description))]
    return re.sub(r"\\(.)", r"\1", "\n".join(part for part in parts if part))


@pytest.fixture(scope="session")
def telegram_server(npm_package: Callable[[str, str], tuple[str, Path]]) -> Iterator[str]:
    """The address of a Bot API server."""
    yield from serve(npm_package)


@pytest_asyncio.fixture(params=PLATFORMS)
async def make_scene(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Callable[..., Awaitable[Scene]]]:
    """Make a scene: `await make_scene(language="uk", …settings)`."""
    url = f"sqlite:///{tmp_path}/memory.db"
    async with AsyncExitStack() as stack:

        async def make(language: Any = None, **settings: Any) -> Scene:
            match request.param:
                case "Telegram":
                    server = request.getfixturevalue("telegram_server")
                    scene: Any = TelegramScene(stack, url, server, language, Settings(**settings))
                case "Discord":
                    if language == "uk":
                        _in_ukrainian(monkeypatch)
                    scene = DiscordScene(stack, url, settings)
                case where:
                    place = url if where == "in memory" else postgres().database_for(tmp_path)
                    scene = InMemoryScene(stack, place, language, Settings(**settings))
            await scene.begin()
            return scene

        yield make


@pytest_asyncio.fixture
async def scene(make_scene: Callable[..., Awaitable[Scene]]) -> Scene:
    return await make_scene()


def _in_ukrainian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everybody uses Discord in Ukrainian; the simulation has no switch for it."""
    original = simcord.interactions.base_payload

    def payload(*arguments: Any, **named: Any) -> Any:
        record, made = original(*arguments, **named)
        return record, made | {"locale": "uk"}

    monkeypatch.setattr(simcord.interactions, "base_payload", payload)
