"""Which read is next: everybody's in turn, some of each at a time, and of those that take long one in all."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

LONG = "long"
"""The line of the reads that may take long, whoever waits for them."""

_TURN_SECONDS = 0.0001
"""For so long a thread computes while others wait, where one of them computes for long. Python's own is 50 times as
much, and a short operation waits for that each time SQLite has answered it."""
_SHARE_SECONDS = 0.005
OTHERS_SECONDS = 0.02
"""However many others there are, of so much time what takes long has that share."""
LOOK_SECONDS = 0.001
"""Between two looks whether others are served."""


class _Read(Protocol):
    @property
    def line(self) -> Hashable: ...


R = TypeVar("R", bound=_Read)


class Reads(Generic[R]):
    """What waits for a reader, each in the line of whoever asked; lines are served in turn.

    Args:
        readers: How many there are; of one line, half of them at once, but of nobody's own all but one.
    """

    def __init__(self, readers: int) -> None:
        self._gate = threading.Lock()
        self._lines: dict[Hashable, deque[R]] = {}
        self._next: deque[Hashable] = deque()  # each line once that waits, and of which another may begin
        self._under_way = Counter[Hashable]()
        self._at_once: dict[Hashable, int] = {LONG: 1, None: max(1, readers - 1)}
        self._at_once_each = max(1, readers // 2)

    def put(self, read: R) -> None:
        """Have it wait in its line."""
        with self._gate:
            if (line := self._lines.get(read.line)) is None:
                line = self._lines[read.line] = deque()
                self._admit(read.line)
            line.append(read)

    def take(self) -> R | None:
        """What is to be run now, and then to be given to `done`; None: what waits, waits for what is under way."""
        with self._gate:
            if not self._next:
                return None
            key = self._next.popleft()
            line = self._lines[key]
            read = line.popleft()
            self._under_way[key] += 1
            if not line:
                del self._lines[key]
            else:
                self._admit(key)
            return read

    def done(self, read: R) -> None:
        """Say that one is no longer under way; whoever says so takes the next, of which nobody else is told."""
        with self._gate:
            key = read.line
            if (left := self._under_way[key] - 1) > 0:
                self._under_way[key] = left
            else:
                del self._under_way[key]
            if key in self._lines and key not in self._next:
                self._admit(key)

    def _admit(self, key: Hashable) -> None:
        if self._under_way[key] < self._at_once.get(key, self._at_once_each):
            self._next.append(key)


_gate = threading.Lock()
_computing = 0
_usual_seconds = sys.getswitchinterval()


@contextmanager
def short_turns() -> Generator[None]:
    """Have Python's threads take turns more often: one computes for long, for whom others are not to wait."""
    global _computing, _usual_seconds  # noqa: PLW0603  (there is one interval in a process)
    with _gate:
        if not _computing:
            _usual_seconds = sys.getswitchinterval()
            sys.setswitchinterval(min(_usual_seconds, _TURN_SECONDS))
        _computing += 1
    try:
        yield
    finally:
        with _gate:
            _computing -= 1
            if not _computing:
                sys.setswitchinterval(_usual_seconds)


class GivingWay:
    """Has what takes long wait while others are served, but for a share of the time; for one thread at a time."""

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._others = 0
        self._worked_since = 0.0

    @contextmanager
    def served(self) -> Generator[None]:
        """Somebody waits for an answer meanwhile."""
        with self._gate:
            self._others += 1
        try:
            yield
        finally:
            with self._gate:
                self._others -= 1

    @property
    def is_pressed(self) -> bool:
        """Whether somebody waits for an answer."""
        return bool(self._others)

    def __call__(self) -> None:
        """Wait until nobody else is served, or the share is due."""
        if not self._others or (now := time.monotonic()) - self._worked_since < _SHARE_SECONDS:
            return
        while self._others and time.monotonic() - now < OTHERS_SECONDS:
            time.sleep(LOOK_SECONDS)
        self._worked_since = time.monotonic()
