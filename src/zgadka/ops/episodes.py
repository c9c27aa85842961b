"""Episodes: remembered stretches of conversation, which belong to their space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from zgadka.errors import InvalidInput
from zgadka.model.limits import LONGEST_SUMMARY, MOST_TAGS
from zgadka.model.memory import StoredMemory, Valence
from zgadka.model.memory_meta import Heading
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, NoAccess, NotFound, Recalled, Remembered
from zgadka.model.turn import Turn
from zgadka.ops import persist
from zgadka.ops.access import (
    communal_scope,
    ensure_space,
    ensure_speaker,
    find_space,
    hidden,
    invisible,
    is_invisible,
    live_memory,
    narrowed,
    refuse_invisible,
    refuse_others,
    space_scope,
    speaker_of,
    told_scopes,
)
from zgadka.ops.recall import recall
from zgadka.ops.remember import New, fresh
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.plural import counted

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
    speaker = ensure_speaker(tx, turn)
    if is_invisible(tx, speaker, ensure_space(tx, turn)):
        return NoAccess(turn.user_number, "this person is invisible to memory", "privacy_restricted")
    scope = space_scope(tx, turn)
    if isinstance(scope, NoAccess):
        return scope
    is_models = messages is None
    if messages is None:
        messages = _latest(tx, turn, new.message_count)
    writers = dict.fromkeys(person for _, person in messages if person) or {speaker: None}
    # What is made without a model only quotes people, who are taken out of it where they do not want that.
    if is_models and (refusal := refuse_others(tx, turn, writers)) is not None:
        return refusal
    memory = replace(
        fresh(tx, turn, scope, New(content=new.summary, tags=new.tags)),
        kind="episode",
        canonical=canonical(f"{new.topic} {new.summary}"),
        topic=new.topic,
        importance=new.importance,
        valence=new.valence,
        chat=turn.chat,
        people=tuple(writers),
        messages=tuple(message for message, _ in messages),
    )
    if (existing := persist.holder(tx, memory)) is not None:
        return AlreadyKnown(existing)
    tx.members.mark_present(scope.owner, speaker)  # where they never spoke, it is their level all the same
    memory = memory.numbered(tx.next_id("memory"))
    persist.add(tx, memory, "created", actor=turn.user_key)
    return Remembered(memory)


def update_episode(
    tx: Tx, turn: Turn, episode_id: int, *, importance: float | None, addition: str | None, tags: Sequence[str]
) -> Changed | NotFound | Conflict | NoAccess:
    """Change an episode's importance, add to its summary, add tags; not so that it equals another.

    Raises:
        InvalidInput: The summary would get too long, or the tags too many.
    """
    episode = _episode(tx, turn, episode_id)
    if episode is None:
        return NotFound()
    if (refusal := refuse_invisible(tx, turn) or refuse_others(tx, turn, episode.people)) is not None:
        return refusal
    ensure_space(tx, turn)
    is_new = addition is not None and addition not in episode.content
    summary = f"{episode.content}\n{addition}" if is_new else episode.content
    all_tags = tuple(dict.fromkeys((*episode.tags, *tags)))
    if len(summary) > LONGEST_SUMMARY and is_new:
        left = max(LONGEST_SUMMARY - len(episode.content) - 1, 0)
        raise InvalidInput(f"the summary has room for {left} more characters: write less, or create a new episode")
    if len(all_tags) > MOST_TAGS and all_tags != episode.tags:
        raise InvalidInput(f"an episode has at most {MOST_TAGS} tags, this would have {len(all_tags)}")
    memory = replace(
        narrowed(turn, communal_scope(tx, turn), episode),
        importance=episode.importance if importance is None else importance,
        content=summary,
        canonical=canonical(f"{episode.topic} {summary}"),
        tags=all_tags,
    )
    holder = persist.holder(tx, memory)
    if holder is not None:
        return Conflict(holder)
    return Changed(persist.put(tx, episode, memory, "updated", actor=turn.user_key), episode)


def archive_episode(tx: Tx, turn: Turn, episode_id: int, reason: str | None) -> Changed | NotFound | NoAccess:
    """Hide an episode; it stays for the audit trail. Who was in it may hide it whatever the policy."""
    episode = _episode(tx, turn, episode_id)
    if episode is None:
        return NotFound()
    is_in_it = speaker_of(tx, turn) in episode.people
    if not is_in_it and (refusal := refuse_others(tx, turn, episode.people)) is not None:
        return refusal
    return Changed(persist.hide(tx, episode, "forgotten", actor=turn.user_key, reason=reason), episode)


def recall_episodes(
    tx: Tx,
    turn: Turn,
    *,
    query: str | None,
    limit: int,
    tags: Sequence[str] = (),
    participant: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    explain: bool = False,
    after: int | None = None,
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

    _, scope = told_scopes(tx, turn)
    return recall(
        tx, [] if scope is None else [scope], query, limit, kinds=("episode",), fits=fits, explain=explain, after=after
    )


def mark_important(tx: Tx, turn: Turn, *, count: int, level: ImportanceLevel, reason: str | None) -> Marked:
    """Keep the chat's last messages for longer; the reason goes into the space's audit trail."""
    space = ensure_space(tx, turn)
    until = tx.now + KEPT[level]
    messages = _latest(tx, turn, count)
    for message, _ in messages:
        tx.messages.keep(space, message, until)
    if messages:
        why = f"{level}, {counted(len(messages), 'message')}" + (f": {reason}" if reason else "")
        tx.audit.add(space, 0, "marked", actor=turn.user_key, reason=why)
    return Marked(len(messages), until)


def participant_named(tx: Tx, turn: Turn, user_id: int) -> int | None:
    """The owner id of a person of this space by the integer that tools use; None when nobody is meant.

    Who is invisible to memory is nobody.
    """
    own = user_id == turn.user_number
    person = speaker_of(tx, turn) if own else tx.owners.find_by_number(turn.platform, user_id)
    return None if person is None or is_invisible(tx, person, find_space(tx, turn)) else person


def shown_people(tx: Tx, memory: StoredMemory) -> list[int]:
    """The integers by which tools name an episode's participants, without those who are invisible to memory."""
    return [tx.owners.number_of(person) for person in memory.people if not is_invisible(tx, person, memory.owner)]


def _episode(tx: Tx, turn: Turn, episode_id: int) -> StoredMemory | None:
    _, scope = told_scopes(tx, turn)
    memory = None if scope is None else live_memory(tx, scope, episode_id, "episode")
    return None if memory is None or hidden(tx, [memory]) else memory


def _latest(tx: Tx, turn: Turn, limit: int) -> list[tuple[int, int]]:
    """Of the chat's last messages those that memory may hold, and who wrote them; 0: the assistant."""
    scope = communal_scope(tx, turn)
    latest = tx.messages.recent_authors(scope, turn.conversation, limit)
    unseen = invisible(tx, {person for _, person, _ in latest}, scope.owner)
    return [(message, person if role == "user" else 0) for message, person, role in latest if person not in unseen]
