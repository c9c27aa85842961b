"""From what was counted to boards: numbers now, and charts over time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Literal, get_args

from zgadka import telemetry
from zgadka.model.memory import Kind
from zgadka.model.rollout import ARMS, Arm
from zgadka.stores.tx.usage_stats import ABOVE, Backlog, Counted
from zgadka.usage_stats import NOT_RECALLED, RECALLED

Unit = Literal["number", "percent", "ms", "ratio"]
Form = Literal["line", "bars"]

SPANS: Mapping[str, tuple[timedelta, timedelta]] = {
    "2h": (timedelta(hours=2), timedelta(minutes=5)),
    "8h": (timedelta(hours=8), timedelta(minutes=15)),
    "24h": (timedelta(days=1), timedelta(minutes=30)),
    "7d": (timedelta(days=7), timedelta(hours=3)),
    "30d": (timedelta(days=30), timedelta(hours=12)),
    "90d": (timedelta(days=90), timedelta(days=1)),
}
"""How far back a board looks, and how long each step of its charts is."""

USUAL = "24h"
_KINDS = get_args(Kind)
_DAY = timedelta(days=1)
_GONE = ("hidden", "deleted")
_ANY = ""
_PARTS = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
_TIMED = {"task": ("done",), "arm": ("answered", "fallback", "failed")}
"""The outcomes whose times count; of everything else, all."""
_LOWER = {
    round(bound * 1000): round(bound_below * 1000)
    for bound_below, bound in zip((0, *telemetry.MILLISECONDS), telemetry.MILLISECONDS, strict=False)
}
_HIGHEST = round(telemetry.MILLISECONDS[-1] * 1000)


@dataclass(frozen=True)
class Tile:
    """One number; None: there is nothing to make it of."""

    name: str
    value: float | None
    unit: Unit = "number"
    is_good: bool | None = None


@dataclass(frozen=True)
class Chart:
    """Values over time.

    Attributes:
        times: When each step begins, in seconds since 1970.
        series: By name, one value for each step; None: there is nothing to make it of.
    """

    name: str
    unit: Unit
    times: list[int]
    series: Mapping[str, list[float | None]]
    form: Form = "line"

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to be seen."""
        return not any(value for values in self.series.values() for value in values)

    @property
    def rows(self) -> list[tuple[int, tuple[float | None, ...]]]:
        """The steps in which something happened, newest first, each with the values of all series."""
        rows = zip(self.times, zip(*self.series.values(), strict=True), strict=True)
        return [(at, values) for at, values in rows if any(values)][::-1]


@dataclass(frozen=True)
class ToolLine:
    """What one tool did."""

    tool: str
    calls: int
    share: float
    success: float
    p50: float | None
    p95: float | None
    p99: float | None


@dataclass(frozen=True)
class ArmLine:
    """What one arm of the rollout did; None: there is nothing to make it of."""

    arm: Arm
    conversations: int
    answers: int
    success: float | None
    remembered: float | None
    duplicates: float | None
    p50: float | None
    p95: float | None


@dataclass(frozen=True)
class Board:
    """One of the boards."""

    tiles: list[Tile]
    charts: list[Chart]
    tools: list[ToolLine] = field(default_factory=list[ToolLine])
    arms: list[ArmLine] = field(default_factory=list[ArmLine])


class _Step:
    """What was counted in one step of time, or in all of it.

    Attributes:
        depth: How many tasks waited, over all samples of the queue.
    """

    def __init__(self) -> None:
        self.depth = 0
        self._numbers: Counter[tuple[str, str, str]] = Counter()
        self._latencies: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)

    def add(self, counted: Counted) -> None:
        kind, name, outcome, bound = counted.kind
        for key in {(kind, name, outcome), (kind, name, _ANY), (kind, _ANY, outcome), (kind, _ANY, _ANY)}:
            self._numbers[key] += counted.number
        if kind not in _TIMED or outcome in _TIMED[kind]:
            for key in {(kind, name), (kind, _ANY)}:
                self._latencies[key][bound] += counted.number
        if kind == "queue":
            self.depth += counted.total

    def count(self, kind: str, name: str = _ANY, *outcomes: str) -> int:
        """How many were counted of these outcomes; without any, of all."""
        return sum(self._numbers[kind, name, outcome] for outcome in outcomes or (_ANY,))

    def quantile(self, part: float, what: str, name: str = _ANY) -> float | None:
        """How many milliseconds this part of them took at most."""
        return quantile(self._latencies[what, name], part)

    def names(self, kind: str) -> set[str]:
        return {name for counted_kind, name, _ in self._numbers if counted_kind == kind and name}

    def success(self, tool: str = _ANY) -> float | None:
        calls = self.count("call", tool)
        return _ratio(calls - self.count("call", tool, *telemetry.UNSUCCESSFUL), calls)

    def duplicates(self) -> float | None:
        repeated, new = (
            sum(self.count("call", tool, status) for tool in ("remember_fact", "keep"))
            for status in ("skipped", "success")
        )
        return _ratio(repeated, repeated + new)

    def recalled_first(self) -> float | None:
        recalled = self.count("pattern", RECALLED)
        return _ratio(recalled, recalled + self.count("pattern", NOT_RECALLED))

    def facts_per_conversation(self) -> float | None:
        return _ratio(self.count("change", "fact", "created"), self.count("conversation"))


