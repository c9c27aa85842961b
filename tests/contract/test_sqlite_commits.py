"""The SQLite store's threads: what shares a commit, what fails with it, and how it ends."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from zgadka.errors import StoreBusy, StoreClosed, StoreError, StoreUnavailable
from zgadka.settings import Settings
from zgadka.stores import executor
from zgadka.stores.sqlite import store as sqlite_store
from zgadka.stores.sqlite.store import _BATCH, SqliteStore
from zgadka.stores.tx import Tx

DEADLINE = 60
"""Seconds after which a test gives up on another thread; far more than any machine needs."""

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def new_store(path: Path | None, **settings: Any) -> SqliteStore:
    return SqliteStore(path, settings=Settings(**settings), clock=lambda: NOW)


@asynccontextmanager
async def opened(path: Path | None, **settings: Any) -> AsyncIterator[SqliteStore]:
    store = new_store(path, **settings)
    try:
        yield store
    finally:
        await within(store.close())


async def within(awaitable: Any) -> Any:
    """Fail instead of hanging where an answer got lost."""
    return await asyncio.wait_for(awaitable, DEADLINE)


def keep(name: str) -> Callable[[Tx], int]:
    """An operation that leaves one row."""
    return lambda tx: tx.owners.ensure("person", "test", name)


def raising(error: BaseException, name: str = "lost") -> Callable[[Tx], None]:
    """An operation that changes a row and then fails."""

    def operation(tx: Tx) -> None:
        tx.owners.ensure("person", "test", name)
        raise error

    return operation


def kept(tx: Tx) -> set[str]:
    return {owner.name for owner in tx.owners.list()}


@asynccontextmanager
async def held(store: SqliteStore) -> AsyncIterator[None]:
    """Hold the writer thread: what is submitted meanwhile waits together."""
    begun, go_on = threading.Event(), threading.Event()

    def hold(_: Tx) -> None:
        begun.set()
        assert go_on.wait(DEADLINE)

    holding = asyncio.create_task(store.write(hold))
    assert await asyncio.to_thread(begun.wait, DEADLINE)
    try:
        yield
    finally:
        go_on.set()
        await within(holding)


async def together(store: SqliteStore, operations: Iterable[Callable[[Tx], Any]]) -> list[Any]:
    """Run the operations in one commit; returns their results and errors."""
    async with held(store):
        tasks = [asyncio.create_task(store.write(operation)) for operation in operations]
        await asyncio.sleep(0)  # each runs up to where it waits
    return await within(asyncio.gather(*tasks, return_exceptions=True))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


# One commit for all that wait


@pytest.mark.asyncio
async def test_operations_that_wait_share_one_commit(path: Path) -> None:
    commits: list[int] = []
    async with opened(path) as store:
        async with held(store):
            tasks = [asyncio.create_task(store.write(keep(f"p{number}"))) for number in range(_BATCH)]
            await asyncio.sleep(0)
            store._writer.apsw.set_commit_hook(lambda: bool(commits.append(1)))
        await within(asyncio.gather(*tasks))
        assert len(commits) == 2, "one of the operation that held the thread, one of the others"
        assert len(await store.read(kept)) == _BATCH


@pytest.mark.asyncio
async def test_what_gave_up_before_it_began_takes_no_place_in_a_commit(path: Path) -> None:
    """Else a process that has to wait for the others at each commit would do so for nothing."""
    begun: list[str] = []
    async with opened(path) as store:
        async with held(store):
            tasks = [asyncio.create_task(store.write(keep(f"p{number}"))) for number in range(2 * _BATCH)]
            await asyncio.sleep(0)
            last = asyncio.create_task(store.write(keep("last")))
            await asyncio.sleep(0)
            for task in tasks:
                task.cancel()
            store._writer.apsw.set_exec_trace(lambda _, statement, __: begun.append(statement) or True)
        await within(last)
        store._writer.apsw.set_exec_trace(None)
        assert [statement for statement in begun if statement.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]
        assert await store.read(kept) == {"last"}


@pytest.mark.asyncio
async def test_the_first_of_a_long_line_is_answered_before_the_last_has_begun(path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def last(_: Tx) -> None:
        begun.set()
        assert go_on.wait(DEADLINE)

    async with opened(path) as store:
        async with held(store):
            tasks = [asyncio.create_task(store.write(keep(f"p{number}"))) for number in range(480)]
            await asyncio.sleep(0)
            slow = asyncio.create_task(store.write(last))
            await asyncio.sleep(0)
        try:
            await within(tasks[0])
            await within(asyncio.to_thread(begun.wait, DEADLINE))
            await within(asyncio.wait(tasks[:400]))
            assert not slow.done(), "it is under way; those of the commit before it are told all the same"
        finally:
            go_on.set()
        await within(asyncio.gather(slow, *tasks))
        assert len(await store.read(kept)) == 480


@pytest.mark.asyncio
async def test_of_two_with_much_to_write_neither_waits_for_the_others_last(path: Path) -> None:
    async with opened(path) as one, opened(path) as other:
        order: list[str] = []

        async def write(store: SqliteStore, name: str, number: int) -> None:
            await store.write(keep(f"{name}{number}"))
            order.append(name)

        writes = [write(store, name, number) for number in range(2400) for store, name in ((one, "a"), (other, "b"))]
        await within(asyncio.gather(*writes))
        done = Counter(order[:2400])
        # Who comes next is chance, the more so on a busy machine.
        assert min(done["a"], done["b"]) >= 240, f"by turns, and not one after the other: {done}"


@pytest.mark.asyncio
async def test_those_of_a_large_commit_do_not_wait_for_a_slow_operation_after_it(path: Path) -> None:
    go_on = threading.Event()
    async with opened(path) as store:
        async with held(store):
            many = [asyncio.create_task(store.write(keep(f"p{number}"))) for number in range(_BATCH)]
            await asyncio.sleep(0)
            slow = asyncio.create_task(store.write(lambda _: go_on.wait(DEADLINE)))
            await asyncio.sleep(0)
        try:
            await within(asyncio.gather(*many))
            assert not slow.done()
        finally:
            go_on.set()
        assert await within(slow)


@pytest.mark.asyncio
async def test_what_failed_is_undone_and_no_operation_is_run_twice(path: Path) -> None:
    runs: list[str] = []

    def noted(name: str, error: bool) -> Callable[[Tx], int]:
        def operation(tx: Tx) -> int:
            runs.append(name)
            owner = tx.owners.ensure("person", "test", name)
            if error:
                raise ValueError(name)
            return owner

        return operation

    async with opened(path) as store:
        results = await together(store, [noted("a", False), noted("b", True), noted("c", False)])
        assert [type(result) for result in results] == [int, ValueError, int]
        assert runs == ["a", "b", "c"]
        assert await store.read(kept) == {"a", "c"}


class _Odd(BaseException):
    """Neither an Exception nor anything that asyncio treats specially."""


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (ValueError("bad"), ValueError),
        (StopIteration(1), RuntimeError),
        (_Odd(), _Odd),
        (asyncio.CancelledError(), asyncio.CancelledError),
        (apsw.ConstraintError("no"), StoreUnavailable),
        (MemoryError(), MemoryError),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else value.__name__,
)
@pytest.mark.parametrize("memory_only", [False, True], ids=["file", "memory"])
async def test_an_operation_that_fails_undoes_itself_alone(
    path: Path, error: BaseException, seen: type[BaseException], memory_only: bool
) -> None:
    async with opened(None if memory_only else path) as store:
        before, failed, after = await together(store, [keep("before"), raising(error), keep("after")])
        assert isinstance(failed, seen)
        assert isinstance(before, int)
        assert isinstance(after, int)
        assert await within(store.read(kept)) == {"before", "after"}
        assert isinstance(await within(store.write(keep("later"))), int), "the writer thread must still live"


@pytest.mark.asyncio
async def test_a_commit_that_fails_fails_for_every_caller_and_keeps_nothing(path: Path) -> None:
    async with opened(path) as store:
        async with held(store):
            tasks: list[asyncio.Task[Any]] = [asyncio.create_task(store.write(keep(f"p{n}"))) for n in range(5)]
            tasks.append(asyncio.create_task(store.write(raising(ValueError("own")))))
            await asyncio.sleep(0)
            held_commits = iter([False])  # the commit of the operation that holds the thread passes
            store._writer.apsw.set_commit_hook(lambda: next(held_commits, True))
        answers = await within(asyncio.gather(*tasks, return_exceptions=True))
        assert all(isinstance(answer, StoreError) for answer in answers), answers
        assert len({id(answer) for answer in answers}) == len(answers), "callers add tracebacks: each needs its own"
        assert await store.read(kept) == set()
        store._writer.apsw.set_commit_hook(None)
        await within(store.write(keep("again")))
        assert await store.read(kept) == {"again"}


@pytest.mark.asyncio
async def test_no_caller_is_answered_before_the_commit(path: Path) -> None:
    """When the answer comes, another connection sees the row."""
    other = None
    async with opened(path) as store:
        other = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        for number in range(50):
            await store.write(keep(f"p{number}"))
            assert other.execute("SELECT count(*) FROM owner").fetchall() == [(number + 1,)]
        other.close()


# Durability and connections


@pytest.mark.asyncio
async def test_the_writer_waits_for_the_disk_and_checks_and_wipes(path: Path) -> None:
    async with opened(path) as store:
        await store.write(keep("x"))

        def pragma(name: str) -> Any:
            return next(iter(store._writer.execute(f"PRAGMA {name}")))[0]

        assert pragma("synchronous") == 2
        assert pragma("journal_mode") == "wal"
        assert pragma("foreign_keys") == 1
        assert pragma("secure_delete") == 1
        assert pragma("trusted_schema") == 0


@pytest.mark.asyncio
async def test_a_durable_write_after_a_hasty_one_waits_for_the_disk_again(path: Path) -> None:
    async with opened(path) as store:
        await store.write_soon(keep("soon"))
        assert list(store._writer.execute("PRAGMA synchronous")) == [(1,)]
        await store.write(keep("durable"))
        assert list(store._writer.execute("PRAGMA synchronous")) == [(2,)]
        assert await store.read(kept) == {"soon", "durable"}


@pytest.mark.asyncio
async def test_one_durable_operation_makes_the_whole_commit_durable(path: Path) -> None:
    async with opened(path) as store:
        async with held(store):
            tasks = [
                asyncio.create_task(store.write_soon(keep("soon"))),
                asyncio.create_task(store.write(keep("durable"))),
                asyncio.create_task(store.write_soon(keep("soon too"))),
            ]
            await asyncio.sleep(0)
        await within(asyncio.gather(*tasks))
        assert list(store._writer.execute("PRAGMA synchronous")) == [(2,)]


def test_the_bundled_sqlite_is_one_without_the_wal_reset_bug() -> None:
    assert tuple(map(int, apsw.sqlite_lib_version().split("."))) >= (3, 51, 3)
    assert apsw.using_amalgamation, "the machine's own SQLite may be an old one"


@pytest.mark.asyncio
async def test_a_foreign_key_that_leads_nowhere_is_refused(path: Path) -> None:
    async with opened(path) as store:
        with pytest.raises(StoreError):
            await store.write(lambda tx: tx.members.mark_present(98, 99))
        assert await store.read(lambda tx: tx.members.list(98)) == []


@pytest.mark.asyncio
async def test_a_read_sees_one_snapshot_whatever_is_committed_meanwhile(path: Path) -> None:
    async with opened(path) as store:
        await store.write(keep("first"))
        looked, changed = threading.Event(), threading.Event()

        def look_twice(tx: Tx) -> tuple[set[str], set[str]]:
            before = kept(tx)
            looked.set()
            assert changed.wait(DEADLINE)
            return before, kept(tx)

        reading = asyncio.create_task(store.read(look_twice))
        assert await asyncio.to_thread(looked.wait, DEADLINE)
        await within(store.write(keep("second")))
        changed.set()
        assert await within(reading) == ({"first"}, {"first"})
        assert await store.read(kept) == {"first", "second"}


@pytest.mark.asyncio
async def test_a_long_read_does_not_hold_up_writes(path: Path) -> None:
    async with opened(path) as store:
        begun, go_on = threading.Event(), threading.Event()

        def dawdle(tx: Tx) -> set[str]:
            names = kept(tx)
            begun.set()
            assert go_on.wait(DEADLINE)
            return names

        reading = asyncio.create_task(store.read(dawdle))
        assert await asyncio.to_thread(begun.wait, DEADLINE)
        await within(store.write(keep("meanwhile")))
        assert not reading.done()
        go_on.set()
        await within(reading)


@pytest.mark.asyncio
async def test_a_read_cannot_change_anything(path: Path) -> None:
    async with opened(path) as store:
        with pytest.raises(StoreUnavailable, match="read-only"):
            await store.read(keep("x"))
        assert await store.read(kept) == set()


@pytest.mark.asyncio
@pytest.mark.parametrize("error", [ValueError("bad"), StopIteration(), _Odd(), apsw.IOError("disk")], ids=repr)
async def test_reads_that_fail_leave_the_readers_alive(
    path: Path, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "_READERS", 1)
    async with opened(path) as store:
        for _ in range(3):
            with pytest.raises((ValueError, RuntimeError, _Odd, StoreUnavailable)):
                await within(store.read(raising_on_read(error)))
        assert await within(store.read(kept)) == set()


def raising_on_read(error: BaseException) -> Callable[[Tx], None]:
    def operation(tx: Tx) -> None:
        tx.owners.list()
        raise error

    return operation


# A lock, a full disk


@pytest.mark.asyncio
async def test_a_lock_held_by_another_gives_busy_in_time_and_then_all_works_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    async with opened(path) as store:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        with pytest.raises(StoreBusy, match=r"memory\.db"):
            await within(store.write(keep("x")))
        assert 0.5 < time.monotonic() - started < DEADLINE
        assert await within(store.read(kept)) == set(), "reading needs no lock"
        other.execute("ROLLBACK")
        other.close()
        await within(store.write(keep("y")))
        assert await store.read(kept) == {"y"}


@pytest.mark.asyncio
async def test_a_lock_that_is_released_in_time_is_not_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", DEADLINE)
    async with opened(path) as store:
        other = apsw.Connection(str(path))
        other.execute("BEGIN IMMEDIATE")
        writing = asyncio.create_task(store.write(keep("x")))
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
        other.close()
        assert isinstance(await within(writing), int)


def test_a_file_that_another_keeps_locked_cannot_be_opened_and_says_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 0)
    other = apsw.Connection(str(path))
    other.execute("BEGIN EXCLUSIVE; CREATE TABLE t (x)")
    with pytest.raises(StoreBusy, match=r"memory\.db"):
        new_store(path)
    other.execute("ROLLBACK")
    other.close()


@pytest.mark.asyncio
async def test_a_full_disk_loses_nothing_acknowledged_and_the_service_goes_on_with_new_space(path: Path) -> None:
    def page_limit(store: SqliteStore, pages: int) -> None:
        assert list(store._writer.execute(f"PRAGMA max_page_count={pages}"))

    acknowledged: set[str] = set()
    async with opened(path) as store:
        await store.write(keep("first"))
        pages = next(iter(store._writer.execute("PRAGMA page_count")))[0]
        page_limit(store, pages + 8)
        failures = 0
        for round_ in range(40):
            names = [f"{round_}-{number}-" + "x" * 200 for number in range(20)]
            answers = await together(store, [keep(name) for name in names])
            acknowledged |= {name for name, answer in zip(names, answers, strict=True) if isinstance(answer, int)}
            failed = [answer for answer in answers if isinstance(answer, BaseException)]
            failures += len(failed)
            assert all(isinstance(error, StoreUnavailable) and "full" in str(error) for error in failed), failed
        assert failures > 0
        assert acknowledged
        assert await store.read(kept) == acknowledged | {"first"}
        page_limit(store, 1_000_000)
        await within(store.write(keep("with new space")))
    assert integrity(path) == "ok"
    async with opened(path) as store:
        assert await store.read(kept) == acknowledged | {"first", "with new space"}


def integrity(path: Path) -> str:
    connection = apsw.Connection(str(path))
    try:
        return "; ".join(str(row[0]) for row in connection.execute("PRAGMA integrity_check"))
    finally:
        connection.close()


# Closing


@pytest.mark.asyncio
@pytest.mark.parametrize("memory_only", [False, True], ids=["file", "memory"])
async def test_closing_twice_or_at_once_is_the_same_as_closing(path: Path, memory_only: bool) -> None:
    store = new_store(None if memory_only else path)
    await within(asyncio.gather(store.close(), store.close()))
    await within(store.close())


@pytest.mark.asyncio
@pytest.mark.parametrize("memory_only", [False, True], ids=["file", "memory"])
async def test_a_closed_store_refuses_everything(path: Path, memory_only: bool) -> None:
    store = new_store(None if memory_only else path)
    await store.close()
    for use in (store.read, store.write, store.write_soon):
        with pytest.raises(StoreClosed):
            await within(use(kept))


@pytest.mark.asyncio
async def test_closing_finishes_what_waits(path: Path) -> None:
    store = new_store(path)
    async with held(store):
        tasks = [asyncio.create_task(store.write(keep(f"p{number}"))) for number in range(1000)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
    await within(closing)
    assert len(set(await within(asyncio.gather(*tasks)))) == 1000
    async with opened(path) as store:
        assert len(await store.read(kept)) == 1000


@pytest.mark.asyncio
async def test_the_last_to_close_leaves_one_file(path: Path) -> None:
    async with opened(path) as store:
        await store.write(keep("x"))
        await asyncio.gather(*(store.read(kept) for _ in range(10)))
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.asyncio
async def test_closing_that_is_cancelled_closes_all_the_same(path: Path) -> None:
    store = new_store(path)
    async with held(store):
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
    await within(store.close())
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


@pytest.mark.asyncio
async def test_no_thread_stays_after_closing(path: Path) -> None:
    store = new_store(path)
    threads = (*store._readers, store._writing)
    assert all(thread.is_alive() for thread in threads)
    await within(store.close())
    assert not any(thread.is_alive() for thread in threads)


def test_every_call_that_meets_a_closing_store_is_answered(path: Path) -> None:
    """From other threads, with event loops of their own, while the store is being closed."""
    store = new_store(path)
    acknowledged: list[str] = []
    problems: list[BaseException] = []
    busy = threading.Barrier(5)

    def hammer(thread: int) -> None:
        async def work() -> None:
            number = 0
            try:
                while True:
                    name = f"{thread}-{number}"
                    await within(store.write(keep(name)))
                    acknowledged.append(name)
                    if number == 3:
                        await asyncio.to_thread(busy.wait, DEADLINE)
                    number += 1
            except StoreClosed:
                return

        try:
            asyncio.run(work())
        except BaseException as error:  # noqa: BLE001  (shown by the test)
            problems.append(error)

    threads = [threading.Thread(target=hammer, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    busy.wait(DEADLINE)
    asyncio.run(within(store.close()))
    for thread in threads:
        thread.join(DEADLINE)
    assert not any(thread.is_alive() for thread in threads)
    assert problems == []

    async def names() -> set[str]:
        async with opened(path) as again:
            return await again.read(kept)

    assert asyncio.run(names()) >= set(acknowledged)


# Callers that give up, loops that end, processes that fork


@pytest.mark.asyncio
async def test_a_caller_who_gives_up_costs_the_others_nothing(path: Path) -> None:
    async with opened(path) as store:
        async with held(store):
            first, gone, last = (asyncio.create_task(store.write(keep(name))) for name in ("first", "gone", "last"))
            await asyncio.sleep(0)
            gone.cancel()
            await asyncio.sleep(0)
        assert isinstance(await within(first), int)
        assert isinstance(await within(last), int)
        assert gone.cancelled()
        assert await within(store.read(kept)) == {"first", "last"}, "what had not begun is taken back"


def test_an_event_loop_that_ended_costs_the_others_nothing(path: Path) -> None:
    store = new_store(path)
    begun, go_on = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        keep("of the ended loop")(tx)
        begun.set()
        assert go_on.wait(DEADLINE)

    async def leave() -> None:
        task = asyncio.create_task(store.write(hold))
        assert await asyncio.to_thread(begun.wait, DEADLINE)
        task.cancel()

    asyncio.run(leave())
    go_on.set()

    async def stay() -> set[str]:
        await within(store.write(keep("of the living loop")))
        names = await within(store.read(kept))
        await within(store.close())
        return names

    assert asyncio.run(stay()) == {"of the ended loop", "of the living loop"}


def test_two_threads_with_their_own_loops_can_write_to_one_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through a store each, and through one store together."""
    monkeypatch.setattr(executor, "BUSY_SECONDS", DEADLINE)
    shared = new_store(path)
    problems: list[BaseException] = []

    def work(thread: int) -> None:
        async def write() -> None:
            async with opened(path) as own:
                for number in range(25):
                    await within(own.write(keep(f"own-{thread}-{number}")))
                    await within(shared.write(keep(f"shared-{thread}-{number}")))

        try:
            asyncio.run(write())
        except BaseException as error:  # noqa: BLE001  (shown by the test)
            problems.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert problems == []

    async def names() -> set[str]:
        found = await shared.read(kept)
        await shared.close()
        return found

    assert len(asyncio.run(names())) == 3 * 25 * 2
    assert integrity(path) == "ok"


