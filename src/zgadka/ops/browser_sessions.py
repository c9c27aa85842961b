"""Sessions at a browser: an operator's cookie is signed by this store, a person's is a row's (`personal_links`)."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, cast

from zgadka.model.token import Token
from zgadka.ops.personal_links import open_link, session_of
from zgadka.ops.signing import ensure_key, known_key, seal, sign, unseal
from zgadka.ops.tokens import is_good
from zgadka.stores.tx import Tx

_KEY = "session"
_PURPOSE = b"session operator\0"
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
    # The random part lets two sessions differ, and with them what their forms carry.
    cookie = seal(tx, _KEY, _PURPOSE, [token, secrets.token_hex(8)], tx.now + _LONGEST)
    return Sealed(cookie, int(_LONGEST.total_seconds()))


def operator_of(tx: Tx, cookie: str) -> Token | Literal[0] | None:
    """The token that the session was begun with, while it is good; 0 where none had to be shown; None: no session."""
    unsealed = unseal(tx, _KEY, _PURPOSE, cookie)
    if unsealed is None:
        return None
    number = cast("int", unsealed[0][0])
    if number == NOBODY:
        return NOBODY
    token = tx.tokens.get(number)
    return token if token is not None and is_good(tx, token) else None


def begin_person(tx: Tx, link: str) -> Sealed | None:
    """Begin the session of a person who opens their link; None: it is none, was opened, or has ended."""
    opened = open_link(tx, link)
    if opened is None:
        return None
    ensure_key(tx, _KEY)
    session, cookie = opened
    return Sealed(cookie, int(((session.expires_at or tx.now) - tx.now).total_seconds()))


def person_of(tx: Tx, cookie: str) -> Token | None:
    """The session of the person at the browser; None: no session."""
    return session_of(tx, cookie)


def form_token(tx: Tx, cookie: str) -> str:
    """What each form of a session carries, so that no other site can send one in its name."""
    return sign(known_key(tx, _KEY), f"form\0{cookie}".encode()).hex()


def is_own_form(tx: Tx, cookie: str, token: str) -> bool:
    """Whether a form carries what it should."""
    return hmac.compare_digest(form_token(tx, cookie).encode(), token.encode("utf-8", "replace"))
