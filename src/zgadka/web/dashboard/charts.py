"""From what was counted to boards: numbers now, and charts over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

from zgadka import telemetry
from zgadka.activity import NOT_RECALLED, RECALLED
from zgadka.model.rollout import ARMS, Arm
from zgadka.stores.activity import ABOVE, Backlog, Counted

Unit = Literal["number", "percent", "ms", "ratio"]
Form = Literal["line", "bars"]

SPANS: Mapping[str, tuple[timedelta, timedelta]] = {
    "24h": (timedelta(days=1), timedelta(minutes=30)),
    "7d": (timedelta(days=7), timedelta(hours=3)),
    "30d": (timedelta(days=30), timedelta(hours=12)),
    "90d": (timedelta(days=90), timedelta(days=1)),
}
"""How far back a board looks, and how long each step of its charts is."""

_DAY = timedelta(days=1)
_GONE = frozenset({"hidden", "deleted"})
_LOWER = {
    round(bound * 1000): round(before * 1000)
    for before, bound in zip((0, *telemetry.MILLISECONDS), telemetry.MILLISECONDS, strict=False)
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


@dataclass
class _ArmCounts:
    """What was counted of one arm.

    Attributes:
        latency: Of all answers, by bound.
    """

    conversations: int = 0
    answered: int = 0
    fallbacks: int = 0
    failed: int = 0
    remembered: int = 0
    known: int = 0
    latency: dict[int, int] = field(default_factory=dict[int, int])

    @property
    def answers(self) -> int:
        return self.answered + self.fallbacks + self.failed

    def add(self, one: Counted) -> None:
        number = one.number
        match one.kind.outcome:
            case "conversation":
                self.conversations += number
            case "remembered":
                self.remembered += number
            case "known":
                self.known += number
            case "answered":
                self.answered += number
                _count(self.latency, one.kind.bound, number)
            case "fallback":
                self.fallbacks += number
                _count(self.latency, one.kind.bound, number)
            case "failed":
                self.failed += number
                _count(self.latency, one.kind.bound, number)
            case _:
                pass


@dataclass
class _Step:
    """What was counted in one step of time, or in all of it."""

    calls: int = 0
    failed: int = 0
    latency: dict[int, int] = field(default_factory=dict[int, int])
    writes: dict[int, int] = field(default_factory=dict[int, int])
    tasks: dict[int, int] = field(default_factory=dict[int, int])
    facts: int = 0
    episodes: int = 0
    updated: int = 0
    gone: int = 0
    told: int = 0
    repeated: int = 0
    recalled: int = 0
    unrecalled: int = 0
    conversations: int = 0
    samples: int = 0
    depth: int = 0
    arms: dict[str, _ArmCounts] = field(default_factory=lambda: {arm: _ArmCounts() for arm in ARMS})

    def add(self, one: Counted) -> None:
        if one.kind.what != "arm":
            self._add(one)
        elif one.kind.name in self.arms:  # a newer program may know more
            self.arms[one.kind.name].add(one)

    def _add(self, one: Counted) -> None:
        kind, number = one.kind, one.number
        match kind.what, kind.name, kind.outcome:
            case "call", tool, status:
                self.calls += number
                self.failed += number if status in telemetry.FAILED else 0
                _count(self.latency, kind.bound, number)
                if tool == "remember_fact":
                    self.told += number if status in ("success", "skipped") else 0
                    self.repeated += number if status == "skipped" else 0
            case "db_write", _, _:
                _count(self.writes, kind.bound, number)
            case "task", _, "done":
                _count(self.tasks, kind.bound, number)
            case "change", "fact", "created":
                self.facts += number
            case "change", "episode", "created":
                self.episodes += number
            case "change", "fact", "updated":
                self.updated += number
            case "change", "fact", what if what in _GONE:
                self.gone += number
            case "pattern", name, _:
                self.recalled += number if name == RECALLED else 0
                self.unrecalled += number if name == NOT_RECALLED else 0
            case "conversation", _, _:
                self.conversations += number
            case "queue", _, _:
                self.samples += number
                self.depth += one.total
            case _:
                pass


class Counts:
    """What was counted over a span of time, step by step."""

    def __init__(self, counted: Iterable[Counted], *, now: datetime, span: str) -> None:
        """Add it up.

        Args:
            span: One of `SPANS`.
        """
        self._length, self._step = SPANS[span]
        seconds = int(self._step.total_seconds())
        last = int(now.timestamp()) // seconds * seconds
        first = last - int(self._length.total_seconds()) + seconds
        self.times = list(range(first, last + 1, seconds))
        self._steps = [_Step() for _ in self.times]
        self._whole = _Step()
        self._by_tool: dict[str, _Step] = {}
        for one in counted:
            place = (int(one.at.timestamp()) - first) // seconds
            if 0 <= place < len(self._steps):
                self._steps[place].add(one)
                self._whole.add(one)
                if one.kind.what == "call":
                    self._by_tool.setdefault(one.kind.name, _Step()).add(one)

    def usage(self) -> Board:
        """Calls by tool, how many were answered, and how fast."""
        whole = self._whole
        success = _share(whole.calls - whole.failed, whole.calls)
        p50, p95, p99 = (quantile(whole.latency, part) for part in (0.5, 0.95, 0.99))
        tiles = [
            Tile("calls", whole.calls),
            Tile("success", success, "percent", None if success is None else success >= 0.9),
            Tile("p50", p50, "ms"),
            Tile("p95", p95, "ms", None if p95 is None else p95 < 200),
            Tile("p99", p99, "ms"),
        ]
        charts = [
            self._chart("calls_over_time", "number", "bars", calls=lambda one: one.calls),
            self._chart("success_over_time", "percent", success=lambda one: _share(one.calls - one.failed, one.calls)),
            self._chart("latency_over_time", "ms", **_quantiles(lambda one: one.latency)),
        ]
        return Board(tiles, charts, self._tools())

    def behaviour(self) -> Board:
        """What models do with memory, and whether they do it well."""
        whole = self._whole
        looked = whole.recalled + whole.unrecalled
        days = self._length / _DAY
        tiles = [
            Tile("facts_per_conversation", _ratio(whole.facts, whole.conversations), "ratio"),
            Tile("episodes_per_day", whole.episodes / days if whole.calls or whole.episodes else None, "ratio"),
            Tile("update_forget_ratio", _ratio(whole.updated, whole.gone), "ratio"),
            Tile("duplicate_rate", _share(whole.repeated, whole.told), "percent"),
            Tile("recall_before_remember", _share(whole.recalled, looked), "percent"),
        ]
        charts = [
            self._chart("facts_per_conversation", "ratio", facts_each=lambda one: _ratio(one.facts, one.conversations)),
            self._chart("episodes_over_time", "number", "bars", episodes=lambda one: one.episodes),
            self._chart("churn", "number", updated=lambda one: one.updated, forgotten=lambda one: one.gone),
            self._chart(
                "habits",
                "percent",
                duplicates=lambda one: _share(one.repeated, one.told),
                recalled_first=lambda one: _share(one.recalled, one.recalled + one.unrecalled),
            ),
        ]
        return Board(tiles, charts)

    def rollout(self) -> Board:
        """The two arms beside each other: a model with tools, and the automated pipeline."""
        tools, automated = (self._whole.arms[arm] for arm in ARMS)
        tiles = [
            Tile("tools_share", _share(tools.answers, tools.answers + automated.answers), "percent"),
            Tile("fallbacks", tools.fallbacks, is_good=tools.fallbacks == 0 if tools.answers else None),
            Tile("fallback_rate", _share(tools.fallbacks, tools.answers), "percent"),
        ]
        charts = [
            self._chart("answers_by_arm", "number", "bars", **_by_arm(lambda one: one.answers)),
            self._chart("remembered_by_arm", "ratio", **_by_arm(lambda one: _ratio(one.remembered, one.conversations))),
            self._chart("latency_by_arm", "ms", **_by_arm(lambda one: quantile(one.latency, 0.95))),
            self._chart("fallbacks_over_time", "number", "bars", fallbacks=lambda one: one.arms["tools"].fallbacks),
        ]
        return Board(tiles, charts, arms=[_arm_line(arm, self._whole.arms[arm]) for arm in ARMS])

    def performance(self, backlog: Backlog, now: datetime) -> Board:
        """What waits, and how long work and writing take."""
        whole = self._whole
        waited = None if backlog.task_since is None else max((now - backlog.task_since).total_seconds(), 0.0) * 1000
        tiles = [
            Tile("queue_depth", backlog.tasks),
            Tile("oldest_task", waited, "ms", None if waited is None else waited < 60_000),
            Tile("parked", backlog.parked, is_good=backlog.parked == 0),
            Tile("questions", backlog.questions),
            Tile("unembedded", backlog.unembedded),
            Tile("task_p95", quantile(whole.tasks, 0.95), "ms"),
            Tile("write_p95", quantile(whole.writes, 0.95), "ms"),
        ]
        charts = [
            self._chart("queue_over_time", "ratio", waiting=lambda one: _ratio(one.depth, one.samples)),
            self._chart("tasks_over_time", "ms", **_quantiles(lambda one: one.tasks)),
            self._chart("writes_over_time", "ms", **_quantiles(lambda one: one.writes)),
        ]
        return Board(tiles, charts)

    def _chart(self, name: str, unit: Unit, form: Form = "line", /, **series: Callable[[_Step], float | None]) -> Chart:
        values = {key: [value(step) for step in self._steps] for key, value in series.items()}
        return Chart(name, unit, self.times, values, form)

    def _tools(self) -> list[ToolLine]:
        lines = [
            ToolLine(
                tool,
                one.calls,
                one.calls / self._whole.calls,
                (one.calls - one.failed) / one.calls,
                *(quantile(one.latency, part) for part in (0.5, 0.95, 0.99)),
            )
            for tool, one in self._by_tool.items()
        ]
        return sorted(lines, key=lambda line: (-line.calls, line.tool))


def quantile(counts: Mapping[int, int], part: float) -> float | None:
    """The value in milliseconds that this part of all stays below, as near as the bounds tell; None: there is none.

    Args:
        counts: By bound in microseconds, how many are up to it and above the one before.
    """
    wanted = part * sum(counts.values())
    if not wanted:
        return None
    seen = 0
    for bound in sorted(counts):
        if seen + counts[bound] >= wanted:
            if bound == ABOVE:
                return _HIGHEST / 1000
            lower = _LOWER.get(bound, 0)
            return (lower + (bound - lower) * (wanted - seen) / counts[bound]) / 1000
        seen += counts[bound]
    return _HIGHEST / 1000


def _quantiles(counts: Callable[[_Step], Mapping[int, int]]) -> dict[str, Callable[[_Step], float | None]]:
    return {
        "p50": lambda step: quantile(counts(step), 0.5),
        "p95": lambda step: quantile(counts(step), 0.95),
        "p99": lambda step: quantile(counts(step), 0.99),
    }


def _by_arm(value: Callable[[_ArmCounts], float | None]) -> dict[str, Callable[[_Step], float | None]]:
    return {
        "tools": lambda step: value(step.arms["tools"]),
        "automated": lambda step: value(step.arms["automated"]),
    }


def _arm_line(arm: Arm, one: _ArmCounts) -> ArmLine:
    return ArmLine(
        arm=arm,
        conversations=one.conversations,
        answers=one.answers,
        success=_share(one.answered, one.answers),
        remembered=_ratio(one.remembered, one.conversations),
        duplicates=_share(one.known, one.known + one.remembered),
        p50=quantile(one.latency, 0.5),
        p95=quantile(one.latency, 0.95),
    )


def _count(counts: dict[int, int], bound: int, number: int) -> None:
    counts[bound] = counts.get(bound, 0) + number


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


_ratio = _share
