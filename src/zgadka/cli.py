"""The command line: `zgadka chat`, `call`, `list`, `history`, `undo`, `export`, `import`, `member`, …."""

from __future__ import annotations

import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, cast

import typer

from zgadka._version import __version__
from zgadka.cli_files import backup, doctor, migrate, restore
from zgadka.cli_mcp import mcp
from zgadka.cli_people import member, person
from zgadka.cli_rollout import rollout
from zgadka.cli_serve import openapi, serve, token
from zgadka.cli_work import embed, tasks, worker
from zgadka.errors import InvalidInput, MissingExtra, SettingsError, ZgadkaError
from zgadka.evals.cli import evals
from zgadka.evals.safety.cli import safety
from zgadka.shell import (
    Db,
    Now,
    Platform,
    Space,
    json_mapping,
    json_object,
    readers_may_leave,
    refuse_unknown,
    say,
    stop_on_signals,
    turn_of,
    with_memory,
)
from zgadka.text.clean import preview

if TYPE_CHECKING:
    from zgadka.engine import Memory

app = typer.Typer(
    name="zgadka",
    help="Long-term memory for chat assistants and bots: the model manages it, the people it is about stay in control.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # plain help, in half the time
    pretty_exceptions_enable=False,
)
app.add_typer(member, name="member")
app.add_typer(person, name="person")
app.add_typer(evals, name="eval")
app.add_typer(tasks, name="tasks")
app.add_typer(rollout, name="rollout")
app.add_typer(token, name="token")
for command in (mcp, serve, openapi, worker, embed, migrate, backup, restore, doctor):
    app.command()(command)
evals.command()(safety)

MemoryId = Annotated[int, typer.Argument(metavar="ID", help="The memory's id.")]

USAGE = 2
"""The exit code for a mistake in the command itself."""

# What Typer raises for an unknown option and the like; it exports only this child of it.
_CommandMistake = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        say(__version__)
        raise typer.Exit


@app.command()
def chat(
    model: Annotated[str | None, typer.Option(help="provider:name; default: by the keys in the environment.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The model server's address (Ollama, llama.cpp, …).")] = None,
    user: Annotated[str, typer.Option(help="Who speaks.")] = "1",
    conversation: Annotated[str, typer.Option("--chat", help="The chat; the same goes on where it was left.")] = (
        "terminal"
    ),
    lang: Annotated[str | None, typer.Option(help="en or uk; default: the language of each message.")] = None,
    db: Db = None,
) -> None:
    """Talk, in the terminal or over a pipe, with a model that remembers; without a key, with an offline stand-in."""

    async def talk(memory: Memory) -> None:
        from zgadka.chat.terminal import run_chat  # noqa: PLC0415

        code = await run_chat(memory, model=model, base_url=base_url, user=user, chat=conversation, lang=lang)
        if code:
            raise typer.Exit(code)

    with_memory(db, None, talk, talks=True)


@app.command()
def telegram(
    model: Annotated[str | None, typer.Option(help="provider:name; default: by the keys in the environment.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The model server's address (Ollama, llama.cpp, …).")] = None,
    webhook: Annotated[
        str | None, typer.Option(help="Public https:// address for updates; default: ZGADKA_TELEGRAM_WEBHOOK.")
    ] = None,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT of the webhook here; default: ZGADKA_TELEGRAM_LISTEN.")
    ] = None,
    persona: Annotated[int, typer.Option(help="The persona lineage.")] = 0,
    db: Db = None,
) -> None:
    """Be a Telegram bot until stopped; the token is ZGADKA_TELEGRAM_TOKEN."""

    async def serve(memory: Memory) -> None:
        try:
            from zgadka.adapters.telegram import run_telegram  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("the Telegram bot", "telegram") from error
        from zgadka.chat.providers import choose_model  # noqa: PLC0415

        settings = memory.settings
        if not settings.telegram_token:
            raise SettingsError("give the bot's token, from @BotFather: ZGADKA_TELEGRAM_TOKEN=123456:ABC…")
        async with choose_model(model, base_url=base_url) as choice:
            if choice.offline:
                say("no model has a key: an offline stand-in answers, which is no language model", file=sys.stderr)
            await run_telegram(
                memory,
                choice.model,
                token=settings.telegram_token,
                api=settings.telegram_api,
                webhook=settings.telegram_webhook if webhook is None else webhook,
                listen=listen or settings.telegram_listen,
                persona=persona,
                stop=stop_on_signals(),
                ready=lambda how: say(f"{how}; Ctrl-C ends it", file=sys.stderr),
            )

    with_memory(db, None, serve, talks=True)


