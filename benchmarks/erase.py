"""An export and an erasure, and what others wait meanwhile, as the memories of others grow."""

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
from zgadka.model.memory import EVERYWHERE
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
_WRITERS = 20


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


def multiply(path: Path, times: int, name: str = "{number} || '-' || name") -> None:
    """Let there be so many of each person and memory, others by their numbers.

    Args:
        name: In SQL, what the owner of each number is called.
    """
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
            if table == "memory":
                shifted["space"] = f"CASE WHEN space <> {EVERYWHERE} THEN space + {shift} ELSE space END"
            if table == "owner":
                shifted["name"] = name.format(number=number)
            values = ", ".join(str(shifted.get(name, name)) for name in names)
            rows = f"SELECT {values} FROM {table} WHERE {'id' if table == 'owner' else 'owner'} < {_SHIFT}"
            connection.execute(f"INSERT INTO {table} ({', '.join(names)}) {rows}")
    connection.execute(f"UPDATE sequence SET value = value + {times * _SHIFT}; COMMIT")
    connection.execute(f"BEGIN; {REBUILD_INDEX} COMMIT")
    connection.close()


async def _measure(memory: Memory, people: Sequence[int]) -> dict[str, float]:
    """Medians in milliseconds: CPU of an export, CPU and time of an erasure with its scrub."""
    figures: dict[str, list[float]] = {"export": [], "erase": [], "time": []}
    for person in people:
        cpu = time.process_time()
        await memory.export(_alone(person))
        figures["export"].append(time.process_time() - cpu)
        cpu, began = time.process_time(), time.perf_counter()
        receipt = await memory.erase(_alone(person))
        assert receipt.scrubbed
        figures["erase"].append(time.process_time() - cpu)
        figures["time"].append(time.perf_counter() - began)
    return {name: statistics.median(values) * 1000 for name, values in figures.items()}


def _alone(person: int) -> Turn:
    return Turn(platform="bench", space=str(person), chat=str(person), user=person, direct=True, turn="erase")


async def _beside(memory: Memory, path: Path, people: Sequence[int]) -> dict[str, float]:
    """What others wait for a new memory while nobody is erased, and while somebody is; the size of the journal."""
    waits: dict[bool, list[float]] = {False: [], True: []}
    is_erasing, journal, scrubbed = False, 0, 0

    async def write(writer: int) -> None:
        number = 0
        while True:
            number += 1
            turn = _turn(900_000 + writer, f"{writer}-{number}")
            began = time.perf_counter()
            result = await memory.call("remember", {"content": f"likes tea {number}"}, turn)
            assert result.status == "success", result
            waits[is_erasing].append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.02)

    writers = [asyncio.create_task(write(number)) for number in range(_WRITERS)]
    for person in people:
        await asyncio.sleep(0.3)
        is_erasing = True
        scrubbed += (await memory.erase(_alone(person))).scrubbed
        is_erasing = False
        journal = max(journal, path.with_name(path.name + "-wal").stat().st_size)
    for writer in writers:
        writer.cancel()
    await asyncio.gather(*writers, return_exceptions=True)
    alone, beside = (statistics.quantiles(waits[erasing], n=20)[-1] for erasing in (False, True))
    return {
        "alone": alone,
        "beside": beside,
        "longest": max(waits[True]),
        "scrubbed": scrubbed / len(people),
        "journal": journal / 1e6,
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--people", type=int, default=15, help="who are exported and erased")
    given = parser.parse_args()
    settings = Settings(background=False, activity_days=0, calls_per_hour=0)
    columns = "export", "erase", "time", "alone", "beside", "longest", "scrubbed", "journal"
    print(
        "| memories of others | export, CPU ms | erase, CPU ms | erase, ms | others' adds, p95 ms"
        " | while erasing | longest | scrubbed | journal, MB |\n" + "|--:" * 9 + "|"
    )
    for size in map(int, given.sizes.split(",")):
        path = _stores.folder() / f"erase-{size}.db"
        _stores.discard(path)
        async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
            for first in range(0, _FILLED, _BATCH):
                await memory.apply(_fill, first, _BATCH, _OTHERS_MEMORIES)
        multiply(path, size // _FILLED)
        async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
            begin = (_FILLED // _OTHERS_MEMORIES + 10) * _MEMORIES
            await memory.apply(_fill, begin, given.people * _MEMORIES, _MEMORIES)
            first = 1 + begin // _MEMORIES
            alone = given.people // 2
            began = time.perf_counter()
            await memory.tidy()  # its first sweep
            swept = time.perf_counter() - began
            figures = await _measure(memory, range(first, first + alone))
            figures |= await _beside(memory, path, range(first + alone, first + given.people))
        print(
            f"| {size:,} |",
            " | ".join(f"{figures[name]:.2f}" for name in columns),
            f"| (sweep {swept:.2f} s)",
            flush=True,
        )
        _stores.discard(path)


if __name__ == "__main__":
    asyncio.run(main())
