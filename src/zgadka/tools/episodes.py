"""The tool set `episodes`: stretches of conversation worth remembering."""

from __future__ import annotations

from typing import Annotated, Any, assert_never

from zgadka.errors import InvalidInput
from zgadka.model.limits import LONGEST_REASON, LONGEST_SUMMARY, LONGEST_TOPIC, LONGEST_WORD
from zgadka.model.memory import StoredMemory, Valence
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, NoAccess, NotFound, Recalled, Remembered
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops import episodes
from zgadka.ops.episodes import ImportanceLevel, NewEpisode
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.plural import counted
from zgadka.tools import serialize
from zgadka.tools.declare import Length, Range, Tool
from zgadka.tools.parse_time import beginning_given, end_given

Tags = Annotated[list[Annotated[str, Length(1, LONGEST_WORD)]], Length(0, 20)]
Importance = Annotated[float, Range(0.0, 1.0)]


def create_episode(
    tx: Tx,
    *,
    turn: Turn,
    topic: Annotated[str, Length(1, LONGEST_TOPIC)],
    summary: Annotated[str, Length(1, LONGEST_SUMMARY)],
    importance: Importance,
    emotional_valence: Valence = "neutral",
    tags: Tags | None = None,
    message_count: Annotated[int, Range(1, 100)] = 10,
) -> ToolResult:
    """Create a memorable episode from the recent conversation.

    Use when something significant happened (important info shared, emotional moment, milestone, etc.).

    Args:
        topic: Short topic/title (e.g., 'Birthday plans', 'Job interview stress')
        summary: 2-3 sentence summary of what happened
        importance: How important is this? (0.0-1.0, 0.7+ recommended)
        emotional_valence: Emotional tone of conversation
        tags: Keywords for retrieval (e.g., ['birthday', 'celebration', 'friends'])
        message_count: How many recent messages to include (1-100, default 10)
    """
    for name, text in (("topic", topic), ("summary", summary)):
        if shows_nothing(text):
            raise InvalidInput(f"{name} must not be blank")
    new = NewEpisode(
        topic=topic.strip(),
        summary=summary.strip(),
        importance=importance,
        valence=emotional_valence,
        tags=tuple(dict.fromkeys(tags or ())),
        message_count=message_count,
    )
    outcome = episodes.create_episode(tx, turn, new)
    match outcome:
        case Remembered(memory):
            message = f"Episode created: {memory.topic} ({counted(len(memory.messages), 'message')})"
            return ToolResult(
                "success",
                message,
                episode_id=memory.id,
                message_count=len(memory.messages),
                participants=episodes.shown_people(tx, memory),
            )
        case AlreadyKnown(memory):
            return ToolResult("skipped", "This episode is already known", reason="duplicate", episode_id=memory.id)
        case _:
            return serialize.refused(outcome)


def update_episode(
    tx: Tx,
    *,
    turn: Turn,
    episode_id: int,
    new_importance: Importance | None = None,
    additional_summary: Annotated[str, Length(1, LONGEST_SUMMARY)] | None = None,
    add_tags: Tags | None = None,
) -> ToolResult:
    """Update an existing episode's importance or add new information to its summary.

    Args:
        episode_id: Episode ID (from recall_episodes result)
        new_importance: How important it is now (0.0-1.0)
        additional_summary: Additional context to append to summary
        add_tags: More keywords for retrieval
    """
    if new_importance is None and additional_summary is None and not add_tags:
        raise InvalidInput("give new_importance, additional_summary or add_tags; there is nothing to change")
    if additional_summary is not None and shows_nothing(additional_summary):
        raise InvalidInput("additional_summary must not be blank")
    outcome = episodes.update_episode(
        tx,
        turn,
        episode_id,
        importance=new_importance,
        addition=additional_summary.strip() if additional_summary else None,
        tags=add_tags or (),
    )
    match outcome:
        case NotFound():
            return _not_found(episode_id)
        case NoAccess():
            return serialize.refused(outcome)
        case Conflict(memory):
            message = f"Not changed; another episode says the same: {memory.topic} (episode_id {memory.id})"
            return ToolResult("conflict", message, episode_id=memory.id)
        case Changed(memory):
            message = f"Episode updated: {memory.topic}"
            return ToolResult("success", message, episode_id=episode_id, episode=_shown(tx, memory))
        case _:
            assert_never(outcome)


