"""What people wished outlives their data, the database, and whatever file takes its place."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import stat
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest

from zgadka import Memory, PrivacyLevel, Settings, Turn, open_memory
from zgadka.assemble import restore
from zgadka.model.token import Grant
from zgadka.transfer.external.chat_history import learn, read_export

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


class World:
    """A database file, opened anew for each step."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "memory.db"
        self.copy = folder / "backup.db"
        self.now = START

    def step(self, act: Callable[[Memory], Awaitable[Any]], **settings: Any) -> Any:
        async def run() -> Any:
            options = Settings(background=False, calls_per_hour=0, **settings)
            async with open_memory(f"sqlite:///{self.file}", settings=options, clock=lambda: self.now) as memory:
                return await act(memory)

        self.now += timedelta(minutes=1)
        return asyncio.run(run())

    def note(self, text: str, user: int) -> None:
        assert self.step(lambda memory: memory.call("remember", {"content": text}, turn(user))).status == "success"

    def notes(self) -> list[str]:
        with closing(apsw.Connection(str(self.file))) as connection:
            return [row[0] for row in connection.execute("SELECT content FROM memory ORDER BY id")]

    def level(self, user: int) -> PrivacyLevel:
        return self.step(lambda memory: memory.privacy(turn(user)))


def turn(user: int) -> Turn:
    return Turn(platform="telegram", space="7", chat="7", user=user)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Two people with a note each, and a backup of that; then one is erased, and the other wants no memory."""
    made = World(tmp_path)
    made.note("plays the tuba", 1)
    made.note("grows orchids", 2)
    made.step(lambda memory: memory.backup(made.copy))
    made.step(lambda memory: memory.erase(turn(1)))
    made.step(lambda memory: memory.set_privacy(PrivacyLevel.FULL, turn(2)))
    return made


def test_a_restored_backup_has_nothing_of_who_was_erased_since_and_the_levels_of_today(world: World) -> None:
    restored = restore(world.copy, f"sqlite:///{world.file}", overwrite=True)
    assert (restored.erased_again, restored.erased) == (1, ())
    assert world.notes() == ["grows orchids"]
    assert b"tuba" not in world.file.read_bytes()
    assert world.level(2) is PrivacyLevel.FULL


@pytest.mark.parametrize("erases", [False, True])
def test_a_level_that_was_raised_in_one_space_alone_holds_after_a_restore(tmp_path: Path, erases: bool) -> None:
    world = World(tmp_path)
    world.step(lambda memory: memory.record("user", "Hello!", turn(1)))
    world.note("plays the tuba", 1)
    world.step(lambda memory: memory.backup(world.copy))
    grant = Grant(token=1, role="service", platforms=("telegram",), spaces=("7",), direct=False)
    world.step(lambda memory: memory.set_privacy(PrivacyLevel.FULL, turn(1), grant=grant))
    if erases:
        world.step(lambda memory: memory.erase(turn(1)))
    restore(world.copy, f"sqlite:///{world.file}", overwrite=True)
    assert world.level(1) is PrivacyLevel.FULL
    assert world.step(lambda memory: memory.recent(turn(2), 10)) == []
    assert "tuba" not in str(world.step(lambda memory: memory.call("recall", {"query": "tuba"}, turn(1))))
    assert world.notes() == ([] if erases else ["plays the tuba"])


def test_a_file_that_takes_the_place_by_other_means_is_mended_before_anybody_is_answered(world: World) -> None:
    for ending in ("-wal", "-shm"):
        world.file.with_name(f"memory.db{ending}").unlink(missing_ok=True)
    shutil.copy(world.copy, world.file)
    found = world.step(lambda memory: memory.call("recall", {"query": "tuba"}, turn(3)))
    assert found["count"] == 0
    assert world.notes() == ["grows orchids"]
    assert world.level(2) is PrivacyLevel.FULL


def test_what_the_file_beside_the_database_lacks_is_added_when_it_is_opened(world: World) -> None:
    """A crash came between the commit and the file; or somebody removed it."""
    kept = world.file.with_name("memory.db.wishes")
    lines = kept.read_text().splitlines()
    kept.write_text(f"{lines[0]}\n{lines[1][:20]}")  # the disk was full
    assert world.level(2) is PrivacyLevel.FULL
    restore(world.copy, f"sqlite:///{world.file}", overwrite=True)
    assert world.notes() == ["grows orchids"]
    assert world.level(2) is PrivacyLevel.FULL


def test_who_comes_back_after_their_erasure_is_not_erased_again(world: World) -> None:
    world.note("sings", 1)
    world.step(lambda memory: memory.backup(world.copy, overwrite=True))
    restored = restore(world.copy, f"sqlite:///{world.file}", overwrite=True)
    assert restored.erased_again == 0
    assert world.notes() == ["grows orchids", "sings"]


def test_hashes_and_key_lie_in_files_of_their_own_for_their_owner_alone(world: World) -> None:
    [key] = world.file.with_name("memory.db.wish-keys").read_text().splitlines()
    assert bytes.fromhex(key) not in world.file.read_bytes()
    for name in ("memory.db.wishes", "memory.db.wish-keys"):
        assert stat.S_IMODE(world.file.with_name(name).stat().st_mode) == 0o600
        assert b"telegram" not in world.file.with_name(name).read_bytes()
        assert key not in world.file.with_name("memory.db.wishes").read_text()


def test_a_key_that_lies_in_the_database_is_moved_out_of_it(tmp_path: Path) -> None:
    """As an earlier program left it."""
    world = World(tmp_path)
    world.note("plays the tuba", 1)
    world.step(lambda memory: memory.set_privacy(PrivacyLevel.PARTIAL, turn(1)))
    keys = world.file.with_name("memory.db.wish-keys")
    key = bytes.fromhex(keys.read_text())
    keys.unlink()
    with closing(apsw.Connection(str(world.file))) as connection:
        connection.execute("INSERT INTO secret VALUES ('wish', ?)", (key,))
    world.step(lambda memory: memory.erase(turn(1)))
    assert key.hex() in keys.read_text()
    assert key not in world.file.read_bytes()
    assert world.level(1) is PrivacyLevel.PARTIAL


def test_what_cannot_be_kept_beside_the_database_fails_no_wish(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from zgadka.stores.sqlite import wish_files

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, caplog.at_level(logging.ERROR, "zgadka"):
        patch.setattr(wish_files, "_append", full)
        world.step(lambda memory: memory.set_privacy(PrivacyLevel.PARTIAL, turn(2)))
    assert "No space left" in caplog.text
    assert world.level(2) is PrivacyLevel.PARTIAL
    restore(world.copy, f"sqlite:///{world.file}", overwrite=True)
    assert world.level(2) is PrivacyLevel.PARTIAL


def test_learning_leaves_out_what_was_written_before_an_erasure(world: World, tmp_path: Path) -> None:
    export = tmp_path / "result.json"
    said = [("user1", -1, "I live in Lviv"), ("user1", 60, "I live in Odesa"), ("user3", -1, "I live in Kyiv")]
    messages = [
        {
            "id": number,
            "type": "message",
            "date_unixtime": str(int((START + timedelta(minutes=minutes)).timestamp())),
            "from": user,
            "from_id": user,
            "text": text,
        }
        for number, (user, minutes, text) in enumerate(said, 1)
    ]
    export.write_text(json.dumps({"name": "g", "type": "private_group", "id": 7, "messages": messages}))
    learned = world.step(lambda memory: learn(memory, read_export(export)))
    assert (learned.messages, learned.erased_since) == (2, 1)
    alone = Turn(platform="telegram", space="1", chat="1", user=1, direct=True)
    lines = str(world.step(lambda memory: memory.export(alone)))
    assert ("Odesa" in lines, "Lviv" in lines) == (True, False)
