"""Tool calls that are done later: enqueued, done once in effect, told once."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from zgadka.errors import InvalidInput, StoreError, UnknownTool
from zgadka.log import brief
from zgadka.model.people import Member
from zgadka.model.result import memory_ids
from zgadka.model.task import Finished, Task
from zgadka.model.turn import Turn
from zgadka.ops.access import ensure_space, ensure_speaker, find_space, hidden, is_remembered, speaker_of
from zgadka.ops.resolve_name import resolve
from zgadka.stores.tx import Tx
from zgadka.stores.tx.tasks import FARTHEST, NewTask

Handler = Callable[[Tx, Mapping[str, Any]], Mapping[str, Any] | None]
"""Does a task's work within a transaction; returns what to tell, if anything."""

CALL = "call"
MOST_ATTEMPTS = 5
LEASE = timedelta(seconds=5)
"""A worker that died is not waited for longer than this; one that is at it says so in time."""
_FIRST_WAIT = timedelta(seconds=2)
_DOUBLED = 9
"""How often the wait doubles at most; by then it is the longest."""
_ERROR_CHARACTERS = 500
_NAMING = ("user_id", "related_user_id", "target_user")
"""The arguments by which a call names people, each by number."""
_NUMBER = re.compile("-?[0-9]{1,18}")


_NOT_DONE = {"status": "error", "message": "This could not be done; nothing was changed."}


@dataclass(frozen=True)
class QueueFull:
    """As much waits as may; nothing was enqueued.

    Attributes:
        longest: For how long the first has been due.
    """

    waiting: int
    longest: timedelta


class Room:
    """Whether the queue has room. To count what waits takes longer than to add to it, so that not each call counts.

    Up to a sixteenth of the room that was counted is given away uncounted: 16 processes together keep to the size.
    """

    def __init__(self) -> None:
        self._uncounted = 0

    def full(self, tx: Tx, coming: int = 0) -> QueueFull | None:
        """Take a place in the queue; how much waits where there is none.

        Args:
            coming: How many places this transaction took that are not among those that wait yet.
        """
        if self._uncounted <= 0:
            waiting, longest = tx.tasks.waiting()
            waiting += coming
            room = tx.settings.memory_tool_queue_size - waiting
            if room <= 0:
                return QueueFull(waiting, longest)
            self._uncounted = room // 16
        else:
            self._uncounted -= 1
        return None


def enqueue_call(
    tx: Tx, turn: Turn, tool: str, version: int, arguments: Mapping[str, Any], room: Room | None = None
) -> int | QueueFull:
    """Enqueue a tool call; returns the task's id.

    Args:
        room: That of the process, where many calls come at once. None: what waits is counted.

    Raises:
        InvalidInput: Whom it names is not one person.
    """
    tx.owners.hold(ensure_space(tx, turn))
    (outcome,) = enqueue_calls(tx, [NewCall(turn, tool, version, arguments)], room or Room())
    if isinstance(outcome, InvalidInput):
        raise outcome
    return outcome


@dataclass(frozen=True)
class NewCall:
    """A tool call that is to be enqueued."""

    turn: Turn
    tool: str
    version: int
    arguments: Mapping[str, Any]


def enqueue_calls(tx: Tx, calls: Sequence[NewCall], room: Room) -> list[int | QueueFull | InvalidInput]:
    """Enqueue many tool calls, whose spaces are held; returns of each the task's id, or why there is none."""
    outcomes: list[int | QueueFull | InvalidInput] = []
    tasks: list[NewTask] = []
    for call in calls:
        try:
            full = room.full(tx, len(tasks))
            if full is None:
                tasks.append(_task_of(tx, call))
            outcomes.append(full or 0)
        except InvalidInput as error:  # nothing of this call is kept, and the others get in
            outcomes.append(error)
    ids = iter(tx.tasks.add_many(tasks, CALL, priority=1) if tasks else ())
    return [next(ids) if outcome == 0 else outcome for outcome in outcomes]


def _task_of(tx: Tx, call: NewCall) -> NewTask:
    turn = call.turn
    said = {"time": tx.now.isoformat()} | turn.as_json()  # it may be done after what it says was forgotten
    arguments = _by_number(tx, turn, call.arguments)
    payload = {"tool": call.tool, "version": call.version, "arguments": arguments, "turn": said}
    return NewTask(ensure_space(tx, turn), payload, turn.conversation, ensure_speaker(tx, turn))


