"""Who speaks, as the host says."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from zgadka.model.turn import Turn

Given = TypeVar("Given")

Speaker = Turn | Callable[[Given], Turn]
"""The turn of every call; or the host's function that gives it, from what the framework hands on."""


def turn_of(speaker: Speaker[Given], given: Given) -> Turn:
    """The turn of a call, from what the framework hands on."""
    return speaker if isinstance(speaker, Turn) else speaker(given)
