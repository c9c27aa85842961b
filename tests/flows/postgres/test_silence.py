"""A server that is there and says nothing: nobody waits for it for long, and most not at all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from postgres_server import PostgresServer
from wire import Wire

from zgadka import Memory, Settings, open_memory
from zgadka.errors import StoreUnavailable
from zgadka.stores import executor
from zgadka.stores.postgres.breaker import Breaker
from zgadka.stores.postgres.pool import Pool
from zgadka.stores.postgres.session import Database, Session, answered_within
from zgadka.stores.postgres.store import PostgresStore

pytestmark = pytest.mark.asyncio

CANNOT_BE_REACHED = ("error", "The memory cannot be reached right now; nothing was changed.")


@pytest.fixture
def wire(server: PostgresServer) -> Iterator[Wire]:
    folder = server.folder / "silent"
    folder.mkdir(exist_ok=True)
    wire = Wire(server.folder / ".s.PGSQL.5432", folder / ".s.PGSQL.5432")
    yield wire
    wire.is_open.set()
    wire.close()


@pytest.fixture
def through(url: str, server: PostgresServer, wire: Wire) -> str:
    """The URL of the database at the other end of the wire."""
    return url.replace(str(server.folder), str(server.folder / "silent"))


@pytest_asyncio.fixture
async def memory(through: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Memory]:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    async with open_memory(through, settings=Settings(background=False)) as memory:
        yield memory


async def test_while_a_server_says_nothing_others_are_told_so_at_once_and_once_it_does_all_goes_on(
    memory: Memory, wire: Wire, make_person: Any
) -> None:
    person = make_person(memory)
    await person.note("likes tea")
    wire.is_open.clear()
    first = await asyncio.wait_for(person.call("remember", content="likes coffee"), 60)
    assert (first.status, first.message) == CANNOT_BE_REACHED
    started = time.monotonic()
    for _ in range(5):
        refused = await person.call("remember", content="likes coffee")
        assert (refused.status, refused.message) == CANNOT_BE_REACHED
    with pytest.raises(StoreUnavailable, match="does not answer"):
        await memory.look(lambda tx: tx.owners.list())
    assert time.monotonic() - started < 1.0, "none of them waited for it again"
    wire.is_open.set()
    assert isinstance(memory._store, PostgresStore)
    while memory._store._breaker.away:  # noqa: ASYNC110  (another thread looks)
        await asyncio.sleep(0.05)
    await person.note("likes cocoa")
    assert sorted(await person.found("likes")) == ["likes cocoa", "likes tea"]


async def test_a_connection_is_not_waited_for_whose_last_transaction_got_no_answer_to_its_end(
    through: str, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database.of(through)
    with closing(Pool(database, Breaker(database.name))) as pool:
        with pool.lent(Session.begin_reading) as first:
            assert first.run("SELECT 1") == [(1,)]
            wire.is_open.clear()
            first.end()
        monkeypatch.setattr("zgadka.stores.postgres.session._REST_SECONDS", 0)
        monkeypatch.setattr(first, "waiting", lambda: pytest.fail("it was waited for"))
        made: list[Session] = []
        monkeypatch.setattr(Session, "__init__", lambda session, *_, **__: made.append(session))
        with pytest.raises(AttributeError):  # it has no connection
            pool.lent(Session.begin_reading).__enter__()
        assert len(made) == 1, "a new one was made"


async def test_what_no_watch_looks_after_is_ended_in_time(through: str, wire: Wire) -> None:
    with Database.of(through).connect() as connection:
        wire.is_open.clear()
        with pytest.raises(psycopg.OperationalError), answered_within(0.2, connection):
            connection.execute("SELECT 1")
        wire.is_open.set()
