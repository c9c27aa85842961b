"""What the commands share: options, open a memory, read turns and JSON, print lines."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from zgadka.errors import InvalidInput

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.turn import Turn

Db = Annotated[str | None, typer.Option("--db", help="Database URL; default ZGADKA_DATABASE or your data directory.")]
Now = Annotated[str | None, typer.Option("--now", help="Set the clock to this ISO time; for tests only.")]
Platform = Annotated[str, typer.Option("--platform", help="The platform that the ids belong to.")]
Space = Annotated[str | None, typer.Option("--space", help="Where people share memory; default: the chat.")]


def with_memory(
    db: str | None,
    now: str | None,
    act: Callable[[Memory], Coroutine[Any, Any, Any]],
    *,
    talks: bool = False,
    background: bool | None = None,
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Open the memory, act, close it.

    Args:
        talks: Whether a person waits for an answer, so that slow calls are put in line; a command waits instead.
        background: Whether to do background work meanwhile. None: as the settings say.
        new_loop: Makes the event loop. None: Python's own.
    """
    from zgadka.assemble import open_memory  # noqa: PLC0415  (`zgadka --help` needs no database)
    from zgadka.settings import Settings  # noqa: PLC0415  (as above)

    async def run() -> None:
        settings = Settings.load()
        settings = replace(
            settings,
            memory_tool_async=settings.memory_tool_async and talks,
            background=settings.background if background is None else background,
        )
        async with open_memory(db, settings=settings, clock=clock_at(now)) as memory:
            await act(memory)

    with readers_may_leave(), asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(run())


@contextmanager
def readers_may_leave() -> Generator[None]:
    """Stop quietly when nobody reads what is printed any more, as in `zgadka export | head -1`."""
    try:
        yield
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be flushed goes nowhere


def stop_on_signals() -> asyncio.Event:
    """An event that Ctrl-C and SIGTERM set; a second Ctrl-C ends the program at once."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def ask_to_stop(number: int) -> None:
        stop.set()
        loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ask_to_stop, number)
    return stop


def clock_at(now: str | None) -> Callable[[], datetime] | None:
    """A clock that stands at this ISO time; None: the machine's clock."""
    if now is None:
        return None
    try:
        time = datetime.fromisoformat(now)
    except ValueError as error:
        raise InvalidInput(f"--now {now!r} is no ISO time such as 2026-11-21T12:00:00Z") from error
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    if not datetime(1970, 1, 2, tzinfo=UTC) < aware < datetime(9000, 1, 1, tzinfo=UTC):  # room for every window
        raise InvalidInput(f"--now {now!r} must be in the years 1970 to 8999")
    return lambda: aware


def turn_of(options: dict[str, Any], line: dict[str, Any]) -> Turn:
    """The turn of a command: its options, then what a line gives instead.

    Raises:
        InvalidInput: Something is missing or cannot be meant.
    """
    from zgadka.model.turn import Turn  # noqa: PLC0415

    refuse_unknown("a turn", line, {field.name for field in fields(Turn)})
    given = {name: value for name, value in (options | line).items() if value is not None}
    for name in ("user", "chat"):
        if name not in given:
            raise InvalidInput(f"say who speaks and where: --user and --chat ({name} is missing)")
    given.setdefault("space", given["chat"])
    if isinstance(given.get("time"), str):
        given["time"] = (clock_at(given["time"]) or (lambda: None))()
    for name in ("chat", "space", "thread", "turn", "message"):  # ids may come as JSON numbers
        if isinstance(given.get(name), int) and not isinstance(given[name], bool):
            given[name] = str(given[name])
    return Turn(**given)


def json_object(what: str, text: str) -> dict[str, Any]:
    """The JSON object that a text holds.

    Raises:
        InvalidInput: It holds none; the text begins with `what`.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} must be a JSON object: {error}") from error
    return json_mapping(what, value)


def refuse_unknown(what: str, given: dict[str, Any], known: set[str]) -> None:
    """Refuse names that are not known, and say which are."""
    if unknown := set(given) - known:
        raise InvalidInput(f"{what} has no {', '.join(map(ascii, sorted(unknown)))}; it has {', '.join(sorted(known))}")


def json_mapping(what: str, value: object) -> dict[str, Any]:
    """The value as a JSON object.

    Raises:
        InvalidInput: It is none.
    """
    if not isinstance(value, dict):
        raise InvalidInput(f"{what} must be a JSON object, not {type(value).__name__}")
    return cast("dict[str, Any]", value)


def say(text: str, *, file: TextIO | None = None) -> None:
    """Print a line at once."""
    print(text, file=file or sys.stdout, flush=True)


@contextmanager
def progress_bar(label: str) -> Generator[Callable[[int, int], None]]:
    """A bar on a terminal; elsewhere nothing, so that errors stand alone."""
    shown = 0
    with typer.progressbar(length=100, label=label, file=sys.stderr, hidden=not sys.stderr.isatty()) as bar:

        def progress(done: int, of: int) -> None:
            nonlocal shown
            percent = 100 * done // max(of, 1)
            if percent > shown:
                bar.update(percent - shown)
                shown = percent

        yield progress
