"""MCP over HTTP: whose request it is, and what somebody else's token opens."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest
from mcp_people import TOKENS, held
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from zgadka.mcp.http import McpOverHttp

pytestmark = pytest.mark.asyncio
ACCEPT = {"accept": "application/json, text/event-stream"}


class Session:
    """A session of an older protocol, by hand."""

    def __init__(self, http: httpx.AsyncClient, token: str) -> None:
        self._http, self._headers = http, ACCEPT | {"authorization": f"Bearer {token}"}

    async def begin(self, version: str = "2025-06-18") -> str:
        hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        answer = await self.post("initialize", hello)
        assert result_of(answer)["protocolVersion"] == version
        self._headers["mcp-session-id"] = answer.headers["mcp-session-id"]
        await self._http.post(
            "/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=self._headers
        )
        return answer.headers["mcp-session-id"]

    def join(self, session: str) -> None:
        self.say("mcp-session-id", session)

    def say(self, header: str, value: str) -> None:
        self._headers[header] = value

    async def post(self, method: str, params: dict[str, Any]) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await self._http.post("/mcp", json=body, headers=self._headers)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = result_of(await self.post("tools/call", {"name": tool, "arguments": arguments}))
        return json.loads(result["content"][0]["text"])  # the oldest have nothing else


def result_of(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: {")]
    return json.loads(lines[-1])["result"]


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_every_older_protocol_version_is_spoken(http, version):
    anna = Session(http, "anna")
    await anna.begin(version)
    anna.say("mcp-protocol-version", version)
    assert "recall" in {tool["name"] for tool in result_of(await anna.post("tools/list", {}))["tools"]}
    assert (await anna.call("remember", content=f"speaks {version}"))["status"] == "success"
    assert result_of(await anna.post("ping", {})) == {}


@pytest.mark.parametrize(
    "given", ["", "Bearer", "Bearer wrong", "Bearer anna ", "Basic anna", "bearer\tanna", "anna,bohdan"]
)
async def test_without_a_right_token_nothing_is_answered(http, given):
    for method in ("GET", "POST", "DELETE", "OPTIONS"):
        answer = await http.request(method, "/mcp", headers=ACCEPT | {"authorization": given})
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert set(answer.json()) == {"error", "message"}


async def test_two_people_of_one_server_never_see_each_others_memories(wire):
    kept = await wire.called("anna", "remember", content="Anna plays chess")
    assert (await wire.called("anna", "recall", query="chess"))["count"] == 1
    assert (await wire.called("bohdan", "recall", query="chess"))["count"] == 0
    assert (await wire.called("bohdan", "generate_profile_summary"))["status"] == "not_found"
    theirs = str(kept["memory_id"])
    assert (await wire.called("bohdan", "forget", memory_id=theirs))["status"] == "not_found"
    place = f"memory://memories/{theirs}"
    assert (await wire.post("anna", "resources/read", {"uri": place})).json()["result"]["contents"]
    assert (await wire.post("bohdan", "resources/read", {"uri": place})).json()["error"]["code"] == -32602
    for uri in ("memory://recent", "memory://profile", "memory://context", "memory://search/chess"):
        assert "chess" in (await wire.post("anna", "resources/read", {"uri": uri})).text or uri == "memory://context"
        assert "Anna" not in (await wire.post("bohdan", "resources/read", {"uri": uri})).text
    prompt = await wire.post("bohdan", "prompts/get", {"name": "about_me"})
    assert "Anna" not in prompt.text


async def test_many_requests_of_two_people_at_once_stay_apart(wire):
    async def remember(token: str, number: int) -> None:
        await wire.called(token, "remember", content=f"{token} likes tea number {number}")

    await asyncio.gather(*(remember(token, number) for number in range(15) for token in TOKENS))
    for token in TOKENS:
        found = await wire.called(token, "recall", query="tea", limit=50)
        assert found["count"] == 15
        assert all(memory["content"].startswith(token) for memory in found["memories"])


async def test_a_session_of_an_older_protocol_is_its_persons_alone(http):
    anna, bohdan = Session(http, "anna"), Session(http, "bohdan")
    session = await anna.begin()
    await anna.call("remember", content="Anna plays chess")
    assert (await anna.call("recall", query="chess"))["count"] == 1
    bohdan.join(session)
    refused = await bohdan.post("tools/call", {"name": "recall", "arguments": {"query": "chess"}})
    assert refused.status_code == 404
    bohdan = Session(http, "bohdan")
    assert await bohdan.begin() != session
    assert (await bohdan.call("recall", query="chess"))["count"] == 0


async def test_somebody_elses_token_cannot_end_a_session(http):
    anna = Session(http, "anna")
    session = await anna.begin()
    ended = await http.delete("/mcp", headers=ACCEPT | {"authorization": "Bearer bohdan", "mcp-session-id": session})
    assert ended.status_code == 404
    assert (await anna.call("recall", query="chess"))["status"] == "success"


async def test_a_page_that_leads_its_own_name_here_is_refused(wire):
    assert (await wire.post("anna", "tools/list", {}, host="evil.example")).status_code == 421
    assert (await wire.post("anna", "tools/list", {}, origin="https://evil.example")).status_code == 403
    assert (await wire.post("anna", "tools/list", {}, origin="http://localhost:80")).status_code == 200


async def test_a_body_that_is_too_large_is_refused(wire):
    answer = await wire.post("anna", "tools/call", {"name": "remember", "arguments": {"content": "x" * 1_100_000}})
    assert answer.status_code == 413


async def test_a_host_that_names_the_turn_in_the_request_is_understood_and_keeps_its_session(memory):
    """As the REST API does, from the header Zgadka-Turn."""

    async def whose_turn(scope: Any) -> Any:
        turn = dict(scope["headers"]).get(b"zgadka-turn", b"").decode() or None
        return replace(TOKENS["anna"], turn=turn)

    kept = (await memory.remember(turn=TOKENS["anna"], content="chess"))["memory_id"]
    door = McpOverHttp(memory, whose_turn)
    transport = httpx.ASGITransport(app=door)  # pyright: ignore[reportArgumentType]
    async with held(door.running()), httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        session = Session(client, "anna")
        session.say("zgadka-turn", "m1")
        await session.begin()
        assert (await session.call("forget", memory_id=str(kept)))["status"] == "confirmation_required"
        assert (await session.call("forget", memory_id=str(kept)))["status"] == "confirmation_required"
        session.say("zgadka-turn", "m2")
        assert (await session.call("forget", memory_id=str(kept)))["status"] == "deleted"


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 5000, b'{"jsonrpc": "2.0"}'])
async def test_a_body_that_is_no_request_is_a_client_mistake(http, body):
    for version in ("2025-06-18", "2026-07-28"):
        headers = ACCEPT | {
            "authorization": "Bearer anna",
            "content-type": "application/json",
            "mcp-protocol-version": version,
        }
        answer = await http.post("/mcp", content=body, headers=headers)
        assert 400 <= answer.status_code < 500 or answer.status_code == 202


@pytest.mark.parametrize(
    "uri",
    [
        "memory://",
        "file:///etc/passwd",
        "memory://memories/-1",
        "memory://memories/1e3",
        "memory://memories/99999999999999999",
        "memory://memories/../profile",
        "memory://profile?user=2",
        "memory://search/",
        "memory://search/%20",
    ],
)
async def test_a_place_that_is_none_is_not_found(wire, uri):
    assert (await wire.post("anna", "resources/read", {"uri": uri})).json()["error"]["code"] == -32602


async def test_a_failing_look_at_the_token_lets_nobody_in(memory):
    async def fails(_: Any) -> Any:
        raise RuntimeError("no tokens today")

    door = McpOverHttp(memory, fails)
    transport = httpx.ASGITransport(app=door, raise_app_exceptions=False)  # pyright: ignore[reportArgumentType]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.post("/mcp", headers=ACCEPT)).status_code == 500


async def test_the_librarys_spans_are_made_where_somebody_traces(wire, monkeypatch):
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("mcp.shared._otel._tracer", provider.get_tracer("test"))
    monkeypatch.setattr(trace, "get_tracer_provider", lambda: provider)
    await wire.called("anna", "recall", query="chess")
    assert {"tools/call recall", "zgadka.call"} <= {span.name for span in exporter.get_finished_spans()}
