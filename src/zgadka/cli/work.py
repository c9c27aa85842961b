"""The commands about work in the background: `zgadka worker`, `zgadka embed`, `zgadka tasks …`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.cli.shell import note, over_memory, progress_bar, say, stop_on_signals
from zgadka.errors import InvalidInput
from zgadka.text.plural import counted

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.task import Task

_LATE = timedelta(minutes=5)
"""After so long a task that was never begun is not just waiting for its turn."""

TaskId = Annotated[int, typer.Argument(metavar="ID", help="The task ID.")]

tasks = typer.Typer(help="Inspect queued and failed background tasks.", no_args_is_help=True)


@over_memory(background=True, embeds=True)
async def worker(memory: Memory) -> None:
    """Do background work until stopped. Queued calls, embeddings, retention; several workers can share it."""
    stop = stop_on_signals()
    note("working; press Ctrl-C to stop")
    await stop.wait()


@over_memory(background=False, embeds=True)
async def embed(memory: Memory) -> None:
    """Create missing embeddings now and show progress. Otherwise a worker creates them in the background."""
    from zgadka.search.embedders.build import NO_EMBEDDER  # noqa: PLC0415  (`zgadka --help` needs none of this)

    if memory.settings.embedder in {"", NO_EMBEDDER}:
        raise InvalidInput("no embedder is configured: set ZGADKA_EMBEDDER (docs/embeddings.md)")
    with progress_bar("embedding") as progress:
        count = await memory.embed(progress)
    say(f"{counted(count, 'vector')} made")


@tasks.command("list")
@over_memory(background=False)
async def list_(
    memory: Memory,
    limit: Annotated[int, typer.Option(min=1, help="Show at most this many.")] = 100,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: one object per line.")] = False,
) -> None:
    """List tasks, oldest first. Shows ID, state, attempts, due time, kind and last error; never anyone's words."""
    current_time = await memory.look(lambda tx: tx.now)
    listed = await memory.tasks(limit)
    for task in listed:
        say(_json(task) if as_json else _line(task, current_time))
    note(counted(len(listed), "task"))


@tasks.command()
@over_memory(background=False)
async def retry(
    memory: Memory,
    task_id: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="The task ID; without it, all parked tasks.")
    ] = None,
) -> None:
    """Retry a parked task, or all of them."""
    count = await memory.retry_task(task_id)
    if task_id is not None and not count:
        raise InvalidInput(f"task {task_id} has not failed: only failed tasks can be retried")
    say(f"{count} to be retried")


@tasks.command()
@over_memory(background=False)
async def drop(memory: Memory, task_id: TaskId) -> None:
    """Drop a task that no worker is running. It will never be done."""
    if not await memory.drop_task(task_id):
        raise InvalidInput(f"task {task_id} does not exist, is running, or has to be finished")
    say(f"dropped task {task_id}")


def _json(task: Task) -> str:
    name = task.payload.get("tool", task.kind)
    due = task.run_at.isoformat(timespec="seconds")
    told = {"id": task.id, "state": task.state, "tries": task.attempts, "due": due, "name": name, "error": task.error}
    return json.dumps(told, ensure_ascii=False)


def _line(task: Task, current_time: datetime) -> str:
    name = task.payload.get("tool", task.kind)
    error = f"  {task.error}" if task.error else ""
    if task.state == "waiting" and not task.attempts and current_time - task.run_at > _LATE:
        error += "  no worker takes it: is one running, and is it recent enough?"
    tries = counted(task.attempts, "try", "tries")
    return f"{task.id:6} {task.state:8} {tries:7}  {task.run_at:%Y-%m-%d %H:%M:%S}  {name}{error}"
