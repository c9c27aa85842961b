"""Signed links: whoever has one sees what is remembered of one person, for a while."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from zgadka.errors import InvalidInput
from zgadka.model.moments import micros, moment
from zgadka.stores.tx import Tx

_KEY = "link"
_KEY_BYTES = 32
_PURPOSE = b"zgadka link 1\0"
_LONGEST = timedelta(days=31)
_LONGEST_TEXT = 2000


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
    key = tx.secret(_KEY, secrets.token_bytes(_KEY_BYTES))
    said = json.dumps([platform, person, micros(tx.now + lasts)]).encode()
    return f"{_text(said)}.{_text(_sign(key, said))}"


def open_link(tx: Tx, text: str) -> Link | None:
    """What a link is for; None when this store did not sign it, or its time is over."""
    key = tx.known_secret(_KEY)
    said, _, signed = text.partition(".")
    if key is None or len(text) > _LONGEST_TEXT:
        return None
    try:
        whole, mac = _bytes(said), _bytes(signed)
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(_sign(key, whole), mac):
        return None
    platform, person, expires_at = cast("list[Any]", json.loads(whole))  # we wrote it
    link = Link(platform, person, moment(expires_at))
    return link if tx.now < link.expires_at else None


def _sign(key: bytes, said: bytes) -> bytes:
    return hmac.new(key, _PURPOSE + said, hashlib.sha256).digest()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
