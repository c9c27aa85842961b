"""A Bot API server on loopback that nobody here wrote (npm telegram-test-api), and people who use it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "telegram-test-api"
VERSION = "4.2.1"
_SHOWN = {"message_id", "text", "reply_markup"}
PATIENCE = 120  # seconds, for which a slow machine may stall; only what fails takes them

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_tokens = itertools.count(1)
_SCRIPT = Path(__file__).parents[1] / "flows" / "telegram" / "server.js"


@dataclass
class Api:
    """The server as people's apps and the test see it."""

    url: str
    token: str

    def post(self, path: str, **body: Any) -> Any:
        request = urllib.request.Request(
            f"{self.url}/{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with _direct.open(request, timeout=PATIENCE) as answer:
            return json.load(answer)

    def history(self) -> list[dict[str, Any]]:
        return self.post("getUpdatesHistory", token=self.token)["result"]

    @staticmethod
    def buttons(message: dict[str, Any]) -> list[dict[str, str]]:
        """The buttons under a message."""
        return [button for row in (message.get("reply_markup") or {}).get("inline_keyboard", []) for button in row]

    def bot_messages(self, chat: int) -> list[dict[str, Any]]:
        """What the bot's messages in a chat look like now, oldest first."""
        found = [one for one in self.history() if str(one.get("message", {}).get("chat_id")) == str(chat)]
        return [
            one["message"] | {"message_id": one["messageId"]} for one in sorted(found, key=lambda one: one["messageId"])
        ]

    def alerts(self) -> list[str]:
        """What pressers were told, oldest first."""
        return [one.get("text", "") for one in self.post("answers", token=self.token)]

    def reactions(self, chat: int) -> list[str]:
        """The messages of a chat that have the bot's reaction, and which."""
        found = self.post("reactions", token=self.token)
        return [f"{one['message_id']} {one['reaction']}" for one in found if str(one["chat_id"]) == str(chat)]

    async def wait(self, found: Callable[[], Any]) -> Any:
        """Wait until something is there, and return it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if value := await asyncio.to_thread(found):
                return value
            await asyncio.sleep(0.02)
        raise AssertionError(f"nothing came; the chat so far: {json.dumps(self.history(), ensure_ascii=False)[-3000:]}")

    async def says(self, chat: int, text: str, *, after: int = 0) -> dict[str, Any]:
        """Wait for a message of the bot's with this text; the newest one, younger than the message `after`."""

        def look() -> dict[str, Any] | None:
            fitting = [one for one in self.bot_messages(chat) if text in one["text"] and one["message_id"] > after]
            return fitting[-1] if fitting else None

        return await self.wait(look)

    async def told(self, text: str) -> None:
        """Wait until a presser is told this."""
        await self.wait(lambda: any(text in one for one in self.alerts()))


@dataclass
class Someone:
    """A person in a chat; a negative chat is a group."""

    api: Api
    user: int
    chat: int
    name: str = "Olena"
    language: str = "en"

    def _message(self) -> dict[str, Any]:
        return {
            "from": {
                "id": self.user,
                "first_name": self.name,
                "username": self.name.lower(),
                "is_bot": False,
                "language_code": self.language,
            },
            "chat": {
                "id": self.chat,
                "type": "group" if self.chat < 0 else "private",
                "title": "Chat",
                "first_name": self.name,
            },
            "date": int(time.time()),
            "botToken": self.api.token,
        }

    async def write(self, text: str, **more: Any) -> None:
        await asyncio.to_thread(self.api.post, "sendMessage", **self._message(), text=text, **more)

    async def reply(self, message: dict[str, Any], text: str) -> None:
        """Write in reply to a message of the bot's."""
        bot = {"id": 666, "is_bot": True, "first_name": "Zgadka"}
        replied = {**self._message(), "from": bot, **{name: message[name] for name in message.keys() & _SHOWN}}
        await self.write(text, reply_to_message=replied)

    async def press(self, message: dict[str, Any], label: str) -> None:
        """Press the first button with this label."""
        data = next(one["callback_data"] for one in self.api.buttons(message) if one["text"].startswith(label))
        await self.press_data(message, data)

    async def press_data(self, message: dict[str, Any], data: str) -> None:
        """Press a button of the message that has this data, as a client of one's own can."""
        shown = self._message() | {"message_id": message["message_id"], "text": message["text"]}
        body = {"from": shown["from"], "message": shown, "data": data, "botToken": self.api.token}
        await asyncio.to_thread(self.api.post, "sendCallback", **body)


def make_api(server: str) -> Api:
    """A bot of its own on the server."""
    return Api(server, f"{next(_tokens)}:{os.getpid()}-test")


def serve(npm_package: Callable[[str, str], tuple[str, Path]]) -> Iterator[str]:
    """Run the server; yields its address."""
    node, package = npm_package(PACKAGE, VERSION)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [node, str(_SCRIPT), str(package), str(port)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert "listening" in running.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    running.terminate()
    running.communicate()
