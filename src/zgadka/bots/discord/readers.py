"""Who can read a channel, by its permissions: the audience of what is said there."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import discord

_EVERYBODY: tuple[str, ...] = ()
_ADMINISTRATORS = "administrators"
_PERCENT = 100

Readable = discord.abc.GuildChannel


class Readers:
    """The groups of readers of a server's channels, worked out once and again after each change.

    The groups are roles and members by id, and the administrators, who read everything: a new moderator reads as a
    newcomer does. Channels with the same readers share one audience.

    Args:
        open_percent: A channel that more of the server's members read, in percent, is the server's own.
        open_channels: Channels, by id, that are the server's own whoever reads them.
    """

    def __init__(self, *, open_percent: int = 50, open_channels: Collection[str] = ()) -> None:
        self._open_percent = open_percent
        self._open_channels = frozenset(open_channels)
        self._known: dict[int, dict[int, tuple[str, ...]]] = {}

    def of(self, channel: Any, channel_id: int, guild_id: int) -> tuple[str, ...]:
        """The names of those who read a channel; none: the whole server.

        A thread is read by those who read its channel, a private one by nobody else.
        """
        if isinstance(channel, discord.Thread):
            if channel.is_private():
                return (f"thread:{channel_id}",)
            channel_id = channel.parent_id
        # Of a channel that comes with an interaction, the overwrites are left out: the server's own has them.
        guild = getattr(channel, "guild", None)
        whole = guild.get_channel(channel_id) if isinstance(guild, discord.Guild) else None
        if whole is None:  # of one that is not known, nobody can tell
            return (f"channel:{channel_id}",)
        known = self._known.setdefault(guild_id, {})
        if channel_id not in known:
            known[channel_id] = self._of_channel(whole)
        return known[channel_id]

    def of_all(self, guild: discord.Guild) -> dict[str, tuple[str, ...]]:
        """The readers of each of the server's channels that are worth a message, by the channel's id."""
        channels = (channel for channel in guild.channels if not isinstance(channel, discord.CategoryChannel))
        return {str(channel.id): self.of(channel, channel.id, guild.id) for channel in channels}

    def forget(self, guild: discord.Guild) -> None:
        """Work a server's readers out anew: a role or a channel was changed.

        Not when somebody comes or leaves: a crowd of newcomers closes no channel.
        """
        self._known.pop(guild.id, None)

    def _of_channel(self, channel: Readable) -> tuple[str, ...]:
        if str(channel.id) in self._open_channels or _is_unrestricted(channel):
            return _EVERYBODY
        # Administrators read every channel, and say nothing about how open it is.
        people = [member for member in channel.guild.members if not member.bot and not _is_admin(member)]
        readers = {member.id for member in people if _reads(channel, member)}
        if len(readers) * _PERCENT > len(people) * self._open_percent:
            return _EVERYBODY
        roles = {role.id for role in channel.guild.roles if _is_let_in(channel, role)}
        in_roles = {member.id for member in people if roles & {role.id for role in member.roles}}
        members = {target.id for target in channel.overwrites if target.id in readers - in_roles}
        if in_roles | members != readers:  # some are kept out, whatever their roles
            return (f"channel:{channel.id}",)
        return (_ADMINISTRATORS, *sorted(f"role:{id_}" for id_ in roles), *sorted(f"member:{id_}" for id_ in members))


def _is_unrestricted(channel: Readable) -> bool:
    """Whether everybody on the server reads a channel, and nobody is kept out."""
    denied = [overwrite.pair()[1] for overwrite in channel.overwrites.values()]
    kept_out = any(deny.view_channel or deny.read_message_history or deny.connect for deny in denied)
    return _reads(channel, channel.guild.default_role) and not kept_out


def _is_let_in(channel: Readable, role: discord.Role) -> bool:
    return not role.permissions.administrator and _reads(channel, role)


def _is_admin(member: discord.Member) -> bool:
    return member.id == member.guild.owner_id or member.guild_permissions.administrator


def _reads(channel: Readable, reader: discord.Member | discord.Role) -> bool:
    permissions = channel.permissions_for(reader)
    may_enter = permissions.connect or not isinstance(channel, discord.VoiceChannel | discord.StageChannel)
    return permissions.view_channel and permissions.read_message_history and may_enter
