"""What tests of the wire of Telegram use. It needs aiogram, whose import takes three seconds.

So they take it from here when the first of them runs, not when they are collected, as every process does with all.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import aiogram
from aiogram import Bot
from aiogram.client.session.base import BaseSession
from aiogram.types import ChatMemberAdministrator, Update
from aiogram_bot_tester import BotTester

from zgadka import Turn
from zgadka.bots.platform import Press
from zgadka.bots.telegram import wire as telegram
from zgadka.bots.telegram.sending import MESSAGE_UNITS, AiogramWire, units
from zgadka.bots.telegram.translate import Me, PressedMessage, events_of
from zgadka.bots.telegram.wire import Intake, make_bot, poll, secret_of, serve

__all__ = [
    "ME",
    "MESSAGE_UNITS",
    "PRESS",
    "RIGHTS",
    "AiogramWire",
    "Bot",
    "BotTester",
    "ChatMemberAdministrator",
    "Intake",
    "PressedMessage",
    "Script",
    "Update",
    "aiogram",
    "events_of",
    "make_bot",
    "poll",
    "secret_of",
    "serve",
    "telegram",
    "units",
]

ME = Me(666, "zgadka_bot")
RIGHTS = dict.fromkeys(ChatMemberAdministrator.model_fields, False) | {"custom_title": None}
PRESS = Press(
    turn=Turn(platform="telegram", space="1", chat="1", user=1, direct=True), data="d", source=PressedMessage("q", 5)
)


class Script(BaseSession):
    """Answers the client's requests with what the test says; the last answer again and again."""

    def __init__(self, *answers: tuple[int, Any] | Exception) -> None:
        super().__init__()
        self.answers: list[Any] = list(answers)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    async def close(self) -> None:
        pass

    async def make_request(self, bot: Bot, method: Any, timeout: int | None = None) -> Any:  # noqa: ASYNC109
        self.asked.append((method.__api_method__, method.model_dump(exclude_none=True, warnings=False)))
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        status, content = answer
        body = {"ok": True, "result": content} if status == 200 else {"ok": False} | content
        return self.check_response(bot, method, status, json.dumps(body)).result

    async def stream_content(self, *_: Any, **__: Any) -> AsyncGenerator[bytes, None]:
        yield b""
