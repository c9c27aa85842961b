"""Counters and histograms, under the names of the papers. No memory text, id or name is ever a label.

What is counted is plain numbers here. `METRICS` shows them to `prometheus_client`, which is loaded when somebody asks
for it: that takes longer than a first answer.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from zgadka import metrics

    METRICS = metrics.METRICS

Labels = tuple[str, ...]

Operation = Literal["call", "db_read", "db_write"]
"""What takes time: a whole tool call, or its transaction alone, with the time that this stood in line."""

MILLISECONDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000, 60_000, 300_000)
"""The bounds by which times are counted."""

counting = threading.Lock()
"""Is held while a number changes, and while they are read."""


@dataclass(frozen=True)
class Counter:
    """Counts by labels, such as tool and status."""

    name: str
    says: str
    labels: Labels
    counts: dict[Labels, int] = field(default_factory=dict[Labels, int], init=False)

    def add(self, *labels: str, number: int = 1) -> None:
        """Count one more, or so many."""
        with counting:
            self.counts[labels] = self.counts.get(labels, 0) + number


@dataclass(frozen=True)
class Histogram:
    """Counts how many values fall up to each bound, the last place being for those above all; and adds them up."""

    name: str
    says: str
    labels: Labels
    bounds: tuple[float, ...]
    counts: dict[Labels, list[int]] = field(default_factory=dict[Labels, list[int]], init=False)
    sums: dict[Labels, float] = field(default_factory=dict[Labels, float], init=False)

    def add(self, *labels: str, value: float) -> None:
        """Count a value."""
        with counting:
            counts = self.counts.get(labels)
            if counts is None:
                counts = self.counts[labels] = [0] * (len(self.bounds) + 1)
            counts[bisect_left(self.bounds, value)] += 1
            self.sums[labels] = self.sums.get(labels, 0.0) + value


_CALLS = Counter("memory_tool_calls", "Tool calls", ("tool", "status"))
_SUCCESS = Counter("memory_tool_success", "Tool calls that were answered", ("tool",))
_ERROR = Counter("memory_tool_error", "Tool calls that failed", ("tool",))
_LATENCY = Histogram(
    "memory_tool_latency_ms",
    "Milliseconds from call to answer (call), or that the transaction took of them (db_read, db_write)",
    ("tool", "operation"),
    MILLISECONDS,
)
_PATTERN = Counter(
    "memory_tool_pattern",
    "Memories added after, and without, a look at what is known; answers that claim what no call did",
    ("pattern",),
)
_ANSWERS = Counter("memory_answers", "Answers of the chat's model", ("arm", "outcome"))
_FALLBACKS = Counter("memory_fallbacks", "Answers with tools that failed, so that memory was automated", ("reason",))
_EXTRACTION = Counter("memory_extraction", "Messages that a tier of extraction looked at", ("tier", "outcome"))
_EMBEDDING = Counter("memory_embedding", "Texts and queries that wanted a vector", ("what", "outcome"))
_TASKS = Counter("memory_tasks", "Tasks in the background", ("kind", "outcome"))
_TASK_LATENCY = Histogram(
    "memory_task_latency_ms", "Milliseconds from a task's being put in line", ("kind", "outcome"), MILLISECONDS
)
_REQUESTS = Counter("memory_http_requests", "HTTP requests", ("method", "route", "status"))
_REQUEST_LATENCY = Histogram(
    "memory_http_latency_ms",
    "Milliseconds from request to the answer's end",
    ("method", "route"),
    (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
)

ALL: tuple[Counter | Histogram, ...] = (
    *(_CALLS, _SUCCESS, _ERROR, _LATENCY, _PATTERN, _ANSWERS, _FALLBACKS),
    *(_EXTRACTION, _EMBEDDING, _TASKS, _TASK_LATENCY, _REQUESTS, _REQUEST_LATENCY),
)

FAILED = frozenset({"error", "busy", "memory_create_failed_db_error", "memory_update_failed_db_error"})
"""The statuses of calls that were not answered."""


def count_call(tool: str, status: str, milliseconds: float) -> None:
    """Count one finished tool call."""
    _CALLS.add(tool, status)
    (_ERROR if status in FAILED else _SUCCESS).add(tool)
    count_latency(tool, "call", milliseconds)


def count_latency(tool: str, operation: Operation, milliseconds: float) -> None:
    """Count how long a call took, or its transaction."""
    _LATENCY.add(tool, operation, value=milliseconds)


def count_pattern(pattern: str) -> None:
    """Count what a model did well, or did not."""
    _PATTERN.add(pattern)


def count_answer(arm: str, outcome: str) -> None:
    """Count an answer of the chat's model."""
    _ANSWERS.add(arm, outcome)


def count_fallback(reason: str) -> None:
    """Count an answer that is given without tools, since with them it failed."""
    _FALLBACKS.add(reason)


def count_extraction(tier: str, outcome: str) -> None:
    """Count what came of one tier's look at one message."""
    _EXTRACTION.add(tier, outcome)


def count_embedding(what: str, outcome: str, number: int = 1) -> None:
    """Count texts that got a vector, or did not."""
    _EMBEDDING.add(what, outcome, number=number)


def count_task(kind: str, outcome: str, milliseconds: float) -> None:
    """Count one try of a task, and the time since the task was put in line."""
    _TASKS.add(kind, outcome)
    _TASK_LATENCY.add(kind, outcome, value=milliseconds)


def count_request(method: str, route: str, status: int, milliseconds: float) -> None:
    """Count one HTTP request; the route is its pattern, without what stands in its place."""
    _REQUESTS.add(method, route, str(status))
    _REQUEST_LATENCY.add(method, route, value=milliseconds)


def __getattr__(name: str) -> object:
    if name != "METRICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zgadka import metrics  # noqa: PLC0415  (see above)

    return metrics.METRICS
