"""How fast tools are called through the doors: REST and MCP with 100 connections each, beside the bare engine.

The engine and each server run in a process of their own, on databases of their own that hold the same; the callers of
a server are another process. Every door takes its turn within a round, in another order each round.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import _machine

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token

CALLERS = 100
MEMORIES = 50
TARGET_MS = 50.0
SETTINGS = Settings(serve_calls_per_minute=0, calls_per_hour=0, memory_tool_async=False)
Call = Callable[[str, dict[str, object], int], Awaitable[object]]


@dataclass(frozen=True)
class Run:
    """Calls a second, and milliseconds a call."""

    rate: float
    p50: float
    p95: float
    p99: float


def arguments(tool: str, number: int) -> dict[str, object]:
    if tool == "recall":
        return {"query": f"what about topic {number % MEMORIES}?"}
    return {"content": f"a thing that was said for the {number}th time, {random.random()}"}


async def drive(call: Call, tool: str, seconds: float) -> Run:
    """Let every caller call again as soon as it is answered."""
    taken: list[float] = []
    until = time.perf_counter() + seconds

    async def caller(number: int) -> None:
        count = 0
        while (started := time.perf_counter()) < until:
            await call(tool, arguments(tool, count), number)
            taken.append((time.perf_counter() - started) * 1000)
            count += 1

    began = time.perf_counter()
    await asyncio.gather(*(caller(number) for number in range(CALLERS)))
    cuts = statistics.quantiles(taken, n=100)
    return Run(len(taken) / (time.perf_counter() - began), cuts[49], cuts[94], cuts[98])


def turn_of(person: int) -> Turn:
    return Turn(platform="bench", space=str(person), chat=str(person), user=person)


async def fill(path: Path) -> str:
    """Make a database in which everybody has some memories; returns a service's token."""
    async with open_memory(f"sqlite:///{path}", settings=SETTINGS) as memory:
        for number in range(MEMORIES):
            content = {"content": f"topic {number}: something to remember"}
            await asyncio.gather(*(memory.call("remember", content, turn_of(person)) for person in range(CALLERS)))
        _, token = await memory.apply(add_token, Grant(token=0, role="service", platforms=("bench",)))
        return token


async def bare(path: Path, tool: str, seconds: float) -> Run:
    async with open_memory(f"sqlite:///{path}", settings=SETTINGS) as memory:
        return await drive(lambda name, args, person: memory.call(name, args, turn_of(person)), tool, seconds)


class Rest:
    """Connections that stay open, each of one caller: the bytes that it takes and no more; no client is measured."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._open: dict[int, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def __call__(self, tool: str, args: dict[str, object], person: int) -> object:
        if person not in self._open:
            self._open[person] = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._open[person]
        writer.write(self._request(tool, args, person))
        answer = await reader.readuntil(b"\r\n\r\n")
        length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        said = await reader.readexactly(length)
        if not answer.startswith(b"HTTP/1.1 200") or b'"isError":true' in said:
            raise SystemExit(f"the server answers {answer!r} {said!r}")
        return said

    def _request(self, tool: str, args: dict[str, object], person: int) -> bytes:
        body = json.dumps({"args": args, "turn": {"chat": str(person), "user": person}}).encode()
        head = (
            f"POST /v1/tools/{tool} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def close(self) -> None:
        for _, writer in self._open.values():
            writer.close()


class Mcp(Rest):
    """The same over MCP, in the newest protocol."""

    def _request(self, tool: str, args: dict[str, object], person: int) -> bytes:
        version = "2026-07-28"
        meta = {f"io.modelcontextprotocol/{name}": value for name, value in self._client(version).items()}
        params = {"name": tool, "arguments": args, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: {version}\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            f"Zgadka-User: {person}\r\nZgadka-Chat: {person}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return head.encode() + body

    def _client(self, version: str) -> dict[str, object]:
        return {
            "protocolVersion": version,
            "clientInfo": {"name": "bench", "version": "1"},
            "clientCapabilities": {},
        }


async def over_http(path: Path, token: str, tool: str, seconds: float, door: type[Rest]) -> Run:
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--serve", str(path)), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    try:
        port = int((await server.stdout.readline()).rpartition(b":")[2])
        callers = door(port, token)
        await drive(callers, tool, 0.5)  # connections are made, and what is loaded late is loaded
        run = await drive(callers, tool, seconds)
        callers.close()
        return run
    finally:
        server.send_signal(signal.SIGTERM)
        await server.wait()


async def _serve(path: Path) -> None:
    from zgadka.adapters.mcp_http import McpOverHttp  # noqa: PLC0415  (only the server needs it)
    from zgadka.shell import stop_on_signals  # noqa: PLC0415  (as above)
    from zgadka.web.server import serve  # noqa: PLC0415  (as above)

    async def act(memory: Memory) -> None:
        await serve(
            memory,
            listen="127.0.0.1:0",
            authenticates=True,
            stop=stop_on_signals(),
            ready=lambda address: print(address, flush=True),
            make_mcp=partial(McpOverHttp, memory, hosts=None),
        )

    async with open_memory(f"sqlite:///{path}", settings=SETTINGS) as memory:
        await act(memory)


DOORS = {"rest": Rest, "mcp": Mcp}


async def measure(rounds: int, seconds: float) -> dict[str, dict[str, Run]]:
    """By tool and door, the median run of all rounds."""
    runs: dict[tuple[str, str], list[Run]] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shuffled = random.Random(1)
        for one in range(rounds):
            order = [(tool, door) for tool in ("recall", "remember") for door in ("engine", *DOORS)]
            shuffled.shuffle(order)
            for tool, door in order:
                path = folder / f"{one}-{tool}-{door}.db"
                token = await fill(path)
                if door == "engine":
                    run = await bare(path, tool, seconds)
                else:
                    run = await over_http(path, token, tool, seconds, DOORS[door])
                runs.setdefault((tool, door), []).append(run)
    found: dict[str, dict[str, Run]] = {}
    for (tool, door), some in sorted(runs.items()):
        found.setdefault(tool, {})[door] = sorted(some, key=lambda run: run.p95)[len(some) // 2]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--json", type=Path, help="write the figures there")
    given = parser.parse_args()
    if given.serve is not None:
        asyncio.run(_serve(given.serve))
        return
    with tempfile.TemporaryDirectory() as place:
        machine = _machine.describe(Path(place))
    found = asyncio.run(measure(given.rounds, given.seconds))
    print(f"{CALLERS} callers at once; milliseconds a call\n")
    print("| tool | door | calls/s | p50 | p95 | p99 |\n|---|---|---|---|---|---|")
    for tool, doors in found.items():
        for door, run in doors.items():
            print(f"| {tool} | {door} | {run.rate:.0f} | {run.p50:.1f} | {run.p95:.1f} | {run.p99:.1f} |")
    for tool, doors in found.items():
        for door in DOORS:
            more = doors[door].p95 - doors["engine"].p95
            print(f"\n{tool}: {door} adds {more:.1f} ms at p95 (target: under {TARGET_MS:.0f})")
    if given.json is not None:
        figures = {tool: {door: asdict(run) for door, run in doors.items()} for tool, doors in found.items()}
        given.json.write_text(json.dumps({"machine": machine, "callers": CALLERS, "runs": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
