"""Mine: a person's list, export, clearing and erasing show and take exactly what is theirs; no name takes another's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from zgadka.evals.safety.bench import Bench
from zgadka.evals.safety.deleting import number_of
from zgadka.evals.safety.worlds import Outcome, Place, World, place_of, shows
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import Changed
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops.list_memories import listing
from zgadka.transfer.export import export_store

CHECKS = 5
"""What is done with what is one person's: each is a case."""

_NAMES = ("Max the Mighty", "Anna and Co", "Анна з Києва")
_COMMON = ("the mighty", "and co", "з києва")
"""Words of these names that others use as well."""


@dataclass(frozen=True)
class Own:
    """One thing of the person's.

    Attributes:
        place: Where it may be seen; None: everywhere.
        is_about: Whether it is about them; else they only said it.
        has_others: Whether others are in it: it is theirs to leave or hide.
        live: Whether it is still remembered.
    """

    word: str
    place: Place | None
    persona: int = 0
    is_about: bool = True
    has_others: bool = False
    live: bool = True


@dataclass
class Belongings:
    """What is Anna's by its id, what she said and was answered, and the words of the others."""

    own: dict[int, Own] = field(default_factory=dict[int, Own])
    said: list[str] = field(default_factory=list[str])
    answered: list[str] = field(default_factory=list[str])
    foreign: list[str] = field(default_factory=list[str])

    def cleared(self, turn: Turn) -> set[int]:
        """What clearing her profile in this turn takes, hides, or takes her out of."""
        return {number for number, own in self.own.items() if own.is_about and (turn.direct or _is_seen(own, turn))}


def _is_seen(own: Own, turn: Turn) -> bool:
    return own.place in (None, place_of(turn)) and own.persona in (0, turn.persona)


@dataclass(frozen=True)
class Estate:
    """A world of its own with Anna, whose things they are, Boris, who goes by her name, and Clara."""

    world: World
    anna: Turn
    boris: Turn
    clara: Turn
    belongings: Belongings

    @property
    def alone(self) -> Turn:
        """Anna in her direct chat."""
        return self.world.seat(self.anna.user, direct=True)

    def others(self, rows: dict[int, StoredMemory]) -> dict[int, tuple[object, ...]]:
        """What is not Anna's, as it is."""
        return _states({number: row for number, row in rows.items() if number not in self.belongings.own})


Check = Callable[[Estate, Outcome], Awaitable[Iterable[str]]]
"""Does something with what is Anna's; returns what went wrong."""


async def mine(bench: Bench, name: str) -> Outcome:
    """Have a person name, list, export, clear and erase what is theirs, among others who go by their name."""
    outcome = Outcome(cases=CHECKS)
    async with bench.beside() as (beside, _):
        world = World(beside, name)
        anna, boris, clara = (world.seat(user) for user in world.users)
        estate = Estate(world, anna, boris, clara, Belongings())
        await _settle(estate)
        for check in (_names_nobody_else, _lists, _exports, _clears, _erases):
            if complaints := [*await check(estate, outcome)]:
                outcome.failed.append(f"{check.__name__.strip('_')}: {'; '.join(complaints)}")
    return outcome


async def _settle(estate: Estate) -> None:
    world, anna = estate.world, estate.anna
    name = world.dice.choice(_NAMES)
    elsewhere = world.seat(anna.user, world.spaces[1])
    for seat in (anna, estate.boris, estate.clara, elsewhere, estate.alone):
        await world.speak(seat)
    await world.report(anna, name)
    await _call_oneself(world, estate.boris, world.dice.choice((name, name.upper(), anna.user_key)))
    await _leave_own(estate, elsewhere)
    await _leave_others(estate)


async def _call_oneself(world: World, seat: Turn, nickname: str) -> None:
    member = Member(user=seat.user_key, number=seat.user_number, name=world.word().capitalize(), nickname=nickname)
    await world.bench.host.report_member(world.platform, seat.space, member)


