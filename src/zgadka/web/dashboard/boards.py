"""The boards, the way in, the files that pages use, and what is said where there is no page."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.ops import browser_sessions
from zgadka.ops.tokens import check_token
from zgadka.stores.tx import Tx
from zgadka.web.auth import Doors, memory_of
from zgadka.web.dashboard.charts import SPANS, Board, Counts, span_for
from zgadka.web.dashboard.pages import page, static
from zgadka.web.dashboard.routes_base import OperatorPage, Page, mistake
from zgadka.web.dashboard.session import OPERATOR_COOKIE, OPERATOR_PATH, keep_cookie, own_address
from zgadka.web.rate_limit import slow_down

root = APIRouter(include_in_schema=False)
anybody = APIRouter(prefix=OPERATOR_PATH, route_class=Page, include_in_schema=False)
boards = APIRouter(prefix=OPERATOR_PATH, route_class=OperatorPage, include_in_schema=False)

BOARDS = ("usage", "behaviour", "performance", "rollout")


@root.get("/")
async def at_the_root() -> RedirectResponse:
    """Lead people to the dashboard."""
    return RedirectResponse(OPERATOR_PATH, 303)


@anybody.get("/static/{name}")
async def static_file(name: str) -> Response:
    """Give out a file that pages use."""
    return static(name)


@anybody.get("/login")
async def show_login(request: Request) -> Response:
    """Ask for a token."""
    doors: Doors = request.app.state.doors
    to = own_address(request.query_params)
    return page(request, "login.html", wrong=None, is_open=not doors.authenticates, to=to)


@anybody.post("/login")
async def log_in(request: Request) -> Response:
    """Exchange an operator's token for a session."""
    doors: Doors = request.app.state.doors
    to = own_address(request.state.form)
    if not doors.authenticates:
        return await _begin(request, browser_sessions.NOBODY, to)
    token = await doors.memory.look(check_token, request.state.form.get("token", "").strip())
    if token is None or not token.grant.has("operator"):
        if doors.failures.take(request.client.host if request.client else ""):
            await slow_down()
            return page(request, "login.html", 429, wrong="too_many", is_open=False, to=to)
        return page(request, "login.html", 403, wrong="token_wrong", is_open=False, to=to)
    return await _begin(request, token.grant.token, to)


async def _begin(request: Request, token: int, to: str) -> Response:
    sealed = await memory_of(request).apply(browser_sessions.begin_operator, token)
    response = RedirectResponse(to or OPERATOR_PATH, 303)
    keep_cookie(request, response, OPERATOR_COOKIE, sealed, OPERATOR_PATH)
    return response


@boards.post("/logout")
async def log_out() -> Response:
    """End the session."""
    response = RedirectResponse(f"{OPERATOR_PATH}/login", 303)
    response.delete_cookie(OPERATOR_COOKIE, path=OPERATOR_PATH)
    return response


@boards.get("/boards/{name}")
async def show(request: Request, name: str) -> Response:
    """Show a board; htmx asks for its inner part again and again."""
    if name not in BOARDS:
        return mistake(request, 404)
    span = request.query_params.get("span", "")
    if span not in SPANS:
        span = await memory_of(request).look(span_of)
    board = await memory_of(request).look(_board, name, span)
    values = {"name": name, "span": span, "spans": list(SPANS), "board": board, "boards": BOARDS}
    return page(request, "board_part.html" if "hx-request" in request.headers else "board.html", **values)


def span_of(tx: Tx) -> str:
    """The span of time that charts begin with."""
    return span_for(tx.usage.span(), tx.now)


def _board(tx: Tx, name: str, span: str) -> Board:
    counts = Counts(tx.usage.list(tx.now - SPANS[span][0]), now=tx.now, span=span)
    if name == "performance":
        return counts.performance(tx.usage.backlog(), tx.now)
    return {"usage": counts.usage, "behaviour": counts.behaviour, "rollout": counts.rollout}[name]()
