"""The command `zgadka mcp`."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from zgadka.cli.shell import Audience, Steps, note, over_memory, stop_on_signals
from zgadka.errors import InvalidInput, MissingExtra

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.turn import Turn
    from zgadka.settings import McpTier


@over_memory(embeds=True)
async def mcp(
    tier: Annotated[
        str | None, typer.Option(help="The set of tools: minimal, lean, standard or full; default: ZGADKA_MCP_TIER.")
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="The ID of the person whose memory it is; default: ZGADKA_MCP_USER.")
    ] = None,
    platform: Annotated[str | None, typer.Option(help="The platform of that id; default: ZGADKA_MCP_PLATFORM.")] = None,
    space: Annotated[
        str | None, typer.Option(help="A space shared with others; default: ZGADKA_MCP_SPACE, else a private one.")
    ] = None,
    persona: Annotated[int, typer.Option(help="The persona lineage.")] = 0,
    audience: Audience = None,
    http: Annotated[bool, typer.Option("--http", help="Serve over HTTP to programs on this machine.")] = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port for --http; 0 for any free one.")] = 8765,
) -> Steps:
    """Run an MCP server over standard input and output. Claude Desktop, Cursor, VS Code and other clients start it."""
    from zgadka.model.turn import Turn  # noqa: PLC0415
    from zgadka.settings import McpTier  # noqa: PLC0415

    if tier and tier not in get_args(McpTier):
        raise InvalidInput(f"no tier {tier!r}; there are {', '.join(get_args(McpTier))}")
    memory = yield
    settings = memory.settings
    shared_space = settings.mcp_space if space is None else space
    speaker = Turn(
        platform=platform or settings.mcp_platform,
        space=shared_space or "mcp",
        chat="mcp",
        user=user or settings.mcp_user,
        persona=persona,
        direct=not shared_space,
        audience=tuple(audience or ()) or None,
    )
    await _serve(memory, speaker, cast("McpTier", tier or settings.mcp_tier), port if http else None)


async def _serve(memory: Memory, speaker: Turn, tier: McpTier, port: int | None) -> None:
    def ready(address: str) -> None:
        note(f"serving at {address} to every program on this machine; press Ctrl-C to stop")

    gc.disable()  # hundreds of classes are made, and none is let go: looking for some takes a tenth of the start
    try:
        if port is None:  # an application waits for it: nothing is loaded that only HTTP needs
            from zgadka.mcp.server import serve_stdio  # noqa: PLC0415

            serving = serve_stdio(memory, speaker, tier=tier)
        else:
            from zgadka.mcp.http import serve_http  # noqa: PLC0415

            serving = serve_http(memory, speaker, tier=tier, port=port, stop=stop_on_signals(), ready=ready)
    except ImportError as error:
        raise MissingExtra("the MCP server", "mcp") from error
    finally:
        gc.enable()
    await serving
