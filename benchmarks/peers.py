"""Durable adds and searches beside public memory stores: the same texts, the same vectors, one run.

Each store runs in a process of its own, without a network, and they take turns. The second part compares
`remember_fact` with the SQL that it writes, one commit a row, on the same disk.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import _machine
import _peer
import _stores
import apsw
import tools

from zgadka import Memory, open_memory

HERE = Path(__file__).parent
PYTHON = _machine.ROOT / ".venv" / "peers" / "bin" / "python"
"""The others' environment; `./run bench peers` makes it."""
ADDS, SEARCHES = "add", "search"
SLOW_MS = 5.0
"""What a commit takes on a disk that is far away or has no memory of its own."""


@dataclass(frozen=True)
class Pace:
    """How much is asked of each store: so many calls a round for 1 and for 100 callers, in at most so many seconds."""

    rounds: int
    calls: dict[int, int]
    seconds: float


@dataclass(frozen=True)
class Figures:
    """Medians over the rounds; milliseconds, calls a second, microseconds of CPU a call.

    Attributes:
        settled: Adds a second until the last could also be found by meaning.
        failure: What it said instead.
    """

    store: str
    what: str
    callers: int
    calls: int = 0
    p50: float = 0.0
    p99: float = 0.0
    rate: float = 0.0
    settled: float = 0.0
    cpu: float = 0.0
    failure: str = ""


@dataclass(frozen=True)
class Durability:
    """What a store does before it answers an add, with one caller.

    Attributes:
        syncs: fsync and fdatasync an add; None where it could not be traced.
        is_durable: Whether each file that was written was synced after its last write, before each answer.
        journal: The journal mode of its files.
    """

    store: str
    syncs: float | None
    is_durable: bool | None
    journal: str


class PeerFailedError(Exception):
    """A store ended, or was never there."""


class Process:
    """A store in a process of its own, with a folder of its own, and no network where that can be had."""

    def __init__(self, name: str, folder: Path, *, trace: Path | None = None) -> None:
        python = sys.executable if name.startswith("zgadka") else str(PYTHON)
        if not Path(python).exists():
            raise PeerFailedError("not installed here: `./run bench peers` does that")
        command = [*_without_network(), python, str(HERE / "_peer.py"), name, str(folder)]
        if trace is not None:
            calls = "fsync,fdatasync,write,pwrite64,writev"
            command = ["strace", "-f", "-y", "-qq", "-s", "8", "-e", f"trace={calls}", "-o", str(trace), *command]
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  (it goes with this object)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True, cwd=folder
        )

    def ask(self, do: str, **order: Any) -> dict[str, Any]:
        """Give an order and wait for its answer.

        Raises:
            PeerFailedError: It ended instead.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):
            print(json.dumps({"do": do} | order), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise PeerFailedError(self._last_error())
        return json.loads(line)

    def close(self) -> None:
        """Let it end by itself."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _last_error(self) -> str:
        self._said.seek(0)
        errors = re.findall(r"^[\w.]*(?:Error|Exception|Interrupt)\b.*", self._said.read(), re.MULTILINE)
        return errors[0][:200] if errors else f"ended with {self._process.returncode}"


@cache
def _without_network() -> tuple[str, ...]:
    command = ("unshare", "-n")
    if shutil.which("unshare") is None:
        return ()
    return command if subprocess.run([*command, "true"], capture_output=True, check=False).returncode == 0 else ()


