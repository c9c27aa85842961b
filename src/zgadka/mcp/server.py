"""The MCP server: the engine's tools, readable resources and prompts, for the person of each connection.

Who speaks comes from the connection. MCP knows nothing of turns: unless the client names one in `_meta`, a second call
for a deletion never counts as the person's consent, since it may be the model's second try. The person is asked by
elicitation where the client can, in the way of its protocol version, or confirms elsewhere.
"""

from __future__ import annotations

import asyncio
import json
import shlex
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal, TypeVar
from uuid import uuid4

import mcp_types as types
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from zgadka._version import __version__
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, NotAllowed
from zgadka.log import logger
from zgadka.mcp import views
from zgadka.mcp.declare import complete, declaration, offered, unknown_argument
from zgadka.model.result import ToolResult
from zgadka.model.token import Grant
from zgadka.model.turn import Turn
from zgadka.settings import McpTier
from zgadka.tools.answer_budget import answer_budget
from zgadka.tools.declare import Tool
from zgadka.tools.registry import extra_sets

T = TypeVar("T")

Request = ServerRequestContext[Any, Any]
Choice = Literal["agreed", "refused", "silent"]

TURN_KEY, TEXT_KEY = "zgadka/turn", "zgadka/text"
"""In a request's `_meta`: the id of the person's message that is being answered, and its text, from the application."""

_KEPT = 10_000
"""Questions and log levels that are kept in memory at most."""

_OF_ONE_TURN = frozenset({"turn", "message", "replies_to", "forwards", "time", "text", "answers", "arm"})
_HEARTBEAT_SECONDS = 1.0
_FAILED = ("invalid_args", "invalid_content", "refused", "look_first", "error", "db_error", "busy", "rate_limited")
_WARN = ("error", "db_error", "busy", "rate_limited", "queued")
_FOR_BOTH = types.Annotations(audience=["user", "assistant"])
_CONFIRM = "confirm"
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {"delete": {"type": "boolean", "title": "Delete it", "default": False}},
    "required": ["delete"],
}

_log = logger()
for _name in ("mcp.server.runner", "mcp.shared.direct_dispatcher", "mcp.shared.jsonrpc_dispatcher"):
    logger(_name)  # there, the library logs what our handlers raise


def build_server(
    memory: Memory,
    speaker_of: Callable[[Request], Turn],
    *,
    tier: McpTier = "standard",
    grant_of: Callable[[Request], Grant | None] = lambda _: None,
) -> Server:
    """The server over a memory; any number of connections may share it.

    Args:
        speaker_of: Gives the person of a request and where they are; an id of the turn counts as the person's.
        tier: Which tools it offers.
        grant_of: Gives what a request's token allows; None: nobody had to show one.
    """
    tools = offered(memory.tools, tier, extra_sets(memory.settings))
    handlers = _Handlers(memory, speaker_of, grant_of, {tool.name: tool for tool in tools})
    server = Server(
        "zgadka",
        version=__version__,
        title="zgadka",
        description="Long-term memory of the person you talk to",
        instructions=views.GUIDANCE,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
        # No argument of ours travels in a header, so no call need list the tools first.
        get_tool_input_schema=lambda _: None,
    )
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, handlers.set_level)
    seconds = memory.settings.confirmation_seconds
    # One process, one key: a question that another process asked is asked anew.
    security = RequestStateSecurity.ephemeral(ttl=seconds)
    security.bind_principal = lambda ctx: identity(speaker_of(ctx))
    server.middleware.append(RequestStateBoundary(security, default_audience="zgadka"))
    return server


async def serve_stdio(memory: Memory, speaker: Turn, *, tier: McpTier = "standard") -> None:
    """Serve one person over standard input and output until the client leaves."""
    server = build_server(memory, lambda _: speaker, tier=tier)
    async with stdio_server() as (source, sink):
        await server.run(source, sink, server.create_initialization_options())


def identity(speaker: Turn) -> str:
    """Who is at the other end and where, for what is bound to them: sessions and the states of questions."""
    alike = {name: value for name, value in speaker.as_json().items() if name not in _OF_ONE_TURN}
    return json.dumps(alike, sort_keys=True)


@dataclass(frozen=True)
class _Question:
    """A deletion about which the person is asked.

    Attributes:
        asked_in: The turn that asked, which the answer names.
        text: What the person reads.
        result: What the tool answers while nobody has agreed.
    """

    asked_in: str
    text: str
    result: ToolResult