def span_for(counted: tuple[datetime, datetime] | None, now: datetime) -> str:
    """The span to begin with: what is a few hours old is no sliver of a day, and what is quiet today is not empty.

    Args:
        counted: From when until when something was counted; None: nothing was.
    """
    if counted is None:
        return USUAL
    first, last = counted
    if now - last >= SPANS[USUAL][0]:
        return next((name for name, (length, _) in SPANS.items() if now - last < length), USUAL)
    return next(name for name, (length, _) in SPANS.items() if now - first < length or name == USUAL)


class Counts:
    """What was counted over a span of time, step by step."""

    def __init__(self, counted: Iterable[Counted], *, now: datetime, span: str) -> None:
        """Add it up.

        Args:
            span: One of `SPANS`.
        """
        self._length, self._step = SPANS[span]
        seconds = int(self._step.total_seconds())
        last_step = int(now.timestamp()) // seconds * seconds
        first_step = last_step - int(self._length.total_seconds()) + seconds
        self.times = list(range(first_step, last_step + 1, seconds))
        self._steps = [_Step() for _ in self.times]
        self._whole = _Step()
        for count in counted:
            step = (int(count.at.timestamp()) - first_step) // seconds
            if 0 <= step < len(self._steps):
                self._steps[step].add(count)
                self._whole.add(count)

    def usage(self) -> Board:
        """Calls by tool, how many were answered, and how fast."""
        total = self._whole
        success = total.success()
        p50, p95, p99 = (total.quantile(part, "call") for part in _PARTS.values())
        tiles = [
            Tile("calls", total.count("call")),
            Tile("success", success, "percent", None if success is None else success >= 0.9),
            Tile("p50", p50, "ms"),
            Tile("p95", p95, "ms", None if p95 is None else p95 < 200),
            Tile("p99", p99, "ms"),
        ]
        charts = [
            self._chart("calls_over_time", "number", "bars", calls=lambda step: step.count("call")),
            self._chart("success_over_time", "percent", success=_Step.success),
            self._chart("latency_over_time", "ms", **_quantiles("call")),
        ]
        return Board(tiles, charts, self._tools())

    def behaviour(self) -> Board:
        """What models do with memory, and whether they do it well."""
        total, days = self._whole, self._length / _DAY
        episodes, updated = total.count("change", "episode", "created"), total.count("change", "fact", "updated")
        tiles = [
            Tile("facts_per_conversation", total.facts_per_conversation(), "ratio"),
            Tile("episodes_per_day", episodes / days if total.count("call") or episodes else None, "ratio"),
            Tile("update_forget_ratio", _ratio(updated, total.count("change", "fact", *_GONE)), "ratio"),
            Tile("duplicate_rate", total.duplicates(), "percent"),
            Tile("recall_before_remember", total.recalled_first(), "percent"),
        ]
        charts = [
            self._chart("facts_per_conversation", "ratio", facts_each=_Step.facts_per_conversation),
            self._chart(
                "episodes_over_time", "number", "bars", episodes=lambda step: step.count("change", "episode", "created")
            ),
            self._chart(
                "churn",
                "number",
                updated=lambda step: step.count("change", "fact", "updated"),
                forgotten=lambda step: step.count("change", "fact", *_GONE),
            ),
            self._chart("habits", "percent", duplicates=_Step.duplicates, recalled_first=_Step.recalled_first),
        ]
        return Board(tiles, charts)

    def rollout(self) -> Board:
        """The two arms beside each other: a model with tools, and the automated pipeline."""
        tools, automated = (self._arm(arm) for arm in ARMS)
        fallbacks = self._whole.count("arm", "tools", "fallback")
        tiles = [
            Tile("tools_share", _ratio(tools.answers, tools.answers + automated.answers), "percent"),
            Tile("fallbacks", fallbacks, is_good=fallbacks == 0 if tools.answers else None),
            Tile("fallback_rate", _ratio(fallbacks, tools.answers), "percent"),
        ]
        charts = [
            self._chart("answers_by_arm", "number", "bars", **_by_arm(_answers)),
            self._chart("remembered_by_arm", "ratio", **_by_arm(_remembered)),
            self._chart("latency_by_arm", "ms", **_by_arm(lambda arm, step: step.quantile(0.95, "arm", arm))),
            self._chart(
                "fallbacks_over_time",
                "number",
                "bars",
                fallbacks=lambda step: step.count("arm", "tools", "fallback"),
            ),
        ]
        return Board(tiles, charts, arms=[tools, automated])

    def performance(self, backlog: Backlog, now: datetime) -> Board:
        """What waits, and how long work and writing take."""
        total = self._whole
        waited = None if backlog.task_since is None else max((now - backlog.task_since).total_seconds(), 0.0) * 1000
        tiles = [
            Tile("queue_depth", backlog.tasks),
            Tile("oldest_task", waited, "ms", None if waited is None else waited < 60_000),
            Tile("parked", backlog.parked, is_good=backlog.parked == 0),
            Tile("questions", backlog.questions),
            Tile("unembedded", backlog.unembedded),
            Tile("task_p95", total.quantile(0.95, "task"), "ms"),
            Tile("write_p95", total.quantile(0.95, "db_write"), "ms"),
        ]
        charts = [
            self._chart("queue_over_time", "ratio", waiting=lambda step: _ratio(step.depth, step.count("queue"))),
            self._chart("tasks_over_time", "ms", **_quantiles("task")),
            self._chart("writes_over_time", "ms", **_quantiles("db_write")),
        ]
        return Board(tiles, charts)

    def _chart(self, name: str, unit: Unit, form: Form = "line", /, **series: Callable[[_Step], float | None]) -> Chart:
        values = {key: [value(step) for step in self._steps] for key, value in series.items()}
        return Chart(name, unit, self.times, values, form)

    def _tools(self) -> list[ToolLine]:
        total = self._whole
        lines = [
            ToolLine(
                tool,
                calls := total.count("call", tool),
                calls / total.count("call"),
                total.success(tool) or 0.0,
                *(total.quantile(part, "call", tool) for part in _PARTS.values()),
            )
            for tool in total.names("call")
        ]
        return sorted(lines, key=lambda line: (-line.calls, line.tool))

    def _arm(self, arm: Arm) -> ArmLine:
        total, answers = self._whole, _answers(arm, self._whole)
        known_count, remembered = total.count("arm", arm, "known"), total.count("arm", arm, "remembered")
        return ArmLine(
            arm=arm,
            conversations=total.count("arm", arm, "conversation"),
            answers=answers,
            success=_ratio(total.count("arm", arm, "answered"), answers),
            remembered=_remembered(arm, total),
            duplicates=_ratio(known_count, known_count + remembered),
            p50=total.quantile(0.5, "arm", arm),
            p95=total.quantile(0.95, "arm", arm),
        )


