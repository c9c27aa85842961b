"""The commands about the REST API: `zgadka serve`, `zgadka openapi`, `zgadka token …`."""

from __future__ import annotations

import gc
import json
import sys
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from zgadka.cli.shell import Db, Steps, over_memory, say, stop_on_signals, with_memory
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
    """Serve the REST API, and MCP at /mcp if it is installed, until stopped."""
    with extra_for("the server", "serve"):
        from zgadka.web.server import new_loop  # noqa: PLC0415  (`zgadka --help` needs no server)
        from zgadka.web.server import serve as run  # noqa: PLC0415

    def ready(address: str) -> None:
        gc.freeze()  # what is loaded stays: looking through it for garbage again and again holds up calls
        say(f"serving at {address}; press Ctrl-C to stop", file=sys.stderr)

    async def work(memory: Memory) -> None:
        await run(
            memory,
            listen=listen or memory.settings.serve_listen,
            authenticates=not no_auth,
            stop=stop_on_signals(),
            ready=ready,
            make_mcp=_mcp(memory),
        )

    with_memory(db, None, work, talks=True, new_loop=new_loop)


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
    token_row, text = await memory.apply(add_token, grant, None if days is None else timedelta(days=days))
    say(f"token {token_row.grant.token}; save it now, it is not shown again:", file=sys.stderr)
    say(text)


@token.command("list")
@over_memory(clock=True, background=False)
async def list_(memory: Memory) -> None:
    """List tokens: ID, role, expiry, scope and label."""
    for listed in await memory.look(lambda tx: tx.tokens.list()):
        say(_line(listed))


@token.command()
@over_memory(background=False)
async def revoke(memory: Memory, number: Annotated[int, typer.Argument(metavar="ID", help="The token ID.")]) -> None:
    """Revoke a token. A running server notices within five seconds."""
    from zgadka.ops.tokens import revoke_token  # noqa: PLC0415  (as in `serve`)

    if not await memory.apply(revoke_token, number):
        raise InvalidInput(f"there is no token {number}")
    say(f"revoked token {number}")


def _line(listed: Token) -> str:
    grant = listed.grant
    bounds = [
        *(f"platform {name}" for name in grant.platforms),
        *(f"space {name}" for name in grant.spaces),
        *(f"user {name}" for name in grant.people),
        *(["no direct chats"] if grant.role == "service" and (grant.spaces or not grant.direct) else []),
        *(["reads"] if grant.reads else []),
    ]
    until = "no expiry" if listed.expires_at is None else f"until {listed.expires_at:%Y-%m-%d %H:%M}"
    return "  ".join(filter(None, [f"{grant.token:4} {grant.role:8} {until}", ", ".join(bounds), grant.label]))
