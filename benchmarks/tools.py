"""Latency and throughput of the tools, with raw SQLite in the same run as the yardstick.

Every round runs four things: the product with its SQL traced, on one copy of the store; the product measured, on
another; and that very SQL with its parameters through bare apsw, on two more: replayed by one thread that waits for
nobody (`batch`), and group-committed for as many callers as the product had (`raw`). So the yardsticks have the same
statements, parameters, pragmas and durability, and none of the product's Python.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import _corpus
import _machine
import _stores
import apsw

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.stores.executor import Job
from zgadka.stores.tx import Tx

WARM_UP = "warm-up"
DEFAULT, UNLIMITED = "default limits", "no limits"
SETTINGS = {
    DEFAULT: Settings(memory_tool_async=False),
    UNLIMITED: Settings(memory_tool_async=False, calls_per_answer=0, calls_per_hour=0),
}
READ_ONLY = ("recall_facts, all", "recall_facts, query", "recall", "forget, query")


@dataclass(frozen=True)
class Call:
    tool: str
    arguments: dict[str, Any]
    turn: Turn


@dataclass(frozen=True)
class Timing:
    """One phase of one round: `seconds` of wall time and `cpu` seconds for `calls` calls."""

    calls: int
    seconds: float
    cpu: float
    latencies: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Figures:
    """Medians over the rounds; milliseconds, calls a second, microseconds of CPU a call."""

    store: int
    limits: str
    tool: str
    callers: int
    calls: int
    p50: float
    p95: float
    p99: float
    rate: float
    cpu: float
    raw_rate: float
    raw_cpu: float
    batch_rate: float
    batch_cpu: float
    group: float

    @property
    def ratio(self) -> float:
        return self.rate / self.raw_rate

    @property
    def cpu_ratio(self) -> float:
        return self.raw_cpu / self.cpu


class Plan:
    """What one round calls: it adds as many memories as it removes, so that the store keeps its size."""

    def __init__(self, seed: int, people: range, calls: int) -> None:
        self._random = random.Random(seed)
        self._seed = seed
        self._people = people
        self._calls = calls
        self._facts: list[tuple[int, _corpus.Fact, int]] = []
        self._kept: list[tuple[int, _corpus.Fact, int]] = []
        self._notes: list[tuple[int, int]] = []

    def phases(self) -> Iterator[tuple[str, list[Call], Callable[[Sequence[ToolResult]], None]]]:
        """Each phase's name, its calls, and what to do with their answers before the next phase is asked for."""
        yield WARM_UP, self._reading("recall_facts", 20), _expect("success")
        yield "recall_facts, all", self._reading("recall_facts", self._calls), _expect("success")
        yield "recall_facts, query", self._reading("recall_facts", self._calls, "search_query"), _expect("success")
        yield "recall", self._reading("recall", self._calls, "query"), _expect("success")
        yield "forget, query", self._reading("forget", self._calls, "query"), _expect("candidates", "nothing_found")
        yield "remember_fact", self._new_facts(), self._keep_facts
        yield "update_fact", self._updates(), _expect("success")
        yield "merge_facts", self._merges(), _expect("success")
        yield "forget_fact", self._forgotten_facts(), _expect("success")
        yield "remember", self._new_notes(), self._keep_notes
        yield "forget, ask", self._forgotten("ask"), _expect("confirmation_required")
        yield "forget, confirm", self._forgotten("confirm"), _expect("deleted")

    def _call(self, person: int, tool: str, turn: str, **arguments: Any) -> Call:
        if "fact" in tool:
            arguments["user_id"] = person
        return Call(tool, arguments, _stores.turn_of(person, f"{self._seed}-{turn}"))

    def _reading(self, tool: str, calls: int, query: str | None = None) -> list[Call]:
        return [
            self._call(
                self._random.choice(self._people),
                tool,
                f"{tool}-{query}-{calls}-{number}",
                **({} if query is None else {query: _corpus.query(self._random)}),
            )
            for number in range(calls)
        ]

    def _number(self, number: int) -> int:
        """A number that no other value of the store has."""
        return self._seed * 1_000_000 + number

    def _new_facts(self) -> list[Call]:
        planned: list[tuple[int, _corpus.Fact]] = []
        for number in range(0, self._calls, 2):  # two of a kind, which can be merged
            person, one = self._random.choice(self._people), _corpus.fact(self._random, self._number(number))
            other = _corpus.value(self._random, one.key, self._number(number + 1))
            planned += [(person, one), (person, _corpus.Fact(one.type, one.key, other))]
        self._facts = [(person, fact, 0) for person, fact in planned]
        return [
            self._call(
                person,
                "remember_fact",
                f"new-{number}",
                fact_type=fact.type,
                fact_key=fact.key,
                fact_value=fact.value,
                confidence=0.9,
                source_excerpt=f"I said: {fact.value}",
            )
            for number, (person, fact) in enumerate(planned)
        ]

    def _keep_facts(self, results: Sequence[ToolResult]) -> None:
        _expect("success")(results)
        self._facts = [
            (person, fact, result["fact_id"]) for (person, fact, _), result in zip(self._facts, results, strict=True)
        ]

    def _updates(self) -> list[Call]:
        return [
            self._call(
                person,
                "update_fact",
                f"update-{number}",
                fact_type=fact.type,
                fact_key=fact.key,
                fact_id=fact_id,
                new_value=_corpus.value(self._random, fact.key, self._number(2 * self._calls + number)),
                confidence=0.8,
                change_reason="update",
            )
            for number, (person, fact, fact_id) in enumerate(self._facts)
        ]

    def _merges(self) -> list[Call]:
        pairs = list(zip(self._facts[::2], self._facts[1::2], strict=True))
        self._kept = [first for first, _ in pairs]
        return [
            self._call(
                person,
                "merge_facts",
                f"merge-{number}",
                fact_ids=[fact_id, second[2]],
                merged_value=_corpus.value(self._random, fact.key, self._number(4 * self._calls + number)),
                merged_confidence=0.9,
            )
            for number, ((person, fact, fact_id), second) in enumerate(pairs)
        ]

    def _forgotten_facts(self) -> list[Call]:
        return [
            self._call(
                person,
                "forget_fact",
                f"forget-fact-{number}",
                fact_type=fact.type,
                fact_key=fact.key,
                fact_id=fact_id,
                reason="outdated",
            )
            for number, (person, fact, fact_id) in enumerate(self._kept)
        ]

    def _new_notes(self) -> list[Call]:
        self._notes = [(self._random.choice(self._people), 0) for _ in range(self._calls)]
        return [
            self._call(person, "remember", f"note-{number}", content=_corpus.note(self._random, self._number(number)))
            for number, (person, _) in enumerate(self._notes)
        ]

    def _keep_notes(self, results: Sequence[ToolResult]) -> None:
        _expect("success")(results)
        self._notes = [(person, result["memory_id"]) for (person, _), result in zip(self._notes, results, strict=True)]
        # The notes of one person apart: a question about another memory closes the first.
        self._notes = list(dict(self._notes).items())

    def _forgotten(self, turn: str) -> list[Call]:
        return [
            self._call(person, "forget", f"{turn}-{number}", memory_id=note_id)
            for number, (person, note_id) in enumerate(self._notes)
        ]


