"""What the program writes while it serves, with its log wide open: no text of a memory, no session, token or link."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from zgadka import Settings, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token

PROGRAM = "import logging; logging.basicConfig(level=logging.DEBUG); from zgadka.cli.main import main; main()"
TEXT = "collects xylophones"


async def tokens(environ: dict[str, str]) -> list[str]:
    """Of two people, a bot and an operator."""
    telegram = ("telegram",)
    grants = [
        *(Grant(token=0, role="person", platforms=telegram, people=(user,)) for user in ("123", "124")),
        Grant(token=0, role="service", platforms=telegram),
        Grant(token=0, role="operator", reads=True),
    ]
    async with open_memory(environ["ZGADKA_DATABASE"], settings=Settings(background=False)) as memory:
        return [(await memory.apply(add_token, grant))[1] for grant in grants]


@contextmanager
def running(program: str, environ: dict[str, str], written: Path, *arguments: str) -> Iterator[str]:
    """Run the command, all of whose output goes into a file; gives its address."""
    with written.open("wb") as output:
        command = [program, "-c", PROGRAM, *arguments]
        with subprocess.Popen(command, env=environ, stdout=output, stderr=output) as server:
            try:
                while not (address := re.search(r"serving at (http://[^\s;]+)", written.read_text())):
                    assert server.poll() is None, written.read_text()
                yield address[1]
                server.send_signal(signal.SIGINT)
                assert server.wait(120) == 0
            finally:
                server.kill()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    ours = {
        name: value for name, value in os.environ.items() if not name.startswith("ZGADKA_") or name == "ZGADKA_EMBEDDER"
    }
    return ours | {"ZGADKA_DATABASE": f"sqlite:///{tmp_path / 'memory.db'}"}


async def use_mcp(address: str, token: str | None, other: str, era: Any) -> set[str]:
    """Remember and find by the library's own client; returns the ids of the sessions that it was given."""
    sessions: set[str] = set()

    async def keep(response: Any) -> None:
        sessions.update(filter(None, [response.headers.get("mcp-session-id")]))

    theirs = {"authorization": f"Bearer {other}"} if other else {}
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, event_hooks={"response": [keep]}) as http:
        async with Client(streamable_http_client(address, http_client=http), mode=era) as client:
            await client.call_tool("remember", {"content": TEXT})
            await client.call_tool("remember", {"wrong": TEXT})
            await client.call_tool("recall", {"query": TEXT})
            await client.read_resource("memory://recent")
        for session in sessions:  # of somebody else
            await http.post(address, json={}, headers={"mcp-session-id": session} | theirs)
        stale = {"accept": "application/json, text/event-stream", "mcp-session-id": "f" * 32, "mcp-method": TEXT}
        for content in ("{", '{"jsonrpc": "2.0", "id": 1, "method": "' + TEXT + '"}', f'{{"method": "{TEXT}"}}'):
            await http.post(address, content=content, headers=stale | {"content-type": "application/json"})
        await http.get(f"{address}?session={'f' * 32}", headers=stale)
        await http.delete(address, headers=stale)
    return sessions


def test_serve_writes_nobodys_words_and_no_key_to_anything(program, environ, tmp_path):
    token, other, bot, operator = asyncio.run(tokens(environ))
    written = tmp_path / "written"

    async def use(address: str) -> set[str]:
        sessions: set[str] = {"f" * 32}
        for era in ("legacy", "auto"):
            sessions |= await use_mcp(f"{address}/mcp", token, other, era)
        turn = {"platform": "telegram", "chat": "123", "user": 123, "direct": True}
        async with httpx.AsyncClient(base_url=address, headers={"authorization": f"Bearer {bot}"}) as http:
            told = {"text": f"I {TEXT}", "turn": turn}
            assert (await http.post("/v1/messages/observe", json=told)).status_code == 200
            assert (await http.post("/v1/messages", content=TEXT * 100)).status_code == 422
            link = (await http.post("/v1/me/link", json={"turn": turn})).json()["url"]
            for path in (link, link[:-3], f"/{TEXT}?token={token}", f"/v1/tools/{TEXT}"):
                await http.get(path)
            opened = await http.post(link, data={"open": "page"})
            sessions |= set(opened.cookies.values())
            cookie = opened.headers["set-cookie"].partition(";")[0]
            assert TEXT in (await http.get("/me", headers={"cookie": cookie})).text
            sessions |= {link.rpartition("/")[2]}
        async with httpx.AsyncClient(base_url=address, headers={"authorization": f"Bearer {operator}"}) as http:
            assert TEXT in (await http.get("/v1/export")).text
            for wrong in ("x", f"{operator}x", TEXT):
                await http.get("/v1/tools", headers={"authorization": f"Bearer {wrong}"})
        return sessions

    with running(program, environ, written, "serve", "--listen", "127.0.0.1:0") as address:
        sessions = asyncio.run(use(address))
    assert len(sessions) >= 4
    text = written.read_text()
    for secret in (TEXT, "xylophone", *sessions, *(one.split("_", 2)[2] for one in (token, other, bot, operator))):
        assert secret not in text, [line for line in text.splitlines() if secret in line][:5]


def test_mcp_for_one_person_writes_nobodys_words_and_no_session(program, environ, tmp_path):
    written = tmp_path / "written"

    async def use(address: str) -> set[str]:
        return await use_mcp(address, None, "", "legacy") | await use_mcp(address, None, "", "auto") | {"f" * 32}

    with running(program, environ, written, "mcp", "--http", "--port", "0") as address:
        sessions = asyncio.run(use(address))
    assert len(sessions) >= 2
    text = written.read_text()
    for secret in (TEXT, "xylophone", *sessions):
        assert secret not in text, [line for line in text.splitlines() if secret in line][:5]
