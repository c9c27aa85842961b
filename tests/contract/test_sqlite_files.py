"""Which file a URL names, who may read it, and what is said when it cannot be used."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import apsw
import pytest

from zgadka import InvalidInput, Settings, StoreError, Turn, open_memory
from zgadka.assemble import default_url
from zgadka.stores.sql import migrations

NOTE = {"content": "I play chess"}
TURN = Turn(platform="test", space="s", chat="c", user=1)


def remember(url: str | None, **settings: Any) -> None:
    async def act() -> None:
        async with open_memory(url, settings=Settings(**settings)) as memory:
            said = await memory.call("remember", NOTE, TURN)
            assert said.status == "success", said

    asyncio.run(act())


def notes(file: Path) -> list[str]:
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return [row[0] for row in connection.execute("SELECT content FROM memory")]
    finally:
        connection.close()


# URLs


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("sqlite:///relative.db", "relative.db"),
        ("sqlite:///sub/relative.db", "sub/relative.db"),
        ("sqlite:///./relative.db", "relative.db"),
        ("sqlite:////{folder}/absolute.db", "absolute.db"),
        ("sqlite:////{folder}/my%20memory.db", "my memory.db"),
        ("sqlite:////{folder}/my memory.db", "my memory.db"),
        ("sqlite:////{folder}/100%.db", "100%.db"),
        ("sqlite:////{folder}/100%25.db", "100%.db"),
        ("sqlite:////{folder}/a%2Fb.db", "a/b.db"),
        ('sqlite:////{folder}/пам\'ять "1".db', 'пам\'ять "1".db'),
        ("sqlite:////{folder}/%D0%BF.db", "п.db"),
        ("sqlite:////{folder}/what?mode=ro", "what?mode=ro"),
        ("sqlite:////{folder}/part#1.db", "part#1.db"),
        ("sqlite:///file:x.db", "file:x.db"),
    ],
)
def test_a_url_names_exactly_this_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, file: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "a").mkdir()
    remember(url.replace("{folder}", str(tmp_path).lstrip("/")))
    assert notes(tmp_path / file) == ["I play chess"]
    assert [found for found in tmp_path.rglob("*") if found.is_file()] == [tmp_path / file]


@pytest.mark.parametrize("url", ["sqlite://:memory:", "sqlite:///:memory:"])
def test_a_database_in_memory_makes_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.chdir(tmp_path)
    remember(url)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "mysql://host/db",
        "memory.db",
        "/tmp/memory.db",
        "SQLITE:///memory.db",
        "sqlite:memory.db",
        "sqlite:/memory.db",
        "sqlite://",
        "sqlite:///",
        "sqlite://memory.db",
        "sqlite:///a%00b",
        "sqlite:///a\udcff",
        " ",
    ],
)
def test_a_url_that_names_no_database_says_what_to_give_and_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        open_memory(url, settings=Settings())
    assert "\n" not in str(caught.value)
    assert ascii(url)[1:-1] in ascii(str(caught.value)).replace("\\\\", "\\")
    assert list(tmp_path.iterdir()) == []


def test_a_password_in_a_url_is_not_repeated() -> None:
    with pytest.raises(InvalidInput) as caught:
        open_memory("mysql://me:secret@host/db", settings=Settings())
    assert "host" not in str(caught.value) or "secret" not in str(caught.value)


def test_without_a_url_the_setting_names_the_database(tmp_path: Path) -> None:
    remember(None, database=f"sqlite:///{tmp_path}/set.db")
    assert notes(tmp_path / "set.db") == ["I play chess"]


def test_without_url_and_setting_it_is_a_private_file_in_the_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data %41 home"))
    umask = os.umask(0)
    try:
        remember(None)
    finally:
        os.umask(umask)
    folder = tmp_path / "data %41 home" / "zgadka"
    assert notes(folder / "memory.db") == ["I play chess"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "memory.db").stat().st_mode) == 0o600


def test_a_data_directory_that_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot make the directory"):
        default_url()


# Files


def test_the_files_are_their_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    async def use() -> None:
        async with open_memory(f"sqlite:///{tmp_path}/memory.db", settings=Settings()) as memory:
            await memory.call("remember", NOTE, TURN)
            found.update({file.name: stat.S_IMODE(file.stat().st_mode) for file in files()})

    def files() -> list[Path]:
        return list(tmp_path.iterdir())

    found: dict[str, int] = {}
    umask = os.umask(0)
    try:
        asyncio.run(use())
    finally:
        os.umask(umask)
    assert found == {"memory.db": 0o600, "memory.db-wal": 0o600, "memory.db-shm": 0o600}


def test_a_link_to_a_file_that_is_not_there_yet_makes_a_private_file(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "real.db")
    umask = os.umask(0)
    try:
        remember(f"sqlite:///{tmp_path}/link.db")
    finally:
        os.umask(umask)
    assert notes(tmp_path / "real.db") == ["I play chess"]
    assert stat.S_IMODE((tmp_path / "real.db").stat().st_mode) == 0o600


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    (tmp_path / "memory.db").touch()
    remember(f"sqlite:///{tmp_path}/memory.db")
    assert notes(tmp_path / "memory.db") == ["I play chess"]


def test_a_relative_name_stays_the_same_file_wherever_the_process_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reader connections are made at the first read."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)

    async def act() -> list[Any]:
        async with open_memory("sqlite:///memory.db", settings=Settings()) as memory:
            await memory.call("remember", NOTE, TURN)
            monkeypatch.chdir(tmp_path / "elsewhere")
            found = await memory.call("recall", {"query": "chess"}, TURN)
            assert memory.inspect()["file"] == str(tmp_path / "memory.db")
            return found["memories"]

    assert len(asyncio.run(act())) == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_damaged_or_foreign_file_is_refused_by_name_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(b"This is a letter, no database. " * 100)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"memory\.db' is not a SQLite database"):
        open_memory(f"sqlite:///{file}", settings=Settings())
    assert file.read_bytes() == before


def test_a_directory_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=f"cannot open the database '{tmp_path}'"):
        open_memory(f"sqlite:///{tmp_path}", settings=Settings())


def test_a_file_in_a_directory_that_is_missing_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot create the database .*/missing/memory\.db': No such file"):
        open_memory(f"sqlite:///{tmp_path}/missing/memory.db", settings=Settings())


def test_a_name_that_is_too_long_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="too long"):
        open_memory(f"sqlite:///{tmp_path}/{'x' * 300}.db", settings=Settings())


# Root may write anywhere, so the next two run as somebody else.
AS_SOMEBODY_ELSE = """
import asyncio, os, sys
from zgadka import Settings, StoreError, Turn, open_memory
open_memory("sqlite://:memory:", settings=Settings())  # loads what somebody else may not be allowed to read
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    open_memory(sys.argv[1], settings=Settings())
except StoreError as error:
    print(error)
