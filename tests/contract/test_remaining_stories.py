"""Whatever was told and in whatever order messages go, what is left is what the others alone would have told."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from tests.support.group_world import ANNA, BOB, World, open_world

from zgadka import Turn
from zgadka.ops.derived import gone_with
from zgadka.stores.tx import Tx

pytestmark = [pytest.mark.asyncio]


@dataclass(frozen=True)
class Step:
    """What a message tells, and since and until which year, if that is said."""

    key: str
    value: str
    since: str = ""
    until: str = ""
    is_for_mods: bool = False

    @property
    def is_liking(self) -> bool:
        return self.key in ("like", "hate")

    @property
    def text(self) -> str:
        if self.is_liking:
            return f"I {self.key} {self.value}"
        until = f" until {self.until}" if self.until else ""
        return f"My {self.key} is {self.value} since {self.since or 'long ago'}{until}"


STEPS: Sequence[Step] = [
    *(Step("location", place, since) for place in ("Kyiv", "Lviv", "Odesa") for since in ("", "")),
    *(Step("location", place, "2019") for place in ("Kyiv", "Lviv")),
    *(Step("hobby", hobby, since) for hobby in ("bees", "archery") for since in ("", "2018")),
    *(Step(liking, "chess") for liking in ("like", "hate")),
]
MORE: Sequence[Step] = [
    *STEPS,
    *(Step("location", place, "", "2017") for place in ("Kyiv", "Lviv")),
    *(Step("location", place, "2015") for place in ("Kyiv", "Lviv")),
    *(Step("hobby", "bees", since, until) for since, until in (("", "2019"), ("2016", ""), ("2016", "2020"))),
]
FACT = {"user_id": ANNA, "fact_type": "personal", "confidence": 0.9}
MODS: dict[str, Any] = {"chat": "mods", "audience": ("mods",)}


class Story:
    """A world in which some of the steps were told, each an hour after the one before."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.turns: dict[int, Turn] = {}
        self.kept: dict[int, bool] = {}
        self.world = World("sqlite://:memory:")

    async def tell(self, numbers: Iterable[int]) -> Story:
        await open_world(self.world)
        for number in numbers:
            self.world.now = World.now + timedelta(hours=number)
            place = MODS if self.steps[number].is_for_mods else {}
            turn = self.world.turn(ANNA, text=self.steps[number].text, message=f"s{number}", turn=f"s{number}", **place)
            self.turns[number] = turn
            if not self.steps[number].is_liking:
                await self.world.memory.record("user", self.steps[number].text, turn)
            self.kept[number] = await self.keep(number)
        return self

    async def keep(self, number: int) -> bool:
        """Keep what a message tells, as a model or the rules do; whether it was kept."""
        step, turn, memory = self.steps[number], self.turns[number], self.world.memory
        if step.is_liking:
            await memory.observe(step.text, turn, own_text=step.text)
            return True
        given = FACT | {"fact_key": step.key, "fact_value": step.value}
        times = {"valid_from": step.since, "valid_to": step.until}
        if dated := {name: year for name, year in times.items() if year}:
            kept = await memory.call("update_fact_with_temporal", given | dated, turn)
        else:
            kept = await memory.call("remember_fact", given, turn)
        if kept.status == "conflict" and not dated:
            change = FACT | {"fact_key": step.key, "new_value": step.value, "change_reason": "update"}
            kept = await memory.call("update_fact", change, turn)
        return kept.status in ("success", "skipped")

    async def loses(self, number: int, how: str) -> None:
        """Have a message deleted, edited to say something else, or forgotten."""
        if how != "forgotten":
            await self.world.takes_back(self.turns[number], how)
            return
        text, turn = self.steps[number].text, self.turns[number]
        messages = await self.world.memory.recent(replace(turn, turn=None, message=None), 50)
        id_ = next(row.id for row in messages if row.text == text and row.at == turn.time)
        for said in ("Forget that message", "Yes, delete it"):
            later = await self.world.says(ANNA, said, chat=turn.chat, audience=turn.audience)
            answer = await self.world.memory.call("forget", {"memory_id": f"M{id_}"}, later)
        assert answer.status == "deleted"
        await self.world.memory.run_tasks()

    async def forgets(self, chance: random.Random, reason: str) -> tuple[int, Collection[int]]:
        """Have a fact forgotten that holds; returns its id, and the numbers of the steps that it came from."""
        facts = await self._facts(chance.choice([{}, MODS]))
        fact = chance.choice(facts) if facts else None
        if fact is None:
            return 0, ()
        given = FACT | {"fact_key": fact["key"], "fact_id": fact["fact_id"], "reason": reason}
        del given["confidence"]
        sources = await self.world.memory.look(lambda tx: _sources(tx, fact["fact_id"]))
        forgotten = await self.world.memory.call("forget_fact", given, self.world.turn(ANNA, **MODS))
        assert forgotten.status == "success"
        await self.world.memory.run_tasks()
        return fact["fact_id"], [number for number, turn in self.turns.items() if turn.time in sources]

    async def _facts(self, place: dict[str, Any]) -> list[dict[str, Any]]:
        turn = replace(self.world.turn(BOB, **place), time=self.world.now)
        return (await self.world.memory.call("recall_facts", {"user_id": ANNA}, turn))["facts"]

    async def told(self) -> list[list[tuple[object, ...]]]:
        """What everybody is told, and the moderators."""
        names = ("key", "value", "valid_from", "valid_to")
        return [
            sorted(tuple(str(fact.get(name)) for name in names) for fact in await self._facts(place))
            for place in ({}, MODS)
        ]

    async def close(self) -> None:
        await self.world.memory.close()


