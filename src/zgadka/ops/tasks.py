"""Tool calls that are done later: put in line, done once in effect, told once."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from zgadka.errors import InvalidInput
from zgadka.model.task import Finished, Task
from zgadka.model.turn import Turn
from zgadka.ops.scopes import ensure_space, find_space, person_named
from zgadka.stores.tasks import FARTHEST
from zgadka.stores.tx import Tx

Handler = Callable[[Tx, Mapping[str, Any]], Mapping[str, Any] | None]
"""Does a task's work within the transaction that notes it as done; returns what to tell, if anything."""

CALL = "call"
MOST_ATTEMPTS = 5
LEASE = timedelta(seconds=60)
"""Far longer than any handler takes; a worker that died is not waited for longer than this."""
_FIRST_WAIT = timedelta(seconds=2)
_ERROR_CHARACTERS = 500


_NOT_DONE = {"status": "error", "message": "This could not be done; nothing was changed."}


@dataclass(frozen=True)
class QueueFull:
    """As much waits as may; nothing was put in line."""

    waiting: int


def enqueue_call(tx: Tx, turn: Turn, tool: str, version: int, arguments: Mapping[str, Any]) -> int | QueueFull:
    """Put a tool call in line; returns the task's id."""
    waiting = tx.waiting_tasks()
    if waiting >= tx.settings.memory_tool_queue_size:
        return QueueFull(waiting)
    payload = {"tool": tool, "version": version, "arguments": dict(arguments), "turn": turn.as_json()}
    space = ensure_space(tx, turn)
    person = tx.ensure_owner("person", turn.platform, turn.user_name)
    return tx.add_task(space, CALL, payload, conversation=turn.conversation, person=person, priority=1)


def claim(tx: Tx, space: int, worker: str, limit: int) -> list[Task]:
    """Lease what is due of a space's tasks."""
    return tx.claim_tasks(space, worker, limit, LEASE)


def perform(tx: Tx, task: Task, worker: str, handler: Handler) -> bool:
    """Do a leased task and note it as done, both or neither; False when somebody else has it by now."""
    if not tx.is_leased(task, worker):
        return False
    tx.finish_task(task, handler(tx, task.payload))
    return True


def fail(tx: Tx, task: Task, worker: str, error: Exception) -> None:
    """Let a task whose try failed wait for the next one, ever longer; after the last it is parked.

    What cannot be meant now cannot later: that is the task's result.
    """
    if not tx.is_leased(task, worker):
        return
    if isinstance(error, InvalidInput):
        tx.finish_task(task, {"status": "invalid_args", "message": str(error)})
        return
    wait = min(_FIRST_WAIT * 2 ** (task.attempts - 1), FARTHEST)
    # Spread, so that what failed together does not come back together.
    run_at = None if task.attempts >= MOST_ATTEMPTS else tx.now + wait * random.uniform(0.5, 1)  # noqa: S311
    tx.put_off_task(task, f"{type(error).__name__}: {error}"[:_ERROR_CHARACTERS], run_at)


def take_finished(tx: Tx, turn: Turn) -> list[Finished]:
    """The results of the speaker's queued calls in this chat, oldest first; each is told once."""
    space = find_space(tx, turn)
    tasks = tx.take_finished(space, turn.conversation, person_named(tx, turn, turn.user_name))
    return [Finished(task.id, task.payload["tool"], task.result or _NOT_DONE) for task in tasks]


def has_finished(tx: Tx, turn: Turn) -> bool:
    """Whether anything waits to be told."""
    return tx.has_finished(find_space(tx, turn), turn.conversation, person_named(tx, turn, turn.user_name))
