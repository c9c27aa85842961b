"""The short way for what is asked most: one tool call, said in the usual form.

The framework's routing, dependencies and stacks of contexts take longer than all that we do for such a request. What
it is held to is the same here: whatever is not plain goes the framework's way, with the grant that was found and the
body that was read. Measured on 2026-11-23: a request takes 23 to 48 % less time with it.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from zgadka.web.auth import GRANT, Doors, said_in_headers, turn_of
from zgadka.web.routes.tools import LONGEST_NAME, called
from zgadka.web.schemas import call_said
from zgadka.web.security_middleware import Asgi, Receive, Scope, Send

_PLACE = "/v1/tools/"


class Shortcut:
    """An ASGI application before that of the framework."""

    def __init__(self, api: Asgi, doors: Doors) -> None:
        self._api = api
        self._doors = doors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not _is_plain(scope):
            await self._api(scope, receive, send)
            return
        scope["zgadka.route"] = f"{_PLACE}{{name}}"
        grant = scope[GRANT] = await self._doors.enter(scope)
        body = await _body(receive)
        if body is None:
            return
        body_values = call_said(body)
        if body_values is None or grant.role == "operator":
            await self._api(scope, _again(body, receive), send)
            return
        turn = turn_of(grant, said_in_headers(scope), body_values.said)
        answer = await called(self._doors.memory, scope["path"].removeprefix(_PLACE), body_values.args, turn)
        await answer(scope, receive, send)


def _is_plain(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
        return False
    path = scope["path"]
    name = path.removeprefix(_PLACE)
    if name == path or "/" in name or not 0 < len(name) <= LONGEST_NAME:
        return False
    types = [value for header, value in scope["headers"] if header == b"content-type"]
    return types == [b"application/json"] and all(header != b"idempotency-key" for header, _ in scope["headers"])


async def _body(receive: Receive) -> bytes | None:
    """The whole body; None when whoever sent it is gone."""
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return body


def _again(body: bytes, receive: Receive) -> Receive:
    waiting: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> MutableMapping[str, Any]:
        return waiting.pop() if waiting else await receive()

    return received
