"""The commands about the rollout: which chats have a model with tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from zgadka.cli.shell import Platform, Space, Steps, over_memory, say
from zgadka.errors import InvalidInput
from zgadka.model.rollout import ARMS
from zgadka.text.plural import counted

if TYPE_CHECKING:
    from zgadka.engine import Memory

rollout = typer.Typer(help="Show and choose which chats use a model with tools.", no_args_is_help=True)

Chat = Annotated[str, typer.Option("--chat", help="The chat ID on its platform.")]
Place = Annotated[str | None, typer.Option("--space", help="The space of the chat; default: all chats with this ID.")]
Person = Annotated[str | None, typer.Option("--user", help="The person, if it is a direct chat.")]


@rollout.command()
@over_memory(background=False, reads=True)
async def show(
    platform: Platform = "terminal",
    chat: Annotated[str | None, typer.Option("--chat", help="Show the arm of this chat, and why.")] = None,
    space: Space = None,
    user: Person = None,
) -> Steps:
    """Show the rollout settings, or the arm of one chat. Lists the chats whose arm was chosen by hand."""
    from zgadka.model.turn import Turn  # noqa: PLC0415

    if chat is not None:
        turn = Turn(platform=platform, space=space or chat, chat=chat, user=user or chat, direct=user is not None)
        decision = await (yield).arm(turn)
        say(f"{decision.arm} ({decision.reason})")
        return
    state = await (yield).rollout()
    say(f"rollout   {state.policy if state.enabled else 'off (enable_tool_based_memory is false)'}")
    say(f"fallback  {'on' if state.fallback else 'off'}")
    say(f"began     {'not yet' if state.began_at is None else format(state.began_at, '%Y-%m-%d %H:%M:%S %Z')}")
    for choice in state.choices:
        option = "--user" if choice.kind == "direct" else "--space"
        say(f"{choice.arm:9} --platform {choice.platform} --chat={choice.chat} {option}={choice.space}")


@rollout.command("set")
@over_memory(background=False)
async def set_(
    arm: Annotated[str, typer.Argument(metavar="ARM", help="tools or automated.")],
    chat: Chat,
    platform: Platform = "terminal",
    space: Place = None,
    user: Person = None,
) -> Steps:
    """Choose the arm of a chat. It overrides the setting `rollout`."""
    if arm not in ARMS:
        raise InvalidInput(f"no arm {arm!r}; give {' or '.join(ARMS)}")
    memory = yield
    count = await memory.choose_arm(platform, chat, arm, space=space, user=user)
    say(f"{counted(count, 'chat')}: {arm}")


@rollout.command()
@over_memory(background=False)
async def unset(
    memory: Memory, chat: Chat, platform: Platform = "terminal", space: Place = None, user: Person = None
) -> None:
    """Let the setting `rollout` decide for a chat again."""
    count = await memory.choose_arm(platform, chat, None, space=space, user=user)
    say(f"{counted(count, 'chat')}: decided by the rollout")
