"""Several processes on one PostgreSQL: nothing acknowledged is lost, half-written or done twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from postgres_server import PostgresServer

from zgadka import Settings, Turn, open_memory

DEADLINE = 120
SETTINGS = Settings(background=False, calls_per_hour=0, calls_per_answer=0)

# Every worker says `ready` once it is connected, waits for a line, and then begins, all at the same moment.
BEGIN = """
import asyncio, json, os, sys
from zgadka import Settings, Turn, open_memory

url, name = sys.argv[1:3]
SETTINGS = Settings(background=False, calls_per_hour=0, calls_per_answer=0, memory_tool_async=False, busy_seconds=100)

def say(**what):
    os.write(1, (json.dumps(what) + "\\n").encode())  # one write: a line is there whole or not at all

def fact(value):
    return {"user_id": 1, "fact_type": "preference", "fact_key": "hobby", "fact_value": value, "confidence": 0.9}

def speak(turn=None):
    return Turn(platform="test", space="s", chat=f"chat-{name}", user=1, turn=turn)

async def main():
    async with open_memory(url, settings=SETTINGS) as memory:
        say(ready=True)
        sys.stdin.readline()
        await work(memory)
"""
END = "\nasyncio.run(main())\n"

WRITING = """
async def work(memory):
    async def caller(number):
        for index in range(number, 500, 20):
            value = f"zq{name}w{index}"
            said = await memory.call("remember_fact", fact(value), speak())
            say(status=said.status, id=said.get("fact_id"), value=value)
    await asyncio.gather(*(caller(number) for number in range(20)))
"""

SAME = """
async def work(memory):
    said = await memory.call("remember_fact", fact("one and the same"), speak())
    say(status=said.status, id=said.get("fact_id"))
"""

# Writes until it is killed. Each line is printed after the answer; what begins to change is printed before.
ENDLESS = """
async def work(memory):
    async def caller(number):
        index = 0
        while True:
            index += 1
            value = f"zq{name}w{number}n{index}"
            said = await memory.call("remember_fact", fact(value), speak())
            assert said.status == "success", said
            say(id=said["fact_id"], value=value)
            if index % 3 == 0:
                deletion = {"memory_id": said["fact_id"]}
                asked = await memory.call("forget", deletion, speak(f"{value}-1"))
                assert asked.status in ("confirmation_required", "not_found"), asked
                say(doubtful=said["fact_id"])
                answer = await memory.call("forget", deletion, speak(f"{value}-2"))
                assert answer.status == "deleted", answer
                say(id=said["fact_id"], value=None)
    await asyncio.gather(*(caller(number) for number in range(1)))
