"""Tasks: put in line, leased, done, parked; and chores, whose time comes again."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from zgadka.model.task import Task
from zgadka.model.timestamps import micros, moment
from zgadka.model.turn import Conversation
from zgadka.stores.row_mapping import Value, conversation_parameters, from_row, readable
from zgadka.stores.tx.base import END_OF_TIME, Topic

FARTHEST = timedelta(minutes=10)
"""No task is put off or leased for longer: what seems to be, is due, for the clock went back."""


@dataclass(frozen=True)
class NewTask:
    """A task that is to be put in line."""

    space: int
    payload: Mapping[str, Any]
    conversation: Conversation
    person: int


class Tasks(Topic):
    """Tasks: queued, leased, done, parked; and chores, whose time comes again."""

    def spaces_about(self, platform: str, person: int, number: int) -> Sequence[int]:
        """The spaces where queued calls of a person wait, or such as name their number."""
        parameters = {"person": person, "number": number, "platform": platform}
        return self._column("owners_of_tasks", parameters)

    def delete_about(self, space: int, person: int, number: int, *, until: datetime | None = None) -> int:
        """Remove a person's queued calls in the space, and those that name their number; returns how many.

        Args:
            until: Those that were put in line by then. None: all.
        """
        latest = END_OF_TIME if until is None else micros(until)
        return len(self._rows("erase_tasks", {"owner": space, "person": person, "number": number, "until": latest}))

    def calls_about(self, space: int, person: int, number: int) -> Sequence[Task]:
        """A person's queued calls in the space, and those that name their number: waiting, parked or not told yet."""
        return self._all(Task, "calls_about", {"owner": space, "person": person, "number": number})

    def drop(self, space: int, task: int) -> bool:
        """Remove a task, so that it is neither done nor told; False when it is not there."""
        return bool(self._rows("task_end", {"owner": space, "id": task}))

    def list_calls(self, space: int) -> Sequence[Task]:
        """The queued calls of the space, waiting, done or parked, oldest first."""
        return self._all(Task, "tasks_of_owner", {"owner": space, "kind": "call"})

    def list_follow_ups(self, owner: int, kind: str) -> Sequence[Task]:
        """What is left to do of changes that began with the owner's rows, oldest first."""
        return self._all(Task, "tasks_of_owner", {"owner": owner, "kind": kind})

    def add(
        self,
        space: int,
        kind: str,
        payload: Mapping[str, Any],
        *,
        conversation: Conversation,
        person: int,
        priority: int,
        wait: timedelta = timedelta(0),
    ) -> int:
        """Put a task in line, to be done after a wait; returns its id."""
        number = self._tx.next_id("task")
        row = self._row(number, space, kind, payload, conversation, person, priority, wait)
        self._rows("task_add", row)
        return number

    def add_many(self, tasks: Sequence[NewTask], kind: str, *, priority: int) -> list[int]:
        """Put many tasks in line at once, whose spaces are held; returns their ids, in order."""
        numbers = self._tx.next_ids("task", len(tasks))
        rows = [
            self._row(number, task.space, kind, task.payload, task.conversation, task.person, priority, timedelta(0))
            for number, task in zip(numbers, tasks, strict=True)
        ]
        self._rows("tasks_add", {"rows": json.dumps(rows)})
        return numbers

    def _row(
        self,
        number: int,
        space: int,
        kind: str,
        payload: Mapping[str, Any],
        conversation: Conversation,
        person: int,
        priority: int,
        wait: timedelta,
    ) -> dict[str, Value]:
        return conversation_parameters(space, conversation) | {
            "id": number,
            "kind": kind,
            "priority": priority,
            "payload": json.dumps(payload),  # what people wrote may not be storable as it is
            "person": person,
            "now": micros(self._tx.now),
            "run_at": micros(self._tx.now + wait),
        }

    def add_follow_up(self, owner: int, kind: str, payload: Mapping[str, Any], wait: timedelta) -> None:
        """Put in line what is left to do in other owners' rows: for whoever runs this, and after a wait for all."""
        number = self.add(owner, kind, payload, conversation=("", "", 0), person=0, priority=0, wait=wait)
        task = Task(
            owner=owner,
            id=number,
            kind=kind,
            priority=0,
            state="waiting",
            payload=payload,
            attempts=0,
            run_at=self._tx.now + wait,
            created_at=self._tx.now,
        )
        self._tx.left.append(task)

    def end(self, task: Task) -> bool:
        """Remove a task that is done and has nothing to tell; False when somebody else did it."""
        return self.drop(task.owner, task.id)

    def is_under_way(self, owner: int) -> bool:
        """Whether a change that began with the owner's rows is not done yet in those of others."""
        return bool(self._rows("tasks_under_way", {"owner": owner}))

    def list_sagas(self) -> Sequence[Task]:
        """All that was begun in one owner's rows and is not done yet in others', oldest first. Asks everywhere."""
        return self._all(Task, "sagas", {})

    def count_waiting(self) -> int:
        """How many tasks are in line."""
        return self.waiting()[0]

    def waiting(self) -> tuple[int, timedelta]:
        """How many tasks are in line, and for how long the first has been due."""
        count, due = self._rows("tasks_waiting", {})[0]
        return count, timedelta(0) if due is None else max(self._tx.now - moment(due), timedelta(0))

    def list_due(self, limit: int, kinds: Collection[str] | None = None) -> Sequence[tuple[int, int]]:
        """Of the `limit` most urgent tasks that are due: the spaces they belong to, each with how many it has.

        Args:
            kinds: Only of these. None: of all.
        """
        return [(owner, count) for owner, count in self._rows("tasks_due", self._due(limit, kinds))]

    def claim(
        self, space: int, worker: str, limit: int, lease: timedelta, kinds: Collection[str] | None = None
    ) -> Sequence[Task]:
        """Lease the space's tasks that are due, the most urgent first; nobody else gets them until the lease ends."""
        leased = {"owner": space, "worker": worker, "until": micros(self._tx.now + lease)}
        claimed = self._all(Task, "tasks_claim", self._due(limit, kinds) | leased)
        return sorted(claimed, key=lambda task: (task.priority, task.run_at, task.id))

    def renew(self, space: int, worker: str, lease: timedelta) -> None:
        """Have the leases that a worker has on the space's tasks begin anew; with no time at all they end."""
        self._rows("tasks_renew", {"owner": space, "worker": worker, "until": micros(self._tx.now + lease)})

    def put_back(self, task: Task, wait: timedelta) -> None:
        """Have the wait of a change that is under way begin anew, since whoever began it is still at it."""
        self._rows("task_wait", {"owner": task.owner, "id": task.id, "until": micros(self._tx.now + wait)})

    def _due(self, limit: int, kinds: Collection[str] | None) -> dict[str, Value]:
        listed = "" if kinds is None else f" {' '.join(kinds)} "
        now = self._tx.now
        return {"limit": limit, "kinds": listed, "now": micros(now), "far": micros(now + FARTHEST)}

    def is_open(self, task: Task, *, holding: int | None = None) -> bool:
        """Whether the task is still in line, or parked.

        Args:
            holding: An owner whose rows nobody else changes from before the answer on; nobody's, where it is ended: by
                then the owner may be gone. None: nobody's.
        """
        place: dict[str, Value] = {"owner": task.owner, "id": task.id}
        if holding is not None and self._rows("task_undone", place):
            self._rows("hold", {"owner": holding})  # and somebody may have ended it before that
        return bool(self._rows("task_undone", place))

    def asker_of(self, task: Task, worker: str) -> int | None:
        """The person whom the task's result is told; None when the worker has it no longer, since its lease ended."""
        return self._value("task_lease", {"owner": task.owner, "id": task.id, "worker": worker})

    def finish(self, task: Task, worker: str, result: Mapping[str, Any] | None) -> bool:
        """Note what came of a task; with nothing to tell, it is gone. False when the worker has it no longer."""
        parameters = {"owner": task.owner, "id": task.id, "worker": worker}
        if result is None:
            return bool(self._rows("task_remove", parameters))
        result_json = json.dumps(result)
        return bool(self._rows("task_finish", parameters | {"result": result_json, "now": micros(self._tx.now)}))

    def put_off(self, task: Task, worker: str, error: str, run_at: datetime | None, *, was_tried: bool = True) -> None:
        """Let a task that failed wait for another try; None: park it with its error."""
        self._rows(
            "task_put_off",
            {
                "owner": task.owner,
                "id": task.id,
                "worker": worker,
                "attempts": task.attempts if was_tried else task.attempts - 1,
                "error": error,
                "state": "failed" if run_at is None else "waiting",
                "run_at": micros(self._tx.now if run_at is None else run_at),
                "now": micros(self._tx.now),
            },
        )

    def take_finished(self, space: int, conversation: Conversation, person: int) -> Sequence[Task]:
        """Take the tasks that are done or parked for this person in this chat, oldest first; each is told once."""
        parameters = conversation_parameters(space, conversation) | {"person": person}
        rows = self._rows("tasks_take", parameters) + self._rows("tasks_tell_failed", parameters)
        return sorted(readable(partial(from_row, Task), rows, "task"), key=lambda task: task.id)

    def has_finished(self, space: int, conversation: Conversation, person: int) -> bool:
        """Whether a result waits for this person in this chat."""
        parameters = conversation_parameters(space, conversation) | {"person": person}
        return bool(self._rows("tasks_finished", parameters))

    def list(self, limit: int) -> Sequence[Task]:
        """The tasks that there are, oldest first; for operators."""
        return self._all(Task, "tasks_all", {"limit": limit})

    def retry(self, task_id: int | None) -> int:
        """Let a parked task, or all of them, be tried again now; returns how many; for operators."""
        return len(self._rows("tasks_retry", {"id": task_id, "now": micros(self._tx.now)}))

    def delete(self, task_id: int) -> bool:
        """Remove a task that nobody is at, and that left nothing half done; for operators."""
        return bool(self._rows("task_drop", {"id": task_id, "now": micros(self._tx.now)}))

    def due_chores(self, pauses: Mapping[str, timedelta]) -> dict[str, bool]:
        """Whether each of these chores that ever began is due.

        Args:
            pauses: For how long each rests once it was done, by name.
        """
        now = self._tx.now
        times = {name: moment(next_at) for name, next_at in self._rows("chores_get", {})}
        return {name: not now < times[name] <= now + pause for name, pause in pauses.items() if name in times}

    def begin_chores(self, pauses: Mapping[str, timedelta]) -> None:
        """Let these chores be due after their first pause, where they never began."""
        for name, pause in pauses.items():
            self._rows("chore_begin", {"name": name, "next": micros(self._tx.now + pause)})

    def claim_chore(self, name: str, every: timedelta) -> bool:
        """Whether the chore is due; then it is the caller's, and nobody else's until its next time."""
        parameters = {"name": name, "now": micros(self._tx.now), "next": micros(self._tx.now + every)}
        return bool(self._rows("chore_claim", parameters))

    def reached(self, name: str) -> datetime | None:
        """Up to which time a chore has come that goes through all that happens; None: it never began."""
        rows = self._rows("chore_get", {"name": name})
        return moment(rows[0][0]) if rows else None

    def go_on(self, name: str, previous: datetime | None, until: datetime) -> bool:
        """Let such a chore come up to a time; False where another process did so since `previous` was read."""
        if previous is None:
            self._rows("chore_begin", {"name": name, "next": micros(until)})
            return False
        parameters = {"name": name, "next": micros(until), "previous": micros(previous)}
        return bool(self._rows("chore_go_on", parameters))


