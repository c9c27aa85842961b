"""Counters and histograms, under the names of the papers. No memory text, id or name is ever a label."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

METRICS = CollectorRegistry()
"""Where the metrics of this process are registered; apart from the default registry, which belongs to the host."""

_CALLS = Counter("memory_tool_calls", "Tool calls", ["tool", "status"], registry=METRICS)
_SUCCESS = Counter("memory_tool_success", "Tool calls that were answered", ["tool"], registry=METRICS)
_ERROR = Counter("memory_tool_error", "Tool calls that failed", ["tool"], registry=METRICS)
_LATENCY = Histogram(
    "memory_tool_latency_ms",
    "Milliseconds from call to answer",
    ["tool"],
    buckets=(0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
    registry=METRICS,
)

_EXTRACTION = Counter(
    "memory_extraction", "Messages that a tier of extraction looked at", ["tier", "outcome"], registry=METRICS
)

_EMBEDDING = Counter(
    "memory_embedding", "Texts and queries that wanted a vector", ["what", "outcome"], registry=METRICS
)

_TASKS = Counter("memory_tasks", "Tasks in the background", ["kind", "outcome"], registry=METRICS)

_FAILED = frozenset({"error", "busy", "memory_create_failed_db_error", "memory_update_failed_db_error"})


def count_call(tool: str, status: str, milliseconds: float) -> None:
    """Count one finished tool call."""
    _CALLS.labels(tool, status).inc()
    (_ERROR if status in _FAILED else _SUCCESS).labels(tool).inc()
    _LATENCY.labels(tool).observe(milliseconds)


def count_extraction(tier: str, outcome: str) -> None:
    """Count what came of one tier's look at one message."""
    _EXTRACTION.labels(tier, outcome).inc()


def count_embedding(what: str, outcome: str, number: int = 1) -> None:
    """Count texts that got a vector, or did not."""
    _EMBEDDING.labels(what, outcome).inc(number)


def count_task(kind: str, outcome: str) -> None:
    """Count one try of a task."""
    _TASKS.labels(kind, outcome).inc()
