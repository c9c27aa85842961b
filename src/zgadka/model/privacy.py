"""How much a person wants to be remembered."""

from __future__ import annotations

from enum import IntEnum


class PrivacyLevel(IntEnum):
    """Set by the person; deleting and exporting work at every level."""

    MINIMAL = 0
    """All works."""
    PARTIAL = 1
    """Messages are seen; no personal memory is shown or written."""
    FULL = 2
    """The person is invisible to memory: no message, no memory, no episode."""


def level_of(stored: int) -> PrivacyLevel:
    """The level that a stored number means; one that this version does not know restricts most."""
    return PrivacyLevel(stored) if stored in (0, 1) else PrivacyLevel.FULL
