"""The server itself, over a socket: slow clients, streams, stopping, and where it does not listen."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from zgadka import InvalidInput, Memory, Settings, SettingsError, open_memory
from zgadka.cli.main import main
from zgadka.mcp.http import McpOverHttp
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token
from zgadka.web import fair_share, rate_limit, security_middleware, server
from zgadka.web.server import new_loop, serve

TURN = {"chat": "456", "user": 123}
PATIENT = pytest.mark.asyncio


@asynccontextmanager
async def serving(memory: Memory, *, mcp: bool = False, authenticates: bool = True) -> AsyncIterator[str]:
    """A server on a free port, gone after that."""
    stop, ready = asyncio.Event(), asyncio.get_running_loop().create_future()
    make = (lambda whose: McpOverHttp(memory, whose, hosts=None)) if mcp else None
    running = asyncio.create_task(
        serve(
            memory, listen="127.0.0.1:0", authenticates=authenticates, stop=stop, ready=ready.set_result, make_mcp=make
        )
    )
    yield await ready
    stop.set()
    await running


async def token_for(memory: Memory, **bounds) -> dict[str, str]:
    given = {"role": "service", "platforms": ("telegram",)} | bounds
    _, token = await memory.apply(add_token, Grant(token=0, **given))
    return {"authorization": f"Bearer {token}"}


async def said_to(url: str, *sent: bytes) -> bytes:
    """What the server says to these bytes and then silence, until it hangs up."""
    reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
    said = b""
    with suppress(ConnectionError):
        for part in sent:
            writer.write(part)
            await writer.drain()
        said = await asyncio.wait_for(reader.read(), 120)
    writer.close()
    return said


@PATIENT
async def test_a_client_that_says_nothing_or_too_little_is_hung_up_on(memory, monkeypatch):
    monkeypatch.setattr(security_middleware, "REQUEST_SECONDS", 1)
    head = b"POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
    async with serving(memory) as url:
        token = (await token_for(memory))["authorization"].encode()
        sent = ([], [b"GET /v1/tools HT"], [b"GET / HTTP/1.1\r\nHost: localhost\r\n"])
        slow = said_to(url, head + b"Authorization: " + token + b"\r\n\r\n{")
        for said in await asyncio.gather(*(said_to(url, *parts) for parts in sent), slow):
            assert said.startswith(b"HTTP/1.1 408 Request Timeout")


@PATIENT
async def test_headers_without_end_are_refused(memory):
    async with serving(memory) as url:
        said = await said_to(url, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", *[b"a" * 20_000] * 20)
        assert said[:12] in (b"HTTP/1.1 431", b"")  # what was not read may take the answer with it
        many = [b"X-%d: 1\r\n" % number for number in range(20_000)]
        said = await said_to(url, b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"".join(many))
        assert said[:12] in (b"HTTP/1.1 431", b"")
        async with httpx.AsyncClient(base_url=url) as client:
            assert (await client.get("/health/live")).status_code == 200


@PATIENT
@pytest.mark.parametrize(
    "sent",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        (
            b"POST /v1/calls HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
    ],
)
async def test_bytes_that_are_no_honest_request_are_refused(memory, sent, monkeypatch):
    monkeypatch.setattr(security_middleware, "REQUEST_SECONDS", 1)
    async with serving(memory) as url:
        said = await said_to(url, sent)
        assert said.split(b" ")[1][:1] == b"4", said


@PATIENT
async def test_whose_events_they_are_hears_of_them_and_nobody_else(memory):
    async with serving(memory) as url, httpx.AsyncClient(base_url=url, timeout=120) as client:
        bot = await token_for(memory)
        hers = await token_for(memory, role="person", people=("123",))
        others = await token_for(memory, role="person", people=("124",))
        elsewhere = await token_for(memory, spaces=("457",), direct=False)
        heard: dict[str, list[dict]] = {}

        async def listen(name: str, headers: dict[str, str], ready: asyncio.Event) -> None:
            heard[name] = []
            async with client.stream("GET", "/v1/events", headers=headers) as stream:
                assert stream.headers["content-type"].startswith("text/event-stream")
                async for line in stream.aiter_lines():
                    ready.set()
                    if line.startswith("data: "):
                        heard[name].append(json.loads(line.removeprefix("data: ")))

        listeners = {"her": hers, "other": others, "bot": bot, "elsewhere": elsewhere}
        listeners["here"] = bot | {"zgadka-user": "123", "zgadka-chat": "456"}
        listeners["there"] = bot | {"zgadka-user": "123", "zgadka-chat": "457"}
        readies = [asyncio.Event() for _ in listeners]
        tasks = [
            asyncio.create_task(listen(name, headers, ready))
            for (name, headers), ready in zip(listeners.items(), readies, strict=True)
        ]
        await asyncio.gather(*(ready.wait() for ready in readies))
        for user, text in ((123, "likes tea"), (124, "likes coffee")):
            body = {"args": {"content": text}, "turn": {"chat": "456", "user": user}}
            assert (await client.post("/v1/tools/remember", json=body, headers=bot)).status_code == 200
        for _ in range(600):
            if len(heard["bot"]) >= 2 and heard["other"] and heard["her"] and heard["here"]:
                break
            await asyncio.sleep(0.05)
        privacy = await client.put("/v1/me/privacy", json={"level": "partial"}, headers=hers)
        assert privacy.status_code == 200
        texts = {name: [one.get("preview") for one in some if one["what"] == "created"] for name, some in heard.items()}
        assert texts == {
            "her": ["likes tea"],
            "here": ["likes tea"],
            "other": ["likes coffee"],
            "bot": ["likes tea", "likes coffee"],
            "elsewhere": [],
            "there": [],
        }
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@PATIENT
async def test_a_server_with_listeners_stops_at_once(memory, monkeypatch):
    def patient(*given):
        made = configured(*given)
        made.timeout_graceful_shutdown = 120
        return made

    configured = server._config
    monkeypatch.setattr(server, "_config", patient)
    async with httpx.AsyncClient(timeout=120) as client:
        async with serving(memory, authenticates=False) as url:
            stream = client.stream("GET", f"{url}/v1/events")
            listening = await stream.__aenter__()
            lines = listening.aiter_lines()
            await anext(lines)
            started = time.monotonic()
        assert time.monotonic() - started < 100, "the server waits two minutes for who does not end"
        await stream.__aexit__(None, None, None)


@PATIENT
async def test_mcp_is_served_beside_it_for_whom_the_token_is(memory):
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async with serving(memory, mcp=True) as url:
        hers = await token_for(memory, role="person", people=("123",))
        async with httpx.AsyncClient() as nobody:
            assert (await nobody.post(f"{url}/mcp", json={})).status_code == 401
            forged = await nobody.post(f"{url}/mcp", json={}, headers=hers | {"zgadka-user": "124"})
            assert forged.status_code == 403
        async with (
            httpx2.AsyncClient(headers=hers, timeout=120) as http,
            Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
        ):
            assert "recall" in {tool.name for tool in (await client.list_tools()).tools}


@PATIENT
@pytest.mark.parametrize("listen", ["0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0"])
async def test_without_tokens_it_listens_on_this_machine_alone(memory, listen):
    with pytest.raises(InvalidInput, match="this machine alone"):
        await serve(memory, listen=listen, authenticates=False, stop=asyncio.Event(), ready=print)


@PATIENT
async def test_a_place_that_is_taken_or_no_place_is_told(memory):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        for listen in (place, "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999", "192.0.2.1:0"):
            with pytest.raises(InvalidInput, match="listen"):
                await serve(memory, listen=listen, authenticates=True, stop=asyncio.Event(), ready=print)


def test_from_the_command_line_tokens_are_made_listed_used_and_revoked(tmp_path: Path, program: str):
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith("ZGADKA_") or name == "ZGADKA_EMBEDDER"
    }
    environ |= {"ZGADKA_DATABASE": f"sqlite:///{tmp_path}/memory.db"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([program, *arguments], env=environ, capture_output=True, text=True, check=False)

    token = run("token", "add", "service", "--platform", "telegram", "--label", "bot", "--days", "30").stdout.strip()
    assert token.startswith("zgadka_1_")
    bound = run("token", "add", "service", "--platform", "telegram", "--space", "456").stdout.strip()
    assert bound.startswith("zgadka_2_")
    listed = run("token", "list").stdout
    assert "acts for anybody of telegram everywhere: everything that a person can do themselves" in listed
    assert "of telegram in 456 alone: tools and lists of that place" in listed.splitlines()[1]
    assert token[9:] not in listed
    upkeep = {"authorization": f"Bearer {run('token', 'add', 'operator').stdout.strip()}"}
    serving = subprocess.Popen(
        [program, "serve", "--listen", "127.0.0.1:0"], env=environ, stderr=subprocess.PIPE, text=True
    )
    try:
        assert serving.stderr is not None
        url = serving.stderr.readline().split()[2].rstrip(";")
        headers = {"authorization": f"Bearer {token}"}
        assert httpx.get(f"{url}/v1/tools", headers=headers, timeout=120).status_code == 200
        assert httpx.get(f"{url}/v1/tools", timeout=120).status_code == 401
        assert httpx.get(f"{url}/v1/doctor", headers=upkeep, timeout=120).json()["integrity"] == "ok"
        assert run("token", "revoke", "1").returncode == 0
        while httpx.get(f"{url}/v1/tools", headers=headers, timeout=120).status_code != 401:
            time.sleep(0.1)
    finally:
        serving.terminate()
        assert serving.wait(120) == 0
        assert serving.stderr is not None
        serving.stderr.close()


def test_a_token_is_written_to_a_file_that_its_owner_alone_can_read(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ZGADKA_DATABASE", f"sqlite:///{tmp_path}/memory.db")
    file = tmp_path / "token"
    monkeypatch.setattr(sys, "argv", ["zgadka", "token", "add", "operator", "--file", str(file)])
    umask = os.umask(0)
    try:
        with suppress(SystemExit):
            main()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        written = file.read_text()
        assert written.startswith("zgadka_1_")
        assert capsys.readouterr().out == ""
        with pytest.raises(SystemExit):
            main()
    finally:
        os.umask(umask)
    assert file.read_text() == written
    assert "cannot make the file" in capsys.readouterr().err


def test_it_runs_on_uvloop_where_there_is_one(monkeypatch):
    import uvloop

    names = []
    for module in (uvloop, None):
        monkeypatch.setitem(sys.modules, "uvloop", module)
        loop = new_loop()
        names.append(type(loop).__module__.partition(".")[0])
        loop.close()
    assert names == ["uvloop", "asyncio"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["token", "add", "person"], "give --platform and --user once"),
        (["token", "add", "king"], "role must be one of service, person, operator, not 'king'"),
        (["token", "revoke", "7"], "there is no token 7"),
        (["serve", "--no-auth", "--listen", "0.0.0.0:0"], "listen on 127.0.0.1, not on 0.0.0.0"),
    ],
)
def test_a_mistake_in_a_command_is_said(tmp_path, monkeypatch, capsys, arguments, said):
    from zgadka.cli.main import main

    monkeypatch.setenv("ZGADKA_DATABASE", f"sqlite:///{tmp_path}/memory.db")
    monkeypatch.setattr(sys, "argv", ["zgadka", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


def test_the_description_is_printed_without_a_database(tmp_path: Path, program: str):
    done = subprocess.run([program, "openapi"], cwd=tmp_path, capture_output=True, text=True, check=True)
    described = json.loads(done.stdout)
    assert described["openapi"].startswith("3.1")
    assert all(
        operation["summary"] and operation["description"]
        for operations in described["paths"].values()
        for operation in operations.values()
    )
    assert Settings().serve_listen


@asynccontextmanager
async def limited(**settings: Any) -> AsyncIterator[Memory]:
    """A memory with these settings."""
    async with open_memory("sqlite://:memory:", settings=Settings(background=False, **settings)) as memory:
        yield memory


async def connected(url: str, count: int) -> list[asyncio.StreamWriter]:
    """Connections that say nothing."""
    host, port = url.removeprefix("http://").split(":")
    return [(await asyncio.open_connection(host, port))[1] for _ in range(count)]


async def answer_to(url: str, path: str, headers: dict[str, str]) -> int | None:
    """The status; None: the server hung up."""
    async with httpx.AsyncClient(trust_env=False) as client:
        try:
            return (await client.get(f"{url}{path}", headers=headers)).status_code
        except httpx.TransportError:
            return None


@PATIENT
async def test_one_address_cannot_take_every_connection():
    async with limited(
        serve_connections=30, serve_connections_per_address=10, serve_trusted_proxies="127.0.0.9"
    ) as memory:
        token = await token_for(memory)
        async with serving(memory) as url:
            idle = await connected(url, 40)
            for _ in range(3):  # until it has seen them all
                await asyncio.sleep(0)
            assert await answer_to(url, "/health/live", {}) is None
            through_proxy = httpx.AsyncHTTPTransport(local_address="127.0.0.9")
            async with httpx.AsyncClient(transport=through_proxy) as others:
                assert (await others.get(f"{url}/v1/memories?chat=456", headers=token)).status_code != 503
            for writer in idle:
                writer.close()


@PATIENT
async def test_health_is_told_when_every_connection_is_taken():
    async with limited(serve_connections=10, serve_connections_per_address=100) as memory:
        token = await token_for(memory)
        async with serving(memory) as url:
            idle = await connected(url, 20)
            assert await answer_to(url, "/v1/doctor", token) == 503
            assert await answer_to(url, "/health/live", {}) == 200
            assert await answer_to(url, "/health/ready", {}) == 200
            for writer in idle:
                writer.close()


@PATIENT
@pytest.mark.parametrize("trusted", [True, False])
async def test_behind_a_trusted_proxy_each_client_has_its_own_failures(trusted, monkeypatch):
    monkeypatch.setattr(rate_limit, "REFUSED_SECONDS", 0)  # in a second there is room for one more
    async with (
        limited(serve_trusted_proxies="127.0.0.0/8" if trusted else "") as memory,
        serving(memory) as url,
        httpx.AsyncClient(trust_env=False) as client,
    ):

        async def status(address: str) -> int:
            headers = {"authorization": "Bearer zgadka_1_wrong", "x-forwarded-for": address}
            return (await client.get(f"{url}/v1/me/export", headers=headers)).status_code

        tries = 0
        while await status("203.0.113.5") != 429:  # each second lets one more through
            tries += 1
            assert tries < 600
        assert await status("203.0.113.6") == (401 if trusted else 429)


@PATIENT
async def test_a_trusted_proxy_that_is_no_address_is_told():
    async with limited(serve_trusted_proxies="proxy.example.org") as memory:
        with pytest.raises(SettingsError, match="serve_trusted_proxies"):
            await serve(memory, listen="127.0.0.1:0", authenticates=True, stop=asyncio.Event(), ready=print)


def ask(client: httpx.AsyncClient, token: dict[str, str], query: str) -> Any:
    said = {"args": {"query": query}, "turn": TURN}
    return client.post("/v1/tools/recall", json=said, headers=token)


@PATIENT
async def test_a_callers_flood_waits_in_its_own_line_and_beyond_that_is_refused(monkeypatch):
    monkeypatch.setattr(fair_share, "HELD_SECONDS", 60)
    monkeypatch.setattr(fair_share, "MOST_WAITING", 4)
    work, begun, call = asyncio.Event(), [], Memory.call

    async def slow(self: Memory, name: str, args: Any, turn: Any, **more: Any) -> Any:
        if "slow" in str(args):
            begun.append(args)
            await work.wait()
        return await call(self, name, args, turn, **more)

    monkeypatch.setattr(Memory, "call", slow)
    async with limited(serve_at_once=2) as memory, serving(memory) as url, httpx.AsyncClient(base_url=url) as client:
        flood, good = await token_for(memory), await token_for(memory)
        for token in (flood, good):  # from now on each is known
            assert (await ask(client, token, "tea")).status_code == 200
        tasks = [asyncio.create_task(ask(client, flood, f"slow {number}")) for number in range(7)]
        done, _ = await asyncio.wait(tasks, timeout=120, return_when=asyncio.FIRST_COMPLETED)
        refused = next(iter(done)).result()
        assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
        assert (await ask(client, good, "tea")).status_code == 200
        assert (await client.get("/health/ready")).status_code == 200
        assert 1 <= len(begun) <= 2
        work.set()
        codes = sorted([answer.status_code for answer in await asyncio.gather(*tasks)])
        assert codes[:5] == [200] * 5
        assert codes[-1] == 429
        assert (await ask(client, flood, "tea")).status_code == 200


@PATIENT
async def test_slow_bodies_and_streams_hold_no_place(monkeypatch):
    async with limited(serve_at_once=1) as memory, serving(memory) as url, httpx.AsyncClient(base_url=url) as client:
        bot = await token_for(memory)
        head = b"POST /v1/tools/recall HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        head += b"Content-Length: 100\r\nAuthorization: " + bot["authorization"].encode() + b"\r\n\r\n{"
        assert (await ask(client, bot, "tea")).status_code == 200
        async with client.stream("GET", "/v1/events", headers=bot), client.stream("GET", "/v1/events", headers=bot):
            assert (await ask(client, bot, "tea")).status_code == 200
        monkeypatch.setattr(fair_share, "HELD_SECONDS", 60)
        reader, writer = await asyncio.open_connection(*url.removeprefix("http://").split(":"))
        writer.write(head)
        await asyncio.sleep(0.3)
        assert (await ask(client, bot, "tea")).status_code == 200
        writer.close()
        assert await reader.read() == b""
