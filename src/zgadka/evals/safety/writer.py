"""A process that only writes until it is killed: `python -m zgadka.evals.safety.writer URL`.

It takes calls as lines, makes them side by side, and answers each, in their order, once it is acknowledged.
"""

from __future__ import annotations

import asyncio
import json
import sys

from zgadka.assemble import open_memory
from zgadka.evals.safety.doors import SETTINGS
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn


async def write(url: str) -> None:
    """Make the calls of standard input until it ends."""
    begun: asyncio.Queue[asyncio.Task[ToolResult] | None] = asyncio.Queue()

    async def answer() -> None:
        while (call := await begun.get()) is not None:
            sys.stdout.write((await call).json() + "\n")
            sys.stdout.flush()

    async with open_memory(url, settings=SETTINGS) as memory:
        answering = asyncio.create_task(answer())
        while line := await asyncio.to_thread(sys.stdin.readline):
            request = json.loads(line)
            turn = Turn.from_json(request["turn"])
            begun.put_nowait(asyncio.create_task(memory.call(request["tool"], request["args"], turn)))
        begun.put_nowait(None)
        await answering


if __name__ == "__main__":
    asyncio.run(write(sys.argv[1]))
