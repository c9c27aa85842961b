"""Tasks: put in line, leased, done, parked; and chores, whose time comes again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from zgadka.model.moments import micros, moment
from zgadka.model.task import Task
from zgadka.model.turn import Conversation
from zgadka.stores.base import Base
from zgadka.stores.rows import Row

FARTHEST = timedelta(minutes=10)
"""No task is put off or leased for longer: what seems to be, is due, for the clock went back."""


class Tasks(Base):
    """Tasks: put in line, leased, done, parked; and chores, whose time comes again."""

    def add_task(
        self,
        space: int,
        kind: str,
        payload: Mapping[str, Any],
        *,
        conversation: Conversation,
        person: int,
        priority: int,
    ) -> int:
        """Put a task in line; returns its id."""
        chat, thread, lineage = conversation
        number = self.next_id("task")
        self._rows(
            "task_add",
            {
                "owner": space,
                "id": number,
                "kind": kind,
                "priority": priority,
                "payload": json.dumps(payload),  # what people wrote may not be storable as it is
                "chat": chat,
                "thread": thread,
                "lineage": lineage,
                "person": person,
                "now": micros(self.now),
            },
        )
        return number

    def waiting_tasks(self) -> int:
        """How many tasks are in line."""
        return self._rows("tasks_waiting", {})[0][0]

    def due_tasks(self, limit: int) -> list[tuple[int, int]]:
        """Of the `limit` most urgent tasks that are due: the spaces they belong to, each with how many it has."""
        parameters = {"now": micros(self.now), "far": micros(self.now + FARTHEST), "limit": limit}
        return [(owner, count) for owner, count in self._rows("tasks_due", parameters)]

    def claim_tasks(self, space: int, worker: str, limit: int, lease: timedelta) -> list[Task]:
        """Lease the space's tasks that are due, the most urgent first; nobody else gets them until the lease ends."""
        parameters = {
            "owner": space,
            "worker": worker,
            "limit": limit,
            "now": micros(self.now),
            "until": micros(self.now + lease),
            "far": micros(self.now + FARTHEST),
        }
        claimed = [_task(row) for row in self._rows("tasks_claim", parameters)]
        return sorted(claimed, key=lambda task: (task.priority, task.run_at, task.id))

    def is_leased(self, task: Task, worker: str) -> bool:
        """Whether the worker still has the task; another may, when the lease ended."""
        rows = self._rows("task_worker", {"owner": task.owner, "id": task.id})
        return bool(rows) and rows[0][0] == worker

    def finish_task(self, task: Task, result: Mapping[str, Any] | None) -> None:
        """Note what came of a task; with nothing to tell, it is gone."""
        place = {"owner": task.owner, "id": task.id}
        if result is None:
            self._rows("task_remove", place)
        else:
            said = json.dumps(result)
            self._rows("task_finish", place | {"result": said, "now": micros(self.now)})

    def put_off_task(self, task: Task, error: str, run_at: datetime | None) -> None:
        """Let a task that failed wait for another try; None: park it with its error."""
        self._rows(
            "task_put_off",
            {
                "owner": task.owner,
                "id": task.id,
                "error": error,
                "state": "failed" if run_at is None else "waiting",
                "run_at": micros(self.now if run_at is None else run_at),
                "now": micros(self.now),
            },
        )

    def take_finished(self, space: int, conversation: Conversation, person: int) -> list[Task]:
        """Take the tasks that are done or parked for this person in this chat, oldest first; each is told once."""
        chat, thread, lineage = conversation
        parameters = {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "person": person}
        rows = self._rows("tasks_take", parameters) + self._rows("tasks_tell_failed", parameters)
        return sorted(map(_task, rows), key=lambda task: task.id)

    def has_finished(self, space: int, conversation: Conversation, person: int) -> bool:
        """Whether a result waits for this person in this chat."""
        chat, thread, lineage = conversation
        parameters = {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "person": person}
        return bool(self._rows("tasks_finished", parameters))

    def tasks(self, limit: int) -> list[Task]:
        """The tasks that there are, oldest first; for operators."""
        return [_task(row) for row in self._rows("tasks_all", {"limit": limit})]

    def retry_task(self, task_id: int | None) -> int:
        """Let a parked task, or all of them, be tried again now; returns how many; for operators."""
        return len(self._rows("tasks_retry", {"id": task_id, "now": micros(self.now)}))

    def drop_task(self, task_id: int) -> bool:
        """Remove a task that nobody is at; for operators."""
        return bool(self._rows("task_drop", {"id": task_id, "now": micros(self.now)}))

    def claim_chore(self, name: str, every: timedelta) -> bool:
        """Whether the chore is due; then it is the caller's, and nobody else's until its next time."""
        parameters = {"name": name, "now": micros(self.now), "next": micros(self.now + every)}
        return bool(self._rows("chore_claim", parameters))


def _task(row: Row) -> Task:
    owner, id_, kind, priority, state, payload, attempts, run_at, created_at, error, result = row
    return Task(
        owner=owner,
        id=id_,
        kind=kind,
        priority=priority,
        state=state,
        payload=json.loads(payload),
        attempts=attempts,
        run_at=moment(run_at),
        created_at=moment(created_at),
        error=error,
        result=None if result is None else json.loads(result),
    )
