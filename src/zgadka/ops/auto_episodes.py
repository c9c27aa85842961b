"""Episodes without a model: what is said in automated chats becomes stretches, and these become episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.memory import AUTOMATIC, StoredMemory
from zgadka.model.outcome import Remembered
from zgadka.model.rollout import Arm
from zgadka.model.turn import Conversation, Turn
from zgadka.ops.access import common_readers, invisible, is_remembered
from zgadka.ops.content_policy import screen
from zgadka.ops.episodes import NewEpisode, create_episode
from zgadka.settings import Settings
from zgadka.stores.tx import Tx
from zgadka.stores.tx.rollout import SegmentMessage
from zgadka.stores.tx.tasks import FARTHEST
from zgadka.text.canonical import canonical
from zgadka.text.segmentation import Piece, boundaries, summarize

_IMPORTANCE = 0.5
_AT_ONCE = 1000
_MOST_MESSAGES = 50


def follow(tx: Tx, space: int, turn: Turn, message: int, arm: Arm, *, has_stretch: bool) -> None:
    """Let a person's new message count for the stretch of its conversation, or end it where the arm is another now.

    Args:
        has_stretch: Whether there may be one.
    """
    conversation = turn.conversation
    if arm == "automated":
        tx.segments.open(space, conversation, message, tx.now + _gap(tx.settings))
    elif has_stretch:
        make_episodes(tx, space, conversation, before=message)


def due_stretches(tx: Tx) -> list[tuple[int, Conversation]]:
    """The conversations whose stretches are to be looked at, each with its space."""
    return tx.segments.list_due(_gap(tx.settings) + FARTHEST)


def make_episodes(tx: Tx, space: int, conversation: Conversation, *, before: int | None = None) -> int:
    """Keep an episode for each stretch that ended; returns how many. The rest waits on.

    Args:
        before: The message with which the model's tools took over: all before it has ended. None: the chat goes on.
    """
    settings = tx.settings
    min_messages = settings.episode_least_messages
    limit = max(_AT_ONCE, min_messages)
    cursor, count = tx.segments.take(space, conversation), 0
    while cursor is not None:
        segment = tx.segments.messages_after(space, conversation, cursor, limit)
        lines = [line for line in segment if before is None or line.id < before]
        heard = {line.id for line in _quotable(tx, space, lines)}
        ends = boundaries(
            [Piece(line.at, line.text if line.id in heard else None) for line in lines],
            tx.now,
            min_size=min_messages,
            max_size=max(_MOST_MESSAGES, min_messages),
            gap=_gap(settings),
        )
        is_last = len(segment) < limit or len(lines) < len(segment)
        if before is not None and is_last and lines:
            ends = sorted({*ends, len(lines)})
        for start, end in zip([0, *ends], ends, strict=False):
            count += _store(tx, space, conversation, lines[start:end])
        remaining = lines[ends[-1] if ends else 0 :]
        if is_last or not ends:
            if remaining:
                tx.segments.open(space, conversation, remaining[0].id, min(remaining[-1].at, tx.now) + _gap(settings))
            return count
        cursor = lines[ends[-1] - 1].id
    return count


def without(tx: Tx, memory: StoredMemory, person: int) -> StoredMemory | None:
    """The episode as it is told without a person's words; None: nothing of it is left to tell.

    What a model wrote of it is not the person's words, and stays; an automatic episode quotes them.
    """
    memory = replace(memory, people=tuple(participant for participant in memory.people if participant != person))
    if memory.kind != "episode" or AUTOMATIC not in memory.tags:
        return memory
    lines = tx.segments.messages(memory.owner, memory.messages)
    story = summarize([line.text for line in _quotable(tx, memory.owner, lines) if line.person in memory.people])
    if story is None:
        return None
    canonical_text = canonical(f"{story.topic} {story.summary}")
    left = tx.messages.authors(memory.owner, memory.messages).keys()  # withheld ones, too: they may come back
    left -= {line.id for line in lines if line.person == person}
    messages = tuple(message for message in memory.messages if message in left)
    return replace(memory, topic=story.topic, content=story.summary, canonical=canonical_text, messages=messages)


def _store(tx: Tx, space: int, conversation: Conversation, lines: Sequence[SegmentMessage]) -> bool:
    """Keep an episode, where there is enough to tell; of people who do not want to be remembered, nothing is told."""
    heard = _quotable(tx, space, lines)
    story = summarize([line.text for line in heard]) if len(lines) >= tx.settings.episode_least_messages else None
    if story is None:
        return False
    # What may not be quoted is no part of it either: its messages are kept for as long as the episode is.
    quotable = {line.id for line in heard}
    unseen = invisible(tx, {line.person for line in lines}, space)
    lines = [line for line in lines if line.id in quotable or (line.role == "assistant" and line.person not in unseen)]
    readers = common_readers(tx, space, [line.audience for line in lines])
    if readers is None:
        return False
    chat, thread, lineage = conversation
    space_owner = tx.owners.get(space)
    turn = Turn(
        platform=space_owner.platform,
        space=space_owner.name,
        chat=chat,
        thread=thread or None,
        persona=lineage,
        user=space_owner.name if space_owner.kind == "direct" else heard[-1].user,
        direct=space_owner.kind == "direct",
        audience=readers or None,
        arm="automated",
    )
    new = NewEpisode(
        topic=story.topic,
        summary=story.summary,
        importance=_IMPORTANCE,
        valence="neutral",
        tags=(AUTOMATIC,),
        message_count=len(lines),
    )
    tx.arm = "automated"
    messages = [(line.id, line.person if line.role == "user" else 0) for line in lines]
    return isinstance(create_episode(tx, turn, new, messages), Remembered)


def _quotable(tx: Tx, space: int, lines: Sequence[SegmentMessage]) -> list[SegmentMessage]:
    """What may be quoted: people's own words, not those of assistants, other bots or bridges, and no secrets."""
    unquoted = tx.segments.list_unquotable(space, lines[0].id, lines[-1].id) if lines else set[int]()
    people = {line.person for line in lines if line.role == "user"}
    quoted = {person for person in people if _may_be_quoted(tx, space, person)}
    heard = [line for line in lines if line.role == "user" and line.person in quoted and line.id not in unquoted]
    return [line for line in heard if screen(tx.settings, line.text) is None]


def _may_be_quoted(tx: Tx, space: int, person: int) -> bool:
    member = tx.members.get(space, person)
    is_person = member is None or member.kind == "person"
    return is_person and is_remembered(tx, person, space)


def _gap(settings: Settings) -> timedelta:
    return timedelta(minutes=settings.episode_gap_minutes)
