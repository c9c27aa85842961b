"""The commands about the rollout: which chats have a model with tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.errors import InvalidInput
from zgadka.model.rollout import ARMS, Arm
from zgadka.shell import Db, Platform, Space, say, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory

rollout = typer.Typer(help="See which chats have a model with tools, and choose for one.", no_args_is_help=True)

Chat = Annotated[str, typer.Option("--chat", help="The chat's id on its platform.")]
Place = Annotated[str | None, typer.Option("--space", help="The space that it is in; default: all with this id.")]
Person = Annotated[str | None, typer.Option("--user", help="Its person, where it is a direct chat.")]


@rollout.command()
def show(
    platform: Platform = "terminal",
    chat: Annotated[str | None, typer.Option("--chat", help="A chat: say which arm it has, and why.")] = None,
    space: Space = None,
    user: Person = None,
    db: Db = None,
) -> None:
    """Show the settings, since when chats are new, and the chats that an operator chose for; or one chat's arm."""

    async def tell(memory: Memory) -> None:
        from zgadka.model.turn import Turn  # noqa: PLC0415

        if chat is not None:
            turn = Turn(platform=platform, space=space or chat, chat=chat, user=user or chat, direct=user is not None)
            decision = await memory.arm(turn)
            say(f"{decision.arm} ({decision.reason})")
            return
        now = await memory.rollout()
        say(f"rollout   {now.policy if now.enabled else 'off: enable_tool_based_memory is false'}")
        say(f"fallback  {'on' if now.fallback else 'off'}")
        say(f"began     {'not yet' if now.began_at is None else format(now.began_at, '%Y-%m-%d %H:%M:%S %Z')}")
        for one in now.choices:
            place = "--user" if one.kind == "direct" else "--space"
            say(f"{one.arm:9} --platform {one.platform} --chat={one.chat} {place}={one.space}")

    with_memory(db, None, tell, background=False)


@rollout.command("set")
def set_(
    arm: Annotated[str, typer.Argument(metavar="ARM", help="tools or automated.")],
    chat: Chat,
    platform: Platform = "terminal",
    space: Place = None,
    user: Person = None,
    db: Db = None,
) -> None:
    """Give a chat an arm, whatever the setting `rollout` says."""
    if arm not in ARMS:
        raise InvalidInput(f"no arm {arm!r}; give {' or '.join(ARMS)}")
    _choose(db, platform, chat, arm, space, user)


@rollout.command()
def unset(chat: Chat, platform: Platform = "terminal", space: Place = None, user: Person = None, db: Db = None) -> None:
    """Leave a chat to the setting `rollout` again."""
    _choose(db, platform, chat, None, space, user)


def _choose(db: str | None, platform: str, chat: str, arm: Arm | None, space: str | None, user: str | None) -> None:
    async def choose(memory: Memory) -> None:
        count = await memory.choose_arm(platform, chat, arm, space=space, user=user)
        say(f"{count} {'chat' if count == 1 else 'chats'}: {arm or 'as the rollout goes'}")

    with_memory(db, None, choose, background=False)
