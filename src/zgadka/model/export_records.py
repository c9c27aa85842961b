"""Rows as they leave one store and enter another: what an export has a line for, beside owners and memories.

A field is a column, in the order of the columns: what is added to a table is added here, and is carried along. What is
an owner's, a memory's or a message's number in the store is that number here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from zgadka.model.inference import AskedItem
from zgadka.model.memory import Action, Kind, Owner, OwnerKind, StoredMemory, SubjectRole
from zgadka.model.people import MemberKind, Role


@dataclass(frozen=True, kw_only=True)
class MemberLine:
    """A member of a space, present or gone; `level` is the privacy level that holds there, 0 to 2."""

    owner: int
    person: int
    name: str | None
    nickname: str | None
    kind: MemberKind
    role: str | None
    left_at: datetime | None
    level: int = 0


@dataclass(frozen=True, kw_only=True)
class PrivacyLine:
    """The privacy level that a person set."""

    owner: int
    level: int


@dataclass(frozen=True, kw_only=True)
class AudienceLine:
    """A group of readers of a space."""

    owner: int
    id: int
    readers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class MessageLine:
    """A message of a chat; `thread` is empty outside threads.

    Attributes:
        withheld: The change by which nobody is told it; 0: none; or `EXPIRED`.
        audience: The group of readers whom it was for; 0: all who read the space.
    """

    owner: int
    id: int
    chat: str
    thread: str
    lineage: int
    role: Role
    person: int
    source: str | None
    text: str
    at: datetime
    keep_until: datetime | None
    withheld: int = 0
    audience: int = 0


@dataclass(frozen=True, kw_only=True)
class EventLine:
    """A line of the audit trail; those of memory 0 are about the owner as a whole."""

    owner: int
    memory: int
    number: int
    at: datetime
    actor: str
    action: Action
    reason: str | None
    before: StoredMemory | None
    change: int | None
    expires_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class SourceLine:
    """A message that a memory was made from; `space` is the message's."""

    owner: int
    memory: int
    space: int
    message: int


@dataclass(frozen=True, kw_only=True)
class GivenLine:
    """A memory that an answer was given; `message` is the answer's."""

    owner: int
    message: int
    memory: int


@dataclass(frozen=True, kw_only=True)
class SubjectLine:
    """A person whom an answer is about, or who said what it repeats; `id` is the answer's.

    Attributes:
        role: None: it is about them.
    """

    owner: int
    person: int
    id: int
    role: SubjectRole | None = None


@dataclass(frozen=True, kw_only=True)
class QuestionLine:
    """A deletion that waits for its person's answer; about memory 0: about everything.

    Attributes:
        space: Where it was asked; None where nothing was ever kept of that space.
    """

    owner: int
    space: int | None
    chat: str
    memory: int
    content_hash: bytes
    turn: str | None
    said_at: datetime | None
    requests: int
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class ConsentLine:
    """A change that waits for the consent of the person whom it is about."""

    owner: int
    id: int
    asker: str
    space: int | None
    tool: str
    version: int
    arguments: Mapping[str, Any]
    turn: Mapping[str, Any]
    asked_at: datetime
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class SaveQuestionLine:
    """A question to a person about uncertain memories."""

    owner: int
    id: str
    turn: Mapping[str, Any]
    items: tuple[AskedItem, ...]
    asked_at: datetime
    expires_at: datetime
    reminded_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class ObservationLine:
    """A message that was not looked at yet; `id` is the message's, `text` its person's own words."""

    owner: int
    id: int
    turn: Mapping[str, Any]
    text: str
    noted_at: datetime


@dataclass(frozen=True, kw_only=True)
class MentionLine:
    """In one person's export: an episode, a relation or a note that is about others too, without what is theirs.

    Attributes:
        content: Only what this person alone said of it.
        messages: Only this person's own.
        names: Of a relation or note whose content is told, its people as their space knows them, in its order.
    """

    owner: int
    id: int
    kind: Kind
    lineage: int
    type: str | None
    content: str | None
    chat: str | None
    archived: bool
    created_at: datetime
    messages: tuple[int, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    """In one person's export: what the assistant answered them."""

    owner: int
    id: int
    chat: str
    thread: str
    lineage: int
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class AskedLine:
    """In one person's export: a question for their consent, without the words of the one who asked."""

    owner: int
    id: int
    tool: str
    asked_at: datetime
    expires_at: datetime


Line = (
    Owner
    | MemberLine
    | PrivacyLine
    | AudienceLine
    | MessageLine
    | AnswerLine
    | StoredMemory
    | MentionLine
    | EventLine
    | SourceLine
    | GivenLine
    | SubjectLine
    | QuestionLine
    | ConsentLine
    | SaveQuestionLine
    | ObservationLine
    | AskedLine
)

KINDS: dict[str, type[Any]] = {
    **dict.fromkeys(get_args(OwnerKind), Owner),
    "member": MemberLine,
    "privacy": PrivacyLine,
    "audience": AudienceLine,
    "message": MessageLine,
    "answer": AnswerLine,
    "memory": StoredMemory,
    "mention": MentionLine,
    "event": EventLine,
    "source": SourceLine,
    "given": GivenLine,
    "subject": SubjectLine,
    "question": QuestionLine,
    "consent": ConsentLine,
    "save_question": SaveQuestionLine,
    "observation": ObservationLine,
    "asked": AskedLine,
}
"""The kinds of lines, in the order in which they stand in a file."""
