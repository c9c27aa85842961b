"""The doors by which a host or a model reaches the tools, all in this process but for the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args
from uuid import uuid4

from zgadka.assemble import open_memory
from zgadka.errors import extra_for
from zgadka.evals.safety.doors import Call, Door, open_door
from zgadka.evals.safety.in_process import InProcess
from zgadka.evals.safety.silent_platform import SilentPlatform
from zgadka.evals.scripted import Heard, Move
from zgadka.settings import Settings
from zgadka.tools.registry import TIERS

if TYPE_CHECKING:
    from random import Random

    from zgadka.bots.core import Bot
    from zgadka.engine import Memory
    from zgadka.evals.safety.worlds import Clock
    from zgadka.model.turn import Turn

EntranceName = Literal["library", "cli", "rest", "mcp", "mcp that asks", "chat", "bot", "frameworks"]
ENTRANCES: tuple[EntranceName, ...] = get_args(EntranceName)

TALKS: frozenset[EntranceName] = frozenset({"chat", "bot"})
"""Where people write messages, and a model calls tools to answer them."""
TWO_CALLS_SUFFICE: frozenset[EntranceName] = frozenset({"library", "cli"})
"""Where two calls of a host that tells no turns apart may confirm a deletion."""

REPLIES: Mapping[str, Mapping[str, Any]] = {
    "agrees": {"action": "accept", "content": {"delete": True}},
    "ticks nothing": {"action": "accept", "content": {"delete": False}},
    "accepts nothing": {"action": "accept"},
    "declines": {"action": "decline"},
    "leaves": {"action": "cancel"},
}
"""What a person may do with a form that asks them over MCP."""

_SETS = tuple(dict.fromkeys(name for names in TIERS.values() for name in names))


class Entrance(Protocol):
    """A way to the tools."""

    async def request(self, turn: Turn, calls: Sequence[Call]) -> None:
        """Make the calls of one request: of one message's answer, where people write messages.

        Args:
            turn: Its `text` is the message.
        """
        ...


class Entrances:
    """All of them, over one database.

    Attributes:
        memory: The engine of all but the command line.
    """

    def __init__(self, url: str, clock: Clock | None, settings: Settings) -> None:
        self.memory: Memory = open_memory(url, settings=settings, clock=clock)
        self._url, self._settings = url, settings
        self._web: InProcess | None = None
        self._cli: Door | None = None

    @property
    def web(self) -> InProcess:
        """The server."""
        self._web = self._web or InProcess(self.memory)
        return self._web

    def open(self, name: EntranceName, dice: Random, reply: str = "leaves") -> Entrance:
        """Go in by this one.

        Args:
            dice: Chooses among what is alike.
            reply: What the person does, who is asked over MCP: one of `REPLIES`.
        """
        memory = self.memory
        match name:
            case "library":
                return _OfHost(open_door("python", self._url, memory, None, self._settings, memory=memory))
            case "cli":
                self._cli = self._cli or open_door("cli", self._url, memory, None, self._settings)
                return _OfHost(self._cli)
            case "rest":
                return _OfHost(open_door("rest", self._url, memory, None, self._settings, server=self.web))
            case "mcp":
                return _OfHost(open_door("mcp", self._url, memory, None, self._settings, server=self.web))
            case "mcp that asks":
                asked = REPLIES[reply]
                return _OfHost(open_door("mcp", self._url, memory, None, self._settings, server=self.web, reply=asked))
            case "chat":
                return _Chat(memory, dice)
            case "bot":
                return BotEntrance(memory, dice)
            case "frameworks":
                return _Framework(memory, dice.choice(_FRAMEWORKS))

    async def close(self) -> None:
        """Close them."""
        if self._web is not None:
            await self._web.close()
        if self._cli is not None:
            await self._cli.close()
        await self.memory.close()


def through(door: Door) -> Entrance:
    """A door that is open, as an entrance."""
    return _OfHost(door)


class _OfHost:
    """A door where the host says what a turn is."""

    def __init__(self, door: Door) -> None:
        self._door = door

    async def request(self, turn: Turn, calls: Sequence[Call]) -> None:
        if len(calls) == 1:
            await self._door.call(turn, *calls[0])
        else:
            await self._door.call_all(turn, calls)


class _Puppet:
    """A model that makes the calls it is told to, at once or one after the other, and then says a word."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._moves: list[list[Call]] = []

    def tell(self, calls: Sequence[Call]) -> None:
        self._moves = [[*calls]] if self._dice.random() < 0.5 else [[call] for call in calls]

    def __call__(self, _: Sequence[Heard]) -> Move:
        return Move(calls=self._moves.pop(0)) if self._moves else Move(text="Good.")


