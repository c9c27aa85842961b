"""The commands about people: `zgadka member …`, `zgadka person …`."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, get_args
from uuid import uuid4

import typer

from zgadka.cli.shell import IDS_MAY_BE_NEGATIVE, Platform, Space, Steps, over_memory, say, turn_of
from zgadka.errors import InvalidInput
from zgadka.text.plural import counted

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.people import Proposal
    from zgadka.model.turn import Turn

User = Annotated[str, typer.Option("--user", help="The person's ID on the platform.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]

member = typer.Typer(help="Report members of a space to the engine, as a platform would.", no_args_is_help=True)
person = typer.Typer(help="Act for a person: privacy, consent, erasure.", no_args_is_help=True)


@member.command()
@over_memory(clock=True)
async def add(
    user: Annotated[str, typer.Option(help="The ID on the platform.")],
    chat: Annotated[str | None, typer.Option(help="The chat, if it is the space.")] = None,
    space: Space = None,
    platform: Platform = "telegram",
    name: Annotated[str | None, typer.Option(help="The display name.")] = None,
    nickname: Annotated[str | None, typer.Option(help="The name used in this space only.")] = None,
    kind: Annotated[str, typer.Option(help="person, bot or bridge.")] = "person",
    role: Annotated[str | None, typer.Option(help="The member's role, as the platform calls it.")] = None,
    left: Annotated[bool, typer.Option("--left", help="The member has left.")] = False,
) -> Steps:
    """Report a member to the engine. A later report replaces an earlier one."""
    from zgadka.model.check import choice  # noqa: PLC0415
    from zgadka.model.people import Member, MemberKind  # noqa: PLC0415

    spoken = turn_of({"platform": platform, "space": space, "chat": chat or space, "user": user}, {})
    reported = Member(
        user=spoken.user_key,
        number=spoken.user_number,
        name=name,
        nickname=nickname,
        kind=choice("kind", kind, get_args(MemberKind)),
        role=role,
    )
    memory = yield
    if left:
        reported = replace(reported, left_at=await memory.look(lambda tx: tx.now))
    await memory.report_member(platform, spoken.space, reported)


def _alone(platform: str, user: str) -> Turn:
    """A turn of the person in their direct chat: what they decide is theirs alone."""
    return turn_of({"platform": platform, "chat": user, "user": user, "direct": True}, {})


@person.command()
@over_memory()
async def privacy(
    user: User,
    level: Annotated[
        str | None, typer.Argument(help="minimal, partial or full; without it, the current level is shown.")
    ] = None,
    platform: Platform = "telegram",
) -> Steps:
    """Show or set the person's privacy level."""
    from zgadka.model.privacy import PrivacyLevel  # noqa: PLC0415

    names = {known_level.name.lower(): known_level for known_level in PrivacyLevel}
    if level is not None and level.lower() not in names:
        raise InvalidInput(f"no privacy level {level!r}; there are {', '.join(names)}")
    alone = _alone(platform, user)
    memory = yield
    if level is not None:
        await memory.set_privacy(names[level.lower()], alone)
    say((await memory.privacy(alone)).name.lower())


@person.command()
@over_memory(clock=True, background=False)
async def link(
    memory: Memory,
    user: User,
    at: Annotated[str, typer.Option(help="The URL of `zgadka serve`.")] = "http://127.0.0.1:8765",
    hours: Annotated[int, typer.Option(min=1, max=744, help="How long the link is valid.")] = 24,
    platform: Platform = "telegram",
) -> None:
    """Print a link to the person's own page, which opens once. Give it only to them."""
    from zgadka.model.token import SHELL  # noqa: PLC0415
    from zgadka.ops.personal_links import make_link  # noqa: PLC0415

    await memory.permit("make_link", _alone(platform, user), SHELL)
    text = await memory.apply(make_link, platform, user, timedelta(hours=hours))
    say(f"{at.rstrip('/')}/me/{text}")


@person.command("unlink")
@over_memory(background=False)
async def end_links(memory: Memory, user: User, platform: Platform = "telegram") -> None:
    """End all links to the person's own page. Sessions that they started end as well."""
    from zgadka.model.token import SHELL  # noqa: PLC0415
    from zgadka.ops.personal_links import unlink  # noqa: PLC0415

    await memory.permit("unlink", _alone(platform, user), SHELL)
    say(f"ended {counted(await memory.apply(unlink, platform, user), 'link or session', 'links and sessions')}")


