"""Who asks: from the token to a grant, and from what a request says to the turn that it may act in."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from fastapi import Request

from zgadka.asgi import GRANT, Scope
from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.notification import Notice
from zgadka.model.token import ANYBODY, Grant, Token
from zgadka.model.turn import Turn
from zgadka.ops.tokens import check_token
from zgadka.web.problem import Problem
from zgadka.web.rate_limit import Buckets, refused_late

REMEMBERED_SECONDS = 5.0
"""For how long a token is good after it was looked at: so long after another process revokes it, it may be used."""
_MOST_REMEMBERED = 10_000
_FAILURES_PER_MINUTE = 60
_TOO_MANY = "Too many requests; wait as long as Retry-After says."
_PREFIX = b"zgadka-"
_NOT_KNOWN = None, 0.0
_NAMES = ("platform", "space", "chat", "thread", "user", "turn", "message", "persona", "direct", "audience")

SPEAKING = frozenset({*_NAMES, "user_id", "person", "owner"})
"""Names that say who speaks and where, and belong in headers or a body, never in an address."""


class Doors:
    """Lets requests in, or does not.

    Attributes:
        authenticates: Whether a token is asked for.
        failures: How many wrong tokens an address may still show.
        close: Listens to the memory no more.
    """

    def __init__(self, memory: Memory, *, authenticates: bool) -> None:
        """Make the doors of a memory.

        Args:
            authenticates: Whether a token is asked for; without, anybody may do anything.
        """
        self.memory = memory
        self.authenticates = authenticates
        self._known: dict[bytes, tuple[Token | None, float]] = {}  # by digest, and until when that is good
        self._wrong: dict[bytes, tuple[Token | None, float]] = {}  # apart: however many, they push out none of those
        self._forgotten = 0
        self.close = memory.subscribe(self._noticed)
        self._calls = Buckets(memory.settings.serve_calls_per_minute)
        self.failures = Buckets(_FAILURES_PER_MINUTE)

    async def enter(self, scope: Scope) -> Grant:
        """Let a request in, and count it.

        Raises:
            Problem: It shows no good token (401), or there were too many before it (429).
        """
        grant = await self.grant(scope)
        wait = self._calls.take(grant.token)
        if wait:
            raise await refused_late(_TOO_MANY, wait)
        return grant

    async def grant(self, scope: Scope) -> Grant:
        """What the request's token is good for.

        Raises:
            Problem: As above.
        """
        if not self.authenticates:
            return ANYBODY
        # The token first: behind a proxy everybody has one address, and nobody may be locked out by others' mistakes.
        token = await self._token(scope)
        if token is None:
            wait = self.failures.take(_address(scope))
            if wait:
                raise await refused_late(_TOO_MANY, wait)
            raise Problem(401, "Give a good token: Authorization: Bearer zgadka_…", {"www-authenticate": "Bearer"})
        return token.grant

    def caller(self, scope: Scope) -> int | str:
        """Whose request it is: a token's that was good when it was looked at last, else an address'."""
        text = _shown(scope)
        token, _ = self._known.get(_digest(text), _NOT_KNOWN) if text else _NOT_KNOWN
        return token.grant.token if token is not None else _address(scope)

    async def _token(self, scope: Scope) -> Token | None:
        text = _shown(scope)
        if not text:
            return None
        digest = _digest(text)
        token, until = self._known.get(digest) or self._wrong.get(digest) or _NOT_KNOWN
        if until < time.monotonic():
            forgotten = self._forgotten
            token = await self.memory.look(check_token, text.decode().strip())
            self._known.pop(digest, None)
            remembered = self._wrong if token is None else self._known
            if len(remembered) >= _MOST_REMEMBERED:
                remembered.clear()
            if forgotten == self._forgotten:  # else it may have been revoked since it was looked at
                remembered[digest] = token, time.monotonic() + REMEMBERED_SECONDS
        return token

    def _noticed(self, notice: Notice) -> None:
        if notice.what in ("revoked", "erased"):  # with a person, the tokens that name them go
            self._forgotten += 1
            self._known.clear()
            self._wrong.clear()

    async def whose_request(self, scope: Scope) -> Turn | None:
        """Whose an MCP request is, and where they are; what its token allows is in the scope. For `McpOverHttp`.

        Raises:
            Problem: It may not come in (429), or not as that person (403), or does not say whose it is (422).
        """
        try:
            scope[GRANT] = grant = await self.enter(scope)
            return turn_of(grant, said_in_headers(scope))
        except Problem as problem:
            if problem.status == 401:
                return None
            raise


def _shown(scope: Scope) -> bytes:
    """The token that a request shows; empty: none."""
    headers = [value for name, value in scope["headers"] if name == b"authorization"]
    scheme, _, text = headers[0].partition(b" ") if len(headers) == 1 else (b"", b"", b"")
    return text if scheme.lower() == b"bearer" and text.isascii() else b""


def _digest(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()


def _address(scope: Scope) -> str:
    return (scope.get("client") or ("",))[0]


def memory_of(request: Request) -> Memory:
    """The memory that the application serves."""
    return request.app.state.doors.memory


def turn_of(grant: Grant, in_headers: Mapping[str, Any], in_body: Mapping[str, Any] | None = None) -> Turn:
    """The turn that a request acts in: what it says, completed by what its token is bound to.

    Raises:
        Problem: It says two things at once (400), or something that its token is not for (403).
        InvalidInput: What it says cannot be meant.
    """
    values = dict(in_headers)
    for name, value in (in_body or {}).items():
        if value is not None and str(values.setdefault(name, value)) != str(value):
            raise Problem(400, f"Headers and body say two things: {name}.")
    _bind(values, grant)
    if "user" not in values or "platform" not in values:
        raise InvalidInput("say who speaks, in the body's turn or in headers: Zgadka-Platform and Zgadka-User")
    if values.get("direct"):
        values.setdefault("space", values.get("chat") or str(values["user"]))
    values.setdefault("chat", values.get("space"))
    values.setdefault("space", values["chat"])
    if values["chat"] is None:
        raise InvalidInput("say where they speak: chat, or direct for the direct chat (Zgadka-Chat, Zgadka-Direct)")
    turn = Turn(**values)
    if not grant.allows(turn):
        raise Problem(403, "This token is not for that person in that place.")
    return turn


def _bind(values: dict[str, Any], grant: Grant) -> None:
    """Complete what a request says by what its token is bound to."""
    if grant.role == "person":
        if values.setdefault("direct", True) is not True:
            raise Problem(403, "This token is for the person's direct chat alone.")
        if values.setdefault("space", grant.people[0]) != grant.people[0]:
            raise Problem(403, "This token is not for that space.")
    for name, bound in (("platform", grant.platforms), ("user", grant.people), ("space", grant.spaces)):
        if len(bound) == 1:
            values.setdefault(name, bound[0])


def said_in_headers(scope: Scope) -> dict[str, Any]:
    """What the headers `Zgadka-…` say of the turn, each percent-encoded.

    Raises:
        Problem: One comes twice, or is not to be understood (400).
    """
    values: dict[str, Any] = {}
    for raw, value in scope["headers"]:
        if not raw.startswith(_PREFIX):
            continue
        name = raw.removeprefix(_PREFIX).decode("latin-1")
        if name not in _NAMES or name in values:
            raise Problem(
                400, f"Headers about the turn are, each once: {', '.join(f'Zgadka-{header}' for header in _NAMES)}."
            )
        values[name] = _read(name, value)
    return values


def _read(name: str, value: bytes) -> str | int | bool | tuple[str, ...]:
    try:
        if name == "audience":
            return tuple(unquote(part.strip(), errors="strict") for part in value.decode("ascii").split(","))
        text = unquote(value.decode("ascii"), errors="strict")
        if name == "persona":
            return int(text) if text.isdecimal() and len(text) < 20 else int("")
        if name == "direct":
            return {"true": True, "false": False}[text]
    except (ValueError, KeyError):
        raise Problem(400, f"The header Zgadka-{name.capitalize()} is not to be understood.") from None
    return text
