"""Backups of a database in use, and the way back: verified, whole or not at all, and nothing replaced unasked."""

from __future__ import annotations

import asyncio
import io
import json
import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest

from zgadka import InvalidInput, Memory, Settings, StoreError, Turn, open_memory
from zgadka.assemble import restore
from zgadka.cli.main import main
from zgadka.errors import SchemaMismatch, StoreBusy, StoreUnavailable
from zgadka.model.backup import Restored
from zgadka.stores.sqlite import checkpoint

TURN = Turn(platform="test", space="s", chat="c", user=1)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory.db"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "backup.db"


@asynccontextmanager
async def opened(file: Path) -> AsyncIterator[Memory]:
    settings = Settings(background=False, calls_per_hour=0, memory_tool_async=False)
    async with open_memory(f"sqlite:///{file}", settings=settings) as memory:
        yield memory


async def note(memory: Memory, text: str, user: int = 1) -> None:
    said = await memory.call("remember", {"content": text}, Turn(platform="test", space="s", chat="c", user=user))
    assert said.status == "success", said


def notes(file: Path) -> set[str]:
    with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        assert [row[0] for row in connection.execute("PRAGMA integrity_check")] == ["ok"]
        return {row[0] for row in connection.execute("SELECT content FROM memory")}


def made(file: Path, *texts: str) -> Path:
    """A closed database with these notes."""

    async def make() -> None:
        async with opened(file) as memory:
            for text in texts:
                await note(memory, text)

    asyncio.run(make())
    return file


def backed_up(file: Path, copy: Path, **options: Any) -> Path:
    async def make() -> Path:
        async with opened(file) as memory:
            return (await memory.backup(copy, **options)).file

    return asyncio.run(make())


def put_back(copy: Path, file: Path, **options: Any) -> Restored:
    return restore(copy, f"sqlite:///{file}", clock=lambda: NOON, **options)


def names(file: Path) -> set[str]:
    return {one.name for one in file.parent.iterdir()}


def wait_until_gone(file: Path) -> None:
    ends = time.monotonic() + 60
    while file.exists():
        assert time.monotonic() < ends
        time.sleep(0.01)


def change(file: Path, statements: str) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute(statements).fetchall()


# Backups


def test_a_backup_is_one_private_file_that_holds_everything(file: Path, copy: Path) -> None:
    made(file, "I play chess")
    umask = os.umask(0)
    try:
        backed_up(file, copy)
    finally:
        os.umask(umask)
    assert names(file) == {"memory.db", "backup.db"}
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert copy.read_bytes()[18:20] == b"\x01\x01", "no journal beside it, so it can be read where nothing is writable"
    assert notes(copy) == {"I play chess"}


def test_a_backup_says_what_is_in_it(file: Path, copy: Path) -> None:
    made(file, "one", "two")

    async def make() -> Any:
        async with opened(file) as memory:
            return await memory.backup(copy)

    backup = asyncio.run(make())
    assert (backup.file, backup.size_bytes) == (copy, copy.stat().st_size)
    assert backup.rows["memory"] == 2
    assert backup.rows["event"] == 2
    assert backup.schema >= 5


@pytest.mark.asyncio
async def test_writers_go_on_during_a_backup_which_holds_what_was_there_at_its_beginning(
    file: Path, copy: Path
) -> None:
    async with opened(file) as memory:
        await asyncio.gather(*(note(memory, f"before {number} " + "x" * 900) for number in range(600)))
        going, go_on, loop = asyncio.Event(), threading.Event(), asyncio.get_running_loop()

        def progress(done: int, pages: int) -> None:
            assert 0 < done <= pages
            loop.call_soon_threadsafe(going.set)
            assert go_on.wait(60)

        backup = asyncio.create_task(memory.backup(copy, progress=progress))
        await going.wait()
        await asyncio.gather(*(note(memory, f"meanwhile {number}") for number in range(50)))
        async with opened(file) as other:
            await note(other, "by another")
        go_on.set()
        assert (await backup).rows["memory"] == 600
        await note(memory, "after")
    assert {text[:6] for text in notes(copy)} == {"before"}
    assert len(notes(file)) == 652


