"""Routes that ask who comes in, and that do a request with an `Idempotency-Key` once."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute

from zgadka.errors import StoreError, StoreUncertain
from zgadka.model.token import Grant, TokenRole
from zgadka.model.turn import Turn
from zgadka.ops import answers
from zgadka.web.auth import SPEAKING, Doors, need, said_in_headers, turn_of
from zgadka.web.problem import Problem

_KEY = re.compile(r"[!-~]{1,255}")
_SAFE = frozenset({"GET", "HEAD"})
_UNDECIDED = frozenset({408, 425, 429})


class Reply(Response):
    """JSON, text as it is where that can be UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body of the answer."""
        try:
            return json.dumps(content, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which somebody said before
            return json.dumps(content).encode()


class Door(APIRoute):
    """A route for whoever acts for people."""

    needs: ClassVar[TokenRole | None] = None
    reads: ClassVar[bool] = False
    streams: ClassVar[bool] = False

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Put the door before the route."""
        handle = super().get_route_handler()
        declared = {parameter.alias for parameter in self.dependant.query_params}

        async def enter(request: Request) -> Response:
            doors: Doors = request.app.state.doors
            grant = await doors.enter(request.scope)
            if self.needs is not None:
                need(grant, self.needs, reads=self.reads)
            elif grant.role == "operator":
                raise Problem(403, "Operators act for nobody.")
            _refuse_unknown(request, grant, declared)
            request.state.grant = grant
            key = request.headers.get("idempotency-key")
            if key is None or request.method in _SAFE or self.streams:
                return await handle(request)
            return await _once(doors, grant, key, request, handle)

        return enter


class ServiceDoor(Door):
    """A route for services."""

    needs = "service"


class OperatorDoor(Door):
    """A route for operators."""

    needs = "operator"


class ReaderDoor(OperatorDoor):
    """A route for operators who may read what people are remembered by."""

    reads = True


class ImportDoor(ReaderDoor):
    """The same, for a body that is not held in memory."""

    streams = True


def speaker(request: Request, said: dict[str, Any] | None = None) -> Turn:
    """The turn that a request acts in."""
    return turn_of(request.state.grant, said_in_headers(request.scope), said)


def _refuse_unknown(request: Request, grant: Grant, declared: set[str]) -> None:
    given = [name for name, _ in request.query_params.multi_items()]
    unknown = [name for name in given if name not in declared]
    if grant.role == "person" and any(name.lower() in SPEAKING for name in unknown):
        raise Problem(403, "Who speaks is not said in an address.")
    if unknown or len(set(given)) < len(given):
        raise Problem(400, "There is an unknown parameter in the query, or one comes twice.")


async def _once(
    doors: Doors,
    grant: Grant,
    key: str,
    request: Request,
    handle: Callable[[Request], Coroutine[Any, Any, Response]],
) -> Response:
    if not _KEY.fullmatch(key) or len(request.headers.getlist("idempotency-key")) > 1:
        raise Problem(400, "Idempotency-Key must be one text of 1 to 255 visible ASCII characters.")
    memory, token = doors.memory, grant.token
    begun = await memory.apply(answers.begin, token, key, await _digest(request))
    match begun:
        case answers.AnotherRequest():
            raise Problem(422, "This Idempotency-Key belongs to a request that said something else.")
        case answers.UnderWay():
            raise Problem(409, "The request with this Idempotency-Key has not ended, or nobody knows how: look first.")
        case answers.Again(status, None):
            raise Problem(409, f"It was answered with {status}; what it said was removed with somebody's erasure.")
        case answers.Again(status, body):
            return Response(body, status, {"idempotency-replayed": "true"}, media_type="application/json")
        case answers.Begun():
            pass
    try:
        response = await handle(request)
    except StoreUncertain:  # it may have been done
        raise
    except Exception:
        with suppress(StoreError):
            await memory.apply(answers.give_up, token, key)
        raise
    if response.status_code >= 500 or response.status_code in _UNDECIDED:
        await memory.apply(answers.give_up, token, key)
    else:
        await memory.apply(answers.end, token, key, begun, response.status_code, bytes(response.body).decode())
    return response


async def _digest(request: Request) -> bytes:
    said = json.dumps(sorted(said_in_headers(request.scope).items())).encode()
    parts = (request.method.encode(), request.url.path.encode("utf-8", "replace"), request.url.query.encode(), said)
    whole = hashlib.sha256()
    for part in (*parts, await request.body()):
        whole.update(len(part).to_bytes(8, "big") + part)
    return whole.digest()
