"""Random conversations of several people, compared step by step with a simple model of what should be remembered.

Facts and notes of people are followed through every change, merge, question and undo, and what others say of them. The
model is `tests/support/conversation_model.py`. A few of them normally, many with `--long`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from conversation_model import KEYS, SPELLINGS, WINDOW, Answer, Model, Speaker, State
from hypothesis import strategies as st
from hypothesis.stateful import initialize, rule
from long_run import cases
from talk_machine import ELSEWHERE, HOME, NEAR, OTHER, PLACES, USERS, OnPostgres, Talk, abouts, indexes, talking

from zgadka import ToolResult, Turn
from zgadka.model.outcome import Changed, Conflict, NotFound, Refused

# Mostly one person in one chat, or nothing much would happen to any memory, and another who speaks of them; the others
# are there to be kept out.
SPEAKERS = [HOME] * 80 + NEAR * 20 + [replace(OTHER, persona=5)] * 10 + ELSEWHERE
REASONS = ["update"] * 3 + ["contradiction", "correction", "refinement"]
SPANS = [timedelta(minutes=3)] * 4 + [timedelta(minutes=6), timedelta(hours=25)]
speakers = st.sampled_from(SPEAKERS)
keys, values = st.sampled_from(["hobby", "hobby", "location"]), st.sampled_from(sorted(SPELLINGS))
confidences = st.sampled_from([0.5, 0.75, 1.0])


class Conversations(Talk):
    def __init__(self) -> None:
        super().__init__()
        self.model = Model()

    @initialize(whole=st.none() | st.sampled_from(sorted(SPELLINGS)))
    def everybody_is_known_and_one_has_hobbies_and_is_said_to_live_somewhere(self, whole: str | None) -> None:
        for user, (space, chat, direct) in itertools.product(USERS, PLACES[1:3]):
            self.run(self.memory.record("user", "Hello!", self.turn(Speaker(user, space, chat, direct, 0))))
        for value in ("chess", "go", "Lviv"):
            self.remember_fact(HOME, None, "hobby", value, 0.5)
        if whole is not None:
            self.merge(HOME, 1, [*self.model.states][:2], whole)
        self.remember_fact(replace(HOME, user=2), 1, "location", "Lviv", 0.5)

    def call(self, speaker: Speaker, tool: str, turn: Turn | None = None, **arguments: Any) -> ToolResult:
        result = self.run(self.memory.call(tool, arguments, turn or self.turn(speaker)))
        assert result.status not in ("error", "busy", "invalid_args") or tool == "merge_facts", result
        return result

    def told(self, speaker: Speaker, answer: Answer, result: ToolResult, field: str = "fact_id") -> None:
        """What the engine answered is what the model says."""
        assert result.status == answer.status, (answer, result)
        for id_, name in ((answer.id, field), (answer.past, "past_fact_id")):
            if id_ is not None and id_ < 0:
                self.model.name(id_, result[name])
            elif id_ is not None:
                assert result[name] == id_, (answer, result)
        if answer.status in ("success", "skipped"):
            self.compare(speaker)

    def pick(self, ids: Iterable[int], index: int) -> int:
        """Choose one of these, if there are any, or now and then any id."""
        ids = [id_ for id_ in ids if id_ > 0] if index % 5 else []
        ids = ids or [*(id_ for id_ in self.model.states if id_ > 0), 10_000]
        return ids[index // 5 % len(ids)]

    def facts(self, speaker: Speaker, about: int | None) -> dict[int, State]:
        """What can be seen of this person, or of anybody."""
        seen = (self.model.seen(speaker, user) for user in (USERS if about is None else [about]))
        return {id_: state for states in seen for id_, state in states.items() if state.key}

    def pick_fact(
        self, speaker: Speaker, about: int | None, key: str, index: int | None
    ) -> tuple[int, str, int | None]:
        """Name a fact: whose it is, by its key, and by its id or not; without an index, by any key."""
        if index is None:
            return speaker.user if about is None else about, key, None
        fact_id = self.pick(self.facts(speaker, about), index)
        state = self.model.states.get(fact_id)
        about = about or (state.owner if state else speaker.user)
        return about, (state.key if state and state.key else key), (fact_id if index % 3 else None)

    def compare(self, speaker: Speaker) -> None:
        for about in USERS:
            result = self.call(speaker, "recall_facts", user_id=about, limit=50)
            if self.model.is_unknown(speaker, about):
                assert result.status == "invalid_target"
                continue
            expected = {
                (id_, state.key, state.value, state.confidence, state.evidence, state.is_hearsay)
                for id_, state in self.model.seen(speaker, about).items()
                if state.key is not None
            }
            recalled = {
                (fact["fact_id"], fact["key"], fact["value"], fact["confidence"], fact["evidence"], "said_by" in fact)
                for fact in result["facts"]
            }
            assert recalled == expected, (speaker, about)
            assert result["total"] == len(expected)
        query = "kyiv lviv chess go"
        found = self.call(speaker, "recall", query=query, limit=50)
        assert {one["memory_id"] for one in found["memories"]} == set(self.model.seen(speaker, speaker.user))

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
        self.told(speaker, self.model.remember(speaker, about, key, value, confidence), result)

    @rule(speaker=speakers, value=values)
    def remember(self, speaker: Speaker, value: str) -> None:
        result = self.call(speaker, "remember", content=value)
        self.told(speaker, self.model.remember(speaker, speaker.user, None, value), result, "memory_id")

    @rule(
        speaker=speakers,
        about=abouts,
        key=keys,
        value=values,
        confidence=confidences,
        index=st.none() | indexes | indexes,
        reason=st.sampled_from(REASONS),
    )
    def update_fact(
        self,
        speaker: Speaker,
        about: int | None,
        key: str,
        value: str,
        confidence: float,
        index: int | None,
        reason: str,
    ) -> None:
        about, key, fact_id = self.pick_fact(speaker, about, key, index)
        result = self.call(
            speaker,
            "update_fact",
            user_id=about,
            fact_type=KEYS[key],
            fact_key=key,
            new_value=value,
            confidence=confidence,
            change_reason=reason,
            fact_id=fact_id,
        )
        self.told(speaker, self.model.update(speaker, about, key, fact_id, value, confidence, reason), result)

    @rule(
        speaker=speakers,
        about=abouts,
        key=keys,
        index=st.none() | indexes | indexes,
        reason=st.sampled_from(["outdated", "user_requested"]),
    )
    def forget_fact(self, speaker: Speaker, about: int | None, key: str, index: int | None, reason: str) -> None:
        about, key, fact_id = self.pick_fact(speaker, about, key, index)
        result = self.call(
            speaker,
            "forget_fact",
            user_id=about,
            fact_type=KEYS[key],
            fact_key=key,
            reason=reason,
            fact_id=fact_id,
        )
        self.told(speaker, self.model.forget_fact(speaker, about, key, fact_id, reason), result)

    @rule(
        speaker=speakers,
        index=indexes,
        confidence=confidences,
        reason=st.none() | st.sampled_from(REASONS),
    )
    def come_back_to_what_is_hidden(self, speaker: Speaker, index: int, confidence: float, reason: str | None) -> None:
        """Say again what was merged, forgotten or said by others; `reason`: in place of another fact."""
        hidden = [state for state in self.model.kept().values() if state.hidden]
        if not hidden:
            return
        state = hidden[index % len(hidden)]
        if reason is None:
            self.remember_fact(speaker, state.owner, str(state.key), state.value, confidence)
        else:
            self.update_fact(speaker, state.owner, str(state.key), state.value, confidence, index, reason)

    @rule(speaker=speakers, about=abouts, indices=st.lists(indexes, min_size=2, max_size=3), value=values)
    def merge_facts(self, speaker: Speaker, about: int | None, indices: list[int], value: str) -> None:
        facts = self.facts(speaker, about)
        alike = {id_: [one for one in facts if one != id_ and facts[one].is_like(facts[id_])] for id_ in facts}
        main = self.pick((id_ for id_, others in alike.items() if others), indices[0])
        others = alike.get(main, []) if indices[1] % 4 else []
        ids = [main, *(others or [self.pick(facts, index) for index in indices[1:]])][: len(indices)]
        state = self.model.states.get(main)
        about = about or (state.owner if state else speaker.user)
        self.merge(speaker, about, ids, value)

    def merge(self, speaker: Speaker, about: int, ids: list[int], value: str) -> None:
        result = self.call(
            speaker, "merge_facts", user_id=about, fact_ids=ids, merged_value=value, merged_confidence=0.75
        )
        self.told(speaker, self.model.merge(speaker, about, ids, value, 0.75), result)

    @rule(speaker=speakers, index=indexes, again=st.sampled_from([None, "same turn", "next turn", "next turn"]))
    def forget(self, speaker: Speaker, index: int, again: str | None) -> None:
        """Call `forget` with one id, perhaps twice."""
        id_ = self.pick(self.model.deletable(speaker), index)
        turn = self.turn(speaker)
        for number in range(1 if again is None else 2):
            is_same_turn = number > 0 and again == "same turn"
            turn = turn if is_same_turn else self.turn(speaker)
            result = self.call(speaker, "forget", turn, memory_id=id_)
            assert result.status == self.model.forget(speaker, id_, is_same_turn=is_same_turn).status
        self.compare(speaker)

    @rule(speaker=speakers, index=indexes)
    def undo(self, speaker: Speaker, index: int) -> None:
        id_ = self.pick((one for one, its in self.model.changes.items() if len(its) > index % 3), index)
        outcome = self.run(self.memory.undo(id_, self.turn(speaker)))
        answer = self.model.undo(speaker, id_)
        outcomes: dict[str, type | tuple[type, ...]] = {
            "changed": Changed,
            "conflict": Conflict,
            "refused": Refused,
            "too_late": (Refused, NotFound),  # the text of what is gone goes then
            "not_found": NotFound,
        }
        assert isinstance(outcome, outcomes[answer.status]), (answer, outcome)
        if answer.status == "changed":
            self.compare(speaker)

    @rule(span=st.sampled_from(SPANS))
    def wait(self, span: timedelta) -> None:
        self.now += span
        self.model.now = self.now
        if span > WINDOW:
            self.run(self.memory.tidy())


class ConversationsOnPostgres(OnPostgres, Conversations):
    pass


TestConversations = Conversations.TestCase
TestConversations.settings = talking(cases(4, long=400), 50)
TestConversationsOnPostgres = ConversationsOnPostgres.TestCase
TestConversationsOnPostgres.settings = talking(cases(1, long=40), 50)
pytestmark = pytest.mark.timeout(cases(300, long=3600))
