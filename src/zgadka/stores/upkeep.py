"""Limits, what is past its time, erasure, and the way from store to store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TypeVar

from zgadka.model.lines import MessageLine
from zgadka.model.moments import micros, moment
from zgadka.model.turn import person_number
from zgadka.stores.carried import CARRIED, from_row, key_of, to_row
from zgadka.stores.talk import Said, Talk
from zgadka.stores.trail import Trail

T = TypeVar("T")

_PAGE = 500
"""Rows that an export reads at a time."""

_LONGEST_SPAN = timedelta(days=1)
"""No count of calls is for longer; one that seems to be was begun before the clock went back."""


class Upkeep(Trail, Talk):
    """Limits, what is past its time, erasure, and the way from store to store."""

    def count_call(self, person: int, span: str, length: timedelta) -> tuple[int, datetime]:
        """Count one call; returns the calls in this span and when the span ends."""
        now = micros(self.now)
        calls, ends_at = self._rows(
            "rate_take",
            {"owner": person, "span": span, "now": now, "ends_at": micros(self.now + length)},
        )[0]
        return calls, moment(ends_at)

    def once(self, person: int, what: str, length: timedelta) -> bool:
        """Whether this is done for the person for the first time; it is known for so long."""
        ends_at = micros(self.now + length)
        return bool(self._rows("rate_once", {"owner": person, "span": what, "ends_at": ends_at}))

    def drop_expired(self, limit: int) -> int:
        """Drop what is past its time: questions, counts, and at most `limit` memories' texts in the trail.

        Returns:
            How many memories' texts were dropped; when it equals `limit` there may be more.
        """
        now = micros(self.now)
        self._rows("pending_expired", {"now": now})
        self._rows("rate_expired", {"now": now, "farthest": micros(self.now + _LONGEST_SPAN)})
        self._rows("answers_expired", {"now": now, "farthest": micros(self.now + _LONGEST_SPAN)})
        self._rows("consent_expired", {"now": now})
        # An answered or expired question is known as such for another day.
        self._rows("question_expired", {"before": micros(self.now - timedelta(days=1))})
        # Who never came back is told nothing; who ran the machine had a month to look.
        past = {"done": micros(self.now - timedelta(days=1)), "failed": micros(self.now - timedelta(days=30))}
        self._rows("tasks_expired", past)
        # After the clock went back, no text stays for longer than the undo window from now on.
        self._rows("events_expire_by", {"latest": micros(self.now + timedelta(hours=self.settings.undo_hours))})
        expired = self._rows("events_expired", {"now": now, "limit": limit})
        for owner, memory in expired:
            self.forget_event_texts(owner, memory)
        return len(expired)

    def once_with_person(self, person: int) -> list[tuple[int, int]]:
        """Owner and id of each episode and relation whose trail says that the person was in it. Reads everything."""
        return [(owner, memory) for owner, memory in self._rows("past_people", {"person": person})]

    def erase_person(self, platform: str, person: int, name: str) -> dict[str, int]:
        """Remove what is left of a person once their memories are gone; returns how many rows of what."""
        self._rows("erase_observations", {"person": person})
        messages = self._rows("erase_messages", {"person": person})
        for space, message in messages:
            self._gone(space, message)
        counts = {
            "messages": len(messages),
            "questions": len(self._rows("erase_pending", {"owner": person}))
            + len(self._rows("erase_questions", {"owner": person}))
            + len(self._rows("erase_consents", {"owner": person, "asker": name, "platform": platform})),
            "tasks": self.drop_tasks_about(platform, person, person_number(platform, name)),
            "audit_lines": len(self._rows("erase_events", {"owner": person})),
            "memberships": len(self._rows("erase_members", {"person": person})),
        }
        for query in ("rates", "tallies", "vectors", "unembedded", "revisions", "privacy"):
            self._rows(f"erase_{query}", {"owner": person})
        # Of a memory that several spoke of, nobody can tell whose words the excerpt is: it goes before the names do.
        for query in ("erase_excerpts", "erase_excerpts_before", "erase_actor", "erase_said_by", "erase_said_before"):
            self._rows(query, {"platform": platform, "name": name})
        self._rows("erase_owner", {"owner": person})
        self._rows("erase_answers", {})  # nobody can tell of whom they speak
        self._owners.clear()
        # The index keeps parts of removed words until it is written anew: a second segment makes it do so.
        self._rows("index_touch", {})
        self._rows("index_rewrite", {})
        self.next_id("erasure")
        return counts

    def drop_tasks_about(self, platform: str, person: int, number: int) -> int:
        """Remove the queued calls of a person, and those that name their number; returns how many."""
        parameters = {"person": person, "number": number, "platform": platform}
        return len(self._rows("erase_tasks", parameters))

    def unscrubbed(self) -> int:
        """The number of the last erasure whose bytes may still be in the files; 0 when there is none.

        A row, for the process that erased may end before it can scrub.
        """
        last = self.last_id("erasure")
        return last if last > self.last_id("scrub") else 0

    def erase_space(self, space: int) -> None:
        """Remove what is left of a direct chat once its memories are gone."""
        parts = (
            "space_messages",
            "space_members",
            "space_tasks",
            "chats",
            "stretches",
            "events",
            "tallies",
            "vectors",
            "unembedded",
            "revisions",
            "owner",
        )
        for part in parts:
            self._rows(f"erase_{part}", {"owner": space})

    def counts(self) -> dict[str, int]:
        """How much there is of everything; for operators."""
        names = (
            *("people", "spaces", "facts", "notes", "episodes", "relations", "archived", "events", "questions"),
            *("messages", "vectors", "unembedded", "tasks"),
        )
        return dict(zip(names, self._rows("counts", {})[0], strict=True))

    def carried(self, kind: type[T], *prefix: int, whose: int = 0) -> Iterator[T]:
        """All rows of a table as lines of an export, in order of the key, read a page at a time.

        Args:
            kind: The line, which stands for a table in `CARRIED`.
            prefix: The first columns of the key; none: the rows of every owner.
            whose: Of members and messages: only this person's own; 0: everybody's.
        """
        table = CARRIED[kind]
        after = dict(table.key) | dict(zip(table.key, prefix, strict=False))
        leading = tuple(table.key)[: len(prefix)]
        while rows := self._rows(table.read, after | {"whose": whose, "limit": _PAGE}):
            for line in (from_row(kind, row) for row in rows):
                if tuple(getattr(line, name) for name in leading) != prefix:
                    return
                yield line
                after |= key_of(line, table)

    def carry(self, line: object) -> None:
        """Keep a line of an export as a new row."""
        self._rows(CARRIED[type(line)].add, to_row(line))
        if isinstance(line, MessageLine):
            said = Said(line.id, line.person if line.role == "user" else 0, micros(line.at), line.text, line.person)
            self._came(line.owner, (line.chat, line.thread, line.lineage), said)

    def last_id(self, name: str) -> int:
        """The last number of a sequence; 0 when none was given."""
        rows = self._rows("sequence_get", {"name": name})
        return rows[0][0] if rows else 0

    def raise_id(self, name: str, value: int) -> None:
        """Let a sequence go on after this number."""
        self._rows("sequence_raise", {"name": name, "value": value})

    def messages_like(self, line: MessageLine) -> list[int]:
        """The ids of messages that are this one: by the platform's id, or else by all that is known of it."""
        row = to_row(line)
        query = "messages_alike" if line.source is None else "message_with_source"
        return [found[0] for found in self._rows(query, row)]

    def last_event(self, owner: int, memory: int) -> int:
        """The number of the last line of a trail; 0 when there is none."""
        return self._rows("event_last", {"owner": owner, "memory": memory})[0][0]
