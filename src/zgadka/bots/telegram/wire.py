"""Telegram's updates, over long polling, a webhook or a router, and the bot as a whole."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from aiogram import Bot as Client
from aiogram import Router
from aiogram.client.default import DefaultBotProperties
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import PRODUCTION, TelegramAPIServer
from aiogram.exceptions import (
    ClientDecodeError,
    TelegramAPIError,
    TelegramConflictError,
    TelegramRetryAfter,
    TelegramUnauthorizedError,
)
from aiogram.types import Update
from aiogram.utils.token import TokenValidationError
from aiohttp import web

from zgadka.bots.core import Bot, Transcribe
from zgadka.bots.delivery import Recent
from zgadka.bots.queues import or_stop
from zgadka.bots.telegram.sending import AiogramWire, Pause, delays
from zgadka.bots.telegram.translate import Me, chat_of, events_of
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, SettingsError, StoreClosed, StoreError
from zgadka.log import logger

if TYPE_CHECKING:
    from zgadka.chat.agent import Model

_log = logger()

UPDATES = ["message", "edited_message", "callback_query", "chat_member", "my_chat_member"]

_POLL_SECONDS = 30
_REMIND_SECONDS = 60
_SHORTEST_POLL = 0.2  # a server that does not wait must not be asked without pause
_LARGEST_UPDATE = 2 * 1024 * 1024


class Intake:
    """Where updates come in: in order per chat, chats side by side, each once."""

    def __init__(self, bot: Bot, me: Me, *, persona: int = 0) -> None:
        self._bot = bot
        self._me = me
        self._persona = persona
        self._chats: dict[int, asyncio.Lock] = {}
        self._handled: Recent[bool] = Recent()

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
                if str(update.update_id) not in self._handled:
                    await self._take(update)
                    self._handled[str(update.update_id)] = True

    async def _take(self, update: Update) -> None:
        try:
            for event in events_of(update, self._me, persona=self._persona):
                await self._bot.take(event)
        except StoreError:
            raise
        except Exception:  # noqa: BLE001  (one update that is invalid must not stop all others)
            _log.exception("an update of Telegram was left out")


def router(bot: Bot, me: Me, *, persona: int = 0) -> Router:
    """Make an aiogram router, for a bot that has a dispatcher of its own; it waits until all is answered."""
    intake = Intake(bot, me, persona=persona)
    route = Router(name="zgadka")

    async def take(_: object, event_update: Update) -> None:
        await intake.take([event_update])
        await bot.settle()

    for name in UPDATES:
        route.observers[name].register(take)
    return route


async def poll(client: Client, intake: Intake, stop: asyncio.Event, *, pause: Pause = asyncio.sleep) -> None:
    """Take updates by long polling until `stop` is set. An update is confirmed once it is noted.

    Raises:
        SettingsError: Telegram does not know the token any more.
    """
    offset: int | None = None
    pauses = delays()
    while not stop.is_set():
        started = asyncio.get_running_loop().time()
        try:
            polling = client.get_updates(
                offset=offset, timeout=_POLL_SECONDS, allowed_updates=UPDATES, request_timeout=_POLL_SECONDS + 15
            )
            updates = await or_stop(polling, stop)
            if updates:
                await intake.take(updates)
                offset = updates[-1].update_id + 1
            elif not stop.is_set() and asyncio.get_running_loop().time() - started < _SHORTEST_POLL:
                await or_stop(pause(_SHORTEST_POLL), stop)
            pauses = delays()
        except TelegramUnauthorizedError as error:
            raise SettingsError("Telegram refuses the token; see ZGADKA_TELEGRAM_TOKEN") from error
        except StoreClosed:
            raise
        except (TelegramAPIError, ClientDecodeError, StoreError) as error:
            if isinstance(error, TelegramConflictError):
                _log.error("another program takes this bot's updates; only one can")
            wait = float(error.retry_after) if isinstance(error, TelegramRetryAfter) else next(pauses)
            _log.warning("no updates (%s); trying again in %g s", type(error).__name__, wait)
            await or_stop(pause(wait), stop)
    if offset is not None:
        with suppress(TelegramAPIError, ClientDecodeError):  # so that nothing is answered twice after a restart
            await client.get_updates(offset=offset, limit=1, timeout=0, request_timeout=5)


def secret_of(token: str) -> str:
    """What Telegram shows with every update, so that nobody else can send one."""
    return hmac.new(token.encode(), b"zgadka webhook", hashlib.sha256).hexdigest()


def webhook_app(client: Client, intake: Intake, path: str) -> web.Application:
    """Make the web application that takes Telegram's updates; it answers 200 once an update is noted."""
    secret = secret_of(client.token)

    async def take(request: web.Request) -> web.Response:
        shown = request.headers.get("X-Telegram-Bot-Api-Secret-Token", "")
        if not hmac.compare_digest(shown.encode(), secret.encode()):
            return web.Response(status=403)
        try:
            update = Update.model_validate_json(await request.text(), context={"bot": client})
        except ValueError:
            return web.Response(status=400)
        try:
            await intake.take([update])
        except StoreError:
            return web.Response(status=503)  # Telegram sends it again
        return web.Response()

    app = web.Application(client_max_size=_LARGEST_UPDATE)
    app.router.add_post(path, take)
    return app


