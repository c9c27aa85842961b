"""Episodes: remembered stretches of conversation, which belong to their space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from zgadka.model.heading import Heading
from zgadka.model.memory import Scope, StoredMemory, Valence
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, NoAccess, NotFound, Recalled, Remembered
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.turn import Turn
from zgadka.ops import keep
from zgadka.ops.recall import recall
from zgadka.ops.scopes import communal_scope, ensure_space, person_named, privacy_of
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical

ImportanceLevel = Literal["high", "critical"]
KEPT: dict[ImportanceLevel, timedelta] = {"high": timedelta(days=60), "critical": timedelta(days=365)}
"""How long marked messages are kept, counted from marking (seed 003)."""


@dataclass(frozen=True, kw_only=True)
class NewEpisode:
    """What the model says of an episode."""

    topic: str
    summary: str
    importance: float
    valence: Valence
    tags: tuple[str, ...]
    message_count: int


@dataclass(frozen=True)
class Marked:
    """So many messages are kept until then."""

    count: int
    until: datetime


def create_episode(
    tx: Tx, turn: Turn, new: NewEpisode, messages: Sequence[tuple[int, int]] | None = None
) -> Remembered | AlreadyKnown | NoAccess:
    """Keep an episode of the chat's messages, with the people who wrote them.

    Args:
        messages: Id of each message and its person, 0 for the assistant's; None: the chat's last.
    """
    speaker = tx.ensure_owner("person", turn.platform, turn.user_name)
    if privacy_of(tx, speaker) is PrivacyLevel.FULL:
        return NoAccess(turn.user_number, "this person is invisible to memory", "privacy_restricted")
    ensure_space(tx, turn)
    scope = communal_scope(tx, turn)
    if messages is None:
        messages = _last(tx, turn, scope.owner, new.message_count)
    writers = dict.fromkeys(person for _, person in messages if person) or {speaker: None}
    memory = StoredMemory(
        owner=scope.owner,
        id=0,
        kind="episode",
        space=scope.space,
        lineage=scope.lineage,
        type=None,
        key=None,
        content=new.summary,
        canonical=canonical(f"{new.topic} {new.summary}"),
        confidence=1.0,
        evidence=1,
        excerpt=None,
        tags=new.tags,
        permanent=False,
        archived=False,
        version=1,
        said_by=turn.user_name,
        created_at=tx.now,
        updated_at=tx.now,
        topic=new.topic,
        importance=new.importance,
        valence=new.valence,
        chat=turn.chat,
        people=tuple(person for person in writers if privacy_of(tx, person) is not PrivacyLevel.FULL),
        messages=tuple(message for message, _ in messages),
    )
    for known in tx.in_slot(scope.owner, keep.slot_of(memory)):
        if not known.archived:
            return AlreadyKnown(known)
    memory = memory.numbered(tx.next_id("memory"))
    keep.add(tx, memory, "created", actor=turn.user_name)
    return Remembered(memory)


def update_episode(
    tx: Tx, turn: Turn, episode_id: int, *, importance: float | None, addition: str | None, tags: Sequence[str]
) -> Changed | NotFound | Conflict:
    """Change an episode's importance, add to its summary, add tags; not so that it equals another."""
    before = _episode(tx, turn, episode_id)
    if before is None:
        return NotFound()
    summary = f"{before.content}\n{addition}" if addition else before.content
    memory = replace(
        before,
        importance=before.importance if importance is None else importance,
        content=summary,
        canonical=canonical(f"{before.topic} {summary}"),
        tags=tuple(dict.fromkeys((*before.tags, *tags))),
    )
    other = keep.holder(tx, memory)
    if other is not None:
        return Conflict(other)
    return Changed(keep.put(tx, before, memory, "updated", actor=turn.user_name), before)


def archive_episode(tx: Tx, turn: Turn, episode_id: int, reason: str | None) -> Changed | NotFound:
    """Hide an episode; it stays for the audit trail."""
    before = _episode(tx, turn, episode_id)
    if before is None:
        return NotFound()
    hidden = replace(before, archived=True)
    return Changed(keep.put(tx, before, hidden, "forgotten", actor=turn.user_name, reason=reason), before)


def recall_episodes(
    tx: Tx,
    turn: Turn,
    *,
    query: str | None,
    tags: Sequence[str],
    participant: int | None,
    since: datetime | None,
    until: datetime | None,
    limit: int,
    explain: bool = False,
) -> Recalled:
    """The space's episodes that fit everything asked for, best first.

    Args:
        tags: All of them, folded.
        participant: The owner id of a person who was in it.
        since: The first moment, included.
        until: The last moment, not included.
    """
    wanted = {canonical(tag) for tag in tags}

    def fits(memory: Heading) -> bool:
        return (
            wanted <= {canonical(tag) for tag in memory.tags}
            and (participant is None or participant in memory.people)
            and (since is None or memory.created_at >= since)
            and (until is None or memory.created_at < until)
        )

    return recall(tx, [communal_scope(tx, turn)], query, limit, kinds=("episode",), fits=fits, explain=explain)


def mark_important(tx: Tx, turn: Turn, *, count: int, level: ImportanceLevel, reason: str | None) -> Marked:
    """Keep the chat's last messages for longer; the reason goes into the space's audit trail."""
    space = ensure_space(tx, turn)
    until = tx.now + KEPT[level]
    messages = _last(tx, turn, space, count)
    for message, _ in messages:
        tx.keep_message(space, message, until)
    if messages:
        why = f"{level}, {len(messages)} messages" + (f": {reason}" if reason else "")
        tx.add_note_to_trail(space, "marked", actor=turn.user_name, reason=why)
    return Marked(len(messages), until)


def participant_named(tx: Tx, turn: Turn, user_id: int) -> int | None:
    """The owner id of a person of this space by the integer that tools use; None when nobody is meant.

    Who is invisible to memory is nobody.
    """
    own = user_id == turn.user_number
    person = person_named(tx, turn, turn.user_name) if own else tx.person_by_number(turn.platform, user_id)
    return None if person is None or privacy_of(tx, person) is PrivacyLevel.FULL else person


def shown_people(tx: Tx, memory: StoredMemory) -> list[int]:
    """The integers by which tools name an episode's participants, without those who are invisible to memory."""
    return [tx.number_of(person) for person in memory.people if privacy_of(tx, person) is not PrivacyLevel.FULL]


def _episode(tx: Tx, turn: Turn, episode_id: int) -> StoredMemory | None:
    scope: Scope = communal_scope(tx, turn)
    memory = tx.memory(scope.owner, episode_id)
    if memory is None or memory.archived or memory.kind != "episode" or not scope.shows(memory):
        return None
    return memory


def _last(tx: Tx, turn: Turn, space: int, limit: int) -> list[tuple[int, int]]:
    return tx.last_messages(space, chat=turn.chat, thread=turn.thread or "", lineage=turn.persona, limit=limit)