finally:
    if os.getuid() == 0:
        os.seteuid(0)
"""


def open_as_somebody_else(file: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", AS_SOMEBODY_ELSE, f"sqlite:///{file}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A directory that another user may at least enter."""
    import shutil
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="zgadka-"))
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_directory_that_is_read_only_is_named(shared_folder: Path) -> None:
    shared_folder.chmod(0o555)
    assert open_as_somebody_else(shared_folder / "memory.db").startswith(
        f"cannot create the database '{shared_folder}/memory.db': Permission denied"
    )
    assert list(shared_folder.iterdir()) == []


READ_ONLY = """
import asyncio, os, sys
from zgadka import Settings, Turn, open_memory

async def use(url):
    async with open_memory(url, settings=Settings()) as memory:
        turn = Turn(platform="test", space="s", chat="c", user=1, turn="2")
        for tool, arguments in (("recall", {"query": "chess"}), ("remember", {"content": "likes coffee"})):
            result = await memory.call(tool, arguments, turn)
            print(result.status, result.get("count"), result.get("message"))
        print(url == "sqlite://:memory:" or memory.inspect()["integrity"])

asyncio.run(use("sqlite://:memory:"))  # loads what somebody else may not be allowed to read
if os.geteuid() == 0:
    os.seteuid(65534)
try:
    asyncio.run(use(sys.argv[1]))
finally:
    if os.getuid() == 0:
        os.seteuid(0)
"""


