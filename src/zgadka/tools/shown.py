"""How memories and common answers are shown to a model."""

from __future__ import annotations

from typing import Any

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import LimitReached, NoAccess
from zgadka.model.result import ToolResult
from zgadka.text.clean import preview


def fact(memory: StoredMemory) -> dict[str, Any]:
    """A fact in a list; the time in which it holds only where one is known."""
    fields = {
        "fact_id": memory.id,
        "type": memory.type,
        "key": memory.key,
        "value": memory.content,
        "confidence": memory.confidence,
        "evidence": memory.evidence,
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }
    bounds = {"valid_from": memory.valid_from, "valid_to": memory.valid_to}
    return fields | {name: bound.isoformat() for name, bound in bounds.items() if bound is not None}


def memory(memory: StoredMemory) -> dict[str, Any]:
    """A memory of any kind in a list."""
    fields: dict[str, Any] = {"memory_id": memory.id, "kind": memory.kind, "content": memory.text}
    if memory.tags:
        fields["tags"] = list(memory.tags)
    return fields | {"confidence": memory.confidence, "created_at": memory.created_at.isoformat()}


def short(memory: StoredMemory) -> dict[str, Any]:
    """A memory in a question or a suggestion."""
    return {"memory_id": memory.id, "content": preview(memory.text)}


def no_access(outcome: NoAccess) -> ToolResult:
    """The named person cannot be meant, or does not want it."""
    return ToolResult(outcome.status, f"user_id {outcome.user_id}: {outcome.reason}")


def limit_reached(outcome: LimitReached, what: str) -> ToolResult:
    """As many as allowed are kept."""
    return ToolResult(
        "limit_reached",
        f"Not remembered: {outcome.count} of {outcome.limit} {what} are kept. "
        "Nothing was dropped to make room; merge or forget some first.",
        count=outcome.count,
        limit=outcome.limit,
    )
