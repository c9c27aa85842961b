"""Between rows and the lines of an export: which tables are carried from one store to another, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_type_hints

from zgadka.model.inference import AskedItem, Inferred
from zgadka.model.lines import (
    ConsentLine,
    EventLine,
    MemberLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
)
from zgadka.model.memory import Owner, StoredMemory
from zgadka.model.moments import micros, moment
from zgadka.stores.rows import Row, Value, dump, load, memory_of, owner_of

T = TypeVar("T")

NOWHERE = -1
"""The space of a question that was asked where nothing was ever kept."""


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
    MessageLine: Table("export_message", {"owner": -1, "id": -1}, "message_import"),
    StoredMemory: Table("export_memory", {"owner": -1, "id": -1}),
    EventLine: Table("export_event", {"owner": -1, "memory": -1, "number": -1}, "event_import"),
    QuestionLine: Table("export_pending", {"owner": -1, "space": -2, "chat": "", "memory": -1}, "pending_put"),
    ConsentLine: Table("export_consent", {"owner": -1, "id": -1}, "consent_add"),
    SaveQuestionLine: Table("export_question", {"owner": -1, "id": ""}, "question_put"),
    ObservationLine: Table("export_observation", {"owner": -1, "id": -1}, "observation_put"),
}

NOT_CARRIED = frozenset(
    {
        "memory_index",  # made from the memories
        "tally",  # counted from the memories
        "participant",  # made from the memories' people
        "episode_message",  # made from the memories' messages
        "sequence",  # the head of an export names the last ids
        "rate",  # calls of the running hour
        "revision",  # counts changes here
        "task",  # work of this store
        "outcome",  # of such work
        "unquoted",  # for stretches, which are not carried
        "chore",  # times of this store
        "embedder",  # what made the vectors
        "vector",  # made from the texts
        "unembedded",  # waits for what is made from the texts
        "token",  # lets people into this store
        "answer",  # to requests to this store
        "secret",  # of this store
        "activity",  # what was done in this store
        "rollout",  # when it began in this store
        "chat",  # its arm in this store
        "stretch",  # work of this store
        "migration",  # belongs to the file
    }
)
"""The tables that an export leaves out."""


def from_row(kind: type[T], row: Row) -> T:
    """The line that a row holds, whose columns are the line's fields."""
    if kind is StoredMemory:
        return cast("T", memory_of(row))
    if kind is Owner:
        return cast("T", owner_of(row))
    hints = _hints(kind)
    given: dict[str, Any] = dict(zip(hints, row, strict=True))
    for name, hint in hints.items():
        given[name] = _from_column(hint, given, name)
    return kind(**given)


def to_row(line: object) -> dict[str, Value]:
    """The line as parameters of a query."""
    return {field.name: _to_column(field.name, getattr(line, field.name)) for field in fields(cast("Any", line))}


def key_of(line: object, table: Table) -> dict[str, Value]:
    """The line's primary key, by column."""
    return {name: _to_column(name, getattr(line, name)) for name in table.key}


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _from_column(hint: Any, given: dict[str, Any], name: str) -> Any:
    value = given[name]
    kinds = {hint, *get_args(hint)}
    if name == "space":
        return None if value == NOWHERE else value
    if value is None:
        return None
    if datetime in kinds:
        return moment(value)
    if StoredMemory in kinds:
        return load(given["owner"], given["memory"], value)
    if tuple[AskedItem, ...] in kinds:
        return tuple(AskedItem(item=Inferred(**one["item"]), state=one["state"]) for one in json.loads(value))
    return json.loads(value) if Mapping[str, Any] in kinds else value


def _to_column(name: str, value: Any) -> Value:
    match value:
        case datetime():
            return micros(value)
        case StoredMemory():
            return dump(value)
        case tuple():
            return json.dumps([asdict(one) for one in cast("tuple[Any, ...]", value)], ensure_ascii=False)
        case Mapping():
            return json.dumps(value, ensure_ascii=False)
        case None if name == "space":
            return NOWHERE
        case _:
            return value
