"""Messages: kept, marked, and in line to be looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from zgadka.model.moments import micros, moment
from zgadka.model.people import Message, Role
from zgadka.model.turn import Conversation, Turn
from zgadka.stores.rows import Row, turn_json
from zgadka.stores.vectors import Vectors
from zgadka.text.clean import storable


class Said(NamedTuple):
    """A message as ranking takes it.

    Attributes:
        person: Owner id of who wrote it; 0: the assistant.
        at: Microseconds since 1970 UTC.
        counterpart: Owner id of who wrote it, or whom the assistant answered.
    """

    id: int
    person: int
    at: int
    text: str
    counterpart: int


class MessageChange(NamedTuple):
    """A changed message as an index in memory takes it; `conversation` and `said` are None when it is gone."""

    id: int
    conversation: Conversation | None
    said: Said | None


class Talk(Vectors):
    """Messages: kept, marked, and in line to be looked at."""

    def add_message(
        self,
        space: int,
        person: int,
        *,
        chat: str,
        thread: str,
        lineage: int,
        role: Role,
        text: str,
        source: str | None,
        at: datetime,
    ) -> tuple[int, bool]:
        """Keep a message; one with the same `source` in the same chat is replaced.

        Returns:
            Its id, and whether it is new.
        """
        given = self.next_id("message")
        rows = self._rows(
            "message_add",
            {
                "owner": space,
                "id": given,
                "chat": chat,
                "thread": thread,
                "lineage": lineage,
                "role": role,
                "person": person,
                "source": source,
                "text": text,
                "at": micros(at),
            },
        )
        # An edit changes the text alone: who wrote it, when and where stay as they were.
        number, thread, lineage, role, person, sent = rows[0]
        self._remove_vector(space, "message", number)  # of the text before an edit
        self._came(space, (chat, thread, lineage), Said(number, person if role == "user" else 0, sent, text, person))
        return number, number == given

    def said(self, space: int, conversation: Conversation) -> list[Said]:
        """All messages of a chat as ranking takes them, oldest first."""
        chat, thread, lineage = conversation
        parameters = {"owner": space, "chat": chat, "thread": thread, "lineage": lineage}
        return list(map(Said._make, self._rows("messages_of_chat", parameters)))

    def messages(self, space: int, ids: Iterable[int]) -> dict[int, Message]:
        """Those of the space's messages with these ids that there are, by id."""
        wanted = list(ids)
        rows = self._rows("messages_get", {"owner": space, "ids": json.dumps(wanted)}) if wanted else []
        return {row[0]: _message(row) for row in rows}

    def message_text(self, space: int, message: int) -> str | None:
        """A message's text; None when it is not there."""
        rows = self._rows("message_text", {"owner": space, "id": message})
        return rows[0][0] if rows else None

    def recent_messages(self, space: int, *, chat: str, thread: str, lineage: int, limit: int) -> list[Message]:
        """The chat's last messages, oldest first."""
        rows = self._rows(
            "messages_recent",
            {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "limit": limit},
        )
        return [_message(row) for row in reversed(rows)]

    def last_messages(self, space: int, *, chat: str, thread: str, lineage: int, limit: int) -> list[tuple[int, int]]:
        """Id of each of the chat's last messages and its person, oldest first; 0 for what the assistant said."""
        rows = self._rows(
            "messages_last", {"owner": space, "chat": chat, "thread": thread, "lineage": lineage, "limit": limit}
        )
        return [(id_, person if role == "user" else 0) for id_, person, role in reversed(rows)]

    def keep_message(self, space: int, message: int, until: datetime) -> None:
        """Keep the message at least until then."""
        self._rows("message_keep", {"owner": space, "id": message, "keep_until": micros(until)})

    def remove_message(self, space: int, chat: str, source: str) -> bool:
        """Remove a person's message by the platform's id, also from the line; False when it is not there."""
        rows = self._rows("message_remove_source", {"owner": space, "chat": chat, "source": source})
        for row in rows:
            self._rows("observation_remove", {"owner": space, "id": row[0], "text": ""})
            self._gone(space, row[0])
        return bool(rows)

    def spaces_with_messages_before(self, before: datetime) -> list[int]:
        """The spaces that have a message from before then."""
        return [row[0] for row in self._rows("spaces_with_old_messages", {"before": micros(before)})]

    def expire_messages(self, space: int, before: datetime, limit: int) -> int:
        """Remove at most `limit` messages from before then that nothing keeps; returns how many."""
        parameters = {"owner": space, "before": micros(before), "now": micros(self.now), "limit": limit}
        rows = self._rows("messages_expired", parameters)
        for row in rows:
            self._gone(space, row[0])
        return len(rows)

    def _came(self, space: int, conversation: Conversation, said: Said) -> None:
        """Let what follows a message's row follow a new one."""
        self._await_vector(space, "message", said.id)
        self._changed(space, "message", MessageChange(said.id, conversation, said))

    def _gone(self, space: int, message: int) -> None:
        """Let what follows a message's row go as well."""
        self._remove_vector(space, "message", message)
        self._changed(space, "message", MessageChange(message, None, None))

    def was_looked_at(self, space: int, chat: str, source: str, text: str) -> bool:
        """Whether a person's message with this platform id and exactly this text is kept already."""
        rows = self._rows("message_by_source", {"owner": space, "chat": chat, "source": source})
        return bool(rows) and rows[0][0] == storable(text)

    def put_in_line(self, space: int, message: int, turn: Turn, text: str) -> None:
        """Keep a message until it has been looked at; an edited one stands in line once."""
        self._rows(
            "observation_put",
            {
                "owner": space,
                "id": message,
                "turn": turn_json(turn),
                "text": storable(text),
                "noted_at": micros(self.now),
            },
        )

    def is_in_line(self, space: int, message: int, text: str) -> bool:
        """Whether a message with this text waits to be looked at."""
        return bool(self._rows("observation_get", {"owner": space, "id": message, "text": text}))

    def take_out_of_line(self, space: int, message: int, text: str) -> bool:
        """Take it out; False when it was not there with this text: another process looked at it, or it was edited."""
        return bool(self._rows("observation_remove", {"owner": space, "id": message, "text": text}))

    def in_line_since(self, before: datetime) -> list[tuple[int, int, Turn, str]]:
        """Space, message id, turn and text of what was put in line before then, in order of message id.

        What was put in line later than now, was before the clock went back.
        """
        return [
            (owner, id_, Turn.from_json(json.loads(turn)), text)
            for owner, id_, turn, text in self._rows(
                "observations", {"before": micros(before), "now": micros(self.now)}
            )
        ]


def _message(row: Row) -> Message:
    id_, role, user, text, at = row
    return Message(id=id_, role=role, user=user, text=text, at=moment(at))
