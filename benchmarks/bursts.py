"""Thousands of calls at once, from one process and from sixteen: what is busy, lost or done twice, and how long."""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _machine
import _stores

from zgadka import Memory, Settings, open_memory
from zgadka.ops.access import ensure_space, ensure_speaker
from zgadka.stores.tx import Tx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from postgres_server import PostgresServer

PEOPLE = 1_000
_WARM_UP = 20
"""Calls that a process makes before, at once: it has its connections then, as one that has run for some days."""


@dataclass(frozen=True)
class Burst:
    """What came of a burst.

    Attributes:
        p50: Seconds until a call was answered; `p95` and `longest` as well.
        done: Seconds until everything that was queued was done.
        lost: Calls that were told `success` or `queued`, and whose note is not there.
        twice: Notes that are there more than once.
        uncalled: Notes of calls that were told `busy`.
    """

    store: str
    processes: int
    calls: int
    answers: dict[str, int]
    p50: float
    p95: float
    longest: float
    done: float
    lost: int
    twice: int
    uncalled: int


async def _answer(memory: Memory, number: int, started: float) -> tuple[str, float]:
    turn = _stores.turn_of(1 + number % PEOPLE, f"burst-{number}")
    result = await memory.call("remember", {"content": _content(number)}, turn)
    return result.status, time.perf_counter() - started


def _content(number: int) -> str:
    return f"note {number} of this burst"


async def _call_share(url: str, numbers: Sequence[int], settings: Settings) -> None:
    """Wait for a line on standard input, make all the calls, print what each was answered; end with the input."""
    async with open_memory(url, settings=settings) as memory:
        await asyncio.gather(*(_answer(memory, -1 - number, 0.0) for number in numbers[:_WARM_UP]))
        while await memory.look(lambda tx: tx.tasks.count_waiting()):  # noqa: ASYNC110  (only the rows know)
            await asyncio.sleep(0.02)
        print("ready", flush=True)
        sys.stdin.readline()
        started = time.perf_counter()
        answers = await asyncio.gather(*(_answer(memory, number, started) for number in numbers))
        print(json.dumps(answers), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)  # its worker goes on meanwhile


def measure(store: str, url: str, processes: int, calls: int, queue: int) -> Burst:
    """Have the processes make the calls at the same moment, then look for what they say they did."""
    print(f"{store}: {calls:,} calls, {processes} processes", file=sys.stderr)
    asyncio.run(_with(url, _meet))
    command = [sys.executable, __file__, "--url", url, "--queue", str(queue), "--calls", str(calls)]
    programs = [
        subprocess.Popen(
            [*command, "--share", f"{place}/{processes}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for place in range(processes)
    ]
    for program in programs:
        _line_of(program)
    started = time.perf_counter()
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    shares = [json.loads(_line_of(program)) for program in programs]
    answers: dict[int, tuple[str, float]] = {}
    for place, share in enumerate(shares):
        answers |= dict(zip(range(place, calls, processes), share, strict=True))
    held = asyncio.run(_with(url, _contents, wait=True))
    done = time.perf_counter() - started
    for program in programs:
        program.communicate()
    taken = {_content(number) for number, (status, _) in answers.items() if status in ("success", "queued")}
    refused = {_content(number) for number in answers} - taken
    seconds = sorted(taken_seconds for _, taken_seconds in answers.values())
    return Burst(
        store=store,
        processes=processes,
        calls=calls,
        answers=dict(Counter(status for status, _ in answers.values())),
        p50=seconds[len(seconds) // 2],
        p95=seconds[len(seconds) * 95 // 100],
        longest=seconds[-1],
        done=done,
        lost=len(taken - set(held)),
        twice=sum(count > 1 for count in held.values()),
        uncalled=len(refused & set(held)),
    )


def _line_of(program: subprocess.Popen[str]) -> str:
    assert program.stdout is not None
    line = program.stdout.readline()
    if not line:
        raise RuntimeError("a process of the burst ended before it answered")
    return line


async def _with(url: str, look: Any, *, wait: bool = False) -> Any:
    """What a look tells, perhaps once nothing waits any more."""
    async with open_memory(url, settings=Settings(background=False, memory_tool_async=False)) as memory:
        while wait and await memory.look(lambda tx: tx.tasks.count_waiting()):  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # only the rows know
        return await (memory.look if wait else memory.apply)(look)


def _meet(tx: Tx) -> None:
    """Everybody who calls is known already, as in a bot that has run for some days."""
    for person in range(1, PEOPLE + 1):
        turn = _stores.turn_of(person)
        ensure_speaker(tx, turn)
        ensure_space(tx, turn)


def _contents(tx: Tx) -> Counter[str]:
    return Counter(memory.content for owner in tx.owners.list() for memory in tx.memories.list_all(owner.id))


@contextmanager
def _stores_of(kinds: Sequence[str]) -> Generator[Any]:
    server = PostgresServer(durable=True) if "postgres" in kinds else None
    made: list[Path] = []

    def new(kind: str) -> str:
        if kind == "sqlite":
            made.append(_stores.folder() / f"bursts-{len(made)}.db")
            _stores.discard(made[-1])
            return f"sqlite:///{made[-1]}"
        assert server is not None
        server.empty_databases()
        return server.database_for(_stores.folder() / f"bursts-{time.perf_counter()}")

    try:
        yield new
    finally:
        for path in made:
            _stores.discard(path)
        if server is not None:
            server.remove()


def report(machine: dict[str, str], bursts: Sequence[Burst], queue: int) -> str:
    """Write everything as Markdown."""
    lines = ["# Bursts", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        f"`remember` by {PEOPLE:,} people whom the store knows, all calls at once; the queue holds {queue:,}.",
        "Seconds. `lost`, `twice` and `though busy` are counted in the store once nothing waits any more.",
        "See `benchmarks/README.md`.",
        "",
        "| store | processes | calls | answers | p50 | p95 | longest | all done | lost | twice | though busy |",
        "|---|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for burst in bursts:
        answers = ", ".join(f"{count:,} {status}" for status, count in sorted(burst.answers.items()))
        lines.append(
            f"| {burst.store} | {burst.processes} | {burst.calls:,} | {answers} | {burst.p50:.2f} | {burst.p95:.2f} | "
            f"{burst.longest:.2f} | {burst.done:.2f} | {burst.lost} | {burst.twice} | {burst.uncalled} |"
        )
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make bursts, and write what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", default="1000,3000,10000")
    parser.add_argument("--processes", default="1,16")
    parser.add_argument("--stores", default="sqlite,postgres")
    parser.add_argument("--queue", type=int, default=Settings().memory_tool_queue_size)
    parser.add_argument("--note", help="what should be known about this run")
    parser.add_argument("--keep", action="store_true", help="write benchmarks/results/bursts.md")
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--share", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.share:
        place, processes = map(int, options.share.split("/"))
        numbers = range(place, int(options.calls), processes)
        asyncio.run(_call_share(options.url, numbers, Settings(memory_tool_queue_size=options.queue)))
        return
    kinds = options.stores.split(",")
    bursts: list[Burst] = []
    machine = _machine.describe(_stores.folder()) | ({"note": options.note} if options.note else {})
    with _stores_of(kinds) as new:
        for kind in kinds:
            for processes in map(int, options.processes.split(",")):
                for calls in map(int, options.calls.split(",")):
                    bursts.append(measure(kind, new(kind), processes, calls, options.queue))
                    print(asdict(bursts[-1]), file=sys.stderr)
    text = report(machine, bursts, options.queue)
    print(text)
    if options.keep:
        (_machine.ROOT / "benchmarks" / "results" / "bursts.md").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
