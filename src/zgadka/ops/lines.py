"""One line of an export: from a value to JSON and back, by the types of the value's fields."""

from __future__ import annotations

import json
import types
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache
from typing import Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from zgadka.errors import InvalidInput
from zgadka.model.inference import AskedItem, Inferred
from zgadka.model.lines import (
    AskedLine,
    ConsentLine,
    EventLine,
    Line,
    MemberLine,
    MentionLine,
    MessageLine,
    ObservationLine,
    PrivacyLine,
    QuestionLine,
    SaveQuestionLine,
)
from zgadka.model.memory import Owner, OwnerKind, StoredMemory
from zgadka.text.clean import unstorable

HIGHEST_ID = 2**52
"""The highest id that a file may name; above it as many are left for what comes later."""

_HIGHEST = 2**53 - 1
_SHOWN = 60
_IDS = frozenset({"id", "owner", "person", "space", "memory", "number", "change", "people", "messages"})
_FROM_ONE = frozenset({"id", "owner", "person", "number", "change", "people", "messages", "version", "evidence"})

KINDS: dict[str, type[Any]] = {
    **dict.fromkeys(get_args(OwnerKind), Owner),
    "member": MemberLine,
    "privacy": PrivacyLine,
    "message": MessageLine,
    "memory": StoredMemory,
    "mention": MentionLine,
    "event": EventLine,
    "question": QuestionLine,
    "consent": ConsentLine,
    "save_question": SaveQuestionLine,
    "observation": ObservationLine,
    "asked": AskedLine,
}
"""The kinds of lines, in the order in which they stand in a file."""

NAMES = {kind: name for name, kind in KINDS.items() if kind is not Owner}

Check = Callable[[str, Any], Any]


def encode(line: Line) -> dict[str, Any]:
    """The line as a JSON object; what is None, and a list without items, is left out."""
    kind = line.kind if isinstance(line, Owner) else NAMES[type(line)]
    return {"kind": kind} | _fields(line, without=("kind",) if isinstance(line, Owner) else ())


def decode(given: Mapping[str, Any]) -> Line:
    """The line that `encode` wrote, with every field checked by itself.

    Raises:
        InvalidInput: A field is missing, unknown or not of its kind.
    """
    name = given.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        raise InvalidInput(f"kind must be one of {', '.join(KINDS)}, not {_shown(name)}")
    kind = KINDS[name]
    rest = {field: value for field, value in given.items() if field != "kind"}
    return _made(kind, rest, {"kind": name} if kind is Owner else {})


def _fields(value: object, without: tuple[str, ...] = ()) -> dict[str, Any]:
    names = [field.name for field in fields(cast("Any", value)) if field.name not in without]
    found = {_written(type(value), name): _encoded(getattr(value, name)) for name in names}
    return {name: one for name, one in found.items() if one is not None and one != []}


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
            return [_encoded(one) for one in cast("tuple[Any, ...]", value)]
        case AskedItem() | Inferred():
            return _fields(value)
        case StoredMemory():
            return _fields(value, without=("owner", "id"))
        case _:
            return value


def _made(kind: type, given: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    checks = {written: check for written, check in _checks(kind).items() if check[0] not in known}
    if unknown := given.keys() - checks.keys():
        raise InvalidInput(f"there is no field {', '.join(map(_shown, sorted(unknown)))} in this version of the format")
    made = {name: check(written, given.get(written)) for written, (name, check) in checks.items()}
    if kind is EventLine:
        made["before"] = _before(made)
    return kind(**known, **made)


def _before(event: Mapping[str, Any]) -> StoredMemory | None:
    if event["before"] is None:
        return None
    try:
        return _made(StoredMemory, event["before"], {"owner": event["owner"], "id": event["memory"]})
    except InvalidInput as error:
        raise InvalidInput(f"before: {error}") from error


@cache
def _checks(kind: type) -> dict[str, tuple[str, Check]]:
    """For each field as it is written: its name, and how it is checked, by its type."""
    hints = get_type_hints(kind)
    return {_written(kind, field.name): (field.name, _check_of(hints[field.name])) for field in fields(kind)}


def _check_of(hint: Any) -> Check:
    if get_origin(hint) in (Union, types.UnionType):
        [one] = [part for part in get_args(hint) if part is not type(None)]
        check = _check_of(one)
        return lambda name, value: None if value is None else check(name, value)
    if get_origin(hint) is tuple:
        check = _check_of(get_args(hint)[0])
        return lambda name, value: () if value is None else _list(name, value, check)
    if get_origin(hint) is Literal:
        return lambda name, value: _one_of(name, value, get_args(hint))
    if hint in (AskedItem, Inferred):
        return lambda name, value: _made(hint, _object(name, value), {})
    return _SIMPLE[get_origin(hint) or hint]


def _list(name: str, value: object, check: Check) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise InvalidInput(f"{name} must be a list, not {_shown(value)}")
    return tuple(check(name, one) for one in cast("list[Any]", value))


def _one_of(name: str, value: object, known: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in known:
        raise InvalidInput(f"{name} must be one of {', '.join(known)}, not {_shown(value)}")
    return value


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{name} must be a text, not {_shown(value)}")
    if why := unstorable(value):
        raise InvalidInput(f"{name}: {why}")
    return value


def _number(name: str, value: object) -> int:
    least, most = int(name in _FROM_ONE), HIGHEST_ID if name in _IDS else _HIGHEST
    if type(value) is not int or not least <= value <= most:
        raise InvalidInput(f"{name} must be a whole number from {least} to {most}, not {_shown(value)}")
    return value


def _share(name: str, value: object) -> float:
    if type(value) not in (int, float) or not 0 <= cast("float", value) <= 1:
        raise InvalidInput(f"{name} must be a number from 0 to 1, not {_shown(value)}")
    return float(cast("float", value))


def _truth(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false, not {_shown(value)}")
    return value


def _time(name: str, value: object) -> datetime:
    try:
        moment = datetime.fromisoformat(_text(name, value))
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"{name} must be a time with its zone such as 2026-11-21T12:00:00+00:00, not {_shown(value)}")


def _hash(name: str, value: object) -> bytes:
    try:
        return bytes.fromhex(_text(name, value))
    except ValueError as error:
        raise InvalidInput(f"{name} must be hexadecimal, not {_shown(value)}") from error


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} must be an object, not {_shown(value)}")
    _text(name, json.dumps(value, ensure_ascii=False))
    return cast("dict[str, Any]", value)


_SIMPLE: dict[Any, Check] = {
    str: _text,
    int: _number,
    float: _share,
    bool: _truth,
    datetime: _time,
    bytes: _hash,
    Mapping: _object,
    StoredMemory: _object,
}


def _shown(value: object) -> str:
    """A given value, short and in plain ASCII."""
    text = ascii(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
