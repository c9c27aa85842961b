"""A Bot API server on loopback that nobody here wrote (npm telegram-test-api), and people who use it."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from telegram_api import Api, Someone, make_api, serve

from zgadka import Memory, Settings, open_memory
from zgadka.chat.agent import standin_model

StartBot = Callable[..., AbstractAsyncContextManager[Memory]]


@pytest.fixture(scope="session")
def server(npm_package: Callable[[str, str], tuple[str, Path]]) -> Iterator[str]:
    """The server's address."""
    yield from serve(npm_package)


@pytest.fixture
def api(server: str) -> Api:
    """A bot of its own for each test."""
    return make_api(server)


@pytest.fixture
def someone(api: Api) -> Callable[..., Someone]:
    """People: `someone(1, -1001, "Taras")` is user 1 in the group -1001."""
    return partial(Someone, api)


@pytest.fixture
def start_bot(api: Api, url: str) -> StartBot:
    """The bot in this process, with the offline stand-in; the same database each time."""
    from zgadka.bots.telegram.wire import run_telegram  # aiogram: three seconds, for who needs it

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
def bot_process(api: Api, url: str, tmp_path: Path, program: str) -> Iterator[Callable[[], subprocess.Popen[str]]]:
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
        bot = subprocess.Popen([program, "telegram"], env=environ, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
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