def compare(names: Sequence[str], people: int, pace: Pace) -> list[Figures]:
    """Let the stores take turns; one that fails is asked no more of that kind."""
    taken: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    failed: dict[tuple[str, str, int], str] = {}
    with tempfile.TemporaryDirectory(dir=_stores.folder()) as folder, ExitStack() as stack:
        processes: dict[str, Process] = {}

        def start(name: str) -> None:
            place = Path(tempfile.mkdtemp(dir=folder))
            processes[name] = process = Process(name, place)
            stack.callback(process.close)
            process.ask("open", people=people)
            process.ask(ADDS, calls=pace.calls[1], callers=1, seconds=pace.seconds)

        for number in range(pace.rounds + 1):  # the first fills the store, and warms up
            for callers, calls in pace.calls.items():
                for what in (ADDS, SEARCHES):
                    order = {"calls": calls, "callers": callers, "seconds": pace.seconds}
                    order |= {"seed": number} if what == SEARCHES else {}
                    for name in (*names[number % len(names) :], *names[: number % len(names)]):
                        case = (name, what, callers)
                        if case in failed:
                            continue
                        _say(f"round {number} of {pace.rounds}, {callers} callers: {name}, {what}")
                        try:
                            if name not in processes:
                                start(name)
                            done = processes[name].ask(what, **order)
                        except PeerFailedError as error:
                            failed[case] = str(error)
                            processes.pop(name, None)
                            continue
                        if number:
                            taken.setdefault(case, []).append(done)
    found = [_figures(*case, rounds) for case, rounds in taken.items() if case not in failed]
    return found + [Figures(*case, failure=said) for case, said in failed.items()]


def _figures(name: str, what: str, callers: int, rounds: Sequence[dict[str, Any]]) -> Figures:
    def median(of: Callable[[dict[str, Any]], float]) -> float:
        return statistics.median(map(of, rounds))

    return Figures(
        store=name,
        what=what,
        callers=callers,
        calls=sum(one["calls"] for one in rounds),
        p50=median(lambda one: tools.percentile(one["latencies"], 50)),
        p99=median(lambda one: tools.percentile(one["latencies"], 99)),
        rate=median(lambda one: one["calls"] / one["seconds"]),
        settled=median(lambda one: one["calls"] / one["settled"]) if what == ADDS else 0.0,
        cpu=median(lambda one: one["cpu"] / one["calls"] * 1e6),
    )


def watch_syncs(names: Sequence[str], calls: int) -> list[Durability]:
    """Trace what each store does between an add and its answer."""
    found: list[Durability] = []
    can_trace = shutil.which("strace") is not None
    for name in names:
        if name == "zgadka":  # what is written in the background would be taken for the add's; see `no embedder`
            continue
        _say(f"what {name} syncs")
        with tempfile.TemporaryDirectory(dir=_stores.folder()) as folder:
            place, trace = Path(folder) / "store", Path(folder) / "trace"
            place.mkdir()
            try:
                journal = _trace_adds(Process(name, place, trace=trace if can_trace else None), place, calls)
            except PeerFailedError:  # `compare` says why
                continue
            syncs, is_durable = _read_trace(trace, str(place)) if can_trace else (None, None)
            found.append(Durability(name, syncs, is_durable, journal))
    return found


def _trace_adds(process: Process, folder: Path, calls: int) -> str:
    """Have it add facts; returns the journal mode of its files while they are open."""
    try:
        process.ask("open", people=20)
        process.ask("trace", calls=calls)
        return _journal(folder)
    finally:
        process.close()


_CALL = re.compile(r"^(\d+) +(\w+)\(\d+<([^>]*)>(.*)$")
_RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>.*= 0")


def _read_trace(trace: Path, folder: str) -> tuple[float, bool]:
    """Syncs an add, and whether nothing that was written before an answer was left unsynced."""
    answers = syncs = 0
    is_durable = True
    unsynced: set[str] = set()
    begun: dict[str, str] = {}

    def synced(path: str) -> None:
        nonlocal syncs
        syncs += 1
        unsynced.discard(path)

    for line in trace.read_text("utf-8", "replace").splitlines():
        if resumed := _RESUMED.match(line):
            if resumed[2] in ("fsync", "fdatasync") and resumed[1] in begun:
                synced(begun.pop(resumed[1]))
            continue
        call = _CALL.match(line)
        if call is None:
            continue
        process, name, path, rest = call.groups()
        if path == os.devnull and '"answered"' in rest:
            is_durable = is_durable and not (answers and unsynced)  # what was done to open it does not count
            syncs = syncs if answers else 0
            unsynced.clear()
            answers += 1
        elif not path.startswith(folder):
            continue
        elif name in ("fsync", "fdatasync"):
            if "unfinished" in rest:
                begun[process] = path
            else:
                synced(path)
        elif not path.endswith("-journal"):  # it is of use only while the database is written
            unsynced.add(path)
    return syncs / max(1, answers - 1), is_durable and answers > 1


