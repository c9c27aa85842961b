"""`zgadka discord`: events become turns, what the engine answers becomes messages; nothing is decided here."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import discord
from discord import app_commands
from discord.ext import tasks

from zgadka.adapters.discord_commands import Answers, Menu, commands, press
from zgadka.adapters.discord_notices import Outbox
from zgadka.adapters.discord_text import PLATFORM, PROFILE, TEXTS, delete_buttons, split
from zgadka.adapters.discord_translate import (
    bridge_member,
    is_addressed,
    is_bridge,
    language_of_locale,
    member_of,
    own_text,
    spoken,
    turn_of_deletion,
    turn_of_message,
    view_of,
)
from zgadka.chat.loop import Conversation
from zgadka.chat.providers import choose_model
from zgadka.chat.understand import language_of
from zgadka.engine import Memory
from zgadka.errors import SettingsError, StoreError, ZgadkaError
from zgadka.log import logger
from zgadka.model.people import Member
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.stores.tx import Tx
from zgadka.tools.registry import chosen_sets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from zgadka.chat.agent import Model

_log = logger()

_AT_ONCE = 100
_REMIND_MINUTES = 15


async def run_discord(
    memory: Memory,
    token: str,
    *,
    persona: int = 0,
    model: str | None = None,
    base_url: str | None = None,
    environ: Mapping[str, str] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Be a Discord bot until stopped.

    Args:
        token: The bot's token, from Discord's developer portal.
        persona: The persona lineage.
        model: `provider:name`; None: by the environment, see `providers.choose_model`.
        base_url: The model server's address instead of the provider's own.
        environ: Where keys are looked up; None: the environment.
        stop: Ends the bot when it is set.

    Raises:
        SettingsError: The token is missing or refused, or the bot lacks an intent.
        ZgadkaError: Discord cannot be reached at the start; later on, the library tries again by itself.
        MissingExtra: The packages of the extra `chat` are not installed.
    """
    if not token:
        raise SettingsError("no token: set ZGADKA_DISCORD_TOKEN to the bot's token from discord.com/developers")
    choice = choose_model(model, base_url=base_url, environ=environ)
    if choice.offline:
        _log.warning("no model has a key: an offline stand-in answers, which is no language model")
    try:
        async with choice, DiscordBot(memory, choice.model, persona=persona) as bot:
            await _until(stop or asyncio.Event(), bot.start(token))
    except discord.LoginFailure as error:
        raise SettingsError("Discord does not accept the token in ZGADKA_DISCORD_TOKEN") from error
    except discord.PrivilegedIntentsRequired as error:
        raise SettingsError(
            "switch on the bot's intents MESSAGE CONTENT and SERVER MEMBERS at discord.com/developers"
        ) from error
    except OSError as error:
        raise ZgadkaError(f"Discord cannot be reached: {error}") from error


