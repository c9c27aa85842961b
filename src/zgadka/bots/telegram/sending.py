"""From the bots' core to Telegram, through aiogram."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any, TypeVar

from aiogram import Bot as Client
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
)
from aiogram.types import (
    BotCommand,
    BufferedInputFile,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    ReactionTypeEmoji,
    ReplyParameters,
)

from zgadka.bots.commands import COMMANDS
from zgadka.bots.platform import NOTED, Address, Command, Content, Press, Rows, Undelivered, split
from zgadka.bots.telegram import PLATFORM
from zgadka.bots.telegram.translate import PressedMessage
from zgadka.locales import text
from zgadka.model.turn import former_id, is_of_account

T = TypeVar("T")
Pause = Callable[[float], Awaitable[object]]

MESSAGE_UNITS = 4096
"""The longest message, in UTF-16 code units, as Telegram counts."""

_MOST_TRIES = 6
_LONGEST_PAUSE = 60.0
_ALERT = 200
_SUPERGROUP = re.compile(r"-100\d{10,}")
_TYPING_SECONDS = 4.5
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)


class AiogramWire:
    """Sends through an aiogram bot; waits as long as Telegram asks, and tries again when the network fails.

    Texts are sent without a parse mode, so that nothing in them is markup or a mention.
    """

    name = PLATFORM
    whispers = False
    writes_first = False
    links_commands = True
    commands_reply = True
    file_bytes = 45_000_000  # Telegram takes 50 MB from bots

    def __init__(self, client: Client, *, pause: Pause = asyncio.sleep) -> None:
        self._client = client
        self._pause = pause

    def escape(self, text: str) -> str:
        """The text itself."""
        return text

    async def send(self, address: Address, content: Content) -> datetime | None:
        """Send a text, in as many messages as it needs; returns when the last was sent, by Telegram's clock."""
        destination = _place(address)
        pieces = list(split(content.plain, MESSAGE_UNITS, units))
        sent_at = None
        for number, piece in enumerate(pieces):
            message = await self._send(
                self._client.send_message,
                text=piece,
                **destination,
                link_preview_options=_NO_PREVIEW,
                reply_parameters=_reply(address) if number == 0 else None,
                reply_markup=_markup(content.rows) if number == len(pieces) - 1 else None,
            )
            sent_at = message.date
        return sent_at

    async def edit(self, address: Address, message: str, content: Content) -> None:
        """Replace a message of the bot's and its buttons; what does not fit into one message follows it."""
        beginning, *remainder = split(content.plain, MESSAGE_UNITS, units)
        with suppress(_Unchanged):
            await self._send(
                self._client.edit_message_text,
                text=beginning,
                chat_id=_number(address.chat),
                message_id=_number(message),
                link_preview_options=_NO_PREVIEW,
                reply_markup=_markup(content.rows) if not remainder else None,
            )
        if remainder:
            await self.send(address, Content(text="\n".join(remainder), rows=content.rows))

    async def react(self, address: Address, message: str) -> None:
        """Put a reaction on the message; where the group allows none, there is none."""
        await self._send(
            self._client.set_message_reaction,
            chat_id=_number(address.chat),
            message_id=_number(former_id(message)),
            reaction=[ReactionTypeEmoji(emoji=NOTED)],
        )

    async def reply(self, event: Command | Press, content: Content) -> datetime | None:
        """Answer in the chat."""
        return await self.send(Address.of(event.turn), content)

    async def replace(self, press: Press, content: Content, *, personal: bool = False) -> None:
        """Edit the message with the button: nothing in a group is for one person alone."""
        await self.edit(Address.of(press.turn), str(_pressed(press).message), content)

    async def notify(self, press: Press, text: str, *, loud: bool = False) -> None:
        """Answer a press; what is loud comes in a window that has to be closed."""
        query, answer = _pressed(press).query, self._client.answer_callback_query
        await self._send(answer, callback_query_id=query, text=text[:_ALERT] or None, show_alert=loud and bool(text))

    async def send_file(self, command: Command, name: str, content: bytes, caption: str) -> None:
        """Send a file."""
        destination, file = _place(Address.of(command.turn)), BufferedInputFile(content, name)
        await self._send(self._client.send_document, document=file, caption=caption, **destination)

    @asynccontextmanager
    async def typing(self, address: Address) -> AsyncGenerator[None]:
        """Show that the bot is writing; Telegram forgets it after some seconds."""

        async def type_on() -> None:
            with suppress(Undelivered):
                while True:
                    await self._send(self._client.send_chat_action, tries=1, action="typing", **_place(address))
                    await asyncio.sleep(_TYPING_SECONDS)

        typing = asyncio.create_task(type_on())
        try:
            yield
        finally:
            typing.cancel()

    async def administrators(self, space: str) -> Mapping[str, str]:
        """The group's administrators with their roles."""
        members = await self._send(self._client.get_chat_administrators, chat_id=_number(space))
        return {str(member.user.id): member.status for member in members}

    async def introduce(self) -> None:
        """Tell Telegram the commands, for its menus."""
        for code in (None, "uk"):
            descriptions = {name: text("uk" if code else "en", f"bots.commands.{name}") for name in COMMANDS}
            commands = [BotCommand(command=name, description=words) for name, words in descriptions.items()]
            with suppress(Undelivered):
                await self._send(self._client.set_my_commands, tries=1, commands=commands, language_code=code)

    async def drop_webhook(self) -> None:
        """Have updates kept for polling; those that wait stay."""
        with suppress(Undelivered):
            await self._send(self._client.delete_webhook, drop_pending_updates=False)

    async def _send(self, call: Callable[..., Awaitable[T]], *, tries: int = _MOST_TRIES, **arguments: Any) -> T:
        for delay in delays():
            tries -= 1
            try:
                return await call(**arguments)
            except TelegramRetryAfter as error:
                wait = float(error.retry_after)
                reason: Exception = error
            except (TelegramNetworkError, TelegramServerError, ClientDecodeError) as error:
                wait, reason = delay, error
            except TelegramAPIError as error:
                if isinstance(error, TelegramBadRequest) and "not modified" in error.message:
                    raise _Unchanged(type(error).__name__) from error
                # Only a refusal's own words; others name chats, and what is in quotes is from a message.
                is_refusal = isinstance(error, TelegramBadRequest | TelegramForbiddenError)
                words = f": {error.message}" if is_refusal and '"' not in error.message else ""
                raise Undelivered(type(error).__name__ + words) from error
            if tries <= 0:
                raise Undelivered(type(reason).__name__) from reason
            await self._pause(wait)
        raise AssertionError


