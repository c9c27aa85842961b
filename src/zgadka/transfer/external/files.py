"""Read what may be big or broken: archives, arrays of JSON one element at a time, lines, SQLite files."""

from __future__ import annotations

import io
import json
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from zgadka.errors import InvalidInput
from zgadka.transfer.external.entries import Entry, Unusable

LONGEST_ELEMENT = 64 * 2**20
"""Characters of one element, such as a conversation; a file that is broken is not read into memory any further."""

_CHUNK = 2**16
_SPACE = re.compile(r"[ \t\n\r]*")


@contextmanager
def readable(path: Path) -> Generator[None]:
    """Turn whatever is wrong with a file into one message.

    Raises:
        InvalidInput: It cannot be read, or is broken.
    """
    try:
        yield
    except InvalidInput:
        raise
    except (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, sqlite3.Error) as error:
        raise InvalidInput(f"cannot read {str(path)!a}: {error}") from error


def elements_of(path: Path, name: re.Pattern[str]) -> Iterator[tuple[str, Any]]:
    """The elements of all files of this name in an archive or a folder, in order, or of the one file that the path is.

    Each comes with its place.
    """
    if path.is_dir():
        for file in sorted(file for file in path.rglob("*.json") if name.fullmatch(file.name)):
            with file.open("rb") as source:
                yield from elements(source, str(file.relative_to(path)))
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            for inside in sorted(file for file in archive.namelist() if name.fullmatch(file.rpartition("/")[2])):
                with archive.open(inside) as source:
                    yield from elements(source, inside)
    elif name.fullmatch(path.name):
        with path.open("rb") as source:
            yield from elements(source, path.name)


def elements(source: IO[bytes], name: str) -> Iterator[tuple[str, Any]]:
    """The elements of the array that a JSON file is, one at a time, each with its place; or the one object it is.

    Raises:
        InvalidInput: It is no JSON, or breaks off; the elements before that were given.
    """
    text = io.TextIOWrapper(source, encoding="utf-8-sig")
    buffer = _Buffer(text, name)
    try:
        if buffer.next() != "[":
            yield name, buffer.element(name)
            return
        buffer.skip()
        number = 0
        while (sign := buffer.next()) != "]":
            if number and sign != ",":
                raise InvalidInput(f"{name}: after entry {number} there is neither a comma nor the end")
            if number:
                buffer.skip()
            number += 1
            yield f"{name}, entry {number}", buffer.element(f"{name}, entry {number}")
    finally:
        text.detach()  # the file is closed by who opened it


class _Buffer:
    """A window of a text, from the next character to read."""

    def __init__(self, text: IO[str], name: str) -> None:
        self._text = text
        self._name = name
        self._held = ""
        self._at = 0
        self._decoder = json.JSONDecoder()

    def next(self) -> str:
        """Return the next character that is not white space, without consuming it."""
        while True:
            match = _SPACE.match(self._held, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._held):
                return self._held[self._at]
            if not self._more(_CHUNK):
                raise InvalidInput(f"{self._name}: the file breaks off")

    def skip(self) -> None:
        """Skip one character."""
        self._at += 1

    def element(self, location: str) -> Any:
        """The next value."""
        self.next()
        size = _CHUNK
        while True:
            try:
                value, end = self._decoder.raw_decode(self._held, self._at)
            except RecursionError as error:
                raise InvalidInput(f"{location}: it is nested too deeply") from error
            except ValueError as error:
                if len(self._held) - self._at > LONGEST_ELEMENT:
                    raise InvalidInput(
                        f"{location}: it is broken, or longer than {LONGEST_ELEMENT:,} characters"
                    ) from error
                if not self._more(size):
                    raise InvalidInput(f"{location}: it is broken or breaks off: {error}") from error
                size *= 2  # so that a long element is not looked at from its beginning too often
            else:
                if end < len(self._held) or not self._more(_CHUNK):  # else a number might go on
                    self._at = end
                    return value

    def _more(self, size: int) -> bool:
        self._held, self._at = self._held[self._at :], 0
        read = self._text.read(size)
        self._held += read
        return bool(read)


def json_lines(path: Path, read: Callable[[str, Any], Iterable[Entry]]) -> Iterator[Entry]:
    """What is read of each line of a file that is not blank; of one that is too long, only the beginning."""
    with path.open("rb") as source:
        for number, line in enumerate(iter(lambda: source.readline(LONGEST_ELEMENT), b""), 1):
            if line.strip():
                try:
                    value = json.loads(line)
                except (ValueError, RecursionError):
                    yield Unusable(location=f"line {number}", reason="this is no JSON")
                else:
                    yield from read(f"line {number}", value)


@contextmanager
def database(path: Path) -> Generator[sqlite3.Connection]:
    """Open somebody else's SQLite file so that nothing in it is changed or run."""
    if not path.is_file():
        raise InvalidInput(f"cannot read {str(path)!a}: there is no such file")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
    finally:
        connection.close()


def tables(connection: sqlite3.Connection) -> set[str]:
    """The names of the file's tables."""
    return {row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def rows(connection: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table in the order in which they were made; none where there is no such table."""
    if table in tables(connection):
        for row in connection.execute(f'SELECT rowid AS "rowid", * FROM "{table}" ORDER BY rowid'):  # noqa: S608
            yield dict(row)
