"""Recall's latency and CPU: by size of scope and of store, warm and cold, beside plain FTS5, numpy and no cache.

Everything takes turns within a round: every store, question and way to answer it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import _cache_use
import _corpus
import _machine
import _plain
import _stores

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.stores import cache

SELECTIVE, TYPICAL, ALL, NONE = (
    "one rare word",
    "three or four words",
    "a word that all hold",
    "no query (recall_facts)",
)
QUERIES = (SELECTIVE, TYPICAL, ALL, NONE)
MEMORIES, MESSAGES = "memories", "messages"
WARM, SECOND, FIRST, WITHOUT = "warm", "cold, second", "cold, first", "no cache"
PRODUCT = (WARM, SECOND, FIRST, WITHOUT)
WORDS, MEANING = "words", "words and meaning"
PREFIXED, PLAIN, SQL = "FTS5, owner in the words", "FTS5, owner filtered", "SQL"
SCAN, READ_SCAN = "numpy", "numpy, vectors read"
FLAT = 2_000
"""Up to so many memories a person's recall is to be fast, however many others have."""
FAST = 5.0


@dataclass(frozen=True)
class Case:
    """What is measured: a question of one kind, to one size of scope, answered in one way.

    Attributes:
        store: How many memories there are in all.
        what: Whether memories are looked for, or messages.
        scope: How many of them can be found.
    """

    store: int
    what: str
    scope: int
    query: str
    way: str
    callers: int


@dataclass(frozen=True)
class Pace:
    """How long each way to answer is asked in a round: so many seconds, and `least` answers whatever they take.

    Attributes:
        is_short: Leave out what matters less.
    """

    seconds: float
    least: int
    is_short: bool


@dataclass(frozen=True)
class Timing:
    """One round: latencies in seconds, in order of size, wall time and CPU time of the whole process."""

    latencies: list[float]
    seconds: float
    cpu: float


@dataclass(frozen=True)
class Figures:
    """Medians over the rounds; milliseconds, calls a second, milliseconds of CPU a call."""

    case: Case
    calls: int
    p50: float
    p95: float
    p99: float
    rate: float
    cpu: float


@dataclass(frozen=True)
class Question:
    """Who asks what."""

    turn: Turn
    query: str | None
    whose: _plain.Whose


Ask = Callable[[Question], Awaitable[int]]
"""Answers a question; returns how many were found."""


