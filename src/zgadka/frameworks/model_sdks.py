"""The tools for programs that call a model's SDK themselves: OpenAI, Anthropic, Gemini.

No SDK is imported: a call is the SDK's object or the dict that it stands for.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.tools import formats
from zgadka.tools.answer_budget import answer_budget, within
from zgadka.tools.declare import NO_OBJECT, Tool

Json = dict[str, Any]

_MISSING = object()


@dataclass(frozen=True)
class _Call:
    name: str
    arguments: Mapping[str, Any]
    id: str | None


class _ModelTools(ABC):
    """Declares tools to a model and answers its calls.

    Attributes:
        declarations: What the request declares as its tools.
    """

    _function: str | None = None  # the field of a call that holds its name and arguments; None: the call itself
    _arguments, _id = "arguments", "id"
    _together: str | None = None  # the field of the one message that holds the results of one answer

    def __init__(self, memory: Memory, tools: Iterable[Tool] | None = None) -> None:
        """Give tools other than the sets `core` and `facts` as `memory.tools.select(…)`."""
        self._memory = memory
        self._tools = {tool.name: tool for tool in (memory.tools.select("core", "facts") if tools is None else tools)}
        self.declarations = [self._declared(tool) for tool in self._tools.values()]

    def handles(self, call: object) -> bool:
        """Whether the call is of one of these tools, and not of the host's own."""
        return self._read(call).name in self._tools

    async def handle(self, call: object, turn: Turn) -> Json:
        """Answer one call of the model; returns the message to append to the conversation."""
        (message,) = await self.handle_all([call], turn)
        return message

    async def handle_all(self, calls: Iterable[object], turn: Turn) -> list[Json]:
        """Answer all calls of one answer, in its order; returns the messages to append to the conversation.

        Calls of the host's own tools must not be among them.
        """
        requests = [self._read(call) for call in calls]
        known_calls = [(call.name, call.arguments) for call in requests if call.name in self._tools]
        results = iter(await self._memory.call_all(known_calls, turn, is_request=True))
        answers = [
            self._answer(call, self._cut(call, next(results)) if call.name in self._tools else self._unknown(call))
            for call in requests
        ]
        return [{"role": "user", self._together: answers}] if self._together and answers else answers

    def _cut(self, call: _Call, result: ToolResult) -> ToolResult:
        return within(result, answer_budget(self._memory.settings, call.arguments))

    def _unknown(self, call: _Call) -> ToolResult:
        return ToolResult("invalid_args", f"no tool {call.name!a}; there are {', '.join(self._tools)}")

    def _read(self, call: object) -> _Call:
        id_value = _optional(call, self._id)  # only Gemini may leave it out
        function = call if self._function is None else _field(call, self._function)
        name, arguments = str(_field(function, "name")), _object(_field(function, self._arguments))
        return _Call(name, arguments, None if id_value is None else str(id_value))

    @abstractmethod
    def _declared(self, tool: Tool) -> Json: ...

    @abstractmethod
    def _answer(self, call: _Call, result: ToolResult) -> Json: ...


class OpenAITools(_ModelTools):
    """For chat completions, of OpenAI and of every server that speaks them: a call is one of `message.tool_calls`."""

    _function = "function"

    def _declared(self, tool: Tool) -> Json:
        return formats.openai(tool)

    def _answer(self, call: _Call, result: ToolResult) -> Json:
        return {"role": "tool", "tool_call_id": call.id, "content": result.json()}


class OpenAIResponsesTools(_ModelTools):
    """For OpenAI's responses: a call is an item of `response.output` with the type `function_call`."""

    _id = "call_id"

    def _declared(self, tool: Tool) -> Json:
        # Optional parameters are none in strict mode, which is the default here and not in chat completions.
        return {"type": "function", **formats.openai(tool)["function"], "strict": False}

    def _answer(self, call: _Call, result: ToolResult) -> Json:
        return {"type": "function_call_output", "call_id": call.id, "output": result.json()}


class AnthropicTools(_ModelTools):
    """For Anthropic's messages: a call is a block of `message.content` with the type `tool_use`."""

    _arguments = "input"
    _together = "content"

    def _declared(self, tool: Tool) -> Json:
        return formats.anthropic(tool)

    def _answer(self, call: _Call, result: ToolResult) -> Json:
        return {"type": "tool_result", "tool_use_id": call.id, "content": result.json()}


class GeminiTools(_ModelTools):
    """For Gemini: a call is one of `response.function_calls`; the declarations go into one `types.Tool`."""

    _arguments = "args"
    _together = "parts"

    def _declared(self, tool: Tool) -> Json:
        return formats.gemini(tool)

    def _read(self, call: object) -> _Call:
        read = super()._read(call)
        return replace(read, arguments={}) if _field(call, "args") is None else read

    def _answer(self, call: _Call, result: ToolResult) -> Json:
        response = {"name": call.name, "response": dict(result)}
        return {"function_response": response | ({"id": call.id} if call.id else {})}


def _field(call: object, name: str) -> object:
    value = _optional(call, name, missing=_MISSING)
    if value is _MISSING:
        raise InvalidInput(f"this is not a tool call of the SDK: {type(call).__name__} without {name!r}")
    return value


def _optional(call: object, name: str, missing: object = None) -> object:
    if isinstance(call, Mapping):
        return cast("Mapping[str, object]", call).get(name, missing)
    return cast("object", getattr(call, name, missing))


def _object(arguments: object) -> Mapping[str, Any]:
    """The arguments as the model wrote them; what is no object is refused by the engine, which tells the model."""
    read: object = arguments
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return {NO_OBJECT: arguments}
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else {NO_OBJECT: read}
