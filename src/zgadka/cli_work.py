"""The commands about work in the background: `zgadka worker`, `zgadka embed`, `zgadka tasks …`."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.errors import InvalidInput
from zgadka.shell import Db, progress_bar, say, stop_on_signals, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.task import Task

_LATE = timedelta(minutes=5)
"""After so long a task that was never begun is not just waiting for its turn."""

TaskId = Annotated[int, typer.Argument(metavar="ID", help="The task's id.")]

tasks = typer.Typer(help="Look at what waits to be done, and at what could not be.", no_args_is_help=True)


def worker(db: Db = None) -> None:
    """Do background work until stopped: queued calls, vectors, retention. Any number of workers share it."""

    async def work(memory: Memory) -> None:
        stop = stop_on_signals()
        say("working; Ctrl-C ends it", file=sys.stderr)
        await stop.wait()

    with_memory(db, None, work, background=True)


def embed(db: Db = None) -> None:
    """Make the vectors that are missing, now, and say how far it is; otherwise it is done in the background."""

    async def work(memory: Memory) -> None:
        if not memory.settings.embedder:
            raise InvalidInput("there is no embedder: set ZGADKA_EMBEDDER (docs/embeddings.md)")
        with progress_bar("embedding") as progress:
            made = await memory.embed(progress)
        say(f"{made} vectors made")

    with_memory(db, None, work, background=False)


@tasks.command("list")
def list_(db: Db = None, limit: Annotated[int, typer.Option(min=1, help="Show so many at most.")] = 100) -> None:
    """List tasks, oldest first: id, state, tries, when it is due, kind, and its last error. Never anybody's words."""

    async def show(memory: Memory) -> None:
        now = await memory.look(lambda tx: tx.now)
        for task in await memory.tasks(limit):
            say(_line(task, now))

    with_memory(db, None, show, background=False)


@tasks.command()
def retry(
    task_id: Annotated[int | None, typer.Argument(metavar="[ID]", help="The task's id; none: all parked ones.")] = None,
    db: Db = None,
) -> None:
    """Let a parked task be tried again, or all of them."""

    async def act(memory: Memory) -> None:
        count = await memory.retry_task(task_id)
        if task_id is not None and not count:
            raise InvalidInput(f"task {task_id} is not parked")
        say(f"{count} to be tried again")

    with_memory(db, None, act, background=False)


@tasks.command()
def drop(task_id: TaskId, db: Db = None) -> None:
    """Remove a task that nobody is at; it is never done."""

    async def act(memory: Memory) -> None:
        if not await memory.drop_task(task_id):
            raise InvalidInput(f"there is no task {task_id}, or a worker is at it, or it has to be ended")
        say(f"dropped task {task_id}")

    with_memory(db, None, act, background=False)


def _line(task: Task, now: datetime) -> str:
    what = task.payload.get("tool", task.kind)
    error = f"  {task.error}" if task.error else ""
    if task.state == "waiting" and not task.attempts and now - task.run_at > _LATE:
        error += "  no worker takes it: does one run, and is it new enough?"
    return f"{task.id:6} {task.state:8} {task.attempts} tries  {task.run_at:%Y-%m-%d %H:%M:%S}  {what}{error}"