def _journal(folder: Path) -> str:
    """The journal mode that the SQLite files themselves say."""
    modes: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.read_bytes()[:15] == b"SQLite format 3":
            header = path.read_bytes()[18:20]
            modes.append("WAL" if header == b"\2\2" else "rollback journal")
    return ", ".join(dict.fromkeys(modes))


@dataclass(frozen=True)
class Alone:
    """`remember_fact` beside bare SQLite with the same rows; medians over the rounds.

    Attributes:
        disk: What was done to the disk.
        p50: Of one caller, in milliseconds; `bare_p50` is of the INSERTs, UPDATEs and DELETEs that it makes, one
            commit a fact; `sql_p50` of all its SQL, with what it reads.
        rate: Facts a second with 100 callers; the others with one commit a fact.
    """

    disk: str
    p50: float
    bare_p50: float
    sql_p50: float
    rate: float
    bare_rate: float
    sql_rate: float


async def measure_alone(size: int, people: int, rounds: int, calls: int, slow_ms: float) -> Alone:
    """Trace one caller's facts on one copy, measure one and 100 callers on another, replay on two more."""
    store = await _stores.filled(size, people)
    names = ("traced", "measured", "sql", "bare")
    copies = {name: _stores.copied(store, name) for name in names}
    settings = tools.SETTINGS[tools.DEFAULT]
    one: list[float] = []
    many: list[float] = []
    replayed: dict[str, list[tuple[float, float]]] = {"sql": [], "bare": []}
    with ExitStack() as stack:
        for copy in copies.values():
            stack.callback(_stores.discard, copy)
        stack.enter_context(_disk(slow_ms))
        trace = stack.enter_context(tools.Trace(copies["traced"]).opened())
        bare = {name: _bare(copies[name]) for name in replayed}
        for connection in bare.values():
            stack.callback(connection.close)
        async with (
            open_memory(f"sqlite:///{copies['traced']}", settings=settings) as source,
            open_memory(f"sqlite:///{copies['measured']}", settings=settings) as memory,
        ):
            for number in range(rounds + 1):  # the first warms up
                _say(f"beside bare SQLite, {slow_ms:.0f} ms more a sync, round {number} of {rounds}")
                trace.clear()
                await _remember(source, number, calls, 1, people)
                single = await _remember(memory, number, calls, 1, people)
                taken = {name: _replay(bare[name], trace.writes, writes_only=name == "bare") for name in replayed}
                several = await _remember(memory, 1000 + number, 10 * calls, 100, people)
                if number:
                    one.append(tools.percentile(single.latencies, 50))
                    many.append(several.calls / several.seconds)
                    for name, figures in taken.items():
                        replayed[name].append(figures)
    medians = {name: [statistics.median(part) for part in zip(*found, strict=True)] for name, found in replayed.items()}
    return Alone(
        disk=f"{slow_ms:.0f} ms added to each sync" if slow_ms else "as it is",
        p50=statistics.median(one),
        bare_p50=medians["bare"][0],
        sql_p50=medians["sql"][0],
        rate=statistics.median(many),
        bare_rate=medians["bare"][1],
        sql_rate=medians["sql"][1],
    )


async def _remember(memory: Memory, seed: int, calls: int, callers: int, people: int) -> tools.Timing:
    plan = tools.Plan(seed, range(1, people + 1), calls)
    planned = next(phase[1] for phase in plan.phases() if phase[0] == "remember_fact")
    timing, results = await tools.run(memory, planned, callers)
    if refused := [result for result in results if result.status != "success"]:
        raise RuntimeError(f"expected success, got {refused[0]}")
    return timing


def _bare(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path), statementcachesize=200)
    pragmas = "PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY; PRAGMA synchronous=FULL"
    for pragma in (*pragmas.split("; "), "PRAGMA journal_mode=WAL"):
        list(connection.execute(pragma))
    return connection


_WRITING = ("INSERT", "UPDATE", "DELETE", "REPLACE")


