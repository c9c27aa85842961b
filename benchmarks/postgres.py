"""Latency and throughput of the tools on PostgreSQL, with their raw statements in the same run as the yardstick.

Each phase runs twice: by the product, on one database, while its statements are noted; and as these very statements
with their parameters, on a copy, by as many threads with a connection each as the product used. The server waits for
the disk. Databases are filled with `zgadka migrate --from … --to …`.
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
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _corpus
import _machine
import _stores
import psycopg
import tools
from psycopg import errors

from zgadka import Settings, open_memory
from zgadka.assemble import move
from zgadka.model.backup import Moved
from zgadka.stores.postgres.session import SCHEMA, Session

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from postgres_server import PostgresServer

SETTINGS = Settings(memory_tool_async=False, background=False)
SERVER = ("-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "autovacuum=on")
FLAT = 2.0
RECALLS = 200


@dataclass
class Noted:
    """One transaction of the product's.

    Attributes:
        durable: Whether its commit waits for the disk.
        kept: Whether it was committed.
    """

    durable: bool
    statements: list[tuple[str, Sequence[Any]]]
    kept: bool = False

    @property
    def is_change(self) -> bool:
        return self.kept and any("FOR UPDATE" in text for text, _ in self.statements)


@dataclass(frozen=True)
class Figures:
    """Medians over the rounds; milliseconds, calls a second, microseconds of the program's CPU a call.

    Attributes:
        group: How many calls the product put into one commit, on average; 0 where nothing was written.
        statements: How many statements a call took.
        failed: How many of the yardstick's transactions met another's lock, of all rounds.
    """

    store: int
    tool: str
    callers: int
    p50: float
    p95: float
    p99: float
    rate: float
    cpu: float
    raw_rate: float
    group: float
    statements: float
    failed: int

    @property
    def ratio(self) -> float:
        return self.rate / self.raw_rate


@dataclass(frozen=True)
class Recall:
    """One caller's recall of people who have 20 memories each, in milliseconds: medians of the rounds' percentiles."""

    store: int
    p50: float
    p95: float


@dataclass(frozen=True)
class Fill:
    """How long a move from SQLite took, and how large the database is then."""

    store: int
    rows: int
    seconds: float
    megabytes: float


class Trace:
    """The statements of the product's transactions, by connection."""

    def __init__(self) -> None:
        self._open: dict[Session, Noted] = {}
        self._undurable: set[Session] = set()
        self.done: defaultdict[Session, list[Noted]] = defaultdict(list)

    @contextmanager
    def on(self) -> Generator[None]:
        """Note what all sessions do."""
        names = ("__init__", "begin_writing", "begin_reading", "_send", "commit", "end", "rollback_if_open")
        before = {name: getattr(Session, name) for name in names}

        def init(session: Session, *given: Any, durable: bool = True) -> None:
            before["__init__"](session, *given, durable=durable)
            if not durable:
                self._undurable.add(session)

        def begin_writing(session: Session, *, durable: bool) -> None:
            self._open[session] = Noted(durable, [])
            before["begin_writing"](session, durable=durable)

        def begin_reading(session: Session) -> None:
            self._open[session] = Noted(False, [])
            before["begin_reading"](session)

        def send(session: Session) -> None:
            # What has no parameters begins and ends transactions.
            sent = [(each.text, each.values) for each in session._waiting if each.values is not None]  # noqa: SLF001
            if (current := self._open.get(session)) is not None:
                current.statements += sent
            elif sent:  # a transaction of its own
                self.done[session].append(Noted(session not in self._undurable, sent, kept=True))
            before["_send"](session)

        def commit(session: Session) -> None:
            before["commit"](session)
            noted = self._open.pop(session)
            noted.kept = True
            self.done[session].append(noted)

        def end(session: Session) -> None:
            if (noted := self._open.pop(session, None)) is not None:
                noted.kept = True
                self.done[session].append(noted)
            before["end"](session)

        def rollback_if_open(session: Session) -> None:
            if (noted := self._open.pop(session, None)) is not None:
                self.done[session].append(noted)
            before["rollback_if_open"](session)

        changed = (init, begin_writing, begin_reading, send, commit, end, rollback_if_open)
        for name, change in zip(names, changed, strict=True):
            setattr(Session, name, change)
        try:
            yield
        finally:
            for name, original in before.items():
                setattr(Session, name, original)

    def take(self) -> list[list[Noted]]:
        """What was noted since, by connection."""
        done, self.done = list(self.done.values()), defaultdict(list)
        return done