async def _until(stop: asyncio.Event, running: Coroutine[Any, Any, None]) -> None:
    """Run until it ends by itself, or until the event is set."""
    both: list[asyncio.Future[Any]] = [asyncio.ensure_future(running), asyncio.ensure_future(stop.wait())]
    try:
        done, _ = await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in both:
            task.cancel()
        await asyncio.gather(*both, return_exceptions=True)


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
        self._conversation = Conversation(
            memory, model, sets=(*chosen_sets(memory.settings), "notes"), heard=self._hear, observes=True
        )
        self._to_delete: dict[str, list[str | list[int]]] = {}
        self._lines: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._reported: set[tuple[int, int | str]] = set()
        self._outbox = Outbox(self, memory)
        self._answers = Answers(memory, persona, self._forget_names)
        self._stop_listening = memory.subscribe(self._outbox.put)
        self.tree = app_commands.CommandTree(self)
        for command in commands(self._answers, self._handling):
            self.tree.add_command(command)

    async def setup_hook(self) -> None:
        """Register the commands, and begin to remind."""
        self._outbox.begin()
        await self.tree.set_translator(Menu())
        await self.tree.sync()
        self._remind.start()

    async def close(self) -> None:
        """Say what is still to be said, then leave."""
        self._stop_listening()
        self._stop_listening = _nothing
        self._remind.cancel()
        await self._outbox.delivered()
        await super().close()

    # Messages

    async def on_message(self, message: discord.Message) -> None:
        """Keep it, look at it, and answer where the bot is spoken to."""
        if message.author == self.user or message.is_system():
            return
        turn, text = turn_of_message(message, self._persona), spoken(message, self.user)
        work: list[Coroutine[Any, Any, object]] = []
        # All at once and in this order: messages are kept in the order in which they came.
        if is_bridge(message) or message.author.bot:
            work.append(self._memory.record("user", text, turn))
        elif text:
            work.append(self._memory.observe(text, turn, own_text=own_text(message, self.user)))
        if (report := self._report_author(message)) is not None:
            work.append(report)
        if not message.author.bot and is_addressed(message, self.user):
            work.append(self._answer(message, text, turn))
        await self._all(work)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        """Look at what was changed; Discord also tells of links it unfolded, which is no change."""
        message = event.message
        if message.author == self.user or message.edited_at is None or message.is_system():
            return
        turn, text = turn_of_message(message, self._persona), spoken(message, self.user)
        if not text:
            await self._memory.unrecord(turn)
        elif is_bridge(message) or message.author.bot:
            await self._memory.record("user", text, turn)
        else:
            await self._all([self._memory.observe(text, turn, own_text=own_text(message, self.user))])

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        """Remove what was deleted."""
        await self._unrecord(event.channel_id, event.guild_id, [event.message_id])

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        """Remove what was deleted at once."""
        await self._unrecord(event.channel_id, event.guild_id, sorted(event.message_ids))

    async def _unrecord(self, channel_id: int, guild_id: int | None, messages: Sequence[int]) -> None:
        channel: Any = self.get_channel(channel_id)
        if channel is None:
            try:
                channel = await self.fetch_channel(channel_id)
            except discord.HTTPException:
                _log.debug("the channel of a deleted message is gone too")
        user = channel.recipient if isinstance(channel, discord.DMChannel) else self.user
        for one in messages:
            await self._memory.unrecord(turn_of_deletion(channel, channel_id, guild_id, one, user.id if user else 0))

    async def _answer(self, message: discord.Message, text: str, turn: Turn) -> None:
        language = language_of(text)
        if not text:
            await self._reply(message, [TEXTS[language].help])
            return
        line = self._lines.setdefault(message.channel.id, asyncio.Lock())
        try:
            async with line, message.channel.typing():
                said = "".join([piece async for piece in self._conversation.answer(text, turn)])
        finally:
            asked = self._to_delete.pop(str(turn.turn), [])
        rows = [row for what in asked[:5] for row in delete_buttons(turn.user_name, what, language)]
        await self._reply(message, split(said) or ["…"], view_of(rows) if rows else None)

    async def _reply(
        self, message: discord.Message, pieces: Sequence[str], view: discord.ui.View | None = None
    ) -> None:
        for number, piece in enumerate(pieces):
            more: dict[str, Any] = {}
            if number == 0:
                more["reference"] = message.to_reference(fail_if_not_exists=False)
            if view is not None and number == len(pieces) - 1:
                more["view"] = view
            await message.channel.send(piece, **more)

    def _hear(self, turn: Turn, result: ToolResult) -> None:
        """Note the deletions that a tool asks the person about, for the buttons under the answer."""
        if result.status == "confirmation_required" and turn.turn is not None:
            awaiting = result.get("awaiting")
            ids: str | list[int] = [one["memory_id"] for one in awaiting] if awaiting else PROFILE
            asked = self._to_delete.setdefault(turn.turn, [])
            if ids not in asked:
                asked.append(ids)

    # Buttons and commands

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        """Do what a pressed button means; commands find their own way."""
        if interaction.type is discord.InteractionType.component:
            data = str((interaction.data or {}).get("custom_id", ""))
            async with self._handling(interaction):
                await press(self._answers, interaction, data)

    @asynccontextmanager
    async def _handling(self, interaction: discord.Interaction[Any]) -> AsyncGenerator[None]:
        """Let notices of what the person does now reach them as answers that nobody else sees."""
        with self._outbox.answering(interaction):
            try:
                yield
            except StoreError:
                _log.exception("the store failed while a person was answered")
                text = TEXTS[language_of_locale(interaction)].trouble.format("error", "")
                await interaction.followup.send(text.strip(), ephemeral=True)
            await self._outbox.delivered()

    @tasks.loop(minutes=_REMIND_MINUTES)
    async def _remind(self) -> None:
        for question in await self._memory.due_reminders(platform=PLATFORM):
            await self._outbox.remind(question)

    @_remind.before_loop
    async def _wait(self) -> None:
        await self.wait_until_ready()

    # Members

    async def on_ready(self) -> None:
        """Tell the engine who is here, and who left meanwhile."""
        for guild in self.guilds:
            await self.on_guild_join(guild)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        """Tell the engine who is in a server."""
        here = {str(member.id) for member in guild.members}
        known = await self._memory.look(_members, str(guild.id))
        now = datetime.now(UTC)
        gone = [
            replace(member, left_at=now, role=None)
            for member in known
            if member.user not in here and member.kind != "bridge" and member.left_at is None
        ]
        reports = [*(member_of(member) for member in guild.members), *gone]
        for at in range(0, len(reports), _AT_ONCE):
            await self._all([self._report(guild.id, member) for member in reports[at : at + _AT_ONCE]])

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Tell the engine who is in a server that was out of reach."""
        await self.on_guild_join(guild)

    async def on_member_join(self, member: discord.Member) -> None:
        """Tell the engine."""
        await self._report(member.guild.id, member_of(member))

    async def on_raw_member_remove(self, event: discord.RawMemberRemoveEvent) -> None:
        """Tell the engine; what is remembered about the person can still be deleted."""
        await self._report(event.guild_id, member_of(event.user, left_at=datetime.now(UTC)))

    async def on_member_update(self, _: discord.Member, member: discord.Member) -> None:
        """Tell the engine of a new nickname or role."""
        await self._report(member.guild.id, member_of(member))

    async def on_user_update(self, _: discord.User, user: discord.User) -> None:
        """Tell the engine of a new name, in every server that the person and the bot share."""
        members = [(guild.id, guild.get_member(user.id)) for guild in self.guilds]
        await self._all([self._report(guild, member_of(member)) for guild, member in members if member is not None])

    async def on_guild_role_update(self, _: discord.Role, role: discord.Role) -> None:
        """Tell the engine who may do more, or less, since a role was changed."""
        await self._all([self._report(role.guild.id, member_of(member)) for member in role.members])

    async def on_guild_update(self, before: discord.Guild, guild: discord.Guild) -> None:
        """Tell the engine of a new owner."""
        if before.owner_id != guild.owner_id:
            members = [guild.get_member(user) for user in (before.owner_id, guild.owner_id) if user is not None]
            await self._all([self._report(guild.id, member_of(member)) for member in members if member is not None])

    def _report_author(self, message: discord.Message) -> Coroutine[Any, Any, None] | None:
        """Report who wrote a message, once: an erased person, or a bridge user, is no news of Discord's."""
        space = message.guild.id if message.guild else message.channel.id
        member = bridge_member(message) if is_bridge(message) else member_of(message.author)
        return None if (space, member.user) in self._reported else self._report(space, member)

    async def _report(self, space: int, member: Member) -> None:
        self._reported.add((space, member.user))
        await self._memory.report_member(PLATFORM, str(space), member)

    def _forget_names(self, user: int) -> None:
        self._reported = {(space, one) for space, one in self._reported if one != str(user)}

    async def _all(self, work: Sequence[Coroutine[Any, Any, object]]) -> None:
        """Do all at once; what fails is logged and stops nothing else."""
        try:
            for error in await asyncio.gather(*work, return_exceptions=True):
                if isinstance(error, Exception):
                    _log.error("a Discord event could not be followed", exc_info=error)
        finally:
            await self._outbox.delivered()


def _members(tx: Tx, space: str) -> list[Member]:
    owner = tx.find_owner("space", PLATFORM, space)
    return [] if owner is None else tx.members(owner)


def _nothing() -> None:
    pass
