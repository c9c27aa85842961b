"""`zgadka discord`: the client, and what of its events the bots' core is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.ext import tasks

from zgadka.bots.buttons import is_ours
from zgadka.bots.core import Bot
from zgadka.bots.discord import PLATFORM
from zgadka.bots.discord.commands import Menu, commands
from zgadka.bots.discord.readers import Readers
from zgadka.bots.discord.sending import DiscordWire, Pending
from zgadka.bots.discord.translate import (
    bridge_member,
    buttons_of,
    buttons_replied_to,
    is_addressed,
    is_bridge,
    is_to_another,
    language_of_locale,
    member_of,
    own_text,
    replied_to_person,
    spoken,
    title_of,
    titles_of,
    told_by_replied,
    turn_of_deletion,
    turn_of_interaction,
    turn_of_message,
)
from zgadka.bots.platform import (
    Account,
    Command,
    Deletion,
    Event,
    Membership,
    Message,
    Presence,
    Press,
    Readership,
    Titles,
)
from zgadka.bots.queues import or_stop
from zgadka.engine import Memory
from zgadka.errors import SettingsError, StoreError, ZgadkaError
from zgadka.log import logger
from zgadka.model.people import Member, Title
from zgadka.stores.tx import Tx
from zgadka.tools.registry import chosen_sets

if TYPE_CHECKING:
    from zgadka.chat.agent import Model

_log = logger()

_REMIND_MINUTES = 15


async def run_discord(
    memory: Memory, model: Model, *, token: str, persona: int = 0, stop: asyncio.Event | None = None
) -> None:
    """Be a Discord bot until stopped.

    Args:
        model: What answers; see `zgadka.chat.providers.choose_model`.
        token: The bot's token, from Discord's developer portal.
        persona: The persona lineage.
        stop: Ends the bot when it is set.

    Raises:
        SettingsError: The token is refused, or the bot lacks an intent.
        ZgadkaError: Discord cannot be reached at the start; later on, the library tries again by itself.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    try:
        async with DiscordBot(memory, model, persona=persona) as bot:
            await or_stop(bot.start(token), stop or asyncio.Event())
    except discord.LoginFailure as error:
        raise SettingsError("Discord does not accept the token in ZGADKA_DISCORD_TOKEN") from error
    except discord.PrivilegedIntentsRequired as error:
        raise SettingsError(
            "switch on the bot's intents MESSAGE CONTENT and SERVER MEMBERS at discord.com/developers"
        ) from error
    except OSError as error:
        raise ZgadkaError(f"Discord cannot be reached: {error}") from error


@dataclass
class _Server:
    """Whether the memory knows who reads what in a server, and the line of what waits until it does."""

    line: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_reported: bool = False


