"""From the bots' core to Discord; the library waits where Discord asks for it, and tries again."""

from __future__ import annotations

import io
from collections.abc import Generator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import discord

from zgadka.bots.discord import PLATFORM
from zgadka.bots.discord.text import LONGEST, escaped, fitting
from zgadka.bots.platform import NOTED, Address, Command, Content, Press, Rows, Undelivered, split
from zgadka.log import brief
from zgadka.model.turn import former_id

MEMORY_UPDATE = 0xFFBF00
"""Amber: a memory was changed."""

ERROR = 0xE74C3C
"""Red: a memory is gone."""


@dataclass
class Pending:
    """An interaction that was deferred.

    Attributes:
        is_answered: Whether its own message is there; what follows are messages of their own.
    """

    interaction: discord.Interaction[Any]
    is_answered: bool = False


class DiscordWire:
    """Sends through a client that allows no mentions."""

    name = PLATFORM
    whispers = True
    writes_first = True
    links_commands = False
    commands_reply = False
    file_bytes = discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    def escape(self, text: str) -> str:
        """Take every formatting, mention, link and list out of it."""
        return escaped(text)

    async def send(self, address: Address, content: Content) -> datetime | None:
        """Send to a channel, a thread or a person; an embed where there is a title."""
        sent_at = None
        with _delivering():
            target = await self._user(address.user) if address.chat is None else self._channel(address)
            for number, message in enumerate(_messages(content)):
                if number == 0 and address.reply_to is not None and not isinstance(target, discord.User):
                    message["reference"] = discord.MessageReference(
                        message_id=int(former_id(address.reply_to)), channel_id=target.id, fail_if_not_exists=False
                    )
                if content.pings:
                    mentions = discord.AllowedMentions(everyone=False, users=False, roles=False, replied_user=True)
                    message["allowed_mentions"] = mentions
                sent = await target.send(**message)
                sent_at = sent.created_at
        return sent_at

    async def edit(self, address: Address, message: str, content: Content) -> None:
        """Replace a message of the bot's."""
        with _delivering():
            first, *_ = _messages(content)
            await self._channel(address).get_partial_message(int(message)).edit(**_without_old_view(first))

    async def react(self, address: Address, message: str) -> None:
        """Put a reaction on the message."""
        with _delivering():
            await self._channel(address).get_partial_message(int(former_id(message))).add_reaction(NOTED)

    async def reply(self, event: Command | Press, content: Content) -> datetime | None:
        """Answer so that nobody else sees it: in the place of the deferred answer to a command, then after it."""
        pending, sent_at = _pending(event), None
        with _delivering():
            for message in _messages(content):
                if isinstance(event, Command) and not pending.is_answered:
                    sent = await pending.interaction.edit_original_response(**message)
                else:
                    sent = await pending.interaction.followup.send(**message, ephemeral=True, wait=True)
                sent_at, pending.is_answered = sent.created_at, True
        return sent_at

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        """Replace the message with the button, or answer alone what others are not to read."""
        interaction = _pending(press).interaction
        is_public = interaction.guild_id is not None and not (
            interaction.message is not None and interaction.message.flags.ephemeral
        )
        if personal and is_public:
            await self.reply(press, content)
            return
        first, *rest = _messages(content)
        with _delivering():
            await interaction.edit_original_response(**_without_old_view(first))
            for message in rest:
                await interaction.followup.send(**message, ephemeral=True)

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        """Say what is loud to the person alone; the press itself is acknowledged already."""
        if loud and text:
            with _delivering():
                await _pending(press).interaction.followup.send(text, ephemeral=True)

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        """Answer with a file that nobody else sees."""
        file = discord.File(io.BytesIO(content), name)
        with _delivering():
            await _pending(command).interaction.followup.send(caption, file=file, ephemeral=True)

    def typing(self, address: Address) -> AbstractAsyncContextManager[object]:
        """Show that the bot is writing."""
        return self._channel(address).typing()

    async def administrators(self, space: str) -> Mapping[str, str]:
        """Nobody: Discord tells each member's role."""
        return {}

    def _channel(self, address: Address) -> discord.PartialMessageable:
        name = address.thread or address.chat or ""
        if not name.isdecimal():
            raise Undelivered("no channel of Discord")  # another program's turn
        return self._client.get_partial_messageable(int(name))

    async def _user(self, name: str | None) -> discord.User:
        if name is None or not name.isdecimal():
            raise Undelivered("no person of Discord")  # a bridge's
        return self._client.get_user(int(name)) or await self._client.fetch_user(int(name))


def _messages(content: Content) -> list[dict[str, Any]]:
    """The messages that the content takes; the buttons are under the last one."""
    if content.title:
        color = ERROR if content.tone == "gone" else MEMORY_UPDATE
        embed = discord.Embed(title=content.title, description=content.text, color=color)
        return [{"embed": embed.set_footer(text=content.footer) if content.footer else embed}]
    messages: list[dict[str, Any]] = [{"content": piece} for piece in split(content.text, LONGEST)]
    if content.rows:
        messages[-1]["view"] = _view(content.rows)
    return messages


def _without_old_view(message: dict[str, Any]) -> dict[str, Any]:
    return {"view": None, **message}


def _view(rows: Rows) -> discord.ui.View:
    """The buttons, row by row. What a press means is in its data, so the library need not keep the view."""
    view = discord.ui.View(timeout=None)
    for number, row in enumerate(fitting(rows)):
        for button in row:
            view.add_item(discord.ui.Button(label=button.text, custom_id=button.data, row=number))
    view.stop()
    return view


def _pending(event: Command | Press) -> Pending:
    assert isinstance(event.source, Pending)  # noqa: S101
    return event.source


@contextmanager
def _delivering() -> Generator[None]:
    try:
        yield
    except discord.HTTPException as error:
        raise Undelivered(f"{brief(error)} (HTTP {error.status}, {error.code})") from error