def _expect(*statuses: str) -> Callable[[Sequence[ToolResult]], None]:
    def check(results: Sequence[ToolResult]) -> None:
        for result in results:
            if result.status not in statuses:
                raise RuntimeError(f"expected {' or '.join(statuses)}, got {result}")

    return check


async def run(memory: Memory, calls: Sequence[Call], callers: int) -> tuple[Timing, list[ToolResult]]:
    """Run the calls; each caller waits for its answer before it makes the next call."""
    left = iter(range(len(calls)))
    results: dict[int, ToolResult] = {}
    latencies: list[float] = []

    async def caller() -> None:
        for number in left:
            call = calls[number]
            asked = time.perf_counter()
            results[number] = await memory.call(call.tool, call.arguments, call.turn)
            latencies.append(time.perf_counter() - asked)

    gc.collect()
    cpu, started = time.process_time(), time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(callers)))
    timing = Timing(len(calls), time.perf_counter() - started, time.process_time() - cpu, sorted(latencies))
    return timing, [results[number] for number in range(len(calls))]


Statement = tuple[str, Any]


@dataclass(frozen=True)
class Commit:
    """What one commit ran: each operation's statements, and those that the store put off to its end."""

    operations: list[list[Statement]] = field(default_factory=list)
    end: list[Statement] = field(default_factory=list)

    @property
    def statements(self) -> Iterator[Statement]:
        return chain(*self.operations, self.end)


