"""What a tool answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, cast

_IDS = frozenset({"memory_id", "fact_id", "episode_id", "relation_id"})
_TIMES = frozenset(
    {"valid_from", "valid_to", "created_at", "updated_at", "said_at", "at", "until", "since", "expires_at"}
)


class ToolResult(Mapping[str, Any]):
    """A JSON object with a `status`; `result.json()` is what the model gets."""

    __slots__ = ("_fields", "ranked")

    def __init__(self, status: str, message: str | None = None, /, **fields: Any) -> None:
        self._fields: dict[str, Any] = {"status": status}
        if message is not None:
            self._fields["message"] = message
        self._fields |= fields
        self.ranked: tuple[int, ...] = ()

    def page(self, ids: Iterable[int], *, goes_on: bool) -> ToolResult:
        """The same, as a page of a longer list: these are the ids of its rows, the best first.

        Args:
            goes_on: Whether more follow; then the answer says `after` which id.
        """
        self.ranked = tuple(ids)
        if goes_on and self.ranked:
            self._fields["after"] = self.ranked[-1]
        return self

    @property
    def status(self) -> str:
        """What became of the call: `success`, `not_found`, `invalid_args`, …"""
        return self._fields["status"]

    @property
    def message(self) -> str | None:
        """A sentence for the model or the person; None when there is nothing to say."""
        return self._fields.get("message")

    def json(self) -> str:
        """One line of JSON, text as it is (not escaped to ASCII)."""
        return json.dumps(self._fields, ensure_ascii=False)

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"ToolResult({self.json()})"


def as_result(fields: Mapping[str, Any]) -> ToolResult:
    """An answer that was kept as a plain mapping."""
    details = {name: value for name, value in fields.items() if name not in ("status", "message")}
    return ToolResult(fields["status"], fields.get("message"), **details)


def shown_in(zone: tzinfo, answer: ToolResult) -> ToolResult:
    """The same answer with its times in a zone."""
    if zone is UTC:
        return answer
    fields = {name: _in_zone(zone, name, value) for name, value in answer.items() if name not in ("status", "message")}
    translated = ToolResult(answer.status, answer.message, **fields)
    translated.ranked = answer.ranked
    return translated


def _in_zone(zone: tzinfo, name: str, value: Any) -> Any:
    match value:
        case dict():
            fields = cast("dict[str, Any]", value)
            return {field: _in_zone(zone, field, element) for field, element in fields.items()}
        case list():
            return [_in_zone(zone, name, element) for element in cast("list[Any]", value)]
        case str() if name in _TIMES:
            try:
                return datetime.fromisoformat(value).astimezone(zone).isoformat()
            except (ValueError, OverflowError):
                return value
        case _:
            return value


def row_id(row: Mapping[str, Any]) -> int:
    """The id of the memory that a row shows; 0 where it shows none."""
    return next((value for name, value in row.items() if name in _IDS), 0)


def memory_ids(answer: object) -> Iterator[int]:
    """The ids of all memories that a tool's answer names, in order; what a model was given for its own answer."""
    match answer:
        case Mapping():
            for name, value in cast("Mapping[str, object]", answer).items():
                if name in _IDS and type(value) is int:
                    yield value
                elif name == "memories" and isinstance(value, list):
                    for item in cast("list[object]", value):
                        yield from [item] if type(item) is int else memory_ids(item)
                else:
                    yield from memory_ids(value)
        case list() | tuple():
            for item in cast("list[object]", answer):
                yield from memory_ids(item)
        case _:
            pass
