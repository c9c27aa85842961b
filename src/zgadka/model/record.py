"""Values that a call makes by the dozen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def record(*, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
    """Make a dataclass that type checkers take for frozen and nobody changes.

    Frozen while it runs, it would set each field by a call of its own: 5 % of all that a `remember` takes.
    """
    return dataclass(unsafe_hash=True, kw_only=kw_only)