class DiscordBot(discord.Client):
    """A bot over one memory.

    All that must outlive it is in the database: any process may go on with it, and buttons work after a restart.

    Args:
        model: What answers; see `providers.choose_model`.
        persona: The persona lineage.
    """

    def __init__(self, memory: Memory, model: Model, *, persona: int = 0) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        intents.members = True
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions.none())
        self._memory = memory
        self._persona = persona
        settings = memory.settings
        self._readers = Readers(
            open_percent=settings.discord_open_percent,
            open_channels=[channel.strip() for channel in settings.discord_open_channels.split(",")],
        )
        self._servers: dict[int, _Server] = {}
        self._core = Bot(memory, DiscordWire(self), model, sets=chosen_sets(memory.settings, also=("notes",)))
        self.tree = app_commands.CommandTree(self)
        for command in commands(self._run_command):
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        """Register the commands, and begin to remind."""
        self._core.begin()
        await self.tree.set_translator(Menu())
        await self.tree.sync()
        self._remind.start()

    async def close(self) -> None:
        """Say what is still to be said, then leave."""
        self._remind.cancel()
        await self._core.close()
        await super().close()

    async def _take(self, *events: Event) -> None:
        with _logged():
            for event in events:
                await self._core.take(event)

    # Messages

    async def on_message(self, message: discord.Message) -> None:
        """Tell of the message and its writer."""
        if message.author != self.user and not message.is_system():
            member = bridge_member(message) if is_bridge(message) else member_of(message.author)
            with _logged():
                await self._learn_readers(message.guild)
                told = self._message(message, edited=False)
                await self._take(Membership(space=told.turn.space, members=(member,)), told)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Tell of the change; Discord also tells of links it unfolded, which is none."""
        message = event.message
        if message.author != self.user and message.edited_at is not None and not message.is_system():
            with _logged():
                await self._learn_readers(message.guild)
                await self._take(self._message(message, edited=True))

    def _message(self, message: discord.Message, *, edited: bool) -> Message:
        is_person = not is_bridge(message) and not message.author.bot
        turn = turn_of_message(message, self._persona, self._readers)
        replied_to, replied_text = told_by_replied(message, self.user)
        return Message(
            turn=replace(turn, replies_to=replied_to_person(message, self.user, self._persona)),
            text=spoken(message, self.user),
            own_text=own_text(message, self.user) if is_person else None,
            edited=edited,
            to_bot=not message.author.bot and is_addressed(message, self.user),
            answers=buttons_replied_to(message, self.user),
            replied_to=replied_to,
            replied_text=replied_text,
            to_another=is_to_another(message, self.user),
        )

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Tell of the deletion."""
        await self._unrecord(event.channel_id, event.guild_id, [event.message_id])

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Tell of the deletions."""
        await self._unrecord(event.channel_id, event.guild_id, sorted(event.message_ids))

    async def _unrecord(self, channel_id: int, guild_id: int | None, messages: Sequence[int]) -> None:
        channel: Any = self.get_channel(channel_id)
        if channel is None:
            try:
                channel = await self.fetch_channel(channel_id)
            except discord.HTTPException:
                _log.debug("the channel of a deleted message is gone too")
        with _logged():  # after the messages that wait; it is followed in any case
            await self._learn_readers(self._guild(guild_id))
        user = channel.recipient if isinstance(channel, discord.DMChannel) else self.user
        for message in messages:
            place = channel, channel_id, guild_id, message, user.id if user else 0
            await self._take(Deletion(turns=(turn_of_deletion(*place, self._persona, self._readers),)))

    # Commands and buttons

    async def _run_command(self, interaction: discord.Interaction[Any], name: str, argument: str) -> None:
        await interaction.response.defer(ephemeral=True)
        await self._run(interaction, partial(Command, name=name, argument=argument))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Tell of a pressed button; commands find their own way."""
        data = str((interaction.data or {}).get("custom_id", ""))
        if interaction.type is discord.InteractionType.component and is_ours(data):
            await interaction.response.defer()
            shown = interaction.message
            words, buttons = (shown.content, buttons_of(shown)) if shown is not None else ("", ())
            await self._run(interaction, partial(Press, data=data, text=words, buttons=buttons))

    async def _run(self, interaction: discord.Interaction[Any], make: Callable[..., Command | Press]) -> None:
        language, source = language_of_locale(interaction), Pending(interaction)

        def event() -> Command | Press:
            turn = turn_of_interaction(interaction, self._persona, self._readers)
            return make(turn=turn, language=language, source=source)

        try:
            await self._learn_readers(self._guild(interaction.guild_id))
            await self._core.take(event())
        except StoreError:
            _log.exception("the store failed while a person was answered")
            self._core.apologize(event())

    @tasks.loop(minutes=_REMIND_MINUTES)
    async def _remind(self) -> None:
        await self._core.remind()

    @_remind.before_loop
    async def _wait(self) -> None:
        await self.wait_until_ready()

    # Members

    async def on_ready(self) -> None:
        """Tell who the bot is, who is here, and who left meanwhile."""
        if self.user is not None:
            await self._take(Account(user=str(self.user.id)))
        for guild in self.guilds:
            await self.on_guild_join(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Tell who is in a server, who has left, and who reads which channel."""
        await _meet(guild)  # else everybody of whom Discord has not told yet would have left
        present = {str(member.id): member_of(member) for member in guild.members}
        left_at, space = datetime.now(UTC), str(guild.id)
        reported = {member.user: member for member in await self._memory.look(_members, space)}
        missing = [member for user, member in reported.items() if user not in present and member.kind != "bridge"]
        left = [replace(member, left_at=left_at, role=None) for member in missing]
        await self._take(Membership(space=space, members=(*present.values(), *left)))
        known = await self._memory.look(_chats_with_title, space)
        gone = [Title(chat=chat, text="") for chat in known - {str(channel.id) for channel in guild.channels}]
        await self._take(Titles(space=space, titles=(*titles_of(guild), *gone)))
        await self._report_readers(guild)
        await self._take_in_closed_spaces(guild)
        await self._take(Presence(space=space, is_here=True))

    on_guild_available = on_guild_join  # it was out of reach

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Tell that the bot was removed from a server."""
        await self._take(Presence(space=str(guild.id), is_here=False))

    async def on_member_join(self, member: discord.Member) -> None:
        """Tell of a new member."""
        await self._report(member.guild, member_of(member))

    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        """Tell who left; what is remembered about the person can still be deleted."""
        if (guild := self.get_guild(event.guild_id)) is not None:
            await self._report(guild, member_of(event.user, left_at=datetime.now(UTC)))

    async def on_member_update(self, _: discord.Member, member: discord.Member) -> None:
        """Tell of a new nickname or role."""
        await self._report(member.guild, member_of(member))

    async def on_user_update(self, _: discord.User, user: discord.User) -> None:
        """Tell of a new name, in every server that the person and the bot share."""
        for guild in self.guilds:
            if (member := guild.get_member(user.id)) is not None:
                await self._report(guild, member_of(member))

    async def on_guild_role_update(self, _: discord.Role, role: discord.Role) -> None:
        """Tell who may do more, or less, since a role was changed."""
        for member in role.members:
            await self._report(role.guild, member_of(member))
        await self._report_readers(role.guild)

    async def on_guild_update(self, former: discord.Guild, guild: discord.Guild) -> None:
        """Tell of a new owner and a new name."""
        if former.name != guild.name:
            await self._take(Titles(space=str(guild.id), titles=(Title(text=guild.name),)))
        if former.owner_id != guild.owner_id:
            for user in (former.owner_id, guild.owner_id):
                if user is not None and (member := guild.get_member(user)) is not None:
                    await self._report(guild, member_of(member))

    async def _report(self, guild: discord.Guild, member: Member) -> None:
        await self._take(Membership(space=str(guild.id), members=(member,)))

    # Who reads what

    async def _take_in_closed_spaces(self, guild: discord.Guild) -> None:
        """Take in what an older program kept of closed channels, each of which was a space of its own.

        What was said while a channel was closed is not told to the whole server, open as it may be now.
        """
        for space in await self._memory.look(lambda tx: tx.moving.spaces_named(PLATFORM, f"{guild.id}:")):
            number = space.name.removeprefix(f"{guild.id}:")
            channel = guild.get_channel_or_thread(int(number)) if number.isdecimal() else None
            readers = () if channel is None else self._readers.of(channel, channel.id, guild.id)
            await self._memory.move_space(
                PLATFORM, space.name, str(guild.id), thread=number, readers=readers or (f"channel:{number}",)
            )

    async def on_connect(self) -> None:
        """Begin anew: who reads what may have been changed while Discord could not tell."""
        self._servers.clear()

    async def _report_readers(self, guild: discord.Guild) -> None:
        """Tell who reads which channel since something was changed that may decide it."""
        with _logged():
            await self._learn_readers(guild, anew=True)

    async def _learn_readers(self, guild: discord.Guild | None, *, anew: bool = False) -> None:
        """Have the memory know who reads what in a server, before anything is kept or told there.

        What comes meanwhile waits in line, in the order in which it came; after a failure the next one tries again.

        Raises:
            StoreError: The memory does not know.
        """
        if guild is None:
            return
        server = self._servers.setdefault(guild.id, _Server())
        async with server.line:
            if server.is_reported and not anew:
                return
            server.is_reported = False
            await _meet(guild)
            self._readers.forget(guild)
            await self._core.take(Readership(space=str(guild.id), readers=self._readers.of_all(guild)))
            server.is_reported = True

    def _guild(self, guild_id: int | None) -> discord.Guild | None:
        return None if guild_id is None else self.get_guild(guild_id)

    async def on_guild_channel_update(self, _: discord.abc.GuildChannel, channel: discord.abc.GuildChannel) -> None:
        """Tell who reads a channel now, and what it is called."""
        await self._report_readers(channel.guild)
        await self._report_title(channel)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        """Tell who reads a new channel, and what it is called."""
        await self._report_readers(channel.guild)
        await self._report_title(channel)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        """Tell that a channel is gone, and its threads."""
        await self._report_title(channel, is_gone=True)

    async def on_thread_create(self, thread: discord.Thread) -> None:
        """Tell what a new thread is called."""
        await self._report_title(thread)

    async def on_thread_update(self, _: discord.Thread, thread: discord.Thread) -> None:
        """Tell what a thread is called now."""
        await self._report_title(thread)

    async def on_thread_delete(self, thread: discord.Thread) -> None:
        """Tell that a thread is gone."""
        await self._report_title(thread, is_gone=True)

    async def _report_title(self, channel: discord.abc.GuildChannel | discord.Thread, *, is_gone: bool = False) -> None:
        title = title_of(channel, is_gone=is_gone)
        if title is not None:
            await self._take(Titles(space=str(channel.guild.id), titles=(title,)))

    async def on_guild_role_create(self, role: discord.Role) -> None:
        """Tell who reads what, with a new role."""
        await self._report_readers(role.guild)

    async def on_guild_role_delete(self, role: discord.Role) -> None:
        """Tell who reads what, without a role."""
        await self._report_readers(role.guild)


@contextmanager
def _logged() -> Generator[None]:
    """Go on after an event that the store could not follow."""
    try:
        yield
    except StoreError:
        _log.exception("a Discord event could not be followed")


async def _meet(guild: discord.Guild) -> None:
    """Have Discord tell of all members of a server, without whom nobody knows who reads a channel."""
    if not guild.chunked:
        await guild.chunk()


def _members(tx: Tx, space: str) -> list[Member]:
    """Who is known to be in the space."""
    owner = tx.owners.find("space", PLATFORM, space)
    return [] if owner is None else [member for member in tx.members.list(owner) if member.left_at is None]


def _chats_with_title(tx: Tx, space: str) -> set[str]:
    """The channels whose titles are known."""
    owner = tx.owners.find("space", PLATFORM, space)
    titles = [] if owner is None else tx.titles.list(owner)
    return {title.chat for title in titles if title.chat and not title.thread}
