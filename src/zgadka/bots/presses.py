"""What a pressed button does; only the person whose button it is may press it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from zgadka.bots.buttons import ButtonData, deletion_rows, named_memory, owner_key, read_button, rows_to_delete
from zgadka.bots.commands import Commands
from zgadka.bots.delivery import Delivery
from zgadka.bots.notices import Notices
from zgadka.bots.platform import Content, Press, Rows
from zgadka.chat.questions import Press as QuestionPress
from zgadka.chat.questions import consent_answered, read_press
from zgadka.engine import Memory
from zgadka.locales import Language, text
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.ops.erase import Receipt
from zgadka.ops.open_questions import is_asked
from zgadka.ops.profile import PROFILE

_REMEMBERED = 1000
"""So many answered questions are known as such: the buttons of one that is pressed twice may come late."""


@dataclass
class Presses:
    """Does what buttons mean.

    Attributes:
        erased: Is told the platform's id of who was erased.
    """

    memory: Memory
    delivery: Delivery
    notices: Notices
    commands: Commands
    erased: Callable[[str], object]
    _answered: deque[tuple[str, str, str, int]] = field(default_factory=lambda: deque(maxlen=_REMEMBERED), init=False)

    async def run(self, press: Press) -> None:
        """Do it, and say what became of it."""
        language = self.delivery.language(press.turn.user_key, press.text)
        if answer := read_press(press.data, press.turn.chat):
            await self._answer_question(press, answer, language)
            return
        data = read_button(press.data)
        if data is None:
            self.delivery.notify(press, text(language, "bots.unknown_button"), loud=True)
        elif data.owner != owner_key(press.turn.user_key):
            self.delivery.notify(press, text(language, "bots.not_yours"), loud=True)
        else:
            await self._run_own(press, data, language)

    async def _answer_question(self, press: Press, answer: QuestionPress, language: Language) -> None:
        answered = await self.memory.answer_question(
            answer.question, press.turn, save=answer.decision == "save", place=answer.places
        )
        words = self.delivery.answered(answered, language)
        self.delivery.notify(press, words, loud=answered.status not in ("saved", "skipped"))
        if answered.status == "expired":
            self.delivery.replace(press, Content(text=words))
        elif answered.status not in ("not_yours", "failed"):
            self.delivery.replace(press, self.delivery.question_state(answered, language))

    async def _run_own(self, press: Press, data: ButtonData, language: Language) -> None:
        match data.verb:
            case "page":
                self.delivery.notify(press)
                words, rows = await self.commands.page(press.turn, data.number, language)
                self.delivery.replace(press, Content(text=words, rows=rows))
            case "ask":
                await self._ask(press, data.number, language)
            case "delete":
                await self._delete(press, data.number, language)
            case "keep":
                await self._keep(press, data.number, language)
            case "erase":
                await self._erase(press, language)
            case "stay":
                await self._stay(press, language)
            case "allow" | "refuse":
                await self._answer_consent(press, data, language)
            case "mute":
                await self._mute(press, data, language)

    async def _ask(self, press: Press, memory_id: int, language: Language) -> None:
        """Ask anew in a message of its own, however often the list's button is pressed: the list stays."""
        if await self.memory.look(is_asked, press.turn, memory_id):
            await self.delete(replace(press.turn, text="no"), language, memory_id)
        result = await self.delete(press.turn, language, memory_id)
        self.delivery.notify(press)
        self.delivery.reply(press, self.deletion(press.turn, result, language))

    async def delete(self, turn: Turn, language: Language, *memory_ids: int) -> ToolResult:
        """Ask about memories or the whole profile, or answer that question, as the turn's text says."""
        if memory_ids == (PROFILE,):
            arguments = {"user_id": turn.user_number, "reason": "the person pressed the button"}
            return await self.commands.call("clear_profile", arguments, turn)
        return await self.commands.delete(turn, [named_memory(memory_id) for memory_id in memory_ids], language)

    def deletion(self, turn: Turn, result: ToolResult, language: Language) -> Content:
        """What became of a deletion, or the question whether to delete."""
        names_it = turn.direct or not self.delivery.platform.whispers
        words = self.delivery.deletion(turn, result, language, names_it=names_it)
        return Content(text=words, rows=deletion_rows(turn.user_key, [result], language))

    async def _delete(self, press: Press, number: int, language: Language) -> None:
        result = await self.delete(replace(press.turn, text="yes"), language, number)
        others = await self._other_questions(press, number)
        if others and result.status == "confirmation_required":  # all of them, in one message again
            result = await self.delete(replace(press.turn, text=""), language, number, *others)
        content = self.deletion(press.turn, result, language)
        rows = rows_to_delete(press.turn.user_key, others, language)
        match result.status:
            case "confirmation_required":
                self.delivery.notify(press, text(language, "bots.confirm_again"), loud=True)
                self.delivery.replace(press, content, personal=True)
            case "deleted" if self.delivery.platform.whispers:  # others need not read any longer what it was
                self._note_answered(press, "deletion", number)
                self.delivery.notify(press)
                self.delivery.replace(press, replace(content, rows=rows))
            case "deleted":
                self._close(press, content.text, rows, "deletion", number)
            case "not_found" | "nothing_found":
                self._close_unasked(press, content.text, rows, "deletion", number)
            case _:  # the keyboard stays, for another try
                self.delivery.notify(press, content.text, loud=True)

    async def _other_questions(self, press: Press, number: int) -> list[int]:
        """The other deletions that the message asks about, as far as they are open."""
        buttons = [button for data in press.buttons if (button := read_button(data)) is not None]
        others = [button.number for button in buttons if button.verb == "delete" and button.number != number]
        return [other for other in others if await self.memory.look(is_asked, press.turn, other)]

    async def _keep(self, press: Press, memory_id: int, language: Language) -> None:
        rows = rows_to_delete(press.turn.user_key, await self._other_questions(press, memory_id), language)
        if not await self.memory.look(is_asked, press.turn, memory_id):
            self._close_unasked(press, text(language, "bots.closed"), rows, "deletion", memory_id)
            return
        result = await self.delete(replace(press.turn, text="no"), language, memory_id)
        if result.status == "cancelled":
            self._close(press, text(language, "bots.kept"), rows, "deletion", memory_id)
        else:
            self.delivery.notify(press, self.delivery.trouble(result, language), loud=True)

    async def _erase(self, press: Press, language: Language) -> None:
        words = await self.erase(press.turn, True, language)
        if words == text(language, "bots.closed"):
            self._close_unasked(press, words, (), "erasure")
            return
        self._note_answered(press, "erasure")
        self.delivery.notify(press)
        # What the message said before may quote what was erased.
        self.delivery.replace(press, Content(text=words))

    async def _stay(self, press: Press, language: Language) -> None:
        words = text(language, "bots.not_erased")
        if not await self.memory.look(is_asked, press.turn, PROFILE):
            self._close_unasked(press, words, (), "erasure")
            return
        await self.memory.answer_erasure(press.turn, agrees=False)
        self._close(press, words, (), "erasure")

    async def erase(self, turn: Turn, agrees: bool, language: Language) -> str:
        """Answer the question whether to erase everything; returns what became of it."""
        receipt = await self.memory.answer_erasure(turn, agrees=agrees)
        if receipt is None:
            return text(language, "bots.closed" if agrees else "bots.not_erased")
        self.erased(turn.user_key)
        return self._receipt(receipt, language)

    def _receipt(self, receipt: Receipt, language: Language) -> str:
        counts = [text(language, f"bots.counts.{name}", count=count) for name, count in receipt.counts.items() if count]
        words = text(
            language,
            "bots.erased",
            time=f"{receipt.erased_at:%Y-%m-%d %H:%M}",
            counts=", ".join(counts) or text(language, "bots.erased_nothing"),
            platform=self.delivery.platform.name.capitalize(),
        )
        return words if receipt.scrubbed else f"{words} {text(language, 'bots.erased_later')}"

    async def _answer_consent(self, press: Press, data: ButtonData, language: Language) -> None:
        result = await self.memory.answer_consent(data.number, data.verb == "allow", press.turn, mark=data.mark)
        words = consent_answered(result, language)
        if result is None:
            self._close_unasked(press, words, (), "consent", data.number)
            return
        if result.status != "confirmation_required":
            self._close(press, words, (), "consent", data.number)
            return
        self.delivery.notify(press, words, loud=True)
        if (question := await self.notices.consent(data.number, press.turn)) is not None:
            self.delivery.replace(press, question)

    async def _mute(self, press: Press, data: ButtonData, language: Language) -> None:
        """Have whoever asked ask the person nothing more."""
        waiting = [consent for consent in await self.memory.consents(press.turn) if consent.id == data.number]
        if not waiting:
            self._close_unasked(press, text(language, "chat.consent.closed"), (), "consent", data.number)
            return
        await self.memory.mute(waiting[0].asker, press.turn)
        self._close(press, text(language, "chat.consent.muted", asker=waiting[0].asker), (), "consent", data.number)

    def _close(self, press: Press, words: str, rows: Rows, question: str, number: int = 0) -> None:
        """Say what became of a question."""
        self._note_answered(press, question, number)
        self.delivery.close(press, words, rows)

    def _close_unasked(self, press: Press, words: str, rows: Rows, question: str, number: int = 0) -> None:
        """Say that a question is not open; where its message says what became of it, that stays."""
        if self._is_answered(press, question, number):
            language = self.delivery.language(press.turn.user_key, press.text)
            self.delivery.notify(press, text(language, "chat.uncertain.handled"), loud=True)
        else:
            self.delivery.close(press, words, rows)

    def _note_answered(self, press: Press, question: str, number: int = 0) -> None:
        self._answered.append((press.turn.user_key, press.turn.chat, question, number))

    def _is_answered(self, press: Press, question: str, number: int = 0) -> bool:
        return (press.turn.user_key, press.turn.chat, question, number) in self._answered
