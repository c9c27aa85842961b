"""Changes of several owners' rows: a transaction for each, one after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from zgadka.model.task import Task
from zgadka.stores.tx import Tx

WAIT = timedelta(seconds=5)
"""After that, any worker ends such a change, unless whoever began it says in time that they are still at it."""


@dataclass(frozen=True)
class Spread:
    """What is left to do of a change once its first transaction is committed, which left a task that says so.

    Each part may be done again, and changes nothing then: after a crash, whoever finds the task begins anew.

    Attributes:
        parts: The other owners whose rows are to be changed, or what else each part is known by.
        part: Changes one owner's rows; returns how many of what, if anybody counts. What it leaves to do is done before
            the next part.
        end: Ends it with the task's own owner's rows, and returns the same; None: by now there are further parts.
    """

    parts: Callable[[Tx, Task], Sequence[Any]]
    part: Callable[[Tx, Task, Any], Mapping[str, int]]
    end: Callable[[Tx, Task], Mapping[str, int] | None]


def end(tx: Tx, task: Task) -> Mapping[str, int]:
    """End a change that has nothing more to do: the task goes."""
    tx.tasks.end(task)
    return {}
