"""The commands about people: `zgadka member …`, `zgadka person …`."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from zgadka.errors import InvalidInput
from zgadka.shell import Db, Now, Platform, Space, clock_at, say, turn_of, with_memory

if TYPE_CHECKING:
    from zgadka.engine import Memory
    from zgadka.model.turn import Turn

User = Annotated[str, typer.Option("--user", help="The person: the platform's id.")]

member = typer.Typer(help="Tell the engine about the members of a space, as a platform would.", no_args_is_help=True)
person = typer.Typer(help="What people decide for themselves: privacy, consent, erasure.", no_args_is_help=True)


@member.command()
def add(
    user: Annotated[str, typer.Option(help="The platform's id.")],
    chat: Annotated[str | None, typer.Option(help="The chat, where it is the space.")] = None,
    space: Space = None,
    platform: Platform = "telegram",
    name: Annotated[str | None, typer.Option(help="The display name.")] = None,
    nickname: Annotated[str | None, typer.Option(help="The name in this space only.")] = None,
    kind: Annotated[str, typer.Option(help="person, bot or bridge.")] = "person",
    role: Annotated[str | None, typer.Option(help="The platform's word for what the member may do.")] = None,
    left: Annotated[bool, typer.Option("--left", help="The member has left.")] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Tell the engine about a member; a later report replaces an earlier one."""
    from zgadka.model.people import Member, member_kind  # noqa: PLC0415

    spoken = turn_of({"platform": platform, "space": space, "chat": chat or space, "user": user}, {})
    left_at = (clock_at(now) or (lambda: datetime.now(UTC)))() if left else None
    reported = Member(
        user=spoken.user_name,
        number=spoken.user_number,
        name=name,
        nickname=nickname,
        kind=member_kind(kind),
        role=role,
        left_at=left_at,
    )
    with_memory(db, now, lambda memory: memory.report_member(platform, spoken.space, reported))


def _alone(platform: str, user: str) -> Turn:
    """A turn of the person in their direct chat: what they decide is theirs alone."""
    return turn_of({"platform": platform, "chat": user, "user": user, "direct": True}, {})


@person.command()
def privacy(
    user: User,
    level: Annotated[str | None, typer.Argument(help="minimal, partial or full; none: show it.")] = None,
    platform: Platform = "telegram",
    db: Db = None,
) -> None:
    """Show or set how much the person wants to be remembered."""
    from zgadka.model.privacy import PrivacyLevel  # noqa: PLC0415

    names = {one.name.lower(): one for one in PrivacyLevel}
    if level is not None and level.lower() not in names:
        raise InvalidInput(f"no privacy level {level!r}; there are {', '.join(names)}")

    async def act(memory: Memory) -> None:
        if level is not None:
            await memory.set_privacy(names[level.lower()], _alone(platform, user))
        say((await memory.privacy(_alone(platform, user))).name.lower())

    with_memory(db, None, act)


@person.command()
def link(
    user: User,
    at: Annotated[str, typer.Option(help="The address of `zgadka serve`.")] = "http://127.0.0.1:8765",
    hours: Annotated[int, typer.Option(min=1, max=744, help="How long the link opens.")] = 24,
    platform: Platform = "telegram",
    db: Db = None,
    now: Now = None,
) -> None:
    """Print a link to the person's own page in the dashboard; give it to nobody else."""
    from zgadka.ops.links import make_link  # noqa: PLC0415

    async def act(memory: Memory) -> None:
        text = await memory.apply(make_link, platform, user, timedelta(hours=hours))
        say(f"{at.rstrip('/')}/me/{text}")

    with_memory(db, now, act, background=False)


@person.command()
def erase(
    user: User,
    platform: Platform = "telegram",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = None,
) -> None:
    """Erase every trace of the person, for good, and print a receipt without any content."""
    if not yes and not typer.confirm(f"Erase everything about {platform}:{user} for good?"):
        raise typer.Exit(1)

    async def act(memory: Memory) -> None:
        receipt = await memory.erase(_alone(platform, user))
        fields = {"erased_at": receipt.erased_at.isoformat(), "scrubbed": receipt.scrubbed} | receipt.counts
        say(json.dumps(fields))

    with_memory(db, None, act)


@person.command()
def forget(
    user: User,
    ids: Annotated[list[int] | None, typer.Argument(metavar="[ID]…", help="The memories' ids.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Everything that is remembered about the person.")] = False,
    platform: Platform = "telegram",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Db = None,
    now: Now = None,
) -> None:
    """Delete memories of the person for good, after asking: what an application that cannot ask leaves to them."""
    if bool(ids) == everything:
        raise InvalidInput("give either the memories' ids, or --all")
    tool = "clear_profile" if everything else "forget"
    alone = _alone(platform, user)
    arguments = (
        {"user_id": alone.user_number, "reason": "asked for at the command line"}
        if everything
        else {"memory_id": ",".join(map(str, ids or ()))}
    )

    async def act(memory: Memory) -> None:
        asking, agreeing = (replace(alone, turn=f"terminal:{uuid4().hex}") for _ in range(2))
        asked = await memory.call(tool, arguments, replace(asking, answers=asking.turn))
        if asked.status != "confirmation_required":
            say(asked.json())
            return
        listed = "; ".join(f"{one['content']} (ID:{one['memory_id']})" for one in asked.get("awaiting", ()))
        if not yes and not typer.confirm(f"Delete {listed or 'everything about ' + user} for good?", err=True):
            raise typer.Exit(1)
        say((await memory.call(tool, arguments, replace(agreeing, answers=asking.turn))).json())

    with_memory(db, now, act)


@person.command()
def consents(user: User, platform: Platform = "telegram", db: Db = None, now: Now = None) -> None:
    """List the changes by others that wait for the person's consent."""

    async def show(memory: Memory) -> None:
        for asked in await memory.consents(_alone(platform, user)):
            arguments = json.dumps(dict(asked.arguments), ensure_ascii=False)
            say(f"{asked.id}. {asked.asked_at:%Y-%m-%d %H:%M} by {asked.asker}: {asked.tool} {arguments}")

    with_memory(db, now, show)


@person.command()
def answer(
    number: Annotated[int, typer.Argument(help="The question's number.")],
    agrees: Annotated[bool, typer.Option("--yes/--no", help="Make the change, or never.")],
    user: User,
    platform: Platform = "telegram",
    db: Db = None,
    now: Now = None,
) -> None:
    """Answer such a question for the person, and print the tool's JSON result."""

    async def act(memory: Memory) -> None:
        result = await memory.answer_consent(number, agrees, _alone(platform, user))
        if result is None:
            raise InvalidInput(f"no question {number} waits for {platform}:{user}")
        say(result.json())

    with_memory(db, now, act)