class Outcomes(Topic):
    """What came of tasks, kept with the owner whose rows they changed until their own row says so."""

    def add(self, owner: int, task: Task, asker: int, result: Mapping[str, Any] | None) -> bool:
        """Keep what came of a task with the owner whose rows it changed; False when that was done before."""
        result_json = None if result is None else json.dumps(result)
        parameters = {"owner": owner, "task": task.id, "space": task.owner, "person": asker, "result": result_json}
        return bool(self._rows("outcome_add", parameters))

    def get(self, task: int) -> tuple[int, Mapping[str, Any] | None] | None:
        """The owner whose rows a task changed, and what came of it; None: nothing yet. Asks everywhere."""
        rows = self._rows("outcome_find", {"task": task})
        return (rows[0][0], None if rows[0][1] is None else json.loads(rows[0][1])) if rows else None

    def delete(self, owner: int, task: int) -> None:
        """Forget what came of a task, now that its own row says so."""
        self._rows("outcome_remove", {"owner": owner, "task": task})

    def delete_stale(self) -> None:
        """Forget what came of tasks whose own rows say so, or are gone: who was to do this is gone as well."""
        for owner, task, space in self._rows("outcomes", {}):
            if not self._rows("task_undone", {"owner": space, "id": task}):
                self.delete(owner, task)
