"""One conversation: each message is a turn, answered piece by piece, with tools in between; everything is stored."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from zgadka import telemetry
from zgadka.chat.claim_check import Called, honest_line, note_for_model, standing_claims
from zgadka.chat.claim_detection import Claim, Deed
from zgadka.chat.prompt import languages, message_prompt, persona, system_prompt
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, StoreError, extra_for
from zgadka.locales import Language, as_language, language_of, text
from zgadka.log import logger, place_of
from zgadka.model.memory import StoredMemory
from zgadka.model.people import Message
from zgadka.model.result import memory_ids
from zgadka.model.rollout import Arm
from zgadka.model.task import Finished
from zgadka.model.turn import Turn, person_number
from zgadka.ops.list_memories import kept_of
from zgadka.ops.messages import kept_message
from zgadka.tools.answer_budget import answer_budget
from zgadka.tools.registry import CHAT, TIERS, chosen_sets
from zgadka.usage_stats import Outcome

if TYPE_CHECKING:
    from zgadka.chat.agent import Exchange, Heard, Model, Trouble

_log = logger()

_HISTORY = 20
_CONTEXT_TOKENS = 2000
_CONTEXT_SHARE = 4
"""A model that reads little at once is given a context of a quarter of it at most."""
_STEPS_WITHOUT_LIMIT = 25
_STEPS_TO_CORRECT = 4
_STEPS_TO_SPARE = 3  # after the last allowed tool call: to read its result, to be told of the limit, to answer


_WITHOUT_HOPE: frozenset[Trouble] = frozenset({"key", "busy", "unreachable", "slow"})
"""The troubles in which a provider would not answer without tools either."""

FALSE_CLAIM, CLAIM_STANDS = "claim_without_call", "claim_not_corrected"
"""What is counted of answers: that one said something was done which was not, and that the model left it at that."""


def _now() -> datetime:
    return datetime.now().astimezone()


class Conversation:
    """A chat between people and a model, over one memory.

    It keeps no state of its own, so any process may go on with it.

    Args:
        model: What answers; see `providers.choose_model`.
        language: The language of the memory guidance, one of `prompt.languages()`; None: that of each message. The
            program's own lines, such as those about errors, are in English where they are not in that language.
        persona_text: Who the model is; None: the persona that comes with the program.
        sets: The tool sets the model gets; None: those of the setting `chat_tools`.
        clock: Gives the time for the prompt.
        heard: Is told what each tool answered the model, so that a host can put buttons under a question.
        observes: Whether the host gives every message to `Memory.observe` itself, as the bots do; else, where the
            chat's memory is automated, the conversation does.

    Raises:
        InvalidInput: There is no guidance in the language, or a set does not exist.
        SettingsError: The setting `chat_tools` names a set that does not exist.
        MissingExtra: The packages of the extra `chat` are not installed.
    """

    def __init__(
        self,
        memory: Memory,
        model: Model,
        *,
        language: str | None = None,
        persona_text: str | None = None,
        sets: Sequence[str] | None = None,
        clock: Callable[[], datetime] = _now,
        heard: Heard | None = None,
        observes: bool = False,
    ) -> None:
        with extra_for("the chat", "chat"):
            from zgadka.chat import agent  # noqa: PLC0415  (a second and a half that `import zgadka.chat` is spared)
        self._memory = memory
        if language is not None and language not in languages():
            raise InvalidInput(f"no guidance in {language!r}; there is {', '.join(languages())}")
        self._guidance = language
        self.language: Language | None = None if language is None else as_language(language) or "en"
        self._persona = persona() if persona_text is None else persona_text
        sets = chosen_sets(memory.settings) if sets is None else sets
        if tuple(sets) == TIERS["lean"] and model.model_name == agent.STANDIN:
            sets = CHAT  # it knows these, and reads no declarations
        self._tools = memory.tools.select(*sets)
        readable = memory.settings.model_context_tokens // _CONTEXT_SHARE
        self._context_tokens = min(_CONTEXT_TOKENS, readable or _CONTEXT_TOKENS)
        self._clock = clock
        self._exchange = agent.Exchange
        self._trouble_of = agent.trouble_of
        self._observes = observes
        self._agents = {
            "tools": agent.MemoryAgent(model, memory, self._tools, heard),
            "automated": agent.MemoryAgent(model, memory, (), written=self._tools),
        }

    async def answer(self, text: str, turn: Turn) -> AsyncGenerator[str]:
        """Yield the answer to a message, piece by piece.

        What fails becomes the answer's last line, and the conversation can go on: the message is stored before the
        model is asked, and what was answered is stored, also when the rest of it failed. Where the model fails with
        tools, it is asked once more without them, and the message is looked at instead (docs/rollout.md).

        Args:
            turn: Who speaks and where. Its `text` is set to the message; where it has no id of its own, it gets one.
        """
        turn = replace(turn, text=text, turn=turn.turn or uuid.uuid4().hex)
        language = self.language or language_of(text)
        started = time.perf_counter()
        pieces_shown: list[str] = []
        spoken: _Spoken | None = None
        failure: Exception | None = None
        outcome: Outcome = "answered"
        try:
            spoken = await self._begin(turn, text, language)
            turn, text = spoken.turn, spoken.text
            async with aclosing(self._pieces(spoken, text)) as pieces:
                async for piece in pieces:
                    pieces_shown.append(piece)
                    yield piece
        except Exception as error:  # noqa: BLE001  (the loop that must not die)
            failure = error
        if failure is not None and spoken is not None:
            try:
                if await self._fall_back(spoken, text, failure):
                    async with aclosing(self._pieces(spoken, text)) as pieces:
                        async for piece in pieces:
                            pieces_shown.append(piece)
                            yield piece
                    failure, outcome = None, "fallback"
            except Exception as error:  # noqa: BLE001  (as above; the person is told of the first failure)
                _log.debug("no answer without tools either: %s", self._trouble_of(error)[0], exc_info=error)
        if failure is not None:
            outcome = "failed"
            yield ("\n" if pieces_shown else "") + self._explain(failure, language)
        if spoken is not None and (standing := spoken.standing()):
            # What was shown cannot be unsaid.
            telemetry.count("pattern", CLAIM_STANDS)
            pieces_shown.append("\n" + honest_line(standing, language))
            yield pieces_shown[-1]
        self._memory.answered(turn, outcome, time.perf_counter() - started)
        try:
            await self._store(pieces_shown, turn, () if spoken is None else spoken.given)
        except StoreError as error:
            yield "\n" + self._explain(error, language)

    async def _fall_back(self, spoken: _Spoken, text: str, error: Exception) -> bool:
        """Give the turn to the automated arm, which looks at its message; the model is to be asked without tools.

        Returns:
            False where it is not to be asked again, or would not answer without tools either.
        """
        is_wanted = spoken.turn.arm == "tools" and self._memory.settings.enable_automated_memory_fallback
        if isinstance(error, StoreError) or spoken.is_answered or not is_wanted:
            return False
        trouble, _ = self._trouble_of(error)
        telemetry.count("fallback", trouble)
        if trouble == "inside":
            _log.error("an answer with tools failed (inside): its memory is automated\n%s", place_of(error))
        else:
            _log.warning("an answer with tools failed (%s): its memory is automated", trouble)
        if spoken.message_id is not None and not self._observes:
            await self._memory.hand_over(spoken.message_id, text, spoken.turn)
        if trouble in _WITHOUT_HOPE:
            return False
        answers, spoken.before, spoken.given_before = spoken.exchange.answers, spoken.calls, spoken.given
        self._open(spoken, "automated")
        spoken.exchange.answers += answers
        return True

    def _explain(self, error: Exception, language: Language) -> str:
        if isinstance(error, StoreError):
            return text(language, "chat.trouble.memory", reason=str(error))
        trouble, status = self._trouble_of(error)
        if trouble == "inside":
            _log.error("no answer: what broke is inside\n%s", place_of(error))
        _log.debug("no answer: %s (HTTP %s)", trouble, status, exc_info=error)
        return text(language, f"chat.trouble.{trouble}", status="" if status is None else f" (HTTP {status})")

    async def _begin(self, turn: Turn, text: str, language: Language) -> _Spoken:
        turn = replace(turn, arm=(await self._memory.arm(turn)).arm)
        message_id, text = await self._keep(text, turn)
        turn = replace(turn, text=text)
        recent = await self._memory.recent(turn, _HISTORY + 1)
        # The message itself may have been kept before (observed), and others may have come since.
        history = [stored for stored in recent if message_id is None or stored.id < message_id][-_HISTORY:]
        context = await self._memory.build_context(
            turn, self._context_tokens, language=language, without_messages=[message.id for message in history]
        )
        budget = answer_budget(self._memory.settings, {})
        finished = await self._memory.take_finished(turn, budget_tokens=budget)
        spoken = _Spoken(
            turn=turn,
            text=text,
            language=language,
            message_id=message_id,
            history=[_attributed(stored, turn, context.people) for stored in history],
            context=context.text,
            given_before=[*context.memories, *(id_ for task in finished for id_ in memory_ids(task.result))],
            finished=finished,
            inferred=await self._memory.look(kept_of, turn, message_id) if self._observes and message_id else (),
            before=[Called(task.tool, str(task.result.get("status"))) for task in finished],
        )
        self._open(spoken, turn.arm or "tools")
        return spoken

    async def _keep(self, text: str, turn: Turn) -> tuple[int | None, str]:
        """Keep the message, and have it looked at where the chat's memory is automated; returns its id and its text.

        One that the host has given to `Memory.observe` is kept already, and may have been edited since.
        """
        if self._observes and turn.message is not None:
            return await self._memory.look(kept_message, turn) or (None, text)
        if turn.arm == "automated" and not self._observes:
            observed = await self._memory.observe(text, turn)
            if not observed.repeated:
                return observed.message, text
        return await self._memory.record("user", text, turn), text

    def _open(self, spoken: _Spoken, arm: Arm) -> None:
        """Begin to answer, with the model of an arm."""
        instructions = system_prompt(
            self._guidance or spoken.language,
            persona_text=self._persona,
            tools=self._tools if arm == "tools" else (),
            settings=self._memory.settings,
        )
        agent = self._agents[arm]
        spoken.exchange = self._exchange(
            agent, spoken.turn, instructions=instructions, history=spoken.history, language=spoken.language
        )
        # What an automated chat's people write is looked at, whatever the model says of it.
        spoken.kept = arm == "automated"

    async def _pieces(self, spoken: _Spoken, text: str) -> AsyncGenerator[str]:
        calls = self._memory.settings.calls_per_answer
        steps = calls + _STEPS_TO_SPARE if calls else _STEPS_WITHOUT_LIMIT
        message = message_prompt(
            self._guidance or spoken.language,
            text,
            user_id=spoken.turn.user_number,
            now=self._clock().astimezone(self._memory.settings.zone),
            context=spoken.context,
            finished=spoken.finished,
            inferred=spoken.inferred,
        )
        async with aclosing(spoken.exchange.ask(message, steps=steps)) as pieces:
            async for piece in pieces:
                yield piece
        spoken.is_answered = True
        if spoken.standing() and spoken.message_id is not None:
            # What the bots read from messages by themselves is remembered without any call of the model's.
            spoken.kept = spoken.kept or bool(await self._memory.look(kept_of, spoken.turn, spoken.message_id))
        if claims := spoken.standing():
            telemetry.count("pattern", FALSE_CLAIM)
            note = note_for_model(claims, spoken.calls, spoken.language)
            async with aclosing(spoken.exchange.ask(note, steps=_STEPS_TO_CORRECT)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _store(self, pieces: Sequence[str], turn: Turn, given: Sequence[int]) -> None:
        answer = "".join(pieces).strip()
        if answer:
            # The platform's id names the person's message, not the answer.
            await self._memory.record("assistant", answer, replace(turn, message=None), given=given)


@dataclass(kw_only=True)
class _Spoken:
    """An answer under way, what it is given upon and what is known of it.

    Attributes:
        text: What the message says by now.
        message_id: Of the message that is answered; None: it was not kept.
        finished: Calls of earlier answers that had been queued, and are told of in this one.
        inferred: What was remembered of the message by itself, as far as that was faster than the answer.
        before: The calls that are told of, and those that failed to lead to an answer.
        given_before: The ids of the memories in the context, and of those that these calls told of.
        exchange: With the model that is asked now.
        kept: Whether something was remembered of the message without any call.
        is_answered: Whether the model came to an end; what it says then are corrections.
    """

    turn: Turn
    text: str
    language: Language
    message_id: int | None
    history: Sequence[Message]
    context: str
    finished: Sequence[Finished]
    inferred: Sequence[StoredMemory]
    before: list[Called]
    given_before: list[int]
    exchange: Exchange = field(init=False)
    kept: bool = False
    is_answered: bool = False

    @property
    def calls(self) -> list[Called]:
        return [*self.before, *self.exchange.calls]

    @property
    def given(self) -> list[int]:
        """The ids of the memories that the answer was given."""
        return [*self.given_before, *(memory.id for memory in self.inferred), *self.exchange.given]

    def standing(self) -> list[Claim]:
        also: tuple[Deed, ...] = ("remembered", "updated") if self.kept else ()
        return standing_claims(self.exchange.answers, self.calls, also)


def _attributed(message: Message, turn: Turn, people: Mapping[str, str]) -> Message:
    """In a group, say of others' messages that they are not the speaker's."""
    if message.role == "assistant" or message.user == turn.user_key:
        return message
    author = people.get(message.user) or f"user_id {person_number(turn.platform, message.user)}"
    return replace(message, text=f"[{author} wrote] {message.text}")
