"""Work in the background, read from rows: queued calls, and chores whose time comes again."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Concatenate, ParamSpec, TypeVar

from zgadka import tracing
from zgadka.errors import StoreBusy, StoreClosed, StoreError, StoreUnfinished, UnknownTool
from zgadka.log import brief, logger
from zgadka.model.task import Task
from zgadka.ops import tasks
from zgadka.ops.multi_owner_saga import WAIT, Spread
from zgadka.ops.tasks import Handler, TakenError
from zgadka.stores.executor import Transactions
from zgadka.stores.reads import LOOK_SECONDS, OTHERS_SECONDS, short_turns
from zgadka.stores.tx import Tx
from zgadka.usage_stats import Activity

P = ParamSpec("P")
T = TypeVar("T")

_log = logger()

_ROUNDS = 10
"""How often a change of several owners' rows looks for more of them, while others write."""
_RENEWED_SECONDS = 2.0
"""How often a worker says that it is still at it: twice within a lease."""
_LONGEST_SECONDS = 30.0
_LONGEST_REST_SECONDS = 3.0


class Worker:
    """Does the tasks of one store. Any number of workers, in any number of processes, share them.

    Args:
        handlers: What does the work, by kind of task.
        spreads: What is left of changes of several owners' rows, by kind of task.
        activity: Is told of every try.
        name: Of this worker, unlike any other's. None: made up.
    """

    def __init__(
        self,
        store: Transactions,
        handlers: Mapping[str, Handler],
        *,
        spreads: Mapping[str, Spread] | None = None,
        activity: Activity | None = None,
        name: str | None = None,
    ) -> None:
        self._store = store
        self._handlers = handlers
        self._spreads = spreads or {}
        self._activity = activity or Activity(store, keeps=False)
        self._woken = asyncio.Event()
        self._may_begin = asyncio.Event()
        self._may_begin.set()
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def wake(self) -> None:
        """Say that there is something to do."""
        self._may_begin.set()
        self._woken.set()

    def rest(self) -> None:
        """Say that others need the store more: nothing is begun until `wake`, or for some seconds at most."""
        self._may_begin.clear()

    async def run(self) -> None:
        """Do what is due, again and again, for as long as the store is open."""
        seconds = self._store.idle_seconds
        while True:
            self._woken.clear()
            try:
                while await self._rested() and await self.run_due():
                    pass
                seconds = self._store.idle_seconds
            except StoreClosed:
                return
            except StoreError as error:
                _log.warning("tasks wait: %s", error)
                seconds = min(seconds * 2, _LONGEST_SECONDS)
            except Exception:  # noqa: BLE001  (the loop must not die)
                _log.exception("tasks wait")
                seconds = min(seconds * 2, _LONGEST_SECONDS)
            # Not `wait_for`: until Python 3.12 it loses a cancellation that comes together with the wake, and whoever
            # closes the memory would wait for ever.
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._woken.wait()

    async def _rested(self) -> bool:
        """Begin once others need the store no more than this; however long they do, something is begun now and then."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_REST_SECONDS):
                await self._may_begin.wait()
        return True

    async def run_due(self) -> int:
        """Do what is due now; returns how many tasks were begun.

        Raises:
            StoreError: The store failed; what was leased is done once its lease ends.
        """
        kinds = [*self._handlers, *self._spreads]  # others are a newer version's, which works beside this one
        due = await self._store.read(lambda tx: tx.tasks.list_due(self._store.tasks_at_once, kinds))
        spaces = [space for space, _ in due]
        try:
            # A lease need not outlive a power cut: nobody would be left to have it.
            claims = await asyncio.gather(
                *(self._store.write_soon(tasks.claim, space, self.name, count, kinds) for space, count in due),
                return_exceptions=True,
            )
            claimed = [task for claim in claims for task in _claimed(claim)]
            async with _kept(lambda: self._renew(spaces, tasks.LEASE)):
                begun = await asyncio.gather(*(self._perform(task) for task in claimed), return_exceptions=True)
        except asyncio.CancelledError:  # the memory is closed: others need not wait for what was not begun
            await self._renew(spaces, timedelta(0))
            raise
        for error in begun:
            if error is not None:
                raise error
        return len(claimed)

    async def write(self, operation: Callable[Concatenate[Tx, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run an operation in a transaction, and then what it leaves to do in other owners' rows; see `finish`."""
        result, unfinished = await self._store.write(and_left(operation), *args, **kwargs)
        await self.finish(unfinished)
        return result

    async def finish(self, unfinished: Sequence[Task]) -> Counter[str]:
        """Do now what an operation leaves to do in other owners' rows; returns how many rows of what, where counted.

        Raises:
            StoreUnfinished: The store failed; a worker does the rest later.
        """
        counts = Counter[str]()
        for task in unfinished:
            try:
                async with _kept(partial(self._put_back, task)):
                    counts.update(await self._spread(task))
            except StoreClosed:
                raise
            except StoreError as error:
                raise StoreUnfinished(f"this was begun, and the rest is done later, by itself: {error}") from error
        return counts

    async def finish_interrupted(self) -> None:
        """Do now what processes that are gone left to do in several owners' rows: until then, what is to go is told.

        It may be done by its process as well, if that one still runs. What fails is logged, and done by a worker later.
        """
        try:
            for task in await self._store.read(lambda tx: tx.tasks.list_sagas()):
                if task.kind in self._spreads and task.state == "waiting":
                    await self._perform(task)
        except StoreError as error:
            _log.warning("what was begun is ended later: %s", error)

    async def _spread(self, task: Task) -> Counter[str]:
        with short_turns():
            return await self._go_through(task, self._spreads[task.kind])

    async def _go_through(self, task: Task, spread: Spread) -> Counter[str]:
        counts = Counter[str]()
        for _ in range(_ROUNDS):
            for part in await self._store.read_long(spread.parts, task):
                await self._give_way()
                counts_of_part, left = await self._store.write(and_left(spread.part), task, part)
                counts.update(counts_of_part)
                counts.update(await self.finish(left))
            counts_of_end, left = await self._store.write(and_left(spread.end), task)
            if counts_of_end is not None:
                counts.update(counts_of_end)
                counts.update(await self.finish(left))
                return counts
        raise StoreBusy("others keep writing what this has to remove")

    async def _give_way(self) -> None:
        """Wait until nobody else is served, or for so long at most."""
        ends = asyncio.get_running_loop().time() + OTHERS_SECONDS
        while self._store.give_way.is_pressed and asyncio.get_running_loop().time() < ends:  # noqa: ASYNC110  (threads too)
            await asyncio.sleep(LOOK_SECONDS)

    async def _renew(self, spaces: Sequence[int], lease: timedelta) -> None:
        """Have the leases on the tasks of spaces begin anew; those of a store that fails end by themselves."""
        writes = (self._store.write_soon(tasks.renew, space, self.name, lease) for space in spaces)
        await asyncio.gather(*writes, return_exceptions=True)

    async def _put_back(self, task: Task) -> None:
        await self._store.write_soon(lambda tx: tx.tasks.put_back(task, WAIT))

    async def _perform(self, task: Task) -> None:
        with tracing.span("zgadka.task", {"zgadka.kind": task.kind}) as span:
            span.set_attribute("zgadka.outcome", await self._try(task))

    async def _try(self, task: Task) -> str:
        try:
            if task.kind in self._spreads:
                await self._spread(task)
                outcome, ended_at = "done", await self._store.read(lambda tx: tx.now)
            else:
                performed = await self._store.write(tasks.perform, task, self.name, self._handlers[task.kind])
                done, ended_at = await self._store.write(
                    lambda tx: (tx.tasks.finish(task, self.name, performed.result), tx.now)
                )
                outcome = "done" if done else "lost"
                if done and performed.owner:
                    with suppress(StoreError):  # what is left of it goes when the store is tidied
                        await self._store.write_soon(lambda tx: tx.outcomes.delete(performed.owner, task.id))
        except StoreClosed:
            raise
        except TakenError as taken:
            outcome, ended_at = "lost", taken.at
        except UnknownTool as error:
            outcome, ended_at = "left", await self._set_aside(task, error)
        except Exception as error:  # noqa: BLE001  (a task that fails is tried again or parked; the worker goes on)
            _log.warning("task %d failed: %s", task.id, brief(error))
            outcome, ended_at = "failed", await self._set_aside(task, error)
        self._activity.timed("task", task.kind, outcome, max((ended_at - task.created_at).total_seconds(), 0.0))
        return outcome

    async def _set_aside(self, task: Task, error: Exception) -> datetime:
        """Let a task that failed wait, so that it holds up no other; where the store is at fault, this fails too."""
        try:
            return await self._store.write(_failed, task, self.name, error)
        except StoreBusy:  # who keeps its rows locked keeps nobody else's; its lease ends by itself
            return await self._store.read(lambda tx: tx.now)


