"""Memories, their scope and their audit trail."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Literal, Protocol, get_args

from zgadka.model.record import record, replaced
from zgadka.model.timestamps import day_in

Kind = Literal["fact", "note", "episode", "relation"]
KINDS: frozenset[str] = frozenset(get_args(Kind))
Valence = Literal["positive", "negative", "neutral", "mixed"]
OwnerKind = Literal["person", "space", "direct"]
SubjectRole = Literal["about", "said"]
FactType = Literal["personal", "preference", "skill", "trait", "opinion", "relationship"]
ChangeReason = Literal["correction", "update", "refinement", "contradiction"]
ForgetReason = Literal["outdated", "incorrect", "superseded", "user_requested"]
Action = Literal[
    "created", "confirmed", "updated", "forgotten", "merged", "revived", "deleted", "undone",
    "cleared", "marked", "privacy", "imported", "read", "erased", "answered", "linked", "renamed",
]  # fmt: skip

AUTOMATIC = "automatic"
"""The tag of episodes that nobody judged: made by counting words, and quoting those who wrote them."""

EVERYWHERE = 0
"""The `space` of a memory that its owner opened to every space."""

BY_ITS_AUTHOR = 2**52
"""As `withheld`: who said it, of somebody else, is invisible to memory; it is told again once they are not."""

EXPIRED = BY_ITS_AUTHOR - 1
"""As `withheld` of a person's message: its days are over and its text is gone, but something is remembered from it."""


@record(kw_only=True)
class Owner:
    """Whom rows belong to: one person or one space.

    Attributes:
        id: The key by which every row names its owner; below 2^53.
        kind: A direct chat is a space of its own, whatever space the platform says it is in.
        name: The platform's own id, exactly; for a direct chat its person's.
    """

    id: int
    kind: OwnerKind
    platform: str
    name: str


class _Placed(Protocol):
    """A memory, or its heading."""

    @property
    def space(self) -> int: ...
    @property
    def audience(self) -> int: ...
    @property
    def lineage(self) -> int: ...


@record()
class Scope:
    """What a read or write may touch.

    Attributes:
        owner: The owner's id.
        space: The space where the memories may be seen; those opened to `EVERYWHERE` are read too.
        lineage: The persona lineage; a person's memories of lineage 0 are read too.
        communal: Whether the owner is a space; its memories belong to one lineage exactly.
        audience: The group of readers that what is new here is for; 0: all who read the space.
        audiences: The groups whose memories may be told here, for all who read this are in them; None: all groups, as
            for a person who lists what is theirs.
    """

    owner: int
    space: int
    lineage: int
    communal: bool = False
    audience: int = 0
    audiences: tuple[int, ...] | None = ()

    @property
    def lineages(self) -> tuple[int, int]:
        """The persona lineages that may be seen."""
        return (self.lineage if self.communal else 0, self.lineage)

    def shows(self, memory: StoredMemory) -> bool:
        """Whether a memory may be seen here."""
        return memory.owner == self.owner and not memory.withheld and self.sees(memory)

    def sees(self, row: _Placed) -> bool:
        """Whether what the owner keeps there, for these readers, may be seen here."""
        return row.space in (EVERYWHERE, self.space) and self.is_read_by(row.audience) and row.lineage in self.lineages

    def is_read_by(self, audience: int) -> bool:
        """Whether all who read this are among these readers."""
        return audience == 0 or self.audiences is None or audience in self.audiences


