"""Limits, what is past its time, erasure, and the way from store to store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TypeVar

from zgadka.model.lines import MessageLine
from zgadka.model.moments import micros
from zgadka.model.turn import person_number
from zgadka.stores.carried import CARRIED, from_row, key_of, to_row
from zgadka.stores.rows import Value
from zgadka.stores.talk import Said, Talk
from zgadka.stores.tasks import Tasks
from zgadka.stores.trail import Trail

T = TypeVar("T")

_PAGE = 500
"""Rows that an export reads at a time."""

_LONGEST_SPAN = timedelta(days=1)
"""No count of calls is for longer; one that seems to be was begun before the clock went back."""

_END_OF_TIME = 2**62
"""Microseconds after which nothing is."""


class Upkeep(Trail, Talk, Tasks):
    """Limits, what is past its time, erasure, and the way from store to store."""

    def count_call(self, person: int, span: str, length: int) -> tuple[int, int]:
        """Count one call; returns the calls in this span of so many microseconds, and how many of them are left."""
        now = micros(self.now)
        taken = self._rows("rate_take", {"owner": person, "span": span, "now": now, "ends_at": now + length})
        calls, ends_at = taken[0]
        return calls, ends_at - now

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
        self.drop_outcomes()
        self._rows("unquoted_stray", {})
        self._rows("observations_stray", {})  # of messages that an older program removed before they were looked at
        # After the clock went back, no text stays for longer than the undo window from now on.
        self._rows("events_expire_by", {"latest": micros(self.now + timedelta(hours=self.settings.undo_hours))})
        expired = self._rows("events_expired", {"now": now, "limit": limit})
        for owner, memory in expired:
            self.forget_event_texts(owner, memory)
        return len(expired)

    def owners_with_traces(self, platform: str, person: int, name: str) -> list[int]:
        """The other owners whose rows tell of a person. Reads everything."""
        number = person_number(platform, name)
        parameters = {"platform": platform, "person": person, "name": name, "number": number}
        return [row[0] for row in self._rows("owners_with_traces", parameters)]

    def once_with_person(self, owner: int, person: int) -> list[int]:
        """The ids of the owner's episodes and relations whose trail says that the person was in them."""
        return [row[0] for row in self._rows("past_people", {"owner": owner, "person": person})]

    def erase_traces(self, owner: int, person: int, name: str) -> dict[str, int]:
        """Remove what another owner's rows tell of a person, but for memories; returns how many rows of what."""
        whose: dict[str, Value] = {"owner": owner, "person": person}
        self.drop_observations_of(owner, person)
        messages = self._rows("erase_messages", whose)
        for (message,) in messages:
            self._gone(owner, message)
        counts = {
            "messages": len(messages),
            "questions": len(self._rows("erase_consents", {"owner": owner, "name": name})),
            "memberships": len(self._rows("erase_members", whose)),
        }
        self._rows("erase_outcomes", whose)
        self._rows("erase_undos", {"owner": owner, "name": name})
        # Of a memory that several spoke of, nobody can tell whose words the excerpt is: it goes before the names do.
        for query in ("erase_excerpts", "erase_excerpts_before", "erase_actor", "erase_said_by", "erase_said_before"):
            self._rows(query, {"owner": owner, "name": name})
        return counts

    def erase_person(self, person: int) -> dict[str, int]:
        """Remove what is left of a person once all else is gone; returns how many rows of what."""
        whose: dict[str, Value] = {"owner": person}
        counts = {
            "questions": sum(
                len(self._rows(query, whose)) for query in ("erase_pending", "erase_questions", "erase_own_consents")
            ),
            "audit_lines": len(self._rows("erase_events", whose)),
        }
        for query in ("erase_rates", "erase_privacy"):
            self._rows(query, whose)
        self._erase_owner(person)
        self._rows("erase_answers", {})  # nobody can tell of whom they speak
        # The index keeps parts of removed words until it is written anew: a second segment makes it do so.
        self._rows("index_touch", {})
        self._rows("index_rewrite", {})
        self.next_id("erasure")
        return counts

    def erase_space(self, space: int) -> None:
        """Remove what is left of a direct chat once its memories are gone."""
        for part in (
            "space_observations",
            "unquoted",
            "space_messages",
            "space_members",
            "chats",
            "stretches",
            "events",
        ):
            self._rows(f"erase_{part}", {"owner": space})
        self._erase_owner(space)

    def _erase_owner(self, owner: int) -> None:
        for part in ("space_tasks", "own_outcomes", "tallies", "vectors", "unembedded", "revisions", "owner"):
            self._rows(f"erase_{part}", {"owner": owner})
        self._owners.clear()

    def owners_of_tasks(self, platform: str, person: int, number: int) -> list[int]:
        """The spaces where queued calls of a person wait, or such as name their number."""
        parameters = {"person": person, "number": number, "platform": platform}
        return [row[0] for row in self._rows("owners_of_tasks", parameters)]

    def drop_tasks_about(self, space: int, person: int, number: int, *, until: datetime | None = None) -> int:
        """Remove a person's queued calls in the space, and those that name their number; returns how many.

        Args:
            until: Those that were put in line by then. None: all.
        """
        last = _END_OF_TIME if until is None else micros(until)
        return len(self._rows("erase_tasks", {"owner": space, "person": person, "number": number, "until": last}))

    def spaces_with_observations(self, person: int) -> list[int]:
        """The spaces where messages of a person wait to be looked at. Asks everywhere."""
        return [row[0] for row in self._rows("spaces_with_observations", {"person": person})]

    def drop_observations_of(self, space: int, person: int, *, until: datetime | None = None) -> None:
        """Have a person's messages in the space that wait to be looked at never looked at.

        Args:
            until: Those that were put in line by then. None: all.
        """
        last = _END_OF_TIME if until is None else micros(until)
        self._rows("erase_observations", {"owner": space, "person": person, "until": last})

    def unscrubbed(self) -> int:
        """The number of the last erasure whose bytes may still be in the files; 0 when there is none.

        A row, for the process that erased may end before it can scrub.
        """
        last = self.last_id("erasure")
        return last if last > self.last_id("scrub") else 0

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
