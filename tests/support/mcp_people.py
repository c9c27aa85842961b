"""People at MCP connections, for the tests of the MCP server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import httpx
from mcp_types import ElicitRequestFormParams, ElicitResult

from zgadka import Turn

ANNA = Turn(platform="mcp", space="home", chat="mcp", user=1, direct=True)
BOHDAN = Turn(platform="mcp", space="home", chat="mcp", user=2, direct=True)
TOKENS = {"anna": ANNA, "bohdan": BOHDAN}
ERAS = ["legacy", "2026-07-28"]


class Answering:
    """Stands for the person at the client, who sees each form and does with it what the test says."""

    def __init__(self, action: Any = "accept", content: dict[str, Any] | None = None) -> None:
        self.answer = ElicitResult(action=action, content=content)
        self.seen: list[str] = []

    async def __call__(self, context: Any, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        self.seen.append(params.message)
        return self.answer


class Wire:
    """Raw requests of protocol 2026-07-28, for what no honest client sends."""

    def __init__(self, client: httpx.AsyncClient, *, asks: bool = True) -> None:
        self._client = client
        self._capabilities: dict[str, Any] = {"elicitation": {}} if asks else {}

    async def post(self, token: str, method: str, params: dict[str, Any], **headers: str) -> httpx.Response:
        meta = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": self._capabilities,
        } | params.get("_meta", {})
        sent = {
            "authorization": f"Bearer {token}",
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": method,
            "mcp-name": str(params.get("name", params.get("uri", ""))),
        }
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": meta}}
        return await self._client.post("/mcp", json=body, headers=sent | headers)

    async def call(self, token: str, tool: str, *, more: dict[str, Any] | None = None, **arguments: Any) -> Any:
        """The result of a call, or its error."""
        params = {"name": tool, "arguments": arguments} | (more or {})
        answer = (await self.post(token, "tools/call", params)).json()
        return answer.get("result") or answer["error"]

    async def called(self, token: str, tool: str, **arguments: Any) -> dict[str, Any]:
        return (await self.call(token, tool, **arguments))["structuredContent"]


async def whose(scope: MutableMapping[str, Any]) -> Turn | None:
    given = dict(scope["headers"]).get(b"authorization", b"").decode()
    return TOKENS.get(given.removeprefix("Bearer "))


@asynccontextmanager
async def held(context: AbstractAsyncContextManager[Any]) -> AsyncIterator[Any]:
    """Enter and leave a context in one task, as the library wants it; a fixture begins and ends in two."""
    entered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()

    async def hold() -> None:
        async with context as value:
            entered.set_result(value)
            await leave.wait()

    holding = asyncio.create_task(hold())
    await asyncio.wait({holding, entered}, return_when=asyncio.FIRST_COMPLETED)
    if holding.done():
        holding.result()
    try:
        yield entered.result()
    finally:
        leave.set()
        await holding


def fields(result: Any) -> dict[str, Any]:
    """What a tool answered; its text says the same."""
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content
