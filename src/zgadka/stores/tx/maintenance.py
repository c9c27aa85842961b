"""Limits, what is past its time, erasure, and the way from store to store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from zgadka.errors import StoreUnavailable
from zgadka.model.export_records import EventLine, MemberLine, MessageLine, PrivacyLine, SubjectLine
from zgadka.model.timestamps import micros
from zgadka.model.turn import person_number
from zgadka.stores.row_mapping import Value, readable
from zgadka.stores.tx.audit import Audit
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.blocks import Blocks
from zgadka.stores.tx.export_tables import CARRIED, is_after, key_of, line_of, row_of
from zgadka.stores.tx.messages import Messages, Observations
from zgadka.stores.tx.people import Members, Privacy
from zgadka.stores.tx.tasks import Outcomes
from zgadka.stores.tx.tokens import Answers

T = TypeVar("T")

_ALL = 2**53
_PAGE = 500
"""Rows that an export reads at a time."""

_LONGEST_SPAN = timedelta(days=1)
"""No count of calls is for longer; one that seems to be was begun before the clock went back."""

_REST = "rest:"
"""Before the marks of what is left alone, which may be for longer."""


class Limits(Topic):
    """How often something was done, and whether it was."""

    def count_call(self, person: int, span: str, length: int, calls: int = 1) -> tuple[int, int]:
        """Count one call; returns the calls in this span of so many microseconds, and how many of them are left.

        Args:
            calls: As how many it counts.
        """
        return self.count_spans([(person, span, length)], calls)[0]

    def count_spans(self, spans: Sequence[tuple[int, str, int]], calls: int = 1) -> list[tuple[int, int]]:
        """Count one call in several such spans, each of an owner's."""
        now = micros(self._tx.now)
        rows: list[dict[str, Value]] = [
            {"owner": owner, "span": span, "calls": calls, "now": now, "ends_at": now + length}
            for owner, span, length in spans
        ]
        return [(row[0][0], row[0][1] - now) for row in self._tx.all_rows("rate_take", rows)]

    def count_calls(self, counts: Iterable[tuple[int, str, int, int]]) -> list[tuple[int, int]]:
        """Count many calls at once: of each the person, the span, its length, and as how many calls it counts.

        Returns:
            For each the same as `count_call`, as if they had been counted one after another.
        """
        now = micros(self._tx.now)
        totals, counts = Counter[tuple[int, str]](), list(counts)
        ends = {(person, span): now + length for person, span, length, _ in counts}
        for person, span, _, calls in counts:
            totals[person, span] += calls
        rows = [
            {"owner": person, "span": span, "calls": calls, "ends_at": ends[person, span]}
            for (person, span), calls in totals.items()
        ]
        taken: dict[tuple[int, str], tuple[int, int]] = {
            (person, span): (total - totals[person, span], ends_at - now)
            for person, span, total, ends_at in (self._rows("rates_take", {"rows": json.dumps(rows), "now": now}))
        }
        counted: list[tuple[int, int]] = []
        for person, span, _, calls in counts:
            before, left = taken[person, span]
            taken[person, span] = before + calls, left
            counted.append(taken[person, span])
        return counted

    def once(self, person: int, action: str, length: timedelta) -> bool:
        """Whether this is done for the person for the first time; it is known for so long."""
        ends_at = micros(self._tx.now + length)
        return bool(self._rows("rate_once", {"owner": person, "span": action, "ends_at": ends_at}))

    def is_done(self, person: int, action: str) -> bool:
        """Whether `once` was asked this for the person, and knows it still."""
        return bool(self._rows("rate_get", {"owner": person, "span": action}))

    def mark(self, person: int, action: str, mark: int, length: timedelta) -> bool:
        """Whether this is done for the person with another mark than last time; the last is known for so long."""
        row = {"owner": person, "span": action, "mark": mark, "ends_at": micros(self._tx.now + length)}
        return bool(self._rows("rate_mark", row))

    def marked(self, person: int, action: str) -> int | None:
        """The mark with which `mark` was asked this last; None: it was not, or knows it no longer."""
        return self._value("rate_get", {"owner": person, "span": action})

    def rest(self, person: int, mark: str, length: timedelta) -> None:
        """Leave something alone for so long, from now on."""
        self._rows("rest_put", {"owner": person, "span": f"{_REST}{mark}", "ends_at": micros(self._tx.now + length)})

    def end_rests(self, person: int) -> None:
        """Leave nothing of the person's alone any more."""
        self._rows("rests_end", {"owner": person})

    def resting(self, person: int) -> frozenset[str]:
        """What is still to be left alone."""
        spans = self._column("rests", {"owner": person, "now": micros(self._tx.now)})
        return frozenset(span.removeprefix(_REST) for span in spans)


