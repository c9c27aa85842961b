"""What of a line of an export is longer than any door would have kept it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from zgadka.model.export_records import (
    AudienceLine,
    ConsentLine,
    EventLine,
    Line,
    MemberLine,
    MessageLine,
    ObservationLine,
    SaveQuestionLine,
)
from zgadka.model.inference import Inferred
from zgadka.model.limits import (
    LONGEST_DESCRIPTION,
    LONGEST_KEY,
    LONGEST_MESSAGE,
    LONGEST_NAME,
    LONGEST_QUOTES,
    LONGEST_REASON,
    LONGEST_SUMMARY,
    LONGEST_TOPIC,
    LONGEST_VALUE,
    LONGEST_WORD,
    MOST_TAGS,
)
from zgadka.model.memory import Kind, StoredMemory
from zgadka.model.turn import LONGEST_ID, MOST_READERS

T = TypeVar("T", bound=Line)

_CONTENT: Mapping[Kind, int] = {
    "fact": LONGEST_VALUE,
    "note": LONGEST_VALUE,
    "episode": LONGEST_SUMMARY,
    "relation": LONGEST_DESCRIPTION,
}
_PREFIX = 100
"""What stands before a name in a tag, and before a reason in the trail."""
_LONGEST_JSON = 2 * LONGEST_MESSAGE
"""Of a call or a turn that waits, with a message and its quotation marks."""
_MOST_ITEMS = 100


def without_too_long(line: T) -> tuple[T | None, str | None]:
    """The line without what is too long of what may be missing, and what that was; None: there is no line without it.

    A trail keeps its events, and a space its members, whose levels hold there.
    """
    match line:
        case StoredMemory():
            if (excess := _of_memory(line)) is not None:
                return None, excess
            return _without(line, "excerpt", LONGEST_QUOTES)
        case EventLine(before=StoredMemory() as before) if (excess := _of_memory(before)) is not None:
            return replace(line, before=None), f"before: {excess}"
        case EventLine():
            return _without(line, "reason", LONGEST_REASON + LONGEST_NAME + _PREFIX)
        case MemberLine():
            names = [_excess(name, getattr(line, name), LONGEST_ID) for name in ("name", "nickname", "role")]
            excess = next(filter(None, names), None)
            return (line if excess is None else replace(line, name=None, nickname=None, role=None)), excess
        case _:
            excess = _of_other(line)
            return (line if excess is None else None), excess


def _without(line: T, name: str, limit: int) -> tuple[T, str | None]:
    excess = _excess(name, getattr(line, name), limit)
    return (line if excess is None else replace(line, **{name: None})), excess


def _of_memory(memory: StoredMemory) -> str | None:
    return (
        _excess("content", memory.content, _CONTENT[memory.kind])
        or _excess("key", memory.key, LONGEST_KEY)
        or _excess("type", memory.type, LONGEST_WORD)
        or _excess("topic", memory.topic, LONGEST_TOPIC)
        or _too_many("tags", memory.tags, MOST_TAGS + 1)
        or next(filter(None, (_excess("tags", tag, LONGEST_NAME + _PREFIX) for tag in memory.tags)), None)
    )


def _of_other(line: Line) -> str | None:
    match line:
        case MessageLine() | ObservationLine():
            excess = _excess("text", line.text, LONGEST_MESSAGE)
        case SaveQuestionLine():
            items = (_of_item(question.item) for question in line.items)
            excess = _too_many("items", line.items, _MOST_ITEMS) or next(filter(None, items), None)
        case ConsentLine():
            excess = _excess("arguments", _written(line.arguments), _LONGEST_JSON)
        case AudienceLine():
            excess = _too_many("readers", line.readers, MOST_READERS)
        case _:
            excess = None
    if excess is None and isinstance(line, ConsentLine | SaveQuestionLine | ObservationLine):
        return _excess("turn", _written(line.turn), _LONGEST_JSON)
    return excess


def _of_item(item: Inferred) -> str | None:
    return (
        _excess("value", item.value, LONGEST_VALUE)
        or _excess("key", item.key, LONGEST_KEY)
        or _excess("excerpt", item.excerpt, LONGEST_VALUE)
    )


def _excess(name: str, text: str | None, limit: int) -> str | None:
    return None if text is None or len(text) <= limit else f"{name} has {len(text):,} characters, at most {limit:,}"


def _too_many(name: str, values: tuple[Any, ...], limit: int) -> str | None:
    return None if len(values) <= limit else f"{name} has {len(values):,} items, at most {limit:,}"


def _written(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
