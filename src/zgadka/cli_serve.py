"""The commands about the REST API: `zgadka serve`, `zgadka openapi`, `zgadka token …`."""

from __future__ import annotations

import gc
import json
import sys
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.errors import InvalidInput, MissingExtra
from zgadka.shell import Db, Now, say, stop_on_signals, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.token import Token
    from zgadka.web.app import MakeMcp

Platforms = Annotated[list[str] | None, typer.Option("--platform", help="Only this platform; may be repeated.")]
Spaces = Annotated[list[str] | None, typer.Option("--space", help="Only this space; may be repeated.")]
Users = Annotated[list[str] | None, typer.Option("--user", help="Only this person; may be repeated.")]

token = typer.Typer(help="Let bots, people and operators in by the REST API.", no_args_is_help=True)


def serve(
    listen: Annotated[str | None, typer.Option(help="HOST:PORT; default: ZGADKA_SERVE_LISTEN.")] = None,
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Ask for no token; every program on this machine may do anything.")
    ] = False,
    db: Db = None,
) -> None:
    """Serve the REST API, and MCP at /mcp where it is installed, until stopped."""
    try:
        from zgadka.web.server import new_loop  # noqa: PLC0415  (`zgadka --help` needs no server)
        from zgadka.web.server import serve as run  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtra("the server", "serve") from error

    def ready(address: str) -> None:
        gc.freeze()  # what is loaded stays: looking through it for garbage again and again holds up calls
        say(f"serving at {address}; Ctrl-C ends it", file=sys.stderr)

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
        from zgadka.adapters.mcp_http import McpOverHttp  # noqa: PLC0415  (as in `serve`)
    except ImportError:
        return None
    return partial(McpOverHttp, memory, tier=memory.settings.mcp_tier, hosts=None)  # the guard checks the hosts


def openapi() -> None:
    """Print the OpenAPI description of the REST API."""

    async def show(memory: Memory) -> None:
        try:
            from zgadka.web.app import build_app, describe  # noqa: PLC0415  (as in `serve`)
        except ImportError as error:
            raise MissingExtra("the server", "serve") from error
        say(json.dumps(describe(build_app(memory).api), ensure_ascii=False))

    with_memory("sqlite://:memory:", None, show, background=False)


@token.command()
def add(
    role: Annotated[str, typer.Argument(help="service: a bot; person: one person; operator: upkeep.")],
    label: Annotated[str, typer.Option(help="Your word for it.")] = "",
    platform: Platforms = None,
    space: Spaces = None,
    user: Users = None,
    direct: Annotated[
        bool | None,
        typer.Option("--direct/--no-direct", help="Whether direct chats too; default: unless --space is given."),
    ] = None,
    reads: Annotated[bool, typer.Option("--reads", help="Let an operator read what people are remembered by.")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=36_500, help="How long it is good for.")] = None,
    db: Db = None,
    now: Now = None,
) -> None:
    """Make a token and print it; it is shown this once."""
    from zgadka.model.token import Grant, token_role  # noqa: PLC0415  (as in `serve`)
    from zgadka.ops.tokens import add_token  # noqa: PLC0415

    grant = Grant(
        token=0,
        role=token_role(role),
        label=label,
        platforms=tuple(platform or ()),
        spaces=tuple(space or ()),
        people=tuple(user or ()),
        direct=not space if direct is None else direct,
        reads=reads,
    )

    async def act(memory: Memory) -> None:
        lasts = None if days is None else timedelta(days=days)
        made, text = await memory.apply(add_token, grant, lasts)
        say(f"token {made.grant.token}; keep it, it is not shown again:", file=sys.stderr)
        say(text)

    with_memory(db, now, act, background=False)


@token.command("list")
def list_(db: Db = None, now: Now = None) -> None:
    """List tokens: id, role, what they are bound to, label, and until when they are good."""
    from zgadka.stores.tx import Tx  # noqa: PLC0415  (as in `serve`)

    async def show(memory: Memory) -> None:
        for one in await memory.look(Tx.tokens):
            say(_line(one))

    with_memory(db, now, show, background=False)


@token.command()
def revoke(number: Annotated[int, typer.Argument(metavar="ID", help="The token's id.")], db: Db = None) -> None:
    """Let a token open nothing any more; a running server knows within five seconds."""
    from zgadka.ops.tokens import revoke_token  # noqa: PLC0415  (as in `serve`)

    async def act(memory: Memory) -> None:
        if not await memory.apply(revoke_token, number):
            raise InvalidInput(f"there is no token {number}")
        say(f"revoked token {number}")

    with_memory(db, None, act, background=False)


def _line(one: Token) -> str:
    grant = one.grant
    bounds = [
        *(f"platform {name}" for name in grant.platforms),
        *(f"space {name}" for name in grant.spaces),
        *(f"user {name}" for name in grant.people),
        *(["no direct chats"] if grant.role == "service" and not grant.direct else []),
        *(["reads"] if grant.reads else []),
    ]
    until = "for ever" if one.expires_at is None else f"until {one.expires_at:%Y-%m-%d %H:%M}"
    return "  ".join(filter(None, [f"{grant.token:4} {grant.role:8} {until}", ", ".join(bounds), grant.label]))
