"""Bars on the standard error that say how far an evaluation is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Tell = Callable[[str, int], None]
"""Is told what is being done and how many are behind."""


@contextmanager
def progress_bars() -> Generator[Callable[[str, int], Tell]]:
    """Give what begins a bar: it takes what is done first and how many there are, and returns what moves the bar."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(file=sys.stderr)) as bars:

        def begin(doing: str, total: int) -> Tell:
            bar = bars.add_task(doing, total=total)
            return lambda doing, completed: bars.update(bar, description=doing, completed=completed)

        yield begin