async def _leave_own(estate: Estate, elsewhere: Turn) -> None:
    """Have Anna leave words wherever something can become hers."""
    world, anna, alone, own = estate.world, estate.anna, estate.alone, estate.belongings.own
    for seat in (anna, elsewhere, alone, world.seat(anna.user, persona=5)):
        word = world.word()
        number = number_of(await world.fact(seat, "hobby", word))
        own[number] = Own(word, place_of(seat), seat.persona)
        if seat is anna:  # what others are told of her is hers as well
            await world.bench.host.record("assistant", f"It is {word}.", world.turn(estate.boris), given=[number])
    for seat in (anna, alone):
        word, rule = world.word(), world.word()
        own[await _keep(world, seat, "remember", content=word)] = Own(word, place_of(seat))
        # Where she is alone, it is about her; else it is the space's, and she said it.
        number = await _keep(world, seat, "create_long_term_memory", memory_content=rule, scope="server_wide")
        own[number] = Own(rule, place_of(seat), is_about=seat.direct)
    past, opened = world.word(), world.word()
    number = number_of(await world.fact(anna, "hobby", past))
    named = {"user_id": anna.user_number, "fact_type": "personal", "fact_key": "hobby", "fact_id": number}
    await world.call(anna, "forget_fact", **named, reason="outdated")
    own[number] = Own(past, place_of(anna), live=False)
    number = await _keep(world, anna, "remember", content=opened)
    await world.bench.host.share(number, world.turn(alone))
    own[number] = Own(opened, None)
    await _leave_shared(estate)


async def _leave_shared(estate: Estate) -> None:
    """What has others in it, too: relations are each one's own, episodes lose who leaves them."""
    world, anna, boris, own = estate.world, estate.anna, estate.boris, estate.belongings.own
    tie, episode, shared, message, answer = (world.word() for _ in range(5))
    ends = {"user_id": anna.user_number, "related_user_id": boris.user_number}
    own[await _keep(world, anna, "remember_relationship", **ends, relationship=tie)] = Own(tie, place_of(anna))
    await world.speak(anna, message)
    own[await _episode(world, anna, episode, 1)] = Own(episode, place_of(anna))
    await world.speak(boris)
    own[await _episode(world, boris, shared, 2)] = Own(shared, place_of(anna), has_others=True)
    await world.bench.host.record("assistant", answer, world.turn(anna))
    if anna.user_key.isdecimal():
        note = {"memory_content": f"<@{anna.user_key}> {(named := world.word())}", "scope": "server_wide"}
        number = await _keep(world, boris, "create_long_term_memory", **note)
        own[number] = Own(named, place_of(anna), has_others=True)
    estate.belongings.said.append(message)
    estate.belongings.answered.append(answer)


async def _leave_others(estate: Estate) -> None:
    """Words of others, some of them with words of her name."""
    world, foreign = estate.world, estate.belongings.foreign
    common, tie = world.dice.choice(_COMMON), world.word()
    ends = {"user_id": estate.boris.user_number, "related_user_id": estate.clara.user_number}
    await world.call(estate.boris, "remember_relationship", **ends, relationship=tie)
    foreign.append(tie)
    for seat in (estate.boris, estate.clara):
        fact, note, message, episode = (world.word() for _ in range(4))
        await world.fact(seat, "hobby", fact)
        await world.call(seat, "remember", content=f"{common} {note}")
        await world.speak(seat, f"{common} {message}")
        await _episode(world, seat, f"{common} {episode}", 1)
        foreign += [fact, note, message, episode]


async def _keep(world: World, seat: Turn, tool: str, **arguments: Any) -> int:
    return number_of(await world.call(seat, tool, **arguments))


async def _episode(world: World, seat: Turn, word: str, count: int) -> int:
    episode = {"topic": f"About {word}", "summary": "It was good.", "importance": 0.5, "message_count": count}
    return await _keep(world, seat, "create_episode", **episode)


# What is done with it.


async def _names_nobody_else(estate: Estate, outcome: Outcome) -> list[str]:
    """A nickname takes nothing: what she says of herself by her name is never Boris's; by her id, it is hers."""
    world, anna = estate.world, estate.anna
    members = await world.bench.host.look(_member_names, world.platform, anna.space, anna.user_key)
    by_id = world.word()
    complaints: list[str] = []
    for word, target in ((world.word(), members), (by_id, anna.user_key)):
        old = await world.rows()
        note = {"memory_content": word, "scope": "target_user", "target_user": target}
        await world.call(anna, "create_long_term_memory", **note)
        rows = await world.rows()
        people = await world.bench.host.look(_people, world.platform)
        for number in set(rows) - set(old):
            if people.get(rows[number].owner) != anna.user_key:
                complaints.append(f"a note about {target!r} went to {people.get(rows[number].owner)!r}")
            estate.belongings.own[number] = Own(word, place_of(anna))
    outcome.control(any(own.word == by_id for own in estate.belongings.own.values()), "nobody is known by their id")
    return complaints


def _member_names(tx: Any, platform: str, space: str, user: str) -> str:
    person = tx.owners.find("person", platform, user)
    return tx.members.get(tx.owners.find("space", platform, space), person).name


def _people(tx: Any, platform: str) -> dict[int, str]:
    return {owner.id: owner.name for owner in tx.owners.list() if (owner.kind, owner.platform) == ("person", platform)}


