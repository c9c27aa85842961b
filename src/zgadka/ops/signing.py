"""Texts that this store signs: whoever holds one can neither change it nor make another."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from datetime import datetime
from typing import Any, cast

from zgadka.model.timestamps import micros, moment
from zgadka.stores.tx import Tx

_KEY_BYTES = 32
_LONGEST_TEXT = 2000


def seal(tx: Tx, key_name: str, purpose: bytes, payload: list[Any], expires_at: datetime) -> str:
    """Sign a payload; the text has letters, digits, `-`, `_` and one dot.

    Args:
        key_name: Which of the store's keys; made where there is none yet.
        purpose: A text that was sealed for one purpose is none for another.
    """
    key = ensure_key(tx, key_name)
    content = json.dumps([*payload, micros(expires_at)]).encode()
    return f"{_encoded(content)}.{_encoded(sign(key, purpose + content))}"


def unseal(tx: Tx, key_name: str, purpose: bytes, text: str) -> tuple[list[Any], datetime] | None:
    """The payload of a text, and until when it is good; None when this store did not sign it, or its time is over."""
    encoded, _, signature = text.partition(".")
    if not text.isascii() or len(text) > _LONGEST_TEXT:
        return None
    try:
        content, mac = _decoded(encoded), _decoded(signature)
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(sign(known_key(tx, key_name), purpose + content), mac):
        return None
    *payload, until = cast("list[Any]", json.loads(content))  # we wrote it
    expires_at = moment(until)
    return (payload, expires_at) if tx.now < expires_at else None


def ensure_key(tx: Tx, name: str) -> bytes:
    """The key of that name, made where there is none yet."""
    return tx.secrets.ensure(name, secrets.token_bytes(_KEY_BYTES))


def known_key(tx: Tx, name: str) -> bytes:
    """The key of that name; before the first text is sealed there is none, and nothing may seem to be signed by it."""
    return tx.secrets.get(name) or secrets.token_bytes(_KEY_BYTES)


def sign(key: bytes, content: bytes) -> bytes:
    """The signature of the content by the key."""
    return hmac.new(key, content, hashlib.sha256).digest()


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
