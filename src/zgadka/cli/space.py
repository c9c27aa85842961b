"""The commands about spaces: `zgadka space …`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.cli.shell import IDS_MAY_BE_NEGATIVE, Steps, over_memory, say
from zgadka.errors import InvalidInput

if TYPE_CHECKING:
    from zgadka.engine import Memory

PlatformName = Annotated[str, typer.Argument(metavar="PLATFORM", help="The platform, such as telegram or discord.")]
SpaceName = Annotated[str, typer.Argument(metavar="SPACE", help="The group's or server's ID on the platform.")]

space = typer.Typer(help="Act for a group or server: export, erasure.", no_args_is_help=True)


async def _permit(memory: Memory, operation: str, platform: str, name: str) -> None:
    """Have a line in the operators' trail say what is done; the number stays when the space is erased.

    Raises:
        InvalidInput: There is no such space.
    """
    from zgadka.model.token import SHELL  # noqa: PLC0415

    number = await memory.look(lambda tx: tx.owners.find("space", platform, name))
    if number is None:
        raise InvalidInput(f"no space {platform}:{name} is known")
    await memory.permit(operation, None, SHELL, about=f"space {number}")


@space.command(context_settings=IDS_MAY_BE_NEGATIVE)
@over_memory()
async def export(memory: Memory, platform: PlatformName, name: SpaceName) -> None:
    """Export what is remembered in a space, as JSON Lines."""
    from zgadka.transfer.export import export_space  # noqa: PLC0415

    def write(line: str) -> None:
        sys.stdout.write(f"{line}\n")

    await _permit(memory, "read_anything", platform, name)
    await memory.look(export_space, platform, name, write)
    sys.stdout.flush()


@space.command(context_settings=IDS_MAY_BE_NEGATIVE)
@over_memory()
async def erase(
    platform: PlatformName,
    name: SpaceName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> Steps:
    """Permanently erase what is visible only in a space. Prints a receipt that contains only numbers."""
    if not yes and not typer.confirm(f"Permanently erase everything remembered in {platform}:{name}?"):
        raise typer.Exit(1)
    memory = yield
    await _permit(memory, "erase_space", platform, name)
    if (receipt := await memory.erase_space(platform, name)) is None:
        raise InvalidInput(f"somebody else has just erased {platform}:{name}")
    say(json.dumps({"erased_at": receipt.erased_at.isoformat(), "scrubbed": receipt.scrubbed} | receipt.counts))
