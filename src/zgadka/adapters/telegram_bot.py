"""The Telegram bot: from what happens to a turn, from a result to a message. What is kept, the engine decides."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from zgadka.adapters.telegram_events import PLATFORM, Event, Pressed, Rows, Said, Seen, Undelivered, Where, Wire
from zgadka.adapters.telegram_lines import Lines
from zgadka.adapters.telegram_texts import COMMANDS, TEXTS
from zgadka.chat.consent import build_consent_message, consent_answered, consent_labels, words_of
from zgadka.chat.loop import Conversation
from zgadka.chat.questions import (
    Button,
    Language,
    Press,
    answered_text,
    build_memory_confirm_keyboard,
    build_memory_confirm_message,
    read_press,
    reminder_text,
)
from zgadka.chat.trail import OwnCommand, run_command
from zgadka.chat.understand import language_of
from zgadka.engine import Memory
from zgadka.log import logger
from zgadka.model.inference import Answered, SaveQuestion
from zgadka.model.memory import StoredMemory
from zgadka.model.notice import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.people import Member
from zgadka.model.privacy import PrivacyLevel
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.forget import is_asked
from zgadka.ops.own import own_memories
from zgadka.ops.profile import PROFILE
from zgadka.stores.tx import Tx
from zgadka.text.clean import preview

if TYPE_CHECKING:
    from zgadka.chat.agent import Model

_log = logger()

Transcribe = Callable[[str], Awaitable[str | None]]
"""From a voice message's file id to what is said in it; None when that cannot be told."""

_PAGE = 8
_LISTED = 10
_MOST_ANSWERS = 32
_REMEMBERED = 10_000
_TYPING_SECONDS = 4.5
_FILE_BYTES = 45_000_000  # Telegram takes 50 MB from bots
_ADMINISTRATORS_FOR = timedelta(minutes=10)

_IDS = re.compile(r"(?:ID\s*:?\s*)?#?\d{1,16}(?:[\s,]+(?:ID\s*:?\s*)?#?\d{1,16})*", re.IGNORECASE)
_ID = re.compile(r"(?:ID\s*:?\s*)?#?(\d{1,16})", re.IGNORECASE | re.ASCII)
_LINK = re.compile(r"/(?=\w)")
_CORRECTION = re.compile(r"(?:(\d{1,3})[\s.:)]+)?(\S.*)", re.DOTALL)

_STATES = {"open": "•", "saved": "✓", "skipped": "✗"}
_NOTICES = {"updated": "updated_notice", "deleted": "deleted_notice", "hidden": "hidden_notice"}

_V = TypeVar("_V")


@dataclass(frozen=True)
class _Tap:
    """What a button of the bot's own means: `zg:VERB:USER:NUMBER`, or `…:MARK`; only that user may press it."""

    verb: str
    user: str
    number: int
    mark: int | None = None

    @property
    def data(self) -> str:
        data = f"zg:{self.verb}:{self.user}:{self.number}"
        return data if self.mark is None else f"{data}:{self.mark}"


def _read_tap(data: str) -> _Tap | None:
    parts = data.split(":")
    if len(parts) not in (4, 5) or parts[0] != "zg":
        return None
    if not all(re.fullmatch(r"\d{1,16}", one, re.ASCII) for one in parts[3:]):
        return None
    return _Tap(parts[1], parts[2], *map(int, parts[3:]))


