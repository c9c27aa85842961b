"""`zgadka serve` without a socket, in this process: what `--mutants` takes guards from."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from zgadka.errors import extra_for
from zgadka.evals.safety.doors import Answer, read_answer

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.mcp.http import McpOverHttp
    from zgadka.web.app import Application

_HOST = "localhost"


@dataclass(frozen=True)
class Reply:
    """An answer to a request."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def is_refused(self) -> bool:
        """Whether it says that whoever asked may not."""
        return self.status in (401, 403)

    @property
    def cookie(self) -> str:
        """The cookie that it sets, as a request sends it."""
        return self.headers.get("set-cookie", "").partition(";")[0]


class InProcess:
    """The REST API, the dashboard and MCP over a memory."""

    def __init__(self, memory: Memory) -> None:
        with extra_for("zgadka serve", "serve"):
            from zgadka.mcp.http import McpOverHttp  # noqa: PLC0415  (as `zgadka serve`, only where it is needed)
            from zgadka.web.app import build_app  # noqa: PLC0415
        made: list[McpOverHttp] = []

        def make_mcp(whose: Any) -> McpOverHttp:
            made.append(McpOverHttp(memory, whose, tier="full", hosts=None))
            return made[0]

        self.app: Application = build_app(memory, hosts={_HOST}, make_mcp=make_mcp)
        self._mcp = made[0]
        self._running: asyncio.Task[None] | None = None
        self._numbers = itertools.count()
        self._ready, self._stop = asyncio.Event(), asyncio.Event()

    async def send(self, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """Make a request.

        Args:
            headers: More than what every client sends.
        """
        self._running = self._running or asyncio.create_task(self._run())
        await self._ready.wait()
        sent = {"host": _HOST, "content-length": str(len(body))} | {
            name.lower(): value for name, value in (headers or {}).items()
        }
        path, _, query = path.partition("?")
        scope: dict[str, Any] = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": (f"client-{next(self._numbers)}", 1),  # each is another: nobody is one wrong token too many
            "server": (_HOST, 80),
        }
        return await _exchanged(self.app, scope, body)

    async def ask(self, method: str, path: str, content: object, headers: Mapping[str, str]) -> Answer:
        """Make a request with a JSON body, and read the JSON of its answer."""
        body = b"" if content is None else json.dumps(content).encode()
        reply = await self.send(method, path, body, {"content-type": "application/json", **headers})
        return read_answer(reply.text.encode())

    async def form(self, path: str, cookie: str = "", **fields: str) -> Reply:
        """Send a form."""
        headers = {"content-type": "application/x-www-form-urlencoded", "cookie": cookie}
        return await self.send("POST", path, urlencode(fields).encode(), headers)

    async def kill(self) -> None:
        """There is no process to kill."""
        raise NotImplementedError

    async def close(self) -> None:
        """Stop it."""
        self.app.close()
        self._stop.set()
        if self._running is not None:
            await self._running

    async def _run(self) -> None:
        """Enter and leave in one task, as the library wants it."""
        async with self._mcp.running():
            self._ready.set()
            await self._stop.wait()


async def _exchanged(app: Any, scope: dict[str, Any], body: bytes) -> Reply:
    requests = [{"type": "http.request", "body": body, "more_body": False}]
    answered, done = list[dict[str, Any]](), asyncio.Event()

    async def receive() -> dict[str, Any]:
        if requests:
            return requests.pop()
        await done.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        answered.append(message)

    try:
        await app(scope, receive, send)
    finally:
        done.set()
    start = answered[0]
    headers = {name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]}
    return Reply(start["status"], headers, b"".join(part.get("body", b"") for part in answered[1:]).decode())
