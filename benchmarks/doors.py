"""What a tool call costs through the doors: REST and MCP with 100 connections each, beside the bare engine.

Each server runs in a process of its own, on a database of its own that holds the same as the others'; its callers are
another process. Every door takes its turn within a round, in another order each round.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
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
from typing import Any

import _machine

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token

CALLERS = 100
MEMORIES = 50
TARGET_MS = 50.0
PACES = (1.0, 0.5, 0.0)
"""Seconds from one call of a caller to the next; 0: it calls again as soon as it is answered."""
# At full load calls wait for each other; put in line instead, they would not be measured.
SETTINGS = Settings(serve_calls_per_minute=0, calls_per_hour=0, memory_tool_timeout_ms=60_000)
Call = Callable[[str, dict[str, object], int], Awaitable[object]]


@dataclass(frozen=True)
class Run:
    """Calls a second; milliseconds a call; milliseconds a call of the answering process' CPU."""

    rate: float
    p50: float
    p95: float
    p99: float
    cpu: float


Runs = dict[float, Run]
"""By pace."""


def arguments(tool: str, number: int) -> dict[str, object]:
    if tool == "recall":
        return {"query": f"what about topic {number % MEMORIES}?"}
    return {"content": f"a thing that was said for the {number}th time, {random.random()}"}


async def drive(call: Call, tool: str, seconds: float, pace: float, cpu: Callable[[], float]) -> Run:
    """Let every caller call again and again.

    What is called at a pace has a time at which it is due, and is measured from then: a call that holds up the next one
    makes that one late, too.
    """
    taken: list[float] = []
    began, used = time.perf_counter(), cpu()

    async def caller(number: int) -> None:
        due, count = began + pace * number / CALLERS, 0
        while due < began + seconds:
            await asyncio.sleep(due - time.perf_counter())
            await call(tool, arguments(tool, count), number)
            ended = time.perf_counter()
            taken.append((ended - due) * 1000)
            due, count = due + pace if pace else ended, count + 1

    await asyncio.gather(*(caller(number) for number in range(CALLERS)))
    cuts = statistics.quantiles(taken, n=100)
    rate = len(taken) / (time.perf_counter() - began)
    return Run(rate, cuts[49], cuts[94], cuts[98], (cpu() - used) * 1000 / len(taken))


async def drive_all(call: Call, tool: str, seconds: float, cpu: Callable[[], float]) -> Runs:
    """The same at every pace, after a moment in which connections are made, and what is loaded late is loaded."""
    await drive(call, tool, 0.5, 0, cpu)
    return {pace: await drive(call, tool, seconds, pace, cpu) for pace in PACES}


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


async def bare(path: Path, tool: str, seconds: float) -> Runs:
    async with open_memory(f"sqlite:///{path}", settings=SETTINGS) as memory:
        return await drive_all(
            lambda name, args, person: memory.call(name, args, turn_of(person)), tool, seconds, time.process_time
        )


