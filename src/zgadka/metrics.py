"""What `telemetry` counted, as a registry of `prometheus_client`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import accumulate

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from zgadka import telemetry
from zgadka.stores.activity import Backlog
from zgadka.telemetry import Counter, Histogram


class _Counted(Collector):
    def collect(self) -> Iterator[Metric]:
        with telemetry.counting:
            families = [_family(counted) for counted in telemetry.add_up()]
        yield from families


def _family(counted: Counter | Histogram) -> Metric:
    if isinstance(counted, Counter):
        counter = CounterMetricFamily(counted.name, counted.says, labels=counted.labels)
        for labels, count in counted.counts.items():
            counter.add_metric(labels, count)
        return counter
    histogram = HistogramMetricFamily(counted.name, counted.says, labels=counted.labels)
    bounds = [*(str(float(bound)) for bound in counted.bounds), "+Inf"]
    for labels, counts in counted.counts.items():
        histogram.add_metric(labels, list(zip(bounds, accumulate(counts), strict=True)), counted.sums[labels])
    return histogram


METRICS = CollectorRegistry()
"""The metrics of this process; apart from the default registry, which belongs to the host."""

METRICS.register(_Counted())


def page(now: Mapping[str, tuple[str, float]]) -> bytes:
    """`METRICS` as Prometheus reads them, and what is so right now.

    Args:
        now: By name, what it says and its value.
    """
    gauges = CollectorRegistry()
    gauges.register(_Now(now))
    return generate_latest(METRICS) + generate_latest(gauges)


def gauges(backlog: Backlog, now: datetime) -> dict[str, tuple[str, float]]:
    """What waits right now, in all processes of a store, for `page`."""
    return {
        "memory_queue_depth": ("Tasks in line", backlog.tasks),
        "memory_queue_oldest_seconds": ("How long the oldest of them waits", _age(backlog.task_since, now)),
        "memory_tasks_parked": ("Tasks that failed for good", backlog.parked),
        "memory_questions_open": ("Questions that wait for people", backlog.questions),
        "memory_questions_oldest_seconds": ("How long the oldest of them waits", _age(backlog.question_since, now)),
        "memory_texts_without_vector": ("Texts that wait for a vector", backlog.unembedded),
    }


def _age(since: datetime | None, now: datetime) -> float:
    return 0.0 if since is None else max((now - since).total_seconds(), 0.0)


class _Now(Collector):
    def __init__(self, values: Mapping[str, tuple[str, float]]) -> None:
        self._values = values

    def collect(self) -> Iterator[Metric]:
        for name, (says, value) in self._values.items():
            yield GaugeMetricFamily(name, says, value)