def and_left(operation: Callable[Concatenate[Tx, P], T]) -> Callable[Concatenate[Tx, P], tuple[T, list[Task]]]:
    """The operation, which also says what it leaves to do in other owners' rows."""

    def run(tx: Tx, *args: P.args, **kwargs: P.kwargs) -> tuple[T, list[Task]]:
        return operation(tx, *args, **kwargs), tx.left

    return run


def _claimed(claim: Sequence[Task] | BaseException) -> Sequence[Task]:
    """The tasks of a space; none where others keep its rows locked, for which no other space waits."""
    if isinstance(claim, StoreBusy):
        _log.warning("the tasks of a space wait: %s", claim)
        return []
    if isinstance(claim, BaseException):
        raise claim
    return claim


@asynccontextmanager
async def _kept(renew: Callable[[], Awaitable[object]]) -> AsyncGenerator[None]:
    """Say now and then, while it lasts, that whoever began it is still at it."""

    async def keep() -> None:
        while True:
            await asyncio.sleep(_RENEWED_SECONDS)
            with suppress(StoreError):
                await renew()

    keeping = asyncio.create_task(keep())
    try:
        yield
    finally:
        keeping.cancel()


def _failed(tx: Tx, task: Task, worker: str, error: Exception) -> datetime:
    tasks.fail(tx, task, worker, error)
    return tx.now


