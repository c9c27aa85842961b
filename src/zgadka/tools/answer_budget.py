"""Let a tool's answer be no longer than the model that reads it should get: shorter texts, then fewer rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from zgadka.model.result import ToolResult, row_id
from zgadka.settings import Settings
from zgadka.text.token_estimate import HUNDREDTHS, weigh

LONGEST_TOKENS = 6000
"""Of an answer for which the model itself said how much it wants."""
_SAYS_HOW_MUCH = frozenset({"limit", "max_words"})
_ABOUT_DELETION = frozenset({"confirmation_required", "deleted", "cancelled"})
"""Statuses of answers that keep every row: the person decides about each, or did."""
_ALL_ROWS = frozenset({"results"})
_WHOLE = frozenset({"status", "message", "summary"})
_LENGTHS = (600, 300)
_SHORT_LENGTHS = (150, 80, 40)
_LEAST_SUMMARY = 200
_BETWEEN = weigh(", ")


def answer_budget(settings: Settings, arguments: Mapping[str, Any]) -> int | None:
    """How many tokens a model's call is answered with; None: any number."""
    if not settings.answer_tokens:
        return None
    is_said = any(arguments.get(name) is not None for name in _SAYS_HOW_MUCH)
    return max(settings.answer_tokens, LONGEST_TOKENS) if is_said else settings.answer_tokens


def within(result: ToolResult, tokens: int | None) -> ToolResult:
    """The answer within so many tokens, as far as its ids allow.

    Long texts lose their end, then lists their last rows: `count` is how many are left, `total` how many there are, and
    `after` is where the next call goes on. What asks about a deletion, or tells of one, keeps every row.
    """
    if tokens is None or _weight(result) <= tokens * HUNDREDTHS:
        return result
    answer = _Answer(result, tokens * HUNDREDTHS)
    for length in _LENGTHS:
        answer.shorten(length)
    answer.drop_rows()
    for length in _SHORT_LENGTHS:
        answer.shorten(length)
    answer.shorten_sentences()
    return answer.result()


class _Answer:
    """An answer that is being made shorter, no more than it must be."""

    def __init__(self, result: ToolResult, room: int) -> None:
        self._ranked = result.ranked
        self._fields = dict(result)
        self._room = room

    def result(self) -> ToolResult:
        fields = {name: value for name, value in self._fields.items() if name not in ("status", "message")}
        return ToolResult(self._fields["status"], self._fields.get("message"), **fields)

    @property
    def _excess(self) -> int:
        return _weight(self._fields) - self._room

    def shorten(self, length: int) -> None:
        if self._excess > 0:
            shortened = {name: _shortened(value, length) for name, value in self._fields.items() if name not in _WHOLE}
            self._fields |= shortened

    def drop_rows(self) -> None:
        """Drop the last rows of the longest list, until the rest fits or one is left of each."""
        excess, is_deletion = self._excess, self._fields["status"] in _ABOUT_DELETION
        lists = {
            name: cast("list[Any]", value)
            for name, value in self._fields.items()
            if isinstance(value, list)
            and name not in _ALL_ROWS
            and not (is_deletion and _has_rows(cast("object", value)))
        }
        weights = {name: [_weight(row) + _BETWEEN for row in self._by_rank(rows)] for name, rows in lists.items()}
        while excess > 0 and any(len(rows) > 1 for rows in weights.values()):
            longest = max(weights, key=lambda name: sum(weights[name]) if len(weights[name]) > 1 else 0)
            excess -= weights[longest].pop()
        for name, rows in lists.items():
            if len(kept_rows := weights[name]) < len(rows):
                self._keep(name, rows, self._by_rank(rows)[: len(kept_rows)])

    def _by_rank(self, rows: list[Any]) -> list[Any]:
        """The rows, the best first; they may be shown in another order."""
        rank = {id_: number for number, id_ in enumerate(self._ranked)}
        if not rank or not _has_rows(rows) or any(row_id(row) not in rank for row in rows):
            return rows
        return sorted(rows, key=lambda row: rank[row_id(row)])

    def _keep(self, name: str, rows: list[Any], rows_kept: list[Any]) -> None:
        ids = {id(row) for row in rows_kept}
        is_counted = self._fields.get("count", len(rows)) == len(rows)
        self._fields[name] = rows_kept if not _has_rows(rows) else [row for row in rows if id(row) in ids]
        if is_counted:
            self._fields |= {"count": len(rows_kept), "total": self._fields.get("total", len(rows))}
        if self._ranked and rows_kept and row_id(rows_kept[-1]) in self._ranked:
            self._fields["after"] = row_id(rows_kept[-1])

    def shorten_sentences(self) -> None:
        """As the last resort; what a person is asked to agree to is never shortened."""
        if self._excess > 0 and "results" in self._fields:
            self._fields["results"] = [_without_rows(row) for row in self._fields["results"]]
        for name in ("summary", "message"):
            text = self._fields.get(name)
            if self._excess > 0 and text and self._fields["status"] not in _ABOUT_DELETION:
                length = max(_LEAST_SUMMARY, len(text) - self._excess * len(text) // max(1, weigh(text)))
                self._fields[name] = _without_middle(text, length)


def _weight(value: object) -> int:
    plain = dict(cast("Mapping[str, Any]", value)) if isinstance(value, Mapping) else value
    return weigh(json.dumps(plain, ensure_ascii=False))


def _has_rows(rows: object) -> bool:
    return any(isinstance(row, Mapping) for row in cast("list[object]", rows))


def _shortened(value: object, length: int) -> object:
    match value:
        case str():
            return value if len(value) <= length else value[: length - 1].rstrip() + "…"
        case Mapping():
            return {name: _shortened(inner, length) for name, inner in cast("Mapping[str, object]", value).items()}
        case list():
            return [_shortened(inner, length) for inner in cast("list[object]", value)]
        case _:
            return value


def _without_rows(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: inner for name, inner in row.items() if not isinstance(inner, Mapping | list)}


def _without_middle(text: str, length: int) -> str:
    """A sentence without its middle: how it begins says what it is about, and how it ends what to do."""
    if len(text) <= length:
        return text
    return f"{text[: length * 2 // 3].rstrip()} … {text[-(length // 3) :].lstrip()}"
