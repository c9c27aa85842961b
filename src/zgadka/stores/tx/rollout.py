"""The rollout: chats with the arm that was chosen for them, and stretches of talk that wait for their episodes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

from zgadka.model.memory import OwnerKind
from zgadka.model.people import Role
from zgadka.model.rollout import Arm
from zgadka.model.timestamps import micros, moment_or_none
from zgadka.model.turn import Conversation
from zgadka.stores.row_mapping import Row, conversation_parameters, from_row, readable
from zgadka.stores.tx.base import Topic
from zgadka.stores.tx.people import Owners


@dataclass(frozen=True)
class Chat:
    """A chat that was seen.

    Attributes:
        arm: What an operator chose for it; None: nothing.
        has_stretch: Whether something of it waits for its episode.
        audience: The group of its readers, as far as it is known; 0: all who read the space.
    """

    seen_at: datetime
    arm: Arm | None
    has_stretch: bool
    audience: int


@dataclass(frozen=True)
class Choice:
    """An arm that an operator chose for a chat.

    Attributes:
        kind: Of the space that it is in: `direct` for a chat with one person.
        space: The space's name; of a direct chat, the person's.
    """

    platform: str
    chat: str
    arm: Arm
    kind: OwnerKind
    space: str


@dataclass(frozen=True)
class SegmentMessage:
    """One message of a stretch.

    Attributes:
        user: The platform's id of the person it came from, or whom the assistant answered.
        person: That person's owner id.
        audience: The group of readers whom it was for; 0: all who read the space.
    """

    id: int
    role: Role
    user: str
    text: str
    at: datetime
    person: int
    audience: int


class Chats(Topic):
    """Chats that were seen, with the arm that was chosen for them."""

    def rollout_start(self) -> datetime | None:
        """When chats became divided into old and new ones; None: not yet."""
        return moment_or_none(self._value("rollout_began", {}))

    def start_rollout(self) -> None:
        """Divide chats into old and new ones from now on, unless they are already."""
        self._rows("rollout_begin", {"now": micros(self._tx.now)})

    def get(self, space: int, chat: str) -> Chat | None:
        """What is known of a chat; None: it was never seen."""
        return self._first(Chat, "chat_get", {"owner": space, "chat": chat})

    def add(self, space: int, chat: str, at: datetime) -> None:
        """Take note of when a chat was first seen, unless that is known."""
        self._rows("chat_see", {"owner": space, "chat": chat, "seen_at": micros(at)})

    def first_message_at(self, space: int, chat: str) -> datetime | None:
        """The time of the oldest message of the chat that is kept; None: there is none."""
        return moment_or_none(self._value("chat_first_message", {"owner": space, "chat": chat}))

    def set_arm(self, space: int, chat: str, arm: Arm | None) -> None:
        """Keep the arm that an operator chose for a chat that was seen; None: none."""
        self._rows("chat_choose", {"owner": space, "chat": chat, "arm": arm})

    def spaces_with(self, platform: str, chat: str) -> list[int]:
        """The spaces in which a chat of this id was seen; for operators."""
        return self._column("chats_named", {"platform": platform, "chat": chat})

    def list_chosen(self) -> list[Choice]:
        """The chats that an operator chose an arm for."""
        return self._all(Choice, "chats_chosen", {})


class Segments(Topic):
    """Segments of conversations that wait for their episodes."""

    def open(self, space: int, conversation: Conversation, first: int, due_at: datetime) -> None:
        """Begin a stretch with this message, unless the conversation has one."""
        parameters = conversation_parameters(space, conversation) | {"after": first - 1, "due_at": micros(due_at)}
        self._rows("stretch_open", parameters)

    def take(self, space: int, conversation: Conversation) -> int | None:
        """End the conversation's stretch; of several at once, one gets the id of the last message before it."""
        return self._value("stretch_take", conversation_parameters(space, conversation))

    def list_due(self, farthest: timedelta) -> list[tuple[int, Conversation]]:
        """The stretches to look at now, each with its space; also what is due later than it can be."""
        parameters = {"now": micros(self._tx.now), "far": micros(self._tx.now + farthest)}
        return [
            (space, (chat, thread, lineage)) for space, chat, thread, lineage in self._rows("stretches_due", parameters)
        ]

    def messages_after(self, space: int, conversation: Conversation, after: int, limit: int) -> list[SegmentMessage]:
        """The conversation's first messages after this one, oldest first."""
        rows = self._rows(
            "messages_after", conversation_parameters(space, conversation) | {"after": after, "limit": limit}
        )
        return self._named(rows)

    def _named(self, rows: Iterable[Row]) -> list[SegmentMessage]:
        return readable(partial(from_row, SegmentMessage), Owners(self._tx).with_names(rows, 2), "message")

    def messages(self, space: int, ids: Iterable[int]) -> list[SegmentMessage]:
        """Those of the space's messages with these ids that there are, oldest first."""
        return self._named(self._rows("messages_of_episode", {"owner": space, "ids": json.dumps(list(ids))}))

    def set_quotable(self, space: int, message: int, may_be: bool) -> None:
        """Let automatic episodes quote a message, or not; at first they may."""
        self._rows("unquoted_remove" if may_be else "unquoted_add", {"owner": space, "id": message})

    def forbid_quotes(self, space: int, person: int) -> None:
        """Let no automatic episode quote what the person has said in the space until now."""
        self._rows("unquoted_add_of", {"owner": space, "person": person})

    def spaces_with_person(self, person: int) -> list[int]:
        """The spaces where something that the person said waits for its episode. Asks everywhere."""
        return self._column("spaces_with_stretches", {"person": person})

    def list_unquotable(self, space: int, first: int, last: int) -> set[int]:
        """The ids from `first` to `last` of the space's messages that automatic episodes may not quote."""
        return {row[0] for row in self._rows("unquoted", {"owner": space, "first": first, "last": last})}
