"""What a process bears: 100 callers beside its event loop, 10,000 calls at once; and bytes a memory."""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _corpus
import _machine
import _stores
import apsw
import recall
import tools

from zgadka import Memory, Settings, ToolResult, open_memory
from zgadka.stores.tx import Tx

CALLERS = 100
TICK = 0.001
GAP_MS, SECONDS, MEGABYTES, FACT_BYTES = 20.0, 0.4, 65.0, 2048
IDLE, WORDS, MEANING = "nobody calls", "words", "words and meaning"


@dataclass(frozen=True)
class Loop:
    """How late a task was that asks to be woken after a millisecond; medians over the rounds, in milliseconds.

    Attributes:
        rate: Calls a second, half of them `remember_fact`, half `recall`.
    """

    way: str
    ticks: int
    p50: float
    p95: float
    p99: float
    longest: float
    rate: float
    answers: dict[str, int]


class Caller:
    """Writes and reads by turns as random people."""

    def __init__(self, memory: Memory, people: range, seed: int) -> None:
        self._memory = memory
        self._people = people
        self._seed = seed
        self._chance = random.Random(seed)
        self._made = 0

    async def call(self) -> ToolResult:
        """Make the next call."""
        self._made += 1
        person = self._chance.choice(self._people)
        turn = _stores.turn_of(person, f"load-{self._seed}-{self._made}")
        if self._made % 2:
            return await self._memory.call("recall", {"query": _corpus.typical_query(self._chance)}, turn)
        return await remember(self._memory, person, turn, _corpus.fact(self._chance, self._seed * 100_000 + self._made))


async def remember(memory: Memory, person: int, turn: Any, fact: _corpus.Fact) -> ToolResult:
    """Remember a fact of the speaker."""
    arguments = {
        "user_id": person,
        "fact_type": fact.type,
        "fact_key": fact.key,
        "fact_value": fact.value,
        "confidence": 0.9,
    }
    return await memory.call("remember_fact", arguments, turn)


async def measure_loop(store: Path, people: range, way: str, seconds: float, rounds: int) -> Loop:
    """Tick while the callers call, each as soon as it was answered; what runs in the background runs."""
    embedder = _stores.SeededEmbedder() if way == MEANING else None
    answers: Counter[str] = Counter()
    found: list[list[float]] = []
    rates: list[float] = []
    with _stores.copy_of(store, "loop") as copy:
        async with open_memory(f"sqlite:///{copy}", settings=Settings(), embedder=embedder) as memory:
            await memory.embed()
            for number in range(rounds + 1):  # the first warms up
                _say(f"event loop, {way}, round {number} of {rounds}")
                gaps, calls = await _tick_while_called(memory, people, way, number, seconds if number else seconds / 2)
                if number:
                    found.append(gaps)
                    rates.append(sum(calls.values()) / seconds)
                    answers += calls

    def median(percent: int) -> float:
        return statistics.median(tools.percentile(gaps, percent) for gaps in found)

    return Loop(
        way=way,
        ticks=sum(map(len, found)),
        p50=median(50),
        p95=median(95),
        p99=median(99),
        longest=max(gaps[-1] for gaps in found) * 1000,
        rate=statistics.median(rates),
        answers=dict(answers),
    )


async def _tick_while_called(
    memory: Memory, people: range, way: str, number: int, seconds: float
) -> tuple[list[float], Counter[str]]:
    ends = time.perf_counter() + seconds
    answers: Counter[str] = Counter()
    gaps: list[float] = []

    async def caller(place: int) -> None:
        its = Caller(memory, people, 1 + place + CALLERS * number)
        while time.perf_counter() < ends:
            answers[(await its.call()).status] += 1

    async def tick() -> None:
        last = time.perf_counter()
        while last < ends:
            await asyncio.sleep(TICK)
            now = time.perf_counter()
            gaps.append(max(0.0, now - last - TICK))
            last = now

    gc.collect()
    await asyncio.gather(tick(), *(caller(place) for place in range(0 if way == IDLE else CALLERS)))
    return sorted(gaps), answers


@dataclass(frozen=True)
class AtOnce:
    """So many calls at once.

    Attributes:
        way: Whether calls that cannot begin in time are put in line.
        seconds: Until the last was answered.
        done: Until the last that was put in line was done.
        lost: Calls that were acknowledged, and whose fact is not in the store afterwards.
        uncalled: Facts in the store of calls that were told that nothing was changed.
    """

    way: str
    calls: int
    answers: dict[str, int]
    seconds: float
    done: float
    lost: int
    uncalled: int


