"""Requests that may come again: done once, and answered the same."""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, cast

from zgadka.stores.tx import Tx

LEASE = timedelta(minutes=1)
"""For how long a request is its caller's who has not ended it, nor said that they are still at it."""
_KEPT = timedelta(days=1)

_NUMBERS = frozenset(
    {
        *("id", "memory_id", "fact_id", "episode_id", "message_id", "task_id"),
        *("memory_ids", "fact_ids", "merged_fact_ids", "count", "total", "begun", "retried", "chats", "limit"),
    }
)
_CLAIMS = frozenset({"removed", "repeated", "later", "may_be_done"})
_WORDS = frozenset({"status", "level", "tool", "id", "platform", "chat", "user"})
_SAID_BEFORE = "This was answered before. What it said then is not kept: look anew."


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
    """It was answered before; `body` None: it was removed, for somebody was erased or raised their level since."""

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
    existing = tx.answers.claim(token, key, request, until)
    if existing is None:
        return Begun(tx.last_id("erasure"), until)
    if not hmac.compare_digest(existing.request, request):
        return AnotherRequest()
    if existing.status is None:
        return UnderWay()
    return Again(existing.status, None if existing.body is None else _told_again(tx, existing.body))


def go_on(tx: Tx, token: int, key: str, begun: Begun) -> Begun | None:
    """Have the lease begin anew, since the caller is still at it; None when it is another's by now."""
    until = tx.now + LEASE
    return replace(begun, until=until) if tx.answers.extend(token, key, begun.until, until) else None


def end(tx: Tx, token: int, key: str, begun: Begun, status: int, body: str) -> bool:
    """Keep what is answered; where somebody was erased meanwhile, only that it was.

    Of what is deleted, a text stays until it can no longer be undone, and no longer: where that is before the answer is
    gone, its texts are not kept. And they are told again only until anything is forgotten or changed.

    Args:
        body: An object of JSON.

    Returns:
        False when the request is another's by now: then nobody may be told that it was done.
    """
    stored_body: str | None = body
    if tx.last_id("erasure") != begun.erasure:
        stored_body = None
    elif timedelta(hours=tx.settings.undo_hours) < _KEPT:
        stored_body = json.dumps(_without_texts(json.loads(body)))
    else:
        stored_body = json.dumps([tx.last_id("change"), json.loads(body)])
    return tx.answers.put(token, key, begun.until, status, stored_body, tx.now + _KEPT)


def _told_again(tx: Tx, stored_body: str) -> str:
    """What is told of an answer by now: without its texts where something may have been forgotten since."""
    kept: Any = json.loads(stored_body)
    last_change, answer = cast("list[Any]", kept) if isinstance(kept, list) else (None, kept)
    return json.dumps(answer if last_change == tx.last_id("change") else _without_texts(answer))


def give_up(tx: Tx, token: int, key: str, begun: Begun) -> None:
    """Let the request be made again, since nothing came of it."""
    tx.answers.release(token, key, begun.until)


def _without_texts(answer: dict[str, Any]) -> dict[str, Any]:
    """What an answer says, but for what people wrote: of what is not known to be none of it, nothing is kept."""
    stripped: dict[str, Any] = {}
    for name, value in answer.items():
        if isinstance(value, dict):
            stripped[name] = _without_texts(cast("dict[str, Any]", value))
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            objects = [_without_texts(cast("dict[str, Any]", item)) for item in items if isinstance(item, dict)]
            stripped[name] = objects or [item for item in items if isinstance(item, int) and name in _NUMBERS]
        elif value is None or name in _names_of(value):
            stripped[name] = value
    return stripped | {"message": _SAID_BEFORE} if {"status", "message"} <= answer.keys() else stripped


def _names_of(value: object) -> frozenset[str]:
    """Under which names such a value is kept."""
    if isinstance(value, bool):
        return _CLAIMS
    if isinstance(value, int):
        return _NUMBERS
    return _WORDS if isinstance(value, str) else frozenset()
