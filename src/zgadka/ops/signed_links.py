"""Signed links: whoever has one sees what is remembered of one person, for a while."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from zgadka.errors import InvalidInput
from zgadka.ops.signing import seal, unseal
from zgadka.stores.tx import Tx

_KEY = "link"
_PURPOSE = b"zgadka link 1\0"
_LONGEST = timedelta(days=31)


@dataclass(frozen=True)
class Link:
    """Whose page a link opens, and until when."""

    platform: str
    person: str
    expires_at: datetime


def make_link(tx: Tx, platform: str, person: str, lasts: timedelta) -> str:
    """Sign a link to what is remembered of one person; it is for that person alone.

    Args:
        person: The platform's id.
        lasts: How long it opens; up to 31 days.

    Returns:
        Letters, digits, `-`, `_` and one dot, to be put into an address.

    Raises:
        InvalidInput: It would last for no time, or for too long.
    """
    if not timedelta(0) < lasts <= _LONGEST:
        raise InvalidInput(f"a link lasts for a time, up to {_LONGEST.days} days, not {lasts}")
    return seal(tx, _KEY, _PURPOSE, [platform, person], tx.now + lasts)


def open_link(tx: Tx, text: str) -> Link | None:
    """What a link is for; None when this store did not sign it, or its time is over."""
    unsealed = unseal(tx, _KEY, _PURPOSE, text)
    if unsealed is None:
        return None
    (platform, person), expires_at = unsealed
    return Link(platform, person, expires_at)
