"""What was done, by spans of time: nobody's, nowhere, without any text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from zgadka.model.timestamps import micros, moment
from zgadka.stores.row_mapping import from_row
from zgadka.stores.tx.base import Topic

FINE = timedelta(minutes=5)
COARSE = timedelta(hours=1)
"""The spans in which it is counted at first, and after some days."""

ABOVE = 2**53 - 1
"""The bound of what is above all bounds."""


class Kind(NamedTuple):
    """What is counted together: for instance the calls of one tool that got one status."""

    what: str
    name: str = ""
    outcome: str = ""
    bound: int = ABOVE


@dataclass(frozen=True)
class Counted:
    """How many of a kind there were in a span, and their values together."""

    at: datetime
    kind: Kind
    number: int
    total: int


@dataclass(frozen=True)
class Backlog:
    """What waits right now.

    Attributes:
        tasks: In line.
        task_since: When the oldest of them was put there.
        parked: Tasks that failed for good.
        questions: To people, about what to save and whether others may change something.
        question_since: When the oldest was asked.
        unembedded: Texts without a vector.
    """

    tasks: int
    task_since: datetime | None
    parked: int
    questions: int
    question_since: datetime | None
    unembedded: int


class Usage(Topic):
    """What was done, by spans of time."""

    def add(self, counts: Mapping[Kind, tuple[int, int]]) -> None:
        """Add how many there were of each kind, and their values together, to the span that it is now."""
        at = _begin(self._tx.now, FINE)
        # In one order, whoever adds: two processes must not wait for each other's rows.
        for kind in sorted(counts, key=lambda kind: (kind.what, kind.name, kind.outcome, kind.bound)):
            number, total = counts[kind]
            self._rows("activity_add", {"at": at, **kind._asdict(), "number": number, "total": total})

    def list(self, since: datetime) -> Iterable[Counted]:
        """Everything that was counted from this time on, oldest first."""
        for at, what, name, outcome, bound, number, total in self._rows("activity", {"since": micros(since)}):
            yield Counted(moment(at), Kind(what, name, outcome, bound), number, total)

    def span(self) -> tuple[datetime, datetime] | None:
        """From when until when something was counted; None: nothing was."""
        first, last = self._rows("activity_range", {})[0]
        return None if first is None else (moment(first), moment(last))

    def thin(self, keep_fine: timedelta, keep: timedelta) -> int:
        """Add up what is older by the hour, and drop what is older still; returns how many rows went."""
        fine = _begin(self._tx.now - keep_fine, COARSE)
        span = COARSE // timedelta(microseconds=1)
        self._rows("activity_add_up", {"before": fine, "span": span})
        added = self._rows("activity_drop_fine", {"before": fine, "span": span})
        return len(added) + len(self._rows("activity_drop", {"before": _begin(self._tx.now - keep, COARSE)}))

    def has_old(self, keep_fine: timedelta) -> bool:
        """Whether `thin` may find something to do."""
        rows = self._rows("activity_oldest", {"span": COARSE // timedelta(microseconds=1)})
        return rows[0][0] is not None and rows[0][0] < _begin(self._tx.now - keep_fine, COARSE)

    def backlog(self) -> Backlog:
        """What waits right now."""
        return from_row(Backlog, self._rows("backlog", {"now": micros(self._tx.now)})[0])


def _begin(at: datetime, span: timedelta) -> int:
    """When the span began that a time is in."""
    length = span // timedelta(microseconds=1)
    return micros(at) // length * length
