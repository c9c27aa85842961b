"""The tool set `notes`: long-term notes about a person or about the whole space."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from zgadka.model.limits import LONGEST_VALUE
from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import AlreadyKnown, Changed, Conflict, LimitReached, NoAccess, NotFound, Remembered
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops import notes
from zgadka.ops.notes import Deletion, Unusable
from zgadka.stores.tx import Tx
from zgadka.text.canonical import shows_nothing
from zgadka.text.sanitize import preview, sanitise_placeholders
from zgadka.tools import serialize
from zgadka.tools.declare import Length, Range, Tool

_CREATE = "memory_create_failed_"
_UPDATE = "memory_update_failed_"


def create_long_term_memory(
    tx: Tx,
    *,
    turn: Turn,
    memory_content: Annotated[str, Length(0, 100_000)],
    scope: Literal["server_wide", "target_user"],
    target_user: Annotated[str, Length(1, 255)] | None = None,
) -> ToolResult:
    """Keep something for good that was said here: about one person, or about the place as a whole.

    What may fade is for remember.

    Args:
        memory_content: What to remember, in the words and language it was said in (1-1000 characters)
        scope: server_wide: about this server or chat as a whole; target_user: about one person
        target_user: Display name of the person it is about (needed when scope is target_user)
    """
    if not tx.settings.self_teaching_enabled:
        return ToolResult(_CREATE + "disabled", "Long-term notes are switched off here.")
    if (scope == "target_user") != (target_user is not None):
        return ToolResult(_CREATE + "invalid_args", "Give target_user when, and only when, scope is target_user.")
    content = _content(memory_content)
    if isinstance(content, ToolResult):
        return ToolResult(_CREATE + "invalid_content", f"memory_content must have 1 to {LONGEST_VALUE} characters.")
    outcome = notes.create(tx, turn, content, target_user)
    match outcome:
        case Remembered(memory):
            return _done("memory_created_successfully", "Remembered", memory)
        case AlreadyKnown(memory) | Conflict(memory):
            return _done("memory_create_skipped_duplicate", "This is already known", memory)
        case LimitReached(count, limit):
            message = f"Not remembered: {count} of {limit} notes are kept. Nothing was dropped to make room."
            return ToolResult(_CREATE + "limit_reached", message, count=count, limit=limit)
        case _:
            return _no_access(_CREATE, outcome)


def update_long_term_memory(
    tx: Tx,
    *,
    turn: Turn,
    memory_id: Annotated[int, Range(1, 2**53 - 1)],
    memory_content: Annotated[str, Length(0, 100_000)],
    target_user: Annotated[str, Length(1, 255)] | None = None,
) -> ToolResult:
    """Replace a long-term note that needs correction, or delete it.

    Args:
        memory_id: Integer ID as shown in context (ID:N)
        memory_content: Full replacement content (at most 1000 characters). Empty string: delete the note instead;
            a personal one only in a turn of its owner
        target_user: Display name of the memory owner, when it is personal. Absent: a server-wide note
    """
    if not tx.settings.self_teaching_enabled:
        return ToolResult(_UPDATE + "disabled", "Long-term notes are switched off here.")
    return rewrite(tx, turn, memory_id, memory_content, target_user)


def rewrite(tx: Tx, turn: Turn, memory_id: int, memory_content: str, target_user: str | None) -> ToolResult:
    """The same for a note of whatever tool, though long-term notes are switched off."""
    if not memory_content.strip():
        return _blanked(tx, turn, memory_id, target_user)
    content = _content(memory_content)
    if isinstance(content, ToolResult):
        return content
    outcome = notes.update(tx, turn, memory_id, content, target_user)
    match outcome:
        case Changed(memory, before):
            deed = f"Updated{serialize.told_here(before, memory)}"
            return _done("memory_updated_successfully", deed, memory, old_content=before.content)
        case NotFound():
            return _not_found(memory_id)
        case Conflict(memory):
            return _done(_UPDATE + "duplicate", "Not changed; another note says the same", memory)
        case _:
            return _no_access(_UPDATE, outcome)


def _blanked(tx: Tx, turn: Turn, memory_id: int, target_user: str | None) -> ToolResult:
    deletion = notes.delete(tx, turn, memory_id, target_user)
    match deletion:
        case Deletion(memory, "agreed", is_told, count):
            fields = {"memory_id": memory.id} | serialize.messages_withheld(count)
            fields |= {"deleted_content": memory.content} if is_told else {}
            message = f"Deleted: {memory.content if is_told else f'ID:{memory.id}'}"
            message += f".{serialize.withheld(count)}" if count else ""
            return ToolResult("memory_deleted_successfully", message, **fields)
        case Deletion(memory, "refused", is_told):
            message = f"The person refused; kept: {_called(memory, is_told)}."
            return ToolResult(_UPDATE + "cancelled", message, **_short(memory, is_told))
        case Deletion(memory, answer, is_told):
            message = f"Not deleted yet. Ask the person: delete {_called(memory, is_told)}?"
            message += serialize.wait(is_unclear=answer == "unclear")
            return ToolResult(_UPDATE + "not_confirmed", message, **_short(memory, is_told))
        case NotFound():
            return _not_found(memory_id)
        case NoAccess() | Unusable():
            return _no_access(_UPDATE, deletion)


def _called(memory: StoredMemory, is_told: bool) -> str:
    return f"“{preview(memory.text)}” (ID:{memory.id})" if is_told else f"ID:{memory.id}"


def _short(memory: StoredMemory, is_told: bool) -> dict[str, Any]:
    return serialize.short(memory) if is_told else {"memory_id": memory.id}


def _content(text: str) -> str | ToolResult:
    """The text as it is kept. Blank only after cleaning is no wish to delete: nothing goes by accident."""
    content = sanitise_placeholders(text).strip()
    if shows_nothing(content) or len(content) > LONGEST_VALUE:
        message = f"memory_content must have 1 to {LONGEST_VALUE} characters once placeholders are taken out."
        return ToolResult(_UPDATE + "invalid_content", message)
    return content


def _done(status: str, message: str, memory: StoredMemory, **fields: Any) -> ToolResult:
    return ToolResult(status, f"{message}: {memory.content}", memory_id=memory.id, content=memory.content, **fields)


def _not_found(memory_id: int) -> ToolResult:
    return ToolResult(_UPDATE + "not_found", f"No note with ID:{memory_id} in this scope. Nothing was changed.")


def _no_access(prefix: str, outcome: NoAccess | Unusable) -> ToolResult:
    fields: dict[str, Any] = {}
    status = outcome.status
    if isinstance(outcome, Unusable) and outcome.candidates and status == "ambiguous_user":
        fields["candidates"] = [
            {"user_id": member.number, "name": member.nickname or member.name or member.user}
            for member in outcome.candidates
        ]
    if isinstance(outcome, NoAccess) and status == "invalid_target":
        status = "not_allowed"
    return ToolResult(prefix + status, f"Nothing was changed: {outcome.reason}.", **fields)


NOTES = (
    Tool(
        create_long_term_memory,
        set="notes",
        title="Create a long-term memory",
        idempotent=True,
        failed=_CREATE,
    ),
    Tool(
        update_long_term_memory,
        set="notes",
        title="Update or delete a long-term memory",
        destructive=True,
        idempotent=True,
        failed=_UPDATE,
        asks_where_blank="memory_content",
    ),
)
