"""What this process counted, as plain numbers. No memory text, name or id is ever a label.

`METRICS` shows them to `prometheus_client`, which is imported when somebody asks for it: that takes longer than a first
answer.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from typing import TYPE_CHECKING, Literal

from zgadka.stores.tx.usage_stats import ABOVE

if TYPE_CHECKING:
    from zgadka import metrics

    METRICS = metrics.METRICS

TallyKey = tuple[str, str, str, int]
"""What is counted together: what it is (`call`, `db_write`, `task`, …), its name and outcome, and the bound up to which
its value is."""

Tally = dict[TallyKey, list[int]]
"""By key, how many there were and the sum of their values: microseconds, for what takes time."""

TimedEvent = Literal["arm", "call", "db_read", "db_write", "task"]
"""What takes time: an answer, a whole tool call, its transaction alone with the time in the queue, a task."""

Event = Literal["answer", "embedding", "extraction", "fallback", "pattern"]
"""What is counted without a time: answers by arm and outcome, embeddings by input and outcome, extractions by tier and
outcome, fallbacks by reason, and what a model did well or did not."""

MILLISECONDS = (0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 20_000, 60_000, 300_000)
"""The bounds by which times are counted."""

FAILED = frozenset({"error", "busy", "memory_create_failed_db_error", "memory_update_failed_db_error"})
"""The statuses of calls that were not answered."""

MISTAKEN = frozenset(
    {"invalid_args", "look_first", "rate_limited"}
    | {f"memory_{deed}_failed_invalid_{what}" for deed in ("create", "update") for what in ("args", "content")}
)
"""The statuses of calls that a model made wrongly, or too many of."""

UNSUCCESSFUL = FAILED | MISTAKEN
"""All others did what was asked, or said rightly why not: `not_found`, `conflict`, `privacy_restricted`, …"""

_MICROSECONDS = tuple(round(bound * 1000) for bound in MILLISECONDS)

_lock = threading.Lock()
_process: Tally = {}


def totals() -> Tally:
    """All that was counted so far."""
    with _lock:
        return {key: [*sums] for key, sums in _process.items()}


def add(key: TallyKey, number: int, value: int = 0) -> None:
    """Add so many of one kind, and the sum of their values."""
    with _lock:
        add_to(_process, key, number, value)


def add_to(tally: Tally, key: TallyKey, number: int, value: int) -> None:
    """The same in a tally of the caller's own."""
    sums = tally.get(key)
    if sums is None:
        tally[key] = [number, value]
    else:
        sums[0] += number
        sums[1] += value


def timed(seconds: float) -> tuple[int, int]:
    """The bound that a time is counted under, and its microseconds."""
    microseconds = int(seconds * 1_000_000)
    index = bisect_left(_MICROSECONDS, microseconds)
    return _MICROSECONDS[index] if index < len(_MICROSECONDS) else ABOVE, microseconds


def count(event: Event, name: str, outcome: str = "", number: int = 1) -> None:
    """Count so many events of one kind."""
    add((event, name, outcome, ABOVE), number)


def count_request(method: str, route: str, status: int, milliseconds: float) -> None:
    """Count an HTTP request; the route is its pattern, without the values of its parameters."""
    bound, microseconds = timed(milliseconds / 1000)
    add(("request", f"{method} {route}", str(status), bound), 1, microseconds)


def __getattr__(name: str) -> object:
    if name != "METRICS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from zgadka import metrics  # noqa: PLC0415  (see above)

    return metrics.METRICS