def recall_episodes(
    tx: Tx,
    *,
    turn: Turn,
    query: Annotated[str, Length(1, 100_000)] | None = None,
    tags: Tags | None = None,
    participant: int | None = None,
    since: Annotated[str, Length(1, 40)] | None = None,
    until: Annotated[str, Length(1, 40)] | None = None,
    limit: Annotated[int, Range(1, 50)] = 10,
    after: int | None = None,
    explain: bool = False,
) -> ToolResult:
    """Search for episodes of this place: what was talked about, with whom, when.

    Args:
        query: Words of the topic or summary, in any language (optional; without it, the weightiest first)
        tags: Only episodes with all of these tags
        participant: Only episodes with this user_id in them
        since: Only from this day or time on
        until: Only before the end of this day, or before this time
        limit: Max results (1-50, default 10)
        after: `after` of the last answer, to go on
        explain: Say why each ranks where it does (default false)
    """
    person = None
    if participant is not None:
        person = episodes.participant_named(tx, turn, participant)
        if person is None:
            return _list(tx, Recalled())
    recalled = episodes.recall_episodes(
        tx,
        turn,
        query=query,
        tags=tags or (),
        participant=person,
        since=None if since is None else beginning_given(tx, turn, "since", since),
        until=None if until is None else end_given(tx, turn, "until", until),
        limit=limit,
        explain=explain,
        after=after,
    )
    return _list(tx, recalled)


def archive_episode(
    tx: Tx, *, turn: Turn, episode_id: int, reason: Annotated[str, Length(1, LONGEST_REASON)] | None = None
) -> ToolResult:
    """Archive an episode (no longer relevant, or superseded by newer events).

    Args:
        episode_id: Episode ID (from recall_episodes result)
        reason: Why archive?
    """
    outcome = episodes.archive_episode(tx, turn, episode_id, reason)
    match outcome:
        case NotFound():
            return _not_found(episode_id)
        case NoAccess():
            return serialize.refused(outcome)
        case Changed(memory):
            return ToolResult("success", f"Episode archived: {memory.topic}", episode_id=episode_id)
        case _:
            assert_never(outcome)


def mark_important(
    tx: Tx,
    *,
    turn: Turn,
    importance_level: ImportanceLevel,
    message_count: Annotated[int, Range(1, 20)] = 5,
    reason: Annotated[str, Length(1, LONGEST_REASON)] | None = None,
) -> ToolResult:
    """Mark recent messages as important to prevent automatic deletion.

    Use for critical information, decisions, or promises.

    Args:
        importance_level: Importance level (high = 60 days, critical = 365 days retention)
        message_count: How many recent messages to mark (1-20, default 5)
        reason: Why is this important? (for audit trail)
    """
    marked = episodes.mark_important(tx, turn, count=message_count, level=importance_level, reason=reason)
    if not marked.count:
        return ToolResult("not_found", "There are no messages in this chat to mark", count=0)
    return ToolResult(
        "success",
        f"{counted(marked.count, 'message')} kept until {marked.until:%Y-%m-%d}",
        count=marked.count,
        kept_until=marked.until.isoformat(),
    )


def _list(tx: Tx, recalled: Recalled) -> ToolResult:
    items = [_shown(tx, match.memory) | serialize.why(match.why) for match in recalled.found]
    return ToolResult("success", count=len(items), total=recalled.total, episodes=items).page(
        recalled.ids, goes_on=recalled.goes_on
    )


def _not_found(episode_id: int) -> ToolResult:
    return ToolResult("not_found", f"No episode {episode_id} is known here. See recall_episodes.")


def _shown(tx: Tx, memory: StoredMemory) -> dict[str, Any]:
    return {
        "episode_id": memory.id,
        "topic": memory.topic,
        "summary": memory.content,
        "importance": memory.importance,
        "emotional_valence": memory.valence,
        "tags": list(memory.tags),
        "participants": episodes.shown_people(tx, memory),
        "message_count": len(memory.messages),
        "created_at": memory.created_at.isoformat(),
    }


EPISODES = (
    Tool(create_episode, set="episodes", title="Create an episode", idempotent=True),
    Tool(update_episode, set="episodes", title="Update an episode", destructive=True),
    Tool(recall_episodes, set="episodes", title="Recall episodes", read_only=True, idempotent=True),
    Tool(archive_episode, set="episodes", title="Archive an episode", destructive=True, idempotent=True),
    Tool(mark_important, set="episodes", title="Mark messages as important", idempotent=True),
)
