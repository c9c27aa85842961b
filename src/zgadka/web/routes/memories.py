"""A person's own memories: see, follow, take back, open to other spaces."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from zgadka.model.outcome import Changed, Conflict, NoAccess, NotFound, Refused
from zgadka.ops.own import own_memories
from zgadka.ops.share import Shared
from zgadka.web import shown
from zgadka.web.door import Door, Reply, speaker
from zgadka.web.schemas import Acting, Many, Result, ShareSaid, results

router = APIRouter(prefix="/v1/memories", tags=["memories"], route_class=Door)

MemoryId = Annotated[int, Path(ge=1, lt=2**53, examples=[24])]


@router.get("", summary="List the speaker's memories", response_model=Many, responses=results(403))
async def own(request: Request) -> Response:
    """List the speaker's memories that are seen here, newest first; in their direct chat, those of every space."""
    found = await request.app.state.doors.memory.look(own_memories, speaker(request))
    if isinstance(found, NoAccess):
        return refused(found.status, f"Nothing is shown: {found.reason}.")
    return Reply({"count": len(found), "memories": [shown.memory(one) for one in found]})


@router.get("/{memory_id}/history", summary="What happened to a memory", response_model=Many)
async def history(request: Request, memory_id: MemoryId) -> Response:
    """List what happened to one of the speaker's memories, oldest first; nothing when it cannot be seen here."""
    events = await request.app.state.doors.memory.history(memory_id, speaker(request))
    return Reply({"count": len(events), "events": [shown.event(one) for one in events]})


@router.post(
    "/{memory_id}/undo", summary="Take back the last change", response_model=Result, responses=results(404, 409)
)
async def undo(request: Request, memory_id: MemoryId, said: Acting) -> Response:
    """Take back the last change of one of the speaker's memories, and what was changed together with it."""
    memory = request.app.state.doors.memory
    return undone(await memory.undo(memory_id, speaker(request, said.said)))


@router.post(
    "/{memory_id}/share", summary="Where a memory is seen", response_model=Result, responses=results(403, 404, 409)
)
async def share(request: Request, memory_id: MemoryId, said: ShareSaid) -> Response:
    """Let one of the speaker's memories be seen in every space, or only in this one."""
    memory, turn = request.app.state.doors.memory, speaker(request, said.said)
    outcome: Shared | NotFound | Conflict | NoAccess = await memory.share(memory_id, turn, everywhere=said.everywhere)
    match outcome:
        case Shared(memories):
            return Reply({"status": "success", "memories": [shown.memory(one) for one in memories]})
        case NotFound():
            return refused("not_found", "The speaker has no such memory here.")
        case Conflict(other):
            return refused("conflict", "Another memory stands where it would be seen.", memory=shown.memory(other))
        case NoAccess():
            return refused(outcome.status, f"Nothing was changed: {outcome.reason}.")


def undone(outcome: Changed | NotFound | Conflict | Refused) -> Response:
    """What became of a change that was to be taken back."""
    match outcome:
        case Changed(memory):
            return Reply({"status": "success", "memory": shown.memory(memory)})
        case NotFound():
            return refused("not_found", "There is no such memory.")
        case Conflict(other):
            return refused("conflict", "Another memory stands in its place now.", memory=shown.memory(other))
        case Refused(reason):
            return refused("not_undone", reason)


def refused(status: str, message: str, **more: Any) -> Response:
    """An outcome that changed nothing."""
    return Reply({"status": status, "message": message} | more, shown.code_of(status))