class Maintenance(Topic):
    """What is past its time, and how much there is."""

    def delete_expired(self, limit: int) -> int:
        """Drop what is past its time: questions, counts, and at most `limit` memories' texts in the trail.

        Returns:
            How many memories' texts were dropped; when it equals `limit` there may be more.
        """
        now = micros(self._tx.now)
        self._rows("rate_expired", {"now": now, "farthest": micros(self._tx.now + _LONGEST_SPAN)})
        self._rows("answers_expired", {"now": now, "farthest": micros(self._tx.now + _LONGEST_SPAN)})
        self._rows("tokens_expired", {"now": now})
        # An answered or expired question about uncertain memories is known as such for another day.
        self._rows("question_expired", {"now": now, "before": micros(self._tx.now - timedelta(days=1))})
        # Who never came back is told nothing; who ran the machine had a month to look.
        past = {"done": micros(self._tx.now - timedelta(days=1)), "failed": micros(self._tx.now - timedelta(days=30))}
        self._rows("tasks_expired", past)
        Outcomes(self._tx).delete_stale()
        self._rows("observations_stray", {})  # of messages that an older program removed before they were looked at
        # After the clock went back, no text stays for longer than the undo window from now on.
        self._rows("events_expire_by", {"latest": micros(self._tx.now + timedelta(hours=self._tx.settings.undo_hours))})
        expired = self._rows("events_expired", {"now": now, "limit": limit})
        for owner, memory, number in expired:
            Audit(self._tx).expire_texts(owner, memory, number)
        return len(expired)

    def unscrubbed(self) -> int:
        """The number of the last erasure whose bytes may still be in the files; 0 when there is none.

        A row, for the process that erased may end before it can scrub.
        """
        erasure = self._tx.last_id("erasure")
        return erasure if erasure > self._tx.last_id("scrub") else 0

    def counts(self) -> dict[str, int]:
        """How much there is of everything; for operators."""
        names = (
            *("people", "spaces", "facts", "notes", "episodes", "relations", "archived", "events", "questions"),
            *("messages", "vectors", "unembedded", "tasks"),
        )
        return dict(zip(names, self._rows("counts", {})[0], strict=True))


class Erasure(Topic):
    """What is left of a person or space, removed for good."""

    def owners_with_traces(self, platform: str, person: int, name: str) -> list[int]:
        """The other owners whose rows tell of a person, in order. Asks everywhere, and reads the trail."""
        parameters: dict[str, Value] = {"platform": platform, "person": person, "name": name}
        naming = self._column("owners_naming", parameters | {"number": person_number(platform, name)})
        written = self._column("spaces_with_messages_of", {"person": person})
        return sorted({*self.owners_present(platform, person, name), *naming, *written})

    def owners_present(self, platform: str, person: int, name: str) -> list[int]:
        """The other owners in whose rows a person is, or who are their direct chat."""
        return self._column("owners_present", {"platform": platform, "person": person, "name": name})

    def count_messages(self, owner: int, person: int | None = None) -> int:
        """How many messages an owner has, of a person or of all, with what the assistant answered them."""
        if person is None:
            return self._value("message_count", {"owner": owner})
        return self._value("message_count_of", {"owner": owner, "person": person})

    def erase_messages(self, owner: int, limit: int, person: int | None = None) -> int:
        """Remove so many of them, the oldest first; returns how many there were."""
        parameters: dict[str, Value] = {"owner": owner, "limit": limit}
        if person is None:
            rows = self._rows("erase_space_messages", parameters)
        else:
            rows = self._rows("erase_messages", parameters | {"person": person})
        Messages(self._tx).follow_removed(owner, rows)
        return len(rows)

    def erase_traces(self, owner: int, person: int, name: str) -> dict[str, int]:
        """Remove what another owner's rows tell of a person, but for memories and messages.

        Returns:
            How many rows of what.
        """
        parameters: dict[str, Value] = {"owner": owner, "person": person}
        Observations(self._tx).delete_of_person(owner, person)
        counts = {
            "questions": len(self._rows("erase_asked", {"owner": owner, "name": name})),
            "memberships": len(self._rows("erase_members", parameters)),
        }
        for query in ("erase_outcomes", "erase_mutes", "erase_subjects", "erase_past"):
            self._rows(query, parameters)
        # Notes of theirs for a space that are gone may be taken back as long as the trail has their texts.
        for query in ("erase_undos", "erase_gone_notes"):
            self._rows(query, {"owner": owner, "name": name})
        # Of a memory that several spoke of, nobody can tell whose words the excerpt is: it goes before the names do.
        for query in ("erase_excerpts", "erase_excerpts_before", "erase_actor", "erase_said_by", "erase_said_before"):
            self._rows(query, {"owner": owner, "name": name})
        return counts

    def erase_person(self, person: int) -> dict[str, int]:
        """Remove what is left of a person once all else is gone; returns how many rows of what."""
        parameters: dict[str, Value] = {"owner": person}
        counts = {
            "questions": len(self._rows("erase_questions", parameters)),
            "audit_lines": len(self._rows("erase_events", parameters)),
        }
        self._rows("erase_mutes", parameters | {"person": person})
        for query in ("erase_rates", "erase_privacy"):
            self._rows(query, parameters)
        self._erase_owner(person)
        self.note_erasure()
        return counts

    def note_erasure(self) -> None:
        """Let everything go that may still tell of what was erased, and have its bytes removed."""
        Answers(self._tx).forget_bodies()
        self._tx.next_id("erasure")

    def note_removal(self, space: int) -> None:
        """Take note that the program was removed from a space, unless that is known."""
        self._rows("removal_put", {"owner": space, "at": micros(self._tx.now)})

    def end_removal(self, space: int) -> None:
        """Take note that it is there again."""
        self._rows("removal_end", {"owner": space})

    def removed_before(self, moment: datetime) -> list[int]:
        """The spaces that it was removed from before then, and has not come back to."""
        return self._column("removals", {"before": micros(moment)})

    def erase_sources(self, owner: int, space: int) -> None:
        """Forget which of a space's messages the owner's memories come from."""
        self._rows("sources_forget", {"owner": owner, "space": space})

    def erase_unused(self, owner: int) -> None:
        """Remove an owner of whom nothing else is kept."""
        self._rows("erase_privacy", {"owner": owner})
        self._erase_owner(owner)

    def erase_space(self, space: int) -> None:
        """Remove what is left of a space once its memories are gone."""
        self._rows("erase_space_messages", {"owner": space, "limit": _ALL})  # what follows each goes below
        texts = ("space_observations", "unquoted", "stretches", "events")
        for part in (*texts, "space_members", "chats", "readerships", "titles", "rates"):
            self._rows(f"erase_{part}", {"owner": space})
        self._rows("removal_end", {"owner": space})
        self._rows("moved_forget", {"space": space})
        self._erase_owner(space)

    def _erase_owner(self, owner: int) -> None:
        Blocks(self._tx).drop_all(owner)
        for query in ("erase_subjects", "erase_past"):
            self._rows(query, {"owner": owner, "person": 0})
        for part in ("sources", "given", "audiences", "forgotten"):
            self._rows(f"erase_{part}", {"owner": owner})
        for part in ("space_tasks", "own_outcomes", "tallies", "vectors", "unembedded", "revisions"):
            self._rows(f"erase_{part}", {"owner": owner})
        self._rows("erase_owner", {"owner": owner})
        self._tx.owner_ids.clear()
        self._tx.owners_by_id.clear()
        self._tx.owner_forms.clear()


