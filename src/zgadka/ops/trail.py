"""What a memory's trail tells: which of its changes stand, and since when it stands for the same."""

from __future__ import annotations

from collections.abc import Iterable

from zgadka.model.memory import Event, StoredMemory
from zgadka.ops.same_value import as_now
from zgadka.stores.tx.audit import OTHER_VALUE

BY_HAND = "own page"
"""The reason in the audit trail of what a person wrote with their own hands."""
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


def first_version(memory: StoredMemory, trail: Iterable[Event]) -> int:
    """The version since which a memory, in this state of it, has stood for what it says; 0: it always has."""
    later = memory
    for event in reversed(standing_changes(trail)):
        before = event.before
        if before is not None and before.version >= memory.version:
            continue
        if event.reason in OTHER_VALUE and before is None:
            return later.version
        if event.reason in OTHER_VALUE and before is not None and as_now(before).canonical != as_now(later).canonical:
            return before.version + 1
        later = before or later
    return 0
