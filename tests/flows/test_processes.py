"""Several processes on one file, and processes that are killed: nothing acknowledged is lost or half-written."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from zgadka import Settings, Turn, open_memory

DEADLINE = 120
"""Seconds after which a test gives up on another process."""

# Every worker says `ready`, waits for a line on its standard input, and then begins, all at the same moment.
BEGIN = """
import asyncio, json, os, sys
from zgadka import Settings, Turn, open_memory
from zgadka.stores import sqlite

url, name = sys.argv[1:3]

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
    async with open_memory(url, settings=Settings(busy_seconds=100, memory_tool_async=False)) as memory:
        async def caller(number):
            for index in range(number, 500, 20):
                value = f"zq{name}w{index}"
                said = await memory.call(*fact(value))
                say(status=said.status, id=said.get("fact_id"), value=value)
        await asyncio.gather(*(caller(number) for number in range(20)))

asyncio.run(main())
"""
)

OPENING = (
    BEGIN
    + """
async def main():
    async with open_memory(url, settings=Settings(busy_seconds=100, memory_tool_async=False)) as memory:
        said = await memory.call(*fact(f"zq{name}"))
        say(status=said.status, id=said.get("fact_id"))

asyncio.run(main())
"""
)

# Writes until it is killed. Some facts are changed, some deleted; each line is printed after the answer.
ENDLESS = (
    BEGIN
    + """
