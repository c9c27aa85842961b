"""People's wishes beside a SQLite file, and the keys to them in another: a backup that is put back has neither."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from zgadka.log import logger
from zgadka.model.wish import Wish
from zgadka.stores.row_mapping import from_row, to_row

_log = logger("zgadka.stores")

_KEY_BYTES = 32


class WishFiles:
    """The two files of a database: `memory.db.wishes`, a wish a line, and `memory.db.wish-keys`, a key a line.

    Both are for their owner alone (mode 600), and only grow: a later line of the same person adds to the earlier ones.
    """

    def __init__(self, database: Path) -> None:
        self._wishes = database.with_name(f"{database.name}.wishes")
        self._keys = database.with_name(f"{database.name}.wish-keys")

    @property
    def paths(self) -> tuple[Path, Path]:
        """Both files, there or not."""
        return self._wishes, self._keys

    def keys(self, *, make: bool = False) -> list[bytes]:
        """The keys, the one for new wishes first.

        Args:
            make: Whether to make one where there is none.
        """
        keys = [bytes.fromhex(line) for line in _lines(self._keys)]
        if keys or not make:
            return keys
        self.add_key(secrets.token_bytes(_KEY_BYTES))
        return self.keys()  # another process may have been first

    def add_key(self, key: bytes) -> None:
        """Keep a key, the last in order."""
        _append(self._keys, [key.hex()])

    def wishes(self) -> dict[str, Wish]:
        """What each person wished, by digest."""
        wishes: dict[str, Wish] = {}
        for line in _lines(self._wishes):
            try:
                wish = from_row(Wish, tuple(json.loads(line)))
            except (ValueError, TypeError, AttributeError):
                _log.warning("a line of %s is damaged", self._wishes)  # a full disk, or a power cut
                continue
            wishes[wish.digest] = wish.merged(wishes.get(wish.digest, wish))
        return wishes

    def add(self, wishes: Iterable[Wish]) -> None:
        """Keep wishes; they are on disk once this returns."""
        lines = [json.dumps([*to_row(wish).values()]) for wish in wishes]
        if lines:
            _append(self._wishes, lines)


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("ascii", errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _append(path: Path, lines: Iterable[str]) -> None:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)  # until it is closed
        size = os.fstat(descriptor).st_size
        is_torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        os.write(descriptor, b"\n" * is_torn + "".join(f"{line}\n" for line in lines).encode("ascii"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
