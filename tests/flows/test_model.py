"""Random conversations of several people, compared step by step with a simple model of what should be remembered.

`Conversations` follows facts and notes of people through every change, question and undo; `Everything` calls every
tool of the registry and follows who may see what.

A few of them normally, many with `--long`.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from long_run import cases
from postgres_server import server

from zgadka import Settings, ToolResult, Turn, open_memory
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.model.privacy import PrivacyLevel
from zgadka.ops.share import Shared
from zgadka.tools.registry import REGISTRY

T = TypeVar("T")

USERS = [1, 2, 12]
PLACES = [("A", "a1", False), ("A", "a2", False), ("B", "a1", False), ("A", "a1", True)]
PERSONAS = [0, 5, 6]
KEYS = {"location": "personal", "hobby": "preference"}
SINGLE = {"location"}
SPELLINGS = {"Kyiv": "kyiv", "Київ": "kyiv", "Lviv": "lviv", "chess": "chess", "Chess": "chess", "go": "go"}
CONFIDENCES = [0.5, 0.75, 1.0]
WINDOW = timedelta(hours=24)


@dataclass(frozen=True)
class Speaker:
    user: int
    space: str
    chat: str
    direct: bool
    persona: int

    @property
    def place(self) -> tuple[str, ...]:
        return ("direct", str(self.user)) if self.direct else ("space", self.space)


@dataclass(frozen=True)
class State:
    """What the model believes of one memory; `key` None for a note."""

    owner: int
    place: tuple[str, ...]
    persona: int
    key: str | None
    value: str
    confidence: float = 1.0
    evidence: int = 1
    live: bool = True
    until: datetime | None = None

    @property
    def slot(self) -> tuple[Any, ...]:
        value = None if self.key in SINGLE and self.until is None else SPELLINGS[self.value]
        return (self.owner, self.place, self.persona, self.key, value, self.until)


@dataclass
class Change:
    at: datetime
    together: int | None
    before: State | None
    undone: bool = False  # or an undo itself


# Mostly one person in one chat, or nothing much would happen to any memory; the others are there to be kept out.
HOME = Speaker(1, "A", "a1", direct=False, persona=0)
ELSEWHERE = [
    Speaker(user, space, chat, direct, persona)
    for user, (space, chat, direct), persona in itertools.product(USERS, PLACES, PERSONAS)
]
NEAR = [replace(HOME, persona=5), replace(HOME, chat="a2"), replace(HOME, direct=True), replace(HOME, user=2)]
speakers = st.sampled_from([HOME] * 12 + NEAR * 2) | st.sampled_from(ELSEWHERE)
abouts = st.sampled_from([None] * 6 + USERS)  # None: the speaker
keys, values = st.sampled_from(sorted(KEYS)), st.sampled_from(sorted(SPELLINGS))
confidences = st.sampled_from(CONFIDENCES)
indexes = st.integers(0, 100)


class Conversations(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        self.loop = asyncio.new_event_loop()
        self.memory = open_memory(
            self.url(),
            settings=Settings(calls_per_hour=0, changes_of_others_per_hour=0, reads_of_others_per_hour=0),
            clock=lambda: self.now,
        )
        self.states: dict[int, State | None] = {}
        self.changes: dict[int, list[Change]] = {}
        self.questions: dict[tuple[Any, ...], tuple[datetime, int, State]] = {}
        self.numbers = itertools.count()

    def url(self) -> str:
        return "sqlite://:memory:"

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def teardown(self) -> None:
        for speaker in ELSEWHERE:
            self.compare(speaker)
        self.run(self.memory.close())
        self.loop.close()

    @initialize()
    def everybody_is_known_in_the_groups_and_one_has_three_hobbies(self) -> None:
        for user, (space, chat, direct) in itertools.product(USERS, PLACES[1:3]):
            self.run(self.memory.record("user", "Hello!", self.turn(Speaker(user, space, chat, direct, 0))))

        for value in ("chess", "go", "Lviv"):
            self.remember_fact(HOME, None, "hobby", value, 0.5)

    # The model

    def turn(self, speaker: Speaker) -> Turn:
        return Turn(
            platform="telegram",
            space=speaker.space,
            chat=speaker.chat,
            direct=speaker.direct,
            user=speaker.user,
            persona=speaker.persona,
            turn=f"turn-{next(self.numbers)}",
            time=self.now,
        )

    def call(self, speaker: Speaker, tool: str, turn: Turn | None = None, **arguments: Any) -> ToolResult:
        result = self.run(self.memory.call(tool, arguments, turn or self.turn(speaker)))
        assert result.status not in ("error", "busy", "invalid_args") or tool == "merge_facts", result
        return result

    def seen(self, speaker: Speaker, about: int) -> dict[int, State]:
        return {
            id_: state
            for id_, state in self.states.items()
            if state is not None
            and state.live
            and (state.owner, state.place) == (about, speaker.place)
            and state.persona in (0, speaker.persona)
        }

    def deletable(self, speaker: Speaker) -> dict[int, State]:
        """One's own that is seen here; in the direct chat, from everywhere."""
        if not speaker.direct:
            return self.seen(speaker, speaker.user)
        return {
            id_: state
            for id_, state in self.states.items()
            if state is not None
            and state.live
            and state.owner == speaker.user
            and state.persona in (0, speaker.persona)
        }

    def holder(self, state: State) -> int | None:
        for id_, other in self.states.items():
            if other is not None and other.live and other.slot == state.slot:
                return id_
        return None

    def put(self, id_: int, state: State | None, together: int | None = None) -> None:
        self.changes.setdefault(id_, []).append(Change(self.now, together, self.states.get(id_)))
        self.states[id_] = state

    def is_unknown(self, speaker: Speaker, about: int) -> bool:
        return speaker.direct and about != speaker.user

    def pick(self, speaker: Speaker, index: int, about: int | None = None) -> int:
        """Choose an id, mostly of a memory that can be seen."""
        seen = [*self.seen(speaker, speaker.user if about is None else about)]
        ids = seen if seen and index % 4 else [*self.states, 10_000]
        return ids[index // 4 % len(ids)]

    def name(self, speaker: Speaker, about: int, key: str, index: int | None) -> tuple[str, int | None]:
        """Name a fact by its key, and by its id or not; without an index, by any key."""
        if index is None:
            return key, None
        fact_id = self.pick(speaker, index, about)
        state = self.states.get(fact_id)
        return (state.key if state and state.key else key), (fact_id if index % 3 else None)

    def compare(self, speaker: Speaker) -> None:
        for about in USERS:
            result = self.call(speaker, "recall_facts", user_id=about, limit=50)
            if self.is_unknown(speaker, about):
                assert result.status == "invalid_target"
                continue
            expected = {
                (id_, state.key, state.value, state.confidence, state.evidence)
                for id_, state in self.seen(speaker, about).items()
                if state.key is not None
            }
            recalled = {
                (fact["fact_id"], fact["key"], fact["value"], fact["confidence"], fact["evidence"])
                for fact in result["facts"]
            }
            assert recalled == expected, (speaker, about)
            assert result["total"] == len(expected)
        query = "kyiv lviv chess go"
        found = self.call(speaker, "recall", query=query, limit=50)
        assert {one["memory_id"] for one in found["memories"]} == set(self.seen(speaker, speaker.user))

    # What people do

    @rule(speaker=speakers, about=abouts, key=keys, value=values, confidence=confidences)
    def remember_fact(self, speaker: Speaker, about: int | None, key: str, value: str, confidence: float) -> None:
        about = speaker.user if about is None else about
        result = self.call(
            speaker,
            "remember_fact",
            user_id=about,
            fact_type=KEYS[key],
            fact_key=key,
            fact_value=value,
            confidence=confidence,
        )
        if self.is_unknown(speaker, about):
            assert result.status == "invalid_target"
            return
        self.remembered(State(about, speaker.place, speaker.persona, key, value, confidence), result, "fact_id")
        self.compare(speaker)

    @rule(speaker=speakers, value=values)
    def remember(self, speaker: Speaker, value: str) -> None:
        result = self.call(speaker, "remember", content=value)
        self.remembered(State(speaker.user, speaker.place, speaker.persona, None, value), result, "memory_id")
        self.compare(speaker)

    def remembered(self, new: State, result: ToolResult, field: str) -> None:
        known = self.holder(new)
        if known is None and new.persona:
            known = self.holder(replace(new, persona=0))
        if known is not None:
            state = self.states[known]
            assert state is not None
            assert result[field] == known
            if SPELLINGS[state.value] != SPELLINGS[new.value]:
                assert result.status == "conflict"
                return
            assert result.status == "skipped"
            confidence = max(state.confidence, new.confidence)
            self.states[known] = replace(state, evidence=state.evidence + 1, confidence=confidence)
            return
        assert result.status == "success"
        for id_, old in sorted(self.states.items()):
            same = old is not None and old.slot == new.slot and SPELLINGS[old.value] == SPELLINGS[new.value]
            if same and old is not None:
                assert result[field] == id_
                self.put(id_, replace(new, evidence=old.evidence + 1))
                return
        assert result[field] not in self.states
        self.put(result[field], new)

    @rule(
        speaker=speakers,
        about=abouts,
        key=keys,
        value=values,
        confidence=confidences,
        index=st.none() | indexes,
    )
    def update_fact(
        self, speaker: Speaker, about: int | None, key: str, value: str, confidence: float, index: int | None
    ) -> None:
        about = speaker.user if about is None else about
        key, fact_id = self.name(speaker, about, key, index)
        result = self.call(
            speaker,
            "update_fact",
            user_id=about,
            fact_type=KEYS[key],
            fact_key=key,
            new_value=value,
            confidence=confidence,
            change_reason="update",
            fact_id=fact_id,
        )
        named = {} if self.is_unknown(speaker, about) else self.named(speaker, about, key, fact_id)
        if named and all(state.until is not None for state in named.values()):
            new = State(about, speaker.place, speaker.persona, key, value, confidence)
            if result.status == "conflict":
                assert result["fact_id"] in (self.holder(new), self.holder(replace(new, persona=0)))
                return
            self.remembered(new, result, "fact_id")
            self.compare(speaker)
            return
        one = self.one(speaker, about, key, fact_id, result)
        if one is None:
            return
        old = self.states[one]
        assert old is not None
        is_same = SPELLINGS[old.value] == SPELLINGS[value]
        new = replace(old, value=value, confidence=confidence, evidence=old.evidence if is_same else 1)
        other = self.holder(new)
        if other not in (None, one):
            assert (result.status, result["fact_id"]) == ("conflict", other)
            return
        assert (result.status, result["old_value"]) == ("success", old.value)
        together = None if is_same else next(self.numbers)
        self.put(one, new, together)
        if not is_same:
            past = replace(old, until=self.now)
            kept = self.holder(past)
            assert result["past_fact_id"] == (kept or result["past_fact_id"])
            if kept is None:
                self.put(result["past_fact_id"], past, together)
        self.compare(speaker)

    @rule(speaker=speakers, about=abouts, key=keys, index=st.none() | indexes)
    def forget_fact(self, speaker: Speaker, about: int | None, key: str, index: int | None) -> None:
        about = speaker.user if about is None else about
        key, fact_id = self.name(speaker, about, key, index)
        result = self.call(
            speaker,
            "forget_fact",
            user_id=about,
            fact_type=KEYS[key],
            fact_key=key,
            reason="outdated",
            fact_id=fact_id,
        )
        one = self.one(speaker, about, key, fact_id, result)
        if one is not None:
            old = self.states[one]
            assert result.status == "success"
            assert old is not None
            self.put(one, replace(old, live=False))
            self.compare(speaker)

    def one(self, speaker: Speaker, about: int, key: str, fact_id: int | None, result: ToolResult) -> int | None:
        if self.is_unknown(speaker, about):
            assert result.status == "invalid_target"
            return None
        facts = [*self.named(speaker, about, key, fact_id)]
        if len(facts) != 1:
            assert result.status == ("conflict" if facts else "not_found")
            return None
        return facts[0]

    def named(self, speaker: Speaker, about: int, key: str, fact_id: int | None) -> dict[int, State]:
        """The facts that type and key name: those that hold now, if there are any, else the past ones."""
        facts = {id_: state for id_, state in self.seen(speaker, about).items() if state.key == key}
        if fact_id is not None:
            return {id_: state for id_, state in facts.items() if id_ == fact_id}
        return {id_: state for id_, state in facts.items() if state.until is None} or facts

    @rule(speaker=speakers, about=abouts, indices=st.lists(indexes, min_size=2, max_size=3), value=values)
    def merge_facts(self, speaker: Speaker, about: int | None, indices: list[int], value: str) -> None:
        about = speaker.user if about is None else about
        mine = [id_ for id_, state in self.seen(speaker, about).items() if state.key == "hobby"]
        ids = [self.pick(speaker, index, about) for index in indices]
        if len(mine) > 1 and indices[0] % 4:
            ids = [mine[(indices[0] + number) % len(mine)] for number in range(min(len(indices), len(mine)))]
        result = self.call(
            speaker, "merge_facts", user_id=about, fact_ids=ids, merged_value=value, merged_confidence=0.75
        )
        if len(set(ids)) < len(ids):
            assert result.status == "invalid_args"
            return
        if self.is_unknown(speaker, about):
            assert result.status == "invalid_target"
            return
        seen = self.seen(speaker, about)
        facts = [seen[id_] for id_ in ids if id_ in seen and seen[id_].key is not None]
        if len(facts) < len(ids):
            assert result.status == "not_found"
            return
        if len({(KEYS[str(fact.key)], fact.persona, fact.until is None) for fact in facts}) > 1:
            assert result.status == "invalid_args"
            return
        merged = replace(facts[0], value=value, confidence=0.75, evidence=sum(fact.evidence for fact in facts))
        other = self.holder(merged)
        if other is not None and other not in ids:
            assert (result.status, result["fact_id"]) == ("conflict", other)
            return
        assert result.status == "success"
        together = next(self.numbers)
        for id_, fact in zip(ids[1:], facts[1:], strict=True):
            self.put(id_, replace(fact, live=False), together)
        self.put(ids[0], merged, together)
        self.compare(speaker)

    @rule(speaker=speakers, index=indexes, again=st.booleans())
    def forget(self, speaker: Speaker, index: int, again: bool) -> None:
        """Call `forget` with one id, perhaps twice in the same turn."""
        self.delete(speaker, self.pick(speaker, index), again)

    def delete(self, speaker: Speaker, id_: int, again: bool) -> None:
        turn = self.turn(speaker)
        place = (speaker.user, speaker.place, speaker.chat)
        for time in range(1 + again):
            result = self.call(speaker, "forget", turn, memory_id=id_)
            self.questions = {
                question: asked
                for question, asked in self.questions.items()
                if question[:3] != place or question[3] == id_
            }
            state = self.deletable(speaker).get(id_)
            if state is None:
                assert result.status == "not_found"
                return
            until, persona, text = self.questions.get((*place, id_), (self.now, 0, state))
            same = (text.key, text.value) == (state.key, state.value)
            if until > self.now and persona == speaker.persona and same:
                if time == 0:
                    assert result.status == "deleted"
                    self.put(id_, None)
                    self.questions = {one: asked for one, asked in self.questions.items() if one[3] != id_}
                    self.compare(speaker)
                    return
            else:
                self.questions[(*place, id_)] = (self.now + timedelta(minutes=5), speaker.persona, state)
            assert result.status == "confirmation_required"

    @rule(speaker=speakers, index=indexes)
    def agree_to_a_deletion(self, speaker: Speaker, index: int) -> None:
        """Ask and agree at once, so that deletions are frequent."""
        id_ = self.pick(speaker, index)
        for _ in range(2):
            self.delete(speaker, id_, again=False)

    @rule(speaker=speakers, index=indexes)
    def undo(self, speaker: Speaker, index: int) -> None:
        theirs = [id_ for id_, changes in self.changes.items() if len(changes) > index % 3]
        id_ = theirs[index // 3 % len(theirs)] if theirs else self.pick(speaker, index)
        outcome = self.run(self.memory.undo(id_, self.turn(speaker)))
        changes = self.changes.get(id_, [])
        states = [
            state for state in (*(change.before for change in changes), self.states.get(id_)) if state is not None
        ]
        if not states or any(
            state.owner != speaker.user
            or (state.place != speaker.place and not speaker.direct)  # there one may take back all of one's own
            or state.persona not in (0, speaker.persona)
            for state in states
        ):
            assert isinstance(outcome, NotFound)
            return
        standing = {one: [change for change in its if not change.undone] for one, its in self.changes.items()}
        if not standing[id_]:
            assert isinstance(outcome, NotFound)
            return
        last = standing[id_][-1]
        if self.now - last.at > WINDOW:
            assert isinstance(outcome, Refused | NotFound)
            return
        ids = [id_]
        if last.together is not None:
            ids = [one for one, its in self.changes.items() if any(change.together == last.together for change in its)]
            if any(not standing[one] or standing[one][-1].together != last.together for one in ids):
                assert isinstance(outcome, Refused)
                return
        for one in ids:
            before = standing[one][-1].before
            if before is not None and before.live and self.holder(before) not in (None, *ids):
                assert isinstance(outcome, Conflict)
                return
        assert isinstance(outcome, Changed), outcome
        together = None if last.together is None else next(self.numbers)
        restored = {one: standing[one][-1].before for one in ids}
        for one, before in restored.items():
            standing[one][-1].undone = True
            self.put(one, before, together)
            self.changes[one][-1].undone = True
            self.questions = {
                question: asked for question, asked in self.questions.items() if before or question[3] != one
            }
        self.compare(speaker)

    @rule(span=st.sampled_from([timedelta(minutes=3)] * 4 + [timedelta(minutes=6), timedelta(hours=25)]))
    def wait(self, span: timedelta) -> None:
        self.now += span
        if span > WINDOW:
            self.run(self.memory.tidy())


TestConversations = Conversations.TestCase
TestConversations.settings = settings(
    max_examples=cases(4, long=100),
    stateful_step_count=50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


# Every tool, by who may see what. Each text is said once, so that the model is about visibility alone.

EVERYWHERE = ("everywhere",)
SYLLABLES = ["ba", "da", "fa", "ga", "la", "ma", "na", "pa", "ra", "ta"]
FULL, PARTIAL, MINIMAL = PrivacyLevel.FULL, PrivacyLevel.PARTIAL, PrivacyLevel.MINIMAL


@dataclass(frozen=True)
class Item:
    """One remembered thing; `owner` is a person's id or a place."""

    kind: str
    owner: int | tuple[str, ...]
    place: tuple[str, ...]
    persona: int
    text: str
    people: tuple[int, ...] = ()
    writers: tuple[int, ...] = ()


class Everything(RuleBasedStateMachine):
    """All tools, with privacy levels, opening to every space, clearing and erasing."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        self.loop = asyncio.new_event_loop()
        self.memory = open_memory(
            self.url(),
            settings=Settings(calls_per_hour=0, changes_of_others_per_hour=0, reads_of_others_per_hour=0),
            clock=lambda: self.now,
        )
        self.items: dict[int, Item] = {}
        self.past: set[int] = set()
        self.remembered: set[int] = set()
        self.privacy = dict.fromkeys(USERS, MINIMAL)
        self.members: set[tuple[tuple[str, ...], int]] = set()
        self.said: list[tuple[tuple[str, ...], str, int, int]] = []  # place, chat, persona, user
        self.numbers = itertools.count(1)

    url = Conversations.url
    run = Conversations.run
    turn = Conversations.turn

    def teardown(self) -> None:
        for speaker in ELSEWHERE:
            self.compare(speaker)
        self.run(self.memory.close())
        self.loop.close()

    @initialize()
    def everybody_speaks_in_the_groups(self) -> None:
        for user, (space, chat, direct) in itertools.product(USERS, PLACES[1:3]):
            self.speak(Speaker(user, space, chat, direct, 0))

    # The model

    def word(self) -> str:
        number = next(self.numbers)
        return "".join(SYLLABLES[int(digit)] for digit in f"{number:04d}") + "k"

    def call(self, speaker: Speaker, tool: str, **arguments: Any) -> ToolResult:
        result = self.run(self.memory.call(tool, arguments, self.turn(speaker)))
        assert result.status not in ("error", "busy", "invalid_args"), (tool, arguments, result)
        return result

    def of_person(self, speaker: Speaker, about: int, kinds: str = "fact note") -> dict[int, Item]:
        return {
            id_: item
            for id_, item in self.items.items()
            if item.owner == about
            and item.kind in kinds
            and item.place in (speaker.place, EVERYWHERE)
            and item.persona in (0, speaker.persona)
        }

    def of_space(self, speaker: Speaker, kinds: str) -> dict[int, Item]:
        return {
            id_: item
            for id_, item in self.items.items()
            if item.owner == speaker.place and item.kind in kinds and item.persona == speaker.persona
        }

    def is_hidden(self, item: Item) -> bool:
        """What a space has and nobody is told: about somebody at PARTIAL or FULL, or of words of somebody at FULL."""
        is_about_hidden = any(self.privacy[user] is not MINIMAL for user in item.people)
        is_of_hidden = any(self.privacy[user] is FULL for user in item.writers)
        return item.kind in ("episode", "note") and (is_about_hidden or is_of_hidden)

    def wants_none(self, speaker: Speaker) -> bool:
        """What belongs to a direct chat is about its person."""
        return speaker.direct and self.privacy[speaker.user] is not MINIMAL

    def told(self, speaker: Speaker, kinds: str) -> dict[int, Item]:
        """What the space has that is told there."""
        there = {} if self.wants_none(speaker) else self.of_space(speaker, kinds)
        return {id_: item for id_, item in there.items() if not self.is_hidden(item)}

    def own_anywhere(self, speaker: Speaker) -> dict[int, Item]:
        """One's own in this place; in the direct chat, from every place."""
        here = self.of_person(speaker, speaker.user)
        every = {id_: item for id_, item in self.items.items() if item.owner == speaker.user}
        return (
            {id_: item for id_, item in every.items() if item.persona in (0, speaker.persona)}
            if speaker.direct
            else here
        )

    def refusal(self, speaker: Speaker, about: int) -> str | None:
        if about != speaker.user and (speaker.direct or (speaker.place, about) not in self.members):
            return "invalid_target"
        return None if self.privacy[about] is MINIMAL else "privacy_restricted"

    def pick(self, items: dict[int, Item], index: int) -> int:
        """Choose one of these, or now and then any id."""
        ids = [*items] if items and index % 5 else [*self.items, 10_000]
        return ids[index // 5 % len(ids)]

    def compare(self, speaker: Speaker) -> None:
        mine = {} if self.privacy[speaker.user] is not MINIMAL else self.of_person(speaker, speaker.user)
        words = " ".join(item.text for item in self.items.values()) or "nothing"
        found = self.call(speaker, "recall", query=words, limit=50, kinds=["fact", "note", "episode"])
        expected = mine | self.told(speaker, "note episode")
        assert {one["memory_id"] for one in found["memories"]} == set(expected), speaker
        episodes = self.call(speaker, "recall_episodes", limit=50)["episodes"]
        assert {one["episode_id"]: one["participants"] for one in episodes} == {
            id_: list(item.people) for id_, item in self.told(speaker, "episode").items()
        }
        for about in USERS:
            self.compare_about(speaker, about)

    def compare_about(self, speaker: Speaker, about: int) -> None:
        facts = set(self.of_person(speaker, about, "fact"))
        everywhere = facts
        if speaker.direct and about == speaker.user:
            everywhere = {id_ for id_, item in self.own_anywhere(speaker).items() if item.kind == "fact"}
        ties = {
            id_
            for id_, item in self.of_space(speaker, "relation").items()
            if about in item.people and all(self.refusal(speaker, user) is None for user in item.people)
        }
        summed = set(self.of_person(speaker, about)) | ties
        lists: dict[str, tuple[str, str, set[int], dict[str, Any]]] = {
            "recall_facts": ("facts", "fact_id", facts, {"limit": 50}),
            "recall_facts_global": ("facts", "fact_id", everywhere, {"limit": 50}),
            "recall_relationships": ("relationships", "memory_id", ties, {"limit": 50}),
            "suggest_merge": ("groups", "", set(), {}),
            "generate_profile_summary": ("memories", "", summed, {"max_words": 2000}),
        }
        for tool, (field, id_name, expected, more) in lists.items():
            result = self.call(speaker, tool, user_id=about, **more)
            if (refusal := self.refusal(speaker, about)) is not None:
                assert result.status == refusal, (tool, speaker, about)
            elif tool == "suggest_merge":
                assert {one for group in result[field] for one in group["fact_ids"]} <= facts
            elif tool == "generate_profile_summary":
                assert set(result[field]) == expected
            else:
                assert {one[id_name] for one in result[field]} == expected, (tool, speaker, about)

    def changed(self, speaker: Speaker) -> None:
        self.compare(speaker)
        self.compare(HOME)

    # What people do

    @rule(speaker=speakers)
    def speak(self, speaker: Speaker) -> None:
        kept = self.run(self.memory.record("user", "Hello!", self.turn(speaker)))
        assert (kept is None) is (self.privacy[speaker.user] is FULL)
        if kept is not None:
            self.members.add((speaker.place, speaker.user))
            self.said.append((speaker.place, speaker.chat, speaker.persona, speaker.user))

    @rule(speaker=speakers, about=abouts, tool=st.sampled_from(["remember", "remember_fact", "temporal", "note"]))
    def tell(self, speaker: Speaker, about: int | None, tool: str) -> None:
        about = speaker.user if about is None or tool == "remember" else about
        text = self.word()
        fact = {"user_id": about, "fact_type": "preference", "fact_key": "hobby", "fact_value": text, "confidence": 0.9}
        named = {"scope": "target_user", "target_user": str(about)}
        result = {
            "remember": lambda: self.call(speaker, "remember", content=text),
            "remember_fact": lambda: self.call(speaker, "remember_facts", facts=[fact])["results"][0],
            "temporal": lambda: self.call(speaker, "update_fact_with_temporal", **fact),
            "note": lambda: self.call(speaker, "create_long_term_memory", memory_content=text, **named),
        }[tool]()
        if (refusal := self.refusal(speaker, about)) is not None:
            by_name = {"invalid_target": "user_not_found"}.get(refusal, refusal)
            assert result["status"] == (f"memory_create_failed_{by_name}" if tool == "note" else refusal)
            return
        assert result["status"] in ("success", "memory_created_successfully"), result
        kind = "fact" if tool in ("remember_fact", "temporal") else "note"
        id_ = result["fact_id" if kind == "fact" else "memory_id"]
        assert id_ not in self.items
        self.items[id_] = Item(kind, about, speaker.place, speaker.persona, text)
        if tool == "remember":
            self.remembered.add(id_)
        self.changed(speaker)

    @rule(speaker=speakers)
    def tell_the_space(self, speaker: Speaker) -> None:
        text = self.word()
        result = self.call(speaker, "create_long_term_memory", memory_content=text, scope="server_wide")
        if self.wants_none(speaker) or self.privacy[speaker.user] is FULL:
            assert result.status == "memory_create_failed_privacy_restricted"
            return
        assert result.status == "memory_created_successfully"
        author = () if speaker.direct else (speaker.user,)
        self.items[result["memory_id"]] = Item(
            "note", speaker.place, speaker.place, speaker.persona, text, writers=author
        )
        self.changed(speaker)

    @rule(speaker=speakers, about=st.none() | abouts, deletes=st.booleans(), index=indexes)
    def correct_a_note(self, speaker: Speaker, about: int | None, deletes: bool, index: int) -> None:
        """`about` None: a note of the space."""
        of_space = {id_: item for id_, item in self.of_space(speaker, "note").items() if not self.is_hidden(item)}
        notes = of_space if about is None else self.of_person(speaker, about, "note")
        id_, text = self.pick(notes, index), "" if deletes else self.word()
        target = {} if about is None else {"target_user": str(about)}
        result = self.call(speaker, "update_long_term_memory", memory_id=id_, memory_content=text, **target)
        is_invisible = self.privacy[speaker.user] is FULL and not deletes
        restricted = "privacy_restricted" if self.wants_none(speaker) or is_invisible else None
        refusal = restricted if about is None else self.refusal(speaker, about)
        if refusal == "invalid_target" or (refusal and not deletes):
            by_name = {"invalid_target": "user_not_found"}.get(refusal, refusal)
            assert result.status == f"memory_update_failed_{by_name}"
        elif deletes and about not in (None, speaker.user):
            assert result.status == "memory_update_failed_not_confirmed"
        elif id_ not in notes:
            assert result.status == "memory_update_failed_not_found"
        elif deletes:
            if result.status == "memory_update_failed_not_confirmed":
                assert id_ in self.remembered
                result = self.call(speaker, "update_long_term_memory", memory_id=id_, memory_content="", **target)
            assert result.status == "memory_deleted_successfully"
            del self.items[id_]
        else:
            assert result.status == "memory_updated_successfully"
            writers = (speaker.user,) if about is None and not speaker.direct else ()
            self.items[id_] = replace(self.items[id_], text=text, writers=writers)
        self.changed(speaker)

    @rule(speaker=speakers, about=abouts, forgets=st.booleans(), index=indexes)
    def correct_a_fact(self, speaker: Speaker, about: int | None, forgets: bool, index: int) -> None:
        about = speaker.user if about is None else about
        facts = self.of_person(speaker, about, "fact")
        id_, text = self.pick(facts, index), self.word()
        named = {"user_id": about, "fact_type": "preference", "fact_key": "hobby", "fact_id": id_}
        if forgets:
            result = self.call(speaker, "forget_fact", **named, reason="outdated")
        else:
            change = {"new_value": text, "confidence": 0.9, "change_reason": "update"}
            result = self.call(speaker, "update_fact", **named, **change)
        refusal = None if forgets and about == speaker.user else self.refusal(speaker, about)
        assert result.status == (refusal or ("success" if id_ in facts else "not_found"))
        if result.status == "success" and forgets:
            self.items[id_] = replace(self.items[id_], kind="forgotten")
        elif result.status == "success" and id_ in self.past:
            assert result["fact_id"] not in self.items
            self.items[result["fact_id"]] = Item("fact", about, speaker.place, speaker.persona, text)
        elif result.status == "success":
            self.items[result["past_fact_id"]] = self.items[id_]
            self.past.add(result["past_fact_id"])
            self.items[id_] = replace(self.items[id_], text=text)
        self.changed(speaker)

    @rule(speaker=speakers, about=abouts)
    def merge(self, speaker: Speaker, about: int | None) -> None:
        about = speaker.user if about is None else about
        facts = self.of_person(speaker, about, "fact")
        if len(facts) < 2:
            return
        one, other = [*facts][:2]
        text = self.word()
        alike = [(facts[id_].place, facts[id_].persona) for id_ in (one, other)]
        arguments = {"user_id": about, "fact_ids": [one, other], "merged_value": text, "merged_confidence": 0.9}
        result = self.run(self.memory.call("merge_facts", arguments, self.turn(speaker)))
        refusal = self.refusal(speaker, about)
        assert result.status == (refusal or ("success" if alike[0] == alike[1] else "invalid_args"))
        if result.status == "success":
            self.items[one] = replace(facts[one], text=text)
            self.items[other] = replace(facts[other], kind="forgotten")
        self.changed(speaker)

    @rule(speaker=speakers, count=st.integers(1, 4))
    def create_episode(self, speaker: Speaker, count: int) -> None:
        text = self.word()
        result = self.call(
            speaker, "create_episode", topic=text, summary="It happened.", importance=0.5, message_count=count
        )
        if self.privacy[speaker.user] is FULL or self.wants_none(speaker):
            assert result.status == "privacy_restricted"
            return
        here = [user for *where, user in self.said if where == [speaker.place, speaker.chat, speaker.persona]]
        writers = tuple(dict.fromkeys(user for user in here[-count:] if self.privacy[user] is not FULL))
        people = writers or (speaker.user,)
        assert (result.status, result["participants"]) == ("success", list(people))
        place = (speaker.place, speaker.place, speaker.persona)
        self.items[result["episode_id"]] = Item("episode", *place, text, people, writers)
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes, archives=st.booleans())
    def change_an_episode(self, speaker: Speaker, index: int, archives: bool) -> None:
        episodes = self.told(speaker, "episode")
        id_ = self.pick(episodes, index)
        if archives:
            result = self.call(speaker, "archive_episode", episode_id=id_, reason="over")
        else:
            result = self.call(speaker, "update_episode", episode_id=id_, additional_summary=self.word())
        assert result.status == ("success" if id_ in episodes else "not_found")
        if archives and id_ in episodes:
            self.items[id_] = replace(episodes[id_], kind="archived")
        self.changed(speaker)

    @rule(speaker=speakers)
    def mark_important(self, speaker: Speaker) -> None:
        here = [user for *where, user in self.said if where == [speaker.place, speaker.chat, speaker.persona]]
        result = self.call(speaker, "mark_important", importance_level="high", message_count=3)
        assert result["count"] == sum(self.privacy[user] is not FULL for user in here[-3:])

    @rule(speaker=speakers, one=st.sampled_from(USERS), other=st.sampled_from(USERS))
    def relate(self, speaker: Speaker, one: int, other: int) -> None:
        if one == other:
            return
        text = self.word()
        result = self.call(
            speaker,
            "remember_relationship",
            user_id=one,
            related_user_id=other,
            relationship="mentor",
            description=text,
        )
        refusal = self.refusal(speaker, one) or self.refusal(speaker, other)
        assert (result.status == refusal) is (refusal is not None), (result, refusal)
        if refusal is None:
            self.members.add((speaker.place, speaker.user))
            known = [id_ for id_, item in self.of_space(speaker, "relation").items() if item.people == (one, other)]
            assert not known or known == [result["memory_id"]]
            self.items[result["memory_id"]] = Item(
                "relation", speaker.place, speaker.place, speaker.persona, text, (one, other)
            )
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes)
    def forget(self, speaker: Speaker, index: int) -> None:
        theirs = self.own_anywhere(speaker) | self.of_space(speaker, "note episode")
        theirs = {id_: item for id_, item in theirs.items() if item.kind in ("fact", "note", "episode")}
        if not speaker.direct:
            theirs = {id_: item for id_, item in theirs.items() if not self.is_hidden(item)}
        theirs |= {id_: item for id_, item in self.of_space(speaker, "relation").items() if speaker.user in item.people}
        if speaker.direct:
            alone, _ = self.profile(speaker.user)
            theirs |= {
                id_: item
                for id_, item in alone.items()
                if item.kind in ("relation", "episode") and item.persona in (0, speaker.persona)
            }
        id_ = self.pick(theirs, index)
        statuses = [self.call(speaker, "forget", memory_id=id_).status for _ in range(2)]
        assert statuses == (["confirmation_required", "deleted"] if id_ in theirs else ["not_found"] * 2)
        if id_ in theirs:
            del self.items[id_]
        self.changed(speaker)

    @rule(speaker=speakers, level=st.sampled_from([MINIMAL, MINIMAL, PARTIAL, FULL]))
    def set_privacy(self, speaker: Speaker, level: PrivacyLevel) -> None:
        self.run(self.memory.set_privacy(level, self.turn(speaker)))
        self.privacy[speaker.user] = level
        self.changed(speaker)

    @rule(speaker=speakers, index=indexes, everywhere=st.booleans())
    def share(self, speaker: Speaker, index: int, everywhere: bool) -> None:
        own = {id_: item for id_, item in self.own_anywhere(speaker).items() if item.kind in ("fact", "note")}
        id_ = self.pick(own, index)
        outcome = self.run(self.memory.share(id_, self.turn(speaker), everywhere=everywhere))
        if (everywhere or not speaker.direct) and self.privacy[speaker.user] is not MINIMAL:
            assert isinstance(outcome, NoAccess)
        elif id_ not in own:
            assert isinstance(outcome, NotFound)
        else:
            assert isinstance(outcome, Shared)
            closed = speaker.place if own[id_].place == EVERYWHERE else own[id_].place
            self.items[id_] = replace(own[id_], place=EVERYWHERE if everywhere else closed)
        self.changed(speaker)

    def profile(self, user: int) -> tuple[dict[int, Item], dict[int, Item]]:
        """What goes with the person, and the episodes that they are only taken out of."""
        own = {id_: item for id_, item in self.items.items() if item.owner in (user, ("direct", str(user)))}
        with_them = {id_: item for id_, item in self.items.items() if user in item.people}
        alone = {id_: item for id_, item in with_them.items() if item.kind == "relation" or set(item.people) == {user}}
        gone = own | alone
        return gone, {id_: item for id_, item in with_them.items() if id_ not in gone}

    def profile_here(self, speaker: Speaker) -> tuple[dict[int, Item], dict[int, Item]]:
        """What of it is seen here; in the direct chat, all."""
        both = self.profile(speaker.user)
        if speaker.direct:
            return both
        seen = self.of_person(speaker, speaker.user, "fact note forgotten")
        seen |= self.of_space(speaker, "note episode relation archived")
        gone, shared = ({id_: item for id_, item in part.items() if id_ in seen} for part in both)
        return gone, shared

    def take_out(self, gone: dict[int, Item], shared: dict[int, Item], user: int) -> None:
        self.items = {id_: item for id_, item in self.items.items() if id_ not in gone}
        for id_, item in shared.items():
            self.items[id_] = replace(item, people=tuple(one for one in item.people if one != user))

    @rule(speaker=speakers, regrets=st.booleans())
    def clear_profile(self, speaker: Speaker, regrets: bool) -> None:
        gone, shared = self.profile_here(speaker)
        before = dict(self.items)
        results = [self.call(speaker, "clear_profile", user_id=speaker.user, reason="asked") for _ in range(2)]
        if not gone and not shared:
            assert [result.status for result in results] == ["nothing_found"] * 2
            return
        assert [result.status for result in results] == ["confirmation_required", "deleted"]
        assert set(results[1]["memory_ids"]) == set(gone)
        assert sum(results[1][name] for name in ("facts", "notes", "episodes", "relations")) == len(gone)
        self.take_out(gone, shared, speaker.user)
        self.changed(speaker)
        seen_here = [id_ for id_, item in gone.items() if item.owner == speaker.user and item.place == speaker.place]
        seen_here = [id_ for id_ in seen_here if gone[id_].persona in (0, speaker.persona)]
        if regrets and seen_here:
            outcome = self.run(self.memory.undo(seen_here[0], self.turn(speaker)))
            # What had been seen elsewhere before, or by another persona, is not taken back from here.
            assert isinstance(outcome, Changed | NotFound), outcome
            if isinstance(outcome, Changed):
                self.items = before
            self.changed(speaker)

    @rule(speaker=speakers, surely=st.integers(0, 3))
    def erase(self, speaker: Speaker, surely: int) -> None:
        if surely:
            return
        user = speaker.user
        self.run(self.memory.erase(self.turn(speaker)))
        gone, shared = self.profile(user)
        gone |= {id_: item for id_, item in self.items.items() if item.kind == "note" and item.writers == (user,)}
        self.take_out(gone, shared, user)
        direct = ("direct", str(user))
        self.items = {
            id_: replace(item, writers=tuple(one for one in item.writers if one != user))
            for id_, item in self.items.items()
            if item.owner != direct
        }
        self.said = [one for one in self.said if one[-1] != user]
        self.members = {(place, one) for place, one in self.members if one != user}
        self.changed(speaker)


def test_the_model_knows_every_tool():
    """A new tool needs a rule of its own; the lean ones are others in fewer words (tests/contract/test_lean.py)."""
    called = set(re.findall(r'"([a-z_]+)"', Path(__file__).read_text("utf-8")))
    assert {tool.name for tool in REGISTRY if tool.set != "lean"} <= called


TestEverything = Everything.TestCase
TestEverything.settings = settings(
    max_examples=cases(4, long=40),
    stateful_step_count=30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class ConversationsOnPostgres(Conversations):
    def url(self) -> str:
        return server().database_for(Path("conversations"))

    def teardown(self) -> None:
        super().teardown()
        server().empty_databases()


class EverythingOnPostgres(Everything):
    def url(self) -> str:
        return server().database_for(Path("everything"))

    def teardown(self) -> None:
        super().teardown()
        server().empty_databases()


TestConversationsOnPostgres = ConversationsOnPostgres.TestCase
TestConversationsOnPostgres.settings = settings(TestConversations.settings, max_examples=cases(1, long=10))
TestEverythingOnPostgres = EverythingOnPostgres.TestCase
TestEverythingOnPostgres.settings = settings(TestEverything.settings, max_examples=cases(1, long=10))
