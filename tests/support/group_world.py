"""A group of three on Discord whose clock goes on with each message, for what becomes of messages that are gone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from zgadka import Memory, Settings, Turn, open_memory
from zgadka.model.people import Member
from zgadka.transfer.export import export_store

ANNA, BOB, CLARA = 11, 22, 33
VALUE = "zorvakula"


@dataclass
class World:
    """A group whose clock goes on with each message, and in which nothing runs by itself."""

    url: str
    settings: Settings = field(default_factory=lambda: Settings(background=False))
    now: datetime = datetime(2026, 3, 1, 12, tzinfo=UTC)
    numbers: Any = field(default_factory=lambda: count(1))
    memory: Memory = field(init=False)

    def turn(self, user: int | str, chat: str = "general", **more: Any) -> Turn:
        number = next(self.numbers)
        self.now += timedelta(seconds=5)
        place: dict[str, Any] = {"space": "S", "chat": chat} | (
            {"space": str(user), "direct": True} if chat == "direct" else {}
        )
        given: dict[str, Any] = {"turn": f"t{number}", "message": f"m{number}", "time": self.now} | place | more
        return Turn(platform="discord", user=user, **given)

    async def says(self, user: int, text: str, **more: Any) -> Turn:
        turn = self.turn(user, text=text, **more)
        await self.memory.record("user", text, turn)
        return turn

    async def tells(self, user: int, text: str, key: str = "illness", value: str = VALUE) -> tuple[Turn, int]:
        turn = await self.says(user, text)
        return turn, (await self.fact(turn, key, value))["fact_id"]

    async def fact(self, turn: Turn, key: str = "illness", value: str = VALUE, about: int = ANNA) -> Any:
        given = {"user_id": about, "fact_type": "personal", "fact_key": key, "fact_value": value, "confidence": 0.9}
        return await self.memory.call("remember_fact", given, turn)

    async def answers(self, turn: Turn, text: str, given: Any = ()) -> None:
        await self.memory.record("assistant", text, replace(turn, message=f"a{turn.message}"), given=given)

    async def told(self, user: int = BOB, chat: str = "general") -> str:
        """All that somebody is told there, as one text."""
        facts = await self.memory.call("recall_facts", {"user_id": ANNA}, self.turn(user, chat))
        found = await self.memory.call("recall", {"query": VALUE}, self.turn(user, chat))
        messages = await self.memory.recent(self.turn(user, chat), 50)
        told = [[fact["value"] for fact in facts.get("facts", [])], found["memories"], [row.text for row in messages]]
        return str(told)

    async def takes_back(self, turn: Turn, how: str) -> None:
        """Have a message deleted, or edited to say something else, or not to be kept."""
        later = self.turn(turn.user)
        again = replace(turn, turn=later.turn, time=later.time, text=None)
        match how:
            case "deleted":
                await self.memory.unrecord(again)
            case "off the record":
                await self.memory.record("user", f"off the record, {turn.text}", again)
            case "edited":
                await self.memory.record("user", "Nice weather", again)
            case "not to be saved":
                await self.says(ANNA, "don't save that")
            case _:
                raise ValueError(how)
        await self.memory.run_tasks()

    async def exported(self) -> list[str]:
        lines: list[str] = []
        await self.memory.look(lambda tx: export_store(tx, lines.append))
        return lines


WAYS = ("deleted", "off the record", "edited", "not to be saved")


async def open_world(world: World) -> World:
    world.memory = open_memory(world.url, settings=world.settings, clock=lambda: world.now)
    await world.memory.__aenter__()
    for user, name in ((ANNA, "Anna"), (BOB, "Bohdan"), (CLARA, "Clara")):
        await world.memory.report_member("discord", "S", Member(user=str(user), number=user, name=name))
    return world
