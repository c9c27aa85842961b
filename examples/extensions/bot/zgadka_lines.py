"""`zgadka bot lines`: a bot that reads events and prints messages, each as a line of JSON.

It joins zgadka to a platform by a pipe: {"id": "m1", "user": "7", "chat": "room", "text": "/remember I like tea"}, with
"direct": true in a private chat, "to_bot": true where it is spoken to, and "press" in place of "text" for a button.
"""

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.models import Model

from zgadka import Memory, Turn
from zgadka.bots.core import Bot
from zgadka.bots.platform import Address, Command, Content, Event, Message, Press


class Lines:
    """What the core asks of a platform, said in lines."""

    name = "lines"
    whispers = writes_first = links_commands = commands_reply = False
    file_bytes = 1_000_000

    def escape(self, text: str) -> str:
        return text

    async def send(self, address: Address, content: Content) -> None:
        buttons = [{"text": button.text, "press": button.data} for row in content.rows for button in row]
        self._print({"chat": address.chat or address.user, "text": content.plain, "buttons": buttons})

    async def edit(self, address: Address, message: str, content: Content) -> None:
        await self.send(address, content)

    async def react(self, address: Address, message: str) -> None:
        self._print({"chat": address.chat, "reaction": message})

    async def reply(self, event: Command | Press, content: Content) -> None:
        await self.send(Address.of(event.turn), content)

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        await self.reply(press, content)

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        if loud:
            self._print({"user": press.turn.user_key, "text": text})

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        self._print({"user": command.turn.user_key, "text": caption, "file": name, "content": content.decode()})

    @asynccontextmanager
    async def typing(self, address: Address) -> AsyncGenerator[None]:
        yield

    async def administrators(self, space: str) -> Mapping[str, str]:
        return {}

    def _print(self, line: Mapping[str, Any]) -> None:
        print(json.dumps(line, ensure_ascii=False), flush=True)


def event_of(line: str) -> Event:
    """Translate a line; who speaks and where come from the event, never from the text."""
    event = json.loads(line)
    is_direct = bool(event.get("direct"))
    turn = Turn(
        platform="lines",
        space=event["chat"],
        chat=event["chat"],
        user=event["user"],
        turn=event["id"],
        message=event["id"],
        direct=is_direct,
        text=event.get("text"),
    )
    if "press" in event:
        return Press(turn=turn, data=event["press"])
    text = event["text"]
    if text.startswith("/"):
        name, _, argument = text[1:].partition(" ")
        return Command(turn=turn, name=name.lower(), argument=argument)
    return Message(turn=turn, text=text, own_text=text, to_bot=is_direct or bool(event.get("to_bot")))


async def run(memory: Memory, model: Model, stop: asyncio.Event) -> None:
    """Take each line, until there are no more or the program is to stop."""
    bot = Bot(memory, Lines(), model)
    try:
        while not stop.is_set() and (line := await asyncio.to_thread(sys.stdin.readline)):
            await bot.take(event_of(line))
            await bot.settle()
    finally:
        await bot.close()
