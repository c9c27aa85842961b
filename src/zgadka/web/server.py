"""The server: listens, and lets no slow client hold a place."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from zgadka.asgi import serve_until
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, SettingsError
from zgadka.settings import Settings
from zgadka.web import security_middleware
from zgadka.web.app import Application, MakeMcp, build_app
from zgadka.web.security_middleware import HEALTH, LOOPBACK

_HEALTH = HEALTH.encode()
_HEADER_BYTES = 64 * 1024
_RESERVED = 50
"""Further connections, on which only questions after the server's health are answered."""
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
        SettingsError: A trusted proxy is no address.
    """
    host, port = _place(listen)
    if not authenticates and host not in LOOPBACK:
        raise InvalidInput(f"--no-auth is for this machine alone: listen on 127.0.0.1, not on {host or '*'}")
    proxies = _networks(memory.settings.serve_trusted_proxies)
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"cannot listen on {listen!r}: {getattr(error, 'strerror', None) or error}") from error
    app = build_app(memory, authenticates=authenticates, hosts=_names(memory, host), make_mcp=make_mcp)
    address_host = f"[{host}]" if ":" in host else host
    ready(f"http://{address_host}:{listening.getsockname()[1]}")
    await serve_until(stop, _config(memory.settings, app, proxies), listening, app.close)


def new_loop() -> asyncio.AbstractEventLoop:
    """The fastest event loop that is there, for a program that serves."""
    try:
        import uvloop  # noqa: PLC0415  (there is none for Windows)
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


class _Config(uvicorn.Config):
    """Uvicorn's settings, and ours for connections.

    Attributes:
        per_address: How many connections one address may have.
        connected: How many it has.
        proxies: Where connections come from for many.
    """

    per_address: int
    connected: Counter[str]
    proxies: list[IPv4Network | IPv6Network]

    def is_proxy(self, address: str) -> bool:
        """Whether others speak through this address."""
        return bool(self.proxies) and any(ip_address(address.partition("%")[0]) in network for network in self.proxies)


def _config(settings: Settings, app: Application, proxies: list[IPv4Network | IPv6Network]) -> uvicorn.Config:
    config = _Config(
        app,
        http=_Protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,  # its lines would hold paths
        server_header=False,
        # Only theirs: else whoever is on this machine could say where they come from.
        proxy_headers=bool(proxies),
        forwarded_allow_ips=[str(network) for network in proxies],
        limit_concurrency=settings.serve_connections,
        timeout_keep_alive=security_middleware.REQUEST_SECONDS,
        timeout_graceful_shutdown=5,
    )
    config.per_address, config.proxies = settings.serve_connections_per_address, proxies
    config.connected = Counter()
    return config


def _networks(addresses: str) -> list[IPv4Network | IPv6Network]:
    try:
        return [ip_network(address.strip()) for address in addresses.split(",") if address.strip()]
    except ValueError as error:
        raise SettingsError(f"serve_trusted_proxies: {error}; give addresses or networks such as 10.0.0.0/8") from error


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

    And one address cannot take all connections, nor all addresses those on which the server says how it is. Uvicorn's
    own limits (`h11_max_incomplete_event_size`, `timeout_keep_alive`) are for h11 and for idle connections.
    """

    _timer: asyncio.TimerHandle | None = None  # while headers are awaited
    _come = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if self.client is not None:
            cast("_Config", self.config).connected[self.client[0]] += 1
        if self._is_one_too_many():
            transport.close()
        self._await_headers()

    def _is_one_too_many(self) -> bool:
        config = cast("_Config", self.config)
        if len(self.connections) > (config.limit_concurrency or 0) + _RESERVED:
            return True
        address = None if self.client is None else self.client[0]  # None: a socket of this machine
        if address is None or config.is_proxy(address):
            return False
        return config.connected[address] > config.per_address

    def connection_lost(self, exc: Exception | None) -> None:
        self._headers_came()
        if self.client is not None:
            connected = cast("_Config", self.config).connected
            connected[self.client[0]] -= 1
            if not connected[self.client[0]]:
                del connected[self.client[0]]
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
        self.limit_concurrency = None if self.url.startswith(_HEALTH) else self.config.limit_concurrency
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
