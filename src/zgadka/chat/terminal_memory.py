"""What `zgadka chat` tells of its memory beside the answers: what was remembered, and what is to be confirmed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace

from zgadka.chat.questions import build_memory_confirm_message
from zgadka.chat.sentences import learned_line, statement
from zgadka.engine import Memory
from zgadka.errors import StoreError
from zgadka.locales import Language, language_of, text
from zgadka.log import logger
from zgadka.model.inference import SaveQuestion
from zgadka.model.notification import Notice
from zgadka.model.outcome import NoAccess
from zgadka.model.question import PlainAnswer
from zgadka.model.turn import Turn
from zgadka.ops.list_memories import told_memories
from zgadka.ops.worth_asking import close_told

_log = logger()


class TerminalMemory:
    """Has what a person types looked at, and says what came of it.

    Args:
        turn: Who types, and where.
        infers: Whether messages are looked at here; False: what answers looks at them itself, as the stand-in does.
        tells: Whether to say what was remembered.
    """

    def __init__(self, memory: Memory, turn: Turn, *, infers: bool, tells: bool) -> None:
        self._memory, self._turn, self._infers, self._tells = memory, turn, infers, tells
        self._learned: dict[int, None] = {}
        self._asked: dict[str, None] = {}
        self.stop = memory.subscribe(self._put)

    async def take(self, message: str, language: Language | None) -> tuple[Turn, str | None]:
        """Have a message looked at; returns its turn, and what is said where it answers what the memory asked."""
        turn = self._turn
        try:
            if self._infers:
                number = uuid.uuid4().hex
                turn = replace(turn, turn=number, message=number)
                await self._memory.observe(message, turn)
            return turn, await self._answered(message, turn, language or language_of(message))
        except StoreError:  # the conversation says so
            _log.debug("a message was not looked at", exc_info=True)
            return turn, None

    async def news(self, message: str, answer: str) -> list[str]:
        """The lines about what was remembered since the last time, and what is asked, in the message's language.

        Args:
            answer: What the person was answered, which may name it.
        """
        language = language_of(message)
        learned, self._learned = self._learned, {}
        asked_ids, self._asked = self._asked, {}
        settings = self._memory.settings
        lines: list[str] = []
        if learned and self._tells and settings.learned_notice != "quiet" and settings.undo_hours:
            own = await self._memory.look(told_memories, self._turn)
            for memory in () if isinstance(own, NoAccess) else own:
                if memory.id in learned:
                    is_told, undo = f"(ID:{memory.id})" in answer, f"/undo {memory.id}"
                    take_back = text(language, "chat.take_back", undo=undo)
                    lines.append(take_back if is_told else learned_line(memory, language, undo))
        asked = [await self._memory.apply(close_told, self._turn, question_id) for question_id in asked_ids]
        lines += [
            build_memory_confirm_message(dict(question.asked_items), language)
            for question in asked
            if question is not None
        ]
        return lines

    def _put(self, notice: Notice) -> None:
        is_ones_own = notice.personal and notice.actor == self._turn.user_key
        match notice:
            case Notice(what="created", kind="fact" | "note") if is_ones_own:
                self._learned[notice.memory] = None
            case Notice(what="asked", question=SaveQuestion() as question) if is_ones_own:
                if question.turn.place == self._turn.place and question.turn.chat == self._turn.chat:
                    self._asked[question.id] = None
            case _:
                pass

    async def _answered(self, message: str, turn: Turn, language: Language) -> str | None:
        if not await self._memory.questions(turn):
            return None
        answer = await self._memory.plain_question(message, turn)
        if answer is None or not isinstance(question := answer.question, SaveQuestion):
            return None
        answered = await self._memory.answer_question(
            question.id, turn, save=answer.agrees, place=answer.chosen, skips=answer.refused
        )
        lines = [text(language, f"chat.uncertain.{answered.status}", reason=answered.reason)]
        if answered.status == "saved":
            lines = list(_saved(answer, question, language))
        waiting = await self._memory.questions(turn)
        remaining = next((open_question for open_question in waiting if open_question.id == question.id), None)
        if remaining is not None:
            lines.append(build_memory_confirm_message(dict(remaining.asked_items), language))
        self._learned.clear()  # it is said already
        return "\n".join(lines)


def _saved(answer: PlainAnswer, question: SaveQuestion, language: Language) -> Iterator[str]:
    yield text(language, "chat.uncertain.saved", reason=None)
    for place, item in question.asked_items:
        if place in answer.chosen:
            yield f"✓ {statement(item.key, item.value, language)}"
