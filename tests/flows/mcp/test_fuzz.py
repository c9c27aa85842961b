"""Random tools, resources and prompts with random arguments, by the library's own client over HTTP, for every grant."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import httpx2
import pytest
import pytest_asyncio
from long_run import cases
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from zgadka import Member, Memory, Settings, Turn, open_memory
from zgadka.mcp.http import McpOverHttp
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.tools.registry import REGISTRY
from zgadka.web.server import serve

pytestmark = pytest.mark.asyncio

CALLS = cases(50, long=3000)
CANARY = "xylographer"
TELEGRAM = ("telegram",)
HERE = {"zgadka-user": "123", "zgadka-chat": "456"}
GRANTS: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "a person": ({"role": "person", "platforms": TELEGRAM, "people": ("123",)}, {}),
    "a service in a space": ({"role": "service", "platforms": TELEGRAM, "spaces": ("456",), "direct": False}, HERE),
    "a service for a platform": ({"role": "service", "platforms": TELEGRAM}, HERE),
}
VALUES: list[Any] = [
    *(0, 1, 2, 3, -1, 123, 124, 999, 2**53, 2**63, 10**30, 1.5, 1e308, True, None, [], {}, [1, 2], ["a"], {"a": 1}),
    *("", " ", "1", "M1", "1,2,3", "999", CANARY[:6], "tea", "\u202e", "\0", "a" * 5000, "'; DROP TABLE memory; --"),
    *("personal", "hobby", "update", "server_wide", "target_user", "<@999>", "Zoe", "2026-01-01", "yesterday", "yes"),
]
KNOWN = {tool.name for tool in REGISTRY}
NAMES = ["nothing", "", "../remember", "Remember", "\u202eremember"]
URIS = [
    "memory://recent",
    "memory://profile",
    "memory://999",
    "memory://",
    "file:///etc/passwd",
    "memory://recent/../../x",
]


@pytest_asyncio.fixture
async def memory(url: str) -> AsyncIterator[Memory]:
    limits = Settings(mcp_tier="full", calls_per_hour=0, changes_of_others_per_hour=0, serve_calls_per_minute=0)
    async with open_memory(url, settings=limits) as memory:
        yield memory


@pytest_asyncio.fixture
async def address(memory: Memory) -> AsyncIterator[str]:
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    make = partial(McpOverHttp, memory, tier="full", hosts=None)
    started = {"listen": "127.0.0.1:0", "authenticates": True, "stop": stop, "ready": ready.set_result}
    running = asyncio.create_task(serve(memory, **started, make_mcp=make))
    yield f"{await ready}/mcp"
    stop.set()
    await running


async def hide_canaries(memory: Memory) -> list[Turn]:
    """What none of the grants reaches: of somebody who is in none of its places."""
    alone = Turn(platform="telegram", space="999", chat="999", user=999, direct=True)
    elsewhere = Turn(platform="telegram", space="789", chat="789", user=999)
    platform = Turn(platform="discord", space="456", chat="456", user=123)
    for turn in (alone, elsewhere, platform):
        await memory.report_member(turn.platform, turn.space, Member(user="999", number=999, name="Zoe"))
        await memory.record("user", f"I am a {CANARY}", turn)
        fact = {"user_id": turn.user_number, "fact_type": "personal", "fact_key": "job", "fact_value": CANARY}
        assert (await memory.call("remember_fact", fact | {"confidence": 0.9}, turn)).status == "success"
        note = {"memory_content": f"{CANARY}s meet here", "scope": "server_wide"}
        assert (await memory.call("create_long_term_memory", note, turn)).status == "memory_created_successfully"
    return [alone, elsewhere, platform]


def arguments(chance: random.Random, tool: str) -> dict[str, Any]:
    """Mostly what the tool declares, often with values that it does not."""
    given: dict[str, Any] = {}
    for parameter in REGISTRY[tool].parameters if tool in KNOWN else ():
        if parameter.required or chance.random() < 0.3:
            is_fit = chance.random() < 0.85
            given[parameter.name] = fitting(chance, parameter.schema) if is_fit else chance.choice(VALUES)
    if chance.random() < 0.1:
        given[chance.choice(("turn", "user", "grant", "tx", "limit"))] = chance.choice(VALUES)
    return given


def fitting(chance: random.Random, schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return chance.choice(schema["enum"])
    match schema["type"]:
        case "string":
            return chance.choice(("tea", "chess", "1", "M1", "999", "Zoe", "123", "yesterday", CANARY[:6]))
        case "integer":
            return chance.choice((123, 123, 124, 999, 1, 2, 3, 4, 5))
        case "number":
            return chance.choice((0.5, 0.9, 1))
        case "boolean":
            return chance.random() < 0.5
        case "array":
            return [fitting(chance, schema["items"]) for _ in range(chance.randint(1, 3))]
        case "object":
            return {name: fitting(chance, part) for name, part in schema["properties"].items()}
        case _:
            return chance.choice(VALUES)


async def act(chance: random.Random, client: Client, tools: list[str]) -> str:
    """Ask for one thing; returns what became of it."""
    try:
        match chance.choices(("tool", "resource", "prompt", "list", "template"), (16, 2, 2, 1, 1))[0]:
            case "tool":
                tool = chance.choice(tools) if chance.random() < 0.95 else chance.choice(NAMES)
                result = await client.call_tool(tool, arguments(chance, tool))
                return str((result.structured_content or {}).get("status"))
            case "resource":
                await client.read_resource(chance.choice(URIS))
            case "prompt":
                name = chance.choice([*(prompt.name for prompt in (await client.list_prompts()).prompts), *NAMES])
                await client.get_prompt(name, {chance.choice(("topic", "person", "x")): str(chance.choice(VALUES))})
            case "list":
                await client.list_resources()
            case _:
                await client.list_resource_templates()
    except MCPError as error:
        return f"refused: {error.error.code}"
    return "answered"


@pytest.mark.parametrize("name", GRANTS)
async def test_nothing_fails_and_nothing_beyond_the_grant_is_told_or_changed(
    memory: Memory, address: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    turns = await hide_canaries(memory)
    grant, headers = GRANTS[name]
    _, token = await memory.apply(add_token, Grant(token=0, **grant))
    told: list[str] = []

    async def keep(response: httpx2.Response) -> None:
        assert response.status_code < 500, response.status_code
        if "event-stream" not in response.headers.get("content-type", "") or response.request.method == "POST":
            told.append((await response.aread()).decode())

    chance = random.Random(name)
    becomes: Counter[str] = Counter()
    sent = {"authorization": f"Bearer {token}"} | headers
    async with (
        httpx2.AsyncClient(headers=sent, timeout=120, event_hooks={"response": [keep]}) as http,
        Client(streamable_http_client(address, http_client=http), mode="2026-07-28") as client,
    ):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        assert set(tools) <= KNOWN
        for _ in range(CALLS):
            becomes[await act(chance, client, tools)] += 1
    answers = "\n".join(told)
    assert CANARY not in answers
    for leak in ("Traceback", "sqlite", "Error at", ".py", "zgadka."):
        assert leak not in answers, answers[answers.index(leak) - 300 :][:600]
    assert [record for record in caplog.records if record.levelname in ("ERROR", "CRITICAL")] == []
    assert becomes["success"] >= CALLS // 20, becomes
    assert len(becomes) > 5, becomes
    assert "refused: -32603" not in becomes, "an internal error"
    for turn in turns:
        found = await memory.call("recall", {"query": CANARY, "kinds": ["fact", "note", "message"]}, turn)
        assert json.loads(found.json())["count"] >= 2, turn
