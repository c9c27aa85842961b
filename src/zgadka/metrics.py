"""What `telemetry` counted, as a registry of `prometheus_client`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import accumulate
from typing import NamedTuple

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from zgadka import telemetry
from zgadka.stores.tx.usage_stats import Backlog
from zgadka.telemetry import MILLISECONDS, UNSUCCESSFUL

Labels = tuple[str, ...]


class Family(NamedTuple):
    """A counter; with bounds in milliseconds, a histogram."""

    name: str
    help: str
    labels: Labels
    bounds: tuple[float, ...] = ()


_CALLS = Family("memory_tool_calls", "Tool calls", ("tool", "status"))
_SUCCESS = Family("memory_tool_success", "Tool calls that did what was asked, or said rightly why not", ("tool",))
_ERROR = Family("memory_tool_error", "Tool calls that failed, or were made wrongly", ("tool",))
_LATENCY = Family(
    "memory_tool_latency_ms",
    "Milliseconds from call to answer (call), or that the transaction took of them (db_read, db_write)",
    ("tool", "operation"),
    MILLISECONDS,
)
_TASKS = Family("memory_tasks", "Tasks in the background", ("kind", "outcome"))
_TASK_LATENCY = Family(
    "memory_task_latency_ms", "Milliseconds from a task's being put in line", ("kind", "outcome"), MILLISECONDS
)
_REQUESTS = Family("memory_http_requests", "HTTP requests", ("method", "route", "status"))
_REQUEST_LATENCY = Family(
    "memory_http_latency_ms",
    "Milliseconds from request to the answer's end",
    ("method", "route"),
    (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000),
)
_ARM_LATENCY = Family("memory_answer_latency_ms", "Milliseconds to an answer of the chat", ("arm",), MILLISECONDS)
_ARM = Family("memory_arm", "Conversations, new memories and such as were known, by the rollout's arm", ("arm", "what"))
_OF_ARM = frozenset({"conversation", "known", "remembered"})
_OTHERS = {
    "conversation": Family("memory_conversations", "Conversations in which tools were called", ()),
    "change": Family("memory_changes", "What became of memories, whoever did it", ("kind", "what")),
    "pattern": Family(
        "memory_tool_pattern",
        "Memories added after, and without, a look at what is known; answers that claim what no call did",
        ("pattern",),
    ),
    "answer": Family("memory_answers", "Answers of the chat's model", ("arm", "outcome")),
    "fallback": Family("memory_fallbacks", "Answers with tools that failed, so that memory was automated", ("reason",)),
    "extraction": Family("memory_extraction", "Messages that a tier of extraction looked at", ("tier", "outcome")),
    "embedding": Family("memory_embedding", "Texts and queries that wanted a vector", ("what", "outcome")),
}
FAMILIES = (
    *(_CALLS, _SUCCESS, _ERROR, _LATENCY, _TASKS, _TASK_LATENCY, _REQUESTS, _REQUEST_LATENCY, _ARM_LATENCY, _ARM),
    *_OTHERS.values(),
)
"""Everything that is counted."""


class _Counted(Collector):
    def collect(self) -> Iterator[Metric]:
        buckets: dict[Family, dict[Labels, list[int]]] = {family: {} for family in FAMILIES}
        sums: dict[tuple[Family, Labels], int] = {}
        for (event, name, outcome, bound), (number, value) in telemetry.totals().items():
            for family, labels in _series(event, name, outcome):
                counts = buckets[family].setdefault(labels, [0] * (len(family.bounds) + 1))
                counts[bisect_left(family.bounds, bound / 1000)] += number
                sums[family, labels] = sums.get((family, labels), 0) + value
        for family, series in buckets.items():
            if not family.bounds:
                counter = CounterMetricFamily(family.name, family.help, labels=family.labels)
                for labels, counts in series.items():
                    counter.add_metric(labels, counts[0])
                yield counter
                continue
            histogram = HistogramMetricFamily(family.name, family.help, labels=family.labels)
            bounds = [*(str(float(bound)) for bound in family.bounds), "+Inf"]
            for labels, counts in series.items():
                cumulative = list(zip(bounds, accumulate(counts), strict=True))
                histogram.add_metric(labels, cumulative, sums[family, labels] / 1000)
            yield histogram


def _series(event: str, name: str, outcome: str) -> Iterable[tuple[Family, Labels]]:
    match event:
        case "call":
            answered = _ERROR if outcome in UNSUCCESSFUL else _SUCCESS
            return (_CALLS, (name, outcome)), (answered, (name,)), (_LATENCY, (name, event))
        case "db_read" | "db_write":
            return ((_LATENCY, (name, event)),)
        case "arm":
            return ((_ARM, (name, outcome)) if outcome in _OF_ARM else (_ARM_LATENCY, (name,)),)
        case "task":
            return (_TASKS, (name, outcome)), (_TASK_LATENCY, (name, outcome))
        case "request":
            method, _, route = name.partition(" ")
            return (_REQUESTS, (method, route, outcome)), (_REQUEST_LATENCY, (method, route))
        case _:
            family = _OTHERS.get(event)
            return () if family is None else ((family, (name, outcome)[: len(family.labels)]),)


METRICS = CollectorRegistry()
"""The metrics of this process; apart from the default registry, which belongs to the host."""

METRICS.register(_Counted())


def page(backlog: Backlog, time: datetime) -> bytes:
    """`METRICS`, and what is queued in a store at the moment, by any process, as Prometheus reads them."""
    registry = CollectorRegistry()
    for name, help_text, value in (
        ("memory_queue_depth", "Tasks in line", backlog.tasks),
        ("memory_queue_oldest_seconds", "How long the oldest of them waits", _age(backlog.task_since, time)),
        ("memory_tasks_parked", "Tasks that failed for good", backlog.parked),
        ("memory_questions_open", "Questions that wait for people", backlog.questions),
        ("memory_questions_oldest_seconds", "How long the oldest of them waits", _age(backlog.question_since, time)),
        ("memory_texts_without_vector", "Texts that wait for a vector", backlog.unembedded),
    ):
        Gauge(name, help_text, registry=registry).set(value)
    return generate_latest(METRICS) + generate_latest(registry)


def _age(since: datetime | None, time: datetime) -> float:
    return 0.0 if since is None else max((time - since).total_seconds(), 0.0)
