"""Fill layers of lines within one budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from zgadka.text.token_estimate import HUNDREDTHS, weigh

LINE_BREAK = weigh("\n")
_LEAST = 5 * HUNDREDTHS
"""No line is shorter."""
_MISSES = 8
"""After so many lines in a row for which there was no room, a layer is full."""


class Line(NamedTuple):
    """A memory or a message as it is shown.

    Attributes:
        weight: In hundredths of a token, with its line break.
    """

    text: str
    weight: int
    memory: int | None = None
    message: int | None = None


def line(text: str, *, memory: int | None = None, message: int | None = None) -> Line:
    """A line with its weight."""
    return Line(text, weigh(text) + LINE_BREAK, memory, message)


class Filling:
    """A layer that is being filled.

    Args:
        heading: Its first line, when there is any other.
        share: Percent of the budget.
        lines: What could be in it, the best first; asked for only as far as there is room.
        is_unbroken: Whether nothing may follow a line that did not fit.

    Attributes:
        chosen: What is in it, in the order in which it was chosen.
        weight: What it takes, with its heading.
    """

    def __init__(self, heading: str, share: int, lines: Iterable[Line], *, is_unbroken: bool = False) -> None:
        self.heading = line(heading)
        self.share = share
        self.chosen: list[Line] = []
        self.weight = 0
        self._lines = iter(lines)
        self._is_unbroken = is_unbroken

    def fill(self, room: int, taken: set[tuple[int | None, int | None]]) -> int:
        """Choose what fits and was not taken; returns how much of the room it took."""
        old_weight, misses = self.weight, 0
        skipped: list[Line] = []
        for candidate in self._lines:
            if candidate[2:] in taken:
                continue
            needed = candidate.weight if self.chosen else candidate.weight + self.heading.weight
            if self.weight + needed - old_weight <= room:
                self.chosen.append(candidate)
                taken.add(candidate[2:])
                self.weight += needed
                misses = 0
            else:
                skipped.append(candidate)
                misses += 1
            is_full = misses == _MISSES or room - (self.weight - old_weight) < _LEAST
            if is_full or (misses and self._is_unbroken):
                break
        self._lines = chain(skipped, self._lines)  # there may be room for them later
        return self.weight - old_weight


def fill(layers: Sequence[Filling], refill: Sequence[int], budget: int) -> None:
    """Fill each layer with the best that its share holds; nothing is in two of them.

    What a layer leaves of its share goes to the next one. What the last one leaves goes round once more.

    Args:
        refill: The places of the layers in the order in which they get what was left.
        budget: In hundredths of a token.
    """
    taken: set[tuple[int | None, int | None]] = set()
    remaining, carried = budget, 0
    for layer in layers:
        room = budget * layer.share // 100 + carried
        spent = layer.fill(room, taken)
        carried = room - spent
        remaining -= spent
    for layer_index in refill:
        remaining -= layers[layer_index].fill(remaining, taken)
