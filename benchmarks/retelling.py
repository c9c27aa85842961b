"""How long an erasure looks for answers to others that retell somebody, as their messages and the answers grow."""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import _corpus

from zgadka import Settings, Turn, open_memory
from zgadka.model.people import Member
from zgadka.ops.retelling import retold_to_others
from zgadka.stores.tx import Tx

_VALUES = 200
"""So few different things are said that nearly every answer shares words with nearly every message."""
_KINDS = {
    "retold": "You know what Anna told me: {value}, and she likes it.",
    "about the same things": "Anna has heard of {value}, as everybody here, I suppose, and said nothing.",
    "a word in common": "Anna has heard of {value:.12}.",
    "about other things": "Anna was here and asked about the weather.",
}


async def _measure(kind: str, messages: int, answers: int) -> tuple[float, int]:
    """Seconds of CPU of the look, and how many answers it found."""
    now = datetime(2026, 3, 1, tzinfo=UTC)
    async with open_memory("sqlite://:memory:", settings=Settings(background=False), clock=lambda: now) as memory:
        for user, name in ((1, "Anna"), (2, "Bob")):
            await memory.report_member("bench", "S", Member(user=str(user), number=user, name=name))
        chance = random.Random(1)
        values = [_corpus.fact(chance, number).value for number in range(_VALUES)]
        every = max(1, messages // answers)

        def turn(user: int, number: int) -> Turn:
            at = now - timedelta(hours=2) + timedelta(seconds=number)
            return Turn(platform="bench", space="S", chat="c", user=user, message=f"{user}-{number}", time=at)

        for number in range(messages):
            told = " with ".join(chance.choices(values, k=3))
            text = f"Well, I like {told}. It was good to see that again."
            await memory.record("user", text, turn(1, number))
            if number % every == 0 and number // every < answers:
                said = _KINDS[kind].format(value=f"{chance.choice(values)} and {chance.choice(values)}")
                await memory.record("assistant", said, turn(2, number))

        def look(tx: Tx) -> int:
            person = tx.owners.find("person", "bench", "1") or 0
            space = tx.owners.find("space", "bench", "S") or 0
            return sum(len(found.answers) for found in retold_to_others(tx, person, {space: ["Anna"]}))

        began = time.process_time()
        found = await memory.look(look)
        return time.process_time() - began, found


async def main(sizes: Sequence[tuple[int, int]]) -> None:
    print("| answers | messages | answers | found | CPU s |\n|---|---:|---:|---:|---:|")
    for kind in _KINDS:
        for messages, answers in sizes:
            seconds, found = await _measure(kind, messages, answers)
            print(f"| {kind} | {messages:,} | {answers:,} | {found} | {seconds:.2f} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=2_000, help="messages of the person")
    most = parser.parse_args().most
    asyncio.run(main([(most // 4, 125), (most // 2, 250), (most, 500)]))
