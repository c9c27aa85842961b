"""Telegram itself, through aiogram: updates become events, messages go out, over long polling or a webhook."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from aiogram import Bot, Router
from aiogram.client.default import DefaultBotProperties
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import PRODUCTION, TelegramAPIServer
from aiogram.enums import ChatType, MessageEntityType
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramBadRequest,
    TelegramConflictError,
    TelegramForbiddenError,
    TelegramNetworkError,
    TelegramRetryAfter,
    TelegramServerError,
    TelegramUnauthorizedError,
)
from aiogram.types import (
    BotCommand,
    BufferedInputFile,
    CallbackQuery,
    ChatMemberUpdated,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    Message,
    MessageEntity,
    ReplyParameters,
    Update,
    User,
)
from aiogram.utils.token import TokenValidationError
from aiohttp import web

from zgadka.adapters.telegram_bot import TelegramBot, Transcribe
from zgadka.adapters.telegram_events import PLATFORM, Event, Pressed, Rows, Said, Seen, Undelivered, Where
from zgadka.adapters.telegram_texts import COMMANDS, split
from zgadka.chat.questions import Language
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, SettingsError, StoreClosed, StoreError
from zgadka.log import logger
from zgadka.model.people import Member
from zgadka.model.turn import Turn

if TYPE_CHECKING:
    from zgadka.chat.agent import Model

_log = logger()

T = TypeVar("T")
Pause = Callable[[float], Awaitable[object]]

UPDATES = ["message", "edited_message", "callback_query", "chat_member", "my_chat_member"]

_POLL_SECONDS = 30
_REMIND_SECONDS = 60
_MOST_TRIES = 6
_LONGEST_PAUSE = 60.0
_SHORTEST_POLL = 0.2  # a server that does not wait must not be asked without pause
_HANDLED = 2_000
_ALERT = 200
_UNDO = re.compile(r"undo_(\d{1,16})", re.ASCII | re.IGNORECASE)
_LARGEST_UPDATE = 2 * 1024 * 1024


@dataclass(frozen=True)
class Me:
    """The bot's own account."""

    id: int
    username: str


# From updates to events


def events_of(update: Update, me: Me, *, persona: int = 0) -> Iterator[Event]:
    """Yield what an update says, in order; nothing for what is not a person's."""
    turn_id = f"update:{update.update_id}"
    if update.message is not None:
        yield from _message_events(update.message, me, turn_id, persona, edited=False)
    elif update.edited_message is not None:
        yield from _message_events(update.edited_message, me, turn_id, persona, edited=True)
    elif update.callback_query is not None:
        yield from _press_events(update.callback_query, f"press:{update.update_id}:{update.callback_query.id}", persona)
    elif (changed := update.chat_member or update.my_chat_member) is not None:
        yield from _membership_events(changed)


def chat_of(update: Update) -> int:
    """The chat in which updates have to be taken in order; 0 for what has none."""
    query = update.callback_query
    holder = update.message or update.edited_message or update.chat_member or update.my_chat_member
    holder = holder or (query.message if query is not None else None)
    return holder.chat.id if holder is not None else 0


def _message_events(message: Message, me: Me, turn_id: str, persona: int, *, edited: bool) -> Iterator[Event]:
    writer, chat = message.from_user, message.chat
    if chat.type == ChatType.CHANNEL or writer is None or message.sender_chat is not None:
        return  # a channel or a group speaks, nobody in particular
    if chat.type != ChatType.PRIVATE:
        space = str(chat.id)
        yield Seen(space=space, member=_member(writer))
        yield from (Seen(space=space, member=_member(user)) for user in message.new_chat_members or ())
        if message.left_chat_member is not None:
            yield Seen(space=space, member=_member(message.left_chat_member, left_at=_time(message.date)))
    if writer.is_bot:
        return
    turn = Turn(
        platform=PLATFORM,
        space=str(chat.id),
        chat=str(chat.id),
        user=writer.id,
        turn=turn_id,
        thread=str(message.message_thread_id) if message.is_topic_message else None,
        persona=persona,
        direct=chat.type == ChatType.PRIVATE,
        message=str(message.message_id),
        time=_time(message.date),
    )
    is_borrowed = message.forward_origin is not None or message.via_bot is not None or message.is_automatic_forward
    text, own_text, names_bot = _words(message, me)
    command, argument = (None, "") if is_borrowed or edited else _command(text, me)
    if command is None and text.startswith("/") and not is_borrowed:
        return  # another bot's, or an edited one: said to a bot, of nobody
    replied = message.reply_to_message
    if replied is not None and replied.forum_topic_created is not None:
        replied = None  # every message of a topic "replies" to its beginning
    answers_bot = replied is not None and replied.from_user is not None and replied.from_user.id == me.id
    yield Said(
        turn=turn,
        text=_quoted(text) if is_borrowed else text,
        own_text="" if is_borrowed else own_text,
        language=_language(writer),
        edited=edited,
        to_bot=not is_borrowed and (turn.direct or names_bot or answers_bot),
        command=command,
        argument=argument,
        answers=_buttons(replied) if answers_bot else (),
        replied_to=replied.message_id if replied is not None and answers_bot else None,
        voice=message.voice.file_id if message.voice is not None else None,
    )