class _Chat:
    """The conversation loop, as `zgadka chat` has it."""

    def __init__(self, memory: Memory, dice: Random) -> None:
        with extra_for("the chat", "chat"):
            from zgadka.chat.loop import Conversation  # noqa: PLC0415
            from zgadka.evals.listening import scripted_model  # noqa: PLC0415
        self._puppet = _Puppet(dice)
        self._conversation = Conversation(memory, scripted_model(self._puppet), sets=_SETS)

    async def request(self, turn: Turn, calls: Sequence[Call]) -> None:
        self._puppet.tell(calls)
        async for _ in self._conversation.answer(turn.text or "Hello!", turn):
            pass


class BotEntrance:
    """A bot in a chat, on a platform that shows nothing to anybody.

    Attributes:
        platform: Has what was sent.
    """

    def __init__(self, memory: Memory, dice: Random) -> None:
        with extra_for("the bots", "chat"):
            from zgadka.bots.core import Bot  # noqa: PLC0415
            from zgadka.evals.listening import scripted_model  # noqa: PLC0415
        self._puppet = _Puppet(dice)
        self.platform = SilentPlatform()
        self._make: Callable[[], Bot] = lambda: Bot(memory, self.platform, scripted_model(self._puppet), sets=_SETS)
        self._made: Bot | None = None

    async def request(self, turn: Turn, calls: Sequence[Call]) -> None:
        """Write a message; see `Entrance`."""
        await self.write(turn, turn.text or "Hello!", calls)

    async def write(
        self, turn: Turn, text: str, calls: Sequence[Call] = (), *, borrowed: bool = False, edited: bool = False
    ) -> None:
        """Have somebody write a message to the bot, whose model answers with these calls."""
        from zgadka.bots.platform import Message  # noqa: PLC0415

        self._puppet.tell(calls)
        turn = replace(turn, turn=turn.turn or uuid4().hex, text=None)
        message = Message(turn=turn, text=text, own_text=text, to_bot=True, borrowed=borrowed, edited=edited)
        await self.take(message)

    async def take(self, event: Any) -> None:
        """Give the bot an event, and wait for all that follows."""
        self.platform.name = event.turn.platform
        self._made = self._made or self._make()
        await self._made.take(event)
        await self._made.settle()

    async def press(self, turn: Turn, data: str) -> None:
        """Have somebody press a button."""
        from zgadka.bots.platform import Press  # noqa: PLC0415

        await self.take(Press(turn=replace(turn, text=None), data=data))

    async def command(self, turn: Turn, name: str, argument: str = "") -> None:
        """Have somebody give a command."""
        from zgadka.bots.platform import Command  # noqa: PLC0415

        await self.take(Command(turn=replace(turn, text=None), name=name, argument=argument))


_FRAMEWORKS = ("OpenAITools", "OpenAIResponsesTools", "AnthropicTools", "GeminiTools", "langchain", "pydantic-ai")


class _Framework:
    """The tools of a framework, or of a program that calls a model's SDK."""

    def __init__(self, memory: Memory, kind: str) -> None:
        self._memory, self._kind = memory, kind

    async def request(self, turn: Turn, calls: Sequence[Call]) -> None:
        tools = self._memory.tools.select(*_SETS)
        match self._kind:
            case "langchain":
                with extra_for("LangChain's tools", "langchain"):
                    from zgadka.frameworks.langchain import langchain_tools  # noqa: PLC0415
                made = {tool.name: tool for tool in langchain_tools(self._memory, turn, tools)}
                for tool, arguments in calls:
                    await made[tool].ainvoke({**arguments})
            case "pydantic-ai":
                with extra_for("the toolset of pydantic-ai", "chat"):
                    from zgadka.chat.agent import MemoryTools  # noqa: PLC0415  (what `memory_toolset` makes)
                toolset: MemoryTools[None] = MemoryTools(self._memory, tools, lambda _: turn)
                for tool, arguments in calls:
                    await toolset.call(tool, arguments, turn)
            case _:
                from zgadka.frameworks import model_sdks  # noqa: PLC0415

                sdk = getattr(model_sdks, self._kind)(self._memory, tools)
                await sdk.handle_all([_in_form(self._kind, *call) for call in calls], turn)


def _in_form(kind: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A call as an SDK has it."""
    match kind:
        case "OpenAITools":
            return {"id": "c", "function": {"name": tool, "arguments": json.dumps(arguments)}}
        case "OpenAIResponsesTools":
            return {"call_id": "c", "name": tool, "arguments": json.dumps(arguments)}
        case "AnthropicTools":
            return {"id": "c", "name": tool, "input": arguments}
        case _:
            return {"name": tool, "args": arguments}