class Trace:
    """The SQL of one store's connections, commit by commit."""

    def __init__(self, path: Path) -> None:
        self._path = str(path)
        self._here = threading.local()
        self.clear()

    @contextmanager
    def opened(self) -> Iterator[Trace]:
        perform, here = Job.perform, self._here

        def performing(self: Job, tx: Tx) -> None:
            here.operation = []
            try:
                perform(self, tx)
            finally:
                here.operation = None

        Job.perform = performing
        apsw.connection_hooks.append(self._follow)
        try:
            yield self
        finally:
            apsw.connection_hooks.remove(self._follow)
            Job.perform = perform

    def clear(self) -> None:
        self.writes: list[Commit] = []
        self.reads: list[list[Statement]] = []

    @property
    def group(self) -> float:
        """How many writing operations the product put into one commit, on average."""
        return sum(len(commit.operations) for commit in self.writes) / len(self.writes) if self.writes else 0.0

    def _follow(self, connection: apsw.Connection) -> None:
        if connection.filename != self._path:
            return
        commit, reading = Commit(), list[Statement]()
        read_only = connection.readonly("main")

        def trace(_: apsw.Cursor, sql: str, bindings: Any) -> bool:
            nonlocal commit, reading
            operation: list[Statement] | None = getattr(self._here, "operation", None)
            match sql.split(maxsplit=1)[0]:
                case "COMMIT" | "ROLLBACK":
                    if read_only and reading:
                        self.reads.append(reading)
                    elif commit.operations and sql.startswith("COMMIT"):
                        self.writes.append(commit)
                    commit, reading = Commit(), []
                case "BEGIN" | "PRAGMA" | "SAVEPOINT" | "RELEASE":
                    pass
                case _ if read_only:
                    reading.append((sql, bindings))
                case _ if operation is None:
                    commit.end.append((sql, bindings))
                case _:
                    if not operation:
                        commit.operations.append(operation)
                    operation.append((sql, bindings))
            return True

        connection.exec_trace = trace


class Raw:
    """apsw and nothing else; pragmas as the product's."""

    def __init__(self, path: Path) -> None:
        self._writer = apsw.Connection(str(path), statementcachesize=200)
        self._reader = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=200)
        for connection in (self._writer, self._reader):
            list(connection.execute("PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY"))
        list(self._writer.execute("PRAGMA journal_mode=WAL"))

    def replay(self, trace: Trace, *, calls: int, durable: bool) -> Timing:
        """Run what was traced, with as many operations in a commit as the product had."""
        self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        gc.collect()
        write, read = self._writer.execute, self._reader.execute
        cpu, started = time.process_time(), time.perf_counter()
        for commit in trace.writes:
            write("BEGIN IMMEDIATE")
            for sql, bindings in commit.statements:
                list(write(sql, bindings))
            write("COMMIT")
        for snapshot in trace.reads:
            read("BEGIN")
            for sql, bindings in snapshot:
                list(read(sql, bindings))
            read("ROLLBACK")
        return Timing(calls, time.perf_counter() - started, time.process_time() - cpu)

    async def serve(self, trace: Trace, *, calls: int, callers: int, durable: bool) -> Timing:
        """Run what was traced for so many callers, each waiting for its answer before it asks again.

        Changes are handed to one thread, which puts those that wait into one commit, each in a savepoint of its own,
        as callers that know nothing of each other need. What is only read is handed to another thread.
        """
        self._writer.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        loop = asyncio.get_running_loop()
        changes, looks = SimpleQueue[Any](), SimpleQueue[Any]()
        # What the product put off to a commit's end goes with its operations, in order.
        asked = [
            (changes, operation, commit.end[number :: len(commit.operations)])
            for commit in trace.writes
            for number, operation in enumerate(commit.operations)
        ] + [(looks, snapshot, []) for snapshot in trace.reads]
        left = iter(asked)

        async def caller() -> None:
            for queue, statements, end in left:
                future = loop.create_future()
                queue.put((statements, end, future))
                await future

        def answer(futures: Sequence[asyncio.Future[None]]) -> None:
            for future in futures:
                future.set_result(None)

        def look() -> None:
            run = self._reader.execute
            while (one := looks.get()) is not None:
                run("BEGIN")
                for sql, bindings in one[0]:
                    list(run(sql, bindings))
                run("ROLLBACK")
                loop.call_soon_threadsafe(answer, [one[2]])

        def change() -> None:
            run, is_last = self._writer.execute, False
            while not is_last and (first := changes.get()) is not None:
                waiting = [first]
                while not changes.empty() and not is_last:
                    following = changes.get()
                    is_last = following is None
                    waiting += [following] * (not is_last)
                run("BEGIN IMMEDIATE")
                for statements, _, _ in waiting:
                    run("SAVEPOINT one")
                    for sql, bindings in statements:
                        list(run(sql, bindings))
                    run("RELEASE one")
                for _, end, _ in waiting:
                    for sql, bindings in end:
                        list(run(sql, bindings))
                run("COMMIT")
                loop.call_soon_threadsafe(answer, [one[2] for one in waiting])

        gc.collect()
        threads = [Thread(target=change), Thread(target=look)]
        cpu, started = time.process_time(), time.perf_counter()
        for thread in threads:
            thread.start()
        await asyncio.gather(*(caller() for _ in range(callers)))
        timing = Timing(calls, time.perf_counter() - started, time.process_time() - cpu)
        for queue, thread in zip((changes, looks), threads, strict=True):
            queue.put(None)
            thread.join()
        return timing

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


