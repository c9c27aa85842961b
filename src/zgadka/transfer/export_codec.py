"""One line of an export: from a value to JSON and back, by the types of the value's fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, fields
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast, get_type_hints

from zgadka.errors import InvalidInput
from zgadka.model.check import Check, an_object, checker, choice, refusal, shown, text, truth
from zgadka.model.export_records import KINDS, EventLine, Line, MemberLine
from zgadka.model.inference import AskedItem, Inferred
from zgadka.model.memory import Owner, StoredMemory
from zgadka.stores.tx.export_tables import CARRIED
from zgadka.text.sanitize import unstorable

HIGHEST_ID = 2**52
"""The highest id that a file may name; above it as many are left for what comes later."""

_HIGHEST = 2**53 - 1
_FROM_ONE = frozenset(
    {"id", "owner", "person", "message", "number", "change", "people", "messages", "version", "evidence"}
    | {"follows", "merged_into"}
)
_IDS = (_FROM_ONE - {"version", "evidence"}) | {"space", "memory", "audience", "withheld"}

_FIRST = {"thread": ""}
"""What comes first of a column in the order of lines, where it is not 0."""

_NAMES = {kind: name for name, kind in KINDS.items()}


def kind_of(line: Line) -> str:
    """The kind by which a line is called."""
    return line.kind if isinstance(line, Owner) else _NAMES[type(line)]


def place_of(line: Line) -> tuple[Any, ...]:
    """What the lines of a kind are ordered by: the key of their rows."""
    table = CARRIED.get(type(line))
    names = ("owner", "id") if table is None else tuple(table.key)
    return tuple(_FIRST.get(name, 0) if (value := getattr(line, name)) is None else value for name in names)


def encode(line: Line) -> dict[str, Any]:
    """The line as a JSON object; what is None, a list without items, and 0 where that is the default, is left out."""
    return {"kind": kind_of(line)} | _fields(line, without=("kind",) if isinstance(line, Owner) else ())


def decode(fields: Mapping[str, Any]) -> Line:
    """The line that `encode` wrote, with every field checked by itself.

    Raises:
        InvalidInput: A field is missing, unknown or not of its kind.
    """
    name = choice("kind", fields.get("kind"), tuple(KINDS))
    kind = KINDS[name]
    field_values = {field: value for field, value in fields.items() if field != "kind"}
    return _made(kind, field_values, {"kind": name} if kind is Owner else {})


def _fields(value: object, without: tuple[str, ...] = ()) -> dict[str, Any]:
    encoded: dict[str, Any] = {}
    for field in fields(cast("Any", value)):
        content = _encoded(getattr(value, field.name))
        if field.name not in without and content not in (None, []) and not (content == 0 and _may_lack(field)):
            encoded[_written(type(value), field.name)] = content
    return encoded


def _may_lack(field: Field[Any]) -> bool:
    """Whether 0 of a field is left out."""
    return type(field.default) is int and field.default == 0


def _written(kind: type, name: str) -> str:
    """A field's name in JSON, where `kind` is the line's."""
    if name != "kind":
        return name
    return "member_kind" if kind is MemberLine else "memory_kind"


def _encoded(value: object) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case bytes():
            return value.hex()
        case tuple():
            return [_encoded(element) for element in cast("tuple[Any, ...]", value)]
        case AskedItem() | Inferred():
            return _fields(value)
        case StoredMemory():
            return _fields(value, without=("owner", "id"))
        case _:
            return value


def _made(kind: type, field_values: Mapping[str, Any], constants: Mapping[str, Any]) -> Any:
    checks = {written: check for written, check in _checks(kind).items() if check[0] not in constants}
    if unknown := field_values.keys() - checks.keys():
        raise InvalidInput(f"there is no field {', '.join(map(shown, sorted(unknown)))} in this version of the format")
    lacking = {_written(kind, field.name): 0 for field in fields(kind) if _may_lack(field)}
    complete = {**lacking, **field_values}
    values = {name: check(written, complete.get(written)) for written, (name, check) in checks.items()}
    if kind is EventLine:
        values["before"] = _before(values)
    return kind(**constants, **values)


def _before(event: Mapping[str, Any]) -> StoredMemory | None:
    if event["before"] is None:
        return None
    try:
        return _made(StoredMemory, event["before"], {"owner": event["owner"], "id": event["memory"]})
    except InvalidInput as error:
        raise InvalidInput(f"before: {error}") from error


@cache
def _checks(kind: type) -> dict[str, tuple[str, Check]]:
    """For each field as it is written: its name, and its check."""
    hints = get_type_hints(kind)
    return {_written(kind, field.name): (field.name, checker(hints[field.name], _RULES)) for field in fields(kind)}


def _text(name: str, value: object) -> str:
    if why := unstorable(text(name, value)):
        raise InvalidInput(f"{name}: {why}")
    return cast("str", value)


def _number(name: str, value: object) -> int:
    lowest, highest = int(name in _FROM_ONE), HIGHEST_ID if name in _IDS else _HIGHEST
    if type(value) is not int or not lowest <= value <= highest:
        raise refusal(name, f"a whole number from {lowest} to {highest}", value)
    return value


def _share(name: str, value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise refusal(name, "a number from 0 to 1", value)
    return float(value)


def _time(name: str, value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(name, value))
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise refusal(name, "a time with its zone such as 2026-11-21T12:00:00+00:00", value)


def _hash(name: str, value: object) -> bytes:
    try:
        return bytes.fromhex(_text(name, value))
    except ValueError as error:
        raise refusal(name, "hexadecimal", value) from error


def _object(name: str, value: object) -> dict[str, Any]:
    _text(name, json.dumps(an_object(name, value), ensure_ascii=False))
    return cast("dict[str, Any]", value)


_RULES: dict[Any, Check] = {
    str: _text,
    int: _number,
    float: _share,
    bool: truth,
    datetime: _time,
    bytes: _hash,
    Mapping: _object,
    StoredMemory: _object,
    AskedItem: lambda name, value: _made(AskedItem, _object(name, value), {}),
    Inferred: lambda name, value: _made(Inferred, _object(name, value), {}),
}
