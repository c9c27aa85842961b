"""Messages: kept, marked, and in line to be looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from zgadka.model.export_records import MessageLine
from zgadka.model.inference import EXPORTED
from zgadka.model.memory import Scope, SubjectRole
from zgadka.model.people import Message, Role
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.timestamps import micros, moment
from zgadka.model.turn import Conversation, Turn, former_id, is_of_account
from zgadka.stores.row_mapping import Row, Value, audiences_of, conversation_parameters, from_row, readable, turn_json
from zgadka.stores.tx.base import END_OF_TIME, Topic
from zgadka.stores.tx.blocks import Blocks
from zgadka.stores.tx.export_tables import row_of
from zgadka.stores.tx.people import Members, Owners, Privacy
from zgadka.stores.tx.vectors import Vectors

_READ = 1000
"""Messages of a chat read at a time."""
_ASKED_AGAIN = timedelta(days=1)
"""After so long it is asked again whether something is remembered from an expired message."""
ABOVE_ALL = 2**62
"""Ids stay below it."""


NEW_BLOCK = 0
"""What `MessageChange.id` is where no message changed, but some are in a block now."""


class SearchableMessage(NamedTuple):
    """A message as ranking takes it.

    Attributes:
        person: Owner id of who wrote it; 0: the assistant.
        at: Microseconds since 1970 UTC.
    """

    id: int
    person: int
    at: int
    text: str


class PersonsMessage(NamedTuple):
    """A message that a person wrote or was answered."""

    id: int
    role: Role
    text: str
    is_withheld: bool


class SaidMessage(NamedTuple):
    """A person's message that the platform gives an id.

    Attributes:
        text: None: its days are over, and something is remembered from it.
        source: The id as it is kept; see `model.turn.former_id`.
    """

    id: int
    text: str | None
    source: str


class WithheldMessage(NamedTuple):
    """A message that nobody is told.

    Attributes:
        person: Who wrote it, or whom the assistant answered.
    """

    id: int
    role: Role
    person: int
    text: str


class OthersMessage(NamedTuple):
    """A message that may be quoted, or that quotes.

    Attributes:
        person: Who wrote it, or whom the assistant answered.
        withheld: The change by which nobody is told it; 0: there is none.
    """

    id: int
    role: Role
    person: int
    text: str
    withheld: int


class MessageChange(NamedTuple):
    """A changed message as an index in memory takes it; `conversation` and `added` are None when it is gone."""

    id: int
    conversation: Conversation | None
    added: SearchableMessage | None


@dataclass(frozen=True)
class QueuedMessage:
    """A message that waits to be looked at.

    Attributes:
        text: What its person wrote themselves.
        at: When it was queued.
    """

    space: int
    message: int
    turn: Turn
    text: str
    at: datetime


def _searchable(row: Row) -> SearchableMessage:
    """The message that a row holds.

    Raises:
        ValueError, TypeError or OverflowError: Its time or text is damaged.
    """
    message = SearchableMessage._make(row)
    moment(message.at)
    message.text.encode()
    return message


class Messages(Topic):
    """Messages and what is withheld of them."""

    def find_unnamed(
        self, space: int, person: int, conversation: Conversation, *, role: Role, text: str, at: datetime
    ) -> int | None:
        """The id of a message with this text and time that no platform's id goes with."""
        row: dict[str, Value] = {"role": role, "person": person, "text": text, "at": micros(at)}
        return self._value("message_again", conversation_parameters(space, conversation) | row)

    def has_copy(self, space: int, person: int, chat: str, source: str, *, text: str, at: datetime) -> bool:
        """Whether a message of theirs with this text and time is there under another id of the platform's."""
        row: dict[str, Value] = {"owner": space, "person": person, "chat": chat, "source": source}
        return self._value("message_copy", row | {"text": text, "at": micros(at)}) is not None

    def name_exported(self, space: int, person: int, chat: str, source: str, *, text: str, at: datetime) -> None:
        """Give a message of theirs of this time that an export told, whose id is its own, the platform's id.

        It is the one with this text, or else, as after an edit, the only one.
        """
        row: dict[str, Value] = {"owner": space, "person": person, "chat": chat, "source": source}
        self._rows("message_named", row | {"text": text, "at": micros(at), "before": EXPORTED})

    def add(
        self,
        space: int,
        person: int,
        conversation: Conversation,
        *,
        role: Role,
        text: str,
        source: str | None,
        at: datetime,
        withheld: int = 0,
        audience: int = 0,
    ) -> tuple[int, bool, int]:
        """Keep a message; one with the same `source` in the same chat is replaced, and stays withheld if it was.

        Args:
            withheld: The change by which it is told nobody; 0: none.
            audience: The group of readers whom it is for; 0: all who read the space.

        Returns:
            Its id, whether it is new, and who wrote it first, or whom the assistant answered.
        """
        # Nothing below an id that is in a block may come in later. Where PostgreSQL gives numbers out of turn, whoever
        # calls this has held the space by then: the next id in it is given when this one is committed.
        new_id = self._tx.next_id("message")
        rows = self._rows(
            "message_add",
            conversation_parameters(space, conversation)
            | {
                "id": new_id,
                "role": role,
                "person": person,
                "source": source,
                "text": text,
                "at": micros(at),
                "withheld": withheld,
                "audience": audience,
            },
        )
        # An edit changes the text alone: who wrote it, when and where stay as they were.
        number, thread, lineage, role, person, sent, withheld, audience = rows[0]
        Vectors(self._tx).delete(space, "message", number)  # of the text before an edit
        if not withheld:
            is_new = number == new_id
            self.follow_added(
                space, number, (conversation[0], thread, lineage), role, person, sent, text, is_new=is_new
            )
        return number, number == new_id, person

    def iterate(self, space: int, conversation: Conversation, after: int = 0) -> Iterator[SearchableMessage]:
        """The messages of a chat as ranking takes them, newest first; no more are read than are taken, or hardly.

        Args:
            after: Their ids are above it.
        """
        parameters = conversation_parameters(space, conversation) | {"limit": _READ, "after": after}
        rows: list[Row] = [(ABOVE_ALL,)]
        while rows:
            rows = self._rows("messages_of_chat", parameters | {"before": rows[-1][0]})
            yield from readable(_searchable, rows, "message")

    def list_for_block(
        self, space: int, conversation: Conversation, after: int, limit: int
    ) -> list[tuple[SearchableMessage, bool]]:
        """The oldest messages of a chat whose ids are above it, and whether each is withheld."""
        parameters = conversation_parameters(space, conversation) | {"after": after, "limit": limit}
        rows = self._rows("messages_for_block", parameters)
        return readable(lambda row: (_searchable(row[:-1]), bool(row[-1])), rows, "message")

    def get_many(self, space: int, ids: Iterable[int]) -> dict[int, Message]:
        """Those of the space's messages with these ids that there are and that are not withheld, by id."""
        wanted = list(ids)
        rows = self._rows("messages_get", {"owner": space, "ids": json.dumps(wanted)}) if wanted else []
        return {message.id: message for message in self._named(rows)}

    def list_found(self, scope: Scope, ids: Iterable[int]) -> list[tuple[Message, int]]:
        """Those of the messages with these ids that may be told in the scope, each with whose or for whom it is."""
        rows = self.rows_found(scope, ids)
        people = {row[0]: row[-1] for row in rows}
        return [(message, people[message.id]) for message in self._named(rows)]

    def rows_found(self, scope: Scope, ids: Iterable[int]) -> list[Row]:
        """The same as rows, with no names."""
        parameters: dict[str, Value] = {"owner": scope.owner, "ids": json.dumps(list(ids))}
        return self._rows("messages_found", parameters | {"audiences": audiences_of(scope)})

    def _named(self, rows: Iterable[Row]) -> list[Message]:
        return readable(partial(from_row, Message), Owners(self._tx).with_names(rows, 2), "message")

    def get_text(self, space: int, message: int) -> str | None:
        """A message's text; None when it is not there, or withheld."""
        return self._value("message_text", {"owner": space, "id": message})

    def list_recent(
        self, scope: Scope, conversation: Conversation, limit: int, *, before: int = ABOVE_ALL
    ) -> list[Message]:
        """The conversation's last messages that may be told in the space's scope, oldest first.

        Args:
            before: Their ids are below it.
        """
        parameters = _parameters(scope, conversation) | {"limit": limit, "before": before}
        rows = self._rows("messages_recent", parameters)
        return self._named(reversed(rows))

    def recent_authors(self, scope: Scope, conversation: Conversation, limit: int) -> list[tuple[int, int, Role]]:
        """Id, person and role of each of these messages, oldest first; of an answer, whom it was given to."""
        rows = self._rows("messages_last", _parameters(scope, conversation) | {"limit": limit})
        return [(id_, person, role) for id_, person, role in reversed(rows)]

    def authors(self, space: int, ids: Iterable[int]) -> dict[int, tuple[int, Role]]:
        """Person and role of those of the space's messages with these ids that there are, by id."""
        wanted = list(ids)
        rows = self._rows("message_people", {"owner": space, "ids": json.dumps(wanted)}) if wanted else []
        return {id_: (person, role) for id_, person, role in rows}

    def list_with_person(self, space: int, person: int, limit: int, *, before: int = ABOVE_ALL) -> list[PersonsMessage]:
        """The newest messages of the space that the person wrote or was answered, withheld ones too.

        Args:
            before: Their ids are below it.
        """
        parameters = {"owner": space, "person": person, "limit": limit, "before": before}
        return self._all(PersonsMessage, "messages_of_person", parameters)

    def list_answers_to_others(
        self, space: int, person: int, limit: int, *, before: int = ABOVE_ALL
    ) -> list[PersonsMessage]:
        """The newest answers of the assistant in the space to others than the person, withheld ones too."""
        parameters = {"owner": space, "person": person, "limit": limit, "before": before}
        return self._all(PersonsMessage, "answers_to_others", parameters)

    def list_of_others(self, space: int, person: int, limit: int, *, before: int = ABOVE_ALL) -> list[OthersMessage]:
        """The newest messages of the space that the person did not write, withheld ones and answers to them too."""
        parameters = {"owner": space, "person": person, "limit": limit, "before": before}
        return self._all(OthersMessage, "messages_of_others", parameters)

    def list_quoting(self, space: int, person: int, limit: int = ABOVE_ALL) -> list[OthersMessage]:
        """Others' messages in the space that quote the person, or what is told of them, newest first; withheld too."""
        return self._all(OthersMessage, "messages_quoting", {"owner": space, "person": person, "limit": limit})

    def copy_subjects(self, space: int, former: int, message: int) -> None:
        """Let a message be about those, too, whom another one is about, which it quotes."""
        self._rows("subjects_copy", {"owner": space, "former": former, "id": message})

    def delete_subjects(self, space: int, message: int) -> None:
        """Let a message be about nobody, and repeat nobody's words."""
        self._rows("subjects_remove", {"owner": space, "kind": "message", "id": message, "role": ""})

    def rewrite(self, space: int, message: int, text: str) -> None:
        """Give a message another text, with all that follows its row."""
        for chat, thread, lineage, role, person, at, withheld in self._rows(
            "message_rewrite", {"owner": space, "id": message, "text": text}
        ):
            Vectors(self._tx).delete(space, "message", message)
            if not withheld:
                self.follow_added(space, message, (chat, thread, lineage), role, person, at, text, is_new=False)

    def withhold(self, space: int, message: int, change: int) -> bool:
        """Let nobody be told a message until this change is taken back; False when nobody was anyway."""
        rows = self._out_of_sight(space, "message_withhold", {"id": message, "change": change})
        self._follow_untold(space, rows)
        return bool(rows)

    def list_withheld(self, space: int, change: int) -> list[WithheldMessage]:
        """The space's messages that a change withholds."""
        return self._all(WithheldMessage, "messages_withheld", {"owner": space, "change": change})

    def withholding(self, space: int, message: int) -> int:
        """The change that withholds a message; 0: none, or it is not there."""
        return self._value("message_withholding", {"owner": space, "id": message}) or 0

    def release(self, space: int, messages: Iterable[int], change: int, others: Mapping[int, int]) -> None:
        """Tell messages with these ids again, as far as the change withholds them.

        Args:
            others: Those that another change withholds as well, with that change: they stay withheld, by this one.
        """
        for message in messages:
            row = {"owner": space, "id": message, "change": change, "other": others.get(message, 0)}
            for chat, thread, lineage, role, person, at, text in self._rows("message_lift", row):
                if message not in others:
                    conversation = chat, thread, lineage
                    self.follow_added(space, message, conversation, role, person, at, text, is_new=False)

    def set_audience(self, space: int, chat: str, former: int, audience: int) -> bool:
        """Give the chat's messages of one group of readers to another; False where there are none.

        The caller renews the revisions of the space.
        """
        parameters: dict[str, Value] = {"owner": space, "chat": chat, "former": former, "audience": audience}
        return bool(self._rows("message_readers", parameters))

    def chats(self, space: int, ids: Iterable[int]) -> dict[int, str]:
        """The chats of those of the space's messages with these ids that there are, by id."""
        wanted = list(ids)
        rows = self._rows("message_chats", {"owner": space, "ids": json.dumps(wanted)}) if wanted else []
        return {row[0]: row[1] for row in rows}

    def name(self, space: int, message: int) -> tuple[str, str] | None:
        """A message's chat and the platform's id of it there; None where that is not known."""
        return next(((row[0], row[1]) for row in self._rows("message_name", {"owner": space, "id": message})), None)

    def before(self, space: int, ids: Iterable[int]) -> dict[int, int]:
        """Of each of these messages the one before it in its chat and thread, both by id; 0: it is the first there."""
        return dict(self._rows("messages_before", {"owner": space, "ids": json.dumps(list(ids))}))

    def audiences(self, space: int, ids: Iterable[int]) -> dict[int, int]:
        """The groups of readers of those of the space's messages with these ids that are not for all of it, by id."""
        return dict(self._rows("message_audiences", {"owner": space, "ids": json.dumps(list(ids))}))

    def add_given(self, space: int, answer: int, memory: int) -> None:
        """Note that an answer was given a memory."""
        self._rows("given_add", {"owner": space, "message": answer, "memory": memory})

    def add_subject(self, space: int, message: int, person: int, role: SubjectRole = "about") -> None:
        """Note that a message is about a person; nobody is told it where they do not want to be remembered.

        Args:
            role: `said`: it repeats what they said; nobody is told it where they are invisible to memory.
        """
        row: dict[str, Value] = {"owner": space, "person": person, "kind": "message", "id": message, "role": role}
        Members(self._tx).add_subject(row)
        if Privacy(self._tx).get(person) > (PrivacyLevel.MINIMAL if role == "about" else PrivacyLevel.PARTIAL):
            self._follow_hidden(space, message)

    def list_given(self, space: int) -> list[tuple[int, int]]:
        """Each of the space's answers with a memory that it was given."""
        return [(message, memory) for message, memory in self._rows("given_all", {"owner": space})]

    def delete_given(self, space: int, memories: Iterable[int]) -> None:
        """Let no answer of the space be known as given these memories."""
        for memory in memories:
            self._rows("given_forget", {"owner": space, "memory": memory})

    def list_about(self, space: int, person: int, role: SubjectRole = "about") -> list[int]:
        """The ids of the space's answers that repeat what is remembered of a person, or what they said of others."""
        row = {"owner": space, "person": person, "kind": "message", "role": role}
        return self._column("subject_rows", row)

    def answers_given(self, space: int, memory: int) -> list[int]:
        """The ids of the space's answers that were given a memory."""
        return self._column("answers_given", {"owner": space, "memory": memory})

    def keep(self, space: int, message: int, until: datetime) -> None:
        """Keep the message at least until then."""
        self._rows("message_keep", {"owner": space, "id": message, "keep_until": micros(until)})

    def delete(self, space: int, message: int) -> bool:
        """Remove a message, also from the queue of those to look at; False when it is not there."""
        return self.delete_many(space, [message])

    def delete_many(self, space: int, ids: Iterable[int]) -> bool:
        """Remove messages of the space for good; False when none was there."""
        rows = [row for message in ids for row in self._out_of_sight(space, "message_remove", {"id": message})]
        self.follow_removed(space, rows)
        return bool(rows)

    def _out_of_sight(self, space: int, query: str, parameters: Mapping[str, Value]) -> list[Row]:
        """Withhold or remove messages, also from the queue of those to look at; returns their ids and conversations."""
        rows = self._rows(query, {"owner": space, **parameters})
        for message, *_ in rows:
            self._rows("observation_remove", {"owner": space, "id": message, "text": ""})
        return rows

    def spaces_with_older(self, before: datetime) -> list[int]:
        """The spaces that have a message from before then that nothing keeps."""
        return self._column("spaces_with_old_messages", {"before": micros(before), "now": micros(self._tx.now)})

    def expire(self, space: int, before: datetime, limit: int) -> tuple[int, int]:
        """Remove the texts of at most `limit` messages from before then that nothing keeps. Asks everywhere.

        Of a person's message from which something is remembered, the rest of the row stays as long as that is so: the
        platform's id of it tells what goes with the message.

        Returns:
            How many it looked at, and how many of them had a text.
        """
        parameters = {"owner": space, "before": micros(before), "now": micros(self._tx.now), "limit": limit}
        rows = self._rows("messages_past", parameters)
        named = [row[0] for row in rows if row[5]]
        remembered = {*self._column("messages_remembered", {"space": space, "ids": json.dumps(named)})}
        for id_, *_ in rows:
            row: dict[str, Value] = {"owner": space, "id": id_}
            if id_ in remembered:
                self._rows("message_expire", row | {"keep_until": micros(self._tx.now + _ASKED_AGAIN)})
            else:
                self._rows("message_remove", row)
        self.follow_removed(space, [row[:4] for row in rows if not row[4] or row[0] not in remembered])
        return len(rows), sum(not row[4] for row in rows)

    def follow_added(
        self,
        space: int,
        message: int,
        conversation: Conversation,
        role: Role,
        person: int,
        at: int,
        text: str,
        *,
        is_new: bool,
    ) -> None:
        """Let what follows a message's row follow a changed one, or one that is told again.

        Args:
            is_new: Its id is above those of all others.
        """
        Vectors(self._tx).enqueue(space, "message", message)
        person = person if role == "user" else 0
        if not is_new:
            Blocks(self._tx).put(space, conversation, message, person, at, text)
        added = SearchableMessage(message, person, at, text)
        self._tx.changed(space, "message", MessageChange(message, conversation, added))

    def follow_removed(self, space: int, rows: Sequence[Row]) -> None:
        """Let everything go that belongs to the rows of messages: id and conversation of each."""
        for message, *_ in rows:
            self._rows("given_remove", {"owner": space, "message": message})
            self._rows("unquoted_remove", {"owner": space, "id": message})
            self.delete_subjects(space, message)
        self._follow_untold(space, rows)

    def _follow_untold(self, space: int, rows: Sequence[Row]) -> None:
        """Let their vectors and their places in indexes go; a withheld message may come back."""
        Blocks(self._tx).remove(space, [(row[0], (row[1], row[2], row[3])) for row in rows])
        for message, *_ in rows:
            self._follow_hidden(space, message)

    def _follow_hidden(self, space: int, message: int) -> None:
        """Let its vector go, and its place in the indexes in memory."""
        Vectors(self._tx).delete(space, "message", message)
        self._tx.changed(space, "message", MessageChange(message, None, None))

    def find_said(self, space: int, turn: Turn) -> SaidMessage | None:
        """The person's message that the turn names, withheld or not; None where it names none, or an unknown one.

        One that is known by its former id is the same only if the same persona read it, and if it was written at the
        same time, where the turn has one; without it, another account's may have the number.
        """
        if turn.message is None:
            return None
        row: dict[str, Value] = {"owner": space, "chat": turn.chat, "source": turn.message}
        since, until = (-END_OF_TIME, END_OF_TIME) if turn.time is None else (micros(turn.time), micros(turn.time))
        is_ambiguous = turn.time is None and is_of_account(turn.message)
        former = turn.message if is_ambiguous else former_id(turn.message)
        row |= {"former": former, "lineage": turn.persona, "since": since, "until": until}
        said = self._all(SaidMessage, "message_by_source", row)
        return said[0] if said else None

    def find_same(self, line: MessageLine) -> list[int]:
        """The ids of messages that are this one: by the platform's id, or else by all that is known of it."""
        row = row_of(line)
        query = "messages_alike" if line.source is None else "message_with_source"
        return self._column(query, row)


