"""A way to a PostgreSQL server that counts how often a client waits for it, and may be a long one, or none."""

from __future__ import annotations

import contextlib
import select
import socket
import threading
import time
from collections import deque
from pathlib import Path


class Wire:
    """Carries connections from one socket to another.

    Args:
        seconds: How long everything is on the way, there and back together.

    Attributes:
        trips: How often clients waited for an answer.
        is_open: While it is not set, nothing comes through, and nobody is told so.
    """

    def __init__(self, target: Path, place: Path, *, seconds: float = 0.0) -> None:
        self.trips = 0
        self.is_open = threading.Event()
        self.is_open.set()
        self._target = str(target)
        self._seconds = seconds / 2
        self._listening = socket.socket(socket.AF_UNIX)
        place.unlink(missing_ok=True)
        self._listening.bind(str(place))
        place.chmod(0o777)
        self._listening.listen(200)
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as server, contextlib.suppress(OSError):
            server.connect(self._target)
            asked = _Asked()
            under_way: deque[tuple[float, socket.socket, bytes]] = deque()
            while True:
                wait = None if not under_way else max(0.0, under_way[0][0] - time.monotonic())
                for ready in select.select([client, server], [], [], wait)[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    if ready is client:
                        self.trips += asked.waits(data)
                    under_way.append((time.monotonic() + self._seconds, server if ready is client else client, data))
                while under_way and under_way[0][0] <= time.monotonic():
                    _, receiver, data = under_way.popleft()
                    self.is_open.wait()
                    receiver.sendall(data)


class _Asked:
    """What a client sends, cut into messages."""

    def __init__(self) -> None:
        self._rest = b""
        self._has_begun = False

    def waits(self, data: bytes) -> int:
        """After how many of these messages it waits: not after the end of a transaction that changed nothing."""
        self._rest += data
        count = 0
        while len(self._rest) >= 5:
            kind = self._rest[:1] if self._has_begun else b""
            length = len(kind) + int.from_bytes(self._rest[len(kind) : len(kind) + 4], "big")
            if len(self._rest) < length:
                break
            message, self._rest = self._rest[:length], self._rest[length:]
            self._has_begun = True
            count += kind == b"S" or (kind == b"Q" and message[5:] != b"COMMIT\0")
        return count
