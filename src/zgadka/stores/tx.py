"""The transaction that operations work on: typed reads and writes over named queries."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeVar

from zgadka.model.inference import SaveQuestion
from zgadka.model.lines import MessageLine
from zgadka.model.memory import Action, Event, Kind, Owner, OwnerKind, Question, Scope, StoredMemory
from zgadka.model.notice import Notice
from zgadka.model.people import Consent, Member, Message, Role
from zgadka.model.turn import Turn, person_number
from zgadka.settings import Settings
from zgadka.stores.carried import CARRIED, from_row, key_of, to_row
from zgadka.stores.rows import (
    Row,
    Value,
    columns,
    consent_of,
    dump,
    load,
    member_of,
    memory_of,
    micros,
    micros_or_none,
    moment,
    moment_or_none,
    owner_of,
    place_parameters,
    question_columns,
    question_of,
    scope_parameters,
)
from zgadka.text.clean import storable

T = TypeVar("T")

_PAGE = 500
"""Rows that an export reads at a time."""


class Connection(Protocol):
    """What a back end supplies: run one named query."""

    def rows(self, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Run the named query and return all its rows."""
        ...


@dataclass(frozen=True)
class ToolCall:
    """A tool call as it can be kept: `arguments` are those that were checked."""

    tool: str
    version: int
    arguments: Mapping[str, Any]