async def serve(
    client: Client,
    intake: Intake,
    stop: asyncio.Event,
    *,
    url: str,
    listen: str,
    ready: Callable[[str], object] = lambda _: None,
) -> None:
    """Take updates that Telegram posts, until `stop` is set.

    Args:
        url: The public `https://…` address; a reverse proxy passes it on to `listen`.
        listen: `HOST:PORT` on this machine.
        ready: Is told the address once updates are taken.

    Raises:
        InvalidInput: `url` or `listen` is invalid.
    """
    host, _, port = listen.rpartition(":")
    if not url.startswith("https://") or not host or not port.isdecimal():
        raise InvalidInput("a webhook needs a public https:// address, and --listen HOST:PORT on this machine")
    path = "/" + url.removeprefix("https://").partition("/")[2]
    runner = web.AppRunner(webhook_app(client, intake, path))
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, int(port))
        await site.start()
        await client.set_webhook(url, secret_token=secret_of(client.token), allowed_updates=UPDATES)
        ready(f"{runner.addresses[0][0]}:{runner.addresses[0][1]}")
        await stop.wait()
    finally:
        await runner.cleanup()


# All together


def make_bot(token: str, api: str = "") -> Client:
    """Make the client.

    Args:
        token: From @BotFather.
        api: The address of a Bot API server of one's own; empty: Telegram's.

    Raises:
        SettingsError: The token cannot be one.
    """
    server = TelegramAPIServer.from_base(api) if api else PRODUCTION
    try:
        return Client(token, session=AiohttpSession(api=server), default=DefaultBotProperties(parse_mode=None))
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
    transcribe: Callable[[Client], Transcribe] | None = None,
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
        InvalidInput: The webhook's addresses are invalid.
    """
    client = make_bot(token, api)
    stop = stop or asyncio.Event()
    wire = AiogramWire(client, pause=pause)
    bot = Bot(
        memory,
        wire,
        model,
        persona_text=persona_text,
        transcribe=transcribe(client) if transcribe is not None else None,
    )
    reminding = asyncio.create_task(_remind(bot), name="zgadka-remind")
    try:
        me = await or_stop(_who_am_i(client, pause), stop)
        if me is None:
            return
        intake = Intake(bot, me, persona=persona)
        await wire.introduce()
        if webhook:
            await serve(
                client,
                intake,
                stop,
                url=webhook,
                listen=listen,
                ready=lambda at: ready(f"@{me.username}, webhook at {at}"),
            )
        else:
            await wire.drop_webhook()
            ready(f"@{me.username}, long polling")
            await poll(client, intake, stop, pause=pause)
    finally:
        reminding.cancel()
        await bot.close()
        await client.session.close()


async def _who_am_i(client: Client, pause: Pause) -> Me:
    for delay in delays():
        try:
            me = await client.get_me()
        except TelegramUnauthorizedError as error:
            raise SettingsError("Telegram does not know this token; see ZGADKA_TELEGRAM_TOKEN") from error
        except (TelegramAPIError, ClientDecodeError) as error:
            _log.warning("Telegram cannot be reached (%s); trying again in %g s", type(error).__name__, delay)
            await pause(delay)
        else:
            return Me(me.id, me.username or "")
    raise AssertionError


async def _remind(bot: Bot) -> None:
    while True:
        await bot.remind()
        await asyncio.sleep(_REMIND_SECONDS)