class _Recent(OrderedDict[str, _V], Generic[_V]):
    """A dictionary of the keys that were set last."""

    def __setitem__(self, key: str, value: _V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > _REMEMBERED:
            self.popitem(last=False)


class TelegramBot:
    """A bot over one memory. It keeps nothing of its own that a restart could lose.

    Args:
        memory: What remembers.
        wire: What sends.
        model: What answers; see `zgadka.chat.providers.choose_model`.
        persona_text: Who the model is; None: the persona that comes with the program.
        transcribe: Writes down voice messages; None: they are left alone.
        clock: Gives the time; None: the machine's.

    Raises:
        MissingExtra: The packages of the extra `chat` are not installed.
    """

    def __init__(
        self,
        memory: Memory,
        wire: Wire,
        model: Model,
        *,
        persona_text: str | None = None,
        transcribe: Transcribe | None = None,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        self._memory = memory
        self._wire = wire
        self._conversation = Conversation(memory, model, persona_text=persona_text, heard=self._hear, observes=True)
        self._transcribe = transcribe
        self._clock = clock or (lambda: datetime.now(UTC))
        self._lines = Lines()
        self._observing: set[asyncio.Task[object]] = set()
        self._answering = asyncio.Semaphore(_MOST_ANSWERS)
        self._languages: _Recent[Language] = _Recent()
        self._members: _Recent[Member] = _Recent()
        self._roles: _Recent[dict[str, str]] = _Recent()
        self._roles_until: _Recent[datetime] = _Recent()
        self._asked: dict[str, list[ToolResult]] = {}
        self._quiet: _Recent[bool] = _Recent()
        self._notices: list[Notice] = []
        self._unsubscribe = memory.subscribe(self._noticed)

    async def take(self, event: Event) -> None:
        """Take note of an event; returns once nothing of it can be lost. Answers follow.

        Raises:
            StoreError: Nothing was noted; give the event again later.
        """
        match event:
            case Seen():
                self._see(event)
            case Said():
                await self._said(event)
            case Pressed():
                await self._pressed(event)

    async def remind(self) -> int:
        """Remind people of the questions that they have not answered; each once. Returns how many."""
        due = await self._memory.due_reminders(platform=PLATFORM)
        for question in due:
            self._lines.later(question.turn.chat, partial(self._ask, question, reminder=True))
        return len(due)

    async def settle(self) -> None:
        """Wait until all that was taken is looked at and answered."""
        while self._observing or self._lines.busy:
            if self._observing:
                await asyncio.wait(self._observing)
            await self._lines.settle()
            await asyncio.sleep(0)

    async def close(self, seconds: float = 20) -> None:
        """Finish what is begun within the given time, and stop listening to the memory."""
        if self._observing:
            await asyncio.wait(self._observing, timeout=seconds)
        await self._lines.close(seconds)
        self._unsubscribe()

    # Members

    def _see(self, seen: Seen) -> None:
        if seen.role_known and seen.member.role:
            self._roles.setdefault(seen.space, {})[seen.member.user] = seen.member.role
        elif seen.role_known:
            self._roles.setdefault(seen.space, {}).pop(seen.member.user, None)
        self._lines.later(f"members:{seen.space}", partial(self._report, seen))

    async def _report(self, seen: Seen) -> None:
        await self._know_roles(seen.space)
        member = replace(seen.member, role=self._roles.get(seen.space, {}).get(seen.member.user))
        key = f"{seen.space}:{member.user}"
        if self._members.get(key) != member:
            await self._memory.report_member(PLATFORM, seen.space, member)
            self._members[key] = member

    async def _know_roles(self, space: str) -> None:
        """Ask for the group's administrators, since only they may be told of changes of roles."""
        until = self._roles_until.get(space)
        if until is not None and self._clock() < until:
            return
        self._roles_until[space] = self._clock() + _ADMINISTRATORS_FOR
        try:
            found = await self._wire.administrators(int(space))
        except Undelivered:
            return
        self._roles[space] = {str(user): role for user, role in found.items()}

    # Messages

    async def _said(self, said: Said) -> None:
        if said.language is not None:
            self._languages[said.turn.user_name] = said.language
        if said.voice is not None and self._transcribe is not None:
            said = await self._written_down(said, said.voice)
        if said.command is not None:
            await self._commanded(said)
            return
        if not said.text.strip():
            return
        await self._observe(said)
        if said.to_bot and not said.edited:
            self._lines.later(said.turn.chat, partial(self._answer, said))

    async def _written_down(self, said: Said, voice: str) -> Said:
        assert self._transcribe is not None  # noqa: S101
        try:
            heard = await self._transcribe(voice)
        except Exception:  # noqa: BLE001  (the host's own code)
            _log.exception("a voice message could not be written down")
            return said
        if not heard:
            return said
        is_own = said.own_text == said.text  # not a forward
        text = "\n".join(part for part in (said.text, heard) if part)
        return replace(said, text=text, own_text=text if is_own else said.own_text)

    async def _observe(self, said: Said) -> None:
        """Have the message looked at; returns once it is on disk."""
        noted = asyncio.Event()
        looking = asyncio.create_task(
            self._memory.observe(said.text, said.turn, own_text=said.own_text, noted=noted.set), name="zgadka-observe"
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

    async def _answer(self, said: Said) -> None:
        where, turn = _where(said.turn), said.turn
        typing = asyncio.create_task(self._show_typing(where))
        try:
            async with self._answering, aclosing(self._conversation.answer(said.text, turn)) as pieces:
                answer = "".join([piece async for piece in pieces])
        finally:
            typing.cancel()
            asked = self._asked.pop(str(turn.turn), [])
        rows = self._deletion_rows(turn, asked, self._language(turn, said.text))
        if answer.strip():
            await self._say(where, answer, rows)

    async def _show_typing(self, where: Where) -> None:
        while True:
            try:
                await self._wire.show_typing(where)
            except Undelivered:
                return
            await asyncio.sleep(_TYPING_SECONDS)

    def _hear(self, turn: Turn, result: ToolResult) -> None:
        """Remember what the model was told to ask, for the buttons under its answer."""
        if result.status == "confirmation_required" and turn.turn is not None:
            self._asked.setdefault(turn.turn, []).append(result)

    # Commands

    async def _commanded(self, said: Said) -> None:
        turn, language = said.turn, self._language(said.turn, said.argument or said.text)
        texts = TEXTS[language]
        match said.command:
            case "start" | "help":
                lines = [f"/{name} - {what}" for name, what in COMMANDS[language].items()]
                lines.insert(3, texts["edit_hint"])
                greeting = [texts["start"], ""] if said.command == "start" else []
                self._reply(turn, "\n".join(greeting + lines))
                if said.command == "start":
                    await self._ask_what_waits(turn)
            case "memory":
                self._reply(turn, *await self._page(turn, 0, language))
                await self._ask_what_waits(turn)
            case "remember":
                self._reply(turn, await self._remember(turn, said.argument, language))
            case "forget":
                self._reply(turn, *await self._forget(turn, said.argument, language))
            case "history" | "undo" | "share" | "unshare":
                self._reply(turn, await self._run(said.command, turn, said.argument, language))
            case "edit":
                await self._edit(said, language)
            case "privacy":
                self._reply(turn, await self._privacy(turn, said.argument, language))
            case "export":
                await self._export(turn, language)
            case "erase":
                self._reply(turn, texts["erase"], self._erase_rows(turn, language))
            case _ if turn.direct:
                self._reply(turn, "\n".join(f"/{name} - {what}" for name, what in COMMANDS[language].items()))
            case _:
                pass  # another bot's

    async def _page(self, turn: Turn, page: int, language: Language) -> tuple[str, Rows]:
        texts = TEXTS[language]
        found = await self._memory.look(own_memories, turn)
        if isinstance(found, NoAccess):
            return texts["restricted"], ()
        if not found:
            return texts["nothing"], ()
        pages = (len(found) - 1) // _PAGE + 1
        page = min(page, pages - 1)
        shown = found[page * _PAGE : (page + 1) * _PAGE]
        lines = [texts["everywhere" if turn.direct else "here"].format(count=len(found)), *map(_listed, shown)]
        rows = self._list_rows(turn, shown)
        if pages > 1:
            lines.append(texts["page"].format(page=page + 1, pages=pages))
            turns = [("‹", page - 1)] * (page > 0) + [("›", page + 1)] * (page + 1 < pages)
            rows.append([self._button(sign, "page", turn, number) for sign, number in turns])
        return "\n".join(lines), rows

    async def _remember(self, turn: Turn, text: str, language: Language) -> str:
        texts = TEXTS[language]
        if not text.strip():
            return texts["what_remember"]
        result = await self._call("remember", {"content": text}, turn)
        match result.status:
            case "success":
                return texts["remembered"].format(id=result["memory_id"])
            case "skipped":
                return texts["known"].format(id=result["memory_id"])
            case _:
                return _trouble(result, language)

    async def _forget(self, turn: Turn, text: str, language: Language) -> tuple[str, Rows]:
        texts = TEXTS[language]
        if not text.strip():
            return texts["what_forget"], ()
        if _IDS.fullmatch(text.strip()):
            named = ",".join(re.findall(r"\d+", text))
            return self._deletion(turn, await self._call("forget", {"memory_id": named}, turn), language)
        result = await self._call("forget", {"query": text}, turn)
        match result.status:
            case "candidates":
                found = [(one["memory_id"], one["content"]) for one in result["candidates"]]
                lines = [texts["which"], *(f"ID:{number} {content}" for number, content in found)]
                buttons = [self._button(f"🗑 {number}", "delete", turn, number) for number, _ in found]
                return "\n".join(lines), _rows_of(buttons)
            case "nothing_found":
                return texts["nothing_found"], ()
            case _:
                return _trouble(result, language), ()

    async def _edit(self, said: Said, language: Language) -> None:
        """Save an item of the question that the command replies to, as the person corrects it."""
        pressed = next((press for data in said.answers if (press := read_press(data, said.turn.chat))), None)
        given = _CORRECTION.fullmatch(said.argument.strip())
        if pressed is None or given is None:
            self._reply(said.turn, TEXTS[language]["what_edit"])
            return
        known = [one for one in await self._memory.questions(said.turn) if one.id == pressed.question]
        places = [place for place, _ in known[0].open_items] if known else [0]
        if given[1] is None and len(places) > 1:
            self._reply(said.turn, TEXTS[language]["what_edit"])
            return
        place = places[0] if given[1] is None else int(given[1]) - 1
        answered = await self._memory.answer_question(
            pressed.question, said.turn, save=True, place=place, value=given[2]
        )
        self._reply(said.turn, answered_text(answered, language))
        if answered.status == "saved" and said.replied_to is not None:
            text, rows = _question_now(answered, language)
            where = _where(said.turn)
            self._lines.later(
                said.turn.chat, partial(self._delivered, self._wire.edit, where, said.replied_to, text, rows)
            )

    async def _run(self, command: OwnCommand, turn: Turn, given: str, language: Language) -> str:
        found = _ID.fullmatch(given.strip())
        if found is None:
            return TEXTS[language]["which_id"].format(command=command)
        return await run_command(self._memory, command, int(found[1]), turn, language)

    async def _privacy(self, turn: Turn, wanted: str, language: Language) -> str:
        texts = TEXTS[language]
        said: list[str] = []
        if wanted.strip():
            level = {one.name.lower(): one for one in PrivacyLevel}.get(wanted.strip().lower())
            if level is None:
                said.append(texts["privacy_unknown"])
            else:
                await self._memory.set_privacy(level, turn)
        level = await self._memory.privacy(turn)
        return "\n".join([*said, texts[f"privacy_{level.name.lower()}"], texts["privacy_levels"]])

    async def _export(self, turn: Turn, language: Language) -> None:
        if not turn.direct:
            self._reply(turn, TEXTS[language]["export_privately"])
            return
        where = _where(turn)
        for number, content in enumerate(_files(await self._memory.export(turn))):
            name = f"zgadka-export{f'-{number + 1}' if number else ''}.jsonl"
            self._lines.later(turn.chat, partial(self._delivered, self._wire.send_file, where, name, content))

    def _erase_rows(self, turn: Turn, language: Language) -> Rows:
        asked_at = int(self._clock().timestamp())
        texts = TEXTS[language]
        return [
            [self._button(texts["erase_yes"], "erase", turn, asked_at)],
            [self._button(texts["keep"], "keep_all", turn, asked_at)],
        ]

    # Buttons

    async def _pressed(self, pressed: Pressed) -> None:
        if pressed.language is not None:
            self._languages[pressed.turn.user_name] = pressed.language
        language = self._language(pressed.turn, pressed.text)
        if press := read_press(pressed.data, pressed.turn.chat):
            await self._answered(pressed, press, language)
            return
        tap = _read_tap(pressed.data)
        if tap is None:
            self._notify(pressed, TEXTS[language]["unknown_button"], loud=True)
        elif tap.user != pressed.turn.user_name:
            self._notify(pressed, TEXTS[language]["not_yours"], loud=True)
        else:
            await self._tapped(pressed, tap, language)

    async def _answered(self, pressed: Pressed, press: Press, language: Language) -> None:
        answered = await self._memory.answer_question(
            press.question, pressed.turn, save=press.decision == "save", place=press.place
        )
        said = answered_text(answered, language)
        self._notify(pressed, said, loud=answered.status not in ("saved", "skipped"))
        match answered.status:
            case "not_yours" | "failed":
                pass
            case "expired":
                self._replace(pressed, said)
            case "saved" | "skipped" | "handled":
                self._replace(pressed, *_question_now(answered, language))

    async def _tapped(self, pressed: Pressed, tap: _Tap, language: Language) -> None:
        texts, turn = TEXTS[language], pressed.turn
        match tap.verb:
            case "page":
                self._notify(pressed, "")
                self._replace(pressed, *await self._page(turn, tap.number, language))
            case "delete":  # the first press asks, in a message of its own: the list stays
                result = await self._call("forget", {"memory_id": str(tap.number)}, turn)
                self._notify(pressed, "")
                self._reply(turn, *self._deletion(turn, result, language))
            case "yes":
                result = await self._call("forget", {"memory_id": str(tap.number)}, replace(turn, text="yes"))
                await self._deleted(pressed, result, language)
            case "yes_all":
                arguments = {"user_id": turn.user_number, "reason": "the person pressed the button"}
                result = await self._call("clear_profile", arguments, replace(turn, text="yes"))
                await self._deleted(pressed, result, language)
            case "no" | "no_all":
                await self._kept(pressed, tap, language)
            case "erase":
                await self._erase(pressed, tap, language)
            case "keep_all":
                self._close(pressed, texts["kept"])
            case "allow" | "refuse":
                await self._consented(pressed, tap, language)
            case _:
                self._notify(pressed, texts["unknown_button"], loud=True)

    async def _deleted(self, pressed: Pressed, result: ToolResult, language: Language) -> None:
        text, rows = self._deletion(pressed.turn, result, language)
        match result.status:
            case "confirmation_required":
                self._notify(pressed, TEXTS[language]["again"], loud=True)
                self._replace(pressed, text, rows)
            case "deleted" | "not_found" | "nothing_found":
                self._close(pressed, text)
            case _:  # the keyboard stays, for another try
                self._notify(pressed, text, loud=True)

    async def _consented(self, pressed: Pressed, tap: _Tap, language: Language) -> None:
        answer = await self._memory.answer_consent(tap.number, tap.verb == "allow", pressed.turn, mark=tap.mark)
        said = consent_answered(answer, language)
        if answer is not None and answer.status == "confirmation_required":
            self._notify(pressed, said, loud=True)
            await self._propose(tap.number, pressed.turn, instead_of=pressed)
        else:
            self._close(pressed, said)

    async def _kept(self, pressed: Pressed, tap: _Tap, language: Language) -> None:
        texts, turn = TEXTS[language], replace(pressed.turn, text="no")
        if not await self._memory.look(is_asked, turn, tap.number):
            self._close(pressed, texts["too_late"])
            return
        if tap.number == PROFILE:
            arguments = {"user_id": turn.user_number, "reason": "the person pressed the button"}
            result = await self._call("clear_profile", arguments, turn)
        else:
            result = await self._call("forget", {"memory_id": str(tap.number)}, turn)
        if result.status == "cancelled":
            self._close(pressed, texts["kept"])
        else:
            self._notify(pressed, _trouble(result, language), loud=True)

    async def _erase(self, pressed: Pressed, tap: _Tap, language: Language) -> None:
        texts, turn = TEXTS[language], pressed.turn
        asked_at = datetime.fromtimestamp(tap.number, UTC)
        if self._clock() - asked_at > timedelta(seconds=self._memory.settings.confirmation_seconds):
            self._close(pressed, texts["too_late"])
            return
        receipt = await self._memory.erase(turn)
        self._languages.pop(turn.user_name, None)
        for key in [key for key, member in self._members.items() if member.user == turn.user_name]:
            del self._members[key]
        counts = ", ".join(f"{name} {count}" for name, count in sorted(receipt.counts.items()))
        said = texts["erased"].format(receipt=f"{receipt.erased_at:%Y-%m-%d %H:%M} UTC, {counts}")
        if not receipt.scrubbed:
            said += " " + texts["erased_soon"]
        self._notify(pressed, "")
        self._replace(pressed, said)  # what the message said before may quote what was erased

    def _deletion(self, turn: Turn, result: ToolResult, language: Language) -> tuple[str, Rows]:
        """What a person reads of a deletion's result, and the buttons that answer it."""
        texts = TEXTS[language]
        match result.status:
            case "confirmation_required":
                awaiting = [str(one["content"]) for one in result.get("awaiting", ())]
                lines = [texts["sure"], *(f"• {text}" for text in awaiting)] if awaiting else [texts["sure_all"]]
                return "\n".join(lines), self._deletion_rows(turn, [result], language)
            case "deleted" if "deleted" not in result:
                return texts["deleted_all"], ()
            case "deleted":
                return "\n".join(texts["deleted"].format(text=one["content"]) for one in result["deleted"]), ()
            case "nothing_found":
                return texts["nothing"], ()
            case "not_found":
                return texts["not_found"], ()
            case _:
                return _trouble(result, language), ()

    def _deletion_rows(self, turn: Turn, asked: Iterable[ToolResult], language: Language) -> Rows:
        texts = TEXTS[language]
        numbers = {int(one["memory_id"]) for result in asked for one in result.get("awaiting", ())}
        numbers |= {PROFILE for result in asked if "awaiting" not in result}
        rows: list[list[Button]] = []
        for number in sorted(numbers):
            mark = f" ID:{number}" if len(numbers) > 1 and number != PROFILE else ""
            yes, no = ("yes_all", "no_all") if number == PROFILE else ("yes", "no")
            rows.append(
                [
                    self._button(texts["delete"] + mark, yes, turn, number),
                    self._button(texts["keep"], no, turn, number),
                ]
            )
        return rows

    def _list_rows(self, turn: Turn, memories: Sequence[StoredMemory]) -> list[list[Button]]:
        return _rows_of([self._button(f"🗑 {memory.id}", "delete", turn, memory.id) for memory in memories])

    def _button(self, text: str, verb: str, turn: Turn, number: int) -> Button:
        return Button(text, _Tap(verb, turn.user_name, number).data)

    # Questions and notices

    def _noticed(self, notice: Notice) -> None:
        match notice:
            case Notice(what="asked", question=SaveQuestion(turn=Turn(platform=platform)) as question):
                if platform == PLATFORM:
                    self._lines.later(question.turn.chat, partial(self._ask, question))
            case Notice(what="asked", consent=int()):
                self._lines.later("notices", partial(self._ask_for_consent, notice))
            case Notice(what="updated" | "deleted" | "hidden") if self._is_news(notice):
                if not self._notices:
                    self._lines.later("notices", self._tell)
                self._notices.append(notice)
            case _:
                pass

    def _is_news(self, notice: Notice) -> bool:
        """Whether nobody has read it as the answer to their own button or command."""
        if notice.turn is None:
            return False
        return notice.turn.turn not in self._quiet and (notice.personal or notice.kind == "note")

    async def _tell(self) -> None:
        """Tell each person, privately, what changed about them, and each group what changed in its own notes."""
        notices, self._notices = self._notices, []
        addressed: dict[int, list[Notice]] = {}
        for notice in notices:
            address = await self._memory.look(_address_of, notice)
            if address is not None:
                addressed.setdefault(address, []).append(notice)
        for chat, news in addressed.items():
            first = news[0]
            language = self._languages.get(str(chat)) or language_of(first.preview)
            texts = TEXTS[language]
            can_undo = self._memory.settings.undo_hours > 0
            lines = [_told(one, texts, can_undo=can_undo) for one in news[:_LISTED]]
            if len(news) > _LISTED:
                lines.append(texts["more"].format(count=len(news) - _LISTED))
            self._lines.later(str(chat), partial(self._say, Where(chat), "\n".join(lines)))

    async def _ask(self, question: SaveQuestion, *, reminder: bool = False) -> None:
        turn, items = question.turn, [item for _, item in question.open_items]
        if not items:
            return
        language = self._language(turn, items[0].excerpt or items[0].value)
        text = reminder_text(items, language) if reminder else build_memory_confirm_message(items, language)
        await self._say(_where(turn), text, build_memory_confirm_keyboard(question, language))

    async def _ask_for_consent(self, notice: Notice) -> None:
        """Ask a person, in their private chat and nowhere else, whether another may change what is remembered."""
        address = await self._memory.look(_address_of, notice)
        if address is not None and notice.consent is not None:
            chat = str(address)
            await self._propose(
                notice.consent, Turn(platform=PLATFORM, space=chat, chat=chat, user=address, direct=True)
            )

    async def _ask_what_waits(self, turn: Turn) -> None:
        """In a private chat, put the questions for consent that wait: the bot may not have been here to ask them."""
        if turn.direct:
            for asked in (await self._memory.consents(turn))[:_LISTED]:
                await self._propose(asked.id, turn)

    async def _propose(self, number: int, turn: Turn, *, instead_of: Pressed | None = None) -> None:
        proposal = await self._memory.proposal(number, turn)
        if proposal is None:  # answered meanwhile
            return
        language = self._language(turn, words_of(proposal))
        allow, refuse = consent_labels(language)
        yes, no = (_Tap(verb, turn.user_name, number, proposal.mark) for verb in ("allow", "refuse"))
        text, rows = build_consent_message(proposal, language), [[Button(allow, yes.data), Button(refuse, no.data)]]
        if instead_of is None:
            self._lines.later(turn.chat, partial(self._say, Where(int(turn.chat)), text, rows))
        else:
            self._replace(instead_of, text, rows)

    # Sending

    def _language(self, turn: Turn, text: str) -> Language:
        """The language of the person's app, else that of the text."""
        return self._languages.get(turn.user_name) or language_of(text)

    async def _call(self, tool: str, arguments: Mapping[str, object], turn: Turn) -> ToolResult:
        """Call a tool as the person asked with a command or a button; the answer is what tells them."""
        self._quiet[str(turn.turn)] = True
        return await self._memory.call(tool, arguments, turn, by_hand=True)

    def _reply(self, turn: Turn, text: str, rows: Rows = ()) -> None:
        self._lines.later(turn.chat, partial(self._say, _where(turn), text, rows))

    def _notify(self, pressed: Pressed, text: str, *, loud: bool = False) -> None:
        job = partial(self._delivered, self._wire.notify, pressed.query, text, loud=loud and bool(text))
        self._lines.later(f"press:{pressed.query}", job)

    def _replace(self, pressed: Pressed, text: str, rows: Rows = ()) -> None:
        job = partial(self._delivered, self._wire.edit, _where(pressed.turn), pressed.message, text, rows)
        self._lines.later(f"press:{pressed.turn.chat}", job)

    def _close(self, pressed: Pressed, text: str) -> None:
        """Say what became of it, and take the buttons away; a model's words above them stay."""
        self._notify(pressed, text)
        self._replace(pressed, "\n\n".join(part for part in (pressed.text, text) if part))

    async def _say(self, where: Where, text: str, rows: Rows = ()) -> None:
        await self._delivered(self._wire.say, where, text, rows)

    async def _delivered(self, send: Callable[..., Awaitable[None]], *given: object, **more: object) -> None:
        try:
            await send(*given, **more)
        except Undelivered as error:
            _log.warning("Telegram does not take a message: %s", error)


def _where(turn: Turn) -> Where:
    """Back to where the turn came from; in a group as a reply."""
    thread = int(turn.thread) if turn.thread else None
    return Where(int(turn.chat), thread, int(turn.message) if turn.message and not turn.direct else None)


def _listed(memory: StoredMemory) -> str:
    return f"ID:{memory.id} {preview(memory.text)}"


def _told(notice: Notice, texts: Mapping[str, str], *, can_undo: bool) -> str:
    # Only our own command is to become a link: what others wrote may look like one.
    words = _LINK.sub("/\u2060", notice.preview)
    said = texts[_NOTICES[notice.what]].format(text=words, id=notice.memory)
    # A group's notes are for whoever changed them to take back.
    return f"{said} {texts['take_back'].format(id=notice.memory)}" if notice.personal and can_undo else said


def _rows_of(buttons: Sequence[Button], width: int = 4) -> list[list[Button]]:
    return [list(buttons[start : start + width]) for start in range(0, len(buttons), width)]


def _question_now(answered: Answered, language: Language) -> tuple[str, Rows]:
    """How the question looks after an answer: what is still open, or what became of each item."""
    said, question = answered_text(answered, language), answered.question
    if question is None:
        return said, ()
    if question.open_items:
        items = [item for _, item in question.open_items]
        return build_memory_confirm_message(items, language), build_memory_confirm_keyboard(question, language)
    lines = [f"{_STATES[asked.state]} {asked.item.text}" for asked in question.items]
    return "\n".join([*lines, "", said]), ()


def _trouble(result: ToolResult, language: Language) -> str:
    texts = TEXTS[language]
    match result.status:
        case "privacy_restricted":
            return texts["restricted"]
        case "rate_limited":
            return texts["rate_limited"].format(seconds=result.get("retry_after_seconds", 0))
        case "limit_reached":
            return texts["limit_reached"]
        case "queued":
            return texts["queued"]
        case "busy" | "error":
            return texts["busy"]
        case _:
            return texts["refused"].format(reason=result.message or result.status)


def _files(lines: Iterable[str]) -> list[bytes]:
    """The lines as files that Telegram takes."""
    files: list[bytes] = []
    current: list[bytes] = []
    size = 0
    for line in lines:
        written = line.encode() + b"\n"
        if current and size + len(written) > _FILE_BYTES:
            files.append(b"".join(current))
            current, size = [], 0
        current.append(written)
        size += len(written)
    return [*files, b"".join(current)]


def _address_of(tx: Tx, notice: Notice) -> int | None:
    """The chat where a notice may be read; None where there is none.

    What is personal is for its person's private chat, and news only where they have written to the bot there. With a
    question it is tried in any case: who only pressed Start has written nothing, and no bot can begin a chat.
    """
    owner = notice.owner if notice.personal else notice.space or notice.owner
    if not tx.has_owner(owner):
        return None
    found = tx.owner(owner)
    if found.platform != PLATFORM or not found.name.lstrip("-").isdigit():
        return None
    is_news = notice.personal and notice.consent is None
    if is_news and tx.find_owner("direct", PLATFORM, found.name) is None:
        return None
    return int(found.name)
