"""Which of the changes that a memory's trail tells stand, and what their reasons mean."""

from __future__ import annotations

from collections.abc import Iterable

from zgadka.model.memory import Event

ENDED = "ended"
"""The reason by which the trail tells that a value became past, since another took its place."""
DATED = "time"
"""The reason by which the trail tells that a fact got its time, or that this was said once more."""
SINCE, UNTIL = "since", "until"
"""The same of its beginning alone, and of its end alone."""
TOLD = {DATED: ("valid_from", "valid_to", "closed"), SINCE: ("valid_from",), UNTIL: ("valid_to", "closed")}
"""What each of these reasons says was told then."""
EDITED = "its source was edited on the platform"
"""The reason by which the trail tells that a message says no longer what a memory was made of; nobody wished that."""
IN_JEST = "its person said that it was a joke"
"""The reason by which the trail tells that a person called a joke what they had just written."""
TAKEN_BACK = (EDITED, IN_JEST)
"""The reasons of what the same message may say again."""
OWN_WORD = "own word"
"""The reason by which the trail tells that what another said gave way to what the person says of themselves."""
INCORRECT = "incorrect"
"""The reason, or the beginning of it, by which the trail tells that a fact never was so; nobody wished it unknown."""
OTHER_VALUE = ("update", "contradiction", OWN_WORD)
"""The reasons of changes after which a memory stands for something else, if its value is another."""
LEFT = (ENDED, OWN_WORD)
"""The reasons by which what a memory was is kept under another id since that stands for something else."""
REJOINED = "rejoined"
"""The reason by which the trail tells that somebody came back into what others had changed since: nothing is undone."""


def changes_of(trail: Iterable[Event]) -> list[Event]:
    """The events that a person would call changes."""
    return [event for event in trail if event.action != "confirmed"]


def standing_changes(trail: Iterable[Event]) -> list[Event]:
    """The changes that were not taken back, oldest first."""
    standing: list[Event] = []
    for event in changes_of(trail):
        if event.action != "undone":
            standing.append(event)
        elif event.reason != REJOINED and standing:
            standing.pop()
    return standing
