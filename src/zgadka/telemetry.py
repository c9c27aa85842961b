"""Counters and histograms, under the names of the papers. No memory text, id or name is ever a label.

What is counted is plain numbers here. `METRICS` shows them to `prometheus_client`, which is loaded when somebody asks
for it: that takes longer than a first answer.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from zgadka import metrics

    METRICS = metrics.METRICS

Labels = tuple[str, ...]

TallyKey = tuple[str, str, str, int]
"""What an `Activity` counts together: what it is (`call`, `db_write`, `task`, …), its name and outcome, and the bound
up to which its value is."""

Tally = dict[TallyKey, list[int]]
"""Of each kind, how many there were and their values together: the microseconds of what takes time."""

Operation = Literal["call", "db_read", "db_write"]
"""What takes time: a whole tool call, or its transaction alone, with the time that this stood in line."""

MILLISECONDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000, 60_000, 300_000)
"""The bounds by which times are counted."""

MICROSECONDS = tuple(round(bound * 1000) for bound in MILLISECONDS)
"""The same, as a kind has them."""

FAILED = frozenset({"error", "busy", "memory_create_failed_db_error", "memory_update_failed_db_error"})
"""The statuses of calls that were not answered."""

counting = threading.Lock()
"""Is held while a number changes, but for those of a tally, and while they are read."""


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
            self.put(labels, number)

    def put(self, labels: Labels, number: int) -> None:
        """Count so many more; for whoever holds `counting`."""
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
            self.put(labels, bisect_left(self.bounds, value), 1, value)

    def put(self, labels: Labels, place: int, number: int, total: float) -> None:
        """Count so many more in a place; for whoever holds `counting`."""
        counts = self.counts.get(labels)
        if counts is None:
            counts = self.counts[labels] = [0] * (len(self.bounds) + 1)
        counts[place] += number
        self.sums[labels] = self.sums.get(labels, 0.0) + total


_PATTERN = Counter(
    "memory_tool_pattern",
    "Memories added after, and without, a look at what is known; answers that claim what no call did",
    ("pattern",),
)
_ANSWERS = Counter("memory_answers", "Answers of the chat's model", ("arm", "outcome"))
_FALLBACKS = Counter("memory_fallbacks", "Answers with tools that failed, so that memory was automated", ("reason",))
_EXTRACTION = Counter("memory_extraction", "Messages that a tier of extraction looked at", ("tier", "outcome"))
_EMBEDDING = Counter("memory_embedding", "Texts and queries that wanted a vector", ("what", "outcome"))
_REQUESTS = Counter("memory_http_requests", "HTTP requests", ("method", "route", "status"))
_REQUEST_LATENCY = Histogram(
    "memory_http_latency_ms",
    "Milliseconds from request to the answer's end",
    ("method", "route"),
    (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
)

_tallies: list[Tally] = []
_past: Tally = {}


def new_tally() -> Tally:
    """A tally that is read here until `take_over`; one thread alone changes it, without a lock."""
    tally: Tally = {}
    with counting:
        _tallies.append(tally)
    return tally


def take_over(tally: Tally) -> None:
    """Take over what a tally has, which nobody changes from now on."""
    with counting:
        _tallies[:] = [other for other in _tallies if other is not tally]
        for kind, (number, total) in tally.items():
            known = _past.setdefault(kind, [0, 0])
            known[:] = known[0] + number, known[1] + total


def add_up() -> tuple[Counter | Histogram, ...]:
    """All that was counted; for whoever holds `counting`."""
    calls = Counter("memory_tool_calls", "Tool calls", ("tool", "status"))
    success = Counter("memory_tool_success", "Tool calls that were answered", ("tool",))
    error = Counter("memory_tool_error", "Tool calls that failed", ("tool",))
    latency = Histogram(
        "memory_tool_latency_ms",
        "Milliseconds from call to answer (call), or that the transaction took of them (db_read, db_write)",
        ("tool", "operation"),
        MILLISECONDS,
    )
    pattern = replace(_PATTERN)
    pattern.counts.update(_PATTERN.counts)
    tasks = Counter("memory_tasks", "Tasks in the background", ("kind", "outcome"))
    task_latency = Histogram(
        "memory_task_latency_ms", "Milliseconds from a task's being put in line", ("kind", "outcome"), MILLISECONDS
    )
    for tally in (_past, *_tallies):
        for (what, name, outcome, bound), (number, total) in list(tally.items()):  # it may grow meanwhile
            place = bisect_left(MICROSECONDS, bound)
            if what == "pattern":
                pattern.put((name,), number)
            elif what == "task":
                tasks.put((name, outcome), number)
                task_latency.put((name, outcome), place, number, total / 1000)
            elif what in get_args(Operation):
                latency.put((name, what), place, number, total / 1000)
            if what == "call":
                calls.put((name, outcome), number)
                (error if outcome in FAILED else success).put((name,), number)
    of_tools = (calls, success, error, latency, pattern, tasks, task_latency)
    return (*of_tools, _ANSWERS, _FALLBACKS, _EXTRACTION, _EMBEDDING, _REQUESTS, _REQUEST_LATENCY)


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


def count_request(method: str, route: str, status: int, milliseconds: float) -> None:
    """Count one HTTP request; the route is its pattern, without what stands in its place."""
    _REQUESTS.add(method, route, str(status))
    _REQUEST_LATENCY.add(method, route, value=milliseconds)


def __getattr__(name: str) -> object:
    if name != "METRICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zgadka import metrics  # noqa: PLC0415  (see above)

    return metrics.METRICS