class Bench:
    """One store, and all that answers from it.

    The memories are not entered as contexts, so that nothing runs in the background. Product and yardsticks read the
    same file; who is not measured does nothing.
    """

    def __init__(self, size: int, store: Path, scopes: Sequence[int], chats: Sequence[int]) -> None:
        self.size = size
        self.scopes = scopes
        self.chats = chats
        self.copy = _stores.copied(store, f"recall-{size}")
        self.plain = _plain.Plain(self.copy, store.with_suffix(".plain"))
        self.embedder = _stores.SeededEmbedder()
        self._memories: dict[tuple[str, bool], Memory] = {}
        for is_cached in (True, False):
            with _cache_use.limited_to(cache.LIMIT_BYTES if is_cached else 0):
                for kind in (WORDS, MEANING):
                    self._memories[kind, is_cached] = open_memory(
                        f"sqlite:///{self.copy}",
                        settings=Settings(calls_per_hour=1_000_000, memory_tool_async=False),
                        embedder=self.embedder if kind == MEANING else None,
                    )
        self._whose: dict[Turn, _plain.Whose] = {}
        self._texts: dict[_plain.Whose, list[str]] = {}
        self._asked = 0

    async def __aenter__(self) -> Bench:
        for memory in self._memories.values():
            await memory.embed()  # there is nothing to embed; from now on queries get vectors
        return self

    async def __aexit__(self, *_: object) -> None:
        for memory in self._memories.values():
            await memory.close()
        self.plain.close()
        _stores.discard(self.copy)

    def questions(self, what: str, scope: int, query: str, seed: int, count: int) -> list[Question]:
        """So many questions; those who ask take turns."""
        chance = random.Random(repr((seed, what, scope, query)))
        people = _stores.recallers(scope, self.scopes) if what == MEMORIES else range(1, 5)
        return [self._question(chance, what, scope, query, people[at % len(people)]) for at in range(count)]

    def _question(self, chance: random.Random, what: str, scope: int, query: str, person: int) -> Question:
        turn = _stores.turn_of(person) if what == MEMORIES else _stores.chat_turn(scope, person)
        if turn not in self._whose:
            kind, name = turn.place
            owners = self.plain.owners([turn.user_key, name])
            space = owners[kind, name]
            whose = _plain.Whose(owners["person", turn.user_key], space)
            whose = whose if what == MEMORIES else _plain.Whose(space, space, turn.chat)
            self._whose[turn] = whose
            self._texts[whose] = [text for text in self.plain.texts(whose, 400) if len(text) > 30 and text[-1] != "?"]
        whose = self._whose[turn]
        asked = {
            SELECTIVE: lambda: chance.choice(self._texts[whose]).split()[-1],
            TYPICAL: lambda: _corpus.typical_query(chance),
            # Of messages, of which many share no word at all, nearly all.
            ALL: lambda: f"What do you know about {_corpus.name(person)}?" if what == MEMORIES else _corpus.COMMON,
            NONE: lambda: None,
        }[query]()
        return Question(turn, asked, whose)

    def ways(self, what: str, query: str) -> dict[str, tuple[Ask, Memory | None]]:
        """By name what answers such questions, and the memory that it is."""
        ways: dict[str, tuple[Ask, Memory | None]] = {}
        for kind in (WORDS,) if query == NONE else (WORDS, MEANING):
            # The index of a chat is built at the first question.
            for way in PRODUCT if what == MEMORIES else (WARM, FIRST):
                memory = self._memories[kind, way != WITHOUT]
                ways[f"{kind}: {way}"] = self._asking(memory, what), memory
        if query == NONE:
            return ways | {SQL: (_at_once(lambda asked: self.plain.best(asked.whose)), None)}
        vectors: dict[str, Any] = {}

        def vector(text: str) -> Any:
            return vectors[text] if text in vectors else vectors.setdefault(text, self.embedder.embed_query(text))

        for way, prefixed in ((PREFIXED, True), (PLAIN, False)):
            ways[way] = (
                _at_once(lambda asked, prefixed=prefixed: self.plain.fts(asked.whose, asked.query, prefixed=prefixed)),
                None,
            )
        for way, cached in ((SCAN, True), (READ_SCAN, False)):
            ways[way] = (
                _at_once(lambda asked, cached=cached: self.plain.scan(asked.whose, vector(asked.query), cached=cached)),
                None,
            )
        return ways

    def _asking(self, memory: Memory, what: str) -> Ask:
        async def ask(asked: Question) -> int:
            if what == MESSAGES:
                return len(await memory.search_messages(asked.query or "", asked.turn))
            self._asked += 1
            turn = _stores.turn_of(int(asked.turn.user_key), f"{os.getpid()}-{self._asked}")
            if asked.query is None:
                result = await memory.call("recall_facts", {"user_id": turn.user_number}, turn)
            else:
                result = await memory.call("recall", {"query": asked.query}, turn)
            if result.status != "success":
                raise RuntimeError(f"expected success, got {result}")
            return result["count"]

        return ask


def _at_once(answer: Callable[[Any], int]) -> Ask:
    async def ask(asked: Question) -> int:
        return answer(asked)

    return ask


async def measure(
    ask: Ask, memory: Memory | None, questions: Sequence[Question], way: str, callers: int, pace: Pace
) -> Timing:
    """Ask the questions and stop when the pace says so, though not before each of several callers was answered.

    Cold means that nothing is in the process's indexes, while the files are in the operating system's cache: the first
    question is answered from the rows, the second builds the index.
    """
    is_cold = way.endswith((FIRST, SECOND))
    if memory is not None:
        for one in dict.fromkeys(question.turn for question in questions):
            example = next(question for question in questions if question.turn == one)
            for _ in range(1 if is_cold else 3):
                await ask(example)
    gc.collect()
    left = iter(questions)
    latencies: list[float] = []
    cpu = 0.0
    found = 0
    least = max(pace.least, callers) if callers > 1 else pace.least
    started = time.perf_counter()

    async def caller() -> None:
        nonlocal found, cpu
        for question in left:
            if is_cold and memory is not None:
                _cache_use.cache_of(memory).clear()
                if way.endswith(SECOND):
                    await ask(question)
            spent, asked = time.process_time(), time.perf_counter()
            found += await ask(question)
            latencies.append(time.perf_counter() - asked)
            cpu += time.process_time() - spent
            if len(latencies) >= least and time.perf_counter() - started > pace.seconds:
                break

    spent = time.process_time()
    await asyncio.gather(*(caller() for _ in range(callers)))
    wall = sum(latencies) if callers == 1 else time.perf_counter() - started
    if not found:
        raise RuntimeError(f"{way} finds nothing: {questions[0]}")
    return Timing(sorted(latencies), wall, cpu if callers == 1 else time.process_time() - spent)


