"""Episodes and windows of automated chats, when the process that makes them is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

from zgadka import Settings, Turn, open_memory

CHATS = 60
SETTINGS = Settings(rollout="off", background=False, episode_least_messages=4)
START = datetime.now(UTC)
LATER = START + timedelta(hours=1)

WORKER = """
import asyncio, os, random, signal, sys, threading
from datetime import datetime
from zgadka import Settings, open_memory
from zgadka.stores import executor

executor.BUSY_SECONDS = 100
settings = Settings(rollout="off", background=False, episode_least_messages=4)
later = datetime.fromisoformat(sys.argv[2])
notices = []

def told(notice):
    os.write(1, b".")
    notices.append(notice)
    if len(notices) == 35:  # from within: on a busy machine, whoever kills from outside comes when all is done
        kill = os.kill, [os.getpid(), signal.SIGKILL]
        threading.Timer(random.random() / 50, *kill).start()

async def main():
    async with open_memory(sys.argv[1], settings=settings, clock=lambda: later) as memory:
        memory.subscribe(told)
        while True:
            await memory.resume()
            await memory.make_episodes()
            os.write(1, b"!")

asyncio.run(main())
"""


def test_a_killed_process_leaves_nothing_undone_and_does_nothing_twice(tmp_path: Path, program: str) -> None:
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    asyncio.run(talk(url))
    written, kills, is_done = 0, 0, False
    while not is_done:
        worker = subprocess.Popen([program, "-c", WORKER, url, LATER.isoformat()], stdout=subprocess.PIPE)
        assert worker.stdout is not None
        said = b""
        while b"!" not in said and (more := os.read(worker.stdout.fileno(), 10_000)):
            said += more
        worker.send_signal(signal.SIGKILL)
        said += worker.communicate()[0]
        written += said.count(b".")
        is_done = b"!" in said
        kills += 1
    assert kills > 2, "it was never killed at work"
    values, topics, stated = asyncio.run(outcome(url))
    assert values == [f"Town{n}" for n in range(CHATS)]
    assert topics == [f"town{n}" for n in range(CHATS)]
    assert stated == {1}
    assert written <= 3 * CHATS  # a fact, the notice that it was learned, an episode


async def talk(url: str) -> None:
    now = START
    async with open_memory(url, settings=SETTINGS, clock=lambda: now) as memory:
        for n in range(CHATS):
            turn = Turn(platform="test", space=str(n), chat=str(n), user=n + 1)
            for text in (f"I live in Town{n}.", f"town{n}", f"town{n}", f"town{n}"):
                await memory.observe(text, turn)


async def outcome(url: str) -> tuple[list[str], list[str], set[int]]:
    async with open_memory(url, settings=SETTINGS, clock=lambda: LATER) as memory:
        values: list[str] = []
        topics: list[str] = []
        stated: set[int] = set()
        for n in range(CHATS):
            turn = Turn(platform="test", space=str(n), chat=str(n), user=n + 1)
            for fact in (await memory.call("recall_facts", {"user_id": n + 1}, turn))["facts"]:
                values.append(fact["value"])
                stated.add(fact["evidence"])
            topics += [one["topic"].lower() for one in (await memory.call("recall_episodes", {}, turn))["episodes"]]
        return values, topics, stated
