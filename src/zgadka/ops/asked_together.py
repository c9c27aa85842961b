"""Operations whose next question is known before it is asked: those of several are asked in one exchange.

Such an operation is a generator. It yields what it is about to ask, once it has worked out what that is, and returns
its result. On a server across a network, each exchange takes longer than most questions.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from zgadka.stores.tx import Tx

P = ParamSpec("P")
T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")

Ask = Callable[[], object]
Asking = Generator[Sequence[Ask], None, T]


def alone(asking: Asking[T]) -> T:
    """Run one by itself."""
    while True:
        try:
            next(asking)
        except StopIteration as end:
            return end.value


def by_itself(begin: Callable[P, Asking[T]]) -> Callable[P, T]:
    """The same operation, run by itself."""

    @wraps(begin)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        return alone(begin(*args, **kwargs))

    return run


def each(askings: Sequence[Asking[T]]) -> Asking[list[T]]:
    """All of them as one, which asks what they ask first."""
    with ExitStack() as stack:
        begun = [_begun(stack.enter_context(closing(asking))) for asking in askings]
        yield [ask for asks, _ in begun for ask in asks]
        return [end() for _, end in begun]


def both(first: Asking[A], second: Asking[B]) -> Asking[tuple[A, B]]:
    """The same of two whose results are different."""
    results = yield from each([cast("Asking[Any]", first), cast("Asking[Any]", second)])
    return results[0], results[1]


def together(tx: Tx, asking: Asking[T]) -> T:
    """Run one, and ask together what it says that it asks first."""
    asks, end = _begun(asking)
    if len(asks) > 1:
        tx.foresee(lambda: asks)
    return end()


def _begun(asking: Asking[T]) -> tuple[Sequence[Ask], Callable[[], T]]:
    try:
        asks = next(asking)
    except StopIteration as end:
        result = end.value
        return (), lambda: result
    return asks, lambda: alone(asking)
