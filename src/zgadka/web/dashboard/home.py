"""For operators: how memory grows, what changed today, what waits, and whether all is well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from zgadka.ops.place_names import PlaceName
from zgadka.stores.tx import Tx
from zgadka.stores.tx.usage_stats import Backlog
from zgadka.web.auth import memory_of
from zgadka.web.dashboard.activity import Deed, deeds_of
from zgadka.web.dashboard.boards import BOARDS
from zgadka.web.dashboard.charts import Chart, growth, step_for
from zgadka.web.dashboard.pages import page
from zgadka.web.dashboard.routes_base import OperatorPage
from zgadka.web.dashboard.session import OPERATOR_PATH

router = APIRouter(prefix=OPERATOR_PATH, route_class=OperatorPage, include_in_schema=False)

_SHOWN = 12
_FINE = timedelta(hours=3)
"""The step that is read: longer ones are made of it, and shorter ones only charts of a few days have."""


@dataclass(frozen=True)
class Summary:
    """What the first page tells.

    Attributes:
        counts: Live memories by kind, and people and spaces.
        deeds: What changed today.
        storage: In bytes.
    """

    counts: Mapping[str, int]
    deeds: Sequence[Deed]
    places: Mapping[int, PlaceName]
    backlog: Backlog
    storage: int


@router.get("")
async def home(request: Request) -> Response:
    """Show how memory is; to those who may not read it, the first board."""
    visitor = request.state.visitor
    if not visitor.reads:
        return RedirectResponse(f"{OPERATOR_PATH}/boards/{BOARDS[0]}", 303)
    memory = memory_of(request)
    await memory.permit("read_anything", None, visitor.grant, about=OPERATOR_PATH)
    summary = await memory.look(_summary)
    return page(request, "home.html", summary=summary, places=summary.places, embedder=memory.settings.embedder)


@router.get("/growth")
async def show_growth(request: Request) -> Response:
    """Show the memories made over time: it counts all there are, so the first page does not wait for it."""
    visitor = request.state.visitor
    if not visitor.reads:
        return page(request, "may_not_read.html", 403)
    chart, since = await memory_of(request).look(_growth)
    template = "growth_part.html" if "hx-request" in request.headers else "growth.html"
    return page(request, template, chart=chart, since=since)


def _summary(tx: Tx) -> Summary:
    midnight = tx.now.astimezone(tx.settings.zone).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = tx.operator.list_events(since=midnight, actor="", action="", acts=False, before=None, limit=_SHOWN)
    deeds, places = deeds_of(tx, lines)
    return Summary(
        counts=tx.operator.counts_by_kind(),
        deeds=deeds,
        places=places,
        backlog=tx.usage.backlog(),
        storage=tx.operator.storage_bytes(),
    )


def _growth(tx: Tx) -> tuple[Chart, datetime | None]:
    """New memories over time, by kind, and about when the oldest was made."""
    made = tx.operator.grown(_FINE)
    oldest = min((at for _, at, _ in made), default=None)
    step = step_for(tx.now - (oldest or tx.now))
    if step < _FINE:
        made = tx.operator.grown(step)
    return growth(made, step, tx.now), oldest
