"""Minutes of mixed load against a model of what must come back, while retention and re-embedding run.

Each caller knows what its people said, and so what every answer must be. The clock runs fast, so that messages come of
age; now and then the store is closed and opened again with another embedder, which has all vectors made anew.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import _corpus
import _machine
import _stores
import apsw
import numpy as np
import numpy.typing as npt

from zgadka import Memory, Settings, ToolResult, Turn, open_memory
from zgadka.ops.access import find_space
from zgadka.ops.repair import find_drift, owners_to_check
from zgadka.stores import cache
from zgadka.stores.tx import Tx

CACHE_BYTES = 8 * 2**20
"""Full within a minute, so that what grows afterwards is not a cache."""
DAYS = 1
"""For so long messages are kept."""
LEAST, MOST = 5, 30
"""Memories of a person, about: they are forgotten as they are remembered."""
ALL = 100_000
SLOPE_BYTES, GROWTH, JOURNAL_BYTES = 2**20, 1.25, 64 * 2**20
"""In the second half, memory may grow by so many bytes a minute, the file by this factor."""


_WORDS = 1_000_000
"""More words than are ever made."""


class Clock:
    """Runs so many times faster than the machine's, or by a step for each call where a run is to be repeated."""

    def __init__(self, speed: float | None) -> None:
        self._start = datetime(2026, 1, 1, tzinfo=UTC)
        self._began = time.monotonic()
        self._speed = speed
        self._steps = 0

    def __call__(self) -> datetime:
        """The time."""
        if self._speed is not None:
            return self._start + timedelta(seconds=self._speed * (time.monotonic() - self._began))
        self._steps += 1
        return self._start + timedelta(minutes=2 * self._steps)


class Embedder:
    """As `SeededEmbedder`, under a name of its own, and with vectors of its own."""

    is_remote = False

    def __init__(self, number: int) -> None:
        self.name = f"bench:soak-{number}"
        self._own = _stores.SeededEmbedder()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a row for each text."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of a query."""
        return self._own.embed_query(self.name + text)


class WrongAnswerError(Exception):
    """An answer is not what the model says."""


def expect(is_right: bool, *said: object) -> None:
    """Raise `WrongAnswerError` unless it is so."""
    if not is_right:
        raise WrongAnswerError(" ".join(map(str, said)))


@dataclass
class Known:
    """A memory as the model has it; its word is in no other text."""

    word: str
    content: str
    key: str | None
    type: str | None


