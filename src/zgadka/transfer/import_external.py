"""Import what another program remembered; what is here already never changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from zgadka.model.memory import StoredMemory, Valence
from zgadka.model.outcome import AlreadyKnown, Conflict, LimitReached, NoAccess, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import ensure_space, is_invisible, space_scope, writing_scope
from zgadka.ops.content_policy import refuse_unkeepable, titled
from zgadka.ops.keyed_notes import NameKind, with_name
from zgadka.ops.remember import New, fresh, known_in, no_room
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

ImportOutcome = Remembered | AlreadyKnown | Conflict | LimitReached | NoAccess


@dataclass(frozen=True, kw_only=True)
class PastEpisode:
    """An episode that another program kept; `people` are platform ids."""

    topic: str
    summary: str
    importance: float
    valence: Valence
    tags: tuple[str, ...]
    people: tuple[str, ...]


def import_memory(
    tx: Tx,
    turn: Turn,
    new: New,
    *,
    at: datetime | None,
    reason: str,
    name: tuple[NameKind, str] | None = None,
    standing: StoredMemory | None = None,
) -> ImportOutcome:
    """Keep a fact or a note about the turn's person, unless it is known or something contradicts it.

    What was forgotten here stays forgotten. Unlike in `remember`, the same again is no evidence: a file that is read
    twice says nothing more than once.

    Args:
        at: When it was remembered there; None: now.
        name: The name that a note is to go by.
        standing: What goes by the name already; another text contradicts it.

    Raises:
        ContentRefused: It may not be kept: a secret.
    """
    named = new.content if new.key is None else titled(new.key, new.content)
    refuse_unkeepable(tx.settings, named, new.content, new.excerpt or "")
    scope = writing_scope(tx, turn, turn.user_number)
    if isinstance(scope, NoAccess):
        return scope
    memory = _dated(tx, fresh(tx, turn, scope, new), at)
    if name is not None:
        memory = with_name(memory, *name)
    rivals = known_in(tx, scope, memory) + ([] if standing is None else [standing])
    for rival in rivals:
        if rival.canonical == memory.canonical:
            return AlreadyKnown(rival)
    for rival in rivals:
        if not rival.archived:
            return Conflict(rival)
    limit = tx.settings.max_notes if new.key is None else tx.settings.max_facts
    if (full := no_room(tx, scope, memory.kind, limit)) is not None:
        return full
    return _add(tx, turn, memory, reason)


def import_episode(tx: Tx, turn: Turn, new: PastEpisode, *, at: datetime | None, reason: str) -> ImportOutcome:
    """Keep an episode of the turn's space, unless it is known; people who are invisible to memory are left out.

    Raises:
        ContentRefused: It may not be kept: a secret.
    """
    refuse_unkeepable(tx.settings, new.topic, new.summary)
    ensure_space(tx, turn)
    scope = space_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    people = [tx.owners.ensure("person", turn.platform, name) for name in new.people]
    memory = replace(
        fresh(tx, turn, scope, New(content=new.summary, tags=new.tags)),
        kind="episode",
        canonical=canonical(f"{new.topic} {new.summary}"),
        topic=new.topic,
        importance=new.importance,
        valence=new.valence,
        chat=turn.chat,
        people=tuple(person for person in people if not is_invisible(tx, person)),
    )
    if people and not memory.people:
        return NoAccess(turn.user_number, "the people in it are invisible to memory", "privacy_restricted")
    for duplicate in tx.memories.list_in_slot(scope.owner, persist.slot_of(memory)):
        return AlreadyKnown(duplicate)
    return _add(tx, turn, _dated(tx, memory, at), reason)


def _dated(tx: Tx, memory: StoredMemory, at: datetime | None) -> StoredMemory:
    then = tx.now if at is None else min(at, tx.now)  # nothing was remembered in the future
    return replace(memory, created_at=then, updated_at=then)


def _add(tx: Tx, turn: Turn, memory: StoredMemory, reason: str) -> Remembered:
    memory = replace(memory, id=tx.next_id("memory"))
    persist.add(tx, memory, "imported", actor=turn.user_key, reason=reason)
    return Remembered(memory)