FORKING = """
import asyncio, os, sys, warnings
from datetime import UTC, datetime
from pathlib import Path
from zgadka.errors import StoreClosed
from zgadka.settings import Settings
from zgadka.stores.sqlite.store import SqliteStore

warnings.simplefilter("ignore")
store = SqliteStore(Path(sys.argv[1]), settings=Settings(), clock=lambda: datetime.now(UTC))

async def use(name):
    return await store.write(lambda tx: tx.owners.ensure("person", "test", name))

asyncio.run(use("before"))
child = os.fork()
if child == 0:
    try:
        asyncio.run(use("child"))
    except StoreClosed as error:
        asyncio.run(store.close())
        os.write(1, f"child: {error}\\n".encode())
    os._exit(0)
os.waitpid(child, 0)
asyncio.run(use("parent"))
asyncio.run(store.close())
print("parent: done")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_is_told_to_open_the_store_anew(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FORKING, str(path)], capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert done.stdout.splitlines() == [
        "child: the store was opened before this process was forked off; open it anew here",
        "parent: done",
    ], done.stderr
    assert integrity(path) == "ok"


@pytest.mark.asyncio
async def test_results_do_not_pile_up_in_the_store(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a caller no longer holds is freed, but for the last batch of each thread."""
    import gc
    import weakref

    class Result:
        pass

    monkeypatch.setattr(sqlite_store, "_READERS", 1)
    async with opened(path) as store:
        alive: list[weakref.ref[Result]] = []

        def make(_: Tx) -> Result:
            result = Result()
            alive.append(weakref.ref(result))
            return result

        for _ in range(50):
            await store.write(make)
            await store.read(make)
        gc.collect()
        assert sum(ref() is not None for ref in alive) <= 2