def _press_events(query: CallbackQuery, turn_id: str, persona: int) -> Iterator[Event]:
    message = query.message
    if message is None or query.data is None:
        return
    text = message.text if isinstance(message, Message) else None
    thread = message.message_thread_id if isinstance(message, Message) and message.is_topic_message else None
    turn = Turn(
        platform=PLATFORM,
        space=str(message.chat.id),
        chat=str(message.chat.id),
        user=query.from_user.id,
        turn=turn_id,
        thread=str(thread) if thread is not None else None,
        persona=persona,
        direct=message.chat.type == ChatType.PRIVATE,
    )
    yield Pressed(
        turn=turn,
        data=query.data,
        query=query.id,
        message=message.message_id,
        text=text or "",
        language=_language(query.from_user),
    )


def _membership_events(changed: ChatMemberUpdated) -> Iterator[Event]:
    if changed.chat.type in (ChatType.PRIVATE, ChatType.CHANNEL):
        return
    now = changed.new_chat_member
    is_gone = now.status in ("left", "kicked") or not getattr(now, "is_member", True)
    role = now.status if now.status in ("creator", "administrator") else None
    member = _member(now.user, role=role, left_at=_time(changed.date) if is_gone else None)
    yield Seen(space=str(changed.chat.id), member=member, role_known=True)


def _member(user: User, *, role: str | None = None, left_at: datetime | None = None) -> Member:
    return Member(
        user=str(user.id),
        number=user.id,
        name=user.full_name,
        nickname=user.username,
        kind="bot" if user.is_bot else "person",
        role=role,
        left_at=left_at,
    )


def _time(given: datetime) -> datetime:
    return given.astimezone(UTC)


def _language(user: User) -> Language | None:
    match (user.language_code or "").partition("-")[0]:
        case "uk":
            return "uk"
        case "en":
            return "en"
        case _:
            return None


def _words(message: Message, me: Me) -> tuple[str, str, bool]:
    """The message's text, what of it is the writer's own, and whether it names the bot.

    The bot's name is in neither; lines that quote begin with `> ` and are not the writer's own.
    """
    text = message.text or message.caption or ""
    marked = text.encode("utf-16-le")  # entities count in UTF-16
    whole: list[str] = []
    own: list[str] = []
    at, names_bot = 0, False
    for entity in sorted(message.entities or message.caption_entities or (), key=lambda one: one.offset):
        start, end = entity.offset * 2, (entity.offset + entity.length) * 2
        if start < at:
            continue
        inside = marked[start:end].decode("utf-16-le", "replace")
        is_quote = entity.type in (MessageEntityType.BLOCKQUOTE, MessageEntityType.EXPANDABLE_BLOCKQUOTE)
        is_name = _is_name_of(entity, inside, me)
        if not is_quote and not is_name:
            continue
        before = marked[at:start].decode("utf-16-le", "replace")
        whole.append(before)
        own.append(before)
        if is_quote:
            whole.append(_quoted(inside))
        names_bot = names_bot or is_name
        at = end
    rest = marked[at:].decode("utf-16-le", "replace")
    return "".join([*whole, rest]).strip(), "".join([*own, rest]).strip(), names_bot


def _is_name_of(entity: MessageEntity, inside: str, me: Me) -> bool:
    match entity.type:
        case MessageEntityType.MENTION:
            return inside.lower() == f"@{me.username}".lower()
        case MessageEntityType.TEXT_MENTION:
            return entity.user is not None and entity.user.id == me.id
        case _:
            return False


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())


def _command(text: str, me: Me) -> tuple[str | None, str]:
    """The command and what follows it; None for a message, and for a command to another bot.

    `/undo_24` is `/undo 24`: an app makes a link of a command, but not of what follows it.
    """
    first, _, argument = text.partition(" ")
    first, _, line = first.partition("\n")
    name, _, bot = first.removeprefix("/").partition("@")
    if not text.startswith("/") or not name.isidentifier() or bot.lower() not in ("", me.username.lower()):
        return None, ""
    if (taken_back := _UNDO.fullmatch(name)) is not None:
        return "undo", taken_back[1]
    return name.lower(), f"{line} {argument}".strip()


