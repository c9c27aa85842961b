"""Faults that are really made: a full disk, a read-only one, a lock of another process, a clock that goes back.

Each gets a clear answer, nothing acknowledged is missing, and the service goes on without a restart.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import apsw
import pytest

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.errors import StoreUnavailable
from zgadka.ops.observe import note_message
from zgadka.ops.repair import find_drift, owners_to_check
from zgadka.stores import executor
from zgadka.stores.tx import Tx

DEADLINE = 60
"""Seconds after which a test gives up; far more than any machine needs."""


def url(file: Path) -> str:
    return f"sqlite:///{file}"


@asynccontextmanager
async def opened(file: Path, **settings: Any) -> AsyncIterator[Memory]:
    given: dict[str, Any] = {"calls_per_hour": 0} | settings
    async with open_memory(url(file), settings=Settings(**given)) as memory:
        yield memory


def turn(user: int = 1, **more: Any) -> Turn:
    return Turn(platform="test", space="s", chat="c", user=user, **more)


async def remember(memory: Memory, text: str) -> str:
    said = await asyncio.wait_for(memory.call("remember", {"content": text}, turn()), DEADLINE)
    assert said.status in ("success", "busy", "error", "queued"), said
    if said.status in ("busy", "error"):
        assert "nothing was changed" in said["message"]
    return said.status


async def kept(memory: Memory) -> set[str]:
    def contents(tx: Tx) -> set[str]:
        return {one.content for owner in tx.owners.list() for one in tx.memories.list_all(owner.id)}

    return await memory.look(contents)


async def is_sound(memory: Memory) -> bool:
    drifts = [await memory.look(find_drift, owner) for owner in await memory.look(owners_to_check)]
    return memory.inspect()["integrity"] == "ok" and not any(drift.counts for drift in drifts)


# The disk


class Disk(Protocol):
    """A place for a database, whose space can be used up and whose writing can be forbidden."""

    folder: Path

    def fill(self) -> None: ...
    def free(self) -> None: ...


class SmallDisk:
    """A file system of its own, of 4 MB."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fill(self) -> None:
        with (self.folder / "ballast").open("wb", buffering=0) as ballast, suppress(OSError):
            while True:
                ballast.write(bytes(4096))

    def free(self) -> None:
        (self.folder / "ballast").unlink()


class FaultyVfs(apsw.VFS):
    """Writes as the disk does, until it is told to fail."""

    error: type[apsw.Error] | None = None

    def __init__(self, folder: Path) -> None:
        super().__init__("faulty", "unix")
        self.folder = folder

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _FaultyFile(self, name, flags)

    def fill(self) -> None:
        self.error = apsw.FullError

    def forbid(self) -> None:
        self.error = apsw.ReadOnlyError

    def free(self) -> None:
        self.error = None


class _FaultyFile(apsw.VFSFile):
    def __init__(self, vfs: FaultyVfs, name: Any, flags: list[int]) -> None:
        super().__init__("unix", name, flags)
        self._vfs = vfs

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        if self._vfs.error is not None:
            raise self._vfs.error("as the test asked for")
        super().xWrite(data, offset)


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[FaultyVfs]:
    """Every database of the test is written through it."""
    vfs = FaultyVfs(tmp_path)
    apsw.set_default_vfs("faulty")
    yield vfs
    apsw.set_default_vfs("unix")
    vfs.unregister()


