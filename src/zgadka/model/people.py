"""Members of a space and what is said there."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from zgadka.model.memory import Kind
from zgadka.model.turn import Turn

MemberKind = Literal["person", "bot", "bridge"]
Role = Literal["user", "assistant"]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A person, bot or bridge user of a space, as the host reports it.

    Attributes:
        user: The platform's id.
        number: The integer by which tools name the person.
        name: The platform's display name.
        nickname: The name in this space only.
        role: The platform's word for what the member may do (`owner`, `admin`, …).
        left_at: When the member left; None while present.
    """

    user: str
    number: int
    name: str | None = None
    nickname: str | None = None
    kind: MemberKind = "person"
    role: str | None = None
    left_at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Title:
    """What the platform calls a space, or a chat or thread of it.

    Attributes:
        chat: The platform's id; empty: the space itself.
        thread: The same of a thread; empty: the chat.
        text: Empty: it has no title any more, nor have its threads.
    """

    chat: str = ""
    thread: str = ""
    text: str


@dataclass(frozen=True, kw_only=True)
class Message:
    """One message of a chat.

    Attributes:
        user: The platform's id of the person it came from, or whom the assistant answered.
    """

    id: int
    role: Role
    user: str
    text: str
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Consent:
    """A change to a person's memories that another person's turn asked for, waiting for the one concerned.

    Attributes:
        asker: The platform's id of the person in whose turn it was asked for.
        turn: That turn.
        mark: That of the proposal which the person was shown last in their direct chat; None: of none.
        plain_until: Until when the person's next message there answers it by a plain "yes"; None: not any more.
    """

    id: int
    asker: str
    tool: str
    version: int
    arguments: Mapping[str, Any]
    turn: Turn
    asked_at: datetime
    expires_at: datetime
    mark: int | None = field(default=None, compare=False)
    plain_until: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """What would become of one memory.

    Attributes:
        kind: What kind of memory it is.
        before: Its text in one line; None where there is none yet; empty where it may not be shown.
        after: The same; None where none is left.
        what: `hidden`: forgotten, and kept for the audit trail; `deleted`: gone for good.
    """

    memory: int
    what: Literal["created", "updated", "hidden", "deleted"]
    before: str | None
    after: str | None
    kind: Kind | None = field(default=None, compare=False)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A change that waits for consent, as the person concerned reads it.

    Attributes:
        consent: The question's id.
        asker: How the other person is called where they asked, as they chose themselves.
        changes: What would be changed if the person agreed now; empty where nothing would be.
    """

    consent: int
    asker: str
    changes: tuple[Proposed, ...]

    def as_json(self) -> dict[str, Any]:
        """What the person reads, as a JSON object, with the mark to answer with."""
        changes = [
            {name: value for name, value in vars(change).items() if value is not None} for change in self.changes
        ]
        return {"consent": self.consent, "asked_by": self.asker, "changes": changes, "mark": self.mark}

    @property
    def mark(self) -> int:
        """A number of at most ten digits: of what the person reads, another than of any other change."""
        # A new memory gets its id when it is made.
        edits = [(edit.what, edit.before, edit.after, edit.before is not None and edit.memory) for edit in self.changes]
        return int.from_bytes(hashlib.blake2b(repr(edits).encode(), digest_size=4).digest(), "big")
