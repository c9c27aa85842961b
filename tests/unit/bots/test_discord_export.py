"""Reading what DiscordChatExporter wrote."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from zgadka import Memory
from zgadka.errors import InvalidInput
from zgadka.transfer.external.chat_history import learn, read_export
from zgadka.transfer.external.discord_export import discord_chats

ANN = {"id": "81", "name": "ann", "nickname": "Annie", "isBot": False}
BOB = {"id": "82", "name": "bob", "nickname": "bob", "isBot": False}
ROBOT = {"id": "83", "name": "robot", "nickname": "robot", "isBot": True}


def message(number: int, author: Any, content: Any, **more: Any) -> dict[str, Any]:
    return {
        "id": str(1456074443980800000 + (number << 22)),
        "type": "Default",
        "timestamp": f"2026-01-01T00:00:{number:02}+00:00",
        "content": content,
        "author": author,
        **more,
    }


def export(*messages: Any, guild: str = "5", **channel: Any) -> dict[str, Any]:
    place = {"id": "6", "type": "GuildTextChat", "categoryId": "4", "name": "general"} | channel
    return {"guild": {"id": guild, "name": "Server"}, "channel": place, "messages": list(messages)}


def test_a_channel_becomes_turns_of_its_people() -> None:
    chats = discord_chats(export(message(1, ANN, "I live in Kyiv"), message(2, BOB, "hi <@81>", mentions=[ANN])))
    assert chats is not None
    [chat] = chats
    assert (chat.platform, chat.space) == ("discord", "5")
    assert [(one.user, one.name, one.nickname) for one in chat.members] == [("81", "ann", "Annie"), ("82", "bob", None)]
    first, second = chat.messages
    assert (first.turn.space, first.turn.chat, first.turn.user_key) == ("5", "6", "81")
    assert first.turn.time == datetime(2026, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert second.text == "hi @Annie"
    assert first.number < second.number < 2**53


def test_a_thread_is_in_its_channel() -> None:
    [chat] = discord_chats(export(message(1, ANN, "x"), type="GuildPublicThread")) or []
    assert (chat.messages[0].turn.chat, chat.messages[0].turn.thread) == ("4", "6")


def test_a_direct_chat_is_each_ones_own() -> None:
    alone = {"guild": "0", "type": "DirectTextChat", "categoryId": None}
    [chat] = discord_chats(export(message(1, ANN, "x"), message(2, BOB, "y"), **alone)) or []
    assert [(one.turn.direct, one.turn.space, one.turn.chat) for one in chat.messages] == [
        (True, "81", "export-6"),
        (True, "82", "export-6"),
    ]
    assert chat.members == ()
    [chat] = discord_chats(export(message(1, ANN, "x"), message(2, ROBOT, "y"), **alone)) or []
    assert [(one.turn.user_key, one.turn.chat) for one in chat.messages] == [("81", "6")]


def test_a_group_of_friends_is_a_space_of_its_own() -> None:
    [chat] = discord_chats(export(message(1, ANN, "x"), guild="0", type="DirectGroupTextChat")) or []
    assert (chat.space, chat.messages[0].turn.direct, chat.messages[0].turn.space) == ("6", False, "6")


def test_quotes_and_forwards_are_not_the_writers_words() -> None:
    quoted = message(1, ANN, "> I live in Paris\nreally?")
    forwarded = message(2, ANN, "", forwardedMessage={"content": "I live in\nRome"})
    both = message(3, ANN, "look", forwardedMessage={"content": "I live in Rome"})
    [chat] = discord_chats(export(quoted, forwarded, both)) or []
    assert [one.own_text for one in chat.messages] == ["really?", "", "look"]
    assert chat.messages[1].text == "> I live in\n> Rome"


@pytest.mark.parametrize(
    "odd",
    [
        message(1, ANN, "joined", type="GuildMemberJoin"),
        message(1, ANN, ""),
        message(1, ANN, None),
        message(1, None, "x"),
        message(1, {"id": "me"}, "x"),
        message(1, ANN, "x") | {"id": "first"},
        "not a message",
    ],
)
def test_what_nobody_wrote_is_left_out(odd: Any) -> None:
    [chat] = discord_chats(export(odd, message(2, BOB, "y", timestamp="soon", mentions="none"))) or []
    assert [(one.text, one.turn.time) for one in chat.messages] == [("y", None)]


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"guild": {}, "channel": {}, "messages": []},
        export() | {"messages": {}},
        export(type=5),
        export() | {"guild": 5},
    ],
)
def test_other_files_are_no_export(other: dict[str, Any]) -> None:
    assert discord_chats(other) is None


@pytest.mark.asyncio
async def test_history_is_learned_once_thread_by_thread(memory: Memory, tmp_path: Path) -> None:
    channel = export(
        message(1, ANN, "I live in Kyiv"), message(9, ROBOT, "I live in Rome"), message(9, ANN, "so there")
    )
    thread = export(message(2, ANN, "hello"), type="GuildPublicThread", id="7", categoryId="6")
    counts: list[tuple[int, int, int]] = []
    for number, exported in enumerate((channel, thread, channel)):
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(exported))
        learned = await learn(memory, read_export(file))
        counts.append((learned.messages, learned.before, learned.left_out))
    assert counts == [(2, 0, 1), (1, 0, 0), (0, 2, 1)]


def test_a_file_that_is_no_export_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "other.json"
    file.write_text("[]")
    with pytest.raises(InvalidInput, match="DiscordChatExporter"):
        read_export(file)