def _buttons(message: Message | None) -> tuple[str, ...]:
    rows = message.reply_markup.inline_keyboard if message is not None and message.reply_markup is not None else ()
    return tuple(button.callback_data for row in rows for button in row if button.callback_data)


# From the bot to Telegram


class AiogramWire:
    """Sends through an aiogram bot; waits as long as Telegram asks, and tries again when the network fails."""

    def __init__(self, bot: Bot, *, pause: Pause = asyncio.sleep) -> None:
        self._bot = bot
        self._pause = pause

    async def say(self, where: Where, text: str, rows: Rows = ()) -> None:
        """Send a text, in as many messages as it needs."""
        pieces = list(split(text))
        for number, piece in enumerate(pieces):
            await self._send(
                partial(
                    self._bot.send_message,
                    where.chat,
                    piece,
                    message_thread_id=where.thread,
                    link_preview_options=LinkPreviewOptions(is_disabled=True),
                    reply_parameters=_reply(where) if number == 0 else None,
                    reply_markup=_markup(rows) if number == len(pieces) - 1 else None,
                )
            )

    async def edit(self, where: Where, message: int, text: str, rows: Rows = ()) -> None:
        """Replace a message of the bot's and its buttons; what does not fit into one message follows it."""
        first, *more = split(text)
        with suppress(_Unchanged):
            await self._send(
                partial(
                    self._bot.edit_message_text,
                    text=first,
                    chat_id=where.chat,
                    message_id=message,
                    link_preview_options=LinkPreviewOptions(is_disabled=True),
                    reply_markup=_markup(rows) if not more else None,
                )
            )
        if more:
            await self.say(where, "\n".join(more), rows)

    async def notify(self, query: str, text: str, *, loud: bool = False) -> None:
        """Answer a press."""
        await self._send(partial(self._bot.answer_callback_query, query, text=text[:_ALERT] or None, show_alert=loud))

    async def send_file(self, where: Where, name: str, content: bytes) -> None:
        """Send a file."""
        file = BufferedInputFile(content, name)
        await self._send(partial(self._bot.send_document, where.chat, file, message_thread_id=where.thread))

    async def show_typing(self, where: Where) -> None:
        """Show for some seconds that the bot is writing."""
        await self._send(
            partial(self._bot.send_chat_action, where.chat, "typing", message_thread_id=where.thread), tries=1
        )

    async def administrators(self, chat: int) -> dict[int, str]:
        """The group's administrators with their roles."""
        found = await self._send(partial(self._bot.get_chat_administrators, chat))
        return {one.user.id: one.status for one in found}

    async def introduce(self) -> None:
        """Tell Telegram the commands, for its menus."""
        for language in (None, "uk"):
            commands = [BotCommand(command=name, description=what) for name, what in COMMANDS[language or "en"].items()]
            with suppress(Undelivered):
                await self._send(partial(self._bot.set_my_commands, commands, language_code=language), tries=1)

    async def drop_webhook(self) -> None:
        """Have updates kept for polling; those that wait stay."""
        with suppress(Undelivered):
            await self._send(partial(self._bot.delete_webhook, drop_pending_updates=False))

    async def _send(self, call: Callable[[], Awaitable[T]], *, tries: int = _MOST_TRIES) -> T:
        for delay in _delays():
            tries -= 1
            try:
                return await call()
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
                said = f": {error.message}" if is_refusal and '"' not in error.message else ""
                raise Undelivered(type(error).__name__ + said) from error
            if tries <= 0:
                raise Undelivered(type(reason).__name__) from reason
            await self._pause(wait)
        raise AssertionError


class _Unchanged(Undelivered):
    """The message looks like that already."""


def _delays() -> Iterator[float]:
    delay = 1.0
    while True:
        yield delay
        delay = min(delay * 2, _LONGEST_PAUSE)


def _reply(where: Where) -> ReplyParameters | None:
    if where.reply_to is None:
        return None
    return ReplyParameters(message_id=where.reply_to, allow_sending_without_reply=True)


def _markup(rows: Rows) -> InlineKeyboardMarkup | None:
    if not rows:
        return None
    keyboard = [[InlineKeyboardButton(text=one.text, callback_data=one.data) for one in row] for row in rows]
    return InlineKeyboardMarkup(inline_keyboard=keyboard)


# The doors: long polling, a webhook, and a router for a bot that is there already


