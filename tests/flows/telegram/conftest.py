"""A Bot API server on loopback that nobody here wrote (npm telegram-test-api), and people who use it."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from zgadka import Memory, Settings, open_memory
from zgadka.adapters.telegram import run_telegram
from zgadka.chat.agent import standin_model

PACKAGE = "telegram-test-api"
VERSION = "4.2.1"
PATIENCE = 20  # seconds

_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
_tokens = itertools.count(1)

StartBot = Callable[..., AbstractAsyncContextManager[Memory]]


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

    async def press(self, message: dict[str, Any], label: str) -> None:
        """Press the first button with this label."""
        data = next(one["callback_data"] for one in self.api.buttons(message) if one["text"].startswith(label))
        shown = self._message() | {"message_id": message["message_id"], "text": message["text"]}
        body = {"from": shown["from"], "message": shown, "data": data, "botToken": self.api.token}
        await asyncio.to_thread(self.api.post, "sendCallback", **body)


@pytest.fixture(scope="session")
def server(npm_package: Callable[[str, str], tuple[str, Path]]) -> Iterator[str]:
    """The server's address."""
    node, package = npm_package(PACKAGE, VERSION)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [node, str(Path(__file__).parent / "server.js"), str(package), str(port)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    assert "listening" in running.stdout.readline()
    yield f"http://127.0.0.1:{port}"
    running.terminate()
    running.communicate()


@pytest.fixture
def api(server: str) -> Api:
    """A bot of its own for each test."""
    return Api(server, f"{next(_tokens)}:{os.getpid()}-test")


@pytest.fixture
def someone(api: Api) -> Callable[..., Someone]:
    """People: `someone(1, -1001, "Taras")` is user 1 in the group -1001."""
    return partial(Someone, api)


@pytest.fixture
def start_bot(api: Api, url: str) -> StartBot:
    """The bot in this process, with the offline stand-in; the same database each time."""

    @asynccontextmanager
    async def start(**more: Any) -> AsyncIterator[Memory]:
        settings = Settings(**more.pop("settings", {}))
        async with open_memory(url, settings=settings, **more) as memory:
            stop, ready = asyncio.Event(), asyncio.Event()
            running = asyncio.create_task(
                run_telegram(
                    memory, standin_model(), token=api.token, api=api.url, stop=stop, ready=lambda _: ready.set()
                )
            )
            started = asyncio.create_task(ready.wait())
            await asyncio.wait({running, started}, return_when=asyncio.FIRST_COMPLETED)
            try:
                yield memory
            finally:
                stop.set()
                await running

    return start


@pytest.fixture
def bot_process(api: Api, url: str, tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """`zgadka telegram` as a process of its own; the same database each time."""
    started: list[subprocess.Popen[str]] = []
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    environ |= {
        "ZGADKA_TELEGRAM_TOKEN": api.token,
        "ZGADKA_TELEGRAM_API": api.url,
        "ZGADKA_DATABASE": url,
        "ZGADKA_MODEL": "standin",
    }

    def start() -> subprocess.Popen[str]:
        command = [sys.executable, "-c", "from zgadka.cli import main; main()", "telegram"]
        bot = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        started.append(bot)
        assert bot.stderr is not None
        said = ""
        for line in bot.stderr:
            said += line
            if "@TestNameBot" in line:
                return bot
        raise AssertionError(f"the bot did not start: {said}")

    yield start
    for bot in started:
        bot.kill()
        bot.communicate()
