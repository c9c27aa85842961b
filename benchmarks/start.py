"""How long zgadka takes to start, and what it takes of memory, in processes of their own.

Every program takes its turn within a round. Beside it stand an empty program and imports that others cannot avoid.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import _machine

from zgadka import Turn, open_memory

EMPTY, IMPORT, HELP, ANSWER = "an empty program", "`import zgadka`", "`zgadka --help`", "the first search answered"
MEMORIES = 100
_FILE = "memory.db"

_HELP = """
import sys
from zgadka.cli.main import main
sys.argv[1:] = ["--help"]
try:
    main()
except SystemExit:
    pass
"""
_ANSWER = f"""
import asyncio
from zgadka import Turn, open_memory

async def main():
    async with open_memory("sqlite:///{_FILE}") as memory:
        turn = Turn(platform="telegram", space="1", chat="1", user=1)
        found = await memory.recall(turn=turn, query="who plays chess?")
        assert found["count"]
        done()

asyncio.run(main())
"""
PROGRAMS = {EMPTY: "", IMPORT: "import zgadka", HELP: _HELP, ANSWER: _ANSWER}
OTHERS = ("asyncio", "pydantic", "pydantic_settings", "typer", "numpy")
"""What is imported for comparison, where it is installed."""

_REPORT = """
def done():
    import os, time
    peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
    os.write(2, f"{time.monotonic()} {time.process_time()} {peak[0]}\\n".encode())
"""


@dataclass(frozen=True)
class Run:
    """One process: seconds until it was done, seconds of CPU until then, and the most memory that it had."""

    wall: float
    cpu: float
    megabytes: float


@dataclass(frozen=True)
class Target:
    """What one program may take."""

    program: str
    seconds: float
    megabytes: float | None = None


TARGETS = (Target(IMPORT, 0.15), Target(HELP, 0.3), Target(ANSWER, 0.4, 65))


def run(name: str, program: str, folder: Path) -> Run:
    """Run a program in a new process, which reports when it is done, before it ends."""
    code = _REPORT + program + ("" if name == ANSWER else "\ndone()")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("ZGADKA_", "COV"))}
    started = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=environ,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise SystemExit(f"{name} failed: {ended.stderr}")
    done, cpu, peak = map(float, ended.stderr.split())
    return Run(done - started, cpu, peak / 1024)


async def fill(folder: Path) -> None:
    """Make a small database: one person's memories."""
    games = ("chess", "go", "tennis", "football", "cards")
    async with open_memory(f"sqlite:///{folder / _FILE}") as memory:
        for number in range(MEMORIES):
            turn = Turn(platform="telegram", space="1", chat="1", user=1, turn=str(number))
            await memory.remember(turn=turn, content=f"Friend {number} plays {games[number % 5]} on Mondays")


def measure(programs: dict[str, str], rounds: int) -> dict[str, Run]:
    """Run every program once a round, in another order each round; returns the medians."""
    shuffled, order = random.Random(1), list(programs)
    runs: dict[str, list[Run]] = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        asyncio.run(fill(folder))
        for one in range(rounds + 1):
            shuffled.shuffle(order)
            for name in order:
                figures = run(name, programs[name], folder)
                if one:  # the first round fills the system's cache and writes what Python compiles
                    runs[name].append(figures)
    return {name: _median(some) for name, some in runs.items()}


def _median(runs: Sequence[Run]) -> Run:
    return Run(*(statistics.median(getattr(one, name) for one in runs) for name in ("wall", "cpu", "megabytes")))


def report(machine: dict[str, str], figures: dict[str, Run], rounds: int) -> str:
    """Write everything as Markdown."""
    lines = ["# Start", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        f"Medians of {rounds} new processes each, which take turns. Time runs from before the process is made to when",
        f"it is done; memory is the most that was resident until then. The search is `recall` over {MEMORIES} memories",
        "of a database that exists, through `open_memory`, without an embedder. See `benchmarks/README.md`.",
        "",
        "| target | measured | met |",
        "|---|---|---|",
    ]
    for target in TARGETS:
        figure = figures[target.program]
        lines.append(_held(target.program, "s", target.seconds, round(figure.wall, 3)))
        if target.megabytes is not None:
            lines.append(_held(target.program, "MB", target.megabytes, round(figure.megabytes, 1)))
    lines += ["", "| process | wall ms | CPU ms | MB |", "|---|--:|--:|--:|"]
    lines += [
        f"| {name} | {one.wall * 1000:.0f} | {one.cpu * 1000:.0f} | {one.megabytes:.1f} |"
        for name, one in figures.items()
    ]
    return "\n".join(lines) + "\n"


def _held(program: str, unit: str, most: float, measured: float) -> str:
    return f"| {program}: at most {most} {unit} | {measured} {unit} | {'yes' if measured <= most else '**no**'} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    others = {f"`import {name}`": f"import {name}" for name in OTHERS if importlib.util.find_spec(name)}
    machine = _machine.describe(Path(tempfile.gettempdir()))
    load = os.getloadavg()[0]
    figures = measure(PROGRAMS | others, given.rounds)
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, figures, given.rounds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "start.md").write_text(text, "utf-8")
    written = {
        "machine": machine,
        "rounds": given.rounds,
        "start": [{"process": name} | asdict(one) for name, one in figures.items()],
    }
    (given.out / "start.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(text)


if __name__ == "__main__":
    main()
