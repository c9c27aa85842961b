"""CPU of an erasure, without the scrub of the file, and of an export, while the memories of others grow."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import _corpus
import _stores
import apsw

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.ops.access import writing_scope
from zgadka.ops.remember import New, remember_in
from zgadka.stores.sqlite.schema import REBUILD_INDEX
from zgadka.stores.tx import Tx

_OTHERS_MEMORIES = 100
_MEMORIES = 20
_BATCH = 1_000
_FILLED = 5_000
"""So many are remembered; the others are copies of their rows."""
_SHIFT = 1_000_000


def _turn(person: int, turn: str | None = None) -> Turn:
    return Turn(platform="bench", space=f"group-{person % 50}", chat="c", user=person, turn=turn)


def _fill(tx: Tx, first: int, count: int, each: int) -> None:
    for number in range(first, first + count):
        person = 1 + number // each
        chance = random.Random(number)
        fact = _corpus.fact(chance, number)
        scope = cast("Any", writing_scope(tx, _turn(person), person))
        new = New(content=fact.value, type=cast("Any", fact.type), key=fact.key, confidence=0.9)
        remember_in(tx, _turn(person), scope, new, limit=1_000_000)


def _multiply(path: Path, times: int) -> None:
    """Let there be so many of each person and memory, others by their numbers."""
    connection = apsw.Connection(str(path))
    columns = {
        table: [name for (name,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))]
        for table in ("owner", "memory", "event", "tally", "revision", "member")
    }
    connection.execute("PRAGMA cache_size=-1000000; BEGIN")
    for number in range(1, times):
        shift = number * _SHIFT
        for table, names in columns.items():
            shifted = {"owner": f"owner + {shift}", "person": f"person + {shift}", "memory": f"memory + {shift}"}
            if table in ("owner", "memory"):
                shifted["id"] = f"id + {shift}"
            if table == "owner":
                shifted["name"] = f"'{number}-' || name"
            values = ", ".join(str(shifted.get(name, name)) for name in names)
            rows = f"SELECT {values} FROM {table} WHERE {'id' if table == 'owner' else 'owner'} < {_SHIFT}"
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) {rows}")
    connection.execute(f"UPDATE sequence SET value = value + {times * _SHIFT}; COMMIT")
    connection.execute(f"BEGIN; {REBUILD_INDEX} COMMIT")
    connection.close()


async def _measure(memory: Memory, people: Sequence[int]) -> dict[str, float]:
    memory._store.scrub = lambda: False  # noqa: SLF001  (it takes as long as the file is large)
    figures: dict[str, list[float]] = {"export": [], "erase": []}
    for person in people:
        turn = Turn(platform="bench", space=str(person), chat=str(person), user=person, direct=True, turn="erase")
        for name, verb in (("export", memory.export), ("erase", memory.erase)):
            cpu = time.process_time()
            await verb(turn)
            figures[name].append((time.process_time() - cpu) * 1000)
    return {name: statistics.median(values) for name, values in figures.items()}


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,300000")
    parser.add_argument("--people", type=int, default=15, help="who are exported and erased")
    given = parser.parse_args()
    settings = Settings(background=False, activity_days=0)
    print("| memories of others | export ms | erase ms |\n|--:|--:|--:|")
    for size in map(int, given.sizes.split(",")):
        path = _stores.folder() / f"erase-{size}.db"
        _stores.discard(path)
        async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
            for first in range(0, _FILLED, _BATCH):
                await memory.apply(_fill, first, _BATCH, _OTHERS_MEMORIES)
        _multiply(path, size // _FILLED)
        async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
            begin = (_FILLED // _OTHERS_MEMORIES + 10) * _MEMORIES
            await memory.apply(_fill, begin, given.people * _MEMORIES, _MEMORIES)
            first = 1 + begin // _MEMORIES
            figures = await _measure(memory, range(first, first + given.people))
        print(f"| {size:,} | {figures['export']:.2f} | {figures['erase']:.2f} |", flush=True)
        _stores.discard(path)


if __name__ == "__main__":
    asyncio.run(main())
