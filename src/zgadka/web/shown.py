"""How values of the engine are shown as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from zgadka.model.inference import Answered, Observed, SaveQuestion
from zgadka.model.memory import Event, StoredMemory
from zgadka.model.outcome import FoundMessage
from zgadka.model.people import Consent, Message
from zgadka.model.task import Task
from zgadka.ops.rollout import RolloutNow
from zgadka.tools import shown

_CODES = {
    "queued": 202,
    "awaiting_consent": 202,
    "disabled": 403,
    "invalid_target": 403,
    "not_allowed": 403,
    "privacy_restricted": 403,
    "refused": 422,
    "not_yours": 403,
    "not_found": 404,
    "ambiguous_user": 409,
    "conflict": 409,
    "duplicate": 409,
    "handled": 409,
    "limit_reached": 409,
    "look_first": 409,
    "not_undone": 409,
    "expired": 410,
    "invalid_args": 422,
    "invalid_content": 422,
    "rate_limited": 429,
    "busy": 503,
    "db_error": 503,
    "error": 503,
    "failed": 503,
}

_PREFIXES = ("memory_create_failed_", "memory_update_failed_")

MAY_BE_DONE = 500
"""The HTTP status of what failed and may have been done all the same: whoever repeats it should look first."""


def code_of(status: str) -> int:
    """The HTTP status that says the same as the status of a result."""
    for prefix in _PREFIXES:
        status = status.removeprefix(prefix)
    return _CODES.get(status, 200)


CODES = sorted({*_CODES.values(), MAY_BE_DONE})


def memory(one: StoredMemory) -> dict[str, Any]:
    """A memory as its person sees it."""
    kind = {
        "id": one.id,
        "kind": one.kind,
        "type": one.type,
        "key": one.key,
        "text": one.text,
        "content": one.content,
        "topic": one.topic,
        "tags": list(one.tags),
        "confidence": one.confidence,
        "evidence": one.evidence,
        "permanent": one.permanent,
        "archived": one.archived,
        "version": one.version,
        "everywhere": one.space == 0,
    }
    times = {"created_at": one.created_at, "updated_at": one.updated_at}
    times |= {"valid_from": one.valid_from, "valid_to": one.valid_to}
    shown_ = kind | {name: _time(at) for name, at in times.items()}
    return {name: value for name, value in shown_.items() if value is not None}


def event(one: Event) -> dict[str, Any]:
    """A line of a trail."""
    return {
        "number": one.number,
        "at": one.at.isoformat(),
        "actor": one.actor,
        "action": one.action,
        "reason": one.reason,
        "before": None if one.before is None else memory(one.before),
        "after": None if one.after is None else memory(one.after),
        "change": one.change,
    }


def message(one: Message) -> dict[str, Any]:
    """A message of a chat."""
    return {"id": one.id, "role": one.role, "user": one.user, "text": one.text, "at": one.at.isoformat()}


def found_message(one: FoundMessage) -> dict[str, Any]:
    """A message that was looked for."""
    return message(one.message) | {"name": one.name, "score": one.score} | shown.why(one.why)


def question(one: SaveQuestion) -> dict[str, Any]:
    """A question about uncertain memories."""
    items = [
        {
            "place": place,
            "type": asked.item.type,
            "key": asked.item.key,
            "value": asked.item.value,
            "text": asked.item.text,
            "confidence": asked.item.confidence,
            "state": asked.state,
        }
        for place, asked in enumerate(one.items)
    ]
    return {
        "id": one.id,
        "platform": one.turn.platform,
        "chat": one.turn.chat,
        "user": one.turn.user_name,
        "items": items,
        "asked_at": one.asked_at.isoformat(),
        "expires_at": one.expires_at.isoformat(),
    }


def observed(one: Observed) -> dict[str, Any]:
    """What became of a message."""
    return {
        "message_id": one.message,
        "stored": [memory(stored) for stored in one.stored],
        "question": None if one.question is None else question(one.question),
        "repeated": one.repeated,
        "later": one.later,
    }


def rollout(now: RolloutNow) -> dict[str, Any]:
    """How the rollout stands."""
    return {
        "enabled": now.enabled,
        "rollout": now.policy,
        "fallback": now.fallback,
        "began_at": _time(now.began_at),
        "chats": [
            {
                "platform": one.platform,
                "chat": one.chat,
                "arm": one.arm,
                "user" if one.kind == "direct" else "space": one.space,
            }
            for one in now.choices
        ],
    }


def answered(one: Answered) -> dict[str, Any]:
    """What became of an answer."""
    fields = {
        "status": one.status,
        "question": None if one.question is None else question(one.question),
        "saved": [memory(saved) for saved in one.saved],
        "message": one.reason,
    }
    return {name: value for name, value in fields.items() if value is not None}


def consent(one: Consent) -> dict[str, Any]:
    """A question about a change by somebody else."""
    return {
        "id": one.id,
        "asker": one.asker,
        "tool": one.tool,
        "args": dict(one.arguments),
        "asked_at": one.asked_at.isoformat(),
        "expires_at": one.expires_at.isoformat(),
    }


def task(one: Task) -> dict[str, Any]:
    """A task, without anybody's words."""
    return {
        "id": one.id,
        "kind": one.kind,
        "tool": one.payload.get("tool"),
        "state": one.state,
        "attempts": one.attempts,
        "run_at": one.run_at.isoformat(),
        "created_at": one.created_at.isoformat(),
        "error": one.error,
    }


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