@pytest.mark.parametrize("folder_mode", [0o555, 0o777])
def test_a_file_that_is_read_only_is_read_and_left_alone(shared_folder: Path, folder_mode: int) -> None:
    file = shared_folder / "memory.db"
    remember(f"sqlite:///{file}")
    before = file.read_bytes()
    file.chmod(0o444)
    shared_folder.chmod(folder_mode)
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, f"sqlite:///{file}"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.splitlines()[3:] == [
        "success 1 None",
        "error None The memory can only be read here; nothing was changed. It can be looked up as always.",
        "ok",
    ], done.stderr
    assert file.read_bytes() == before


def test_a_file_of_an_older_schema_that_is_read_only_is_named_and_left_alone(shared_folder: Path) -> None:
    file = shared_folder / "memory.db"
    remember(f"sqlite:///{file}")
    with closing(apsw.Connection(str(file))) as connection:
        connection.execute("DELETE FROM migration WHERE number = (SELECT max(number) FROM migration)")
    before = file.read_bytes()
    file.chmod(0o444)
    shared_folder.chmod(0o555)
    message = open_as_somebody_else(file)
    assert str(file) in message
    assert "older schema" in message
    assert file.read_bytes() == before


def test_inspect_names_versions_file_and_state(tmp_path: Path) -> None:
    async def look() -> dict[str, str]:
        async with open_memory(f"sqlite:///{tmp_path}/memory.db", settings=Settings()) as memory:
            return memory.inspect()

    found = asyncio.run(look())
    assert found["sqlite"] == apsw.sqlite_lib_version()
    assert found["file"] == str(tmp_path / "memory.db")
    assert found["journal_mode"] == "wal"
    assert found["integrity"] == "ok"


def test_inspect_finds_damage(tmp_path: Path) -> None:
    """A page of an index is zeroed: the rows are read as before, and only a check notices."""
    file = tmp_path / "memory.db"
    remember(f"sqlite:///{file}")
    connection = apsw.Connection(str(file))
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'memory_slot'")
    connection.close()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(b"\n" + bytes(4) + b"\x10\x00" + bytes(4089))  # an index page without entries

    async def look() -> str:
        async with open_memory(f"sqlite:///{file}", settings=Settings()) as memory:
            return memory.inspect()["integrity"]

    assert "memory_slot" in asyncio.run(look())


# Before a migration


def old_file(file: Path) -> None:
    """A database of an earlier schema."""
    connection = apsw.Connection(str(file))
    connection.execute(
        "CREATE TABLE migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL)"
    )
    for number, name, text, checksum in migrations("sqlite")[:11]:
        connection.execute(text).fetchall()
        connection.execute("INSERT INTO migration VALUES (?, ?, ?)", (number, name, checksum))
    connection.execute("PRAGMA user_version=11")
    connection.close()


def test_a_file_of_an_older_schema_is_copied_before_it_is_migrated_and_an_erasure_takes_the_copy(
    tmp_path: Path,
) -> None:
    file, copy = tmp_path / "memory.db", tmp_path / "memory.db.schema-11"
    old_file(file)
    remember(f"sqlite:///{file}")
    kept = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    assert list(kept.execute("SELECT max(number) FROM migration")) == [(11,)]
    kept.close()

    async def erase() -> None:
        async with open_memory(f"sqlite:///{file}") as memory:
            await memory.erase(replace(TURN, direct=True))

    asyncio.run(erase())
    assert not copy.exists()


def test_where_the_disk_has_no_room_for_a_copy_the_file_is_migrated_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.db"
    old_file(file)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=1))
    remember(f"sqlite:///{file}")
    assert notes(file) == ["I play chess"]
    assert list(tmp_path.glob("*.schema-*")) == []