class _Unchanged(Undelivered):
    """The message looks like that already."""


def delays() -> Iterator[float]:
    """Yield how long to wait after each failure."""
    delay = 1.0
    while True:
        yield delay
        delay = min(delay * 2, _LONGEST_PAUSE)


def units(text: str) -> int:
    """How long a text is for Telegram: in UTF-16 code units."""
    return len(text) + sum(character > "\uffff" for character in text)


def _number(name: str | None) -> int:
    """Telegram's number of a chat, a person or a message."""
    try:
        return int(name or "")
    except ValueError as error:  # another program's turn
        raise Undelivered("no chat of Telegram") from error


def _place(address: Address) -> dict[str, Any]:
    thread = _number(address.thread) if address.thread else None
    return {"chat_id": _number(address.chat or address.user), "message_thread_id": thread}


def _pressed(press: Press) -> PressedMessage:
    assert isinstance(press.source, PressedMessage)  # noqa: S101
    return press.source


def _reply(address: Address) -> ReplyParameters | None:
    if address.reply_to is None or (is_of_account(address.reply_to) and _SUPERGROUP.fullmatch(address.chat or "")):
        return None  # from before the group became a supergroup, where other messages have its numbers
    return ReplyParameters(message_id=_number(former_id(address.reply_to)), allow_sending_without_reply=True)


def _markup(rows: Rows) -> InlineKeyboardMarkup | None:
    if not rows:
        return None
    keyboard = [[InlineKeyboardButton(text=item.text, callback_data=item.data) for item in row] for row in rows]
    return InlineKeyboardMarkup(inline_keyboard=keyboard)
