"""Where memories come from: which message said them, when, and who; or a person's own hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from zgadka.model.memory import Event, Owner, StoredMemory
from zgadka.model.people import Message
from zgadka.model.turn import Turn, person_number
from zgadka.ops.access import (
    author_of_memory,
    communal_scope,
    find_space,
    hidden,
    is_hidden,
    is_invisible,
    speaker_of,
    speaker_scope,
)
from zgadka.ops.belongings import is_own, owners_with
from zgadka.ops.place_names import called
from zgadka.ops.relation_names import names_of, relations_told, with_names
from zgadka.ops.trail import BY_HAND, WRITTEN
from zgadka.stores.tx import Tx
from zgadka.text.prompt_quoting import quoted

AGREED = "agreed"
"""The reason in the audit trail of what a person confirmed when they were asked."""
How = Literal["said", "agreed", "by_hand", "imported"]
_HOW: dict[str, How] = {AGREED: "agreed", BY_HAND: "by_hand", WRITTEN: "by_hand"}
_LATEST = 3


@dataclass(frozen=True, kw_only=True)
class Source:
    """A message that a memory was made from.

    Attributes:
        said_by: The platform's id of who wrote it.
        name: What they are called there, else that id.
        text: None: it may not be told here.
        place: Where it was said, if that is elsewhere.
        called: What whoever is told knows that place by.
    """

    message: int
    said_by: str
    name: str
    at: datetime
    text: str | None
    place: Owner | None
    called: str


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where a memory comes from.

    Attributes:
        sources: The last messages that said it, of those that are kept and may be told of; oldest first.
        how: How it came to say what it says.
        at: When that was.
        said_by: The platform's id of who last stated it; `name` is what they are called where it is.
    """

    memory: StoredMemory
    sources: tuple[Source, ...]
    how: How
    at: datetime
    said_by: str
    name: str


def origin(tx: Tx, turn: Turn, memory_id: int) -> Origin | None:
    """Where one of the speaker's memories comes from; None when there is none that is told here."""
    memory = _own_here(tx, turn, memory_id)
    if memory is None or memory.archived or memory.withheld:
        return None
    return origin_of(tx, memory, tx.audit.history(memory.owner, memory_id), sources_told(tx, turn, memory))


def _own_here(tx: Tx, turn: Turn, memory_id: int) -> StoredMemory | None:
    """The memory, where it is the speaker's and told here; to them alone, whatever of theirs there is."""
    person, space = speaker_of(tx, turn), communal_scope(tx, turn)
    if turn.direct:
        matches = (tx.memories.get_many(owner, [memory_id]).get(memory_id) for owner in owners_with(tx, person))
        memory = next(filter(None, matches), None)
        return memory if memory and is_own(tx, memory, person) and not hidden(tx, [memory], but=person) else None
    own = tx.memories.get_many(person, [memory_id]).get(memory_id)
    memory = own or tx.memories.get_many(space.owner, [memory_id]).get(memory_id)
    if memory is None or not (speaker_scope(tx, turn) if own else space).shows(memory) or is_hidden(tx, memory, turn):
        return None
    is_theirs = own is not None or person in memory.people
    if memory.kind == "relation":
        return next((row for row in relations_told(tx, turn, space, person) if row.id == memory.id), None)
    return memory if is_theirs else None


def origin_of(tx: Tx, memory: StoredMemory, trail: Sequence[Event], sources: Sequence[Source]) -> Origin:
    """Where a memory comes from, by its trail and the messages that may be told of."""
    how, at = _how(trail)
    person = author_of_memory(tx, memory)
    name = memory.said_by if person is None else names_of(tx, memory.space or memory.owner, [person])[person]
    return Origin(
        memory=with_names(tx, [memory])[0],
        sources=tuple(sources),
        how=how,
        at=memory.said_at or memory.created_at if how == "said" else at,
        said_by=memory.said_by,
        name=name,
    )


