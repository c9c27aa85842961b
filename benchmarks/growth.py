"""What a chat's length costs: search, context and one more message, in a chat of 1,000 to a million messages."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import _machine
import _stores
import apsw

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.timestamps import micros
from zgadka.ops.message_blocks import make_block, next_chat
from zgadka.stores.tx import Tx

SIZES = (1_000, 10_000, 100_000, 1_000_000)
_PEOPLE = 40
_VOCABULARY = 60_000
_SYLLABLES = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
_PAUSE = timedelta(seconds=20)
_NIGHT = timedelta(hours=9)
_BEFORE_NIGHT = 2_500
_START = datetime(2026, 1, 1, 8, tzinfo=UTC)


def text_of(number: int) -> str:
    """Twelve words of a vocabulary in which a few are everywhere and most are rare, as in a language."""
    chance = random.Random(number)
    return " ".join(_word(int(_VOCABULARY ** chance.random())) for _ in range(12))


def _word(rank: int) -> str:
    parts: list[str] = []
    rest = rank * 2_654_435_761 % 2**32 % (len(_SYLLABLES) ** 4)
    for _ in range(4):
        rest, part = divmod(rest, len(_SYLLABLES))
        parts.append(_SYLLABLES[part])
    return "".join(parts)


def _at(number: int) -> datetime:
    """A busy day, then a night."""
    return _START + number * _PAUSE + number // _BEFORE_NIGHT * _NIGHT


def turn_of(person: int, number: int, **more: Any) -> Turn:
    """What somebody says in the chat, as its message of this number."""
    return Turn(platform="bench", space="group", chat="group", user=str(1 + person), time=_at(number), **more)


def _make_blocks(tx: Tx) -> bool:
    """What is done in the background, without its pauses."""
    for _ in range(20):
        chat = next_chat(tx)
        if chat is None:
            return False
        make_block(tx, chat)
    return True


async def fill(path: Path, size: int) -> float:
    """Keep so many messages as rows, as an older program did it, and have made of them what the product makes.

    Args:
        path: Of a store that holds no other messages.

    Returns:
        How many seconds the latter took.
    """
    memory = open_memory(f"sqlite:///{path}", settings=Settings(message_days=100_000), clock=lambda: _at(size))
    for person in range(_PEOPLE):
        await memory.record("user", text_of(person), turn_of(person, 0))
    await memory.close()
    connection = apsw.Connection(str(path))
    space, first = cast("Any", connection.execute("SELECT owner, max(id) FROM message").fetchall()[0])
    people = [row[0] for row in connection.execute("SELECT DISTINCT person FROM message ORDER BY person")]
    rows = (
        (space, first + number, people[number % _PEOPLE], text_of(number), micros(_at(number)))
        for number in range(1, size + 1 - _PEOPLE)
    )
    connection.execute("PRAGMA cache_size=-500000; PRAGMA synchronous=OFF; BEGIN")
    connection.executemany(
        "INSERT INTO message (owner, id, chat, thread, lineage, role, person, text, at) "
        "VALUES (?, ?, 'group', '', 0, 'user', ?, ?, ?)",
        rows,
    )
    connection.execute("UPDATE sequence SET value = value + ? WHERE name = 'message'; COMMIT", (size,))
    connection.close()
    memory = _opened(path, size)
    started = time.perf_counter()
    await memory.apply(lambda tx: tx.blocks.find_long(space))
    while await memory.apply(_make_blocks):
        pass
    taken = time.perf_counter() - started
    await memory.close()
    return taken


def _opened(path: Path, size: int) -> Memory:
    settings = Settings(message_days=100_000, memory_tool_timeout_ms=600_000)
    return open_memory(f"sqlite:///{path}", settings=settings, clock=lambda: _at(size))


async def _time(name: str, rounds: int, ask: Callable[[int], Awaitable[object]]) -> dict[str, float]:
    """Milliseconds of the first, and of the others the median, the mean of the processor's and the slowest."""
    taken: list[float] = []
    cpu = 0.0
    for number in range(rounds):
        started = time.perf_counter()
        await ask(number)
        taken.append((time.perf_counter() - started) * 1000)
        cpu = cpu if number else time.process_time()
    cpu = (time.process_time() - cpu) * 1000 / (rounds - 1)
    figures = {"first": taken[0], "p50": statistics.median(taken[1:]), "CPU": cpu, "max": max(taken[1:])}
    return {f"{name} {figure}": value for figure, value in figures.items()}


async def _measure(path: Path, size: int, rounds: int) -> dict[str, float]:
    memory = _opened(path, size)
    chance = random.Random(size)
    queries = [" ".join(text_of(chance.randrange(_PEOPLE, size)).split()[:4]) for _ in range(rounds)]

    def searching(number: int) -> Awaitable[object]:
        return memory.search_messages(queries[number], turn_of(number % _PEOPLE, size + number, turn=f"s{number}"), 10)

    def in_context(number: int) -> Awaitable[object]:
        turn = turn_of(number % _PEOPLE, size + number, turn=f"c{number}", text=queries[number])
        return memory.build_context(turn, 1_000)

    def recording(number: int) -> Awaitable[object]:
        turn = turn_of(number % _PEOPLE, size + number, message=f"m{number}")
        return memory.record("user", text_of(-number), turn)

    figures: dict[str, float] = {}
    found = 0
    for name, ask, times in (
        ("search", searching, rounds),
        ("context", in_context, rounds),
        ("record", recording, rounds * 20),
    ):
        figures |= await _time(name, times, ask)
    for number in range(rounds):  # a question with the words of a message: that message is among the first ten
        hits = await memory.search_messages(queries[number], turn_of(0, size), 10)
        found += any(queries[number] in hit.message.text for hit in hits)
    figures["found %"] = 100 * found / rounds
    figures["RSS MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    await memory.close()
    return figures


def _in_a_process(path: Path, size: int, rounds: int) -> dict[str, float]:
    """Measured in a process of its own, whose memory is what this took."""
    command = [sys.executable, __file__, "--measure", str(path), "--sizes", str(size), "--rounds", str(rounds)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> None:
    """Fill chats and measure them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="messages of the chats")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    if options.measure:
        print(json.dumps(asyncio.run(_measure(options.measure, sizes[0], options.rounds))))
        return
    results: dict[int, dict[str, float]] = {}
    for size in sizes:
        path = _stores.folder() / f"growth-{size}.db"
        _stores.discard(path)
        filled = asyncio.run(fill(path, size))
        results[size] = _in_a_process(path, size, options.rounds)
        results[size] |= {"filled s": filled, "file MB": path.stat().st_size / 2**20}
        _stores.discard(path)
        print(size, {name: round(value, 1) for name, value in results[size].items()}, file=sys.stderr)
    print("\n".join(f"{name}: {value}" for name, value in _machine.describe(_stores.folder()).items()))
    names = list(next(iter(results.values())))
    print("| messages | " + " | ".join(names) + " |", "|---" * (1 + len(names)) + "|", sep="\n")
    for size, figures in results.items():
        print(f"| {size:,} | " + " | ".join(f"{figures[name]:,.2f}" for name in names) + " |")


if __name__ == "__main__":
    main()
