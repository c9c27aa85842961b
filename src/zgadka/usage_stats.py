"""What is done, over time: counted in memory as it happens, kept as rows every few seconds.

A call costs some additions and nothing else. Of people, places and texts nothing is counted; what tells one
conversation from another is a number that no row ever holds.
"""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterable
from typing import Literal

from zgadka import telemetry
from zgadka.errors import StoreClosed, StoreError
from zgadka.model.notification import Notice
from zgadka.model.rollout import Arm
from zgadka.model.turn import Turn
from zgadka.ops.missing_guarantees import LACKS
from zgadka.ops.usage_stats import keep_activity
from zgadka.stores.executor import Transactions
from zgadka.stores.tx.usage_stats import ABOVE, Kind
from zgadka.tools.declare import Tool

Outcome = Literal["answered", "fallback", "failed"]
"""What became of an answer: `fallback` was given without tools, since with them it failed."""

RECALLED, NOT_RECALLED = "recall_before_remember", "remember_without_recall"
_PAUSE_SECONDS = 30 * 60
"""After so long without a call, the next one begins a new conversation."""
_TURN_SECONDS = 5 * 60
_MAX_RECENT = 20_000


class Activity:
    """Counts for one memory, whose event loop alone calls it.

    Args:
        keeps: Whether rows are made of it.
    """

    def __init__(self, store: Transactions, *, keeps: bool) -> None:
        self._store = store
        self._keeps = keeps
        self._unsaved: telemetry.Tally = {}
        self._conversations = _Recent(_PAUSE_SECONDS)
        self._answered = _Recent(_PAUSE_SECONDS)
        self._recalls = _Recent(_TURN_SECONDS)

    def called(self, tool: Tool, status: str, seconds: float, turn: Turn) -> None:
        """Count a tool call that was answered."""
        self.timed("call", tool.name, status, seconds)
        conversation = (turn.platform, turn.place, turn.conversation)
        if self._conversations.note(conversation):
            self._add("conversation")
        if status == "skipped":
            self.knew(turn.arm)
        if status in telemetry.UNSUCCESSFUL:  # nothing was looked at, and nothing added
            return
        turn_key = (conversation, turn.user_key, turn.turn)
        if tool.read_only:
            self._recalls.note(turn_key)
        elif tool.remembers:
            pattern = RECALLED if turn_key in self._recalls else NOT_RECALLED
            self._add("pattern", pattern)

    def identified(self, turn: Turn, *, is_request: bool, is_asking: bool) -> None:
        """Count a model's call whose host does not say which turn it is, or what the person wrote.

        Over MCP hosts seldom can; there, and at the other doors for requests, neither matters until a deletion is asked
        about.
        """
        lacks = LACKS[turn.turn is None, turn.text is None]
        if lacks == "" or turn.answers is not None:  # who shows each question to its person needs neither
            return
        if is_asking or not is_request or lacks != "both":
            self._add("lacks", "request" if is_request else "program", lacks)

    def answered(self, turn: Turn, outcome: Outcome, seconds: float) -> None:
        """Count an answer of the chat's model, and the conversation that it is in, by arm; without one, nothing."""
        arm = turn.arm
        if arm is None:
            return
        telemetry.count("answer", arm, outcome)
        if self._answered.note((turn.platform, turn.place, turn.conversation)):
            self._add("arm", arm, "conversation")
        self.timed("arm", arm, outcome, seconds)

    def knew(self, arm: Arm | None, number: int = 1) -> None:
        """Count what was to be remembered and was known already, by arm."""
        if arm is not None and number:
            self._add("arm", arm, "known", number=number)

    def changed(self, notices: Iterable[Notice]) -> None:
        """Count what became of memories, whoever did it."""
        for notice in notices:
            if notice.what == "learned":
                continue
            self._add("change", notice.kind or "", notice.what)
            if notice.arm is not None and notice.what == "created":
                self._add("arm", notice.arm, "remembered")

    def forget(self) -> None:
        """Let go of who spoke lately, since somebody was erased."""
        self._conversations.clear()
        self._answered.clear()
        self._recalls.clear()

    async def flush(self) -> None:
        """Keep as rows what was counted since the last time; what cannot be kept now waits for the next."""
        if not self._unsaved:
            return
        counts, self._unsaved = self._unsaved, {}
        rows = {Kind(*kind): (number, total) for kind, (number, total) in counts.items()}
        try:
            await self._store.write_soon(keep_activity, rows)
        except StoreClosed:
            raise
        except StoreError:
            for kind, (number, total) in counts.items():
                telemetry.add_to(self._unsaved, kind, number, total)

    def timed(self, event: telemetry.TimedEvent, name: str, outcome: str, seconds: float) -> None:
        """Count what took time: a tool's transaction, from when it was asked for; a task, from when it was queued."""
        self._add(event, name, outcome, *telemetry.timed(seconds))

    def _add(
        self, event: str, name: str = "", outcome: str = "", bound: int = ABOVE, value: int = 0, number: int = 1
    ) -> None:
        kind = event, name, outcome, bound  # a `Kind` is made when it becomes a row: that takes longer
        telemetry.add(kind, number, value)
        if self._keeps:
            telemetry.add_to(self._unsaved, kind, number, value)


class _Recent:
    """What happened within some time, as numbers that say nothing of it; the oldest go first."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._times: dict[int, float] = {}

    def __contains__(self, event: Hashable) -> bool:
        seen_at = self._times.get(hash(event))
        return seen_at is not None and time.monotonic() - seen_at < self._seconds

    def note(self, event: Hashable) -> bool:
        """Note that it happened; True if it had not happened recently."""
        is_new = event not in self
        self._times.pop(hash(event), None)
        self._times[hash(event)] = time.monotonic()
        if len(self._times) > _MAX_RECENT:
            del self._times[next(iter(self._times))]
        return is_new

    def clear(self) -> None:
        self._times.clear()
