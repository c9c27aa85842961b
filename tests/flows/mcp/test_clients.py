"""Clients that nobody here wrote, and programs: the command over standard input and output, and over HTTP.

The command is `program`, and once in each way the installed one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp_people import Answering, fields
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, KNOWN_PROTOCOL_VERSIONS

from zgadka.tools.registry import REGISTRY

INSPECTOR = ("@modelcontextprotocol/inspector-cli", "0.15.0")
AI_SDK = ("@ai-sdk/mcp", "2.0.99")
HERE = Path(__file__).parent
INSTALLED = str(Path(sys.executable).parent)
STANDARD = [
    *("remember", "recall", "forget"),
    *("remember_fact", "remember_facts", "recall_facts", "update_fact", "merge_facts", "forget_fact", "clear_profile"),
]


@pytest.fixture
def environ(tmp_path: Path, program: str) -> dict[str, str]:
    ours = {
        name: value for name, value in os.environ.items() if not name.startswith("ZGADKA_") or name == "ZGADKA_EMBEDDER"
    }
    path = f"{Path(program).parent}:{os.environ['PATH']}"
    return ours | {"ZGADKA_DATABASE": f"sqlite:///{tmp_path / 'memory.db'}", "PATH": path}


@pytest.fixture
def installed(environ: dict[str, str]) -> dict[str, str]:
    """An environment where `zgadka` is the installed command."""
    return environ | {"PATH": f"{INSTALLED}:{os.environ['PATH']}"}


@contextmanager
def served(environ: dict[str, str], *arguments: str) -> Iterator[str]:
    """Run `zgadka mcp --http` and give its address."""
    command = ["zgadka", "mcp", "--http", "--port", "0", *arguments]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            line = server.stderr.readline()
            assert line.startswith("serving at http://127.0.0.1:"), line
            yield line.split()[2]
            server.send_signal(signal.SIGINT)
            assert server.wait(120) == 0
            assert server.stderr.read() == ""
        finally:
            server.kill()


def run(environ: dict[str, str], *arguments: str, answer: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["zgadka", *arguments], env=environ, input=answer, capture_output=True, text=True, timeout=120, check=False
    )


def server(environ: dict[str, str], *arguments: str) -> StdioServerParameters:
    return StdioServerParameters(command="zgadka", args=["mcp", *arguments], env=environ)


@pytest.mark.asyncio
@pytest.mark.parametrize("era", ["legacy", "auto"])
@pytest.mark.parametrize("way", ["stdio", "http"])
async def test_the_reference_client_keeps_finds_and_deletes(environ, era, way):
    async def use(where: Any) -> None:
        async with Client(where, mode=era, elicitation_callback=person) as client:
            assert client.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
            assert [tool.name for tool in (await client.list_tools()).tools] == STANDARD
            kept = fields(await client.call_tool("remember", {"content": "plays chess"}))
            assert "chess" in str((await client.read_resource("memory://recent")).contents)
            answer = fields(await client.call_tool("forget", {"memory_id": str(kept["memory_id"])}))
            assert answer["status"] == "deleted"

    person = Answering("accept", {"delete": True})
    if way == "stdio":
        await use(server(environ))
    else:
        with served(environ) as address:
            await use(address)
    assert len(person.seen) == 1


@pytest.mark.asyncio
async def test_what_a_client_is_told_lasts_and_is_shared_with_the_terminal(environ):
    async with Client(server(environ)) as client:
        given = {"fact_type": "personal", "fact_key": "location", "fact_value": "Kyiv", "confidence": 0.9}
        assert fields(await client.call_tool("remember_fact", given))["status"] == "success"
    turn = ("--platform", "terminal", "--user", "1", "--chat", "terminal", "--direct")
    done = run(environ, "call", "recall_facts", '{"user_id": 1}', *turn)
    assert [fact["value"] for fact in json.loads(done.stdout)["facts"]] == ["Kyiv"]


@pytest.mark.asyncio
async def test_the_person_and_the_tools_come_from_options_and_from_the_environment(environ):
    options = ("--user", "u_7", "--platform", "slack", "--space", "team", "--tier", "minimal")
    async with Client(server(environ, *options)) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == STANDARD[:3]
        await client.call_tool("remember", {"content": "plays chess"})
    by_environment = {"ZGADKA_MCP_USER": "u_7", "ZGADKA_MCP_PLATFORM": "slack", "ZGADKA_MCP_SPACE": "team"}
    async with Client(server(environ | by_environment | {"ZGADKA_MCP_TIER": "full"})) as client:
        assert len((await client.list_tools()).tools) == sum(tool.set != "lean" for tool in REGISTRY)
        assert fields(await client.call_tool("recall", {"query": "chess"}))["count"] == 1
    async with Client(server(environ)) as client:
        assert fields(await client.call_tool("recall", {"query": "chess"}))["count"] == 0


def test_the_oldest_protocol_version_is_spoken_over_standard_input_and_output(installed):
    assert KNOWN_PROTOCOL_VERSIONS[:-1] == HANDSHAKE_PROTOCOL_VERSIONS, "the newest has its tests above"
    version = HANDSHAKE_PROTOCOL_VERSIONS[0]
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    remember = {"name": "remember", "arguments": {"content": f"speaks {version}"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": remember},
        {"jsonrpc": "2.0", "id": 4, "method": "ping"},
    ]
    answers = _exchange(installed, lines)
    assert answers[1]["result"]["protocolVersion"] == version
    assert [tool["name"] for tool in answers[2]["result"]["tools"]] == STANDARD
    assert json.loads(answers[3]["result"]["content"][0]["text"])["status"] == "success"
    assert answers[4]["result"] == {}


def _exchange(environ: dict[str, str], lines: list[dict[str, Any]]) -> dict[int, dict[str, Any]]:
    """Send lines one after another, each after the answer to the one before it."""
    with subprocess.Popen(
        ["zgadka", "mcp"], env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        answers: dict[int, dict[str, Any]] = {}
        for line in lines:
            server.stdin.write(json.dumps(line) + "\n")
            server.stdin.flush()
            if "id" in line:
                answer = json.loads(server.stdout.readline())
                answers[answer["id"]] = answer
        server.stdin.close()
        assert server.wait(120) == 0
        assert server.stderr.read() == "", "a client that leaves ends the server, quietly"
        return answers


def inspect(npm_package: Any, environ: dict[str, str], *arguments: str) -> dict[str, Any]:
    node, folder = npm_package(*INSPECTOR)
    command = [node, str(folder / "build" / "index.js"), *arguments]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_official_inspector_talks_to_it(npm_package, environ, long_run):
    """What has a list of its own is listed with `--long`: each question is a process of Node."""
    with served(environ) as address:
        ask = partial(inspect, npm_package, environ, address)
        for tools in (
            ask("--method", "tools/list"),
            inspect(npm_package, environ, "zgadka", "mcp", "--method", "tools/list"),
        ):
            assert [tool["name"] for tool in tools["tools"]] == STANDARD
            assert all(tool["outputSchema"] and len(tool["annotations"]) == 5 for tool in tools["tools"])
        remember = ("--method", "tools/call", "--tool-name", "remember", "--tool-arg", "content=граю на віолончелі")
        assert ask(*remember)["structuredContent"]["status"] == "success"
        assert inspect(npm_package, environ, "zgadka", "mcp", *remember)["structuredContent"]["status"] == "skipped"
        found = ask("--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=віолончель")
        assert found["structuredContent"]["count"] == 1
        if long_run:
            assert len(ask("--method", "resources/list")["resources"]) == 3
            assert len(ask("--method", "resources/templates/list")["resourceTemplates"]) == 2
            assert len(ask("--method", "prompts/list")["prompts"]) == 3
        assert "віолончелі" in ask("--method", "resources/read", "--uri", "memory://profile")["contents"][0]["text"]
        prompt = ask("--method", "prompts/get", "--prompt-name", "about_me", "--prompt-args", "topic=music")
        assert "only about this: music" in prompt["messages"][0]["content"]["text"]


@pytest.mark.parametrize("way", ["stdio", "http"])
def test_a_client_that_shares_no_code_with_the_official_one_talks_to_it(npm_package, environ, way):
    def use(*where: str) -> dict[str, Any]:
        node, folder = npm_package(*AI_SDK)
        command = [node, str(HERE / "ai_sdk.mjs"), str(folder), *where]
        done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    if way == "stdio":
        seen = use("zgadka", "mcp")
    else:
        with served(environ) as address:
            seen = use(address)
    assert seen["tools"] == STANDARD
    assert seen["found"]["count"] == 1
    assert seen["asked"] == [f"Delete “граю на віолончелі” (ID:{seen['kept']['memory_id']})?"]
    assert seen["forgotten"]["status"] == "deleted"
    assert seen["resources"] == ["memory://profile", "memory://recent", "memory://context"]


@pytest.mark.asyncio
async def test_many_clients_of_one_http_server_are_served_at_once(installed):
    async def use(address: str, number: int) -> str:
        async with Client(address, mode="legacy" if number % 2 else "auto") as client:
            return fields(await client.call_tool("remember", {"content": f"note {number}"}))["status"]

    with served(installed) as address:
        assert set(await asyncio.gather(*(use(address, number) for number in range(12)))) == {"success"}


def test_elsewhere_there_is_nothing_and_a_taken_port_is_said(environ):
    import httpx

    with served(environ) as address:
        assert httpx.get(address.removesuffix("/mcp") + "/").status_code == 404
        port = address.rpartition(":")[2].removesuffix("/mcp")
        done = subprocess.run(
            ["zgadka", "mcp", "--http", "--port", port], env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert done.stderr == f"zgadka: cannot listen on port {port}: Address already in use\n"


def test_a_tier_that_does_not_exist_is_a_mistake(environ):
    done = subprocess.run(["zgadka", "mcp", "--tier", "huge"], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "zgadka: no tier 'huge'; there are minimal, lean, standard, full\n"


@pytest.mark.asyncio
async def test_what_an_application_could_not_ask_is_confirmed_at_the_command_line(environ):
    def forget(*arguments: str, answer: str = "") -> subprocess.CompletedProcess[str]:
        return run(environ, "person", "forget", *arguments, answer=answer)

    async with Client(server(environ)) as client:
        kept = fields(await client.call_tool("remember", {"content": "plays chess"}))
        told = fields(await client.call_tool("forget", {"memory_id": str(kept["memory_id"])}))["message"]
        arguments = told.partition("`zgadka person forget ")[2].partition("`")[0].split()
        refused = forget(*arguments, answer="n\n")
        assert refused.returncode == 1
        assert "Permanently delete plays chess (ID:1)? [y/N]" in refused.stderr
        assert fields(await client.call_tool("recall", {"query": "chess"}))["count"] == 1
        done = forget(*arguments, answer="y\n")
        assert json.loads(done.stdout)["status"] == "deleted"
        assert fields(await client.call_tool("recall", {"query": "chess"}))["count"] == 0
        await client.call_tool("remember", {"content": "plays go"})
        everything = fields(await client.call_tool("clear_profile", {"reason": "asked"}))["message"]
        arguments = everything.partition("`zgadka person forget ")[2].partition("`")[0].split()
        assert json.loads(forget(*arguments, "--yes").stdout)["status"] == "deleted"
    assert json.loads(forget("99", "--user", "1").stdout)["status"] == "not_found"
    for mistake in (("--user", "1"), ("1", "--all", "--user", "1")):
        assert forget(*mistake).stderr == "zgadka: give either memory IDs or --all\n"
