"""Who gives up is taken out of the line; what has begun is done, but for reads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

import pytest

from zgadka import Memory
from zgadka.stores.sql import queries
from zgadka.stores.tx import Tx
from zgadka.text import reply_words

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def busy(memory: Memory, *, reads: bool = False, times: int = 1) -> AsyncIterator[None]:
    """While it lasts, so many operations of the kind are under way, and others wait for them."""
    begun, ends = threading.Semaphore(0), threading.Event()

    def hold(tx: Tx) -> None:
        begun.release()
        assert ends.wait(120)

    holding = [asyncio.create_task((memory.look if reads else memory.apply)(hold)) for _ in range(times)]
    for _ in range(times):
        await asyncio.to_thread(begun.acquire)
    try:
        yield
    finally:
        ends.set()
        await asyncio.gather(*holding)


async def cancelled(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_write_whose_caller_gave_up_before_it_began_is_never_done(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory)
    async with busy(memory):
        giving_up = asyncio.create_task(memory.record("user", "never said", person.turn()))
        staying = asyncio.create_task(memory.record("user", "said", person.turn()))
        await asyncio.sleep(0)
        await cancelled(giving_up)
    await staying
    assert [message.text for message in await memory.recent(person.turn())] == ["said"]


async def test_a_write_that_has_begun_is_done_though_its_caller_gave_up(tmp_path, opening):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    begun, ends = threading.Event(), threading.Event()

    def say(tx: Tx) -> None:
        begun.set()
        assert ends.wait(120)
        tx.next_id("said")

    saying = asyncio.create_task(memory.apply(say))
    await asyncio.to_thread(begun.wait)
    await cancelled(saying)
    ends.set()
    assert await memory.apply(lambda tx: tx.last_id("said")) == 1


async def test_a_read_whose_caller_gave_up_before_it_began_is_never_done(tmp_path, opening):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    looked: list[str] = []
    async with busy(memory, reads=True, times=2):
        giving_up = asyncio.create_task(memory.look(lambda _: looked.append("never")))
        staying = asyncio.create_task(memory.look(lambda _: looked.append("looked")))
        await asyncio.sleep(0)
        await cancelled(giving_up)
    await staying
    assert looked == ["looked"]


@pytest.mark.partitioned
async def test_a_read_ends_with_its_caller_at_its_next_query(lasting_url, opening):
    memory = await opening(lasting_url)
    begun, ended = threading.Semaphore(0), threading.Semaphore(0)

    def look_for_ever(tx: Tx) -> None:
        begun.release()
        try:
            while True:
                tx.last_id("message")
        finally:
            ended.release()

    looking = [asyncio.create_task(memory.look(look_for_ever)) for _ in range(3)]
    await asyncio.to_thread(begun.acquire)
    for task in looking:
        await cancelled(task)
    assert await asyncio.to_thread(ended.acquire, timeout=120)
    assert await memory.look(lambda tx: tx.last_id("message")) == 0


async def test_a_query_of_sqlite_ends_with_its_caller(tmp_path, opening, monkeypatch):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", background=False)
    endless = """
        SELECT value FROM sequence WHERE name = :name UNION ALL SELECT x FROM (
            WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n) SELECT x FROM n
        ) WHERE :name = 'endless' AND x < 0
        """
    begun = threading.Semaphore(0)

    def look(tx: Tx) -> int:
        begun.release()
        return tx.last_id("endless")

    with monkeypatch.context() as patch:
        patch.setitem(queries("sqlite"), "sequence_get", endless)
        looking = [asyncio.create_task(memory.look(look)) for _ in range(2)]
        for _ in looking:
            await asyncio.to_thread(begun.acquire)
        for task in looking:
            await cancelled(task)
    assert await asyncio.wait_for(memory.look(lambda tx: tx.last_id("message")), 120) == 0


async def test_what_may_be_forgotten_is_listed_while_something_else_is_written(lasting_url, opening, make_person):
    uncounted = {"calls_per_answer": 0, "calls_per_hour": 0, "calls_per_space_hour": 0}
    memory = await opening(lasting_url, **uncounted)
    person = make_person(memory)
    await person.fact("location", "Kyiv")
    async with busy(memory):
        listing = await asyncio.wait_for(person.call("forget", query="Kyiv"), 60)
    assert [candidate["content"] for candidate in listing["candidates"]] == ["location: Kyiv"]


async def test_the_words_of_an_answer_are_loaded_before_the_writer_is_held(tmp_path, opening, make_person, monkeypatch):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}", memory_tool_async=False)
    person = make_person(memory)
    fact = await person.fact("location", "Kyiv")
    await person.call("forget", memory_id=fact["fact_id"])
    loaded, read = threading.Event(), reply_words._lexicon.__wrapped__

    def load() -> Any:
        words = read()
        loaded.set()
        return words

    monkeypatch.setattr(reply_words, "_lexicon", cache(load))  # as in a program that has just begun
    async with busy(memory):
        agreeing = asyncio.create_task(person.call("forget", turn=person.turn(text="Yes"), memory_id=fact["fact_id"]))
        assert await asyncio.to_thread(loaded.wait, 120)
        assert not agreeing.done()
    assert (await agreeing).status == "deleted"


@pytest.mark.parametrize("back_end", ["sqlite-file", "postgres"], indirect=False)
async def test_who_asks_many_long_questions_at_once_leaves_readers_for_others(open_store, make_person):
    """However many of one caller's reads are under way, another's begin."""
    memory = await open_store(connections=6)
    anna, petro = make_person(memory).at(user=1), make_person(memory).at(user=2)
    ends = threading.Event()

    def hold(tx: Tx, turn: Any) -> None:
        assert ends.wait(120), turn

    holding = [asyncio.create_task(memory.look(hold, anna.turn())) for _ in range(20)]
    await asyncio.sleep(0.1)
    try:
        async with asyncio.timeout(60):
            assert await memory.look(lambda tx, turn: "answered", petro.turn()) == "answered"
            assert (await petro.call("recall", query="tea")).status == "success"
    finally:
        ends.set()
        await asyncio.gather(*holding)


async def test_what_takes_long_is_read_one_at_a_time_and_others_are_answered_meanwhile(tmp_path, opening, make_person):
    memory = await opening(f"sqlite:///{tmp_path / 'memory.db'}")
    person = make_person(memory)
    under_way, most, ends = 0, 0, threading.Event()

    def hold(tx: Tx) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        assert ends.wait(120)
        under_way -= 1

    holding = [asyncio.create_task(memory._store.read_long(hold)) for _ in range(4)]
    await asyncio.sleep(0.1)
    async with asyncio.timeout(60):
        assert (await person.call("recall", query="tea")).status == "success"
    ends.set()
    await asyncio.gather(*holding)
    assert most == 1
