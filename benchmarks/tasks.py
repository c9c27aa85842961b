"""How many tasks a minute the queue takes on and does: work that does nothing, so that the queue alone is measured.

In one process on SQLite, each change on disk before the next thing is said. Tasks are put in line by callers who each
wait until theirs is taken on; then one worker does them all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _machine

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.ops.access import ensure_space
from zgadka.stores.tx import Tx
from zgadka.worker import Worker

KIND = "nothing"
CALLERS = 100
A_MINUTE = 100_000


@dataclass(frozen=True)
class Phase:
    """Tasks a minute, and microseconds of CPU for each."""

    what: str
    rate: float
    cpu: float


def _put(tx: Tx, turn: Turn) -> int:
    space, person = ensure_space(tx, turn), tx.owners.ensure("person", turn.platform, turn.user_key)
    return tx.tasks.add(space, KIND, {}, conversation=turn.conversation, person=person, priority=1)


def _nothing(tx: Tx, payload: Mapping[str, Any]) -> None:
    del tx, payload


async def put_in_line(memory: Memory, tasks: int, spaces: int) -> None:
    """Put so many tasks in line."""
    left = iter(range(tasks))

    async def caller() -> None:
        for number in left:
            space = str(number % spaces)
            await memory.apply(_put, Turn(platform="bench", space=space, chat=space, user=1))

    await asyncio.gather(*(caller() for _ in range(CALLERS)))


async def do_all(memory: Memory, tasks: int) -> None:
    """Do them all."""
    worker = Worker(memory._store, {KIND: _nothing})  # noqa: SLF001  (the product's own, with another handler)
    done = 0
    while begun := await worker.run_due():
        done += begun
    if done != tasks or await memory.look(lambda tx: tx.tasks.count_waiting()):
        raise SystemExit(f"{done:,} of {tasks:,} tasks were done")


async def measure(tasks: int, spaces: int) -> list[Phase]:
    """Measure both on a new database."""
    phases: list[Phase] = []
    with tempfile.TemporaryDirectory() as folder:
        async with open_memory(f"sqlite:///{folder}/memory.db", settings=Settings(background=False)) as memory:
            for what, running in (
                (f"put in line, {CALLERS} callers", put_in_line(memory, tasks, spaces)),
                ("done, one worker", do_all(memory, tasks)),
            ):
                cpu, started = time.process_time(), time.perf_counter()
                await running
                seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
                phases.append(Phase(what, tasks / seconds * 60, cpu / tasks * 1e6))
    return phases


def median(rounds: Sequence[Sequence[Phase]]) -> list[Phase]:
    """The medians of the rounds, phase by phase."""
    return [
        Phase(some[0].what, statistics.median(one.rate for one in some), statistics.median(one.cpu for one in some))
        for some in zip(*rounds, strict=True)
    ]


def report(machine: dict[str, str], phases: Sequence[Phase], rounds: int, tasks: int, spaces: int) -> str:
    """Write everything as Markdown."""
    lines = ["# Tasks", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [f"Medians of {rounds} rounds of {tasks:,} tasks of {spaces} spaces. See `benchmarks/README.md`.", ""]
    lines += ["| target | measured | met |", "|---|---|---|"]
    for one in phases:
        is_met = "yes" if one.rate >= A_MINUTE else "**no**"
        lines.append(f"| {one.what}: at least {A_MINUTE:,} a minute | {one.rate:,.0f} | {is_met} |")
    lines += ["", "| tasks | a minute | CPU µs |", "|---|--:|--:|"]
    lines += [f"| {one.what} | {one.rate:,.0f} | {one.cpu:,.0f} |" for one in phases]
    return "\n".join(lines) + "\n"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=20_000)
    parser.add_argument("--spaces", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    machine = _machine.describe(Path(tempfile.gettempdir()))
    load = os.getloadavg()[0]
    phases = median([await measure(given.tasks, given.spaces) for _ in range(given.rounds)])
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, phases, given.rounds, given.tasks, given.spaces)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "tasks.md").write_text(text, "utf-8")
    written = {"machine": machine, "rounds": given.rounds, "tasks": [asdict(one) for one in phases]}
    (given.out / "tasks.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
