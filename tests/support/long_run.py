"""How much of a long set of cases runs: a sample normally, all of it with `--long`.

Three ways: `range(cases(2, long=40))` in a decorator, the marker `long` for what runs only then, and the fixture
`long_run`. Property tests without a number of their own run 25 examples, and 500 with `--long`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_is_chosen = False


def choose(is_chosen: bool) -> None:
    """Called once by `tests/conftest.py`, before any test file is imported."""
    global _is_chosen  # noqa: PLW0603  (decorators have no other way to pytest's options)
    _is_chosen = is_chosen


def is_long() -> bool:
    """Whether pytest was called with `--long`."""
    return _is_chosen


def cases(normal: int, *, long: int) -> int:
    """How many cases to run: `normal`, or `long` with `--long`."""
    return long if _is_chosen else normal


def some_of(choices: Sequence[T], number: int) -> Sequence[T]:
    """One of them, by turns as the number grows; all of them with `--long`."""
    return choices if _is_chosen else [choices[number % len(choices)]]
