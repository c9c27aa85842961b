"""A plain "yes" or "no" in a chat where exactly one question to its person is open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from zgadka.bots.buttons import ButtonData, owner_key, read_button
from zgadka.bots.delivery import Delivery
from zgadka.bots.notices import Notices
from zgadka.bots.platform import Address, Content, Message
from zgadka.bots.presses import Presses
from zgadka.chat.questions import consent_answered, read_press
from zgadka.engine import Memory
from zgadka.locales import Language, text
from zgadka.model.inference import SaveQuestion
from zgadka.model.people import Consent
from zgadka.model.question import Deletion, PlainAnswer, Question
from zgadka.model.turn import Turn
from zgadka.ops.judge_answer import unplaced_answer
from zgadka.ops.open_questions import asked_here
from zgadka.text.yes_no import answer_to


@dataclass
class PlainAnswers:
    """Does what a plain word answers, as the button under the question would."""

    memory: Memory
    delivery: Delivery
    notices: Notices
    presses: Presses

    async def take(self, message: Message) -> bool:
        """Answer the question that the message answers, and say what became of it; False: it answers none."""
        if not message.own_text or message.edited or message.borrowed:
            return False
        turn = replace(message.turn, text=message.own_text)
        replies_to = await self._asked_by(message)
        written = self.delivery.by_our_clock(message.turn)
        # What is said to somebody else answers nothing, but it is their next message.
        answer = await self.memory.plain_question(
            "" if message.to_another else message.own_text, written, replies_to=replies_to
        )
        language = self.delivery.language(turn.user_key, message.own_text)
        if answer is not None:
            content = await self._answer(answer, turn, language)
        elif message.to_bot:
            content = await self._place(message, turn, language, is_reply=replies_to is not None)
        else:
            content = None
        if content is not None:
            await self.delivery.send_now(Address.of(turn), content)
        return content is not None

    async def _asked_by(self, message: Message) -> str | int | None:
        """The question that stands above the buttons that the message replies to; None: none that is open."""
        waiting = await self.memory.look(asked_here, message.turn) if message.answers else ()
        return next((question.id for question in waiting if _has_button(question, message)), None)

    async def _answer(self, answer: PlainAnswer, turn: Turn, language: Language) -> Content:
        question, agrees = answer.question, answer.agrees
        match question:
            case Deletion(kind="erase"):
                return Content(text=await self.presses.erase(turn, agrees, language))
            case Deletion():
                memory_ids = [deletion.memory for deletion in (question, *answer.also)]
                result = await self.presses.delete(turn, language, *memory_ids)
                if result.status == "cancelled":
                    return Content(text=text(language, "bots.kept"))
                return self.presses.deletion(turn, result, language)
            case Consent():
                return await self._answer_consent(question, turn, agrees, language)
            case SaveQuestion():
                answered = await self.memory.answer_question(
                    question.id, turn, save=agrees, place=answer.chosen, skips=answer.refused
                )
                return self.delivery.question_state(answered, language)

    async def _place(self, message: Message, turn: Turn, language: Language, *, is_reply: bool) -> Content | None:
        """Say of a yes or no that answers nothing whose question it is said to, or ask what is open anew.

        Args:
            is_reply: Whether it replies to what asks an open question of theirs.
        """
        words = message.own_text or ""
        meant = await self.memory.look(unplaced_answer, turn, words)
        is_word = answer_to(words, {0: ""}) != "unclear"
        if meant == "not_yours" or (is_word and _is_anothers(message)):
            return Content(text=text(language, "bots.not_yours_to_answer"))
        presses = [press for data in message.answers if (press := read_press(data, turn.chat))]
        if is_word and presses and not is_reply:  # closed, or somebody else's
            agrees = answer_to(words, {0: ""}, "save") == "agreed"
            answered = await self.memory.answer_question(presses[0].question, turn, save=agrees)
            return self.delivery.question_state(answered, language)
        match meant:
            case []:
                return None
            case [Deletion(kind="erase")]:
                words, rows = await self.presses.commands.ask_to_erase(turn, language)
                return Content(text=words, rows=rows)
            case _ if self.delivery.platform.whispers and not turn.direct:  # it is shown to the person alone
                return Content(text=text(language, "bots.which_question"))
            case _ if {question.kind for question in meant} == {"delete"} or len(meant) == 1:
                memory_ids = [question.memory for question in meant]
                result = await self.presses.delete(replace(turn, text=""), language, *memory_ids)
                return self.presses.deletion(turn, result, language)
            case _:
                return Content(text=text(language, "bots.which_question"))

    async def _answer_consent(self, question: Consent, turn: Turn, agrees: bool, language: Language) -> Content:
        result = await self.memory.answer_consent(question.id, agrees, turn, mark=question.mark)
        words = consent_answered(result, language)
        again = None
        if result is not None and result.status == "confirmation_required":
            again = await self.notices.consent(question.id, turn)
        return Content(text=words) if again is None else replace(again, text=f"{words}\n\n{again.text}")


def _is_anothers(message: Message) -> bool:
    """Whether the message replies to buttons that somebody else alone may press."""
    buttons = [button for data in message.answers if (button := read_button(data)) is not None]
    return any(button.owner != owner_key(message.turn.user_key) for button in buttons)


def _has_button(question: Question, message: Message) -> bool:
    """Whether one of the buttons that the message replies to says yes to the question, as it was shown last."""
    person = owner_key(message.turn.user_key)
    match question:
        case SaveQuestion():
            presses = (read_press(data, message.turn.chat) for data in message.answers)
            return any(press is not None and press.question == question.id for press in presses)
        case Consent():
            button = ButtonData("allow", person, question.id, question.mark)
        case Deletion():
            button = ButtonData("erase" if question.kind == "erase" else "delete", person, question.memory)
    return str(button) in message.answers