"""


class Worker:
    """A Python process that waits for its sign to begin."""

    def __init__(self, script: str, url: str, name: str, *, covered: bool = True) -> None:
        # A process that is killed never saves what coverage measured.
        environ = {key: value for key, value in os.environ.items() if covered or not key.startswith("COV")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", BEGIN + script + END, url, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environ,
        )

    def get_ready(self) -> None:
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline() or b"{}") == {"ready": True}, self.rest()

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")

    def lines(self, count: int) -> list[dict[str, Any]]:
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(count)]
        assert all(lines), self.rest()
        return [json.loads(line) for line in lines]

    def rest(self) -> tuple[list[dict[str, Any]], str]:
        out, err = self.process.communicate(timeout=DEADLINE)
        return [json.loads(line) for line in out.splitlines()], err.decode()

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def workers() -> Iterator[list[Worker]]:
    started: list[Worker] = []
    yield started
    for worker in started:
        worker.end()


def run_together(workers: list[Worker]) -> list[dict[str, Any]]:
    for worker in workers:
        worker.get_ready()
    for worker in workers:
        worker.begin()
    ends = [worker.rest() for worker in workers]
    assert [errors for _, errors in ends] == [""] * len(workers)
    return [line for lines, _ in ends for line in lines]


def rows(url: str, statement: bytes) -> list[tuple[Any, ...]]:
    with psycopg.connect(url, options="-c search_path=zgadka,public") as connection:
        return connection.execute(statement).fetchall()


def contents(url: str) -> dict[int, str]:
    return dict(rows(url, b"SELECT id, content FROM memory WHERE archived = 0"))  # pyright: ignore[reportReturnType]


def flaws(url: str) -> list[str]:
    """Where rows, tallies and trail disagree; empty in a sound database."""

    async def look() -> list[str]:
        from zgadka.ops.repair import find_drift, owners_to_check

        async with open_memory(url, settings=SETTINGS) as memory:
            found = [await memory.look(find_drift, owner) for owner in await memory.look(owners_to_check)]
            return [str(drift.counts) for drift in found if drift.counts]

    found = asyncio.run(look())
    trails = dict(rows(url, b"SELECT memory, count(*) FROM event GROUP BY memory"))  # pyright: ignore[reportCallIssue, reportArgumentType]
    for id_, version in rows(url, b"SELECT id, version FROM memory"):
        if trails.get(id_) != version:
            found.append(f"memory {id_} has version {version} and {trails.get(id_)} events")
    asked = rows(url, b"SELECT memory FROM pending WHERE memory NOT IN (SELECT id FROM memory)")
    return found + [f"a question about {row[0]}, which is gone" for row in asked]


def test_four_processes_with_500_facts_each_lose_nothing(url: str, workers: list[Worker]) -> None:
    workers += [Worker(WRITING, url, str(number)) for number in range(4)]
    lines = run_together(workers)
    assert Counter(line["status"] for line in lines) == {"success": 2000}
    acknowledged = {line["id"]: line["value"] for line in lines}
    assert len(acknowledged) == 2000, "ids are unique"
    assert contents(url) == acknowledged
    assert flaws(url) == []


def test_a_duplicate_raced_by_eight_processes_is_one_row(url: str, workers: list[Worker]) -> None:
    workers += [Worker(SAME, url, str(number)) for number in range(8)]
    lines = run_together(workers)
    assert Counter(line["status"] for line in lines) == {"success": 1, "skipped": 7}
    assert len({line["id"] for line in lines}) == 1
    assert rows(url, b"SELECT content, evidence FROM memory") == [("one and the same", 8)]
    assert flaws(url) == []


def test_kill_9_of_a_process_loses_nothing_acknowledged(url: str, workers: list[Worker]) -> None:
    acknowledged: dict[int, str | None] = {}
    doubtful: set[int] = set()
    for round_ in range(8):
        worker = Worker(ENDLESS, url, str(round_), covered=False)
        workers.append(worker)
        worker.get_ready()
        worker.begin()
        lines = worker.lines(5 + 13 * round_ % 60)
        worker.process.send_signal(signal.SIGKILL)
        rest, errors = worker.rest()
        assert worker.process.returncode == -signal.SIGKILL, errors
        under_way: set[int] = set()
        for line in lines + rest:
            if "doubtful" in line:
                under_way.add(line["doubtful"])
            else:
                acknowledged[line["id"]] = line["value"]
                under_way.discard(line["id"])
        doubtful |= under_way
    there = contents(url)
    wrong = {id_: value for id_, value in acknowledged.items() if there.get(id_) != value and id_ not in doubtful}
    assert wrong == {}
    assert flaws(url) == []
    assert len(acknowledged) > 100
    assert None in acknowledged.values(), "deletions were among them"


def test_what_is_asked_in_one_process_is_confirmed_in_another(url: str) -> None:
    def turn(name: str) -> Turn:
        return Turn(platform="test", space="s", chat="c", user=1, turn=name)

    async def talk() -> None:
        async with open_memory(url, settings=SETTINGS) as memory:
            kept = await memory.call("remember", {"content": "plays chess"}, turn("1"))
        note = kept["memory_id"]
        # The other process: nothing but the database is common to both.
        script = (
            "import sys, json, asyncio\nfrom zgadka import *\n"
            "async def main():\n"
            "    async with open_memory(sys.argv[1], settings=Settings(background=False)) as memory:\n"
            "        turn = Turn(platform='test', space='s', chat='c', user=1, turn=sys.argv[3])\n"
            "        print((await memory.call('forget', {'memory_id': int(sys.argv[2])}, turn)).status)\n"
            "asyncio.run(main())\n"
        )

        def elsewhere(name: str) -> str:
            command = [sys.executable, "-c", script, url, str(note), name]
            return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip()

        assert await asyncio.to_thread(elsewhere, "2") == "confirmation_required"
        async with open_memory(url, settings=SETTINGS) as memory:
            assert (await memory.call("forget", {"memory_id": note}, turn("2"))).status == "confirmation_required"
            assert (await memory.call("forget", {"memory_id": note}, turn("3"))).status == "deleted"
        assert await asyncio.to_thread(elsewhere, "4") == "not_found"

    asyncio.run(talk())


def test_a_restart_of_the_server_under_load_loses_nothing_acknowledged(server: PostgresServer, url: str) -> None:
    """Some calls are told that the memory cannot be reached; the others are kept; and then all goes on by itself."""
    answers: list[tuple[str, Any, str]] = []

    async def load() -> None:
        async with open_memory(url, settings=SETTINGS) as memory:
            stop = asyncio.Event()

            async def caller(user: int) -> None:
                index = 0
                while not stop.is_set():
                    index += 1
                    value = f"zq{user}n{index}"
                    arguments = {
                        "user_id": user,
                        "fact_type": "preference",
                        "fact_key": "hobby",
                        "fact_value": value,
                        "confidence": 0.9,
                    }
                    turn = Turn(platform="test", space="s", chat="c", user=user)
                    said = await memory.call("remember_fact", arguments, turn)
                    answers.append((said.status, said.get("fact_id"), value))
                    if said.status != "success":
                        assert "cannot be reached" in said.json() or "may have been kept" in said.json(), said
                        await asyncio.sleep(0.05)

            async def disturb() -> None:
                for how in (signal.SIGINT, signal.SIGQUIT, signal.SIGINT):
                    await asyncio.sleep(0.5)
                    await asyncio.to_thread(server.stop, how)
                    await asyncio.sleep(0.2)
                    server.start()  # in this thread, with which it would end
                await asyncio.sleep(0.5)
                stop.set()

            await asyncio.gather(disturb(), *(caller(user) for user in range(1, 9)))
            last = await memory.call("recall_facts", {"user_id": 1}, Turn(platform="test", space="s", chat="c", user=1))
            assert last.status == "success", last

    asyncio.run(load())
    statuses = Counter(status for status, *_ in answers)
    assert statuses["success"] > 50
    assert statuses["error"] > 0, "the calls met the restarts"
    assert set(statuses) == {"success", "error"}
    there = contents(url)
    acknowledged = {id_: value for status, id_, value in answers if status == "success"}
    assert {id_: there.get(id_) for id_ in acknowledged} == acknowledged
    assert len(set(there.values())) == len(there), "nothing was kept twice"
    assert flaws(url) == []
