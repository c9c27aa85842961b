"""Folding the journal into the file, so that no page keeps what is no longer in it.

`secure_delete` zeroes what is removed. But when rows move to a neighbouring page, SQLite leaves their bytes where they
were, in the free space of the page. Nothing reads these: here they are zeroed on their way into the file, at every
checkpoint, and in pages that another program wrote by a `sweep`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import apsw

from zgadka.stores.sqlite.schema import run

LONGEST_HOLD_MS = 15
"""How long an emptying of the journal waits for readers while others cannot write."""

_HEADER_BYTES = {2: 12, 5: 12, 10: 8, 13: 8}
"""Of a page of a b-tree, by its kind: an inner page or a leaf, of an index or a table."""

_MOST_PAGES = 0x2000000
"""Pages of a file in which no page that is none of a b-tree begins as one does: they begin with a page's number."""

_LOCKED_AT = 0x40000000
"""Where the page begins that is for locks alone (https://sqlite.org/fileformat2.html#the_lock_byte_page)."""

_SLICE_PAGES = 2048
"""Of a sweep: some 10 ms, in which nobody else can fold the journal."""
_READ_PAGES = 64
_ZEROS = bytes(65536)
_numbers = count()


def without_remains(page: bytes, *, is_first: bool = False) -> bytes:
    """The page, with zeros between its list of cells and the cells themselves."""
    start = 100 if is_first else 0
    header = _HEADER_BYTES.get(page[start])
    if header is None:
        return page
    begin = start + header + 2 * int.from_bytes(page[start + 3 : start + 5])
    end = int.from_bytes(page[start + 5 : start + 7]) or 65536
    if end > len(page) or begin >= end or page[begin:end] == _ZEROS[: end - begin]:
        return page
    return page[:begin] + _ZEROS[: end - begin] + page[end:]


def map_every(head: bytes) -> int:
    """How many pages there are from one to the next that maps the others, by a file's header; 0 where none does."""
    size = int.from_bytes(head[16:18])
    usable = (65536 if size == 1 else size) - head[20]
    return usable // 5 + 1 if any(head[52:56]) else 0