def test_a_file_that_is_there_is_replaced_only_when_asked(file: Path, copy: Path) -> None:
    made(file, "new")
    copy.write_text("something else")
    with pytest.raises(InvalidInput, match=r"there is a file .*--force"):
        backed_up(file, copy)
    assert copy.read_text() == "something else"
    backed_up(file, copy, overwrite=True)
    assert notes(copy) == {"new"}


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_backup_never_replaces_the_database_itself(ending: str, file: Path) -> None:
    made(file, "mine")
    with pytest.raises(InvalidInput, match="belongs to the database itself"):
        backed_up(file, file.with_name(file.name + ending), overwrite=True)
    assert notes(file) == {"mine"}


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_another_name_of_the_database_is_the_database(link: str, file: Path, copy: Path) -> None:
    made(file, "mine")
    getattr(copy, link)(file)
    with pytest.raises(InvalidInput, match="belongs to the database itself"):
        backed_up(file, copy, overwrite=True)
    assert notes(file) == {"mine"}


def test_a_database_in_use_is_never_replaced_by_a_backup(file: Path, copy: Path) -> None:
    made(file, "mine")

    async def act() -> None:
        async with opened(copy) as other:
            await note(other, "theirs")
            with pytest.raises(InvalidInput, match=r"in use, for there is backup\.db-wal"):
                await asyncio.to_thread(backed_up, file, copy, overwrite=True)

    asyncio.run(act())
    assert notes(copy) == {"theirs"}


def test_a_place_that_cannot_be_written_is_named(file: Path, tmp_path: Path) -> None:
    made(file)
    with pytest.raises(InvalidInput, match="is a directory"):
        backed_up(file, tmp_path)
    with pytest.raises(StoreUnavailable, match=r"cannot write .*missing/b\.db': No such file"):
        backed_up(file, tmp_path / "missing" / "b.db")


def test_a_database_in_memory_has_no_backup(copy: Path) -> None:
    async def make() -> None:
        async with open_memory("sqlite://:memory:", settings=Settings()) as memory:
            await memory.backup(copy)

    with pytest.raises(InvalidInput, match="export"):
        asyncio.run(make())


def test_a_damaged_database_makes_no_backup_and_the_one_that_is_there_stays(file: Path, copy: Path) -> None:
    backed_up(made(file, "sound"), copy)
    change(file, "UPDATE memory_index_data SET block = zeroblob(length(block)) WHERE id > 10")
    before = copy.read_bytes()
    with pytest.raises(StoreUnavailable, match=r"is damaged: .*fts5"):
        backed_up(file, copy, overwrite=True)
    assert copy.read_bytes() == before
    assert names(file) == {"memory.db", "backup.db"}


@pytest.mark.asyncio
async def test_two_backups_to_one_file_are_one_backup_and_one_refusal(file: Path, copy: Path) -> None:
    async with opened(file) as memory:
        await note(memory, "mine")
        begun, go_on = threading.Event(), threading.Event()

        def wait(done: int, pages: int) -> None:
            begun.set()
            assert go_on.wait(60)

        first = asyncio.create_task(memory.backup(copy, progress=wait))
        await asyncio.to_thread(begun.wait, 60)
        with pytest.raises(StoreBusy, match="another process is writing"):
            await memory.backup(copy)
        go_on.set()
        await first
    assert notes(copy) == {"mine"}
    assert names(file) == {"memory.db", "backup.db"}


