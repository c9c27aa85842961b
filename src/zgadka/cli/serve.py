"""The commands about the REST API: `zgadka serve`, `zgadka openapi`, `zgadka token …`."""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO, get_args

import typer

from zgadka.cli.shell import Db, Steps, note, over_memory, say, stop_on_signals, with_memory
from zgadka.errors import InvalidInput, extra_for

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.token import Token
    from zgadka.web.app import MakeMcp

Platforms = Annotated[list[str] | None, typer.Option("--platform", help="Only this platform; may be repeated.")]
Spaces = Annotated[list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")]
Users = Annotated[list[str] | None, typer.Option("--user", help="Only this person; may be repeated.")]

token = typer.Typer(help="Manage the access tokens of bots, people and operators.", no_args_is_help=True)


def serve(
    listen: Annotated[str | None, typer.Option(help="HOST:PORT; default: ZGADKA_SERVE_LISTEN.")] = None,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Require no token: every program on this machine can do anything.")
    ] = False,
    db: Db = None,
) -> None:
    """Serve the REST API and the dashboard until stopped. Also serves MCP at /mcp, if it is installed."""
    with extra_for("the server", "serve"):
        from zgadka.web.server import new_loop  # noqa: PLC0415  (`zgadka --help` needs no server)
        from zgadka.web.server import serve as run  # noqa: PLC0415

    def ready(address: str) -> None:
        gc.freeze()  # what is loaded stays: looking through it for garbage again and again holds up calls
        note(f"serving at {address}; press Ctrl-C to stop")

    async def work(memory: Memory) -> None:
        await run(
            memory,
            listen=listen or memory.settings.serve_listen,
            authenticates=not no_auth,
            stop=stop_on_signals(),
            ready=ready,
            make_mcp=_mcp(memory),
        )

    with_memory(db, None, work, talks=True, embeds=True, new_loop=new_loop)


def _mcp(memory: Memory) -> MakeMcp | None:
    """What makes MCP over HTTP; None where it is not installed, for it is another extra."""
    try:
        from zgadka.mcp.http import McpOverHttp  # noqa: PLC0415  (as in `serve`)
    except ImportError:
        return None
    return partial(McpOverHttp, memory, tier=memory.settings.mcp_tier, hosts=None)  # the guard checks the hosts


def openapi() -> None:
    """Print the OpenAPI description of the REST API."""

    async def show(memory: Memory) -> None:
        with extra_for("the server", "serve"):
            from zgadka.web.app import build_app, describe  # noqa: PLC0415  (as in `serve`)
        say(json.dumps(describe(build_app(memory).api), ensure_ascii=False))

    with_memory("sqlite://:memory:", None, show, background=False)


@token.command()
@over_memory(clock=True, background=False)
async def add(
    role: Annotated[str, typer.Argument(help="service (a bot), person (one person) or operator (administration).")],
    label: Annotated[str, typer.Option(help="Your label for the token.")] = "",
    platform: Platforms = None,
    space: Spaces = None,
    user: Users = None,
    direct: Annotated[
        bool | None,
        typer.Option("--direct/--no-direct", help="Include direct chats; default: yes; never with --space."),
    ] = None,
    reads: Annotated[bool, typer.Option("--reads", help="Let an operator read people's memories.")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="Days until the token expires.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the token to a new file that only you can read, instead of printing it."
        ),
    ] = None,
) -> Steps:
    """Create a token and print it. It is shown only once."""
    from zgadka.model.check import choice  # noqa: PLC0415  (as in `serve`)
    from zgadka.model.token import Grant, TokenRole  # noqa: PLC0415
    from zgadka.ops.tokens import add_token  # noqa: PLC0415

    if space and direct:
        raise InvalidInput("a token for a space reaches no direct chats: give --space or --direct")
    grant = Grant(
        token=0,
        role=choice("role", role, get_args(TokenRole)),
        label=label,
        platforms=tuple(platform or ()),
        spaces=tuple(space or ()),
        people=tuple(user or ()),
        direct=not space if direct is None else direct,
        reads=reads,
    )
    memory = yield
    lasts = None if days is None else timedelta(days=days)
    if file is None:
        token_row, text = await memory.apply(add_token, grant, lasts)
        say(f"token {token_row.grant.token}; save it now, it is not shown again:", file=sys.stderr)
        say(text)
        return
    with _private(file) as written:
        token_row, text = await memory.apply(add_token, grant, lasts)
        written.write(f"{text}\n")
    say(f"token {token_row.grant.token} is in {file}", file=sys.stderr)


@token.command("list")
@over_memory(clock=True, background=False)
async def list_(
    memory: Memory,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON: one object per line.")] = False,
) -> None:
    """List tokens: ID, role, expiry, what each can do, and label."""
    for listed in await memory.look(lambda tx: tx.tokens.list()):
        if listed.grant.kind == "token":
            say(_json(listed) if as_json else _line(listed))


@token.command()
@over_memory(background=False)
async def revoke(memory: Memory, number: Annotated[int, typer.Argument(metavar="ID", help="The token ID.")]) -> None:
    """Revoke a token. A running server notices within five seconds."""
    from zgadka.ops.tokens import revoke_token  # noqa: PLC0415  (as in `serve`)

    if not await memory.apply(revoke_token, number):
        raise InvalidInput(f"there is no token {number}")
    say(f"revoked token {number}")


@contextmanager
def _private(path: Path) -> Generator[TextIO]:
    """A new file that only its owner can read, whatever the umask; gone when what fills it fails."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise InvalidInput(f"cannot make the file {str(path)!r}: {error.strerror}") from error
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _json(listed: Token) -> str:
    grant, until = listed.grant, listed.expires_at
    told = {
        "id": grant.token,
        "role": grant.role,
        "label": grant.label,
        "expires_at": None if until is None else until.isoformat(timespec="seconds"),
        "platforms": grant.platforms,
        "spaces": grant.spaces,
        "people": grant.people,
        "direct": grant.direct,
        "reads": grant.reads,
    }
    return json.dumps(told, ensure_ascii=False)


def _line(listed: Token) -> str:
    from zgadka.ops.allow import in_words  # noqa: PLC0415  (as in `serve`)

    grant = listed.grant
    until = "no expiry" if listed.expires_at is None else f"until {listed.expires_at:%Y-%m-%d %H:%M}"
    return "  ".join(filter(None, [f"{grant.token:4} {grant.role:8} {until}", in_words(grant), grant.label]))
