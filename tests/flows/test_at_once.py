"""Ten thousand calls at once: each is answered, and what was acknowledged is in the store."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.stores.tx import Tx

CALLS = 10_000
PEOPLE = 500


async def remember(memory: Memory, number: int) -> ToolResult:
    person = str(1 + number % PEOPLE)
    turn = Turn(platform="test", space=person, chat=person, user=person, turn=str(number), direct=True)
    return await memory.call("remember", {"content": f"note {number}"}, turn)


def contents(tx: Tx) -> Counter[str]:
    return Counter(one.content for owner in tx.owners.list() for one in tx.memories.list_all(owner.id))


@pytest.mark.hurried
@pytest.mark.asyncio
@pytest.mark.parametrize("queue", [True, pytest.param(False, marks=pytest.mark.long)])
async def test_ten_thousand_calls_at_once_are_all_answered_and_none_is_lost(tmp_path: Path, queue: bool) -> None:
    settings = Settings(memory_tool_async=queue)
    async with open_memory(f"sqlite:///{tmp_path / 'memory.db'}", settings=settings) as memory:
        answers = await asyncio.gather(*(remember(memory, number) for number in range(CALLS)))
        statuses = {f"note {number}": answer.status for number, answer in enumerate(answers)}
        assert set(statuses.values()) <= ({"success", "queued", "busy"} if queue else {"success"})
        while await memory.look(lambda tx: tx.tasks.count_waiting()):  # noqa: ASYNC110  (only the rows know)
            await asyncio.sleep(0.01)
        acknowledged = [text for text, status in statuses.items() if status != "busy"]
        assert await memory.look(contents) == Counter(acknowledged), "each once, and nothing that was refused"
