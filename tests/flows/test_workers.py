"""Several workers on one file share its tasks, and workers that are killed leave none undone or done twice."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from long_run import cases

from zgadka import Settings, Turn, open_memory
from zgadka.stores.tx import Tx

SHARED = cases(600, long=4000)
KILLS = cases(6, long=20)
DEADLINE = 120
SETTINGS = Settings(background=False, max_notes=1_000_000)

Start = Callable[[str, str, datetime], subprocess.Popen[bytes]]

# Does tasks until there are none. Each leaves a note; a second time, the note would count as stated twice.
WORKER = """
import asyncio, os, sys
from datetime import datetime
from zgadka import Settings, Turn, open_memory
from zgadka.ops.remember import New, remember
from zgadka.stores import executor
from zgadka.worker import Worker

executor.BUSY_SECONDS = 100
executor.Store.tasks_at_once = 50  # so that none has done everything before the others begin
url, name, now = sys.argv[1:4]

def work(tx, payload):
    turn = Turn(platform="test", space="s", chat="c", user=1)
    remember(tx, turn, 1, New(content=f"task {payload['n']} by {name}", tags=(str(payload["n"]),)))

def clock():  # it stands still, so that no lease ends because the machine is busy
    return datetime.fromisoformat(now)

async def main():
    settings = Settings(background=False, max_notes=1_000_000)
    async with open_memory(url, settings=settings, clock=clock) as memory:
        worker = Worker(memory._store, {"work": work}, name=name)
        print("ready", flush=True)
        sys.stdin.readline()
        while begun := await worker.run_due():
            os.write(1, f"{begun}\\n".encode())

asyncio.run(main())
"""


def fill(url: str, count: int) -> None:
    def add(tx: Tx) -> None:
        space = tx.owners.ensure("space", "test", "s")
        person = tx.owners.ensure("person", "test", "1")
        for n in range(count):
            tx.tasks.add(space, "work", {"n": n}, conversation=("c", "", 0), person=person, priority=1)

    async def run() -> None:
        async with open_memory(url, settings=SETTINGS) as memory:
            await memory.apply(add)

    asyncio.run(run())


def effects(url: str) -> tuple[Counter[int], int, int]:
    """How often each task was done, the most often that any note was stated, and how many tasks are left."""

    async def run() -> tuple[Counter[int], int, int]:
        async with open_memory(url, settings=SETTINGS) as memory:
            turn = Turn(platform="test", space="s", chat="c", user=1)
            owner = await memory.look(lambda tx: tx.owners.find("person", "test", turn.user_key))
            notes = [] if owner is None else await memory.look(lambda tx: tx.memories.list_all(owner))
            done = Counter(int(note.tags[0]) for note in notes)
            left = await memory.look(lambda tx: tx.tasks.count_waiting())
            return done, max((note.evidence for note in notes), default=0), left

    return asyncio.run(run())


def outcomes(url: str) -> int:
    """How much is left to say of what tasks did, after tidying."""

    async def run() -> int:
        async with open_memory(url, settings=SETTINGS) as memory:
            await memory.tidy()
            return len(await memory.look(lambda tx: tx.rows("outcomes", {})))

    return asyncio.run(run())


@pytest.fixture
def start(program: str) -> Start:
    """Start a worker on this database, with this name, for which it is this time."""
    return partial(start_worker, program)


def start_worker(program: str, url: str, name: str, now: datetime) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [program, "-c", WORKER, url, name, now.isoformat()],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def go(*workers: subprocess.Popen[bytes]) -> None:
    """Let the workers begin, once all are ready: else one could have done everything before another has started."""
    for worker in workers:
        assert worker.stdout is not None
        assert worker.stdout.readline() == b"ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(b"\n")
        worker.stdin.flush()


def test_four_workers_share_tasks_and_none_is_done_twice(database: Callable[[str], str], start: Start) -> None:
    url = database("memory")
    fill(url, SHARED)
    now = datetime.now(UTC)
    workers = [start(url, f"w{number}", now) for number in range(4)]
    go(*workers)
    begun: list[int] = []
    for worker in workers:
        out, errors = worker.communicate(timeout=DEADLINE)
        assert (worker.returncode, errors) == (0, b"")
        begun.append(sum(map(int, out.split())))
    done, most, left = effects(url)
    assert done == Counter(range(SHARED))
    assert (most, left) == (1, 0)
    assert sum(begun) == SHARED
    assert sum(number > 0 for number in begun) > 1, "it was shared"


def test_kill_9_of_a_worker_again_and_again_leaves_every_task_done_once_in_effect(
    database: Callable[[str], str], start: Start
) -> None:
    url = database("memory")
    fill(url, KILLS * 150)
    now = datetime.now(UTC)
    for round_ in range(KILLS):
        worker = start(url, f"w{round_}", now + timedelta(minutes=round_ * 2))  # the leases of the killed have ended
        go(worker)
        assert worker.stdout is not None
        for _ in range(1 + round_ % 3):  # in the middle of the next batch, or before its commit
            assert worker.stdout.readline(), "it was at work when it was killed"
        worker.send_signal(signal.SIGKILL)
        worker.communicate(timeout=DEADLINE)
    last = start(url, "last", now + timedelta(hours=1))
    go(last)
    _, errors = last.communicate(timeout=DEADLINE)
    assert (last.returncode, errors) == (0, b"")
    done, most, left = effects(url)
    assert done == Counter(range(KILLS * 150))
    assert (most, left) == (1, 0)
    assert outcomes(url) == 0