@app.command()
def learn(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON of Telegram Desktop or DiscordChatExporter.")],
    user: Annotated[list[str] | None, typer.Option(help="Only this person's messages; may be repeated.")] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Have the bot ask people about what is uncertain; default: drop it.")
    ] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Learn from a chat's history; a second time, only what is new in it. Prints what came of it, in numbers."""
    from zgadka.adapters.history import learn as learn_from  # noqa: PLC0415
    from zgadka.adapters.history import read_export  # noqa: PLC0415

    chats = read_export(file)
    count = sum(len(chat.messages) for chat in chats)

    async def act(memory: Memory) -> None:
        with typer.progressbar(length=count, label=f"{count} messages", file=sys.stderr) as bar:
            learned = await learn_from(memory, chats, users=user or (), ask=ask, progress=bar.update)
        say(json.dumps(learned.as_json()))

    with_memory(db, now, act)


@app.command()
def discord(
    model: Annotated[str | None, typer.Option(help="provider:name; default: by the keys in the environment.")] = None,
    base_url: Annotated[str | None, typer.Option(help="The model server's address (Ollama, llama.cpp, …).")] = None,
    persona: Annotated[int | None, typer.Option(help="The persona lineage; default: ZGADKA_DISCORD_PERSONA.")] = None,
    db: Db = None,
) -> None:
    """Be a Discord bot until stopped; the token is ZGADKA_DISCORD_TOKEN."""

    async def serve(memory: Memory) -> None:
        try:
            from zgadka.adapters.discord_bot import run_discord  # noqa: PLC0415
        except ImportError as error:
            raise MissingExtra("the Discord bot", "discord") from error
        settings = memory.settings
        lineage = settings.discord_persona if persona is None else persona
        await run_discord(
            memory,
            settings.discord_token,
            persona=lineage,
            model=model,
            base_url=base_url,
            stop=stop_on_signals(),
        )

    with_memory(db, None, serve, talks=True)