async def run(benches: Sequence[Bench], callers: Sequence[int], rounds: int, pace: Pace) -> list[Figures]:
    """Measure everything; several callers only where an answer comes from memory, and once without a cache."""
    timings: dict[Case, list[Timing]] = {}
    for number in range(rounds):
        for several in callers:
            for bench, what, scope, query in _asked_of(benches):
                few = (TYPICAL, ALL) if several == 1 and what == MEMORIES else (TYPICAL,)
                if pace.is_short and query not in few:
                    continue
                _say(
                    f"round {number + 1} of {rounds}, {several} callers: {bench.size:,} memories, "
                    f"{scope:,} {what}, {query}"
                )
                ways = list(bench.ways(what, query).items())
                first = number % len(ways)
                for way, (ask, memory) in ways[first:] + ways[:first]:
                    if several > 1 and not way.endswith(WARM if pace.is_short or query != TYPICAL else (WARM, WITHOUT)):
                        continue
                    questions = bench.questions(what, scope, query, number, max(100, 4 * several))
                    timing = await measure(ask, memory, questions, way, several, pace)
                    timings.setdefault(Case(bench.size, what, scope, query, way, several), []).append(timing)
                for memory in {memory for _, memory in bench.ways(what, query).values() if memory is not None}:
                    _cache_use.cache_of(memory).clear()
    return [_figures(case, found) for case, found in timings.items()]


def _asked_of(benches: Sequence[Bench]) -> list[tuple[Bench, str, int, str]]:
    found = [
        (bench, MEMORIES, scope, query)
        for scope in sorted({scope for bench in benches for scope in bench.scopes})
        for query in QUERIES
        for bench in benches
        if scope in bench.scopes
    ]
    return found + [
        (bench, MESSAGES, chat, query) for bench in benches for chat in bench.chats for query in QUERIES[:3]
    ]


