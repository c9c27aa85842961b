"""How often a call waits for PostgreSQL, and how long calls take where the server is 1 ms away."""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _machine
import psycopg

from zgadka import Memory, Settings, Turn, open_memory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from postgres_server import PostgresServer
from wire import Wire

SECONDS = 0.001
_OWN_SECONDS = 0.0003
"""What the way itself takes, which is written in Python; an empty question shows what is really added."""
MOST_TRIPS, MOST_MILLISECONDS = 5, 8.0


@dataclass(frozen=True)
class Figures:
    """Of one call in one place: how often it waits, the counting of calls that only read aside; medians in ms."""

    call: str
    place: str
    trips: int
    near: float
    far: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "round_trips.md")
    given = parser.parse_args()
    text = report(*asyncio.run(measure(given.calls)))
    given.output.write_text(text, "utf-8")
    print(text)


async def measure(calls: int) -> tuple[list[Figures], float]:
    """The figures, and the milliseconds that were really added to each round trip."""
    server = PostgresServer(durable=True)
    try:
        server.execute("CREATE DATABASE round_trips")
        counted, far = (server.folder / name for name in ("counted", "far"))
        for folder in (counted, far):
            folder.mkdir()
        wire = Wire(server.folder / ".s.PGSQL.5432", counted / ".s.PGSQL.5432")
        # By a process of its own: the one that is measured is busy.
        carrier = multiprocessing.get_context("spawn").Process(target=carry, args=(server.folder, far), daemon=True)
        carrier.start()
        while not (far / ".s.PGSQL.5432").exists():  # noqa: ASYNC110  (another process makes it)
            await asyncio.sleep(0.05)
        url = server.url("round_trips")
        urls = {"counted": url.replace(str(server.folder), str(counted)), "near": url}
        urls["far"] = url.replace(str(server.folder), str(far))
        uncounted = Settings(background=False, memory_tool_async=False, calls_per_answer=0, calls_per_hour=0)
        settings = Settings(background=False, memory_tool_async=False, calls_per_answer=10**6, calls_per_hour=10**6)
        taken: dict[tuple[str, str], dict[str, list[float]]] = {}
        added = empty_question(urls["far"]) - empty_question(urls["near"])
        for way, place in urls.items():
            async with open_memory(place, settings=uncounted if way == "counted" else settings) as memory:
                for number in range(10 if way == "counted" else calls):
                    for direct in (True, False):
                        for name, call in planned(way, number, direct=direct).items():
                            before, started = wire.trips, time.perf_counter()
                            await call(memory)
                            spent = (time.perf_counter() - started) * 1000
                            figures = taken.setdefault((name, "direct" if direct else "group"), {})
                            figures.setdefault(way, []).append(wire.trips - before if way == "counted" else spent)
        carrier.terminate()
        wire.close()
    finally:
        server.remove()
    figures = [
        Figures(
            call,
            place,
            int(statistics.median(figures["counted"][3:])),
            statistics.median(figures["near"][3:]),
            statistics.median(figures["far"][3:]),
        )
        for (call, place), figures in sorted(taken.items())
    ]
    return figures, added


def empty_question(url: str) -> float:
    """The median of milliseconds that the shortest exchange takes."""
    spent: list[float] = []
    with psycopg.connect(url, autocommit=True) as connection:
        for _ in range(100):
            started = time.perf_counter()
            connection.execute("SELECT 1", prepare=True)
            spent.append((time.perf_counter() - started) * 1000)
    return statistics.median(spent)


def carry(server: Path, far: Path) -> None:
    Wire(server / ".s.PGSQL.5432", far / ".s.PGSQL.5432", seconds=SECONDS - _OWN_SECONDS)
    time.sleep(3600)


def planned(way: str, number: int, *, direct: bool) -> dict[str, Callable[[Memory], Awaitable[Any]]]:
    """The calls of a turn, each of another content than those before."""
    place = "1" if direct else "group"
    text = "what do I drink?"
    turn = Turn(platform="x", space=place, chat=place, user="1", turn=f"{way}{number}", text=text, direct=direct)
    fact = {"user_id": 1, "fact_type": "personal", "fact_key": "hobby", "confidence": 0.9}
    fact["fact_value"] = f"{way} game {number} {place}"
    return {
        "record": lambda memory: memory.record("user", f"I drink tea {number}", turn),
        "remember_fact": lambda memory: checked(memory.call("remember_fact", fact, turn)),
        "recall": lambda memory: checked(memory.call("recall", {"query": "tea game"}, turn)),
        "build_context": lambda memory: memory.build_context(turn),
    }


async def checked(call: Awaitable[Any]) -> None:
    result = await call
    if result.status != "success":
        raise RuntimeError(str(result))


def report(found: list[Figures], added: float) -> str:
    lines = ["# Round trips to PostgreSQL", ""]
    lines += [f"- {name}: {value}" for name, value in _machine.describe(Path("/tmp")).items()]
    lines += [
        "",
        "One caller. `trips`: how often the call waits for the server; the two times that a call which only reads is",
        "counted, beside it and on other connections, are not among them. Medians in milliseconds, program and server",
        f"on one machine, without and with {SECONDS * 1000:g} ms added to each round trip ({added:.2f} ms to an empty",
        "question); calls are counted there.",
        "",
        f"| call | in | trips | ms | ms, far away | ≤ {MOST_TRIPS} trips, ≤ {MOST_MILLISECONDS:g} ms far away |",
        "|---|---|--:|--:|--:|---|",
    ]
    for one in found:
        met = one.trips <= MOST_TRIPS and one.far <= MOST_MILLISECONDS
        figures = f"{one.trips} | {one.near:.1f} | {one.far:.1f} | {'yes' if met else '**no**'}"
        lines.append(f"| {one.call} | {one.place} | {figures} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
