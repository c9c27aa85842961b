"""The tools that models call."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from zgadka.web.auth import memory_of
from zgadka.web.routes_base import Door, Reply, listing, speaker
from zgadka.web.schemas import CallSaid, CallsSaid, Finishing, Many, Results, results
from zgadka.web.serialize import CODES, MAY_BE_DONE, code_of

router = APIRouter(prefix="/v1", tags=["tools"], route_class=Door)

Tool = Annotated[str, Path(max_length=100, examples=["recall"])]


@router.get("/tools", summary="List the tools", response_model=Many)
async def tools(request: Request) -> Response:
    """List every tool with what a model is told of it, and the JSON Schema of its arguments."""
    listed = [
        {"name": tool.name, "title": tool.title, "set": tool.set, "description": tool.description}
        | {"parameters": tool.schema, "read_only": tool.read_only, "destructive": tool.destructive}
        for tool in memory_of(request).tools
    ]
    return listing(tools=listed)


@router.post("/tools/{name}", summary="Call a tool", **results(*CODES))
async def call(request: Request, name: Tool, body: CallSaid) -> Response:
    """Call a tool as a model does, in somebody's turn. The answer is the tool's; the code follows its status."""
    turn, memory = speaker(request, body.said), memory_of(request)
    tool = memory.tools[name].name
    grant, budget = request.state.grant, body.budget_tokens
    return result(await memory.call(tool, body.args, turn, is_request=True, grant=grant, budget_tokens=budget))


@router.post("/calls", summary="Call several tools", response_model=Results)
async def calls(request: Request, body: CallsSaid) -> Response:
    """Make the calls of one answer of a model at once; changes are made in their order."""
    wanted = [(item.tool, item.args) for item in body.calls]
    turn = speaker(request, body.said)
    grant, budget = request.state.grant, body.budget_tokens
    answers = await memory_of(request).call_all(wanted, turn, is_request=True, grant=grant, budget_tokens=budget)
    return Reply({"results": [dict(answer) for answer in answers]})


@router.post("/finished", summary="Take the results of queued calls", response_model=Many)
async def finished(request: Request, body: Finishing) -> Response:
    """Take the results of the speaker's calls in this chat that were answered `queued`; each is told once."""
    grant, budget = request.state.grant, body.budget_tokens
    done = await memory_of(request).take_finished(speaker(request, body.said), grant=grant, budget_tokens=budget)
    tasks = [{"task_id": task.task_id, "tool": task.tool, "result": dict(task.result)} for task in done]
    return listing(finished=tasks)


def result(answer: Any) -> Response:
    """A tool's result as an answer."""
    headers = {"retry-after": str(max(1, answer.get("retry_after_seconds", 1)))}
    code = MAY_BE_DONE if answer.get("may_be_done") else code_of(answer["status"])
    return Reply(dict(answer), code, headers if code in (429, 503) else None)
