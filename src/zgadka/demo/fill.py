"""Play the made-up world of `world.toml` into an empty memory, as people and models would, day after day."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta
from importlib.resources import files
from typing import Any, cast

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.people import Member, Title
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx

PLATFORM = "demo"
"""The platform of its people: nobody of a real one is among them."""
_PAUSE = timedelta(minutes=10)
_MARK = re.compile(r"\{(?:(note)\.)?(\w+)\}")


class Clock:
    """The time of the line that is played; after the last one, that of `now`."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self.played: datetime | None = None

    def __call__(self) -> datetime:
        """The time now, of the world's or of the other clock."""
        return self.played or self._now()


async def fill(memory: Memory, clock: Clock) -> dict[str, int]:
    """Play the world, and return how many lines of what kind there were.

    Args:
        memory: An empty one, which goes by `clock`.

    Raises:
        InvalidInput: Something is remembered there already.
    """
    if await memory.look(Tx.last_id, "owner"):
        raise InvalidInput("the database has memories already: delete its file, or give another database with --db")
    world = _World(memory, tomllib.loads(files("zgadka.demo").joinpath("world.toml").read_text("utf-8")))
    await world.report_people()
    today = clock()
    counts = {"messages": 0, "calls": 0}
    try:
        for number, line in enumerate(world.lines):
            clock.played = _time_of(line, today, clock.played)
            counts["messages" if "says" in line else "calls"] += 1
            await world.play(number, line)
    finally:
        clock.played = None
    return counts


def _time_of(line: Mapping[str, Any], today: datetime, previous: datetime | None) -> datetime:
    if "at" in line:
        day = (today - timedelta(days=line["ago"])).date()
        played = datetime.combine(day, time.fromisoformat(line["at"]), today.tzinfo)
    else:
        played = (previous or today) + _PAUSE
    return min(played, today)  # nothing is of the future, however early it is today


class _World:
    def __init__(self, memory: Memory, world: Mapping[str, Any]) -> None:
        self._memory = memory
        self._people: Mapping[str, Any] = world["people"]
        self._places: Mapping[str, Any] = world["places"]
        self._notes: dict[str, int] = {}
        self.lines: list[dict[str, Any]] = world["lines"]

    async def report_people(self) -> None:
        """Report which groups there are and who is in which, as a bot does."""
        for place in self._places.values():
            await self._memory.report_titles(PLATFORM, place["space"], [Title(text=place["title"])])
            for name in place["people"]:
                person = self._people[name]
                member = Member(user=str(person["user"]), number=person["user"], name=person["name"])
                await self._memory.report_member(PLATFORM, place["space"], member)

    async def play(self, number: int, line: Mapping[str, Any]) -> None:
        """Say or do what a line has."""
        user: int = self._people[line["who"]]["user"]
        space = self._places[line["in"]]["space"] if "in" in line else str(user)
        turn = Turn(
            platform=PLATFORM,
            space=space,
            chat=space,
            user=user,
            turn=f"demo-{number}",
            message=f"demo-{number}",
            direct="in" not in line,
            text=line.get("says"),
        )
        if "says" in line:
            await self._memory.observe(line["says"], turn, at_once=True)
            return
        arguments = cast("dict[str, Any]", self._named(line["arguments"]))
        result = await self._memory.call(line["tool"], arguments, turn)
        if result.status not in ("success", "memory_created_successfully", "memory_updated_successfully"):
            raise InvalidInput(f"the made-up world does not fit its tools: line {number}: {result.json()}")
        for text in (arguments.get("content"), arguments.get("memory_content")):
            if text is not None and "memory_id" in result:
                self._notes[text.split()[0]] = result["memory_id"]

    def _named(self, value: object) -> object:
        """The arguments with numbers for names."""
        if isinstance(value, dict):
            return {name: self._named(element) for name, element in cast("dict[str, object]", value).items()}
        mark = _MARK.fullmatch(value) if isinstance(value, str) else None
        if mark is None:
            return value
        return self._notes[mark[2]] if mark[1] else self._people[mark[2]]["user"]