class Door:
    """Where updates come in: in order per chat, chats side by side, each once."""

    def __init__(self, telegram: TelegramBot, me: Me, *, persona: int = 0) -> None:
        self._telegram = telegram
        self._me = me
        self._persona = persona
        self._chats: dict[int, asyncio.Lock] = {}
        self._handled: OrderedDict[int, None] = OrderedDict()

    async def take(self, updates: Iterable[Update]) -> None:
        """Take updates; returns once all are noted.

        Raises:
            StoreError: Some could not be noted; give all of them again, those that were noted are left out.
        """
        by_chat: dict[int, list[Update]] = {}
        for update in updates:
            by_chat.setdefault(chat_of(update), []).append(update)
        outcomes = await asyncio.gather(*map(self._take_in_order, by_chat.values()), return_exceptions=True)
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome

    async def _take_in_order(self, updates: Sequence[Update]) -> None:
        lock = self._chats.setdefault(chat_of(updates[0]), asyncio.Lock())
        async with lock:
            for update in updates:
                if update.update_id not in self._handled:
                    await self._take(update)
                    self._handled[update.update_id] = None
        while len(self._handled) > _HANDLED:
            self._handled.popitem(last=False)

    async def _take(self, update: Update) -> None:
        try:
            for event in events_of(update, self._me, persona=self._persona):
                await self._telegram.take(event)
        except StoreError:
            raise
        except Exception:  # noqa: BLE001  (one update that cannot be meant must not stop all others)
            _log.exception("an update of Telegram was left out")


def router(telegram: TelegramBot, me: Me, *, persona: int = 0) -> Router:
    """Make an aiogram router, for a bot that has a dispatcher of its own; it waits until all is answered."""
    door = Door(telegram, me, persona=persona)
    made = Router(name="zgadka")

    async def take(_: object, event_update: Update) -> None:
        await door.take([event_update])
        await telegram.settle()

    for name in UPDATES:
        made.observers[name].register(take)
    return made


async def poll(bot: Bot, door: Door, stop: asyncio.Event, *, pause: Pause = asyncio.sleep) -> None:
    """Take updates by long polling until `stop` is set. An update is confirmed once it is noted.

    Raises:
        SettingsError: Telegram does not know the token any more.
    """
    offset: int | None = None
    delays = _delays()
    while not stop.is_set():
        started = asyncio.get_running_loop().time()
        try:
            updates = await _or_stop(_get_updates(bot, offset), stop)
            if updates:
                await door.take(updates)
                offset = updates[-1].update_id + 1
            elif not stop.is_set() and asyncio.get_running_loop().time() - started < _SHORTEST_POLL:
                await _or_stop(pause(_SHORTEST_POLL), stop)
            delays = _delays()
        except TelegramUnauthorizedError as error:
            raise SettingsError("Telegram refuses the token; see ZGADKA_TELEGRAM_TOKEN") from error
        except StoreClosed:
            raise
        except (TelegramAPIError, ClientDecodeError, StoreError) as error:
            if isinstance(error, TelegramConflictError):
                _log.error("another program takes this bot's updates; only one can")
            wait = float(error.retry_after) if isinstance(error, TelegramRetryAfter) else next(delays)
            _log.warning("no updates (%s); trying again in %g s", type(error).__name__, wait)
            await _or_stop(pause(wait), stop)
    if offset is not None:
        with suppress(TelegramAPIError, ClientDecodeError):  # so that nothing is answered twice after a restart
            await bot.get_updates(offset=offset, limit=1, timeout=0, request_timeout=5)


async def _get_updates(bot: Bot, offset: int | None) -> list[Update]:
    return await bot.get_updates(
        offset=offset, timeout=_POLL_SECONDS, allowed_updates=UPDATES, request_timeout=_POLL_SECONDS + 15
    )


async def _or_stop(work: Awaitable[T], stop: asyncio.Event) -> T | None:
    """What the work gives, or None when `stop` was set before."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({working, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        stopping.cancel()
        if not working.done():
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)


def secret_of(token: str) -> str:
    """What Telegram shows with every update, so that nobody else can send one."""
    return hmac.new(token.encode(), b"zgadka webhook", hashlib.sha256).hexdigest()


def webhook_app(bot: Bot, door: Door, path: str) -> web.Application:
    """Make the web application that takes Telegram's updates; it answers 200 once an update is noted."""
    secret = secret_of(bot.token)

    async def take(request: web.Request) -> web.Response:
        shown = request.headers.get("X-Telegram-Bot-Api-Secret-Token", "")
        if not hmac.compare_digest(shown.encode(), secret.encode()):
            return web.Response(status=403)
        try:
            update = Update.model_validate_json(await request.text(), context={"bot": bot})
        except ValueError:
            return web.Response(status=400)
        try:
            await door.take([update])
        except StoreError:
            return web.Response(status=503)  # Telegram sends it again
        return web.Response()

    app = web.Application(client_max_size=_LARGEST_UPDATE)
    app.router.add_post(path, take)
    return app