class Transfer(Topic):
    """Rows on their way from store to store."""

    def read(self, kind: type[T], *prefix: int) -> Iterator[T]:
        """All rows of a table as lines of an export, in order of the key, read a page at a time.

        Args:
            kind: The line, which stands for a table in `CARRIED`.
            prefix: The first columns of the key; none: the rows of every owner.
        """
        table = CARRIED[kind]
        cursor = dict(table.key) | dict(zip(table.key, prefix, strict=False))
        leading = tuple(table.key)[: len(prefix)]
        while rows := self._rows(table.read, cursor | {"limit": _PAGE}):
            place, key = table.read.removeprefix("export_"), min(1, len(table.key) - 1)
            for line in readable(partial(line_of, kind), rows, place, key):
                if tuple(getattr(line, name) for name in leading) != prefix:
                    return
                yield line
            last = key_of(kind, rows[-1], table)
            if not is_after(last.values(), cursor.values()):
                raise StoreUnavailable("the database is damaged: a table is not in order; run `zgadka doctor --repair`")
            cursor |= last

    def spaces_with_rows_of(self, platform: str, person: int) -> list[int]:
        """The spaces where a person is or was a member, or has written or was answered, in order. Asks everywhere."""
        written = self._column("spaces_with_messages_of", {"person": person})
        return sorted({*Members(self._tx).spaces_of(platform, person), *written})

    def messages_of(self, space: int, person: int) -> list[MessageLine]:
        """The person's own messages in a space and what they were answered, as lines of an export, in order of id."""
        rows = self._rows("export_messages_of", {"owner": space, "person": person})
        return readable(partial(line_of, MessageLine), rows, "message", 1)

    def membership_of(self, space: int, person: int) -> list[MemberLine]:
        """The person's membership in a space, if any, as a line of an export."""
        return readable(
            partial(line_of, MemberLine), self._rows("export_member_of", {"owner": space, "person": person}), "member"
        )

    def add(self, line: object) -> None:
        """Keep a line of an export as a new row."""
        row = row_of(line)
        if isinstance(line, SubjectLine):
            Messages(self._tx).add_subject(line.owner, line.id, line.person, line.role or "about")
            return
        if isinstance(line, MemberLine):
            row["level"] = max(line.level, Privacy(self._tx).here(line.person, line.owner))
        self._rows(CARRIED[type(line)].add, row)
        if isinstance(line, EventLine) and line.before is not None:
            Audit(self._tx).note_people(line.owner, line.memory, line.before.people)
        if isinstance(line, PrivacyLine):
            for query in ("members_level", "subjects_level_anywhere"):
                self._rows(query, row)
        if isinstance(line, MessageLine) and not line.withheld:
            conversation = line.chat, line.thread, line.lineage
            Messages(self._tx).follow_added(
                line.owner, line.id, conversation, line.role, line.person, micros(line.at), line.text, is_new=False
            )
