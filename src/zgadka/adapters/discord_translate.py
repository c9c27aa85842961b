"""From Discord's objects to turns, members and words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import discord

from zgadka.adapters.discord_text import PLATFORM, own_words
from zgadka.chat.intents import Language
from zgadka.chat.questions import Button
from zgadka.model.people import Member
from zgadka.model.turn import Turn, person_number

_LONGEST_ID = 255


def turn_of_message(message: discord.Message, persona: int) -> Turn:
    """The turn that a message is."""
    return Turn(
        **_place(message.channel, message.channel.id, message.guild.id if message.guild else None),
        user=bridge_id(message) if is_bridge(message) else message.author.id,
        turn=str(message.id),
        message=str(message.id),
        time=message.created_at,
        persona=persona,
    )


def turn_of_interaction(
    interaction: discord.Interaction[Any], persona: int, *, text: str | None = None, turn: str | None = None
) -> Turn:
    """The turn that a command or a press of a button is; every one is a turn of its own."""
    return Turn(
        **_place(interaction.channel, interaction.channel_id or interaction.user.id, interaction.guild_id),
        user=interaction.user.id,
        turn=turn or str(interaction.id),
        time=interaction.created_at,
        text=text,
        persona=persona,
    )


def turn_of_deletion(channel: Any, channel_id: int, guild_id: int | None, message_id: int, user: int) -> Turn:
    """The turn by which a message that was deleted is named."""
    return Turn(**_place(channel, channel_id, guild_id), user=user, message=str(message_id))


def member_of(member: discord.Member | discord.User | discord.ClientUser, left_at: datetime | None = None) -> Member:
    """What Discord knows of a member of a server, or of somebody in a direct chat."""
    role = None
    if isinstance(member, discord.Member) and left_at is None:
        is_admin = member.id == member.guild.owner_id or member.guild_permissions.administrator
        role = "admin" if is_admin else None
    return Member(
        user=str(member.id),
        number=person_number(PLATFORM, str(member.id)),
        name=member.global_name or member.name,
        nickname=member.nick if isinstance(member, discord.Member) else None,
        kind="bot" if member.bot else "person",
        role=role,
        left_at=left_at,
    )


def is_bridge(message: discord.Message) -> bool:
    """Whether a webhook wrote the message: somebody of another platform, or no person at all."""
    return message.webhook_id is not None and message.interaction_metadata is None


def bridge_id(message: discord.Message) -> str:
    """One webhook speaks for many people: its id and the name it gives make a bridge user."""
    return f"webhook:{message.webhook_id}:{message.author.name}"[:_LONGEST_ID]


def bridge_member(message: discord.Message) -> Member:
    """The bridge user who wrote the message."""
    user = bridge_id(message)
    return Member(user=user, number=person_number(PLATFORM, user), name=message.author.name, kind="bridge")


def spoken(message: discord.Message, me: discord.ClientUser | None) -> str:
    """The message as people read it: names for mentions, none for the bot's own; a forwarded message as a quote."""
    text = _named(message, me)
    forwarded = [f"> {line}" for one in message.message_snapshots for line in one.content.split("\n") if line]
    return "\n".join([text, *forwarded] if text else forwarded)


def own_text(message: discord.Message, me: discord.ClientUser | None) -> str:
    """What of the message its writer wrote themselves: without quotes, and without what is forwarded."""
    return own_words(_named(message, me))


def is_addressed(message: discord.Message, me: discord.ClientUser | None) -> bool:
    """Whether the bot is spoken to: in a direct chat, by a mention of it or of its role, or by a reply to it."""
    if message.guild is None or me in message.mentions:
        return True
    if message.guild.self_role is not None and message.guild.self_role in message.role_mentions:
        return True
    replied = message.reference.resolved if message.reference and not message.message_snapshots else None
    return isinstance(replied, discord.Message) and replied.author == me


def language_of_locale(interaction: discord.Interaction[Any]) -> Language:
    """The language in which the person uses Discord, where it is spoken here."""
    return "uk" if interaction.locale is discord.Locale.ukrainian else "en"


def view_of(rows: Sequence[Sequence[Button]]) -> discord.ui.View:
    """The buttons, row by row. What a press means is in its data, so the library need not keep the view."""
    view = discord.ui.View(timeout=None)
    for number, row in enumerate(rows):
        for button in row:
            view.add_item(discord.ui.Button(label=button.text, custom_id=button.data, row=number))
    view.stop()
    return view


def channel_of(turn: Turn) -> int:
    """The id of the channel or thread where the turn was."""
    return int(turn.thread or turn.chat)


def _named(message: discord.Message, me: discord.ClientUser | None) -> str:
    names = {user.id: f"@{user.display_name}" for user in message.mentions}
    if me is not None:
        names[me.id] = ""
    roles = {role.id: f"@{role.name}" for role in message.role_mentions}

    def name(found: re.Match[str]) -> str:
        known = roles if found[1] == "&" else names
        return known.get(int(found[2]), found[0])

    return re.sub(r"<@(!|&)?(\d+)>", name, message.content).strip()


def _place(channel: Any, channel_id: int, guild_id: int | None) -> dict[str, Any]:
    where: dict[str, Any] = {"platform": PLATFORM, "space": str(guild_id or channel_id), "direct": guild_id is None}
    if isinstance(channel, discord.Thread):
        return where | {"chat": str(channel.parent_id), "thread": str(channel_id)}
    return where | {"chat": str(channel_id)}
