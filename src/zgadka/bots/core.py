"""The bots' core: from what happens to a turn, from a result to a message. What is kept, the engine decides."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, aclosing, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from zgadka.bots.buttons import deletion_rows
from zgadka.bots.commands import Commands
from zgadka.bots.delivery import Delivery, Recent
from zgadka.bots.notices import Notices
from zgadka.bots.plain_answers import PlainAnswers
from zgadka.bots.platform import (
    Account,
    Address,
    Command,
    Content,
    Deletion,
    Event,
    Membership,
    Message,
    Move,
    Platform,
    Presence,
    Press,
    Readership,
    Titles,
    Undelivered,
    quote,
)
from zgadka.bots.presses import Presses
from zgadka.chat.loop import Conversation
from zgadka.errors import StoreError
from zgadka.locales import text
from zgadka.log import logger
from zgadka.model.people import Member, Title
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.accounts import is_account, report_account
from zgadka.ops.messages import take_back_told
from zgadka.stores.tx import Tx
from zgadka.text.off_record import takes_back

if TYPE_CHECKING:
    from zgadka.chat.agent import Model
    from zgadka.engine import Memory

_log = logger()

Transcribe = Callable[[str], Awaitable[str | None]]
"""From a voice message's file id to what is said in it; None when that cannot be told."""

_TOLD = re.compile(r"/(?:undo|forget)[_ ](\d{1,16})", re.ASCII)
"""The commands by which our notices tell how to take back what was remembered."""
_OURS = "ours:"
"""What the id of a message of ours begins with where ids of people's are looked up: those may be the same numbers."""
_MOST_ANSWERS = 32
_REPORTED_AT_ONCE = 100
_ADMINISTRATORS_FOR = timedelta(minutes=10)


