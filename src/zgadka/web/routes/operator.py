"""Upkeep: tasks, counts, backups, and everything at once for operators who may read it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path as File
from typing import IO, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from zgadka._version import __version__
from zgadka.ops.export import export_store
from zgadka.ops.inspect import inventory, trail
from zgadka.ops.inspect import undo as take_back
from zgadka.ops.reading import LONGEST_LINE
from zgadka.stores.tx import Tx
from zgadka.web import shown
from zgadka.web.door import ImportDoor, OperatorDoor, ReaderDoor, Reply
from zgadka.web.routes.memories import MemoryId, refused, undone
from zgadka.web.routes.people import NDJSON
from zgadka.web.schemas import ArmChosen, Many, Result, results

work = APIRouter(prefix="/v1", tags=["operator"], route_class=OperatorDoor)
everything = APIRouter(prefix="/v1", tags=["operator"], route_class=ReaderDoor)
imports = APIRouter(prefix="/v1", tags=["operator"], route_class=ImportDoor)

TaskId = Annotated[int, Path(ge=1, lt=2**53)]
_CHUNK = 64 * 1024


@work.get("/tasks", summary="List tasks", response_model=Many)
async def tasks(request: Request, limit: Annotated[int, Query(ge=1, le=10_000)] = 100) -> Response:
    """List tasks, oldest first, with their last error; never anybody's words."""
    found = await request.app.state.doors.memory.tasks(limit)
    return Reply({"count": len(found), "tasks": [shown.task(one) for one in found]})


@work.post("/tasks/run", summary="Do what is due, now", response_model=dict[str, int])
async def run_tasks(request: Request) -> Response:
    """Do the tasks that are due, now; it is also done by itself."""
    return Reply({"begun": await request.app.state.doors.memory.run_tasks()})


@work.post("/tasks/retry", summary="Try all parked tasks again", response_model=dict[str, int])
async def retry_all(request: Request) -> Response:
    """Let every parked task be tried again."""
    return Reply({"retried": await request.app.state.doors.memory.retry_task()})


@work.post("/tasks/{task_id}/retry", summary="Try a parked task again", response_model=Result, responses=results(404))
async def retry(request: Request, task_id: TaskId) -> Response:
    """Let a parked task be tried again."""
    if not await request.app.state.doors.memory.retry_task(task_id):
        return refused("not_found", "No such task is parked.")
    return Reply({"status": "success"})


@work.delete("/tasks/{task_id}", summary="Remove a task", response_model=Result, responses=results(404))
async def drop(request: Request, task_id: TaskId) -> Response:
    """Remove a task that nobody is at, so that it is never done."""
    if not await request.app.state.doors.memory.drop_task(task_id):
        return refused("not_found", "There is no such task, or a worker is at it, or it has to be ended.")
    return Reply({"status": "success"})


@work.get("/stats", summary="How much there is", response_model=dict[str, int])
async def stats(request: Request) -> Response:
    """Count people, spaces, memories, messages, questions and tasks."""
    return Reply(await request.app.state.doors.memory.look(Tx.counts))


@work.get("/doctor", summary="Versions and integrity", response_model=dict[str, str])
async def doctor(request: Request) -> Response:
    """Show versions and the database's own check of itself, which reads all of it."""
    found = await asyncio.to_thread(request.app.state.doors.memory.inspect)
    return Reply({"zgadka": __version__} | found)


@work.post("/tidy", summary="Drop what is past its time", response_model=dict[str, int])
async def tidy(request: Request) -> Response:
    """Drop what is past its time, now; it is also done by itself."""
    return Reply(await request.app.state.doors.memory.tidy())