@app.command()
def call(
    tool: Annotated[str | None, typer.Argument(help="The tool's name.")] = None,
    arguments: Annotated[str | None, typer.Argument(metavar="JSON", help="Its arguments as a JSON object.")] = None,
    user: Annotated[str | None, typer.Option(help="Who speaks: the platform's id.")] = None,
    chat: Annotated[str | None, typer.Option(help="The chat.")] = None,
    space: Space = None,
    platform: Platform = "telegram",
    turn: Annotated[
        str | None, typer.Option(help="The turn's unique id; a deletion is confirmed in a later one.")
    ] = None,
    thread: Annotated[str | None, typer.Option(help="The thread inside the chat.")] = None,
    persona: Annotated[int, typer.Option(help="The persona lineage.")] = 0,
    direct: Annotated[bool, typer.Option("--direct", help="Only the speaker and the bot are in the chat.")] = False,
    text: Annotated[str | None, typer.Option(help="What the speaker wrote.")] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help='Read one {"tool":…, "args":{…}, "turn":{…}} a line from standard input.'),
    ] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Call a tool as a model would, and print its JSON result."""
    given = {
        "platform": platform,
        "space": space,
        "chat": chat,
        "user": user,
        "turn": turn,
        "thread": thread,
        "persona": persona,
        "direct": direct,
        "text": text,
    }
    if lines:
        if tool is not None:
            raise InvalidInput("--lines reads the tools from standard input; name none")
        with_memory(db, now, lambda memory: _call_lines(memory, given))
        return
    if tool is None:
        raise InvalidInput("name a tool, or give --lines")
    spoken = turn_of(given, {})
    checked = json_object("the arguments", arguments or "{}")

    async def one(memory: Memory) -> None:
        memory.tools[tool]  # an unknown tool is a mistake in the command
        say((await memory.call(tool, checked, spoken)).json())

    with_memory(db, now, one)


async def _call_lines(memory: Memory, given: dict[str, Any]) -> None:
    # Bytes that are no UTF-8 spoil their own line, not the others.
    given_lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape")
    mistakes = 0
    for number, line in enumerate(given_lines, 1):
        if not line.strip():
            continue
        try:
            asked = json_object(f"line {number}", line)
            refuse_unknown(f"line {number}", asked, {"tool", "args", "turn"})
            arguments = json_mapping(f"line {number}: args", asked.get("args", {}))
            turn = turn_of(given, json_mapping(f"line {number}: turn", asked.get("turn", {})))
            tool = memory.tools[str(asked.get("tool", ""))]
            result = (await memory.call(tool.name, arguments, turn)).json()
        except InvalidInput as error:
            mistakes += 1
            result = json.dumps({"status": "error", "message": str(error)}, ensure_ascii=False)
        say(result)
    if mistakes:
        raise InvalidInput(f"{mistakes} of the lines could not be understood")


@app.command(name="list")
def list_(
    user: Annotated[str | None, typer.Option(help="Only this person's.")] = None,
    space: Annotated[str | None, typer.Option("--space", "--chat", help="Only what may be seen in this space.")] = None,
    platform: Annotated[str | None, typer.Option(help="Only of this platform.")] = None,
    archived: Annotated[bool, typer.Option("--all", help="Also what was forgotten or merged.")] = False,
    db: Db = None,
) -> None:
    """List what is remembered, as its operator."""
    from zgadka.ops.inspect import inventory  # noqa: PLC0415

    async def show(memory: Memory) -> None:
        kept = await memory.look(inventory, platform=platform, user=user, space=space, archived=archived)
        for one in kept:
            place = "everywhere" if one.space is None else f"in {one.space.name}"
            mark = " (archived)" if one.memory.archived else ""
            kind = one.memory.type or one.memory.kind
            whose = f"{one.owner.platform}:{one.owner.name}"
            say(f"ID:{one.memory.id}  {whose} {place}  {kind}  {preview(one.memory.text)}{mark}")
        say(f"{len(kept)} memories", file=sys.stderr)

    with_memory(db, None, show)


@app.command()
def history(memory_id: MemoryId, db: Db = None) -> None:
    """Show what happened to a memory: when, who, what, why, before and after."""
    from zgadka.ops.inspect import trail  # noqa: PLC0415

    async def show(memory: Memory) -> None:
        events = await memory.look(trail, memory_id)
        for event in events:
            before = "–" if event.before is None else preview(event.before.text)
            after = "–" if event.after is None else preview(event.after.text)
            why = f" ({event.reason})" if event.reason else ""
            say(f"{event.number}. {event.at:%Y-%m-%d %H:%M:%S} {event.actor} {event.action}{why}: {before} → {after}")
        if not events:
            raise InvalidInput(f"no memory ever had the id {memory_id}")

    with_memory(db, None, show)


@app.command()
def undo(memory_id: MemoryId, db: Db = None, now: Now = None) -> None:
    """Take back a memory's last change, within the undo window."""
    from zgadka.model.outcome import Changed, Conflict, NotFound, Refused  # noqa: PLC0415
    from zgadka.ops.inspect import undo as take_back  # noqa: PLC0415

    async def act(memory: Memory) -> None:
        outcome = await memory.apply(take_back, memory_id)
        match outcome:
            case Changed(changed):
                say(f"Undone: ID:{changed.id} {changed.text}")
            case NotFound():
                raise InvalidInput(f"no memory ever had the id {memory_id}")
            case Conflict(other):
                raise InvalidInput(f"not undone: {other.text!r} (ID:{other.id}) stands in its place now")
            case Refused(reason):
                raise InvalidInput(f"not undone: {reason}")

    with_memory(db, now, act)


