"""`zgadka learn` with Telegram Desktop's JSON export."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from typer.testing import CliRunner

from zgadka import Member, Memory, Settings, Turn, open_memory
from zgadka.cli.main import app
from zgadka.errors import InvalidInput
from zgadka.extract.rules import extract
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops import observe
from zgadka.ops.list_memories import own_memories
from zgadka.stores.tx import Tx
from zgadka.transfer.external import chat_history
from zgadka.transfer.external.chat_history import PastChat, learn, read_export
from zgadka.transfer.external.telegram_export import telegram_chats


def written(number: int, text: Any, user: str = "user1", **more: Any) -> dict[str, Any]:
    given = {"id": number, "type": "message", "date": "2020-01-01T10:00:00", "date_unixtime": "1577872800"}
    return given | {"from": "Olena", "from_id": user, "text": text} | more


def group(*messages: Any, kind: str = "private_supergroup", number: int = 77) -> dict[str, Any]:
    return {"name": "Friends", "type": kind, "id": number, "messages": list(messages)}


def chats(exported: dict[str, Any]) -> list[PastChat]:
    found = telegram_chats(exported)
    assert found is not None
    return found


@pytest_asyncio.fixture
async def memory() -> AsyncIterator[Memory]:
    async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
        yield memory


async def known(memory: Memory, user: int = 1, space: str = "-10077", *, direct: bool = False) -> list[str]:
    turn = Turn(platform="telegram", space=space, chat=space, user=user, direct=direct)
    found = await memory.look(own_memories, turn)
    assert isinstance(found, list)
    return sorted(one.text for one in found)


def test_a_group_is_the_space_that_a_bot_sees() -> None:
    (one,) = chats(group(written(5, "I live in Kyiv")))
    (past,) = one.messages
    turn = past.turn
    assert (one.space, turn.space, turn.chat, turn.user, turn.message) == ("-10077", "-10077", "-10077", 1, "5")
    assert turn.time == datetime(2020, 1, 1, 10, tzinfo=UTC)
    assert one.members == (Member(user="1", number=1, name="Olena"),)
    (basic,) = chats(group(written(5, "x"), kind="private_group"))
    assert (basic.space, basic.messages[0].turn.message) == ("-77", "export-77-5")


def test_what_was_said_alone_is_each_ones_own() -> None:
    both = [written(1, "I live in Kyiv"), written(2, "I live in Oslo", "user2")]
    (alone,) = chats(group(*both, kind="personal_chat", number=2))
    assert [(one.turn.user, one.turn.direct, one.turn.space, one.turn.chat) for one in alone.messages] == [
        (1, True, "1", "export-2"),
        (2, True, "2", "export-2"),
    ]
    (with_bot,) = chats(group(*both, kind="bot_chat", number=2))
    assert [(one.turn.user, one.turn.chat) for one in with_bot.messages] == [(1, "1")]
    assert with_bot.members == ()


def test_entities_are_flattened_and_quotes_are_not_the_users_words() -> None:
    entities = [
        {"type": "plain", "text": "See "},
        {"type": "link", "text": "https://x.org"},
        {"type": "blockquote", "text": "I live\nin Oslo"},
    ]
    texts = [entities, "plain", ["I like ", {"type": "bold", "text": "tea"}], [], "/start", {"odd": 1}]
    (one,) = chats(group(*(written(number, text) for number, text in enumerate(texts, 1))))
    assert [(past.text, past.own_text) for past in one.messages[:3]] == [
        ("See https://x.org> I live\n> in Oslo", "See https://x.org"),
        ("plain", "plain"),
        ("I like tea", "I like tea"),
    ]
    assert len(one.messages) == 3


@pytest.mark.parametrize("kind", ["pre", "code", "strikethrough"])
def test_code_and_what_is_struck_out_is_not_what_the_user_says_of_themselves(kind: str) -> None:
    entities = ["I love tea. ", {"type": kind, "text": "I live in Oslo"}]
    (one,) = chats(group(written(1, entities)))
    assert one.messages[0].text == "I love tea. I live in Oslo"
    assert [item.text for item in extract(one.messages[0].own_text).certain] == ["like: tea"]


def test_forwards_service_messages_channels_and_deleted_accounts_say_nothing() -> None:
    exported = group(
        written(1, "I live in Oslo", forwarded_from="X"),
        written(2, "I live in Oslo", via_bot="@gif"),
        written(3, "joined", type="service"),
        written(4, "news", "channel9"),
        written(5, "gone", from_id=None),
        written("6", "odd number"),  # type: ignore[arg-type]
        "odd",
    )
    (one,) = chats(exported)
    assert [(past.number, past.own_text) for past in one.messages] == [(1, ""), (2, "")]
    assert chats({"chats": {"list": [exported, group(kind="public_channel"), "odd"]}, "left_chats": {"list": []}}) == [
        one
    ]


def test_times_without_a_stamp_are_read_or_left() -> None:
    second = written(2, "b", date_unixtime="²", date="odd")
    (one,) = chats(group(written(1, "a", date_unixtime=None), second))
    assert [past.turn.time for past in one.messages] == [datetime(2020, 1, 1, 10, tzinfo=UTC), None]


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"chats": []}', '{"messages": 1}'])
def test_what_is_no_export_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(InvalidInput):
        read_export(tmp_path / "x.json")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        read_export(tmp_path / "none.json")


@pytest.mark.asyncio
async def test_a_second_time_only_what_is_new_is_learned(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_history, "_TOGETHER", 1)
    first = [written(1, "I live in Kyiv"), written(2, "I think I have a cat"), written(3, "hello", "user2")]
    steps: list[int] = []
    learned = await learn(memory, chats(group(*first)), progress=steps.append)
    assert (learned.messages, learned.before, learned.stored) == (3, 0, 1)
    assert learned.uncertain >= 1
    assert sum(steps) == 3
    assert await known(memory) == ["location: Kyiv"]
    assert await memory.questions(Turn(platform="telegram", space="-10077", chat="-10077", user=1)) == []
    await memory.tidy()  # old messages are not kept
    again = await learn(memory, chats(group(*first, written(4, "My name is Olena"))))
    assert (again.messages, again.before) == (1, 3)
    assert again.as_json()["stored"] == 1


@pytest.mark.asyncio
async def test_whichever_export_comes_first_the_whole_history_is_learned(memory: Memory) -> None:
    texts = {3: "I like chess", 40: "I live in Kyiv", 41: "I like tea", 900: "I like go"}
    whole = [written(number, text) for number, text in texts.items()]
    last = await learn(memory, chats(group(whole[3])))
    part = await learn(memory, chats(group(whole[1])))
    assert (last.messages, part.messages) == (1, 1)
    learned = await learn(memory, chats(group(*whole)))
    assert (learned.messages, learned.before) == (2, 2)
    again = await learn(memory, chats(group(*whole[::-1])))
    assert (again.messages, again.before) == (0, 4)
    async with open_memory("sqlite://:memory:", settings=Settings()) as other:
        await learn(other, chats(group(*whole)))
        assert await known(memory) == await known(other)
        assert len(await known(other)) == 4


@pytest.mark.asyncio
async def test_messages_that_share_a_transaction_are_looked_at_as_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of a sentence is joined to the message before it, whatever has been written since."""
    lines = ["I'm allergic.", "To nuts.", "I think I have a cat", "hello", "I live in Kyiv", "I moved to Lviv"]
    exported = chats(group(*(written(number, text) for number, text in enumerate([*lines, *"abcdefgh"], 1))))
    results: list[tuple[chat_history.Learned, list[str]]] = []
    for size in (1, 100):
        monkeypatch.setattr(chat_history, "_TOGETHER", size)
        async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
            results.append((await learn(memory, exported), await known(memory)))
    assert results[0] == results[1]
    assert "allergy: nuts" in results[0][1]


