"""Sessions of people at a browser: a cookie says who they are, signed by this store."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, cast

from zgadka.model.token import Token
from zgadka.ops.signed_links import Link
from zgadka.ops.signing import known_key, seal, sign, unseal
from zgadka.ops.tokens import is_good
from zgadka.stores.tx import Tx

Purpose = Literal["operator", "person"]

_KEY = "session"
_LONGEST = timedelta(hours=12)

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
    return _seal(tx, "operator", [token], _LONGEST)


def operator_of(tx: Tx, cookie: str) -> Token | Literal[0] | None:
    """The token that the session was begun with, while it is good; 0 where none had to be shown; None: no session."""
    payload = _unseal(tx, "operator", cookie)
    if payload is None:
        return None
    number = cast("int", payload[0])
    if number == NOBODY:
        return NOBODY
    token = tx.tokens.get(number)
    return token if token is not None and is_good(tx, token) else None


def begin_person(tx: Tx, link: Link) -> Sealed:
    """Begin the session of a person who opened their link; it ends with the link, or after half a day."""
    return _seal(tx, "person", [link.platform, link.person], min(_LONGEST, link.expires_at - tx.now))


def person_of(tx: Tx, cookie: str) -> tuple[str, str] | None:
    """The platform and the platform's id of the person whose session it is; None: no session."""
    payload = _unseal(tx, "person", cookie)
    return None if payload is None else (payload[0], payload[1])


def form_token(tx: Tx, cookie: str) -> str:
    """What each form of a session carries, so that no other site can send one in its name."""
    return sign(known_key(tx, _KEY), f"form\0{cookie}".encode()).hex()


def is_own_form(tx: Tx, cookie: str, token: str) -> bool:
    """Whether a form carries what it should."""
    return hmac.compare_digest(form_token(tx, cookie).encode(), token.encode("utf-8", "replace"))


def _seal(tx: Tx, purpose: Purpose, payload: list[Any], lasts: timedelta) -> Sealed:
    # The random part lets two sessions differ, and with them what their forms carry.
    cookie = seal(tx, _KEY, _signed_as(purpose), [*payload, secrets.token_hex(8)], tx.now + lasts)
    return Sealed(cookie, int(lasts.total_seconds()))


def _unseal(tx: Tx, purpose: Purpose, cookie: str) -> list[Any] | None:
    unsealed = unseal(tx, _KEY, _signed_as(purpose), cookie)
    return None if unsealed is None else unsealed[0]


def _signed_as(purpose: Purpose) -> bytes:
    return f"session {purpose}\0".encode()
