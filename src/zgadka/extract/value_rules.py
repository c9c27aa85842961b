"""What makes values of what a pattern captured: `values` in a file of patterns names a table of it, or a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import cast

ValueRule = Callable[[str], tuple[str, ...] | str | None]
"""Makes values of what was said; none when it is more than plain values."""


def value_rule(name: str, tables: Mapping[str, Mapping[str, str]], *modules: ModuleType) -> ValueRule:
    """Return the rule of a name.

    Args:
        name: As a pattern has it.
        tables: Of the file: what a word in small letters stands for.
        modules: Of functions; the first that has one of that name counts.
    """
    if name in tables:
        table = tables[name]
        return lambda text: table.get(text.casefold())
    return cast("ValueRule", next(vars(module)[name] for module in modules if name in vars(module)))


def values_of(rule: ValueRule, text: str) -> tuple[str, ...]:
    """Return the values that a rule makes of a text."""
    values = rule(text)
    return () if values is None else (values,) if isinstance(values, str) else values