class Raw:
    """psycopg and nothing else: prepared statements, binary results, a thread for each connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connections: list[psycopg.Connection[Any]] = []
        self.failed = 0
        self._errors: list[BaseException] = []

    def replay(self, noted: Sequence[Sequence[Noted]]) -> float:
        """Run what was noted; returns the seconds it took."""
        while len(self._connections) < len(noted):
            connection = psycopg.connect(self._url, autocommit=True, cursor_factory=psycopg.RawCursor)
            connection.execute(f"SET search_path = {SCHEMA}, public".encode())
            self._connections.append(connection)
        gc.collect()
        threads = [
            threading.Thread(target=self._attempt, args=(connection, transactions))
            for connection, transactions in zip(self._connections, noted, strict=False)
        ]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.perf_counter() - started
        if self._errors:
            raise self._errors[0]
        return seconds

    def close(self) -> None:
        for connection in self._connections:
            connection.close()

    def _attempt(self, connection: psycopg.Connection[Any], transactions: Sequence[Noted]) -> None:
        try:
            self._run(connection, transactions)
        except BaseException as error:  # noqa: BLE001  (raised by whoever waits for the thread)
            self._errors.append(error)

    def _run(self, connection: psycopg.Connection[Any], transactions: Sequence[Noted]) -> None:
        plain, cursor = connection.cursor(), connection.cursor(binary=True)
        for noted in transactions:
            try:
                soon = b"" if noted.durable else b"; SET LOCAL synchronous_commit = off"
                plain.execute(b"BEGIN" + soon, prepare=False)  # in one exchange, which binary results rule out
                for text, values in noted.statements:
                    cursor.execute(text.encode(), values, prepare=True)
                    if cursor.description is not None:
                        cursor.fetchall()
                plain.execute(b"COMMIT" if noted.kept else b"ROLLBACK", prepare=False)
            except (errors.LockNotAvailable, errors.DeadlockDetected, errors.UniqueViolation):
                # Of the threads here another is first than of those there.
                self.failed += 1
                connection.rollback()


async def measure(
    url: str, copy: str, *, size: int, people: int, callers: Sequence[int], rounds: int, calls: int
) -> list[Figures]:
    """Measure every tool, round by round with the yardstick."""
    trace, raw = Trace(), Raw(copy)
    found: dict[tuple[str, int], list[dict[str, float]]] = {}
    with trace.on():
        async with open_memory(url, settings=SETTINGS) as memory:
            for several in callers:
                for number in range(rounds):
                    _say(f"{size:,} memories, {several} callers, round {number + 1} of {rounds}")
                    plan = tools.Plan(
                        1 + several * 100 + number, _stores.growing_people(size, people), max(calls, 10 * several)
                    )
                    for name, planned, check in plan.phases():
                        trace.take()
                        timing, results = await tools.run(memory, planned, several)
                        check(results)
                        noted, failed = trace.take(), raw.failed
                        seconds = await asyncio.to_thread(raw.replay, noted)
                        together = [one for transactions in noted for one in transactions]
                        commits = sum(one.is_change for one in together)
                        found.setdefault((name, several), []).append(
                            {
                                "p50": tools.percentile(timing.latencies, 50),
                                "p95": tools.percentile(timing.latencies, 95),
                                "p99": tools.percentile(timing.latencies, 99),
                                "rate": timing.calls / timing.seconds,
                                "cpu": timing.cpu / timing.calls * 1e6,
                                "raw_rate": timing.calls / seconds,
                                "group": timing.calls / commits if commits else 0.0,
                                "statements": sum(len(one.statements) for one in together) / timing.calls,
                                "failed": raw.failed - failed,
                            }
                        )
    raw.close()
    return [
        Figures(
            store=size,
            tool=name,
            callers=several,
            failed=int(sum(one.pop("failed") for one in taken)),
            **{key: statistics.median(one[key] for one in taken) for key in taken[0]},
        )
        for (name, several), taken in found.items()
        if name != tools.WARM_UP
    ]


async def measure_recall(urls: dict[int, str], people: int, rounds: int) -> list[Recall]:
    """Measure the recall of the same people's same memories in every store; the stores take turns."""
    taken: dict[int, list[tools.Timing]] = {size: [] for size in urls}
    memories = {size: open_memory(url, settings=SETTINGS) for size, url in urls.items()}
    try:
        for number in range(rounds + 1):
            _say(f"recall, round {number + 1} of {rounds + 1}")
            for size, memory in memories.items():
                chance = random.Random(number)
                planned = [
                    tools.Call(
                        "recall",
                        {"query": _corpus.query(chance)},
                        _stores.turn_of(chance.choice(_stores.fixed_people(size, people)), f"flat-{number}-{one}"),
                    )
                    for one in range(RECALLS)
                ]
                timing, results = await tools.run(memory, planned, 1)
                if wrong := [result for result in results if result.status != "success"]:
                    raise RuntimeError(str(wrong[0]))
                if number:  # the first round warms up
                    taken[size].append(timing)
    finally:
        for memory in memories.values():
            await memory.close()
    return [
        Recall(size, *(statistics.median(tools.percentile(one.latencies, at) for one in timings) for at in (50, 95)))
        for size, timings in taken.items()
    ]


