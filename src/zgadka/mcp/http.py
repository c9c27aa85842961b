"""MCP over Streamable HTTP: an ASGI application that asks of each request whose it is."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import uvicorn
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from zgadka.asgi import GRANT, MCP_PATH, Receive, Scope, Send, beside, serve_until
from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.log import hush
from zgadka.mcp.server import Request, build_server, identity
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.settings import McpTier

WhoseRequest = Callable[[Scope], Awaitable[Turn | None]]
"""Gives the person of a request and where they are, from the ASGI scope; None: nobody.

It may put what their token allows into the scope, as `GRANT`.
"""

_SESSION = re.compile(r"(?<=[Ss]ession )\S+|(?<=ID: ).*", re.DOTALL)
hush("sse_starlette", naming={})
hush("mcp", naming={f"mcp.server.{name}": _SESSION for name in ("streamable_http", "streamable_http_manager")})

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_SPEAKER = "zgadka.who"
_LARGEST = 1024 * 1024
_REFUSED = json.dumps({"error": "unauthorized", "message": "give a token: Authorization: Bearer …"}).encode()


class McpOverHttp:
    """An ASGI application; requests are answered while `running()` is entered.

        app = McpOverHttp(memory, whose_request)
        async with app.running():
            ...  # serve `app` at /mcp, or mount it there

    A session belongs to the person who began it: to everybody else it does not exist.

    Attributes:
        running: Answers requests while its context lasts; once in the life of the application.
    """

    def __init__(
        self,
        memory: Memory,
        whose_request: WhoseRequest,
        *,
        tier: McpTier = "standard",
        hosts: Sequence[str] | None = LOOPBACK,
    ) -> None:
        """Make the application.

        Args:
            hosts: The names by which this server is called, against pages that have their own name lead here. None:
                whoever mounts the application checks that.
        """
        self._whose_request = whose_request
        self._sessions = StreamableHTTPSessionManager(
            build_server(memory, _speaker_of, tier=tier, grant_of=_grant_of),
            security_settings=None if hosts is None else _only(hosts),
            max_request_body_size=_LARGEST,
        )
        self.running = self._sessions.run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        speaker = await self._whose_request(scope)
        if speaker is None:
            headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            await send({"type": "http.response.body", "body": _REFUSED})
            return
        # By this the library knows whose session it is; the token itself stays out of it.
        token = AccessToken(token="", client_id=identity(speaker), scopes=[])
        request = {**scope, "user": AuthenticatedUser(token), _SPEAKER: speaker}
        await self._sessions.handle_request(request, cast("Any", receive), cast("Any", send))


async def serve_http(
    memory: Memory, speaker: Turn, *, tier: McpTier, port: int, stop: asyncio.Event, ready: Callable[[str], object]
) -> None:
    """Serve one person on this machine, to every program on it, until stopped.

    Args:
        port: 0: any that is free.
        ready: Is told the address.

    Raises:
        InvalidInput: The port is taken.
    """

    async def whose(_: Scope) -> Turn:
        return speaker

    app = McpOverHttp(memory, whose, tier=tier)
    try:
        listening = socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise InvalidInput(f"cannot listen on port {port}: {os.strerror(error.errno or 0)}") from error
    config = uvicorn.Config(
        beside(app, _nothing), lifespan="off", log_level="warning", access_log=False, timeout_graceful_shutdown=3
    )
    async with app.running():
        ready(f"http://127.0.0.1:{listening.getsockname()[1]}{MCP_PATH}")
        await serve_until(stop, config, listening)


async def _nothing(_: Scope, __: Receive, send: Send) -> None:
    """What is elsewhere than at MCP's path."""
    await send({"type": "http.response.start", "status": 404, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


def _speaker_of(ctx: Request) -> Turn:
    return cast("Any", ctx.request).scope[_SPEAKER]


def _grant_of(ctx: Request) -> Grant | None:
    return cast("Any", ctx.request).scope.get(GRANT)


def _only(hosts: Sequence[str]) -> TransportSecuritySettings:
    names = [name for host in hosts for name in (host, f"{host}:*")]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=names,
        allowed_origins=[f"{scheme}://{name}" for scheme in ("http", "https") for name in names],
    )