class _Handlers:
    """The handlers, one short method a request."""

    def __init__(
        self,
        memory: Memory,
        speaker_of: Callable[[Request], Turn],
        grant_of: Callable[[Request], Grant | None],
        tools: Mapping[str, Tool],
    ) -> None:
        self._memory = memory
        self._speaker_of = speaker_of
        self._grant_of = grant_of
        self._tools = tools
        self._asked: OrderedDict[str, _Question] = OrderedDict()
        self._levels: OrderedDict[str, types.LoggingLevel] = OrderedDict()

    async def list_tools(self, ctx: Request, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        speaker = self._speaker_of(ctx)
        return types.ListToolsResult(
            tools=[types.Tool.model_validate(declaration(tool, speaker)) for tool in self._tools.values()]
        )

    async def call_tool(
        self, ctx: Request, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        tool = self._tools.get(params.name)
        if tool is None:
            refusal = f"no tool {params.name!a}; there are {', '.join(self._tools)}"
            raise MCPError(code=types.INVALID_PARAMS, message=refusal)
        speaker, arguments, started = self._speaker_of(ctx), params.arguments or {}, time.perf_counter()
        async with _heartbeat(ctx):
            if (mistake := unknown_argument(tool, arguments, speaker)) is not None:
                result = ToolResult(tool.failed + "invalid_args", mistake)
            elif _deletes(tool, arguments):
                result = await self._delete(ctx, params, tool, complete(tool, arguments, speaker), speaker)
                if isinstance(result, types.InputRequiredResult):
                    return result
            else:
                result = await self._call(ctx, tool, complete(tool, arguments, speaker), _host_turn(ctx, speaker))
            await self._log(ctx, tool, result, time.perf_counter() - started)
            return await self._answer(ctx, tool, result, speaker)

    async def _call(self, ctx: Request, tool: Tool, arguments: Mapping[str, Any], turn: Turn) -> ToolResult:
        grant, budget = self._grant_of(ctx), answer_budget(self._memory.settings, arguments)
        return await self._memory.call(tool.name, arguments, turn, is_request=True, grant=grant, budget_tokens=budget)

    async def _delete(
        self, ctx: Request, params: types.CallToolRequestParams, tool: Tool, arguments: Mapping[str, Any], speaker: Turn
    ) -> ToolResult | types.InputRequiredResult:
        """Delete what the person agrees to; each question is answered once at most."""
        question = self._asked.pop(params.request_state or "", None)
        answer = (params.input_responses or {}).get(_CONFIRM)
        if question is not None and isinstance(answer, types.ElicitResult):
            return await self._answered(ctx, tool, arguments, speaker, question, _choice(answer))
        if not _can_ask(ctx):
            return await self._without_asking(ctx, tool, arguments, speaker)
        turn = _own_turn(speaker)
        result = await self._call(ctx, tool, arguments, turn)
        if not _waits(tool, result):
            return result
        question = _Question(turn.turn or "", _asks(tool, result), result)
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            choice = await _elicited(ctx, question.text, self._memory.settings.confirmation_seconds)
            return await self._answered(ctx, tool, arguments, speaker, question, choice)
        _keep(self._asked, question.asked_in, question)
        return types.InputRequiredResult(
            input_requests={_CONFIRM: _request(question.text)}, request_state=question.asked_in
        )

    async def _answered(
        self,
        ctx: Request,
        tool: Tool,
        arguments: Mapping[str, Any],
        speaker: Turn,
        question: _Question,
        choice: Choice,
    ) -> ToolResult:
        turn = replace(_own_turn(speaker), answers=question.asked_in, text=None)
        match choice:
            case "agreed":
                result = await self._call(ctx, tool, arguments, turn)
                if not _waits(tool, result):
                    return result
                notice = "Nothing was deleted: what is remembered changed since the person was asked. Call this again."
                return _retold(result, notice)
            case "refused":
                return await self._call(ctx, tool, arguments, replace(turn, text="no"))
            case "silent":
                notice = "The person was asked and did not decide; nothing was deleted. Ask them whether they want it."
                return _retold(question.result, notice)

    async def _without_asking(
        self, ctx: Request, tool: Tool, arguments: Mapping[str, Any], speaker: Turn
    ) -> ToolResult:
        """The later-turn rule where the application tells turns apart; else the person confirms somewhere else."""
        host = _host_turn(ctx, speaker)
        knows_turns = host.turn is not None
        result = await self._call(ctx, tool, arguments, host if knows_turns else _own_turn(speaker))
        if knows_turns or not _waits(tool, result):
            return result
        return _retold(result, _elsewhere(tool, result, speaker))

    async def _answer(self, ctx: Request, tool: Tool, result: ToolResult, speaker: Turn) -> types.CallToolResult:
        content = [types.TextContent(text=result.json())]
        if self._memory.settings.memory_tool_async:
            grant, budget = self._grant_of(ctx), answer_budget(self._memory.settings, {})
            for task in await self._memory.take_finished(speaker, grant=grant, budget_tokens=budget):
                earlier = {"task_id": task.task_id, "tool": task.tool, "result": dict(task.result)}
                content.append(types.TextContent(text=f"Of an earlier call: {json.dumps(earlier, ensure_ascii=False)}"))
        return types.CallToolResult(
            content=list(content),
            structured_content=dict(result),
            is_error=result.status.removeprefix(tool.failed) in _FAILED,
        )

    async def list_resources(self, _: Request, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(
            resources=[types.Resource(annotations=_FOR_BOTH, **view) for view in views.RESOURCES]
        )

    async def list_templates(
        self, _: Request, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[types.ResourceTemplate(annotations=_FOR_BOTH, **view) for view in views.TEMPLATES]
        )

    async def read_resource(self, ctx: Request, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return types.ReadResourceResult(contents=[await self._contents(ctx, str(params.uri))])

    async def list_prompts(self, _: Request, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(script) for script in views.PROMPTS])

    async def get_prompt(self, ctx: Request, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        script = next((prompt for prompt in views.PROMPTS if prompt.name == params.name), None)
        if script is None:
            refusal = f"no prompt {params.name!a}; there are {', '.join(prompt.name for prompt in views.PROMPTS)}"
            raise MCPError(code=types.INVALID_PARAMS, message=refusal)
        values = params.arguments or {}
        topic = "".join(values.get(argument["name"], "").strip() for argument in script.arguments)
        text = script.text + (script.more.format(topic) if topic else "")
        messages = [types.PromptMessage(role="user", content=types.TextContent(text=text))]
        if script.shows is not None:
            resource = await self._contents(ctx, script.shows)
            messages.append(types.PromptMessage(role="user", content=types.EmbeddedResource(resource=resource)))
        return types.GetPromptResult(description=script.description, messages=messages)

    async def _contents(self, ctx: Request, uri: str) -> types.TextResourceContents:
        try:
            resource = await views.read(self._memory, uri, self._speaker_of(ctx), self._grant_of(ctx))
        except (InvalidInput, NotAllowed) as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from error
        except Exception:  # noqa: BLE001  (the library would tell an older client what it says)
            _log.exception("a resource could not be read")
            raise MCPError(code=types.INTERNAL_ERROR, message="The memory cannot be read right now.") from None
        if resource is None:
            raise MCPError(code=types.INVALID_PARAMS, message="there is no such memory here", data={"uri": uri})
        return types.TextResourceContents(uri=uri, text=resource[0], mime_type=resource[1])

    async def set_level(self, ctx: Request, params: types.SetLevelRequestParams) -> types.EmptyResult:
        """Keep the least level that a client of an older protocol wants to be told."""
        _keep(self._levels, _session(ctx), params.level)
        return types.EmptyResult()

    async def _log(self, ctx: Request, tool: Tool, result: ToolResult, seconds: float) -> None:
        """Tell the client what became of a call: tool, status and time, never anybody's words."""
        level = "warning" if result.status.removeprefix(tool.failed) in _WARN else "info"
        if level not in self._levels_of(ctx):
            return
        data = {"tool": tool.name, "status": result.status, "ms": round(seconds * 1000, 1)}
        params = types.LoggingMessageNotificationParams(level=level, data=data, logger="zgadka")
        await ctx.session.send_notification(types.LoggingMessageNotification(params=params), ctx.request_id)

    def _levels_of(self, ctx: Request) -> frozenset[types.LoggingLevel]:
        allowed = allowed_log_levels(ctx.protocol_version, ctx.meta)
        if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return allowed
        metadata: Any = {"io.modelcontextprotocol/logLevel": self._levels.get(_session(ctx), "warning")}
        return allowed_log_levels(MODERN_PROTOCOL_VERSIONS[-1], metadata)


def _deletes(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether the call may delete for good."""
    return tool.may_ask(arguments) and not (tool.name == "forget" and arguments.get("memory_id") is None)


def _own_turn(speaker: Turn) -> Turn:
    """A turn that confirms nothing: who calls again may be the model."""
    mark = f"mcp:{uuid4().hex}"
    return replace(speaker, turn=mark, answers=mark)


def _host_turn(ctx: Request, speaker: Turn) -> Turn:
    """The turn that the application says the call belongs to; without an id where it says nothing.

    Raises:
        MCPError: What it says cannot be meant.
    """
    meta = ctx.meta or {}
    if TURN_KEY not in meta and TEXT_KEY not in meta:
        return speaker
    try:
        return replace(speaker, turn=meta.get(TURN_KEY, speaker.turn), text=meta.get(TEXT_KEY, speaker.text))
    except InvalidInput as error:
        raise MCPError(code=types.INVALID_PARAMS, message=f"_meta: {error}") from error


def _can_ask(ctx: Request) -> bool:
    """Whether the client can show its person a form."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS or ctx.session.can_send_request


def _request(text: str) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=text, requested_schema=_FORM))


async def _elicited(ctx: Request, text: str, seconds: int) -> Choice:
    """Ask in the way of the older protocols; no answer in time, and no answer that can be meant, decides nothing."""
    try:
        answer = await ctx.session.send_request(
            _request(text), types.ElicitResult, seconds, ServerMessageMetadata(related_request_id=ctx.request_id)
        )
    except (MCPError, ValueError):
        return "silent"
    return _choice(answer)


def _choice(answer: types.ElicitResult) -> Choice:
    delete = (answer.content or {}).get("delete")
    if answer.action == "accept" and delete is True:
        return "agreed"
    return "refused" if answer.action == "decline" or (answer.action == "accept" and delete is False) else "silent"


def _retold(result: ToolResult, message: str) -> ToolResult:
    fields = {name: value for name, value in result.items() if name not in ("status", "message")}
    return ToolResult(result.status, message, **fields)


def _waits(tool: Tool, result: ToolResult) -> bool:
    """Whether the person has to agree first; another person's note waits for nobody here."""
    is_note = result.status == f"{tool.failed}not_confirmed" and "memory_id" in result
    return result.status == "confirmation_required" or is_note


def _asks(tool: Tool, result: ToolResult) -> str:
    if tool.name == "clear_profile":
        counted = ", ".join(f"{result[name]} {name}" for name in ("facts", "notes", "episodes", "relations"))
        return f"Delete everything that is remembered about you: {counted}?"
    return f"Delete {'; '.join(map(_called, _awaiting(result)))}?"


def _called(memory: Mapping[str, Any]) -> str:
    """A memory in a question; without its text where a read would not have told it."""
    called = f"ID:{memory['memory_id']}"
    return f"“{memory['content']}” ({called})" if "content" in memory else called


def _awaiting(result: ToolResult) -> Sequence[Mapping[str, Any]]:
    """The memories that wait; a note waits alone."""
    return result.get("awaiting", (result,))


def _elsewhere(tool: Tool, result: ToolResult, speaker: Turn) -> str:
    is_all = tool.name == "clear_profile"
    selection = "--all" if is_all else " ".join(str(memory["memory_id"]) for memory in _awaiting(result))
    person = f"--user {shlex.quote(speaker.user_key)} --platform {shlex.quote(speaker.platform)}"
    command = f"zgadka person forget {selection} {person}"
    return (
        "Nothing was deleted: this application cannot ask the person. Tell them that they can do it themselves in a "
        f"terminal, with `{command}`, or on the dashboard. Do not run it for them."
    )


@asynccontextmanager
async def _heartbeat(ctx: Request) -> AsyncGenerator[None]:
    """Tell a client that wants to know, each second, that the call is still being worked on."""

    async def beat() -> None:
        for seconds in count(1):
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            await ctx.session.report_progress(seconds, None, "still at it, or waiting for the person")

    beating = asyncio.create_task(beat())
    try:
        yield
    finally:
        beating.cancel()


def _prompt(script: views.Script) -> types.Prompt:
    arguments = [types.PromptArgument(**argument) for argument in script.arguments] or None
    return types.Prompt(name=script.name, title=script.title, description=script.description, arguments=arguments)


def _session(ctx: Request) -> str:
    """Which connection it is; over standard input there is one."""
    return "" if ctx.request is None else ctx.request.headers.get("mcp-session-id", "")


def _keep(cache: OrderedDict[str, T], key: str, value: T) -> None:
    cache[key] = value
    if len(cache) > _KEPT:
        cache.popitem(last=False)
