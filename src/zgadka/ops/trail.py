"""What a memory's trail tells: which of its changes stand, and since when it stands for the same."""

from __future__ import annotations

from collections.abc import Iterable

from zgadka.model.memory import Event, StoredMemory
from zgadka.ops.same_value import as_now
from zgadka.stores.tx.trail import OTHER_VALUE, standing_changes

BY_HAND = "own page"
"""The reason in the audit trail of what a person changed or deleted on their own page."""
WRITTEN = "written"
"""The reason of what they had remembered by a command."""


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
