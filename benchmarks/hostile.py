"""What hostile clients cost the others: `zgadka serve` with 90 good clients, without and with 10 hostile ones.

The server is the command itself, with its default settings, in a process of its own; the hostile clients are another
process. Each round measures the good clients without them, then with them. A hostile client has many connections, and
an address of its own but for those with wrong tokens: these come from where the good ones are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _machine

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.token import Grant
from zgadka.ops.tokens import add_token

GOOD, MEMORIES, PACE = 90, 30, 1.0
HOME = "127.0.0.1"
PATIENCE = 10.0
"""Seconds after which a good client's request counts as lost."""
NETWORK = 0.05
"""Seconds from an answer to the next request of a hostile connection: what a network takes at least."""
KINDS = {"wrong tokens": (3, 5), "slow bodies": (3, 60), "idle connections": (2, 300), "floods of questions": (2, 10)}
"""How many hostile clients of a kind, and how many connections each has."""
ZGADKA = [sys.executable, "-c", "from zgadka.cli.main import main; main()"]


@dataclass(frozen=True)
class Run:
    """Requests of the good clients; milliseconds from when each was due."""

    requests: int
    lost: int
    statuses: dict[int, int]
    p50: float
    p95: float


def request(token: str, tool: str, args: dict[str, object], person: int, *, missing: int = 0) -> bytes:
    """A call as it is sent; of its body, so many bytes are announced that do not come."""
    body = json.dumps({"args": args, "turn": {"chat": str(person), "user": person}}).encode()
    head = (
        f"POST /v1/tools/{tool} HTTP/1.1\r\nHost: {HOME}\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body) + missing}\r\n\r\n"
    )
    return head.encode() + body


async def answer_to(reader: asyncio.StreamReader) -> int:
    """The status of the next answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    await reader.readexactly(int(length[1]) if length else 0)
    return int(head.split(b" ", 2)[1])


class Good:
    """A client that calls at its pace, half of the calls `recall`, half `remember`; it connects again where it must."""

    def __init__(self, port: int, token: str, number: int) -> None:
        self._port, self._token, self._number = port, token, number
        self._open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.times: list[float] = []
        self.statuses: Counter[int] = Counter()
        self.lost = 0

    async def run(self, seconds: float) -> None:
        began = time.perf_counter()
        due, count = began + PACE * self._number / GOOD, 0
        while due < began + seconds:
            await asyncio.sleep(due - time.perf_counter())
            try:
                async with asyncio.timeout(PATIENCE):
                    status = await self._call(count)
            except (OSError, TimeoutError, asyncio.IncompleteReadError):
                status, self._open = 0, None
            self.statuses[status] += 1
            self.times.append((time.perf_counter() - due) * 1000)
            self.lost += status not in (200, 202)  # 202: it is on disk, and done in a moment
            due, count = due + PACE, count + 1

    async def _call(self, count: int) -> int:
        if self._open is None:
            self._open = await asyncio.open_connection(HOME, self._port)
        reader, writer = self._open
        args: dict[str, object] = {"content": f"says {random.random()}"}
        if count % 2:
            args = {"query": f"topic {count % MEMORIES}"}
        writer.write(request(self._token, "recall" if count % 2 else "remember", args, self._number))
        return await answer_to(reader)


async def measure(port: int, tokens: list[str], seconds: float) -> Run:
    clients = [Good(port, token, number) for number, token in enumerate(tokens)]
    await asyncio.gather(*(client.run(seconds) for client in clients))
    times = [taken for client in clients for taken in client.times]
    cuts = statistics.quantiles(times, n=100)
    statuses = sum((client.statuses for client in clients), Counter[int]())
    return Run(len(times), sum(client.lost for client in clients), dict(statuses), cuts[49], cuts[94])


async def hostile(port: int, token: str) -> None:
    """All hostile clients, until the process is ended."""
    tasks: list[asyncio.Task[None]] = []
    for place, (kind, (clients, connections)) in enumerate(KINDS.items(), 2):
        for client in range(clients):
            address = HOME if kind == "wrong tokens" else f"127.0.{place}.{client + 1}"
            tasks += [asyncio.create_task(_bother(kind, address, port, token)) for _ in range(connections)]
    print("begun", flush=True)
    await asyncio.gather(*tasks)


async def _bother(kind: str, address: str, port: int, token: str) -> None:
    while True:
        with suppress(OSError, asyncio.IncompleteReadError):
            reader, writer = await asyncio.open_connection(HOME, port, local_addr=(address, 0))
            try:
                await _bother_once(kind, reader, writer, token)
            finally:
                writer.close()
        await asyncio.sleep(1)


async def _bother_once(kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
    match kind:
        case "idle connections":
            await reader.read()
        case "slow bodies":
            writer.write(request(token, "recall", {"query": "x"}, 7, missing=100_000))
            while not reader.at_eof() and not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.5):
                        await reader.read(1)
        case _:
            wrong, count = kind == "wrong tokens", 0
            while True:
                count += 1
                args: dict[str, object] = {"memory_id": str(count)} if count % 2 else {"query": f"topic {count}"}
                shown = f"zgadka_{count}_{random.randbytes(24).hex()}" if wrong else token
                writer.write(request(shown, "forget", args, 5))
                await answer_to(reader)
                await asyncio.sleep(NETWORK)


async def fill(url: str) -> list[str]:
    """Make the database; returns a token for each good client, and one for the hostile ones."""
    limits = Settings(calls_per_hour=0, memory_tool_async=False, background=False)
    async with open_memory(url, settings=limits) as memory:

        async def remember(person: int) -> None:
            turn = Turn(platform="bench", space=str(person), chat=str(person), user=person)
            for number in range(MEMORIES):
                await memory.call("remember", {"content": f"topic {number}: something to remember"}, turn)

        await asyncio.gather(*map(remember, range(GOOD)))
        return [await _token(memory) for _ in range(GOOD + 1)]


async def _token(memory: Memory) -> str:
    _, token = await memory.apply(add_token, Grant(token=0, role="service", platforms=("bench",)))
    return token


def begin(command: list[str], environ: dict[str, str], pattern: str) -> tuple[subprocess.Popen[str], str]:
    """A process, and what it says first."""
    process = subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    while (match := re.search(pattern, line := process.stdout.readline())) is None:
        if not line:
            raise SystemExit(f"{command} ended")
    return process, match[1]


def paired(rounds: int, seconds: float) -> list[tuple[Run, Run]]:
    """Each round's run without the hostile clients, and with them."""
    runs: list[tuple[Run, Run]] = []
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/memory.db"
        *tokens, stolen = asyncio.run(fill(url))
        environ = {name: value for name, value in os.environ.items() if not name.startswith("ZGADKA_")}
        environ |= {"ZGADKA_DATABASE": url, "PYTHONUNBUFFERED": "1"}
        server, port = begin([*ZGADKA, "serve", "--listen", f"{HOME}:0"], environ, r"serving at http://[^:]+:(\d+)")
        try:
            asyncio.run(measure(int(port), tokens, 2))  # what is loaded late is loaded
            for _ in range(rounds):
                alone = asyncio.run(measure(int(port), tokens, seconds))
                others, _ = begin([sys.executable, __file__, "--hostile", port, stolen], environ, "(begun)")
                try:
                    time.sleep(1)
                    runs.append((alone, asyncio.run(measure(int(port), tokens, seconds))))
                finally:
                    others.kill()
                    others.wait()
                time.sleep(1)
        finally:
            server.terminate()
            server.wait(20)
    return runs


