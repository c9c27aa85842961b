"""CPU and SQL statements of a call in several versions of the program, which take turns.

Each version is a process of its own over a store of its own, filled by itself; they are asked one after the other, so
that what else the machine does falls on all of them alike. CPU is of the whole process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import _corpus
import apsw

from zgadka import Memory, Settings, Turn, open_memory

_SETTINGS = Settings(memory_tool_async=False, background=False, activity_days=0)
_HERE = str(Path(__file__).parents[1])
_MESSAGES = 12
"""So many are said in each chat before anything is measured."""

_ROWS, _FEWEST = 15_000, 3
"""Where each person has many memories, there are so many in all, of so many people at least: or filling takes long."""

Answer = Any
Calls = Sequence[Callable[[], Any]]


class Person:
    """One who makes each call once a round, with what they have been answered."""

    def __init__(self, number: int, *, is_direct: bool) -> None:
        self.number = number
        self._chat = str(number) if is_direct else f"group-{number % 10}"
        self._is_direct = is_direct
        self._turns = 0
        self.facts: list[tuple[_corpus.Fact, int]] = []
        self.note = 0

    def turn(self, text: str | None = None) -> Turn:
        self._turns += 1
        name = f"{self.number}-{self._turns}"
        return Turn(
            platform="bench", space=self._chat, chat=self._chat, user=self.number, turn=name, text=text, message=name,
            direct=self._is_direct,
        )  # fmt: skip


class Round:
    """What is called in a round, in order: each phase is a call of every person."""

    def __init__(self, memory: Memory, people: Sequence[Person], seed: int) -> None:
        self._memory = memory
        self._people = people
        self._random = random.Random(seed)
        self._numbers = iter(range(1_000_000, 2_000_000))

    def phases(self) -> Iterator[tuple[str, Callable[[Person], Any]]]:
        yield "remember_fact, first", self._remember_fact
        for name in ("", "recall_facts", "recall_facts, query", "recall", "build_context", "forget, query"):
            yield name, self._looks if not name else partial_of(self._look, name)
        yield "remember_fact", self._remember_fact
        yield "remember_fact, again", self._remember_again
        yield "update_fact", self._update
        yield "update_fact, correction", self._correct
        yield "merge_facts", self._merge
        yield "forget_fact", self._forget_fact
        yield "remember", self._remember
        yield "forget, ask", self._forget
        yield "forget, confirm", self._forget

    async def _call(
        self, person: Person, tool: str, *statuses: str, text: str | None = None, **arguments: Any
    ) -> Answer:
        if "fact" in tool:
            arguments["user_id"] = person.number
        result = await self._memory.call(tool, arguments, person.turn(text))
        if result.status not in statuses:
            raise RuntimeError(f"expected {statuses}, got {result}")
        return result

    async def _looks(self, person: Person) -> None:
        for _ in range(2):
            for name in ("recall_facts, query", "recall", "build_context"):
                await self._look(name, person)

    async def _look(self, name: str, person: Person) -> None:
        query = _corpus.query(self._random)
        match name:
            case "recall_facts":
                await self._call(person, name, "success")
            case "recall_facts, query":
                await self._call(person, "recall_facts", "success", search_query=query)
            case "recall":
                await self._call(person, name, "success", query=query)
            case "build_context":
                await self._memory.build_context(person.turn(query), query=query)
            case _:
                await self._call(person, "forget", "candidates", "nothing_found", query=query)

    async def _remember_fact(self, person: Person) -> None:
        if person.facts:  # one that can be merged with it
            before = person.facts[0][0]
            value = _corpus.value(self._random, before.key, next(self._numbers))
            fact = _corpus.Fact(before.type, before.key, value)
        else:
            fact = _corpus.fact(self._random, next(self._numbers))
        result = await self._say(person, fact, "success")
        person.facts.append((fact, result["fact_id"]))

    async def _remember_again(self, person: Person) -> None:
        await self._say(person, person.facts[0][0], "skipped")

    async def _say(self, person: Person, fact: _corpus.Fact, status: str) -> Answer:
        return await self._call(
            person,
            "remember_fact",
            status,
            fact_type=fact.type,
            fact_key=fact.key,
            fact_value=fact.value,
            confidence=0.9,
            source_excerpt=f"I said: {fact.value}",
        )

    async def _update(self, person: Person, reason: str = "update") -> None:
        fact, fact_id = person.facts[0]
        await self._call(
            person,
            "update_fact",
            "success",
            fact_type=fact.type,
            fact_key=fact.key,
            fact_id=fact_id,
            new_value=_corpus.value(self._random, fact.key, next(self._numbers)),
            confidence=0.8,
            change_reason=reason,
        )

    async def _correct(self, person: Person) -> None:
        await self._update(person, "correction")

    async def _merge(self, person: Person) -> None:
        value = _corpus.value(self._random, person.facts[0][0].key, next(self._numbers))
        ids = [fact_id for _, fact_id in person.facts]
        await self._call(person, "merge_facts", "success", fact_ids=ids, merged_value=value, merged_confidence=0.9)

    async def _forget_fact(self, person: Person) -> None:
        fact, fact_id = person.facts[0]
        await self._call(
            person,
            "forget_fact",
            "success",
            fact_type=fact.type,
            fact_key=fact.key,
            fact_id=fact_id,
            reason="outdated",
        )

    async def _remember(self, person: Person) -> None:
        content = _corpus.note(self._random, next(self._numbers))
        result = await self._call(person, "remember", "success", content=content)
        person.note = result["memory_id"]

    async def _forget(self, person: Person) -> None:
        await self._call(person, "forget", "confirmation_required", "deleted", memory_id=person.note)


def partial_of(look: Callable[[str, Person], Any], name: str) -> Callable[[Person], Any]:
    return lambda person: look(name, person)


class Version:
    """In its own process: the program of one version."""

    def __init__(self, folder: Path, *, people: int, memories: int, is_direct: bool) -> None:
        self._filled = folder / "filled.db"
        self._copy = folder / "round.db"
        self._people = people
        self._memories = memories
        self._is_direct = is_direct
        self._statements = 0

    async def fill(self) -> None:
        chance = random.Random(1)
        async with open_memory(f"sqlite:///{self._filled}", settings=_SETTINGS) as memory:
            for person in self._persons():
                for number in range(_MESSAGES):
                    await memory.record("user", _corpus.message(chance, number), person.turn())
                for number in range(self._memories):
                    turn = person.turn()
                    if number % 5 == 4:
                        await memory.call("remember", {"content": _corpus.note(chance, number)}, turn)
                        continue
                    fact = _corpus.fact(chance, number)
                    arguments = {
                        "user_id": person.number, "fact_type": fact.type, "fact_key": fact.key,
                        "fact_value": fact.value, "confidence": 0.9,
                    }  # fmt: skip
                    result = await memory.call("remember_fact", arguments, turn)
                    if result.status != "success":
                        raise RuntimeError(str(result))

    def _persons(self) -> list[Person]:
        return [Person(number, is_direct=self._is_direct) for number in range(1, self._people + 1)]

    @asynccontextmanager
    async def _opened(self) -> AsyncGenerator[Memory]:
        self._copy.write_bytes(self._filled.read_bytes())
        async with open_memory(f"sqlite:///{self._copy}", settings=_SETTINGS) as memory:
            yield memory
        for path in self._copy.parent.glob("round.db*"):
            path.unlink()

    async def round(self, seed: int, *, traced: bool) -> dict[str, float]:
        """CPU microseconds a call of each phase, or its statements where they are traced."""
        figures: dict[str, float] = {}
        if traced:
            apsw.connection_hooks.append(self._trace)
        async with self._opened() as memory:
            people = self._persons()
            for person in people:
                person._turns = 1_000_000 * seed  # noqa: SLF001
            for name, call in Round(memory, people, seed).phases():
                gc.collect()
                gc.disable()
                self._statements = 0
                cpu = time.process_time()
                for person in people:
                    await call(person)
                cpu = time.process_time() - cpu
                gc.enable()
                figures[name] = (self._statements if traced else cpu * 1e6) / len(people)
        if traced:
            apsw.connection_hooks.remove(self._trace)
        figures.pop("")
        return figures

    def _trace(self, connection: apsw.Connection) -> None:
        def count(*_: object) -> bool:
            self._statements += 1
            return True

        connection.exec_trace = count


async def work(given: argparse.Namespace) -> None:
    """Answer a round for each line that comes: its seed, then whether it is traced."""
    with tempfile.TemporaryDirectory(dir=given.dir) as folder:
        version = Version(Path(folder), people=given.people, memories=int(given.memories), is_direct=not given.group)
        await version.fill()
        print(json.dumps("filled"), flush=True)
        for line in sys.stdin:
            seed, traced = json.loads(line)
            print(json.dumps(await version.round(seed, traced=traced)), flush=True)


def compare(given: argparse.Namespace) -> str:
    processes = [_process(given, Path(folder)) for folder in given.versions]
    for process in processes:
        _answer(process)
    statements = [_ask(process, 1, traced=True) for process in processes]
    rounds: list[list[dict[str, float]]] = []
    for seed in range(2, 2 + given.rounds):
        order = range(len(processes)) if seed % 2 else reversed(range(len(processes)))
        answers = {place: _ask(processes[place], seed, traced=False) for place in order}
        rounds.append([answers[place] for place in range(len(processes))])
    for process in processes:
        cast("Any", process.stdin).close()
        process.wait()
    names = [Path(folder).resolve().name for folder in given.versions]
    where = "in a group" if given.group else "in a direct chat"
    lines = [
        f"## {given.memories:,} memories a person, {where}, {given.rounds} rounds of {given.people} calls",
        "",
        f"| call | {' | '.join(f'{name} µs | statements | ratio' for name in names)} |",
        "|---" + "|--:" * 3 * len(names) + "|",
    ]
    for name in statements[0]:
        cells: list[str] = []
        for place in range(len(names)):
            values = [one[place][name] for one in rounds]
            ratio = statistics.median(one[place][name] / one[0][name] for one in rounds)
            least = _least(values) / _least([one[0][name] for one in rounds])
            cells += [f"{_least(values):,.0f}", f"{statements[place][name]:.1f}", f"{ratio:.2f}, {least:.2f}"]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _least(values: Sequence[float]) -> float:
    """The mean of the least fifth, which what else the machine does has hindered least."""
    return statistics.mean(sorted(values)[: max(1, len(values) // 5)])


def _process(given: argparse.Namespace, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, __file__, "--work", "--dir", str(given.dir), "--people", str(given.people)]
    command += ["--memories", str(given.memories)] + ["--group"] * given.group
    environment = os.environ | {"PYTHONPATH": str(folder.resolve() / "src"), "PYTHONHASHSEED": "0"}
    return subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ask(process: subprocess.Popen[str], seed: int, *, traced: bool) -> dict[str, float]:
    print(json.dumps([seed, traced]), file=process.stdin, flush=True)
    return _answer(process)


def _answer(process: subprocess.Popen[str]) -> Any:
    line = cast("Any", process.stdout).readline()
    if not line:
        raise SystemExit("a version failed")
    return json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "versions", nargs="*", default=[_HERE], help="checkouts; the first is what others are held against"
    )
    parser.add_argument("--memories", default="1", help="that each person has; of several numbers, one after the other")
    parser.add_argument("--people", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--group", action="store_true", help="ten groups instead of direct chats")
    parser.add_argument("--dir", type=Path, default=Path("/dev/shm"), help="where the stores are")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        asyncio.run(work(given))
        return
    most = given.people
    for size in map(int, given.memories.split(",")):
        given.memories, given.people = size, min(most, max(_FEWEST, _ROWS // size))
        print(compare(given))


if __name__ == "__main__":
    main()
