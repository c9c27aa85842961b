"""The application: routes, errors, and the guard around them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import nullcontext
from functools import cache
from inspect import signature
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi

from zgadka._version import __version__
from zgadka.asgi import Asgi, Scope, beside
from zgadka.engine import Memory
from zgadka.errors import InvalidInput, NotAllowed, StoreError
from zgadka.web.auth import Doors
from zgadka.web.dashboard import (
    activity,
    boards,
    home,
    model_view,
    own_page,
    places,
    questions,
)
from zgadka.web.dashboard import (
    memories as memory_pages,
)
from zgadka.web.dashboard import (
    people as people_pages,
)
from zgadka.web.dashboard.routes_base import answers_with_page, mistake
from zgadka.web.fair_share import FairShare
from zgadka.web.problem import Problem, problem_of
from zgadka.web.routes import events, memories, messages, operator, people, system, tools
from zgadka.web.routes_base import IMPORT
from zgadka.web.schemas import PROBLEM, Details, Result
from zgadka.web.security_middleware import Guard

if TYPE_CHECKING:
    from zgadka.mcp.http import McpOverHttp

ABOUT = """Long-term memory for chat assistants and bots. Every request shows a token (`Authorization: Bearer zgadka_…`,
made by `zgadka token add`). Who speaks, and where, is said in the body's `turn` or in headers `Zgadka-Platform`,
`Zgadka-Space`, `Zgadka-Chat`, `Zgadka-Thread`, `Zgadka-User`, `Zgadka-Turn`, `Zgadka-Message`, `Zgadka-Persona`,
`Zgadka-Direct`, `Zgadka-Audience` (percent-encoded, a comma between names); what the token is bound to may be left out.
An unsafe request with an `Idempotency-Key` is done once, and answered the same for a day."""

MakeMcp = Callable[[Callable[[Scope], Awaitable[Any]]], "McpOverHttp"]


class Application(Guard):
    """An ASGI application over a memory.

    Attributes:
        api: What is inside the guard; further routes may be added to it.
        doors: Lets requests in.
    """

    def __init__(self, api: FastAPI, doors: Doors, app: Asgi, *, hosts: Collection[str] | None) -> None:
        larger = {IMPORT: doors.memory.settings.serve_import_mb * 1024 * 1024}
        share = FairShare(doors.memory.settings.serve_at_once)
        super().__init__(app, hosts=hosts, larger=larger, share=share, caller_of=doors.caller)
        self.api = api
        self.doors = doors

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

    api = FastAPI(
        title="zgadka",
        version=__version__,
        description=ABOUT,
        responses=_MISTAKES,
        docs_url=None,  # they would load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lambda _: nullcontext() if mcp is None else mcp.running(),
        **_QUIET,
    )
    api.state.doors = doors
    api.state.closing = asyncio.Event()
    api.router.routes += _shared_router().routes
    for error, answer in _ANSWERS.items():
        api.add_exception_handler(error, answer)
    api.openapi = lambda: describe(api)
    return Application(api, doors, api if mcp is None else beside(mcp, api), hosts=hosts)


# Newer versions write paths and error texts into traces and logs of their own.
_QUIET: dict[str, Any] = (
    {"telemetry": {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}}
    if "telemetry" in signature(FastAPI.__init__).parameters
    else {}
)

_ROUTERS = (
    tools.router,  # what is asked most is looked for first
    system.health,
    system.counted,
    messages.router,
    memories.router,
    people.own,
    people.hosts,
    events.router,
    operator.work,
    operator.everything,
    operator.undoing,
    boards.root,
    boards.anybody,
    boards.boards,
    home.router,
    memory_pages.router,
    people_pages.router,
    places.router,
    questions.router,
    activity.router,
    model_view.router,
    own_page.router,  # what is fixed comes before what a link stands in
    own_page.links,
)


_MISTAKES: dict[int | str, dict[str, Any]] = {422: PROBLEM, "default": PROBLEM}


@cache
def _shared_router() -> APIRouter:
    """Every route, made once: FastAPI analyses the parameters of each, which takes longer than many a request."""
    router = APIRouter(responses=_MISTAKES)
    for part in _ROUTERS:
        router.include_router(part)
    return router


def describe(api: FastAPI) -> dict[str, Any]:
    """The OpenAPI description."""
    if api.openapi_schema:
        return api.openapi_schema
    described = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
    parts = described.setdefault("components", {})
    schemas = parts.setdefault("schemas", {})
    for model in (Details, Result):
        schemas[model.__name__] = model.model_json_schema(ref_template="#/components/schemas/{model}")
    parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            if path.startswith("/health/"):
                continue
            operation["security"] = [{"token": []}]
            if path.startswith("/v1/"):
                turn_parameters = _TURN_PARAMETERS if operation["tags"] != ["operator"] else []
                keyed = [_KEY_PARAMETER] if method != "get" and path != IMPORT else []
                operation["parameters"] = [*operation.get("parameters", []), *turn_parameters, *keyed]
    api.openapi_schema = described
    return described


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


async def _problem(request: Request, error: Exception) -> Response:
    problem = problem_of(error) or Problem(500, "Something went wrong inside.")  # the guard logs it
    if answers_with_page(request, problem.status):
        return mistake(request, problem.status)
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
    NotAllowed: _problem,
    StoreError: _problem,
    RequestValidationError: _unread,
    **dict.fromkeys(_SENTENCES, _refused_by_framework),
}
