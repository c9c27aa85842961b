"""Work in the background, read from rows: queued calls, and chores whose time comes again."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

from zgadka import tracing
from zgadka.activity import Activity
from zgadka.errors import InvalidInput, StoreClosed, StoreError
from zgadka.model.task import Task
from zgadka.ops import tasks
from zgadka.ops.tasks import Handler
from zgadka.stores.port import Transactions
from zgadka.stores.tx import Tx

_log = logging.getLogger("zgadka")

_CLAIMED = 200
"""Tasks at a time: they share their commits."""
_IDLE_SECONDS = 1.0
_LONGEST_SECONDS = 30.0


class Worker:
    """Does the tasks of one store. Any number of workers, in any number of processes, share them.

    Args:
        handlers: What does the work, by kind of task.
        activity: Is told of every try.
        name: Of this worker, unlike any other's. None: made up.
    """

    def __init__(
        self,
        store: Transactions,
        handlers: Mapping[str, Handler],
        *,
        activity: Activity | None = None,
        name: str | None = None,
    ) -> None:
        self._store = store
        self._handlers = handlers
        self._activity = activity or Activity(store, keeps=False)
        self._woken = asyncio.Event()
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def wake(self) -> None:
        """Say that there is something to do."""
        self._woken.set()

    async def run(self) -> None:
        """Do what is due, again and again, for as long as the store is open."""
        seconds = _IDLE_SECONDS
        while True:
            self._woken.clear()
            try:
                while await self.run_due():
                    pass
                seconds = _IDLE_SECONDS
            except StoreClosed:
                return
            except StoreError as error:
                _log.warning("tasks wait: %s", error)
                seconds = min(seconds * 2, _LONGEST_SECONDS)
            except Exception:  # noqa: BLE001  (the loop must not die)
                _log.exception("tasks wait")
                seconds = min(seconds * 2, _LONGEST_SECONDS)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), seconds)

    async def run_due(self) -> int:
        """Do what is due now; returns how many tasks were begun.

        Raises:
            StoreError: The store failed; what was leased is done once its lease ends.
        """
        due = await self._store.read(Tx.due_tasks, _CLAIMED)
        # A lease need not outlive a power cut: nobody would be left to have it.
        claims = await asyncio.gather(
            *(self._store.write_soon(tasks.claim, space, self.name, count) for space, count in due)
        )
        claimed = [task for tasks_ in claims for task in tasks_]
        await asyncio.gather(*(self._perform(task) for task in claimed))
        return len(claimed)

    async def _perform(self, task: Task) -> None:
        kind = task.kind if task.kind in self._handlers else "unknown"
        with tracing.span("zgadka.task", {"zgadka.kind": kind}) as span:
            span.set_attribute("zgadka.outcome", await self._try(task, kind))

    async def _try(self, task: Task, kind: str) -> str:
        handler = self._handlers.get(task.kind)
        try:
            if handler is None:
                raise InvalidInput(f"this zgadka does no tasks of kind {task.kind!r}")
            done, now = await self._store.write(_performed, task, self.name, handler)
            outcome = "done" if done else "lost"
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001  (a task that fails is tried again or parked; the worker goes on)
            _log.warning("task %d failed: %s", task.id, type(error).__name__)  # its text may be somebody's
            outcome, now = "failed", await self._store.write(_failed, task, self.name, error)
        self._activity.tried(replace(task, kind=kind), outcome, max((now - task.created_at).total_seconds(), 0.0))
        return outcome


def _performed(tx: Tx, task: Task, worker: str, handler: Handler) -> tuple[bool, datetime]:
    return tasks.perform(tx, task, worker, handler), tx.now


def _failed(tx: Tx, task: Task, worker: str, error: Exception) -> datetime:
    tasks.fail(tx, task, worker, error)
    return tx.now


async def repeat(store: Transactions, name: str, pause: timedelta, chore: Callable[[], Awaitable[object]]) -> None:
    """Do a chore each time it is due, in whichever process comes first, for as long as the store is open."""

    async def if_due() -> None:
        if await store.write_soon(Tx.claim_chore, name, pause):
            await chore()

    await every(pause, if_due, name)


async def every(pause: timedelta, chore: Callable[[], Awaitable[object]], name: str) -> None:
    """Do a chore of this process now and after each pause, for as long as the store is open."""
    while True:
        try:
            await chore()
        except StoreClosed:
            return
        except Exception:  # noqa: BLE001  (the loop must not die; it tries again)
            _log.exception("the chore %r failed", name)
        await asyncio.sleep(pause.total_seconds())