@pytest.fixture
def small_disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Disk]:
    """A real one where this process may mount it; else one whose writes fail."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(folder)]
    may = sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mount") is not None
    if not may or subprocess.run(mount, check=False).returncode != 0:
        yield request.getfixturevalue("faulty")
        return
    yield SmallDisk(folder)
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture(params=["small_disk", "faulty"])
def disk(request: pytest.FixtureRequest) -> Disk:
    return request.getfixturevalue(request.param)


@pytest.mark.asyncio
async def test_a_full_disk_is_answered_clearly_and_the_service_goes_on_once_there_is_room(disk: Disk) -> None:
    file = disk.folder / "memory.db"
    acknowledged: set[str] = set()

    async def write(memory: Memory, texts: list[str]) -> list[str]:
        answers = await asyncio.gather(*(remember(memory, text) for text in texts))
        acknowledged.update(text for text, answer in zip(texts, answers, strict=True) if answer == "success")
        return answers

    async with opened(file, memory_tool_async=False) as memory:
        for round_ in range(3):
            assert set(await write(memory, [f"{round_} before {number}" for number in range(20)])) == {"success"}
            disk.fill()
            answers = await write(memory, [f"{round_} full {number} " + "x" * 900 for number in range(100)])
            assert "error" in answers
            assert set(answers) <= {"error", "success"}
            recalled = await memory.call("recall", {"query": f"{round_} before"}, turn())
            assert recalled["count"] > 0, "reading needs no room"
            assert await kept(memory) == acknowledged
            disk.free()
            assert set(await write(memory, [f"{round_} after {number}" for number in range(20)])) == {"success"}
            assert await kept(memory) == acknowledged
        assert await is_sound(memory)
    async with opened(file) as memory:
        assert await kept(memory) == acknowledged


@pytest.mark.asyncio
async def test_queued_calls_outlive_a_full_disk(disk: Disk) -> None:
    """With the queue, a call is taken on only once its task is on disk; what was taken on is done."""
    async with opened(disk.folder / "memory.db", memory_tool_timeout_ms=1) as memory:
        acknowledged: set[str] = set()
        for round_, change in enumerate((disk.fill, disk.free)):
            texts = [f"{round_} {number} " + "x" * 900 for number in range(200)]
            answers = await asyncio.gather(*(remember(memory, text) for text in texts))
            acknowledged |= {
                text for text, answer in zip(texts, answers, strict=True) if answer in ("success", "queued")
            }
            change()
        ends = time.monotonic() + DEADLINE
        while await memory.tasks() and time.monotonic() < ends:
            await memory.run_tasks()
            if {task.state for task in await memory.tasks()} <= {"done"}:
                break
            await asyncio.sleep(0.01)
        assert acknowledged <= await kept(memory)
        assert await remember(memory, "it goes on") in ("success", "queued")


@pytest.mark.asyncio
async def test_a_disk_that_turns_read_only_is_answered_clearly_and_loses_nothing(faulty: FaultyVfs) -> None:
    async with opened(faulty.folder / "memory.db", memory_tool_async=False) as memory:
        assert await remember(memory, "before") == "success"
        faulty.forbid()
        assert {await remember(memory, f"meanwhile {number}") for number in range(5)} == {"error"}
        assert (await memory.call("recall", {"query": "before"}, turn()))["count"] == 1
        faulty.free()
        assert await remember(memory, "after") == "success"
        assert await kept(memory) == {"before", "after"}
        assert await is_sound(memory)


def test_a_backup_to_a_full_disk_says_so_and_leaves_nothing_there(small_disk: Disk, tmp_path: Path) -> None:
    file, copy = tmp_path / "memory.db", small_disk.folder / "backup.db"

    async def act() -> None:
        async with opened(file) as memory:
            await asyncio.gather(*(remember(memory, f"{number} " + "x" * 900) for number in range(200)))
            small_disk.fill()
            with pytest.raises(StoreUnavailable, match=r"cannot write .*backup\.db': the disk is full"):
                await memory.backup(copy)
            assert not [one for one in copy.parent.iterdir() if one.name.startswith("backup.db")]
            small_disk.free()
            assert (await memory.backup(copy)).rows["memory"] == 200

    asyncio.run(act())


def test_a_backup_is_restored_from_where_nothing_can_be_written(tmp_path: Path, small_disk: Disk) -> None:
    copy, file = small_disk.folder / "backup.db", tmp_path / "restored.db"

    async def make() -> None:
        async with opened(tmp_path / "memory.db") as memory:
            await remember(memory, "mine")
            await memory.backup(copy)

    asyncio.run(make())
    folder = copy.parent
    is_mounted = isinstance(small_disk, SmallDisk)
    if is_mounted:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    else:
        copy.chmod(0o400)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from zgadka.cli.main import main; main()",
            "restore",
            str(copy),
            "--yes",
            "--db",
            url(file),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with closing(apsw.Connection(str(file))) as connection:
        assert connection.execute("SELECT content FROM memory").fetchall() == [("mine",)]


# A lock that another process holds

HOLDING = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
connection.set_busy_timeout(60_000)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.readline()
connection.execute("ROLLBACK")
connection.close()
"""