@pytest.mark.asyncio
async def test_a_backup_that_is_cancelled_ends_and_leaves_nothing(file: Path, copy: Path) -> None:
    async with opened(file) as memory:
        await asyncio.gather(*(note(memory, f"{number} " + "x" * 900) for number in range(300)))
        begun = threading.Event()
        steps: list[int] = []

        def progress(done: int, pages: int) -> None:
            steps.append(done)
            begun.set()
            assert cancelled.wait(60)

        cancelled = threading.Event()
        backup = asyncio.create_task(memory.backup(copy, progress=progress))
        await asyncio.to_thread(begun.wait, 60)
        backup.cancel()
        with pytest.raises(asyncio.CancelledError):
            await backup
        cancelled.set()
    await asyncio.to_thread(wait_until_gone, file.with_name("backup.db.part"))
    assert names(file) - {"memory.db-wal", "memory.db-shm"} == {"memory.db"}
    assert len(steps) == 1


def test_the_bytes_of_the_erased_are_in_no_backup_even_before_the_file_was_scrubbed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of many lengths split pages, which now and then leaves copies that `secure_delete` does not zero."""
    secret = "zqxsecretzq"
    monkeypatch.setattr(checkpoint, "without_remains", lambda page, **_: page)  # as another program's checkpoints do

    async def act(file: Path, copy: Path, dice: random.Random) -> None:
        async with opened(file) as memory:
            for number in range(400):
                user = dice.randrange(1, 4)
                words = (f"w{dice.randrange(3000)}" for _ in range(dice.choice((1, 5, 30, 120))))
                await note(memory, f"{secret if user == 2 else 'w'}{number} {' '.join(words)}", user=user)
            memory._store.scrub = lambda: False  # as when another process is in the way
            assert not (await memory.erase(Turn(platform="test", space="s", chat="c", user=2))).scrubbed
            await memory.backup(copy)

    seed = 7  # those before say nothing: all that they leave is zeroed
    while True:
        seed += 1
        file, copy = tmp_path / f"memory{seed}.db", tmp_path / f"backup{seed}.db"
        asyncio.run(act(file, copy, random.Random(seed)))
        assert secret.encode() not in copy.read_bytes()
        assert len(notes(copy)) > 200
        if secret.encode() in file.read_bytes():  # so it proved something
            break


KILLED = """
import asyncio, os, sys
from zgadka import Settings, open_memory

def progress(done, pages):
    os.write(1, b"copying\\n")
    sys.stdin.readline()  # until it is killed

async def main():
    async with open_memory(sys.argv[1], settings=Settings(background=False)) as memory:
        await memory.backup(sys.argv[2], overwrite=True, progress=progress)

asyncio.run(main())
"""


def test_kill_9_during_a_backup_leaves_the_old_backup_and_does_not_hinder_the_next(file: Path, copy: Path) -> None:
    backed_up(made(file, "old"), copy)
    made(file, "new")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, f"sqlite:///{file}", str(copy)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environ,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"copying\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert notes(copy) == {"old"}
    assert "backup.db.part" in names(file), "it was killed in the middle"
    made(file, "newer")
    assert notes(file) == {"old", "new", "newer"}
    backed_up(file, copy, overwrite=True)
    assert notes(copy) == {"old", "new", "newer"}
    assert names(file) == {"memory.db", "backup.db"}


# The way back


def test_a_backup_restored_where_nothing_is_gives_the_same_memories(file: Path, copy: Path, tmp_path: Path) -> None:
    backed_up(made(file, "I play chess"), copy)
    new = tmp_path / "new.db"
    restored = put_back(copy, new)
    assert (restored.backup.file, restored.kept, restored.erased) == (new, None, None)
    assert stat.S_IMODE(new.stat().st_mode) == 0o600

    async def recalled() -> list[str]:
        async with opened(new) as memory:
            return [one["content"] for one in (await memory.call("recall", {"query": "chess"}, TURN))["memories"]]

    assert asyncio.run(recalled()) == ["I play chess"]


def test_a_database_that_is_there_is_replaced_only_when_asked_and_kept_beside(file: Path, copy: Path) -> None:
    backed_up(made(file, "old"), copy)
    made(file, "new")
    with pytest.raises(InvalidInput, match=r"there is a database .*--force"):
        put_back(copy, file)
    assert notes(file) == {"old", "new"}
    for expected in ("memory.db.20260301T120000Z", "memory.db.20260301T120000Z-2"):
        restored = put_back(copy, file, overwrite=True)
        assert restored.kept == file.with_name(expected)
    assert notes(file) == {"old"}
    assert notes(file.with_name("memory.db.20260301T120000Z")) == {"old", "new"}
    assert names(file) == {"memory.db", "backup.db", "memory.db.20260301T120000Z", "memory.db.20260301T120000Z-2"}


HOLDING = """
import asyncio, sys
from zgadka import Settings, open_memory