@record(kw_only=True)
class StoredMemory:
    """One remembered thing; nobody changes it.

    Attributes:
        id: Unique in the whole store, whatever the kind or the owner; never used twice.
        type: A fact's type, a relation's kind (`friend`, `works_with`, …); None for others.
        key: A fact's normalised key; None for others.
        content: A fact's value, a note's text, an episode's summary, what is said of a relation.
        canonical: The form in which equal contents are equal.
        confidence: From 0 to 1.
        evidence: How many times it was stated.
        excerpt: The user's words that support it.
        version: 1 when new; grows with every change.
        said_by: The platform's id of the person in whose turn it was last stated.
        topic: An episode's title.
        importance: An episode's, from 0 to 1.
        valence: An episode's emotional tone.
        chat: The chat that an episode is about; of others, the one in which it was said, where that is known and one.
        mutual: Whether a relation holds both ways.
        valid_from: From when a fact holds; None: as far back as is known.
        valid_to: Until when a fact held; None: it still holds.
        people: Owner ids of an episode's participants; of a relation its subject, then its object; of a note of a space
            those who were named by id when it was written.
        messages: Ids of the messages that an episode is about, oldest first; in the trail of another memory, of what it
            was before a change, those that made the change.
        audience: Who may be told where it is seen; 0: all who read that space, else a group of them.
        withheld: The change that hid it, since it tells what a person had forgotten; 0: none. Below 0: the change that
            removes it, once what else tells it is withheld. `BY_ITS_AUTHOR`: no change, but the level of who said it.
        said_at: When the message that first said it was written, also where it was worded otherwise since; None: not
            known, when it was kept at the latest.
        follows: The id of the past value whose place it took; None: of none that is known.
        closed: 1: only a change ended it, so it held until `valid_to` at the latest; 0: not so.
        merged_into: The id of the fact that stands for it, since the two were merged; None: none does.
    """

    owner: int
    id: int
    kind: Kind
    space: int
    lineage: int
    type: str | None = None
    key: str | None = None
    content: str
    canonical: str
    confidence: float = 1.0
    evidence: int = 1
    excerpt: str | None = None
    tags: tuple[str, ...] = ()
    permanent: bool = False
    archived: bool = False
    version: int = 1
    said_by: str
    created_at: datetime
    updated_at: datetime
    topic: str | None = None
    importance: float | None = None
    valence: Valence | None = None
    chat: str | None = None
    mutual: bool | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    people: tuple[int, ...] = ()
    messages: tuple[int, ...] = ()
    audience: int = 0
    withheld: int = 0
    said_at: datetime | None = None
    follows: int | None = None
    merged_into: int | None = None
    closed: int = 0

    def numbered(self, number: int) -> StoredMemory:
        """The same with this id."""
        return replaced(self, id=number)

    @property
    def text(self) -> str:
        """What a person reads: `location: Kyiv` for a fact, title and summary of an episode, the text of a note.

        Of a relation, of which nothing may be said, its kind.
        """
        title = self.topic or self.key or self.type
        if title is None:
            return self.content
        title = title.replace("_", " ")
        return f"{title}: {self.content}" if self.content else title

    @property
    def span(self) -> str:
        """The days in UTC in which it holds, as far as is known; see `span_in`."""
        return replaced(self, closed=0).span_in(UTC)

    def span_in(self, zone: tzinfo) -> str:
        """The days in which it holds, to follow its text: ` (2020-05-01 – …)`; nothing where none is known.

        Of what only a change ended, ` (… – ≤ 2026-03-01)`: until that day at the latest.
        """
        bounds = (self.valid_from, self.valid_to)
        if bounds == (None, None):
            return ""
        since, until = ("…" if bound is None else day_in(zone, bound) for bound in bounds)
        return f" ({since} – {'≤ ' if self.closed else ''}{until})"

    @property
    def searchable(self) -> str:
        """All words by which it can be found."""
        return " ".join((self.text, *self.tags))


@record(kw_only=True)
class NamedRelation(StoredMemory):
    """A relation to be shown, with the names of its two people; it is never stored."""

    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What a person reads: `friend: Olena ↔ Petro (met in the choir)`; an arrow of one point holds one way."""
        word = (self.type or "").replace("_", " ")
        return f"{word}: {self.between}{f' ({self.content})' if self.content else ''}"

    @property
    def between(self) -> str:
        """The two people, in the order in which the relation holds."""
        return (" ↔ " if self.mutual else " → ").join(" ".join(name.split()) for name in self.names)


@dataclass(frozen=True, kw_only=True)
class Event:
    """One line of the audit trail.

    Attributes:
        number: 1 for the memory's first event; grows by one.
        actor: The platform's id of the person in whose turn it happened.
        before: The memory before the change; None when it did not exist, or when its text was removed for good.
        after: The memory after the change; None when it was deleted, or when its text was removed for good.
        change: What was changed together in one operation shares this number; None when it was alone.
        messages: The ids of the messages because of which it was stated then, as far as that is known.
    """

    memory: int
    number: int
    at: datetime
    actor: str
    action: Action
    reason: str | None
    before: StoredMemory | None
    after: StoredMemory | None
    change: int | None
    messages: tuple[int, ...] = ()
