"""Which read is next: everybody's in turn, some of each at a time, and of those that take long one in all."""

from __future__ import annotations

import gc
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Hashable
from contextlib import ExitStack, contextmanager
from typing import Generic, Protocol, TypeVar

from zgadka.breathing import is_wanted

LONG = "long"
"""The line of the reads that may take long, whoever waits for them."""

_TURN_SECONDS = 0.0001
"""For so long a thread computes while others wait, where one of them computes for long. Python's own is 50 times as
much, and a short operation waits for that each time SQLite has answered it."""
_SELDOM = 1000
"""Of collections of what is a bit older, so many come before a full one: what takes long may never end."""
_LOOKS = 16
"""How often it is looked whether something takes long: that itself takes as long as a few lines of Python."""
_SHORT_SECONDS = 0.02
"""What has computed for so long gives way to others from then on: on a slow machine a context takes nearly as long."""
_SHARE_SECONDS = 0.005
OTHERS_SECONDS = 0.1
"""When it has waited for so long, what takes long goes on for that share, however many others there are."""
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
_usual = sys.getswitchinterval(), gc.get_threshold()


@contextmanager
def short_turns() -> Generator[None]:
    """Have Python's threads take turns more often: one computes for long, for whom others are not to wait.

    Nor are they to wait for a full collection of garbage, in which all stand still: what is made meanwhile would cause
    one after another, of all that the process has. The quick ones of what is new go on.
    """
    global _computing, _usual  # noqa: PLW0603  (there is one interval in a process)
    with _gate:
        if not _computing:
            interval, (new, young, _) = _usual = sys.getswitchinterval(), gc.get_threshold()
            sys.setswitchinterval(min(interval, _TURN_SECONDS))
            gc.set_threshold(new, young, _SELDOM)
        _computing += 1
    try:
        yield
    finally:
        with _gate:
            _computing -= 1
            if not _computing:
                sys.setswitchinterval(_usual[0])
                gc.set_threshold(*_usual[1])


class GivingWay:
    """Has what takes long wait while others are served, but for a share of the time.

    Args:
        readers: How many there are: of them, one at least goes on, or nobody would be served.
    """

    def __init__(self, readers: int) -> None:
        self._gate = threading.Lock()
        self._served = Counter[Hashable]()
        self._may_wait = threading.BoundedSemaphore(max(readers - 1, 0))

    @contextmanager
    def served(self, line: Hashable) -> Generator[Callable[[], None]]:
        """Somebody of this line waits for an answer meanwhile; lends what to call once that takes longer than most."""
        is_counted = True

        def leave() -> None:
            nonlocal is_counted
            with self._gate:
                if is_counted and (left := self._served[line] - 1) > 0:
                    self._served[line] = left
                elif is_counted:
                    del self._served[line]
                is_counted = False

        with self._gate:
            self._served[line] += 1
        try:
            yield leave
        finally:
            leave()

    @property
    def is_pressed(self) -> bool:
        """Whether somebody waits for an answer, but for what takes long."""
        return bool(self._served)

    @contextmanager
    def pace(self, line: Hashable, turns_out_long: Callable[[], None] | None) -> Generator[Callable[[], None]]:
        """Lend what an operation of this line calls now and then: it waits while those of other lines are served.

        Args:
            turns_out_long: Is called when it has computed for as long as few do; until then, it waits for nobody. None:
                it takes long.
        """
        began = time.thread_time()
        waited = works_until = 0.0
        looks, is_long = 0, turns_out_long is None

        def is_pressed() -> bool:
            return len(self._served) > (line in self._served) and not is_wanted()

        def give_way() -> None:
            nonlocal looks, is_long, waited, works_until
            if not is_long:
                looks += 1
                if looks % _LOOKS or time.thread_time() - began < _SHORT_SECONDS:
                    return
                is_long = True
                if turns_out_long is not None:
                    turns_out_long()
                turns.enter_context(short_turns())
            if (
                not is_pressed()
                or (now := time.monotonic()) < works_until
                or not self._may_wait.acquire(blocking=False)
            ):
                return
            try:
                while is_pressed() and waited < OTHERS_SECONDS:
                    time.sleep(LOOK_SECONDS)
                    before, now = now, time.monotonic()
                    waited += now - before
            finally:
                self._may_wait.release()
            if waited >= OTHERS_SECONDS:
                waited, works_until = 0.0, now + _SHARE_SECONDS

        with ExitStack() as turns:
            if is_long:
                turns.enter_context(short_turns())
            yield give_way
