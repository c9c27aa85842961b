"""MCP connections: in process, and over HTTP without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import httpx
import pytest
import pytest_asyncio
from mcp import Client
from mcp_people import ANNA, Wire, held, whose

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.mcp.http import McpOverHttp
from zgadka.mcp.server import build_server


@pytest_asyncio.fixture
async def memory(url: str, clock: Any) -> AsyncIterator[Memory]:
    async with open_memory(url, settings=Settings(), clock=clock) as memory:
        yield memory


@pytest_asyncio.fixture
async def connect(memory: Memory) -> AsyncIterator[Callable[..., Any]]:
    """The reference client, in process: `await connect("legacy", who=ANNA, tier="full", elicitation_callback=…)`."""
    async with AsyncExitStack() as stack:

        async def connected(era: str = "2026-07-28", *, who: Turn = ANNA, tier: Any = "full", **options: Any) -> Client:
            server = build_server(memory, lambda _: who, tier=tier)
            return await stack.enter_async_context(held(Client(server, mode=era, **options)))

        yield connected


@pytest_asyncio.fixture
async def http(memory: Memory) -> AsyncIterator[httpx.AsyncClient]:
    """HTTP to a server that Anna and Bohdan share, each with a token."""
    door = McpOverHttp(memory, whose, tier="full")
    transport = httpx.ASGITransport(app=door)  # pyright: ignore[reportArgumentType]
    async with held(door.running()), httpx.AsyncClient(transport=transport, base_url="http://localhost:80") as client:
        yield client


@pytest.fixture
def wire(http: httpx.AsyncClient) -> Wire:
    return Wire(http)


@pytest.fixture
def mute_wire(http: httpx.AsyncClient) -> Wire:
    """A client that cannot ask its person."""
    return Wire(http, asks=False)