def cpu_of(process: int) -> float:
    """Seconds of CPU that another process used; needs Linux."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


async def over_http(path: Path, token: str, tool: str, seconds: float, door: type[Rest]) -> Runs:
    server = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "--serve", str(path)), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    try:
        port = int((await server.stdout.readline()).rpartition(b":")[2])
        callers = door(port, token)
        runs = await drive_all(callers, tool, seconds, partial(cpu_of, server.pid))
        callers.close()
        return runs
    finally:
        server.send_signal(signal.SIGTERM)
        await server.wait()


async def _serve(path: Path) -> None:
    from zgadka.cli.shell import stop_on_signals  # noqa: PLC0415  (as above)
    from zgadka.mcp.http import McpOverHttp  # noqa: PLC0415  (only the server needs it)
    from zgadka.web.server import serve  # noqa: PLC0415  (as above)

    def ready(address: str) -> None:
        gc.freeze()  # as the command does
        print(address, flush=True)

    async def act(memory: Memory) -> None:
        await serve(
            memory,
            listen="127.0.0.1:0",
            authenticates=True,
            stop=stop_on_signals(),
            ready=ready,
            make_mcp=partial(McpOverHttp, memory, hosts=None),
        )

    async with open_memory(f"sqlite:///{path}", settings=SETTINGS) as memory:
        await act(memory)


TOOLS = ("recall", "remember")
ENGINE = "engine"
DOORS = {"REST": Rest, "MCP": Mcp}
FULL_LOAD = """\
Who calls again as soon as they are answered keep the server busy all the time: a call then waits for 99 others, and its
time is 100 times what the process needs for one, its own part and the engine's. What a door adds there is that queue,
not what a call waits for where the server keeps up."""


async def measure(rounds: int, seconds: float) -> list[dict[str, Any]]:
    """The median runs of all rounds, by tool, pace and door."""
    runs: dict[tuple[str, float, str], list[Run]] = {}
    with tempfile.TemporaryDirectory() as place:
        shuffled = random.Random(1)
        order = [(tool, door) for tool in TOOLS for door in (ENGINE, *DOORS)]
        for one in range(rounds):
            shuffled.shuffle(order)
            for tool, door in order:
                path = Path(place) / f"{one}-{tool}-{door}.db"
                token = await fill(path)
                if door == ENGINE:
                    found = await bare(path, tool, seconds)
                else:
                    found = await over_http(path, token, tool, seconds, DOORS[door])
                for pace, run in found.items():
                    runs.setdefault((tool, pace, door), []).append(run)
    medians = {which: sorted(some, key=lambda run: run.p95)[len(some) // 2] for which, some in runs.items()}
    return [
        {"tool": tool, "pace": pace, "door": door, **asdict(medians[tool, pace, door])}
        | {"added": medians[tool, pace, door].p95 - medians[tool, pace, ENGINE].p95}
        for tool in TOOLS
        for pace in PACES
        for door in (ENGINE, *DOORS)
    ]


def report(machine: dict[str, str], runs: list[dict[str, Any]], rounds: int, seconds: float) -> str:
    """Write everything as Markdown."""
    lines = ["# Doors", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += ["See `benchmarks/README.md`.", "", "| target | measured | met |", "|---|---|---|"]
    for run in runs:
        if run["door"] != ENGINE and run["pace"]:
            met = "yes" if run["added"] < TARGET_MS else "**no**"
            said = f"{run['tool']} through {run['door']}, {_paced(run['pace'])}: adds under {TARGET_MS:.0f} ms at p95"
            lines.append(f"| {said} | {run['added']:.1f} ms | {met} |")
    lines += [
        "",
        f"{CALLERS} callers with a connection each; medians of {rounds} rounds of {seconds:g} s, in milliseconds.",
        "`CPU` is that of the process that answers; the engine's has its callers in it.",
    ]
    for tool in TOOLS:
        lines += ["", f"## {tool}", "", "| each caller calls | door | calls/s | p50 | p95 | p99 | CPU | added at p95 |"]
        lines += ["|---|---|--:|--:|--:|--:|--:|--:|"]
        lines += [
            f"| {_paced(run['pace'])} | {run['door']} | {run['rate']:.0f} | {run['p50']:.1f} | {run['p95']:.1f} |"
            f" {run['p99']:.1f} | {run['cpu']:.2f} | {'' if run['door'] == ENGINE else format(run['added'], '.1f')} |"
            for run in runs
            if run["tool"] == tool
        ]
    lines += ["", FULL_LOAD]
    return "\n".join(lines) + "\n"


def _paced(pace: float) -> str:
    return f"every {pace:g} s" if pace else "as soon as it is answered"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    if given.serve is not None:
        from zgadka.web.server import new_loop  # noqa: PLC0415  (as above)

        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(given.serve))
        return
    with tempfile.TemporaryDirectory() as place:
        machine = _machine.describe(Path(place))
    load = os.getloadavg()[0]
    runs = asyncio.run(measure(given.rounds, given.seconds))
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, runs, given.rounds, given.seconds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "doors.md").write_text(text, "utf-8")
    written = {"machine": machine, "callers": CALLERS, "rounds": given.rounds, "doors": runs}
    (given.out / "doors.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