@asynccontextmanager
async def held_by_another(file: Path) -> AsyncIterator[None]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDING, str(file), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        await process.communicate(b"\n")


@pytest.mark.asyncio
@pytest.mark.parametrize("queue", [True, False])
async def test_a_lock_held_for_longer_than_we_wait_is_busy_and_then_all_goes_on(
    tmp_path: Path, queue: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", 1)
    file = tmp_path / "memory.db"
    async with opened(file, memory_tool_async=queue, calls_per_hour=1000) as memory:
        assert await remember(memory, "before") == "success"
        async with held_by_another(file):
            beats: list[float] = []
            beating = asyncio.create_task(beat(beats))
            for round_ in range(2):
                answers = await asyncio.gather(*(remember(memory, f"{round_} {number}") for number in range(50)))
                assert set(answers) == {"busy"}
            beating.cancel()
            assert len(beats) > 10, "the event loop was not held up meanwhile: of 400 on a machine that never stalls"
            recalled = await memory.call("recall", {"query": "before"}, turn())
            assert recalled.status in ("success", "busy")
            assert await kept(memory) == {"before"}, "reading needs no lock"
        assert await until_taken(memory, "after")
        assert await kept(memory) == {"before", "after"}
        assert await is_sound(memory)


async def until_taken(memory: Memory, text: str) -> bool:
    """The writer may still be waiting for the lock on behalf of others; that ends by itself."""
    ends = time.monotonic() + DEADLINE
    while time.monotonic() < ends:
        if await remember(memory, text) in ("success", "queued"):
            break
    while text not in await kept(memory) and time.monotonic() < ends:
        await memory.run_tasks()
    return text in await kept(memory)


async def beat(beats: list[float]) -> None:
    """Note each time that the event loop comes round, until cancelled."""
    while True:
        await asyncio.sleep(0.005)
        beats.append(time.monotonic())


@pytest.mark.asyncio
async def test_a_lock_that_is_released_while_we_wait_is_not_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executor, "BUSY_SECONDS", DEADLINE)
    file = tmp_path / "memory.db"
    async with opened(file, memory_tool_async=False) as memory:
        async with held_by_another(file):
            writing = asyncio.create_task(remember(memory, "waited for"))
            await asyncio.sleep(0)
        assert await writing == "success"
        assert await kept(memory) == {"waited for"}


# A clock that goes back


LIMITED = Settings(calls_per_hour=3, background=False)
"""Tidying in the background drops counts from a time that has not come, whenever it happens to run."""


def year(clock: Any, direction: int) -> None:
    clock.now += direction * timedelta(days=365)


@pytest.mark.asyncio
async def test_a_limit_that_was_reached_while_the_clock_was_ahead_ends_within_the_hour(
    clock: Any, make_person: Callable[..., Any], tmp_path: Path
) -> None:
    async with open_memory(url(tmp_path / "m.db"), settings=LIMITED, clock=clock) as memory:
        person = make_person(memory)
        year(clock, +1)
        said = [(await person.call("remember", content=f"note {number}")).status for number in range(4)]
        assert said == ["success"] * 3 + ["rate_limited"]
        year(clock, -1)
        limited = await person.call("remember", content="too soon")
        assert (limited.status, limited["retry_after_seconds"]) == ("rate_limited", 3600)
        clock.forward(hours=1)
        assert (await person.call("remember", content="in time")).status == "success"


@pytest.mark.asyncio
async def test_a_limit_stays_exact_when_the_clock_goes_back_by_a_second(
    clock: Any, make_person: Callable[..., Any], tmp_path: Path
) -> None:
    async with open_memory(url(tmp_path / "m.db"), settings=LIMITED, clock=clock) as memory:
        person = make_person(memory)
        said: list[str] = []
        for number in range(5):
            said.append((await person.call("remember", content=f"note {number}")).status)
            clock.forward(seconds=-1)
        assert said == ["success"] * 3 + ["rate_limited"] * 2


@pytest.mark.asyncio
async def test_counts_from_a_time_that_has_not_come_are_dropped_with_the_next_tidying(
    clock: Any, make_person: Callable[..., Any], tmp_path: Path
) -> None:
    settings = Settings(calls_per_hour=1, background=False)
    async with open_memory(url(tmp_path / "m.db"), settings=settings, clock=clock) as memory:
        person = make_person(memory)
        year(clock, +1)
        await person.note("a note")
        year(clock, -1)
        await memory.tidy()
        assert (await person.call("recall", query="note")).status == "success"