async def main():
    settings = Settings(calls_per_hour=0, busy_seconds=100, memory_tool_async=False)
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

    def __init__(self, script: str, url: str, name: str, *, environ: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", script, url, name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,  # `communicate` reads the pipe itself, and would lose what a buffer had read ahead
            env=environ,
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def without_coverage() -> dict[str, str]:
    """For processes that are killed, and so never save what coverage measured."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}


def flaws(path: Path) -> list[str]:
    """Where rows, index, tallies and trail disagree; empty in a sound database."""
    connection = apsw.Connection(str(path))

    def rows(statement: str) -> list[tuple[Any, ...]]:
        return list(connection.execute(statement))

    try:
        found = [str(row[0]) for row in rows("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"foreign key: {row}" for row in rows("PRAGMA foreign_key_check")]
        connection.execute("CREATE VIRTUAL TABLE temp.posting USING fts5vocab (main, memory_index, instance)")
        postings = Counter(rows("SELECT doc, term FROM temp.posting"))
        live = rows("SELECT owner, id, lineage, kind, words, word_count, version FROM memory WHERE archived = 0")
        expected = Counter(
            (id_, f"o{owner}x{word}") for owner, id_, _, _, words, *_ in live for word in set(words.split())
        )
        found += [f"in the index, not in a row: {posting}" for posting in postings - expected]
        found += [f"in a row, not in the index: {posting}" for posting in expected - postings]
        found += [f"word count of {id_}" for _, id_, _, _, words, count, _ in live if len(words.split()) != count]
        tallies = {row[:3]: row[3] for row in rows("SELECT owner, lineage, kind, live FROM tally WHERE live > 0")}
        counted = Counter((owner, lineage, kind) for owner, _, lineage, kind, *_ in live)
        found += [] if tallies == dict(counted) else [f"tallies {tallies}, rows {dict(counted)}"]
        memories = rows("SELECT id, version FROM memory")
        found += [] if len({id_ for id_, _ in memories}) == len(memories) else ["an id was given twice"]
        trails = {
            row[0]: row[1:]
            for row in rows("SELECT memory, count(*), max(number), max(action='deleted') FROM event GROUP BY 1")
        }
        for id_, version in memories:
            events, last, deleted = trails.pop(id_, (0, 0, 0))
            if (events, last, deleted) != (version, version, 0):
                found.append(f"memory {id_} has version {version} and {events} events")
        found += [f"the trail of {id_} has no memory and no deletion" for id_, (*_, gone) in trails.items() if not gone]
        last_id = rows("SELECT coalesce(max(value), 0) FROM sequence WHERE name = 'memory'")[0][0]
        found += [f"id {id_} was never given" for id_, _ in memories if id_ > last_id]
        found += [f"a question about {row[0]}, which is gone" for row in rows(
            "SELECT memory FROM pending WHERE memory NOT IN (SELECT id FROM memory)"
        )]  # fmt: skip
        return found
    finally:
        connection.close()


def contents(path: Path) -> dict[int, str]:
    connection = apsw.Connection(str(path))
    try:
        return dict(connection.execute("SELECT id, content FROM memory WHERE archived = 0"))
    finally:
        connection.close()


def test_four_processes_with_500_facts_each_lose_nothing(path: Path, workers: list[Worker]) -> None:
    workers += [Worker(WRITING, url_of(path), str(number)) for number in range(4)]
    for worker in workers:
        worker.get_ready()
    for worker in workers:
        worker.begin()
    acknowledged: dict[int, str] = {}
    for worker in workers:
        lines, errors = worker.rest()
        assert errors == ""
        assert Counter(line["status"] for line in lines) == {"success": 500}
        acknowledged |= {line["id"]: line["value"] for line in lines}
    assert len(acknowledged) == 2000, "ids are unique"
    assert contents(path) == acknowledged
    assert flaws(path) == []
    assert found_by_own_words(path, acknowledged)


def found_by_own_words(path: Path, memories: dict[int, str]) -> bool:
    """Whether each memory is what a search for its text finds first."""
    turn = Turn(platform="test", space="s", chat="elsewhere", user=1)

    async def search() -> None:
        async with open_memory(url_of(path), settings=Settings()) as memory:
            for id_, value in memories.items():
                found = await memory.call("recall_facts", {"user_id": 1, "search_query": value, "limit": 1}, turn)
                assert [fact["fact_id"] for fact in found["facts"]] == [id_], value

    asyncio.run(search())
    return True


def test_eight_processes_can_make_the_same_new_file_at_the_same_moment(path: Path, workers: list[Worker]) -> None:
    workers += [Worker(OPENING, url_of(path), str(number)) for number in range(8)]
    for worker in workers:
        worker.get_ready()
    for worker in workers:
        worker.begin()
    ends = [worker.rest() for worker in workers]
    assert [errors for _, errors in ends] == [""] * 8
    assert [line["status"] for lines, _ in ends for line in lines] == ["success"] * 8
    assert len(contents(path)) == 8
    assert flaws(path) == []
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


def test_kill_9_in_a_write_loop_twenty_times_loses_nothing_acknowledged(path: Path, workers: list[Worker]) -> None:
    environ = without_coverage()
    acknowledged: dict[int, str | None] = {}
    doubtful: set[int] = set()
    following = Worker(ENDLESS, url_of(path), "0", environ=environ)
    workers.append(following)
    for round_ in range(20):
        worker = following
        worker.get_ready()
        worker.begin()
        lines = worker.lines(5 + 13 * round_ % 60)  # now early, now late, also while the log is folded into the file
        if round_ < 19:
            following = Worker(ENDLESS, url_of(path), str(round_ + 1), environ=environ)
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
        asyncio.run(touch(path))
        assert time.monotonic() - began < 20, "the file opens at once"
        there = contents(path)
        wrong = {id_: value for id_, value in acknowledged.items() if there.get(id_) != value and id_ not in doubtful}
        assert wrong == {}, f"round {round_}"
        assert flaws(path) == []
    assert len(acknowledged) > 200
    assert len(doubtful) < len(acknowledged) / 2
    assert None in acknowledged.values(), "deletions were among them"


async def touch(path: Path) -> None:
    async with open_memory(url_of(path), settings=Settings()) as memory:
        assert (await memory.tidy())["texts"] == 0


def test_an_acknowledged_write_survives_kill_9_at_once(path: Path, workers: list[Worker]) -> None:
    """Killed right after the first answer, before any checkpoint: the fact is in the log alone."""
    worker = Worker(ENDLESS, url_of(path), "x", environ=without_coverage())
    workers.append(worker)
    worker.get_ready()
    worker.begin()
    [first] = worker.lines(1)
    worker.process.send_signal(signal.SIGKILL)
    worker.rest()
    assert contents(path)[first["id"]].startswith(first["value"])
