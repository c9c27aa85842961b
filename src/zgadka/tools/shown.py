"""How memories and common answers are shown to a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import Found, FoundMessage, LimitReached, NoAccess
from zgadka.model.result import ToolResult
from zgadka.model.turn import person_number
from zgadka.text.clean import preview

_MESSAGE = 500
"""Characters of a message that are shown."""


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


def found_fact(found: Found, query: str | None) -> dict[str, Any]:
    """A fact that was looked for."""
    similarity = {"similarity": round(found.similarity, 3)} if query else {}
    return fact(found.memory) | similarity | why(found.why)


def found_memory(found: Found) -> dict[str, Any]:
    """A memory of any kind that was looked for."""
    return memory(found.memory) | {"similarity": round(found.similarity, 3)} | why(found.why)


def found_message(platform: str, found: FoundMessage) -> dict[str, Any]:
    """A message that was looked for; its text in one line, and long ones cut."""
    message = found.message
    if message.role == "assistant":
        author: dict[str, Any] = {"said_by": "assistant"}
    else:
        author = {"said_by": person_number(platform, message.user)} | ({"name": found.name} if found.name else {})
    return author | {"text": preview(message.text, _MESSAGE), "at": message.at.isoformat()} | why(found.why)


def why(reasons: Mapping[str, float]) -> dict[str, Any]:
    """What a score is made of; nothing unless it was asked for."""
    return {"why": {name: round(value, 3) for name, value in reasons.items()}} if reasons else {}


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