def sources_told(tx: Tx, turn: Turn | None, memory: StoredMemory) -> list[Source]:
    """The last messages that a memory was made from: what they say where it may be told, else when and where only.

    None that is withheld, or whose author is invisible to memory.

    Args:
        turn: Where it is told. None: to an operator, who reads everything.
    """
    current_space = None if turn is None else find_space(tx, turn)
    viewer = 0 if turn is None else speaker_of(tx, turn)
    messages = [
        (message, tx.owners.get(space))
        for space, id_ in tx.memories.sources_of(memory)
        for message in tx.messages.get_many(space, [id_]).values()
    ]
    sources: list[Source] = []
    for message, owner in sorted(messages, key=lambda entry: (entry[0].at, entry[0].id)):
        author = tx.owners.find("person", owner.platform, message.user)
        if author is None or is_invisible(tx, author, owner.id):
            continue
        sources.append(
            Source(
                message=message.id,
                said_by=message.user,
                name=names_of(tx, owner.id, [author])[author],
                at=message.at,
                text=message.text if turn is None or _may_read(tx, turn, message, owner.id, author) else None,
                place=None if owner.id == current_space else owner,
                called=called(tx, owner, viewer),
            )
        )
    return sources[-_LATEST:]


def own_messages_told(tx: Tx, turn: Turn, memory: StoredMemory) -> list[int]:
    """The ids of the speaker's messages that a memory was made from here, also one that is gone, and that are told."""
    sources = sources_told(tx, turn, memory)
    return [row.message for row in sources if row.said_by == turn.user_key and row.place is None and row.text]


def _may_read(tx: Tx, turn: Turn, message: Message, space: int, author: int) -> bool:
    """Whether a message's text is told here: where it was said, to all who read that; and to its author alone."""
    if turn.direct and author == speaker_of(tx, turn):
        return True
    audience = tx.messages.audiences(space, [message.id]).get(message.id, 0)
    return space == find_space(tx, turn) and communal_scope(tx, turn).is_read_by(audience)


def _how(trail: Sequence[Event]) -> tuple[How, datetime]:
    """How a memory came to say what it says, and when, by the last line that tells."""
    how: tuple[How, datetime] = "said", trail[0].at
    for event in trail:
        if event.action == "imported":
            how = "imported", event.at
        elif event.reason in _HOW:
            how = _HOW[event.reason], event.at
        elif event.action in ("created", "revived") or (event.action == "updated" and _says_other(event)):
            how = "said", event.at
    return how


def _says_other(event: Event) -> bool:
    return event.before is None or event.after is None or event.before.content != event.after.content


def other_authors(tx: Tx, turn: Turn, memories: Iterable[StoredMemory]) -> dict[int, tuple[int, str | None]]:
    """Who said a memory, by its id: the integer and the name, where it is neither the speaker nor whom it is about."""
    authors: dict[int, str] = {}
    for memory in memories:
        about = tx.owners.get(memory.owner)
        is_own_word = memory.said_by == (about.name if about.kind in ("person", "direct") else turn.user_key)
        if memory.kind != "episode" and not is_own_word:
            authors[memory.id] = memory.said_by
    if not authors:
        return {}
    people = {user: tx.owners.find("person", turn.platform, user) for user in set(authors.values())}
    names = tx.members.names(find_space(tx, turn), [person for person in people.values() if person is not None])
    return {
        id_: (person_number(turn.platform, user), next(reversed(names.get(people[user] or 0, ())), None))
        for id_, user in authors.items()
    }


def other_speakers(tx: Tx, turn: Turn, memories: Iterable[StoredMemory]) -> dict[int, dict[str, object]]:
    """The same as a model is told it in a result."""
    speakers: dict[int, dict[str, object]] = {}
    for id_, (number, name) in other_authors(tx, turn, memories).items():
        speakers[id_] = {"said_by": number, **({"name": name} if name else {})}
    return speakers


def speakers_named(tx: Tx, turn: Turn, memories: Iterable[StoredMemory]) -> dict[int, str]:
    """The same as words within a line: `"Bob" (user_id 5)`, the name as a quotation."""
    return {
        id_: f"{quoted(name)} (user_id {number})" if name else f"user_id {number}"
        for id_, (number, name) in other_authors(tx, turn, memories).items()
    }
