"""What is deleted leaves no byte in the database's files once the undo window is past."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from long_run import cases

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.message_block import Block
from zgadka.ops.access import find_space
from zgadka.ops.messages import record
from zgadka.stores import executor
from zgadka.stores.sqlite.checkpoint import Checkpoints
from zgadka.stores.tx import Tx

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class World:
    """A memory on a file whose clock is set by hand."""

    def __init__(self, path: Path, memory: Memory) -> None:
        self.path = path
        self.memory = memory
        self.now = START
        self._turns = 0

    def turn(self, user: int = 1) -> Turn:
        self._turns += 1
        return Turn(platform="test", space="s", chat=f"c{user}", user=user, turn=f"t{self._turns}")

    async def note(self, content: str, user: int = 1) -> int:
        said = await self.memory.call("remember", {"content": content}, self.turn(user))
        assert said.status == "success", said
        return said["memory_id"]

    async def delete(self, memory_id: int, user: int = 1) -> None:
        asked = await self.memory.call("forget", {"memory_id": memory_id}, self.turn(user))
        assert asked.status == "confirmation_required", asked
        deleted = await self.memory.call("forget", {"memory_id": memory_id}, self.turn(user))
        assert deleted.status == "deleted", deleted

    async def pass_undo_window(self) -> None:
        self.now += timedelta(hours=24, seconds=1)
        await self.memory.tidy()

    def bytes(self) -> bytes:
        """All bytes of the database's files, with the log folded in."""
        with closing(Checkpoints(self.path)) as checkpoints:
            assert checkpoints.empty(10)  # the program notes its counts on its own, maybe just now
        return b"".join(file.read_bytes() for file in self.files())

    def files(self) -> list[Path]:
        return sorted(self.path.parent.iterdir())


@asynccontextmanager
async def opened(path: Path, **settings: Any) -> AsyncIterator[World]:
    worlds: list[World] = []
    memory = open_memory(f"sqlite:///{path}", settings=Settings(**settings), clock=lambda: worlds[0].now)
    worlds.append(World(path, memory))
    async with memory:
        yield worlds[0]


def traces(data: bytes, word: str) -> list[bytes]:
    """Every place where the word stands, in any case, with what surrounds it."""
    lowered = data.lower()
    places: list[bytes] = []
    at = lowered.find(word.lower().encode())
    while at >= 0:
        places.append(data[max(0, at - 40) : at + 60])
        at = lowered.find(word.lower().encode(), at + 1)
    return places