async def _lists(estate: Estate, _: Outcome) -> list[str]:
    """Her own page lists all that is hers and there, and nothing else."""
    page = await estate.world.bench.host.look(listing, estate.world.turn(estate.alone))
    own = {number for number, own in estate.belongings.own.items() if own.live}
    listed = {memory.id for memory in (*page.memories, *page.shared)}
    missing, foreign = own - listed, listed - own
    words = [estate.belongings.own[number].word for number in missing]
    views = await estate.world.bench.door.views(estate.world.turn(estate.alone), [])
    leaks = [word for word in estate.belongings.foreign if shows(views.get("list", ""), word)]
    return [f"{verb} {which}" for verb, which in (("misses", words), ("lists", foreign), ("shows", leaks)) if which]


async def _exports(estate: Estate, _: Outcome) -> list[str]:
    """Her export has all that is hers and what she said, and nothing of the others."""
    lines = "\n".join(await estate.world.bench.host.export(estate.world.turn(estate.alone)))
    own = [own.word for own in estate.belongings.own.values() if not own.has_others]
    missing = [word for word in (*own, *estate.belongings.said) if not shows(lines, word)]
    foreign = [word for word in estate.belongings.foreign if shows(lines, word)]
    return [f"{verb} {words}" for verb, words in (("misses", missing), ("shows", foreign)) if words]


async def _clears(estate: Estate, outcome: Outcome) -> list[str]:
    """Clearing takes what is about her and seen there; undo brings back just that."""
    world = estate.world
    seat = world.dice.choice((estate.anna, estate.alone))
    old = await world.rows()
    for _ in range(2):
        await world.call(seat, "clear_profile", user_id=seat.user_number, reason="asked")
    new, due = await world.rows(), estate.belongings.cleared(seat)
    person = await world.bench.host.look(lambda tx: tx.owners.find("person", world.platform, seat.user_key))
    remaining = [number for number in due if number in new and _is_theirs(new[number], person)]
    complaints = [f"kept {[old[number].text for number in remaining]}"] if remaining else []
    taken = [old[number].text for number in set(old) - due if number not in new or new[number].text != old[number].text]
    complaints += [f"took {taken}"] if taken else []
    undone = await world.bench.host.undo(min(due), world.turn(seat))
    back = await world.rows()
    outcome.control(isinstance(undone, Changed), f"clearing could not be undone: {undone}")
    outcome.control(_states(back) == _states(old), "undo did not bring back what was cleared")
    return complaints


def _states(rows: dict[int, StoredMemory]) -> dict[int, tuple[object, ...]]:
    return {number: (row.text, row.archived, {*row.people}, row.withheld) for number, row in rows.items()}


def _is_theirs(row: StoredMemory, person: int | None) -> bool:
    return not row.withheld and (row.owner == person or person in row.people or not row.people)


async def _erases(estate: Estate, outcome: Outcome) -> list[str]:
    """Erasing takes all that is hers and nothing else; what she wished outlives it, also where old lines come back."""
    world, host = estate.world, estate.world.bench.host
    level = world.dice.choice((PrivacyLevel.MINIMAL, PrivacyLevel.FULL))
    await host.set_privacy(level, world.turn(estate.alone))
    foreign_rows, lines = estate.others(await world.rows()), list[str]()
    await host.look(export_store, lines.append)
    await world.bench.door.erase(world.turn(estate.alone))
    complaints = await _left(estate, foreign_rows, "erasing")
    await host.import_lines(lines)
    complaints += await _left(estate, foreign_rows, "an import")
    is_kept = await host.record("user", world.word(), world.turn(estate.anna)) is not None
    if is_kept and level is PrivacyLevel.FULL:
        complaints.append("the next message of somebody who was invisible is kept")
    outcome.control(is_kept or level is PrivacyLevel.FULL, "nothing is kept of somebody who came back")
    return complaints


async def _left(estate: Estate, foreign_rows: dict[int, tuple[object, ...]], event: str) -> list[str]:
    """What is there of hers, and whether all of the others' is."""
    rows, belongings = await estate.world.rows(), estate.belongings
    talk = await estate.world.bench.host.recent(estate.world.turn(estate.clara), 100)
    text = " ".join((*(f"{row.searchable} {row.excerpt}" for row in rows.values()), *(line.text for line in talk)))
    own = [own.word for own in belongings.own.values() if not own.has_others]
    complaints = [
        f"{word} is there after {event}" for word in (*own, *belongings.said, *belongings.answered) if shows(text, word)
    ]
    if estate.others(rows) != foreign_rows:
        complaints.append(f"what is another's is another after {event}")
    return complaints
