"""Where code computes for long, it lets others be served now and then: it calls `breathe`, however deep it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


class _Thread(threading.local):
    breath: Callable[[], object] | None = None

    def __init__(self) -> None:
        self.held: list[Lent] = []


_thread = _Thread()


class Lent:
    """What one thread has at a time, which is told while others want it: then it does not let these be served first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.wanted: set[int] = set()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self.wanted.add(threading.get_ident())
            self._lock.acquire()
            self.wanted.discard(threading.get_ident())
        _thread.held.append(self)

    def __exit__(self, *_: object) -> None:
        _thread.held.remove(self)
        self._lock.release()


def is_wanted() -> bool:
    """Whether others wait for what this thread has."""
    return any(lent.wanted for lent in _thread.held)


def breathe() -> None:
    """Have whoever runs this thread decide whether others are served first, or it ends here since nobody waits."""
    if _thread.breath is not None:
        _thread.breath()


def breathing(items: Iterable[T]) -> Iterator[T]:
    """The items, with a breath before each."""
    for item in items:
        breathe()
        yield item


@contextmanager
def breaths(breath: Callable[[], object]) -> Generator[None]:
    """Have `breathe` call this in this thread meanwhile."""
    outer, _thread.breath = _thread.breath, breath
    try:
        yield
    finally:
        _thread.breath = outer
