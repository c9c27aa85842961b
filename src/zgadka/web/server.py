"""The server: listens, and lets no slow client hold a place."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from zgadka.asgi import serve_until
from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.web import security_middleware
from zgadka.web.app import Application, MakeMcp, build_app
from zgadka.web.security_middleware import LOOPBACK

_HEADER_BYTES = 64 * 1024
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_ANYWHERE = frozenset({"0.0.0.0", "::", ""})  # noqa: S104  (recognised, not listened on)


async def serve(
    memory: Memory,
    *,
    listen: str,
    authenticates: bool,
    stop: asyncio.Event,
    ready: Callable[[str], object],
    make_mcp: MakeMcp | None = None,
) -> None:
    """Serve a memory until stopped.

    Args:
        listen: HOST:PORT; port 0: any that is free.
        authenticates: Whether tokens are asked for; without, only on this machine.
        ready: Is told the address.

    Raises:
        InvalidInput: The place makes no sense, is taken, or is not on this machine though nobody has to show a token.
    """
    host, port = _place(listen)
    if not authenticates and host not in LOOPBACK:
        raise InvalidInput(f"--no-auth is for this machine alone: listen on 127.0.0.1, not on {host or '*'}")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"cannot listen on {listen!r}: {getattr(error, 'strerror', None) or error}") from error
    app = build_app(memory, authenticates=authenticates, hosts=_names(memory, host), make_mcp=make_mcp)
    address_host = f"[{host}]" if ":" in host else host
    ready(f"http://{address_host}:{listening.getsockname()[1]}")
    await serve_until(stop, _config(memory, app), listening, app.close)


def new_loop() -> asyncio.AbstractEventLoop:
    """The fastest event loop that is there, for a program that serves."""
    try:
        import uvloop  # noqa: PLC0415  (there is none for Windows)
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def _config(memory: Memory, app: Application) -> uvicorn.Config:
    settings = memory.settings
    return uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # its lines would hold paths
        server_header=False,
        proxy_headers=False,  # else whoever is on this machine could say where they come from
        limit_concurrency=settings.serve_connections,
        timeout_keep_alive=security_middleware.REQUEST_SECONDS,
        timeout_graceful_shutdown=5,
    )


def _place(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not port.isdecimal() or len(port) > 5 or int(port) > 65_535:
        raise InvalidInput(f"{listen!r} is no place to listen: give HOST:PORT, such as 127.0.0.1:8765")
    return host.removeprefix("[").removesuffix("]"), int(port)


def _names(memory: Memory, host: str) -> frozenset[str] | None:
    hosts = {name.strip().lower() for name in memory.settings.serve_hosts.split(",")} - {""}
    if not hosts and host not in LOOPBACK:
        return None  # who has a token has no page to fear
    return frozenset(hosts | LOOPBACK | ({host.lower()} - _ANYWHERE))


class _Protocol(HttpToolsProtocol):
    """Uvicorn's protocol with limits: by itself it waits for headers for ever, and takes any number of them.

    Its own limits (`h11_max_incomplete_event_size`, `timeout_keep_alive`) are for h11 and for idle connections.
    """

    _timer: asyncio.TimerHandle | None = None  # while headers are awaited
    _come = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._come += len(data)
            if self._come > _HEADER_BYTES:
                self._refuse(_TOO_LARGE)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._await_headers()

    def on_headers_complete(self) -> None:
        self._headers_came()
        super().on_headers_complete()

    def _await_headers(self) -> None:
        self._headers_came()
        self._come = 0
        self._timer = self.loop.call_later(security_middleware.REQUEST_SECONDS, self._refuse, _TOO_SLOW)

    def _headers_came(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, answer: bytes) -> None:
        cycle = cast("Any", self.cycle)  # uvicorn's annotation leaves out that there may be no request yet
        if cycle is None or cycle.response_complete:
            self.transport.write(answer)
        self.transport.close()
