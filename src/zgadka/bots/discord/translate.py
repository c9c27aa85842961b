"""From Discord's objects to turns, members and words."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import discord

from zgadka.bots.discord import PLATFORM
from zgadka.bots.discord.text import own_words
from zgadka.locales import Language, as_language
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


def turn_of_interaction(interaction: discord.Interaction[Any], persona: int) -> Turn:
    """The turn that a command or a press of a button is; every one is a turn of its own."""
    return Turn(
        **_place(interaction.channel, interaction.channel_id or interaction.user.id, interaction.guild_id),
        user=interaction.user.id,
        turn=str(interaction.id),
        time=interaction.created_at,
        persona=persona,
    )


def turn_of_deletion(channel: Any, channel_id: int, guild_id: int | None, message_id: int, user: int) -> Turn:
    """The turn by which a message that was deleted is named."""
    return Turn(**_place(channel, channel_id, guild_id), user=user, message=str(message_id))


def elsewhere(turn: Turn, guild_id: int | None) -> list[Turn]:
    """The same message where it may have been kept before its channel was closed, or opened to the whole server."""
    spaces: set[str] = set()
    if guild_id is not None:
        spaces = {str(guild_id), *(f"{guild_id}:{channel}" for channel in (turn.chat, turn.thread) if channel)}
    return [replace(turn, space=space) for space in sorted(spaces - {turn.space})]


def space_of(channel: Any, channel_id: int, guild_id: int | None) -> str:
    """The space that a channel is in: its server; where not everybody on the server may read it, one of its own.

    A thread is where its channel is, a private one in a space of its own.
    """
    if guild_id is None:
        return str(channel_id)
    if isinstance(channel, discord.Thread) and not channel.is_private():
        channel, channel_id = channel.parent, channel.parent_id
    # No channel's id alone: the first channel of an old server has the server's.
    return str(guild_id) if _is_open(channel) else f"{guild_id}:{channel_id}"


def closed_spaces(guild: discord.Guild) -> list[str]:
    """The spaces of the server's channels and threads that not everybody there may read."""
    spaces = {space_of(channel, channel.id, guild.id) for channel in (*guild.channels, *guild.threads)}
    return sorted(spaces - {str(guild.id)})


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
    snapshots = [snapshot.content for snapshot in message.message_snapshots]
    forwarded = [f"> {line}" for content in snapshots for line in content.split("\n") if line]
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
    return is_reply(message, me)


def is_reply(message: discord.Message, me: discord.ClientUser | None) -> bool:
    """Whether it is a reply to a message of the bot's."""
    replied = message.reference.resolved if message.reference and not message.message_snapshots else None
    return isinstance(replied, discord.Message) and replied.author == me


def language_of_locale(interaction: discord.Interaction[Any]) -> Language | None:
    """The language in which the person uses Discord; None where it is not one of ours."""
    return as_language(interaction.locale.value.partition("-")[0])


def _named(message: discord.Message, me: discord.ClientUser | None) -> str:
    names = {user.id: f"@{user.display_name}" for user in message.mentions}
    if me is not None:
        names[me.id] = ""
    roles = {role.id: f"@{role.name}" for role in message.role_mentions}

    def name(match: re.Match[str]) -> str:
        return (roles if match[1] == "&" else names).get(int(match[2]), match[0])

    return re.sub(r"<@(!|&)?(\d+)>", name, message.content).strip()


def _is_open(channel: Any) -> bool:
    """Whether everybody on the server may read the channel; of one that is not known, nobody can tell."""
    # Of a channel that comes with an interaction, the overwrites are left out: the server's own has them.
    whole = channel.guild.get_channel(channel.id) if isinstance(channel, discord.abc.GuildChannel) else None
    if whole is None:
        return False
    everybody = whole.permissions_for(whole.guild.default_role)
    may_enter = everybody.connect or not isinstance(whole, discord.VoiceChannel | discord.StageChannel)
    return everybody.view_channel and everybody.read_message_history and may_enter


def _place(channel: Any, channel_id: int, guild_id: int | None) -> dict[str, Any]:
    space = space_of(channel, channel_id, guild_id)
    where: dict[str, Any] = {"platform": PLATFORM, "space": space, "direct": guild_id is None}
    if isinstance(channel, discord.Thread):
        return where | {"chat": str(channel.parent_id), "thread": str(channel_id)}
    return where | {"chat": str(channel_id)}