@everything.get("/inventory", summary="Everybody's memories", response_model=Many)
async def memories(
    request: Request,
    platform: Annotated[str | None, Query(max_length=255)] = None,
    person: Annotated[str | None, Query(max_length=255)] = None,
    space: Annotated[str | None, Query(max_length=255)] = None,
    archived: bool = False,
    limit: Annotated[int, Query(ge=1, le=100_000)] = 1000,
) -> Response:
    """List what is remembered, of everybody or of those whom the filters let through."""
    kept = await request.app.state.doors.memory.look(
        inventory, platform=platform, user=person, space=space, archived=archived
    )
    listed: list[dict[str, Any]] = [
        {"owner": {"kind": one.owner.kind, "platform": one.owner.platform, "name": one.owner.name}}
        | {"space": None if one.space is None else one.space.name}
        | shown.memory(one.memory)
        for one in kept[:limit]
    ]
    return Reply({"count": len(listed), "total": len(kept), "memories": listed})


@everything.get("/inventory/{memory_id}/history", summary="What happened to any memory", response_model=Many)
async def history(request: Request, memory_id: MemoryId) -> Response:
    """List what happened to any memory, oldest first."""
    events = await request.app.state.doors.memory.look(trail, memory_id)
    return Reply({"count": len(events), "events": [shown.event(one) for one in events]})


@everything.post(
    "/inventory/{memory_id}/undo",
    summary="Take back any last change",
    response_model=Result,
    responses=results(404, 409),
)
async def undo(request: Request, memory_id: MemoryId) -> Response:
    """Take back the last change of any memory."""
    return undone(await request.app.state.doors.memory.apply(take_back, memory_id))


@everything.get("/rollout", summary="Which chats have tools", response_model=dict[str, Any])
async def rollout(request: Request) -> Response:
    """Show the settings, since when chats are new, and the chats that an operator chose an arm for."""
    return Reply(shown.rollout(await request.app.state.doors.memory.rollout()))


@everything.post("/rollout/chats", summary="Choose a chat's arm", response_model=dict[str, int])
async def choose_arm(request: Request, chosen: ArmChosen) -> Response:
    """Give a chat an arm whatever the rollout says, or leave it to the rollout again."""
    memory = request.app.state.doors.memory
    count = await memory.choose_arm(chosen.platform, chosen.chat, chosen.arm, space=chosen.space, user=chosen.user)
    return Reply({"chats": count})


@everything.get(
    "/export",
    summary="Everything that is kept",
    response_class=Response,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def export(request: Request) -> Response:
    """Export everything that is kept, as it is at one moment, one JSON object a line."""
    written = _temporary()

    def write(line: str) -> None:
        written.write(line.encode("utf-8", "replace") + b"\n")

    try:
        await request.app.state.doors.memory.look(export_store, write)
    except BaseException:
        written.close()
        raise
    return _sent(written, NDJSON)


@everything.get(
    "/backup",
    summary="A copy of the database",
    response_class=Response,
    responses={200: {"content": {"application/vnd.sqlite3": {"schema": {"type": "string", "format": "binary"}}}}},
)
async def backup(request: Request) -> Response:
    """Copy the database while others use it, verify the copy, and send it."""
    with tempfile.TemporaryDirectory(prefix="zgadka-") as folder:
        made = await request.app.state.doors.memory.backup(File(folder) / "backup.db")
        return _sent(made.file.open("rb"), "application/vnd.sqlite3")  # it outlives its name


@imports.post(
    "/import",
    summary="Add what an export holds",
    response_model=dict[str, Any],
    openapi_extra={"requestBody": {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
async def import_(request: Request, dry_run: bool = False) -> Response:
    """Add what an export holds and the database does not; what is there already is never changed."""
    with _temporary() as received:
        async for chunk in request.stream():
            await asyncio.to_thread(received.write, chunk)
        report = await request.app.state.doors.memory.import_lines(_Lines(received), dry_run=dry_run)
    return Reply(report.as_json())


class _Lines:
    """The lines of a file, each time from the beginning; of one that is too long, only the beginning."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        self._source.seek(0)
        while line := self._source.readline(LONGEST_LINE + 1):
            yield line


def _temporary() -> IO[bytes]:
    """A file without a name, which nobody else can read."""
    return tempfile.TemporaryFile()


def _sent(file: IO[bytes], media_type: str) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        try:
            file.seek(0)
            while chunk := await asyncio.to_thread(file.read, _CHUNK):
                yield chunk
        finally:
            file.close()

    return StreamingResponse(chunks(), media_type=media_type)
