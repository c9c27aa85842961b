"""Several processes on one database, and processes that are killed: nothing acknowledged is lost or half-written."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from long_run import cases
from soundness import contents, flaws, rows

from zgadka import Settings, Turn, open_memory

FACTS = cases(140, long=500)
"""Of each of several processes."""

DEADLINE = 120
"""Seconds after which a test gives up on another process."""

# Every worker says `ready`, waits for a line on its standard input, and then begins, all at the same moment.
BEGIN = """
import asyncio, json, os, sys
from zgadka import Settings, Turn, open_memory
from zgadka.stores import executor, postgres, sqlite

executor.BUSY_SECONDS = 100
url, name, count = sys.argv[1:4]
settings = Settings(calls_per_hour=0, memory_tool_async=False)

def say(**what):
    os.write(1, (json.dumps(what) + "\\n").encode())  # one write: a line is there whole or not at all

say(ready=True)
sys.stdin.readline()

def fact(value, turn=None):
    arguments = {"user_id": 1, "fact_type": "preference", "fact_key": "hobby", "fact_value": value, "confidence": 0.9}
    return "remember_fact", arguments, speak(turn)

def speak(turn=None, chat=""):
    return Turn(platform="test", space="s", chat=f"chat-{name}-{chat}", user=1, turn=turn)
"""

WRITING = (
    BEGIN
    + """
async def main():
    async with open_memory(url, settings=settings) as memory:
        async def caller(number):
            for index in range(number, int(count), 20):
                value = f"zq{name}w{index}"
                said = await memory.call(*fact(value))
                say(status=said.status, id=said.get("fact_id"), value=value)
        await asyncio.gather(*(caller(number) for number in range(20)))

asyncio.run(main())
"""
)

# Each writes a fact of its own, and one that is the same for all.
OPENING = (
    BEGIN
    + """
async def main():
    async with open_memory(url, settings=settings) as memory:
        for value in (f"zq{name}", "one and the same"):
            said = await memory.call(*fact(value))
            say(status=said.status, id=said.get("fact_id"), value=value)

asyncio.run(main())
"""
)

# Writes until it is killed. Some facts are changed, some deleted; each line is printed after the answer.
ENDLESS = (
    BEGIN
    + """
async def main():
    async with open_memory(url, settings=settings) as memory:
        async def caller(number):
            index = 0
            while True:
                index += 1
                value = f"zq{name}w{number}n{index}"
                said = await memory.call(*fact(value))
                assert said.status == "success", said
                say(id=said["fact_id"], value=value)
                if index % 3 == 0:
                    changed = {"user_id": 1, "fact_type": "preference", "fact_key": "hobby", "new_value": value + "c",
                               "confidence": 0.9, "change_reason": "update", "fact_id": said["fact_id"]}
                    say(doubtful=said["fact_id"])
                    answer = await memory.call("update_fact", changed, speak())
                    assert answer.status == "success", answer
                    say(id=said["fact_id"], value=value + "c")
                if index % 4 == 0:
                    deletion = {"memory_id": said["fact_id"]}
                    asked = await memory.call("forget", deletion, speak(f"{value}-1", number))
                    assert asked.status == "confirmation_required", asked
                    say(doubtful=said["fact_id"])
                    answer = await memory.call("forget", deletion, speak(f"{value}-2", number))
                    assert answer.status == "deleted", answer
                    say(id=said["fact_id"], value=None)
        await asyncio.gather(*(caller(number) for number in range(8)))

