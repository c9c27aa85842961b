"""pydantic-ai's own agent runs the toolset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest
from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from zgadka import Memory, Turn
from zgadka.frameworks.pydantic_ai import memory_toolset

TURN = Turn(platform="telegram", space="456", chat="456", user=123, turn="m-1")


@dataclass
class Bot:
    """What a host's own agent depends on."""

    name: str
    turn: Turn


def _turn(ctx: RunContext[Bot]) -> Turn:
    return ctx.deps.turn


def _remembers_tea(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    assert "remember" in {tool.name for tool in info.function_tools}
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(str(dict(cast("dict[str, Any]", last.content))["status"]))])
    return ModelResponse(parts=[ToolCallPart("remember", {"content": "Likes tea"})])


@pytest.mark.asyncio
async def test_an_agent_with_dependencies_of_its_own_remembers_for_the_turns_speaker(memory: Memory) -> None:
    toolset = memory_toolset(memory, _turn)
    agent: Agent[Bot, str] = Agent(FunctionModel(_remembers_tea), deps_type=Bot, toolsets=[toolset])
    done = await agent.run("I like tea", deps=Bot("b", TURN))
    assert done.output == "success"
    other = Turn(platform="telegram", space="456", chat="456", user=7)
    assert (await memory.recall(turn=TURN, query="tea"))["count"] == 1
    assert (await memory.recall(turn=other, query="tea"))["count"] == 0


@pytest.mark.asyncio
async def test_the_librarys_test_model_calls_every_tool(memory: Memory) -> None:
    agent = Agent(TestModel(), toolsets=[memory_toolset(memory, TURN, memory.tools.select("core"))])
    done = await agent.run("anything")
    assert all(f'"{name}":' in done.output for name in ("remember", "recall", "forget"))
    assert "error" not in done.output
