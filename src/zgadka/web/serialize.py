"""How values of the engine are shown as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from zgadka.model.inference import Answered, Observed, SaveQuestion
from zgadka.model.memory import EVERYWHERE, Event, NamedRelation, StoredMemory
from zgadka.model.outcome import FoundMessage
from zgadka.model.people import Consent, Message, Proposal
from zgadka.model.task import Task
from zgadka.ops.origins import Origin
from zgadka.ops.rollout import RolloutNow
from zgadka.tools import serialize

_STATUSES = {
    202: "queued awaiting_consent",
    403: "disabled invalid_target not_allowed privacy_restricted not_yours",
    404: "not_found",
    409: "ambiguous_user conflict duplicate not_confirmed handled limit_reached look_first not_undone",
    410: "expired superseded",
    422: "refused invalid_args invalid_content",
    429: "rate_limited",
    503: "busy db_error error failed",
}
_CODES = {status: code for code, statuses in _STATUSES.items() for status in statuses.split()}

_PREFIXES = ("memory_create_failed_", "memory_update_failed_")

MAY_BE_DONE = 500
"""The HTTP status of what failed and may have been done all the same: whoever repeats it should look first."""


def code_of(status: str) -> int:
    """The HTTP status that says the same as the status of a result."""
    for prefix in _PREFIXES:
        status = status.removeprefix(prefix)
    return _CODES.get(status, 200)


CODES = sorted({*_STATUSES, MAY_BE_DONE})


def memory(stored: StoredMemory) -> dict[str, Any]:
    """A memory as its person sees it."""
    view = fields(stored, "id kind type key text content topic tags confidence evidence permanent archived version")
    view |= {"everywhere": stored.space == EVERYWHERE}
    view |= {"names": list(stored.names)} if isinstance(stored, NamedRelation) else {}
    view |= fields(stored, "created_at updated_at valid_from valid_to")
    return {name: value for name, value in view.items() if value is not None}


def event(change: Event) -> dict[str, Any]:
    """A line of a trail."""
    states = {
        "before": None if change.before is None else memory(change.before),
        "after": None if change.after is None else memory(change.after),
    }
    return fields(change, "number at actor action reason") | states | {"change": change.change}


def origin(found: Origin) -> dict[str, Any]:
    """Where a memory comes from: `how` it came to say what it says, `at` which time, and the messages that said it."""
    sources = [
        fields(source, "message said_by name at text") | {"elsewhere": source.place is not None}
        for source in found.sources
    ]
    return (
        {"memory_id": found.memory.id, "text": found.memory.text}
        | fields(found, "how at said_by name")
        | {"sources": sources}
    )


def message(stored: Message) -> dict[str, Any]:
    """A message of a chat."""
    return fields(stored, "id role user text at")


def found_message(match: FoundMessage) -> dict[str, Any]:
    """A message that was looked for."""
    return message(match.message) | fields(match, "name score") | serialize.why(match.why)


def question(pending: SaveQuestion) -> dict[str, Any]:
    """A question about uncertain memories."""
    items = [
        {"place": index} | fields(item.item, "type key value text confidence") | {"state": item.state}
        for index, item in enumerate(pending.items)
    ]
    origin = {"platform": pending.turn.platform, "chat": pending.turn.chat, "user": pending.turn.user_key}
    return {"id": pending.id} | origin | {"items": items} | fields(pending, "asked_at expires_at")


def observed(outcome: Observed) -> dict[str, Any]:
    """What became of a message."""
    return {
        "message_id": outcome.message,
        "stored": [memory(stored) for stored in outcome.stored],
        "question": None if outcome.question is None else question(outcome.question),
        "repeated": outcome.repeated,
        "later": outcome.later,
    }


def rollout(state: RolloutNow) -> dict[str, Any]:
    """How the rollout stands."""
    chats = [
        fields(choice, "platform chat arm") | {"user" if choice.kind == "direct" else "space": choice.space}
        for choice in state.choices
    ]
    view = {"enabled": state.enabled, "rollout": state.policy} | fields(state, "fallback began_at")
    return view | {"chats": chats}


def answered(outcome: Answered) -> dict[str, Any]:
    """What became of an answer."""
    view = {
        "status": outcome.status,
        "question": None if outcome.question is None else question(outcome.question),
        "saved": [memory(saved) for saved in outcome.saved],
        "message": outcome.reason,
    }
    return {name: value for name, value in view.items() if value is not None}


def consent(pending: Consent, proposal: Proposal) -> dict[str, Any]:
    """A question about a change by somebody else, with what it would change now and the mark to agree with."""
    effect = {name: value for name, value in proposal.as_json().items() if name != "consent"}
    header = fields(pending, "id asker tool") | {"args": dict(pending.arguments)}
    return header | effect | fields(pending, "asked_at expires_at")


def task(queued: Task) -> dict[str, Any]:
    """A task, without anybody's words."""
    tool = {"tool": queued.payload.get("tool")}
    return fields(queued, "id kind") | tool | fields(queued, "state attempts run_at created_at error")


def fields(value: object, names: str) -> dict[str, Any]:
    """These attributes of a value; times in ISO 8601."""
    attributes = {name: getattr(value, name) for name in names.split()}
    return {name: item.isoformat() if isinstance(item, datetime) else item for name, item in attributes.items()}
