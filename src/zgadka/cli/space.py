"""The commands about spaces: `zgadka space …`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.cli.shell import Steps, over_memory, say
from zgadka.errors import InvalidInput

if TYPE_CHECKING:
    from zgadka.engine import Memory

PlatformName = Annotated[str, typer.Argument(metavar="PLATFORM", help="The platform, such as telegram or discord.")]
SpaceName = Annotated[str, typer.Argument(metavar="SPACE", help="The group's or server's ID on the platform.")]

space = typer.Typer(help="Act for a group or server: export, erasure.", no_args_is_help=True)


@space.command()
@over_memory()
async def export(memory: Memory, platform: PlatformName, name: SpaceName) -> None:
    """Export what is remembered in a space, as one JSON object per line."""
    from zgadka.transfer.export import export_space  # noqa: PLC0415

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    if await memory.look(export_space, platform, name, write) is None:
        raise InvalidInput(f"no space {platform}:{name} is known")
    sys.stdout.flush()


@space.command()
@over_memory()
async def erase(
    platform: PlatformName,
    name: SpaceName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> Steps:
    """Permanently erase what is remembered in a space and seen nowhere else, and print a receipt without content."""
    if not yes and not typer.confirm(f"Permanently erase everything remembered in {platform}:{name}?"):
        raise typer.Exit(1)
    memory = yield
    receipt = await memory.erase_space(platform, name)
    if receipt is None:
        raise InvalidInput(f"no space {platform}:{name} is known")
    say(json.dumps({"erased_at": receipt.erased_at.isoformat(), "scrubbed": receipt.scrubbed} | receipt.counts))
