"""Requests that may come again: done once, and answered the same."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from zgadka.stores.tx import Tx

LEASE = timedelta(minutes=1)
"""For how long a request is its caller's who has not ended it, nor said that they are still at it."""
_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Begun:
    """Nothing was known of it, or whoever was at it is gone: the caller answers it now.

    Attributes:
        erasure: The last before that.
        until: Until when it is the caller's; no other claim of the same key ends then, so this one is known by it.
    """

    erasure: int
    until: datetime


@dataclass(frozen=True)
class Again:
    """It was answered before; `body` None: what it said was removed, for somebody was erased since."""

    status: int
    body: str | None


@dataclass(frozen=True)
class UnderWay:
    """Somebody is at it, or was a moment ago."""


@dataclass(frozen=True)
class AnotherRequest:
    """The key belongs to a request that said something else."""


def begin(tx: Tx, token: int, key: str, request: bytes) -> Begun | Again | UnderWay | AnotherRequest:
    """Take on a request, unless it was taken on before.

    What began and was not answered, since the process ended, is another's once the lease is over: some of it may have
    been done, but nobody was told so.

    Args:
        token: Whose key it is.
        request: A digest of all that it says.
    """
    until = tx.now + LEASE
    given = tx.claim_answer(token, key, request, until)
    if given is None:
        return Begun(tx.last_id("erasure"), until)
    if not hmac.compare_digest(given.request, request):
        return AnotherRequest()
    return UnderWay() if given.status is None else Again(given.status, given.body)


def go_on(tx: Tx, token: int, key: str, begun: Begun) -> Begun | None:
    """Have the lease begin anew, since the caller is still at it; None when it is another's by now."""
    until = tx.now + LEASE
    return replace(begun, until=until) if tx.hold_answer(token, key, begun.until, until) else None


def end(tx: Tx, token: int, key: str, begun: Begun, status: int, body: str) -> bool:
    """Keep what is answered; where somebody was erased meanwhile, only that it was.

    Returns:
        False when the request is another's by now: then nobody may be told that it was done.
    """
    is_clean = tx.last_id("erasure") == begun.erasure
    return tx.keep_answer(token, key, begun.until, status, body if is_clean else None, tx.now + _KEPT)


def give_up(tx: Tx, token: int, key: str, begun: Begun) -> None:
    """Let the request be made again, since nothing came of it."""
    tx.release_answer(token, key, begun.until)
