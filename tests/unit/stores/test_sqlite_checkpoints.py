"""What is removed is in no byte of a SQLite file that is folded through `Checkpoints`, and nothing else changes."""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import apsw
import pytest
from long_run import cases

from zgadka.stores.sqlite import checkpoint
from zgadka.stores.sqlite.checkpoint import Checkpoints, without_remains
from zgadka.stores.sqlite.index_separators import renew_separators

INDEX = """
CREATE VIRTUAL TABLE memory_index USING fts5 (
    words, content = '', columnsize = 0, detail = none, tokenize = 'ascii'
);
INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1);
"""
REMOVED = b"zqremoved"


class File:
    """A file with rows of many lengths, of which pages split and merge."""

    def __init__(self, path: Path, *, is_secure: bool = True, auto_vacuum: str = "NONE") -> None:
        self.path = path
        self.connection = apsw.Connection(str(path))
        self.run(f"PRAGMA auto_vacuum={auto_vacuum}")
        self.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF")
        self.run(f"PRAGMA secure_delete={'ON' if is_secure else 'OFF'}")
        self.run("CREATE TABLE row (owner, id, text, PRIMARY KEY (owner, id)) WITHOUT ROWID; CREATE TABLE step (id)")
        self.run("INSERT INTO step VALUES (1)")

    def run(self, statements: str, parameters: tuple[Any, ...] = ()) -> list[Any]:
        return list(cast("Callable[..., Iterator[Any]]", self.connection.execute)(statements, parameters))

    def fill(self, seed: int) -> None:
        dice = random.Random(seed)
        self.run("BEGIN")
        for number in range(1500):
            goes = dice.random() < 0.3
            text = f"{REMOVED.decode() if goes else 'stays'} {number} " + "x" * dice.choice((3, 50, 400, 6000))
            self.run("INSERT INTO row VALUES (?, ?, ?)", (dice.randrange(5), number, text))
        self.run("COMMIT")
        self.run("DELETE FROM row WHERE text LIKE 'zqremoved%'")

    def step(self) -> None:
        self.run("UPDATE step SET id = id + 1")

    def bytes(self) -> bytes:
        """Those of the file and its journal."""
        return b"".join(file.read_bytes() for file in sorted(self.path.parent.iterdir()))


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Callable[..., File]]:
    opened: list[File] = []

    def open_file(**options: Any) -> File:
        opened.append(File(tmp_path / "file.db", **options))
        return opened[-1]

    yield open_file
    for file in opened:
        file.connection.close()


@pytest.mark.parametrize("seed", range(cases(2, long=30)))
def test_a_checkpoint_leaves_nothing_in_the_free_space_of_pages(files: Callable[..., File], seed: int) -> None:
    file = files()
    file.run("PRAGMA wal_autocheckpoint=0")
    file.fill(seed)
    rows = file.run("SELECT * FROM row")
    assert REMOVED in file.bytes()
    checkpoints = Checkpoints(file.path)
    assert checkpoints.empty(0)
    assert REMOVED not in file.bytes()
    assert file.run("SELECT * FROM row") == rows
    assert file.run("PRAGMA integrity_check") == [("ok",)]
    checkpoints.close()


@pytest.mark.parametrize("auto_vacuum", ["FULL", "INCREMENTAL"])
def test_a_file_that_was_made_to_shrink_has_pages_that_begin_as_trees_do_and_stays_whole(
    files: Callable[..., File], auto_vacuum: str
) -> None:
    file = files(auto_vacuum=auto_vacuum)
    file.run("PRAGMA wal_autocheckpoint=0")
    checkpoints = Checkpoints(file.path)
    for seed in range(3):
        file.fill(seed * 10)
        file.run(f"UPDATE row SET id = id + {(seed + 1) * 100_000} WHERE id < 100000")
        assert checkpoints.sweep(file.step, 1)
        assert checkpoints.empty(0)
        assert file.run("PRAGMA integrity_check") == [("ok",)]
    checkpoints.close()


@pytest.mark.parametrize("is_secure", [True, False])
def test_a_sweep_takes_away_what_other_checkpoints_left(files: Callable[..., File], is_secure: bool) -> None:
    """Without `secure_delete`, in pages that are free now; not in the midst of the others."""
    file = files(is_secure=is_secure)
    file.fill(1)
    if not is_secure:
        file.run("DELETE FROM row")
    rows = file.run("SELECT * FROM row")
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    assert REMOVED in file.bytes()
    checkpoints = Checkpoints(file.path)
    assert checkpoints.sweep(file.step, 0)
    assert checkpoints.empty(0)
    assert REMOVED not in file.bytes()
    assert file.run("SELECT * FROM row") == rows
    assert file.run("PRAGMA integrity_check") == [("ok",)]
    checkpoints.close()