def _by_number(tx: Tx, turn: Turn, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with whom a name means now named by number: later it may mean another, and no deletion finds it.

    Raises:
        InvalidInput: The name is not one person's; what is invalid now is not done later either.
    """
    name = arguments.get("target_user")
    if name is None:
        return dict(arguments)
    member = resolve(tx, turn, name)
    if not isinstance(member, Member):
        raise InvalidInput(f"nobody here, or several people, are called {name!r}")
    return {**arguments, "target_user": str(member.number)}


def claim(tx: Tx, space: int, worker: str, limit: int, kinds: Collection[str] | None = None) -> Sequence[Task]:
    """Lease what is due of a space's tasks, of these kinds or of all."""
    return tx.tasks.claim(space, worker, limit, LEASE, kinds)


def renew(tx: Tx, space: int, worker: str, lease: timedelta = LEASE) -> None:
    """Have the leases that a worker has on the space's tasks begin anew; with no time at all they end."""
    tx.tasks.renew(space, worker, lease)


@dataclass(frozen=True)
class Performed:
    """What came of a task, which is to be noted with the task itself (`tx.tasks.finish`).

    Attributes:
        owner: Whose rows were changed, and who keeps it until then; 0: nobody's.
        result: What to tell. None: nothing.
    """

    owner: int
    result: Mapping[str, Any] | None


class TakenError(Exception):
    """Somebody else has the task by now, or has done it; nothing of this is to be kept."""

    def __init__(self, at: datetime) -> None:
        super().__init__("somebody else has the task by now")
        self.at = at


def perform(tx: Tx, task: Task, worker: str, handler: Handler) -> Performed:
    """Do a leased task, unless it was done before.

    The task is the space's, and what it changes may be a person's: each has a transaction of its own. What came of it
    is kept with the changes, so that whoever begins the task again finds it.

    Raises:
        TakenError: Somebody else has it by now.
    """
    # Whoever began it before may have done it, and not come to say so.
    if task.attempts > 1 and (outcome := tx.outcomes.get(task.id)) is not None:
        return Performed(*outcome)
    if tx.tasks.asker_of(task, worker) is None:
        raise TakenError(tx.now)
    with tx.noting_changes() as owners:
        result = handler(tx, task.payload)
    if not owners:
        return Performed(0, result)
    owner = min(owners)  # a tool changes one
    # Again: by now the owner's rows are ours alone, and whoever had them while we waited may have done the task, or
    # dropped it. What was said before a profile is cleared must not come true after, nor in the middle.
    asker = tx.tasks.asker_of(task, worker)
    if asker is None or any(map(tx.tasks.is_under_way, {owner, asker})):
        raise TakenError(tx.now)
    if not tx.outcomes.add(owner, task, asker, result):
        raise TakenError(tx.now)
    return Performed(owner, result)


def fail(tx: Tx, task: Task, worker: str, error: Exception) -> None:
    """Let a task whose try failed wait for the next one, ever longer; after the last it is parked.

    For what the store could not do, or only a newer version can, it is never parked. What is invalid now stays
    so: that is its result.
    """
    reason = brief(error)[:_ERROR_CHARACTERS]  # operators read it
    if isinstance(error, UnknownTool):  # enqueued by a newer version, which is its to do
        wait = min(max(tx.now - task.created_at, _FIRST_WAIT), FARTHEST)
        tx.tasks.put_off(task, worker, reason, tx.now + wait, was_tried=False)
        return
    if isinstance(error, InvalidInput):
        tx.tasks.finish(task, worker, {"status": "invalid_args", "message": str(error)})
        return
    wait = min(_FIRST_WAIT * 2 ** min(task.attempts - 1, _DOUBLED), FARTHEST)
    is_last = task.attempts >= MOST_ATTEMPTS and not isinstance(error, StoreError)
    # Spread, so that what failed together does not come back together.
    run_at = None if is_last else tx.now + wait * random.uniform(0.5, 1)  # noqa: S311
    tx.tasks.put_off(task, worker, reason, run_at)


def take_finished(tx: Tx, turn: Turn) -> list[Finished]:
    """The results of the speaker's queued calls in this chat, oldest first; each is told once."""
    space = find_space(tx, turn)
    speaker = speaker_of(tx, turn)
    tasks = tx.tasks.take_finished(space, turn.conversation, speaker)
    tells = is_remembered(tx, speaker, space)
    return [
        Finished(task.id, task.payload["tool"], _result(task, tells=tells and _is_told(tx, turn, space, task)))
        for task in tasks
    ]


def _is_told(tx: Tx, turn: Turn, space: int, task: Task) -> bool:
    """Whether all whom a call was about, and who are in what it kept in the space, want to be remembered."""
    named = (str(task.payload.get("arguments", {}).get(name, "")) for name in _NAMING)
    people = (tx.owners.find_by_number(turn.platform, int(number)) for number in named if _NUMBER.fullmatch(number))
    memories = tx.memories.get_many(space, memory_ids(task.result))
    return all(is_remembered(tx, person, space) for person in people if person) and not hidden(tx, memories.values())


def _result(task: Task, *, tells: bool) -> Mapping[str, Any]:
    result = task.result or _NOT_DONE
    return result if tells else {"status": result.get("status", "success"), "message": "Done; nothing of it is told."}


def has_finished(tx: Tx, turn: Turn) -> bool:
    """Whether anything waits to be told."""
    return tx.tasks.has_finished(find_space(tx, turn), turn.conversation, speaker_of(tx, turn))
