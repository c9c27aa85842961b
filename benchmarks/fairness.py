"""One heavy caller beside twenty ordinary ones: what the ordinary ones wait with it and without, and who is busy."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import _corpus
import _machine
import _stores
import erase
import growth
import growth_person
import postgres

from zgadka import Memory, Settings, open_memory
from zgadka.assemble import move

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "support"))
from postgres_server import PostgresServer

_CALLERS = 20
_FIRST = 500_000
"""The number of the first ordinary caller."""
_MEMORIES = 20
_PAUSE_SECONDS = 0.1, 0.3
"""Between an ordinary caller's answer and their next call."""
_WARM_UP_SECONDS = 2.0
_BATCH = 500
_SHIFT = 1_000

Call = Callable[[], Awaitable[object]]


@dataclass
class Phase:
    """What callers waited for while something was so, in milliseconds.

    Attributes:
        heavy: What each of the heavy caller's own calls took.
    """

    reads: list[float] = field(default_factory=list[float])
    writes: list[float] = field(default_factory=list[float])
    heavy: list[float] = field(default_factory=list[float])
    answers: Counter[str] = field(default_factory=Counter[str])

    def add(self, other: Phase) -> None:
        """Take up what they waited for in another phase."""
        self.reads += other.reads
        self.writes += other.writes
        self.answers += other.answers


@dataclass(frozen=True)
class Heavy:
    """What a heavy caller does.

    Attributes:
        make: One call, by the number of the person who makes it.
        at_once: How many they make at the same time; each again as soon as it is answered.
        is_final: Whether nothing is left of the person afterwards: each call is another's.
    """

    make: Callable[[Memory, int], Awaitable[object]]
    at_once: int = 1
    is_final: bool = False


def _alone(person: int, **more: Any) -> Any:
    return _stores.turn_of(person, f"heavy-{time.perf_counter_ns()}", **more)


async def _suggest(memory: Memory, person: int) -> None:
    result = await memory.call("suggest_merge", {"user_id": person}, _alone(person))
    assert result.status in ("success", "busy"), result


async def _clear(memory: Memory, person: int) -> None:
    arguments = {"user_id": person, "reason": "asked for"}
    asked = await memory.call("clear_profile", arguments, _alone(person))
    assert asked.status == "confirmation_required", asked
    result = await memory.call("clear_profile", arguments, _alone(person, text="Yes, everything"))
    assert result.status == "deleted", result


async def _erase(memory: Memory, person: int) -> None:
    receipt = await memory.erase(_alone(person))
    assert receipt.scrubbed


async def _context(memory: Memory, person: int) -> None:
    chance = random.Random(time.perf_counter_ns())
    query = " ".join(growth.text_of(chance.randrange(10_000)).split()[:4])
    await memory.build_context(growth.turn_of(person % 40, 0, turn=f"c{query}", text=query), 1_000)


async def _export(memory: Memory, person: int) -> None:
    await memory.export(_alone(person))


KINDS = {
    "export": Heavy(_export),
    "four exports": Heavy(_export, at_once=4),
    "suggest_merge": Heavy(_suggest),
    "four suggest_merge": Heavy(_suggest, at_once=4),
    "context": Heavy(_context),
    "four contexts": Heavy(_context, at_once=4),
    "clear_profile": Heavy(_clear, is_final=True),
    "erase": Heavy(_erase, is_final=True),
}


def _settings(**more: Any) -> Settings:
    return Settings(max_facts=10**6, max_notes=10**6, message_days=100_000, calls_per_hour=0, **more)


async def _filled(memories: int, people: int, messages: int) -> Path:
    """A store of so many heavy people with so many memories each, a chat, and the ordinary callers; made once."""
    name = f"fairness-{memories}-{people}-{messages}-{_stores.words_hash()[:8]}.db"
    path = _stores.folder() / name
    if path.exists():
        return path
    unfinished = path.with_suffix(".unfinished")
    _stores.discard(unfinished)
    url = f"sqlite:///{unfinished}"
    async with open_memory(url, settings=_settings(background=False)) as memory:
        for first in range(0, memories, _BATCH):
            print(f"\r\033[K{first:,} memories", end="", file=sys.stderr)
            await memory.apply(growth_person.keep, 1, range(first, first + _BATCH))
    erase.multiply(unfinished, people, "name + {number} * " + str(_SHIFT))
    await growth.fill(unfinished, messages)
    async with open_memory(url, settings=_settings(background=False)) as memory:
        for caller in range(_CALLERS):
            await memory.apply(growth_person.keep, _FIRST + caller, range(_MEMORIES))
        await memory.tidy()  # it is swept for the first time
    unfinished.rename(path)
    return path


