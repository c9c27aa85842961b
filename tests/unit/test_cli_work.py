"""What operators see of tasks."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from zgadka.cli.work import _line
from zgadka.model.task import Task

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TASK = Task(
    owner=1, id=7, kind="call", priority=1, state="waiting", payload={"tool": "remember"}, attempts=0, run_at=NOW,
    created_at=NOW,
)  # fmt: skip


def test_a_task_that_nobody_takes_is_told_from_one_that_waits_for_its_turn() -> None:
    late = NOW + timedelta(minutes=6)
    assert _line(TASK, NOW) == "     7 waiting  0 tries  2026-03-01 12:00:00  remember"
    assert "no worker takes it" in _line(TASK, late)
    assert " 1 try    2026" in _line(replace(TASK, attempts=1), NOW)
    for other in (replace(TASK, attempts=1), replace(TASK, state="failed")):
        assert "no worker" not in _line(other, late)
    assert _line(replace(TASK, payload={}, error="StoreBusy: x"), late).startswith(
        "     7 waiting  0 tries  2026-03-01 12:00:00  call  StoreBusy: x  no worker"
    )
