"""Work that is done later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

TaskState = Literal["waiting", "done", "failed"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """Work that is done later, once, whatever happens to the process that does it.

    Attributes:
        owner: Owner id of the space that it belongs to.
        kind: Which handler does it: `call` for a tool call.
        priority: Lower first.
        payload: What the handler needs.
        state: `failed`: parked after its last try, with its error, until an operator retries or drops it.
        attempts: How many times it was begun.
        run_at: Not before.
        error: Of the last attempt.
        result: What came of it, until it was told.
    """

    owner: int
    id: int
    kind: str
    priority: int
    state: TaskState
    payload: Mapping[str, Any]
    attempts: int
    run_at: datetime
    created_at: datetime
    error: str | None = None
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Finished:
    """The result of a tool call that had been queued, told once."""

    task_id: int
    tool: str
    result: Mapping[str, Any]