@app.command()
def export(
    user: Annotated[str | None, typer.Option(help="Only what is this person's: the platform's id.")] = None,
    platform: Platform = "telegram",
    db: Db = None,
    now: Now = None,
) -> None:
    """Print everything that is kept, or all that is one person's, one JSON object a line."""
    from zgadka.ops.export import export_person, export_store  # noqa: PLC0415

    async def show(memory: Memory) -> None:
        if user is None:
            await memory.look(export_store, _write_line)
        else:
            for line in await memory.look(export_person, platform, user):
                _write_line(line)
        sys.stdout.flush()

    with_memory(db, now, show)


@app.command(name="import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An export; - for standard input.")],
    source: Annotated[
        str, typer.Option("--from", help="zgadka, chatgpt, claude, gryag, langgraph, mcp-memory or mem0.")
    ] = "zgadka",
    user: Annotated[
        list[str] | None,
        typer.Option(help="Of another program's file: the person it is about; NAME=ID for one whom it names NAME."),
    ] = None,
    platform: Platform = "telegram",
    space: Annotated[
        str | None, typer.Option(help="Where it may be seen; default: where the file says, else the direct chat.")
    ] = None,
    persona: Annotated[int, typer.Option(help="The persona lineage.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Add what an export holds and the database does not; what is there already is never changed."""
    if source != "zgadka":
        _import_from(
            source, file, user or [], {"platform": platform, "space": space, "persona": persona}, db, now, dry_run
        )
        return
    if user or space or persona:
        raise InvalidInput("zgadka's own exports say whose everything is: --user, --space and --persona go with --from")

    async def read(memory: Memory) -> None:
        with _opened(file) as opened:
            report = await memory.import_lines(_Lines(opened), dry_run=dry_run)
        say(json.dumps(report.as_json()))

    with_memory(db, now, read)


def _import_from(
    source: str, file: str, users: list[str], where: dict[str, Any], db: str | None, now: str | None, dry_run: bool
) -> None:
    from zgadka.adapters.importers.apply import Whose, people_given  # noqa: PLC0415
    from zgadka.adapters.importers.formats import import_from  # noqa: PLC0415

    user, named = people_given(users)
    whose = Whose(user=user, named=named, **where)

    async def read(memory: Memory) -> None:
        with typer.progressbar(label="reading", file=sys.stderr, length=0, hidden=not sys.stderr.isatty()) as bar:
            report = await import_from(memory, source, Path(file), whose, dry_run=dry_run, progress=bar.update)
        say(json.dumps(report.as_json(), ensure_ascii=False))

    with_memory(db, now, read)


class _Lines:
    """The lines of a file, each time from the beginning; of one that is too long, only the beginning."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source

    def __iter__(self) -> Iterator[bytes]:
        from zgadka.ops.reading import LONGEST_LINE  # noqa: PLC0415

        self._source.seek(0)
        while line := self._source.readline(LONGEST_LINE + 1):
            yield line


def _opened(name: str) -> IO[bytes]:
    """The file, or a copy of what cannot be read twice; nobody else sees the copy."""
    try:
        source = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: SIM115  (the caller closes it)
        if name != "-" and source.seekable():
            return source
        copy = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115  (as above)
        shutil.copyfileobj(source, copy)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"cannot read {name!a}: {error}") from error
    return copy


def _write_line(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    """Run the command line; mistakes in the command end with code 2, failures with 1."""
    for stream in (sys.stdout, sys.stderr):  # JSON is UTF-8, whatever the locale; and nothing may fail to print
        cast("io.TextIOWrapper[Any]", stream).reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(app(standalone_mode=False))
    except _CommandMistake as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # Typer does not export it; `zgadka` alone is asking for help
            with readers_may_leave():
                say(error.format_message())
        else:
            say(f"zgadka: {error.format_message()}", file=sys.stderr)
        sys.exit(USAGE)
    except (InvalidInput, SettingsError) as error:
        say(f"zgadka: {error}", file=sys.stderr)
        sys.exit(USAGE)
    except (ZgadkaError, MissingExtra) as error:
        say(f"zgadka: {error}", file=sys.stderr)
        sys.exit(1)
