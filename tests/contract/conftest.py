"""Every test here runs over every back end. A new back end adds one line to `BACK_ENDS`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
import pytest_asyncio
from postgres_server import server

from zgadka import Memory, Settings, open_memory

# Name: the URL of a fresh database, given an empty directory; and whether it outlives its `Memory`.
BACK_ENDS: dict[str, tuple[Callable[[Path], str], bool]] = {
    "sqlite-file": (lambda folder: f"sqlite:///{folder / 'memory.db'}", True),
    "sqlite-memory": (lambda _: "sqlite://:memory:", False),
    "postgres": (lambda folder: server().database_for(folder), True),
    # As Citus divides the tables over several servers.
    "postgres-partitioned": (lambda folder: server().database_for(folder, "partitioned"), True),
}


@pytest.fixture(params=list(BACK_ENDS))
def back_end(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def url(back_end: str, tmp_path: Path) -> str:
    """The URL of a fresh database of the back end under test."""
    return BACK_ENDS[back_end][0](tmp_path)


@pytest.fixture(params=[name for name, (_, lasts) in BACK_ENDS.items() if lasts])
def lasting_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a fresh database that can be closed and opened again, also by several at once."""
    return BACK_ENDS[request.param][0](tmp_path)


@pytest_asyncio.fixture
async def opening(clock: Any) -> AsyncIterator[Callable[..., Any]]:
    """Open a memory with settings of one's own: `await opening(url, max_facts=3)`; closed after the test."""
    async with AsyncExitStack() as stack:

        async def open_(url: str, **settings: Any) -> Memory:
            memory = open_memory(url, settings=Settings(**settings), clock=clock)
            return await stack.enter_async_context(memory)

        yield open_


@pytest.fixture
def elsewhere() -> Callable[[str, str], list[tuple[Any, ...]]]:
    """Run a statement in the database from outside: `elsewhere(url, "ALTER TABLE …")`; returns its rows."""

    def run(url: str, statement: str) -> list[tuple[Any, ...]]:
        if url.startswith("postgresql:"):
            with psycopg.connect(url, autocommit=True, options="-c search_path=zgadka,public") as connection:
                cursor = connection.execute(statement.encode())
                return cursor.fetchall() if cursor.description else []
        with closing(apsw.Connection(url.removeprefix("sqlite:///"))) as connection:
            connection.set_busy_timeout(20_000)  # the engine tidies meanwhile
            return list(connection.execute(statement))

    return run


@pytest.fixture
def open_store(back_end: str, tmp_path: Path, opening: Callable[..., Any]) -> Callable[..., Any]:
    """Open a fresh memory of the back end under test: `await open_store(max_facts=3)`."""

    async def open_(**settings: Any) -> Memory:
        return await opening(BACK_ENDS[back_end][0](tmp_path), **settings)

    return open_


@pytest_asyncio.fixture
async def memory(open_store: Callable[..., Any]) -> Memory:
    return await open_store()