@dataclass
class Person:
    """One person in a chat of their own with the bot, and what is known of them."""

    number: int
    chance: random.Random
    words: Callable[[], str]
    memories: dict[int, Known] = field(default_factory=dict[int, Known])
    gone: deque[str] = field(default_factory=lambda: deque[str](maxlen=20))
    said: deque[tuple[datetime, int, str]] = field(default_factory=deque[tuple[datetime, int, str]])
    turns: int = 0

    def turn(self) -> Turn:
        """A turn of its own for each call, as a deletion needs."""
        self.turns += 1
        return _stores.turn_of(self.number, f"{self.number}-{self.turns}")

    async def act(self, memory: Memory, now: Callable[[], datetime]) -> str:
        """Do something and check its answer; returns what."""
        acts: list[tuple[str, int]] = [
            *(("remember_fact", 4), ("remember", 2), ("update_fact", 3), ("recall", 5), ("recall_facts", 3)),
            *(("forget", 3), ("recall what is gone", 2), ("say", 4), ("search_messages", 3)),
        ]
        names = [name for name, _ in acts]
        name = self.chance.choices(names, [weight for _, weight in acts])[0]
        if len(self.memories) < LEAST and name not in ("say", "search_messages"):
            name = "remember_fact"
        if len(self.memories) >= MOST:
            name = "forget"
        doing: dict[str, Callable[[], Awaitable[None]]] = {
            "remember_fact": lambda: self._remember_fact(memory),
            "remember": lambda: self._remember(memory),
            "update_fact": lambda: self._update(memory),
            "recall": lambda: self._recall(memory),
            "recall_facts": lambda: self._recall_facts(memory),
            "forget": lambda: self._forget(memory),
            "recall what is gone": lambda: self._recall_gone(memory),
            "say": lambda: self._say(memory, now),
            "search_messages": lambda: self._search(memory, now),
        }
        await doing[name]()
        return name

    async def _call(self, memory: Memory, tool: str, *statuses: str, **arguments: Any) -> ToolResult:
        if "fact" in tool:
            arguments["user_id"] = self.number
        result = await memory.call(tool, arguments, self.turn())
        expect(result.status in statuses, tool, arguments, "answered", result)
        return result

    async def _remember_fact(self, memory: Memory) -> None:
        word = self.words()
        fact = _corpus.fact(self.chance, self.turns)
        value = f"{fact.value}, {word}"
        arguments = {"fact_type": fact.type, "fact_key": fact.key, "fact_value": value, "confidence": 0.9}
        result = await self._call(memory, "remember_fact", "success", **arguments)
        self.memories[result["fact_id"]] = Known(word, value, fact.key, fact.type)
        again = await self._call(memory, "remember_fact", "skipped", **arguments)
        expect(again["fact_id"] == result["fact_id"], "a repeated fact has another id:", again)

    async def _remember(self, memory: Memory) -> None:
        word = self.words()
        content = f"{_corpus.note(self.chance, self.turns)}, {word}"
        result = await self._call(memory, "remember", "success", content=content)
        self.memories[result["memory_id"]] = Known(word, content, None, None)

    async def _update(self, memory: Memory) -> None:
        facts = [id_ for id_, known in self.memories.items() if known.key is not None]
        if not facts:
            return
        id_ = self.chance.choice(facts)
        known, word = self.memories[id_], self.words()
        assert known.key is not None
        value = f"{_corpus.value(self.chance, known.key, self.turns)}, {word}"
        arguments = {"fact_type": known.type, "fact_key": known.key, "fact_id": id_, "new_value": value}
        await self._call(memory, "update_fact", "success", **arguments, confidence=0.8, change_reason="correction")
        self.gone.append(known.word)
        self.memories[id_] = Known(word, value, known.key, known.type)

    async def _recall(self, memory: Memory) -> None:
        id_ = self.chance.choice(list(self.memories))
        known = self.memories[id_]
        result = await self._call(memory, "recall", "success", query=known.word)
        found = {one["memory_id"]: one["content"] for one in result["memories"]}
        expect(known.content in found.get(id_, ""), f"{known.word} of {id_} was not found:", found)
        expect(found.keys() <= self.memories.keys(), "found what is not there:", found)

    async def _recall_gone(self, memory: Memory) -> None:
        if self.gone:
            word = self.chance.choice(self.gone)
            result = await self._call(memory, "recall", "success", query=word)
            expect(word not in result.json(), f"{word} is gone, and was found:", result)

    async def _recall_facts(self, memory: Memory) -> None:
        result = await self._call(memory, "recall_facts", "success", limit=50)
        found = {one["fact_id"]: one["value"] for one in result["facts"]}
        facts = {id_: known.content for id_, known in self.memories.items() if known.key is not None}
        expect(found == facts, "the facts are", facts, "and were said to be", found)

    async def _forget(self, memory: Memory) -> None:
        id_ = self.chance.choice(list(self.memories))
        await self._call(memory, "forget", "confirmation_required", memory_id=id_)
        known = self.memories[id_]
        found = await self._call(memory, "recall", "success", query=known.word)
        expect(known.word in found.json(), f"{known.word} was only asked about, and is gone")
        await self._call(memory, "forget", "deleted", memory_id=id_)
        self.gone.append(known.word)
        del self.memories[id_]

    async def _say(self, memory: Memory, now: Callable[[], datetime]) -> None:
        word = self.words()
        turn = self.turn()
        text = _corpus.message(self.chance, _WORDS + self.turns)  # it may end with a rare word of its own
        id_ = await memory.record("user", f"{text} {word}", turn)
        expect(id_ is not None, "a message was not kept")
        self.said.append((now(), id_ or 0, word))

    def _is_withheld(self, tx: Tx, message: int) -> bool:
        return bool(tx.messages.withholding(find_space(tx, self.turn()), message))

    async def _search(self, memory: Memory, now: Callable[[], datetime]) -> None:
        """What is past its days may be there until the next tidying; what is not must be there."""
        while self.said and self.said[0][0] < now() - timedelta(days=2 * DAYS):
            self.said.popleft()
        if not self.said:
            return
        _, id_, word = self.chance.choice(self.said)
        # All that answers: what means nothing can be nearer in meaning than nine others, and rank before a lone word.
        found = {one.message.id: one.message.text for one in await memory.search_messages(word, self.turn(), ALL)}
        kept = [one for one in self.said if one[0] > now() - timedelta(days=DAYS, hours=-1)]
        # What says the same as something that was forgotten since is told no more.
        if any(one[1] == id_ for one in kept) and not await memory.look(self._is_withheld, id_):
            expect(word in found.get(id_, ""), f"the message {id_} with {word} was not found:", found)
        expect(found.keys() <= {one[1] for one in self.said}, "found messages of others:", found)


