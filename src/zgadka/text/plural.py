"""Numbers with their English nouns."""

from __future__ import annotations


def counted(number: int | float, singular: str, plural: str | None = None) -> str:
    """The number and its noun: `1 memory`, `2 memories`.

    Args:
        plural: None: the singular with an s.
    """
    return f"{number:,} {singular if number == 1 else plural or f'{singular}s'}"
