"""Random walks of three people through two spaces, compared step by step with what DESIGN 2a lets each be told.

The model knows words: each is said once, kept as one thing, perhaps repeated by its person and by the bot. After each
step it says which words somebody has to be told at a place, and which they may never be.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from long_run import cases

from zgadka import PrivacyLevel, Settings, Turn, open_memory
from zgadka.evals.safety.mutants import MUTANTS
from zgadka.model.outcome import Changed
from zgadka.ops import list_memories
from zgadka.stores.tx import Tx

MINIMAL, PARTIAL, FULL = PrivacyLevel.MINIMAL, PrivacyLevel.PARTIAL, PrivacyLevel.FULL
PEOPLE: tuple[int, ...] = (1, 2, 3)
SYLLABLES = ("ba", "da", "fa", "ga", "la", "ma", "na", "pa", "ra", "ta")


@dataclass(frozen=True)
class Seat:
    """Where somebody is: a space with the readers of the chat, or the direct chat of one person."""

    space: str
    chat: str
    readers: str | None = None
    direct: int = 0

    @property
    def place(self) -> tuple[str, int]:
        return self.space, self.direct

    def turn(self, person: int, **more: Any) -> Turn:
        return Turn(
            platform="discord", space=self.space, chat=self.chat, user=person, audience=self.readers,
            direct=bool(self.direct), **more,
        )  # fmt: skip


GROUPS = (Seat("S", "general"), Seat("S", "mods", "mods"), Seat("S", "staff", "staff"), Seat("T", "lobby"))
ALONE = {person: Seat(f"d{person}", f"d{person}", direct=person) for person in PEOPLE}


@dataclass
class Item:
    """One remembered thing.

    Attributes:
        owner: The person whose it is; 0: the place's.
        about: Whom it is about.
        said: Whose words it was made from.
        sources: The messages that it was made from.
        hidden: The wishes because of which it is told by nobody.
    """

    id: int
    kind: str
    word: str
    owner: int
    seat: Seat
    about: set[int]
    said: set[int] = field(default_factory=set[int])
    sources: set[int] = field(default_factory=set[int])
    everywhere: bool = False
    live: bool = True
    archived: bool = False
    hidden: set[int] = field(default_factory=set[int])


@dataclass
class Line:
    """One message of a person, or an answer to them."""

    id: int
    name: str
    seat: Seat
    person: int
    words: set[str]
    is_answer: bool = False
    hidden: set[int] = field(default_factory=set[int])


@dataclass
class Wish:
    """What a person had forgotten at once; to be undone at the place."""

    id: int
    person: int
    items: list[Item]


class Walk:
    """A walk over a fresh memory, by a seed; `steps` names what people do in it."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        settings = Settings(
            background=False,
            calls_per_answer=0,
            calls_per_hour=0,
            changes_of_others_per_hour=0,
            reads_of_others_per_hour=0,
        )
        self.memory = open_memory("sqlite://:memory:", settings=settings, clock=lambda: self.now)
        self.numbers = itertools.count(1)
        self.items: list[Item] = []
        self.lines: list[Line] = []
        self.wishes: list[Wish] = []
        self.levels = dict.fromkeys(PEOPLE, MINIMAL)
        self.log: list[str] = []

    async def begin(self) -> None:
        for person in PEOPLE:
            for seat in (*GROUPS, ALONE[person]):
                await self.record(person, seat, set())

    # Small tools

    def turn(self, person: int, seat: Seat, **more: Any) -> Turn:
        self.now += timedelta(seconds=1)
        number = next(self.numbers)
        return seat.turn(person, **{"turn": f"t{number}", "message": f"m{number}", "time": self.now} | more)

    async def call(self, person: int, seat: Seat, tool: str, **arguments: Any) -> Any:
        result = await self.memory.call(tool, arguments, self.turn(person, seat))
        assert result.status not in ("error", "busy", "invalid_args"), (tool, arguments, result)
        return result

    def word(self) -> str:
        # No two are alike: what is forgotten is found in other spellings, too.
        digits = f"{next(self.numbers) * 6_180_339_887 % 10**6:06d}"
        return "".join(SYLLABLES[int(digit)] for digit in digits) + "k"

    def anybody(self) -> tuple[int, Seat]:
        person = self.dice.choice(PEOPLE)
        return person, self.dice.choice((*GROUPS, ALONE[person]))

    def pick(self, items: list[Any]) -> Any:
        return self.dice.choice(items) if items else None

    async def record(self, person: int, seat: Seat, words: set[str], turn: Turn | None = None) -> Line | None:
        turn = turn or self.turn(person, seat)
        id_ = await self.memory.record("user", f"I have {' and '.join(sorted(words)) or 'nothing'} here", turn)
        assert (id_ is None) is (self.levels[person] is FULL)
        if id_ is None:
            return None
        line = Line(id_, turn.message or "", seat, person, words)
        self.lines.append(line)
        return line

    async def members(self, seat: Seat) -> set[int]:
        """Who was seen in the space, and was not erased since: none else is known by an id that a note names."""

        def known(tx: Tx) -> set[int]:
            spaces = [owner.id for owner in tx.owners.list() if (owner.kind, owner.name) == ("space", seat.space)]
            return {int(member.user) for space in spaces for member in tx.members.list(space)}

        return await self.memory.look(known)

    # What the design says

    def is_read(self, item: Item, seat: Seat) -> bool:
        """Whether all who read here are among the readers of where it was told."""
        return item.everywhere or (item.seat.place == seat.place and item.seat.readers in (None, seat.readers))

    def is_wanted(self, item: Item) -> bool:
        """Whether nobody in it minds."""
        minding = any(self.levels[person] >= PARTIAL for person in item.about)
        return not minding and not any(self.levels[person] is FULL for person in item.said)

    def told(self, seat: Seat, *kinds: str, owner: int = 0) -> set[str]:
        """The words of what the place has, or a person there, that is told there."""
        return {
            item.word
            for item in self.items
            if item.kind in kinds
            and item.owner == owner
            and item.live
            and not item.hidden
            and self.is_read(item, seat)
            and self.is_wanted(item)
        }

    def lines_told(self, seat: Seat) -> tuple[set[int], set[int]]:
        """The messages that have to be told in a chat, and those that may be."""
        here = [line for line in self.lines if line.seat == seat and not line.hidden]
        due: set[int] = set()
        may: set[int] = set()
        for line in here:
            if line.is_answer:
                retold = [item for item in self.items if item.word in line.words]
                if not all(map(self.is_wanted, retold)):
                    continue
                may.add(line.id)
                due |= {line.id} if self.levels[line.person] is MINIMAL else set()
            elif self.levels[line.person] is not FULL:
                may.add(line.id)
                due.add(line.id)
        return due, may

    def own(self, person: int) -> list[Item]:
        """What is a person's, by `mine`: theirs, or about them; and what they wrote of a space."""
        live = [item for item in self.items if item.live and not item.hidden]
        return [item for item in live if person in {item.owner, *item.about, *item.said}]

    def forget(self, person: int, items: list[Item], *, gone: bool = True) -> None:
        """Hide all that says these, and the things themselves: gone, or kept and archived."""
        wish = Wish(next(self.numbers), person, items)
        self.wishes.append(wish)
        for item in items:
            item.live = item.archived = False
            for line in self.lines:
                if item.word in line.words and (line.is_answer or line.person == person):
                    line.hidden.add(wish.id)
                    for made in self.items:
                        if made.kind == "episode" and line.id in made.sources and made is not item:
                            made.hidden.add(wish.id)

    # What people do

    async def tell(self) -> None:
        """Say a word, or two, and have each kept in the same turn."""
        person, seat = self.anybody()
        words = [self.word() for _ in range(self.dice.choice((1, 1, 2)))]
        turn = self.turn(person, seat)
        line = await self.record(person, seat, set(words), turn)
        for word in words:
            kind = self.dice.choice(("fact", "note"))
            arguments: dict[str, Any] = {"content": word}
            if kind == "fact":
                arguments = {"user_id": person, "fact_type": "preference", "fact_key": "hobby", "fact_value": word}
                arguments["confidence"] = 0.9
            tool = "remember_fact" if kind == "fact" else "remember"
            result = await self.memory.call(tool, arguments, turn)
            if self.levels[person] is not MINIMAL:
                assert result.status == "privacy_restricted", result
                continue
            assert result.status == "success", result
            id_ = result["fact_id" if kind == "fact" else "memory_id"]
            sources = {line.id} if line else set[int]()
            self.items.append(Item(id_, kind, word, person, seat, {person}, sources=sources))

    async def say_again(self) -> None:
        """Somebody says a word that is known, in their own words: most often the person whose it is, there."""
        if (item := self.pick([item for item in self.items if item.owner])) is not None:
            person = item.owner if self.dice.random() < 0.7 else self.dice.choice(PEOPLE)
            if item.seat.direct in (0, person) and not any(item in wish.items for wish in self.wishes):
                await self.record(person, item.seat, {item.word})

    async def answer(self) -> None:
        """The bot tells a word to somebody who may be told it, or to the person in their own chat."""
        person, seat = self.anybody()
        known = [item for item in self.items if item.word in self.told(seat, "fact", "note", owner=item.owner)]
        item = self.pick([item for item in known if item.owner and (item.owner == person or not seat.direct)])
        if item is None or self.levels[person] is FULL:
            return
        turn = self.turn(person, seat)
        id_ = await self.memory.record("assistant", f"It is {item.word}, as I know", turn, given=[item.id])
        assert id_ is not None
        self.lines.append(Line(id_, turn.message or "", seat, person, {item.word}, is_answer=True))

    async def note_of_the_space(self) -> None:
        """Of nobody, or of those whom it names by id."""
        person, seat = self.anybody()
        word = self.word()
        named = {other for other in PEOPLE if self.dice.random() < 0.25}
        content = " ".join([word, *(f"<@{other}>" for other in sorted(named))])
        members = set[int]() if seat.direct else await self.members(seat)
        arguments = {"memory_content": content, "scope": "server_wide"}
        result = await self.call(person, seat, "create_long_term_memory", **arguments)
        about = {person} if seat.direct else named & members
        if self.levels[person] is FULL or any(self.levels[other] is not MINIMAL for other in about):
            assert result.status == "memory_create_failed_privacy_restricted"
            return
        assert result.status == "memory_created_successfully"
        said = set[int]() if seat.direct else {person}
        self.items.append(Item(result["memory_id"], "note", word, 0, seat, about, said))

    async def episode(self) -> None:
        """Say something, known or not, and have that alone made into an episode."""
        person, seat = self.anybody()
        word = self.word()
        own = [item for item in self.items if (item.owner, item.seat) == (person, seat) and item.live]
        known = self.pick(own) if self.dice.random() < 0.5 else None
        line = await self.record(person, seat, {known.word if known else self.word()})
        result = await self.call(
            person, seat, "create_episode", topic=word, summary="It was.", importance=0.5, message_count=1
        )
        if line is not None and "episode_id" in result:
            item = Item(result["episode_id"], "episode", word, 0, seat, {person}, {person}, {line.id})
            self.items.append(item)

    async def relate(self) -> None:
        person, seat = self.dice.choice(PEOPLE), self.dice.choice(GROUPS)
        other = self.dice.choice([other for other in PEOPLE if other != person])
        word = self.word()
        result = await self.call(
            person, seat, "remember_relationship", user_id=person, related_user_id=other, relationship=word
        )
        willing = all(self.levels[end] is MINIMAL for end in (person, other))
        assert (result.status == "success") is willing, result
        if willing:
            self.items.append(Item(result["memory_id"], "relation", word, 0, seat, {person, other}))

    async def forget_one(self) -> None:
        """In two calls, where it was told or in the direct chat."""
        item = self.pick([item for item in self.items if item.owner and item.live])
        if item is not None:
            seat = self.dice.choice((item.seat, ALONE[item.owner]))
            statuses = [(await self.call(item.owner, seat, "forget", memory_id=item.id)).status for _ in range(2)]
            assert statuses == ["confirmation_required", "deleted"], (item, statuses)
            self.forget(item.owner, [item])

    async def forget_fact(self) -> None:
        """As its person asks, or since it is out of date: that hides the fact alone."""
        facts = [item for item in self.items if item.kind == "fact" and item.live]
        item = self.pick([item for item in facts if self.levels[item.owner] is MINIMAL])
        if item is None:
            return
        reason = self.dice.choice(("user_requested", "outdated"))
        named = {"user_id": item.owner, "fact_type": "preference", "fact_key": "hobby", "fact_id": item.id}
        result = await self.call(item.owner, item.seat, "forget_fact", **named, reason=reason)
        assert result.status == "success", result
        if reason == "outdated":
            item.live, item.archived = False, True
        else:
            self.forget(item.owner, [item])

    async def undo(self) -> None:
        """Take the last wish back, while its person wants to be remembered."""
        wish = self.pick([wish for wish in self.wishes if self.levels[wish.person] is MINIMAL])
        if wish is None:
            return
        seat = ALONE[wish.person]
        outcome = await self.memory.undo(wish.items[0].id, self.turn(wish.person, seat))
        assert isinstance(outcome, Changed), (outcome, wish)
        self.wishes.remove(wish)
        for item in wish.items:
            item.live = True
        for row in (*self.items, *self.lines):
            row.hidden.discard(wish.id)

    async def clear_profile(self) -> None:
        person = self.dice.choice(PEOPLE)
        if self.dice.random() < 0.5:
            return
        seat = ALONE[person]
        archived = [item for item in self.items if item.archived and item.owner == person]
        own = [item for item in (*self.own(person), *archived) if person in {item.owner, *item.about}]
        statuses = [
            (await self.call(person, seat, "clear_profile", user_id=person, reason="asked")).status for _ in range(2)
        ]
        if own:
            assert statuses == ["confirmation_required", "deleted"], (statuses, own)
            self.forget(person, own)
            self.wishes.pop()  # that is taken back as a whole: tests/contract/test_profile.py
            # With it goes what was forgotten before and kept hidden: taking that back takes back all of it.
            self.wishes = [wish for wish in self.wishes if wish.person != person or wish.items[0].kind != "fact"]

    async def set_privacy(self) -> None:
        person = self.dice.choice(PEOPLE)
        self.levels[person] = self.dice.choice((MINIMAL, PARTIAL, FULL))
        await self.memory.set_privacy(self.levels[person], self.turn(person, ALONE[person]))

    async def share(self) -> None:
        """Open something to every space, or close it to the place of its person's turn again."""
        items = [item for item in self.items if item.owner and item.live and self.levels[item.owner] is MINIMAL]
        if (item := self.pick(items)) is None:
            return
        everywhere = self.dice.random() < 0.6
        seat = item.seat if not item.everywhere else ALONE[item.owner]
        await self.memory.share(item.id, self.turn(item.owner, seat), everywhere=everywhere)
        if item.everywhere and not everywhere:
            item.seat = seat
        item.everywhere = everywhere

    async def erase(self) -> None:
        """Nothing of the person's is left, but their level: the wish outlives the person's data."""
        if self.dice.random() < 0.7:
            return
        person = self.dice.choice(PEOPLE)
        words = {item.word for item in self.items if item.owner == person}
        await self.memory.erase(self.turn(person, ALONE[person]))
        is_full = self.levels[person] is FULL
        self.items = [item for item in self.items if not self.goes_with(person, item, is_full=is_full)]
        for item in self.items:
            item.said.discard(person)
        self.lines = [
            line for line in self.lines if line.person != person and not (line.is_answer and line.words & words)
        ]
        self.wishes = [wish for wish in self.wishes if wish.person != person]
        for seat in GROUPS:
            await self.record(person, seat, set())

    def goes_with(self, person: int, item: Item, *, is_full: bool) -> bool:
        """What they said of others stays, but for what was told to nobody because of that."""
        if item.kind == "note" and person in item.said and person not in item.about:
            return is_full or not item.about
        return person in {item.owner, *item.about, *item.said}

    async def unrecord(self) -> None:
        """Delete a message on the platform: what was made of it goes, as if forgotten."""
        line = self.pick([line for line in self.lines if not line.is_answer and not line.hidden])
        if line is None:
            return
        await self.memory.unrecord(self.turn(line.person, line.seat, message=line.name))
        self.lines.remove(line)
        there = [item for item in self.items if item.live or item.archived]
        made = [item for item in there if item.sources == {line.id} and item.kind != "episode"]
        if made:
            self.forget(line.person, made)
            self.wishes.pop()
        for item in self.items:
            if item.kind == "episode" and line.id in item.sources:
                item.live = False

    # What they are told

    async def compare(self, person: int, seat: Seat) -> None:
        words = " ".join(item.word for item in self.items[-30:]) or "nothing"
        notes = self.told(seat, "note")
        mine = self.told(seat, "fact", "note", owner=person)
        recalled = await self.call(person, seat, "recall", query=words, limit=50, kinds=["fact", "note"])
        where = (person, seat, self.log[-12:])
        queried = {word for word in (mine | notes) if word in words}
        found = self.words_in(recalled.get("memories", ())) & set(words.split())
        assert found == queried, (
            "recall",
            queried - found,
            found - queried,
            recalled.get("count"),
            recalled.get("total"),
            *where,
        )
        for about in PEOPLE:
            facts = await self.call(person, seat, "recall_facts", user_id=about, limit=50)
            if about != person and seat.direct:
                assert facts.status == "invalid_target"
                continue
            assert self.words_in(facts.get("facts", ())) == self.told(seat, "fact", owner=about), ("facts", *where)
            ties = await self.call(person, seat, "recall_relationships", user_id=about, limit=50)
            expected = {item.word for item in self.items if about in item.about and item.kind == "relation"}
            if self.levels[about] is MINIMAL:
                due = expected & self.told(seat, "relation")
                assert self.words_in(ties.get("relationships", ())) == due, ("relations", *where)
        episodes = await self.call(person, seat, "recall_episodes", limit=50)
        shown, due = self.words_in(episodes["episodes"]), self.told(seat, "episode")
        shown &= {item.word for item in self.items}
        assert shown == due, ("episodes", shown - due, due - shown, *where)
        due, may = self.lines_told(seat)
        recent = {message.id for message in await self.memory.recent(self.turn(person, seat), 1000)}
        assert due <= recent <= may, ("recent", due - recent, recent - may, *where)
        found = {match.message.id for match in await self.memory.search_messages(words, self.turn(person, seat), 1000)}
        saying = {line.id for line in self.lines if line.words & set(words.split())}
        assert due & saying <= found <= may, ("search", (due & saying) - found, found - may, *where)
        context = await self.memory.build_context(self.turn(person, seat), 4000, query=words)
        spoken = {word for line in self.lines if line.id in may for word in line.words}
        people = (person,) if seat.direct else PEOPLE
        known = spoken.union(*(self.told(seat, "fact", "note", owner=owner) for owner in (0, *people)))
        leaks = self.words_in([context.text]) - known - self.told(seat, "episode", "relation")
        assert not leaks, ("context", leaks, context.text, [item for item in self.items if item.word in leaks], *where)

    async def compare_own(self, person: int) -> None:
        """What the person lists alone: all that is theirs, at every level."""
        own = self.own(person)
        willing = [item for item in own if all(self.levels[end] is MINIMAL for end in item.about - {person})]
        due, may = {item.id for item in willing}, {item.id for item in own}
        mine = await self.memory.look(list_memories.listing, self.turn(person, ALONE[person]))
        listed = {memory.id for memory in (*mine.memories, *mine.shared)}
        assert due <= listed <= may, ("own page", listed - may, due - listed, person, self.log[-12:])
        lines = "\n".join(await self.memory.export(self.turn(person, ALONE[person])))
        told = [
            item for item in willing if person in {item.owner, *item.said} or item.kind != "note" or item.seat.direct
        ]
        missing = {item.word for item in told} - self.words_in([lines])
        assert not missing, ("export", missing, person, self.log[-12:])

    def words_in(self, things: Any) -> set[str]:
        text = str(things)
        return {word for word in {*(item.word for item in self.items), *self.spoken()} if word in text}

    def spoken(self) -> set[str]:
        return {word for line in self.lines for word in line.words}


