"""One conversation: each message is a turn, answered piece by piece, with tools in between; everything is stored."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from zgadka import telemetry
from zgadka.chat.claims import Claim, Deed
from zgadka.chat.guards import Called, honest_line, note_for_model, standing_claims
from zgadka.chat.intents import Language
from zgadka.chat.prompt import persona, system_prompt
from zgadka.chat.trouble import trouble_line
from zgadka.chat.understand import language_of
from zgadka.engine import Memory
from zgadka.errors import MissingExtra, StoreError
from zgadka.model.people import Message
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn, person_number
from zgadka.ops.own import kept_since

if TYPE_CHECKING:
    from zgadka.chat.agent import Exchange, Model

_log = logging.getLogger("zgadka")

_HISTORY = 20
_CONTEXT_TOKENS = 2000
_STEPS_WITHOUT_LIMIT = 25
_STEPS_TO_CORRECT = 4
_STEPS_TO_SPARE = 3  # after the last allowed tool call: to read its result, to be told of the limit, to answer


FALSE_CLAIM, CLAIM_STANDS = "claim_without_call", "claim_not_corrected"
"""What is counted of answers: that one said something was done which was not, and that the model left it at that."""


def _now() -> datetime:
    return datetime.now().astimezone()


class Conversation:
    """A chat between people and a model, over one memory.

    It keeps no state of its own, so any process may go on with it.

    Args:
        model: What answers; see `providers.choose_model`.
        language: The language of the memory guidance and of error lines; None: that of each message.
        persona_text: Who the model is; None: the persona that comes with the program.
        sets: The tool sets the model gets.
        clock: Gives the time for the prompt.
        heard: Is told what each tool answered the model, so that a host can put buttons under a question.

    Raises:
        MissingExtra: The packages of the extra `chat` are not installed.
    """

    def __init__(
        self,
        memory: Memory,
        model: Model,
        *,
        language: Language | None = None,
        persona_text: str | None = None,
        sets: Sequence[str] = ("core", "facts"),
        clock: Callable[[], datetime] = _now,
        heard: Callable[[Turn, ToolResult], object] | None = None,
    ) -> None:
        try:
            from zgadka.chat import agent  # noqa: PLC0415  (a second and a half that `import zgadka.chat` is spared)
        except ImportError as error:
            raise MissingExtra("the chat", "chat") from error
        self._memory = memory
        self._language: Language | None = language
        self._persona = persona() if persona_text is None else persona_text
        self._tools = memory.tools.select(*sets)
        self._clock = clock
        self._open = agent.Exchange
        self._trouble_of = agent.trouble_of
        self._agent = agent.agent_for(model, memory, self._tools, heard)

    async def answer(self, text: str, turn: Turn) -> AsyncGenerator[str]:
        """Yield the answer to a message, piece by piece.

        What fails becomes the answer's last line, and the conversation can go on: the message is stored before the
        model is asked, and what was answered is stored, also when the rest of it failed.

        Args:
            turn: Who speaks and where. Its `text` is set to the message; where it has no id of its own, it gets one.
        """
        turn = replace(turn, text=text, turn=turn.turn or uuid.uuid4().hex)
        language = self._language or language_of(text)
        said: list[str] = []
        spoken: _Spoken | None = None
        try:
            spoken = await self._begin(turn, text, language)
            async with aclosing(self._pieces(spoken, text)) as pieces:
                async for piece in pieces:
                    said.append(piece)
                    yield piece
        except Exception as error:  # noqa: BLE001  (the loop that must not die)
            yield ("\n" if said else "") + self._explain(error, language)
        if spoken is not None and (standing := spoken.standing()):
            # What was shown cannot be unsaid.
            telemetry.count_pattern(CLAIM_STANDS)
            said.append("\n" + honest_line(standing, language))
            yield said[-1]
        try:
            await self._store(said, turn)
        except StoreError as error:
            yield "\n" + self._explain(error, language)

    def _explain(self, error: Exception, language: Language) -> str:
        if isinstance(error, StoreError):
            return trouble_line("memory", language, reason=str(error))
        trouble, status = self._trouble_of(error)
        # A provider's error may quote the conversation: it is for whoever turned debugging on.
        level = logging.ERROR if trouble == "inside" else logging.DEBUG
        _log.log(level, "no answer: %s (HTTP %s)", trouble, status, exc_info=error)
        return trouble_line(trouble, language, status=status)

    async def _begin(self, turn: Turn, text: str, language: Language) -> _Spoken:
        kept = await self._memory.record("user", text, turn)
        recent = await self._memory.recent(turn, _HISTORY + 1)
        # The message itself may have been kept before (observed), and others may have come since.
        history = [_attributed(one, turn) for one in recent if kept is None or one.id < kept][-_HISTORY:]
        context = await self._memory.build_context(
            turn, _CONTEXT_TOKENS, language=language, without_messages=[message.id for message in history]
        )
        finished = await self._memory.take_finished(turn)
        instructions = system_prompt(
            language,
            persona_text=self._persona,
            tools=self._tools,
            calls=self._memory.settings.calls_per_answer,
            user_id=turn.user_number,
            now=self._clock(),
            context=context.text,
            finished=finished,
        )
        return _Spoken(
            self._open(self._agent, turn, instructions=instructions, history=history),
            turn=turn,
            language=language,
            at=next((one.at for one in recent if one.id == kept), None),
            before=tuple(Called(one.tool, str(one.result.get("status"))) for one in finished),
        )

    async def _pieces(self, spoken: _Spoken, text: str) -> AsyncGenerator[str]:
        calls = self._memory.settings.calls_per_answer
        steps = calls + _STEPS_TO_SPARE if calls else _STEPS_WITHOUT_LIMIT
        async with aclosing(spoken.exchange.ask(text, steps=steps)) as pieces:
            async for piece in pieces:
                yield piece
        if spoken.standing() and spoken.at is not None:
            # What the bots read from messages by themselves is remembered without any call of the model's.
            spoken.kept = await self._memory.look(kept_since, spoken.turn, spoken.at)
        if claims := spoken.standing():
            telemetry.count_pattern(FALSE_CLAIM)
            note = note_for_model(claims, spoken.calls, spoken.language)
            async with aclosing(spoken.exchange.ask(note, steps=_STEPS_TO_CORRECT)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _store(self, said: Sequence[str], turn: Turn) -> None:
        answer = "".join(said).strip()
        if answer:
            # The platform's id names the person's message, not the answer.
            await self._memory.record("assistant", answer, replace(turn, message=None))


@dataclass
class _Spoken:
    """An answer under way, and what is known of it.

    Attributes:
        at: When the message was kept; None: it was not.
        before: Calls of earlier answers that had been queued, and are told of in this one.
        kept: Whether something was remembered of the message without any call.
    """

    exchange: Exchange
    turn: Turn
    language: Language
    at: datetime | None
    before: tuple[Called, ...]
    kept: bool = False

    @property
    def calls(self) -> list[Called]:
        return [*self.before, *self.exchange.calls]

    def standing(self) -> list[Claim]:
        also: tuple[Deed, ...] = ("remembered", "updated") if self.kept else ()
        return standing_claims(self.exchange.answers, self.calls, also)


def _attributed(message: Message, turn: Turn) -> Message:
    """In a group, say of others' messages that they are not the speaker's."""
    if message.role == "assistant" or message.user == turn.user_name:
        return message
    return replace(message, text=f"[user_id {person_number(turn.platform, message.user)} wrote] {message.text}")