@dataclass(frozen=True)
class Sample:
    """What the process and the store took at one moment; bytes.

    Attributes:
        file: The database's pages, wherever they are just now.
        journal: SQLite's write-ahead log, which is as large as it ever was since the store was opened.
        trail: Of them, those of the audit trail: it says of everything that ever was when it went, and so grows.
    """

    seconds: float
    resident: int
    file: int
    journal: int
    trail: int
    memories: int
    events: int

    @property
    def rest(self) -> int:
        """The database without the audit trail."""
        return self.file - self.trail


@dataclass(frozen=True)
class Soak:
    """What came of it.

    Attributes:
        done: How often what was done.
        wrong: What was wrong.
        tidied: What retention dropped.
        swaps: How often another embedder took over.
        days: How far the clock went.
    """

    seconds: float
    done: dict[str, int]
    wrong: list[str]
    tidied: dict[str, int]
    swaps: int
    days: float
    integrity: str
    samples: list[Sample]

    @property
    def slope(self) -> float:
        """Bytes a minute by which the process grew in the second half, by least squares."""
        half = [one for one in self.samples if one.seconds > self.seconds / 2]
        return _slope([one.seconds / 60 for one in half], [one.resident for one in half])

    @property
    def growth(self) -> float:
        """The file in the last fifth of the run by what it was in the middle one, without the audit trail; medians.

        A single sample says less: while vectors wait for their turn, the file is smaller.
        """
        return self._rest(0.8, 1.0) / self._rest(0.4, 0.6)

    def _rest(self, first: float, last: float) -> float:
        parts = [(one.seconds / self.seconds, one.rest) for one in self.samples]
        return statistics.median(rest for part, rest in parts if first <= part <= last)

    def at(self, part: float) -> Sample:
        """The sample nearest to that part of the run."""
        return min(self.samples, key=lambda one: abs(one.seconds - part * self.seconds))


def _slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    if len(xs) < 3:
        return 0.0
    return float(np.polyfit(xs, ys, 1)[0])