Step = Callable[[Walk], Awaitable[None]]

TELLING: list[Step] = [Walk.tell, Walk.tell, Walk.say_again, Walk.answer, Walk.note_of_the_space]
WALKS: dict[str, list[Step]] = {
    "audience": [*TELLING, Walk.episode, Walk.relate, Walk.share],
    "levels": [*TELLING, Walk.episode, Walk.relate, *[Walk.set_privacy] * 3],
    "forgetting": [*TELLING, Walk.forget_one, Walk.forget_fact, Walk.undo],
    "episodes": [*TELLING, Walk.episode, Walk.relate, Walk.forget_one, Walk.undo],
    "clearing": [*TELLING, Walk.episode, Walk.relate, Walk.clear_profile],
    "erasing": [*TELLING, Walk.episode, Walk.relate, Walk.erase],
    "deleting on the platform": [*TELLING, Walk.unrecord],
    "everything": [
        *TELLING, Walk.episode, Walk.relate, Walk.share, Walk.set_privacy, Walk.forget_one, Walk.forget_fact, Walk.undo,
        Walk.clear_profile, Walk.erase, Walk.unrecord,
    ],
}  # fmt: skip
STEPS = 100


async def walk(seed: int, steps: list[Step], count: int) -> None:
    walked = Walk(seed)
    async with walked.memory:
        await walked.begin()
        for number in range(count):
            step = walked.dice.choice(steps)
            walked.log.append(step.__name__)
            await step(walked)
            is_last = number == count - 1
            people = PEOPLE if is_last else (walked.dice.choice(PEOPLE),)
            for person in people:
                seats = (*GROUPS, ALONE[person])
                for seat in seats if is_last else (walked.dice.choice(seats),):
                    await walked.compare(person, seat)
                await walked.compare_own(person)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("seed", range(cases(1, long=25)))
def test_each_is_told_at_each_place_what_they_may_be_told_there(name: str, seed: int) -> None:
    """20,000 steps with `--long`, and some hundred without; 25 seeds in one case took longer than a case may."""
    asyncio.run(walk(seed, WALKS[name], cases(40, long=STEPS)))


PLANTED = {
    "no row is for a group": "audience",
    "every group reads all": "audience",
    "nobody's level hides a row": "levels",
    "messages at FULL are told": "levels",
    "nobody's level hides an answer about them": "levels",
    "withheld messages are told": "forgetting",
    "what others were told stays": "forgetting",
    "undo lifts nothing": "forgetting",
    "withheld episodes are told": "episodes",
    "erasing drops the level": "everything",
}
"""Guards that are taken away, and the walk that misses each."""


async def walk_on(steps: list[Step]) -> None:
    for seed in range(5):
        await walk(seed, steps, STEPS)


@pytest.mark.long
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bug_is_found(name: str) -> None:
    [mutant] = [mutant for mutant in MUTANTS if mutant.name == name]
    with mutant.plant(), pytest.raises(AssertionError):
        asyncio.run(walk_on(WALKS[PLANTED[name]]))
