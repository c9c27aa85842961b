"""The command `zgadka mcp`."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from zgadka.errors import InvalidInput, MissingExtra
from zgadka.shell import Db, say, stop_on_signals, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.turn import Turn
    from zgadka.settings import McpTier


def mcp(
    tier: Annotated[
        str | None, typer.Option(help="Which tools: minimal, standard or full; default: ZGADKA_MCP_TIER.")
    ] = None,
    user: Annotated[str | None, typer.Option(help="Whose memory it is; default: ZGADKA_MCP_USER.")] = None,
    platform: Annotated[str | None, typer.Option(help="The platform of that id; default: ZGADKA_MCP_PLATFORM.")] = None,
    space: Annotated[
        str | None, typer.Option(help="A space shared with others; default: ZGADKA_MCP_SPACE, else alone.")
    ] = None,
    persona: Annotated[int, typer.Option(help="The persona lineage.")] = 0,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP to programs on this machine.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http; 0: any that is free.")] = 8765,
    db: Db = None,
) -> None:
    """Be an MCP server: for Claude Desktop, Cursor, VS Code and every other client, over standard input and output."""

    async def serve(memory: Memory) -> None:
        from zgadka.model.turn import Turn  # noqa: PLC0415
        from zgadka.settings import McpTier  # noqa: PLC0415

        settings = memory.settings
        chosen = tier or settings.mcp_tier
        if chosen not in get_args(McpTier):
            raise InvalidInput(f"no tier {chosen!r}; there are {', '.join(get_args(McpTier))}")
        place = settings.mcp_space if space is None else space
        who = Turn(
            platform=platform or settings.mcp_platform,
            space=place or "mcp",
            chat="mcp",
            user=user or settings.mcp_user,
            persona=persona,
            direct=not place,
        )
        await _serve(memory, who, cast("McpTier", chosen), port if http else None)

    with_memory(db, None, serve)


async def _serve(memory: Memory, who: Turn, tier: McpTier, port: int | None) -> None:
    def ready(address: str) -> None:
        say(f"serving at {address} to every program on this machine; Ctrl-C ends it", file=sys.stderr)

    gc.disable()  # hundreds of classes are made, and none is let go: looking for some takes a tenth of the start
    try:
        if port is None:  # an application waits for it: nothing is loaded that only HTTP needs
            from zgadka.adapters.mcp_server import serve_stdio  # noqa: PLC0415

            serving = serve_stdio(memory, who, tier=tier)
        else:
            from zgadka.adapters.mcp_http import serve_http  # noqa: PLC0415

            serving = serve_http(memory, who, tier=tier, port=port, stop=stop_on_signals(), ready=ready)
    except ImportError as error:
        raise MissingExtra("the MCP server", "mcp") from error
    finally:
        gc.enable()
    await serving
