"""Taking a guard away, and putting it back."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from types import ModuleType

_OURS = ("ops.", "tools.", "transfer.", "tool_calls", "engine", "web.", "mcp.", "bots.")
"""What a guard may be called from, within the package."""
_PATHS = tuple(f"zgadka.{part}" for part in _OURS)


@dataclass(frozen=True)
class Mutant:
    """The engine without one of its guards.

    Attributes:
        name: What it does wrong.
        red: The class that has to see it.
        plant: Takes the guard away, and puts it back.
    """

    name: str
    red: str
    plant: Callable[[], AbstractContextManager[None]]


@contextmanager
def replaced(owner: object, name: str, by: object) -> Generator[None]:
    """Let an attribute be another."""
    original = vars(owner)[name]
    setattr(owner, name, by)
    try:
        yield
    finally:
        setattr(owner, name, original)


@contextmanager
def everywhere(module: ModuleType, name: str, by: object) -> Generator[None]:
    """Let a module's function be another in each module of the engine that has it."""
    function = vars(module)[name]
    engine = [loaded for path, loaded in [*sys.modules.items()] if path.startswith(_PATHS)]
    with ExitStack() as stack:
        for loaded in engine:
            if vars(loaded).get(name) is function:
                stack.enter_context(replaced(loaded, name, by))
        yield
