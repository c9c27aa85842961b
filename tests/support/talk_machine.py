"""People who talk to a memory at random, a step at a time: what the state machines of the flows share."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

from conversation_model import Speaker
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine
from postgres_server import server

from zgadka import Memory, Settings, Turn, open_memory

T = TypeVar("T")
Policy = Literal["allow", "never", "ask"]

USERS = [1, 2, 12]
PLACES = [("A", "a1", False), ("A", "a2", False), ("B", "a1", False), ("A", "a1", True)]
PERSONAS = [0, 5, 6]

HOME = Speaker(1, "A", "a1", direct=False, persona=0)
OTHER = replace(HOME, user=2)
NEAR = [replace(HOME, persona=5), replace(HOME, chat="a2"), replace(HOME, direct=True), OTHER]
ELSEWHERE = [
    Speaker(user, space, chat, direct, persona)
    for user, (space, chat, direct), persona in itertools.product(USERS, PLACES, PERSONAS)
]
abouts = st.sampled_from([None] * 6 + [1] * 4 + USERS)
"""Whom something is about; None: the speaker."""
indexes = st.integers(0, 100)


class Talk(RuleBasedStateMachine):
    """A memory of its own, where time stands still but for a rule that lets it pass."""

    def __init__(self) -> None:
        super().__init__()
        self.now = datetime(2026, 3, 1, tzinfo=UTC)
        self.loop = asyncio.new_event_loop()
        self.policy: Policy = "allow"
        self.memory = self.open()
        self.turns = itertools.count()

    def url(self) -> str:
        return "sqlite://:memory:"

    def open(self) -> Memory:
        limits = Settings(calls_per_hour=0, changes_of_others_per_hour=0, reads_of_others_per_hour=0)
        return open_memory(self.url(), settings=replace(limits, others_may_change=self.policy), clock=lambda: self.now)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def compare(self, speaker: Speaker) -> None:
        """What is told where somebody is, is what the model says."""
        raise NotImplementedError

    def teardown(self) -> None:
        try:
            for speaker in ELSEWHERE:
                self.compare(speaker)
        finally:  # the next example begins with nothing, whatever this one has shown
            self.run(self.memory.close())
            self.loop.close()

    def turn(self, speaker: Speaker) -> Turn:
        return Turn(
            platform="telegram",
            space=speaker.space,
            chat=speaker.chat,
            direct=speaker.direct,
            user=speaker.user,
            persona=speaker.persona,
            turn=f"turn-{next(self.turns)}",
            time=self.now,
        )


class OnPostgres(Talk):
    """The same on PostgreSQL; to be named before the machine."""

    def url(self) -> str:
        return server().database_for(Path(type(self).__name__))

    def teardown(self) -> None:
        try:
            super().teardown()
        finally:
            server().empty_databases()


def talking(examples: int, steps: int) -> settings:
    """So many examples of so many steps."""
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    return settings(max_examples=examples, stateful_step_count=steps, suppress_health_check=slow)