def _person(tx: Tx) -> int:
    return tx.owners.find("person", "discord", str(ANNA)) or 0


def _sources(tx: Tx, fact: int) -> set[object]:
    memory = tx.memories.get(_person(tx), fact)
    assert memory is not None
    return {
        row.at for space, id_ in tx.memories.sources_of(memory) for row in tx.messages.get_many(space, [id_]).values()
    }


def _takes_memories(tx: Tx, at: object) -> bool:
    """Whether something comes from the message of that time alone."""
    space = tx.owners.find("space", "discord", "S") or 0
    rows = tx.messages.list_with_person(space, _person(tx), 500)
    times = {id_: row.at for id_, row in tx.messages.get_many(space, [row.id for row in rows]).items()}
    source = space, next(id_ for id_, written in times.items() if written == at)
    memories = tx.memories.get_many(_person(tx), tx.memories.made_from(_person(tx), *source))
    return any(gone_with(tx, memory, source, ()) for memory in memories.values())


def story_of(seed: int, steps: Sequence[Step] = MORE, *, mods: float = 0.0) -> tuple[random.Random, list[Step]]:
    chance = random.Random(seed)
    told = [chance.choice(steps) for _ in range(chance.randint(2, 5))]
    return chance, [replace(step, is_for_mods=True) if chance.random() < mods else step for step in told]


async def compare(story: Story, steps: Sequence[Step], left: Collection[int], *seen: object) -> None:
    """Assert that a story's world tells what it would tell if only these steps had been said."""
    other = await Story(steps).tell(left)
    other.world.now = story.world.now
    if [story.kept[number] for number in left] == [*other.kept.values()]:  # else one was refused because of one gone
        assert await story.told() == await other.told(), (*enumerate(steps), *seen)
    await other.close()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("mods", [0.0, 0.3])
async def test_what_is_left_is_what_the_other_messages_would_have_told(seed: int, mods: float) -> None:
    chance, steps = story_of(seed, STEPS if not mods else MORE, mods=mods)
    gone = chance.sample(range(len(steps)), chance.randint(1, min(2, len(steps) - 1)))
    story = await Story(steps).tell(range(len(steps)))
    for number in gone:
        story.world.now = World.now + timedelta(days=1)
        await story.loses(number, chance.choice(["deleted", "edited"]))
    await compare(story, steps, [number for number in range(len(steps)) if number not in gone], gone)
    await story.close()


@pytest.mark.parametrize("seed", range(30))
async def test_what_was_wrong_leaves_what_the_other_messages_would_have_told(seed: int) -> None:
    chance, steps = story_of(seed)
    story = await Story(steps).tell(range(len(steps)))
    story.world.now = World.now + timedelta(days=1)
    _, gone = await story.forgets(chance, "incorrect")
    await compare(story, steps, [number for number in range(len(steps)) if number not in gone], gone)
    await story.close()


@pytest.mark.parametrize("seed", range(30))
async def test_what_was_forgotten_and_is_back_goes_with_its_messages_as_before(seed: int) -> None:
    chance, steps = story_of(seed)
    story = await Story(steps).tell(range(len(steps)))
    story.world.now = World.now + timedelta(days=1)
    before, reason = await story.told(), chance.choice(["incorrect", "outdated", "user_requested"])
    fact, _ = await story.forgets(chance, reason)
    if fact:
        await story.world.memory.undo(fact, story.world.turn(ANNA))
        await story.world.memory.run_tasks()
    assert await story.told() == before, (steps, reason)
    gone = chance.randrange(len(steps))
    await story.loses(gone, chance.choice(["deleted", "edited"]))
    await compare(story, steps, [number for number in range(len(steps)) if number != gone], gone, reason)
    await story.close()


@pytest.mark.parametrize("seed", range(30))
async def test_what_is_edited_away_and_back_is_told_as_if_it_came_late(seed: int) -> None:
    chance, steps = story_of(seed)
    number = chance.randrange(len(steps))
    story = await Story(steps).tell(range(len(steps)))
    story.world.now = World.now + timedelta(days=1)
    await story.loses(number, "edited")
    left = [each for each in range(len(steps)) if each != number]
    other = await Story(steps).tell(left)
    other.turns[number] = story.turns[number]
    for each in (story, other):
        each.world.now = World.now + timedelta(days=2)
        if not steps[number].is_liking:
            await each.world.memory.record("user", steps[number].text, story.turns[number])
        each.kept[number] = await each.keep(number)
        await each.world.memory.run_tasks()
    if all(story.kept[each] == other.kept[each] for each in range(len(steps))):
        assert await story.told() == await other.told(), (*enumerate(steps), number)
    for each in (story, other):
        await each.close()


@pytest.mark.parametrize("seed", range(30))
async def test_a_forgotten_message_that_nothing_comes_from_alone_leaves_what_a_deleted_one_does(seed: int) -> None:
    chance, steps = story_of(seed)
    number = chance.randrange(len(steps))
    stories = [await Story(steps).tell(range(len(steps))) for _ in range(2)]
    for story, how in zip(stories, ("forgotten", "deleted"), strict=True):
        story.world.now = World.now + timedelta(days=1)
        at = story.turns[number].time
        if await story.world.memory.look(lambda tx, at=at: _takes_memories(tx, at)):
            break
        await story.loses(number, how)
    else:
        assert await stories[0].told() == await stories[1].told(), (*enumerate(steps), number)
    for story in stories:
        await story.close()