@pytest.mark.asyncio
@pytest.mark.parametrize("tool", ["forget", "clear_profile"])
async def test_a_deletion_that_was_asked_about_while_the_clock_was_ahead_is_asked_about_anew(
    tool: str, clock: Any, person: Any, memory: Memory
) -> None:
    """Else the question would be open for a year."""
    year(clock, +1)
    memory_id = await person.note("I play chess")
    arguments = {"memory_id": memory_id} if tool == "forget" else {"user_id": 123, "reason": "user asked"}
    assert (await person.call(tool, **arguments)).status == "confirmation_required"
    year(clock, -1)
    asked = await person.call(tool, **arguments)
    assert asked.status == "confirmation_required", asked
    assert await person.found("chess") == ["I play chess"]
    assert (await person.call(tool, **arguments)).status in ("deleted", "success")
    assert await person.found("chess") == []


@pytest.mark.asyncio
async def test_a_message_that_was_left_in_line_while_the_clock_was_ahead_is_looked_at(
    clock: Any, make_person: Callable[..., Any], tmp_path: Path
) -> None:
    settings = Settings(background=False)
    async with open_memory(url(tmp_path / "m.db"), settings=settings, clock=clock) as memory:
        person = make_person(memory)
        year(clock, +1)
        await memory.apply(note_message, person.turn(message="m1"), "I live in Kyiv", "I live in Kyiv")
        year(clock, -1)
        assert await memory.resume() == 1
        assert await person.values() == ["Kyiv"]


@pytest.mark.asyncio
async def test_a_text_that_was_deleted_while_the_clock_was_ahead_leaves_the_trail_in_a_day(
    clock: Any, person: Any, memory: Memory
) -> None:
    year(clock, +1)
    memory_id = await person.note("I play chess")
    await person.deletes(memory_id)
    year(clock, -1)
    assert (await memory.tidy())["texts"] == 0
    assert (await memory.undo(memory_id, person.turn())) is not None, "within the window, it can be undone"
    assert await person.found("chess") == ["I play chess"]
    await person.deletes(memory_id)
    year(clock, +1)
    await person.deletes(await person.note("I play go"))
    year(clock, -1)
    await memory.tidy()
    clock.forward(hours=24, seconds=1)
    assert (await memory.tidy())["texts"] == 2


@pytest.mark.asyncio
async def test_what_was_learned_while_the_clock_was_ahead_is_recalled_changed_and_explained(
    clock: Any, person: Any, memory: Memory
) -> None:
    year(clock, +1)
    fact = await person.fact("location", "Kyiv")
    await person.speaks("I live in Kyiv, and play chess")
    note = await person.note("I play chess")
    year(clock, -1)
    assert await person.values() == ["Kyiv"]
    assert await person.found("chess") == ["I play chess"]
    assert (await memory.build_context(person.turn(text="chess"))).text
    assert [one.message.text for one in await memory.search_messages("chess", person.turn())]
    assert (await person.update("location", "Lviv", change_reason="correction")).status == "success"
    assert await person.values() == ["Lviv"]
    assert [event.action for event in await memory.history(fact["fact_id"], person.turn())] == ["created", "updated"]
    assert (await memory.undo(fact["fact_id"], person.turn())) is not None
    assert await person.values() == ["Kyiv"]
    await memory.tidy()
    assert (await person.deletes(note)).status == "deleted"


@pytest.mark.asyncio
async def test_a_question_about_uncertain_memories_that_was_asked_while_the_clock_was_ahead_can_be_answered(
    clock: Any, person: Any, memory: Memory
) -> None:
    year(clock, +1)
    await person.fact("location", "Kyiv")
    observed = await memory.observe("I live in Lviv", person.turn())
    assert observed.question is not None
    year(clock, -1)
    await memory.tidy()
    assert [one.id for one in await memory.questions(person.turn())] == [observed.question.id]
    assert await memory.due_reminders() == []
    assert (await memory.answer_question(observed.question.id, person.turn(), save=False)).status == "skipped"
