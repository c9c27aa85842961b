"""A plain "yes" or "no" in a chat where exactly one question to its person is open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from zgadka.bots.buttons import ButtonData, owner_key
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
from zgadka.ops.open_questions import asked_here


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
        turn = message.turn
        replies_to = await self._asked_by(message)
        answer = await self.memory.plain_question(message.own_text, turn, replies_to=replies_to)
        if answer is None:
            return False
        language = self.delivery.language(turn.user_key, message.own_text)
        content = await self._answer(answer, replace(turn, text=message.own_text), language)
        await self.delivery.send_now(Address.of(turn), content)
        return True

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
                result = await self.presses.delete(turn, question.memory)
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

    async def _answer_consent(self, question: Consent, turn: Turn, agrees: bool, language: Language) -> Content:
        result = await self.memory.answer_consent(question.id, agrees, turn, mark=question.mark)
        words = consent_answered(result, language)
        again = None
        if result is not None and result.status == "confirmation_required":
            again = await self.notices.consent(question.id, turn)
        return Content(text=words) if again is None else replace(again, text=f"{words}\n\n{again.text}")


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
