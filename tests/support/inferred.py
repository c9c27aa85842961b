"""What the rules tell of a text, as `key: value`."""

from __future__ import annotations

from zgadka.extract.rules import extract


def certain(text: str) -> set[str]:
    """What is stored."""
    return {item.text for item in extract(text).certain}


def uncertain(text: str) -> set[str]:
    """What the person is asked about."""
    return {item.text for item in extract(text).uncertain}
