"""What a process's indexes in memory really take, and what the first questions of a new process take.

Run as a program it is such a process, and prints JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import random
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import _corpus
import _stores

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.stores import cache
from zgadka.stores.cache import Cache


@dataclass(frozen=True)
class Use:
    """One index: the bytes that the cache counts, and those that are free again without it.

    Attributes:
        peak: Bytes in use at most while it was built and used, beyond those before.
    """

    what: str
    rows: int
    has_vectors: bool
    estimated: int
    traced: int
    peak: int

    @property
    def ratio(self) -> float:
        return self.estimated / self.traced


@dataclass(frozen=True)
class Limit:
    """The indexes of many people under a setting: bytes counted, taken, and by how much the process grew."""

    megabytes: int
    scopes: int
    estimated: int
    traced: int
    grown: int


def cache_of(memory: Memory) -> Cache:
    """The memory's indexes; nothing public shows them."""
    return cast("Any", memory)._store._cache  # noqa: SLF001


@contextmanager
def limited_to(limit: int) -> Generator[None]:
    """Let the indexes of the memories that are opened meanwhile take so many bytes."""
    before, cache.LIMIT_BYTES = cache.LIMIT_BYTES, limit
    try:
        yield
    finally:
        cache.LIMIT_BYTES = before


def in_process(*arguments: str) -> dict[str, Any]:
    """Run this file as a program and return what it prints."""
    done = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def measure_uses(store: Path, scopes: Sequence[tuple[int, int]], chats: Sequence[int]) -> list[Use]:
    """Measure one index of each kind and size, each in a process of its own.

    Args:
        scopes: How many memories, and whose.
    """
    kinds = [("memories", rows, whose) for rows, whose in scopes] + [("messages", chat, chat) for chat in chats]
    with _stores.copy_of(store, "uses") as copy:
        return [
            Use(what, rows, bool(embedder), **in_process("use", str(copy), what, str(whose), embedder))
            for embedder in ("", "embedder")
            for what, rows, whose in kinds
        ]


def measure_limits(store: Path, megabytes: Sequence[int], people: int) -> list[Limit]:
    """Have many people ask, one after the other, under several limits."""
    found: list[Limit] = []
    with _stores.copy_of(store, "limits") as copy:
        for limit in megabytes:
            traced = in_process("limit", str(copy), str(limit), str(people), "trace")
            plain = in_process("limit", str(copy), str(limit), str(people), "")
            found.append(Limit(limit, people, traced["estimated"], traced["traced"], plain["grown"]))
    return found


def report(uses: Sequence[Use], limits: Sequence[Limit]) -> list[str]:
    """Write it as Markdown."""
    lines = ["## Bytes of one index", ""]
    lines += [
        "`counted` is what the cache counts against its limit, `taken` what tracemalloc says is free again once the",
        "index is gone, `peak` what building and using it took at most.",
        "",
        "| index | rows | vectors | counted KiB | taken KiB | counted / taken | peak KiB | taken a row |",
        "|---|--:|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.what} | {one.rows:,} | {'yes' if one.has_vectors else 'no'} | {one.estimated / 1024:,.0f} | "
        f"{one.traced / 1024:,.0f} | {one.ratio:.2f} | {one.peak / 1024:,.0f} | {one.traced / one.rows:,.0f} |"
        for one in uses
    ]
    lines += ["", "## Bytes of many people's indexes", ""]
    lines += [
        "Each person asks three times, with an embedder. `grown`: resident memory of a process without tracemalloc,",
        "from before the first question to after the last; it holds SQLite's page caches and all else too.",
        "",
        "| limit, MiB | people | counted MiB | taken MiB | grown MiB |",
        "|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one.megabytes} | {one.scopes:,} | {one.estimated / 2**20:.1f} | {one.traced / 2**20:.1f} | "
        f"{one.grown / 2**20:.1f} |"
        for one in limits
    ]
    return lines


async def _ask(path: str, person: str) -> dict[str, float]:
    chance = random.Random(1)
    started = time.perf_counter()
    memory = open_memory(f"sqlite:///{path}", settings=Settings(memory_tool_async=False))
    taken = {"open": (time.perf_counter() - started) * 1000}
    for number in ("first", "second", "third"):
        started = time.perf_counter()
        await memory.call("recall", {"query": _corpus.typical_query(chance)}, _stores.turn_of(int(person)))
        taken[number] = (time.perf_counter() - started) * 1000
    await memory.close()
    return taken


async def _use(path: str, what: str, whose: str, embedder: str) -> dict[str, int]:
    cache.LIMIT_BYTES = 2**30
    memory = await _opened(path, _stores.SeededEmbedder() if embedder else None)

    async def ask(turn: Turn, query: str) -> None:
        if what == "memories":
            await memory.call("recall", {"query": query}, turn)
        else:
            await memory.search_messages(query, turn)

    chance = random.Random(1)
    turn = _stores.turn_of(int(whose)) if what == "memories" else _stores.chat_turn(int(whose))
    for _ in range(20):  # all else that a first question loads
        await ask(turn, _corpus.typical_query(chance))
    cache_of(memory).clear()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(5):
        await ask(turn, _corpus.typical_query(chance))
    peak = tracemalloc.get_traced_memory()[1] - before
    found = _counted(memory) | {"peak": peak}
    await memory.close()
    return found


async def _limit(path: str, megabytes: str, people: str, trace: str) -> dict[str, int]:
    cache.LIMIT_BYTES = int(megabytes) * 2**20
    memory = await _opened(path, _stores.SeededEmbedder())
    chance = random.Random(1)
    await memory.call("recall", {"query": "шахи на вихідних"}, _stores.turn_of(1))
    if trace:
        tracemalloc.start()
    before = _resident()
    for person in range(1, int(people) + 1):
        for _ in range(3):
            await memory.call("recall", {"query": _corpus.typical_query(chance)}, _stores.turn_of(person))
    grown = _resident() - before
    found = _counted(memory) if trace else {}
    await memory.close()
    return found | {"grown": grown}


async def _opened(path: str, embedder: _stores.SeededEmbedder | None) -> Memory:
    memory = open_memory(f"sqlite:///{path}", settings=Settings(memory_tool_async=False), embedder=embedder)
    await memory.embed()
    return memory


def _counted(memory: Memory) -> dict[str, int]:
    indexes = cache_of(memory)
    estimated = indexes.size
    gc.collect()
    full = tracemalloc.get_traced_memory()[0]
    indexes.clear()
    gc.collect()
    return {"estimated": estimated, "traced": full - tracemalloc.get_traced_memory()[0]}


def _resident() -> int:
    for line in Path("/proc/self/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


if __name__ == "__main__":
    verbs = {"ask": _ask, "use": _use, "limit": _limit}
    print(json.dumps(asyncio.run(cast("Any", verbs[sys.argv[1]])(*sys.argv[2:]))))
