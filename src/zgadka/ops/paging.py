"""Go on with a list where the last answer ended."""

from __future__ import annotations

from collections.abc import Sequence

from zgadka.errors import InvalidInput


def place_after(ids: Sequence[int], after: int) -> int:
    """How many come up to and with this one.

    Raises:
        InvalidInput: It is not among them.
    """
    if after not in ids:
        raise InvalidInput(f"after must be what the last answer to the same call gave as `after`, not {after}")
    return ids.index(after) + 1
