"""The soak of `benchmarks/soak.py`, short and the same each time."""

from __future__ import annotations

import asyncio
import importlib
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

CALLS = 90
"""Of each of four callers."""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    soak = importlib.import_module("soak")
    return soak.Run(tmp_path / "memory.db", callers=4, people=2, seed=20_261_122, speed=None)


def test_mixed_load_with_retention_and_new_embedders_gives_no_wrong_answer(run: Any) -> None:
    soak = asyncio.run(run.for_calls(CALLS, openings=3))
    assert soak.wrong == []
    assert soak.integrity == "ok"
    assert sum(soak.done.values()) == 4 * CALLS
    assert set(soak.done) == {
        *("remember_fact", "remember", "update_fact", "recall", "recall_facts"),
        *("forget", "recall what is gone", "say", "search_messages"),
    }
    assert soak.swaps == 2
    assert soak.tidied["messages"] > 0
    assert soak.tidied["texts"] > 0


def test_a_row_that_somebody_changed_is_noticed(run: Any, tmp_path: Path) -> None:
    assert asyncio.run(run.for_calls(CALLS // 4, openings=1)).wrong == []
    newest = "SELECT max(id) FROM memory WHERE kind = 'fact' AND archived = 0 GROUP BY owner"
    with closing(apsw.Connection(str(tmp_path / "memory.db"))) as connection:
        connection.execute(f"UPDATE memory SET content = 'else' WHERE id IN ({newest})")
    wrong = asyncio.run(run.for_calls(CALLS // 4, openings=1)).wrong
    assert any(one.startswith("person ") for one in wrong), "by an answer"
    assert any(one.startswith("memory ") and "'else'" in one for one in wrong), "and by a look at all rows"
