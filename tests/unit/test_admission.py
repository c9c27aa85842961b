"""Late calls that get into the queue together: none is lost, and none fails because of another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from zgadka.admission import Admission, LateCall
from zgadka.errors import StoreUncertain
from zgadka.model.turn import Turn
from zgadka.stores.executor import Store
from zgadka.stores.tx import Tx
from zgadka.tools.registry import REGISTRY
from zgadka.worker import Worker

pytestmark = pytest.mark.asyncio


class _Store:
    spans_owners = True

    def within(self, seconds: float) -> _Store:
        return self

    async def write(self, operation: Callable[..., Any], calls: Sequence[LateCall], waits: bool) -> Any:
        await asyncio.sleep(0)
        return operation(None, calls, waits)


def call(number: int) -> LateCall:
    turn = Turn(platform="web", space="1", chat="1", user=1, turn=f"m-{number}")
    return LateCall(REGISTRY["remember"], {"content": str(number)}, turn)


def number_of(late: LateCall) -> int:
    return int(late.arguments["content"])


def admission(enqueue: Callable[[Sequence[LateCall]], Sequence[int]], ended: list[str]) -> Admission:
    def enqueue_in(tx: Tx, calls: Sequence[LateCall], waits: bool) -> Sequence[int]:
        return enqueue(calls)

    return Admission(
        cast("Store", _Store()), 60, enqueue_in, begins=lambda: ended.append("begin"), ends=lambda: ended.append("end")
    )


async def test_whoever_comes_as_a_line_ends_gets_in_with_another():
    ended: list[str] = []
    queue = admission(lambda calls: [number_of(late) for late in calls], ended)

    async def two_after_each_other(first: int) -> list[object]:
        return [await queue.enqueue(call(first)), await queue.enqueue(call(first + 1))]

    answers = await asyncio.wait_for(asyncio.gather(*map(two_after_each_other, (1, 3, 5))), 60)
    assert answers == [[1, 2], [3, 4], [5, 6]]
    assert ended


async def test_an_error_of_one_call_fails_that_call_alone():
    def enqueue(calls: Sequence[LateCall]) -> Sequence[int]:
        if any(number_of(late) == 2 for late in calls):
            raise LookupError("a damaged row")
        return [number_of(late) for late in calls]

    queue = admission(enqueue, [])
    answers = await asyncio.gather(*(queue.enqueue(call(number)) for number in (1, 2, 3)), return_exceptions=True)
    assert [answers[0], type(answers[1]), answers[2]] == [1, LookupError, 3]


async def test_what_may_have_been_kept_is_not_enqueued_again():
    tries: list[int] = []

    def enqueue(calls: Sequence[LateCall]) -> Sequence[int]:
        tries.append(len(calls))
        raise StoreUncertain("it may have been kept, or not")

    queue = admission(enqueue, [])
    answers = await asyncio.gather(*(queue.enqueue(call(number)) for number in (1, 2)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [StoreUncertain, StoreUncertain]
    assert tries == [2]


async def test_the_worker_begins_nothing_while_late_calls_get_in_and_goes_on_after() -> None:
    asked: list[str] = []

    class _Idle:
        idle_seconds, tasks_at_once = 60.0, 1

        async def read(self, operation: Callable[..., Any]) -> Sequence[tuple[int, int]]:
            asked.append("tasks")
            return []

    worker = Worker(cast("Store", _Idle()), {})
    worker.rest()
    running = asyncio.create_task(worker.run())
    for _ in range(5):
        await asyncio.sleep(0)
    assert asked == []
    worker.wake()
    while not asked:  # noqa: ASYNC110  (nobody else is told)
        await asyncio.sleep(0)
    running.cancel()


async def test_others_are_told_once_when_calls_begin_to_get_in_and_once_when_all_are():
    told: list[str] = []
    queue = admission(lambda calls: [number_of(late) for late in calls], told)
    await asyncio.gather(*(queue.enqueue(call(number)) for number in range(3)))
    assert told == ["begin", "end"]


async def test_calls_at_whose_spaces_others_are_are_tried_together_some_times_before_each_space_waits_alone() -> None:
    """Else hundreds of spaces, which another process has for a moment, would have a transaction each."""
    tried: list[tuple[int, bool]] = []

    def enqueue(tx: Tx, calls: Sequence[LateCall], waits: bool) -> Sequence[int | None]:
        tried.append((len(calls), waits))
        is_free = waits or len(tried) > 2
        return [number_of(late) if is_free or number_of(late) == 1 else None for late in calls]

    queue = Admission(cast("Store", _Store()), 60, enqueue, begins=lambda: None, ends=lambda: None)
    assert await asyncio.gather(*(queue.enqueue(call(number)) for number in range(1, 6))) == [1, 2, 3, 4, 5]
    assert tried == [(5, False), (4, False), (4, False)]
    tried.clear()

    def enqueue_held(tx: Tx, calls: Sequence[LateCall], waits: bool) -> Sequence[int | None]:
        tried.append((len(calls), waits))
        return [number_of(late) if waits else None for late in calls]

    queue = Admission(cast("Store", _Store()), 60, enqueue_held, begins=lambda: None, ends=lambda: None)
    assert await asyncio.gather(*(queue.enqueue(call(number)) for number in (1, 2))) == [1, 2]
    assert tried == [(2, False)] * 4 + [(2, True)]
