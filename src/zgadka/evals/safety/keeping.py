"""Keeping: what was acknowledged is there, whatever happens to the process; what was erased is in no byte."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zgadka.assemble import move
from zgadka.evals.safety.bench import Bench, opened
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.worlds import Outcome, World, shows
from zgadka.model.memory import StoredMemory
from zgadka.model.turn import Turn

_ACTS = 60
_KILL_EVERY = 5
_WRITERS = 3


@dataclass(frozen=True)
class Promise:
    """What was acknowledged: the memory says this word; None: it is gone, or hidden."""

    memory: int
    word: str | None

    def holds(self, rows: Mapping[int, StoredMemory]) -> bool:
        """Whether it is so."""
        row = rows.get(self.memory)
        if self.word is None:
            return row is None or row.archived
        return row is not None and not row.archived and shows(row.searchable, self.word)


async def lost(bench: Bench, name: str) -> Outcome:
    """Acknowledge writes, reopen or kill the process, and look for them; each acknowledged write is a case."""
    world = World(bench, name)
    kills = int(name.rpartition(":")[2]) % _KILL_EVERY == _KILL_EVERY - 1
    return await (_killed(world) if kills else _reopened(world))


async def _reopened(world: World) -> Outcome:
    seats = [world.seat(user, direct=True) for user in world.users]
    promised = [promise for seat in seats for promise in await _act(world, seat, _ACTS // len(seats))]
    await world.bench.door.reopen()
    await world.bench.door.call(world.turn(seats[0]), "recall", {"query": "anything"})
    return _kept(promised, await world.rows(), "reopening")


async def _act(world: World, seat: Turn, count: int) -> list[Promise]:
    """Write, change, hide and delete; what is returned was acknowledged."""
    promised: dict[int, Promise] = {}
    facts: set[int] = set()
    for _ in range(count):
        word, live = world.word(), [promise.memory for promise in promised.values() if promise.word is not None]
        change = world.dice.choice(("fact", "note", "episode", "update", "hide", "delete"))
        number = world.dice.choice(live) if live else 0
        named: dict[str, Any] = {"user_id": seat.user_number, "fact_type": "personal", "fact_key": "hobby"}
        if change == "update" and number in facts:
            update = {"fact_id": number, "new_value": word, "confidence": 0.9, "change_reason": "update"}
            result = await world.call(seat, "update_fact", **named | update)
        elif change == "hide" and number in facts:
            result = await world.call(seat, "forget_fact", **named, fact_id=number, reason="outdated")
            word = None
        elif change == "delete" and number:
            await world.call(seat, "forget", memory_id=number)
            result = await world.call(seat, "forget", memory_id=number)
            word = None
        elif change == "note":
            result = await world.call(seat, "remember", content=word)
        elif change == "episode":
            result = await world.call(seat, "create_episode", topic=word, summary="It happened.", importance=0.5)
        else:
            result = await world.fact(seat, "hobby", word)
            facts.add(number_of(result))
        if result["status"] in ("success", "deleted"):
            promised[number_of(result)] = Promise(number_of(result), word)
    return list(promised.values())


async def _killed(world: World) -> Outcome:
    """Kill the process while several write; unanswered writes may be there or not."""
    enough = world.dice.randint(100, 400)
    async with world.bench.beside() as (beside, _):
        doomed = await beside.door.doomed(world.turn(world.seat(world.users[0])))
        await beside.door.close()
        await beside.host.close()  # nobody but the one that is killed has it open
        promised: list[Promise] = []
        reached = asyncio.Event()

        async def write(seat: Turn) -> None:
            try:
                while True:
                    word = world.word()
                    result = await doomed.call(world.turn(seat), "remember", {"content": word})
                    promised.append(Promise(number_of(result), word))
                    if len(promised) == enough:
                        reached.set()
            except ConnectionError:
                pass

        writing = [
            asyncio.create_task(write(world.seat(user, direct=True))) for user in world.users for _ in range(_WRITERS)
        ]
        enough_is_there = asyncio.create_task(reached.wait())
        await asyncio.wait({enough_is_there, *writing}, return_when=asyncio.FIRST_COMPLETED)
        enough_is_there.cancel()
        await doomed.kill()
        await asyncio.gather(*writing)
        async with opened(beside.name, beside.url) as reopened:
            world.bench = reopened
            return _kept(promised, await world.rows(), "kill -9")


def _kept(promised: list[Promise], rows: Mapping[int, StoredMemory], event: str) -> Outcome:
    broken = [
        f"memory {promise.memory} ({promise.word}) is not as acknowledged after {event}"
        for promise in promised
        if not promise.holds(rows)
    ]
    return Outcome(cases=len(promised), failed=broken)


# Residue: a word for every place where something of a person is kept.


async def residue(bench: Bench, name: str) -> Outcome:
    """Erase people one after the other, and look for their words in every byte; each word is a case."""
    async with bench.beside() as (beside, folder):
        world = World(beside, name)
        outcome, gone, stay = Outcome(cases=0), list[str](), list[str]()
        leaving = world.users[: world.dice.randint(1, 2)]
        for user in world.users:
            words = gone if user in leaving else stay
            words += [word for plant in _PLACES for word in await plant(world, world.seat(user))]
        for user in leaving:
            if not await beside.door.erase(world.turn(world.seat(user, direct=True))):
                await beside.host.tidy()
        remaining = await _text(beside, folder)
        leftovers = [word for word in gone if shows(remaining, word)]
        outcome.cases = len(gone)
        outcome.failed = [f"{word} is still in the database" for word in leftovers]
        for word in stay:
            outcome.control(shows(remaining, word), f"{word} of somebody who stays is gone")
        return outcome


async def _text(bench: Bench, folder: Path) -> str:
    """Every byte of the database's files, as text; of a server's database, every row."""
    if bench.url.startswith("postgres"):
        await asyncio.to_thread(move, bench.url, f"sqlite:///{folder}/moved.db")
    return await asyncio.to_thread(
        lambda: "\n".join(file.read_bytes().decode(errors="ignore") for file in folder.iterdir())
    )


async def _facts(world: World, seat: Turn) -> list[str]:
    original, excerpt, second, hidden = (world.word() for _ in range(4))
    number = number_of(await world.fact(seat, "hobby", original, source_excerpt=f"I said {excerpt}"))
    named: dict[str, Any] = {"user_id": seat.user_number, "fact_type": "personal", "fact_key": "hobby"}
    change = {"fact_id": number, "new_value": second, "confidence": 0.9, "change_reason": "update"}
    await world.call(seat, "update_fact", **named | change)
    number = number_of(await world.fact(seat, "hobby", hidden))
    await world.call(seat, "forget_fact", **named, fact_id=number, reason="outdated")
    return [original, excerpt, second, hidden]


async def _notes(world: World, seat: Turn) -> list[str]:
    visible, tag, deleted, private, persona, opened_ = (world.word() for _ in range(6))
    await world.call(seat, "remember", content=f"keeps {visible}", tags=[tag])
    number = number_of(await world.call(seat, "remember", content=f"kept {deleted}"))
    for _ in range(2):
        await world.call(seat, "forget", memory_id=number)
    await world.call(world.seat(seat.user, direct=True), "remember", content=private)
    await world.call(world.seat(seat.user, persona=5), "remember", content=persona)
    number = number_of(await world.call(seat, "remember", content=opened_))
    await world.bench.host.share(number, world.turn(seat))
    return [visible, tag, deleted, private, persona, opened_, *await _rules(world, seat)]


async def _rules(world: World, seat: Turn) -> list[str]:
    """Notes of the space that they made, and deleted."""
    rule, deleted = world.word(), world.word()
    for word in (rule, deleted):
        result = await world.call(seat, "create_long_term_memory", memory_content=word, scope="server_wide")
    await world.call(seat, "update_long_term_memory", memory_id=number_of(result), memory_content="")
    return [rule, deleted]


async def _talk(world: World, seat: Turn) -> list[str]:
    spoken, answered, elsewhere, edited = (world.word() for _ in range(4))
    await world.speak(seat, f"I say {spoken}.")
    await world.bench.host.record("assistant", f"You say {answered}.", world.turn(seat))
    await world.speak(world.seat(seat.user, world.spaces[1]), elsewhere)
    turn = world.turn(seat)
    for text in (f"mistyped {world.word()}", f"edited {edited}"):
        await world.bench.host.record("user", text, turn)
    return [spoken, answered, elsewhere, edited]


async def _observed(world: World, seat: Turn) -> list[str]:
    certain, uncertain = world.word().capitalize(), world.word().capitalize()
    await world.bench.host.observe(f"I live in {certain}.", world.turn(seat))
    await world.bench.host.observe(f"Maybe I will learn {uncertain}.", world.turn(seat))
    return [certain, uncertain]


async def _episodes(world: World, seat: Turn) -> list[str]:
    """In a chat where nobody else speaks, so that they are the person's alone."""
    topic, summary, archived, reason = (world.word() for _ in range(4))
    alone = world.seat(seat.user, chat=f"alone-{seat.user}")
    await world.speak(alone)
    await world.call(alone, "create_episode", topic=topic, summary=f"It was {summary}.", importance=0.9)
    result = await world.call(alone, "create_episode", topic=archived, summary="Over.", importance=0.5)
    await world.call(alone, "archive_episode", episode_id=number_of(result), reason=reason)
    return [topic, summary, archived, reason]


async def _names(world: World, seat: Turn) -> list[str]:
    name = world.word().capitalize()
    await world.report(seat, name)
    return [name]


async def _ties(world: World, seat: Turn) -> list[str]:
    """Between the person and one who stays to the end."""
    partner = world.seat(world.users[2])
    if partner.user == seat.user:
        return []
    word = world.word()
    await world.speak(partner)
    tie = {"user_id": seat.user_number, "related_user_id": partner.user_number, "relationship": "mentor"}
    await world.call(seat, "remember_relationship", **tie, description=word)
    return [word]


async def _asking(world: World, seat: Turn) -> list[str]:
    """A question about deleting, and a call with a reason, both still open."""
    word, reason = world.word(), world.word()
    number = number_of(await world.call(seat, "remember", content=word))
    await world.call(seat, "forget", memory_id=number)
    await world.call(seat, "mark_important", importance_level="high", message_count=1, reason=reason)
    return [word, reason]


_PLACES = (_facts, _notes, _talk, _observed, _episodes, _names, _ties, _asking)
