"""Fill layers of lines within one budget."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
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
        under: The line that stands above it and others of its layer, such as their day.
        explained: What is explained once, in a line of its own, for all layers.
        before: What it is shown with or not at all, such as the question that it answers.
    """

    text: str
    weight: int
    memory: int | None = None
    message: int | None = None
    under: str | None = None
    explained: tuple[str, ...] = ()
    before: Line | None = None

    @property
    def subject(self) -> tuple[int | None, int | None]:
        """What is shown: in one layer only."""
        return self.memory, self.message


def line(
    text: str,
    *,
    memory: int | None = None,
    message: int | None = None,
    under: str | None = None,
    explained: tuple[str, ...] = (),
    before: Line | None = None,
) -> Line:
    """A line with its weight."""
    return Line(text, weigh(text) + LINE_BREAK, memory, message, under, explained, before)


class Filling:
    """A layer that is being filled.

    Args:
        heading: Its first line, when there is any other.
        share: Percent of the budget.
        lines: What could be in it, the best first; asked for only as far as there is room.
        is_unbroken: Whether nothing may follow a line that did not fit.

    Attributes:
        chosen: What is in it, in the order in which it was chosen.
        weight: What it takes, with its headings.
    """

    def __init__(self, heading: str, share: int, lines: Iterable[Line], *, is_unbroken: bool = False) -> None:
        self.heading = line(heading)
        self.share = share
        self.chosen: list[Line] = []
        self.weight = 0
        self._under: set[str | None] = {None}
        self._lines = iter(lines)
        self._is_unbroken = is_unbroken

    def fill(self, room: int, taken: set[tuple[int | None, int | None]], explained: set[str]) -> int:
        """Choose what fits and was not taken; returns how much of the room it took, with what it had explained."""
        remaining, misses = room, 0
        skipped: list[Line] = []
        for candidate in self._lines:
            if candidate.subject in taken:
                continue
            before = candidate.before
            lines = [candidate] if before is None or before.subject in taken else [before, candidate]
            new_words = {word for line in lines for word in line.explained} - explained
            needed = self._weight_of(lines)
            together = needed + sum(map(weigh, new_words))
            if together <= remaining:
                remaining -= together
                self.chosen += lines
                self.weight += needed
                self._under |= {line.under for line in lines}
                taken |= {line.subject for line in lines}
                explained |= new_words
                misses = 0
            else:
                skipped.append(candidate)
                misses += 1
            is_full = misses == _MISSES or remaining < _LEAST
            if is_full or (misses and self._is_unbroken):
                break
        self._lines = chain(skipped, self._lines)  # there may be room for them later
        return room - remaining

    def _weight_of(self, lines: Sequence[Line]) -> int:
        """What lines would take, with the headings that are not there yet."""
        headings = sum(weigh(under) + LINE_BREAK for under in {line.under for line in lines} - self._under if under)
        return sum(line.weight for line in lines) + headings + (0 if self.chosen else self.heading.weight)


def fill(layers: Sequence[Filling], refill: Sequence[int], budget: int, explained: Collection[str] = ()) -> list[str]:
    """Fill each layer with the best that its share holds; nothing is in two of them.

    What a layer leaves of its share goes to the next one. What the last one leaves goes round once more.

    Args:
        refill: The places of the layers in the order in which they get what was left.
        budget: In hundredths of a token.
        explained: What is explained already.

    Returns:
        What is to be explained, besides.
    """
    taken: set[tuple[int | None, int | None]] = set()
    explained_now = set(explained)
    remaining, carried = budget, 0
    for layer in layers:
        room = budget * layer.share // 100 + carried
        spent = layer.fill(room, taken, explained_now)
        carried = room - spent
        remaining -= spent
    for layer_index in refill:
        remaining -= layers[layer_index].fill(remaining, taken, explained_now)
    return sorted(explained_now - set(explained))