def _figures(case: Case, found: Sequence[Timing]) -> Figures:
    def percentile(percent: int) -> float:
        return statistics.median(
            one.latencies[max(0, -(-len(one.latencies) * percent // 100) - 1)] * 1000 for one in found
        )

    return Figures(
        case,
        calls=sum(len(one.latencies) for one in found),
        p50=percentile(50),
        p95=percentile(95),
        p99=percentile(99),
        rate=statistics.median(len(one.latencies) / one.seconds for one in found),
        cpu=statistics.median(one.cpu / len(one.latencies) * 1000 for one in found),
    )


def fresh_processes(store: Path, scopes: Sequence[int], rounds: int) -> list[dict[str, Any]]:
    """Ask in processes of their own: what each person's first questions take there."""
    found: list[dict[str, Any]] = []
    for scope in scopes:
        with _stores.copy_of(store, "fresh") as copy:
            person = str(_stores.recallers(scope, scopes)[0])
            runs = [_cache_use.in_process("ask", str(copy), person) for _ in range(rounds)]
        medians = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        found.append({"scope": scope} | medians)
    return found


def report(
    machine: dict[str, str],
    figures: Sequence[Figures],
    fresh: Sequence[dict[str, Any]],
    uses: Sequence[_cache_use.Use],
    limits: Sequence[_cache_use.Limit],
    rounds: int,
) -> str:
    """Write everything as Markdown."""
    lines = ["# Recall", "", *(f"- {name}: {value}" for name, value in machine.items()), ""]
    lines += [
        f"Medians of {rounds} rounds' percentiles, in milliseconds; CPU of the whole process, in milliseconds a call.",
        "The product's figures are of whole tool calls, with the row that counts the call. Its embedder takes no time;",
        "every query is new to it. `warm`: the index is in memory. `cold`: it is not, while the file is in the",
        "system's cache; the `first` question is answered from the rows, the `second` builds the index (of messages,",
        "the first).",
        "See `benchmarks/README.md`.",
        "",
        *_targets(figures, uses, limits),
    ]
    for what in (MEMORIES, MESSAGES):
        for several in sorted({one.case.callers for one in figures if one.case.what == what}):
            for scope in sorted({one.case.scope for one in figures if one.case.what == what}):
                some = [
                    one
                    for one in figures
                    if (one.case.what, one.case.callers, one.case.scope) == (what, several, scope)
                ]
                lines += ["", f"## {scope:,} {what}, {several} {'caller' if several == 1 else 'callers'}", ""]
                lines += _table(some)
    lines += ["", "## A new process", ""]
    lines += [
        "One caller, three or four words, the largest store: opening, then the first three questions.",
        "",
        "| memories | open ms | first ms | second ms | third ms |",
        "|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {one['scope']:,} | {one['open']:.1f} | {one['first']:.1f} | {one['second']:.1f} | {one['third']:.1f} |"
        for one in fresh
    ]
    return "\n".join([*lines, "", *_cache_use.report(uses, limits)]) + "\n"


def _table(figures: Sequence[Figures]) -> list[str]:
    stores = sorted({one.case.store for one in figures})
    lines = ["| query | way | " + " | ".join(f"{store:,}: p50 | p95 | p99 | CPU | calls/s" for store in stores) + " |"]
    lines.append("|---|---|" + "--:|--:|--:|--:|--:|" * len(stores))
    by = {(one.case.query, one.case.way, one.case.store): one for one in figures}
    for query in QUERIES:
        for way in dict.fromkeys(one.case.way for one in sorted(figures, key=_order) if one.case.query == query):
            cells = [
                f"{one.p50:.2f} | {one.p95:.2f} | {one.p99:.2f} | {one.cpu:.2f} | {one.rate:,.0f}"
                if (one := by.get((query, way, store)))
                else "| | | | "
                for store in stores
            ]
            lines.append(f"| {query} | {way} | " + " | ".join(cells) + " |")
    return lines


_ORDER = [*(f"{kind}: {way}" for kind in (WORDS, MEANING) for way in PRODUCT), PREFIXED, PLAIN, SCAN, READ_SCAN, SQL]


def _order(one: Figures) -> int:
    return _ORDER.index(one.case.way)


def _targets(
    figures: Sequence[Figures], uses: Sequence[_cache_use.Use], limits: Sequence[_cache_use.Limit]
) -> list[str]:
    lines = ["| target | measured | met |", "|---|---|---|"]
    mine = [
        one
        for one in figures
        if one.case.what == MEMORIES and one.case.callers == 1 and one.case.way.endswith(f": {WARM}")
    ]
    small = [one for one in mine if one.case.scope <= FLAT]
    for scope, way in sorted({(one.case.scope, one.case.way) for one in small}):
        worst = max((one for one in small if (one.case.scope, one.case.way) == (scope, way)), key=lambda one: one.p95)
        claim = f"{scope:,} memories, {way}, one caller: p95 under {FAST:.0f} ms in every store"
        said = f"{worst.p95:.2f} ms at most ({worst.case.query}, store of {worst.case.store:,})"
        lines.append(f"| {claim} | {said} | {_met(worst.p95 < FAST)} |")
    least, most = min(one.case.store for one in mine), max(one.case.store for one in mine)
    for scope, way in sorted({(one.case.scope, one.case.way) for one in small} if least < most else ()):
        by = {(one.case.query, one.case.store): one for one in small if (one.case.scope, one.case.way) == (scope, way)}
        ratios = {
            query: by[query, most].p95 / by[query, least].p95
            for query in QUERIES
            if (query, least) in by and (query, most) in by
        }
        query = max(ratios, key=ratios.__getitem__)
        cpu = by[query, most].cpu / by[query, least].cpu
        claim = f"{scope:,} memories, {way}: p95 at {most:,} at most 2 × that at {least:,}"
        lines.append(f"| {claim} | {ratios[query]:.2f} at most ({query}; CPU {cpu:.2f}) | {_met(ratios[query] <= 2)} |")
    for use in uses:
        claim = (
            f"{use.rows:,} {use.what}{', vectors' if use.has_vectors else ''}: the estimate is within 30 % of the bytes"
        )
        lines.append(f"| {claim} | {use.ratio:.2f} of them | {_met(1 / 1.3 <= use.ratio <= 1.3)} |")
    for limit in limits:
        claim = f"{limit.scopes} people's indexes take at most 1.3 × the limit of {limit.megabytes} MiB"
        said = f"{limit.traced / 2**20:.1f} MiB (estimated {limit.estimated / 2**20:.1f})"
        lines.append(f"| {claim} | {said} | {_met(limit.traced <= 1.3 * limit.megabytes * 2**20)} |")
    return lines


def _met(is_met: bool) -> str:
    return "yes" if is_met else "**no**"


def _say(text: str) -> None:
    print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def _numbers(text: str) -> list[int]:
    return [int(part) for part in text.replace("_", "").split(",")]


def _fitting(scopes: Sequence[int], size: int) -> list[int]:
    """Those sizes of scopes of which there is room for a person or some, in at most 0.7 of the store."""
    found: list[int] = []
    room = size * 7 // 10
    for scope in sorted(scopes):
        taken = scope * _stores.RECALLERS.get(scope, 1)
        if taken <= room:
            room -= taken
            found.append(scope)
    return found


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=_numbers, default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--scopes", type=_numbers, default=[100, 2_000, 20_000])
    parser.add_argument("--callers", type=_numbers, default=[1, 50])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each way to answer, at most, in a round")
    parser.add_argument("--quick", action="store_true", help="two small stores, one round, less than a minute")
    parser.add_argument("--note", default="", help="what else to say of the machine")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args()
    if given.quick:
        given.sizes, given.scopes, given.rounds = [10_000, 20_000], [100, 2_000], 1
    pace = Pace(0.05, 4, True) if given.quick else Pace(given.seconds, 10, False)
    machine = _machine.describe(_stores.folder())
    load = os.getloadavg()[0]
    chats = [2_000] if given.quick else [100, 2_000, 20_000]
    largest = max(given.sizes)
    stores = {
        size: await _stores.filled_for_recall(size, _fitting(given.scopes, size), chats if size == largest else ())
        for size in sorted(given.sizes)
    }
    store, scopes = stores[largest], _fitting(given.scopes, largest)
    _say("new processes")
    fresh = fresh_processes(store, scopes, given.rounds)
    _say("memory that the caches use")
    people = [_stores.recallers(scope, scopes)[0] for scope in scopes]
    uses = _cache_use.measure_uses(store, list(zip(scopes, people, strict=True)), chats)
    limits = _cache_use.measure_limits(store, [2] if given.quick else [4, 16, 64], 50 if given.quick else 1_000)
    async with AsyncExitStack() as stack:
        benches = [
            await stack.enter_async_context(
                Bench(size, store, _fitting(given.scopes, size), chats if size == largest else ())
            )
            for size, store in stores.items()
        ]
        figures = await run(benches, given.callers, given.rounds, pace)
    machine["load"] = f"{load:.1f} before, {os.getloadavg()[0]:.1f} at the end"
    if given.note:
        machine["note"] = given.note
    text = report(machine, figures, fresh, uses, limits, given.rounds)
    given.out.mkdir(parents=True, exist_ok=True)
    (given.out / "recall.md").write_text(text, "utf-8")
    written = {
        "machine": machine,
        "rounds": given.rounds,
        "recall": [asdict(one.case) | {k: v for k, v in asdict(one).items() if k != "case"} for one in figures],
        "fresh": fresh,
        "cache": [asdict(one) | {"ratio": one.ratio} for one in uses],
        "limits": [asdict(one) for one in limits],
    }
    (given.out / "recall.json").write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    _say("")
    print(text)


if __name__ == "__main__":
    asyncio.run(main())