def _replay(connection: apsw.Connection, commits: Sequence[tools.Commit], *, writes_only: bool) -> tuple[float, float]:
    """One commit for each of what was traced; returns the median in milliseconds, and commits a second."""
    latencies: list[float] = []
    execute = connection.execute
    started = time.perf_counter()
    for commit in commits:
        begun = time.perf_counter()
        execute("BEGIN IMMEDIATE")
        for sql, bindings in commit.statements:
            if not writes_only or sql.lstrip().startswith(_WRITING):
                list(execute(sql, bindings))
        execute("COMMIT")
        latencies.append(time.perf_counter() - begun)
    return tools.percentile(sorted(latencies), 50), len(commits) / (time.perf_counter() - started)


class _SlowDisk(apsw.VFS):
    def __init__(self, seconds: float) -> None:
        super().__init__("slow", "unix")
        self.seconds = seconds

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _SlowFile(self, name, flags)


class _SlowFile(apsw.VFSFile):
    def __init__(self, vfs: _SlowDisk, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._seconds = vfs.seconds

    def xSync(self, flags: int) -> None:  # noqa: N802
        time.sleep(self._seconds)
        super().xSync(flags)


@contextmanager
def _disk(slow_ms: float) -> Iterator[None]:
    """Let every sync of this process's databases take longer, the product's and the yardstick's alike."""
    if not slow_ms:
        yield
        return
    vfs = _SlowDisk(slow_ms / 1000)
    apsw.set_default_vfs("slow")
    try:
        yield
    finally:
        apsw.set_default_vfs("unix")
        vfs.unregister()


def report(
    machine: dict[str, str],
    versions: dict[str, str],
    figures: Sequence[Figures],
    durability: Sequence[Durability],
    alone: Sequence[Alone],
    pace: Pace,
    people: int,
) -> str:
    """Write everything as Markdown."""
    lines = ["# Peers", "", *(f"- {name}: {value}" for name, value in machine.items())]
    lines += [f"- {name}: {version}" for name, version in versions.items()]
    lines += [
        "",
        f"Medians of {pace.rounds} rounds; the stores take turns. Facts of {people} people; vectors of {_peer.NUMBERS}",
        f"numbers that cost nothing, the same for all; {_peer.FOUND} results a search.",
        "Each store is in a process of its own" + (", without a network." if _without_network() else "."),
        "`until found` is the rate until the last fact could also be found by meaning: zgadka makes vectors after it",
        "has answered, the others before. CPU is of the store's process. What each does for an add differs much: see",
        "`benchmarks/README.md`.",
        "",
        *_targets(figures, durability, alone),
        "",
        "## Before an add is answered",
        "",
        "fsync and fdatasync a fact with one caller, counted with strace; `on disk`: every file that was written was",
        "synced after its last write and before the answer. zgadka does the same with an embedder: its vectors come",
        "later, and would be in the way of the trace.",
        "",
        "| store | SQLite's journal | syncs | on disk |",
        "|---|---|--:|---|",
    ]
    lines += [
        f"| {one.store} | {one.journal} | {'not traced' if one.syncs is None else f'{one.syncs:.1f}'} | "
        f"{ {True: 'yes', False: '**no**', None: 'not traced'}[one.is_durable] } |"
        for one in durability
    ]
    for what in (ADDS, SEARCHES):
        for callers in pace.calls:
            some = [one for one in figures if (one.what, one.callers) == (what, callers)]
            lines += ["", f"## {what}, {callers} {'caller' if callers == 1 else 'callers'}", ""]
            lines += _table(some, what)
    lines += [
        "",
        "## remember_fact beside bare SQLite",
        "",
        "`bare`: the INSERTs, UPDATEs and DELETEs of the same facts, with their parameters, by one thread through",
        "apsw, one commit a fact; `SQL`: with what the product reads as well.",
        "The same pragmas: WAL, `synchronous=FULL`. No embedder.",
        "",
        "| disk | one caller: p50 ms | bare p50 | SQL p50 | 100 callers: facts/s | bare/s | SQL/s |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.disk} | {one.p50:.2f} | {one.bare_p50:.2f} | {one.sql_p50:.2f} | {one.rate:,.0f} | "
        f"{one.bare_rate:,.0f} | {one.sql_rate:,.0f} |"
        for one in alone
    ]
    return "\n".join(lines) + "\n"


def _table(figures: Sequence[Figures], what: str) -> list[str]:
    more = " until found/s |" if what == ADDS else ""
    lines = [f"| store | p50 ms | p99 ms | calls/s |{more} CPU µs |", "|---|--:|--:|--:|" + "--:|" * (1 + bool(more))]
    for one in sorted(figures, key=lambda one: list(_peer.OPENERS).index(one.store)):
        if one.failure:
            lines.append(f"| {one.store} | fails: `{one.failure}` |" + " |" * (3 + bool(more)))
            continue
        settled = f" {one.settled:,.0f} |" if more else ""
        lines.append(f"| {one.store} | {one.p50:.2f} | {one.p99:.2f} | {one.rate:,.0f} |{settled} {one.cpu:,.0f} |")
    return lines


def _targets(figures: Sequence[Figures], durability: Sequence[Durability], alone: Sequence[Alone]) -> list[str]:
    lines = ["| target | measured | met |", "|---|---|---|"]
    for one in alone:
        ratio = one.rate / one.bare_rate
        claim = f"remember_fact, 100 callers, at least 5 × one commit a row; disk {one.disk}"
        lines.append(f"| {claim} | {ratio:.2f} | {_met(ratio >= 5)} |")
        ratio = one.p50 / one.bare_p50
        claim = f"remember_fact, one caller: p50 at most 2 × a bare insert of the same rows; disk {one.disk}"
        lines.append(f"| {claim} | {ratio:.2f} | {_met(ratio <= 2)} |")
    most = max((one.callers for one in figures), default=0)
    by = {one.store: one for one in figures if (one.what, one.callers) == (ADDS, most)}
    mine = by.get("zgadka")
    for one in durability:
        if mine is None or not one.is_durable or one.store.startswith("zgadka") or one.store not in by:
            continue
        theirs = by[one.store]
        claim = f"adds, {most} callers: ahead of {one.store}, which syncs before it answers"
        said = f"{mine.rate:,.0f}/s, theirs " + ("fails" if theirs.failure else f"{theirs.rate:,.0f}/s")
        lines.append(f"| {claim} | {said} | {_met(bool(theirs.failure) or mine.rate > theirs.rate)} |")
    return lines


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _versions() -> dict[str, str]:
    """What is installed in the others' environment; empty where there is none."""
    asked = (
        "import importlib.metadata as m, json, sqlite3\n"
        "names = 'langgraph-checkpoint-sqlite mem0ai qdrant-client mcp-memory-service sqlite-vec'.split()\n"
        "found = {name: m.version(name) for name in names}\n"
        "if not hasattr(sqlite3.Connection, 'enable_load_extension'):\n    import pysqlite3 as sqlite3\n"
        "print(json.dumps(found | {'their SQLite': sqlite3.sqlite_version}))"
    )
    if not PYTHON.exists():
        return {}
    done = subprocess.run([str(PYTHON), "-c", asked], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def _say(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4.0, help="for each store and kind of call, in a round")
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--stores", default="; ".join(_peer.OPENERS), help="which, with semicolons between them")
    parser.add_argument("--quick", action="store_true", help="one round of few calls, less than a minute")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=HERE / "results")
    given = parser.parse_args()
    pace = Pace(1, {1: 20, 100: 200}, 1.0) if given.quick else Pace(given.rounds, {1: 100, 100: 1000}, given.seconds)
    names = [name.strip() for name in given.stores.split(";")]
    machine = _machine.describe(_stores.folder())
    load = os.getloadavg()[0]
    durability = watch_syncs(names, 10 if given.quick else 50)
    figures = compare(names, given.people, pace)
    size = 1_000 if given.quick else 10_000
    rounds, calls = (1, 20) if given.quick else (given.rounds, 100)
    alone = [await measure_alone(size, 1_000, rounds, calls, slow_ms) for slow_ms in (0.0, SLOW_MS)]
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, _versions(), figures, durability, alone, pace, given.people)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "peers.md").write_text(text, "utf-8")
    written = {
        "machine": machine | _versions(),
        "rounds": pace.rounds,
        "peers": [asdict(one) for one in figures],
        "durability": [asdict(one) for one in durability],
        "alone": [asdict(one) for one in alone],
    }
    (given.out / "peers.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    _say("")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
