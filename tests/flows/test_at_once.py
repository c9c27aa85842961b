"""Thousands of calls at once: each is answered, none is busy while the queue has room, and each is done once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.stores.tx import Tx

PEOPLE = 500


async def remember(memory: Memory, number: int) -> ToolResult:
    person = str(1 + number % PEOPLE)
    turn = Turn(platform="test", space=person, chat=person, user=person, turn=str(number), direct=True)
    return await memory.call("remember", {"content": f"note {number}"}, turn)


def contents(tx: Tx) -> Counter[str]:
    return Counter(one.content for owner in tx.owners.list() for one in tx.memories.list_all(owner.id))


@pytest.mark.hurried
@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("calls", "queue"),
    [(1_000, True), *(pytest.param(10_000, queue, marks=pytest.mark.long) for queue in (True, False))],
)
async def test_of_thousands_of_calls_at_once_none_is_busy_lost_or_done_twice(
    tmp_path: Path, calls: int, queue: bool
) -> None:
    # However slow the machine is: how many get in within two seconds is for a benchmark.
    settings = Settings(memory_tool_async=queue, memory_tool_queue_size=calls, memory_tool_queue_ms=60_000)
    async with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", settings=settings) as memory:
        answers = await asyncio.gather(*(remember(memory, number) for number in range(calls)))
        assert {answer.status for answer in answers} <= ({"success", "queued"} if queue else {"success"})
        while await memory.look(lambda tx: tx.tasks.count_waiting()):  # noqa: ASYNC110  (only the rows know)
            await asyncio.sleep(0.01)
        assert await memory.look(contents) == Counter(f"note {number}" for number in range(calls))