async def filled(server: PostgresServer, size: int, people: int) -> tuple[str, Fill]:
    """A database of the server with what `_stores.filled` has, moved there."""
    store = await _stores.filled(size, people)
    name = f"bench_{size}"
    server.execute(f"CREATE DATABASE {name}")
    started = time.perf_counter()
    moved = move(f"sqlite:///{store}", server.url(name), progress=_shown(f"moving {size:,} memories"))
    seconds = time.perf_counter() - started
    server.execute("CHECKPOINT")
    [(bytes_,)] = server.execute(f"SELECT pg_database_size('{name}')")
    return name, Fill(size, _rows(moved), seconds, bytes_ / 1e6)


def _rows(moved: Moved) -> int:
    return sum(table.rows for table in moved.tables.values())


def report(machine: dict[str, str], found: Found) -> str:
    """Write everything as Markdown."""
    lines = ["# PostgreSQL", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        "Medians of the rounds; program and server on one machine. Every caller waits for its answer before it",
        "calls again; every change is on disk before it is answered (`fsync`, `synchronous_commit`). `raw` is the very",
        "statements of these calls, with their parameters, in the same transactions, run by psycopg alone on a copy of",
        "the database, from as many connections; where another is first there, one may meet a lock that it met nowhere",
        f"here ({sum(one.failed for one in found.figures):,} did). `ratio` is the product's rate to raw's; CPU is the",
        "program's alone.",
        "See `benchmarks/README.md`.",
        "",
        *_targets(found),
    ]
    for size in sorted({one.store for one in found.figures}):
        lines += ["", f"## {size:,} memories", ""]
        lines += [
            "| tool | callers | p50 ms | p95 ms | p99 ms | calls/s | CPU µs | raw/s | ratio | group | statements |"
        ]
        lines += ["|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
        lines += [
            f"| {one.tool} | {one.callers} | {one.p50:.2f} | {one.p95:.2f} | {one.p99:.2f} | {one.rate:,.0f} | "
            f"{one.cpu:,.0f} | {one.raw_rate:,.0f} | {one.ratio:.2f} | {one.group:.1f} | {one.statements:.1f} |"
            for one in found.figures
            if one.store == size
        ]
    lines += ["", "## One person's recall while others' memories grow", ""]
    lines += ["One caller; people with 20 memories each. The stores take turns.", ""]
    lines += ["| memories | p50 ms | p95 ms |", "|--:|--:|--:|"]
    lines += [f"| {one.store:,} | {one.p50:.2f} | {one.p95:.2f} |" for one in found.recalls]
    lines += ["", "## Moved from SQLite", ""]
    lines += ["`zgadka migrate --from … --to …`: copied, then read again and compared on both sides.", ""]
    lines += ["| memories | rows | seconds | rows/s | MB on the server |", "|--:|--:|--:|--:|--:|"]
    lines += [
        f"| {one.store:,} | {one.rows:,} | {one.seconds:.1f} | {one.rows / one.seconds:,.0f} | {one.megabytes:,.0f} |"
        for one in found.fills
    ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Found:
    """Everything that was measured."""

    figures: list[Figures]
    recalls: list[Recall]
    fills: list[Fill]


def _added(before: dict[str, Any], found: Found) -> Found:
    """What was found, and what was found before of other stores."""

    def merged(kind: Any, name: str, now: Sequence[Any]) -> list[Any]:
        sizes = {one.store for one in now}
        kept = [{key: value for key, value in one.items() if key != "ratio"} for one in before[name]]
        return sorted([*now, *(kind(**one) for one in kept if one["store"] not in sizes)], key=lambda one: one.store)

    return Found(
        merged(Figures, "tools", found.figures),
        merged(Recall, "recall", [] if len(found.recalls) == 1 else found.recalls),  # they are compared within a run
        merged(Fill, "moved", found.fills),
    )


def _targets(found: Found) -> list[str]:
    lines = ["| target | measured | met |", "|---|---|---|"]
    if len(found.recalls) > 1:
        first, last = found.recalls[0], found.recalls[-1]
        ratio = last.p95 / first.p95
        claim = f"p95 of a person's recall at {last.store:,} at most {FLAT:.0f} × that at {first.store:,}"
        lines.append(f"| {claim} | {ratio:.2f} | {'yes' if ratio <= FLAT else '**no**'} |")
    return lines


def _callers(text: str) -> list[int]:
    return [] if text == "none" else tools._numbers(text)  # noqa: SLF001


def _shown(label: str) -> Callable[[int, int], None]:
    return lambda done, of: _say(f"{label}: {100 * done // max(of, 1)} %")


def _say(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


@contextmanager
def _served() -> Iterator[PostgresServer]:
    server = PostgresServer(durable=True)
    try:
        server.stop()
        server.start(*SERVER)
        yield server
    finally:
        server.remove()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--sizes", type=tools._numbers, default=[10_000, 100_000, 1_000_000])  # noqa: SLF001
    parser.add_argument("--callers", type=_callers, default=[1, 10, 100], help="none: recall alone")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=100, help="of each tool in a round, or 10 of each caller")
    parser.add_argument("--add", action="store_true", help="to what is in the results already, of other stores")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    found = Found([], [], [])
    with _served() as server:
        machine = _machine.describe(server.folder) | {"postgres": server.execute("SHOW server_version")[0][0]}
        machine["server"] = " ".join(part for part in SERVER if part != "-c") + " fsync=on"
        load = os.getloadavg()[0]
        urls: dict[int, str] = {}
        for size in given.sizes:
            name, fill = await filled(server, size, given.people)
            found.fills.append(fill)
            urls[size] = server.url(name)
        found.recalls.extend(await measure_recall(urls, given.people, given.rounds))
        for size in given.sizes if given.callers else ():
            server.execute(f"CREATE DATABASE raw_{size} TEMPLATE bench_{size} STRATEGY FILE_COPY")
            figures = await measure(
                urls[size],
                server.url(f"raw_{size}"),
                size=size,
                people=given.people,
                callers=given.callers,
                rounds=given.rounds,
                calls=given.calls,
            )
            found.figures.extend(figures)
            server.execute(f"DROP DATABASE raw_{size} WITH (FORCE)")
        machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    if given.add:
        found = _added(json.loads((given.out / "postgres.json").read_text("utf-8")), found)
    text = report(machine, found)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "postgres.md").write_text(text, "utf-8")
    written = {
        "machine": machine,
        "rounds": given.rounds,
        "tools": [asdict(one) | {"ratio": one.ratio} for one in found.figures],
        "recall": [asdict(one) for one in found.recalls],
        "moved": [asdict(one) for one in found.fills],
    }
    (given.out / "postgres.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    _say("")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
