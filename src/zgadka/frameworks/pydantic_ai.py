"""The tools as a pydantic-ai toolset: `Agent(…, toolsets=[memory_toolset(memory, speaker)])`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pydantic_ai import RunContext
from pydantic_ai.toolsets import AbstractToolset

from zgadka.chat.agent import MemoryTools
from zgadka.engine import Memory
from zgadka.frameworks.speaker import Speaker, turn_of
from zgadka.tools.declare import Tool

Deps = TypeVar("Deps")


def memory_toolset(
    memory: Memory, speaker: Speaker[RunContext[Deps]], tools: Iterable[Tool] | None = None
) -> AbstractToolset[Deps]:
    """Make the toolset; calls of one answer run one after another, in the model's order.

    Args:
        speaker: The turn of every call; or a function that gives it, such as `lambda ctx: ctx.deps.turn`.
        tools: Others than the sets `core` and `facts`.
    """
    chosen = memory.tools.select("core", "facts") if tools is None else tools
    return MemoryTools(memory, chosen, lambda ctx: turn_of(speaker, ctx))
