"""What a person's own number of memories costs: each tool and a context, for a person of 100 to 50,000 memories."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any, cast

import _corpus
import _machine
import _stores

from zgadka import Memory, Settings, open_memory
from zgadka.ops.remember import New, remember
from zgadka.stores.tx import Tx

_PERSON = 1
_BATCH = 500


def keep(tx: Tx, person: int, numbers: range) -> None:
    """Have a person's direct chat remember so many facts and notes."""
    for number in numbers:
        chance = random.Random(number)
        if chance.random() < 0.2:
            new = New(content=_corpus.note(chance, number))
        else:
            fact = _corpus.fact(chance, number)
            new = New(content=fact.value, type=cast("Any", fact.type), key=fact.key, confidence=0.9)
        remember(tx, _stores.turn_of(person), person, new)


def _calls(memory: Memory) -> dict[str, Callable[[int], Awaitable[object]]]:
    chance = random.Random(5)

    def tool(name: str, arguments: Callable[[int], dict[str, Any]]) -> Callable[[int], Awaitable[object]]:
        return lambda number: memory.call(name, arguments(number), _stores.turn_of(_PERSON, f"{name}-{number}"))

    def new_fact(number: int) -> dict[str, Any]:
        fact = _corpus.fact(chance, 10_000_000 + number)
        of = {"fact_type": fact.type, "fact_key": fact.key, "fact_value": fact.value}
        return {"user_id": _PERSON, "confidence": 0.9} | of

    def context(number: int) -> Awaitable[object]:
        turn = _stores.turn_of(_PERSON, f"context-{number}", _corpus.typical_query(chance))
        return memory.build_context(turn, 1_000)

    return {
        "remember_fact": tool("remember_fact", new_fact),
        "remember": tool("remember", lambda number: {"content": f"{_corpus.note(chance, 20_000_000 + number)}"}),
        "recall": tool("recall", lambda _: {"query": _corpus.typical_query(chance)}),
        "recall_facts": tool("recall_facts", lambda _: {"user_id": _PERSON, "limit": 10}),
        "forget by query": tool("forget", lambda _: {"query": _corpus.typical_query(chance)}),
        "generate_profile_summary": tool("generate_profile_summary", lambda _: {"user_id": _PERSON}),
        "suggest_merge": tool("suggest_merge", lambda _: {"user_id": _PERSON}),
        "build_context": context,
    }


async def _clear(memory: Memory) -> float:
    """Milliseconds of all that is the person's being cleared, once they agreed; they wrote no messages."""
    arguments = {"user_id": _PERSON, "reason": "asked for"}
    await memory.call("forget", {"memory_id": 1}, _stores.turn_of(_PERSON, "refusing", "No"))
    await memory.call("clear_profile", arguments, _stores.turn_of(_PERSON, "asking"))
    started = time.process_time()
    result = await memory.call("clear_profile", arguments, _stores.turn_of(_PERSON, "agreeing", "Yes, everything"))
    taken = (time.process_time() - started) * 1000
    if result.status != "deleted":
        raise SystemExit(f"clear_profile answered {result.status}")
    return taken


async def _measure(size: int, rounds: int) -> dict[str, float]:
    """Milliseconds of the process's CPU a call, medians; the first of each, which may build an index, is left out."""
    path = _stores.folder() / f"growth-person-{size}.db"
    _stores.discard(path)
    settings = Settings(
        **dict.fromkeys(("max_facts", "max_notes"), 10 * size), background=False, memory_tool_async=False
    )
    figures: dict[str, float] = {}
    async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
        for first in range(0, size, _BATCH):
            await memory.apply(keep, _PERSON, range(first, min(size, first + _BATCH)))
        for name, call in _calls(memory).items():
            taken: list[float] = []
            for number in range(1 + rounds):
                started = time.process_time()
                await call(number)
                taken.append((time.process_time() - started) * 1000)
            figures[name] = statistics.median(taken[1:])
        figures["clear_profile"] = await _clear(memory)
    _stores.discard(path)
    return figures


def main() -> None:
    """Fill stores with one person's memories and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100,1000,10000,50000")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    results: list[dict[str, float]] = []
    for size in sizes:
        results.append(asyncio.run(_measure(size, options.rounds)))
        print(size, {name: round(value, 2) for name, value in results[-1].items()}, file=sys.stderr)
    print("\n".join(f"{name}: {value}" for name, value in _machine.describe(_stores.folder()).items()))
    print(
        "| | " + " | ".join(f"{size:,}" for size in sizes) + " | last / first |",
        "|---" * (2 + len(sizes)) + "|",
        sep="\n",
    )
    for name in results[0]:
        values = [result[name] for result in results]
        print(f"| {name} | " + " | ".join(f"{value:,.2f}" for value in values) + f" | {values[-1] / values[0]:.1f} |")


if __name__ == "__main__":
    main()
