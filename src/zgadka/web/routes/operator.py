"""Upkeep: tasks, counts, backups, and everything at once for operators who may read it."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path as File
from typing import IO, Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from zgadka._version import __version__
from zgadka.ops.operator_queries import inventory, trail
from zgadka.ops.operator_queries import undo as take_back
from zgadka.transfer.export import export_store
from zgadka.transfer.import_reader import FileLines
from zgadka.web import serialize
from zgadka.web.auth import memory_of
from zgadka.web.routes.memories import MemoryId, refused, undone
from zgadka.web.routes.people import NDJSON
from zgadka.web.routes_base import OperatorDoor, ReaderDoor, Reply, UndoDoor, listing
from zgadka.web.schemas import ArmChosen, Many, body_of, results

work = APIRouter(prefix="/v1", tags=["operator"], route_class=OperatorDoor)
everything = APIRouter(prefix="/v1", tags=["operator"], route_class=ReaderDoor)
undoing = APIRouter(prefix="/v1", tags=["operator"], route_class=UndoDoor)

TaskId = Annotated[int, Path(ge=1, lt=2**53)]
_CHUNK = 64 * 1024
_SQLITE = "application/vnd.sqlite3"


@work.get("/tasks", summary="List tasks", response_model=Many)
async def tasks(request: Request, limit: Annotated[int, Query(ge=1, le=10_000)] = 100) -> Response:
    """List tasks, oldest first, with their last error; never anybody's words."""
    listed = await memory_of(request).tasks(limit)
    return listing(tasks=map(serialize.task, listed))


@work.post("/tasks/run", summary="Do what is due, now", response_model=dict[str, int])
async def run_tasks(request: Request) -> Response:
    """Do the tasks that are due, now; it is also done by itself."""
    return Reply({"begun": await memory_of(request).run_tasks()})


@work.post("/tasks/retry", summary="Try all parked tasks again", response_model=dict[str, int])
async def retry_all(request: Request) -> Response:
    """Let every parked task be tried again."""
    return Reply({"retried": await memory_of(request).retry_task()})


@work.post("/tasks/{task_id}/retry", summary="Try a parked task again", **results(404))
async def retry(request: Request, task_id: TaskId) -> Response:
    """Let a parked task be tried again."""
    if not await memory_of(request).retry_task(task_id):
        return refused("not_found", "No such task is parked.")
    return Reply({"status": "success"})


@work.delete("/tasks/{task_id}", summary="Remove a task", **results(404))
async def drop(request: Request, task_id: TaskId) -> Response:
    """Remove a task that nobody is at, so that it is never done."""
    if not await memory_of(request).drop_task(task_id):
        return refused("not_found", "There is no such task, or a worker is at it, or it has to be ended.")
    return Reply({"status": "success"})


@work.get("/stats", summary="How much there is", response_model=dict[str, int])
async def stats(request: Request) -> Response:
    """Count people, spaces, memories, messages, questions and tasks."""
    return Reply(await memory_of(request).look(lambda tx: tx.maintenance.counts()))


@work.get("/doctor", summary="Versions and integrity", response_model=dict[str, str])
async def doctor(request: Request) -> Response:
    """Show versions and the database's own check of itself, which reads all of it."""
    report = await asyncio.to_thread(memory_of(request).inspect)
    return Reply({"zgadka": __version__} | report)


@work.post("/tidy", summary="Drop what is past its time", response_model=dict[str, int])
async def tidy(request: Request) -> Response:
    """Drop what is past its time, now; it is also done by itself."""
    return Reply(await memory_of(request).tidy())


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
    entries = await memory_of(request).look(inventory, platform=platform, user=person, space=space, archived=archived)
    listed: list[dict[str, Any]] = [
        {"owner": serialize.fields(item.owner, "kind platform name")}
        | {"space": None if item.space is None else item.space.name}
        | serialize.memory(item.memory)
        for item in entries[:limit]
    ]
    return Reply({"count": len(listed), "total": len(entries), "memories": listed})


@everything.get("/inventory/{memory_id}/history", summary="What happened to any memory", response_model=Many)
async def history(request: Request, memory_id: MemoryId) -> Response:
    """List what happened to any memory, oldest first."""
    events = await memory_of(request).look(trail, memory_id)
    return listing(events=map(serialize.event, events))


@undoing.post("/inventory/{memory_id}/undo", summary="Take back any last change", **results(404, 409))
async def undo(request: Request, memory_id: MemoryId) -> Response:
    """Take back the last change of any memory."""
    return undone(await memory_of(request).apply(take_back, memory_id))


@everything.get("/rollout", summary="Which chats have tools", response_model=dict[str, Any])
async def rollout(request: Request) -> Response:
    """Show the settings, since when chats are new, and the chats that an operator chose an arm for."""
    return Reply(serialize.rollout(await memory_of(request).rollout()))


@everything.post("/rollout/chats", summary="Choose a chat's arm", response_model=dict[str, int])
async def choose_arm(request: Request, chosen: ArmChosen) -> Response:
    """Give a chat an arm whatever the rollout says, or leave it to the rollout again."""
    return Reply({"chats": await memory_of(request).choose_arm(**chosen.model_dump())})


@everything.get("/export", summary="Everything that is kept", **body_of(NDJSON))
async def export(request: Request) -> Response:
    """Export everything that is kept, as it is at one moment, one JSON object a line."""
    written = tempfile.TemporaryFile()  # noqa: SIM115  (whoever sends it closes it)

    def write(line: str) -> None:
        written.write(line.encode("utf-8", "replace") + b"\n")

    try:
        await memory_of(request).look(export_store, write)
    except BaseException:
        written.close()
        raise
    return _sent(written, NDJSON)


@everything.get("/backup", summary="A copy of the database", **body_of(_SQLITE, format="binary"))
async def backup(request: Request) -> Response:
    """Copy the database while others use it, verify the copy, and send it."""
    with tempfile.TemporaryDirectory(prefix="zgadka-") as folder:
        copy = await memory_of(request).backup(File(folder) / "backup.db")
        return _sent(copy.file.open("rb"), _SQLITE)  # it outlives its name


@everything.post(
    "/import",
    summary="Add what an export holds",
    response_model=dict[str, Any],
    openapi_extra={"requestBody": {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
async def import_(request: Request, dry_run: bool = False) -> Response:
    """Add what an export holds and the database does not; what is there already is never changed."""
    with tempfile.TemporaryFile() as received:
        async for chunk in request.stream():
            await asyncio.to_thread(received.write, chunk)
        report = await memory_of(request).import_lines(FileLines(received), dry_run=dry_run)
    return Reply(report.as_json())


def _sent(file: IO[bytes], media_type: str) -> Response:
    async def chunks() -> AsyncIterator[bytes]:
        try:
            file.seek(0)
            while chunk := await asyncio.to_thread(file.read, _CHUNK):
                yield chunk
        finally:
            file.close()

    return StreamingResponse(chunks(), media_type=media_type)