async def main():
    async with open_memory(sys.argv[1], settings=Settings(background=False)):
        print("open", flush=True)
        sys.stdin.readline()

asyncio.run(main())
"""


def test_a_database_that_another_process_has_open_is_not_replaced(file: Path, copy: Path) -> None:
    backed_up(made(file, "mine"), copy)
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, f"sqlite:///{file}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"open\n"
    before = names(file)
    with pytest.raises(StoreBusy, match="is in use: stop what uses it first"):
        put_back(copy, file, overwrite=True)
    assert names(file) == before
    process.communicate(b"\n")
    assert put_back(copy, file, overwrite=True).kept is not None


@pytest.mark.asyncio
async def test_a_database_that_this_process_has_open_is_not_replaced(file: Path, copy: Path) -> None:
    async with opened(file) as memory:
        await note(memory, "mine")
        await memory.backup(copy)
        with pytest.raises(StoreBusy, match="in use"):
            put_back(copy, file, overwrite=True)
        await note(memory, "more")
    assert notes(file) == {"mine", "more"}


def test_what_a_killed_process_left_in_the_journal_is_kept_with_the_old_file(file: Path, copy: Path) -> None:
    backed_up(made(file, "old"), copy)
    before = file.read_bytes()

    async def crash() -> bytes:
        async with opened(file) as memory:
            await note(memory, "in the journal alone")
            return file.with_name("memory.db-wal").read_bytes()

    journal = asyncio.run(crash())
    file.write_bytes(before)
    file.with_name("memory.db-wal").write_bytes(journal)
    kept = put_back(copy, file, overwrite=True).kept
    assert kept is not None
    assert notes(kept) == {"old", "in the journal alone"}
    assert notes(file) == {"old"}


def test_a_journal_without_its_database_does_not_spoil_what_is_restored(file: Path, copy: Path) -> None:
    backed_up(made(file, "old"), copy)

    async def journal() -> bytes:
        async with opened(file) as memory:
            await note(memory, "of a database that was removed")
            return file.with_name("memory.db-wal").read_bytes()

    left = asyncio.run(journal())
    file.unlink()
    file.with_name("memory.db-wal").write_bytes(left)
    kept = put_back(copy, file).kept
    assert kept == file.with_name("memory.db.20260301T120000Z")
    assert file.with_name("memory.db.20260301T120000Z-wal").read_bytes() == left
    assert notes(file) == {"old"}


def test_a_database_that_is_damaged_is_replaced_and_kept(file: Path, copy: Path) -> None:
    backed_up(made(file, "sound"), copy)
    file.write_bytes(b"This is a letter, no database. " * 100)
    restored = put_back(copy, file, overwrite=True)
    assert restored.kept is not None
    assert restored.kept.read_bytes().startswith(b"This is a letter")
    assert restored.erased is None
    assert notes(file) == {"sound"}


LOCKING = """
import fcntl, sys
with open(sys.argv[1], "rb+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, 1, 0x40000002)
    print("locked", flush=True)
    sys.stdin.readline()
"""


def test_a_damaged_database_that_somebody_still_has_open_is_not_replaced(file: Path, copy: Path) -> None:
    backed_up(made(file, "sound"), copy)
    file.write_bytes(b"This is a letter, no database. " * 100)
    process = subprocess.Popen(
        [sys.executable, "-c", LOCKING, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"locked\n"
    with pytest.raises(StoreBusy, match="in use"):
        put_back(copy, file, overwrite=True)
    process.communicate(b"\n")
    assert put_back(copy, file, overwrite=True).kept is not None


def test_a_file_system_without_hard_links_keeps_the_old_file_too(
    file: Path, copy: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    backed_up(made(file, "old"), copy)
    monkeypatch.setattr(os, "link", refuse)
    kept = put_back(copy, file, overwrite=True).kept
    assert kept is not None
    assert notes(kept) == notes(file) == {"old"}


def broken(copy: Path, how: str) -> None:
    match how:
        case "damaged":
            change(copy, "UPDATE memory_index_data SET block = zeroblob(length(block)) WHERE id > 10")
        case "cut":
            copy.write_bytes(copy.read_bytes()[:20_000])
        case "letter":
            copy.write_bytes(b"This is a letter, no database. " * 100)
        case "foreign":
            copy.unlink()
            change(copy, "CREATE TABLE t (x)")
        case "empty":
            copy.write_bytes(b"")
        case "newer":
            change(copy, "INSERT INTO migration VALUES (9000, 'x', 'x')")
        case "other":
            change(copy, "UPDATE migration SET checksum = 'x' WHERE number = 1")
        case _:
            copy.unlink()


@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ("damaged", StoreUnavailable, "is damaged"),
        ("cut", StoreUnavailable, "damaged|malformed|not a"),
        ("letter", StoreUnavailable, "not a SQLite database"),
        ("foreign", StoreUnavailable, "no database of zgadka"),
        ("empty", StoreUnavailable, "no database of zgadka"),
        ("newer", SchemaMismatch, "schema 9000, this zgadka knows up to .*upgrade zgadka"),
        ("other", SchemaMismatch, "another version of migration 0001_spine"),
        ("missing", InvalidInput, "there is no backup"),
    ],
)
def test_a_backup_that_is_not_sound_replaces_nothing(
    how: str, error: type[Exception], says: str, file: Path, copy: Path
) -> None:
    backed_up(made(file, "mine"), copy)
    broken(copy, how)
    before = names(file)
    with pytest.raises(error, match=says):
        put_back(copy, file, overwrite=True)
    assert names(file) == before
    assert notes(file) == {"mine"}


def test_a_database_is_no_backup_of_itself(file: Path, copy: Path, tmp_path: Path) -> None:
    backed_up(made(file, "mine"), copy)
    (tmp_path / "link.db").symlink_to(file)
    for same in (file, tmp_path / "link.db", file.with_name("memory.db-wal")):
        same.touch()
        with pytest.raises(InvalidInput, match="is the database itself"):
            put_back(same, file, overwrite=True)
    with pytest.raises(InvalidInput, match="is a directory"):
        put_back(copy, tmp_path, overwrite=True)
    with pytest.raises(InvalidInput, match="into memory"):
        restore(copy, "sqlite://:memory:")
    with pytest.raises(InvalidInput, match="no database"):
        restore(copy, "mysql://x")


def test_a_copy_with_a_journal_beside_it_is_restored_with_what_the_journal_holds(file: Path, copy: Path) -> None:
    made(file, "old")

    async def copied() -> None:
        async with opened(file) as memory:
            await note(memory, "in the journal")
            for ending in ("", "-wal"):
                copy.with_name(copy.name + ending).write_bytes(file.with_name(file.name + ending).read_bytes())

    asyncio.run(copied())
    put_back(copy, file, overwrite=True)
    assert notes(file) == {"old", "in the journal"}


def test_of_a_database_without_wishes_those_it_does_not_know_are_named(file: Path, copy: Path) -> None:
    made(file, "mine")
    backed_up(file, copy)
    file.unlink()
    made(file)
    assert put_back(copy, file, overwrite=True).erased == (("test", "1"),)


# The command line


@pytest.fixture
def inside(file: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run a command in this process: exit code, standard output, standard error."""
    for name in [name for name in os.environ if name.startswith("ZGADKA_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ZGADKA_DATABASE", f"sqlite:///{file}")
    monkeypatch.chdir(file.parent)

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["zgadka", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


def test_backup_and_restore_work_from_the_shell(file: Path, inside: Callable[..., Any]) -> None:
    made(file, "mine")
    code, out, err = inside("backup", "b.db")
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"]["memory"] == 1
    assert inside("backup", "b.db")[0] == 2
    assert inside("backup", "b.db", "--force")[0] == 0
    code, out, err = inside("restore", "b.db")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    code, out, err = inside("restore", "b.db", "--force", "--yes", "--now", NOON.isoformat())
    assert (code, err) == (0, "")
    assert json.loads(out)["kept"] == str(file) + ".20260301T120000Z"
    assert json.loads(out)["erased_since"] == []
    code, out, err = inside("restore", "b.db", "--db", "sqlite:///other.db", "--yes")
    assert (code, err) == (0, "")
    assert json.loads(out)["erased_since"] is None
    assert notes(file) == notes(file.with_name("other.db")) == {"mine"}


def test_the_shell_says_how_many_were_erased_again(file: Path, inside: Callable[..., Any]) -> None:
    made(file, "mine")
    assert inside("backup", "b.db")[0] == 0
    assert inside("person", "erase", "--user", "1", "--platform", "test", "--yes")[0] == 0
    code, out, _ = inside("restore", "b.db", "--force")
    assert code == 0
    assert (json.loads(out)["erased_again"], json.loads(out)["erased_since"]) == (1, [])
    assert notes(file) == set()


def test_a_token_that_was_revoked_since_is_revoked_in_the_restored_database(
    file: Path, inside: Callable[..., Any]
) -> None:
    made(file, "mine")
    for label in ("stays", "goes"):
        assert inside("token", "add", "service", "--platform", "telegram", "--label", label)[0] == 0
    assert inside("backup", "b.db")[0] == 0
    assert inside("token", "revoke", "2")[0] == 0
    code, out, err = inside("restore", "b.db", "--force", "--yes")
    assert (code, json.loads(out)["revoked"], err) == (0, 1, "")
    listed = inside("token", "list")[1]
    assert ("stays" in listed, "goes" in listed) == (True, False)


@pytest.mark.parametrize("damaged", [True, False])
def test_where_nobody_knows_which_tokens_were_revoked_the_shell_says_that_they_work_again(
    file: Path, inside: Callable[..., Any], damaged: bool
) -> None:
    made(file, "mine")
    assert inside("token", "add", "service", "--platform", "telegram")[0] == 0
    assert inside("backup", "b.db")[0] == 0
    for part in file.parent.glob(f"{file.name}*"):
        part.unlink()
    if damaged:
        file.write_bytes(b"no database at all")
    code, out, err = inside("restore", "b.db", "--force", "--yes")
    assert (code, json.loads(out)["revoked"]) == (0, None)
    assert "zgadka token list" in err


@pytest.mark.parametrize(("answer", "notes_left"), [("n\n", {"mine", "new"}), ("", {"mine", "new"}), ("y\n", {"mine"})])
def test_where_nobody_knows_who_was_erased_the_shell_asks(
    file: Path, inside: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, answer: str, notes_left: set[str]
) -> None:
    made(file, "mine")
    assert inside("backup", "b.db")[0] == 0
    made(file, "new")
    monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
    code, _, err = inside("restore", "b.db", "--force")
    assert code == (0 if answer == "y\n" else 1)
    assert "No record of erasures" in err
    assert notes(file) == notes_left


def test_doctor_notices_drift_and_repairs_it_when_asked(file: Path, inside: Callable[..., Any]) -> None:
    made(file, "mine", "yours")
    assert reported(inside("doctor")) == (0, "none", None)
    change(file, "INSERT INTO memory_index (memory_index) VALUES ('delete-all'); DELETE FROM tally")
    code, out, err = inside("doctor")
    assert reported((code, out, err)) == (1, "index 2, tallies 1", None)
    assert "zgadka doctor --repair" in err
    assert reported(inside("doctor", "--repair"))[:2] == (0, "none")
    assert reported(inside("doctor")) == (0, "none", None)


def test_doctor_repairs_a_damaged_index_and_says_what_was_wrong(file: Path, inside: Callable[..., Any]) -> None:
    made(file, "mine", "yours")
    change(file, "UPDATE memory_index_data SET block = zeroblob(length(block)) WHERE id > 10")
    code, out, err = inside("doctor")
    assert code == 1
    assert "fts5" in out
    assert "--repair" in err
    code, drift, repaired = reported(inside("doctor", "--repair"))
    assert (code, drift) == (0, "none")
    assert repaired is not None
    assert "fts5" in repaired
    assert reported(inside("doctor"))[:2] == (0, "none")


def test_doctor_says_when_no_repair_helps(file: Path, inside: Callable[..., Any]) -> None:
    """A page of rows is gone, not of an index."""
    made(file, *(f"{number} " + "x" * 900 for number in range(60)))
    with closing(apsw.Connection(str(file))) as connection:
        rows: list[Any] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'event'").fetchall()
    with file.open("r+b") as raw:
        raw.seek((rows[0][0] - 1) * 4096)
        raw.write(bytes(4096))
    for options in ((), ("--repair",)):
        code, _, err = inside("doctor", *options)
        assert code == 1
        assert "--repair" in err or "restore a backup" in err


def reported(done: tuple[object, str, str]) -> tuple[object, str, str | None]:
    """Exit code, what drifts, and what was repaired."""
    code, out, _ = done
    report = dict(row.split(maxsplit=1) for row in out.splitlines())
    return code, report["drift"], report.get("repaired")


def test_doctor_refuses_a_file_whose_rows_change_behind_its_back(file: Path, inside: Callable[..., Any]) -> None:
    made(file, "mine", "yours")
    change(file, "CREATE TRIGGER again AFTER UPDATE ON revision BEGIN UPDATE tally SET live = live + 1; END")
    code, out, err = inside("doctor", "--repair")
    assert (code, out) == (1, "")
    assert "differs from what zgadka makes: trigger again" in err


def test_a_store_error_is_what_every_failure_of_a_backup_is(file: Path) -> None:
    made(file)
    with pytest.raises(StoreError):
        backed_up(file, Path("/proc/nothing/b.db"))


def test_a_backup_with_a_trigger_that_copies_memories_is_not_restored(file: Path, copy: Path) -> None:
    backed_up(made(file, "plays chess"), copy)
    with closing(apsw.Connection(str(copy))) as connection:
        connection.execute(
            "CREATE TABLE kept (content TEXT);"
            "CREATE TRIGGER copies AFTER INSERT ON memory BEGIN INSERT INTO kept SELECT new.content; END"
        ).fetchall()
    with pytest.raises(SchemaMismatch, match="table kept, trigger copies"):
        put_back(copy, file, overwrite=True, without_wishes=lambda: None)
    assert notes(file) == {"plays chess"}


def test_the_doctor_finds_a_trigger_that_was_made_while_a_database_was_open(file: Path) -> None:
    async def look() -> str:
        async with opened(file) as memory:
            with closing(apsw.Connection(str(file))) as connection:
                connection.execute("CREATE VIEW everything AS SELECT content FROM memory").fetchall()
            return memory.inspect()["foreign"]

    assert asyncio.run(look()) == "view everything"
