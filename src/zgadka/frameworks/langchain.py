"""The tools as LangChain's, for its agents and for LangGraph's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool

from zgadka.engine import Memory
from zgadka.frameworks.speaker import Speaker, turn_of
from zgadka.tools.answer_budget import answer_budget
from zgadka.tools.declare import Tool


def langchain_tools(
    memory: Memory, speaker: Speaker[RunnableConfig], tools: Iterable[Tool] | None = None
) -> list[BaseTool]:
    """Make the tools for an agent; they are asynchronous (`ainvoke`), as the engine is.

    What the model gets is the result's JSON; the message's `artifact` is the result as a dict.

    Args:
        speaker: The turn of every call; or a function that makes it from the run's configuration, whose
            `configurable` the host filled: `graph.ainvoke(…, {"configurable": {"user": 123}})`.
        tools: Others than the sets `core` and `facts`.
    """
    chosen = memory.tools.select("core", "facts") if tools is None else tools
    return [_tool(memory, speaker, tool) for tool in chosen]


def _tool(memory: Memory, speaker: Speaker[RunnableConfig], tool: Tool) -> BaseTool:
    async def call(config: RunnableConfig, **arguments: Any) -> tuple[str, dict[str, Any]]:
        turn, budget = turn_of(speaker, config), answer_budget(memory.settings, arguments)
        result = await memory.call(tool.name, arguments, turn, is_request=True, budget_tokens=budget)
        return result.json(), dict(result)

    # LangChain looks at the annotations themselves, to see that `config` is no argument of the model.
    call.__annotations__["config"] = RunnableConfig
    return StructuredTool.from_function(
        coroutine=call,
        name=tool.name,
        description=tool.description,
        args_schema=tool.schema,
        infer_schema=False,
        response_format="content_and_artifact",
        metadata={"title": tool.title, "read_only": tool.read_only, "destructive": tool.destructive},
    )