def quantile(counts: Mapping[int, int], part: float) -> float | None:
    """The value in milliseconds that this part of all stays below, as near as the bounds tell; None: there is none.

    Args:
        counts: By bound in microseconds, how many are up to it and above the one before.
    """
    wanted = part * sum(counts.values())
    for bound in sorted(counts):
        if 0 < wanted <= counts[bound]:
            lower = _LOWER.get(bound, 0)
            return (_HIGHEST if bound == ABOVE else lower + (bound - lower) * wanted / counts[bound]) / 1000
        wanted -= counts[bound]
    return None


def _quantiles(kind: str) -> dict[str, Callable[[_Step], float | None]]:
    return {name: partial(_Step.quantile, part=part, what=kind) for name, part in _PARTS.items()}


def _by_arm(value: Callable[[Arm, _Step], float | None]) -> dict[str, Callable[[_Step], float | None]]:
    return {arm: partial(value, arm) for arm in ARMS}


_STEPS = tuple(
    timedelta(minutes=minutes) for minutes in (5, 15, 30, 3 * 60, 12 * 60, 24 * 60, 7 * 24 * 60, 30 * 24 * 60)
)
_MOST_STEPS = 60


def step_for(length: timedelta) -> timedelta:
    """The step of time of which a chart over this length has enough, and not too many."""
    return next((step for step in _STEPS if length / step <= _MOST_STEPS), _STEPS[-1])


def growth(additions: Iterable[tuple[str, datetime, int]], step: timedelta, now: datetime) -> Chart:
    """New memories over time, by kind.

    Args:
        additions: Of which kind, when, and how many.
    """
    seconds = int(step.total_seconds())
    counts: Counter[tuple[str, int]] = Counter()
    for kind, at, count in additions:
        counts[kind, int(at.timestamp()) // seconds * seconds] += count
    last = int(now.timestamp()) // seconds * seconds
    first = min((at for _, at in counts), default=last)
    times = list(range(min(first, last - 5 * seconds), last + 1, seconds))
    series: dict[str, list[float | None]] = {kind: [counts[kind, at] for at in times] for kind in _KINDS}
    return Chart("growth", "number", times, series, "bars")


def _answers(arm: Arm, step: _Step) -> int:
    return step.count("arm", arm, *_TIMED["arm"])


def _remembered(arm: Arm, step: _Step) -> float | None:
    return _ratio(step.count("arm", arm, "remembered"), step.count("arm", arm, "conversation"))


def _ratio(part: int, total: int) -> float | None:
    return part / total if total else None
