"""Routes that ask who comes in, and that do a request with an `Idempotency-Key` once."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, ClassVar

from fastapi import Request, Response
from fastapi.routing import APIRoute

from zgadka.errors import UnknownTool
from zgadka.model.token import Grant, TokenRole
from zgadka.model.turn import Turn
from zgadka.web.auth import SPEAKING, Doors, said_in_headers, turn_of
from zgadka.web.idempotency import once
from zgadka.web.problem import Problem

_SAFE = frozenset({"GET", "HEAD"})
IMPORT, CALLS = "/v1/import", "/v1/calls"
"""The route whose body is not held in memory."""
_LOOKS = frozenset({"/v1/context", "/v1/messages/search", "/v1/me/link"})
"""Routes that change nothing, though they are asked with a body."""
_ENCODER = json.JSONEncoder(ensure_ascii=False)


class Reply(Response):
    """JSON, text as it is where that can be UTF-8."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """The body of the answer."""
        try:
            return _ENCODER.encode(content).encode()
        except UnicodeEncodeError:  # half of a surrogate pair, which somebody said before
            return json.dumps(content).encode()


def listing(**items: Iterable[Any]) -> Reply:
    """A list under its name, and how many it has."""
    ((name, values),) = items.items()
    listed = list(values)
    return Reply({"count": len(listed), name: listed})


class Door(APIRoute):
    """A route for whoever acts for people."""

    needs: ClassVar[TokenRole | None] = None
    does: ClassVar[str | None] = None
    """What an operator does by it who needs the right to read, as one of `ops.allow.WHERE`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Put the door before the route."""
        handle = super().get_route_handler()
        declared = {parameter.alias for parameter in self.dependant.query_params}

        async def enter(request: Request) -> Response:
            doors: Doors = request.app.state.doors
            grant = await doors.enter(request.scope)
            self._check(grant)
            _refuse_unknown(request, grant, declared)
            if self.does is not None:
                await doors.memory.permit(self.does, None, grant, about=request.url.path)
            request.state.grant = grant
            key = request.headers.get("idempotency-key")
            if key is None or request.method in _SAFE or self.path == IMPORT:
                return await handle(request)
            reads = await _which_read(self.path, doors, request)
            return await once(doors.memory, grant.token, key, request, handle, reads=reads)

        return enter

    def _check(self, grant: Grant) -> None:
        if self.needs is None:
            if grant.role == "operator":
                raise Problem(403, "Operators act for nobody.")
        elif not grant.has(self.needs):
            raise Problem(403, f"This is for {self.needs}s.")
        elif self.does is not None and not (grant.reads or grant.everything):
            raise Problem(403, "This token may not read what people are remembered by: make one with --reads.")


class ServiceDoor(Door):
    """A route for services."""

    needs = "service"


class OperatorDoor(Door):
    """A route for operators."""

    needs = "operator"


class ReaderDoor(OperatorDoor):
    """A route for operators who may read what people are remembered by."""

    does = "read_anything"


class UndoDoor(OperatorDoor):
    """A route for operators who take back what others changed."""

    does = "undo_anything"


def speaker(request: Request, values: dict[str, Any] | None = None) -> Turn:
    """The turn that a request acts in."""
    return turn_of(request.state.grant, said_in_headers(request.scope), values)


async def _which_read(path: str, doors: Doors, request: Request) -> list[bool]:
    """Of each call of a batch, or of the whole request, whether it changes nothing."""
    if path in _LOOKS:
        return [True]
    if path != CALLS:
        return [_reads(doors, request.path_params.get("name", ""))]
    try:
        tools = [call["tool"] for call in json.loads(await request.body())["calls"]]
    except (ValueError, TypeError, LookupError, RecursionError):  # it will be refused
        return [False]
    return [isinstance(tool, str) and _reads(doors, tool) for tool in tools] or [False]


def _reads(doors: Doors, tool: str) -> bool:
    try:
        return doors.memory.tools[tool].read_only
    except UnknownTool:
        return False


def _refuse_unknown(request: Request, grant: Grant, declared: set[str]) -> None:
    names = [name for name, _ in request.query_params.multi_items()]
    unknown = [name for name in names if name not in declared]
    if grant.role == "person" and any(name.lower() in SPEAKING for name in unknown):
        raise Problem(403, "Who speaks is not said in an address.")
    if unknown or len(set(names)) < len(names):
        raise Problem(400, "There is an unknown parameter in the query, or one comes twice.")
