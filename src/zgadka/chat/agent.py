"""The agent library, wrapped: our tools as its toolset, our history as its messages, its events as pieces of text.

Besides this file, `providers.py` imports it; both are imported when a conversation starts.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import dropwhile
from typing import Any, Literal, NamedTuple, TypeVar, cast

import pydantic_ai
from pydantic_ai import Agent, exceptions
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.run import AgentRunResultEvent
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.toolsets import AbstractToolset
from pydantic_ai.toolsets.abstract import ToolsetTool
from pydantic_ai.usage import RunUsage, UsageLimits

from zgadka.chat import prompt
from zgadka.chat.claim_check import Called
from zgadka.chat.offline_model.model import Call, Result, Say, Scene, next_step
from zgadka.chat.written_calls import Withheld, WrittenCall
from zgadka.engine import Memory
from zgadka.locales import Language, text
from zgadka.model.people import Message
from zgadka.model.result import ToolResult, memory_ids
from zgadka.model.turn import Turn
from zgadka.telemetry import UNSUCCESSFUL
from zgadka.tools.answer_budget import answer_budget
from zgadka.tools.declare import NO_OBJECT, Tool

pydantic_ai.BANNER_ENABLED = False  # it is printed at a terminal, into the first answer
Trouble = Literal["loops", "key", "unknown_model", "busy", "unreachable", "slow", "failed", "confused", "inside"]
"""Why no answer came; what a person reads of it is `chat.trouble`, without a stack and without the provider's text."""

_OF_STATUS: dict[int, Trouble] = {
    401: "key",
    403: "key",
    404: "unknown_model",
    408: "slow",
    429: "busy",
    503: "busy",
    504: "slow",
    529: "busy",
}
_OF_ERROR: tuple[tuple[type[Exception] | tuple[type[Exception], ...], Trouble], ...] = (
    (exceptions.UsageLimitExceeded, "loops"),
    ((exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout, TimeoutError), "slow"),
    (exceptions.ModelConnectionError, "unreachable"),
    (exceptions.UnexpectedModelBehavior, "confused"),
    (exceptions.AgentRunError, "failed"),  # last: the others are such errors too
)
Deps = TypeVar("Deps")
Heard = Callable[[Turn, str, Mapping[str, Any], ToolResult], object]
"""Is told of each call of a tool: its turn, tool and arguments, and what came of it."""

_FAILING = UNSUCCESSFUL - {"busy", "rate_limited"} | {"not_found", "invalid_target"}
"""The statuses of calls that fail again, made again in the same words."""
_MOST_FAILURES = 3
_MOST_TURNS = 1000
_NO_TOOLS = "There are no tools now: answer in words."
_FAILED_BEFORE = "This call failed before in the same words: change its arguments, or answer without it."
_PIECE = re.compile(r"\s*\S+\s*")


class _AsGiven:
    """Passes arguments on as they came: the engine checks them and tells the model what is wrong with them."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> Any:  # noqa: A002  (the protocol's word)
        try:
            return self.validate_python(json.loads(input))
        except ValueError:
            return {NO_OBJECT: input if isinstance(input, str) else input.decode(errors="replace")}

    def validate_python(self, input: Any, **_: Any) -> Any:  # noqa: A002
        return cast("object", input) if isinstance(input, dict) else {NO_OBJECT: input}


class Failure(NamedTuple):
    """How a call failed, and how many times it was asked for."""

    status: str
    times: int


class MemoryTools(AbstractToolset[Deps]):
    """The engine's tools for one agent; calls of one answer run one after another, in the model's order.

    A call that failed is not made again in the same turn and the same words; the third time, the tools are taken away.
    """

    def __init__(
        self,
        memory: Memory,
        tools: Iterable[Tool],
        turn_of: Callable[[RunContext[Deps]], Turn],
        heard: Heard | None = None,
    ) -> None:
        self._memory = memory
        self._turn_of = turn_of
        self._heard = heard
        self._tools = {tool.name: tool for tool in tools}
        self._failures: OrderedDict[tuple[str | None, ...], dict[str, Failure]] = OrderedDict()

    @property
    def id(self) -> str:
        """The toolset's name within the agent."""
        return "zgadka"

    async def get_tools(self, ctx: RunContext[Deps]) -> dict[str, ToolsetTool[Deps]]:
        """Declare the tools as the registry has them."""
        if any(failure.times >= _MOST_FAILURES for failure in self._failures_of(self._turn_of(ctx)).values()):
            return {}
        return {name: self._declared(tool) for name, tool in self._tools.items()}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Deps], tool: ToolsetTool[Deps]
    ) -> dict[str, Any]:
        """Call the engine for the turn's speaker."""
        return await self.call(name, tool_args, self._turn_of(ctx))

    async def call(self, name: str, arguments: Mapping[str, Any], turn: Turn) -> dict[str, Any]:
        """Call the engine in a turn."""
        if name not in self._tools:
            return {"status": "error", "message": _NO_TOOLS}
        failures, words = self._failures_of(turn), json.dumps([name, arguments], sort_keys=True, default=str)
        if failure := failures.get(words):
            failures[words] = failure._replace(times=failure.times + 1)
            result = ToolResult(failure.status, _FAILED_BEFORE)
        else:
            budget = answer_budget(self._memory.settings, arguments)
            result = await self._memory.call(name, arguments, turn, is_request=True, budget_tokens=budget)
            if result.status in _FAILING:
                failures[words] = Failure(result.status, 1)
            else:
                failures.clear()  # what failed may be possible by now
        if self._heard is not None:
            self._heard(turn, name, arguments, result)
        return dict(result)

    def _failures_of(self, turn: Turn) -> dict[str, Failure]:
        """The calls of the turn that failed since one succeeded, by their words; none where the turn has no id."""
        if turn.turn is None:
            return {}
        key = (turn.platform, turn.chat, turn.thread, turn.user_key, turn.turn)
        self._failures.setdefault(key, {})
        self._failures.move_to_end(key)
        if len(self._failures) > _MOST_TURNS:
            self._failures.popitem(last=False)
        return self._failures[key]

    def _declared(self, tool: Tool) -> ToolsetTool[Deps]:
        definition = ToolDefinition(
            name=tool.name,
            description=tool.description,
            parameters_json_schema=tool.schema,
            sequential=True,
        )
        return ToolsetTool(toolset=self, tool_def=definition, max_retries=1, args_validator=_AsGiven())


