"""Every test here runs over every back end. A new back end adds one line to `BACK_ENDS`.

With `--long` that is meant literally. Without it, `back_ends_of` leaves out what hardly ever tells anything new:

- The first case of a parametrised test runs on an SQLite file and on PostgreSQL, as a test without cases does.
- The other cases run on SQLite in memory alone, unless the test is marked `every_case`: what tells its cases apart is
  decided by the database (a scope, a pattern, a number that is too large), and not by Python.
- Tests marked `partitioned` run on PostgreSQL's divided tables, where the server refuses more: how rows are spread over
  spaces and people, and each tool once.

`test_back_ends.py` holds that no test misses an engine and no file misses the divided tables.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
import pytest_asyncio
from long_run import is_long
from postgres_server import server
from tests.support.group_world import World, open_world

from zgadka import Memory, Settings, open_memory

FOLDER = Path(__file__).parent

# Name: the URL of a fresh database, given an empty directory; and whether it outlives its `Memory`.
BACK_ENDS: dict[str, tuple[Callable[[Path], str], bool]] = {
    "sqlite-file": (lambda folder: f"sqlite:///{folder / 'memory.db'}", True),
    "sqlite-memory": (lambda _: "sqlite://:memory:", False),
    "postgres": (lambda folder: server().database_for(folder), True),
    # As Citus divides the tables over several servers.
    "postgres-partitioned": (lambda folder: server().database_for(folder, "partitioned"), True),
}


@dataclass(frozen=True)
class Case:
    """One case of a test over one back end."""

    file: str
    test: str
    parameters: str
    """All but the back end."""
    back_end: str


OFFERED = pytest.StashKey[set[Case]]()
CHOSEN = pytest.StashKey[set[Case]]()


def back_ends_of(offered: Sequence[str], *, is_first: bool, every_case: bool, partitioned: bool) -> set[str]:
    """The back ends, of those that a test has fixtures for, over which one of its cases runs without `--long`."""
    if not (is_first or every_case):
        return {"sqlite-memory" if "sqlite-memory" in offered else offered[0]}
    return {"sqlite-file", "postgres-partitioned" if partitioned else "postgres"}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "every_case: the database decides each case, not only the first")
    config.addinivalue_line("markers", "partitioned: concerns how rows are spread; runs on divided tables")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    cases = {item: case for item in items if (case := _case_of(item))}
    chosen = set(cases.values()) if is_long() else _chosen(cases)
    left_out = [item for item, case in cases.items() if case not in chosen]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in cases or cases[item] in chosen]
    config.stash[OFFERED], config.stash[CHOSEN] = set(cases.values()), chosen


def _chosen(cases: Mapping[pytest.Item, Case]) -> set[Case]:
    offered: defaultdict[tuple[str, str], defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for case in cases.values():
        offered[case.file, case.test][case.parameters].append(case.back_end)
    chosen: set[Case] = set()
    for item, case in cases.items():
        by_parameters = offered[case.file, case.test]
        runs = back_ends_of(
            by_parameters[case.parameters],
            is_first=case.parameters == next(iter(by_parameters)),
            every_case="every_case" in item.keywords,
            partitioned="partitioned" in item.keywords,
        )
        if case.back_end in runs:
            chosen.add(case)
    return chosen


def _case_of(item: pytest.Item) -> Case | None:
    """Which case it is, of a test of this folder that has a back end."""
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec") or item.path.parent != FOLDER:
        return None
    parameters: dict[str, Any] = item.callspec.params
    back_end = parameters.get("lasting_url", parameters.get("back_end"))
    if back_end is None:
        return None
    return Case(item.path.name, item.originalname, item.callspec.id.replace(back_end, "", 1), back_end)


@pytest.fixture
def offered(request: pytest.FixtureRequest) -> set[Case]:
    """Every case of every test of this folder that pytest was told to collect."""
    return request.config.stash[OFFERED]


@pytest.fixture
def chosen(request: pytest.FixtureRequest) -> set[Case]:
    """Those of them that run."""
    return request.config.stash[CHOSEN]


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
                try:
                    cursor = connection.execute(statement.encode())
                except psycopg.errors.InternalError as error:
                    if "not supported on distributed tables" not in str(error):
                        raise
                    pytest.skip(str(error))  # on a cluster that ZGADKA_TEST_POSTGRES names
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


@pytest_asyncio.fixture
async def world(url: str) -> AsyncIterator[World]:
    """A group of three whose clock goes on with each message."""
    world = await open_world(World(url))
    yield world
    await world.memory.close()


@pytest.fixture
def ann(memory: Memory, make_person: Callable[..., Any]) -> Any:
    return make_person(memory)


@pytest.fixture
def bob(memory: Memory, make_person: Callable[..., Any]) -> Any:
    return make_person(memory, user=8)
