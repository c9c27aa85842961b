"""What the servers over HTTP share: ASGI's types, an application beside another, listening until stopped."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from contextlib import contextmanager
from typing import Any

import uvicorn

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]

MCP_PATH = "/mcp"
GRANT = "zgadka.grant"
"""In a request's scope: what its token allows, once a door has looked at it."""


def beside(mcp: Asgi, application: Asgi) -> Asgi:
    """An application, with MCP at its path."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/") == MCP_PATH:
            scope["zgadka.route"] = MCP_PATH
            await mcp(scope, receive, send)
        else:
            await application(scope, receive, send)

    return answer


async def serve_until(
    stop: asyncio.Event, config: uvicorn.Config, listening: socket.socket, closing: Callable[[], object] = lambda: None
) -> None:
    """Serve until stopped.

    Args:
        closing: Is called before the server waits for the answers that are under way.
    """
    # Accepted connections inherit it; asyncio sets it for sockets of its own making only, and else every answer waits
    # 40 ms for the other side's acknowledgement.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = _Server(config)
    serving, stopping = asyncio.create_task(server.serve([listening])), asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    closing()
    server.should_exit = True
    await serving


class _Server(uvicorn.Server):
    """Leaves signals to the command line."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield
