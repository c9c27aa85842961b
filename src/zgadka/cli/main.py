"""The command line: `zgadka chat`, `call`, `list`, `history`, `undo`, `export`, `import`, `member`, …."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, TextIO, cast

import typer

from zgadka._version import __version__
from zgadka.cli import memories
from zgadka.cli.demo import demo
from zgadka.cli.files import backup, doctor, migrate, restore
from zgadka.cli.mcp import mcp
from zgadka.cli.people import member, person
from zgadka.cli.rollout import rollout
from zgadka.cli.serve import openapi, serve, token
from zgadka.cli.shell import (
    Audience,
    Platform,
    Space,
    Steps,
    json_mapping,
    json_object,
    loudness,
    note,
    over_memory,
    progress_bar,
    readers_may_leave,
    refuse_unknown,
    say,
    shows_bars,
    stop_on_signals,
    turn_of,
)
from zgadka.cli.space import space
from zgadka.cli.work import embed, tasks, worker
from zgadka.errors import InvalidInput, SettingsError, ZgadkaError, extra_for
from zgadka.evals.cli import evals
from zgadka.evals.safety.cli import safety
from zgadka.log import place_of, show_log
from zgadka.text.plural import counted

if TYPE_CHECKING:
    from zgadka.chat.providers import Choice
    from zgadka.engine import Memory

app = typer.Typer(
    name="zgadka",
    help="Long-term memory for chat assistants and bots. The model manages it; the people it is about stay in control.",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help, in half the time
    pretty_exceptions_enable=False,
)
app.add_typer(member, name="member")
app.add_typer(person, name="person")
app.add_typer(space, name="space")
app.add_typer(evals, name="eval")
app.add_typer(tasks, name="tasks")
app.add_typer(rollout, name="rollout")
app.add_typer(token, name="token")
memories.add_to(app)
for command in (demo, mcp, serve, openapi, worker, embed, migrate, backup, restore, doctor):
    app.command()(command)
evals.command()(safety)

Model = Annotated[str | None, typer.Option(help="provider:name; default: chosen by the API keys in the environment.")]
BaseUrl = Annotated[str | None, typer.Option(help="URL of the model server (Ollama, llama.cpp, …).")]
Persona = Annotated[int, typer.Option(help="The persona lineage.")]

USAGE = 2
"""The exit code for a mistake in the command itself."""

# What Typer raises for an unknown option and the like; it exports only this child of it.
_CommandMistake = cast("type[typer.BadParameter]", typer.BadParameter.__base__)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors alone: no notes, no bars.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print the log as well, and where an error arose.")
    ] = False,
) -> None:
    loudness.quiet, loudness.verbose = quiet, verbose
    if verbose:
        show_log()
    if version:
        say(__version__)
        raise typer.Exit


@app.command()
@over_memory(talks=True, embeds=True)
async def chat(
    memory: Memory,
    model: Model = None,
    base_url: BaseUrl = None,
    user: Annotated[str, typer.Option(help="The speaker's ID.")] = "1",
    conversation: Annotated[
        str, typer.Option("--chat", help="The chat ID; an existing chat continues where it left off.")
    ] = "terminal",
    lang: Annotated[str | None, typer.Option(help="en or uk; default: the language of each message.")] = None,
) -> None:
    """Chat with a model that remembers, in a terminal or over a pipe. Without a key, an offline stand-in answers."""
    from zgadka.chat.terminal import run_chat  # noqa: PLC0415

    await run_chat(memory, model=model, base_url=base_url, user=user, chat=conversation, lang=lang)


@app.command()
@over_memory(talks=True, embeds=True)
async def telegram(
    memory: Memory,
    model: Model = None,
    base_url: BaseUrl = None,
    webhook: Annotated[
        str | None, typer.Option(help="Public https:// address for updates; default: ZGADKA_TELEGRAM_WEBHOOK.")
    ] = None,
    listen: Annotated[
        str | None, typer.Option(help="HOST:PORT to listen on for the webhook; default: ZGADKA_TELEGRAM_LISTEN.")
    ] = None,
    persona: Persona = 0,
) -> None:
    """Run a Telegram bot until stopped. ZGADKA_TELEGRAM_TOKEN holds its token."""
    with extra_for("the Telegram bot", "telegram"):
        from zgadka.bots.telegram.wire import run_telegram  # noqa: PLC0415
    settings = memory.settings
    if not settings.telegram_token:
        raise SettingsError("set the bot token from @BotFather: ZGADKA_TELEGRAM_TOKEN=123456:ABC…")
    async with _chosen(model, base_url) as choice:
        await run_telegram(
            memory,
            choice.model,
            token=settings.telegram_token,
            api=settings.telegram_api,
            webhook=settings.telegram_webhook if webhook is None else webhook,
            listen=listen or settings.telegram_listen,
            persona=persona,
            stop=stop_on_signals(),
            ready=lambda how: note(f"{how}; press Ctrl-C to stop"),
        )


@app.command()
@over_memory(clock=True)
async def learn(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A JSON export from Telegram Desktop or DiscordChatExporter.")
    ],
    user: Annotated[list[str] | None, typer.Option(help="Only this person's messages; may be repeated.")] = None,
    ask: Annotated[
        bool, typer.Option("--ask", help="Have the bot ask people about uncertain items; default: drop them.")
    ] = False,
) -> Steps:
    """Learn from an exported chat history and print counts. If you run it again, it reads only new messages."""
    from zgadka.extract.cascade import has_reader  # noqa: PLC0415
    from zgadka.extract.processes import processes_for, rule_processes  # noqa: PLC0415
    from zgadka.transfer.external.chat_history import learn as learn_from  # noqa: PLC0415
    from zgadka.transfer.external.chat_history import read_export  # noqa: PLC0415

    chats = read_export(file)
    count = sum(len(chat.messages) for chat in chats)
    memory = yield
    is_read_twice = has_reader(memory.settings)
    async with rule_processes(processes_for(memory.settings, count), learned=is_read_twice) as processes:
        with typer.progressbar(
            length=count, label=counted(count, "message"), file=sys.stderr, hidden=not shows_bars()
        ) as bar:
            infer = None if processes is None else processes.infer
            learned = await learn_from(memory, chats, users=user or (), ask=ask, infer=infer, progress=bar.update)
    say(json.dumps(learned.as_json()))


@app.command()
@over_memory(talks=True, embeds=True)
async def discord(
    memory: Memory,
    model: Model = None,
    base_url: BaseUrl = None,
    persona: Annotated[int | None, typer.Option(help="The persona lineage; default: ZGADKA_DISCORD_PERSONA.")] = None,
) -> None:
    """Run a Discord bot until stopped. ZGADKA_DISCORD_TOKEN holds its token."""
    with extra_for("the Discord bot", "discord"):
        from zgadka.bots.discord.bot import run_discord  # noqa: PLC0415
    settings = memory.settings
    if not settings.discord_token:
        raise SettingsError("no token: set ZGADKA_DISCORD_TOKEN to the bot's token from discord.com/developers")
    lineage = settings.discord_persona if persona is None else persona
    async with _chosen(model, base_url) as choice:
        await run_discord(memory, choice.model, token=settings.discord_token, persona=lineage, stop=stop_on_signals())


@app.command()
@over_memory(talks=True, embeds=True)
async def bot(
    memory: Memory,
    name: Annotated[str, typer.Argument(help="The name that the package gives its bot.")],
    model: Model = None,
    base_url: BaseUrl = None,
) -> None:
    """Run a bot of another installed package until stopped."""
    from zgadka.extensions import extension, extension_names  # noqa: PLC0415

    run = extension("bots", name)
    if run is None:
        installed = ", ".join(extension_names("bots")) or "none"
        raise InvalidInput(f"no installed package has a bot {name!r}; there are: {installed} (and telegram, discord)")
    async with _chosen(model, base_url) as choice:
        await run(memory, choice.model, stop_on_signals())


def _chosen(model: str | None, base_url: str | None) -> Choice:
    from zgadka.chat.providers import choose_model  # noqa: PLC0415

    choice = choose_model(model, base_url=base_url, asks=False)
    if choice.offline:
        warning = (
            "no API key for a model is set: an offline stand-in answers, which is not a language model; "
            "for a real one, set GEMINI_API_KEY, OPENAI_API_KEY or ANTHROPIC_API_KEY and start again"
        )
        note(warning)
    return choice


@app.command()
@over_memory(clock=True)
async def call(
    tool: Annotated[str | None, typer.Argument(help="The tool name.")] = None,
    arguments: Annotated[
        str | None, typer.Argument(metavar="JSON", help="The tool arguments as a JSON object.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="The speaker's ID on the platform.")] = None,
    chat: Annotated[str | None, typer.Option(help="The chat ID.")] = None,
    space: Space = None,
    platform: Platform = "telegram",
    turn: Annotated[
        str | None, typer.Option(help="Unique ID of the turn; a deletion must be confirmed in a later turn.")
    ] = None,
    thread: Annotated[str | None, typer.Option(help="The thread within the chat.")] = None,
    persona: Persona = 0,
    direct: Annotated[bool, typer.Option("--direct", help="The chat has only the speaker and the bot.")] = False,
    audience: Audience = None,
    text: Annotated[str | None, typer.Option(help="What the speaker wrote.")] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help='Read one {"tool":…, "args":{…}, "turn":{…}} per line from standard input.'),
    ] = False,
) -> Steps:
    """Call a tool as a model would, and print its JSON result."""
    from zgadka.settings import Settings  # noqa: PLC0415  (`zgadka --help` needs no settings, and no tools)
    from zgadka.tools.registry import registry_of  # noqa: PLC0415

    options = {
        "platform": platform,
        "space": space,
        "chat": chat,
        "user": user,
        "turn": turn,
        "thread": thread,
        "persona": persona,
        "direct": direct,
        "audience": audience or None,
        "text": text,
    }
    if lines:
        if tool is not None:
            raise InvalidInput("--lines reads tools from standard input; do not name one")
        await _call_lines((yield), options)
        return
    if tool is None:
        raise InvalidInput("name a tool, or use --lines")
    spoken, checked = turn_of(options, {}), json_object("the arguments", arguments or "{}")
    name = registry_of(Settings.load())[tool].name  # an unknown tool is a mistake in the command
    memory = yield
    say((await memory.call(name, checked, spoken)).json())


async def _call_lines(memory: Memory, options: dict[str, Any]) -> None:
    # Bytes that are no UTF-8 spoil their own line, not the others.
    given_lines = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", errors="surrogateescape")
    mistakes = 0
    for number, line in enumerate(given_lines, 1):
        if not line.strip():
            continue
        try:
            request = json_object(f"line {number}", line)
            refuse_unknown(f"line {number}", request, {"tool", "args", "turn"})
            arguments = json_mapping(f"line {number}: args", request.get("args", {}))
            turn = turn_of(options, json_mapping(f"line {number}: turn", request.get("turn", {})))
            tool = memory.tools[str(request.get("tool", ""))]
            result = (await memory.call(tool.name, arguments, turn)).json()
        except InvalidInput as error:
            mistakes += 1
            result = json.dumps({"status": "error", "message": str(error)}, ensure_ascii=False)
        say(result)
    if mistakes:
        raise InvalidInput(f"{mistakes} of the lines are invalid")


@app.command()
@over_memory(clock=True, reads=True)
async def export(
    memory: Memory,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A new file, for you alone to read; default: standard output.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Export only this person's data: their ID on the platform.")] = None,
    platform: Platform = "telegram",
) -> None:
    """Export all data, or one person's, as JSON Lines."""
    from zgadka.model.token import SHELL  # noqa: PLC0415
    from zgadka.transfer.export import export_person, export_store  # noqa: PLC0415

    turn = None if user is None else turn_of({"platform": platform, "chat": user, "user": user, "direct": True}, {})
    await memory.permit("read_anything" if turn is None else "read_person", turn, SHELL, about="export")
    counts = await memory.look(lambda tx: tx.maintenance.counts())
    # A memory has a message that it was made from, or hardly more.
    expected = sum(counts[name] for name in _LINES) + sum(counts[name] for name in _MEMORIES)
    with _written(file) as lines, progress_bar("exporting") as progress:
        written = 0

        def write(line: str) -> None:
            nonlocal written
            written += 1
            lines.write(line + "\n")
            progress(min(written, expected), expected)

        if user is None:
            await memory.look(export_store, write)
        else:
            for line in await memory.look(export_person, platform, user):
                write(line)


