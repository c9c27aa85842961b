"""All pages, for the application to take in."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import RedirectResponse

from zgadka.web.dashboard import boards, browse, own_page

root = APIRouter(include_in_schema=False)


@root.get("/")
async def at_the_root() -> RedirectResponse:
    """Lead people to the dashboard."""
    return RedirectResponse("/dashboard", 303)


# What is fixed comes before what a link stands in.
PAGES = (root, boards.anybody, boards.boards, browse.router, own_page.router, own_page.links)