async def measure(
    store: Path, *, size: int, people: range, limits: str, callers: Sequence[int], rounds: int
) -> list[Figures]:
    """Measure every tool at one store, round by round with the yardstick."""
    traced, measured, served, replayed = (
        _stores.copied(store, name) for name in ("traced", "measured", "served", "replayed")
    )
    settings = SETTINGS[limits]
    timings: dict[tuple[str, int], list[Round]] = {}
    with ExitStack() as stack:
        for copy in (traced, measured, served, replayed):
            stack.callback(_stores.discard, copy)
        trace = stack.enter_context(Trace(traced).opened())
        raw, batch = Raw(served), Raw(replayed)
        stack.callback(raw.close)
        stack.callback(batch.close)
        async with (
            open_memory(f"sqlite:///{traced}", settings=settings) as source,
            open_memory(f"sqlite:///{measured}", settings=settings) as memory,
        ):
            for several in callers:
                for number in range(rounds):
                    _say(f"{size:,} memories, {limits}, {several} callers, round {number + 1} of {rounds}")
                    calls = max(100, 10 * several)
                    seed = 1 + several * 100 + number
                    plans = (Plan(seed, people, calls), Plan(seed, people, calls))
                    for first, second in zip(plans[0].phases(), plans[1].phases(), strict=True):
                        name = first[0]
                        trace.clear()
                        first[2]((await run(source, first[1], several))[1])
                        timing, results = await run(memory, second[1], several)
                        second[2](results)
                        how = {"calls": timing.calls, "durable": name not in {*READ_ONLY[:3], WARM_UP}}
                        alone = batch.replay(trace, **how)
                        asked = await raw.serve(trace, callers=several, **how)
                        timings.setdefault((name, several), []).append(Round(timing, asked, alone, trace.group))
    return [
        _figures(size, limits, name, several, found) for (name, several), found in timings.items() if name != WARM_UP
    ]


@dataclass(frozen=True)
class Round:
    """One phase of one round: the product, the two yardsticks, and the operations in a commit."""

    product: Timing
    raw: Timing
    batch: Timing
    group: float


def _figures(size: int, limits: str, name: str, callers: int, rounds: Sequence[Round]) -> Figures:
    def latency(percent: int) -> float:
        return statistics.median(percentile(one.product.latencies, percent) for one in rounds)

    def rate(timings: Iterable[Timing]) -> float:
        return statistics.median(one.calls / one.seconds for one in timings)

    def cpu(timings: Iterable[Timing]) -> float:
        return statistics.median(one.cpu / one.calls * 1e6 for one in timings)

    product, raw, batch = ([getattr(one, name) for one in rounds] for name in ("product", "raw", "batch"))
    return Figures(
        store=size,
        limits=limits,
        tool=name,
        callers=callers,
        calls=sum(one.calls for one in product),
        p50=latency(50),
        p95=latency(95),
        p99=latency(99),
        rate=rate(product),
        cpu=cpu(product),
        raw_rate=rate(raw),
        raw_cpu=cpu(raw),
        batch_rate=rate(batch),
        batch_cpu=cpu(batch),
        group=statistics.median(one.group for one in rounds),
    )


