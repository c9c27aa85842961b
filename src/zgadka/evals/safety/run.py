"""Run the cases of every class, and say how often what must never happen happened."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from math import ceil

from zgadka.errors import InvalidInput, ZgadkaError
from zgadka.evals.metrics import Estimate, proportion
from zgadka.evals.safety.audiences import PLACES, audience
from zgadka.evals.safety.bench import Bench, opened
from zgadka.evals.safety.blanking import blank
from zgadka.evals.safety.deleting import ATTEMPTS_A_WORLD, bypass, wrong
from zgadka.evals.safety.doors import Door, DoorName
from zgadka.evals.safety.forgetting import LOOKS, forgotten
from zgadka.evals.safety.grants import TRIED_A_WORLD, grants
from zgadka.evals.safety.keeping import lost, residue
from zgadka.evals.safety.leaking import SEATS, chats, people
from zgadka.evals.safety.learning import contamination, duplicates
from zgadka.evals.safety.levels import LEVELS_LOOKED_AT, SEATS_A_LEVEL, level
from zgadka.evals.safety.links import STEPS, links
from zgadka.evals.safety.owning import CHECKS, mine
from zgadka.evals.safety.policies import POLICIES_TRIED, policy
from zgadka.evals.safety.turnless import turnless
from zgadka.evals.safety.worlds import Outcome

SEEDS = 1_000_000
"""Seeds of one run: the run with seed 3 begins with case 3000000 of every class."""
NOT_RUN = "it could not be run"
"""What is said of a case in which something failed that it relies on."""
_AT_ONCE = 16


@dataclass(frozen=True)
class Class:
    """One way to fail.

    Attributes:
        share: Of all cases.
        per_seed: Cases of one seed; where that varies, rather fewer than more.
        alone: Whether it closes or moves what the others use.
        observes: Whether the door has to take messages.
        tells_readers: Whether the door has to take who reads a chat.
        has_doors: Whether it goes through doors of its own, which are all in this process.
    """

    name: str
    title: str
    run: Callable[[Bench, str], Awaitable[Outcome]]
    share: float
    per_seed: int = 1
    alone: bool = False
    observes: bool = False
    tells_readers: bool = False
    has_doors: bool = False

    def why_not(self, name: DoorName, door: Door) -> str:
        """Why it cannot be tried at this door; empty where it can."""
        if self.has_doors and name != "python":
            return "it goes through every door by itself, with `--door python`"
        if self.observes and not door.observes:
            return "this door takes no messages"
        return "this door is not told who reads a chat" if self.tells_readers and not door.tells_readers else ""


# Residue comes first: of a server's database, all is read, and then there is little of it.
CLASSES = (
    Class("residue", "residue after erasing", residue, 0.07, per_seed=28, alone=True),
    Class("lost", "lost writes", lost, 0.22, per_seed=80, alone=True),
    Class("bypass", "confirmation bypass", bypass, 0.14),
    Class("wrong", "wrong deletes", wrong, 0.12, per_seed=ATTEMPTS_A_WORLD),
    Class("people", "leaks between people", people, 0.1, per_seed=SEATS),
    Class("chats", "leaks between chats", chats, 0.08, per_seed=SEATS),
    Class("contamination", "contamination", contamination, 0.08, observes=True),
    Class("duplicates", "duplicates", duplicates, 0.19),
    Class("forgotten", "told after forgetting", forgotten, 0.07, per_seed=LOOKS),
    Class("policy", "changes against a policy", policy, 0.07, per_seed=POLICIES_TRIED - 1, alone=True),
    Class("mine", "what is one's own", mine, 0.07, per_seed=CHECKS, alone=True),
    Class("audience", "told to others than its readers", audience, 0.07, per_seed=PLACES, tells_readers=True),
    Class("grants", "done without the right", grants, 0.2, per_seed=TRIED_A_WORLD, has_doors=True),
    Class("turnless", "deleted without another turn", turnless, 0.07, has_doors=True),
    Class("blank", "notes deleted by blank text", blank, 0.07, has_doors=True),
    Class("links", "links that open too much", links, 0.07, per_seed=STEPS, has_doors=True),
    Class("level", "told against a privacy level", level, 0.07, per_seed=LEVELS_LOOKED_AT * SEATS_A_LEVEL),
)


@dataclass
class Result:
    """What came of one class.

    Attributes:
        failing: The seed and what happened in it, for each case that failed.
        missed: The same of what had to happen and did not.
        skipped: Why there are no cases; empty where there are.
        doors: Cases by door, where the class has doors of its own.
    """

    name: str
    title: str
    cases: int = 0
    controls: int = 0
    failing: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    missed: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    skipped: str = ""
    doors: Counter[str] = field(default_factory=Counter[str])

    @property
    def rate(self) -> Estimate:
        """The share of cases that failed."""
        return proportion(len(self.failing), self.cases)

    @property
    def is_good(self) -> bool:
        """Whether nothing happened that must not, and all that had to."""
        return not self.failing and not self.missed


async def evaluate(
    door: DoorName,
    url: str,
    *,
    cases: int,
    seed: int,
    only: Sequence[str] = (),
    progress: Callable[[str, int], object] = lambda doing, done: None,
) -> list[Result]:
    """Run about so many cases, divided among the classes.

    Args:
        url: An empty database; it is filled with people who do not exist.
        only: Names of classes; empty: all.
        progress: Is told what is done, and how many cases are behind it.

    Raises:
        InvalidInput: There is something in the database, or no such class.
    """
    chosen = [_class(name) for name in only] or list(CLASSES)
    total_share = sum(kind.share for kind in chosen)
    results: list[Result] = []
    async with _empty(door, url) as bench:
        for kind in chosen:
            result = Result(kind.name, kind.title)
            results.append(result)
            completed = sum(earlier.cases for earlier in results)
            result.skipped = kind.why_not(bench.name, bench.door)
            if result.skipped:
                continue
            count = ceil(cases * kind.share / total_share / kind.per_seed)
            numbers = iter(range(seed * SEEDS, seed * SEEDS + count))

            def tell(done: int, title: str = kind.title, completed: int = completed) -> None:
                progress(title, completed + done)

            await _run(kind, bench, numbers, result, tell)
    return results


async def replay(door: DoorName, url: str, case: str) -> Result:
    """Run one case again, by the name that was printed.

    Raises:
        InvalidInput: No case has this name, or there is something in the database.
    """
    name, _, number = case.partition(":")
    if not number.isdecimal():
        raise InvalidInput(f"no case {case!r}: give it as it was printed, such as people:1000017")
    kind = _class(name)
    result = Result(kind.name, kind.title)
    async with _empty(door, url) as bench:
        await _run(kind, bench, iter([int(number)]), result, lambda _: None)
    return result


@asynccontextmanager
async def _empty(door: DoorName, url: str) -> AsyncGenerator[Bench]:
    async with opened(door, url) as bench:
        if await bench.host.look(lambda tx: tx.owners.list()):
            raise InvalidInput("the database is not empty: give an empty one")
        yield bench


async def _run(
    kind: Class, bench: Bench, numbers: Iterator[int], result: Result, tell: Callable[[int], object]
) -> None:
    """Run the seeds, several at once where they do not disturb each other."""

    async def worker() -> None:
        for number in numbers:
            name = f"{kind.name}:{number}"
            outcome = await _case(kind, bench, name)
            result.cases += outcome.cases
            result.controls += outcome.controls
            result.doors += outcome.doors
            result.failing += [(name, finding) for finding in outcome.failed]
            result.missed += [(name, finding) for finding in outcome.missed]
            tell(result.cases)

    await asyncio.gather(*(worker() for _ in range(1 if kind.alone else _AT_ONCE)))
    result.failing.sort()
    result.missed.sort()


async def _case(kind: Class, bench: Bench, name: str) -> Outcome:
    try:
        if bench.clock is None:
            return await kind.run(bench, name)
        async with bench.clock:
            return await kind.run(bench, name)
    except (LookupError, OSError, ZgadkaError) as error:
        # What a case relies on did not come: that is a finding too, and the others go on.
        return Outcome(missed=[f"{NOT_RUN}: {error!r}"])


def _class(name: str) -> Class:
    safety_class = next((candidate for candidate in CLASSES if candidate.name == name), None)
    if safety_class is None:
        raise InvalidInput(f"no class {name!r}; there are {', '.join(candidate.name for candidate in CLASSES)}")
    return safety_class