@pytest.mark.asyncio
async def test_what_a_killed_process_had_noted_is_learned_when_it_is_done_again(memory: Memory) -> None:
    exported = chats(group(written(1, "I live in Kyiv"), written(2, "My name is Olena"), written(3, "I like tea")))
    messages = exported[0].messages
    await memory.apply(observe.note_past, messages[0].turn, messages[:2])
    assert await known(memory) == []
    learned = await learn(memory, exported)
    assert (learned.messages, learned.before, learned.stored) == (3, 0, 3)
    assert await known(memory) == ["like: tea", "location: Kyiv", "name: Olena"]
    assert await memory.look(observe.windows) == ([], [])
    assert (await learn(memory, exported)).before == 3


@pytest.mark.asyncio
async def test_a_message_that_an_export_has_twice_counts_once(memory: Memory) -> None:
    learned = await learn(memory, chats(group(*[written(1, "I live in Kyiv")] * 2)))
    assert (learned.messages, learned.before, learned.stored) == (1, 1, 1)


@pytest.mark.asyncio
async def test_what_an_older_program_came_past_is_not_learned_again(memory: Memory) -> None:
    exported = chats(group(written(5, "I live in Kyiv"), written(6, "I like chess")))
    await memory.apply(Tx.raise_id, chat_history._mark_of(exported[0].messages[0].turn), 5)
    learned = await learn(memory, exported)
    assert (learned.messages, learned.before) == (1, 1)


