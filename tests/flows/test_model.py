"""Random conversations of several people, compared step by step with a simple model of what should be remembered.

Longer runs: ZGADKA_MODEL_EXAMPLES=2000 pytest tests/flows/test_model.py
"""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from zgadka import Settings, ToolResult, Turn, open_memory
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused

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

    @property
    def slot(self) -> tuple[Any, ...]:
        return (self.owner, self.place, self.persona, self.key, None if self.key in SINGLE else SPELLINGS[self.value])


@dataclass(frozen=True)
class Change:
    at: datetime
    together: int | None
    before: State | None


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
        self.memory = open_memory("sqlite://:memory:", settings=Settings(calls_per_hour=0), clock=lambda: self.now)
        self.states: dict[int, State | None] = {}
        self.changes: dict[int, list[Change]] = {}
        self.questions: dict[tuple[Any, ...], tuple[datetime, int, State]] = {}
        self.numbers = itertools.count()

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
        one = self.one(speaker, about, key, fact_id, result)
        if one is None:
            return
        old = self.states[one]
        assert old is not None
        new = replace(old, value=value, confidence=confidence)
        other = self.holder(new)
        if other not in (None, one):
            assert (result.status, result["fact_id"]) == ("conflict", other)
            return
        assert (result.status, result["old_value"]) == ("success", old.value)
        self.put(one, new)
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
        facts = [id_ for id_, state in self.seen(speaker, about).items() if state.key == key]
        if fact_id is not None:
            facts = [id_ for id_ in facts if id_ == fact_id]
        if len(facts) != 1:
            assert result.status == ("conflict" if facts else "not_found")
            return None
        return facts[0]

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
        if len({(KEYS[str(fact.key)], fact.persona) for fact in facts}) > 1:
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
            state = self.seen(speaker, speaker.user).get(id_)
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
        last = changes[-1]
        if self.now - last.at > WINDOW:
            assert isinstance(outcome, Refused | NotFound)
            return
        ids = [id_]
        if last.together is not None:
            ids = [one for one, its in self.changes.items() if any(change.together == last.together for change in its)]
            if any(self.changes[one][-1].together != last.together for one in ids):
                assert isinstance(outcome, Refused)
                return
        for one in ids:
            before = self.changes[one][-1].before
            if before is not None and before.live and self.holder(before) not in (None, *ids):
                assert isinstance(outcome, Conflict)
                return
        assert isinstance(outcome, Changed), outcome
        together = None if last.together is None else next(self.numbers)
        restored = {one: self.changes[one][-1].before for one in ids}
        for one, before in restored.items():
            self.put(one, before, together)
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
    max_examples=int(os.environ.get("ZGADKA_MODEL_EXAMPLES", "40")),
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
