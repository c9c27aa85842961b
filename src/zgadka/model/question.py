"""What waits for a person's answer: a deletion to confirm, a change to consent to, uncertain memories to save."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from zgadka.model.inference import SaveQuestion
from zgadka.model.people import Consent

ID_BYTES = 9
"""Of randomness in a question's id: 12 characters, so that a button's data stays within Telegram's 64 bytes."""
PLAIN = timedelta(minutes=5)
"""For how long the person's next message answers a question by a plain "yes" or "no"."""


REFUSED = b""
"""As the mark of a deletion: the turn that answered others with it refused this one."""

DeletionKind = Literal["delete", "clear", "erase"]


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """A deletion that waits for its person's answer.

    Attributes:
        kind: `delete`: of one memory; `clear`: of the whole profile; `erase`: of every trace.
        space: The space where it was asked; with the chat, elsewhere it does not exist.
        thread: Where in the chat a plain yes answers it; None outside threads.
        memory: The memory's id; 0 where it is about everything.
        mark: Hash of what was shown; what has changed since needs another question. Or `REFUSED`.
        said_in: What tells the turn that asked from others; None when the host has nothing that does.
        said_at: When the asking turn's message was written, by the platform's clock; None when unknown.
        requests: How many times the deletion was requested.
        plain_until: Until when the person's next message answers it by a plain "yes"; None: not any more.
        asked_again_in: What tells the turn that asked last from others, where it was asked again.
        together: The memories that this turn asked about, this one among them, in the order in which they were
            shown; None: no other was. They may be answered together: "both", "only the first".
    """

    id: str
    kind: DeletionKind
    space: int
    chat: str
    thread: str | None
    memory: int
    mark: bytes
    said_in: str | None
    said_at: datetime | None
    requests: int
    asked_at: datetime
    expires_at: datetime
    plain_until: datetime | None = None
    asked_again_in: str | None = None
    together: tuple[int, ...] | None = None

    @property
    def shown_in(self) -> str | None:
        """What tells the turn that asked last from others."""
        return self.asked_again_in or self.said_in

    @property
    def group(self) -> tuple[int, ...]:
        """What it is asked together with, itself among them."""
        return self.together or (self.memory,)


Question = Deletion | Consent | SaveQuestion
"""All that people are asked."""


@dataclass(frozen=True)
class PlainAnswer:
    """A question, and whether a message agrees to it or refuses.

    Attributes:
        places: Of a question about uncertain memories, the items that it agrees to; None: all that it asks about.
        only: Whether the message refuses the others.
        also: Other deletions that the same message asked about, which it answers alike.
    """

    question: Question
    agrees: bool
    places: tuple[int, ...] | None = None
    only: bool = False
    also: tuple[Deletion, ...] = ()

    @property
    def chosen(self) -> frozenset[int]:
        """Of a question about uncertain memories, the items that it answers as it says."""
        return frozenset(self._shown if self.places is None else self.places)

    @property
    def refused(self) -> frozenset[int]:
        """The items that it refuses beside those."""
        return self._shown - self.chosen if self.only else frozenset()

    @property
    def _shown(self) -> frozenset[int]:
        items = self.question.asked_items if isinstance(self.question, SaveQuestion) else ()
        return frozenset(place for place, _ in items)