class _Callers:
    """Twenty people who ask and say something now and then."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._made = 0
        self.phase = Phase()

    async def run(self, seconds: float, heavy: Sequence[Awaitable[list[float]]] = ()) -> Phase:
        """What they wait for so long, and until the heavy calls are done, which return what each took."""
        phase = self.phase = Phase()
        working = [asyncio.ensure_future(call) for call in heavy]
        callers = [asyncio.create_task(self._call(_FIRST + number)) for number in range(_CALLERS)]
        await asyncio.sleep(seconds)
        phase.heavy = [taken for each in await asyncio.gather(*working) for taken in each]
        for caller in callers:
            caller.cancel()
        await asyncio.gather(*callers, return_exceptions=True)
        return phase

    async def _call(self, person: int) -> None:
        chance = random.Random(person)
        while True:
            await asyncio.sleep(chance.uniform(*_PAUSE_SECONDS))
            self._made += 1
            turn = _stores.turn_of(person, f"ordinary-{person}-{self._made}", _corpus.typical_query(chance))
            await self._ask(chance.randrange(4), person, turn, chance)

    async def _ask(self, what: int, person: int, turn: Any, chance: random.Random) -> None:
        phase = self.phase
        began = time.perf_counter()
        match what:
            case 0:
                result = await self._memory.call("recall", {"query": turn.text}, turn)
            case 1:
                result = await self._memory.call("recall_facts", {"user_id": person, "limit": 10}, turn)
            case 2:
                await self._memory.build_context(turn, 1_000)
                result = None
            case _:
                fact = _corpus.fact(chance, self._made + 30_000_000)
                of = {"fact_type": fact.type, "fact_key": fact.key, "fact_value": fact.value}
                result = await self._memory.call("remember_fact", {"user_id": person, "confidence": 0.9} | of, turn)
        taken = (time.perf_counter() - began) * 1000
        (phase.writes if what == 3 else phase.reads).append(taken)
        phase.answers["success" if result is None else result.status] += 1


async def _measure(url: str, heavy: Heavy, people: Sequence[int], seconds: float, rounds: int) -> list[list[Phase]]:
    """Of each round the phases without the heavy caller, before and after, as one, and the phase with."""
    phases: list[list[Phase]] = []
    async with open_memory(url, settings=_settings()) as memory:
        callers = _Callers(memory)
        await callers.run(_WARM_UP_SECONDS)
        if not heavy.is_final:
            await heavy.make(memory, people[0])
        for number in range(rounds):
            phase_alone = await callers.run(seconds / 2)
            person = people[number if heavy.is_final else 0]
            calls = [_again(memory, heavy, person, seconds) for _ in range(heavy.at_once)]
            phase_beside = await callers.run(seconds, calls)
            phase_alone.add(await callers.run(seconds / 2))
            phases.append([phase_alone, phase_beside])
    return phases


async def _again(memory: Memory, heavy: Heavy, person: int, seconds: float) -> list[float]:
    """Milliseconds of the heavy calls, of which each begins when the last was answered."""
    ends, taken = time.perf_counter() + seconds, list[float]()
    while not taken or (time.perf_counter() < ends and not heavy.is_final):
        began = time.perf_counter()
        await heavy.make(memory, person)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


def _percentile(values: Sequence[float], percent: int) -> float:
    return sorted(values)[len(values) * percent // 100]


def _row(store: str, name: str, phases: Sequence[Sequence[Phase]]) -> str:
    """A line of the table: medians of the rounds' percentiles, and of their ratios."""
    cells = [store, name, f"{statistics.median(taken for _, beside in phases for taken in beside.heavy):,.0f}"]
    for kind in ("reads", "writes"):
        for percent in (50, 95):
            pairs = [[_percentile(getattr(phase, kind), percent) for phase in pair] for pair in phases]
            alone, beside = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
            cells.append(f"{alone:.1f} → {beside:.1f}")
        cells.append(f"{statistics.median(beside / alone for alone, beside in pairs):.1f}")  # of the last: p95
    for side in (0, 1):
        answers = sum((pair[side].answers for pair in phases), Counter[str]())
        cells.append(f"{answers['busy']} / {answers['queued']} of {answers.total():,}")
    return f"| {' | '.join(cells)} |"


_HEAD = """\
| store | heavy caller | its call | reads p50 | reads p95 | ratio | writes p50 | writes p95 | ratio | busy / queued \
without | with |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"""


@contextmanager
def _urls(kinds: Sequence[str], store: Path) -> Generator[dict[str, str]]:
    urls: dict[str, str] = {}
    with _stores.copy_of(store, "fairness") as copy:
        if "sqlite" in kinds:
            urls["sqlite"] = f"sqlite:///{copy}"
        server = PostgresServer(durable=True) if "postgres" in kinds else None
        try:
            if server is not None:
                server.stop()
                server.start(*postgres.SERVER)
                urls["postgres"] = server.database_for(_stores.folder() / "fairness")
                move(f"sqlite:///{store}", urls["postgres"])
            yield urls
        finally:
            if server is not None:
                server.remove()


def main() -> None:
    """Fill a store, measure beside each heavy caller, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=20_000, help="of each heavy person")
    parser.add_argument("--people", type=int, default=10, help="so many of them")
    parser.add_argument("--messages", type=int, default=100_000, help="of the chat")
    parser.add_argument("--seconds", type=float, default=6.0, help="of each phase")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--stores", default="sqlite,postgres")
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    path = asyncio.run(_filled(options.memories, options.people, options.messages))
    print("\n".join(f"- {name}: {value}" for name, value in _machine.describe(_stores.folder()).items()))
    print(_HEAD, flush=True)
    people = [1 + _SHIFT * number for number in range(options.people)]
    with _urls(options.stores.split(","), path) as urls:
        for store, url in urls.items():
            left = people[1:]  # the first is who asks again and again
            for name in kinds:
                heavy = KINDS[name]
                callers, left = (left[: options.rounds], left[options.rounds :]) if heavy.is_final else (people, left)
                phases = asyncio.run(_measure(url, heavy, callers, options.seconds, options.rounds))
                print(_row(store, name, phases), flush=True)


if __name__ == "__main__":
    main()
