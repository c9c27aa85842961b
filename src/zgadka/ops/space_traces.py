"""What has to be looked at before a space goes: what others' rows tell of it, and what was begun there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from zgadka.model.question import Deletion, Question
from zgadka.model.task import Task
from zgadka.ops.multi_owner_saga import WAIT
from zgadka.stores.tx import Tx

MOVE, ERASE_SPACE = "move", "erase_space"
_CLOCKS = timedelta(hours=1)
"""By more than that, no two processes' clocks differ."""


def leave_going(tx: Tx, space: int, kind: str, payload: Mapping[str, Any]) -> None:
    """Leave a change by which the space goes; whoever runs this ends first what was begun there."""
    tx.left += unfinished(tx, space)
    tx.tasks.add_follow_up(space, kind, payload, WAIT)


def unfinished(tx: Tx, space: int, going: Task | None = None) -> list[Task]:
    """What was begun in the space's rows or those of others, names the space by its number, and is not done yet.

    Args:
        going: The change by which it goes: what else lets a space go and was begun later waits for this one.
    """
    named = [task for task in tx.tasks.list_sagas() if space in (task.owner, *_spaces_in(task))]
    return [task for task in named if going is None or task.kind not in (MOVE, ERASE_SPACE) or task.id < going.id]


def _spaces_in(task: Task) -> set[int]:
    """The spaces that a task names: of some, by what is to be done in each, as JSON has it."""
    payload = task.payload
    named = [space for name in ("spaces", "calls", "quotes") for space in payload.get(name, ())]
    named += [payload.get("space"), payload.get("into"), payload.get("older", {}).get("space")]
    return {int(space) for space in named if space is not None}


def owners_with_traces(tx: Tx, task: Task, *, since: datetime | None = None) -> Sequence[int]:
    """The other owners whose rows tell of the space whose task it is; none once that is ended.

    Args:
        since: From when their trails are looked through, which takes long; None: from the beginning.
    """
    if not tx.tasks.is_open(task):
        return []
    space = tx.owners.get(task.owner)
    seen = {*tx.moving.owners_seen_in(space.platform, space.id), *tx.memories.owners_from(space.platform, space.id)}
    asked = tx.questions.owners_asked_in(space, tx.moving.names(space))
    past = tx.moving.owners_with_past_in(space.id, since and since - _CLOCKS)
    return sorted((seen | asked).union(past) - {space.id})


def questions_from(tx: Tx, person: int, space_id: int) -> list[Question]:
    """What the person was asked in the space, open or not."""
    space = tx.owners.get(space_id)
    names = tx.moving.names(space)

    def is_from_there(question: Question) -> bool:
        if isinstance(question, Deletion):
            return question.space == space_id
        return not question.turn.direct and question.turn.space in names

    return [question for question in tx.questions.list(person) if is_from_there(question)]
