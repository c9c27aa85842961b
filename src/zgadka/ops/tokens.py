"""Tokens: make one, know it again, list and revoke them."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import get_args

from zgadka.errors import InvalidInput
from zgadka.model.notification import Notice
from zgadka.model.token import Grant, Token, TokenKind
from zgadka.stores.tx import Tx

_SHAPE = re.compile(r"zgadka_([1-9][0-9]{0,15})_([A-Za-z0-9_-]{43})")
_SECRET_BYTES = 32
_LONGEST_LABEL = 100
_FARTHEST = timedelta(days=36_500)
_NOBODY = bytes(32)


def add_token(tx: Tx, grant: Grant, lasts: timedelta | None = None) -> tuple[Token, str]:
    """Make a token.

    Args:
        grant: What its holder may do; its own number is not looked at.
        lasts: How long it is good for; None: until it is revoked.

    Returns:
        The token, and its text, which is nowhere kept and cannot be shown again.

    Raises:
        InvalidInput: The label is too long, or the token would be past its time at once, or in a century.
    """
    if len(grant.label) > _LONGEST_LABEL:
        raise InvalidInput(f"a label has at most {_LONGEST_LABEL} characters, not {len(grant.label)}")
    if lasts is not None and not timedelta(0) < lasts <= _FARTHEST:
        raise InvalidInput(f"a token lasts for a time, up to {_FARTHEST.days} days, not {lasts}")
    number = tx.next_id("token")
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    token = Token(
        grant=replace(grant, token=number),
        digest=_digest(secret),
        created_at=tx.now,
        expires_at=None if lasts is None else tx.now + lasts,
    )
    tx.tokens.add(token)
    return token, f"zgadka_{number}_{secret}"


def check_token(tx: Tx, text: str) -> Token | None:
    """The token that the text is of; None when there is none, or none any more.

    How long it takes says nothing of the secret: the row is found by its number, which is none, and whole digests of
    equal length are compared, also where there is no row.
    """
    return find_token(tx, text, "token")


def find_token(tx: Tx, text: str, kind: TokenKind) -> Token | None:
    """The token of this kind that the text is of; see `check_token`."""
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return None
    token = tx.tokens.get(int(shape[1]))
    is_same = hmac.compare_digest(_digest(shape[2]), _NOBODY if token is None else token.digest)
    return token if token is not None and is_same and token.grant.kind == kind and is_good(tx, token) else None


def is_good(tx: Tx, token: Token) -> bool:
    """Whether the time is not over, neither the token's nor that of the one that it was made with."""
    if token.expires_at is not None and tx.now >= token.expires_at:
        return False
    parent = tx.tokens.get(token.grant.parent) if token.grant.parent else None
    return not token.grant.parent or (parent is not None and is_good(tx, parent))


def revoke_token(tx: Tx, number: int) -> bool:
    """Let a token open nothing any more; False when there is none.

    A server in this process knows at once, those in others within seconds.
    """
    if not tx.tokens.delete(number):
        return False
    tx.notices.append(Notice(what="revoked", owner=0, actor="", personal=False))
    return True


def forget_person(tx: Tx, platform: str, name: str, kinds: Collection[TokenKind] = get_args(TokenKind)) -> int:
    """Remove the tokens of these kinds that name a person; returns how many."""
    grants = (token.grant for token in tx.tokens.list())
    naming = [grant for grant in grants if platform in grant.platforms and name in grant.people and grant.kind in kinds]
    return sum(tx.tokens.delete(grant.token) for grant in naming)


def _digest(secret: str) -> bytes:
    # The secret is random and long: there is nothing to guess, so nothing to slow down.
    return hashlib.sha256(secret.encode()).digest()
