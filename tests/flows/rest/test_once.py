"""What is kept of a request with a key where a deletion cannot be undone for a day: no text of anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw
import httpx
import pytest

from zgadka import Settings, Turn, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.web.app import build_app

pytestmark = pytest.mark.asyncio

TURN: dict[str, Any] = {"chat": "456", "user": 123}
SECRET = "xylographer"


@pytest.fixture
def settings() -> Settings:
    return Settings(undo_hours=23)


def body(turn: dict[str, Any] | None = None, **args: Any) -> dict[str, Any]:
    return {"args": args, "turn": turn or TURN}


async def keyed(bot: Any, key: str, path: str, said: dict[str, Any], method: str = "POST") -> httpx.Response:
    """Make a request with a key."""
    return await bot(method, path, json=said, headers={"idempotency-key": key})


@pytest.mark.parametrize("undo_hours", [0, 1, 24])
async def test_no_byte_of_what_was_forgotten_is_left_in_what_was_answered(clock, tmp_path, undo_hours):
    file: Path = tmp_path / "memory.db"
    settings = Settings(undo_hours=undo_hours, background=False)
    async with open_memory(f"sqlite:///{file}", settings=settings, clock=clock) as memory:
        _, token = await memory.apply(add_token, Grant(token=0, role="service", platforms=("telegram",)))
        transport = httpx.ASGITransport(build_app(memory))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:

            async def ask(key: str, path: str, said: dict[str, Any]) -> Any:
                headers = {"authorization": f"Bearer {token}", "idempotency-key": key}
                answer = await client.post(path, json=said, headers=headers)
                assert answer.status_code == 200, answer.text
                return answer.json()

            kept = await ask("1", "/v1/tools/remember", body(content=f"The safe opens with {SECRET}"))
            calls = [{"tool": "recall", "args": {"query": "safe"}}, {"tool": "forget", "args": {"query": "safe"}}]
            await ask("2", "/v1/calls", {"calls": calls, "turn": TURN})
            await ask("3", "/v1/tools/recall", body(query="safe"))
            await ask("4", "/v1/context", {"query": "safe", "turn": TURN})
            number = kept["memory_id"]
            await ask("5", f"/v1/memories/{number}/share", {"everywhere": False, "turn": TURN | {"direct": True}})
            await ask("6", "/v1/tools/forget", body(TURN | {"turn": "a"}, memory_id=number))
            gone = await ask("7", "/v1/tools/forget", body(TURN | {"turn": "b"}, memory_id=number))
            assert (gone["status"], SECRET in gone["message"]) == ("deleted", True)
        clock.forward(hours=undo_hours, seconds=1)
        await memory.tidy()
        connection = apsw.Connection(str(file))
        connection.set_busy_timeout(10_000)
        assert list(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")) == [(0, 0, 0)]
        still_known = 5 if undo_hours < 24 else 0
        assert list(connection.execute("SELECT count(*) FROM answer")) == [(still_known,)]
        connection.close()
        assert SECRET.encode() not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


async def test_a_repeated_request_is_told_status_and_ids_and_changes_nothing(bot, memory):
    first, again = [await keyed(bot, "k", "/v1/tools/remember", body(content=f"likes {SECRET}s")) for _ in range(2)]
    assert again.headers["idempotency-replayed"] == "true"
    assert again.status_code == first.status_code
    told = again.json()
    assert (told["status"], told["memory_id"]) == ("success", first.json()["memory_id"])
    assert SECRET not in again.text
    assert "before" in told["message"]
    [one] = await memory.look(lambda tx: tx.memories.list_all(tx.owners.find("person", "telegram", "123")))
    assert one.evidence == 1, "it was not said twice"


async def test_a_deletion_that_is_repeated_is_told_and_not_done_again(bot):
    number = (await bot.tool("remember", content="likes tea")).json()["memory_id"]
    await bot.tool("forget", TURN | {"turn": "a"}, memory_id=number)
    first, again = [
        await keyed(bot, "k", "/v1/tools/forget", body(TURN | {"turn": "b"}, memory_id=number)) for _ in range(2)
    ]
    assert first.json()["status"] == "deleted"
    assert {name: again.json()[name] for name in ("status", "memory_id", "deleted")} == {
        "status": "deleted",
        "memory_id": number,
        "deleted": [{"memory_id": number}],
    }


async def test_what_only_looks_is_looked_at_again(bot):
    """An answer without its texts would tell a model that nothing is known."""
    await bot.tool("remember", content="likes green tea")
    await bot("POST", "/v1/messages", json={"text": "the tea is green", "turn": TURN})
    looks = [
        ("/v1/tools/recall", body(query="tea")),
        ("/v1/messages/search", {"query": "tea", "turn": TURN}),
        ("/v1/context", {"query": "tea", "turn": TURN}),
    ]
    for path, said in looks:
        first, again = [await keyed(bot, f"k{path}", path, said) for _ in range(2)]
        assert "green" in first.text
        assert "green" in again.text
        assert (await keyed(bot, "a b", path, said)).status_code == 400
    assert (await keyed(bot, "l", "/v1/me/link", {"turn": {"user": 123, "direct": True}})).json()["url"]
    assert (await keyed(bot, "l", "/v1/me/link", {"turn": {"user": 123, "direct": True}})).json()["url"]


@pytest.mark.parametrize("settings", [Settings(undo_hours=1), Settings()])
async def test_what_calls_of_a_batch_have_read_is_looked_at_again(bot):
    number = (await bot.tool("remember", content="likes quinces")).json()["memory_id"]
    looks = {"tool": "recall", "args": {"query": "quinces"}}
    keeps = {"tool": "remember", "args": {"content": "likes medlars"}}
    batches = {"a": [looks], "b": [looks, keeps, looks], "c": [keeps, {"tool": "nothing", "args": {}}, looks]}
    for key, calls in batches.items():
        first = await keyed(bot, key, "/v1/calls", {"calls": calls, "turn": TURN})
        again = await keyed(bot, key, "/v1/calls", {"calls": calls, "turn": TURN})
        assert first.text.count("quinces") == again.text.count("quinces") >= 1
        assert [result["status"] for result in again.json()["results"]] == [
            result["status"] for result in first.json()["results"]
        ]
        assert ("idempotency-replayed" in again.headers) == (keeps in calls)
    for turn in ("x", "y"):
        gone = await bot.tool("forget", TURN | {"turn": turn}, memory_id=number)
    assert gone.json()["status"] == "deleted"
    for key, calls in batches.items():
        again = await keyed(bot, key, "/v1/calls", {"calls": calls, "turn": TURN})
        assert again.status_code == 200
        assert "likes quinces" not in again.text


async def test_a_deep_batch_is_refused_with_a_key_as_without(bot):
    deep = '{"calls":' + "[" * 100_000 + "]" * 100_000 + "}"
    for headers in ({}, {"idempotency-key": "k"}):
        answer = await bot("POST", "/v1/calls", content=deep, headers={"content-type": "application/json"} | headers)
        assert 400 <= answer.status_code < 500


async def test_results_that_are_told_once_are_known_again_by_status_and_id(bot, memory, monkeypatch):
    from zgadka.model.task import Finished

    done = [Finished(7, "remember", {"status": "success", "message": f"Remembered: {SECRET}", "memory_id": 3})]

    async def once(_: Turn, **__: object) -> list[Finished]:
        told, done[:] = list(done), []
        return told

    monkeypatch.setattr(memory, "take_finished", once)
    _, again = [await keyed(bot, "k", "/v1/finished", {"turn": TURN}) for _ in range(2)]
    [one] = again.json()["finished"]
    assert (one["task_id"], one["tool"]) == (7, "remember")
    assert (one["result"]["status"], one["result"]["memory_id"]) == ("success", 3)
    assert SECRET not in again.text


async def test_a_question_and_a_reminder_that_are_told_again_say_whom_to_ask(bot, clock):
    said = {"text": "Maybe I'll move to Lviv", "turn": TURN | {"message": "m1"}}
    first, again = [await keyed(bot, "k", "/v1/messages/observe", said) for _ in range(2)]
    asked = again.json()["question"]
    assert asked["id"] == first.json()["question"]["id"]
    assert "Lviv" in first.text
    assert "Lviv" not in again.text
    clock.forward(hours=13)
    _, again = [await keyed(bot, "r", "/v1/reminders", {"platform": "telegram"}) for _ in range(2)]
    [one] = again.json()["questions"]
    assert {name: one[name] for name in ("id", "platform", "chat", "user")} == {
        "id": asked["id"],
        "platform": "telegram",
        "chat": "456",
        "user": "123",
    }
    assert "Lviv" not in again.text


async def test_no_tools_answer_is_kept_with_a_text(bot, memory):
    statuses = set[str]()
    for tool in memory.tools:
        if tool.read_only:
            continue
        args: dict[str, Any] = {}
        for one in tool.parameters:
            kind = tool.schema["properties"][one.name]
            if "enum" in kind:
                args[one.name] = kind["enum"][0]
            elif kind.get("type") == "string":
                args[one.name] = "2025" if one.name.startswith("valid") else SECRET
            elif kind.get("type") in ("integer", "number"):
                args[one.name] = 123 if one.name == "user_id" else kind.get("maximum", 1)
        said = body(TURN | {"turn": tool.name}, **args)
        first, again = [await keyed(bot, tool.name, f"/v1/tools/{tool.name}", said) for _ in range(2)]
        assert again.headers["idempotency-replayed"] == "true"
        assert again.json()["status"] == first.json()["status"]
        assert SECRET not in again.text
        statuses.add(first.json()["status"])
    assert "success" in statuses