class MemoryAgent:
    """A model with the engine's tools; a call of a tool that does not exist is answered with the names there are.

    Attributes:
        written: The tools whose calls, written as text, are not shown.
    """

    def __init__(
        self,
        model: Model,
        memory: Memory,
        tools: Iterable[Tool],
        heard: Heard | None = None,
        *,
        written: Iterable[Tool] = (),
    ) -> None:
        self.written = {tool.name for tool in (*tools, *written)}
        self.tools: MemoryTools[Turn] = MemoryTools(memory, tools, lambda ctx: ctx.deps, heard)
        self.agent: Agent[Turn, str] = Agent(model, deps_type=Turn, toolsets=[self.tools], retries=3)


class Exchange:
    """What is said and done to answer one message.

    Attributes:
        answers: What the model said each time it was asked, as far as it came.
        calls: The tool calls made for it, in order.
        given: The ids of the memories that these told of.
    """

    def __init__(
        self,
        agent: MemoryAgent,
        turn: Turn,
        *,
        instructions: str,
        history: Sequence[Message],
        language: Language,
    ) -> None:
        self.answers: list[str] = []
        self.calls: list[Called] = []
        self.given: list[int] = []
        self._agent = agent.agent
        self._tools = agent.tools
        self._names = agent.written
        self._written: set[str] = set()
        self._repeats = False
        self._language: Language = language
        self._turn = turn
        self._instructions = instructions
        self._messages = _messages_of(history)

    async def ask(self, message: str, *, steps: int) -> AsyncGenerator[str]:
        """Yield the answer's text as it comes; tools run in between. Asked again, the model knows what it said.

        A call that the model writes as text is made as one, and not shown. Where it writes only its own prompt once
        more, it is asked for words.

        Args:
            steps: How many times the model may be asked.

        Raises:
            AgentRunError: The provider failed, or the model did not come to an end.
        """
        has_answer = called = any(self.answers)
        self.answers.append("")
        usage = RunUsage()
        only_echo = text(self._language, "chat.claim.only_echo")
        while True:
            withheld = Withheld(self._names, prompt.message_of(message)[1])
            async with aclosing(self._run(message, withheld, usage, steps)) as pieces:
                async for piece in pieces:
                    if piece is None:
                        called = True
                        continue
                    self.answers[-1] += piece
                    yield f"\n{piece}" if has_answer and called else piece
                    has_answer, called = True, False
            if not withheld.calls:
                if not withheld.is_echo or self.answers[-1].strip() or message == only_echo:
                    return
                message = only_echo
                continue
            called = True
            message = await self._make(withheld.calls)

    async def _make(self, calls: Sequence[WrittenCall]) -> str:
        """Make calls that the model wrote as text; what it is told of them.

        Raises:
            UsageLimitExceeded: It was told before that these were made.
        """
        results: dict[str, Mapping[str, Any]] = {}
        for tool, arguments in calls:
            words = json.dumps([tool, arguments], ensure_ascii=False, sort_keys=True)
            if words not in self._written:
                self._written.add(words)
                results[words] = await self._tools.call(tool, arguments, self._turn)
                self._note_call(tool, results[words])
        if not results:
            if self._repeats:
                raise exceptions.UsageLimitExceeded("the model writes the same calls again and again")
            self._repeats = True
            return text(self._language, "chat.claim.written_before")
        told = (f"{words}: {json.dumps(result, ensure_ascii=False, default=str)}" for words, result in results.items())
        return text(self._language, "chat.claim.written_calls", results="\n".join(told))

    async def _run(self, message: str, withheld: Withheld, usage: RunUsage, steps: int) -> AsyncGenerator[str | None]:
        """Yield what may be shown of an answer, and None after each call."""
        run = self._agent.run_stream_events(
            message,
            deps=self._turn,
            instructions=self._instructions,
            message_history=self._messages,
            usage_limits=UsageLimits(request_limit=steps),
            usage=usage,
        )
        async with run as events:
            async for event in events:
                match event:
                    case AgentRunResultEvent(result=result):
                        self._messages = result.all_messages()
                    case FunctionToolResultEvent(part=part):
                        if prose := withheld.rest():
                            yield prose
                        content: object = part.content
                        if isinstance(content, dict):
                            self._note_call(part.tool_name, cast("dict[str, Any]", content))
                        yield None
                    case (
                        PartStartEvent(part=TextPart(content=piece))
                        | PartDeltaEvent(delta=TextPartDelta(content_delta=piece))
                    ) if piece and (prose := withheld.pass_on(piece)):
                        yield prose
                    case _:
                        pass
        if prose := withheld.rest():
            yield prose

    def _note_call(self, tool: str, result: Mapping[str, Any]) -> None:
        if "status" in result:
            self.calls.append(Called(tool, str(result["status"])))
            self.given += memory_ids(cast("object", result))


