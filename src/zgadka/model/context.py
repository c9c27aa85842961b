"""What a model should have in mind in one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

LayerName = Literal["immediate", "recent", "relevant", "background", "episodic"]


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One of the five layers.

    Attributes:
        text: A heading and a line for each; empty when there is nothing.
        tokens: An estimate.
        memories: The ids of the memories that are shown, in order.
        messages: The ids of the messages that are shown, in order.
    """

    name: LayerName
    text: str
    tokens: int
    memories: tuple[int, ...]
    messages: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Context:
    """Five layers, each memory and each message in one of them only.

    Attributes:
        layers: All five, in order; those with nothing in them too.
        text: The whole, ready for a prompt: quoted data that gives no instructions. What changes seldom comes first,
            the last messages come last. Empty when there is nothing.
        tokens: An estimate for `text`, never more than the budget.
        people: What the people of a group are called in it, by the platform's id.
    """

    layers: tuple[Layer, ...]
    text: str
    tokens: int
    people: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def memories(self) -> tuple[int, ...]:
        """The ids of all memories that are shown, in order."""
        return tuple(memory for layer in self.layers for memory in layer.memories)

    @property
    def messages(self) -> tuple[int, ...]:
        """The ids of all messages that are shown, in order."""
        return tuple(message for layer in self.layers for message in layer.messages)
