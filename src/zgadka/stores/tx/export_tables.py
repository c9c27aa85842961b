"""Between rows and the lines of an export: which tables are carried from one store to another, and how."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

from zgadka.model.export_records import (
    AudienceLine,
    ConsentLine,
    EventLine,
    GivenLine,
    MemberLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
    SourceLine,
    SubjectLine,
)
from zgadka.model.memory import Owner, StoredMemory
from zgadka.stores.row_mapping import Row, Value, from_row, load, memory_of, to_row

T = TypeVar("T")

NOWHERE = -1
"""The space of a question that was asked where nothing was ever kept."""

_NONE = {"space": NOWHERE}
"""What some columns hold where the line has None."""


@dataclass(frozen=True)
class Table:
    """One table that is carried.

    Attributes:
        read: The query for its next rows, in order of the key.
        key: The primary key, with what is before its first value.
        add: The query for a new row; empty where a row needs more than its columns.
    """

    read: str
    key: Mapping[str, Value]
    add: str = ""


CARRIED: dict[type, Table] = {
    Owner: Table("export_owner", {"id": -1}),
    MemberLine: Table("export_member", {"owner": -1, "person": -1}, "member_put"),
    PrivacyLine: Table("export_privacy", {"owner": -1}, "privacy_put"),
    AudienceLine: Table("export_audience", {"owner": -1, "id": -1}, "audience_import"),
    MessageLine: Table("export_message", {"owner": -1, "id": -1}, "message_import"),
    StoredMemory: Table("export_memory", {"owner": -1, "id": -1}),
    EventLine: Table("export_event", {"owner": -1, "memory": -1, "number": -1}, "event_add"),
    SourceLine: Table("export_source", {"owner": -1, "memory": -1, "space": -1, "message": -1}, "source_add"),
    GivenLine: Table("export_given", {"owner": -1, "message": -1, "memory": -1}, "given_add"),
    SubjectLine: Table("export_subject", {"owner": -1, "person": -1, "id": -1}),
    QuestionLine: Table("export_deletion", {"owner": -1, "space": -2, "chat": "", "memory": -1}, "deletion_import"),
    ConsentLine: Table("export_consent", {"owner": -1, "id": -1}, "consent_import"),
    SaveQuestionLine: Table("export_saving", {"owner": -1, "id": ""}, "saving_import"),
    ObservationLine: Table("export_observation", {"owner": -1, "id": -1}, "observation_put"),
}

NOT_CARRIED = frozenset(
    {
        "memory_index",  # made from the memories
        "conversation",  # made from the messages, as the next two
        "block",
        "block_word",
        "past_person",  # made from the audit lines
        "tally",  # counted from the memories
        "sequence",  # the head of an export names the last ids
        "rate",  # calls of the running hour
        "revision",  # counts changes here
        "task",  # work of this store
        "outcome",  # of such work
        "mute",  # names people by their numbers here
        "unquoted",  # for stretches, which are not carried
        "chore",  # times of this store
        "embedder",  # what made the vectors
        "vector",  # made from the texts
        "unembedded",  # waits for what is made from the texts
        "token",  # lets people into this store
        "answer",  # to requests to this store
        "secret",  # of this store
        "wish",  # by a key of this store
        "forgotten",  # by the same key
        "activity",  # what was done in this store
        "rollout",  # when it began in this store
        "chat",  # its arm in this store
        "readership",  # reported anew by its host, as the next
        "title",
        "moved",  # names of this store's spaces
        "removal",  # of this store's bot
        "stretch",  # work of this store
        "damaged",  # nobody can read it
        "migration",  # belongs to the file
    }
)
"""The tables that an export leaves out."""


def line_of(kind: type[T], row: Row) -> T:
    """The line that a row holds, whose columns are the line's fields."""
    if kind is StoredMemory:
        return cast("T", memory_of(row))
    line = cast("Any", from_row(kind, row))
    for name, none in _NONE.items():
        if getattr(line, name, None) == none:
            line = replace(line, **{name: None})
    if getattr(line, "before", None) is not None:
        line = replace(line, before=load(line.owner, line.memory, line.before))
    return line


def row_of(line: object) -> dict[str, Value]:
    """The line as parameters of a query."""
    return {name: _NONE.get(name) if value is None else value for name, value in to_row(line).items()}


def key_of(kind: type, row: Row, table: Table) -> dict[str, Value]:
    """The primary key of a row, which nobody else may be able to read, by column."""
    values = {field.name: value for field, value in zip(fields(kind), row, strict=False)}
    return {name: values[name] for name in table.key}


def is_after(key: Iterable[Value], previous: Iterable[Value]) -> bool:
    """Whether a key is above another; where the table is damaged, reading on from a lower one would never end."""
    pairs = [pair for pair in zip(key, previous, strict=True) if pair[0] != pair[1]]
    if not pairs:
        return False
    higher, lower = pairs[0]
    if isinstance(higher, str) and isinstance(lower, str):
        return higher > lower
    return isinstance(higher, int) and isinstance(lower, int) and higher > lower
