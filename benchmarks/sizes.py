"""What a memory and a message take on a PostgreSQL server, and what a call costs: the figures of docs/scaling.md."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _corpus
import _machine

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.ops.messages import record
from zgadka.ops.remember import New, remember
from zgadka.stores.tx import Tx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from postgres_server import PostgresServer

SETTINGS = Settings(background=False, memory_tool_async=False, calls_per_answer=10**6, calls_per_hour=10**6)
MEMORIES, MESSAGES = 50, 50
"""Of each person; facts and what they said, in their own direct chat."""
DIMENSIONS = 384

_SIZES = """
SELECT relname, n_live_tup, pg_table_size(relid), pg_indexes_size(relid) FROM pg_stat_user_tables
WHERE schemaname = 'zgadka' AND n_live_tup > 0 ORDER BY pg_total_relation_size(relid) DESC
"""
_VECTORS = """
INSERT INTO zgadka.vector (owner, what, id, embedder, numbers)
SELECT owner, what, id, 1, ('[' || array_to_string(ARRAY(SELECT random() FROM generate_series(1, %s) WHERE id > 0), ',')
    || ']')::public.halfvec
FROM (SELECT owner, 'memory' AS what, id FROM zgadka.memory
    UNION ALL SELECT owner, 'message', id FROM zgadka.message) text
"""


@dataclass(frozen=True)
class Size:
    """Of a table: how many rows, and the bytes of one, with and without its indexes."""

    table: str
    rows: int
    bytes: float
    with_indexes: float


@dataclass(frozen=True)
class Cost:
    """Milliseconds of processor time of a call, in the program and in the server."""

    call: str
    program: float
    server: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--calls", type=int, default=300)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "sizes.md")
    given = parser.parse_args()
    text = asyncio.run(measure(given.people, given.calls))
    given.output.write_text(text, "utf-8")
    print(text)


async def measure(people: int, calls: int) -> str:
    server = PostgresServer(durable=True)
    try:
        server.execute("CREATE DATABASE sizes")
        url = server.url("sizes")
        async with open_memory(url, settings=SETTINGS) as memory:
            for person in range(1, people + 1):
                await memory._store.write(filled, person)  # noqa: SLF001
            costs = [await cost(memory, server, name, call, calls) for name, call in CALLS.items()]
        server.execute("INSERT INTO zgadka.embedder (id, name, owner, complete) VALUES (1, 'x', 0, 1)", "sizes")
        server.execute(_VECTORS, "sizes", (DIMENSIONS,))
        server.execute("ANALYZE", "sizes")
        server.execute("CHECKPOINT")
        rows = server.execute(_SIZES, "sizes")
        sizes = [Size(name, count, table / count, (table + index) / count) for name, count, table, index in rows]
        owners = server.execute("SELECT count(*) FROM zgadka.owner WHERE kind = 'person'", "sizes")[0][0]
        total = sum(table + index for *_, table, index in rows)
    finally:
        server.remove()
    return report(sizes, costs, owners, total)


def filled(tx: Tx, person: int) -> None:
    chance = random.Random(person)
    for number in range(MESSAGES):
        record(tx, turn_of(person, number), "user", _corpus.message(chance, number))
    for number in range(MEMORIES):
        new = New(content=f"{_corpus.note(chance, number)} {number}", type="personal", key="hobby", confidence=0.9)
        remember(tx, turn_of(person, number), person, new)


def turn_of(person: int, turn: int | str) -> Turn:
    name = str(person)
    return Turn(platform="x", space=name, chat=name, user=name, turn=str(turn), text="what do I like?", direct=True)


def fact(number: int) -> dict[str, Any]:
    value = f"game {number} {_corpus.note(random.Random(number), number)}"
    return {"fact_type": "personal", "fact_key": "hobby", "fact_value": value[:900], "confidence": 0.9}


CALLS: dict[str, Callable[[Memory, int], Awaitable[Any]]] = {
    "record": lambda memory, number: memory.record(
        "user", f"I like tea {number}", turn_of(number % 100 + 1, f"a{number}")
    ),
    "remember_fact": lambda memory, number: memory.call(
        "remember_fact", {"user_id": number % 100 + 1} | fact(number), turn_of(number % 100 + 1, f"b{number}")
    ),
    "recall": lambda memory, number: memory.call("recall", {"query": "tea"}, turn_of(number % 100 + 1, f"c{number}")),
    "build_context": lambda memory, number: memory.build_context(turn_of(number % 100 + 1, f"d{number}")),
}


async def cost(
    memory: Memory, server: PostgresServer, name: str, call: Callable[[Memory, int], Awaitable[Any]], calls: int
) -> Cost:
    for number in range(-100, 0):
        await call(memory, number)
    program, served = time.process_time(), server_seconds(server)
    for number in range(calls):
        result = await call(memory, number)
        if getattr(result, "status", "success") != "success":
            raise RuntimeError(str(result))
    spent = time.process_time() - program, server_seconds(server) - served
    return Cost(name, *(seconds / calls * 1000 for seconds in spent))


def server_seconds(server: PostgresServer) -> float:
    """Processor time of all of the server's processes that there are."""
    pids = [pid for (pid,) in server.execute("SELECT pid FROM pg_stat_activity")]
    ticks = 0
    for pid in pids:
        path = Path(f"/proc/{pid}/stat")
        if path.exists():
            ticks += sum(map(int, path.read_text().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def report(sizes: list[Size], costs: list[Cost], people: int, total: float) -> str:
    memories = next(size.rows for size in sizes if size.table == "memory")
    lines = ["# What a row and a call cost on PostgreSQL", ""]
    lines += [f"- {name}: {value}" for name, value in _machine.describe(Path("/tmp")).items()]
    lines += [
        "",
        f"{people:,} people with {memories:,} facts and as many messages, each with a vector of {DIMENSIONS} numbers:",
        f"{total / 1e6:,.0f} MB, {total / memories:,.0f} bytes for a fact with all that belongs to it, a message and",
        "their share of the person.",
        "",
        "| table | rows | bytes a row | with indexes |",
        "|---|--:|--:|--:|",
        *(f"| {size.table} | {size.rows:,} | {size.bytes:,.0f} | {size.with_indexes:,.0f} |" for size in sizes),
        "",
        "| call | program, CPU ms | server, CPU ms |",
        "|---|--:|--:|",
        *(f"| {one.call} | {one.program:.2f} | {one.server:.2f} |" for one in costs),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