async def measure_at_once(store: Path, people: range, calls: int, *, queue: bool) -> AtOnce:
    """Make all the calls at once, then look for what they say they did."""
    _say(f"{calls:,} calls at once, queue: {queue}")
    with _stores.copy_of(store, "at-once") as copy:
        async with open_memory(f"sqlite:///{copy}", settings=Settings(memory_tool_async=queue)) as memory:
            chance = random.Random(1)
            facts = [_corpus.fact(chance, 1_000_000_000 + number) for number in range(calls)]
            asked = [(people[number % len(people)], fact) for number, fact in enumerate(facts)]
            started = time.perf_counter()
            results = await asyncio.gather(
                *(
                    remember(memory, person, _stores.turn_of(person, f"at-once-{number}"), fact)
                    for number, (person, fact) in enumerate(asked)
                )
            )
            seconds = time.perf_counter() - started
            while await memory.look(lambda tx: tx.tasks.count_waiting()):  # noqa: ASYNC110  (only the rows know)
                await asyncio.sleep(0.01)
            done = time.perf_counter() - started
            held = await memory.look(_contents)
    taken = {fact.value for (_, fact), result in zip(asked, results, strict=True) if _is_acknowledged(result)}
    refused = {fact.value for _, fact in asked} - taken
    return AtOnce(
        way="put in line after 200 ms" if queue else "every call waits",
        calls=calls,
        answers=dict(Counter(result.status for result in results)),
        seconds=seconds,
        done=done,
        lost=len(taken - held),
        uncalled=len(refused & held),
    )


def _is_acknowledged(result: ToolResult) -> bool:
    if result.status not in ("success", "queued", "busy"):
        raise RuntimeError(f"expected success, queued or busy, got {result}")
    return result.status != "busy"


def _contents(tx: Tx) -> set[str]:
    return {one.content for owner in tx.owners.list() for one in tx.memories.list_all(owner.id)}


@dataclass(frozen=True)
class Size:
    """Bytes of a store's file, and of a process that uses it, of which 64 MB are for its indexes.

    Attributes:
        parts: Bytes a memory by table, indexes included.
        first: Resident once the first question was answered, `seconds` after the process was started.
        used: Resident after 1,000 people asked three times each; `peak` at most.
    """

    memories: int
    vectors: int
    disk: int
    parts: dict[str, float]
    seconds: float
    first: int
    used: int
    peak: int

    @property
    def each(self) -> float:
        return self.disk / self.memories


def measure_size(store: Path, people: int, rounds: int) -> Size:
    """Measure a store's file, and processes that answer from a copy of it."""
    _say(f"bytes of {store.name}")
    connection = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        memories = connection.execute("SELECT count(*) FROM memory").get
        vectors = connection.execute("SELECT count(*) FROM vector").get
        pages = connection.execute(_PARTS).fetchall()
    finally:
        connection.close()
    with _stores.copy_of(store, "size") as copy:
        runs = [_footprint(copy, people) for _ in range(rounds)]
    median = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    return Size(
        memories=memories,
        vectors=vectors,
        disk=store.stat().st_size,
        parts={str(name): size / memories for name, size in pages},
        seconds=median["seconds"],
        first=round(median["first"]),
        used=round(median["used"]),
        peak=round(median["peak"]),
    )


_PARTS = """
SELECT CASE WHEN s.tbl_name LIKE 'memory\\_index%' ESCAPE '\\' THEN 'full-text index' ELSE s.tbl_name END AS part,
    sum(d.pgsize)
FROM dbstat d JOIN sqlite_schema s ON s.name = d.name GROUP BY part ORDER BY 2 DESC
"""


