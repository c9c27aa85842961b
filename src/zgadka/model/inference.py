"""What is inferred from what a person wrote, and what they are asked about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from zgadka.model.memory import FactType, StoredMemory
from zgadka.model.turn import Turn

EXPORTED = "export-"
"""With what the ids begin of messages that an export tells without the platform's own, as of a basic group."""
LONGEST_TEXT = 1_000
"""As many characters of a person's words as are looked at."""

MOST_ASKED = 5
"""As many uncertain things as are asked about at once."""

ItemState = Literal["open", "saved", "skipped", "superseded"]
"""`superseded`: the message was edited, and what is said there now counts."""


@dataclass(frozen=True, kw_only=True)
class Inferred:
    """One thing that the person seems to have said of themselves.

    Attributes:
        key: A normalised key.
        value: In the person's own language.
        excerpt: Their words that support it.
        confidence: From 0.5 to 1.
    """

    type: FactType
    key: str
    value: str
    excerpt: str | None = None
    confidence: float = 0.9

    @property
    def text(self) -> str:
        """What a person reads."""
        return f"{self.key.replace('_', ' ')}: {self.value}"


@dataclass(frozen=True, kw_only=True)
class Inference:
    """What was found in a person's own words: `certain` is remembered, `uncertain` is asked about."""

    certain: tuple[Inferred, ...] = ()
    uncertain: tuple[Inferred, ...] = ()


@dataclass(frozen=True, kw_only=True)
class AskedItem:
    """An uncertain item and what became of it."""

    item: Inferred
    state: ItemState = "open"


@dataclass(frozen=True, kw_only=True)
class SaveQuestion:
    """Whether to save what was not said for certain.

    Attributes:
        id: Random; whoever has it and is the person asked may answer.
        turn: The turn whose words it is about.
        plain_until: Until when the person's next message there answers it by a plain "yes"; None: not any more.
    """

    id: str
    turn: Turn
    items: tuple[AskedItem, ...]
    asked_at: datetime
    expires_at: datetime
    reminded_at: datetime | None = None
    plain_until: datetime | None = field(default=None, compare=False)

    @property
    def open_items(self) -> tuple[tuple[int, Inferred], ...]:
        """The items that still wait, each with its place."""
        return tuple((place, asked.item) for place, asked in enumerate(self.items) if asked.state == "open")

    @property
    def asked_items(self) -> tuple[tuple[int, Inferred], ...]:
        """Those of them that are asked about now; the others are when these are answered."""
        return self.open_items[:MOST_ASKED]


@dataclass(frozen=True, kw_only=True)
class PastMessage:
    """What a person wrote before there was a memory.

    Attributes:
        turn: It names the platform's message, by which it is known again.
        text: The whole message.
        own_text: What of it the person wrote themselves, without quotes and forwards.
    """

    turn: Turn
    text: str
    own_text: str


@dataclass(frozen=True)
class Observed:
    """What became of an observed message.

    Attributes:
        message: Its id; None when nothing was kept, since the person is invisible to memory.
        stored: What was said for certain and is remembered now, also what was known before.
        question: What the person should be asked; None when nothing is uncertain.
        repeated: The very same message had been looked at before, and nothing was done.
        unasked: What is uncertain, where the caller wanted nobody to be asked; nothing of it is kept.
        later: It waits for the person's next messages, to be looked at together with them.
        known: How many of `stored` were known before.
        refused: How many things were left out since they may not be kept: secrets, or orders to the model.
    """

    message: int | None
    stored: tuple[StoredMemory, ...] = ()
    question: SaveQuestion | None = None
    repeated: bool = False
    unasked: tuple[Inferred, ...] = ()
    later: bool = False
    known: int = 0
    refused: int = 0


@dataclass(frozen=True)
class Answered:
    """What became of a person's answer.

    Attributes:
        status: `saved`, `skipped`: done; `handled`: it was answered before; `not_yours`: another person's question;
            `expired`: too late; `superseded`: the message that it is about was edited;
            `failed`: nothing was saved and the question is still open, `reason` says why.
        question: As it is now; None where the presser may not see it.
        cause: Why, in a word: that of a `ContentRefused`, or `content`, `conflict`, `unreachable`, or a tool's status.
    """

    status: Literal["saved", "skipped", "handled", "not_yours", "expired", "superseded", "failed"]
    question: SaveQuestion | None = None
    saved: tuple[StoredMemory, ...] = ()
    reason: str | None = None
    cause: str | None = None