def percentile(ordered: Sequence[float], percent: int) -> float:
    """In milliseconds: the least latency that `percent` of all do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] * 1000


@dataclass(frozen=True)
class Growth:
    """One caller's recall_facts in two stores; milliseconds, microseconds of CPU."""

    people: str
    tool: str
    sizes: tuple[int, int]
    memories: tuple[int, int]
    p95: tuple[float, float]
    cpu: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.p95[1] / self.p95[0]


async def measure_growth(stores: dict[int, Path], people: int, rounds: int) -> list[Growth]:
    """Measure one person's recall_facts while the store grows; the two stores take turns."""
    small, large = sorted(stores)
    copies = {size: _stores.copied(path, f"growth-{size}") for size, path in stores.items()}
    found: list[Growth] = []
    with ExitStack() as stack:
        for copy in copies.values():
            stack.callback(_stores.discard, copy)
        async with (
            open_memory(f"sqlite:///{copies[small]}", settings=SETTINGS[DEFAULT]) as one,
            open_memory(f"sqlite:///{copies[large]}", settings=SETTINGS[DEFAULT]) as other,
        ):
            for fixed in (True, False):
                who = _stores.fixed_people if fixed else _stores.growing_people
                for query in (None, "search_query"):
                    timings: dict[int, list[Timing]] = {small: [], large: []}
                    for number in range(2 * rounds + 1):
                        _say(f"growth, fixed: {fixed}, query: {query}, round {number + 1} of {2 * rounds + 1}")
                        for size, memory in ((small, one), (large, other)):
                            plan = Plan(9_000 + number + 100 * fixed, who(size, people), 200)
                            calls = plan._reading("recall_facts", 200, query)  # noqa: SLF001
                            timing, results = await run(memory, calls, 1)
                            _expect("success")(results)
                            if number:  # the first round warms up
                                timings[size].append(timing)

                    def median(of: Callable[[Timing], float], timings: dict[int, list[Timing]] = timings) -> Any:
                        return tuple(statistics.median(map(of, timings[size])) for size in (small, large))

                    found.append(
                        Growth(
                            people="the same memories, only others' grow" if fixed else "everyone's memories grow",
                            tool="recall_facts, " + ("query" if query else "all"),
                            sizes=(small, large),
                            memories=tuple(_held(size, people, fixed) for size in (small, large)),  # pyright: ignore[reportArgumentType]
                            p95=median(lambda timing: percentile(timing.latencies, 95)),
                            cpu=median(lambda timing: timing.cpu / timing.calls * 1e6),
                        )
                    )
    return found


def _held(size: int, people: int, fixed: bool) -> int:
    if fixed:
        return _stores.FIXED_MEMORIES
    others = size - len(_stores.fixed_people(size, people)) * _stores.FIXED_MEMORIES
    return round(others / len(_stores.growing_people(size, people)))