def _footprint(store: Path, people: int) -> dict[str, float]:
    program = Path(__file__).with_name("_footprint.py")
    command = [sys.executable, str(program), str(store), repr(time.time()), str(people)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def report(
    machine: dict[str, str], loops: Sequence[Loop], at_once: Sequence[AtOnce], sizes: Sequence[Size], rounds: int
) -> str:
    """Write everything as Markdown."""
    most = min(100_000, max(one.memories for one in sizes))
    lines = ["# Load", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += ["See `benchmarks/README.md`.", "", *_targets(loops, at_once, sizes), ""]
    lines += [
        "## The event loop",
        "",
        f"How late a task comes round that sleeps for a millisecond, while {CALLERS} callers write and read",
        f"by turns at {most:,} memories, each as soon as it was answered. Medians of {rounds} rounds' percentiles,",
        "in milliseconds; the longest of all rounds.",
        "",
        "| recall by | p50 | p95 | p99 | longest | calls/s | answers |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    lines += [
        f"| {one.way} | {one.p50:.2f} | {one.p95:.2f} | {one.p99:.2f} | {one.longest:.1f} | {one.rate:,.0f} | "
        f"{_counts(one.answers)} |"
        for one in loops
    ]
    lines += [
        "",
        "## Calls at once",
        "",
        "`remember_fact` by 1,000 people. Afterwards every fact that was acknowledged is looked for in the store, and",
        "every one whose call was told `busy`.",
        "",
        "| settings | calls | answers | all answered after s | all done after s | lost | done though told no |",
        "|---|--:|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.way} | {one.calls:,} | {_counts(one.answers)} | {one.seconds:.2f} | {one.done:.2f} | {one.lost} | "
        f"{one.uncalled} |"
        for one in at_once
    ]
    lines += [
        "",
        "## Disk and memory",
        "",
        "The stores of `tools`, and one of `recall` that has a vector of 384 numbers for each memory. `first`:",
        "resident when a new process has answered its first question, `after`: so long after it was started; `used`:",
        "after 1,000 people asked three times each (700 of those with vectors), with 64 MB for indexes.",
        "",
        "| memories | vectors | file MB | bytes a memory | first MB | after s | used MB | most MB |",
        "|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.memories:,} | {one.vectors:,} | {one.disk / 1e6:,.1f} | {one.each:,.0f} | {one.first / 1e6:.0f} | "
        f"{one.seconds:.2f} | {one.used / 1e6:.0f} | {one.peak / 1e6:.0f} |"
        for one in sizes
    ]
    lines += ["", "Bytes a memory by table, with the table's indexes:", ""]
    lines += [
        f"- {one.memories:,} memories{', vectors' if one.vectors else ''}: "
        + ", ".join(f"{name} {size:,.0f}" for name, size in one.parts.items() if size >= 1)
        for one in sizes
    ]
    return "\n".join(lines) + "\n"


def _counts(answers: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {status}" for status, count in sorted(answers.items())) or "none"


def _targets(loops: Sequence[Loop], at_once: Sequence[AtOnce], sizes: Sequence[Size]) -> list[str]:
    lines = ["| target | measured | met |", "|---|---|---|"]
    for one in loops:
        if one.way != IDLE:
            claim = f"{CALLERS} callers write and read, {one.way}: the event loop is free within {GAP_MS:.0f} ms at p99"
            lines.append(f"| {claim} | {one.p99:.1f} ms (longest {one.longest:.0f}) | {_met(one.p99 <= GAP_MS)} |")
    for one in at_once:
        answered = sum(one.answers.values())
        claim = f"{one.calls:,} calls at once, {one.way}: all answered, none lost"
        said = f"{answered:,} answered, {one.lost} lost, {one.uncalled} done though told no"
        lines.append(f"| {claim} | {said} | {_met(answered == one.calls and not one.lost and not one.uncalled)} |")
    for one in sizes:
        if one.vectors:
            claim = f"a fact with its vector, {one.memories:,} memories: at most {FACT_BYTES:,} bytes"
            lines.append(f"| {claim} | {one.each:,.0f} | {_met(one.each <= FACT_BYTES)} |")
        claim = f"from process start to the first answer, {one.memories:,} memories: at most {SECONDS} s and "
        said = f"{one.seconds:.2f} s, {one.first / 1e6:.0f} MB"
        is_met = one.seconds <= SECONDS and one.first <= MEGABYTES * 1e6
        lines.append(f"| {claim}{MEGABYTES:.0f} MB | {said} | {_met(is_met)} |")
    return lines


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _say(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=tools._numbers, default=[100_000, 1_000_000])  # noqa: SLF001
    parser.add_argument("--seconds", type=float, default=8.0, help="of each round in which the event loop is watched")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=10_000, help="so many at once")
    parser.add_argument("--quick", action="store_true", help="small stores, one round, less than a minute")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    if given.quick:
        given.sizes, given.seconds, given.rounds, given.calls = [1_000, 10_000], 1.0, 1, 1_000
    machine = _machine.describe(_stores.folder())
    load = os.getloadavg()[0]
    people, most = 1_000, min(100_000, max(given.sizes))
    stores = {size: await _stores.filled(size, people) for size in given.sizes}
    fitting = recall._fitting([100, 2_000, 20_000], most)  # noqa: SLF001  (the store that `recall` has already)
    with_vectors = await _stores.filled_for_recall(most, fitting, ())
    everybody = _stores.growing_people(most, people)
    measured = [person for having in fitting for person in _stores.recallers(having, fitting)]
    others = range(len(measured) + 1, len(measured) + 1 + (most // 200))  # with 100 memories each
    loops = [
        await measure_loop(stores[most], everybody, IDLE, given.seconds, given.rounds),
        await measure_loop(stores[most], everybody, WORDS, given.seconds, given.rounds),
        await measure_loop(with_vectors, others, MEANING, given.seconds, given.rounds),
    ]
    at_once = [await measure_at_once(stores[most], everybody, given.calls, queue=queue) for queue in (False, True)]
    sizes = [measure_size(store, min(people, size // 10), given.rounds) for size, store in stores.items()]
    sizes.append(measure_size(with_vectors, 100 if given.quick else 700, given.rounds))
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, loops, at_once, sizes, given.rounds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "load.md").write_text(text, "utf-8")
    written = {
        "machine": machine,
        "rounds": given.rounds,
        "loop": [asdict(one) for one in loops],
        "at_once": [asdict(one) for one in at_once],
        "size": [asdict(one) | {"each": one.each} for one in sizes],
    }
    (given.out / "load.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    _say("")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