@person.command()
@over_memory()
async def erase(user: User, platform: Platform = "telegram", yes: Yes = False) -> Steps:
    """Permanently erase every trace of the person. Prints a receipt that contains only numbers."""
    if not yes and not typer.confirm(f"Permanently erase everything about {platform}:{user}?"):
        raise typer.Exit(1)
    from zgadka.model.token import SHELL  # noqa: PLC0415

    alone = _alone(platform, user)
    memory = yield
    receipt = await memory.erase(alone, grant=SHELL)
    say(json.dumps({"erased_at": receipt.erased_at.isoformat(), "scrubbed": receipt.scrubbed} | receipt.counts))


@person.command()
@over_memory(clock=True)
async def forget(
    user: User,
    ids: Annotated[list[int] | None, typer.Argument(metavar="[ID]…", help="The memory IDs.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything remembered about the person.")] = False,
    platform: Platform = "telegram",
    yes: Yes = False,
) -> Steps:
    """Permanently delete memories of the person. Asks you first; for applications that cannot ask the person."""
    if bool(ids) == everything:
        raise InvalidInput("give either memory IDs or --all")
    from zgadka.model.token import SHELL  # noqa: PLC0415

    tool = "clear_profile" if everything else "forget"
    alone = _alone(platform, user)
    arguments = (
        {"user_id": alone.user_number, "reason": "asked for at the command line"}
        if everything
        else {"memory_id": ",".join(map(str, ids or ()))}
    )
    asking, agreeing = (replace(alone, turn=f"terminal:{uuid4().hex}") for _ in range(2))
    memory = yield
    question = await memory.call(tool, arguments, replace(asking, answers=asking.turn))
    if question.status != "confirmation_required":
        say(question.json())
        return
    listed = "; ".join(f"{item['content']} (ID:{item['memory_id']})" for item in question.get("awaiting", ()))
    if not yes and not typer.confirm(f"Permanently delete {listed or 'everything about ' + user}?", err=True):
        raise typer.Exit(1)
    await memory.permit("erase_person", alone, SHELL, about=tool)
    say((await memory.call(tool, arguments, replace(agreeing, answers=asking.turn))).json())


@person.command()
@over_memory(clock=True, reads=True)
async def consents(user: User, platform: Platform = "telegram") -> Steps:
    """List changes by others that need the person's consent."""
    from zgadka.model.token import SHELL  # noqa: PLC0415

    alone = _alone(platform, user)
    for pending, proposal in await (yield).proposals(alone, grant=SHELL):
        say(f"{pending.id}. {pending.asked_at:%Y-%m-%d %H:%M} by {pending.asker}: {pending.tool}")
        say(_changes(proposal))


@person.command()
@over_memory(clock=True)
async def answer(
    number: Annotated[int, typer.Argument(help="The question number.")],
    agrees: Annotated[bool, typer.Option("--yes/--no", help="Allow or refuse the change.")],
    user: User,
    platform: Platform = "telegram",
    mark: Annotated[
        int | None,
        typer.Option(help="The mark printed by `consents` for the changes the person saw; default: show them now."),
    ] = None,
) -> Steps:
    """Answer a consent question for the person. Prints the JSON result of the tool that was waiting."""
    from zgadka.model.token import SHELL  # noqa: PLC0415

    alone = _alone(platform, user)
    memory = yield
    if agrees and mark is None and (proposal := await memory.proposal(number, alone, grant=SHELL)) is not None:
        if not typer.confirm(f"{_changes(proposal)}\nMake this change?", err=True):
            raise typer.Exit(1)
        mark = proposal.mark
    result = await memory.answer_consent(number, agrees, alone, mark=mark, grant=SHELL)
    if result is None:
        raise InvalidInput(f"no question {number} waits for {platform}:{user}")
    say(result.json())


@person.command(context_settings=IDS_MAY_BE_NEGATIVE)
@over_memory(clock=True)
async def mute(
    memory: Memory,
    asker: Annotated[str, typer.Argument(help="The ID of the person whose requests are refused.")],
    user: User,
    platform: Platform = "telegram",
    lift: Annotated[bool, typer.Option("--lift", help="Accept their requests again.")] = False,
) -> None:
    """Refuse all requests of one person to change another's memories."""
    if not await memory.mute(asker, _alone(platform, user), muted=not lift):
        raise InvalidInput(f"no other person {platform}:{asker} is known")
    say(", ".join(await memory.muted(_alone(platform, user))) or "nobody is muted")


def _changes(proposal: Proposal) -> str:
    """What a proposal would change, a line each, and its mark."""
    lines = [
        f"   {change.what}: {' → '.join(text for text in (change.before, change.after) if text is not None)}"
        for change in proposal.changes
    ] or ["   nothing would be changed now"]
    return "\n".join([*lines, f"   mark {proposal.mark}"])
