"""What operations answer: expected answers are values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from zgadka.model.memory import StoredMemory
from zgadka.model.people import Message
from zgadka.model.record import record


@record()
class Remembered:
    """It is kept; `revived` when it had been forgotten before.

    Attributes:
        also_known: What contradicts it, or says the same elsewhere.
    """

    memory: StoredMemory
    revived: bool = False
    also_known: tuple[StoredMemory, ...] = ()


@dataclass(frozen=True)
class AlreadyKnown:
    """The same is known; the repetition counts as evidence."""

    memory: StoredMemory


@dataclass(frozen=True)
class Conflict:
    """Another value stands where only one can; nothing was changed."""

    memory: StoredMemory


@dataclass(frozen=True)
class Ambiguous:
    """Several memories fit; nothing was changed."""

    memories: tuple[StoredMemory, ...]


@dataclass(frozen=True)
class LimitReached:
    """The owner has as many as allowed; nothing was evicted."""

    count: int
    limit: int


@dataclass(frozen=True)
class Changed:
    """The memory as it is now, and `before` as it was.

    Attributes:
        past: What is kept of `before` as a past fact of its own.
        withheld: How many messages that said it are told nobody any more.
        is_told: Whether its text may be shown: not where reading it would not show it.
        also_known: What contradicts it, or says the same elsewhere.
        others_back: How many other memories an undo has brought back with it.
    """

    memory: StoredMemory
    before: StoredMemory
    past: StoredMemory | None = None
    withheld: int = 0
    is_told: bool = True
    also_known: tuple[StoredMemory, ...] = ()
    others_back: int = 0


@dataclass(frozen=True)
class Merged:
    """One fact stands for several."""

    memory: StoredMemory
    replaced: tuple[int, ...]


@dataclass(frozen=True)
class NotFound:
    """Nothing fits within the scope; `nearby` may help to say what was meant."""

    nearby: tuple[StoredMemory, ...] = ()


@dataclass(frozen=True)
class NoAccess:
    """What is remembered about the named person may not be shown or changed here.

    Attributes:
        status: `invalid_target`: neither the speaker nor a known member of the space, or not to be changed by others;
            `privacy_restricted`: the person does not want it; `awaiting_consent`: the person has been asked;
            `rate_limited`: too many questions wait for them; `not_allowed`: it may not be done in this place, or not
            with this token.
    """

    user_id: int
    reason: str
    status: Literal["invalid_target", "privacy_restricted", "awaiting_consent", "rate_limited", "not_allowed"] = (
        "invalid_target"
    )


UndoRefusal = Literal["already_undone", "changed_since", "changed_together", "not_finished", "text_deleted", "too_late"]


@dataclass(frozen=True)
class Refused:
    """The arguments are invalid; the reason is a sentence a model can act on.

    Attributes:
        undo: Why a change cannot be undone, where that is what was refused.
    """

    reason: str
    undo: UndoRefusal | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Stale:
    """It is not what was shown any more; nothing was changed."""


@dataclass(frozen=True)
class DeletionAnswers:
    """What became of each memory id that a deletion named.

    Attributes:
        deleted: Gone from now on.
        asked: Marked; the person must agree in a later message.
        cancelled: The person refused; the question is closed.
        missing: Ids, as given, that name nothing within the scope.
        nearby: Memories that may have been meant by the missing ids.
        withheld: How many messages that said what is deleted are told nobody any more.
        unclear: Whether the message answered neither yes nor no to what was asked before.
        untold: The ids of those whose texts nobody is told in this place.
    """

    deleted: tuple[StoredMemory, ...] = ()
    asked: tuple[StoredMemory, ...] = ()
    cancelled: tuple[StoredMemory, ...] = ()
    missing: tuple[str, ...] = ()
    nearby: tuple[StoredMemory, ...] = ()
    withheld: int = 0
    unclear: bool = False
    untold: frozenset[int] = frozenset()


@record()
class Found:
    """A memory that fits a query.

    Attributes:
        score: Higher ranks first; comparable within one answer only.
        similarity: How much of the query the memory holds, by its words or by its meaning, from 0 to 1.
        why: What the score is made of, by name; empty unless asked for.
        contradicts: The id of a newer fact that says otherwise than this note.
    """

    memory: StoredMemory
    score: float
    similarity: float
    why: Mapping[str, float] = field(default_factory=dict[str, float])
    contradicts: int | None = None


@dataclass(frozen=True)
class FoundMessage:
    """A message of the chat that fits a query.

    Attributes:
        name: The name by which its author goes in the space; None: unknown, or the assistant.
        score: Higher ranks first; comparable within one answer only.
        why: What the score is made of, by name; empty unless asked for.
    """

    message: Message
    name: str | None
    score: float
    why: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Recalled:
    """The best of what fits, best first.

    Attributes:
        total: How many fit.
        goes_on: Whether more follow these.
    """

    found: tuple[Found, ...] = ()
    total: int = 0
    goes_on: bool = False

    @property
    def ids(self) -> list[int]:
        """Those of what was found, best first."""
        return [match.memory.id for match in self.found]
