"""Sessions of people at a browser: a cookie says who they are, signed by this store."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, cast

from zgadka.model.moments import micros
from zgadka.model.token import Token
from zgadka.ops.links import Link
from zgadka.stores.tx import Tx

Purpose = Literal["operator", "person"]

_KEY = "session"
_KEY_BYTES = 32
_LONGEST_TEXT = 2000
_OPERATOR_LASTS = timedelta(hours=12)
_PERSON_LASTS = timedelta(hours=12)

NOBODY = 0
"""The token of an operator who had to show none."""


@dataclass(frozen=True)
class Sealed:
    """A session as the browser keeps it.

    Attributes:
        cookie: Says who it is; nobody else can make one.
        seconds: How long it is good for.
    """

    cookie: str
    seconds: int


def begin_operator(tx: Tx, token: int) -> Sealed:
    """Begin the session of an operator who showed this token; it ends with the token, or after half a day."""
    return _seal(tx, "operator", [token], _OPERATOR_LASTS)


def operator_of(tx: Tx, cookie: str) -> Token | Literal[0] | None:
    """The token that the session was begun with, while it is good; 0 where none had to be shown; None: no session."""
    said = _unseal(tx, "operator", cookie)
    if said is None:
        return None
    number = cast("int", said[0])
    if number == NOBODY:
        return NOBODY
    token = tx.token(number)
    return token if token is not None and (token.expires_at is None or tx.now < token.expires_at) else None


def begin_person(tx: Tx, link: Link) -> Sealed:
    """Begin the session of a person who opened their link; it ends with the link, or after half a day."""
    return _seal(tx, "person", [link.platform, link.person], min(_PERSON_LASTS, link.expires_at - tx.now))


def person_of(tx: Tx, cookie: str) -> tuple[str, str] | None:
    """The platform and the platform's id of the person whose session it is; None: no session."""
    said = _unseal(tx, "person", cookie)
    return None if said is None else (said[0], said[1])


def form_token(tx: Tx, cookie: str) -> str:
    """What each form of a session carries, so that no other site can send one in its name."""
    return _sign(_known_key(tx), f"form\0{cookie}".encode()).hex()


def is_own_form(tx: Tx, cookie: str, given: str) -> bool:
    """Whether a form carries what it should."""
    return hmac.compare_digest(form_token(tx, cookie).encode(), given.encode("utf-8", "replace"))


def _seal(tx: Tx, purpose: Purpose, said: list[Any], lasts: timedelta) -> Sealed:
    key = tx.secret(_KEY, secrets.token_bytes(_KEY_BYTES))
    # The random part lets two sessions differ, and with them what their forms carry.
    whole = json.dumps([*said, secrets.token_hex(8), micros(tx.now + lasts)]).encode()
    return Sealed(f"{_text(whole)}.{_text(_sign(key, _said(purpose, whole)))}", int(lasts.total_seconds()))


def _unseal(tx: Tx, purpose: Purpose, cookie: str) -> list[Any] | None:
    said, _, signed = cookie.partition(".")
    if not cookie.isascii() or len(cookie) > _LONGEST_TEXT:
        return None
    try:
        whole, mac = _bytes(said), _bytes(signed)
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(_sign(_known_key(tx), _said(purpose, whole)), mac):
        return None
    *rest, _, until = cast("list[Any]", json.loads(whole))  # we wrote it
    return rest if micros(tx.now) < until else None


def _known_key(tx: Tx) -> bytes:
    # Before the first session there is no key, and nothing may seem to be signed by it.
    return tx.known_secret(_KEY) or secrets.token_bytes(_KEY_BYTES)


def _said(purpose: Purpose, whole: bytes) -> bytes:
    return f"session {purpose}\0".encode() + whole


def _sign(key: bytes, said: bytes) -> bytes:
    return hmac.new(key, said, hashlib.sha256).digest()


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