def report(machine: dict[str, str], figures: Sequence[Figures], growth: Sequence[Growth], rounds: int) -> str:
    """Write everything as Markdown."""
    lines = ["# Tools", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        f"Medians of {rounds} rounds. Every caller waits for its answer before it calls again; every change is on disk",
        "before it is answered (WAL, `synchronous=FULL`, `secure_delete`). Every call has a turn of its own. `raw` is",
        "the SQL of these very calls, with its parameters, through bare apsw: the same statements and pragmas,",
        "group-committed by one thread for as many callers. `ratio` is the product's rate to raw's, `CPU ratio` raw's",
        "CPU time to the product's: on a busy machine the steadier of the two. `batch` is the same SQL from a list,",
        "with as many operations in a commit as the product had (`group`), but without savepoints and without anybody",
        "who asks or waits: a bound that no store with callers can reach. CPU is of the whole process. See",
        "`benchmarks/README.md`.",
        "",
        *_targets(figures, growth),
    ]
    for limits in SETTINGS:
        for size in sorted({one.store for one in figures if one.limits == limits}):
            lines += ["", f"## {size:,} memories, {limits}", ""]
            lines += [
                _HEAD,
                "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
            ]
            lines += [
                f"| {one.tool} | {one.callers} | {one.p50:.2f} | {one.p95:.2f} | {one.p99:.2f} | {one.rate:,.0f} | "
                f"{one.cpu:,.0f} | {one.raw_rate:,.0f} | {one.raw_cpu:,.0f} | {one.ratio:.2f} | {one.cpu_ratio:.2f} "
                f"| {one.batch_rate:,.0f} | {one.batch_cpu:,.0f} | {one.group:.1f} |"
                for one in figures
                if (one.store, one.limits) == (size, limits)
            ]
    if growth:
        small, large = growth[0].sizes
        lines += ["", f"## One person's recall_facts, {small:,} and {large:,} memories", ""]
        lines += [
            "One caller; the two stores take turns.",
            "",
            "| who | tool | that person's memories | p95 ms | ratio | CPU µs |",
            "|---|---|--:|--:|--:|--:|",
        ]
        lines += [
            f"| {one.people} | {one.tool} | {one.memories[0]} → {one.memories[1]:,} | {one.p95[0]:.2f} → "
            f"{one.p95[1]:.2f} | {one.ratio:.2f} | {one.cpu[0]:,.0f} → {one.cpu[1]:,.0f} |"
            for one in growth
        ]
    return "\n".join(lines) + "\n"


_HEAD = (
    "| tool | callers | p50 ms | p95 ms | p99 ms | calls/s | CPU µs | raw/s | raw CPU µs | ratio | CPU ratio "
    "| batch/s | batch CPU µs | group |"
)


def _targets(figures: Sequence[Figures], growth: Sequence[Growth]) -> list[str]:
    defaults = [one for one in figures if one.limits == DEFAULT]
    lines = ["| target | measured | met |", "|---|---|---|"]
    for one in defaults:
        if one.tool == "remember_fact" and one.callers == max(other.callers for other in defaults):
            claim = f"remember_fact, {one.callers} callers, {one.store:,} memories: at least 0.5 of raw"
            measured = f"{one.ratio:.2f} (CPU {one.cpu_ratio:.2f}; of batch {one.rate / one.batch_rate:.2f})"
            lines.append(f"| {claim} | {measured} | {_met(one.ratio >= 0.5)} |")
    for one in growth:
        if one.people.startswith("the same"):
            claim = f"p95 of {one.tool} at {one.sizes[1]:,} at most 2 × that at {one.sizes[0]:,}"
            lines.append(f"| {claim} | {one.ratio:.2f} | {_met(one.ratio <= 2)} |")
    single = [one for one in defaults if one.callers == 1]
    if single:
        worst = max(single, key=lambda one: one.p95)
        said = f"{worst.p95:.2f} ms ({worst.tool}, {worst.store:,} memories)"
        lines.append(f"| one caller: no tool's p95 above 10 ms | {said} | {_met(worst.p95 <= 10)} |")
    return lines


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _say(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.replace("_", "").split(",")]


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--sizes", type=_numbers, default=[1_000, 100_000, 1_000_000])
    parser.add_argument("--callers", type=_numbers, default=[1, 10, 100])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--unlimited", type=int, default=100_000, help="the store that is also measured without limits")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    machine = _machine.describe(_stores.folder())
    load = os.getloadavg()[0]
    figures: list[Figures] = []
    for size in given.sizes:
        store = await _stores.filled(size, given.people)
        for limits in (DEFAULT, UNLIMITED) if size == given.unlimited else (DEFAULT,):
            figures += await measure(
                store,
                size=size,
                people=_stores.growing_people(size, given.people),
                limits=limits,
                callers=given.callers,
                rounds=given.rounds,
            )
    growth: list[Growth] = []
    if max(given.sizes) > 10_000:
        pair = {size: await _stores.filled(size, given.people) for size in (10_000, max(given.sizes))}
        growth = await measure_growth(pair, given.people, given.rounds)
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, figures, growth, given.rounds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "tools.md").write_text(text, "utf-8")
    written = {
        "machine": machine,
        "rounds": given.rounds,
        "tools": [asdict(one) | {"ratio": one.ratio, "cpu_ratio": one.cpu_ratio} for one in figures],
        "growth": [asdict(one) | {"ratio": one.ratio} for one in growth],
    }
    (given.out / "tools.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    _say("")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
