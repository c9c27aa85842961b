"""How often a call waits for the server: on a network, that is most of its time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from postgres_server import PostgresServer
from wire import Wire

from zgadka import Memory, Settings, Turn, open_memory

pytestmark = pytest.mark.asyncio


@pytest.fixture
def wire(server: PostgresServer) -> Iterator[Wire]:
    folder = server.folder / "counted"
    folder.mkdir(exist_ok=True)
    wire = Wire(server.folder / ".s.PGSQL.5432", folder / ".s.PGSQL.5432")
    yield wire
    wire.close()


@pytest_asyncio.fixture
async def memory(url: str, server: PostgresServer, wire: Wire) -> AsyncIterator[Memory]:
    """One whose calls are not counted, and that has been used before."""
    settings = Settings(background=False, memory_tool_async=False, calls_per_answer=0, calls_per_hour=0)
    through = url.replace(str(server.folder), str(server.folder / "counted"))
    async with open_memory(through, settings=settings) as memory:
        for direct in (True, False):
            for number in range(3):
                await memory.record("user", f"I drink tea {number}", turn(direct=direct))
                await memory.call("remember_fact", fact("drink", f"tea {number}"), turn(direct=direct))
                await memory.call("recall", {"query": "tea"}, turn(direct=direct))
                await memory.build_context(turn(direct=direct))
        yield memory


def turn(*, direct: bool, text: str = "what do I drink?") -> Turn:
    place = "1" if direct else "group"
    return Turn(platform="x", space=place, chat=place, user="1", turn="t", text=text, direct=direct)


def fact(key: str, value: str) -> dict[str, Any]:
    return {"user_id": 1, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}


async def trips(wire: Wire, call: Callable[[str], Awaitable[object]]) -> int:
    """How often it waits, the fewest times of a dozen: first an index is built, and at times erasures are asked for."""
    counts: list[int] = []
    games = (
        "chess",
        "go",
        "shogi",
        "draughts",
        "bridge",
        "whist",
        "rummy",
        "poker",
        "dominoes",
        "darts",
        "snooker",
        "pool",
    )
    for word in games:
        before = wire.trips
        result = await call(word)
        assert getattr(result, "status", "success") == "success"
        counts.append(wire.trips - before)
    return min(counts)


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "group"])
async def test_a_call_waits_for_the_server_three_times_at_most(memory: Memory, wire: Wire, *, direct: bool) -> None:
    here = turn(direct=direct)
    counts = {
        "record": await trips(wire, lambda word: memory.record("user", f"I play {word}", here)),
        "remember_fact": await trips(wire, lambda word: memory.call("remember_fact", fact("hobby", word), here)),
        "recall": await trips(wire, lambda word: memory.call("recall", {"query": f"tea {word}"}, here)),
        "build_context": await trips(wire, lambda _: memory.build_context(here)),
    }
    most = {"record": 3, "remember_fact": 3, "recall": 2, "build_context": 2}
    assert all(count <= most[name] for name, count in counts.items()), counts


async def test_what_counts_calls_waits_once_more_and_beside_what_reads_twice(
    url: str, server: PostgresServer, memory: Memory, wire: Wire
) -> None:
    through = url.replace(str(server.folder), str(server.folder / "counted"))
    here = turn(direct=False)
    recall = {"query": "tea"}
    async with open_memory(
        through, settings=Settings(background=False, memory_tool_async=False, calls_per_answer=99)
    ) as counting:
        assert await trips(wire, lambda word: counting.call("remember_fact", fact("hobby", word), here)) <= 4
        without = await trips(wire, lambda _: memory.call("recall", recall, here))
        assert await trips(wire, lambda _: counting.call("recall", recall, here)) <= without + 2


async def test_who_is_somebody_else_by_now_is_told_nothing_of_who_they_were(url: str, memory: Memory) -> None:
    """Who they were is only what is asked with: none of it is used unless they are that still."""
    here = turn(direct=True)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE zgadka.owner SET name = 'gone' WHERE name = '1'")
    assert "tea" not in (await memory.build_context(here)).text
    assert (await memory.call("recall", {"query": "tea"}, here))["memories"] == []
    assert (await memory.call("remember_fact", fact("drink", "coffee"), here)).status == "success"
    await memory.record("user", "I drink coffee", here)
    found = await memory.call("recall_facts", {"user_id": 1}, here)
    assert [row["value"] for row in found["facts"]] == ["coffee"]
