"""Both engines rank the same memories in the same way.

1,000 questions over 2,000 memories with `--long`; some of both without.
"""

from __future__ import annotations

import asyncio
import random
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from long_run import cases

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.ops.remember import New, remember
from zgadka.stores import cache
from zgadka.stores.tx import Tx

MEMORIES = cases(500, long=2000)
QUESTIONS = cases(100, long=1000)
PEOPLE = 20
STEP = 200
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = re.findall(
    r"\S+",
    """
    tea coffee chess Kyiv Lviv guitar violin mountain river winter summer bicycle garden recipe bread cheese travel
    Berlin Paris football tennis painting opera theatre novel poetry Python Rust compiler database
    чай кава шахи Київ Львів гітара гори річка зима літо сад хліб подорож футбол книга вірші театр
    """,
)
SETTINGS: dict[str, Any] = {"background": False, "calls_per_answer": 0, "calls_per_hour": 0, "max_notes": 100_000}


def turn(user: int, number: int | str) -> Turn:
    return Turn(platform="test", space="s", chat="c", user=user, turn=str(number))


def said() -> list[tuple[int, str]]:
    """Who said what; some words are in many memories, most in few."""
    chosen = random.Random(1)
    rare = [f"{chosen.choice(WORDS)}{number}" for number in range(500)]

    def text() -> str:
        common = chosen.choices(WORDS, weights=[1 / (place + 1) for place in range(len(WORDS))], k=chosen.randint(2, 9))
        return " ".join([*common, *chosen.sample(rare, chosen.randint(0, 2))])

    return [(1 + number % PEOPLE, f"{text()} {number}") for number in range(MEMORIES)]


async def fill(memory: Memory) -> None:
    def keep(tx: Tx, part: list[tuple[int, str]]) -> None:
        for user, text in part:
            remember(tx, turn(user, 0), user, New(content=text))

    everything = said()
    for first in range(0, len(everything), STEP):
        await memory.apply(keep, everything[first : first + STEP])


async def rankings(memory: Memory) -> list[list[tuple[str, float]]]:
    chosen = random.Random(2)
    found: list[list[tuple[str, float]]] = []
    for number in range(QUESTIONS):
        query = " ".join(chosen.sample(WORDS, chosen.randint(1, 4)))
        limit = chosen.choice((5, 20, 50))
        arguments: dict[str, Any] = {"query": query, "limit": limit}
        result = await memory.call("recall", arguments, turn(1 + number % PEOPLE, f"q{number}"))
        assert result.status == "success", result
        found.append([(one["content"], one["similarity"]) for one in result["memories"]])
    return found


def without_ties(ranking: list[tuple[str, float]]) -> list[Any]:
    """The texts in order; those of the same score as a set, and the last ones left out, as some may be cut off."""
    groups: dict[float, set[str]] = {}
    for text, score in ranking:
        groups.setdefault(score, set()).add(text)
    return list(groups.items())[:-1]


def test_many_questions_have_the_same_answers_on_both_engines(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def ranked(database: str, *, new: bool = True) -> list[list[tuple[str, float]]]:
        async with open_memory(database, settings=Settings(**SETTINGS), clock=lambda: NOON) as memory:
            if new:
                await fill(memory)
            return await rankings(memory)

    on_sqlite = asyncio.run(ranked(f"sqlite:///{tmp_path / 'memory.db'}"))
    on_postgres = asyncio.run(ranked(url))
    monkeypatch.setattr(cache, "LIMIT_BYTES", 0)
    from_rows = asyncio.run(ranked(url, new=False))  # without any index in memory
    assert sum(len(ranking) for ranking in on_sqlite) > QUESTIONS * 5
    for one, two, three in zip(on_sqlite, on_postgres, from_rows, strict=True):
        assert without_ties(one) == without_ties(two) == without_ties(three)