class Tx:
    """One open transaction. All its changes commit together, or none does.

    Attributes:
        now: The time of the whole transaction.
        settings: What the operator set.
        request: The tool call that runs, so that it can be run again with a person's consent; None outside of one.
        consents: The people who agreed to what runs now.
        notices: What subscribers are told once it is committed.
    """

    request: ToolCall | None = None
    consents: frozenset[int] = frozenset()

    def __init__(self, connection: Connection, *, now: datetime, settings: Settings) -> None:
        self._rows = connection.rows
        self._owners: dict[tuple[OwnerKind, str, str], int] = {}
        self.now = now
        self.settings = settings
        self.notices: list[Notice] = []

    # People and spaces

    def find_owner(self, kind: OwnerKind, platform: str, name: str) -> int | None:
        """The owner's id; None when nothing was ever kept for it."""
        known = self._owners.get((kind, platform, name))
        if known is None:
            rows = self._rows("owner_find", {"platform": platform, "kind": kind, "name": name})
            if rows:
                known = self._owners[kind, platform, name] = rows[0][0]
        return known

    def ensure_owner(self, kind: OwnerKind, platform: str, name: str) -> int:
        """The owner's id, new where it was not known."""
        while (owner := self.find_owner(kind, platform, name)) is None:
            self.add_owner(Owner(id=self.next_id("owner"), kind=kind, platform=platform, name=name))
        return owner

    def add_owner(self, owner: Owner) -> None:
        """Keep a new owner; one that is known by kind, platform and name stays as it is."""
        number = person_number(owner.platform, owner.name)
        self._rows(
            "owner_add",
            {
                "owner": owner.id,
                "kind": owner.kind,
                "platform": owner.platform,
                "name": owner.name,
                "number": number if owner.kind == "person" and str(number) != owner.name else None,
            },
        )

    def has_owner(self, owner: int) -> bool:
        """Whether an owner has this id; one who was erased has none."""
        return bool(self._rows("owner_get", {"owner": owner}))

    def owner(self, owner: int) -> Owner:
        """The owner with this id, which exists."""
        return owner_of(self._rows("owner_get", {"owner": owner})[0])

    def spaces(self) -> list[int]:
        """Every space and direct chat, in order of id."""
        return [owner.id for owner in self.owners() if owner.kind != "person"]

    def number_of(self, person: int) -> int:
        """The integer by which tools name the person."""
        owner = self.owner(person)
        return person_number(owner.platform, owner.name)

    def owners(self) -> list[Owner]:
        """Every owner, in order of id; for operators."""
        return [owner_of(row) for row in self._rows("owners", {})]

    def person_by_number(self, platform: str, number: int) -> int | None:
        """The person whom tools name by this integer; None when there is none."""
        exact = self.find_owner("person", platform, str(number))
        if exact is not None or abs(number) >= 2**63:
            return exact
        rows = self._rows("owner_by_number", {"platform": platform, "number": number})
        return rows[0][0] if rows else None

    def see_member(self, space: int, person: int) -> None:
        """Take note that the person speaks in the space; who had left is back."""
        self._rows("member_seen", {"owner": space, "person": person})

    def put_member(self, space: int, person: int, member: Member) -> None:
        """Keep what the host reports of a member."""
        self._rows(
            "member_put",
            {
                "owner": space,
                "person": person,
                "name": member.name,
                "nickname": member.nickname,
                "kind": member.kind,
                "role": member.role,
                "left_at": micros_or_none(member.left_at),
            },
        )

    def member(self, space: int, person: int) -> Member | None:
        """What is known of the person in the space, also after they left; None when they were never there."""
        rows = self._rows("member_get", {"owner": space, "person": person})
        return member_of(rows[0]) if rows else None

    def remove_member(self, space: int, person: int) -> None:
        """Remove all that is known of the person as a member of the space."""
        self._rows("members_remove", {"owner": space, "person": person})

    def spaces_of(self, platform: str, person: int) -> list[int]:
        """The spaces where the person is or was a member."""
        return [row[0] for row in self._rows("members_of_person", {"platform": platform, "person": person})]

    def members(self, space: int) -> list[Member]:
        """The members of the space, also those who left."""
        return [member_of(row) for row in self._rows("members", {"owner": space})]

    def privacy(self, person: int) -> int:
        """The privacy level that the person set; 0 when they set none."""
        rows = self._rows("privacy_get", {"owner": person})
        return rows[0][0] if rows else 0

    def has_privacy(self, person: int) -> bool:
        """Whether the person set a privacy level."""
        return bool(self._rows("privacy_get", {"owner": person}))

    def put_privacy(self, person: int, level: int) -> None:
        """Keep the privacy level that the person set."""
        self._rows("privacy_put", {"owner": person, "level": level})

    # Memories

    def next_id(self, name: str) -> int:
        """The next number of a sequence; never given twice."""
        return self._rows("next_id", {"name": name})[0][0]

    def memory(self, owner: int, memory: int) -> StoredMemory | None:
        """The owner's memory with this id, archived or not; None when there is none."""
        if not 0 < memory < 2**53:
            return None
        rows = self._rows("memory_get", {"owner": owner, "id": memory})
        return memory_of(rows[0]) if rows else None

    def in_slot(self, owner: int, slot: bytes) -> list[StoredMemory]:
        """The memories of a slot, the live one first."""
        return [memory_of(row) for row in self._rows("memory_in_slot", {"owner": owner, "slot": slot})]

    def with_key(self, scope: Scope, type_: str, key: str) -> list[StoredMemory]:
        """The live facts of the scope with this type and key."""
        return self._memories("memory_with_key", scope, type=type_, key=key)

    def visible(self, scope: Scope) -> list[StoredMemory]:
        """Every live memory of the scope, in order of id."""
        return self._memories("memory_visible", scope)

    def visible_statistics(self, scope: Scope) -> tuple[int, int]:
        """How many live memories the scope has, and how many words they have together."""
        count, words = self._rows("memory_visible_statistics", scope_parameters(scope))[0]
        return count, words

    def matching(self, scope: Scope, words: Iterable[str]) -> list[tuple[StoredMemory, list[str]]]:
        """The live memories of the scope that hold any of the words, each with its own words in order."""
        # A person without rows has no number above 0, and the minus sign would make two words of each.
        match = " OR ".join(f'"o{scope.owner}x{word}"' for word in words if scope.owner > 0)
        rows = self._rows("memory_matching", scope_parameters(scope) | {"match": match}) if match else []
        return [(memory_of(row), row[-1].split()) for row in rows]

    def all_memories(self, owner: int) -> list[StoredMemory]:
        """Every memory of the owner, archived ones too; for the owner and for operators."""
        return [memory_of(row) for row in self._rows("memory_all", {"owner": owner})]

    def add_memory(self, memory: StoredMemory, *, slot: bytes, words: Sequence[str]) -> bool:
        """Keep a new memory and index it; False when its slot is taken, and nothing was changed."""
        if not self._rows("memory_add", columns(memory, slot, words)):
            return False
        self._index(memory, words)
        return True

    def put_memory(self, before: StoredMemory, memory: StoredMemory, *, slot: bytes, words: Sequence[str]) -> None:
        """Replace `before` by `memory`, which has the same owner, lineage and id, in row and index."""
        self._unindex(before)
        self._rows("memory_put", columns(memory, slot, words))
        self._index(memory, words)

    def remove_memory(self, memory: StoredMemory) -> None:
        """Remove the row, its index entry and every question about it."""
        self._unindex(memory)
        self._rows("memory_remove", {"owner": memory.owner, "id": memory.id})
        self._rows("pending_remove_memory", {"owner": memory.owner, "memory": memory.id})

    def _index(self, memory: StoredMemory, words: Sequence[str]) -> None:
        self._link(memory, "add")
        if not memory.archived:
            self._follow(memory, "add", " ".join(words))

    def _unindex(self, memory: StoredMemory) -> None:
        self._link(memory, "remove")
        if not memory.archived:
            words = self._rows("memory_words", {"owner": memory.owner, "id": memory.id})[0][0]
            self._follow(memory, "remove", words)

    def _follow(self, memory: StoredMemory, what: Literal["add", "remove"], words: str) -> None:
        """Keep as the row what follows it; only live memories are there."""
        self._rows(f"index_{what}", {"owner": memory.owner, "id": memory.id, "words": words})
        self._rows(f"tally_{what}", {"owner": memory.owner, "lineage": memory.lineage, "kind": memory.kind})

    def _link(self, memory: StoredMemory, what: Literal["add", "remove"]) -> None:
        """Keep as the row whom and what it is about, live or archived."""
        for person in memory.people:
            self._rows(f"participant_{what}", {"owner": memory.owner, "person": person, "memory": memory.id})
        for message in memory.messages:
            self._rows(f"episode_message_{what}", {"owner": memory.owner, "message": message, "memory": memory.id})

    def of_kind(self, scope: Scope, kind: Kind) -> list[StoredMemory]:
        """Every live memory of the scope of one kind, in order of id."""
        return self._memories("memories_of_kind", scope, kind=kind)

    def relations_of(self, scope: Scope, person: int) -> list[StoredMemory]:
        """The live relations of the scope with this person in them, in order of id."""
        return self._memories("relations_of_person", scope, person=person)

    def spaces_of_memories(self, scope: Scope) -> list[int]:
        """The spaces in which live memories of the scope's owner and persona lineage are seen, whatever its space."""
        return [row[0] for row in self._rows("memory_spaces", scope_parameters(scope))]

    def with_person(self, owner: int, person: int) -> list[StoredMemory]:
        """The owner's episodes and relations with this person in them, archived ones too."""
        rows = self._rows("participant_memories", {"owner": owner, "person": person})
        found = [self.memory(owner, row[0]) for row in rows]
        return [memory for memory in found if memory is not None]

    def live_count(self, owner: int, lineage: int, kind: Kind) -> int:
        """How many live memories of the kind the owner has with this persona lineage."""
        rows = self._rows("tally_get", {"owner": owner, "lineage": lineage, "kind": kind})
        return rows[0][0] if rows else 0

    def _memories(self, query: str, scope: Scope, **more: Value) -> list[StoredMemory]:
        return [memory_of(row) for row in self._rows(query, scope_parameters(scope) | more)]

    # The audit trail

    def add_event(
        self,
        memory: StoredMemory,
        action: Action,
        *,
        actor: str,
        before: StoredMemory | None,
        reason: str | None = None,
        change: int | None = None,
        expires_at: datetime | None = None,
    ) -> None:
        """Write one line of the audit trail.

        Args:
            expires_at: For a deletion: when the memory's texts leave the trail for good.
        """
        self._rows(
            "event_add",
            {
                "owner": memory.owner,
                "memory": memory.id,
                "at": micros(self.now),
                "actor": actor,
                "action": action,
                "reason": reason,
                "before": None if before is None else dump(before),
                "change": change,
                "expires_at": micros_or_none(expires_at),
            },
        )

    def events(self, owner: int, memory: int) -> list[Event]:
        """The trail of one memory, oldest first; empty when it never was."""
        rows = self._rows("events", {"owner": owner, "memory": memory}) if 0 < memory < 2**53 else []
        states = [None if row[6] is None else load(owner, row[0], row[6]) for row in rows]
        states.append(self.memory(owner, memory))
        return [
            Event(
                memory=row[0],
                number=row[1],
                at=moment(row[2]),
                actor=row[3],
                action=row[4],
                reason=row[5],
                before=states[index],
                after=states[index + 1],
                change=row[7],
            )
            for index, row in enumerate(rows)
        ]

    def add_note_to_trail(self, owner: int, action: Action, *, actor: str, reason: str | None) -> None:
        """Write a line that is about the owner as a whole; it stands under memory 0."""
        self._rows(
            "event_add",
            {
                "owner": owner,
                "memory": 0,
                "at": micros(self.now),
                "actor": actor,
                "action": action,
                "reason": reason,
                "before": None,
                "change": None,
                "expires_at": None,
            },
        )

    def remove_events(self, owner: int, memory: int) -> None:
        """Remove the memory's lines from the trail."""
        self._rows("events_remove", {"owner": owner, "memory": memory})

    def memories_of_change(self, owner: int, change: int) -> list[int]:
        """The ids of the memories that one operation changed together."""
        return [row[0] for row in self._rows("events_of_change", {"owner": owner, "change": change})]

    def keep_event_texts(self, owner: int, memory: int) -> None:
        """Keep the memory's texts in the trail: it is back."""
        self._rows("event_keep_texts", {"owner": owner, "memory": memory})

    def forget_event_texts(self, owner: int, memory: int) -> None:
        """Remove the memory's texts from the trail for good."""
        self._rows("event_forget_texts", {"owner": owner, "memory": memory})

    # Questions

    def question(self, scope: Scope, chat: str, memory: int) -> Question | None:
        """The open deletion question about a memory in this chat, expired or not; None when there is none."""
        rows = self._rows("pending_get", place_parameters(scope, chat) | {"memory": memory})
        if not rows:
            return None
        memory, chat, content_hash, turn, said_at, requests, expires_at = rows[0]
        return Question(
            memory=memory,
            chat=chat,
            content_hash=content_hash,
            turn=turn,
            said_at=moment_or_none(said_at),
            requests=requests,
            expires_at=moment(expires_at),
        )

    def put_question(self, scope: Scope, question: Question) -> None:
        """Ask, or ask anew, about `question.memory`."""
        self._rows(
            "pending_put",
            place_parameters(scope, question.chat)
            | {
                "memory": question.memory,
                "content_hash": question.content_hash,
                "turn": question.turn,
                "said_at": micros_or_none(question.said_at),
                "requests": question.requests,
                "expires_at": micros(question.expires_at),
            },
        )

    def close_question(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the question about this memory in this chat."""
        self._rows("pending_remove", place_parameters(scope, chat) | {"memory": memory})

    def close_other_questions(self, scope: Scope, chat: str, memory: int) -> None:
        """Drop the person's questions in this chat about any other memory."""
        self._rows("pending_remove_others", place_parameters(scope, chat) | {"memory": memory})

    def ask_consent(self, person: int, space: int, turn: Turn) -> int:
        """Keep the tool call that runs until the person agrees; returns the question's id."""
        if self.request is None:
            raise ValueError("consent is asked for tool calls only")
        number = self.next_id("consent")
        hours = self.settings.consent_hours
        self._rows(
            "consent_add",
            {
                "owner": person,
                "id": number,
                "asker": turn.user_name,
                "space": space,
                "tool": self.request.tool,
                "version": self.request.version,
                "arguments": json.dumps(self.request.arguments, ensure_ascii=False),
                "turn": _turn_json(turn),
                "asked_at": micros(self.now),
                "expires_at": micros(self.now + timedelta(hours=hours)),
            },
        )
        return number

    def consents_asked(self, person: int) -> list[Consent]:
        """The open questions for the person's consent, oldest first."""
        return [consent_of(row) for row in self._rows("consents", {"owner": person, "now": micros(self.now)})]

    def close_consent(self, person: int, number: int) -> None:
        """Drop the question."""
        self._rows("consent_remove", {"owner": person, "id": number})

    # Messages

    def add_message(
        self,
        space: int,
        person: int,
        *,
        chat: str,
        thread: str,
        lineage: int,
        role: Role,
        text: str,
        source: str | None,
        at: datetime,
    ) -> int:
        """Keep a message; one with the same `source` in the same chat is replaced. Returns its id."""
        rows = self._rows(
            "message_add",
            {
                "owner": space,
                "id": self.next_id("message"),
                "chat": chat,
                "thread": thread,
                "lineage": lineage,
                "role": role,
                "person": person,
                "source": source,
                "text": text,
                "at": micros(at),
            },
        )
        return rows[0][0]

    def recent_messages(self, space: int, *, chat: str, thread: str, lineage: int, limit: int) -> list[Message]:
        """The chat's last messages, oldest first."""
        rows = self._rows(
            "messages_recent",
            {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "limit": limit},
        )
        return [
            Message(id=id_, role=role, user=user, text=text, at=moment(at))
            for id_, role, user, text, at in reversed(rows)
        ]

    def last_messages(self, space: int, *, chat: str, thread: str, lineage: int, limit: int) -> list[tuple[int, int]]:
        """Id of each of the chat's last messages and its person, oldest first; 0 for what the assistant said."""
        rows = self._rows(
            "messages_last", {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "limit": limit}
        )
        return [(id_, person if role == "user" else 0) for id_, person, role in reversed(rows)]

    def keep_message(self, space: int, message: int, until: datetime) -> None:
        """Keep the message at least until then."""
        self._rows("message_keep", {"owner": space, "id": message, "keep_until": micros(until)})

    def remove_message(self, space: int, chat: str, source: str) -> bool:
        """Remove a person's message by the platform's id; False when it is not there."""
        return bool(self._rows("message_remove_source", {"owner": space, "chat": chat, "source": source}))

    def expire_messages(self, space: int, before: datetime, limit: int) -> int:
        """Remove at most `limit` messages from before then that nothing keeps; returns how many."""
        parameters = {"owner": space, "before": micros(before), "now": micros(self.now), "limit": limit}
        return len(self._rows("messages_expired", parameters))

    # Inference

    def was_looked_at(self, space: int, chat: str, source: str, text: str) -> bool:
        """Whether a person's message with this platform id and exactly this text is kept already."""
        rows = self._rows("message_by_source", {"owner": space, "chat": chat, "source": source})
        return bool(rows) and rows[0][0] == storable(text)

    def put_in_line(self, space: int, message: int, turn: Turn, text: str) -> None:
        """Keep a message until it has been looked at; an edited one stands in line once."""
        self._rows(
            "observation_put",
            {
                "owner": space,
                "id": message,
                "turn": _turn_json(turn),
                "text": storable(text),
                "noted_at": micros(self.now),
            },
        )

    def take_out_of_line(self, space: int, message: int) -> bool:
        """Take it out; False when it was not there: another process looked at it."""
        return bool(self._rows("observation_remove", {"owner": space, "id": message}))

    def in_line_since(self, before: datetime) -> list[tuple[int, int, Turn, str]]:
        """Space, message id, turn and text of what was put in line before then, in order of message id."""
        return [
            (owner, id_, Turn.from_json(json.loads(turn)), text)
            for owner, id_, turn, text in self._rows("observations", {"before": micros(before)})
        ]

    def put_save_question(self, person: int, question: SaveQuestion) -> None:
        """Ask, or keep what has become of the question."""
        self._rows("question_put", {"owner": person} | question_columns(question))

    def save_question(self, person: int, question_id: str) -> SaveQuestion | None:
        """One of the person's questions, open or not; None when it is not theirs."""
        rows = self._rows("question_get", {"owner": person, "id": question_id})
        return question_of(rows[0]) if rows else None

    def save_questions(self, person: int) -> list[SaveQuestion]:
        """The person's questions, open or not, oldest first."""
        return [question_of(row) for row in self._rows("questions", {"owner": person})]

    def save_questions_due(self, now: datetime, limit: int) -> list[tuple[int, SaveQuestion]]:
        """At most `limit` questions past half of their time that nobody was reminded of, each with its person."""
        rows = self._rows("questions_due", {"now": micros(now), "limit": limit})
        return [(row[-1], question_of(row)) for row in rows]

    # Limits and housekeeping

    def count_call(self, person: int, span: str, length: timedelta) -> tuple[int, timedelta]:
        """Count one call; returns the calls in this span and the time until the span ends."""
        now = micros(self.now)
        calls, ends_at = self._rows(
            "rate_take",
            {"owner": person, "span": span, "now": now, "ends_at": micros(self.now + length)},
        )[0]
        return calls, moment(ends_at) - self.now

    def drop_expired(self, limit: int) -> int:
        """Drop what is past its time: questions, counts, and at most `limit` memories' texts in the trail.

        Returns:
            How many memories' texts were dropped; when it equals `limit` there may be more.
        """
        now = micros(self.now)
        self._rows("pending_expired", {"now": now})
        self._rows("rate_expired", {"now": now})
        self._rows("consent_expired", {"now": now})
        # An answered or expired question is known as such for another day.
        self._rows("question_expired", {"before": micros(self.now - timedelta(days=1))})
        expired = self._rows("events_expired", {"now": now, "limit": limit})
        for owner, memory in expired:
            self.forget_event_texts(owner, memory)
        return len(expired)

    def find_memory(self, memory: int) -> int | None:
        """The owner of a memory, also of a deleted one; None when it never was. Reads everything: for operators."""
        rows = self._rows("memory_find", {"id": memory}) if 0 < memory < 2**53 else []
        return rows[0][0] if rows else None

    def remembered(self, owner: int) -> list[int]:
        """The ids of all memories that the owner's trail tells of; for the owner and for operators."""
        return [row[0] for row in self._rows("events_memories", {"owner": owner})]

    def erase_person(self, platform: str, person: int, name: str) -> dict[str, int]:
        """Remove what is left of a person once their memories are gone; returns how many rows of what."""
        self._rows("erase_observations", {"person": person})
        counts = {
            "messages": len(self._rows("erase_messages", {"person": person})),
            "questions": len(self._rows("erase_pending", {"owner": person}))
            + len(self._rows("erase_consents", {"owner": person, "asker": name, "platform": platform})),
            "audit_lines": len(self._rows("erase_events", {"owner": person})),
            "memberships": len(self._rows("erase_members", {"person": person})),
        }
        for query in ("erase_questions", "erase_rates", "erase_tallies", "erase_privacy"):
            self._rows(query, {"owner": person})
        for owner, memory in self._rows("erase_past_people", {"person": person}):
            self.remove_events(owner, memory)
        self._rows("erase_actor", {"platform": platform, "name": name})
        self._rows("erase_said_by", {"platform": platform, "name": name})
        self._rows("erase_owner", {"owner": person})
        self._owners.clear()
        # The index keeps parts of removed words until it is written anew: a second segment makes it do so.
        self._rows("index_touch", {})
        self._rows("index_rewrite", {})
        return counts

    def counts(self) -> dict[str, int]:
        """How much there is of everything; for operators."""
        names = ("people", "spaces", "facts", "notes", "archived", "events", "questions", "messages")
        return dict(zip(names, self._rows("counts", {})[0], strict=True))

    # From store to store

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


def _turn_json(turn: Turn) -> str:
    return json.dumps(turn.as_json(), ensure_ascii=False)