def report(machine: dict[str, str], runs: list[tuple[Run, Run]], seconds: float) -> str:
    """Write everything as Markdown."""
    lost = sum(beset.lost for _, beset in runs)
    ratio = statistics.median(beset.p95 / alone.p95 for alone, beset in runs)
    lines = ["# Hostile clients", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += ["See `benchmarks/README.md`.", "", "| target | measured | met |", "|---|---|---|"]
    requests = sum(beset.requests for _, beset in runs)
    lines += [
        f"| good clients lose nothing | {lost} of {requests} lost | {_met(lost == 0)} |",
        f"| their p95 at most doubles | × {ratio:.2f}, the median of the rounds | {_met(ratio <= 2)} |",
        "",
        f"{GOOD} good clients call every {PACE:g} s, by turns `remember` and `recall`; rounds of {seconds:g} s, each"
        " without and with the hostile ones: "
        + ", ".join(f"{clients} of {kind}, {each} connections each" for kind, (clients, each) in KINDS.items())
        + ". Milliseconds from when a call was due to its answer.",
        "",
        "| round | hostile clients | requests | lost | p50 | p95 |",
        "|--:|---|--:|--:|--:|--:|",
    ]
    for number, pair in enumerate(runs, 1):
        for name, run in zip(("none", "10"), pair, strict=True):
            lines.append(f"| {number} | {name} | {run.requests} | {run.lost} | {run.p50:.1f} | {run.p95:.1f} |")
    return "\n".join(lines) + "\n"


def _met(holds: bool) -> str:
    return "yes" if holds else "**no**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hostile", nargs=2, metavar=("PORT", "TOKEN"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    if given.hostile is not None:
        asyncio.run(hostile(int(given.hostile[0]), given.hostile[1]))
        return
    with tempfile.TemporaryDirectory() as place:
        machine = _machine.describe(Path(place))
    load = os.getloadavg()[0]
    runs = paired(given.rounds, given.seconds)
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    text = report(machine, runs, given.seconds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "hostile.md").write_text(text, "utf-8")
    written: dict[str, Any] = {"machine": machine, "rounds": [[asdict(run) for run in pair] for pair in runs]}
    (given.out / "hostile.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
