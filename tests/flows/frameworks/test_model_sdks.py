"""The tools for programs that call a model's SDK themselves. The SDKs' own classes read what is made here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pytest
from anthropic.types import ToolUseBlock
from google.genai import types as gemini
from openai.types.chat import ChatCompletionMessageFunctionToolCall
from openai.types.chat.chat_completion_message_function_tool_call import Function
from openai.types.responses import ResponseFunctionToolCall

from zgadka import InvalidInput, Memory, Turn
from zgadka.frameworks.langchain import langchain_tools
from zgadka.frameworks.model_sdks import (
    AnthropicTools,
    GeminiTools,
    OpenAIResponsesTools,
    OpenAITools,
)
from zgadka.frameworks.pydantic_ai import memory_toolset

TURN = Turn(platform="telegram", space="456", chat="456", user=123, turn="m-1")
TEA: dict[str, Any] = {"content": "Likes tea"}

CALLS: dict[type, Any] = {
    OpenAITools: ChatCompletionMessageFunctionToolCall(
        id="call-1", type="function", function=Function(name="remember", arguments=json.dumps(TEA))
    ),
    OpenAIResponsesTools: ResponseFunctionToolCall(
        call_id="call-1", type="function_call", name="remember", arguments=json.dumps(TEA)
    ),
    AnthropicTools: ToolUseBlock(id="call-1", type="tool_use", name="remember", input=TEA),
    GeminiTools: gemini.FunctionCall(id="call-1", name="remember", args=TEA),
}


def said(kind: type, message: Mapping[str, Any]) -> dict[str, Any]:
    """The tool's result within the message."""
    match kind.__name__:
        case "OpenAITools":
            assert (message["role"], message["tool_call_id"]) == ("tool", "call-1")
            return json.loads(message["content"])
        case "OpenAIResponsesTools":
            assert (message["type"], message["call_id"]) == ("function_call_output", "call-1")
            return json.loads(message["output"])
        case "AnthropicTools":
            (block,) = message["content"]
            assert (message["role"], block["type"], block["tool_use_id"]) == ("user", "tool_result", "call-1")
            return json.loads(block["content"])
        case _:
            (part,) = gemini.Content.model_validate(message).parts or []
            assert part.function_response is not None
            assert (part.function_response.name, part.function_response.id) == ("remember", "call-1")
            return part.function_response.response or {}


@pytest.mark.asyncio
@pytest.mark.parametrize("as_dict", [False, True], ids=["object", "dict"])
@pytest.mark.parametrize("kind", CALLS, ids=lambda kind: kind.__name__)
async def test_a_call_is_answered_by_the_message_to_append(memory: Memory, kind: Any, as_dict: bool) -> None:
    call = CALLS[kind].model_dump(exclude_none=True) if as_dict else CALLS[kind]
    tools = kind(memory)
    assert tools.handles(call)
    result = said(kind, await tools.handle(call, TURN))
    assert (result["status"], result["memory_id"]) == ("success", 1)
    found = await memory.recall(turn=TURN, query="tea")
    assert [one["content"] for one in found["memories"]] == ["Likes tea"]


@pytest.mark.asyncio
async def test_the_answers_of_anthropic_and_gemini_are_one_message_in_the_order_of_the_calls(memory: Memory) -> None:
    twice = [CALLS[AnthropicTools], CALLS[AnthropicTools].model_copy(update={"id": "call-2"})]
    (message,) = await AnthropicTools(memory).handle_all(twice, TURN)
    assert [block["tool_use_id"] for block in message["content"]] == ["call-1", "call-2"]
    assert [json.loads(block["content"])["status"] for block in message["content"]] == ["success", "skipped"]
    (message,) = await GeminiTools(memory).handle_all([CALLS[GeminiTools]] * 2, TURN)
    assert len(message["parts"]) == 2
    assert await AnthropicTools(memory).handle_all([], TURN) == await GeminiTools(memory).handle_all([], TURN) == []
    assert len(await OpenAITools(memory).handle_all([CALLS[OpenAITools]] * 2, TURN)) == 2


@pytest.mark.asyncio
@pytest.mark.parametrize("arguments", ["{", "[1]", "null", '{"content": "a", "user_id": 7}'])
async def test_arguments_that_cannot_be_meant_are_told_to_the_model(memory: Memory, arguments: str) -> None:
    call = {"id": "call-1", "function": {"name": "remember", "arguments": arguments}}
    result = said(OpenAITools, await OpenAITools(memory).handle(call, TURN))
    assert result["status"] == "invalid_args"
    assert (await memory.recall(turn=TURN, query="a"))["count"] == 0


@pytest.mark.asyncio
async def test_a_tool_that_was_not_declared_is_not_called(memory: Memory) -> None:
    tools = OpenAITools(memory, memory.tools.select("core"))
    assert [one["function"]["name"] for one in tools.declarations] == ["remember", "recall", "forget"]
    call = {"id": "call-1", "function": {"name": "clear_profile", "arguments": '{"user_id": 123, "reason": "x"}'}}
    assert not tools.handles(call)
    result = said(OpenAITools, await tools.handle(call, TURN))
    assert result == {
        "status": "invalid_args",
        "message": "no tool 'clear_profile'; there are remember, recall, forget",
    }


@pytest.mark.asyncio
async def test_the_declarations_are_what_the_sdks_declare(memory: Memory) -> None:
    assert {one["name"] for one in AnthropicTools(memory).declarations} == {
        one["function"]["name"] for one in OpenAITools(memory).declarations
    }
    declared = gemini.Tool.model_validate({"function_declarations": GeminiTools(memory).declarations})
    assert len(declared.function_declarations or []) == 10
    flat = OpenAIResponsesTools(memory).declarations[0]
    assert (flat["type"], flat["name"], flat["strict"]) == ("function", "remember", False)


@pytest.mark.asyncio
async def test_what_is_no_call_is_the_hosts_mistake(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="without 'function'"):
        await OpenAITools(memory).handle({"type": "text"}, TURN)
    with pytest.raises(InvalidInput, match="without 'name'"):
        await AnthropicTools(memory).handle(object(), TURN)


@pytest.mark.asyncio
async def test_a_model_is_answered_within_its_budget_at_each_of_these_doors(memory: Memory) -> None:
    """OpenAI's SDK, LangChain and pydantic-ai; Python is answered everything."""
    for number in range(60):
        await memory.call("remember", {"content": f"plays game {number}"}, replace(TURN, turn=f"m-{number}"))
    wanted = {"query": "game", "limit": 50}
    everything = await memory.recall(turn=TURN, **wanted)
    assert (everything["count"], everything["total"]) == (50, 60)
    with short_answers(memory):
        function = Function(name="recall", arguments=json.dumps({"query": "game"}))
        call = ChatCompletionMessageFunctionToolCall(id="call-1", type="function", function=function)
        (tool,) = (tool for tool in langchain_tools(memory, TURN) if tool.name == "recall")
        toolset = memory_toolset(memory, TURN)
        answers = [
            said(OpenAITools, await OpenAITools(memory).handle(call, TURN)),
            json.loads(await tool.ainvoke({"query": "game"})),
            await toolset.call_tool("recall", {"query": "game"}, cast("Any", None), cast("Any", None)),
        ]
    for answer in answers:
        assert (answer["count"], answer["total"], answer["after"]) == (2, 60, answer["memories"][-1]["memory_id"])


@contextmanager
def short_answers(memory: Memory) -> Iterator[None]:
    """Answer models in 200 tokens."""
    settings = memory.settings
    memory.settings = replace(settings, answer_tokens=200)
    yield
    memory.settings = settings
