"""A REST API over a fresh memory, and callers with tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest
import pytest_asyncio

from zgadka import Memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.web.app import Application, build_app


def pytest_configure(config: pytest.Config) -> None:
    """What collects `schema.parametrize()`: loaded for these tests alone, as it takes long."""
    config.pluginmanager.import_plugin("schemathesis.pytest.plugin")


TURN = {"chat": "456", "user": 123}


class Caller:
    """Somebody with a token, or without."""

    def __init__(self, client: httpx.AsyncClient, token: str | None) -> None:
        self.client = client
        self.token = token

    async def __call__(self, method: str, path: str, **more: Any) -> httpx.Response:
        headers = {} if self.token is None else {"authorization": f"Bearer {self.token}"}
        return await self.client.request(method, path, headers=headers | more.pop("headers", {}), **more)

    async def tool(self, name: str, turn: dict[str, Any] | None = None, **args: Any) -> httpx.Response:
        """Call a tool."""
        return await self("POST", f"/v1/tools/{name}", json={"args": args, "turn": TURN if turn is None else turn})


NewCaller = Callable[..., Awaitable[Caller]]


@pytest.fixture
def app(memory: Memory) -> Application:
    return build_app(memory, hosts={"localhost"})


@pytest_asyncio.fixture
async def client(app: Application) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app, client=("10.0.0.1", 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
def caller(memory: Memory, client: httpx.AsyncClient) -> NewCaller:
    """A caller with a new token: `await caller("service", platforms=("telegram",))`."""

    async def new(role: Any, **bounds: Any) -> Caller:
        _, token = await memory.apply(add_token, Grant(token=0, role=role, **bounds))
        return Caller(client, token)

    return new


@pytest_asyncio.fixture
async def bot(caller: NewCaller) -> Caller:
    """A service for all of Telegram."""
    return await caller("service", platforms=("telegram",))


@pytest_asyncio.fixture
async def her(caller: NewCaller) -> Caller:
    """User 123 herself."""
    return await caller("person", platforms=("telegram",), people=("123",))


@pytest_asyncio.fixture
async def operator(caller: NewCaller) -> Caller:
    return await caller("operator")


@pytest_asyncio.fixture
async def reader(caller: NewCaller) -> Caller:
    """An operator who may read."""
    return await caller("operator", reads=True)
