"""How long the server takes for each page of the dashboard, and for a search at each key that is pressed.

Wall time and the process's processor time, which other work on the machine does not change.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import statistics
import time
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import _machine
import _stores
import httpx

from zgadka import Memory, Settings, open_memory
from zgadka.model.token import Grant
from zgadka.ops.personal_links import make_link
from zgadka.ops.tokens import add_token
from zgadka.web.app import build_app

TYPED = ("c", "co", "cof", "coffe", "coffee", "coffee m", "гор", "Київ", "zzzz")
PART = {"hx-request": "true"}
LAST = f"{2**51}-0-0"
"""A line of the activity after which there is none."""


def addresses(person: int, memory: int) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """What is asked for, by the name in the table, each with its headers."""
    pages = {
        "home": "",
        "growth, which home shows then": "/growth",
        "memories": "/memories",
        "memories, surest first": "/memories?sort=sure&kind=fact",
        "a memory": f"/memories/{memory}",
        "500 chosen": "/memories/chosen",
        "people": "/people",
        "a person": f"/people/{person}",
        "places": "/places",
        "activity": "/activity",
        "activity, nothing newer": f"/activity?newer={LAST}",
        "questions": "/questions",
        "what the model sees": f"/model?person={person}&text=coffee",
        "charts": "/boards/usage",
    }
    whole = {name: (f"/dashboard{path}", dict[str, str]()) for name, path in pages.items()}
    parts = {f"typed “{text}”": (f"/dashboard/memories?q={text}", PART) for text in TYPED}
    return whole | {"own page": ("/me", dict[str, str]())} | parts


async def measure(memory: Memory, rounds: int) -> dict[str, tuple[list[float], list[float]]]:
    """Milliseconds of wall and processor time, by what was asked for."""
    app = build_app(memory)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=60) as client:
        _, token = await memory.apply(add_token, Grant(token=0, role="operator", reads=True))
        await client.post("/dashboard/login", data={"token": token})
        person, row = await memory.look(lambda tx: (tx.owners.find("person", _stores.PLATFORM, "1"), 1000))
        link = await memory.apply(make_link, _stores.PLATFORM, "1", timedelta(hours=9))
        await client.post(f"/me/{link}", data={"open": "page"})
        wanted = addresses(person or 0, row)
        times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in wanted}
        for _ in range(rounds):
            for name, (path, headers) in wanted.items():
                began, spent = time.perf_counter(), time.process_time()
                answer = await client.get(path, headers=headers)
                wall, processor = times[name]
                wall.append((time.perf_counter() - began) * 1000)
                processor.append((time.process_time() - spent) * 1000)
                answer.raise_for_status()
    app.close()
    return times


def p95(values: list[float]) -> float:
    """What 95 of 100 stay below."""
    return sorted(values)[max(0, round(len(values) * 0.95) - 1)]


async def run(size: int, people: int, rounds: int) -> None:
    """Fill or find the store, measure on a copy of it, and print the table."""
    settings = Settings(background=False, serve_calls_per_minute=10**6)
    store = await _stores.filled(size, people)
    with _stores.copy_of(store, "dashboard") as path:
        async with open_memory(f"sqlite:///{path}", settings=settings) as memory:
            times = await measure(memory, rounds)
        print(f"{size:,} memories of {people:,} people; {_machine.describe(Path(path).parent)}\n")
    print("| page | wall p50, ms | wall p95 | processor p50 | processor p95 |\n|---|---|---|---|---|")
    typed = [values for name, values in times.items() if name.startswith("typed")]
    times["all typed"] = ([ms for wall, _ in typed for ms in wall], [ms for _, processor in typed for ms in processor])
    for name, (wall, processor) in times.items():
        figures = (statistics.median(wall), p95(wall), statistics.median(processor), p95(processor))
        print(f"| {name} | {' | '.join(f'{figure:.1f}' for figure in figures)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    logging.disable(logging.INFO)
    asyncio.run(run(given.size, given.people, given.rounds))