@pytest.mark.asyncio
async def test_a_deleted_text_stays_for_undo_and_is_in_no_byte_afterwards(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory.db") as world:
        secret = await world.note("The safe opens with xylographer")
        for number in range(20):
            await world.note(f"Neighbour {number} likes tea")
        await world.delete(secret)
        assert traces(world.bytes(), "xylographer"), "the undo window keeps the text in the trail"
        await world.pass_undo_window()
        assert traces(world.bytes(), "xylographer") == []
    assert traces(world.bytes(), "xylographer") == []


@pytest.mark.asyncio
async def test_a_deleted_fact_with_its_excerpt_and_earlier_values_is_in_no_byte_afterwards(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory.db") as world:
        fact = {"user_id": 1, "fact_type": "personal", "fact_key": "location", "confidence": 0.9}
        quote = {"source_excerpt": "I came from Quixotania yesterday"}
        said = await world.memory.call("remember_fact", fact | {"fact_value": "Zubrowka"} | quote, world.turn())
        await world.memory.call(
            "update_fact",
            fact | {"new_value": "Vulgaria", "change_reason": "correction"},
            world.turn(),
        )
        await world.delete(said["fact_id"])
        await world.pass_undo_window()
        data = world.bytes()
        assert [traces(data, word) for word in ("Zubrowka", "Vulgaria", "Quixotania")] == [[], [], []]


@pytest.mark.asyncio
async def test_a_deletion_without_an_undo_window_leaves_no_byte_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory.db", undo_hours=0) as world:
        await world.note("A neighbour")
        await world.delete(await world.note("Потаємне слово: xylographer"))
        data = world.bytes()
        assert traces(data, "xylographer") == []
        assert "Потаємне".encode() not in data


@pytest.mark.asyncio
@pytest.mark.parametrize("seed", range(1, 1 + cases(1, long=10)))
async def test_after_a_scrub_deleted_texts_among_many_neighbours_are_in_no_byte(tmp_path: Path, seed: int) -> None:
    """Rows of many lengths come and go: pages split and merge, and leave copies that `secure_delete` does not zero."""
    dice = random.Random(seed)
    secrets: list[str] = []
    waiting: dict[int, int] = {}
    async with opened(tmp_path / "memory.db", calls_per_hour=0) as world:
        for number in range(400):
            word = f"zq{dice.randrange(10**12):012d}"
            content = f"{word} " + " ".join(f"w{dice.randrange(3000)}" for _ in range(dice.choice((1, 5, 30, 120))))
            user = dice.randrange(1, 4)
            memory_id = await world.note(content, user)
            if dice.random() < 0.3:
                secrets.append(word)
                waiting[memory_id] = user
            if number % 50 == 49:
                while waiting:
                    await world.delete(*waiting.popitem())
        await world.pass_undo_window()
        assert world.memory._store.scrub()
        data = b"".join(file.read_bytes() for file in world.files())
        assert [word for word in secrets if traces(data, word)] == []
        assert (await world.memory.call("recall", {"query": "w17 w18 w19"}, world.turn()))["count"] > 0


@pytest.mark.asyncio
async def test_a_scrub_that_a_reader_is_in_the_way_of_says_so_and_can_be_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 0)
    async with opened(tmp_path / "memory.db") as world:
        await world.note("A neighbour")
        reader = apsw.Connection(str(world.path))
        reader.execute("BEGIN; SELECT count(*) FROM memory").fetchall()
        assert world.memory._store.scrub() is False
        reader.execute("ROLLBACK")
        writer = apsw.Connection(str(world.path))
        writer.set_busy_timeout(10_000)  # ms: the memory's own upkeep may be writing
        writer.execute("BEGIN IMMEDIATE")
        assert world.memory._store.scrub() is False
        writer.execute("ROLLBACK")
        monkeypatch.undo()  # the memory's own upkeep may be writing
        assert world.memory._store.scrub() is True
        reader.close()
        writer.close()


@pytest.mark.asyncio
async def test_an_erasure_leaves_what_others_have_in_the_index_as_it_is(tmp_path: Path) -> None:
    """Written anew, the index would make it take as long as all that others have."""
    async with opened(tmp_path / "memory.db", calls_per_hour=0) as world:
        for user in range(2, 12):
            await world.note(f"Neighbour {user} likes tea", user)
        await world.note("The safe opens with xylographer")
        segments = _segments(world.path)
        assert (await world.memory.erase(world.turn())).scrubbed
        assert _segments(world.path) >= segments > 1
        data = b"".join(file.read_bytes() for file in world.files())
        assert traces(data, "xylographer") == traces(data, "xilograf") == []


def _segments(path: Path) -> int:
    """How many parts the full-text index is in."""
    connection = apsw.Connection(str(path))
    [(count,)] = connection.execute("SELECT count(DISTINCT segid) FROM memory_index_idx")
    connection.close()
    return count


@pytest.mark.asyncio
async def test_who_is_erased_is_in_no_byte_of_what_long_chats_are_found_by(tmp_path: Path) -> None:
    """Blocks are compressed: their former bytes are looked for as they were."""
    async with opened(tmp_path / "memory.db") as world:
        other, gone = (replace(world.turn(user), chat="c", turn=None) for user in (1, 2))

        def say(tx: Tx) -> None:
            for number in range(700):
                record(tx, other if number % 2 else gone, "user", f"{'tea' if number % 2 else 'xylographer'} {number}")

        def kept(tx: Tx) -> list[bytes]:
            chat = tx.blocks.chat(find_space(tx, gone), gone.conversation)
            assert chat is not None
            return [block.encode() for block in tx.blocks.get(chat, tx.blocks.newest(chat, 100)).values()]

        await world.memory.apply(say)
        await world.memory._maintenance.fill_blocks()
        former = await world.memory.look(kept)
        data = world.bytes()
        assert former
        assert all(block[20:60] in data for block in former)
        receipt = await world.memory.erase(replace(gone, direct=True))
        assert receipt.scrubbed
        data = world.bytes()
        assert traces(data, "xylographer") == []
        for block in former:
            assert not any(block[at : at + 40] in data for at in range(0, len(block), 40))
        assert all("tea" in Block.decode(block).words for block in await world.memory.look(kept))
        assert [hit.message.text for hit in await world.memory.search_messages("1", other, 1)] == ["tea 1"]


SECOND_PROCESS = """
import asyncio, sys
from zgadka import Settings, Turn, open_memory

async def main(path):
    async with open_memory(f"sqlite:///{path}", settings=Settings(calls_per_hour=0)) as memory:
        number = 0
        while True:
            number += 1
            turn = Turn(platform="test", space="s", chat="c9", user=9, turn=f"p{number}")
            await memory.call("remember", {"content": f"Neighbour 9 likes tea {number}"}, turn)
            await memory.call("recall", {"query": "tea"}, turn)
            print(number, flush=True)

asyncio.run(main(sys.argv[1]))
"""


@pytest.mark.asyncio
async def test_an_erasure_leaves_no_byte_while_this_process_and_another_write_and_read(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    async with opened(path, calls_per_hour=0) as world:
        for number in range(60):
            await world.note(f"xylographer{number} {'word ' * (number % 7 * 10)}")
            await world.note(f"Neighbour 2 likes tea {number}", 2)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", SECOND_PROCESS, str(path)),
            env=os.environ | {"ZGADKA_EMBEDDER": "none"},
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None

        async def write_and_read() -> None:
            while True:
                await world.note(f"Neighbour 2 likes tea {len(os.urandom(9))}", 2)
                await world.memory.call("recall", {"query": "tea"}, world.turn(2))

        try:
            await process.stdout.readline()
            others = [asyncio.create_task(write_and_read()) for _ in range(3)]
            receipt = await world.memory.erase(world.turn())
            assert receipt.scrubbed
            # By a process of its own: to close a file that SQLite has open gives up its locks.
            reading = await asyncio.create_subprocess_exec(
                "cat", *map(str, world.files()), stdout=asyncio.subprocess.PIPE
            )
            data, _ = await reading.communicate()
            assert traces(data, "xylographer") == traces(data, "xilograf") == []
            assert b"Neighbour 9 likes tea" in data
        finally:
            process.kill()
            await process.wait()
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)
    data = b"".join(file.read_bytes() for file in world.files())
    assert traces(data, "xylographer") == []
    assert traces(data, "tea")
