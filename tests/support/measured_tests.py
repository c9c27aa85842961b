"""A pytest plugin: of a test's cases, `--cov` measures the first; of unit tests and with `--long`, all.

To trace code takes almost as long again as to run it. The cases of a test over a store are the same on another engine,
or differ in what they give, and run the same code; those of a unit test often are the branches of a rule. What counts
as run was run; what only a case reaches that is not measured counts as missing.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from typing import Any

import pytest
from long_run import is_long

_LATER = pytest.StashKey[bool]()


@pytest.hookimpl(trylast=True)  # of the cases that are left
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    seen: set[str] = set()
    for item in items:
        test = item.nodeid.partition("[")[0]
        item.stash[_LATER] = test in seen and not is_long() and not test.startswith("tests/unit/")
        seen.add(test)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    measured = sys.modules["coverage"].Coverage.current() if "coverage" in sys.modules else None
    if measured is None or not item.stash[_LATER]:
        return (yield)
    measured.stop()
    try:
        return (yield)
    finally:
        measured.start()
