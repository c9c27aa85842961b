"""Episodes without a model: what is said in automated chats becomes stretches, and these become episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import Remembered
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.rollout import Arm
from zgadka.model.turn import Conversation, Turn
from zgadka.ops.episodes import NewEpisode, create_episode
from zgadka.ops.scopes import privacy_of
from zgadka.ops.screen import screen
from zgadka.settings import Settings
from zgadka.stores.rollout import Line
from zgadka.stores.tasks import FARTHEST
from zgadka.stores.tx import Tx
from zgadka.text.canonical import canonical
from zgadka.text.stretch import Piece, boundaries, tell

AUTOMATIC = "automatic"
"""The tag of episodes that nobody judged: made by counting words, and quoting those who wrote them."""
_IMPORTANCE = 0.5
_AT_ONCE = 1000


def follow(tx: Tx, space: int, turn: Turn, message: int, arm: Arm, *, has_stretch: bool) -> None:
    """Let a person's new message count for the stretch of its conversation, or end it where the arm is another now.

    Args:
        has_stretch: Whether there may be one.
    """
    conversation = turn.conversation
    if arm == "automated":
        tx.open_stretch(space, conversation, message, tx.now + _gap(tx.settings))
    elif has_stretch:
        make_episodes(tx, space, conversation, before=message)


def due_stretches(tx: Tx) -> list[tuple[int, Conversation]]:
    """The conversations whose stretches are to be looked at, each with its space."""
    return tx.stretches_due(_gap(tx.settings) + FARTHEST)


def make_episodes(tx: Tx, space: int, conversation: Conversation, *, before: int | None = None) -> int:
    """Keep an episode for each stretch that ended; returns how many. The rest waits on.

    Args:
        before: The message with which the model's tools took over: all before it has ended. None: the chat goes on.
    """
    settings = tx.settings
    limit = max(_AT_ONCE, settings.episode_most_messages)
    after, made = tx.take_stretch(space, conversation), 0
    while after is not None:
        found = tx.lines_after(space, conversation, after, limit)
        lines = [line for line in found if before is None or line.id < before]
        heard = {line.id for line in _heard(tx, space, lines)}
        ends = boundaries(
            [Piece(line.at, line.text if line.id in heard else None) for line in lines],
            tx.now,
            least=settings.episode_least_messages,
            most=settings.episode_most_messages,
            gap=_gap(settings),
        )
        is_last = len(found) < limit or len(lines) < len(found)
        if before is not None and is_last and lines:
            ends = sorted({*ends, len(lines)})
        for start, end in zip([0, *ends], ends, strict=False):
            made += _keep(tx, space, conversation, lines[start:end])
        rest = lines[ends[-1] if ends else 0 :]
        if is_last or not ends:
            if rest:
                tx.open_stretch(space, conversation, rest[0].id, min(rest[-1].at, tx.now) + _gap(settings))
            return made
        after = lines[ends[-1] - 1].id
    return made


def without(tx: Tx, memory: StoredMemory, person: int) -> StoredMemory | None:
    """The episode as it is told without a person's words; None: nothing of it is left to tell.

    What a model wrote of it is not the person's words, and stays; an automatic episode quotes them.
    """
    memory = replace(memory, people=tuple(one for one in memory.people if one != person))
    if memory.kind != "episode" or AUTOMATIC not in memory.tags:
        return memory
    lines = _heard(tx, memory.owner, tx.lines_of(memory.owner, memory.messages))
    story = tell([line.text for line in lines if line.person in memory.people])
    if story is None:
        return None
    said = canonical(f"{story.topic} {story.summary}")
    return replace(memory, topic=story.topic, content=story.summary, canonical=said)


def _keep(tx: Tx, space: int, conversation: Conversation, lines: Sequence[Line]) -> bool:
    """Keep an episode, where there is enough to tell; of people who do not want to be remembered, nothing is told."""
    heard = _heard(tx, space, lines)
    story = tell([line.text for line in heard]) if len(lines) >= tx.settings.episode_least_messages else None
    if story is None:
        return False
    # What may not be quoted is no part of it either: its messages are kept for as long as the episode is.
    told = {line.id for line in heard}
    lines = [line for line in lines if line.role == "assistant" or line.id in told]
    chat, thread, lineage = conversation
    place = tx.owner(space)
    turn = Turn(
        platform=place.platform,
        space=place.name,
        chat=chat,
        thread=thread or None,
        persona=lineage,
        user=place.name if place.kind == "direct" else heard[-1].user,
        direct=place.kind == "direct",
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


def _heard(tx: Tx, space: int, lines: Sequence[Line]) -> list[Line]:
    """What may be quoted: people's own words, not those of assistants, other bots or bridges, and no secrets."""
    unquoted = tx.unquoted(space, lines[0].id, lines[-1].id) if lines else set[int]()
    people = {line.person for line in lines if line.role == "user"}
    quoted = {person for person in people if _may_be_quoted(tx, space, person)}
    heard = [line for line in lines if line.role == "user" and line.person in quoted and line.id not in unquoted]
    return [line for line in heard if screen(tx.settings, line.text) is None]


def _may_be_quoted(tx: Tx, space: int, person: int) -> bool:
    member = tx.member(space, person)
    is_person = member is None or member.kind == "person"
    return is_person and privacy_of(tx, person) is PrivacyLevel.MINIMAL


def _gap(settings: Settings) -> timedelta:
    return timedelta(minutes=settings.episode_gap_minutes)
