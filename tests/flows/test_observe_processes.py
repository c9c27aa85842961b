"""A process that looks at messages is killed, and another goes on."""

import asyncio
import json
import signal
import subprocess
from datetime import UTC, datetime, timedelta

from long_run import cases

from zgadka import Settings, Turn, open_memory
from zgadka.stores.tx import Tx

CHATS, EACH = 50, cases(6, long=20)

SCRIPT = f"""
import asyncio, sys
from zgadka import Settings, Turn, open_memory
from zgadka.stores import executor

executor.BUSY_SECONDS = 100

async def main():
    settings = Settings(calls_per_hour=0, memory_tool_async=False)
    async with open_memory(sys.argv[1], settings=settings) as memory:
        async def chat(number):
            for index in range({EACH}):
                name = str(number)
                turn = Turn(platform="telegram", space=name, chat=name, user=number, message=str(index))
                await memory.observe(f"I like tea{{index}}", turn)
                print(number, index, flush=True)
        await asyncio.gather(*(chat(number) for number in range(1, {CHATS} + 1)))

asyncio.run(main())
"""


async def likes(url: str) -> dict[str, list[str]]:
    """What each person likes, in the order in which it was remembered."""

    def look(tx: Tx) -> dict[str, list[str]]:
        memories = {owner.name: tx.memories.list_all(owner.id) for owner in tx.owners.list() if owner.kind == "person"}
        assert all(memory.evidence == 1 for theirs in memories.values() for memory in theirs)
        assert tx.observations.list() == []
        return {name: [memory.content for memory in theirs] for name, theirs in memories.items()}

    async with open_memory(url, settings=Settings(background=False)) as memory:
        return await memory.look(look)


async def go_on(url: str) -> None:
    """Start again a while later, as a host does: what was left in line is looked at, then all is delivered again."""
    later = datetime.now(UTC) + timedelta(minutes=5)
    settings = Settings(calls_per_hour=0, memory_tool_async=False)
    async with open_memory(url, settings=settings, clock=lambda: later) as memory:
        await memory.resume()
        for number in range(1, CHATS + 1):
            for index in range(EACH):
                name = str(number)
                turn = Turn(platform="telegram", space=name, chat=name, user=number, message=str(index))
                await memory.observe(f"I like tea{index}", turn)


def test_messages_of_fifty_chats_are_each_looked_at_once_and_in_order_though_the_process_is_killed(database, program):
    url = database("memory")
    worker = subprocess.Popen([program, "-c", SCRIPT, url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
    assert worker.stdout is not None
    answered = [worker.stdout.readline() for _ in range(CHATS * EACH // 3)]
    worker.send_signal(signal.SIGKILL)
    _, errors = worker.communicate(timeout=120)
    assert worker.returncode == -signal.SIGKILL, errors.decode()
    assert all(answered)

    asyncio.run(go_on(url))

    wanted = [f"tea{index}" for index in range(EACH)]
    there = asyncio.run(likes(url))
    assert there == {str(number): wanted for number in range(1, CHATS + 1)}, json.dumps(there)
