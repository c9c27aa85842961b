"""The tools for programs that call a model's SDK themselves: OpenAI, Anthropic, Gemini.

No SDK is imported: a call is the SDK's object or the dict that it stands for.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from zgadka.engine import Memory
from zgadka.errors import InvalidInput
from zgadka.model.result import ToolResult
from zgadka.model.turn import Turn
from zgadka.tools import formats
from zgadka.tools.declare import Tool

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

    def __init__(self, memory: Memory, tools: Iterable[Tool] | None = None) -> None:
        """Give tools other than the sets `core` and `facts` as `memory.tools.select(…)`."""
        self._memory = memory
        self._tools = {tool.name: tool for tool in (memory.tools.select("core", "facts") if tools is None else tools)}
        self.declarations = self._declared(list(self._tools.values()))

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
        answered = [(call, next(results) if call.name in self._tools else self._unknown(call)) for call in requests]
        return self._messages(answered)

    def _unknown(self, call: _Call) -> ToolResult:
        return ToolResult("invalid_args", f"no tool {call.name!a}; there are {', '.join(self._tools)}")

    @abstractmethod
    def _declared(self, tools: Sequence[Tool]) -> list[Json]: ...

    @abstractmethod
    def _read(self, call: object) -> _Call: ...

    @abstractmethod
    def _messages(self, answered: Sequence[tuple[_Call, ToolResult]]) -> list[Json]: ...


class OpenAITools(_ModelTools):
    """For chat completions, of OpenAI and of every server that speaks them: a call is one of `message.tool_calls`."""

    def _declared(self, tools: Sequence[Tool]) -> list[Json]:
        return [formats.openai(tool) for tool in tools]

    def _read(self, call: object) -> _Call:
        function = _field(call, "function")
        return _Call(str(_field(function, "name")), _object(_field(function, "arguments")), _id(call, "id"))

    def _messages(self, answered: Sequence[tuple[_Call, ToolResult]]) -> list[Json]:
        return [{"role": "tool", "tool_call_id": call.id, "content": result.json()} for call, result in answered]


class OpenAIResponsesTools(_ModelTools):
    """For OpenAI's responses: a call is an item of `response.output` with the type `function_call`."""

    def _declared(self, tools: Sequence[Tool]) -> list[Json]:
        # Optional parameters are none in strict mode, which is the default here and not in chat completions.
        return [{"type": "function", **formats.openai(tool)["function"], "strict": False} for tool in tools]

    def _read(self, call: object) -> _Call:
        return _Call(str(_field(call, "name")), _object(_field(call, "arguments")), _id(call, "call_id"))

    def _messages(self, answered: Sequence[tuple[_Call, ToolResult]]) -> list[Json]:
        return [
            {"type": "function_call_output", "call_id": call.id, "output": result.json()} for call, result in answered
        ]


class AnthropicTools(_ModelTools):
    """For Anthropic's messages: a call is a block of `message.content` with the type `tool_use`."""

    def _declared(self, tools: Sequence[Tool]) -> list[Json]:
        return [formats.anthropic(tool) for tool in tools]

    def _read(self, call: object) -> _Call:
        return _Call(str(_field(call, "name")), _object(_field(call, "input")), _id(call, "id"))

    def _messages(self, answered: Sequence[tuple[_Call, ToolResult]]) -> list[Json]:
        # The results of one answer belong into one message.
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": result.json()} for call, result in answered
        ]
        return [{"role": "user", "content": results}] if results else []


class GeminiTools(_ModelTools):
    """For Gemini: a call is one of `response.function_calls`; the declarations go into one `types.Tool`."""

    def _declared(self, tools: Sequence[Tool]) -> list[Json]:
        return [formats.gemini(tool) for tool in tools]

    def _read(self, call: object) -> _Call:
        arguments = _field(call, "args")
        return _Call(str(_field(call, "name")), {} if arguments is None else _object(arguments), _id(call, "id"))

    def _messages(self, answered: Sequence[tuple[_Call, ToolResult]]) -> list[Json]:
        parts = [
            {"function_response": {"name": call.name, "response": dict(result)} | ({"id": call.id} if call.id else {})}
            for call, result in answered
        ]
        return [{"role": "user", "parts": parts}] if parts else []


def _field(call: object, name: str) -> object:
    value = _optional(call, name, missing=_MISSING)
    if value is _MISSING:
        raise InvalidInput(f"this is no tool call of the SDK: {type(call).__name__} without {name!r}")
    return value


def _optional(call: object, name: str, missing: object = None) -> object:
    if isinstance(call, Mapping):
        return cast("Mapping[str, object]", call).get(name, missing)
    return cast("object", getattr(call, name, missing))


def _id(call: object, name: str) -> str | None:
    value = _optional(call, name)  # only Gemini may leave it out
    return None if value is None else str(value)


def _object(arguments: object) -> Mapping[str, Any]:
    """The arguments as the model wrote them; what is no object is refused by the engine, which tells the model."""
    read: object = arguments
    if isinstance(arguments, str):
        try:
            read = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            return {"unreadable_json": arguments}
    return cast("Mapping[str, Any]", read) if isinstance(read, Mapping) else {"not_an_object": read}
