"""A process of its own that answers questions, and says how soon it did and how much memory it has; prints JSON.

It imports nothing that a host would not.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from zgadka import Memory, Settings, Turn, open_memory


async def _answer(memory: Memory, person: int, number: int, query: str) -> None:
    name = str(person)
    turn = Turn(platform="bench", space=name, chat=name, user=name, turn=f"footprint-{number}", direct=True)
    result = await memory.call("recall", {"query": query}, turn)
    if result.status != "success":
        raise RuntimeError(f"expected success, got {result}")


def _memory_of_process() -> dict[str, int]:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    found = dict(line.split(":", 1) for line in lines)
    return {"now": int(found["VmRSS"].split()[0]) * 1024, "peak": int(found["VmHWM"].split()[0]) * 1024}


async def main(path: str, began: float, people: int) -> dict[str, float]:
    """Answer one question, then three of each person, so that the indexes fill what they may."""
    async with open_memory(f"sqlite:///{path}", settings=Settings(memory_tool_async=False)) as memory:
        await _answer(memory, 1, 0, "chess on Sundays")
        first: dict[str, float] = {"seconds": time.time() - began, "first": _memory_of_process()["now"]}
        for number in range(3 * people):
            await _answer(memory, 1 + number // 3, number + 1, "chess on Sundays")
        used = _memory_of_process()
    return first | {"used": used["now"], "peak": used["peak"]}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))))
