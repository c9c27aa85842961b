"""Between rows and values."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache, partial
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from zgadka.breathing import breathing
from zgadka.log import logger
from zgadka.model.inference import AskedItem, Inferred
from zgadka.model.memory import KINDS, Owner, Scope, StoredMemory
from zgadka.model.memory_meta import Heading
from zgadka.model.people import Member
from zgadka.model.timestamps import micros, micros_or_none, moment
from zgadka.model.turn import Conversation, Turn, person_number
from zgadka.stores.sql import MEMORY_COLUMNS

T = TypeVar("T")

Value = str | int | float | bytes | None
Row = tuple[Any, ...]

DAMAGED = (ValueError, TypeError, KeyError, OverflowError, AttributeError)
"""What reading a row raises that holds no value: no JSON, no time, no such kind."""

DAMAGED_NAME = "damaged"
"""The platform of an owner whose row cannot be read."""

_log = logger("zgadka.stores")
_left_out: set[str] = set()
_MOST_LEFT_OUT = 1000
_MEMORY_ID = MEMORY_COLUMNS.index("id")
_ALWAYS = frozenset({"space", "lineage", "content", "canonical", "evidence", "version", "said_by"})
"""What each memory in the audit trail has."""


def leave_out(row_name: str) -> None:
    """Log, once in a process, that a row was left out since it cannot be read.

    Args:
        row_name: Its table and the numbers of its key, never a text.
    """
    if row_name not in _left_out and len(_left_out) < _MOST_LEFT_OUT:
        _left_out.add(row_name)
        _log.warning("a damaged row is left out: %s; see `zgadka doctor`", row_name)


def readable(read: Callable[[Row], T], rows: Iterable[Row], place: str, key: int = 0) -> list[T]:
    """The values of rows; one that cannot be read is left out, and costs no other.

    Args:
        place: Where the rows are from, for the log.
        key: Which column has the number by which people call such a row.
    """
    rows = list(rows)
    if not rows:  # what is new is looked for in vain
        return []
    try:
        return [read(row) for row in breathing(rows)]
    except DAMAGED:
        values: list[T] = []
        for row in rows:
            try:
                values.append(read(row))
            except DAMAGED:
                leave_out(f"{place} {row[key]}" if isinstance(row[key], int) else f"one of {place}")
        return values


def memories_of(rows: Iterable[Row]) -> list[StoredMemory]:
    """The memories that rows hold; one that cannot be read is left out."""
    return readable(memory_of, rows, "memory", _MEMORY_ID)


def scope_parameters(scope: Scope) -> dict[str, Value]:
    """The scope as parameters of a query."""
    shared, lineage = scope.lineages
    return {
        "owner": scope.owner,
        "space": scope.space,
        "lineage": lineage,
        "shared": shared,
        "audiences": audiences_of(scope),
    }


def audiences_of(scope: Scope) -> str:
    """The groups of readers whose rows may be told in the scope, each between spaces; `*`: all."""
    return "*" if scope.audiences is None else " " + "".join(f"{audience} " for audience in scope.audiences)


def conversation_parameters(owner: int, conversation: Conversation) -> dict[str, Value]:
    """A conversation in a space as parameters of a query."""
    chat, thread, lineage = conversation
    return {"owner": owner, "chat": chat, "thread": thread, "lineage": lineage}


def from_row(kind: type[T], row: Row) -> T:
    """The value that a row holds, whose first columns are the fields of its class, in order."""
    if bytes in map(type, row) and not _has_bytes(kind):
        raise TypeError("a text is none")
    columns = zip(_readers(kind), row, strict=False)
    return kind(**{name: value if value is None or read is None else read(value) for (name, read), value in columns})


@cache
def _has_bytes(kind: type) -> bool:
    return any(bytes in (hint, *get_args(hint)) for hint in get_type_hints(kind).values())


@cache
def _readers(kind: type) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
    """Each field of the class, and what makes its value of a column's; None: nothing has to."""
    return tuple((name, _reader((hint, *get_args(hint)))) for name, hint in get_type_hints(kind).items())


def _reader(hints: Sequence[Any]) -> Callable[[Any], Any] | None:
    literal = next((hint for hint in hints if get_origin(hint) is Literal), None)
    if literal is not None:
        return partial(_checked, frozenset(get_args(literal)))
    return next((read for type_, read in _READERS.items() if type_ in hints), None)


def _checked(values: frozenset[Any], value: Any) -> Any:
    if value not in values:
        raise ValueError("no such value")
    return value


def _asked_items(text: str) -> tuple[AskedItem, ...]:
    return tuple(AskedItem(item=Inferred(**asked["item"]), state=asked["state"]) for asked in json.loads(text))


_READERS: Mapping[Any, Callable[[Any], Any]] = {
    datetime: moment,
    bool: bool,
    Turn: lambda text: Turn.from_json(json.loads(text)),
    Mapping[str, Any]: json.loads,
    tuple[AskedItem, ...]: _asked_items,
    tuple[str, ...]: lambda text: tuple(json.loads(text)),
    tuple[int, ...]: lambda text: tuple(json.loads(text)),
}


def to_row(value: object) -> dict[str, Value]:
    """The value's fields as parameters of a query."""
    row = dict(vars(value))
    for name, write in _writers(type(value)):
        if row[name] is not None:
            row[name] = write(row[name])
    return row