class Bot:
    """A bot over one memory. It keeps nothing of its own that a restart could lose.

    Args:
        memory: What remembers.
        platform: What sends.
        model: What answers; see `zgadka.chat.providers.choose_model`.
        persona_text: Who the model is; None: the persona that comes with the program.
        sets: The tool sets of the model; None: those of the setting `chat_tools`.
        transcribe: Writes down voice messages; None: they are left alone.
        clock: Gives the time; None: the machine's.

    Raises:
        MissingExtra: The packages of the extra `chat` are not installed.
    """

    def __init__(
        self,
        memory: Memory,
        platform: Platform,
        model: Model,
        *,
        persona_text: str | None = None,
        sets: Sequence[str] | None = None,
        transcribe: Transcribe | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._memory = memory
        self._platform = platform
        self._conversation = Conversation(
            memory, model, persona_text=persona_text, sets=sets, heard=self._hear, observes=True
        )
        self._transcribe = transcribe
        self._clock = clock or (lambda: datetime.now(UTC))
        self._delivery = Delivery(platform, memory.settings.undo_hours, partial(memory.look, _now))
        self._notices = Notices(memory, self._delivery)
        self._commands = Commands(memory, self._delivery, self._notices)
        self._presses = Presses(memory, self._delivery, self._notices, self._commands, self._forget_person)
        self._plain_answers = PlainAnswers(memory, self._delivery, self._notices, self._presses)
        self._observing: set[asyncio.Task[object]] = set()
        self._orders: WeakValueDictionary[tuple[str, str | None], asyncio.Lock] = WeakValueDictionary()
        self._answering = asyncio.Semaphore(_MOST_ANSWERS)
        self._members: Recent[Member] = Recent()
        self._titles: Recent[dict[tuple[str, str], Title]] = Recent()
        self._roles: Recent[dict[str, str]] = Recent()
        self._roles_until: Recent[datetime] = Recent()
        self._speeches: Recent[str] = Recent()
        self._open_deletions: dict[str, list[ToolResult]] = {}
        self._waiting: dict[tuple[str, str | None], Message] = {}  # for their answers, as they read now

    def begin(self) -> None:
        """Work in the caller's context from now on, where a platform's library keeps something in it."""
        self._delivery.queues.begin()

    async def take(self, event: Event) -> None:
        """Take note of an event; returns once nothing of it can be lost. Answers follow.

        Raises:
            StoreError: Nothing was noted; give the event again later.
        """
        if isinstance(event, Message | Command | Press) and event.language is not None:
            self._delivery.languages[event.turn.user_key] = event.language
        match event:
            case Membership():
                self._take_membership(event)
            case Readership():
                await self._memory.report_readers(self._platform.name, event.space, event.readers)
            case Titles():
                self._delivery.queues.put(f"members:{event.space}", partial(self._report_titles, event))
            case Move():
                await self._memory.move_space(
                    self._platform.name, event.space, event.into, chats=(event.space, event.into)
                )
            case Account():
                await self._memory.apply(report_account, self._platform.name, event.user)
            case Presence():
                self._titles.pop(event.space, None)  # they may be erased with the space
                await self._memory.report_removal(self._platform.name, event.space, is_gone=not event.is_here)
            case Message():
                async with self._in_order(event.turn):
                    await self._take_message(event)
            case Deletion():
                for turn in event.turns:
                    async with self._in_order(turn):
                        self._waiting.pop(_message_of(turn), None)
                        await self._memory.unrecord(turn)
            case Command() | Press():
                with self._notices.answering(event):
                    await (self._commands.run(event) if isinstance(event, Command) else self._presses.run(event))

    def apologize(self, event: Command | Press) -> None:
        """Say that the memory cannot be reached, where the platform does not give an event again."""
        language = self._delivery.language(event.turn.user_key, "")
        self._delivery.reply(event, Content(text=text(language, "bots.busy")))

    async def remind(self) -> int:
        """Remind people of the questions that they have not answered; each once. Returns how many.

        They are also told what an operator changed. Where the store fails, that is logged, and the next time makes up
        for it.
        """
        try:
            for notice in await self._memory.take_operator_changes(self._platform.name):
                self._notices.tell(notice)
            due = await self._memory.due_reminders(platform=self._platform.name)
        except StoreError:
            _log.exception("no reminders now")
            return 0
        for question in due:
            self._notices.ask(question, again=True)
        return len(due)

    async def settle(self) -> None:
        """Wait until all that was taken is looked at and answered."""
        while self._observing or self._delivery.queues.busy:
            if self._observing:
                await asyncio.wait(self._observing)
            await self._delivery.queues.settle()
            await asyncio.sleep(0)

    async def close(self, seconds: float = 20) -> None:
        """Finish what is begun within the given time, and stop listening to the memory."""
        if self._observing:
            await asyncio.wait(self._observing, timeout=seconds)
        await self._delivery.queues.close(seconds)
        self._notices.stop()

    # Members

    def _take_membership(self, event: Membership) -> None:
        if event.roles_known:
            roles = self._roles.setdefault(event.space, {})
            for member in event.members:
                if member.role:
                    roles[member.user] = member.role
                else:
                    roles.pop(member.user, None)
        self._delivery.queues.put(f"members:{event.space}", partial(self._report, event))

    async def _report(self, event: Membership) -> None:
        if not event.roles_known:
            await self._learn_roles(event.space)
        roles = self._roles.get(event.space, {})
        members = [replace(member, role=roles.get(member.user)) for member in event.members]
        for start in range(0, len(members), _REPORTED_AT_ONCE):
            batch = members[start : start + _REPORTED_AT_ONCE]
            reports = [self._report_member(event.space, member) for member in batch]
            for error in await asyncio.gather(*reports, return_exceptions=True):
                if isinstance(error, Exception):
                    _log.error("a member could not be reported", exc_info=error)

    async def _report_member(self, space: str, member: Member) -> None:
        key = f"{space}:{member.user}"
        if self._members.get(key) != member:
            await self._memory.report_member(self._platform.name, space, member)
            self._members[key] = member

    async def _report_titles(self, event: Titles) -> None:
        known = self._titles.get(event.space, {})
        titles = {(title.chat, title.thread): title for title in event.titles}
        if any(known.get(place) != title for place, title in titles.items()):
            await self._memory.report_titles(self._platform.name, event.space, event.titles)
            self._titles[event.space] = known | titles

    async def _learn_roles(self, space: str) -> None:
        until = self._roles_until.get(space)
        if until is not None and self._clock() < until:
            return
        self._roles_until[space] = self._clock() + _ADMINISTRATORS_FOR
        with suppress(Undelivered):
            self._roles[space] = dict(await self._platform.administrators(space))

    def _forget_person(self, user: str) -> None:
        self._delivery.languages.pop(user, None)
        for name in [name for name in self._speeches if name.startswith(f"{user}:")]:
            del self._speeches[name]
        for key in [key for key, member in self._members.items() if member.user == user]:
            del self._members[key]

    # Messages

    def _in_order(self, turn: Turn) -> asyncio.Lock:
        """Held while something happens to a message: no deletion overtakes what it deletes."""
        return self._orders.setdefault(_message_of(turn), asyncio.Lock())

    async def _take_message(self, message: Message) -> None:
        turn = message.turn
        if message.voice is not None and self._transcribe is not None:
            message = await self._transcribed(message, message.voice, self._transcribe)
        if not message.text.strip():
            if message.edited:
                self._waiting.pop(_message_of(turn), None)
                await self._memory.unrecord(turn)
            elif message.to_bot and message.voice is None:
                language = self._delivery.language(turn.user_key, "")
                self._delivery.send(Address.of(turn), Content(text=self._commands.help(language)))
            return
        if message.own_text is None:
            # Another bot over this memory keeps what it answers itself, with what it was given.
            if not await self._memory.look(is_account, turn.platform, turn.user_key):
                await self._memory.record("user", message.text, turn)
            return
        own_text = message.own_text
        with ExitStack() as answered:
            if message.replied_to is not None and takes_back(own_text):
                message = await self._taken_back(message, message.replied_to)
            if message.to_bot and not message.edited:
                answered.enter_context(self._notices.after_answer(turn))
            await self._observe(message, own_text)
            if not message.edited:  # once what was asked before is shown
                self._waiting[_message_of(turn)] = message
                self._delivery.put(Address.of(turn), partial(self._reply, turn, answered.pop_all()))
            elif (waiting := self._waiting.get(_message_of(turn))) is not None:
                self._waiting[_message_of(turn)] = replace(
                    waiting, text=message.text, own_text=message.own_text, borrowed=message.borrowed
                )

    async def _taken_back(self, message: Message, replied_to: str) -> Message:
        """Remove what was said of which a notice of ours tells, to which the message replies, and not what was last."""
        ids = list(map(int, _TOLD.findall(message.replied_text)))
        if not ids:
            return message
        await self._memory.apply(take_back_told, message.turn, ids)
        return replace(message, turn=replace(message.turn, replies_to=f"{_OURS}{replied_to}"))

    async def _transcribed(self, message: Message, voice: str, transcribe: Transcribe) -> Message:
        name = f"{message.turn.user_key}:{voice}"
        speech = self._speeches.get(name)  # whose caption is edited says aloud what it said
        if speech is None:
            try:
                speech = await transcribe(voice)
            except Exception:  # noqa: BLE001  (the host's own code)
                _log.exception("a voice message could not be written down")
                return message
        if not speech:
            return message
        self._speeches[name] = speech
        is_own = message.own_text == message.text and not message.borrowed
        if message.borrowed:
            speech = quote(speech)
        words = "\n".join(part for part in (message.text, speech) if part)
        return replace(message, text=words, own_text=words if is_own else message.own_text)

    async def _observe(self, message: Message, own_text: str) -> None:
        """Have the message looked at; returns once it is on disk."""
        noted = asyncio.Event()
        looking = asyncio.create_task(
            self._memory.observe(message.text, message.turn, own_text=own_text, noted=noted.set), name="zgadka-observe"
        )
        on_disk = asyncio.create_task(noted.wait())
        try:
            await asyncio.wait({looking, on_disk}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            on_disk.cancel()
        if not noted.is_set():
            await looking
            return
        self._observing.add(looking)
        looking.add_done_callback(self._looked_at)

    def _looked_at(self, looking: asyncio.Task[object]) -> None:
        self._observing.discard(looking)
        if not looking.cancelled() and looking.exception() is not None:
            _log.error("a message was not looked at, and will be later", exc_info=looking.exception())

    async def _reply(self, turn: Turn, answered: ExitStack) -> None:
        """Answer a message as it reads by now; one that was taken back meanwhile is not answered."""
        with answered:
            message = self._waiting.pop(_message_of(turn), None)
            if message is not None and not await self._plain_answers.take(message) and message.to_bot:
                await self._answer(message)

    async def _answer(self, message: Message) -> None:
        turn = message.turn
        address = Address.of(turn)
        try:
            async with (
                self._platform.typing(address),
                self._answering,
                aclosing(self._conversation.answer(message.text, turn)) as pieces,
            ):
                answer = "".join([piece async for piece in pieces])
        finally:
            results = self._open_deletions.pop(str(turn.turn), [])
        language = self._delivery.language(turn.user_key, message.text)
        rows = deletion_rows(turn.user_key, results, language)
        worded = [await self._commands.in_words(turn, result, language) for result in results]
        unsaid = [
            self._delivery.deletion(turn, told, language)
            for result, told in zip(results, worded, strict=True)
            if self._delivery.is_unsaid(result, told, answer)
        ]
        if answer.strip() or rows:
            await self._delivery.send_now(
                address, Content(text="\n\n".join([answer.strip(), *unsaid]).strip(), rows=rows)
            )

    def _hear(self, turn: Turn, _tool: str, _arguments: Mapping[str, Any], result: ToolResult) -> None:
        """Note what the model was told to ask, for the buttons under its answer."""
        if result.status == "confirmation_required" and turn.turn is not None:
            self._open_deletions.setdefault(turn.turn, []).append(result)


def _message_of(turn: Turn) -> tuple[str, str | None]:
    return turn.space, turn.message


def _now(tx: Tx) -> datetime:
    return tx.now
