"""From Discord's objects to turns, members and words."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

import discord

from zgadka.bots.discord import PLATFORM
from zgadka.bots.discord.readers import Readers
from zgadka.bots.platform import as_read_by
from zgadka.locales import Language, as_language
from zgadka.model.people import Member, Title
from zgadka.model.turn import Turn, person_number
from zgadka.text.quoted_lines import own_lines

_LONGEST_ID = 255


def turn_of_message(message: discord.Message, persona: int, readers: Readers) -> Turn:
    """The turn that a message is."""
    return Turn(
        **_place(message.channel, message.channel.id, message.guild.id if message.guild else None, readers),
        user=bridge_id(message) if is_bridge(message) else message.author.id,
        turn=str(message.id),
        message=as_read_by(persona, message.id),
        time=message.created_at,
        persona=persona,
    )


def turn_of_interaction(interaction: discord.Interaction[Any], persona: int, readers: Readers) -> Turn:
    """The turn that a command or a press of a button is; every one is a turn of its own."""
    return Turn(
        **_place(interaction.channel, interaction.channel_id or interaction.user.id, interaction.guild_id, readers),
        user=interaction.user.id,
        turn=str(interaction.id),
        time=interaction.created_at,
        persona=persona,
    )


def turn_of_deletion(
    channel: Any, channel_id: int, guild_id: int | None, message_id: int, user: int, persona: int, readers: Readers
) -> Turn:
    """The turn by which a message that was deleted is named."""
    place = _place(channel, channel_id, guild_id, readers)
    return Turn(**place, user=user, message=as_read_by(persona, message_id), persona=persona)


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


def titles_of(guild: discord.Guild) -> tuple[Title, ...]:
    """What a server, its channels and their threads are called."""
    parts = [titled for channel in (*guild.channels, *guild.threads) if (titled := title_of(channel)) is not None]
    return (Title(text=guild.name), *parts)


def title_of(channel: discord.abc.GuildChannel | discord.Thread, *, is_gone: bool = False) -> Title | None:
    """What a channel or thread is called; None: nothing is said there, or only by some of those in its channel."""
    text = "" if is_gone else channel.name
    if isinstance(channel, discord.Thread):
        is_open = not channel.is_private()
        return Title(chat=str(channel.parent_id), thread=str(channel.id), text=text) if is_open else None
    return None if isinstance(channel, discord.CategoryChannel) else Title(chat=str(channel.id), text=text)


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
    return own_lines(_named(message, me))


def is_addressed(message: discord.Message, me: discord.ClientUser | None) -> bool:
    """Whether the bot is spoken to: in a direct chat, by a mention of it or of its role, or by a reply to it."""
    if message.guild is None or me in message.mentions:
        return True
    if message.guild.self_role is not None and message.guild.self_role in message.role_mentions:
        return True
    return _replied_to(message, me) is not None


def buttons_replied_to(message: discord.Message, me: discord.ClientUser | None) -> tuple[str, ...]:
    """The data of the buttons under the bot's message that it replies to."""
    replied = _replied_to(message, me)
    return () if replied is None else buttons_of(replied)


def replied_to_person(message: discord.Message, me: discord.ClientUser | None, persona: int) -> str | None:
    """The id, as `turn_of_message` gives it, of the message, not the bot's, that it replies to."""
    reference = None if message.message_snapshots or _replied_to(message, me) is not None else message.reference
    return None if reference is None or reference.message_id is None else as_read_by(persona, reference.message_id)


def told_by_replied(message: discord.Message, me: discord.ClientUser | None) -> tuple[str | None, str]:
    """The id of the bot's message that it replies to, and what that says."""
    replied = _replied_to(message, me)
    return (None, "") if replied is None else (str(replied.id), replied.content)


def buttons_of(message: discord.Message) -> tuple[str, ...]:
    """The data of the buttons under a message."""
    rows = message.components
    buttons = [part for row in rows if isinstance(row, discord.ActionRow) for part in row.children]
    return tuple(button.custom_id for button in buttons if isinstance(button, discord.Button) and button.custom_id)


def is_to_another(message: discord.Message, me: discord.ClientUser | None) -> bool:
    """Whether the message replies to somebody else's, or names others and not the bot."""
    if is_addressed(message, me):
        return False
    reference = message.reference.resolved if message.reference and not message.message_snapshots else None
    replies_to = reference.author if isinstance(reference, discord.Message) else message.author
    return replies_to != message.author or any(user != message.author for user in message.mentions)


def language_of_locale(interaction: discord.Interaction[Any]) -> Language | None:
    """The language in which the person uses Discord; None where it is not one of ours."""
    return as_language(interaction.locale.value.partition("-")[0])


def _replied_to(message: discord.Message, me: discord.ClientUser | None) -> discord.Message | None:
    """The message of the bot's that it replies to."""
    replied = message.reference.resolved if message.reference and not message.message_snapshots else None
    return replied if isinstance(replied, discord.Message) and replied.author == me else None


def _named(message: discord.Message, me: discord.ClientUser | None) -> str:
    names = {user.id: f"@{user.display_name}" for user in message.mentions}
    if me is not None:
        names[me.id] = ""
    roles = {role.id: f"@{role.name}" for role in message.role_mentions}

    def name(match: re.Match[str]) -> str:
        return (roles if match[1] == "&" else names).get(int(match[2]), match[0])

    return re.sub(r"<@(!|&)?(\d+)>", name, message.content).strip()


def _place(channel: Any, channel_id: int, guild_id: int | None, readers: Readers) -> dict[str, Any]:
    if guild_id is None:
        return {"platform": PLATFORM, "space": str(channel_id), "chat": str(channel_id), "direct": True}
    audience = readers.of(channel, channel_id, guild_id) or None
    place: dict[str, Any] = {"platform": PLATFORM, "space": str(guild_id), "audience": audience}
    # A private thread has other readers than its channel: it is a chat of its own.
    if isinstance(channel, discord.Thread) and not channel.is_private():
        return place | {"chat": str(channel.parent_id), "thread": str(channel_id)}
    return place | {"chat": str(channel_id)}