def is_map(number: int, size: int, every: int) -> bool:
    """Whether a page of this number maps others, as with `auto_vacuum`; it may begin as one of a tree does."""
    first = (number - 2) // every * every + 2
    return number == (first + 1 if first == _LOCKED_AT // size + 1 else first)


class Checkpoints:
    """A connection that folds the journal of a file into it. For one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._vfs = _Vfs()
        self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, vfs=self._vfs.name)
        self._connection.set_busy_timeout(LONGEST_HOLD_MS)
        # Who has read nothing has no journal, and folds nothing without a word.
        run(self._connection, "SELECT count(*) FROM sqlite_schema")

    def close(self) -> None:
        """Let go of the file; the last of all its connections removes the journal, unless the disk is full or fails."""
        with suppress(apsw.FullError, apsw.IOError):  # all of it stays in the journal
            self._connection.close()

    def fold(self) -> None:
        """Write what can be written while others read and write; nothing where another connection is at it."""
        with suppress(apsw.BusyError):
            self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def empty(self, seconds: float) -> bool:
        """Write all and truncate the journal; False when readers were in the way for so long.

        Afterwards no connection keeps a page in memory that it read before.
        """
        ends = time.monotonic() + seconds
        while True:
            self.fold()  # so that little is left to be written while nobody else can write
            try:
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            except apsw.BusyError:  # readers; or another connection folds, for which SQLite does not wait
                if time.monotonic() >= ends:
                    return False
                time.sleep(random.uniform(0.5, 1.5) * LONGEST_HOLD_MS / 1000)  # noqa: S311
            else:
                return True

    def sweep(self, write: Callable[[], object], seconds: float) -> bool:
        """Zero the remains in the pages of the whole file, while others read and write.

        Args:
            write: Commits something: a checkpoint without anything to do is none.
            seconds: How long a slice may be kept from beginning, as by who reads an old snapshot.

        Returns:
            Whether all of it was done.
        """
        file = self._vfs.file
        file.begin_sweep()
        ends = time.monotonic() + seconds
        try:
            while (page := file.next_page) is not None:
                write()
                self.fold()
                if file.next_page != page:
                    ends = time.monotonic() + seconds
                elif time.monotonic() >= ends:
                    return False
                else:
                    time.sleep(LONGEST_HOLD_MS / 1000)
            return True
        finally:
            file.next_page = None


class _Vfs(apsw.VFS):
    """The usual file system, but for the database file itself."""

    def __init__(self) -> None:
        self.name = f"zgadka-{next(_numbers)}"
        super().__init__(self.name, "")
        self.file: _File

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        if not flags[0] & apsw.SQLITE_OPEN_MAIN_DB:
            return apsw.VFSFile("", name, flags)
        self.file = _File(name, flags)
        return self.file


class _File(apsw.VFSFile):
    """A database file.

    Attributes:
        next_page: The page at which a sweep goes on with the next checkpoint; None: there is none.
    """

    def __init__(self, name: apsw.URIFilename | str | None, flags: list[int]) -> None:
        super().__init__("", name, flags)
        self.next_page: int | None = None
        self._map_every: int | None = None

    def begin_sweep(self) -> None:
        """Have the checkpoints that follow go through the whole file."""
        self.next_page = 0

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        try:
            if offset == 0 or self._map_every is None:  # a checkpoint writes the first page first
                self._map_every = map_every(data if offset == 0 else self.xRead(100, 0))
            self._write(self._without_remains(data, offset // len(data) + 1), offset)
        except BaseException:
            self.next_page = None  # the file is of no one moment
            raise

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        if op == apsw.SQLITE_FCNTL_CKPT_DONE and self.next_page is not None:
            self.next_page = self._clean(self.next_page)
        return super().xFileControl(op, ptr)

    def _without_remains(self, page: bytes, number: int) -> bytes:
        if number > _MOST_PAGES or (self._map_every and is_map(number, len(page), self._map_every)):
            return page
        return without_remains(page, is_first=number == 1)

    def _write(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]

    def _clean(self, first: int) -> int | None:
        """Zero the remains in a slice of pages; returns where the next one begins.

        Only while no other connection can write into the file: after a checkpoint, before it ends. Who reads a page
        meanwhile does not look at what changes. What is free by now, no reader has in its snapshot.
        """
        head = self.xRead(100, 0)
        self._map_every = map_every(head)
        size = int.from_bytes(head[16:18])
        size = 65536 if size == 1 else size
        pages = min(self.xFileSize() // size, _MOST_PAGES)
        last = min(first + _SLICE_PAGES, pages)
        free = self._free_pages(head, size)
        for begin in range(first, last, _READ_PAGES):
            data = self.xRead((min(begin + _READ_PAGES, last) - begin) * size, begin * size)
            for number in range(begin, min(begin + _READ_PAGES, last)):
                page = data[(number - begin) * size : (number - begin + 1) * size]
                clean = _ZEROS[:size] if number + 1 in free else self._without_remains(page, number + 1)
                if page != clean:
                    self._write(clean, number * size)
            time.sleep(0)  # Python's lock is for others as well
        self.xSync(apsw.SQLITE_SYNC_NORMAL)
        return last if last < pages else None

    def _free_pages(self, head: bytes, size: int) -> set[int]:
        """The numbers of the pages that hold nothing, not even the list of those that do not."""
        free = set[int]()
        trunk = int.from_bytes(head[32:36])
        while trunk:
            page = self.xRead(size, (trunk - 1) * size)
            length = int.from_bytes(page[4:8])
            free.update(int.from_bytes(page[at : at + 4]) for at in range(8, 8 + 4 * length, 4))
            trunk = int.from_bytes(page[:4])
        return free