def _parameters(scope: Scope, conversation: Conversation) -> dict[str, Value]:
    return conversation_parameters(scope.owner, conversation) | {"audiences": audiences_of(scope)}


class Observations(Topic):
    """The queue of messages that are still to be looked at."""

    def enqueue(self, queued: QueuedMessage) -> None:
        """Keep a message until it has been looked at; an edited one is queued once."""
        self._rows(
            "observation_put",
            {
                "owner": queued.space,
                "id": queued.message,
                "turn": turn_json(queued.turn),
                "text": queued.text,
                "noted_at": micros(queued.at),
            },
        )

    def is_queued(self, space: int, message: int, text: str) -> bool:
        """Whether a message with this text waits to be looked at."""
        return bool(self._rows("observation_get", {"owner": space, "id": message, "text": text}))

    def dequeue(self, space: int, message: int, text: str) -> bool:
        """Take it out; False when it was not there with this text: another process looked at it, or it was edited."""
        return bool(self._rows("observation_remove", {"owner": space, "id": message, "text": text}))

    def spaces_with_person(self, person: int) -> Sequence[int]:
        """The spaces where messages of a person wait to be looked at. Asks everywhere."""
        return self._column("spaces_with_observations", {"person": person})

    def delete_of_person(self, space: int, person: int, *, until: datetime | None = None) -> None:
        """Have a person's messages in the space that wait to be looked at never looked at.

        Args:
            until: Those that were put in line by then. None: all.
        """
        latest = END_OF_TIME if until is None else micros(until)
        self._rows("erase_observations", {"owner": space, "person": person, "until": latest})

    def list(self) -> Sequence[QueuedMessage]:
        """Everything that waits to be looked at, in order of message id."""
        return self._all(QueuedMessage, "observations", {})

    def list_near_due(self, silence: timedelta, patience: timedelta, many: int) -> Sequence[QueuedMessage]:
        """What waits to be looked at in the spaces where some of it may be due, in order of message id.

        Args:
            silence: For how long a message of an automated chat waits, unless so many wait in its space.
            patience: For how long another one does.
            many: So many.
        """
        now, silent = micros(self._tx.now), micros(self._tx.now - silence)
        waited = {"now": now, "silent": silent, "patience": micros(self._tx.now - patience)}
        spaces = self._column("spaces_with_due_observations", waited)
        spaces += self._column("spaces_with_many_observations", {"silent": silent, "many": many})
        queued = [row for space in set(spaces) for row in self._all(QueuedMessage, "observations_of", {"owner": space})]
        return sorted(queued, key=lambda message: message.message)