_MEMORIES = ("facts", "notes", "episodes", "relations", "archived")
_LINES = (*_MEMORIES, "people", "spaces", "events", "questions", "messages")


@contextmanager
def _written(file: Path | None) -> Generator[TextIO]:
    """Standard output, or a new file that nobody else reads, and that is there only if all of it was written."""
    if file is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InvalidInput(f"cannot write {str(file)!a}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as lines:
            yield lines
    except BaseException:
        file.unlink()
        raise


@app.command(name="import")
@over_memory(clock=True)
async def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to import; - for standard input.")],
    source: Annotated[
        str, typer.Option("--from", help="zgadka, chatgpt, claude, gryag, langgraph, mcp-memory or mem0.")
    ] = "zgadka",
    user: Annotated[
        list[str] | None,
        typer.Option(help="With --from: the person the file is about; NAME=ID maps a name in the file to an ID."),
    ] = None,
    platform: Platform = "telegram",
    space: Annotated[
        str | None,
        typer.Option(help="Space in which the memories are visible; default: as in the file, else the direct chat."),
    ] = None,
    persona: Persona = 0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Report what would be imported, without changing anything.")
    ] = False,
) -> Steps:
    """Import what the database does not have yet. Existing memories are never changed."""
    from zgadka.transfer.external.apply import Target, check_source, import_from, parse_people  # noqa: PLC0415
    from zgadka.transfer.import_reader import FileLines  # noqa: PLC0415

    if source == "zgadka" and (user or space or persona):
        raise InvalidInput("zgadka exports already name the owners: use --user, --space and --persona only with --from")
    own_id, named = parse_people(user or [])
    target = Target(user=own_id, named=named, platform=platform, space=space, persona=persona)
    if source == "zgadka":
        with _opened(file) as opened:
            memory = yield
            with progress_bar("importing") as progress:
                report = await memory.import_lines(FileLines(opened, progress), dry_run=dry_run)
    else:
        check_source(source, Path(file))
        memory = yield
        with typer.progressbar(label="reading", file=sys.stderr, length=0, hidden=not shows_bars()) as bar:
            report = await import_from(memory, source, Path(file), target, dry_run=dry_run, progress=bar.update)
    say(json.dumps(report.as_json(), ensure_ascii=False))


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
    except ZgadkaError as error:
        if loudness.verbose:
            say(place_of(error), file=sys.stderr)
        say(f"zgadka: {error}", file=sys.stderr)
        sys.exit(USAGE if isinstance(error, InvalidInput | SettingsError) else 1)
    except typer.Abort:  # Ctrl-C, or nothing more to read, at a question
        say("zgadka: nothing was done", file=sys.stderr)
        sys.exit(1)
