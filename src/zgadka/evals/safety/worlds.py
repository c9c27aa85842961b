"""Worlds made up from a seed: people and places with awkward ids, and words that occur nowhere else."""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from zgadka.model.people import Member
from zgadka.model.turn import Turn

if TYPE_CHECKING:
    from zgadka.evals.safety.bench import Bench
    from zgadka.model.memory import OwnerKind, StoredMemory
    from zgadka.stores.tx import Tx

Place = tuple["OwnerKind", str]

# Letters that every transliteration spells alike, so that what is kept of a word is known beforehand.
_CONSONANTS = dict(zip("bdfklmnprtz", "бдфклмнпртз", strict=True))
_VOWELS = dict(zip("aeou", "аеоу", strict=True))
_CYRILLIC = str.maketrans(_CONSONANTS | _VOWELS)
_SYLLABLES = 5
_STEM = 8

# Ids that systems took for one another, or for a pattern.
_PEOPLE: tuple[tuple[int | str, ...], ...] = (
    (12, 123, 1),
    ("u1", "U1", "u_1"),
    ("u_1", "ux1", "u%"),
    ("*", "12", "%"),
    ("u1", "u1 ", "u"),
    (7, "07", "7.0"),
)
_SPACES = (("s1", "s2", "s3"), ("s_1", "sx1", "s%"), ("A", "a", "A "), ("-100", "100", "1"))
_CHATS = (("c1", "c2"), ("c_1", "cx1"), ("1", "12"))


class Clock:
    """Stands still until all that run wait for it: so each case has time of its own."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)
        self._running = 0
        self._waiting: list[tuple[datetime, int, asyncio.Event]] = []
        self._numbers = itertools.count()

    def __call__(self) -> datetime:
        """The time."""
        return self.now

    async def __aenter__(self) -> None:
        self._running += 1

    async def __aexit__(self, *_: object) -> None:
        self._running -= 1
        self._move()

    async def wait(self, span: timedelta) -> None:
        """Let time pass; to be called between `async with clock`."""
        event = asyncio.Event()
        heapq.heappush(self._waiting, (self.now + span, next(self._numbers), event))
        self._running -= 1
        self._move()
        await event.wait()

    def _move(self) -> None:
        if self._running or not self._waiting:
            return
        self.now, _, event = heapq.heappop(self._waiting)
        self._running += 1
        event.set()


@dataclass
class Outcome:
    """What came of one seed.

    Attributes:
        failed: What happened that must not, one text for each case in which it did.
        controls: What had to happen, so that a memory that does nothing is not called safe.
        missed: Which of that did not.
        doors: How many of the cases went through which door, where a class chooses one for each.
    """

    cases: int = 1
    failed: list[str] = field(default_factory=list[str])
    controls: int = 0
    missed: list[str] = field(default_factory=list[str])
    doors: Counter[str] = field(default_factory=Counter[str])

    def control(self, happened: bool, complaint: str) -> None:
        """Count something that has to happen."""
        self.controls += 1
        if not happened:
            self.missed.append(complaint)


class World:
    """The people, places and words of one seed, on a platform of their own.

    Attributes:
        users: Ids of three people.
        spaces: Three; the last is strange to everybody until somebody speaks there.
        chats: Two, the same in every space.
    """

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench = bench
        self.name = name
        self.dice = Random(name)  # noqa: S311  (repeatable, and no secret)
        self.platform = f"eval-{name}"
        self.users = self.dice.choice(_PEOPLE)
        self.spaces = self.dice.choice(_SPACES)
        self.chats = self.dice.choice(_CHATS)
        self._stems: set[str] = set()
        self._numbers = itertools.count(1)

    @property
    def now(self) -> datetime:
        """The time, as a platform tells it."""
        return datetime.now(UTC) if self.bench.clock is None else self.bench.clock.now

    def seat(self, user: int | str, space: str = "", chat: str = "", *, persona: int = 0, direct: bool = False) -> Turn:
        """Somebody at some place; by default in the first chat of the first space."""
        return Turn(
            platform=self.platform,
            space=space or self.spaces[0],
            chat=chat or self.chats[0],
            user=user,
            persona=persona,
            direct=direct,
        )

    def turn(self, seat: Turn, **changes: Any) -> Turn:
        """A new message of somebody."""
        number = next(self._numbers)
        fields: dict[str, Any] = {"turn": f"t{number}", "time": self.now, "message": f"m{number}"}
        return replace(seat, **fields | changes)

    async def call(self, seat: Turn, tool: str, **arguments: Any) -> Mapping[str, Any]:
        """Call a tool in a new turn, through the door."""
        return await self.bench.door.call(self.turn(seat), tool, arguments)

    async def fact(self, seat: Turn, key: str, value: str, **extra: Any) -> Mapping[str, Any]:
        """Remember a fact about the speaker."""
        arguments = {"user_id": seat.user_number, "fact_type": "personal", "confidence": 0.9} | extra
        return await self.call(seat, "remember_fact", **arguments, fact_key=key, fact_value=value)

    async def speak(self, seat: Turn, text: str = "Hello!") -> None:
        """Write a message, by which one becomes known in the space."""
        await self.bench.host.record("user", text, self.turn(seat))

    async def report(self, seat: Turn, name: str, role: str | None = None) -> None:
        """Have the host know a member by name."""
        member = Member(user=seat.user_key, number=seat.user_number, name=name, role=role)
        await self.bench.host.report_member(self.platform, seat.space, member)

    def word(self) -> str:
        """A word in Latin or Cyrillic letters whose stem nothing else in this world has."""
        while True:
            letters = [self.dice.choice(tuple(of)) for _ in range(_SYLLABLES) for of in (_CONSONANTS, _VOWELS)]
            word = "".join(letters)
            parts = {word[:_STEM], word[-_STEM:]}  # wherever the stem of one could stand in another
            if not parts & self._stems:
                self._stems |= parts
                return word if self.dice.random() < 0.5 else cyrillic(word)

    async def rows(self) -> dict[int, StoredMemory]:
        """All that is kept in this world, read from what is committed."""
        owners: list[Place] = [("space", space) for space in self.spaces]
        for name in map(str, self.users):
            owners.append(("person", name))
            owners.append(("direct", name))
        return await self.bench.host.look(_rows, self.platform, owners)


def cyrillic(word: str) -> str:
    """The word in Cyrillic letters."""
    return word.translate(_CYRILLIC)


def latin(word: str) -> str:
    """The word in Latin letters."""
    return word.translate({ord(latin_letter): ours for ours, latin_letter in (_CONSONANTS | _VOWELS).items()})


def traces(word: str) -> tuple[str, str]:
    """What is found in a text where the word was left, in any case, script or ending."""
    stem = latin(word.lower())[:_STEM]
    return stem, cyrillic(stem)


def shows(text: str, word: str) -> bool:
    """Whether the word can be read in the text."""
    lowered = text.lower()
    return any(trace in lowered for trace in traces(word))


def place_of(turn: Turn) -> Place:
    """The space that a turn is in; said here again, so that the engine's own idea of it is not trusted."""
    return ("direct", str(turn.user)) if turn.direct else ("space", turn.space)


def _rows(tx: Tx, platform: str, owners: list[Place]) -> dict[int, StoredMemory]:
    owner_ids = [tx.owners.find(kind, platform, name) for kind, name in owners]
    return {memory.id: memory for owner in owner_ids if owner is not None for memory in tx.memories.list_all(owner)}