asyncio.run(main())
"""
)


class Worker:
    """A Python process that waits for its sign to begin."""

    def __init__(self, program: str, script: str, url: str, name: str) -> None:
        self.process = subprocess.Popen(
            [program, "-c", script, url, name, str(FACTS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # `communicate` reads the pipe itself, and would lose what a buffer had read ahead
        )

    def get_ready(self) -> None:
        assert self.process.stdout is not None
        assert json.loads(self.process.stdout.readline() or b"{}") == {"ready": True}, self.rest()

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(b"go\n")
        self.process.stdin.flush()

    def lines(self, count: int) -> list[dict[str, Any]]:
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(count)]
        assert all(lines), self.rest()
        return [json.loads(line) for line in lines]

    def rest(self) -> tuple[list[dict[str, Any]], str]:
        """What it still printed, up to its end."""
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
    """Let them begin at one moment; returns what they said."""
    for worker in workers:
        worker.get_ready()
    for worker in workers:
        worker.begin()
    ends = [worker.rest() for worker in workers]
    assert [errors for _, errors in ends] == [""] * len(workers)
    return [line for lines, _ in ends for line in lines]


@pytest.fixture
def url(database: Callable[[str], str]) -> str:
    return database("memory")


def test_four_processes_with_many_facts_each_lose_nothing(url: str, program: str, workers: list[Worker]) -> None:
    workers += [Worker(program, WRITING, url, str(number)) for number in range(4)]
    lines = run_together(workers)
    assert Counter(line["status"] for line in lines) == {"success": 4 * FACTS}
    acknowledged = {line["id"]: line["value"] for line in lines}
    assert len(acknowledged) == 4 * FACTS, "ids are unique"
    assert contents(url) == acknowledged
    assert flaws(url) == []
    assert found_by_own_words(url, dict(list(acknowledged.items())[::10]))


def found_by_own_words(url: str, memories: dict[int, str]) -> bool:
    """Whether each memory is what a search for its text finds first."""
    turn = Turn(platform="test", space="s", chat="elsewhere", user=1)

    async def search() -> None:
        async with open_memory(url, settings=Settings()) as memory:
            for id_, value in memories.items():
                found = await memory.call("recall_facts", {"user_id": 1, "search_query": value, "limit": 1}, turn)
                assert [fact["fact_id"] for fact in found["facts"]] == [id_], value

    asyncio.run(search())
    return True


def test_eight_processes_begin_at_one_moment_and_what_all_of_them_say_is_one_row(
    url: str, tmp_path: Path, program: str, workers: list[Worker]
) -> None:
    """Where there is no file yet, all of them make it."""
    workers += [Worker(program, OPENING, url, str(number)) for number in range(8)]
    lines = run_together(workers)
    own, same = (
        [line for line in lines if (line["value"] == "one and the same") is is_same] for is_same in (False, True)
    )
    assert [line["status"] for line in own] == ["success"] * 8
    assert Counter(line["status"] for line in same) == {"success": 1, "skipped": 7}
    assert len({line["id"] for line in lines}) == len(contents(url)) == 9
    assert rows(url, "SELECT evidence FROM memory WHERE content = 'one and the same'") == [(8,)]
    assert flaws(url) == []
    assert [file.name for file in tmp_path.iterdir()] in ([], ["memory.db"])


@pytest.fixture
def rounds(url: str) -> int:
    """How often a process is killed. A file is everything to SQLite; a server has its own process, which lives on."""
    return cases(10, long=20) if url.startswith("sqlite:") else 8


def test_kill_9_in_a_write_loop_again_and_again_loses_nothing_acknowledged(
    url: str, rounds: int, program: str, workers: list[Worker]
) -> None:
    acknowledged: dict[int, str | None] = {}
    doubtful: set[int] = set()
    following = Worker(program, ENDLESS, url, "0")
    workers.append(following)
    for round_ in range(rounds):
        worker = following
        worker.get_ready()
        worker.begin()
        lines = worker.lines(5 + 13 * round_ % 60)  # now early, now late, also while the log is folded into the file
        if round_ < rounds - 1:
            following = Worker(program, ENDLESS, url, str(round_ + 1))
            workers.append(following)
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
        doubtful |= under_way  # killed between question and answer: either state is right, half of one is not

        began = time.monotonic()
        asyncio.run(touch(url))
        assert time.monotonic() - began < 60, "it opens at once"
        there = contents(url)
        wrong = {id_: value for id_, value in acknowledged.items() if there.get(id_) != value and id_ not in doubtful}
        assert wrong == {}, f"round {round_}"
        assert flaws(url) == []
    assert len(acknowledged) > 10 * rounds
    assert len(doubtful) < len(acknowledged) / 2
    assert None in acknowledged.values(), "deletions were among them"


async def touch(url: str) -> None:
    async with open_memory(url, settings=Settings()) as memory:
        assert (await memory.tidy())["texts"] == 0


def test_an_acknowledged_write_survives_kill_9_at_once(url: str, program: str, workers: list[Worker]) -> None:
    """Killed right after the first answer, before any checkpoint: the fact is in the log alone."""
    worker = Worker(program, ENDLESS, url, "x")
    workers.append(worker)
    worker.get_ready()
    worker.begin()
    [first] = worker.lines(1)
    worker.process.send_signal(signal.SIGKILL)
    worker.rest()
    assert contents(url)[first["id"]].startswith(first["value"])


def test_what_is_asked_in_one_process_is_confirmed_in_another(url: str, program: str) -> None:
    def turn(name: str) -> Turn:
        return Turn(platform="test", space="s", chat="c", user=1, turn=name)

    async def talk() -> None:
        async with open_memory(url, settings=Settings()) as memory:
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
            command = [program, "-c", script, url, str(note), name]
            return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout.strip()

        assert await asyncio.to_thread(elsewhere, "2") == "confirmation_required"
        async with open_memory(url, settings=Settings()) as memory:
            assert (await memory.call("forget", {"memory_id": note}, turn("2"))).status == "confirmation_required"
            assert (await memory.call("forget", {"memory_id": note}, turn("3"))).status == "deleted"
        assert await asyncio.to_thread(elsewhere, "4") == "not_found"

    asyncio.run(talk())
