"""Requests that may come again: done once, and answered the same."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from datetime import timedelta

from zgadka.stores.tx import Tx

_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Begun:
    """Nothing was known of it: the caller answers it now. `erasure`: the last before that."""

    erasure: int


@dataclass(frozen=True)
class Again:
    """It was answered before; `body` None: what it said was removed, for somebody was erased since."""

    status: int
    body: str | None


@dataclass(frozen=True)
class UnderWay:
    """It began and has not ended, or nobody knows how it ended."""


@dataclass(frozen=True)
class AnotherRequest:
    """The key belongs to a request that said something else."""


def begin(tx: Tx, token: int, key: str, request: bytes) -> Begun | Again | UnderWay | AnotherRequest:
    """Take on a request, unless it was taken on before.

    What began and never ended, since the process did, stays so until the key is forgotten: it may have been done.

    Args:
        token: Whose key it is.
        request: A digest of all that it says.
    """
    given = tx.claim_answer(token, key, request, tx.now + _KEPT)
    if given is None:
        return Begun(tx.last_id("erasure"))
    if not hmac.compare_digest(given.request, request):
        return AnotherRequest()
    return UnderWay() if given.status is None else Again(given.status, given.body)


def end(tx: Tx, token: int, key: str, begun: Begun, status: int, body: str) -> None:
    """Keep what was answered; where somebody was erased meanwhile, only that it was."""
    is_clean = tx.last_id("erasure") == begun.erasure
    tx.keep_answer(token, key, status, body if is_clean else None)


def give_up(tx: Tx, token: int, key: str) -> None:
    """Let the request be made again, since nothing came of it."""
    tx.release_answer(token, key)