def test_a_sweep_goes_on_in_slices_while_others_write_and_read(
    files: Callable[..., File], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoint, "_SLICE_PAGES", 64)
    file = files()
    file.fill(1)
    file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    reader = apsw.Connection(str(file.path))
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1
        file.step()
        file.run("INSERT INTO row VALUES (9, ?, ?)", (steps, "stays" * 1000))
        assert reader.execute("SELECT count(*) FROM row WHERE owner = 9").fetchall() == [(steps,)]

    checkpoints = Checkpoints(file.path)
    assert checkpoints.sweep(step, 1)
    assert steps > 10
    assert checkpoints.empty(0)
    assert REMOVED not in file.bytes()
    assert file.run("PRAGMA integrity_check") == [("ok",)]
    checkpoints.close()
    reader.close()


def test_who_reads_an_old_snapshot_is_waited_for_and_then_told_of(files: Callable[..., File]) -> None:
    file = files()
    reader = apsw.Connection(str(file.path))
    reader.execute("BEGIN; SELECT count(*) FROM row").fetchall()
    file.fill(1)
    checkpoints = Checkpoints(file.path)
    assert not checkpoints.empty(0)
    reader.execute("ROLLBACK")
    assert checkpoints.empty(0)
    assert file.path.with_name("file.db-wal").stat().st_size == 0
    checkpoints.close()
    reader.close()


def test_a_page_that_is_none_of_a_tree_stays_as_it_is() -> None:
    for page in (b"\0\0\0\7" + b"overflowing" * 100, bytes(4096), b"\xff" * 4096, b"\x0d" + b"\xff" * 4095):
        assert without_remains(page) == page


@pytest.mark.parametrize("seed", range(cases(3, long=40)))
def test_no_page_of_the_index_is_known_by_a_word_that_is_gone(files: Callable[..., File], seed: int) -> None:
    file, dice = files(), random.Random(seed)
    file.run(INDEX)
    memories: dict[int, list[str]] = {}
    for _ in range(25):
        file.run("BEGIN")
        for _ in range(dice.choice((2, 12))):
            number = len(memories) + 1
            memories[number] = [f"o{dice.randrange(3)}x{dice.randrange(10**8)}" for _ in range(dice.choice((5, 40)))]
            file.run("INSERT INTO memory_index (rowid, words) VALUES (?, ?)", (number, " ".join(memories[number])))
        file.run("COMMIT; BEGIN")
        removed: list[str] = []
        live = [number for number, words in memories.items() if words]
        for number in dice.sample(live, len(live) // 4):
            words, memories[number] = memories[number], []
            remove = "INSERT INTO memory_index (memory_index, rowid, words) VALUES ('delete', ?, ?)"
            file.run(remove, (number, " ".join(words)))
            removed += words
        renew_separators(file.connection, removed)
        file.run("COMMIT")
    words = sorted({word for own in memories.values() for word in own})
    for (separator,) in file.run("SELECT CAST(substr(term, 2) AS TEXT) FROM memory_index_idx WHERE length(term) > 1"):
        assert words[bisect_left(words, separator)].startswith(separator)
    found = file.run("SELECT rowid FROM memory_index WHERE memory_index MATCH ?", (words[0],))
    assert found == [(number,) for number, own in memories.items() if words[0] in own]
    file.run("INSERT INTO memory_index (memory_index) VALUES ('optimize')")
    assert file.run("PRAGMA integrity_check") == [("ok",)]


def test_closing_on_a_full_disk_leaves_all_in_the_journal(
    files: Callable[..., File], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = files()
    checkpoints = Checkpoints(file.path)
    file.run("PRAGMA wal_autocheckpoint=0")
    file.fill(1)
    kept = file.run("SELECT count(*) FROM row")
    file.connection.close()
    writes: list[int] = []

    def is_full(_: object, data: bytes, offset: int) -> None:
        writes.append(offset)
        raise apsw.FullError("database or disk is full")

    with monkeypatch.context() as full:
        full.setattr(checkpoint._File, "_write", is_full)
        checkpoints.close()
    assert writes
    again = apsw.Connection(str(file.path))
    assert list(again.execute("SELECT count(*) FROM row")) == kept
    again.close()
