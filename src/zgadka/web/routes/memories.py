"""A person's own memories: see, follow, take back, open to other spaces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from zgadka.model.memory import StoredMemory
from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.ops.list_memories import own_memories
from zgadka.ops.share import Shared
from zgadka.stores.tx import Tx
from zgadka.tools.serialize import age
from zgadka.web import serialize
from zgadka.web.auth import memory_of
from zgadka.web.routes_base import Door, Reply, listing, speaker
from zgadka.web.schemas import Acting, Many, ShareSaid, results

router = APIRouter(prefix="/v1/memories", tags=["memories"], route_class=Door)

MemoryId = Annotated[int, Path(ge=1, lt=2**53, examples=[24])]


@router.get("", summary="List the speaker's memories", **results(403, model=Many))
async def own(request: Request) -> Response:
    """List the speaker's memories that are seen here, newest first; in their direct chat, those of every space."""
    turn, memory = speaker(request), memory_of(request)
    await memory.permit("list_memories", turn, request.state.grant)
    memories = await memory.look(own_memories, turn)
    if isinstance(memories, NoAccess):
        return refused(memories.status, f"Nothing is shown: {memories.reason}.")
    return listing(memories=await memory.look(_told, memories))


@router.get("/{memory_id}/history", summary="What happened to a memory", response_model=Many)
async def history(request: Request, memory_id: MemoryId) -> Response:
    """List what happened to one of the speaker's memories, oldest first; in their direct chat alone."""
    events = await memory_of(request).history(memory_id, speaker(request), grant=request.state.grant)
    return listing(events=map(serialize.event, events))


@router.get("/{memory_id}/sources", summary="Where a memory comes from", **results(404))
async def sources(request: Request, memory_id: MemoryId) -> Response:
    """Tell which messages said one of the speaker's memories, when, and who; their texts where they may be read."""
    origin = await memory_of(request).why(memory_id, speaker(request), grant=request.state.grant)
    if origin is None:
        return refused("not_found", "The speaker has no such memory here.")
    return Reply({"status": "success"} | serialize.origin(origin))


@router.post("/{memory_id}/undo", summary="Take back the last change", **results(404, 409))
async def undo(request: Request, memory_id: MemoryId, body: Acting) -> Response:
    """Take back the last change of one of the speaker's memories, and what was changed together with it."""
    memory = memory_of(request)
    return undone(await memory.undo(memory_id, speaker(request, body.said), grant=request.state.grant))


@router.post("/{memory_id}/share", summary="Where a memory is seen", **results(403, 404, 409))
async def share(request: Request, memory_id: MemoryId, body: ShareSaid) -> Response:
    """Let one of the speaker's memories be seen in every space, or only in this one; in their direct chat alone."""
    memory, turn = memory_of(request), speaker(request, body.said)
    outcome: Shared | NotFound | Conflict | NoAccess = await memory.share(
        memory_id, turn, everywhere=body.everywhere, grant=request.state.grant
    )
    match outcome:
        case Shared(memories):
            return Reply({"status": "success", "memories": [serialize.memory(memory_) for memory_ in memories]})
        case NotFound():
            return refused("not_found", "The speaker has no such memory here.")
        case Conflict(other):
            return refused("conflict", "Another memory stands where it would be seen.", memory=serialize.memory(other))
        case NoAccess():
            return refused(outcome.status, f"Nothing was changed: {outcome.reason}.")


def _told(tx: Tx, memories: Iterable[StoredMemory]) -> list[dict[str, Any]]:
    return [serialize.memory(memory) | age(memory, tx.now) for memory in memories]


def undone(outcome: Changed | NotFound | Conflict | Refused) -> Response:
    """What became of a change that was to be taken back."""
    match outcome:
        case Changed(memory):
            return Reply({"status": "success", "memory": serialize.memory(memory)})
        case NotFound():
            return refused("not_found", "There is no such memory.")
        case Conflict(other):
            return refused("conflict", "Another memory stands in its place now.", memory=serialize.memory(other))
        case Refused(reason):
            return refused("not_undone", reason)


def refused(status: str, message: str, **more: Any) -> Response:
    """An outcome that changed nothing."""
    return Reply({"status": status, "message": message} | more, serialize.code_of(status))
