"""A process that looks at messages is killed, and another goes on."""

import asyncio
import json
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from zgadka import Settings, Turn, open_memory

CHATS, EACH = 50, 20

SCRIPT = f"""
import asyncio, sys
from zgadka import Settings, Turn, open_memory

async def main():
    settings = Settings(calls_per_hour=0, busy_seconds=100, memory_tool_async=False)
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


def likes(path: Path) -> dict[str, list[str]]:
    """What each person likes, in the order in which it was remembered."""
    connection = apsw.Connection(str(path))
    try:
        rows = connection.execute(
            "SELECT o.name, m.content FROM memory m JOIN owner o ON o.id = m.owner ORDER BY m.id"
        ).fetchall()
        assert connection.execute("SELECT count(*) FROM memory WHERE evidence > 1").fetchall() == [(0,)]
        assert connection.execute("SELECT count(*) FROM observation").fetchall() == [(0,)]
    finally:
        connection.close()
    found: dict[str, list[str]] = {}
    for person, content in rows:
        found.setdefault(str(person), []).append(str(content))
    return found


async def go_on(url: str) -> None:
    """Start again a while later, as a host does: what was left in line is looked at, then all is delivered again."""
    later = datetime.now(UTC) + timedelta(minutes=5)
    settings = Settings(calls_per_hour=0, busy_seconds=100, memory_tool_async=False)
    async with open_memory(url, settings=settings, clock=lambda: later) as memory:
        await memory.resume()
        for number in range(1, CHATS + 1):
            for index in range(EACH):
                name = str(number)
                turn = Turn(platform="telegram", space=name, chat=name, user=number, message=str(index))
                await memory.observe(f"I like tea{index}", turn)


def test_a_thousand_messages_are_each_looked_at_once_and_in_order_though_the_process_is_killed(tmp_path):
    path = tmp_path / "memory.db"
    worker = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, f"sqlite:///{path}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert worker.stdout is not None
    answered = [worker.stdout.readline() for _ in range(CHATS * EACH // 3)]
    worker.send_signal(signal.SIGKILL)
    _, errors = worker.communicate(timeout=60)
    assert worker.returncode == -signal.SIGKILL, errors.decode()
    assert all(answered)

    asyncio.run(go_on(f"sqlite:///{path}"))

    wanted = [f"tea{index}" for index in range(EACH)]
    assert likes(path) == {str(number): wanted for number in range(1, CHATS + 1)}, json.dumps(likes(path))