class Run:
    """One run over one file."""

    def __init__(self, file: Path, *, callers: int, people: int, seed: int, speed: float | None) -> None:
        self._file = file
        self._clock = Clock(speed)
        self._words = 0
        self._done: Counter[str] = Counter()
        self._wrong: list[str] = []
        self._tidied: Counter[str] = Counter()
        self._samples: list[Sample] = []
        self._swaps = 0
        self._callers = [
            [
                Person(1 + place + callers * number, random.Random(seed + place + callers * number), self._word)
                for number in range(people)
            ]
            for place in range(callers)
        ]
        self._seed = seed
        self._began = time.monotonic()

    def _word(self) -> str:
        self._words += 1
        return _corpus.rare_word(self._words)

    @contextlib.asynccontextmanager
    async def _opened(self) -> AsyncIterator[Memory]:
        # Every call is answered when it is done; the fast clock must not end what is asked and confirmed at once.
        settings = Settings(
            memory_tool_async=False,
            calls_per_hour=0,
            message_days=DAYS,
            undo_hours=2,
            confirmation_seconds=86_400,
        )
        cache.LIMIT_BYTES = CACHE_BYTES
        embedder = Embedder(self._swaps)
        url = f"sqlite:///{self._file}"
        async with open_memory(url, settings=settings, clock=self._clock, embedder=embedder) as memory:
            yield memory

    async def for_seconds(self, seconds: float, swap: float, tidy: float) -> Soak:
        """Run until the time is up, swapping embedders and tidying as often as that."""
        ends = self._began + seconds
        while time.monotonic() < ends:
            until = min(ends, time.monotonic() + swap)
            async with self._opened() as memory:
                every = asyncio.create_task(self._watch(memory, tidy))
                await asyncio.gather(*(self._call_until(memory, its, until) for its in self._callers))
                every.cancel()
                ended = await asyncio.gather(every, return_exceptions=True)
                self._wrong += [f"tidying: {one!r}" for one in ended if not isinstance(one, asyncio.CancelledError)]
            self._swaps += 1
        return await self._finish()

    async def for_calls(self, calls: int, openings: int) -> Soak:
        """Run so many calls of each caller, one caller after the other: the same run for the same seed."""
        for _ in range(openings):
            async with self._opened() as memory:
                for number in range(calls // openings):
                    for its in self._callers:
                        await self._act(memory, its[number % len(its)])
                    if number % 20 == 19:
                        self._tidied.update(await memory.tidy())
                        await self._sample(memory)
            self._swaps += 1
        return await self._finish()

    async def _call_until(self, memory: Memory, its: list[Person], until: float) -> None:
        chance = random.Random(self._seed)
        while time.monotonic() < until:
            await self._act(memory, chance.choice(its))

    async def _act(self, memory: Memory, person: Person) -> None:
        try:
            self._done[await person.act(memory, self._clock)] += 1
        except Exception as error:  # noqa: BLE001  (every one is reported, and the run goes on)
            self._wrong.append(f"person {person.number}: {type(error).__name__}: {error}"[:2000])

    async def _watch(self, memory: Memory, tidy: float) -> None:
        while True:
            await asyncio.sleep(tidy)
            self._tidied.update(await memory.tidy())
            await self._sample(memory)

    async def _sample(self, memory: Memory) -> None:
        counts = await memory.look(lambda tx: tx.maintenance.counts())
        pages, trail = self._pages()
        journal = self._file.with_name(self._file.name + "-wal")
        self._samples.append(
            Sample(
                seconds=time.monotonic() - self._began,
                resident=_resident(),
                file=pages,
                journal=journal.stat().st_size,
                trail=trail,
                memories=counts["facts"] + counts["notes"],
                events=counts["events"],
            )
        )

    def _pages(self) -> tuple[int, int]:
        """Bytes of the database, and of its audit trail."""
        connection = apsw.Connection(str(self._file), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            return connection.execute(_PAGES).get
        finally:
            connection.close()

    async def _finish(self) -> Soak:
        """Compare the whole store with the whole model, and look for drift."""
        seconds = time.monotonic() - self._began
        self._swaps -= 1
        async with self._opened() as memory:
            await memory.embed()
            oldest = self._clock() - timedelta(days=DAYS)
            self._tidied.update(await memory.tidy())
            await self._sample(memory)
            self._wrong += await memory.look(self._differences)
            drifts = [await memory.look(find_drift, owner) for owner in await memory.look(owners_to_check)]
            self._wrong += [f"drift: {drift}" for drift in drifts if drift.counts]
            counts = await memory.look(lambda tx: tx.maintenance.counts())
            young = sum(one[0] > oldest for its in self._callers for person in its for one in person.said)
            if counts["messages"] > young:
                self._wrong.append(f"{counts['messages']} messages are kept, of which {young} are to be")
            if counts["unembedded"]:
                self._wrong.append(f"{counts['unembedded']} texts are without a vector")
            integrity = memory.inspect()["integrity"]
        if integrity != "ok":
            self._wrong.append(f"integrity: {integrity}")
        days_passed = (self._clock() - datetime(2026, 1, 1, tzinfo=UTC)) / timedelta(days=1)
        return Soak(
            seconds=seconds,
            done=dict(sorted(self._done.items())),
            wrong=self._wrong,
            tidied=dict(self._tidied),
            swaps=self._swaps,
            days=days_passed,
            integrity=integrity,
            samples=self._samples,
        )

    def _differences(self, tx: Tx) -> list[str]:
        held = {
            one.id: one.content
            for owner in tx.owners.list()
            for one in tx.memories.list_all(owner.id)
            if not one.archived
        }
        known = {id_: one.content for its in self._callers for person in its for id_, one in person.memories.items()}
        different = [id_ for id_ in held.keys() | known.keys() if held.get(id_) != known.get(id_)]
        return [f"memory {id_}: {held.get(id_)!r}, and should be {known.get(id_)!r}" for id_ in different]


_PAGES = """
SELECT (SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size),
    (SELECT sum(d.pgsize) FROM dbstat d JOIN sqlite_schema s ON s.name = d.name AND s.tbl_name = 'event')
"""


def _resident() -> int:
    gc.collect()
    return int(Path("/proc/self/statm").read_text("utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def report(machine: dict[str, str], soak: Soak, what: str) -> str:
    """Write everything as Markdown."""
    lines = ["# Soak", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        what,
        f"The clock went {soak.days:.1f} days ahead, embedders were swapped {soak.swaps} times, and retention dropped",
        f"{soak.tidied.get('messages', 0):,} messages and {soak.tidied.get('texts', 0):,} deleted memories' texts.",
        "See `benchmarks/README.md`.",
        "",
        "| target | measured | met |",
        "|---|---|---|",
    ]
    lines += [f"| {claim} | {said} | {'yes' if is_met else '**no**'} |" for claim, said, is_met in targets(soak)]
    lines += ["", "| act | times |", "|---|--:|"]
    lines += [f"| {name} | {count:,} |" for name, count in soak.done.items()]
    lines += [
        "",
        "`trail`: the audit trail, of which a line is kept for each change ever made; only texts leave it.",
        "",
        "| at | resident MiB | file MB | of it trail MB | journal MB | memories | lines of the trail |",
        "|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for part in range(11):
        one = soak.at(part / 10)
        lines.append(
            f"| {one.seconds:.0f} s | {one.resident / 2**20:.1f} | {one.file / 1e6:.1f} | {one.trail / 1e6:.1f} | "
            f"{one.journal / 1e6:.1f} | "
            f"{one.memories:,} | {one.events:,} |"
        )
    if soak.wrong:
        lines += ["", "## What was wrong", "", *(f"- {one}" for one in soak.wrong[:50])]
    return "\n".join(lines) + "\n"


def targets(soak: Soak) -> list[tuple[str, str, bool]]:
    """What is claimed, what was measured, and whether it is so."""
    start, middle, end = (soak.at(part).resident / 2**20 for part in (0.0, 0.5, 1.0))
    slope = soak.slope / 2**20
    journal = max(one.journal for one in soak.samples)
    flat = f"memory is flat: at most {SLOPE_BYTES / 2**20:.0f} MiB a minute in the second half"
    calls = sum(soak.done.values())
    return [
        ("no wrong answer", f"{len(soak.wrong)} of {calls + len(soak.wrong):,}", not soak.wrong),
        ("integrity", soak.integrity, soak.integrity == "ok"),
        (
            flat,
            f"{slope:+.2f} MiB a minute; {start:.0f} MiB at the start, {middle:.0f} at half time, {end:.0f} at the end",
            soak.slope <= SLOPE_BYTES,
        ),
        (
            f"the file without the audit trail is bounded: in the last fifth at most {GROWTH} × that at half time",
            f"{soak.growth:.2f}",
            soak.growth <= GROWTH,
        ),
        (
            f"the journal is bounded: never more than {JOURNAL_BYTES / 2**20:.0f} MiB",
            f"{journal / 2**20:.1f} MiB",
            journal <= JOURNAL_BYTES,
        ),
    ]


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--people", type=int, default=5, help="for each caller")
    parser.add_argument("--swap", type=float, default=60.0, help="seconds after which another embedder takes over")
    parser.add_argument("--tidy", type=float, default=5.0, help="seconds between two tidyings")
    parser.add_argument("--speed", type=float, default=600.0, help="how fast the clock runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="half a minute; too short to say that memory is flat")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    if given.quick:
        given.minutes, given.swap, given.tidy, given.speed = 0.5, 6.0, 1.0, 10_000.0
    machine = _machine.describe(_stores.folder())
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=_stores.folder()) as folder:
        run = Run(
            Path(folder) / "soak.db", callers=given.callers, people=given.people, seed=given.seed, speed=given.speed
        )
        soak = await run.for_seconds(60 * given.minutes, given.swap, given.tidy)
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    what = (
        f"{given.minutes:g} minutes, {given.callers} callers with {given.people} people each, seed {given.seed}; "
        f"tidied every {given.tidy:g} s, another\nembedder every {given.swap:g} s."
    )
    text = report(machine, soak, what)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "soak.md").write_text(text, "utf-8")
    written = {"machine": machine, "soak": asdict(soak) | {"slope": soak.slope, "growth": soak.growth}}
    (given.out / "soak.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(text)
    return 0 if all(is_met for *_, is_met in targets(soak)) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
