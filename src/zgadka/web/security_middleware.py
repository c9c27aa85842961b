"""The outermost ring: what every request is held to, whatever it asks for."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Collection, Mapping, MutableMapping
from typing import Any
from urllib.parse import urlsplit

from zgadka import telemetry
from zgadka.asgi import Asgi, Receive, Scope, Send
from zgadka.log import logger
from zgadka.web.fair_share import Crowded, FairShare, Place
from zgadka.web.problem import Headers, Problem, problem_of
from zgadka.web.rate_limit import refused_late

_log = logger("zgadka.web")

REQUEST_SECONDS = 10
"""In which a request's headers, and then its body, must come."""
_BODY_BYTES = 2**20

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_HOST = re.compile(rb"(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
_PAGES = ("/dashboard", "/me")
_STREAM = b"text/event-stream"
"""Such an answer begins before the work is done."""
HEALTH = "/health/"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_SECURE: Headers = [
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]


class Guard:
    """An ASGI application around another.

    It checks by what name the server was called and that no page of another site asks; bounds a body's size and the
    time that it takes to come; has a caller's requests wait for one another, and for nobody else's; adds security
    headers where the application set none of its own; answers what the application raises; counts and logs, by the
    route's pattern and never by path, query or header.
    """

    def __init__(
        self,
        app: Asgi,
        *,
        hosts: Collection[str] | None,
        larger: Mapping[str, int],
        share: FairShare,
        caller_of: Callable[[Scope], int | str],
    ) -> None:
        """Put the guard around an application.

        Args:
            hosts: The names by which the server may be called, without ports; None: any.
            larger: The largest body of some paths, which may take as long as it needs.
            share: What a caller has of the server.
            caller_of: Whose request it is, as far as that can be told at once: a token's number, or an address.
        """
        self._app = app
        self._hosts = hosts
        self._larger = larger
        self._share = share
        self._caller_of = caller_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        caller = self._caller_of(scope)
        place = Place(self._share, caller)
        answer = _Answer(send, place)
        # A slow body of a known token holds no place; who shows none that is known gets no further without one.
        awaits_body = isinstance(caller, int) and _has_body(scope)
        try:
            self._check(scope)
            bounded = self._bounded(scope, receive, answer, takes_place=awaits_body)
            if not awaits_body and not scope["path"].startswith(HEALTH):
                await answer.take_place()
            await self._app(scope, bounded, answer.send)
        except Exception as error:  # noqa: BLE001  (the caller gets an answer whatever happens; the operator gets the log)
            problem = problem_of(error)
            if problem is None:
                _log.exception("a request failed")
            if problem is not None or answer.status != 500:  # else it was answered inside, and is raised to be logged
                await answer.problem(problem or Problem(500, "Something went wrong inside."))
        finally:
            place.free()
            self._tell(scope, answer.status, (time.perf_counter() - started) * 1000)

    def _check(self, scope: Scope) -> None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        match = _HOST.fullmatch(hosts[0]) if len(hosts) == 1 else None
        if match is None:
            raise Problem(400, "The header Host must say, once, by what name the server is called.")
        name = (match[1] or match[2]).decode().lower()
        if self._hosts is not None and name not in self._hosts:
            # Else a page could have its own name lead to this machine, and read what is answered.
            raise Problem(421, "This server does not go by that name; see ZGADKA_SERVE_HOSTS.")
        for header, value in scope["headers"]:
            is_foreign = header == b"origin" and _host_of(value) != hosts[0].lower()
            is_elsewhere = header == b"sec-fetch-site" and value not in (b"same-origin", b"none")
            if is_foreign or (is_elsewhere and not _follows_link(scope)):
                raise Problem(403, "Pages of other sites may not ask this server.")

    def _bounded(self, scope: Scope, receive: Receive, answer: _Answer, *, takes_place: bool) -> Receive:
        limit = self._larger.get(scope["path"], _BODY_BYTES)
        patient = scope["path"] in self._larger
        too_large = Problem(413, f"A body may have up to {limit} bytes here.", {"connection": "close"})
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if lengths and (not lengths[0].isdigit() or len(lengths[0]) > 18 or int(lengths[0]) > limit):
            raise too_large
        come, whole = 0, False
        until = asyncio.get_running_loop().time() + REQUEST_SECONDS

        async def bounded() -> MutableMapping[str, Any]:
            nonlocal come, whole
            if whole or patient:
                message = await receive()
            else:
                try:
                    async with asyncio.timeout_at(until):
                        message = await receive()
                except TimeoutError:
                    answer.instead = Problem(408, "The body took too long to come.", {"connection": "close"})
                    raise answer.instead from None
            if message["type"] == "http.request":
                come += len(message.get("body", b""))
                was_whole, whole = whole, not message.get("more_body", False)
                if come > limit:
                    answer.instead = too_large
                    raise too_large
                if whole and not was_whole and takes_place:
                    await answer.take_place()
            return message

        return bounded

    def _tell(self, scope: Scope, status: int, milliseconds: float) -> None:
        method = scope["method"] if scope["method"] in _METHODS else "other"
        route = getattr(scope.get("route"), "path", None) or scope.get("zgadka.route") or "none"
        telemetry.count_request(method, route, status, milliseconds)
        _log.info("%s %s %s %.1f ms", method, route, status, milliseconds)


class _Answer:
    """What is sent; headers that the application sets itself stay as they are.

    Attributes:
        status: What was sent; 0: nothing yet.
        instead: What is sent for the application, which takes a body that did not come for one that is no JSON.
    """

    def __init__(self, send: Send, place: Place) -> None:
        self._send = send
        self._place = place
        self.status = 0
        self.instead: Problem | None = None

    async def take_place(self) -> None:
        """Wait for the caller's other requests."""
        try:
            await self._place.take()
        except Crowded:
            self.instead = await refused_late("Too many of your requests wait to be answered.", 0)
            raise self.instead from None

    async def send(self, message: MutableMapping[str, Any]) -> None:
        if self.instead is not None:
            if not self.status:
                await self._say(self.instead)
            return
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = {name.lower(): value for name, value in message.get("headers", ())}
            if not headers.get(b"content-type", b"").startswith(_STREAM):
                self._place.free()  # the work is done: who is slow to read holds none
            added = [header for header in _SECURE if header[0] not in headers]
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await self._send(message)

    async def problem(self, problem: Problem) -> None:
        if not self.status:
            await self._say(problem)
        elif self.instead is None:  # it is too late for another answer: a cut connection says that it is not whole
            raise ConnectionAbortedError

    async def _say(self, problem: Problem) -> None:
        self.status = problem.status
        headers = [*problem.raw_headers, *_SECURE]
        await self._send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": problem.body})


def _has_body(scope: Scope) -> bool:
    """Whether a body was announced."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
        for name, value in scope["headers"]
    )


def _follows_link(scope: Scope) -> bool:
    """Whether somebody opens a page by a link on another site's page, which cannot read what it leads to."""
    is_page = scope["path"] == "/" or scope["path"].startswith(_PAGES)
    return is_page and scope["method"] == "GET" and (b"sec-fetch-mode", b"navigate") in scope["headers"]


def _host_of(origin: bytes) -> bytes | None:
    try:
        return urlsplit(origin.decode("ascii")).netloc.lower().encode()
    except ValueError:
        return None
