"""The application: routes, errors, and the guard around them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from inspect import signature
from typing import Any, Protocol

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi

from zgadka._version import __version__
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, StoreError
from zgadka.web.auth import Doors
from zgadka.web.dashboard.routes import PAGES
from zgadka.web.fast_path import Shortcut
from zgadka.web.problem import Problem, problem_of
from zgadka.web.routes import events, memories, messages, operator, people, system, tools
from zgadka.web.schemas import PROBLEM, Details, Result
from zgadka.web.security_middleware import Asgi, Guard, Receive, Scope, Send

TITLE = "zgadka"
ABOUT = """Long-term memory for chat assistants and bots. Every request shows a token (`Authorization: Bearer zgadka_…`,
made by `zgadka token add`). Who speaks, and where, is said in the body's `turn` or in headers `Zgadka-Platform`,
`Zgadka-Space`, `Zgadka-Chat`, `Zgadka-Thread`, `Zgadka-User`, `Zgadka-Turn`, `Zgadka-Message`, `Zgadka-Persona`,
`Zgadka-Direct` (percent-encoded); what the token is bound to may be left out. An unsafe request with an
`Idempotency-Key` is done once, and answered the same for a day."""

_MCP = "/mcp"


class McpDoor(Protocol):
    """MCP over HTTP, which asks of each request whose it is."""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Answer requests meanwhile."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        ...


MakeMcp = Callable[[Callable[[Scope], Awaitable[Any]]], McpDoor]


class Application:
    """An ASGI application over a memory.

    Attributes:
        api: What is inside the guard; further routes may be added to it.
        doors: Lets requests in.
    """

    def __init__(self, api: FastAPI, doors: Doors, guarded: Asgi) -> None:
        self.api = api
        self.doors = doors
        self._guarded = guarded

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._guarded(scope, receive, send)

    def close(self) -> None:
        """End the streams, so that the server can stop."""
        self.doors.close()
        self.api.state.closing.set()


def build_app(
    memory: Memory,
    *,
    authenticates: bool = True,
    hosts: Collection[str] | None = None,
    make_mcp: MakeMcp | None = None,
) -> Application:
    """Make the application over an open memory.

    Args:
        authenticates: Whether tokens are asked for; without, anybody who can reach the server may do anything.
        hosts: The names by which the server may be called; None: any.
        make_mcp: Makes what answers at `/mcp`, given what tells whose a request is.
    """
    doors = Doors(memory, authenticates=authenticates)
    mcp = None if make_mcp is None else make_mcp(doors.whose_request)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncGenerator[None]:
        if mcp is None:
            yield
        else:
            async with mcp.running():
                yield

    api = FastAPI(
        title=TITLE,
        version=__version__,
        description=ABOUT,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=running,
        **_QUIET,
    )
    api.state.doors = doors
    api.state.closing = asyncio.Event()
    for router in (*_ROUTERS, *PAGES):
        api.include_router(router)
    for error, answer in _ANSWERS.items():
        api.add_exception_handler(error, answer)
    api.openapi = lambda: describe(api)
    settings = memory.settings
    short = Shortcut(api, doors)
    guarded = Guard(
        short if mcp is None else _beside(mcp, short),
        hosts=hosts,
        larger={"/v1/import": settings.serve_import_mb * 1024 * 1024},
    )
    return Application(api, doors, guarded)


# Newer versions write paths and error texts into traces and logs of their own.
_QUIET: dict[str, Any] = (
    {"telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}}
    if "telemetry" in signature(FastAPI.__init__).parameters
    else {}
)

_ROUTERS = (
    system.health,
    system.counted,
    tools.router,
    messages.router,
    memories.router,
    people.own,
    people.hosts,
    events.router,
    operator.work,
    operator.everything,
    operator.imports,
)


def describe(api: FastAPI) -> dict[str, Any]:
    """The OpenAPI description."""
    if api.openapi_schema:
        return api.openapi_schema
    described = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
    parts = described.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for model in (Details, Result):
        schemas[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            answers: dict[str, Any] = operation["responses"]
            if _is_unsaid(answers.get("422")):
                answers["422"] = PROBLEM
            answers["default"] = PROBLEM
            if path.startswith("/health/"):
                continue
            operation["security"] = [{"token": []}]
            if path.startswith("/v1/"):
                turn_parameters = _TURN_PARAMETERS if operation["tags"] != ["operator"] else []
                keyed = [_KEY_PARAMETER] if method != "get" and path != "/v1/import" else []
                operation["parameters"] = [*operation.get("parameters", []), *turn_parameters, *keyed]
    api.openapi_schema = described
    return described


def _is_unsaid(answer: Any) -> bool:
    return answer is not None and "HTTPValidationError" in str(answer)


def _header(name: str, about: str, **schema: Any) -> dict[str, Any]:
    kind = {"type": "string", "minLength": 1, "maxLength": 255} | schema
    return {"name": name, "in": "header", "required": False, "description": about, "schema": kind}


_TURN_PARAMETERS = [
    _header("Zgadka-Platform", "Whose ids these are.", example="telegram"),
    _header("Zgadka-Space", "Where people share memory; default: the chat."),
    _header("Zgadka-Chat", "The conversation.", example="456"),
    _header("Zgadka-User", "Who speaks: the platform's id.", example="123"),
    _header("Zgadka-Direct", "Whether only the person and the bot are there.", enum=["true", "false"]),
]
_KEY_PARAMETER = _header("Idempotency-Key", "Do it once, and answer the same.", pattern="^[!-~]{1,255}$")


def _beside(mcp: McpDoor, api: Asgi) -> Asgi:
    """The application, with MCP at its path."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].rstrip("/") == _MCP:
            scope["zgadka.route"] = _MCP
            await mcp(scope, receive, send)
        else:
            await api(scope, receive, send)

    return answer


async def _problem(_: Request, error: Exception) -> Response:
    problem = problem_of(error) or Problem(500, "Something went wrong inside.")  # the guard logs it
    return Response(problem.body, problem.status, dict(problem.headers), "application/problem+json")


async def _unread(request: Request, error: RequestValidationError) -> Response:
    reasons = [
        {"where": ".".join(str(part)[:60] for part in mistake["loc"]), "what": str(mistake["msg"])[:200]}
        for mistake in error.errors()[:20]
    ]
    return await _problem(request, Problem(422, "The request is not of the form that is expected.", errors=reasons))


async def _refused_by_framework(request: Request, error: Any) -> Response:
    return await _problem(request, Problem(error.status_code, _SENTENCES[error.status_code], error.headers))


_SENTENCES = {
    400: "The body could not be read as JSON.",
    404: "There is nothing at this path.",
    405: "This path does not take this method.",
}
_ANSWERS: dict[Any, Any] = {
    Exception: _problem,
    Problem: _problem,
    InvalidInput: _problem,
    StoreError: _problem,
    RequestValidationError: _unread,
    **dict.fromkeys(_SENTENCES, _refused_by_framework),
}