def _messages_of(history: Sequence[Message]) -> list[ModelMessage]:
    """Return the chat's messages as the agent's; they begin with a person's, since providers insist on that."""
    return [_message(message) for message in dropwhile(lambda message: message.role != "user", history)]


def _message(message: Message) -> ModelMessage:
    if message.role == "user":
        return ModelRequest(parts=[UserPromptPart(message.text)])
    return ModelResponse(parts=[TextPart(message.text)])


def trouble_of(error: BaseException) -> tuple[Trouble, int | None]:
    """Say what kind of trouble an error of the answer is, and the provider's HTTP status where it gave one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(status := getattr(cause, "status_code", None), int):
            return _OF_STATUS.get(status, "failed"), status
        cause = cause.__cause__
    for types, trouble in _OF_ERROR:
        if isinstance(error, types):
            return trouble, None
    return "inside", None


STANDIN = "standin"


def standin_model(language: Language | None = None, *, asks: bool = True) -> FunctionModel:
    """Make the offline stand-in a model like any other.

    Args:
        language: The language to answer in; None: that of each message.
        asks: Whether it asks about what a message only seems to say; False where the host does.
    """

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        scene = replace(_scene(messages, info, language), asks=asks)
        match next_step(scene):
            case Call(tool, arguments):
                yield {0: DeltaToolCall(tool, json.dumps(arguments), tool_call_id=f"call-{len(messages)}")}
            case Say(text):
                for piece in _PIECE.findall(text):
                    yield piece

    return FunctionModel(stream_function=stream, model_name=STANDIN)


def _scene(messages: Sequence[ModelMessage], info: AgentInfo, language: Language | None) -> Scene:
    question_index = max(n for n, message in enumerate(messages) if _prompts(message))
    former = messages[question_index - 1].parts if question_index else ()
    last_answer = "\n".join(part.content for part in former if isinstance(part, TextPart)) or None
    prompts = [prompt.message_of(written) for message in messages for written in _prompts(message)]
    context = next(context for context, _ in reversed(prompts) if context)  # a note of the program's comes without
    previous = _prompts(messages[question_index - 2]) if last_answer and question_index > 1 else []
    return Scene(
        text=prompts[-1][1],
        user_id=prompt.speaker_of(context),
        said=last_answer,
        heard="\n".join(prompt.message_of(written)[1] for written in previous) if previous else None,
        results=[result for message in messages[question_index + 1 :] for result in _results(message)],
        people=prompt.people_of(context),
        notes=prompt.notes_of(context),
        inferred=prompt.inferred_of(context),
        tools=frozenset(tool.name for tool in info.function_tools),
        language=language,
    )


def _prompts(message: ModelMessage) -> list[str]:
    """What people wrote; in a group, several messages in a row are one of the library's."""
    return [
        part.content for part in message.parts if isinstance(part, UserPromptPart) and isinstance(part.content, str)
    ]


def _results(message: ModelMessage) -> list[Result]:
    results = [part.content for part in message.parts if isinstance(part, ToolReturnPart)]
    return [content for content in results if isinstance(content, dict)]
