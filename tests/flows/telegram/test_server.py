"""The bot against a Bot API server over HTTP, through aiogram."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from zgadka import Memory, Turn
from zgadka.ops.list_memories import own_memories

if TYPE_CHECKING:
    from telegram_api import Api, Someone
    from tests.flows.telegram.conftest import StartBot

GROUP = -1001


def turn(user: int, chat: int) -> Turn:
    return Turn(platform="telegram", space=str(chat), chat=str(chat), user=user, direct=chat > 0)


def bytes_of_database(folder: Path) -> bytes:
    found = [path.read_bytes() for path in folder.glob("memory.db*")]
    assert found
    return b"".join(found)


async def remembered(memory: Memory, user: int, chat: int) -> list[str]:
    found = await memory.look(own_memories, turn(user, chat))
    assert isinstance(found, list)
    return sorted(one.text for one in found if one.valid_to is None)


@pytest.mark.asyncio
@pytest.mark.parametrize("back_end", ["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
async def test_a_question_is_answered_after_the_bot_was_killed(
    api: Api, someone: Callable[..., Someone], bot_process: Callable[[], subprocess.Popen[str]], start_bot: StartBot
) -> None:
    olena = someone(1, 1)
    first = bot_process()
    await olena.write("I think I live in Lviv")
    question = await api.says(1, "I noticed a few things")
    first.kill()
    first.wait()
    await olena.press(question, "✓")
    second = bot_process()
    assert not api.buttons(await api.says(1, "✓ Saved."))
    second.send_signal(signal.SIGTERM)
    assert second.wait(timeout=120) == 0
    async with start_bot() as memory:
        assert await remembered(memory, 1, 1) == ["location: Lviv"]


@pytest.mark.asyncio
async def test_the_bot_answers_in_a_group_only_when_it_is_meant(
    api: Api, someone: Callable[..., Someone], start_bot: StartBot
) -> None:
    olena = someone(1, GROUP)
    name = {"entities": [{"type": "mention", "offset": 0, "length": 12}]}
    async with start_bot():
        await olena.write("I live in Kyiv")
        await olena.write("/memory@OtherBot", entities=[{"type": "bot_command", "offset": 0, "length": 16}])
        await olena.write("@TestNameBot where do I live?", **name)
        answer = await api.says(GROUP, "Kyiv")
        assert len(api.bot_messages(GROUP)) == 1
        assert json.loads(answer["reply_parameters"])["message_id"]


@pytest.mark.asyncio
async def test_ukrainian_is_answered_in_ukrainian(
    api: Api, someone: Callable[..., Someone], start_bot: StartBot
) -> None:
    olena = someone(1, 1, "Олена", language="uk")
    async with start_bot():
        await olena.write("Мабуть, я живу у Львові")
        question = await api.says(1, "Можливо, ви хочете")
        assert [one["text"] for one in api.buttons(question)] == ["✓ Зберегти все", "✗ Пропустити все"]
        await olena.press(question, "✓")
        await api.says(1, "✓ Збережено.")
        await olena.write("/memory")
        await api.says(1, "Що я про вас пам’ятаю (усього 1):")


@pytest.mark.asyncio
async def test_erasure_is_confirmed_by_button_and_leaves_nothing(
    api: Api, someone: Callable[..., Someone], start_bot: StartBot, tmp_path: Path
) -> None:
    olena = someone(1, 1)
    async with start_bot() as memory:
        await olena.write("I live in Zhovkva")
        await api.says(1, "Zhovkva")
        await olena.write("/erase")
        asked = await api.says(1, "Erase everything about you")
        assert await remembered(memory, 1, 1) == ["location: Zhovkva"]
        await olena.press(asked, "🗑 Erase everything")
        receipt = await api.says(1, "Erased for good")
        assert "Zhovkva" not in receipt["text"]
        assert await remembered(memory, 1, 1) == []
    assert b"Zhovkva" not in bytes_of_database(tmp_path)


@pytest.mark.asyncio
async def test_many_chats_at_once_lose_nothing_and_keep_their_order(
    api: Api, someone: Callable[..., Someone], start_bot: StartBot
) -> None:
    people = [someone(10 + number, -(2000 + number)) for number in range(8)]
    async with start_bot() as memory:
        for number in range(5):
            for one in people:
                await one.write(f"message {number}")

        async def texts(one: Someone) -> list[str]:
            return [message.text for message in await memory.recent(turn(one.user, one.chat))]

        last = people[-1]
        await last.write("/memory")
        await api.says(last.chat, "anything about you")
        for one in people:
            assert await texts(one) == [f"message {number}" for number in range(5)]


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from zgadka.cli.main import app
    from zgadka.errors import SettingsError

    done: Any = CliRunner().invoke(
        app, ["telegram", "--db", f"sqlite:///{tmp_path}/m.db"], env={"ZGADKA_TELEGRAM_TOKEN": ""}
    )
    assert isinstance(done.exception, SettingsError)
    assert "@BotFather" in str(done.exception)