@pytest.mark.asyncio
async def test_what_was_deleted_is_not_learned_again(memory: Memory) -> None:
    exported = chats(group(written(1, "I live in Kyiv")))
    await learn(memory, exported)
    turn = Turn(platform="telegram", space="-10077", chat="-10077", user=1)
    await memory.erase(turn)
    learned = await learn(memory, exported)
    assert (learned.messages, learned.erased_since) == (0, 1)
    assert await known(memory) == []


@pytest.mark.asyncio
async def test_only_the_people_asked_for_and_no_bots(memory: Memory) -> None:
    await memory.report_member("telegram", "-10077", Member(user="9", number=9, name="Bot", kind="bot"))
    await memory.report_member("telegram", "-10077", Member(user="1", number=1, name="Olya", role="creator"))
    await memory.set_privacy(PrivacyLevel.FULL, Turn(platform="telegram", space="3", chat="3", user=3, direct=True))
    exported = chats(
        group(
            written(1, "I live in Kyiv"),
            written(2, "I live in Oslo", "user2"),
            written(3, "I live in Bonn", "user3"),
            written(4, "I live in Rome", "user9"),
            written(5, "I live in Bern", "user10", inline_bot_buttons=[[]]),
        )
    )
    learned = await learn(memory, exported, users={"1", "3", "9"})
    assert (learned.messages, learned.left_out) == (1, 4)
    assert await known(memory) == ["location: Kyiv"]
    member = await memory.look(chat_history._member, "telegram", "-10077", "1")
    assert member is not None
    assert (member.name, member.role) == ("Olya", "creator")


@pytest.mark.asyncio
async def test_people_are_asked_when_that_is_wanted(memory: Memory) -> None:
    await learn(memory, chats(group(written(1, "I think I live in Lviv"))), ask=True)
    assert await memory.questions(Turn(platform="telegram", space="-10077", chat="-10077", user=1))


@pytest.mark.asyncio
async def test_a_message_that_the_bot_saw_is_left_alone(memory: Memory) -> None:
    (one,) = chats(group(written(1, "I live in Kyiv", date_unixtime=str(int(time.time())))))
    await memory.observe("I live in Kyiv", one.messages[0].turn)
    learned = await learn(memory, [one])
    assert (learned.messages, learned.before) == (0, 1)


def test_the_command_prints_numbers(tmp_path: Path) -> None:
    export = tmp_path / "result.json"
    export.write_text(json.dumps(group(written(1, "I live in Kyiv"))))
    done = CliRunner().invoke(app, ["learn", str(export), "--db", f"sqlite:///{tmp_path}/m.db", "--user", "1"])
    assert done.exit_code == 0, done.output
    counts = json.loads(done.stdout.strip().splitlines()[-1])
    assert counts == {
        "messages": 1,
        "before": 0,
        "stored": 1,
        "uncertain": 0,
        "left_out": 0,
        "erased_since": 0,
        "too_long": 0,
    }


@pytest.mark.asyncio
async def test_a_message_that_is_longer_than_any_is_told_of_and_the_others_are_learned(memory: Memory) -> None:
    long = written(1, "I live in Kyiv. " + "x" * 10_000_000)
    named = written(2, "My name is Olena", **{"from": "n" * 1_000_000})
    learned = await learn(memory, chats(group(long, named)))
    assert (learned.messages, learned.too_long) == (1, 1)
    assert await known(memory) == ["name: Olena"]
