"""What is remembered while one message is read, and no longer: nothing that somebody wrote stays in memory."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

P = ParamSpec("P")
R = TypeVar("R")

_results: ContextVar[dict[tuple[object, ...], object] | None] = ContextVar("results", default=None)


@contextmanager
def forgetting() -> Generator[None]:
    """Remember what functions return until the block ends, in this thread and task alone."""
    if _results.get() is not None:
        yield  # the outer block forgets it
        return
    token = _results.set({})
    try:
        yield
    finally:
        _results.reset(token)


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Have a function compute a result once within `forgetting`; elsewhere it computes it each time."""

    @wraps(function)
    def recall(*args: P.args, **kwargs: P.kwargs) -> R:
        results = _results.get()
        if results is None:
            return function(*args, **kwargs)
        call: tuple[Any, ...] = (function, *args)
        if call not in results:
            results[call] = function(*args, **kwargs)
        return cast("R", results[call])

    return recall
