"""Routes of pages: who may see them, and what is shown when something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, ClassVar
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from zgadka.errors import InvalidInput, NotAllowed, StoreError
from zgadka.web.auth import memory_of
from zgadka.web.dashboard import session
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.session import Visitor
from zgadka.web.problem import Problem

_LOGIN = f"{session.OPERATOR_PATH}/login"
_SAFE = frozenset({"GET", "HEAD"})


class Page(APIRoute):
    """A page for anybody."""

    reads: ClassVar[bool] = False

    async def visitor(self, request: Request) -> Visitor | Response | None:
        """Who is there; or the answer for whoever may not see the page."""
        return None

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Find out who is there, and answer what goes wrong with a page."""
        handle = super().get_route_handler()

        async def enter(request: Request) -> Response:
            try:
                visitor = await self.visitor(request)
                if isinstance(visitor, Response):
                    return visitor
                request.state.visitor = visitor
                request.state.form = session.Form()
                if request.method not in _SAFE:
                    request.state.form = await session.form_of(request, visitor)
                return await handle(request)
            except Problem as problem:
                return mistake(request, problem.status)
            except NotAllowed:
                return mistake(request, 403)
            except InvalidInput:
                return mistake(request, 400)
            except StoreError:
                return mistake(request, 503)

        return enter


class OperatorPage(Page):
    """A page for operators."""

    async def visitor(self, request: Request) -> Visitor | Response | None:
        """The operator; others are sent to log in."""
        visitor = await session.operator(request)
        if visitor is None:
            if request.headers.get("hx-request") == "true":
                return Response(status_code=401, headers={"hx-redirect": _LOGIN})
            is_page = request.method == "GET" and request.url.path != session.OPERATOR_PATH
            query = f"?{request.url.query}" if request.url.query else ""
            to = f"?{urlencode({'to': request.url.path + query})}" if is_page else ""
            return RedirectResponse(_LOGIN + to, 303)
        if self.reads and not visitor.reads:
            return page(request, "may_not_read.html", 403, visitor=visitor)
        if self.reads:  # what is done for one person is asked for again, as that
            await memory_of(request).permit("read_anything", None, visitor.grant, about=request.url.path)
        return visitor


class ReaderPage(OperatorPage):
    """A page for operators who may read what people are remembered by."""

    reads = True


class OwnPage(Page):
    """A page for the person whom it is about."""

    async def visitor(self, request: Request) -> Visitor | Response | None:
        """The person; others are told that their link is over."""
        return await session.person(request) or page(request, "link_over.html", 403)


def answers_with_page(request: Request, status: int) -> bool:
    """Whether people look at what a mistake is answered with, and not programs."""
    path = request.url.path
    is_page = f"{path}/".startswith((f"{session.OPERATOR_PATH}/", f"{session.PERSON_PATH}/"))
    is_lost = status == 404 and request.method == "GET" and "text/html" in request.headers.get("accept", "")
    return is_page or (is_lost and not path.startswith("/v1/"))


def mistake(request: Request, status: int) -> Response:
    """The page for something that went wrong."""
    return page(request, "mistake.html", status, status=status)
