"""Requests with an `Idempotency-Key`: done once, and answered the same."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from fastapi import Request, Response

from zgadka.engine import Memory
from zgadka.errors import StoreError, StoreUncertain
from zgadka.ops import idempotency
from zgadka.web.auth import said_in_headers
from zgadka.web.problem import Problem
from zgadka.web.serialize import MAY_BE_DONE

Handle = Callable[[Request], Awaitable[Response]]
Place = tuple[int, str]
"""A token's id and its key."""

BEAT_SECONDS = idempotency.LEASE.total_seconds() / 4
"""How often the server says that it is still at a request."""
_KEY = re.compile(r"[!-~]{1,255}")
_UNDECIDED = frozenset({408, 425, 429})
_UNDER_WAY = "The request with this Idempotency-Key has not ended: ask again in a minute."


async def once(
    memory: Memory, token: int, key: str, request: Request, handle: Handle, *, reads: Sequence[bool] = (False,)
) -> Response:
    """Answer a request with a key: as it was answered before, or anew.

    Args:
        token: Whose key it is.
        reads: Of each of its calls, whether it changes nothing: then that is answered anew each time, without what was
            deleted since. One for a request that is no batch.

    Raises:
        Problem: The key makes no sense, is another request's, or the request is under way.
    """
    if not _KEY.fullmatch(key) or len(request.headers.getlist("idempotency-key")) > 1:
        raise Problem(400, "Idempotency-Key must be one text of 1 to 255 visible ASCII characters.")
    if all(reads):
        return await handle(request)
    match await memory.apply(idempotency.begin, token, key, await _digest(request)):
        case idempotency.AnotherRequest():
            raise Problem(422, "This Idempotency-Key belongs to a request that said something else.")
        case idempotency.UnderWay():
            raise Problem(409, _UNDER_WAY)
        case idempotency.Again(status, None):
            raise Problem(
                409,
                f"It was answered with {status}; what was kept of it went with an erasure, or a raised privacy level.",
            )
        case idempotency.Again(status, body):
            told = await _with_reads(str(body), reads, request, handle) if any(reads) else body
            return Response(told, status, {"idempotency-replayed": "true"}, media_type="application/json")
        case idempotency.Begun() as begun:
            return await _answer(memory, (token, key), begun, request, handle, reads)


async def _answer(
    memory: Memory, place: Place, begun: idempotency.Begun, request: Request, handle: Handle, reads: Sequence[bool]
) -> Response:
    """Answer a request that is this server's to answer, and have the answer on disk before anybody reads it."""
    ends = asyncio.Event()
    beating = asyncio.create_task(_beat(memory, place, begun, ends))
    try:
        try:
            response = await handle(request)
        finally:
            ends.set()
            begun = await beating  # never cut short: the claim is known by what the last beat wrote
    except StoreUncertain:  # it may have been done
        raise
    except Exception:
        with suppress(StoreError):
            await memory.apply(idempotency.give_up, *place, begun)
        raise
    if response.status_code == MAY_BE_DONE:
        return response
    if response.status_code >= 500 or response.status_code in _UNDECIDED:
        await memory.apply(idempotency.give_up, *place, begun)
        return response
    try:
        body = bytes(response.body).decode()
        body = _without_reads(body, reads) if any(reads) else body
        is_kept = await memory.apply(idempotency.end, *place, begun, response.status_code, body)
    except StoreError as error:  # it is done, and will not be known again
        raise StoreUncertain("the answer to a request could not be kept") from error
    if not is_kept:
        raise Problem(409, _UNDER_WAY)
    return response


def _without_reads(body: str, reads: Sequence[bool]) -> str:
    """The answer to a batch as it is kept: what a call has only read is not told again."""
    answer: dict[str, Any] = json.loads(body)
    results: list[Any] = answer.get("results", [])
    if len(results) == len(reads):
        answer["results"] = [{} if is_read else result for result, is_read in zip(results, reads, strict=True)]
    return json.dumps(answer)


async def _with_reads(body: str, reads: Sequence[bool], request: Request, handle: Handle) -> str:
    """The kept answer to a batch with what its reading calls tell now."""
    answer: dict[str, Any] = json.loads(body)
    said: dict[str, Any] = json.loads(await request.body())
    results: list[Any] = answer.get("results", [])
    if len(results) != len(reads):
        return body
    said["calls"] = [call for call, is_read in zip(said["calls"], reads, strict=True) if is_read]
    again = await handle(Request(request.scope, _sent_once(json.dumps(said).encode())))
    nothing: dict[str, Any] = {}
    told: Iterator[dict[str, Any]] = iter(json.loads(bytes(again.body)).get("results", ()))
    answer["results"] = [
        next(told, nothing) if is_read else result for result, is_read in zip(results, reads, strict=True)
    ]
    return json.dumps(answer)


def _sent_once(body: bytes) -> Callable[[], Awaitable[dict[str, object]]]:
    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _beat(memory: Memory, place: Place, begun: idempotency.Begun, ends: asyncio.Event) -> idempotency.Begun:
    """Have nobody else take the request on until it ends; returns the claim as it stands then."""
    while True:
        with suppress(TimeoutError):
            async with asyncio.timeout(BEAT_SECONDS):
                await ends.wait()
            return begun
        with suppress(StoreError):  # there is time for some more
            begun = await memory.apply(idempotency.go_on, *place, begun) or begun


async def _digest(request: Request) -> bytes:
    headers = json.dumps(sorted(said_in_headers(request.scope).items())).encode()
    parts = (request.method.encode(), request.url.path.encode("utf-8", "replace"), request.url.query.encode(), headers)
    digest = hashlib.sha256()
    for part in (*parts, await request.body()):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()