@cache
def _writers(kind: type) -> tuple[tuple[str, Callable[[Any], Value]], ...]:
    """The fields of the class whose value is no column's, and what makes one of it."""
    return tuple(
        (name, write)
        for name, hint in get_type_hints(kind).items()
        for type_, write in _WRITERS.items()
        if type_ in _outer_types(hint)
    )


def _outer_types(hint: Any) -> set[Any]:
    return {get_origin(type_) or type_ for type_ in (hint, *get_args(hint))}


_json = json.JSONEncoder(ensure_ascii=False, default=asdict).encode
_compact_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def member_of(person: Owner, state: Row) -> Member:
    """The member that a row holds, but for whom it names."""
    return from_row(Member, (person.name, person_number(person.platform, person.name), *state))


def turn_json(turn: Turn) -> str:
    """The turn as JSON, for rows that outlive it."""
    return json.dumps(turn.as_json())  # what people wrote may not be storable as it is


def memory_of(row: Row) -> StoredMemory:
    """The memory that a row holds, whose first columns are `MEMORY_COLUMNS`."""
    # Past `__init__`, which sets a frozen value's fields one by one: a call that recalls 50 facts takes 15 % less CPU.
    memory = object.__new__(StoredMemory)
    fields = vars(memory)
    fields.update(zip(MEMORY_COLUMNS, row, strict=False))
    if fields["kind"] not in KINDS or not 0 <= fields["confidence"] <= 1 or bytes in map(type, row):
        raise ValueError("no memory")
    fields["tags"] = _tuple(fields["tags"])
    fields["permanent"] = fields["permanent"] != 0
    fields["archived"] = fields["archived"] != 0
    fields["created_at"] = moment(fields["created_at"])
    fields["updated_at"] = moment(fields["updated_at"])
    if fields["mutual"] is not None:
        fields["mutual"] = fields["mutual"] != 0
    if fields["valid_from"] is not None:
        fields["valid_from"] = moment(fields["valid_from"])
    if fields["valid_to"] is not None:
        fields["valid_to"] = moment(fields["valid_to"])
    if fields["said_at"] is not None:
        fields["said_at"] = moment(fields["said_at"])
    fields["people"] = _tuple(fields["people"])
    fields["messages"] = _tuple(fields["messages"])
    fields["audience"] = fields["audience"] or 0
    fields["withheld"] = fields["withheld"] or 0
    fields["closed"] = fields["closed"] or 0
    return memory


def heading_of(memory: StoredMemory) -> Heading:
    """The memory without its texts."""
    return Heading(
        id=memory.id,
        kind=memory.kind,
        space=memory.space,
        lineage=memory.lineage,
        type=memory.type,
        confidence=memory.confidence,
        created=micros(memory.created_at),
        updated=micros(memory.updated_at),
        permanent=int(memory.permanent),
        importance=memory.importance,
        since=micros_or_none(memory.valid_from),
        until=micros_or_none(memory.valid_to),
        tags_json=_json(memory.tags) if memory.tags else "[]",
        people_json=_json(memory.people) if memory.people else None,
        audience=memory.audience,
        evidence=memory.evidence,
    )


def _state(memory: StoredMemory) -> dict[str, Value]:
    state = to_row(memory)
    state["archived"] = memory.id if memory.archived else 0
    if not memory.people:
        state["people"] = None
    if not memory.messages:
        state["messages"] = None
    return state


def _tuple(text: str | None) -> tuple[Any, ...]:
    if text is None or text == "[]":
        return ()
    items = json.loads(text)
    if type(items) is not list:
        raise TypeError("no list")
    return tuple(cast("list[Any]", items))


def columns(memory: StoredMemory, slot: bytes, words: Sequence[str]) -> dict[str, Value]:
    """The memory as parameters of a query, with what is derived from it."""
    state = _state(memory)
    state["slot"], state["words"], state["word_count"] = slot, " ".join(words), len(words)
    return state


def dump(memory: StoredMemory) -> str:
    """The memory as JSON, for the audit trail."""
    state = {name: value for name, value in _state(memory).items() if value is not None}
    del state["owner"], state["id"]
    for name in ("audience", "withheld"):
        if not state[name]:
            del state[name]
    return _compact_json(state)


def load(owner: int, memory: int, text: str) -> StoredMemory:
    """The memory that `dump` wrote; what newer versions added is None.

    Raises:
        ValueError, TypeError, KeyError or OverflowError: It is damaged.
    """
    state = cast("dict[str, Any]", json.loads(text)) | {"owner": owner, "id": memory}
    if not state.keys() >= _ALWAYS:
        raise ValueError("no memory")
    return memory_of(tuple(state.get(column) for column in MEMORY_COLUMNS))


def load_or_none(owner: int, memory: int, text: str | None) -> StoredMemory | None:
    """The same; None where there is no text, or none that can be read."""
    if text is None:
        return None
    try:
        return load(owner, memory, text)
    except DAMAGED:
        leave_out(f"event of memory {memory}")
        return None


_WRITERS: Mapping[Any, Callable[[Any], Value]] = {
    bool: int,
    datetime: micros,
    Turn: turn_json,
    StoredMemory: dump,
    tuple: lambda items: _json(items) if items else "[]",
    Mapping: _json,
}
