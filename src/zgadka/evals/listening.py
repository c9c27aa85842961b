"""The agent library's side of the evaluation: what a model is asked and answers is noted; scripts are models too.

Besides `chat/agent.py` and `chat/providers.py`, this file imports it.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext

from zgadka.evals.scripted import Heard, Script


@dataclass(frozen=True, kw_only=True)
class Response:
    """What a model answered to one request: text, calls, or both."""

    text: str
    calls: Sequence[tuple[str, Mapping[str, Any]]]
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass
class Listener:
    """Notes what a model answers; `start` begins anew.

    Attributes:
        errors: What its requests failed with.
    """

    responses: list[Response] = field(default_factory=list[Response])
    errors: list[Exception] = field(default_factory=list[Exception])

    def start(self) -> None:
        """Forget what was noted."""
        self.responses, self.errors = [], []


class Listened(WrapperModel):
    """A model to which somebody listens."""

    def __init__(self, wrapped: Model, listener: Listener) -> None:
        super().__init__(wrapped)
        self._listener = listener

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Ask the model, and note its answer when it is whole."""
        started = time.perf_counter()
        try:
            async with super().request_stream(messages, model_settings, model_request_parameters, run_context) as it:
                yield it
        except Exception as error:
            self._listener.errors.append(error)
            raise
        self._listener.responses.append(_noted(it.get(), time.perf_counter() - started))


def _noted(response: ModelResponse, seconds: float) -> Response:
    return Response(
        text="".join(part.content for part in response.parts if isinstance(part, TextPart)),
        calls=[(part.tool_name, part.args_as_dict()) for part in response.parts if isinstance(part, ToolCallPart)],
        input_tokens=response.usage.input_tokens,
        output_tokens=response.usage.output_tokens,
        seconds=seconds,
    )


def scripted_model(script: Script) -> Model:
    """Make a script a model like any other."""

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        move = script([Heard("system", info.instructions or ""), *_heard(messages)])
        for index, (tool, arguments) in enumerate(move.calls):
            yield {index: DeltaToolCall(tool, json.dumps(arguments), tool_call_id=f"{len(messages)}-{index}")}
        if not move.calls:
            yield move.text

    return FunctionModel(stream_function=stream, model_name="scripted")


def _heard(messages: Sequence[ModelMessage]) -> Iterator[Heard]:
    for message in messages:
        if isinstance(message, ModelRequest):
            for part in message.parts:
                match part:
                    case UserPromptPart(content=str(text)):
                        yield Heard("user", text)
                    case ToolReturnPart():
                        yield Heard("tool", part.model_response_str())
                    case _:
                        pass
        else:
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            if text:
                yield Heard("assistant", text)