async def serve(
    bot: Bot, door: Door, stop: asyncio.Event, *, url: str, listen: str, ready: Callable[[str], object] = lambda _: None
) -> None:
    """Take updates that Telegram posts, until `stop` is set.

    Args:
        url: The public `https://…` address; a reverse proxy passes it on to `listen`.
        listen: `HOST:PORT` on this machine.
        ready: Is told the address once updates are taken.

    Raises:
        InvalidInput: `url` or `listen` cannot be meant.
    """
    host, _, port = listen.rpartition(":")
    if not url.startswith("https://") or not host or not port.isdigit():
        raise InvalidInput("a webhook needs a public https:// address, and --listen HOST:PORT on this machine")
    path = "/" + url.removeprefix("https://").partition("/")[2]
    runner = web.AppRunner(webhook_app(bot, door, path))
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, int(port))
        await site.start()
        await bot.set_webhook(url, secret_token=secret_of(bot.token), allowed_updates=UPDATES)
        ready(f"{runner.addresses[0][0]}:{runner.addresses[0][1]}")
        await stop.wait()
    finally:
        await runner.cleanup()


# All together


def make_bot(token: str, api: str = "") -> Bot:
    """Make the client.

    Args:
        token: From @BotFather.
        api: The address of a Bot API server of one's own; empty: Telegram's.

    Raises:
        SettingsError: The token cannot be one.
    """
    server = TelegramAPIServer.from_base(api) if api else PRODUCTION
    try:
        return Bot(token, session=AiohttpSession(api=server), default=DefaultBotProperties(parse_mode=None))
    except TokenValidationError as error:
        raise SettingsError("this is no bot token; @BotFather gives one: ZGADKA_TELEGRAM_TOKEN=123456:ABC…") from error


async def run_telegram(
    memory: Memory,
    model: Model,
    *,
    token: str,
    api: str = "",
    webhook: str = "",
    listen: str = "127.0.0.1:8080",
    persona: int = 0,
    persona_text: str | None = None,
    transcribe: Callable[[Bot], Transcribe] | None = None,
    stop: asyncio.Event | None = None,
    ready: Callable[[str], object] = lambda _: None,
    pause: Pause = asyncio.sleep,
) -> None:
    """Run the bot until `stop` is set: by long polling, or by a webhook where one is given.

    Args:
        model: What answers; see `zgadka.chat.providers.choose_model`.
        persona: The persona lineage.
        transcribe: Makes what writes down voice messages, from the client that can fetch them.
        ready: Is told who listens and how, once updates are taken.

    Raises:
        SettingsError: The token is wrong.
        InvalidInput: The webhook's addresses cannot be meant.
    """
    bot = make_bot(token, api)
    stop = stop or asyncio.Event()
    wire = AiogramWire(bot, pause=pause)
    telegram = TelegramBot(
        memory, wire, model, persona_text=persona_text, transcribe=transcribe(bot) if transcribe is not None else None
    )
    reminding = asyncio.create_task(_remind(telegram), name="zgadka-remind")
    try:
        me = await _or_stop(_who_am_i(bot, pause), stop)
        if me is None:
            return
        door = Door(telegram, me, persona=persona)
        await wire.introduce()
        if webhook:
            await serve(
                bot, door, stop, url=webhook, listen=listen, ready=lambda at: ready(f"@{me.username}, webhook at {at}")
            )
        else:
            await wire.drop_webhook()
            ready(f"@{me.username}, long polling")
            await poll(bot, door, stop, pause=pause)
    finally:
        reminding.cancel()
        await telegram.close()
        await bot.session.close()


async def _who_am_i(bot: Bot, pause: Pause) -> Me:
    for delay in _delays():
        try:
            me = await bot.get_me()
        except TelegramUnauthorizedError as error:
            raise SettingsError("Telegram does not know this token; see ZGADKA_TELEGRAM_TOKEN") from error
        except (TelegramAPIError, ClientDecodeError) as error:
            _log.warning("Telegram cannot be reached (%s); trying again in %g s", type(error).__name__, delay)
            await pause(delay)
        else:
            return Me(me.id, me.username or "")
    raise AssertionError


async def _remind(telegram: TelegramBot) -> None:
    while True:
        try:
            await telegram.remind()
        except StoreError:
            _log.exception("no reminders now")
        await asyncio.sleep(_REMIND_SECONDS)