@dataclass(frozen=True)
class Chore:
    """What is done again and again in a store, each time by one of its processes."""

    pause: timedelta
    work: Callable[[], Awaitable[object]]


async def repeat(store: Transactions, chores: Mapping[str, Chore]) -> None:
    """Do chores, by name, each time one is due, in whichever process comes first, for as long as the store is open.

    What a store never knew is due after its first pause. All are asked for together: who opens a store for a moment,
    as a command does, asks once.
    """
    pauses = {name: chore.pause for name, chore in chores.items()}
    due: dict[str, bool] = {}
    try:
        due = await store.read(lambda tx: tx.tasks.due_chores(pauses))
        if not due.keys() >= pauses.keys():
            await store.write_soon(lambda tx: tx.tasks.begin_chores(pauses))
    except StoreClosed:
        return
    except Exception:  # noqa: BLE001  (each chore asks again for itself)
        _log.exception("chores are looked at later")

    async def do_if_due(name: str, chore: Chore) -> None:
        if await store.write_soon(lambda tx: tx.tasks.claim_chore(name, chore.pause)):
            await chore.work()

    await asyncio.gather(
        *(
            every(chore.pause, partial(do_if_due, name, chore), name, begins=due.get(name, False))
            for name, chore in chores.items()
        )
    )


async def every(pause: timedelta, chore: Callable[[], Awaitable[object]], name: str, *, begins: bool = True) -> None:
    """Do a chore of this process after each pause, for as long as the store is open.

    Args:
        begins: Whether it is done at once, too.
    """
    if not begins:
        await asyncio.sleep(pause.total_seconds())
    while True:
        try:
            await chore()
        except StoreClosed:
            return
        except Exception:  # noqa: BLE001  (the loop must not die; it tries again)
            _log.exception("the chore %r failed", name)
        await asyncio.sleep(pause.total_seconds())
